// Reads the tool parts of a message list and tells the core what changed. Messages stay JavaScript objects; only numbers
// go into the core. Each message is first read in full and then told, so that a getter that throws leaves nothing half
// told.

import type { GuardCore } from 'virtual:glue';

import { Actor, RoleName, StatusField, ToolState } from '../generated/abi.js';
import type { StatusBlock } from '../rows.js';
import type { ApprovalFacts } from './approval-facts.js';
import type { CallMemory } from './call-memory.js';
import { digestOf, INPUT_BUDGET, sameDigest } from './digest.js';
import {
  eachChanged,
  emptyReading,
  isIntact,
  isShorter,
  readMessage,
  seenMessage,
  type Reading,
  type SeenMessage,
} from './message.js';
import { isObject, isStillOpen, partsOf, stateOf, toolOf, type Fields, type PartFacts } from './part.js';
import type { Restoring } from './restoring.js';
import type { StringIds } from './string-ids.js';

/** How many of the latest messages with approvals are read with every question. The others are read when something is
 * sent. */
const RECENT = 8;

/** In the place of an input that has to be read again. */
const UNREAD = Symbol('unread');

/** No real chat has more messages, or more parts in one of them. */
const LONGEST = 1_000_000;

function checkLength(list: readonly unknown[]): void {
  if (list.length > LONGEST) {
    throw new RangeError(`A list of ${list.length} messages or parts cannot be read.`);
  }
}

/** The last step as the core knows it. */
interface LastStep {
  seen: SeenMessage | undefined;
  start: number;
  count: number;
  hasText: boolean;
  /** The value of `told` when the core was told of it. */
  told: number;
}

/** Reads the messages of one chat for one core. */
export class TranscriptReader {
  readonly #core: GuardCore;
  readonly #status: StatusBlock;
  readonly #ids: StringIds;
  readonly #ownReasons: readonly string[];
  readonly #memory: CallMemory;
  readonly #approvals: ApprovalFacts;

  #messages: (SeenMessage | undefined)[] = [];
  /** The messages that may need a repair, in their order. */
  #watched: SeenMessage[] = [];
  #recent: readonly SeenMessage[] = [];
  /** Calls whose part is not where it was. */
  readonly #missing = new Set<number>();
  /** A call does not stand where it stood, so that the whole list has to be read. */
  #drifted = false;
  /** The list that was last read in full, and its length. */
  #list: readonly unknown[] | undefined;
  #length = 0;
  /** The list that the chat had last, and how it ended. */
  #had: { list: readonly unknown[]; length: number; last: unknown } | undefined;
  #step: LastStep = { seen: undefined, start: -1, count: -1, hasText: false, told: -1 };
  readonly #reading: Reading = emptyReading();

  /** Lists are changed in place, as some frameworks do, so that an equal list proves nothing. */
  isInPlace = false;
  /** How often the core was told something. */
  told = 0;
  /** How often a part was a copy of a known one. */
  replaced = 0;
  /** Set while there is a record. */
  restoring: Restoring | undefined;

  constructor(
    core: GuardCore,
    status: StatusBlock,
    ids: StringIds,
    ownReasons: readonly string[],
    memory: CallMemory,
    approvals: ApprovalFacts,
  ) {
    this.#core = core;
    this.#status = status;
    this.#ids = ids;
    this.#ownReasons = ownReasons;
    this.#memory = memory;
    this.#approvals = approvals;
  }

  /** Whether no list was read yet. */
  get isEmpty(): boolean {
    return this.#list === undefined && this.told === 0;
  }

  /** The messages that may need a repair, in their order. */
  get watched(): readonly SeenMessage[] {
    return this.#watched;
  }

  /** The latest of them, newest first. */
  get recent(): readonly SeenMessage[] {
    return this.#recent;
  }

  *#parts(): Iterable<readonly [facts: PartFacts, seen: SeenMessage]> {
    for (const seen of this.#messages) {
      for (const facts of seen?.parts ?? []) if (seen && facts) yield [facts, seen];
    }
  }

  // ---- one message -------------------------------------------------------------------------

  /**
   * Reads the parts of one message, down to the start of its last step or, in full, to its beginning; tells the core
   * what changed.
   *
   * @param current it is surely the newest list
   */
  #read(
    messages: readonly unknown[],
    index: number,
    message: Fields,
    full: boolean,
    current: boolean,
  ): SeenMessage {
    const isAssistant = message.role === RoleName.Assistant;
    const parts = isAssistant ? partsOf(message) : [];
    checkLength(parts);
    const known = this.#messages[index];
    const isOther = known !== undefined && known.id !== message.id;
    const seen = known === undefined || isOther ? seenMessage(message, index) : known;
    const whole = full || seen.message !== message || !seen.isFresh;
    const reading = this.#reading;
    readMessage(parts, seen, whole, this.#ids, this.#ownReasons, reading, this.#replace);

    if (current || known === undefined) {
      if (isOther) this.#dropMessage(known);
      // Without holes: a sparse array is slow to read.
      while (this.#messages.length < index) this.#messages.push(undefined);
      this.#messages[index] = seen;
      if (seen.message !== message) seen.leaving = undefined;
      seen.message = message;
      seen.length = parts.length;
      seen.isFresh ||= whole;
      for (const place of reading.removed) this.#dropPart(seen, place);
      for (let i = parts.length; i < seen.parts.length; i++) this.#dropPart(seen, i);
      if (seen.parts.length > parts.length) seen.parts.length = parts.length;
    }
    if (reading.removed.length > 0) this.told++;
    if (reading.changed.length > 0 && (current || !isOther)) {
      // The application is asked about the call, and may have the guard read something else.
      const { start, count, hasText } = reading;
      this.#tell(messages, seen, parts, current);
      Object.assign(reading, { start, count, hasText });
    }
    return seen;
  }

  readonly #replace = (facts: PartFacts): void => {
    this.#memory.replace(facts);
    this.replaced++;
  };

  #tell(messages: readonly unknown[], seen: SeenMessage, parts: readonly unknown[], current: boolean): void {
    const turn = this.#turnOf(messages, seen.index);
    eachChanged(parts, seen, this.#reading, (facts, place, step, occurrence) =>
      this.#tellPart(seen, place, facts, turn, step, occurrence, current),
    );
  }

  /** The index behind the user message that a message responds to. */
  #turnOf(messages: readonly unknown[], index: number): number {
    let turn = index;
    while (turn > 0) {
      const message = messages[turn - 1];
      if (isObject(message) && message.role === RoleName.User) break;
      turn--;
    }
    return turn;
  }

  #tellPart(
    seen: SeenMessage,
    place: number,
    facts: PartFacts,
    turn: number,
    step: number,
    occurrence: number,
    current: boolean,
  ): void {
    const ids = this.#ids;
    const known = seen.parts[place]?.call ?? 0;
    const call = this.#core.see(
      known,
      current,
      ids.of(seen.id),
      seen.index,
      turn,
      step,
      occurrence,
      ids.of(toolOf(facts)),
      ids.of(facts.toolCallId),
      facts.approvalRef,
      facts.code,
      facts.inputDigest[0],
      facts.inputDigest[1],
      facts.outputDigest[0],
      facts.outputDigest[1],
    );
    // A list that may be older undoes nothing.
    if (call === 0) return;
    const isWatched = this.#status.get(StatusField.Watched) === 1;
    facts.call = call;
    if (known !== 0 && known !== call) this.#drifted = true;
    seen.parts[place] = facts;
    seen.leaving = undefined;
    this.told++;
    this.#memory.remember(facts);
    if (this.#asks(facts)) this.#approvals.tell(facts);
    this.restoring?.tell(facts);
    if (isWatched) this.#watch(seen);
  }

  /** Watches the message of a part that can need a repair. */
  #watch(seen: SeenMessage): void {
    if (seen.isWatched) return;
    seen.isWatched = true;
    const last = this.#watched.at(-1);
    this.#watched.push(seen);
    if (last !== undefined && last.index > seen.index) this.#watched.sort((a, b) => a.index - b.index);
    this.#recent = this.#watched.slice(-RECENT).reverse();
  }

  #watchAll(): void {
    for (const [{ call }, seen] of this.#parts()) if (this.#core.watches(call)) this.#watch(seen);
  }

  #dropMessage(seen: SeenMessage | undefined): void {
    if (seen === undefined) return;
    for (const facts of seen.parts) if (facts !== undefined) this.#drop(facts);
    if (!seen.isWatched) return;
    this.#watched = this.#watched.filter((other) => other !== seen);
    this.#recent = this.#watched.slice(-RECENT).reverse();
  }

  #dropPart(seen: SeenMessage, place: number): void {
    const facts = seen.parts[place];
    if (facts !== undefined) this.#drop(facts);
    seen.parts[place] = undefined;
  }

  #drop({ call }: PartFacts): void {
    this.#drifted = true;
    this.#core.adrift(call);
    this.#missing.add(call);
  }

  /** A call whose message is gone may stand in a copy of that message too. */
  #findMissing(): void {
    if (this.#missing.size === 0) return;
    for (const [{ call }] of this.#parts()) if (this.#missing.has(call)) this.#core.found(call);
    this.#missing.clear();
  }

  // ---- lists -------------------------------------------------------------------------------

  /** The chat has this list now. */
  setCurrent(list: readonly unknown[]): void {
    const { length } = list;
    const last = list[length - 1];
    const had = this.#had;
    if (had?.list === list && (had.length !== length || had.last !== last)) this.isInPlace = true;
    this.#had = { list, length, last };
  }

  /**
   * Reads the last message, messages that were never read, and the latest others that had an approval.
   *
   * @param full read all steps of the last message
   */
  readLast(messages: readonly unknown[], current: boolean, full = !current): void {
    if (current) this.setCurrent(messages);
    const last = messages.length - 1;
    if (this.#messages.length < last) this.#readNew(messages, current);
    for (const seen of this.#recent) if (seen.index < last) this.#readAgain(messages, seen, current);
    const message = messages[last];
    const known = this.#messages[last];
    // An older list ends earlier, and says nothing about the last step.
    if (!current && last < this.#messages.length - 1) return;
    const isAssistant = isObject(message) && message.role === RoleName.Assistant;
    const seen = isAssistant ? this.#read(messages, last, message, full, current) : undefined;
    if (current || !isObject(message) || !isShorter(message, known)) this.#tellStep(seen);
    if (current && this.#drifted) this.readAll(messages);
  }

  /** Reads every message of a list that may be an older one. */
  observe(messages: readonly unknown[]): void {
    const last = messages.length - 1;
    for (const seen of [...this.#watched]) if (seen.index < last) this.#readAgain(messages, seen, false);
    this.readLast(messages, false);
  }

  #readNew(messages: readonly unknown[], current: boolean): void {
    checkLength(messages);
    for (let i = this.#messages.length; i < messages.length - 1; i++) {
      const message = messages[i];
      if (isObject(message)) this.#read(messages, i, message, true, current);
    }
  }

  #readAgain(messages: readonly unknown[], seen: SeenMessage, current: boolean): void {
    const message = messages[seen.index];
    if (message !== seen.message && isObject(message) && message.id === seen.id) {
      this.#read(messages, seen.index, message, true, current);
    }
  }

  /**
   * Reads every message that is not the same object as before.
   *
   * @param by the actor that may have removed messages
   */
  readAll(messages: readonly unknown[], by = Actor.Application): void {
    checkLength(messages);
    const { length } = messages;
    if (this.#list === messages && !this.#drifted) {
      const isSameEnd = this.#messages[length - 1]?.message === messages[length - 1];
      if (this.#length !== length || !isSameEnd) this.isInPlace = true;
      else if (!this.isInPlace) {
        this.readLast(messages, true, true);
        return;
      }
    }
    let last: SeenMessage | undefined;
    for (let i = 0; i < length; i++) {
      const message = messages[i];
      const seen = this.#messages[i];
      if (i < length - 1 && seen !== undefined && seen.message === message && seen.isFresh) {
        if (!seen.isWatched || isIntact(seen)) continue;
      }
      if (!isObject(message)) {
        this.#dropMessage(seen);
        this.#messages[i] = undefined;
        continue;
      }
      const read = this.#read(messages, i, message, true, true);
      if (i === length - 1 && message.role === RoleName.Assistant) last = read;
    }
    for (let i = length; i < this.#messages.length; i++) this.#dropMessage(this.#messages[i]);
    this.#messages.length = length;
    this.#tellStep(last);
    this.#findMissing();
    this.#drifted = false;
    this.#core.swept(by);
    this.#list = messages;
    this.#length = length;
  }

  /** Tells the core the last step: that of the message that was read last, or none. */
  #tellStep(seen: SeenMessage | undefined): void {
    if (this.restoring?.findLost(this.#shownApprovals)) this.#watchAll();
    const { start, count, hasText } = seen === undefined ? NO_STEP : this.#reading;
    const step = this.#step;
    if (
      step.told === this.told &&
      step.seen === seen &&
      step.start === start &&
      step.count === count &&
      step.hasText === hasText
    ) {
      return;
    }
    this.told++;
    this.#step = { seen, start, count, hasText, told: this.told };
    const rows = this.#stepParts().flatMap(({ call, code }) => [call, code]);
    this.#core.step(seen !== undefined, hasText, new Uint32Array(rows));
  }

  /** The tool parts of the last step. */
  #stepParts(): readonly PartFacts[] {
    const { seen, start } = this.#step;
    return seen?.parts.slice(start).filter((facts) => facts !== undefined) ?? [];
  }

  readonly #shownApprovals = (): ReadonlySet<unknown> =>
    new Set([...this.#parts()].map(([{ approvalId }]) => approvalId));

  /**
   * Is the last step, which was open, still as the core knows it? This is asked most often, so it reads only what can
   * close a call.
   */
  isStillOpen(messages: readonly unknown[]): boolean {
    const { seen, start } = this.#step;
    const last = messages.length - 1;
    if (seen === undefined || seen.index !== last) return false;
    const message = messages[last];
    if (!isObject(message) || message.id !== seen.id) return false;
    if (message !== seen.message && start > 1) return false; // an earlier step may have changed
    const { parts } = message;
    if (!Array.isArray(parts) || parts.length !== seen.length) return false;
    for (let i = start; i < parts.length; i++) {
      const facts = seen.parts[i];
      if (facts !== undefined && !isStillOpen(facts, parts[i] as unknown)) return false;
    }
    for (const other of this.#recent) {
      if (other.index < last && messages[other.index] !== other.message) return false;
    }
    return true;
  }

  // ---- again -------------------------------------------------------------------------------

  /** Rules became stricter: the asking calls are judged again. */
  judgeAgain(): void {
    for (const [, facts] of this.#memory.parts()) if (this.#asks(facts)) this.#approvals.tell(facts);
    this.recheck();
  }

  /** The record knows more: it is asked again for every call. */
  restoreAgain(): void {
    for (const [facts] of this.#parts()) {
      // The call may have been seen before the record had read its salt. Without a hash, no allowance is restored.
      if (this.#asks(facts)) this.#approvals.hash(facts.call);
      this.restoring?.tell(facts);
    }
    this.restoring?.findLost(this.#shownApprovals);
    this.#watchAll();
    this.told++;
  }

  /**
   * An input that was changed in place is still the same object. So the input of a call, or without one those of the
   * last step, is read again before a person's answer counts for it.
   */
  recheck(call?: number): void {
    for (const facts of call === undefined ? this.#stepParts() : [this.#memory.of(call).facts]) {
      // An even hash is a mere number that says nothing about the input.
      if (facts === undefined || !this.#asks(facts) || (facts.inputDigest[0] & 1) === 0) continue;
      if (!sameDigest(digestOf(facts.input, INPUT_BUDGET), facts.inputDigest)) facts.input = UNREAD;
    }
  }

  #asks(facts: PartFacts): boolean {
    return stateOf(facts) === ToolState.ApprovalRequested;
  }

  /** Adds the strings that are in use. */
  collectIds(used: Set<number>): void {
    for (const seen of this.#messages) used.add(this.#ids.of(seen?.id));
    for (const [{ approvalRef }] of this.#parts()) used.add(approvalRef);
  }
}

/** There is no last step. */
const NO_STEP: Pick<Reading, 'start' | 'count' | 'hasText'> = { start: -1, count: 0, hasText: false };
