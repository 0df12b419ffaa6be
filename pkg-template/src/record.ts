// The record of a chat: what was decided, over reloads and among tabs, and a proof of it.
import { DocumentCore, RecordCore, StorageCore, verify as verifyText } from 'virtual:record-glue';
import { startModule, whenReady } from 'virtual:module';

import { GuardError } from './error.js';
import { RecordSession } from './record/session.js';
import { ruleFor, type SparingRule } from './record/sparing.js';
import { memoryStorage, webStorage, type ApprovalStorage } from './record/storage.js';
import type { ApprovalRecord, RecordHost } from './recording.js';
import type { LedgerEntry } from './types.js';

export type { ApprovalStorage, Later } from './record/storage.js';
export type { SparingRule } from './record/sparing.js';
export type {
  ApprovalRecord,
  CallNote,
  KeptGrant,
  KnownCall,
  RecordConnection,
  RecordHost,
} from './recording.js';

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

const NO_HEAD: RecordHead = { entries: 0, hash: '0'.repeat(64) };

const KNOWN = new Set(['storage', 'grants', 'keep'] satisfies (keyof RecordOptions)[]) as ReadonlySet<string>;
const METHODS = ['read', 'write', 'remove', 'keys'] as const;
const FEWEST = 64;
const MOST = 10_000;

function invalid(sentence: string): GuardError {
  return new GuardError('invalid-option', sentence);
}

const unavailable = (cause: unknown): GuardError =>
  new GuardError('wasm-unavailable', 'The WebAssembly of the record could not be started.', { cause });

function check(options: RecordOptions): Required<RecordOptions> {
  if (typeof options !== 'object' || options === null)
    throw invalid('createRecord takes an object of options, or nothing.');
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw invalid(`There is no option ${unknown}. The options are ${[...KNOWN].join(', ')}.`);
  }
  const { storage = 'memory', grants = false, keep = 1_000 } = options;
  const isNamed = storage === 'memory' || storage === 'session' || storage === 'local';
  const own = storage as unknown as Readonly<Record<string, unknown>> | null;
  if (
    !isNamed &&
    !(typeof own === 'object' && own !== null && METHODS.every((name) => typeof own[name] === 'function'))
  ) {
    throw invalid(
      `The option storage must be 'memory', 'session', 'local', or an object with ${METHODS.join(', ')}.`,
    );
  }
  if (typeof grants !== 'boolean') throw invalid('The option grants must be true or false.');
  if (!Number.isInteger(keep) || keep < FEWEST || keep > MOST) {
    throw invalid(`The option keep must be a whole number from ${FEWEST} to ${MOST}.`);
  }
  return { storage, grants, keep };
}

/** The storage that an option names; the browser's own only where it has one. */
function storageOf(storage: Required<RecordOptions>['storage']): ApprovalStorage {
  if (storage === 'memory') return memoryStorage();
  if (storage === 'session' || storage === 'local')
    return webStorage(storage, (area) => StorageCore.open(area));
  return storage;
}

/**
 * Makes the record of one chat: `createApprovalGuard({ chatId, record })`. Nothing is read before the guard is used.
 *
 * @param options each has a default
 * @returns the record, for one chat; of its guards in this page the newest has it
 * @throws GuardError `invalid-option`
 */
export function createRecord(options: RecordOptions = {}): ToolApprovalRecord {
  const settings = check(options);
  let host: RecordHost | undefined;
  let session: RecordSession | undefined;
  const listeners = new Set<() => void>();
  const told = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (cause) {
        host?.report('listener-failed', 'A function that the record was given has failed.', cause);
      }
    }
  };

  const connect = (next: RecordHost): RecordSession | undefined => {
    if (session !== undefined && !session.isClosed && host?.chatId !== next.chatId) {
      next.report('record-in-use', 'A record belongs to one chat: make one for each.');
      return undefined;
    }
    try {
      startModule();
    } catch (cause) {
      whenReady(() => next.changed());
      throw cause instanceof GuardError ? cause : unavailable(cause);
    }
    host = next;
    const { storage, grants, keep } = settings;
    const kind = typeof storage === 'string' ? storage : 'own';
    session = new RecordSession({
      host: next,
      kind,
      storage: storageOf(storage),
      grants,
      keep,
      RecordCore,
      DocumentCore,
      told,
      before: session,
    });
    return session;
  };

  return {
    connect,
    settled: async () => {
      await session?.ready;
      await session?.saved();
    },
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    head: () => session?.head() ?? NO_HEAD,
    entries: () => {
      const lines = session?.export('jsonl').split('\n') ?? [];
      // Seals and the first line are no entries.
      const entries = lines.filter(Boolean).map((line) => JSON.parse(line) as Partial<RecordEntry>);
      return entries.filter(
        (entry): entry is RecordEntry => entry.type !== undefined && entry.seq !== undefined,
      );
    },
    metrics: () => session?.metrics(),
    promptLoad: (most = 10) =>
      (session?.load(most) ?? []).map((row) => {
        const call = host?.inputOf(row.inputHash);
        return { ...row, input: call?.input, rule: ruleFor({ ...row, server: call?.server }, call?.input) };
      }),
    export: (format) => {
      if (format !== 'jsonl' && format !== 'csv') throw invalid("export takes 'jsonl' or 'csv'.");
      return session?.export(format) ?? '';
    },
    hashOf: (toolName, input) => (session?.salt === undefined ? undefined : host?.hashOf(toolName, input)),
    forget: async () => session?.forget(),
  };
}

/**
 * Reads an export (`record.export('jsonl')`) and says whether anything in it was edited, inserted, moved or cut out.
 * Only with a head that was kept elsewhere can it say that the end was not cut off, or all of it written anew.
 *
 * @param text the export, as it was written
 * @param heads hashes that `record.head()` has answered, oldest first
 * @returns `intact`, or `broken` with the first line that is
 * @throws GuardError `wasm-unavailable`
 */
export function verifyRecord(text: string, heads: readonly string[] = []): RecordVerdict {
  if (!Array.isArray(heads)) throw invalid('verifyRecord takes a list of heads, or nothing.');
  try {
    startModule();
  } catch (cause) {
    throw unavailable(cause);
  }
  return JSON.parse(verifyText(String(text), heads.map(String))) as RecordVerdict;
}
