// What a record is to a guard: the types of both entries.
import type { GuardErrorCode } from '../error.js';
import type { Covers } from '../prompt.js';
import type { Actor, LedgerEntry } from './events.js';

/** What a record knows of a call. */
export interface KnownCall {
  /** The id of the question, where one was asked. */
  approvalId?: string;
  /** Nothing where the input is not known: then no allowance is put back. */
  inputHash?: string;
  /** The answer, or what was drafted. */
  approved?: boolean;
  /** Who answered. */
  actor?: Actor;
  /** It was decided, and not committed. */
  draft?: boolean;
  /** How far the answer had come. */
  reach: 'unsent' | 'failed' | 'sent' | 'ended';
  /** It has its output, its error, or its denial was taken. */
  settled?: boolean;
  /** An answer was taken back, and no page has given another one. */
  takenBack?: boolean;
  /** Another page has answered it, and lives. */
  elsewhere: boolean;
  /** When it asked first, in milliseconds since the epoch. */
  askedAt?: number;
  /** When it expires, in milliseconds since the epoch. */
  deadline?: number;
}

/** A grant as it is kept: which calls it answers, without what their inputs say. */
export interface KeptGrant {
  /** The tool whose calls it answers. */
  toolName: string;
  /** The server that the tool belongs to. */
  server: string | undefined;
  /** Does it allow or refuse? */
  approved: boolean;
  /** Which of its calls. */
  covers: Covers;
  /** The salted hash of what it covers; nothing for a whole tool. */
  hash: string | undefined;
  /** When it was given. A clock that says less was set back. */
  createdAt: number;
  /** When it ends, in milliseconds since the epoch; `undefined`: with the guard. */
  endsAt: number | undefined;
}

/** What is kept of a call beside its entries, as long as it is open: what its answer needs on the wire. */
export interface CallNote {
  /** The id of the approval and what signs it. */
  asked?: Record<string, unknown>;
  /** What the person said to it. */
  reason?: string;
}

/** What a guard does for a record. */
export interface RecordHost {
  /** The chat that the record is of. */
  readonly chatId: string;
  /** The record has read what is stored, or another tab has written: everything is to be looked at again. */
  readonly changed: () => void;
  /** Tells the application of a problem, as a {@link GuardError} with this code. */
  readonly report: (code: GuardErrorCode, message: string, cause?: unknown) => void;
  /** The input of a call with this hash, where the page has one. */
  readonly inputOf: (
    inputHash: string,
  ) => { toolName: string; server: string | undefined; input: unknown } | undefined;
  /** The hash of an input of a tool; nothing where it has none. */
  readonly hashOf: (toolName: string, input: unknown) => string | undefined;
}

/** The record of one guard while that lives. */
export interface RecordConnection {
  /** What is hashed before inputs, in hexadecimal digits; nothing until what is stored was read. */
  readonly salt: string | undefined;
  /** Settles when what is stored was read; nothing where it was. */
  readonly ready: Promise<void> | undefined;
  /** Others may write to the same storage, or writing takes time: a request waits for its turn. */
  readonly isShared: boolean;
  /** What is known of this call; without an approval id, of calls whose question may be lost. */
  readonly find: (
    approvalId: string | undefined,
    toolCallId: string,
    toolName: string,
  ) => readonly KnownCall[];
  /** What is kept of a call that is open, by its approval id. */
  readonly note: (approvalId: string) => CallNote | undefined;
  /** Keeps that until the call is closed. */
  readonly keepNote: (approvalId: string, note: CallNote) => void;
  /** The grants that are kept; nothing where none are to be. */
  readonly grants: () => readonly KeptGrant[] | undefined;
  /** Keeps these grants in the place of those before. Without the option `grants` it keeps none. */
  readonly keepGrants: (grants: readonly KeptGrant[]) => void;
  /** Records an entry. */
  readonly append: (entry: LedgerEntry) => void;
  /** Writes what was appended: at once where the storage can, and `now`, or soon. */
  readonly save: (now: boolean) => void;
  /** Settles when everything is written, or cannot be. */
  readonly saved: () => Promise<void>;
  /** Runs this while no other tab runs the same, after the newest of other tabs was read. */
  readonly inTurn: <T>(work: () => T | PromiseLike<T>) => Promise<T>;
  /** Ends the connection: the guard was disposed of. */
  readonly close: () => void;
}

/** A record, as a guard uses it: `createRecord` of `tool-approval-guard/record` makes one. */
export interface ApprovalRecord {
  /** Connects a guard, at its first use; nothing where that is not possible, which is reported. */
  readonly connect: (host: RecordHost) => RecordConnection | undefined;
}
