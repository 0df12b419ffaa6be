// The face of the record.
import {
  createApprovalGuard,
  type ApprovalRecord,
  type KnownCall,
  type LedgerEntry,
  type PendingCall,
} from 'tool-approval-guard';
import {
  createRecord,
  type ApprovalStorage,
  type PromptLoad,
  type RecordChange,
  type RecordEntry,
  type RecordHead,
  type RecordMetrics,
  type RecordOptions,
  type StoredRecord,
  type ToolApprovalRecord,
} from 'tool-approval-guard/record';
import { testStorage } from 'tool-approval-guard/record/testing';
import { createRules } from 'tool-approval-guard/rules';
import { verifyRecord, type RecordVerdict } from 'tool-approval-guard/verify';

import type { Anys, Equal, Expect } from './assert.js';

export type NoAny = [
  Expect<Equal<Anys<ToolApprovalRecord>, never>>,
  Expect<Equal<Anys<RecordOptions>, never>>,
  Expect<Equal<Anys<RecordEntry>, never>>,
  Expect<Equal<Anys<RecordMetrics>, never>>,
  Expect<Equal<Anys<KnownCall>, never>>,
];

/** A storage that answers at once, and one that answers later. */
const nothing: StoredRecord = { head: undefined, state: undefined, first: 0, length: 0, entries: [] };
const own: ApprovalStorage = {
  transact: (_chat, _from, judge) => void judge(nothing),
  remove: () => {},
  prune: () => {},
};
const later: ApprovalStorage = {
  transact: async (_chat, _from, judge) => void (judge(nothing) satisfies RecordChange | undefined),
  remove: async () => {},
  prune: () => Promise.resolve(),
};
export const records = [own, later, 'indexeddb' as const].map((storage) =>
  createRecord({ storage, grants: true }),
);

/** The same types as those of the record. */
export const tested: Promise<void>[] = [
  testStorage(own),
  testStorage(later, { reopen: () => later, test: (_name, run) => run() }),
];

const record = createRecord({ keep: 500 });
export const accepted: ApprovalRecord = record;
const guard = createApprovalGuard({ chatId: 'chat', record });

export const head: RecordHead = record.head();
export const verdict: RecordVerdict = verifyRecord(record.export('jsonl'), [head.hash]);
export const pending: readonly PendingCall[] = guard.pending();
export const stop: () => void = record.subscribe(() => {});
if (verdict.type === 'broken') console.log(verdict.line, verdict.code);
else console.log(verdict.complete, verdict.provenTo);

/** What the load suggests is a rule as it is. */
const [first]: readonly PromptLoad[] = record.promptLoad(1);
if (first?.rule !== undefined) createRules({ rules: [first.rule] });

export const entries: readonly RecordEntry[] = record.entries();
export const waited: readonly (number | undefined)[] = guard
  .ledger()
  .map((entry: LedgerEntry) => entry.waitedMs);
export const metrics: RecordMetrics | undefined = record.metrics();

// @ts-expect-error there is no such storage
createRecord({ storage: 'disk' });
// @ts-expect-error and a storage has four methods
createRecord({ storage: { read: () => undefined } });
// @ts-expect-error only these two
record.export('xml');
// @ts-expect-error a record is no storage
createApprovalGuard({ chatId: 'chat', record: own });
