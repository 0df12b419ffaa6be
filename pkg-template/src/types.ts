import type { ChatTransport, UIMessage } from 'ai';
import type { GuardError } from './error.js';

/** What {@link createApprovalGuard} accepts. Every field is optional. */
export interface ApprovalGuardOptions {
  /**
   * The chat that this guard belongs to. Without it the guard binds to the chat of its first
   * request. A request of another chat is refused with the code `wrong-chat`.
   */
  chatId?: string;
  /**
   * Names of the tools that the page executes. A call of such a tool is open until it has its
   * output, also after it was approved, and is closed as superseded when the user moves on.
   */
  clientTools?: readonly string[];
  /** Which news may cause an automatic send: answers, outputs that the page wrote, or both. */
  sendOn?: 'both' | 'approvals' | 'outputs';
  /**
   * What happens to calls that are open, or allowed and not sent, when a person writes over them.
   * `'deny'` (default) denies them as superseded; `'pass'` leaves them as they are.
   */
  whenUserSends?: 'deny' | 'pass';
  /** `'send'` (default) tells the model when everything was denied; `'hold'` waits for the user. */
  whenAllDenied?: 'send' | 'hold';
  /** How many automatic sends there may be between two acts of a person. Default 20. */
  maxAutomaticSends?: number;
  /** Called with each entry of the ledger after it was appended. */
  onEvent?: (entry: LedgerEntry) => void;
  /** Called with each problem. Without it problems are written to `console.error`. */
  onError?: (error: GuardError) => void;
}

/** The part of a `Chat`, or of what `useChat` returns, that a guard uses after {@link ApprovalGuard.attach}. */
export interface AttachableChat<M extends UIMessage = UIMessage> {
  messages: M[];
  /** Present on what `useChat` returns, absent on a `Chat`. */
  setMessages?: (messages: M[] | ((messages: M[]) => M[])) => void;
  sendMessage: () => PromiseLike<void> | void;
  addToolOutput?: (output: AttachedToolOutput) => PromiseLike<void> | void;
  addToolApprovalResponse?: (response: AttachedApprovalResponse) => PromiseLike<void> | void;
  stop?: () => PromiseLike<void> | void;
}

export type AttachedToolOutput = { tool: never; toolCallId: string } & (
  | { state?: 'output-available'; output: never; errorText?: never }
  | { state: 'output-error'; errorText: string; output?: never }
);

export interface AttachedApprovalResponse {
  id: string;
  approved: boolean;
  reason?: string;
}

/** The approval guard of one chat. Every method is bound and can be passed on its own. */
export interface ApprovalGuard<M extends UIMessage = UIMessage> {
  /** For `useChat({ sendAutomaticallyWhen })`. Synchronous, never throws. */
  readonly sendAutomaticallyWhen: (options: { messages: M[] }) => boolean;
  /**
   * Wraps a transport: repairs what is sent, watches what comes back, forwards every other member.
   * The returned transport rejects with a {@link GuardError} (`wrong-chat`, `wasm-unavailable`,
   * `disposed`, `unreadable-messages`) instead of sending something it cannot vouch for.
   */
  readonly transport: <T extends ChatTransport<M>>(inner: T) => T;
  /**
   * Connects the guard with the chat, so that it can repair the chat's own messages, see a stop,
   * and carry out `retry()` and `resume()`. What the chat holds at the first attach is history: it
   * never sends by itself. Call it again with each new return value of `useChat`.
   *
   * @returns a function that disconnects.
   */
  readonly attach: (chat: AttachableChat<M>) => () => void;
  /** Tells the guard what the chat looks like now. An older list undoes nothing. */
  readonly observe: (messages: readonly M[]) => void;
  /** Why the chat may (not) be sent now. Without an argument: for the messages seen last. */
  readonly explain: (messages?: readonly M[]) => Verdict;
  /** For `useSyncExternalStore`: the same object until something changed. */
  readonly getSnapshot: () => Snapshot;
  /** @returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Sends what stands unsent in the last step, by an act of a person: after a failed request, after
   * a stop, or over a limit. Needs {@link attach}.
   */
  readonly retry: () => Promise<SendResult>;
  /** Sends what was answered before a reload and never sent. Needs {@link attach}. */
  readonly resume: () => Promise<SendResult>;
  /** Everything that happened, oldest first. */
  readonly ledger: () => readonly LedgerEntry[];
  /** Frees the guard. Afterwards it answers no and refuses requests that carry approvals. */
  readonly dispose: () => void;
  readonly [Symbol.dispose]: () => void;
}

/** Why an automatic send happens. */
export type SendReason = 'answered' | 'output' | 'retry' | 'resume';

/** Why no automatic send happens. */
export type HoldReason =
  | 'no-assistant-message'
  | 'no-tool-call'
  | 'waiting'
  | 'nothing-new'
  | 'already-sent'
  | 'asked-twice'
  | 'answered-in-text'
  | 'failed'
  | 'in-doubt'
  | 'history'
  | 'stopped'
  | 'all-denied'
  | 'not-in-send-on'
  | 'limit'
  | 'unreadable'
  | 'unavailable'
  | 'disposed';

/** Whether the chat may be sent now, and why. */
export type Verdict = ({ send: true; reason: SendReason } | { send: false; reason: HoldReason }) & {
  /** The calls of the last step that are open. Empty unless the reason is `waiting`. */
  waitingFor: readonly WaitingCall[];
  /** The reason as a sentence for developers. */
  message: string;
};

/** What an open call waits for. */
export type Need =
  /** a person's answer */
  | 'approval'
  /** the output of a tool that the page runs */
  | 'output'
  /** the rest of its input, which still streams or was cut off */
  | 'input'
  /** an answer that is exactly `true` or `false` */
  | 'valid-answer'
  /** a state that this version knows */
  | 'known-state';

export interface WaitingCall {
  toolCallId: string;
  approvalId: string | undefined;
  toolName: string;
  need: Need;
}

/** Where a tool call is in its life. */
export type CallStatus =
  /** not finished, and nobody has to approve it */
  | 'open'
  /** waits for a person's answer */
  | 'asking'
  /** answered, or put out by the page, and not sent */
  | 'answered'
  /** on its way */
  | 'sent'
  /** a response to the request that carried it has started */
  | 'delivered'
  /** has its output, its error, or its denial was taken */
  | 'settled'
  /** the request that carried it broke: the call may have run */
  | 'in-doubt'
  /** closed because the user moved on */
  | 'superseded'
  /** its message was edited or regenerated away */
  | 'gone';

/** Who caused an answer. */
export type Actor =
  /** seen in the messages, or decided through the chat, in this page */
  | 'person'
  /** the guard, because the user moved on */
  | 'superseded'
  /** written by the server */
  | 'server'
  /** found by the first `attach` */
  | 'history';

export interface CallView {
  toolCallId: string;
  approvalId: string | undefined;
  toolName: string;
  messageId: string;
  status: CallStatus;
  decision: 'allowed' | 'denied' | undefined;
  actor: Actor | undefined;
}

export interface Snapshot {
  /** Every call that the guard knows and whose message is still there, oldest first. */
  calls: readonly CallView[];
  verdict: Verdict;
}

/** The result of `retry()` and `resume()`. */
export type SendResult =
  | { type: 'sent' }
  /** The chat did not send: a predicate around the guard's has said no. */
  | { type: 'not-sent' }
  /** There is nothing of that kind to send. */
  | { type: 'nothing-to-send' }
  /** A call of the last step is open. */
  | { type: 'waiting'; waitingFor: readonly WaitingCall[] }
  /** No chat is attached. */
  | { type: 'not-attached' };

/** What kind of thing happened. */
export type LedgerEventType =
  | 'noticed'
  | 'asked'
  | 'answered'
  | 'refused'
  | 'output'
  | 'bypassed'
  | 'overwritten'
  | 'voided'
  | 'withdrawn'
  | 'superseded'
  | 'carried'
  | 'settled'
  | 'filed'
  | 'gone'
  | 'returned'
  | 'requested'
  | 'started'
  | 'ended'
  | 'failed'
  | 'stopped'
  | 'acted';

/** One entry of the ledger. Fields that do not apply are `undefined`. */
export interface LedgerEntry {
  /** 0, 1, 2, … */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  type: LedgerEventType;
  toolCallId: string | undefined;
  approvalId: string | undefined;
  toolName: string | undefined;
  /** For `answered`, `refused` and `carried`: was it an allowance? */
  approved: boolean | undefined;
  actor: Actor | undefined;
  /** The number of the request, for what belongs to one. */
  request: number | undefined;
}
