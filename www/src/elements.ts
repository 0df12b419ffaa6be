// What the frameworks are told of the element of the queue, so that its properties are checked.
import type { ToolApprovalQueue } from 'tool-approval-guard/element';

/** What can be set on `<tool-approval-queue>`. */
type QueueProps = Partial<Pick<ToolApprovalQueue, 'guard' | 'stop'>> & {
  lasting?: string;
  shortcut?: string;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tool-approval-queue': DetailedHTMLProps<HTMLAttributes<ToolApprovalQueue>, ToolApprovalQueue> &
        QueueProps;
    }
  }
}

declare module 'vue' {
  interface GlobalComponents {
    'tool-approval-queue': new () => { $props: QueueProps };
  }
}
