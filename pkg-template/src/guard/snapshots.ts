import { digestOf, INPUT_BUDGET, NO_DIGEST, sameDigest, type Digest } from '../chat/digest.js';
import { isDynamic } from '../chat/part.js';
import type { Engine } from '../engine/engine.js';
import { escapeInvisible } from '../escape-invisible.js';
import { optional, rowsOf, sameItems } from '../engine/rows.js';
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
import { faultOf } from '../showable.js';
import type { BatchView, CallStatus, CallView, Display, PendingCall, Phase } from '../prompt.js';
import { Coverage } from './coverage.js';
import type { Named } from './decision-input.js';
import { soundsHarmful } from '../tools-option.js';
import { grantId, Grants, labelOf } from './grants.js';

const DECISIONS = [undefined, 'denied', 'allowed'] as const;

const NOTHING: readonly never[] = Object.freeze([]);

/** A call as the core last returned it, with its strings. */
export interface CallState {
  row: CallRow;
  toolName: string;
  toolCallId: string;
  approvalId: string | undefined;
  messageId: string;
  status: CallStatus;
}

/** What the page showed of a call. */
export interface Shown {
  call: number;
  /** The digest of its input. */
  digest: Digest;
  /** The server of its tool. */
  server: string | undefined;
}

/** Whether a call still shows the same. */
export const isSameShown = (one: Shown, other: Shown): boolean =>
  sameDigest(one.digest, other.digest) && one.server === other.server;

type Position = CallView['position'];

/** The place of a call in the batch, and the view of the oldest call that the core says is equal to it. */
interface InBatch {
  position: Position;
  equal: CallView | undefined;
}

/** A view, with what it showed. */
interface Prepared {
  view: CallView;
  shown: Shown;
}

/** Makes the objects that a prompt shows. Unchanged parts are the same objects. */
export class Snapshots {
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly grants: Grants;
  #coverage: Coverage | undefined;
  readonly #rows = new Map<number, CallState>();
  /** The length of the ledger when the rows were read. */
  #read = -1;
  readonly #views = new Map<number, Prepared>();
  /** The calls whose row has changed since their view was made. */
  readonly #changed = new Set<number>();
  /** The result of `redact` for an input, valid while the input has this digest. */
  #redacted: Map<number, { digest: Digest; display: Display | undefined }> | undefined;
  /** The calls for which `redact` failed: their views are made again with the next snapshot. */
  readonly #failed: number[] = [];
  /** What each view showed: when a page passes a view back, this is what the person saw. */
  readonly #shown = new WeakMap<CallView, Shown>();
  #calls: readonly CallView[] = NOTHING;
  #batch: BatchView | undefined;
  /** The newest call with each approval id and call id that was shown. */
  readonly #byId = new Map<string, number>();

  constructor(engine: Engine, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
    this.grants = new Grants(engine, settings);
  }

  /** Which calls a lasting choice would answer. */
  get coverage(): Coverage {
    return (this.#coverage ??= new Coverage(this.#engine));
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
      for (const call of map?.keys() ?? []) if (call < first) map?.delete(call);
    }
    for (const [id, call] of this.#byId) if (call < first) this.#byId.delete(id);
    this.#coverage?.forget(first);
  }

  /** What a view showed of a call; for a key or an id, what the last snapshot showed. */
  shown({ name, view }: Named): Shown | undefined {
    const call = this.#engine.keys.callOf(name);
    if (view !== undefined) {
      // A copy, or the proxy that a framework made when the page kept the view in its state.
      const copied =
        'input' in view
          ? { ...this.current(call), digest: digestOf(view.input, INPUT_BUDGET), server: view.server }
          : undefined;
      return this.#shown.get(view) ?? copied ?? this.#shownOf(call);
    }
    const newest = call || (this.#byId.get(name) ?? 0);
    if (this.#rows.get(newest)?.status !== 'gone') return this.#shownOf(newest);
    let found: number | undefined;
    for (const [call, { view }] of this.#views) {
      const hasId = view.approvalId === name || view.toolCallId === name;
      if (hasId && this.#rows.get(call)?.status !== 'gone') found = call;
    }
    return found === undefined ? undefined : this.#shownOf(found);
  }

  #shownOf(call: number): Shown | undefined {
    return this.#views.get(call)?.shown;
  }

  /** What a call shows as it was last read. */
  current(call: number): Shown {
    const { facts } = this.#engine.memory.of(call);
    if (facts === undefined) return { call, digest: NO_DIGEST, server: undefined };
    return { call, digest: facts.inputDigest, server: this.#settings.tools.serverOf(facts) };
  }

  /** All calls whose message still exists, oldest first. */
  calls(): readonly CallView[] {
    const rows = this.update();
    const { calls: batch, equals } = this.#readBatch();
    const places = new Map(batch.map((call, i) => [call, i]));
    const total = batch.length;
    const calls: CallView[] = [];
    for (const [call, row] of rows) {
      if (row.status === 'gone') continue;
      const place = places.get(call);
      const old = this.#views.get(call);
      const inBatch: InBatch = {
        position: place === undefined ? undefined : { index: place + 1, total },
        // The view of an older call is made before.
        equal: place === undefined ? undefined : this.#views.get(equals[place] ?? call)?.view,
      };
      const shown = this.current(call);
      // An input that was changed in place is the same object, but has to be shown again.
      const same = old !== undefined && isSameShown(old.shown, shown) ? old : undefined;
      const next =
        same === undefined || this.#changed.has(call)
          ? this.#viewOf(shown, row, inBatch, same)
          : this.#moved(same, inBatch);
      if (next !== old) {
        const { view } = next;
        this.#views.set(call, next);
        this.#shown.set(view, shown);
        for (const id of [view.approvalId, view.toolCallId]) {
          if (id !== undefined && (this.#byId.get(id) ?? 0) <= call) this.#byId.set(id, call);
        }
      }
      calls.push(next.view);
    }
    this.#changed.clear();
    for (const call of this.#failed.splice(0)) this.#changed.add(call);
    return (this.#calls = sameList(this.#calls, calls));
  }

  /** The view of a call that has not changed itself, while its place may have. */
  #moved(old: Prepared, { position, equal }: InBatch): Prepared {
    const { view, shown } = old;
    const group = groupOf(view, equal);
    return isAt(view, position) && view.group === group ? old : { view: { ...view, position, group }, shown };
  }

  #viewOf(shown: Shown, state: CallState, { position, equal }: InBatch, old: Prepared | undefined): Prepared {
    const { call, server } = shown;
    const { memory } = this.#engine;
    const { row } = state;
    const { facts: part, asked, ruling } = memory.of(call);
    const { tools } = this.#settings;
    const info = tools.of(state.toolName, server);
    const known = this.#displayOf(call, part?.input, row.unmasked === 1, old?.view.display);
    const inputText = this.#inputTextOf(state, known, old?.view);
    // Before an approval is requested, an input may still stream.
    const display = state.approvalId !== undefined && inputText === undefined ? undefined : known;
    const actor = actorNames[row.actor];
    const source = this.#engine.ids.text(row.source);
    const title = info?.title ?? textOf(part?.title);
    const isDangerous = row.dangerous === 1;
    const soundsDangerous = !isDangerous && soundsHarmful(state.toolName, title);
    const said = {
      key: this.#engine.keys.of(call),
      toolCallId: state.toolCallId,
      approvalId: state.approvalId,
      toolName: state.toolName,
      label: old?.view.label ?? labelOf(this.#settings, state.toolName, server),
      // In doubt the tool counts as one that is known only at run time.
      dynamic: part === undefined ? (old?.view.dynamic ?? true) : isDynamic(part),
      messageId: state.messageId,
      title,
      server,
      input: part?.input,
      display,
      inputText,
      requestReason: textOf(asked?.requestReason),
      unavailable: this.#settings.unavailableTools.has(state.toolName),
      dangerous: isDangerous,
      soundsDangerous,
      readOnly:
        !isDangerous &&
        !soundsDangerous &&
        part !== undefined &&
        tools.annotationsOf(part)?.readOnlyHint === true,
      ruling,
      defaultCovers: info?.covers ?? 'input',
      status: state.status,
      decision: DECISIONS[row.answer],
      actor,
      user: actor === 'person' && source !== undefined ? this.#settings.user : undefined,
      source: actor === 'external' ? source : undefined,
      outcome: outcomeNames[row.outcome],
      grant: old?.view.grant?.id === grantId(row.grant) ? old.view.grant : this.grants.of(row.grant),
      undoable: row.undoable === 1,
      deadline: optional(row.deadline),
      expiring: row.expiring === 1,
      refusals: row.refusals,
    };
    const data = { ...said, group: groupOf(said, equal) };
    if (
      old !== undefined &&
      isAt(old.view, position) &&
      (Object.keys(data) as (keyof typeof data)[]).every((field) => Object.is(data[field], old.view[field]))
    ) {
      return old;
    }
    return { view: { ...data, position }, shown };
  }

  /** The input as text, once an approval was requested: before that, an input may still stream. */
  #inputTextOf({ approvalId }: CallState, display: Display | undefined, old: CallView | undefined) {
    if (approvalId === undefined) return undefined;
    return old?.approvalId === approvalId && old.display === display
      ? old.inputText
      : inputTextOf(display?.value);
  }

  /** The part of an input that may be shown; `undefined` if that is not known. */
  #displayOf(call: number, input: unknown, unmasked: boolean, was: Display | undefined): Display | undefined {
    const { redact } = this.#settings;
    if (redact === undefined || input === undefined) {
      return was && was.value === input && was.hidden === 0 ? was : { value: input, hidden: 0 };
    }
    // An unmasked input is copied, so that later changes to the object do not change what was shown.
    if (unmasked) return was && was.hidden === 0 ? was : copyOf(input);
    return this.#redactedOf(call, input);
  }

  #redactedOf(call: number, input: unknown): Display | undefined {
    const { digest } = this.current(call);
    const redacted = (this.#redacted ??= new Map());
    const known = redacted.get(call);
    if (known !== undefined && sameDigest(known.digest, digest)) return known.display;
    let display: Display | undefined;
    try {
      const { value, hidden } = this.#settings.redact?.(input) ?? {};
      if (hidden) display = { value, hidden: hidden.reduce((sum, { count }) => sum + Math.max(count, 0), 0) };
    } catch {
      // It cannot be shown now; `redact` may need something that is loaded later.
      this.#failed.push(call);
      return undefined;
    }
    redacted.set(call, { digest, display });
    return display;
  }

  #readBatch() {
    const numbers = this.#engine.core.read(Table.Batch);
    const row = batchRow.read(numbers, 0);
    const calls = [...numbers.subarray(batchRow.length)];
    // The second half are the oldest equal calls.
    const equals = calls.splice(calls.length / 2);
    return { row, calls, equals };
  }

  /** The calls that wait for a decision, oldest first. Other calls are not visited. */
  pending(): readonly PendingCall[] {
    const rows = this.update();
    const pending: PendingCall[] = [];
    for (const { call } of rowsOf(this.#engine.core.read(Table.Pending), pendingRow)) {
      const state = rows.get(call);
      if (state === undefined) continue;
      const { toolCallId, approvalId, toolName, messageId, row } = state;
      const key = this.#engine.keys.of(call);
      pending.push({ key, toolCallId, approvalId, toolName, messageId, deadline: optional(row.deadline) });
    }
    return pending;
  }

  /** The batch: the calls that are decided together. */
  batch(): BatchView {
    this.update();
    const { row, calls } = this.#readBatch();
    const keys = calls.map((call) => this.#engine.keys.of(call));
    const view = {
      phase: phaseNames[row.phase] as Phase,
      total: calls.length,
      asking: row.asking,
      allowed: row.allowed,
      denied: row.denied,
      inputLocked: row.inputLocked === 1,
      commitAt: optional(row.due),
      undoable: row.undoable === 1,
      allowAll: row.allowAll === 1,
      looping: row.looping === 1,
      stopped: row.stopped === 1,
      refusals: row.refusals,
    };
    const old = this.#batch;
    if (
      old !== undefined &&
      sameItems(old.keys, keys) &&
      (Object.keys(view) as (keyof typeof view)[]).every((field) => view[field] === old[field])
    ) {
      return old;
    }
    return (this.#batch = { ...view, keys });
  }
}

/** A copy of an input; `undefined` if it is not JSON. */
function copyOf(input: unknown): Display | undefined {
  try {
    return { value: JSON.parse(JSON.stringify(input)) as unknown, hidden: 0 };
  } catch {
    return undefined;
  }
}

/** The text of an input as it may be shown; `undefined` if it cannot be shown. */
function inputTextOf(value: unknown): string | undefined {
  if (faultOf(value) !== undefined) return undefined;
  if (typeof value === 'string') return escapeInvisible(value);
  // The indentation is not part of the input, and may be long.
  return JSON.stringify(value, null, 2).replace(/[^ \n][^\n]*/g, (line) => escapeInvisible(line));
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const sameList = <T>(old: readonly T[], next: readonly T[]): readonly T[] =>
  sameItems(old, next) ? old : next;

/**
 * The group of a call. The core knows no texts, so calls that do not read the same stay apart here, and so do inputs that
 * cannot be shown: nobody decides about more than they have read.
 */
function groupOf(view: Omit<CallView, 'group' | 'position'>, equal: CallView | undefined): string {
  const isSame =
    equal?.inputText !== undefined &&
    view.inputText !== undefined &&
    view.dynamic === equal.dynamic &&
    view.title === equal.title &&
    view.requestReason === equal.requestReason &&
    view.readOnly === equal.readOnly &&
    view.ruling?.because === equal.ruling?.because &&
    view.ruling?.why === equal.ruling?.why;
  return isSame ? equal.key : view.key;
}

const isAt = ({ position }: CallView, next: Position): boolean =>
  position?.index === next?.index && position?.total === next?.total;
