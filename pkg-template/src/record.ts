// The record of a chat keeps decisions across reloads and tabs, with a hash chain that proves them.
import { RecordCore } from 'virtual:record-glue';

import { start } from './module/start.js';
import { GuardError } from './error.js';
import type { RecordedGuard, RecordOfGuard } from './guard/recorder.js';
import { whileHeld, type Reference } from './lifetime.js';
import { hostOf, type RecordHost } from './record/host.js';
import { GuardRecorder } from './record/recorder.js';
import { RecordSession } from './record/session.js';
import { suggestRule } from './record/suggest-rule.js';
import type { ApprovalStorage } from './record/storage/contract.js';
import { indexedDbStorage } from './record/storage/indexed-db.js';
import { memoryStorage } from './record/storage/memory.js';
import { webSessionStorage } from './record/storage/web-session.js';
import type { RecordEntry, RecordHead, RecordOptions, ToolApprovalRecord } from './record/types.js';

export type * from './record/storage/contract.js';
export type { SparingRule } from './record/suggest-rule.js';
export type * from './record/types.js';
export type * from './types/record.js';

const NO_HEAD: RecordHead = { entries: 0, hash: '0'.repeat(64) };

const KNOWN = new Set(['storage', 'grants', 'keep'] satisfies (keyof RecordOptions)[]) as ReadonlySet<string>;
const METHODS = ['transact', 'remove', 'prune'] as const;
const FEWEST = 64;
const MOST = 10_000;

function invalid(sentence: string): GuardError {
  return new GuardError('invalid-option', sentence);
}

function check(options: RecordOptions): Required<RecordOptions> {
  if (typeof options !== 'object' || options === null)
    throw invalid('createRecord takes an object of options, or nothing.');
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw invalid(`There is no option ${unknown}. The options are ${[...KNOWN].join(', ')}.`);
  }
  const { storage = 'memory', grants = false, keep = 1_000 } = options;
  const isNamed = storage === 'memory' || storage === 'session' || storage === 'indexeddb';
  const own = storage as unknown as Readonly<Record<string, unknown>> | null;
  if (
    !isNamed &&
    !(typeof own === 'object' && own !== null && METHODS.every((name) => typeof own[name] === 'function'))
  ) {
    throw invalid(
      `The option storage must be 'memory', 'session', 'indexeddb', or an object with ${METHODS.join(', ')}.`,
    );
  }
  if (typeof grants !== 'boolean') throw invalid('The option grants must be true or false.');
  if (!Number.isInteger(keep) || keep < FEWEST || keep > MOST) {
    throw invalid(`The option keep must be a whole number from ${FEWEST} to ${MOST}.`);
  }
  return { storage, grants, keep };
}

/** Returns the storage for the option `storage`. */
function storageOf(storage: Required<RecordOptions>['storage']): ApprovalStorage {
  if (storage === 'memory') return memoryStorage();
  if (storage === 'session') return (webSession ??= webSessionStorage());
  if (storage === 'indexeddb') return (indexedDb ??= indexedDbStorage());
  return storage;
}

/** One for the whole page, because it has one connection. */
let indexedDb: ApprovalStorage | undefined;
let webSession: ApprovalStorage | undefined;

// These outlive the guard, so they must not hold it: a closure keeps everything in its scope alive.
const closing = (session: RecordSession) => () => session.close();
const recalling = (guard: Reference<RecordedGuard>) => whileHeld(guard, (guard) => guard.recalled());

/**
 * Creates the record of one chat, for `createApprovalGuard({ chatId, record })`. Nothing is read before the
 * guard is first used.
 *
 * @param options every option has a default
 * @returns the record of one chat. If several guards of the page use it, it belongs to the newest one
 * @throws GuardError `invalid-option`
 */
export function createRecord(options: RecordOptions = {}): ToolApprovalRecord {
  const settings = check(options);
  const storage = storageOf(settings.storage);
  let host: RecordHost | undefined;
  let session: RecordSession | undefined;
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (cause) {
        host?.report('listener-failed', 'A function that the record was given has failed.', cause);
      }
    }
  };

  const open = (next: RecordHost): RecordSession | undefined => {
    if (session !== undefined && !session.isClosed && host?.chatId !== next.chatId) {
      next.report('record-in-use', 'A record belongs to one chat: make one for each.');
      return undefined;
    }
    start('the record');
    host = next;
    const kind = typeof settings.storage === 'string' ? settings.storage : 'own';
    const options = {
      ...settings,
      host: next,
      kind,
      storage,
      RecordCore,
      onChange,
      previous: session,
    } as const;
    return (session = new RecordSession(options));
  };

  const record: ToolApprovalRecord & RecordOfGuard = {
    connect: (guard, chatId, running, calls) => {
      const opened = open(hostOf(guard, chatId, calls));
      if (opened === undefined) return undefined;
      running.endWith(closing(opened));
      void opened.ready?.then(recalling(guard));
      return new GuardRecorder(opened, chatId, running, calls);
    },
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
      // The header and the lines for sealed entries are not entries.
      const entries = lines.filter(Boolean).map((line) => JSON.parse(line) as Partial<RecordEntry>);
      return entries.filter(
        (entry): entry is RecordEntry => entry.type !== undefined && entry.seq !== undefined,
      );
    },
    metrics: () => session?.metrics(),
    promptLoad: (most = 10) =>
      (session?.load(most) ?? []).map((row) => {
        const call = host?.inputOf(row.inputHash);
        return {
          ...row,
          input: call?.input,
          rule: suggestRule({ ...row, server: call?.server }, call?.input),
        };
      }),
    export: (format) => {
      if (format !== 'jsonl' && format !== 'csv') throw invalid("export takes 'jsonl' or 'csv'.");
      return session?.export(format) ?? '';
    },
    hashOf: (toolName, input, server) =>
      session?.isRead !== true ? undefined : host?.hashOf(toolName, input, server),
    forget: async () => session?.forget(),
  };
  return record;
}
