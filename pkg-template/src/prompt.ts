// The types of decisions, grants and the snapshot: all that a person sees and does.
import type { ChatRequestOptions, UIDataTypes, UIMessage, UITools } from 'ai';

import type { Actor, NamedCall, Outcome, User, Verdict, WaitingCall } from './types/events.js';
import type { Ruling, ToolAnnotations } from './types/rules.js';

/** A person's choice for a call that asks. */
export type Choice =
  /** run this call, and ask again for the next one */
  | 'allow-once'
  /** run this call and similar calls in this chat, see {@link Covers} */
  | 'allow-chat'
  /** do not run this call */
  | 'deny'
  /** do not run this call, and deny similar calls in this chat without asking */
  | 'deny-chat';

/**
 * The scope of a lasting choice: exactly the same input (`'input'`), every call of the tool (`'tool'`), or
 * every call of the tool with the same values in these top-level fields of the input. Two inputs are the same
 * if their canonical JSON (RFC 8785) is.
 */
export type Covers = 'input' | 'tool' | readonly string[];

/** The options of a decision. */
export interface DecideOptions {
  /**
   * The reason that the model receives, as plain text of at most 500 characters.
   *
   * @default none for an allowance; for a denial the text `reason.denied` or `reason.denyChat` of the catalogue, and none if
   * that text is empty
   * @see `docs/decisions.md#what-the-model-is-told`
   */
  reason?: string;
  /**
   * The input that the call is allowed with, as JSON, in the place of the one that the model asked for: all of it. Only with
   * `'allow-once'`, and for tools that the option `tools` says may be changed. The model is told by the reason.
   *
   * @default none: what the model asked for
   * @see `docs/decisions.md#change-it-before-you-allow-it`
   */
  input?: unknown;
  /**
   * The scope of a lasting choice.
   *
   * @default `covers` of the tool in the option `tools`, or `'input'`
   * @see `docs/decisions.md#grants`
   */
  covers?: Covers;
  /**
   * The time for which a lasting choice is valid, in milliseconds from the decision, at most 7 days.
   *
   * @default as long as the guard exists
   * @see `docs/decisions.md#grants`
   */
  forMs?: number;
  /**
   * The program that decides, if no person does: a policy engine, an approver in another window, a chat bot. Plain text
   * of at most 200 characters; only with `'allow-once'` and `'deny'`, because a grant stands for a person. The decision is
   * recorded as `external` with this source, never as an act of a person; a person can undo it, it does not count as a
   * turn of the person, and after a reload the call asks again.
   *
   * @default none: a person decides
   * @see `docs/decisions.md#programs-that-decide`
   */
  source?: string;
  /**
   * Headers, body and metadata of the request that carries the decision. In a batch, the newest decision with
   * options counts, as a whole.
   *
   * @default the options of a person's last request
   * @see `docs/decisions.md#headers-body-and-metadata`
   */
  options?: ChatRequestOptions;
}

/** The reason for the refusal of an answer, or of an undo. Nothing changed, but the refusal is in the ledger. */
export type RefusalReason =
  /**
   * no call in this chat has this approval id or call id
   *
   * check that this is the guard of this chat, and that it has seen the messages
   */
  | 'unknown-id'
  /**
   * several calls have this id
   *
   * pass the call from the snapshot, or its approval id
   */
  | 'ambiguous-id'
  /**
   * this call does not need approval
   *
   * enable buttons by `call.can`
   */
  | 'not-asking'
  /**
   * its input is no longer the one that was shown
   *
   * show it again; the answer was void
   */
  | 'changed'
  /**
   * it is decided, but not committed
   *
   * `undo(call)` if `call.can.undo`. A Deny still replaces an Allow
   */
  | 'already-drafted'
  /**
   * it was answered, here or elsewhere, or by a rule
   *
   * enable buttons by `call.can`
   */
  | 'already-answered'
  /**
   * nobody answered in time
   *
   * a Deny still counts
   */
  | 'expired'
  /**
   * the user moved on
   *
   * enable buttons by `call.can`
   */
  | 'superseded'
  /**
   * its message was edited or regenerated away, or the server asks again with a new approval id
   *
   * show the calls of the newest snapshot
   */
  | 'gone'
  /**
   * it is not in the last step, or its approval has no id that is a text
   *
   * enable buttons by `call.can`; look at the ids of your server
   */
  | 'unreachable'
  /**
   * its input cannot be compared with another one, or lacks a field that was named
   *
   * offer `covers: 'tool'`, or only once
   */
  | 'not-comparable'
  /**
   * the server no longer has its tool (`unavailableTools`)
   *
   * offer only Deny
   */
  | 'tool-unavailable'
  /**
   * there is nothing to undo
   *
   * enable Undo by `call.can.undo`
   */
  | 'not-drafted'
  /**
   * it does not expire
   *
   * hide the button unless `call.deadline` is set
   */
  | 'no-deadline'
  /**
   * the input, or one of the fields that differ, may not be changed
   *
   * name the tool, or the field, in `editable` of the option `tools`
   */
  | 'not-editable'
  /**
   * the server has bound the approval to its input, by a signature or by its schema, and would run no other one
   *
   * deny the call with a reason, or let the server sign it again (`signsAgain`)
   */
  | 'signed'
  /**
   * the changed input has problems
   *
   * show `problems` beside the fields
   */
  | 'invalid-input'
  /**
   * the rules deny the call with the changed input
   *
   * show it, and let the person change the input again
   */
  | 'denied-by-rule'
  /** there is no such grant, or it has ended */
  | 'unknown-grant'
  /**
   * there is no working guard
   *
   * see `onError`
   */
  | 'unavailable';

/** A problem that the application has found in a changed input. */
export interface EditProblem {
  /** The top-level field that it is about; `undefined` if it is about the whole input. */
  field?: string;
  /** The problem, for people. */
  message: string;
}

/**
 * The part of a tool's inputs that may be changed: everything, these top-level fields, or what a function takes, which
 * returns the problems with a changed input.
 */
export type Editable =
  boolean | readonly string[] | ((input: unknown) => readonly (string | EditProblem)[] | undefined | void);

/** A JSON schema, as an object: of it the editor of a card reads `type`, `enum`, limits and what is required. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One top-level field of an input that a person has changed. Untrusted, like the input. */
export interface InputChange {
  /** Its name; `undefined` for an input that is not an object. */
  field: string | undefined;
  /** The model's value, as it may be shown: with masks in place of secrets. `undefined` if it had no such field. */
  from: unknown;
  /** The value that runs, as it may be shown. `undefined` if the person has removed the field. */
  to: unknown;
}

/** The inputs of a call that is allowed with a changed one. */
export interface EditedInput {
  /** The input that the model asked for. */
  from: unknown;
  /** The input that is allowed, and runs. */
  to: unknown;
}

/** The report that nothing was done, and why. */
export interface Refusal {
  /** Distinguishes it from a result. */
  type: 'refused';
  /** The reason for the refusal, as a code. {@link RefusalReason} says what to do about each. */
  reason: RefusalReason;
  /** The reason as a sentence for developers. */
  message: string;
  /** Of `invalid-input`: what the application has found. */
  problems?: readonly EditProblem[];
}

/** The result of a decision. */
export type DecideResult<Name extends string = string> =
  | {
      type:
        /** it can be undone until the batch is committed */
        | 'drafted'
        /** it was the last decision of its batch, and is in the messages */
        | 'committed';
      /** The key of the call. */
      key: string;
      /** The choice that counts. */
      choice: Choice;
      /** The grant of a lasting choice. */
      grant: GrantView<Name> | undefined;
      /** The keys of the waiting calls that this grant has answered as well. */
      also: readonly string[];
    }
  /** the call had expired and was denied already: it now counts as denied by a person */
  | {
      type: 'late-denial';
      /** The key of the call. */
      key: string;
      /** The grant of `deny-chat`. */
      grant: GrantView<Name> | undefined;
      /** The keys of the waiting calls that this grant has answered. */
      also: readonly string[];
    }
  /** nothing has changed: `reason` says why */
  | Refusal;

/** The result of an undo: the calls with these keys ask again. Of several calls, those whose undo was refused are missing. */
export type UndoResult = { type: 'undone'; keys: readonly string[] } | Refusal;

/** The result of a commit. */
export type CommitResult<Name extends string = string> =
  /** the decisions on the calls with these keys are in the messages, and the chat sends */
  | { type: 'committed'; keys: readonly string[] }
  /** the decisions are being stored in the record that the tabs share, and are written into the messages afterwards */
  | { type: 'committing' }
  /** there is no draft */
  | { type: 'nothing-to-commit' }
  /** a call of the batch still asks: `waitingFor` names it */
  | { type: 'waiting'; waitingFor: readonly WaitingCall<Name>[] }
  /** the response that asked has not ended, so it may bring more calls. What is decided is committed when it ends */
  | { type: 'responding' }
  /** no chat is attached */
  | { type: 'not-attached' }
  /** there is no working guard */
  | Refusal;

/** The result of an extension. */
export type ExtendResult =
  | {
      type: 'extended';
      /** The new deadline, in milliseconds since the epoch. */
      deadline: number;
    }
  | Refusal;

/** The result of unmasking an input. */
export type UnmaskResult = { type: 'unmasked' } | Refusal;

/** The result of a revocation. */
export type RevokeResult =
  /** The drafts of the grant, with these keys, ask again. Committed and sent answers stay. */
  { type: 'revoked'; keys: readonly string[] } | Refusal;

/** The stage of a tool call in its life. */
export type CallStatus =
  /** not finished, and no approval is needed */
  | 'open'
  /** waiting for a person's answer */
  | 'asking'
  /** decided in the page; the decision can be undone and is not in the messages yet */
  | 'drafted'
  /** answered, or given an output by the page, but not sent */
  | 'answered'
  /** on its way to the server */
  | 'sent'
  /** the response to the request that carried it has started */
  | 'delivered'
  /** it has an output or an error, or its denial is settled */
  | 'settled'
  /** the request that carried it broke off: the call may have run */
  | 'in-doubt'
  /** nobody answered in time, so it was denied, but not by a person */
  | 'expired'
  /** closed because the user moved on */
  | 'superseded'
  /** its message was edited or regenerated away, or the server asks with a new approval */
  | 'gone'
  /** answered in another tab, which sends it */
  | 'elsewhere';

/** A call that waits for a decision. */
export interface PendingCall<Name extends string = string> extends NamedCall<Name> {
  /** The id of its message. */
  messageId: string;
  /** The time at which it expires, in milliseconds since the epoch; `undefined` if it does not (`expiresMs`). */
  deadline: number | undefined;
}

/** The part of an input that may be shown. Untrusted, like the input. */
export interface Display {
  /** A copy with masks in place of secrets, or the input itself if nothing is hidden. */
  value: unknown;
  /** The number of masks in it. */
  hidden: number;
}

/**
 * One tool call, with everything that a prompt needs. It is the same object until something in it changes.
 */
export interface CallView extends PendingCall {
  /**
   * The name of its tool for people, safe to show: the title of the option `tools`, or otherwise `toolName`, in
   * quotes if it is an unusual name. Ends with an ellipsis if it has more than 100 characters.
   */
  label: string;
  /**
   * Whether its part is a `dynamic-tool`: the tool is known only at run time, or the server could not read
   * the call. Such a call may have the name of any tool, and any input.
   */
  dynamic: boolean;
  /** A name for people, from the part or the option `tools`. Untrusted text. */
  title: string | undefined;
  /**
   * The server of the tool: `toolMetadata.server` of the part, or otherwise `server` of the option `tools`. Untrusted
   * text. A tool of the same name from another server is another tool.
   */
  server: string | undefined;
  /** The same object as in the message: untrusted, and not to be changed. */
  input: unknown;
  /**
   * The input as it may be shown: a copy without the secrets found by the option `redact`, until a person
   * asks for them (`unmask`). `undefined` if it cannot be shown: if it is not JSON, too deep or too large, see `inspect`
   * of `tool-approval-guard/escape`. Then offer only Deny.
   */
  display: Display | undefined;
  /**
   * `display.value` as text, safe to show: JSON with indents, or the string itself, in which everything that a
   * person would not see is written out (`⟦U+202E⟧`). `undefined` if no approval was requested, and whenever `display`
   * is; then offer only Deny.
   */
  inputText: string | undefined;
  /** The reason of the question, in the server's words (`approval.requestReason`). Untrusted text. */
  requestReason: string | undefined;
  /** Whether the server no longer has its tool (`unavailableTools`). Then offer only Deny. */
  unavailable: boolean;
  /**
   * Whether it is dangerous: marked in the option `tools` or by its server (`destructiveHint`), or, with rules, by its
   * name. What the option `tools` says about a tool goes before all others, also `dangerous: false`.
   */
  dangerous: boolean;
  /** The source of its mark as dangerous; `undefined` if it has none. */
  dangerousBy: DangerSource | undefined;
  /**
   * Whether the name or title of the tool contains a word such as _delete_ or _shell_. It is `false` if something marks the
   * call as dangerous, or the option `tools` says that it is not. It changes how the call is shown, and decides nothing.
   */
  soundsDangerous: boolean;
  /**
   * Whether the server of the tool says that it changes nothing (`readOnlyHint`), and neither a mark
   * nor its name says otherwise. Nobody has checked it, and it never allows anything.
   */
  readOnly: boolean;
  /** The ruling of the option `rules`; `undefined` without rules. */
  ruling: Ruling | undefined;
  /**
   * Its stage: `asking` waits for an answer, `drafted` can be undone, `answered` is in the messages, `sent` has left
   * the page, and `settled` has ended; {@link CallStatus} has the others. Enable buttons by `can`, and say what was decided
   * by `outcome`.
   */
  status: CallStatus;
  /** The answer, committed or drafted; `undefined` if there is none. */
  decision: 'allowed' | 'denied' | undefined;
  /** The author of the answer: a person, a grant, a rule, the passing of time, another tab … `undefined` if there is none. */
  actor: Actor | undefined;
  /** For an answer that a person gave in this page: the option `user`. */
  user: User | undefined;
  /** For an answer of a program: its `source`. */
  source: string | undefined;
  /**
   * The answer as one word, which also says for how long it holds, or why no person gave it: `undefined` while there is
   * none. `createWords(…).call(call).outcome` is the same as a sentence.
   */
  outcome: Outcome | undefined;
  /**
   * The part of its input that may be changed before it is allowed: `editable` of the option `tools`; `false` if the server has
   * bound the approval to its input. Offer an editor by `can.edit`.
   */
  editable: Editable;
  /** The schema of its input, for an editor: `inputSchema` of the option `tools`. */
  inputSchema: JsonSchema | undefined;
  /** Both inputs, if it is allowed, also as a draft, with a changed one; `undefined` otherwise. Untrusted. */
  edited: EditedInput | undefined;
  /** The fields that differ in `edited`, as they may be shown; `undefined` without `edited`, or if they cannot be shown. */
  changes: readonly InputChange[] | undefined;
  /**
   * The grant that gave the answer, or that was given with it, even if it has ended since the answer was committed.
   * If the grant of a draft ends, the draft decides only its own call, and has no grant.
   */
  grant: CallGrant | undefined;
  /**
   * The key of the oldest call of the batch that asks exactly the same and has the same answer: the same tool of the
   * same server, the same input, and nothing else that a card shows. Its own key if there is no other. One card can show
   * the calls of a group, say how many they are, and decide them with `decideAll`.
   */
  group: string;
  /**
   * Its position among the calls that are decided together, from 1, for a text such as "2 of 5"; `undefined` if nothing is
   * to be decided about it.
   */
  position: { index: number; total: number } | undefined;
  /**
   * Whether it waits for an answer: its status is `asking`, and it is in the batch. A call that the chat has left behind
   * still has this status, and can no longer be answered.
   */
  waiting: boolean;
  /**
   * The acts that are possible: Allow, Deny, Undo. A page enables its buttons by this, and by nothing else, and keeps a button
   * that is disabled in its place.
   */
  can: Can;
  /** Whether it expires within `warnMs`: show the time that is left, and a button for `extend(call)`. */
  expiring: boolean;
  /**
   * Whether it has run, or may have, and waits all the same: its request broke off, the server allowed it without a
   * result, or the application has set an older list. If it is sent or allowed again, it may run twice, so only a person can do that, and it does not expire.
   */
  mayHaveRun: boolean;
  /** The default scope of `decide(call, 'allow-chat')`, from the option `tools`. Say it on the button. */
  defaultCovers: Covers;
  /** The number of calls with the same input that were refused in this chat. After three of them `batch.looping` is true. */
  refusals: number;
}

/** A call whose part is a `dynamic-tool`. */
export interface DynamicCallView extends CallView {
  dynamic: true;
  /** Any name. This spelling of `string` keeps an editor's suggestions for the other names. */
  toolName: string & {};
}

/**
 * A call of a tool of the message type that waits for a decision or for its commit. The server asks only
 * about inputs that it could read, so the input has the type of the tool. The page has not checked it: it is
 * as reliable as the message.
 */
export interface DecidableCallView<Name extends string, Input> extends CallView {
  dynamic: false;
  /** The name of its tool. */
  toolName: Name;
  /** It waits for a decision, or for its commit. */
  status: 'asking' | 'drafted';
  input: Input;
}

/** A call of a tool of the message type at any other time, when its input may be incomplete or missing. */
export interface StaticCallView<Name extends string> extends CallView {
  dynamic: false;
  /** The name of its tool. */
  toolName: Name;
  /** Its stage. */
  status: Exclude<CallStatus, 'asking' | 'drafted'>;
}

/**
 * One tool call of a chat with these messages. Its name is one of their tools unless it is `dynamic`. While
 * it waits for a decision or for its commit, its input has the type of its tool. If the message type names no
 * tools, it is a {@link CallView}.
 */
export type CallOf<M extends UIMessage = UIMessage> =
  // Behind `infer`, as in CalledToolName.
  M extends UIMessage<unknown, UIDataTypes, infer T> ? CallOfTools<T> : CallView;

type CallOfTools<T extends UITools> = string extends keyof T
  ? CallView
  : | DynamicCallView
    | {
        [Name in Extract<keyof T, string>]: DecidableCallView<Name, T[Name]['input']> | StaticCallView<Name>;
      }[Extract<keyof T, string>];

/** The phase of the calls that a person decides together: those of the last step that ask or have asked. */
export type Phase =
  /** there are no such calls */
  | 'idle'
  /** at least one waits for a decision */
  | 'asking'
  /** all are decided; the decisions can be undone until they are committed */
  | 'decided'
  /** all answers are in the messages, but not sent */
  | 'answered'
  /** the answers are on their way */
  | 'sending'
  /** the response has started */
  | 'sent'
  /** the request failed: `retry()` */
  | 'failed'
  /** the request broke off, and an allowed call may have run: `retry()` */
  | 'in-doubt';

/** The acts that are possible with a call: one that is `true` is not refused as long as the snapshot is the newest one. */
export interface Can {
  /** Whether `decide(call, 'allow-once')` would take it, and all of its input can be shown. */
  readonly allow: boolean;
  /**
   * Whether a card should offer a denial. `decide(call, 'deny')` takes it then. This is so for a drafted allowance, which a
   * denial replaces. It is not so for an expired call: a denial is recorded, and changes nothing for the model.
   */
  readonly deny: boolean;
  /** Whether `undo(call)` would make it ask again. */
  readonly undo: boolean;
  /** Whether it can be allowed with a changed input: `decide(call, 'allow-once', { input })`. What is not taken has a code. */
  readonly edit: boolean;
}

/** The act of the one button of a batch, for {@link ApprovalGuard.proceed}. */
export type BatchAction =
  /** it commits the drafts, or sends what was never sent and does not leave by itself */
  | 'send'
  /** it sends again what failed or is in doubt; see {@link CallView.mayHaveRun} */
  | 'retry'
  /** it sends what was answered before a reload and never sent */
  | 'resume';

/** The calls that a person decides together, with counts and states. */
export interface BatchView {
  /**
   * The stage of the batch: it asks, can be undone (`decided`), is on its way, or has failed; {@link Phase} has them all.
   * For its button use `action`, and for the input `inputLocked`.
   */
  phase: Phase;
  /**
   * The one button that the batch needs, for `guard.proceed(action)`: `send`, `retry` or `resume`. `undefined` while a call
   * asks, and while everything goes on by itself: then show none.
   */
  action: BatchAction | undefined;
  /** The keys of the calls, in order. */
  keys: readonly string[];
  /** The number of its calls. */
  total: number;
  /** The calls that wait for a decision. */
  asking: number;
  /** The calls that are allowed, by anyone. */
  allowed: number;
  /** The calls that are denied, by anyone. */
  denied: number;
  /**
   * Whether a message of the user would close calls that wait for the user, or would overtake a request; a page may
   * lock its input meanwhile. After a failure it is false: a message continues the chat.
   */
  inputLocked: boolean;
  /**
   * The time of the commit that nobody has to ask for, in milliseconds since the epoch, for a countdown. `undefined` while a
   * call asks, and where only `commit()` commits them.
   */
  commitAt: number | undefined;
  /** Whether anything can be undone: with `undoAll()`, or a call with `undo(call)`. */
  undoable: boolean;
  /**
   * Whether one button may allow all waiting calls, with `decideAll`: they are of one tool, and none is dangerous.
   */
  allowAll: boolean;
  /** Whether the model asks for the same call again after three refusals: show a Stop button. */
  looping: boolean;
  /** Whether the user stopped the chat and nobody has acted since. What was drafted asks again. */
  stopped: boolean;
  /** The highest number of refusals of any of its calls. */
  refusals: number;
}

/** The grant that belongs to the answer of a call, as the call shows it. None of it changes. */
export interface CallGrant {
  /** The id of the grant. */
  id: string;
  /** Whether it allows or denies. */
  type: 'allow' | 'deny';
  /** The calls that it covers: see {@link Covers}. */
  covers: Covers;
  /** Its duration in milliseconds; `undefined` if it ends with the guard. */
  lastsMs: number | undefined;
}

/** A person's lasting choice: it allows or denies more than one call. */
export interface GrantView<Name extends string = string> {
  /** The id, for `revoke()`. */
  id: string;
  /** Whether it allows or denies. */
  type: 'allow' | 'deny';
  /** The tool whose calls it answers. */
  toolName: Name;
  /** The name of the tool for people, safe to show: see {@link CallView.label}. */
  label: string;
  /** The server of the tool. A tool of the same name from another server is another tool. */
  server: string | undefined;
  /** The calls that it covers: see {@link Covers}. */
  covers: Covers;
  /** The key of the call for which it was given; `undefined` if that was in an earlier page. */
  key: string | undefined;
  /** The id of that call. */
  toolCallId: string;
  /**
   * `draft`: its decision can be undone. `provisional`: its decision is not delivered yet, so it answers
   * calls of its own batch only. A denial is `active` as soon as it is committed.
   */
  status: 'draft' | 'provisional' | 'active';
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Its end, in milliseconds since the epoch; `undefined` if it ends with the guard. */
  endsAt: number | undefined;
  /** The number of other calls that it has answered. */
  uses: number;
  /** The time of its latest answer to another call, in milliseconds since the epoch; `undefined` for never. */
  lastUsedAt: number | undefined;
}

/** The state that a page shows. It is the same object, with the same objects in it, until something in them changes. */
export interface Snapshot<Call extends CallView = CallView> {
  /** All calls whose message still exists, oldest first. */
  calls: readonly Call[];
  /** Those that a page shows as cards: they wait for an answer, or have one. A decided call keeps its place. */
  approvals: readonly Call[];
  /** The calls that are decided together: those of the last step that ask or have asked. */
  batch: BatchView;
  /** The lasting choices, oldest first. */
  grants: readonly GrantView<Call['toolName']>[];
  /** Whether the chat may be sent now, and why: the same as `guard.explain()`. */
  verdict: Verdict<Call['toolName']>;
}

/** The source of the mark of a dangerous call. */
export type DangerSource =
  /** the option `tools`, or rules that failed */
  | 'application'
  /** the server of the tool, by its annotation `destructiveHint` */
  | 'server'
  /** nobody: with rules, a name that sounds dangerous is enough */
  | 'name';

/** A description is shown in place of a call's own tool and input. */
export interface Description {
  /**
   * A name for people.
   *
   * @default the one of the call's tool
   * @see `docs/guard.md#a-tool-that-hands-its-work-on`
   */
  title?: string;
  /** The input. */
  input: unknown;
}

/** The application's knowledge of a tool. */
export interface ToolInfo {
  /**
   * A name for people, in prompts.
   *
   * @default `title` is that of its parts, and `label` its name
   * @see `docs/guard.md#what-to-set-for-what`
   */
  title?: string;
  /**
   * The server of the tool, such as the name of an MCP server, if its parts do not name one. `title` and `covers` do
   * not apply to a tool of the same name from another server.
   *
   * @default the server that its parts name, or none
   * @see `docs/guard.md#tools-of-several-servers`
   */
  server?: string;
  /**
   * A dangerous call looks different and can be undone for longer (`undoMsWhenDangerous`). `false`, also of the
   * function, goes before the name of the tool and the annotations of its server. If the function throws, the call
   * counts as dangerous.
   *
   * @default what its server says (`destructiveHint`), and with rules what its name says
   * @see `docs/guard.md#tools-of-several-servers`
   */
  dangerous?: boolean | ((input: unknown) => boolean);
  /**
   * The default scope of a lasting choice.
   *
   * @default 'input'
   * @see `docs/decisions.md#grants`
   */
  covers?: Covers;
  /**
   * The annotations of its server. They can make a ruling stricter, but never allow a call.
   *
   * @default those that its parts have, or none
   * @see `docs/rules.md#hints-of-servers`
   */
  annotations?: ToolAnnotations;
  /**
   * Whether a person may change the input of a call before allowing it: all of it, these top-level fields, or what a function
   * takes, which returns the problems with an input. The server has to take it too.
   *
   * @default nobody may
   * @see `docs/decisions.md#change-it-before-you-allow-it`
   */
  editable?: Editable;
  /**
   * The JSON schema of its inputs, for the editor of a card: kinds of fields, values to choose from, limits. Nothing is
   * allowed or refused by it; the server has its own.
   *
   * @default none: fields are edited by their values
   * @see `docs/decisions.md#change-it-before-you-allow-it`
   */
  inputSchema?: JsonSchema;
  /**
   * Whether the server signs a changed input again (`signEdits`), so that signed approvals may be changed, too.
   *
   * @default false: a signed approval takes no other input
   * @see `docs/backends.md#if-a-user-may-change-an-input`
   */
  signsAgain?: boolean;
}
