// @ts-check
// Reads the tool parts of a message list and writes the repairs. Messages stay JavaScript objects:
// numbers go into the core, the name of a repair comes back. Every look first reads everything and
// then tells the core, so that a getter that throws leaves nothing half told.

import { Asking } from './asking.js';
import { Hearing } from './hearing.js';
import { INPUT_BUDGET } from './digest.js';
import { digestOf, equal, isBlank, isObject, read, unchanged, untouched } from './parts.js';
import { rewrite } from './rewrite.js';
import { Symbols, Vocabulary } from './vocabulary.js';

/** @typedef {import('../../target/bindgen/guard.js').GuardCore} GuardCore */
/** @typedef {import('./parts.js').Fields} Fields */
/** @typedef {import('./parts.js').Row} Row */
/** @typedef {import('./rewrite.js').Memory} Memory */

/**
 * What was last seen of a message.
 * @typedef {object} Record_
 * @property {Fields} message
 * @property {unknown} id
 * @property {number} index
 * @property {(Row | undefined)[]} rows by the index of the part
 * @property {number} parts how many parts it has
 * @property {boolean} watched has a part that may need a repair
 * @property {{ revision: number, result: Fields } | undefined} leaving the message as it leaves
 * @property {boolean} fresh was looked at in full since the message object changed
 */

/** How many of the latest messages with approvals every question looks at again; the others are
 * looked at when something is sent. */
const RECENT = 8;

/** In the place of an input that has to be read again. */
const UNREAD = Symbol('unread');

/** More messages or parts than this cannot be meant. */
const LONGEST = 1_000_000;

/** No last step. @type {Readonly<Walker['seen']>} */
const NOTHING = { record: undefined, start: -1, count: 0, text: false };

/** @param {readonly unknown[]} list */
function checkLength(list) {
  if (list.length > LONGEST)
    throw new RangeError(`A list of ${list.length} messages or parts cannot be read.`);
}

/** Is it an older copy of the same message? @param {Fields} message @param {Record_ | undefined} known */
function isShorter({ id, parts }, known) {
  return known !== undefined && known.id === id && Array.isArray(parts) && parts.length < known.parts;
}

/** Walks the messages of one chat for one core. */
export class Walker {
  /**
   * @param {GuardCore} core @param {Vocabulary} vocabulary @param {Symbols} symbols
   * @param {import('./asking.js').Describer} describer
   */
  constructor(core, vocabulary, symbols, describer) {
    this.core = core;
    this.vocabulary = vocabulary;
    this.symbols = symbols;
    this.hearing = new Hearing(core, vocabulary, symbols);
    /** @type {Map<number, Memory>} */
    this.memory = new Map();
    this.asking = new Asking(core, symbols, this.memory, describer);

    /** @type {(Record_ | undefined)[]} */
    this.records = [];
    /** The records that may need a repair, by index of the message. @type {Record_[]} */
    this.watched = [];
    /** Calls whose part is not where it was. @type {Set<number>} */
    this.dropped = new Set();
    /** The list that was looked at in full last, and its length. @type {readonly unknown[] | undefined} */
    this.list = undefined;
    this.length = 0;
    /** Lists are changed in place, as some frameworks do, so that an equal list proves nothing. */
    this.inPlace = false;
    /** The list that the chat had last, and how it ended then. @type {readonly unknown[] | undefined} */
    this.had = undefined;
    this.hadLength = 0;
    /** @type {unknown} */
    this.hadLast = undefined;
    /** The last step as the core knows it. @type {{ record: Record_ | undefined, start: number, count: number, text: boolean, told: number }} */
    this.step = { record: undefined, start: -1, count: -1, text: false, told: -1 };
    /** @type {{ list: unknown, revision: number, result: readonly unknown[] } | undefined} */
    this.plan = undefined;
    /** The last look, in one object that is used again: a look at an unchanged step makes no garbage.
     * @type {{ record: Record_ | undefined, start: number, count: number, text: boolean }} */
    this.seen = { record: undefined, start: -1, count: 0, text: false };
    /** How often the core was told something. */
    this.told = 0;
    /** How often a part was seen to be a copy of what is known. */
    this.kept = 0;
    /** What a record knows, where there is one. @type {import('./recalling.js').Recalling | undefined} */
    this.recalling = undefined;
    /** A call does not stand any more where it stood, so the whole list has to be looked at. */
    this.drifted = false;
  }

  // ---- reading -----------------------------------------------------------------------------

  /**
   * Looks at the parts of one message from the end, down to the start of its last step or, in
   * full, to its beginning, and tells the core what changed. Also describes the last step.
   *
   * @param {readonly unknown[]} messages
   * @param {number} index
   * @param {Fields} message
   * @param {boolean} full
   * @param {boolean} current
   */
  look(messages, index, message, full, current) {
    const id = message.id;
    const isAssistant = message.role === this.vocabulary.assistant;
    const parts = isAssistant && Array.isArray(message.parts) ? /** @type {unknown[]} */ (message.parts) : [];
    checkLength(parts);
    const known = this.records[index];
    const moved = known !== undefined && known.id !== id;
    const record =
      known === undefined || moved
        ? { message, id, index, rows: [], parts: 0, watched: false, leaving: undefined, fresh: false }
        : known;
    const whole = full || record.message !== message || !record.fresh;

    // Read.
    /** @type {Row[] | undefined} */ let changed;
    /** @type {number[] | undefined} */ let places;
    /** @type {number[] | undefined} */ let removed;
    const { rows } = record;
    const { stepStart, text: textType } = this.vocabulary;
    let text = false;
    let count = 0;
    let start = -1;
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i];
      const row = rows[i];
      if (!isObject(part)) {
        if (row !== undefined) (removed ??= []).push(i);
        continue;
      }
      if (row !== undefined && unchanged(row, part)) {
        if (start < 0) count++;
        continue;
      }
      const type = part.type;
      if (type === stepStart) {
        if (start < 0) start = i + 1;
        if (!whole) break;
      } else if (type === textType) {
        if (count === 0 && start < 0 && !text) text = !isBlank(part.text);
      } else {
        const next = read(part, row, this.vocabulary, this.symbols);
        if (next !== undefined) {
          if (start < 0) count++;
          if (row !== undefined && equal(row, next)) {
            next.call = row.call;
            rows[i] = next; // a copy of what is known
            this.keep(next);
            record.leaving = undefined;
            continue;
          }
          (changed ??= []).push(next);
          (places ??= []).push(i);
          continue;
        }
      }
      if (row !== undefined) (removed ??= []).push(i);
    }
    if (start < 0) start = 0;

    // Tell.
    if (current || known === undefined) {
      if (moved) this.dropRecord(known);
      // Without holes: a sparse array is slow to read.
      while (this.records.length < index) this.records.push(undefined);
      this.records[index] = record;
      if (record.message !== message) record.leaving = undefined;
      record.message = message;
      record.parts = parts.length;
      record.fresh ||= whole;
      for (const place of removed ?? []) this.dropRow(record, place);
      for (let i = parts.length; i < rows.length; i++) this.dropRow(record, i);
      if (rows.length > parts.length) rows.length = parts.length;
    }
    if (changed !== undefined && places !== undefined && (current || !moved)) {
      this.tell(messages, record, parts, changed, places, current);
    }
    if (removed !== undefined) this.told++;
    const seen = this.seen;
    seen.record = record;
    seen.start = start;
    seen.count = count;
    seen.text = text;
    return seen;
  }

  /**
   * @param {readonly unknown[]} messages
   * @param {Record_} record
   * @param {unknown[]} parts
   * @param {Row[]} changed from the last to the first
   * @param {number[]} places their indexes
   * @param {boolean} current
   */
  tell(messages, record, parts, changed, places, current) {
    let turn = record.index;
    while (turn > 0) {
      const message = messages[turn - 1];
      if (isObject(message) && message.role === this.vocabulary.user) break;
      turn--;
    }
    // One walk over the parts for the steps and occurrences of all changed rows.
    let next = places.length - 1;
    let step = 0;
    /** @type {Map<unknown, number>} */
    const occurrences = new Map();
    for (let i = 0; next >= 0; i++) {
      const part = parts[i];
      if (!isObject(part)) continue;
      if (part.type === this.vocabulary.stepStart) {
        step++;
        occurrences.clear();
        continue;
      }
      const place = places[next] ?? 0;
      const id = i === place ? changed[next]?.toolCallId : record.rows[i]?.toolCallId;
      if (i !== place) {
        if (record.rows[i] !== undefined) occurrences.set(id, (occurrences.get(id) ?? 0) + 1);
        continue;
      }
      const row = changed[next];
      next--;
      if (row === undefined) continue;
      const occurrence = occurrences.get(id) ?? 0;
      occurrences.set(id, occurrence + 1);
      this.tellRow(record, i, row, turn, step, occurrence, current);
    }
  }

  /**
   * @param {Record_} record @param {number} place @param {Row} row
   * @param {number} turn @param {number} step @param {number} occurrence @param {boolean} current
   */
  tellRow(record, place, row, turn, step, occurrence, current) {
    const known = record.rows[place]?.call ?? 0;
    const call = this.core.see(
      known,
      current,
      this.symbols.of(record.id),
      record.index,
      turn,
      step,
      occurrence,
      this.symbols.of(this.toolOf(row)),
      this.symbols.of(row.toolCallId),
      row.approvalSymbol,
      row.facts,
      row.inputDigest[0],
      row.inputDigest[1],
      row.outputDigest[0],
      row.outputDigest[1],
    );
    // A list that may be older undoes nothing.
    if (call === 0) return;
    row.call = call;
    if (known !== 0 && known !== call) this.drifted = true;
    record.rows[place] = row;
    record.leaving = undefined;
    this.told++;
    this.plan = undefined;
    this.remember(row);
    if (this.asks(row)) this.asking.seen(row, String(this.toolOf(row)));
    this.recalling?.seen(row, String(this.toolOf(row)));
    this.watch(record, row);
  }

  /** A part that can need a repair is looked at again. @param {Record_} record @param {Row} row */
  watch(record, row) {
    if (record.watched || !this.core.watches(row.call)) return;
    record.watched = true;
    const last = this.watched.at(-1);
    this.watched.push(record);
    if (last !== undefined && last.index > record.index) this.watched.sort((a, b) => a.index - b.index);
  }

  /** The latest copy of a call's part. @param {Row} row */
  keep(row) {
    const memory = this.memory.get(row.call);
    if (memory !== undefined) memory.row = row;
    this.kept++;
  }

  /** Keeps the approval objects as they come. @param {Row} row */
  remember(row) {
    const { approval } = row;
    const memory = this.memory.get(row.call) ?? {};
    memory.row = row;
    const state = row.facts & 7;
    if (isObject(approval) && row.approvalSymbol !== 0) {
      this.hearing.callOfApproval.set(row.approvalId, row.toolCallId);
      if (state === this.vocabulary.requested) memory.asked = approval;
      else if (state === this.vocabulary.responded && row.approved === true) memory.yes = approval;
      else if (state === this.vocabulary.responded && row.approved === false) memory.no = approval;
    } else if (memory.asked === undefined && this.hearing.questions.size > 0) {
      const [, , approval = 0] = this.core.names_of(row.call);
      const id = this.symbols.texts[approval];
      const answer = this.hearing.answers.get(id);
      memory.asked = this.hearing.questions.get(id);
      if (answer?.approved === false) memory.no ??= answer;
    }
    this.memory.set(row.call, memory);
  }

  /** @param {Record_ | undefined} record */
  dropRecord(record) {
    if (record === undefined) return;
    for (const row of record.rows) if (row !== undefined) this.drop(row);
    if (record.watched) this.watched = this.watched.filter((other) => other !== record);
  }

  /** @param {Record_} record @param {number} place */
  dropRow(record, place) {
    const row = record.rows[place];
    if (row !== undefined) this.drop(row);
    record.rows[place] = undefined;
  }

  /** @param {Row} row */
  drop(row) {
    this.drifted = true;
    this.core.adrift(row.call);
    this.dropped.add(row.call);
  }

  /** A call whose message is gone may stand in a copy of that message too. */
  findDropped() {
    if (this.dropped.size === 0) return;
    for (const record of this.records) {
      for (const row of record?.rows ?? []) {
        if (row !== undefined && this.dropped.has(row.call)) this.core.found(row.call);
      }
    }
    this.dropped.clear();
  }

  /** Tells the core the last step. @param {Walker['seen']} seen */
  tellStep(seen) {
    if (this.recalling?.findLost(this.records)) this.watchAll();
    const { record, start, count, text } = seen;
    const step = this.step;
    if (
      step.told === this.told &&
      step.record === record &&
      step.start === start &&
      step.count === count &&
      step.text === text
    ) {
      return;
    }
    this.told++;
    this.step = { record, start, count, text, told: this.told };
    const rows = [];
    for (const row of record?.rows.slice(start) ?? []) if (row !== undefined) rows.push(row.call, row.facts);
    this.core.step(record !== undefined, text, new Uint32Array(rows));
  }

  /** The chat has this list now. @param {readonly unknown[]} messages */
  has(messages) {
    const length = messages.length;
    const last = messages[length - 1];
    if (this.had === messages && (this.hadLength !== length || this.hadLast !== last)) this.inPlace = true;
    this.had = messages;
    this.hadLength = length;
    this.hadLast = last;
  }

  /**
   * Looks at the last message, at messages that were never looked at, and again at the latest
   * others that had an approval.
   * @param {readonly unknown[]} messages @param {boolean} current
   * @param {boolean} full look at all steps of the last message
   */
  lookAtLast(messages, current, full = !current) {
    if (current) this.has(messages);
    const last = messages.length - 1;
    if (this.records.length < last) this.lookAtNew(messages, current);
    const watched = this.watched;
    for (let i = watched.length - 1, n = 0; i >= 0 && n < RECENT; i--, n++) {
      const record = watched[i];
      if (record !== undefined && record.index < last) this.lookAgain(messages, record, current);
    }
    const message = messages[last];
    const known = this.records[last];
    // An older list ends earlier, and says nothing of the last step.
    if (!current && last < this.records.length - 1) return;
    const assistant = isObject(message) && message.role === this.vocabulary.assistant;
    const seen = assistant ? this.look(messages, last, message, full, current) : NOTHING;
    if (current || !isObject(message) || !isShorter(message, known)) this.tellStep(seen);
    if (current && this.drifted) this.sweep(messages);
  }

  /**
   * Is the last step, which was open, still as the core knows it? The question that is asked most
   * often, so it reads only what can close a call.
   * @param {readonly unknown[]} messages
   */
  stands(messages) {
    const { record, start } = this.step;
    const last = messages.length - 1;
    if (record === undefined || record.index !== last) return false;
    const message = messages[last];
    if (!isObject(message) || message.id !== record.id) return false;
    if (message !== record.message && start > 1) return false; // an earlier step may have changed
    const { parts } = message;
    if (!Array.isArray(parts) || parts.length !== record.parts) return false;
    const { rows } = record;
    for (let i = start; i < parts.length; i++) {
      const row = rows[i];
      if (row !== undefined && !untouched(row, /** @type {unknown} */ (parts[i]))) return false;
    }
    const { watched } = this;
    for (let i = watched.length - 1, n = 0; i >= 0 && n < RECENT; i--, n++) {
      const other = watched[i];
      if (other !== undefined && other.index < last && messages[other.index] !== other.message) return false;
    }
    return true;
  }

  /** @param {readonly unknown[]} messages @param {boolean} current */
  lookAtNew(messages, current) {
    checkLength(messages);
    for (let i = this.records.length; i < messages.length - 1; i++) {
      const message = messages[i];
      if (isObject(message)) this.look(messages, i, message, true, current);
    }
  }

  /** @param {readonly unknown[]} messages @param {Record_} record @param {boolean} current */
  lookAgain(messages, record, current) {
    const message = messages[record.index];
    if (message !== record.message && isObject(message) && message.id === record.id) {
      this.look(messages, record.index, message, true, current);
    }
  }

  /** Looks at every message of a list that may be an older one. @param {readonly unknown[]} messages */
  observe(messages) {
    const last = messages.length - 1;
    for (const record of [...this.watched]) {
      if (record.index < last) this.lookAgain(messages, record, false);
    }
    this.lookAtLast(messages, false);
  }

  /**
   * Looks at every message that is not the same object as before.
   * @param {readonly unknown[]} messages
   * @param {number} by because of whom messages may be gone
   */
  sweep(messages, by = this.vocabulary.by.application) {
    checkLength(messages);
    const length = messages.length;
    const last = messages[length - 1];
    if (this.list === messages && !this.drifted) {
      if (this.length !== length || this.records[length - 1]?.message !== last) this.inPlace = true;
      else if (!this.inPlace) {
        this.lookAtLast(messages, true, true);
        return;
      }
    }
    let seen = NOTHING;
    for (let i = 0; i < length; i++) {
      const message = messages[i];
      const record = this.records[i];
      if (i < length - 1 && record !== undefined && record.message === message && record.fresh) {
        if (!record.watched || this.intact(record)) continue;
      }
      if (!isObject(message)) {
        this.forget(i);
        continue;
      }
      seen = this.look(messages, i, message, true, true);
      if (i < length - 1 || message.role !== this.vocabulary.assistant) seen = NOTHING;
    }
    for (let i = length; i < this.records.length; i++) this.dropRecord(this.records[i]);
    this.records.length = length;
    this.tellStep(seen);
    this.findDropped();
    this.drifted = false;
    this.core.swept(by);
    this.list = messages;
    this.length = length;
  }

  /** @param {number} index */
  forget(index) {
    this.dropRecord(this.records[index]);
    this.records[index] = undefined;
  }

  /** Are the tool parts of a message that is the same object still as they were? @param {Record_} record */
  intact(record) {
    const parts = record.message.parts;
    if (!Array.isArray(parts)) return record.rows.length === 0;
    return record.rows.every((row, i) => {
      const part = /** @type {unknown} */ (parts[i]);
      return row === undefined || (isObject(part) && unchanged(row, part));
    });
  }

  // ---- repairing ---------------------------------------------------------------------------

  /**
   * The list as it may leave, after a sweep. Untouched messages are the same objects, an untouched
   * list is the same array.
   * @template T @param {readonly T[]} messages @returns {readonly T[]}
   */
  outgoing(messages) {
    const revision = this.core.revision();
    if (
      this.plan !== undefined &&
      this.plan.list === messages &&
      this.plan.revision === revision &&
      !this.inPlace
    ) {
      return /** @type {readonly T[]} */ (this.plan.result);
    }
    const repaired = this.repaired(messages, this.watched, false);
    // A transport reads the list some turns later. What the page changes in it until then is not in this request.
    const result = repaired === messages && this.inPlace ? [...messages] : repaired;
    this.plan = { list: messages, revision, result };
    return result;
  }

  /**
   * The chat's own list, repaired.
   * @template T @param {readonly T[]} messages @param {boolean} withLast the running response would
   * overwrite a repair of the last message @param {number} except a call that is left as it is
   * @returns {readonly T[]}
   */
  atHome(messages, withLast, except = 0) {
    const last = messages.length - 1;
    const records = this.watched.filter((record) => withLast || record.index !== last);
    const repaired = this.repaired(messages, records, true, except);
    if (repaired !== messages) this.has(repaired);
    return repaired;
  }

  /** Is there anything to repair at home among the latest messages? */
  homeNeedsRepair() {
    for (let i = this.watched.length - 1, n = 0; i >= 0 && n < RECENT; i--, n++) {
      const record = this.watched[i];
      if (record === undefined) continue;
      for (const row of record.rows) {
        if (row !== undefined && (this.core.repair(row.call, row.facts, row.approvalSymbol, true) & 15) !== 0)
          return true;
      }
    }
    return false;
  }

  /**
   * @template T @param {readonly T[]} messages @param {readonly Record_[]} records @param {boolean} home
   * @param {number} except a call that is left as it is
   * @returns {readonly T[]}
   */
  repaired(messages, records, home, except = 0) {
    /** @type {T[] | undefined} */
    let copy;
    const revision = this.core.revision();
    for (const record of records) {
      // By id, not by identity: a reactive list may hand out a new proxy at each read.
      const message = messages[record.index];
      if (!isObject(message) || message.id !== record.id) continue;
      let repaired = record.leaving?.result;
      if (home || record.leaving?.revision !== revision || message !== record.message) {
        repaired = this.repairMessage(record, message, home, except);
        if (!home) record.leaving = { revision, result: repaired };
      }
      if (repaired !== message) (copy ??= [...messages])[record.index] = /** @type {T} */ (repaired);
    }
    return copy ?? messages;
  }

  /**
   * @param {Record_} record @param {Fields} message @param {boolean} home @param {number} except
   * @returns {Fields}
   */
  repairMessage(record, message, home, except) {
    /** @type {unknown[] | undefined} */
    let copy;
    const parts = Array.isArray(message.parts) ? /** @type {unknown[]} */ (message.parts) : [];
    for (let i = 0; i < record.rows.length; i++) {
      const row = record.rows[i];
      if (row === undefined || row.call === except) continue;
      const code = this.core.repair(row.call, row.facts, row.approvalSymbol, home);
      const part = parts[i];
      if ((code & 15) === 0 || !isObject(part)) continue;
      // The chat's list may be newer than the one that was looked at.
      if (part.toolCallId !== row.toolCallId || part.state !== row.state) continue;
      (copy ??= [...parts])[i] = rewrite(row, part, this.memory.get(row.call) ?? {}, code, this.vocabulary);
    }
    return copy === undefined ? message : { ...message, parts: copy };
  }

  /**
   * What `addToolOutput` takes to write the output of a call again.
   * @param {number} call
   */
  outputOf(call) {
    const row = this.rowOf(call);
    if (row === undefined) return undefined;
    const { states, state } = this.vocabulary;
    const written = { tool: this.toolOf(row), toolCallId: row.toolCallId };
    return (row.facts & 7) === states.get(state.outputError)
      ? { ...written, state: state.outputError, errorText: row.errorText }
      : { ...written, output: row.output };
  }

  /** The name of the tool of a row. @param {Row} row */
  toolOf(row) {
    return this.isDynamic(row) ? row.toolName : row.type.slice(this.vocabulary.toolPrefix.length);
  }

  /** Is the tool of a row known only at run time? @param {Row} row */
  isDynamic(row) {
    return row.type === this.vocabulary.dynamicTool;
  }

  /**
   * What `addToolApprovalResponse` takes to write the answer that the core has for a call.
   * @param {number} call @param {boolean} approved
   */
  answerOf(call, approved) {
    const { row, asked, yes, no } = this.memory.get(call) ?? {};
    if (row === undefined) return undefined;
    // An output that was written over the question may have taken its approval away.
    const id = row.approvalId ?? asked?.id;
    const code = this.core.repair(call, row.facts, row.approvalSymbol, true);
    const reason = this.vocabulary.reasons[(code >> 4) - 1] ?? (approved ? yes : no)?.reason;
    return { id, approved, reason };
  }

  /** @param {number} call */
  rulingOf(call) {
    return this.memory.get(call)?.ruling;
  }

  /** Rules became stricter: what asks is judged again. */
  judgeAgain() {
    for (const { row } of this.memory.values()) {
      if (row !== undefined && this.asks(row)) this.asking.seen(row, String(this.toolOf(row)));
    }
    this.recheck();
  }

  /** Forgets what the core has forgotten. */
  forgetCalls() {
    const first = this.core.forgotten();
    for (const call of this.memory.keys()) if (call < first) this.memory.delete(call);
    const used = new Set(this.core.symbols());
    for (const record of this.records) {
      used.add(this.symbols.of(record?.id));
      for (const row of record?.rows ?? []) if (row !== undefined) used.add(row.approvalSymbol);
    }
    this.symbols.keep(used);
    this.hearing.forget();
  }

  /** The record knows more: it is asked again for every call. */
  recallAgain() {
    for (const record of this.records) {
      for (const row of record?.rows ?? []) {
        if (record === undefined || row === undefined) continue;
        const tool = String(this.toolOf(row));
        // It may have been seen before the record had read its salt: without a hash no allowance is put back.
        if (this.asks(row)) this.asking.hash(row, tool);
        this.recalling?.seen(row, tool);
      }
    }
    this.recalling?.findLost(this.records);
    this.watchAll();
    this.plan = undefined;
  }

  /** The record has told of calls that were seen before. */
  watchAll() {
    for (const record of this.records) {
      for (const row of record?.rows ?? []) if (record && row) this.watch(record, row);
    }
  }

  /**
   * The input with this fingerprint, and its tool.
   * @param {string} hash @returns {{ toolName: string, input: unknown } | undefined}
   */
  inputWith(hash) {
    for (const [call, { row }] of this.memory) {
      if (row !== undefined && this.core.hash_of(this.core.print_of(call)) === hash) {
        return { toolName: String(this.toolOf(row)), input: row.input };
      }
    }
    return undefined;
  }

  /** The part of a call as it was last seen. @param {number} call */
  rowOf(call) {
    return this.memory.get(call)?.row;
  }

  /**
   * An input that was changed in place is still the same object, so that of a call, or without one
   * those of the last step, is read again before a person's answer counts for it.
   * @param {number} [call]
   */
  recheck(call) {
    const { record, start } = this.step;
    const rows = call === undefined ? (record?.rows.slice(start) ?? []) : [this.rowOf(call)];
    for (const row of rows) {
      // An even hash is a number that says nothing of what it stands for.
      if (row === undefined || !this.asks(row) || (row.inputDigest[0] & 1) === 0) continue;
      const [low, high] = digestOf(row.input, INPUT_BUDGET);
      if (low !== row.inputDigest[0] || high !== row.inputDigest[1]) row.input = UNREAD;
    }
  }

  /** @param {Row} row */
  asks(row) {
    return (row.facts & 7) === this.vocabulary.requested;
  }

  /** A person answers through the chat. @param {unknown} approvalId @param {boolean} approved @param {unknown} reason */
  decided(approvalId, approved, reason) {
    const call = this.core.decided(this.symbols.of(approvalId), approved);
    const memory = this.memory.get(call);
    if (call === 0 || memory?.asked === undefined) return;
    const answer = { ...memory.asked, approved, reason };
    if (approved) memory.yes ??= answer;
    else memory.no ??= answer;
  }
}
