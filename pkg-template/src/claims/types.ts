// The public types of claims.
import type { GuardError } from '../error.js';
import type { ApprovedCall, CallWithOutput, OpenCall, ReadDecision, RejectedCall } from '../server.js';
import type { EditChecks } from './edits.js';
import type { ClaimStore } from './store.js';

/** The options of `createClaims`. */
export interface ClaimsOptions {
  /** The storage of the claims: the same store for all of your servers. See `docs/claims.md#stores`. */
  store: ClaimStore;
  /**
   * The lease of a call, in milliseconds: a server that says nothing keeps the call that long. While a tool runs, its
   * lease is renewed every third of this time. If it ends, the call is in doubt.
   *
   * @default 30000
   * @see `docs/claims.md#while-a-tool-runs`
   */
  leaseMs?: number;
  /**
   * The tools that run in the page: an approved call of them is for the page, not for this server.
   *
   * @default none: this server runs every tool
   * @see `docs/backends.md#what-only-your-server-knows`
   */
  clientTools?: Iterable<string>;
  /**
   * The tools whose input a user may change before allowing a call, each with what a changed input has to fit: the
   * `inputSchema` of the tool, a function that returns the problems with an input, or `true`.
   *
   * @default none: a changed input is refused as `not-editable`
   * @see `docs/claims.md#when-a-user-has-changed-the-input`
   */
  editable?: EditChecks;
  /**
   * Whether this server signs a changed input again (`signEdits`), so that signed approvals may be changed, too.
   *
   * @default false: with a signature, a changed input is refused as `not-editable`
   * @see `docs/backends.md#if-a-user-may-change-an-input`
   */
  signsAgain?: boolean;
  /**
   * Whether the outputs of tools, and the messages of their errors, are stored and given to later requests. Without them,
   * a request that comes again is refused as `replayed`; if the response broke, the model is told that the result is not
   * stored.
   *
   * @default true
   * @see `docs/claims.md#what-is-stored`
   */
  keepResults?: boolean;
  /**
   * Called with problems that do not stop a tool: a lease that could not be renewed, a result that could not be stored,
   * or a claim that was settled meanwhile (`claim-lost`). Another one is a stored claim that cannot be read and is left
   * out (`claims-unreadable`).
   *
   * @default problems are written to `console.error`
   * @see `docs/claims.md#what-is-in-doubt`
   */
  onError?: (error: GuardError) => void;
}

/** The user who is asked, and the end of the question. */
export interface AskedOptions {
  /**
   * The only user who may answer, by an id of your choice.
   *
   * @default everybody
   * @see `docs/claims.md#what-is-promised`
   */
  user?: string;
  /**
   * The end of the question, as a `Date` or in milliseconds since the epoch.
   *
   * @default never
   * @see `docs/claims.md#what-is-promised`
   */
  until?: Date | number;
}

/** The circumstances of a request. */
export interface TakeOptions {
  /**
   * The user who sent the request.
   *
   * @default not known: a call that only one user may answer is `not-yours`
   * @see `docs/claims.md#the-calls-of-a-request`
   */
  user?: string;
}

/** The reason why a request is refused, beside the codes of `readDecisions`. */
export type RefusalCode =
  /** 409: the call was denied before; or it has ended, and its result is not stored */
  | 'replayed'
  /**
   * 404: `asked` was never told of this approval, in this chat and for this call; or it was forgotten. So it is if
   * the server was killed between the question and `onFinish`: the user's next message then continues the chat
   */
  | 'unknown-approval'
  /**
   * 409: the tool or the input is not what was asked. An input that is nested deeper than 64 levels, is longer than
   * 262,144 characters as JSON, or has a lone surrogate, fits no yes
   */
  | 'changed-input'
  /**
   * 403: the user changed the input of a tool that the option `editable` does not name, or of a signed approval, or to
   * one that does not fit
   */
  | 'not-editable'
  /** 409: the yes belongs to history, and the call has not run: the SDK would not run it */
  | 'too-late'
  /** 410: the question has ended (`until` of `asked`) */
  | 'expired'
  /** 403: another user was asked */
  | 'not-yours'
  /** 400: a result is written over a denial */
  | 'overwritten'
  /** 400: another call of the last step still waits for its approval or its output */
  | 'waiting'
  /** 409: another request has the call */
  | 'running'
  /** 409: the call may have run */
  | 'in-doubt';

/** The end of a call. */
export type ClaimResult =
  | {
      /** The output of the tool. */
      output: unknown;
    }
  | {
      /** The message of its error. */
      errorText: string;
    };

/** A denied call that had started before the denial arrived. */
export interface LateDenial extends RejectedCall {
  /** The id of the approval. */
  approvalId: string;
}

/** An approved call that the list shows with an output, or with the beginning of one. */
export type CallWithClaim = (CallWithOutput | OpenCall) & {
  /** The id of the approval. */
  approvalId: string;
};

/** A call that has started before; `type` is `rejected` if a denial came too late. */
export type EarlierCall = ApprovedCall | LateDenial | CallWithClaim;

/** A call that has ended before. Its `type` is `open` if the list has only the beginning of its output. */
export type DoneCall = Exclude<EarlierCall, { type: 'output' }> & {
  /** Its end, as the server recorded it. */
  result: ClaimResult;
};

/** A decision because of which a request is refused. */
export interface RefusedDecision {
  /** The reason: a {@link RefusalCode}, or a code of `readDecisions`. */
  code: string;
  /** The decision. */
  decision: ReadDecision;
}

/** The calls that a request may run. Either all approved calls that have not run are its own now, or none is. */
export interface Taken<MESSAGES = unknown> {
  /** Whether the request may go on. */
  ok: boolean;
  /** The HTTP status that fits: 200, or 400, 403, 404, 409 or 410. */
  status: number;
  /** The reason why it may not: the first code of `refused`, `running` or `in-doubt`. */
  error: string | undefined;
  /**
   * The calls that may run now, each of them once, through `tools`. A call with `providerExecuted` is passed on to the
   * provider instead, once.
   */
  run: ApprovedCall[];
  /** The calls that were denied, and never run. The SDK tells the model. */
  rejected: RejectedCall[];
  /** The calls that another request has. Wait, and send the same request again. */
  running: EarlierCall[];
  /**
   * The calls that have ended. Through `tools` and `messages`, the model gets the stored result. A call with
   * the `type` `rejected` had started before it was denied.
   */
  done: DoneCall[];
  /** The calls that may have run, until an operator settles them. */
  inDoubt: EarlierCall[];
  /** The decisions because of which the request is refused: of those that cannot be believed, the first hundred. */
  refused: RefusedDecision[];
  /**
   * The list to go on with: that of the request, with stored results. They are of calls that have ended and belong to
   * history, because the response that had them broke. Others are of calls that were denied too late, or of which the
   * list has only the beginning of an output. It is the same list if there are none, and otherwise a copy.
   */
  messages: MESSAGES;
}

/** A claim by its ids. */
export interface ClaimId {
  /** The id of the chat. */
  chatId: string;
  /** The id of the approval. */
  approvalId: string;
}

/** A call that may have run. */
export interface CallInDoubt extends ClaimId {
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The user who was asked, if `asked` was told. */
  user: string | undefined;
  /** Since when it is in doubt. */
  since: Date;
}

/** A call that waits for an answer. */
export interface CallWaiting extends ClaimId {
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The only user who may answer; `undefined` for everybody. */
  user: string | undefined;
  /** Since when it waits. */
  since: Date;
  /** The end of the question; `undefined` if it has none. */
  until: Date | undefined;
}

/** Claims of approved calls: see `createClaims`. Every method can throw a `GuardError`. */
export interface Claims {
  /**
   * Keeps what a message asks for: for each approval its id, the id of the call, the tool, and a fingerprint
   * of the input. Call it when a response has ended, before the client can answer. What is known already
   * stays as it is.
   *
   * @param chatId the id of the chat
   * @param message the message of the assistant, as `onFinish` has it
   * @param options the user who may answer, and the end of the question
   * @throws GuardError `invalid-input`, or an error of the store
   */
  asked(chatId: string, message: unknown, options?: AskedOptions): Promise<void>;
  /**
   * Reads the decisions of a message list and takes all approved calls of its end, or none, in one
   * transaction. What was denied stays denied, even if the request is refused.
   *
   * @param chatId the id of the chat
   * @param messages the UI messages of the request body
   * @param options the sender
   * @returns the calls that the request may run
   * @throws GuardError an error of the store. Then the request must not go on
   */
  take<MESSAGES>(chatId: string, messages: MESSAGES, options?: TakeOptions): Promise<Taken<MESSAGES>>;
  /**
   * Wraps the `execute` of each tool. An approved call starts only if `take` of these claims has taken it,
   * and only once; if it has ended before, its stored result is returned. A call that needs no approval runs
   * as before. The tool finds the approval id as `idempotencyKey` in the options of `execute`.
   *
   * @param tools the tools that are passed to `streamText` or `generateText`
   * @param options the chat
   * @returns the same tools with another `execute`
   */
  tools<TOOLS extends object>(tools: TOOLS, options: { chatId: string }): TOOLS;
  /**
   * The calls that may have run, those first that are in doubt for the longest time. A claim that cannot be read is
   * left out, and passed to `onError` as `claims-unreadable`.
   */
  inDoubt(options?: { limit?: number }): Promise<CallInDoubt[]>;
  /**
   * The calls that wait for an answer, those first that wait for the longest time. A call that was approved and not
   * started waits again when its lease has ended.
   *
   * @param chatId the id of the chat; the calls of all chats if it is left out. Then a claim that cannot be read is left
   * out, and passed to `onError` as `claims-unreadable`
   * @param options the largest number of calls, 1,000 by default
   * @throws GuardError `invalid-input` or `invalid-option`, or an error of the store
   */
  waiting(chatId?: string, options?: { limit?: number }): Promise<CallWaiting[]>;
  /**
   * Says how a call in doubt ended, after somebody has looked. It never runs again; later requests get this
   * result.
   *
   * @param id the ids of the call, as `inDoubt` returns them
   * @param result the output of the tool, or the text that the model gets instead
   * @returns whether the call was in doubt
   */
  settle(id: ClaimId, result: ClaimResult): Promise<boolean>;
  /**
   * Removes claims that have not changed since a time, except those that run or are in doubt. An approval
   * that is forgotten is unknown, so its call never runs.
   *
   * @returns how many were removed
   */
  forget(options: { before: Date | number }): Promise<number>;
}
