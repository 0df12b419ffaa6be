// @ts-check
// What a record knows of the calls that are seen: told to the core, which says what counts of it.

import { isObject } from './parts.js';

/** @typedef {import('../../target/bindgen/guard.js').GuardCore} GuardCore */
/** @typedef {import('./parts.js').Row} Row */
/** @typedef {import('./rewrite.js').Memory} Memory */

/**
 * What is known of a call that has this approval id, call id and tool.
 * @typedef {object} Known
 * @property {string} [approvalId]
 * @property {string} [inputHash]
 * @property {boolean} [approved]
 * @property {string} [actor]
 * @property {boolean} [draft]
 * @property {string} reach
 * @property {boolean} [settled]
 * @property {boolean} [takenBack] an answer was, and no page has given another one
 * @property {boolean} elsewhere another page has answered, and lives
 * @property {number} [askedAt]
 * @property {number} [deadline]
 */

/**
 * What was noted beside the record, because it must not stand in there.
 * @typedef {{ asked?: Record<string, unknown>, reason?: string }} Note
 */

/**
 * @typedef {object} Remembering
 * @property {(approvalId: string | undefined, toolCallId: string, toolName: string) => readonly Known[]} find
 * the calls that this one may be, without an approval id those whose question may be lost
 * @property {(approvalId: string) => Note | undefined} note
 */

/** The whole input, in the place of a list of fields. */
const INPUT = 0;

/** Recalls what is known of calls. */
export class Recalling {
  /**
   * @param {GuardCore} core @param {import('./vocabulary.js').Symbols} symbols
   * @param {Map<number, Memory>} memory @param {import('./asking.js').Asking} asking
   * @param {Remembering} record @param {readonly string[]} actors @param {readonly string[]} reaches
   */
  constructor(core, symbols, memory, asking, record, actors, reaches) {
    this.core = core;
    this.symbols = symbols;
    this.memory = memory;
    this.asking = asking;
    this.record = record;
    this.actors = actors;
    this.reaches = reaches;
    /** Calls whose question may be lost, and their tools. @type {Map<Row, string>} */
    this.lost = new Map();
  }

  /** A call was seen, or the record knows more. @param {Row} row @param {string} tool */
  seen(row, tool) {
    const { toolCallId, approvalId } = row;
    if (typeof toolCallId !== 'string') return;
    if (typeof approvalId !== 'string') this.lost.set(row, tool);
    else for (const known of this.record.find(approvalId, toolCallId, tool)) this.recall(row, tool, known);
  }

  /**
   * The whole list was seen: a question that stands nowhere in it may be that of a call that has none. Answers
   * whether there was such a call.
   * @param {readonly ({ rows: readonly (Row | undefined)[] } | undefined)[]} records
   */
  findLost(records) {
    if (this.lost.size === 0) return false;
    const shown = new Set(records.flatMap((record) => record?.rows.map((row) => row?.approvalId) ?? []));
    for (const [row, tool] of this.lost) {
      const found = this.record
        .find(undefined, String(row.toolCallId), tool)
        .filter(({ approvalId }) => !shown.has(approvalId));
      // None is put back where it could be one of two.
      if (new Set(found.map(({ approvalId }) => approvalId)).size > 1) continue;
      for (const known of found) this.recall(row, tool, known);
    }
    this.lost.clear();
    return true;
  }

  /** @param {Row} row @param {string} tool @param {Known} known */
  recall(row, tool, known) {
    const { core } = this;
    const { call } = row;
    const sameInput = known.inputHash !== undefined && known.inputHash === this.hashOf(call, tool);
    // A question that was lost is put back only for the input that it was about.
    if (typeof row.approvalId !== 'string' && !sameInput) return;
    const { approved, draft, settled, elsewhere, takenBack, approvalId, askedAt, deadline } = known;
    this.remember(row, approvalId, approved);
    const now = Date.now();
    core.recall(
      call,
      this.symbols.of(approvalId),
      approved === undefined ? 0 : approved ? 2 : 1,
      this.actors.indexOf(known.actor ?? 'history'),
      this.reaches.indexOf(known.reach),
      (draft ? 1 : 0) | (settled ? 2 : 0) | (sameInput ? 4 : 0) | (elsewhere ? 8 : 0) | (takenBack ? 16 : 0),
      askedAt === undefined ? 0 : Math.max(0, now - askedAt),
      deadline === undefined ? Infinity : Math.max(0, deadline - now),
    );
  }

  /** The approval object and the words of an answer, where the messages do not have them. @param {Row} row
   * @param {string | undefined} approvalId @param {boolean | undefined} approved */
  remember(row, approvalId, approved) {
    const memory = this.memory.get(row.call);
    if (memory === undefined || approvalId === undefined) return;
    const note = this.record.note(approvalId);
    const { approved: _, reason: __, ...shown } = isObject(row.approval) ? row.approval : {};
    // The messages have more fields of an approval than are noted (law 4). What is noted goes when the call is
    // settled; the id of its approval stays known.
    if (shown.id === undefined) memory.asked ??= note?.asked ?? { id: approvalId };
    const reason = note?.reason;
    if (approved === undefined || reason === undefined) return;
    const answer = { ...(memory.asked ?? shown), approved, reason };
    if (approved) memory.yes ??= answer;
    else memory.no ??= answer;
  }

  /** The fingerprint of the input of a call, in hexadecimal digits. @param {number} call @param {string} tool */
  hashOf(call, tool) {
    const { core } = this;
    if (core.print_of(call) === 0) this.asking.print(call, tool, INPUT);
    return core.hash_of(core.print_of(call));
  }
}
