// The types that the guard and the record share.
import type { GuardErrorCode } from '../error.js';
import type { Covers } from '../prompt.js';
import type { Actor, LedgerEntry } from './events.js';

/** A call that a record knows. */
export interface KnownCall {
  /** The id of its approval, if it has asked. */
  approvalId?: string;
  /** The salted hash of the input. Without it, no allowance is restored. */
  inputHash?: string;
  /** The salted hash of the changed input with which it was allowed. Without that input, no allowance is restored. */
  editHash?: string;
  /** The answer, or the drafted one. */
  approved?: boolean;
  /** The actor of the answer. */
  actor?: Actor;
  /** Whether it was decided but not committed. */
  draft?: boolean;
  /** The last known step of its delivery. */
  reach: 'unsent' | 'failed' | 'sent' | 'ended';
  /** Whether it has its output or error, or its denial was delivered. */
  settled?: boolean;
  /** Whether an answer was withdrawn, and no page has answered again since. */
  takenBack?: boolean;
  /** Whether its allowance is the server's own, or was only found in messages, and its input was never compared. */
  found?: boolean;
  /** Whether its answer is from another page that is still alive. */
  elsewhere: boolean;
  /** The time when it asked, in milliseconds since the epoch. */
  askedAt?: number;
  /** The time when it expires, in milliseconds since the epoch. */
  deadline?: number;
  /** The latest time that another page has known. If the current time is earlier, the clock was set back. */
  latest?: number;
}

/** A stored grant: the calls that it answers, without their inputs. */
export interface KeptGrant {
  /** The name of the tool. */
  toolName: string;
  /** The server of the tool. */
  server: string | undefined;
  /** Whether it allows or denies calls. */
  approved: boolean;
  /** The calls of the tool that it covers. */
  covers: Covers;
  /** The salted hash of the covered input; `undefined` for a whole tool. */
  hash: string | undefined;
  /** The time when it was given. If the current time is earlier, the clock was set back. */
  createdAt: number;
  /** The time when it ends, in milliseconds since the epoch; `undefined` if it ends with the guard. */
  endsAt: number | undefined;
}

/** Data that the answer of an open call needs on the wire, and that entries do not contain. */
export interface CallNote {
  /** The id of the approval and its signature. */
  asked?: Record<string, unknown>;
  /** The reason that the person gave. */
  reason?: string;
  /** The changed input with which the call is allowed. */
  edit?: unknown;
  /** The id of the person who has drafted or given the answer. */
  user?: string;
  /** The name of that person. */
  userName?: string;
}

/** The part of a guard that a record uses. */
export interface RecordHost {
  /** The id of the chat. */
  readonly chatId: string;
  /**
   * Called when the record has read its storage, or when another tab has written. The guard then reads all
   * messages again.
   */
  readonly changed: () => void;
  /** Reports a problem to the application, as a {@link GuardError} with this code. */
  readonly report: (code: GuardErrorCode, message: string, cause?: unknown) => void;
  /** Returns the input of a call with this hash, if the page has one. */
  readonly inputOf: (
    inputHash: string,
  ) => { toolName: string; server: string | undefined; input: unknown } | undefined;
  /** Returns the hash of an input of a tool; `undefined` if it has none. */
  readonly hashOf: (toolName: string, input: unknown, server?: string) => string | undefined;
}

/** The record of one guard, until the guard is disposed of. */
export interface RecordConnection {
  /** Whether the storage was read, so that there is a salt. */
  readonly isRead: boolean;
  /** Returns the salted hash of a text, in hexadecimal digits; `undefined` until the storage was read. */
  readonly hash: (text: string) => string | undefined;
  /** Settles when the storage was read; `undefined` if it already was. */
  readonly ready: Promise<void> | undefined;
  /**
   * Whether other tabs may write to the same storage. Then each commit and each request waits for a
   * transaction.
   */
  readonly isShared: boolean;
  /**
   * Returns what is known about a call. Without an approval id: about all calls that the part may belong to,
   * if it has lost its approval.
   */
  readonly find: (
    approvalId: string | undefined,
    toolCallId: string,
    toolName: string,
  ) => readonly KnownCall[];
  /** Returns the note of an open call, by its approval id. */
  readonly note: (approvalId: string) => CallNote | undefined;
  /** Keeps a note until the call is closed. */
  readonly keepNote: (approvalId: string, note: CallNote) => void;
  /** Returns the stored grants; `undefined` without the option `grants`. */
  readonly grants: () => readonly KeptGrant[] | undefined;
  /** Replaces the stored grants. Without the option `grants`, nothing is stored. */
  readonly keepGrants: (grants: readonly KeptGrant[]) => void;
  /** Returns how many requests have left by themselves since a person acted, in whichever page. */
  readonly automaticSends: () => number;
  /** Records an entry. */
  readonly append: (entry: LedgerEntry) => void;
  /** Counts a problem that was reported. */
  readonly countError: (code: string) => void;
  /** Notes how long the query for the calls that wait took, in milliseconds. */
  readonly timeQuery: (duration: number) => void;
  /** Writes the appended entries: at once if `now` is set and the storage is synchronous, otherwise soon. */
  readonly save: (now: boolean) => void;
  /** Settles when all entries are written, or could not be written. */
  readonly saved: () => Promise<void>;
  /**
   * Runs work inside one transaction, after everything that other tabs have written was read. Settles when
   * the entries of the work are stored.
   */
  readonly inTransaction: <T>(work: () => T) => Promise<T>;
  /**
   * Like `inTransaction`, for work that claims to send answers. The work runs again if it is not known whether its
   * entries are stored, or if they were stored too late. The request may leave as soon as the promise is
   * fulfilled, but not later.
   */
  readonly claim: <T extends { request: number }>(work: () => T) => Promise<T>;
  /** Ends the connection when the guard is disposed of. */
  readonly close: () => void;
}

/** A record in the form that a guard uses: the result of `createRecord` of `tool-approval-guard/record`. */
export interface ApprovalRecord {
  /** Connects a guard, at its first use. Returns `undefined`, and reports why, if that is not possible. */
  readonly connect: (host: RecordHost) => RecordConnection | undefined;
}
