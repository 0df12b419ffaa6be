// @ts-check
// What the core is told of a call that asks, beside what its part shows, and what is remembered of
// the answer until it is written.

import { canonical, pick } from './canonical.js';

/** @typedef {import('../../target/bindgen/guard.js').GuardCore} GuardCore */
/** @typedef {import('./parts.js').Row} Row */
/** @typedef {import('./rewrite.js').Memory} Memory */

/**
 * What the application says of calls.
 * @typedef {object} Describer
 * @property {(tool: string, row: Row) => { dangerous: boolean, lifetime: number } | undefined} describe
 * @property {(tool: string, row: Row) => Judged | undefined} judge
 * @property {(tool: string) => readonly unknown[]} identity what two tools of one name differ in
 */

/**
 * What rules say of a call: a code of the core, whether it is always asked, the name of the rule, and what a
 * model is told of a denial.
 * @typedef {{ effect: number, denies: boolean, always: boolean, dangerous: boolean, rule: string | undefined,
 *   reason: string, ruling: object }} Judged
 */

/** The whole input, in the place of a list of fields. */
const INPUT = 0;

/** The calls of one chat that ask. */
export class Asking {
  /**
   * @param {GuardCore} core @param {import('./vocabulary.js').Symbols} symbols
   * @param {Map<number, Memory>} memory @param {Describer} describer
   */
  constructor(core, symbols, memory, describer) {
    this.core = core;
    this.symbols = symbols;
    this.memory = memory;
    this.describer = describer;
    /** There is a record, which says of each input which it was. */
    this.records = false;
  }

  /** A call was seen asking. @param {Row} row @param {string} tool */
  seen(row, tool) {
    const { core } = this;
    const said = this.describer.describe(tool, row);
    const isDangerous = this.judge(row, tool);
    if (said !== undefined || isDangerous) {
      core.mark(row.call, isDangerous || said?.dangerous === true, said?.lifetime ?? Infinity);
    }
    this.hash(row, tool);
    for (const fields of core.wanted(row.call)) this.print(row.call, tool, fields);
    core.answer_by_itself(row.call);
  }

  /** Says for the record which input it was. @param {Row} row @param {string} tool */
  hash(row, tool) {
    if (this.records && this.core.print_of(row.call) === 0) this.print(row.call, tool, INPUT);
  }

  /**
   * Tells the core what rules say of a call that asks. Answers whether they say that it may do harm.
   * @param {Row} row @param {string} tool
   */
  judge(row, tool) {
    const judged = this.describer.judge(tool, row);
    const memory = this.memory.get(row.call);
    if (memory !== undefined) memory.ruling = judged?.ruling;
    if (judged === undefined) return false;
    this.core.judge(row.call, judged.effect, judged.always, this.symbols.of(judged.rule));
    if (judged.denies) this.drafted(row.call, false, judged.reason);
    return judged.dangerous;
  }

  /**
   * Tells the core the fingerprint of some fields of the input of a call.
   * @param {number} call @param {string} tool @param {number} fields their number, or 0 for all
   */
  print(call, tool, fields) {
    const { input } = this.memory.get(call)?.row ?? {};
    const shown = fields === INPUT ? input : pick(input, this.fieldsOf(fields));
    // A list, and not joined texts, so that no two lists have the same text.
    const text =
      shown === undefined
        ? undefined
        : canonical(['grant-v1', ...this.describer.identity(tool), tool, shown]);
    this.core.print(call, fields, text);
  }

  /** The number of a list of fields. @param {readonly string[]} fields */
  numberOf(fields) {
    return this.symbols.of(JSON.stringify([...new Set(fields)].sort()));
  }

  /** @param {number} number @returns {readonly string[]} */
  fieldsOf(number) {
    return /** @type {readonly string[]} */ (JSON.parse(this.symbols.texts[number] ?? '[]'));
  }

  /**
   * Remembers the words of a person's answer until it is written.
   * @param {number} call @param {boolean} approved @param {string | undefined} reason
   */
  drafted(call, approved, reason) {
    const memory = this.memory.get(call);
    if (memory === undefined) return;
    const answer = { ...memory.asked, approved, ...(reason === undefined ? {} : { reason }) };
    memory.yes = approved ? answer : undefined;
    memory.no = approved ? undefined : answer;
  }

  /** The answer was taken back. @param {number} call */
  undone(call) {
    const memory = this.memory.get(call);
    if (memory === undefined) return;
    memory.yes = undefined;
    memory.no = undefined;
  }
}
