import type { UIMessage } from 'ai';
import type { RequestedApproval } from 'tool-approval-guard/server';

/** What the route of the guide asks of a database. */
export declare const chats: {
  requested(id: string): Promise<RequestedApproval[]>;
  /** All of them or none, in one transaction. */
  claim(id: string, calls: { approvalId: string; toolName: string; input: unknown }[]): Promise<boolean>;
  store(id: string, message: UIMessage): Promise<void>;
};
