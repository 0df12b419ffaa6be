// @ts-check
// Reads the tool parts of a message list and writes the repairs. Messages stay JavaScript objects:
// numbers go into the core, the name of a repair comes back. Every look first reads everything and
// then tells the core, so that a getter that throws leaves nothing half told.

import { digest, INPUT_BUDGET, OUTPUT_BUDGET } from './digest.js';

/** @typedef {import('../../target/bindgen/tool_approval_guard.js').GuardCore} GuardCore */
/** @typedef {Readonly<Record<string, unknown>>} Fields a foreign object, whose fields may be anything */

/**
 * What was last seen of a tool part.
 * @typedef {object} Row
 * @property {string} type
 * @property {unknown} toolName
 * @property {unknown} toolCallId
 * @property {unknown} state
 * @property {unknown} approval
 * @property {unknown} approvalId
 * @property {unknown} approved
 * @property {unknown} input
 * @property {unknown} output
 * @property {unknown} errorText
 * @property {unknown} preliminary
 * @property {unknown} provider
 * @property {number} call the number of the call, 0 before the core knows it
 * @property {number} facts
 * @property {number} approvalSymbol
 * @property {number[]} digests
 */

/**
 * What was last seen of a message.
 * @typedef {object} Record_
 * @property {Fields} message
 * @property {unknown} id
 * @property {number} index
 * @property {(Row | undefined)[]} rows by the index of the part
 * @property {boolean} watched has a part that may need a repair
 * @property {boolean} fresh was looked at in full since the message object changed
 */

/** What is remembered of the approval objects of a call, as they came.
 * @typedef {{ asked?: Fields, yes?: Fields, no?: Fields }} Memory */

/** How many of the latest messages with approvals every question looks at again; the others are
 * looked at when something is sent. */
const RECENT = 8;

/** More messages or parts than this cannot be meant. */
const LONGEST = 1_000_000;

const SUPERSEDED = 'Not a refusal by the user: the user moved on before this call was decided.';
const DOUBTFUL =
  'Not a refusal by the user: the request that carried the approval broke off, so it is not known whether this call ran.';

/** No last step. @type {Readonly<Walker['seen']>} */
const NOTHING = { record: undefined, start: -1, count: 0, text: false, changed: false };

/** @param {unknown} value @returns {value is Fields} */
const isObject = (value) => typeof value === 'object' && value !== null;

/** @param {unknown} text */
const isBlank = (text) => typeof text !== 'string' || !/\S/.test(text);

/** @param {readonly unknown[]} list */
function checkLength(list) {
  if (list.length > LONGEST) throw new RangeError(`A list of ${list.length} messages or parts cannot be read.`);
}

/** Walks the messages of one chat for one core. */
export class Walker {
  /** @param {GuardCore} core @param {string} names what `GuardCore.names()` answers */
  constructor(core, names) {
    const [states = [], parts = [], roles = [], chunks = [], answers = [], repairs = []] = names
      .split('\n')
      .map((line) => line.split(' '));
    this.core = core;
    this.states = new Map(states.map((name, code) => [/** @type {unknown} */ (name), code]));
    this.unknownState = states.length - 1;
    this.states.delete('');
    const [, , requested = '', responded = '', , outputError = '', outputDenied = ''] = states;
    this.names = { requested, responded, outputError, outputDenied };
    this.requestedState = states.indexOf(requested);
    this.respondedState = states.indexOf(responded);
    [this.stepStart = '', this.text = '', this.dynamicTool = '', this.toolPrefix = ''] = parts;
    [this.user = '', this.assistant = ''] = roles;
    this.chunks = new Map(chunks.map((name, code) => [/** @type {unknown} */ (name), code]));
    const [inputStart, , inputError, request, , output, error] = chunks;
    this.chunkNames = { inputStart, inputError, request, output, error };
    this.answers = answers;
    this.repairs = repairs;

    /** @type {Map<string, number>} */
    this.symbols = new Map();
    /** @type {(string | undefined)[]} */
    this.texts = [undefined];
    /** @type {Map<number, Memory>} */
    this.memory = new Map();
    /** The questions that were only seen as chunks, by call id. @type {Map<unknown, Fields>} */
    this.heard = new Map();
    /** The call that an approval id belongs to. @type {Map<unknown, unknown>} */
    this.callOfApproval = new Map();

    /** @type {(Record_ | undefined)[]} */
    this.records = [];
    /** The records that may need a repair, by index of the message. @type {Record_[]} */
    this.watched = [];
    /** The list that was looked at in full last, and its length. @type {readonly unknown[] | undefined} */
    this.list = undefined;
    this.length = 0;
    /** Lists are changed in place, as some frameworks do, so that an equal list proves nothing. */
    this.inPlace = false;
    /** The last step as the core knows it. @type {{ record: Record_ | undefined, start: number, count: number, text: boolean }} */
    this.step = { record: undefined, start: -1, count: -1, text: false };
    /** @type {{ list: unknown, revision: number, result: readonly unknown[] } | undefined} */
    this.plan = undefined;
    this.half = new Uint32Array(2);
    /** The last look, in one object that is used again: a look at an unchanged step makes no garbage.
     * @type {{ record: Record_ | undefined, start: number, count: number, text: boolean, changed: boolean }} */
    this.seen = { record: undefined, start: -1, count: 0, text: false, changed: false };
    /** How often the core was told something. */
    this.told = 0;
  }

  /** Gives a string its number; anything else is 0. @param {unknown} text */
  symbol(text) {
    if (typeof text !== 'string') return 0;
    let symbol = this.symbols.get(text);
    if (symbol === undefined) {
      symbol = this.texts.length;
      this.texts.push(text);
      this.symbols.set(text, symbol);
    }
    return symbol;
  }

  // ---- reading -----------------------------------------------------------------------------

  /** @param {unknown} value @param {number} budget */
  digestOf(value, budget) {
    if (value === undefined) return [0, 0];
    digest(value, budget, this.half);
    return [this.half[0] ?? 0, this.half[1] ?? 0];
  }

  /** The row of a part, or undefined when it is no tool part. @param {Fields} part @param {Row | undefined} old */
  read(part, old) {
    const type = part.type;
    if (typeof type !== 'string') return undefined;
    const dynamic = type === this.dynamicTool;
    if (!dynamic && !type.startsWith(this.toolPrefix)) return undefined;

    const approval = part.approval;
    const approvalId = isObject(approval) ? approval.id : undefined;
    const approved = isObject(approval) ? approval.approved : undefined;
    const { state, input, output, errorText, preliminary } = part;
    const provider = part.providerExecuted;
    const answer = approved === true ? 3 : approved === false ? 2 : approved === undefined ? 0 : 1;
    const residue =
      output !== undefined ||
      errorText !== undefined ||
      preliminary !== undefined ||
      part.resultProviderMetadata !== undefined;
    const same = old !== undefined && old.input === input;
    const sameOutput = old !== undefined && old.output === output && old.errorText === errorText;
    const inputDigest = same ? old.digests.slice(0, 2) : this.digestOf(input, INPUT_BUDGET);
    const outputDigest = sameOutput
      ? old.digests.slice(2)
      : this.digestOf(output === undefined ? errorText : output, OUTPUT_BUDGET);
    return /** @type {Row} */ ({
      type,
      toolName: dynamic ? part.toolName : undefined,
      toolCallId: part.toolCallId,
      state,
      approval,
      approvalId,
      approved,
      input,
      output,
      errorText,
      preliminary,
      provider,
      call: 0,
      facts:
        (this.states.get(state) ?? this.unknownState) |
        (answer << 3) |
        (provider === true ? 32 : 0) |
        (preliminary === true ? 64 : 0) |
        (residue ? 128 : 0) |
        (errorText === SUPERSEDED ? 256 : 0),
      approvalSymbol: this.symbol(approvalId),
      digests: [...inputDigest, ...outputDigest],
    });
  }

  /** Does the part still look as in the row? @param {Row} row @param {Fields} part */
  unchanged(row, part) {
    const approval = part.approval;
    return (
      row.state === part.state &&
      row.approval === approval &&
      row.output === part.output &&
      row.toolCallId === part.toolCallId &&
      row.type === part.type &&
      row.input === part.input &&
      row.errorText === part.errorText &&
      row.preliminary === part.preliminary &&
      row.provider === part.providerExecuted &&
      (!isObject(approval) || (row.approved === approval.approved && row.approvalId === approval.id)) &&
      (row.toolName === undefined || row.toolName === part.toolName)
    );
  }

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
    const isAssistant = message.role === this.assistant;
    const parts = isAssistant && Array.isArray(message.parts) ? /** @type {unknown[]} */ (message.parts) : [];
    checkLength(parts);
    const known = this.records[index];
    const moved = known !== undefined && known.id !== id;
    const record =
      known === undefined || moved ? { message, id, index, rows: [], watched: false, fresh: false } : known;
    const whole = full || record.message !== message || !record.fresh;

    // Read.
    /** @type {Row[] | undefined} */ let changed;
    /** @type {number[] | undefined} */ let places;
    /** @type {number[] | undefined} */ let removed;
    const { rows } = record;
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
      if (row !== undefined && this.unchanged(row, part)) {
        if (start < 0) count++;
        continue;
      }
      const type = part.type;
      if (type === this.stepStart) {
        if (start < 0) start = i + 1;
        if (!whole) break;
      } else if (type === this.text) {
        if (count === 0 && start < 0 && !text) text = !isBlank(part.text);
      } else {
        const read = this.read(part, row);
        if (read !== undefined) {
          if (start < 0) count++;
          // A list that may be older undoes nothing.
          if (!current && row !== undefined && (row.facts & 7) > (read.facts & 7)) continue;
          (changed ??= []).push(read);
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
      record.message = message;
      record.fresh ||= whole;
      for (const place of removed ?? []) this.dropRow(record, place);
      for (let i = parts.length; i < rows.length; i++) this.dropRow(record, i);
      if (rows.length > parts.length) rows.length = parts.length;
    }
    if (changed !== undefined && places !== undefined && (current || !moved)) {
      this.tell(messages, record, parts, changed, places, current);
    }
    const seen = this.seen;
    seen.record = record;
    seen.start = start;
    seen.count = count;
    seen.text = text;
    seen.changed = changed !== undefined || removed !== undefined;
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
      if (isObject(message) && message.role === this.user) break;
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
      if (part.type === this.stepStart) {
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
    const [inLow = 0, inHigh = 0, outLow = 0, outHigh = 0] = row.digests;
    row.call = this.core.see(
      record.rows[place]?.call ?? 0,
      current,
      this.symbol(record.id),
      record.index,
      turn,
      step,
      occurrence,
      this.symbol(row.type === this.dynamicTool ? row.toolName : row.type.slice(this.toolPrefix.length)),
      this.symbol(row.toolCallId),
      row.approvalSymbol,
      row.facts,
      inLow,
      inHigh,
      outLow,
      outHigh,
    );
    record.rows[place] = row;
    this.told++;
    this.plan = undefined;
    this.remember(row);
    if (!record.watched && this.core.watches(row.call)) {
      record.watched = true;
      const last = this.watched.at(-1);
      this.watched.push(record);
      if (last !== undefined && last.index > record.index) this.watched.sort((a, b) => a.index - b.index);
    }
  }

  /** Keeps the approval objects as they come. @param {Row} row */
  remember(row) {
    const { approval } = row;
    const memory = this.memory.get(row.call) ?? {};
    const state = row.facts & 7;
    if (isObject(approval) && row.approvalSymbol !== 0) {
      this.callOfApproval.set(row.approvalId, row.toolCallId);
      if (state === this.requestedState) memory.asked = approval;
      else if (state === this.respondedState && row.approved === true) memory.yes = approval;
      else if (state === this.respondedState && row.approved === false) memory.no = approval;
    } else {
      const heard = this.heard.get(row.toolCallId);
      if (heard === undefined || memory.asked !== undefined) return;
      memory.asked = heard;
    }
    this.memory.set(row.call, memory);
  }

  /** @param {Record_ | undefined} record */
  dropRecord(record) {
    if (record === undefined) return;
    for (const row of record.rows) if (row !== undefined) this.core.adrift(row.call);
    if (record.watched) this.watched = this.watched.filter((other) => other !== record);
  }

  /** @param {Record_} record @param {number} place */
  dropRow(record, place) {
    const row = record.rows[place];
    if (row !== undefined) this.core.adrift(row.call);
    record.rows[place] = undefined;
  }

  /** Tells the core the last step. @param {Walker['seen']} seen */
  tellStep(seen) {
    const { record, start, count, text } = seen;
    const step = this.step;
    if (
      !seen.changed &&
      step.record === record &&
      step.start === start &&
      step.count === count &&
      step.text === text
    ) {
      return;
    }
    this.step = { record, start, count, text };
    this.told++;
    const rows = [];
    for (const row of record?.rows.slice(start) ?? []) if (row !== undefined) rows.push(row.call, row.facts);
    this.core.step(record !== undefined, text, new Uint32Array(rows));
  }

  /**
   * Looks at the last message, at messages that were never looked at, and again at the latest
   * others that had an approval.
   * @param {readonly unknown[]} messages @param {boolean} current
   */
  lookAtLast(messages, current) {
    const last = messages.length - 1;
    if (this.records.length < last) this.lookAtNew(messages, current);
    const watched = this.watched;
    for (let i = watched.length - 1, n = 0; i >= 0 && n < RECENT; i--, n++) {
      const record = watched[i];
      if (record !== undefined && record.index < last) this.lookAgain(messages, record, current);
    }
    const message = messages[last];
    const assistant = isObject(message) && message.role === this.assistant;
    this.tellStep(assistant ? this.look(messages, last, message, !current, current) : NOTHING);
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
    for (const record of [...this.watched]) this.lookAgain(messages, record, false);
    this.lookAtLast(messages, false);
  }

  /** Looks at every message that is not the same object as before. @param {readonly unknown[]} messages */
  sweep(messages) {
    checkLength(messages);
    const length = messages.length;
    const last = messages[length - 1];
    if (this.list === messages) {
      if (this.length !== length || this.records[length - 1]?.message !== last) this.inPlace = true;
      else if (!this.inPlace) {
        this.lookAtLast(messages, true);
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
      if (i < length - 1 || message.role !== this.assistant) seen = NOTHING;
    }
    for (let i = length; i < this.records.length; i++) this.dropRecord(this.records[i]);
    this.records.length = length;
    this.tellStep(seen);
    this.core.swept();
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
      return row === undefined || (isObject(part) && this.unchanged(row, part));
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
    if (this.plan !== undefined && this.plan.list === messages && this.plan.revision === revision && !this.inPlace) {
      return /** @type {readonly T[]} */ (this.plan.result);
    }
    const result = this.repaired(messages, this.watched, false);
    this.plan = { list: messages, revision, result };
    return result;
  }

  /**
   * The chat's own list, repaired.
   * @template T @param {readonly T[]} messages @param {boolean} withLast the running response would
   * overwrite a repair of the last message @returns {readonly T[]}
   */
  atHome(messages, withLast) {
    const last = messages.length - 1;
    const records = this.watched.filter((record) => withLast || record.index !== last);
    return this.repaired(messages, records, true);
  }

  /** Is there anything to repair at home among the latest messages? */
  homeNeedsRepair() {
    for (let i = this.watched.length - 1, n = 0; i >= 0 && n < RECENT; i--, n++) {
      const record = this.watched[i];
      if (record === undefined) continue;
      for (const row of record.rows) {
        if (row !== undefined && (this.core.repair(row.call, row.facts, row.approvalSymbol, true) & 15) !== 0) return true;
      }
    }
    return false;
  }

  /**
   * @template T @param {readonly T[]} messages @param {readonly Record_[]} records @param {boolean} home
   * @returns {readonly T[]}
   */
  repaired(messages, records, home) {
    /** @type {T[] | undefined} */
    let copy;
    for (const record of records) {
      // By id, not by identity: a reactive list may hand out a new proxy at each read.
      const message = messages[record.index];
      if (!isObject(message) || message.id !== record.id) continue;
      const repaired = this.repairMessage(record, message, home);
      if (repaired !== message) (copy ??= [...messages])[record.index] = /** @type {T} */ (repaired);
    }
    return copy ?? messages;
  }

  /** @param {Record_} record @param {Fields} message @param {boolean} home @returns {Fields} */
  repairMessage(record, message, home) {
    /** @type {unknown[] | undefined} */
    let copy;
    const parts = Array.isArray(message.parts) ? /** @type {unknown[]} */ (message.parts) : [];
    for (let i = 0; i < record.rows.length; i++) {
      const row = record.rows[i];
      if (row === undefined) continue;
      const code = this.core.repair(row.call, row.facts, row.approvalSymbol, home);
      const part = parts[i];
      if ((code & 15) === 0 || !isObject(part)) continue;
      // The chat's list may be newer than the one that was looked at.
      if (part.toolCallId !== row.toolCallId || part.state !== row.state) continue;
      (copy ??= [...parts])[i] = this.rewrite(row, part, code);
    }
    return copy === undefined ? message : { ...message, parts: copy };
  }

  /** @param {Row} row @param {Fields} part @param {number} code what `GuardCore.repair` answers */
  rewrite(row, part, code) {
    const { output, errorText, preliminary, resultProviderMetadata, ...kept } = part;
    const { asked, yes, no } = this.memory.get(row.call) ?? {};
    const byGuard = (code & 16) !== 0;
    const reason = (code & 32) !== 0 ? DOUBTFUL : SUPERSEDED;
    const own = isObject(row.approval) ? row.approval : undefined;
    switch (this.repairs[code & 15]) {
      case 'deny':
      case 'settle-denial': {
        const deny = this.repairs[code & 15] === 'deny';
        const state = deny ? this.names.responded : this.names.outputDenied;
        const standing = own?.approved === false && row.approvalSymbol !== 0 ? own : no;
        const approval = byGuard
          ? { ...(asked ?? yes ?? own), approved: false, reason }
          : (standing ?? { ...(asked ?? yes), approved: false });
        return { ...kept, state, approval };
      }
      case 'ask': {
        const { approved: _, reason: __, ...question } = asked ?? yes ?? own ?? {};
        return { ...kept, state: this.names.requested, approval: question };
      }
      case 'allow':
        return { ...kept, state: this.names.responded, approval: yes };
      case 'fail':
        return { ...kept, state: this.names.outputError, errorText: reason };
      default:
        return part;
    }
  }

  /**
   * What `addToolOutput` takes to write the output of a call again.
   * @param {number} call
   */
  outputOf(call) {
    const row = this.rowOf(call);
    if (row === undefined) return undefined;
    const tool = row.type === this.dynamicTool ? row.toolName : row.type.slice(this.toolPrefix.length);
    const written = { tool, toolCallId: row.toolCallId };
    return (row.facts & 7) === this.states.get(this.names.outputError)
      ? { ...written, state: this.names.outputError, errorText: row.errorText }
      : { ...written, output: row.output };
  }

  /** @param {number} call */
  rowOf(call) {
    for (let i = this.records.length - 1; i >= 0; i--) {
      const found = this.records[i]?.rows.find((row) => row?.call === call);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  // ---- listening ---------------------------------------------------------------------------

  /** A chunk of a response. @param {number} request 0 for a resumed response @param {unknown} chunk */
  hear(request, chunk) {
    if (!isObject(chunk)) return;
    const kind = this.chunks.get(chunk.type);
    if (kind === undefined) return;
    const { type, approvalId } = chunk;
    const id = chunk.toolCallId ?? this.callOfApproval.get(approvalId);
    let output = [0, 0];
    if (type === this.chunkNames.request) {
      const approval = this.questionOf(chunk);
      this.heard.set(id, approval);
      this.callOfApproval.set(approvalId, id);
    } else if (type === this.chunkNames.inputStart) {
      if (request !== 0) this.heard.delete(id);
    } else if (type === this.chunkNames.output) {
      output = this.digestOf(chunk.output, OUTPUT_BUDGET);
    } else if (type === this.chunkNames.error || type === this.chunkNames.inputError) {
      output = this.digestOf(chunk.errorText, OUTPUT_BUDGET);
    }
    const [low = 0, high = 0] = output;
    const preliminary = chunk.preliminary === true;
    this.core.chunk(request, kind, this.symbol(id), this.symbol(approvalId), low, high, preliminary);
  }

  /** The approval object that the SDK makes of a request chunk (`ai` 7.0,
   * `process-ui-message-stream.ts`). @param {Fields} chunk @returns {Fields} */
  questionOf(chunk) {
    return {
      id: chunk.approvalId,
      ...(chunk.approvalDescriptor != null ? { descriptor: chunk.approvalDescriptor } : {}),
      ...('inputSchemaInput' in chunk ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
      ...(chunk.reason != null ? { requestReason: chunk.reason } : {}),
      ...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
      ...(chunk.signature != null ? { signature: chunk.signature } : {}),
    };
  }

  /** A person answers through the chat. @param {unknown} approvalId @param {boolean} approved @param {unknown} reason */
  decided(approvalId, approved, reason) {
    const call = this.core.decided(this.symbol(approvalId), approved);
    const memory = this.memory.get(call);
    if (call === 0 || memory?.asked === undefined) return;
    const answer = { ...memory.asked, approved, reason };
    if (approved) memory.yes ??= answer;
    else memory.no ??= answer;
  }
}
