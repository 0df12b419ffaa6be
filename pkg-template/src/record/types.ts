// The public types of the entry `record`.
import type { LedgerEntry } from '../types/events.js';
import type { ApprovalRecord } from '../types/record.js';
import type { SparingRule } from './suggest-rule.js';
import type { ApprovalStorage } from './storage/contract.js';

/** The options of {@link createRecord}. Every field is optional. */
export interface RecordOptions {
  /**
   * The place of the record. `'memory'` ends with the page. `'session'` survives a reload of the
   * tab. `'indexeddb'` also survives the end of the tab, and is shared by all tabs of the chat. You can also
   * pass your own storage. No request leaves before its answers are stored.
   *
   * @default 'memory'
   * @see `docs/record.md`
   */
  storage?: 'memory' | 'session' | 'indexeddb' | ApprovalStorage;
  /**
   * Whether to keep the grants of a person too, as salted hashes.
   *
   * @default false
   * @see `docs/decisions.md#grants`
   */
  grants?: boolean;
  /**
   * The number of the latest entries to keep completely, from 64 to 10000. Of older entries, only their number
   * and a hash remain.
   *
   * @default 1000
   * @see `docs/record.md#proof`
   */
  keep?: number;
}

/** The end of the hash chain. It proves that no earlier entry was changed or removed. */
export interface RecordHead {
  /** The number of entries. */
  entries: number;
  /** The hash of all entries, 64 hexadecimal digits. */
  hash: string;
}

/** A recorded entry, without inputs, outputs or reasons. Fields that do not apply are missing. */
export type RecordEntry = Readonly<
  { v: number; seq: number; session: string; chatId: string; hash: string } & Partial<
    Omit<LedgerEntry, 'seq' | 'type' | 'at' | 'mono'>
  > &
    Pick<LedgerEntry, 'at' | 'mono'>
> & { readonly type: LedgerEntry['type'] | 'absorbed' };

/** The figures of a record. Times are in milliseconds. */
export interface RecordMetrics {
  /** Calls that asked. Each is counted in one of the next five fields. */
  asked: number;
  /** Calls that wait for an answer. */
  waiting: number;
  /** Calls that were allowed, by anyone. */
  allowed: number;
  /** Calls that were denied, by anyone. */
  denied: number;
  /** Calls that nobody answered in time. */
  expired: number;
  /** Calls that nobody answered, and that nobody can answer any more. */
  abandoned: number;
  /**
   * Calls that a later page has taken up, after a reload or in another tab: with their question, their draft or
   * their answer. Each is counted once, however many pages take it up.
   */
  recovered: number;
  /** Decisions that a person undid, or replaced by a Deny. */
  undone: number;
  /** Requests that a person caused: messages, regenerations, and what `retry()` and `resume()` have sent. */
  turns: number;
  /** The shares of the calls that asked, from 0 to 1. */
  shares: Pick<RecordMetrics, 'waiting' | 'allowed' | 'denied' | 'expired' | 'abandoned' | 'recovered'>;
  /** The number of answers of each actor, with late denials. */
  answers: Readonly<Partial<Record<string, number>>>;
  /** The number of reports of each problem to `onError` in this page, by its code. It is not stored. */
  errors: Readonly<Partial<Record<string, number>>>;
  /** Answers by grants, rules and timers. */
  automatic: number;
  /** The number of calls that asked for each of these turns; `null` before the first one. */
  promptsPerTurn: number | null;
  /** The response times of persons, from the latest 1,000 answers. */
  response: { count: number; medianMs: number | null; p95Ms: number | null };
  /** The time that the storage took for a transaction, from the latest 1,000 of this page. It is not stored. */
  storage: { count: number; medianMs: number | null; p95Ms: number | null };
  /** The time that `guard.pending()` took, from its latest 1,000 calls in this page. It is not stored. */
  pending: { count: number; medianMs: number | null; p95Ms: number | null };
}

/** Equal calls that asked, and the rule that would have answered them. */
export interface PromptLoad {
  /** The name of the tool. */
  toolName: string;
  /** The salted hash of the tool and its input, as in entries. */
  inputHash: string;
  /** The number of its questions. */
  asked: number;
  /** The number of times that a person allowed it. */
  allowed: number;
  /** The number of times that a person denied it. */
  denied: number;
  /** The input, if the page still has it. */
  input: unknown;
  /**
   * The narrowest rule for `createRules` that would have given the answers of the person. `undefined` if the
   * answers differ, or if no rule covers exactly these calls. A person has to check and add it.
   */
  rule: SparingRule | undefined;
}

/** The record of one chat. All methods are bound. The record is empty before its guard is first used. */
export interface ToolApprovalRecord extends ApprovalRecord {
  /** Settles when the storage was read, and all entries are written or could not be written. */
  readonly settled: () => Promise<void>;
  /**
   * Calls the listener after each change: when the storage was read, and when an entry was appended. @returns
   * a function that unsubscribes
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the end of the chain, to be sent with a request. */
  readonly head: () => RecordHead;
  /** Returns the entries that are kept completely, oldest first, including those of earlier pages. */
  readonly entries: () => readonly RecordEntry[];
  /** Returns the figures; `undefined` before its guard is first used. */
  readonly metrics: () => RecordMetrics | undefined;
  /** Returns the calls that ask most often, the most frequent first. */
  readonly promptLoad: (most?: number) => readonly PromptLoad[];
  /**
   * Returns the whole record as JSON Lines, which `verifyRecord` of `tool-approval-guard/verify` can verify, or as CSV for a
   * spreadsheet, which it cannot: there formulas become text.
   */
  readonly export: (format: 'jsonl' | 'csv') => string;
  /**
   * Returns the hash that entries contain for a call of this tool with this input.
   *
   * @param server the server of the tool, if its parts name one
   */
  readonly hashOf: (toolName: string, input: unknown, server?: string) => string | undefined;
  /** Removes all data of this chat, from this page and from the storage: for where no other tab has the chat. */
  readonly forget: () => Promise<void>;
}
