// Reads the chunks of a response that are about tool calls.

import { chunkFact, ChunkName, chunkNames } from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import { answerCode } from '../engine/rows.js';
import { digestOf, NO_DIGEST, OUTPUT_BUDGET } from './digest.js';
import { isObject, type Fields } from './part.js';
import type { StringIds } from './string-ids.js';

/** Reads the responses of one chat. */
export class ChunkReader {
  readonly #core: Core;
  readonly #ids: StringIds;
  /** The approval objects by approval id. The parts with these approvals may never be seen. */
  readonly questions = new Map<unknown, Fields>();
  /** The same objects, with the server's answers. */
  readonly answers = new Map<unknown, Fields>();
  /** The call id of each approval id. */
  readonly #callIds = new Map<unknown, unknown>();

  constructor(core: Core, ids: StringIds) {
    this.#core = core;
    this.#ids = ids;
  }

  /** Notes that a part shows the call of an approval. */
  setCall(approvalId: unknown, toolCallId: unknown): void {
    this.#callIds.set(approvalId, toolCallId);
  }

  /** Drops the approvals whose ids are no longer in use. */
  prune(): void {
    for (const map of [this.questions, this.answers, this.#callIds]) {
      for (const id of map.keys()) if (!this.#ids.has(id)) map.delete(id);
    }
  }

  /**
   * Tells the core about a chunk; returns whether the chunk concerns a call.
   *
   * @param request 0 for a resumed response
   */
  read(request: number, chunk: unknown): boolean {
    if (!isObject(chunk)) return false;
    const kind = (chunkNames as readonly unknown[]).indexOf(chunk.type);
    if (kind < 0) return false;
    const { type, approvalId } = chunk;
    const id = chunk.toolCallId ?? this.#callIds.get(approvalId);
    let output = NO_DIGEST;
    if (type === ChunkName.ApprovalRequest) {
      this.questions.set(approvalId, questionOf(chunk));
      this.#callIds.set(approvalId, id);
    } else if (type === ChunkName.ApprovalResponse) {
      const { approved, reason } = chunk;
      const question = this.questions.get(approvalId);
      this.answers.set(approvalId, { ...question, approved, ...(reason != null ? { reason } : {}) });
    } else if (type === ChunkName.OutputAvailable) {
      output = digestOf(chunk.output, OUTPUT_BUDGET);
    } else if (type === ChunkName.OutputError || type === ChunkName.InputError) {
      output = digestOf(chunk.errorText, OUTPUT_BUDGET);
    }
    const ids = this.#ids;
    chunkFact(this.#core.facts, {
      request,
      kind,
      id: ids.of(id),
      approval: ids.of(approvalId),
      approved: answerCode(chunk.approved),
      outputLow: output[0],
      outputHigh: output[1],
      preliminary: Number(chunk.preliminary === true),
    });
    return true;
  }
}

/** The approval object that the SDK makes from a request chunk (`ai` 7.0, `process-ui-message-stream.ts`). */
function questionOf(chunk: Fields): Fields {
  return {
    id: chunk.approvalId,
    ...(chunk.approvalDescriptor != null ? { descriptor: chunk.approvalDescriptor } : {}),
    ...('inputSchemaInput' in chunk ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
    ...(chunk.reason != null ? { requestReason: chunk.reason } : {}),
    ...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
    ...(chunk.signature != null ? { signature: chunk.signature } : {}),
  };
}
