import type { ComponentProps } from 'react';

export const Alert = (props: ComponentProps<'div'>) => <div {...props} />;
export const AlertDescription = (props: ComponentProps<'div'>) => <div {...props} />;
