import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import type { ComponentProps } from 'react';

export const Tool = ({ defaultOpen, ...props }: ComponentProps<'details'> & { defaultOpen?: boolean }) => (
  <details open={defaultOpen} {...props} />
);
export const ToolHeader = ({
  title,
  state,
}: {
  title?: string;
  state: ToolUIPart['state'];
} & (
  { type: ToolUIPart['type']; toolName?: never } | { type: DynamicToolUIPart['type']; toolName: string }
)) => (
  <summary>
    {title}: {state}
  </summary>
);
export const ToolContent = (props: ComponentProps<'div'>) => <div {...props} />;
