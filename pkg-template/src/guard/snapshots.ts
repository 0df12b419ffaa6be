import { digestOf, INPUT_BUDGET, NO_DIGEST, sameDigest, type Digest } from '../chat/digest.js';
import { isDynamic } from '../chat/part.js';
import type { Engine } from '../engine/engine.js';
import { optional, rowsOf } from '../engine/rows.js';
import {
  actorNames,
  batchRow,
  callRow,
  outcomeNames,
  phaseNames,
  statusNames,
  pendingRow,
  StatusField,
  Table,
  type CallRow,
} from '../generated/abi.js';
import type { Settings } from '../options.js';
import type { BatchView, CallStatus, CallView, Display, PendingCall, Phase } from '../prompt.js';
import { CallTexts } from './call-words.js';
import { grantId, Grants } from './grants.js';

const DECISIONS = [undefined, 'denied', 'allowed'] as const;

const NOTHING: readonly string[] = Object.freeze([]);
const NO_COVERS = Object.freeze({ input: NOTHING, tool: NOTHING });

/** A call as the core last returned it, with its strings. */
export interface CallState {
  row: CallRow;
  toolName: string;
  toolCallId: string;
  approvalId: string | undefined;
  messageId: string;
  status: CallStatus;
}

/**
 * The number of a call (0 if it is not known from the view) and the digest of the input that the view showed.
 */
export interface Shown {
  call: number;
  digest: Digest;
}

/** Makes the objects that a prompt shows. Unchanged parts are the same objects. */
export class Snapshots {
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #texts: CallTexts;
  readonly grants: Grants;
  readonly #rows = new Map<number, CallState>();
  /** The length of the ledger when the rows were read. */
  #read = -1;
  #views = new Map<number, CallView>();
  /** The calls whose row has changed since their view was made. */
  readonly #changed = new Set<number>();
  /** The result of `redact` for an input, valid while the input has this digest. */
  readonly #redacted = new Map<number, { digest: Digest; display: Display | undefined }>();
  /** What each view showed: when a page passes a view back, this is what the person saw. */
  readonly #shown = new WeakMap<CallView, Shown>();
  /** The lists of calls that a lasting choice would answer, by what they have in common. */
  #groups: ReadonlyMap<string, readonly string[]> = new Map();
  #calls: readonly CallView[] = NOTHING as readonly never[];
  #batch: BatchView | undefined;
  /** The newest call with each approval id and call id that was shown. */
  readonly #byId = new Map<string, number>();

  constructor(engine: Engine, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#texts = new CallTexts(settings.words);
    this.grants = new Grants(engine, settings);
  }

  /** Reads the calls that have changed. */
  update(): ReadonlyMap<number, CallState> {
    const { core, ids } = this.#engine;
    const length = core.get(StatusField.Length);
    if (length === this.#read) return this.#rows;
    const changed = rowsOf(core.read(Table.Calls, Math.max(this.#read, 0)), callRow);
    this.#read = length;
    for (const row of changed) {
      const next: CallState = {
        row,
        toolName: ids.text(row.tool) ?? '',
        toolCallId: ids.text(row.id) ?? '',
        approvalId: ids.text(row.approval),
        messageId: ids.text(row.message) ?? '',
        status: statusNames[row.status] as CallStatus,
      };
      this.#changed.add(row.call);
      this.#rows.set(row.call, next);
    }
    return this.#rows;
  }

  /** Drops the calls below a number. */
  forget(first: number): void {
    for (const map of [this.#rows, this.#views, this.#redacted]) {
      for (const call of map.keys()) if (call < first) map.delete(call);
    }
    for (const [id, call] of this.#byId) if (call < first) this.#byId.delete(id);
  }

  /** What a view showed of a call; for an id, what the last snapshot showed. */
  shown(view: CallView | string): Shown | undefined {
    if (typeof view !== 'string') {
      return this.#shown.get(view) ?? shownBy(view);
    }
    const newest = this.#byId.get(view) ?? 0;
    if (this.#rows.get(newest)?.status !== 'gone') return this.#shownOf(newest);
    let found: number | undefined;
    for (const [call, { approvalId, toolCallId }] of this.#views) {
      const hasId = approvalId === view || toolCallId === view;
      if (hasId && this.#rows.get(call)?.status !== 'gone') found = call;
    }
    return found === undefined ? undefined : this.#shownOf(found);
  }

  #shownOf(call: number): Shown | undefined {
    const view = this.#views.get(call);
    return view && this.#shown.get(view);
  }

  /** The digest of a call's input as it was last read. */
  #digestOf(call: number): Digest {
    return this.#engine.memory.of(call).facts?.inputDigest ?? NO_DIGEST;
  }

  /** All calls whose message still exists, oldest first. */
  calls(): readonly CallView[] {
    const rows = this.update();
    const { toolCallIds, calls: batch } = this.#readBatch();
    const places = new Map(batch.map((call, i) => [call, i + 1]));
    const covers = this.#covers(batch);
    const total = toolCallIds.length;
    const calls: CallView[] = [];
    for (const [call, row] of rows) {
      if (row.status === 'gone') continue;
      const index = places.get(call);
      const old = this.#views.get(call);
      const position = index === undefined ? undefined : { index, total };
      const covered = covers.get(call) ?? NO_COVERS;
      const digest = this.#digestOf(call);
      const was = old && this.#shown.get(old)?.digest;
      // An input that was changed in place is the same object, but has to be shown again.
      const same = was !== undefined && sameDigest(was, digest);
      const next =
        old === undefined || this.#changed.has(call) || !same
          ? this.#viewOf(call, row, position, covered, same ? old : undefined)
          : this.#moved(old, position, covered);
      if (next !== old) {
        this.#views.set(call, next);
        this.#shown.set(next, { call, digest });
        for (const id of [next.approvalId, next.toolCallId]) {
          if (id !== undefined && (this.#byId.get(id) ?? 0) <= call) this.#byId.set(id, call);
        }
      }
      calls.push(next);
    }
    this.#changed.clear();
    return (this.#calls = sameList(this.#calls, calls));
  }

  /** The view of a call that has not changed itself, while its position or coverage has. */
  #moved(old: CallView, position: CallView['position'], covers: CallView['covers']): CallView {
    const placed = samePlace(old.position, position);
    if (placed && sameItems(old.covers.input, covers.input) && sameItems(old.covers.tool, covers.tool))
      return old;
    const words = placed ? old.words : { ...old.words, position: this.#texts.position(position) };
    return { ...old, position, covers, words };
  }

  #viewOf(
    call: number,
    state: CallState,
    position: CallView['position'],
    covers: CallView['covers'],
    old: CallView | undefined,
  ): CallView {
    const { memory } = this.#engine;
    const { row } = state;
    const { facts: part, asked, ruling } = memory.of(call);
    const info = this.#settings.tools.get(state.toolName);
    const grant = this.grants.grant(row.grant);
    const view = {
      toolCallId: state.toolCallId,
      approvalId: state.approvalId,
      toolName: state.toolName,
      // In doubt the tool counts as one that is known only at run time.
      dynamic: part === undefined ? (old?.dynamic ?? true) : isDynamic(part),
      messageId: state.messageId,
      title: info?.title ?? textOf(part?.title),
      server: info?.server,
      input: part?.input,
      display: this.#displayOf(call, part?.input, row.revealed === 1, old),
      requestReason: textOf(asked?.requestReason),
      dangerous: row.dangerous === 1,
      ruling,
      defaultCovers: info?.covers ?? 'input',
      status: state.status,
      decision: DECISIONS[row.answer],
      actor: actorNames[row.actor],
      outcome: outcomeNames[row.outcome],
      grantId: row.grant === 0 ? undefined : grantId(row.grant),
      undoable: row.undoable === 1,
      deadline: optional(row.deadline),
      expiring: row.expiring === 1,
      refusals: row.refusals,
    };
    if (
      old !== undefined &&
      samePlace(old.position, position) &&
      sameItems(old.covers.input, covers.input) &&
      sameItems(old.covers.tool, covers.tool) &&
      (Object.keys(view) as (keyof typeof view)[]).every((field) => Object.is(view[field], old[field]))
    ) {
      return old;
    }
    return { ...view, position, covers, words: this.#texts.of({ ...view, position }, info?.title, grant) };
  }

  /** The part of an input that may be shown; `undefined` if that is not known. */
  #displayOf(
    call: number,
    input: unknown,
    revealed: boolean,
    old: CallView | undefined,
  ): Display | undefined {
    const { redact } = this.#settings;
    const was = old?.display;
    if (redact === undefined || input === undefined) {
      return was && was.value === input && was.hidden === 0 ? was : { value: input, hidden: 0 };
    }
    // A revealed input is copied, so that later changes to the object do not change what was shown.
    if (revealed) return was && was.hidden === 0 ? was : copyOf(input);
    return this.#redactedOf(call, input);
  }

  #redactedOf(call: number, input: unknown): Display | undefined {
    const digest = this.#digestOf(call);
    const known = this.#redacted.get(call);
    if (known !== undefined && sameDigest(known.digest, digest)) return known.display;
    let display: Display | undefined;
    try {
      const { value, hidden } = this.#settings.redact?.(input) ?? {};
      if (hidden) display = { value, hidden: hidden.reduce((sum, { count }) => sum + Math.max(count, 0), 0) };
    } catch {
      // It cannot be shown now; `redact` may need something that is loaded later.
      return undefined;
    }
    this.#redacted.set(call, { digest, display });
    return display;
  }

  /** For each waiting call of a batch, the waiting calls with the same tool, or with the same input. */
  #covers(batch: readonly number[]): ReadonlyMap<number, CallView['covers']> {
    const waiting = batch.filter((call) => this.#rows.get(call)?.row.waits === 1);
    const groups = new Map<string, string[]>();
    const same = (key: string) => {
      const group = groups.get(key) ?? [];
      const old = this.#groups.get(key);
      return old !== undefined && sameItems(old, group) ? old : group;
    };
    const join = (call: number, key: string) => {
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push(this.#rows.get(call)?.toolCallId ?? '');
      return key;
    };
    const keys = waiting.map((call) => {
      const { facts } = this.#engine.memory.of(call);
      const fingerprint = facts === undefined ? 0 : this.#engine.fingerprints.of(facts);
      return {
        tool: join(call, `t${this.#rows.get(call)?.toolName ?? ''}`),
        input: fingerprint === 0 ? undefined : join(call, `i${fingerprint}`),
      };
    });
    // Unchanged lists stay the same objects, so that they are compared at no cost.
    this.#groups = new Map([...groups.keys()].map((key) => [key, same(key)]));
    const list = (key: string | undefined) =>
      key === undefined ? NOTHING : (this.#groups.get(key) ?? NOTHING);
    return new Map(
      waiting.map((call, i) => [call, { tool: list(keys[i]?.tool), input: list(keys[i]?.input) }]),
    );
  }

  #readBatch() {
    const numbers = this.#engine.core.read(Table.Batch);
    const row = batchRow.read(numbers, 0);
    const calls = [...numbers.subarray(batchRow.length)];
    return {
      row,
      calls,
      toolCallIds: calls.map((call) => this.#rows.get(call)?.toolCallId ?? ''),
    };
  }

  /** The calls that wait for a decision, oldest first. Other calls are not visited. */
  pending(): readonly PendingCall[] {
    const rows = this.update();
    const pending: PendingCall[] = [];
    for (const { call } of rowsOf(this.#engine.core.read(Table.Pending), pendingRow)) {
      const state = rows.get(call);
      if (state === undefined) continue;
      const { toolCallId, approvalId, toolName, messageId, row } = state;
      pending.push({ toolCallId, approvalId, toolName, messageId, deadline: optional(row.deadline) });
    }
    return pending;
  }

  /** The batch: the calls that are decided together. */
  batch(): BatchView {
    this.update();
    const { row, calls, toolCallIds } = this.#readBatch();
    const { words } = this.#settings;
    const { asking, refusals } = row;
    const looping = row.looping === 1;
    const view = {
      phase: phaseNames[row.phase] as Phase,
      total: calls.length,
      asking,
      allowed: row.allowed,
      denied: row.denied,
      inputLocked: row.inputLocked === 1,
      commitAt: optional(row.due),
      undoable: row.undoable === 1,
      allowAll: row.allowAll === 1,
      looping,
      stopped: row.stopped === 1,
      refusals,
    };
    const old = this.#batch;
    if (
      old !== undefined &&
      sameItems(old.toolCallIds, toolCallIds) &&
      (Object.keys(view) as (keyof typeof view)[]).every((field) => view[field] === old[field])
    ) {
      return old;
    }
    return (this.#batch = {
      ...view,
      toolCallIds,
      words: {
        summary: asking === 0 ? '' : words.text('prompt.summary', { waiting: asking }),
        loop: looping ? words.text('loop.note', { n: refusals }) : '',
      },
    });
  }
}

/**
 * What a view showed that is not one of these objects: a copy, or the proxy that a framework made when the
 * page kept the view in its state.
 */
const shownBy = (view: CallView): Shown | undefined =>
  'input' in view ? { call: 0, digest: digestOf(view.input, INPUT_BUDGET) } : undefined;

/** A copy of an input; `undefined` if it is not JSON. */
function copyOf(input: unknown): Display | undefined {
  try {
    return { value: JSON.parse(JSON.stringify(input)) as unknown, hidden: 0 };
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));

const sameList = <T>(old: readonly T[], next: readonly T[]): readonly T[] =>
  sameItems(old, next) ? old : next;

const samePlace = (a: CallView['position'], b: CallView['position']): boolean =>
  a?.index === b?.index && a?.total === b?.total;
