// The public types of the entry `record`.
import type { LedgerEntry } from '../types/events.js';
import type { ApprovalRecord } from '../types/record.js';
import type { SparingRule } from './suggest-rule.js';
import type { ApprovalStorage } from './storage.js';

/** What {@link createRecord} accepts. Every field is optional. */
export interface RecordOptions {
  /**
   * Where it is kept. `'memory'` (default) ends with the page; `'session'` survives a reload of the tab; `'local'`
   * also its end, and is shared by all tabs of the chat; or a storage of your own.
   */
  storage?: 'memory' | 'session' | 'local' | ApprovalStorage;
  /** Keep what a person has allowed or refused for the whole chat, too: by salted hashes. Default `false`. */
  grants?: boolean;
  /** How many of the latest entries are kept whole, from 64 to 10000. Of older ones stay count and hash. Default 1000. */
  keep?: number;
}

/** The end of the hash chain: who has it can prove that nothing before it was changed or cut off. */
export interface RecordHead {
  /** How many entries there have been. */
  entries: number;
  /** Their hash, 64 hexadecimal digits. */
  hash: string;
}

/** An entry as it is recorded: no input, no output, no words of a person. What does not apply is left out. */
export type RecordEntry = Readonly<
  { v: number; seq: number; session: string; chatId: string; hash: string } & Partial<
    Omit<LedgerEntry, 'seq' | 'type' | 'at' | 'mono'>
  > &
    Pick<LedgerEntry, 'at' | 'mono'>
> & { readonly type: LedgerEntry['type'] | 'absorbed' };

/** What the record adds up to. Times are in milliseconds. */
export interface RecordMetrics {
  /** Calls that asked; each is in one of the five classes that follow. */
  asked: number;
  /** Calls that wait for an answer. */
  waiting: number;
  /** Calls that were allowed, by whom or what ever. */
  allowed: number;
  /** Calls that were denied, by whom or what ever. */
  denied: number;
  /** Calls that nobody answered in time. */
  expired: number;
  /** Nobody has answered them, and nobody can any more. */
  abandoned: number;
  /** Answers that a reload has not lost. */
  recovered: number;
  /** Decisions that a person took back. */
  undone: number;
  /** Messages of a person. */
  turns: number;
  /** From 0 to 1, of the calls that asked. */
  shares: { allowed: number; denied: number; expired: number; abandoned: number; recovered: number };
  /** By who answered. */
  answers: Readonly<Partial<Record<string, number>>>;
  /** Answers of grants, rules and time. */
  automatic: number;
  /** Calls that asked for each message of a person; `null` before the first message. */
  promptsPerTurn: number | null;
  /** Of persons, the latest 1,000. */
  response: { count: number; medianMs: number | null; p95Ms: number | null };
}

/** Equal calls, and what would have spared the questions. */
export interface PromptLoad {
  /** The tool that was called. */
  toolName: string;
  /** The salted hash of the tool and its input, as entries have it. */
  inputHash: string;
  /** How often it asked. */
  asked: number;
  /** By a person. */
  allowed: number;
  /** How often a person denied it. */
  denied: number;
  /** The input, where the page still has it. */
  input: unknown;
  /**
   * The narrowest rule that would have answered them as the person did, for `createRules`. Nothing where answers differ,
   * or where no rule says exactly this. It is for a person to read and to add.
   */
  rule: SparingRule | undefined;
}

/** What {@link verifyRecord} found. */
export type RecordVerdict =
  | {
      type: 'intact';
      entries: number;
      /** Entries of which only count and hash are left. */
      sealed: number;
      /** The hash of the last entry. */
      head: string;
      /** A head says so: nothing was cut off. */
      complete: boolean;
      /** How many entries the heads prove to be all that there were until then. */
      provenTo?: number;
      message: string;
    }
  | { type: 'broken'; line: number; code: string; message: string };

/** The record of one chat. Every method is bound. Before the first use of its guard it is empty. */
export interface ToolApprovalRecord extends ApprovalRecord {
  /** Settles when what is stored was read, and what was appended is written, or cannot be. */
  readonly settled: () => Promise<void>;
  /** Tells of each change: what is stored was read, or something was appended. @returns a function that unsubscribes */
  readonly subscribe: (listener: () => void) => () => void;
  /** The end of the chain, to be sent along with a request. */
  readonly head: () => RecordHead;
  /** The entries that are kept whole, oldest first, also those of earlier pages. */
  readonly entries: () => readonly RecordEntry[];
  /** What the record adds up to; `undefined` before the first use of its guard. */
  readonly metrics: () => RecordMetrics | undefined;
  /** The calls that ask most often, the most frequent first. */
  readonly promptLoad: (most?: number) => readonly PromptLoad[];
  /** All of it as JSON Lines, for {@link verifyRecord}, or as a table. */
  readonly export: (format: 'jsonl' | 'csv') => string;
  /** The hash that entries have of a call of this tool with this input. */
  readonly hashOf: (toolName: string, input: unknown) => string | undefined;
  /** Removes everything that is kept of this chat, in this page and in the storage. */
  readonly forget: () => Promise<void>;
}
