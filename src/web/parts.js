// @ts-check
// What one tool part says.

import { digest, INPUT_BUDGET, OUTPUT_BUDGET } from './digest.js';

/** @typedef {Readonly<Record<string, unknown>>} Fields a foreign object, whose fields may be anything */
/** @typedef {readonly [low: number, high: number]} Digest */

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
 * @property {unknown} title
 * @property {number} call the number of the call, 0 before the core knows it
 * @property {number} facts
 * @property {number} approvalSymbol
 * @property {Digest} inputDigest
 * @property {Digest} outputDigest
 */

/** The digest of no value. @type {Digest} */
export const NO_DIGEST = [0, 0];

const halves = new Uint32Array(2);

/** @param {unknown} value @returns {value is Fields} */
export const isObject = (value) => typeof value === 'object' && value !== null;

/** @param {unknown} text */
export const isBlank = (text) => typeof text !== 'string' || !/\S/.test(text);

/** @param {unknown} value @param {number} budget @returns {Digest} */
export function digestOf(value, budget) {
  if (value === undefined) return NO_DIGEST;
  digest(value, budget, halves);
  return [halves[0] ?? 0, halves[1] ?? 0];
}

/**
 * The row of a part, or undefined when it is no tool part.
 * @param {Fields} part @param {Row | undefined} old what was last seen of it
 * @param {import('./vocabulary.js').Vocabulary} vocabulary @param {import('./vocabulary.js').Symbols} symbols
 */
export function read(part, old, vocabulary, symbols) {
  const type = part.type;
  if (typeof type !== 'string') return undefined;
  const dynamic = type === vocabulary.dynamicTool;
  if (!dynamic && !type.startsWith(vocabulary.toolPrefix)) return undefined;

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
  const inputDigest = same ? old.inputDigest : digestOf(input, INPUT_BUDGET);
  const outputDigest = sameOutput
    ? old.outputDigest
    : digestOf(output === undefined ? errorText : output, OUTPUT_BUDGET);
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
    title: part.title,
    call: 0,
    facts:
      (vocabulary.states.get(state) ?? vocabulary.unknownState) |
      (answer << 3) |
      (provider === true ? 32 : 0) |
      (preliminary === true ? 64 : 0) |
      (residue ? 128 : 0) |
      (errorText !== undefined && vocabulary.reasons.includes(/** @type {string} */ (errorText)) ? 256 : 0),
    approvalSymbol: symbols.of(approvalId),
    inputDigest,
    outputDigest,
  });
}

/** Does the part still look as in the row? @param {Row} row @param {Fields} part */
export function unchanged(row, part) {
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

/** As `unchanged`, for a call that is open: only what can close it.
 * @param {Row} row @param {unknown} part */
export function untouched(row, part) {
  if (!isObject(part)) return false;
  const approval = part.approval;
  return (
    row.state === part.state &&
    row.approval === approval &&
    row.output === part.output &&
    row.toolCallId === part.toolCallId &&
    row.input === part.input &&
    row.type === part.type &&
    row.preliminary === part.preliminary &&
    (!isObject(approval) || row.approved === approval.approved)
  );
}

/** Do two rows say the same, though they were read from different objects?
 * @param {Row} a @param {Row} b */
export function equal(a, b) {
  return (
    a.facts === b.facts &&
    a.toolCallId === b.toolCallId &&
    a.type === b.type &&
    a.toolName === b.toolName &&
    a.approvalSymbol === b.approvalSymbol &&
    a.inputDigest[0] === b.inputDigest[0] &&
    a.inputDigest[1] === b.inputDigest[1] &&
    a.outputDigest[0] === b.outputDigest[0] &&
    a.outputDigest[1] === b.outputDigest[1]
  );
}
