// The options of a guard, and its functions.
import type { ChatRequestOptions, ChatTransport, UIMessage } from 'ai';
import type { GuardError } from './error.js';
import type {
  BatchAction,
  CallOf,
  CallView,
  Choice,
  CommitResult,
  Covers,
  DecideOptions,
  DecideResult,
  Description,
  ExtendResult,
  GrantView,
  PendingCall,
  UnmaskResult,
  RevokeResult,
  Snapshot,
  ToolInfo,
  UndoResult,
} from './prompt.js';
import type { CalledToolName, ToolName, ToolNamePattern, ToolsOf } from './tools.js';
import type { LedgerEntry, User, Verdict, WaitingCall } from './types/events.js';
import type { ApprovalRecord } from './types/record.js';
import type { ApprovalRules, Redacted } from './types/rules.js';
import type { Catalogue } from './text/catalogue.js';

/**
 * The options of {@link createApprovalGuard}; all are optional. `M` is the type of the messages, whose tools
 * can be named. `Dynamic` names the tools that are known only at run time.
 */
export interface ApprovalGuardOptions<M extends UIMessage = UIMessage, Dynamic extends string = never> {
  /**
   * The chat of this guard. A request of another chat is refused with the code `wrong-chat`.
   *
   * @default the chat that is attached first, or that of its first request
   * @see `docs/guard.md`
   */
  chatId?: string;
  /**
   * The names of the tools that run in the page. A call of such a tool is open until it has an output, even after it was
   * approved, and is closed as superseded when the user moves on.
   *
   * For tools that are registered at run time, a function that returns whether a tool runs in the page now. It is called
   * when a call of a tool is first seen, and again before anything is sent, until it has returned `true`. Then the tool
   * stays one of the page, as long as the guard lives, because to forget it could send its calls early. What throws, or
   * returns something else than `true` or `false`, is reported and counts as `true`.
   *
   * @default [] every tool runs on the server
   * @see `docs/guard.md#tools-that-the-page-runs`
   */
  clientTools?: readonly (ToolName<M> | Dynamic)[] | ((toolName: string) => boolean);
  /**
   * The names of tools that the server no longer has, such as those of an MCP server that was removed. A server refuses a
   * list in which such a call asks or is answered, so the guard lets nobody allow it, and sends its denial as settled
   * (`output-denied`).
   *
   * @default [] the server has all tools
   * @see `docs/decisions.md#when-the-server-no-longer-has-a-tool`
   */
  unavailableTools?: readonly (ToolName<M> | Dynamic)[];
  /**
   * The causes of an automatic send: answers to approvals, outputs written by the page, or both. Anything else waits
   * for `retry()`.
   *
   * @default 'both'
   * @see `docs/migration.md#from-the-stock-predicates`
   */
  sendOn?: 'both' | 'approvals' | 'outputs';
  /**
   * The fate of calls that are open, or allowed but not sent, when a person writes a message: `'deny'` denies them as
   * superseded, `'pass'` leaves them unchanged. `sendMessage()` without a message, or with one that has no content, closes
   * no calls: while a call is open it is held, unless this is `'pass'`. An allowance that was sent leaves again only with `retry()`.
   *
   * @default 'deny'
   * @see `docs/decisions.md#when-the-user-writes-a-message-instead`
   */
  whenUserSends?: 'deny' | 'pass';
  /**
   * The next step after everything was denied: `'send'` tells the model, `'hold'` waits for the user, whose message carries
   * the denials. With `ai` 6 send them with `retry()`, because its server refuses the message once.
   *
   * @default 'send'
   * @see `docs/decisions.md#what-the-model-is-told`
   */
  whenAllDenied?: 'send' | 'hold';
  /**
   * Whether each answer is sent at once, by itself, while other calls of its step still wait for theirs. For a backend that
   * handles one answer at a time. There is one request for each answer, in the order of the decisions: the next one leaves
   * when the response to the last one has ended. Answers that the page writes itself during a response leave together.
   * Nothing else leaves early: an output of the page, a call that the page runs, and a call whose input or response is not
   * complete hold the step back as without this option.
   *
   * @default false
   * @see `docs/decisions.md#a-backend-that-takes-one-answer-at-a-time`
   */
  sendEach?: boolean;
  /**
   * The most automatic sends between two acts of a person, with a record also over a reload. Then `retry()` or a message
   * continues.
   *
   * @default 20
   * @see `docs/guard.md#what-to-set-for-what`
   */
  maxAutomaticSends?: number;
  /**
   * The application's knowledge of its tools, by name.
   *
   * @default {} a tool has the name that its calls have, and none is marked as dangerous
   * @see `docs/guard.md#tools-of-several-servers`
   */
  tools?: { readonly [Name in ToolName<M> | Dynamic]?: ToolInfo };
  /**
   * The time for which the decisions of a batch can be undone after the last of them, in milliseconds. `Infinity` waits for
   * `commit()`. A batch that was answered entirely by grants is committed at once, unless it allows something dangerous.
   *
   * @default 0 the last decision commits at once
   * @see `docs/decisions.md#drafts-and-undo`
   */
  undoMs?: number;
  /**
   * The same for a batch that allows a dangerous call.
   *
   * @default 5000
   * @see `docs/decisions.md#drafts-and-undo`
   */
  undoMsWhenDangerous?: number;
  /**
   * Says what a call that asks will do, where its own tool and input do not: for a tool that hands the work on to another
   * one, the inner call. Its title and its input are shown in place of those of the call (`title`, `label`, `display`,
   * `inputText`). `undefined`: the call shows itself. It is called again whenever a page reads the calls. A decision about
   * another description than the one that was shown is refused (`changed`). A lasting choice about its input is refused
   * (`not-comparable`). If the function throws, or returns something else, that is reported, and the call can only be
   * denied.
   *
   * @default each call shows itself
   * @see `docs/guard.md#a-tool-that-hands-its-work-on`
   */
  describe?: (call: ExpiringCall<M>) => Description | undefined;
  /**
   * The longest wait of a call for its answer, in milliseconds, from 1000 to 30 days. A function returns the
   * time for each call; `undefined` means without limit. If it throws or returns an invalid value, that is
   * reported, and the call has one second. When the time is over, the call is denied as expired, which is
   * never reported as a refusal by the user. An allowance that is not committed expires too, so it is
   * committed a second earlier, unless `undoMs` is `Infinity`.
   *
   * @default no limit
   * @see `docs/decisions.md#expiry`
   */
  expiresMs?: number | ((call: ExpiringCall<M>) => number | undefined);
  /**
   * The time before its deadline in which a call is `expiring`, in milliseconds.
   *
   * @default 20000
   * @see `docs/decisions.md#expiry`
   */
  warnMs?: number;
  /**
   * The longest wait of a call of `clientTools` for its output, in milliseconds from 1000 to 30 days, from the moment when
   * the page can run it. When the time is over, the guard gives the call an error as its output, through the attached
   * chat's `addToolOutput`, so that the chat goes on.
   *
   * @default no limit
   * @see `docs/guard.md#tools-that-the-page-runs`
   */
  outputMs?: number;
  /**
   * The person at the screen. Each entry about an act of a person has this id and name, also in records and their exports.
   *
   * @default none: an entry only says that it was a person
   * @see `docs/guard.md#the-ledger`
   */
  user?: User;
  /**
   * Whether a person is there to answer. With `false`, each call that asks is denied at once.
   *
   * @default true
   * @see `docs/decisions.md#stop-loops-nobody-there`
   */
  attended?: boolean;
  /**
   * Rules that answer calls before a person is asked: the result of `createRules` of
   * `tool-approval-guard/rules`. A rule in the browser saves prompts; it protects only what the server checks
   * again.
   *
   * @default none: a person answers every call that asks
   * @see `docs/rules.md`
   */
  rules?: ApprovalRules;
  /**
   * Hides secrets in the displayed inputs (`display` of a call): `redact` of `tool-approval-guard/redact`. It
   * does not change what is sent. An input for which it throws or returns `undefined` cannot be shown.
   *
   * @default none: inputs are shown as they are
   * @see `docs/rules.md#secrets`
   */
  redact?: (input: unknown) => Redacted | undefined;
  /**
   * Tools whose settled calls stay in the chat but are left out of requests, because the model does not need
   * them: `['client.*']`. A call that still needs an answer or an output is sent anyway. Do not use this for
   * tools whose output the model waits for: it would ask again.
   *
   * @default [] every call is in the requests
   * @see `docs/guard.md#what-to-set-for-what`
   */
  omitFromWire?: readonly (ToolName<M> | Dynamic | ToolNamePattern)[];
  /**
   * Keeps decisions over a reload and between tabs, with evidence: the result of `createRecord` of
   * `tool-approval-guard/record`. Needs `chatId`.
   *
   * @default none: decisions live as long as the page
   * @see `docs/record.md`
   */
  record?: ApprovalRecord;
  /**
   * Texts in another language, or other texts. The guard uses those that begin with `reason.`, which the model reads;
   * the queue and `createWords` use the others.
   *
   * @default English
   * @see `docs/guard.md#texts`
   */
  locale?: Catalogue;
  /**
   * Called with each entry of the ledger after it was appended. What it throws is reported as `listener-failed`.
   *
   * @default none: `ledger()` has the entries all the same
   * @see `docs/guard.md#the-ledger`
   */
  onEvent?: (entry: LedgerEntry<CalledToolName<M>>) => void;
  /**
   * Called with each problem, which has a stable `code` and a sentence.
   *
   * @default problems are written to `console.error`
   * @see `docs/troubleshooting.md#error-codes`
   */
  onError?: (error: GuardError) => void;
}

/**
 * The call for which `expiresMs` is called. Its name is one of the tools of the messages unless it is
 * `dynamic`. Its input has the type of its tool, but the page has not checked it: it is as reliable as the
 * message.
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
  /** Whether its part is a `dynamic-tool`, which may have the name of any tool, and any input. */
  dynamic: Dynamic;
  /** The id of the call. The same id in a later step is another call. */
  toolCallId: string;
  /** The same object as in the message: untrusted, and not to be changed. */
  input: Input;
}

/**
 * The part of a `Chat`, or of the result of `useChat`, that a guard uses after {@link ApprovalGuard.attach}.
 */
export interface AttachableChat<M extends UIMessage = UIMessage> {
  /** The id of the chat. A chat other than the guard's is refused. */
  id?: string;
  /** The current messages. They are read again whenever they are needed. */
  messages: M[];
  /**
   * Exists in the result of `useChat`, but not in a `Chat`. To read the newest messages, the guard passes a function that
   * takes them and throws, so that nothing is written; a wrapper must not catch that. A wrapper may publish the messages of
   * a chat later than it changes them. It can compare them with `newest`, the list that the chat itself last passed to the
   * guard, and ignore a change of an older list.
   */
  setMessages?: Method<[messages: M[] | Method<[messages: M[]], M[]>, newest?: readonly M[]], void>;
  /** Called without a message to send what there is, by `retry()` and `resume()`. */
  sendMessage: Method<[message?: undefined, options?: ChatRequestOptions], PromiseLike<void> | void>;
  /** Called by `retry()` to write an output again if only outputs are unsent. */
  addToolOutput?: (output: AttachedToolOutput) => PromiseLike<void> | void;
  /** Watched to see answers given through the chat. A commit writes its last answer with it. */
  addToolApprovalResponse?: (response: AttachedApprovalResponse) => PromiseLike<void> | void;
  /** Watched: after it, calls that were drafted or answered, but not sent, ask again. */
  stop?: () => PromiseLike<void> | void;
}

/** The argument of a chat's `addToolOutput`. */
export type AttachedToolOutput = { tool: never; toolCallId: string; options?: ChatRequestOptions } & (
  | { state?: 'output-available'; output: never; errorText?: never }
  | { state: 'output-error'; errorText: string; output?: never }
);

/** The argument of a chat's `addToolApprovalResponse`. */
export interface AttachedApprovalResponse {
  /** The approval id, not the call id. */
  id: string;
  /** Only `true` allows. */
  approved: boolean;
  /** The reason that the model receives. */
  reason?: string;
  /** The options of the request, if the chat sends now. */
  options?: ChatRequestOptions;
}

/**
 * The argument of `retry()` and `resume()`: the options of the request. Default: the options of a person's
 * last request. The event of a button is ignored, so both functions can be event handlers.
 */
export type RetryOptions = { options?: ChatRequestOptions } | { preventDefault: () => void };

/**
 * A function type whose parameters are compared in both directions, as those of methods are. So an object for
 * the messages of one chat is accepted where one for any chat is expected.
 */
type Method<Parameters extends unknown[], Result> = { method(...parameters: Parameters): Result }['method'];

/**
 * The approval guard of one chat. Every method is bound and can be passed on its own. Its types depend on the
 * tools of the messages. A function that does not care about the tools takes a guard of any messages
 * (`ApprovalGuard`).
 */
export interface ApprovalGuard<out M extends UIMessage = UIMessage> {
  /**
   * Settled when the guard is complete: its engine is loaded. Nobody has to wait for it. Until then the guard never
   * allows a send, requests wait, and the snapshot is empty and says `loading`; what has happened meanwhile counts. It is
   * rejected with a {@link GuardError} (`engine-unavailable`, `wasm-unavailable`, `invalid-option`, `invalid-catalogue`,
   * `disposed`) if there will be no guard. To read it again after `engine-unavailable` tries again.
   */
  readonly ready: Promise<void>;
  /**
   * For `useChat({ sendAutomaticallyWhen })`. Synchronous, never throws. A condition of your own stands behind it
   * (`guard.sendAutomaticallyWhen(o) && online`): where the chat does not ask, the guard asks in its place.
   */
  readonly sendAutomaticallyWhen: Method<[options: { messages: M[] }], boolean>;
  /**
   * Wraps a transport: repairs what is sent, watches what comes back, and forwards every other member. If a
   * member returns a transport, such as a clone, that one is wrapped too. Each transport is wrapped only
   * once. The returned transport rejects with a {@link GuardError} (`wrong-chat`,
   * `engine-unavailable`, `wasm-unavailable`, `disposed`, `unreadable-messages`) when it cannot send safely.
   *
   * @throws GuardError `invalid-input` if it is not a transport
   */
  readonly transport: <T extends ChatTransport<M>>(inner: T) => T;
  /**
   * The shortest end of a list that the server needs: from the first message on that is new, or whose calls the page has
   * answered or run, since a request whose response has ended as it should. In doubt, and after a reload, it is longer.
   * Never empty, unless the list is. For `prepareSendMessagesRequest`, with a server that has the rest:
   *
   * ```ts
   * prepareSendMessagesRequest: ({ messages, body, id }) => ({ body: { ...body, id, messages: guard.unsent(messages) } })
   * ```
   *
   * On that server, `mergeAnswers` of `tool-approval-guard/server` takes it into the stored list.
   *
   * @param messages the messages of the request
   * @returns the end of the list, with the same messages; all of it if there is no WebAssembly
   * @throws GuardError `invalid-input` if it is not a list
   */
  readonly unsent: Method<[messages: readonly M[]], M[]>;
  /**
   * Connects the guard with the chat. Then it can repair the chat's own messages, notice a stop and what was
   * open before an output was written, and carry out `retry()` and `resume()`. What the chat holds at the
   * first attach is history, which is never sent automatically. Call it again with each new result of
   * `useChat`.
   *
   * @returns a function that disconnects
   */
  readonly attach: Method<[chat: AttachableChat<M>], () => void>;
  /** Tells the guard the current messages of the chat. An older list undoes nothing. */
  readonly observe: Method<[messages: readonly M[]], void>;
  /**
   * Says that these messages come from the server, so what they say happened is believed over what the page remembers: an
   * output, an answer or a settled denial is the server's, also without `approved`. Nothing is sent because of it. A denial
   * of this page that was sent stays a denial. Give the chat the list as well, before or after this, in the same tick:
   *
   * ```ts
   * guard.adopt(messages);
   * chat.messages = messages; // or setMessages(messages)
   * ```
   *
   * For lists that a page sets after `onFinish`, from a poll, or from another channel. What the chat receives in a
   * response, or in a resumed stream, needs nothing. Ids of messages may differ. The last list counts; parts that only
   * another list had are no longer believed when they are read for the first time.
   *
   * @param messages the list as the server has it; it may lack what the page has not sent yet
   */
  readonly adopt: Method<[messages: readonly M[]], void>;
  /** The verdict for the messages seen last: whether the chat may be sent now, and why. It changes nothing. */
  readonly explain: () => Verdict<CalledToolName<M>>;
  /** For `useSyncExternalStore`: returns the same object until something changes. */
  readonly getSnapshot: () => Snapshot<CallOf<M>>;
  /**
   * Calls the listener whenever the result of {@link getSnapshot} may have changed.
   *
   * @returns a function that unsubscribes
   */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Sends what is unsent in the last step, as an act of a person: after a failed request, after a stop, or
   * beyond a limit. A call that is in doubt is sent again, and may run twice. Needs {@link attach}.
   */
  readonly retry: (given?: RetryOptions) => Promise<SendResult<CalledToolName<M>>>;
  /**
   * Sends answers that were given before a reload and never sent. Use {@link retry} for what was sent. Needs
   * {@link attach}.
   */
  readonly resume: (given?: RetryOptions) => Promise<SendResult<CalledToolName<M>>>;
  /**
   * Does what the one button of a batch is for: `proceed(batch.action)`. It does nothing if the batch needs another button
   * by now. Needs {@link attach}.
   *
   * @param action the action that the page showed
   * @param given the options of a request; default: those of a person's last message
   */
  readonly proceed: (
    action: BatchAction | undefined,
    given?: RetryOptions,
  ) => Promise<ProceedResult<CalledToolName<M>>>;
  /**
   * Decides a call that asks. The decision is a draft until the last call of its batch is decided and
   * `undoMs` has passed. Then all decisions are written into the messages, in order, and the chat sends. The
   * first answer wins, but a Deny replaces a drafted Allow.
   *
   * @param call the call from the snapshot, its key, its approval id or its call id. The decision is refused
   * if the input is no longer the one that the page showed
   * @throws GuardError `invalid-decision` for an invalid choice, id or option; nothing changed
   */
  readonly decide: (
    call: string | CallView,
    choice: Choice,
    options?: DecideOptions,
  ) => DecideResult<CalledToolName<M>>;
  /**
   * Decides exactly the calls that the page showed. It gives no grants.
   *
   * @returns one result for each call, in the same order
   * @throws GuardError `invalid-decision`; nothing changed
   */
  readonly decideAll: (
    calls: readonly (string | CallView)[],
    choice: 'allow-once' | 'deny',
    options?: Pick<DecideOptions, 'reason' | 'options' | 'source'>,
  ) => readonly DecideResult<CalledToolName<M>>[];
  /**
   * Undoes a draft: the call asks again, and a grant that was given with it ends along with its drafts. For a list of
   * calls, undoes their drafts together, and is refused only if it is refused for all of them.
   *
   * @throws GuardError `invalid-decision`; nothing changed
   */
  readonly undo: (call: string | CallView | readonly (string | CallView)[]) => UndoResult;
  /** Undoes all drafts. */
  readonly undoAll: () => UndoResult;
  /** Writes the decisions into the messages without waiting for `undoMs`. Needs {@link attach}. */
  readonly commit: () => CommitResult<CalledToolName<M>>;
  /** Gives a call with a deadline its full time again. */
  readonly extend: (call: string | CallView) => ExtendResult;
  /**
   * Shows what `redact` hides of an input: from now on `display` contains it, and the ledger records this.
   */
  readonly unmask: (call: string | CallView) => UnmaskResult;
  /**
   * The keys of the waiting calls that a lasting choice about this call would answer now, including this one.
   * Empty if {@link decide} would refuse the choice.
   *
   * @throws GuardError `invalid-decision`
   */
  readonly covered: (call: string | CallView, covers: Covers) => readonly string[];
  /** The calls that wait for a decision, oldest first. */
  readonly pending: () => readonly PendingCall<CalledToolName<M>>[];
  /** The lasting choices, oldest first. */
  readonly grants: () => readonly GrantView<CalledToolName<M>>[];
  /**
   * The grant that would answer a call of this tool, without a call; `undefined` if such a call would ask. Only grants that
   * are `active` count. A rule that denies or always asks goes before any grant, and a stop holds them all back until a
   * person acts.
   *
   * @param toolName the name of the tool
   * @param input the input of the call. Without it, only grants for all calls of the tool count
   * @param server the server of the tool, if it has one: see {@link CallView.server}
   */
  readonly granted: (
    toolName: CalledToolName<M>,
    input?: unknown,
    server?: string,
  ) => GrantView<CalledToolName<M>> | undefined;
  /** Ends a grant. Committed and sent answers stay; drafts that it made ask again. */
  readonly revoke: (grantId: string) => RevokeResult;
  /** Ends all grants. */
  readonly revokeAll: () => RevokeResult;
  /** The option `locale`, for `createWords` of `tool-approval-guard/words`. */
  readonly locale: Catalogue | undefined;
  /** The events so far, oldest first; at least the latest 10,000. */
  readonly ledger: () => readonly LedgerEntry<CalledToolName<M>>[];
  /** Frees the guard. Afterwards it never allows a send, and refuses requests that carry approvals. */
  readonly dispose: () => void;
  /** The same as {@link dispose}, for `using`. */
  readonly [Symbol.dispose]: () => void;
}

/** The result of `proceed()`: that of `commit()` where there were drafts, and otherwise that of `retry()` or `resume()`. */
export type ProceedResult<Name extends string = string> = CommitResult<Name> | SendResult<Name>;

/** The result of `retry()` and `resume()`. */
export type SendResult<Name extends string = string> =
  /** it was sent, once */
  | { type: 'sent' }
  /**
   * nothing was sent: a predicate around the guard's returned `false`, or another tab was first. Or since the press a call is
   * in doubt, a request has failed, or the chat was stopped. Or the storage of the record did not respond in time (`onError`
   * receives `storage-timeout`)
   */
  | { type: 'not-sent' }
  /** there is nothing to send */
  | { type: 'nothing-to-send' }
  /** a call of the last step is open: `waitingFor` names it */
  | { type: 'waiting'; waitingFor: readonly WaitingCall<Name>[] }
  /** no chat is attached */
  | { type: 'not-attached' };
