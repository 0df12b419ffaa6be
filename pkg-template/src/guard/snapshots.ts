// Snapshots: the calls and the batch, as a page shows them.
import { digestOf, INPUT_BUDGET, NO_DIGEST, sameDigest, type Digest } from '../chat/digest.js';
import { describedDigest, type Described } from '../chat/description.js';
import { askedInput, isDynamic, type PartFacts } from '../chat/part.js';
import type { Engine, Failures } from '../engine/engine.js';
import { NONE, rowsOf, sameItems, sameList } from '../engine/rows.js';
import {
  batchRow,
  callRow,
  pendingRow,
  StatusField,
  Table,
  type BatchRow,
  type MemberRow,
} from '../generated/abi.js';
import type { Settings } from '../options.js';
import type {
  BatchView,
  CallView,
  Display,
  EditedInput,
  InputChange,
  PendingCall,
  Snapshot,
} from '../prompt.js';
import {
  canOf,
  copyOf,
  groupOf,
  inputTextAfter,
  isAt,
  isSameBut,
  isShownAsCard,
  moved,
  positionAt,
  saidOf,
  textOf,
  waits,
  type Position,
} from './call-view.js';
import { Coverage } from './coverage.js';
import type { Named } from './decision-input.js';
import { changedFields, editableNow } from './edits.js';
import { grantId, Grants, labelOf } from './grants.js';
import { soon } from '../soon.js';

const DECISIONS: Record<string, CallView['decision']> = { true: 'allowed', false: 'denied' };

/** The state of a call that the page showed. */
export interface Shown {
  call: number;
  /** The digest of its input. */
  digest: Digest;
  /** The server of its tool. */
  server: string | undefined;
  /** The digest of what was shown in place of its own tool and input. */
  described: Digest;
}

export const isSameShown = (one: Shown, other: Shown): boolean =>
  sameDigest(one.digest, other.digest) &&
  sameDigest(one.described, other.described) &&
  one.server === other.server;

/** A call, and how it was last shown. */
interface Card {
  /** A row of the core, for {@link callRow}. As a list it takes half the memory of an object. */
  row: readonly number[];
  /** Whether its message no longer exists. */
  isGone: boolean;
  /** Whether its view has to be made again. */
  isChanged: boolean;
  /** Whether it was reported that its input could not be redacted. */
  isReported: boolean;
  view: CallView | undefined;
  /** The state that the view shows. */
  shown: Shown | undefined;
  /** The description that the application shows in place of it. */
  described: Described | undefined;
  /** The result of `redact` for its input, valid while the input has this digest. */
  redacted: { digest: Digest; display: Display | undefined } | undefined;
  /** The changes of its input, for these inputs. */
  changes?: { edited: EditedInput; unmasked: boolean; changes: readonly InputChange[] | undefined };
}

/**
 * The member of a view that says what it shows: when a page passes a view back, this is what the person saw. A copy has
 * it, and so has the proxy that a framework makes when the page keeps the view in its state; the input of both may have
 * changed in place since. The numbers of calls mean nothing to another guard, which finds no call by the key of the view.
 */
const SHOWN = /* @__PURE__ */ Symbol('shown');
type Stamped = CallView & { [SHOWN]?: Shown };

/** Makes the objects that a prompt shows. Unchanged parts are the same objects. */
export class Snapshots {
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #failures: Failures;
  readonly grants: Grants;
  #coverage: Coverage | undefined;
  readonly #cards = new Map<number, Card>();
  /** The length of the ledger when the rows were read. */
  #read = -1;
  #calls: readonly CallView[] = NONE;
  #approvals: readonly CallView[] = NONE;
  #batch: BatchView | undefined;
  /** The newest call with each approval id and call id that was shown, once one is looked for. */
  #byId: Map<string, number> | undefined;

  constructor(engine: Engine, settings: Settings, failures: Failures) {
    this.#engine = engine;
    this.#settings = settings;
    this.#failures = failures;
    this.grants = new Grants(engine, settings);
  }

  /** The calls that a lasting choice would answer. */
  get coverage(): Coverage {
    return (this.#coverage ??= new Coverage(this.#engine));
  }

  /** Reads the calls that have changed. */
  #update(): ReadonlyMap<number, Card> {
    const { core } = this.#engine;
    const length = core.get(StatusField.Length);
    if (length === this.#read) return this.#cards;
    const numbers = core.read(Table.Calls, Math.max(this.#read, 0));
    this.#read = length;
    for (let at = 0; at < numbers.length; at += callRow.length) {
      const row = Array.from(numbers.subarray(at, at + callRow.length));
      const { call, status } = callRow.read(row, 0);
      const { view, shown, described, redacted } = this.#cards.get(call) ?? {};
      this.#cards.set(call, {
        row,
        isGone: status === 'gone',
        isChanged: true,
        isReported: false,
        view,
        shown,
        described,
        redacted,
      });
    }
    return this.#cards;
  }

  /** The time at which a call expires. */
  deadlineOf(call: number): number | undefined {
    const { row } = this.#update().get(call) ?? {};
    return row && callRow.read(row, 0).deadline;
  }

  /** Drops the calls below a number. */
  forget(first: number): void {
    for (const call of this.#cards.keys()) if (call < first) this.#cards.delete(call);
    this.#byId = undefined;
    this.#coverage?.forget(first);
  }

  /** The state that a view showed of a call; for a key or an id, that of the last snapshot. */
  shown({ name, view }: Named): Shown | undefined {
    const call = this.#engine.keys.callOf(name);
    if (view !== undefined) {
      const known = (view as Stamped)[SHOWN];
      if (known?.call === call) return known;
      // A copy that went through JSON.
      return 'input' in view
        ? { ...this.current(call), digest: digestOf(view.input, INPUT_BUDGET), server: view.server }
        : this.#cards.get(call)?.shown;
    }
    const newest = this.#cards.get(call || this.#newestWith(name));
    if (newest?.isGone !== true) return newest?.shown;
    let found: Shown | undefined;
    for (const { isGone, view, shown } of this.#cards.values()) {
      if (!isGone && (view?.approvalId === name || view?.toolCallId === name)) found = shown;
    }
    return found;
  }

  #newestWith(id: string): number {
    if (this.#byId === undefined) {
      this.#byId = new Map();
      for (const [call, { view }] of this.#cards) this.#index(call, view);
    }
    return this.#byId.get(id) ?? 0;
  }

  #index(call: number, view: CallView | undefined): void {
    for (const id of [view?.approvalId, view?.toolCallId]) {
      if (id !== undefined && (this.#byId?.get(id) ?? 0) <= call) this.#byId?.set(id, call);
    }
  }

  /** Asks the application what to show in place of a call that waits for an answer. */
  #describe(call: number, card: Card): void {
    const { facts } = this.#engine.memory.of(call);
    if (facts !== undefined) card.described = this.#engine.descriptions.of(facts, card.described);
  }

  /** The digest that was shown; another one if the application describes the call otherwise now. */
  digestToCompare({ call, digest, described }: Shown): Digest {
    const card = this.#cards.get(call);
    if (card !== undefined) this.#describe(call, card);
    const isSame = sameDigest(described, describedDigest(card?.described));
    return isSame ? digest : [digest[0] ^ 2, digest[1]];
  }

  /** The state of a call as it was last read. */
  current(call: number): Shown {
    const { facts } = this.#engine.memory.of(call);
    const described = describedDigest(this.#cards.get(call)?.described);
    if (facts === undefined) return { call, digest: NO_DIGEST, server: undefined, described };
    return { call, digest: facts.inputDigest, server: this.#settings.tools.serverOf(facts), described };
  }

  /** All calls whose message still exists, oldest first, and the batch: the calls that are decided together. */
  all(): Omit<Snapshot, 'grants' | 'verdict'> {
    const batch = batchRow.read(this.#engine.core.read(Table.Batch), 0);
    const old = this.#calls;
    const calls = this.#callsWith(batch);
    if (calls !== old) this.#approvals = sameList(this.#approvals, calls.filter(isShownAsCard));
    return { calls, approvals: this.#approvals, batch: this.#batchOf(batch) };
  }

  #callsWith({ calls: batch }: BatchRow): readonly CallView[] {
    const cards = this.#update();
    const { length: total } = batch;
    /** The place of each call in the batch, from 1. */
    const places = new Map(batch.map(({ call }, i) => [call, i + 1]));
    const calls: CallView[] = [];
    for (const [call, card] of cards) {
      const index = places.get(call) ?? 0;
      const member = batch[index - 1];
      if (card.isGone) continue;
      if (index > 0) this.#describe(call, card);
      // The view of an older call is made before.
      const equal = member && cards.get(member.oldest)?.view;
      let { shown, view: old } = card;
      // An input that was changed in place is the same object, but has to be shown again.
      const current = this.current(call);
      if (shown === undefined || !isSameShown(shown, current)) {
        shown = current;
        old = undefined;
      }
      let view: CallView;
      if (old !== undefined && !card.isChanged) view = moved(old, index, total, equal, member);
      else {
        card.isChanged = false;
        view = this.#viewOf(shown, card, positionAt(index, total), equal, old, member);
      }
      if (view !== card.view) {
        card.view = view;
        card.shown = shown;
        (view as Stamped)[SHOWN] = shown;
        this.#index(call, view);
      }
      calls.push(view);
    }
    return (this.#calls = sameList(this.#calls, calls));
  }

  #viewOf(
    shown: Shown,
    card: Card,
    position: Position,
    equal: CallView | undefined,
    old: CallView | undefined,
    member: MemberRow | undefined,
  ): CallView {
    const { call, server } = shown;
    const { memory, ids } = this.#engine;
    const row = callRow.read(card.row, 0);
    const toolName = ids.text(row.tool) ?? '';
    const approvalId = ids.text(row.approval);
    const { facts: part, asked, ruling } = memory.of(call);
    const { tools } = this.#settings;
    const { described } = card;
    const said = saidOf(this.#settings, toolName, server, part, row.dangerous, described?.title);
    const { dangerous, soundsDangerous } = said;
    const input = described === undefined ? part?.input : described.input;
    const known = this.#displayOf(card, call, input, row.unmasked, old?.display);
    const inputText = inputTextAfter(old, approvalId, known);
    const actor = row.actor;
    const source = ids.text(row.source);
    const editable = editableNow(this.#settings, part, asked);
    const edited = this.#editedOf(call, part, row.edit, old?.edited);
    const view = {
      key: this.#engine.keys.of(call),
      toolCallId: ids.text(row.id) ?? '',
      approvalId,
      toolName,
      label: old?.label ?? labelOf(this.#settings, toolName, server, described?.title),
      // In doubt the tool counts as one that is known only at run time.
      dynamic: part === undefined ? (old?.dynamic ?? true) : isDynamic(part),
      messageId: ids.text(row.message) ?? '',
      title: said.title,
      server,
      input: part?.input,
      // Before an approval is requested, an input may still stream.
      display: approvalId !== undefined && inputText === undefined ? undefined : known,
      inputText,
      requestReason: textOf(asked?.requestReason),
      unavailable: said.unavailable,
      dangerous,
      dangerousBy: said.dangerousBy ?? (dangerous ? old?.dangerousBy : undefined),
      soundsDangerous,
      readOnly:
        !dangerous &&
        !soundsDangerous &&
        part !== undefined &&
        tools.annotationsOf(part)?.readOnlyHint === true,
      ruling,
      defaultCovers: said.defaultCovers,
      status: row.status,
      decision: DECISIONS[String(row.answer)],
      actor,
      user: actor === 'person' && source === this.#settings.user?.id ? this.#settings.user : undefined,
      source: actor === 'external' ? source : undefined,
      outcome: row.outcome,
      editable,
      inputSchema: said.inputSchema,
      edited,
      changes: edited && this.#changesOf(card, edited, row.unmasked),
      grant: old?.grant?.id === grantId(row.grant) ? old.grant : this.grants.of(row.grant),
      can: canOf(member, inputText, row.undoable, editable),
      deadline: row.deadline,
      expiring: row.expiring,
      mayHaveRun: row.mayHaveRun,
      refusals: row.refusals,
      group: '',
      position,
      waiting: waits(row.status, position),
    };
    view.group = groupOf(view, equal);
    const isSame =
      old !== undefined &&
      isAt(old, position?.index ?? 0, position?.total) &&
      isSameBut('position', view, old);
    return isSame ? old : view;
  }

  /** Both inputs of a call that is allowed, or drafted, with a changed one. */
  #editedOf(
    call: number,
    part: PartFacts | undefined,
    edit: Digest,
    old: EditedInput | undefined,
  ): EditedInput | undefined {
    if (part === undefined || sameDigest(edit, NO_DIGEST)) return undefined;
    const isShown = sameDigest(part.editDigest, edit);
    const to = isShown ? part.input : this.#engine.memory.knownEdit(call, edit)?.input;
    const from = askedInput(part);
    return old !== undefined && old.from === from && old.to === to ? old : { from, to };
  }

  /** The differences of two inputs, as they may be shown; `undefined` if they cannot be. */
  #changesOf(card: Card, edited: EditedInput, unmasked: boolean): readonly InputChange[] | undefined {
    const known = card.changes;
    if (known?.edited === edited && known.unmasked === unmasked) return known.changes;
    const shown = (input: unknown) => (unmasked ? input : (this.#masked(input)?.value ?? input));
    const of = (input: unknown, field: string) => (input as Record<string, unknown>)[field];
    let changes: readonly InputChange[];
    try {
      const [from, to] = [shown(edited.from), shown(edited.to)];
      const fields = changedFields(edited.from, edited.to);
      changes = fields?.map((field) => ({ field, from: of(from, field), to: of(to, field) })) ?? [
        { field: undefined, from, to },
      ];
    } catch {
      // It was reported with the input itself.
      return undefined;
    }
    card.changes = { edited, unmasked, changes };
    return changes;
  }

  /** The part of an input that may be shown; `undefined` if that is not known. */
  #displayOf(
    card: Card,
    call: number,
    input: unknown,
    unmasked: boolean,
    was: Display | undefined,
  ): Display | undefined {
    const { redact } = this.#settings;
    if (redact === undefined || input === undefined) {
      return was && was.value === input && was.hidden === 0 ? was : { value: input, hidden: 0 };
    }
    // An unmasked input is copied, so that later changes to the object do not change what was shown.
    if (unmasked) return was && was.hidden === 0 ? was : copyOf(input);
    return this.#redactedOf(card, call, input);
  }

  /** A copy of an input without its secrets; `undefined` if nothing looks for them. @throws what the application throws */
  #masked(input: unknown): Display | undefined {
    const { value, hidden } = this.#settings.redact?.(input) ?? {};
    return hidden && { value, hidden: hidden.reduce((sum, { count }) => sum + Math.max(count, 0), 0) };
  }

  #redactedOf(card: Card, call: number, input: unknown): Display | undefined {
    const digest = card.described?.digest ?? this.current(call).digest;
    const known = card.redacted;
    if (known !== undefined && sameDigest(known.digest, digest)) return known.display;
    let display: Display | undefined;
    try {
      display = this.#masked(input);
    } catch (cause) {
      // It cannot be shown now; `redact` may need something that is loaded later.
      card.isChanged = true;
      // Later, because a rendering may have asked.
      if (!card.isReported) soon(() => this.#failures.failed(cause));
      card.isReported = true;
      return undefined;
    }
    card.redacted = { digest, display };
    return display;
  }

  /** The calls that wait for a decision, oldest first. Other calls are not visited. */
  pending(): readonly PendingCall[] {
    const cards = this.#update();
    const { core, ids, keys } = this.#engine;
    const pending: PendingCall[] = [];
    for (const { call } of rowsOf(core.read(Table.Pending), pendingRow)) {
      const card = cards.get(call);
      if (card === undefined) continue;
      const row = callRow.read(card.row, 0);
      pending.push({
        key: keys.of(call),
        toolCallId: ids.text(row.id) ?? '',
        approvalId: ids.text(row.approval),
        toolName: ids.text(row.tool) ?? '',
        messageId: ids.text(row.message) ?? '',
        deadline: row.deadline,
      });
    }
    return pending;
  }

  #batchOf(row: BatchRow): BatchView {
    const { calls } = row;
    // The key of a view is the same string each time, so that equal lists are found fast.
    const keys = calls.map(({ call }) => this.#cards.get(call)?.view?.key ?? this.#engine.keys.of(call));
    // In one literal: after a spread, each object would have a shape of its own, which takes more than the object.
    const view = {
      keys,
      phase: row.phase,
      action: row.action,
      total: calls.length,
      asking: row.asking,
      allowed: row.allowed,
      denied: row.denied,
      inputLocked: row.inputLocked,
      commitAt: row.due,
      undoable: row.undoable,
      allowAll: row.allowAll,
      looping: row.looping,
      stopped: row.stopped,
      refusals: row.refusals,
    };
    const old = this.#batch;
    const isSame = old !== undefined && sameItems(old.keys, keys) && isSameBut('keys', view, old);
    return isSame ? old : (this.#batch = view);
  }
}
