// The messages between a guard that waits for its engine and the guard that the engine makes of it.
import type { ChatRequestOptions, ChatTransport, UIMessage } from 'ai';

import type {
  ApprovalGuard,
  AttachableChat,
  AttachedApprovalResponse,
  AttachedToolOutput,
} from '../types.js';

/** Something that a guard would have read when it happened. The messages are those of that moment. */
export type Happening<M extends UIMessage> =
  /** The chat asked whether to send, or the application told what it shows, or what came from the server. */
  | { type: 'asked' | 'observed' | 'adopted'; messages: readonly M[] }
  /** A chat was attached, or shows something else. */
  | { type: 'attached'; chat: AttachableChat<M>; messages: readonly M[] }
  /** The page is about to write into a chat. */
  | {
      type: 'answered';
      chat: AttachableChat<M>;
      messages: readonly M[];
      response: AttachedApprovalResponse;
    }
  | { type: 'output'; chat: AttachableChat<M>; messages: readonly M[]; output: AttachedToolOutput }
  | { type: 'stopped'; chat: AttachableChat<M>; messages: readonly M[] }
  /** A request has left without an engine; whether its response has begun. */
  | {
      type: 'left';
      messages: readonly M[];
      request: Parameters<ChatTransport<M>['sendMessages']>[0];
      isDelivered: boolean;
    };

/** The guard that one becomes which has waited. It acts on nothing before `begin`. */
export interface LateGuard<M extends UIMessage> {
  readonly guard: ApprovalGuard<M>;
  /** Attaches a chat, which is read in `begin`. Returns the function that detaches it. */
  attach(chat: AttachableChat<M>): () => void;
  /** Passes on what has happened. To be called in that order. */
  tell(happened: Happening<M>): void;
  /**
   * From now on it acts on what it knows. Reads the attached chats first, unless a request has just left, whose list was
   * read.
   */
  begin(hasSent: boolean): void;
  /**
   * Asks again for a chat that was told no, and sends if the answer is yes.
   *
   * @param asker the object on which the predicate was called: the chat, if it is not attached
   * @param options those of the request
   */
  askAgain(asker: unknown, options: ChatRequestOptions | undefined): void;
}
