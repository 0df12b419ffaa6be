// @ts-check
// What the chunks of a response say about tool calls.

import { digestOf, isObject, NO_DIGEST } from './parts.js';
import { OUTPUT_BUDGET } from './digest.js';

/** @typedef {import('./parts.js').Fields} Fields */
/** @typedef {import('../../target/bindgen/guard.js').GuardCore} GuardCore */

/** Listens to the responses of one chat. */
export class Hearing {
  /**
   * @param {GuardCore} core
   * @param {import('./vocabulary.js').Vocabulary} vocabulary
   * @param {import('./vocabulary.js').Symbols} symbols
   */
  constructor(core, vocabulary, symbols) {
    this.core = core;
    this.vocabulary = vocabulary;
    this.symbols = symbols;
    /** The approval objects, by approval id: their parts may never be seen. @type {Map<unknown, Fields>} */
    this.questions = new Map();
    /** The same with an answer of the server. @type {Map<unknown, Fields>} */
    this.answers = new Map();
    /** The call that an approval id belongs to. @type {Map<unknown, unknown>} */
    this.callOfApproval = new Map();
  }

  /** Forgets the approvals that nothing is known by. */
  forget() {
    for (const map of [this.questions, this.answers, this.callOfApproval]) {
      for (const id of map.keys()) {
        if (typeof id !== 'string' || !this.symbols.numbers.has(id)) map.delete(id);
      }
    }
  }

  /**
   * A chunk of a response; answers whether it is about a call.
   * @param {number} request 0 for a resumed response @param {unknown} chunk
   */
  hear(request, chunk) {
    if (!isObject(chunk)) return false;
    const kind = this.vocabulary.chunks.get(chunk.type);
    if (kind === undefined) return false;
    const { type, approvalId } = chunk;
    const id = chunk.toolCallId ?? this.callOfApproval.get(approvalId);
    const names = this.vocabulary.chunk;
    let output = NO_DIGEST;
    if (type === names.request) {
      this.questions.set(approvalId, questionOf(chunk));
      this.callOfApproval.set(approvalId, id);
    } else if (type === names.response) {
      const { approved, reason } = chunk;
      const question = this.questions.get(approvalId);
      this.answers.set(approvalId, { ...question, approved, ...(reason != null ? { reason } : {}) });
    } else if (type === names.output) {
      output = digestOf(chunk.output, OUTPUT_BUDGET);
    } else if (type === names.error || type === names.inputError) {
      output = digestOf(chunk.errorText, OUTPUT_BUDGET);
    }
    const [low, high] = output;
    const approved = chunk.approved === true ? 2 : chunk.approved === false ? 1 : 0;
    const preliminary = chunk.preliminary === true;
    const { core, symbols } = this;
    core.chunk(request, kind, symbols.of(id), symbols.of(approvalId), approved, low, high, preliminary);
    return true;
  }
}

/** The approval object that the SDK makes of a request chunk (`ai` 7.0,
 * `process-ui-message-stream.ts`). @param {Fields} chunk @returns {Fields} */
function questionOf(chunk) {
  return {
    id: chunk.approvalId,
    ...(chunk.approvalDescriptor != null ? { descriptor: chunk.approvalDescriptor } : {}),
    ...('inputSchemaInput' in chunk ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
    ...(chunk.reason != null ? { requestReason: chunk.reason } : {}),
    ...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
    ...(chunk.signature != null ? { signature: chunk.signature } : {}),
  };
}
