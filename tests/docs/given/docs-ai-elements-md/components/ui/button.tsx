import type { ComponentProps } from 'react';

export const Button = ({
  variant,
  ...props
}: ComponentProps<'button'> & { variant?: 'default' | 'ghost' | 'outline' }) => (
  <button data-variant={variant} {...props} />
);
