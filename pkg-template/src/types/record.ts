// The types that the guard and the record share.
import type { Covers } from '../prompt.js';
import type { Actor } from './events.js';

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

/** A record in the form that a guard uses: the result of `createRecord` of `tool-approval-guard/record`. */
export interface ApprovalRecord {
  /** Connects a guard, at its first use. Only the guard calls it. */
  readonly connect: (...guard: never[]) => unknown;
}
