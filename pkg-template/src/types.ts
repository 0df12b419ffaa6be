import type { ChatRequestOptions, ChatTransport, UIMessage } from 'ai';
import type { GuardError } from './error.js';
import type {
  CallOf,
  CallView,
  Choice,
  CommitResult,
  Covers,
  DecideOptions,
  DecideResult,
  ExtendResult,
  GrantView,
  PendingCall,
  RevealResult,
  RevokeResult,
  Snapshot,
  ToolInfo,
  UndoResult,
} from './prompt.js';
import type { CalledToolName, ToolName, ToolNamePattern, ToolsOf } from './tools.js';
import type { LedgerEntry, Verdict, WaitingCall } from './types/events.js';
import type { ApprovalRecord } from './types/record.js';
import type { ApprovalRules, Redacted } from './types/rules.js';
import type { Catalogue, MessageId, MessageValues, QueueId } from './words.js';

/**
 * What {@link createApprovalGuard} accepts. Every field is optional. `M` is the type of the messages, whose tools
 * are those that can be named; `Dynamic` names the tools that are known only at run time.
 */
export interface ApprovalGuardOptions<M extends UIMessage = UIMessage, Dynamic extends string = never> {
  /**
   * The chat that this guard belongs to. Without it the guard binds to the chat of its first
   * request. A request of another chat is refused with the code `wrong-chat`.
   */
  chatId?: string;
  /**
   * Names of the tools that the page executes. A call of such a tool is open until it has its
   * output, also after it was approved, and is closed as superseded when the user moves on.
   */
  clientTools?: readonly (ToolName<M> | Dynamic)[];
  /** Which news may cause an automatic send: answers, outputs that the page wrote, or both. */
  sendOn?: 'both' | 'approvals' | 'outputs';
  /**
   * What happens to calls that are open, or allowed and not sent, when a person writes over them.
   * `'deny'` (default) denies them as superseded; `'pass'` leaves them as they are. `sendMessage()` without
   * a message closes nothing: while a call is open it is refused (`waiting`), and passes with `'pass'`.
   */
  whenUserSends?: 'deny' | 'pass';
  /** `'send'` (default) tells the model when everything was denied; `'hold'` waits for the user. */
  whenAllDenied?: 'send' | 'hold';
  /** How many automatic sends there may be between two acts of a person. Default 20. */
  maxAutomaticSends?: number;
  /** What the application knows of its tools, by name. */
  tools?: { readonly [Name in ToolName<M> | Dynamic]?: ToolInfo };
  /**
   * How long the decisions of a batch can be undone after the last of them, in milliseconds.
   * Default 0: the last decision commits at once. `Infinity` waits for `commit()`. A batch that
   * grants have answered by themselves does not wait, unless it allows something dangerous.
   */
  undoMs?: number;
  /** The same for a batch that allows a call that is marked as dangerous. Default 5000. */
  undoMsWhenDangerous?: number;
  /**
   * How long a call may wait for an answer, in milliseconds, from 1000 to 30 days: one number, or
   * one for each call (`undefined`: for ever; what throws, or answers something else, is reported,
   * and the call has one second). Then it is denied as expired, which is never told as a refusal by
   * the user. What is allowed and not committed expires too, so it is committed a second before, unless
   * `undoMs` is `Infinity`.
   * Default: for ever.
   */
  expiresMs?: number | ((call: ExpiringCall<M>) => number | undefined);
  /** How long before its end a call is `expiring`, in milliseconds. Default 20000. */
  warnMs?: number;
  /** `false`: nobody is there to ask, so each call that asks is denied at once. Default `true`. */
  attended?: boolean;
  /**
   * Rules that answer calls before anybody is asked: `createRules` of `tool-approval-guard/rules`. A client-side
   * rule spares prompts and reminds; it protects nothing that the server does not check again.
   */
  rules?: ApprovalRules;
  /**
   * Hides secrets in what is shown of inputs (`display` of a call): `redact` of `tool-approval-guard/rules`. What
   * is sent is not touched. What it answers `undefined` for, or throws for, cannot be shown.
   */
  redact?: (input: unknown) => Redacted | undefined;
  /**
   * Tools whose settled calls stay in the chat and do not leave with a request, because the model need not see
   * them: `['client.*']`. A call that has still to be answered, or to run, leaves all the same. Not for tools
   * whose output the model waits for: it would ask again.
   */
  omitFromWire?: readonly (ToolName<M> | Dynamic | ToolNamePattern)[];
  /**
   * Keeps what was decided over a reload and among tabs, and proves it: `createRecord` of
   * `tool-approval-guard/record`. Needs `chatId`.
   */
  record?: ApprovalRecord;
  /** The words of prompts. Default: English. */
  messages?: Catalogue;
  /** Called with each entry of the ledger after it was appended. */
  onEvent?: (entry: LedgerEntry<CalledToolName<M>>) => void;
  /** Called with each problem. Without it problems are written to `console.error`. */
  onError?: (error: GuardError) => void;
}

/**
 * The call for which `expiresMs` is asked. Its name is one of the tools of the messages unless it is `dynamic`,
 * and its input has the type of its tool, as the part of the message has it: nothing in the page has checked it.
 */
export type ExpiringCall<M extends UIMessage = UIMessage> =
  string extends ToolName<M>
    ? ExpiringCallOf<string, boolean, unknown>
    : | ExpiringCallOf<string, true, unknown>
      | { [Name in ToolName<M>]: ExpiringCallOf<Name, false, ToolsOf<M>[Name]['input']> }[ToolName<M>];

/** See {@link ExpiringCall}. */
export interface ExpiringCallOf<Name extends string, Dynamic extends boolean, Input> {
  /** The name of its tool. */
  toolName: Name;
  /** Its part is a `dynamic-tool`, which may have the name of any tool, and any input. */
  dynamic: Dynamic;
  /** The id of the call. It may come again in a later step, and is another call then. */
  toolCallId: string;
  /** The very input that stands in the message: untrusted, and not for writing. */
  input: Input;
}

/** The part of a `Chat`, or of what `useChat` returns, that a guard uses after {@link ApprovalGuard.attach}. */
export interface AttachableChat<M extends UIMessage = UIMessage> {
  /** Refused when it is the id of another chat than the guard's. */
  id?: string;
  /** The messages as they are now. They are read again each time they are needed. */
  messages: M[];
  /**
   * Present on what `useChat` returns, absent on a `Chat`. A wrapper around a chat that publishes its
   * messages later than it changes them can compare them with `newest`, the list that the chat itself gave
   * the guard last, and leave a change undone that is about an older list.
   */
  setMessages?: Method<[messages: M[] | Method<[messages: M[]], M[]>, newest?: readonly M[]], void>;
  /** Without a message it sends what there is: `retry()` and `resume()` do so. */
  sendMessage: Method<[message?: undefined, options?: ChatRequestOptions], PromiseLike<void> | void>;
  /** Watched, to know which outputs the page wrote; `retry()` writes one again where only outputs stand unsent. */
  addToolOutput?: (output: AttachedToolOutput) => PromiseLike<void> | void;
  /** Watched, so that an answer given through the chat is known; a commit writes its last answer with it. */
  addToolApprovalResponse?: (response: AttachedApprovalResponse) => PromiseLike<void> | void;
  /** Watched: what was drafted, or answered and not sent, asks again after it. */
  stop?: () => PromiseLike<void> | void;
}

/** What `addToolOutput` of a chat takes. */
export type AttachedToolOutput = { tool: never; toolCallId: string; options?: ChatRequestOptions } & (
  | { state?: 'output-available'; output: never; errorText?: never }
  | { state: 'output-error'; errorText: string; output?: never }
);

/** What `addToolApprovalResponse` of a chat takes. */
export interface AttachedApprovalResponse {
  /** The approval id, and not the call id. */
  id: string;
  /** Only `true` allows. */
  approved: boolean;
  /** What the model is told. */
  reason?: string;
  /** What the request is given if the chat sends now. */
  options?: ChatRequestOptions;
}

/**
 * What `retry()` and `resume()` accept: what the request is given. Default: the options of the last request of
 * a person. The event of a button is ignored, so that both can be its handler.
 */
export type RetryOptions = { options?: ChatRequestOptions } | { preventDefault: () => void };

/**
 * A function whose parameters are compared as those of a method are, in both directions: so what is for the
 * messages of one chat can be given to what takes that of any chat.
 */
type Method<Parameters extends unknown[], Result> = { method(...parameters: Parameters): Result }['method'];

/**
 * The approval guard of one chat. Every method is bound and can be passed on its own. What it says of calls is
 * typed by the tools of its messages; a guard of any messages (`ApprovalGuard`) is what a function takes that
 * does not care which tools there are.
 */
export interface ApprovalGuard<out M extends UIMessage = UIMessage> {
  /** For `useChat({ sendAutomaticallyWhen })`. Synchronous, never throws. */
  readonly sendAutomaticallyWhen: Method<[options: { messages: M[] }], boolean>;
  /**
   * Wraps a transport: repairs what is sent, watches what comes back, forwards every other member. A transport
   * that a member returns, such as a clone, is wrapped too, and each transport only once.
   * The returned transport rejects with a {@link GuardError} (`wrong-chat`, `waiting`,
   * `wasm-unavailable`, `disposed`, `unreadable-messages`) instead of sending something it cannot vouch for.
   *
   * @throws GuardError `invalid-input` for what is no transport
   */
  readonly transport: <T extends ChatTransport<M>>(inner: T) => T;
  /**
   * Connects the guard with the chat, so that it can repair the chat's own messages, see a stop and what
   * was open before an output was written, and carry out `retry()` and `resume()`. What the chat holds at the first attach is history: it
   * never sends by itself. Call it again with each new return value of `useChat`.
   *
   * @returns a function that disconnects.
   */
  readonly attach: Method<[chat: AttachableChat<M>], () => void>;
  /** Tells the guard what the chat looks like now. An older list undoes nothing. */
  readonly observe: Method<[messages: readonly M[]], void>;
  /** Why the chat may (not) be sent now. Without an argument: for the messages seen last. */
  readonly explain: Method<[messages?: readonly M[]], Verdict<CalledToolName<M>>>;
  /** For `useSyncExternalStore`: the same object until something changed. */
  readonly getSnapshot: () => Snapshot<CallOf<M>>;
  /**
   * Calls the listener after each change of what {@link getSnapshot} answers.
   *
   * @returns a function that unsubscribes
   */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Sends what stands unsent in the last step, by an act of a person: after a failed request, after
   * a stop, or over a limit. What is in doubt is sent once more, and may run twice. Needs {@link attach}.
   */
  readonly retry: (given?: RetryOptions) => Promise<SendResult<CalledToolName<M>>>;
  /** Sends what was answered before a reload and never sent; what was sent is for {@link retry}. Needs {@link attach}. */
  readonly resume: (given?: RetryOptions) => Promise<SendResult<CalledToolName<M>>>;
  /**
   * Decides a call that asks. The decision is a draft until the last call of its batch is decided
   * and `undoMs` is over; then all are written into the messages, in their order, and the chat
   * sends. The first answer wins, but a Deny replaces a drafted Allow.
   *
   * @param call the call id, the approval id, or the call from the snapshot: then it is refused if
   * its input has changed since
   * @throws GuardError `invalid-decision` for a choice, id or option that is none; nothing changed
   */
  readonly decide: (
    call: string | CallView,
    choice: Choice,
    options?: DecideOptions,
  ) => DecideResult<CalledToolName<M>>;
  /**
   * Decides the calls that the page showed, and no others. It gives no grants.
   *
   * @returns one result for each call, in their order
   * @throws GuardError `invalid-decision`; nothing changed
   */
  readonly decideAll: (
    calls: readonly (string | CallView)[],
    choice: 'allow-once' | 'deny',
    options?: Pick<DecideOptions, 'reason' | 'options'>,
  ) => readonly DecideResult<CalledToolName<M>>[];
  /** Takes a draft back: the call asks again, and a grant given with it is gone with its drafts. */
  readonly undo: (call: string | CallView) => UndoResult;
  /** Takes all drafts back. */
  readonly undoAll: () => UndoResult;
  /** Writes the decisions into the messages without waiting for `undoMs`. Needs {@link attach}. */
  readonly commit: () => CommitResult<CalledToolName<M>>;
  /** Gives a call that would expire its whole time again. */
  readonly extend: (call: string | CallView) => ExtendResult;
  /** A person wants to see what `redact` hides of an input: `display` shows it from now on, and the ledger says so. */
  readonly reveal: (call: string | CallView) => RevealResult;
  /**
   * The waiting calls, by call id and this one among them, that a choice that lasts would answer.
   *
   * @throws GuardError `invalid-decision`
   */
  readonly covered: (call: string | CallView, covers: Covers) => readonly string[];
  /** The calls that wait for a decision, oldest first. */
  readonly pending: () => readonly PendingCall<CalledToolName<M>>[];
  /** What holds for more than one call, oldest first. */
  readonly grants: () => readonly GrantView<CalledToolName<M>>[];
  /** Ends a grant. What was committed or sent stays as it is; drafts that it made ask again. */
  readonly revoke: (grantId: string) => RevokeResult;
  /** Ends all grants. */
  readonly revokeAll: () => RevokeResult;
  /**
   * A text of the catalogue. A number for `time` or `duration` is milliseconds. Texts are safe to show: what
   * a person would not see in them is written out (`⟦U+202E⟧`), and those that are not plain ASCII are isolated
   * (U+2068, U+2069), so that they cannot change the direction of what stands around them. The values of
   * `action`, `duration`, `fields`, `scope`, `time` and `why` are words of the guard, which have isolates already.
   *
   * `english` is the text for an id of yours that begins with `queue.`; a catalogue may have another one
   * for it. Where that needs a value that is not among `values`, the English text is said.
   *
   * @throws GuardError `invalid-catalogue` for an id that has no text, a value that is missing, or an
   * `english` that cannot be read
   */
  readonly text: (id: MessageId | QueueId, values?: MessageValues, english?: string) => string;
  /** What happened, oldest first: the latest 10,000 entries at least. */
  readonly ledger: () => readonly LedgerEntry<CalledToolName<M>>[];
  /** Frees the guard. Afterwards it answers no and refuses requests that carry approvals. */
  readonly dispose: () => void;
  /** The same as {@link dispose}, for `using`. */
  readonly [Symbol.dispose]: () => void;
}

/** The result of `retry()` and `resume()`. */
export type SendResult<Name extends string = string> =
  | { type: 'sent' }
  /** The chat did not send: a predicate around the guard's has said no. */
  | { type: 'not-sent' }
  /** There is nothing of that kind to send. */
  | { type: 'nothing-to-send' }
  /** A call of the last step is open. */
  | { type: 'waiting'; waitingFor: readonly WaitingCall<Name>[] }
  /** No chat is attached. */
  | { type: 'not-attached' };
