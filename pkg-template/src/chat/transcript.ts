// Reads the tool parts of a message list, and tells the core the changes. Messages stay JavaScript objects, and only
// numbers cross. Each message is read completely before it is told, because a getter may throw.

import { isBlank, withoutBlankEnd } from './blank.js';
import type { ClientTools } from './client-tools.js';
import {
  isAnswered,
  missingFact,
  relocatedFact,
  RoleName,
  scanCompleteFact,
  StatusField,
  ToolState,
  Trigger,
  type ListedPartRow,
  type PartFactsRow,
  type SeenEffect,
} from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import type { ApprovalFacts } from './approval-facts.js';
import type { CallMemory } from './call-memory.js';
import { digestOf, INPUT_BUDGET, sameDigest } from './digest.js';
import { LastStep } from './last-step.js';
import {
  eachChanged,
  emptyReading,
  forgetChanges,
  isIntact,
  isShorter,
  readMessage,
  seenMessage,
  type Copies,
  type Reading,
  type SeenMessage,
} from './message.js';
import { partsOf, readPart, stateOf, toolOf, type KnownEdits, type PartFacts } from './part.js';
import { isObject, type Fields } from '../objects.js';
import type { Tools } from '../tools-option.js';
import type { StringIds } from './string-ids.js';
import { RECENT, WatchedMessages } from './watched-messages.js';

/** Is in the place of an input that has to be read again. */
const UNREAD = Symbol('unread');

/** The place of a part of a list from the server, which the core does not ask for. */
const NOWHERE = { message: 0, index: 0, userTurn: 0, step: 0, occurrence: 0 };

/** No real chat has more messages, or more parts in one message. */
const LONGEST = 1_000_000;

function checkLength(list: readonly unknown[]): void {
  if (list.length > LONGEST) {
    throw new RangeError(`A list of ${list.length} messages or parts cannot be read.`);
  }
}

/** Tells the core what a record knows about calls. */
export interface Restorer {
  /** Runs when a call was seen, or when the record knows more. */
  tell(facts: PartFacts): void;
  /**
   * Runs after the whole list was read. A call whose approval occurs nowhere in the list may belong to a part
   * that has lost its approval.
   *
   * @param shown the approval ids in the list
   */
  findLost(shown: () => ReadonlySet<unknown>): void;
}

/** Reads the messages of one chat for one core. */
export class TranscriptReader implements Copies {
  readonly #core: Core;
  readonly #ids: StringIds;
  readonly #ownReasons: readonly string[];
  readonly #tools: Tools;
  readonly #clientTools: ClientTools;
  readonly #memory: CallMemory;
  readonly #approvals: ApprovalFacts;

  #messages: (SeenMessage | undefined)[] = [];
  readonly #watched = new WatchedMessages();
  /** Calls whose part is not in its old place. */
  #missing: Set<number> | undefined;
  /** The list that was last read completely, and its length and last message then. */
  #list: readonly unknown[] | undefined;
  #length = 0;
  #end: unknown;
  /** The last list of the chat, and how it ended. */
  #had: { list: readonly unknown[]; length: number; last: unknown } | undefined;
  readonly #step = new LastStep();
  /** The parts that wait to be told, with their messages. */
  #waiting: Set<{ facts: PartFacts; seen: SeenMessage }> | undefined;
  /** Whether the parts of another call may need a repair now. */
  #isWatchDue = false;
  readonly #reading: Reading = emptyReading();

  /**
   * Whether lists are changed in place, as some frameworks do. Then an equal list does not prove that nothing
   * changed.
   */
  isInPlace = false;
  /** Increases whenever the core learns something new about the messages. */
  version = 0;
  /** How often a part was a copy of a known one. */
  replaced = 0;
  /** Set while there is a record. */
  restoring: Restorer | undefined;

  constructor(
    core: Core,
    ids: StringIds,
    ownReasons: readonly string[],
    tools: Tools,
    memory: CallMemory,
    approvals: ApprovalFacts,
    clientTools: ClientTools,
  ) {
    this.#clientTools = clientTools;
    this.#core = core;
    this.#ids = ids;
    this.#ownReasons = ownReasons;
    this.#tools = tools;
    this.#memory = memory;
    this.#approvals = approvals;
  }

  get edits(): KnownEdits {
    return this.#memory;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** The messages that may need a repair, in order. */
  get watched(): readonly SeenMessage[] {
    return this.#watchedNow().all;
  }

  /**
   * The parts that may need a repair at home: those of the latest messages, and those that wait to be told.
   */
  *repairable(): Iterable<PartFacts> {
    for (const { parts } of this.#watchedNow().recent)
      for (const facts of parts) if (facts !== undefined) yield facts;
    for (const { facts, seen } of this.#waiting ?? []) if (!seen.isWatched) yield facts;
  }

  *#parts(): Iterable<readonly [facts: PartFacts, seen: SeenMessage]> {
    for (const seen of this.#messages) {
      for (const facts of seen?.parts ?? []) if (seen && facts) yield [facts, seen];
    }
  }

  // ---- one message -------------------------------------------------------------------------

  /**
   * Reads the parts of one message, back to the start of its last step or, if `full` is set, back to its
   * beginning. Tells the core what changed.
   *
   * @param current whether this is surely the newest list
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
    readMessage(parts, seen, whole, this.#ids, this.#ownReasons, reading, this);

    if (current || known === undefined) {
      if (isOther) this.#dropMessage(known);
      // A sparse array would be slow to read, so it must not have holes.
      while (this.#messages.length < index) this.#messages.push(undefined);
      this.#messages[index] = seen;
      seen.message = message;
      seen.length = parts.length;
      // What the core has refused in a list that may be older is told again with the list of the chat.
      seen.isFresh ||= current;
      for (const place of reading.removed) this.#dropPart(seen, place);
      for (let i = parts.length; i < seen.parts.length; i++) this.#dropPart(seen, i);
      if (seen.parts.length > parts.length) seen.parts.length = parts.length;
    } else if (!isOther && seen.length < parts.length) {
      // A shorter list after this one is older, and says nothing about the last step.
      seen.length = parts.length;
    }
    if (reading.changed.length > 0 && (current || !isOther)) {
      // The application is asked about the call, and may make the guard read something else meanwhile.
      const { start, count, hasText } = reading;
      this.#tell(messages, seen, parts, current);
      Object.assign(reading, { start, count, hasText });
    }
    forgetChanges(reading);
    return seen;
  }

  replace(facts: PartFacts): void {
    this.#memory.replace(facts);
    this.replaced++;
  }

  #tell(messages: readonly unknown[], seen: SeenMessage, parts: readonly unknown[], current: boolean): void {
    const userTurn = this.#userTurnOf(messages, seen.index);
    eachChanged(parts, seen, this.#reading, (facts, place, step, occurrence) =>
      this.#tellPart(seen, place, facts, userTurn, step, occurrence, current),
    );
  }

  /** The index after the user message that a message responds to. */
  #userTurnOf(messages: readonly unknown[], index: number): number {
    let userTurn = index;
    while (userTurn > 0) {
      const message = messages[userTurn - 1];
      if (isObject(message) && message.role === RoleName.User && !isBlank(message)) break;
      userTurn--;
    }
    return userTurn;
  }

  #tellPart(
    seen: SeenMessage,
    place: number,
    facts: PartFacts,
    userTurn: number,
    step: number,
    occurrence: number,
    current: boolean,
  ): void {
    this.#clientTools.see(toolOf(facts));
    const { tracked } = facts;
    // First, the core has to decide about the earlier part at this place.
    if ((seen.parts[place]?.tracked.pending ?? 0) > 0) this.#core.apply();
    const ids = this.#ids;
    const before = seen.parts[place];
    const known = before?.tracked.call ?? 0;
    const waiting = { facts, seen };
    (this.#waiting ??= new Set()).add(waiting);
    const where = { known, current, message: ids.of(seen.id), index: seen.index, userTurn, step, occurrence };
    tracked.pending = this.#core.addPart({ ...where, ...this.#shownBy(facts) }, (effect) => {
      if (this.#waiting?.delete(waiting) && this.#waiting.size === 0) this.#waiting = undefined;
      this.#accept(seen, place, facts, effect);
    });
    // In another order of the parts, the call that this part showed before may stand in one that was read earlier.
    const isAnother = before?.toolCallId !== facts.toolCallId || before?.approvalRef !== facts.approvalRef;
    if (known !== 0 && isAnother) (this.#missing ??= new Set()).add(known);
    facts.before = before;
    // An array that grows has room for many more.
    if (seen.parts.length === 0) seen.parts = new Array<undefined>(Math.max(seen.length, place + 1));
    seen.parts[place] = facts;
    this.#step.isDue = true;
    if (this.#asks(facts)) this.#approvals.tell(facts);
    this.restoring?.tell(facts);
  }

  /** The facts of a part that do not depend on its place. */
  #shownBy(facts: PartFacts): Omit<PartFactsRow, keyof typeof NOWHERE> {
    const ids = this.#ids;
    return {
      tool: ids.of(toolOf(facts)),
      server: ids.of(this.#tools.serverOf(facts)),
      id: ids.of(facts.toolCallId),
      approval: facts.approvalRef,
      flags: facts.code,
      input: facts.inputDigest,
      edit: facts.editDigest,
      output: facts.outputDigest,
    };
  }

  /** The tool parts of a message of the server's, which the chat may not show yet. */
  *adopted(message: Fields): Iterable<PartFactsRow> {
    for (const part of partsOf(message)) {
      const facts = isObject(part) ? readPart(part, undefined, this.#ids, this.#ownReasons) : undefined;
      if (facts === undefined || stateOf(facts) === ToolState.ApprovalRequested) continue;
      yield { ...NOWHERE, ...this.#shownBy(facts) };
    }
  }

  /** Has the parts told again that show an answer or a result, because the core knows more of them now. */
  tellAnsweredAgain(): void {
    for (const [facts] of this.#parts()) facts.isDue = isAnswered(stateOf(facts));
  }

  /**
   * Stores whether the core has accepted a part. A part from a list that may be older is not accepted if it
   * would undo something.
   */
  #accept(seen: SeenMessage, place: number, facts: PartFacts, effect: SeenEffect): void {
    const { call, watched } = effect;
    const { tracked, before } = facts;
    // The place still has this part or a copy of it, because another part takes it only after this crossing.
    const there = seen.parts[place];
    tracked.pending = 0;
    if (there !== undefined) there.before = undefined;
    facts.before = undefined;
    if (call === 0) {
      seen.parts[place] = before;
      return;
    }
    tracked.call = call;
    seen.repairedForWire = undefined;
    this.version++;
    this.#memory.remember(facts, effect);
    this.#approvals.remember(facts);
    if (watched) {
      this.watch(call);
      this.#watched.add(seen);
    }
  }

  /** The messages that may need a repair, including those whose calls have come to need one by something else. */
  #watchedNow(): WatchedMessages {
    if (this.#isWatchDue) {
      this.#isWatchDue = false;
      for (const [{ tracked }, seen] of this.#parts())
        if (this.#memory.of(tracked.call).isWatched) this.#watched.add(seen);
    }
    return this.#watched;
  }

  /** Notes that any part of a call may need a repair now, also a copy of it in another message. */
  watch(call: number): void {
    if (!this.#memory.watch(call)) return;
    this.#isWatchDue = true;
    this.version++;
  }

  #dropMessage(seen: SeenMessage | undefined): void {
    if (seen === undefined) return;
    for (const facts of seen.parts) if (facts !== undefined) this.#drop(facts);
    this.#watched.remove(seen);
  }

  #dropPart(seen: SeenMessage, place: number): void {
    const facts = seen.parts[place];
    if (facts !== undefined) this.#drop(facts);
    seen.parts[place] = undefined;
  }

  #drop({ tracked }: PartFacts): void {
    if (tracked.pending > 0) this.#core.apply();
    const { call } = tracked;
    missingFact(this.#core.facts, { part: 0, call });
    (this.#missing ??= new Set()).add(call);
  }

  /**
   * Looks for missing calls in other places: a call whose message is gone may be in a copy of that message.
   */
  #findMissing(): void {
    const missing = this.#missing;
    if (missing === undefined) return;
    this.#missing = undefined;
    for (const [{ tracked }] of this.#parts()) {
      const { pending: part, call } = tracked;
      // A part that waits to be told may be the missing call.
      if (part > 0 || missing.has(call)) relocatedFact(this.#core.facts, { part, call });
    }
  }

  // ---- lists -------------------------------------------------------------------------------

  /** Notes that this is now the list of the chat. */
  #setCurrent(list: readonly unknown[]): void {
    const { length } = list;
    const last = list[length - 1];
    const had = this.#had;
    if (had?.list === list && (had.length !== length || had.last !== last)) this.isInPlace = true;
    this.#had = { list, length, last };
  }

  /**
   * Reads the last message, all messages that were never read, the latest others, and the latest that had an approval.
   *
   * @param full whether to read all steps of the last message
   */
  readLast(list: readonly unknown[], current: boolean, full = !current): void {
    const messages = withoutBlankEnd(list);
    if (current) this.#setCurrent(messages);
    const last = messages.length - 1;
    if (this.#messages.length < last) this.#readNew(messages, current);
    for (const seen of this.#watched.recent)
      if (seen.index < last) this.#readMessageAgain(messages, seen, current);
    // Responses overlap: the one to an earlier message may go on, and ask.
    for (let i = Math.max(0, last - RECENT); i < last; i++) {
      const seen = this.#messages[i];
      if (seen !== undefined) this.#readMessageAgain(messages, seen, current);
    }
    const message = messages[last];
    const known = this.#messages[last];
    // An older list ends earlier, and says nothing about the last step.
    if (!current && last < this.#messages.length - 1) return;
    const isAssistant = isObject(message) && message.role === RoleName.Assistant;
    const seen = isAssistant ? this.#read(messages, last, message, full, current) : undefined;
    if (current || !isObject(message) || !isShorter(message, known)) this.#tellStep(seen);
  }

  /** Whether the whole list has to be read because a call is not in its old place. */
  get isDisplaced(): boolean {
    return this.#core.get(StatusField.Displaced) === 1;
  }

  /** Reads the whole last list of the chat. */
  readWhole(): void {
    if (this.#had !== undefined) this.readAll(this.#had.list);
  }

  /** Reads every message of a list that may be an older one. */
  observe(list: readonly unknown[]): void {
    const messages = withoutBlankEnd(list);
    const last = messages.length - 1;
    for (const seen of [...this.#watched.all])
      if (seen.index < last) this.#readMessageAgain(messages, seen, false);
    this.readLast(messages, false);
  }

  #readNew(messages: readonly unknown[], current: boolean): void {
    checkLength(messages);
    for (let i = this.#messages.length; i < messages.length - 1; i++) {
      const message = messages[i];
      if (isObject(message)) this.#read(messages, i, message, true, current);
    }
  }

  #readMessageAgain(messages: readonly unknown[], seen: SeenMessage, current: boolean): void {
    const message = messages[seen.index];
    if (message !== seen.message && isObject(message) && message.id === seen.id) {
      this.#read(messages, seen.index, message, true, current);
    }
  }

  /**
   * Reads every message that is not the same object as before.
   *
   * @param trigger the reason why messages may be gone; `null` if the chat still has those that this list lacks
   */
  readAll(list: readonly unknown[], trigger: Trigger | null = Trigger.Submit): void {
    const messages = withoutBlankEnd(list);
    checkLength(messages);
    const { length } = messages;
    const isChanged = this.#length !== length || this.#end !== messages[length - 1];
    if (this.#list === messages && isChanged) this.isInPlace = true;
    else if (this.#list === messages && !this.isInPlace && !this.isDisplaced && this.#isRead(messages)) {
      this.readLast(messages, true, true);
      return;
    }
    let last: SeenMessage | undefined;
    for (let i = 0; i < length; i++) {
      const message = messages[i];
      const seen = this.#messages[i];
      if (i < length - 1 && seen !== undefined && seen.message === message && seen.isFresh) {
        // A response may have written into one of the latest in place.
        if ((!seen.isWatched && i < length - RECENT) || isIntact(seen)) continue;
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
    // A list that has grown has room for many more, and most chats are read once.
    this.#messages = this.#messages.slice(0, length);
    this.#tellStep(last);
    this.#findMissing();
    if (trigger !== null) scanCompleteFact(this.#core.facts, { trigger });
    this.#list = messages;
    this.#length = length;
    this.#end = messages[length - 1];
  }

  /** Whether a list was read as it is, but for its last message. A response may have written into one of the latest in place. */
  #isRead(messages: readonly unknown[]): boolean {
    const first = Math.max(0, messages.length - RECENT);
    const isSame = (seen: SeenMessage | undefined, i: number): boolean =>
      seen !== undefined &&
      seen.message === messages[first + i] &&
      (first + i === messages.length - 1 || (seen.isFresh && isIntact(seen)));
    return this.#messages.length === messages.length && this.#messages.slice(first).every(isSame);
  }

  /** Tells the core the last step: that of the message that was read last, or none. */
  #tellStep(seen: SeenMessage | undefined): void {
    this.#findLost();
    if (this.#step.tell(this.#core, this.#ids, seen, this.#reading)) this.version++;
  }

  /** The tool parts of the last step. */
  stepParts(): readonly PartFacts[] {
    return this.#step.parts();
  }

  /** Whether a call of the last step has an output or an error. */
  hasResults(): boolean {
    return this.stepParts().some(({ output, errorText }) => output !== undefined || errorText !== undefined);
  }

  #findLost(): void {
    this.restoring?.findLost(() => new Set([...this.#parts()].map(([{ approvalId }]) => approvalId)));
  }

  isMissingIn(messages: readonly unknown[]): boolean {
    // What waits for a button may stand before the last step.
    const isGone = ({ index, id }: SeenMessage): boolean => Object(messages[index]).id !== id;
    return this.#step.isMissingIn(withoutBlankEnd(messages)) || this.#watchedNow().recent.some(isGone);
  }

  /** Whether the last step was open, and neither it nor the latest messages with approvals have changed. */
  isStillOpen(messages: readonly unknown[]): boolean {
    if (!this.#step.isStillOpen(messages)) return false;
    const last = messages.length - 1;
    for (let i = Math.max(0, last - RECENT); i < last; i++) {
      const seen = this.#messages[i];
      if (seen !== undefined && messages[i] !== seen.message) return false;
    }
    // By index: a function for each of them takes longer than the rest of the predicate.
    const { recent } = this.#watched;
    for (let i = 0; i < recent.length; i++) {
      const seen = recent[i];
      if (seen !== undefined && seen.index < last - RECENT && messages[seen.index] !== seen.message)
        return false;
    }
    return true;
  }

  // ---- again -------------------------------------------------------------------------------

  /** Has the calls that ask judged again after rules became stricter. */
  judgeAgain(): void {
    for (const [, facts] of this.#memory.parts()) {
      if (!this.#asks(facts)) continue;
      this.#approvals.tell(facts);
      this.#approvals.remember(facts);
    }
    this.recheck();
  }

  /** Asks the record again about every call, because it knows more now. */
  restoreAgain(): void {
    for (const [facts] of this.#parts()) {
      // The call may have been seen before the record had read its salt. Without a hash, no allowance is
      // restored.
      if (this.#asks(facts)) this.#approvals.hash(facts);
      this.restoring?.tell(facts);
    }
    this.#findLost();
    this.version++;
  }

  /**
   * Reads the inputs of the last step again before a person's answer counts for them, because an input that
   * was changed in place is still the same object.
   *
   * @param of only this call, or the calls with this call id or approval id
   */
  recheck(of?: number | string): void {
    for (const facts of this.stepParts()) {
      const { tracked, toolCallId, approvalId } = facts;
      if (of !== undefined && of !== tracked.call && of !== toolCallId && of !== approvalId) continue;
      // An even hash is only a number, and does not depend on the input.
      if (!this.#asks(facts) || (facts.inputDigest[0] & 1) === 0) continue;
      if (!sameDigest(digestOf(facts.input, INPUT_BUDGET), facts.inputDigest)) facts.input = UNREAD;
    }
  }

  #asks(facts: PartFacts): boolean {
    return stateOf(facts) === ToolState.ApprovalRequested;
  }

  /** The tool parts of a message as it leaves, with the calls of those that stand at this place of the list that was read. */
  *listedParts(message: Fields, index: number): Iterable<ListedPartRow> {
    const seen = this.#messages[index];
    const known = seen !== undefined && seen.id === message.id ? seen.parts : [];
    for (const [i, part] of partsOf(message).entries()) {
      const old = known[i];
      const facts = isObject(part) ? readPart(part, old, this.#ids, this.#ownReasons, this.edits) : undefined;
      if (facts === undefined) continue;
      const call = old?.toolCallId === facts.toolCallId ? (old?.tracked.call ?? 0) : 0;
      yield { call, flags: facts.code, output: facts.outputDigest };
    }
  }

  /** Adds the numbers of all strings that are in use. */
  collectIds(used: Set<number>): void {
    for (const seen of this.#messages) used.add(this.#ids.of(seen?.id));
    for (const [{ approvalRef }] of this.#parts()) used.add(approvalRef);
  }
}
