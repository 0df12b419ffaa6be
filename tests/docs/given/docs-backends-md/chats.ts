import type { UIMessage } from 'ai';
import type { RequestedApproval } from 'tool-approval-guard/server';

/** What the route of the guide asks of a database. */
export declare const chats: {
  requested(id: string): Promise<RequestedApproval[]>;
  claim(id: string, call: { approvalId: string; toolName: string; input: unknown }): Promise<boolean>;
  store(id: string, messages: UIMessage[]): Promise<void>;
};
