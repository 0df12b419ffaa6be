// The public types of the entry `record`.
import type { LedgerEntry } from '../types/events.js';
import type { ApprovalRecord } from '../types/record.js';
import type { SparingRule } from './suggest-rule.js';
import type { ApprovalStorage } from './storage.js';

/** The options of {@link createRecord}. Every field is optional. */
export interface RecordOptions {
  /**
   * Where the record is kept. `'memory'` (default) ends with the page, `'session'` survives a reload of the tab, `'local'`
   * also survives its end and is shared by all tabs of the chat. Or a storage of your own.
   */
  storage?: 'memory' | 'session' | 'local' | ApprovalStorage;
  /** Whether to keep the grants of a person too, as salted hashes. Default `false`. */
  grants?: boolean;
  /** How many of the latest entries are kept complete, from 64 to 10000. Of older ones only count and hash remain. Default 1000. */
  keep?: number;
}

/** The end of the hash chain. It proves that nothing before it was changed or removed. */
export interface RecordHead {
  /** The number of entries. */
  entries: number;
  /** The hash of all entries, 64 hexadecimal digits. */
  hash: string;
}

/** A recorded entry: without input, output or words of a person. Fields that do not apply are missing. */
export type RecordEntry = Readonly<
  { v: number; seq: number; session: string; chatId: string; hash: string } & Partial<
    Omit<LedgerEntry, 'seq' | 'type' | 'at' | 'mono'>
  > &
    Pick<LedgerEntry, 'at' | 'mono'>
> & { readonly type: LedgerEntry['type'] | 'absorbed' };

/** The figures of a record. Times are in milliseconds. */
export interface RecordMetrics {
  /** Calls that asked. Each is in one of the five classes that follow. */
  asked: number;
  /** Calls that wait for an answer. */
  waiting: number;
  /** Calls that were allowed, by anyone. */
  allowed: number;
  /** Calls that were denied, by anyone. */
  denied: number;
  /** Calls that nobody answered in time. */
  expired: number;
  /** Calls that nobody answered and nobody can answer any more. */
  abandoned: number;
  /** Answers that were restored after a reload. */
  recovered: number;
  /** Decisions that a person undid. */
  undone: number;
  /** Messages of a person. */
  turns: number;
  /** The shares of the calls that asked, from 0 to 1. */
  shares: { allowed: number; denied: number; expired: number; abandoned: number; recovered: number };
  /** The number of answers of each actor. */
  answers: Readonly<Partial<Record<string, number>>>;
  /** Answers of grants, rules and timers. */
  automatic: number;
  /** Calls that asked for each message of a person; `null` before the first message. */
  promptsPerTurn: number | null;
  /** The response times of persons, from the latest 1,000 answers. */
  response: { count: number; medianMs: number | null; p95Ms: number | null };
}

/** Equal calls that asked, and the rule that would have answered them. */
export interface PromptLoad {
  /** The name of the tool. */
  toolName: string;
  /** The salted hash of the tool and its input, as entries have it. */
  inputHash: string;
  /** How often the call asked. */
  asked: number;
  /** How often a person allowed it. */
  allowed: number;
  /** How often a person denied it. */
  denied: number;
  /** The input, if the page still has it. */
  input: unknown;
  /**
   * The narrowest rule for `createRules` that would have answered as the person did. `undefined` if the answers differ, or
   * if no rule covers exactly these calls. A person has to read and add it.
   */
  rule: SparingRule | undefined;
}

/** The result of {@link verifyRecord}. */
export type RecordVerdict =
  | {
      type: 'intact';
      entries: number;
      /** The number of entries of which only count and hash are left. */
      sealed: number;
      /** The hash of the last entry. */
      head: string;
      /** Whether a head proves that nothing was cut off. */
      complete: boolean;
      /** The number of entries that the heads prove to be complete. */
      provenTo?: number;
      message: string;
    }
  | { type: 'broken'; line: number; code: string; message: string };

/** The record of one chat. Every method is bound. The record is empty before the first use of its guard. */
export interface ToolApprovalRecord extends ApprovalRecord {
  /** Settles when the storage was read, and all entries are written or have failed to be. */
  readonly settled: () => Promise<void>;
  /** Calls the listener after each change: the storage was read, or an entry was appended. @returns a function that unsubscribes */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the end of the chain, to be sent with a request. */
  readonly head: () => RecordHead;
  /** Returns the entries that are kept complete, oldest first, including those of earlier pages. */
  readonly entries: () => readonly RecordEntry[];
  /** Returns the figures; `undefined` before the first use of its guard. */
  readonly metrics: () => RecordMetrics | undefined;
  /** Returns the calls that ask most often, the most frequent first. */
  readonly promptLoad: (most?: number) => readonly PromptLoad[];
  /** Returns the whole record as JSON Lines, for {@link verifyRecord}, or as CSV. */
  readonly export: (format: 'jsonl' | 'csv') => string;
  /** Returns the hash that entries have for a call of this tool with this input. */
  readonly hashOf: (toolName: string, input: unknown) => string | undefined;
  /** Removes all data of this chat, from this page and from the storage. */
  readonly forget: () => Promise<void>;
}
