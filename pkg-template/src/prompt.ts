// What a person sees and does: the types of decisions, grants and the snapshot.
import type { ChatRequestOptions, UIDataTypes, UIMessage, UITools } from 'ai';

import type { Actor, Outcome, Verdict, WaitingCall } from './types/events.js';
import type { Ruling, ToolAnnotations } from './types/rules.js';

/** What a person can say to a call that asks. */
export type Choice =
  /** run this call, and ask again for the next one */
  | 'allow-once'
  /** run this call, and those like it in this chat, see {@link Covers} */
  | 'allow-chat'
  /** do not run this call */
  | 'deny'
  /** do not run this call, and refuse those like it in this chat without asking */
  | 'deny-chat';

/**
 * What a choice that lasts covers: exactly the same input (`'input'`), every call of the tool
 * (`'tool'`), or every call of the tool with the same values in these top-level fields of the
 * input. Inputs are the same when their canonical JSON (RFC 8785) is.
 */
export type Covers = 'input' | 'tool' | readonly string[];

/** What can be said with a decision. */
export interface DecideOptions {
  /** What the model is told, as plain text of at most 500 characters. */
  reason?: string;
  /** What a choice that lasts covers. Default: what the option `tools` says of the tool, or `'input'`. */
  covers?: Covers;
  /** How long a choice that lasts lasts, in milliseconds, at most 7 days. Default: as long as the guard. */
  forMs?: number;
  /**
   * What the request that carries the decision is given: headers, body and metadata. Of a batch the newest
   * decision with options counts, as a whole. Default: those of the last request of a person.
   */
  options?: ChatRequestOptions;
}

/** Why an answer, or an undo, was refused. Nothing changed, and the ledger has an entry of it. */
export type RefusalReason =
  /** no call has this id */
  | 'unknown-id'
  /** several calls have this id: take the approval id, or the call from the snapshot */
  | 'ambiguous-id'
  /** nobody has to approve the call */
  | 'not-asking'
  /** its input is another one than the page was shown */
  | 'changed'
  /** it was decided and not committed: undo it first. A Deny still replaces an Allow. */
  | 'already-drafted'
  /** it was answered, here or elsewhere */
  | 'already-answered'
  /** nobody answered in time */
  | 'expired'
  /** the user moved on */
  | 'superseded'
  /** its message was edited or regenerated away */
  | 'gone'
  /** it does not stand in the last step of the last message, so that an answer would not be sent */
  | 'unreachable'
  /** its input cannot be compared with another one, or lacks a field that was named */
  | 'not-comparable'
  /** there is no decision that could be undone */
  | 'not-drafted'
  /** the call does not expire, so it cannot be given more time */
  | 'no-deadline'
  /** there is no such grant */
  | 'unknown-grant'
  /** there is no working guard */
  | 'unavailable';

/** Nothing was done, and why. */
export interface Refusal {
  /** Tells it from what was done. */
  type: 'refused';
  /** For programs. */
  reason: RefusalReason;
  /** The reason as a sentence for developers. */
  message: string;
}

/** What became of a decision. */
export type DecideResult<Name extends string = string> =
  | {
      /**
       * `drafted`: it can be undone until the batch is committed. `committed`: it was the last one
       * of its batch, and is in the messages.
       */
      type: 'drafted' | 'committed';
      toolCallId: string;
      choice: Choice;
      /** What was stored for a choice that lasts. */
      grant: GrantView<Name> | undefined;
      /** The waiting calls that this grant has answered too, by call id. */
      also: readonly string[];
    }
  /** A Deny of a request that had expired: it was denied already, and counts as a person's now. */
  | {
      type: 'counted';
      toolCallId: string;
      /** What was stored for `deny-chat`. */
      grant: GrantView<Name> | undefined;
      /** The waiting calls that this grant has answered, by call id. */
      also: readonly string[];
    }
  | Refusal;

/** What became of an undo: these calls ask again, by call id. */
export type UndoResult = { type: 'undone'; toolCallIds: readonly string[] } | Refusal;

/** What became of a commit. */
export type CommitResult<Name extends string = string> =
  /** The decisions are in the messages; the chat sends. */
  | { type: 'committed'; toolCallIds: readonly string[] }
  /** They will be, when no other tab of this chat commits or sends. */
  | { type: 'committing' }
  | { type: 'nothing-to-commit' }
  /** A call of the batch asks. */
  | { type: 'waiting'; waitingFor: readonly WaitingCall<Name>[] }
  /** The response that asked has not ended, so more may come. What is decided is committed then. */
  | { type: 'responding' }
  /** No chat is attached. */
  | { type: 'not-attached' }
  /** There is no working guard. */
  | Refusal;

/** What became of an extension. */
export type ExtendResult =
  | {
      type: 'extended';
      /** Milliseconds since the epoch. */
      deadline: number;
    }
  | Refusal;

/** What became of a wish to see what is hidden. */
export type RevealResult = { type: 'revealed' } | Refusal;

/** What became of a revocation. */
export type RevokeResult =
  /** The drafts that the grant had made ask again. What was committed or sent stays as it is. */
  { type: 'revoked'; toolCallIds: readonly string[] } | Refusal;

/** Where a tool call is in its life. */
export type CallStatus =
  /** not finished, and nobody has to approve it */
  | 'open'
  /** waits for a person's answer */
  | 'asking'
  /** decided in the page, undoable, not in the messages yet */
  | 'drafted'
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
  /** nobody answered in time: denied, and not by a person */
  | 'expired'
  /** closed because the user moved on */
  | 'superseded'
  /** its message was edited or regenerated away */
  | 'gone'
  /** answered in another tab, which sends it */
  | 'elsewhere';

/** A call that waits for a decision. */
export interface PendingCall<Name extends string = string> {
  /** The id of the call. It may come again in a later step, and is another call then. */
  toolCallId: string;
  /** The id of the question, as `addToolApprovalResponse` takes it; `undefined` where nobody was asked. */
  approvalId: string | undefined;
  /** The name of its tool. */
  toolName: Name;
  /** The message in which it stands. */
  messageId: string;
  /** When it expires, in milliseconds since the epoch. */
  deadline: number | undefined;
}

/** What is shown of an input. Untrusted, like the input. */
export interface Display {
  /** A copy with masks in the place of secrets, or the input itself where nothing is hidden. */
  value: unknown;
  /** How many masks stand in it. */
  hidden: number;
}

/** One tool call, with everything that a prompt needs. The same object until something in it changes. */
export interface CallView {
  /** The id of the call. It may come again in a later step, and is another call then. */
  toolCallId: string;
  /** The id of the question, as `addToolApprovalResponse` takes it; `undefined` where nobody was asked. */
  approvalId: string | undefined;
  /** The name of its tool, as the part of the message has it. Untrusted text. */
  toolName: string;
  /**
   * Its part is a `dynamic-tool`: a tool that is known only at run time, or a call that the server could not
   * read. It may have the name of any tool, and any input.
   */
  dynamic: boolean;
  /** The message in which it stands. */
  messageId: string;
  /** A name for people, from the part or the option `tools`. Untrusted text. */
  title: string | undefined;
  /** Where the tool comes from, from the option `tools`. */
  server: string | undefined;
  /** The very input that stands in the message: untrusted, and not for writing. */
  input: unknown;
  /**
   * What is to be shown of the input: a copy without the secrets that the option `redact` finds, until a person
   * asks for them (`reveal`). `undefined` where it cannot be shown, so that only Deny should be offered.
   */
  display: Display | undefined;
  /** Why the server asks, in its own words (`approval.requestReason`). Untrusted text. */
  requestReason: string | undefined;
  /** The option `tools` marks it as dangerous, or its name or server says so and there are rules. */
  dangerous: boolean;
  /** What the option `rules` says of it; `undefined` where there are none. */
  ruling: Ruling | undefined;
  /** Where it is in its life. */
  status: CallStatus;
  /** What was, or will be when it is committed, the answer; `undefined` while there is none. */
  decision: 'allowed' | 'denied' | undefined;
  /** Who gave that answer. */
  actor: Actor | undefined;
  /** The same as one word that says also for how long, and why it was nobody. */
  outcome: Outcome | undefined;
  /** The grant that answered it, or that its answer gave. */
  grantId: string | undefined;
  /** Its place among the calls of the batch, from 1; `undefined` when it is not in it. */
  position: { index: number; total: number } | undefined;
  /** `undo(id)` would undo its decision. */
  undoable: boolean;
  /** When it expires, in milliseconds since the epoch. */
  deadline: number | undefined;
  /** It expires soon; `extend(id)` gives it more time. */
  expiring: boolean;
  /**
   * The waiting calls of the batch, by call id and this one among them, that a choice that lasts
   * would answer: if it covers the input, or the tool. Empty when the call does not wait.
   */
  covers: { input: readonly string[]; tool: readonly string[] };
  /** What a choice that lasts covers unless it says otherwise, from the option `tools`. */
  defaultCovers: Covers;
  /** How often the same call was refused in this chat. */
  refusals: number;
  /** What a prompt says of it, in the words of the catalogue. */
  words: CallWords;
}

/** A call whose part is a `dynamic-tool`. */
export interface DynamicCallView extends CallView {
  dynamic: true;
  /** Any name: this spelling of `string` keeps the suggestions of an editor beside it. */
  toolName: string & {};
}

/**
 * A call of a tool of the message type, which waits for a decision or for its commit: the server asks only for
 * an input that it could read. Nothing in the page has checked that; it is as true as the part of the message.
 */
export interface DecidableCallView<Name extends string, Input> extends CallView {
  dynamic: false;
  /** The name of its tool. */
  toolName: Name;
  /** It waits for a decision, or for the commit of one. */
  status: 'asking' | 'drafted';
  input: Input;
}

/** A call of a tool of the message type at any other time, when its input may be incomplete or missing. */
export interface StaticCallView<Name extends string> extends CallView {
  dynamic: false;
  /** The name of its tool. */
  toolName: Name;
  /** Where it is in its life. */
  status: Exclude<CallStatus, 'asking' | 'drafted'>;
}

/**
 * One tool call of a chat with these messages. Its name is one of their tools unless it is `dynamic`; its input
 * has the type of its tool while it waits for a decision or for its commit. Without a message type that names
 * its tools it is a {@link CallView}.
 */
export type CallOf<M extends UIMessage = UIMessage> =
  // Behind `infer` as in CalledToolName.
  M extends UIMessage<unknown, UIDataTypes, infer T> ? CallOfTools<T> : CallView;

type CallOfTools<T extends UITools> = string extends keyof T
  ? CallView
  : | DynamicCallView
    | {
        [Name in Extract<keyof T, string>]: DecidableCallView<Name, T[Name]['input']> | StaticCallView<Name>;
      }[Extract<keyof T, string>];

/** What a prompt says of a call, in the words of the catalogue, and safe to show. */
export interface CallWords {
  /** "Allow delete_file from Files?" */
  title: string;
  /** "delete_file from Files", where nobody is asked. */
  name: string;
  /** Why it asks. */
  why: string;
  /** "1 of 3"; nothing for the only one. */
  position: string;
  /** What became of it, as on the button; nothing while it asks. */
  outcome: string;
  /** What a choice that lasts covers: "exactly this call, in this chat"; nothing for others. */
  scope: string;
}

/** How far the calls are that a person decides together: those of the last step that ask or asked. */
export type Phase =
  /** there is none */
  | 'idle'
  /** at least one waits for a decision */
  | 'asking'
  /** all are decided, and can be undone until they are committed */
  | 'decided'
  /** all are in the messages, and not sent */
  | 'answered'
  /** on their way */
  | 'sending'
  /** the response has started */
  | 'sent'
  /** the request failed: `retry()` */
  | 'failed'
  /** the request broke, and an allowed call may have run: `retry()` */
  | 'in-doubt';

/** The calls that a person decides together, as numbers, states and words. */
export interface BatchView {
  /** How far they are. */
  phase: Phase;
  /** Its calls, by call id and in their order. */
  toolCallIds: readonly string[];
  /** How many calls it has. */
  total: number;
  /** How many wait for a decision. */
  asking: number;
  /** How many are allowed, by whom ever. */
  allowed: number;
  /** How many are denied, by whom ever. */
  denied: number;
  /** A message of the user would close calls: a page may lock its input meanwhile. */
  inputLocked: boolean;
  /** When it commits by itself, in milliseconds since the epoch. */
  commitAt: number | undefined;
  /** Something can be undone. */
  undoable: boolean;
  /** Every call that waits is of one tool and none is dangerous, so that one button may allow all. */
  allowAll: boolean;
  /** The model asks for the same call again after three refusals. */
  looping: boolean;
  /** The user stopped the chat, and nobody has acted since. */
  stopped: boolean;
  /** How often the call that was refused most often was refused. */
  refusals: number;
  /** What a page says of the batch, in the words of the catalogue; nothing where there is nothing to say. */
  words: {
    /** "2 decisions needed", or nothing. */
    summary: string;
    /** "Denied 3 times in this chat. Stop the assistant?", or nothing. */
    loop: string;
  };
}

/** What a person allowed, or refused, for more than one call. */
export interface GrantView<Name extends string = string> {
  /** What `revoke()` takes. */
  id: string;
  /** Whether it allows or refuses. */
  type: 'allow' | 'deny';
  /** The tool whose calls it answers. */
  toolName: Name;
  /** Where the tool comes from: one of the same name from another server is another tool. */
  server: string | undefined;
  /** Which of its calls: see {@link Covers}. */
  covers: Covers;
  /** The call for which it was given, by call id. */
  toolCallId: string;
  /**
   * `draft`: its decision can be undone. `provisional`: its decision was not delivered yet, so it
   * answers nothing but the batch it was given in. A refusal is `active` from its commit on.
   */
  status: 'draft' | 'provisional' | 'active';
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Milliseconds since the epoch; `undefined`: it ends with the guard. */
  endsAt: number | undefined;
  /** How many calls it has answered beside its own. */
  uses: number;
  /** When it answered last, in milliseconds since the epoch; `undefined`: never. */
  lastUsedAt: number | undefined;
  /** "every delete_file call, in this chat" */
  words: { scope: string };
}

/** What a page shows. The same object, and in it the same objects, until something in them changes. */
export interface Snapshot<Call extends CallView = CallView> {
  /** Every call that the guard knows and whose message is still there, oldest first. */
  calls: readonly Call[];
  /** The calls that are decided together now. */
  batch: BatchView;
  /** What holds for more than one call, oldest first. */
  grants: readonly GrantView<Call['toolName']>[];
  /** Whether the chat may be sent now, and the reason. */
  verdict: Verdict<Call['toolName']>;
}

/** What the application knows of a tool. */
export interface ToolInfo {
  /** A name for people. */
  title?: string;
  /** Where it comes from, for people: the name of an MCP server. */
  server?: string;
  /** Looks and waits differently: `undoMsWhenDangerous`. What throws counts as dangerous. */
  dangerous?: boolean | ((input: unknown) => boolean);
  /** What a choice that lasts covers unless it says otherwise. Default `'input'`. */
  covers?: Covers;
  /** What its server says of it. It makes answers of `rules` stricter, and never allows. */
  annotations?: ToolAnnotations;
}
