// Reads the chunks of a response that are about tool calls.

import type { GuardCore } from 'virtual:glue';

import { ChunkName, chunkNames } from '../generated/abi.js';
import { digestOf, NO_DIGEST, OUTPUT_BUDGET } from './digest.js';
import { isObject, type Fields } from './part.js';
import type { StringIds } from './string-ids.js';

/** Reads the responses of one chat. */
export class ChunkReader {
  readonly #core: GuardCore;
  readonly #ids: StringIds;
  /** The approval objects by approval id. Their parts may never be seen. */
  readonly questions = new Map<unknown, Fields>();
  /** The same with an answer of the server. */
  readonly answers = new Map<unknown, Fields>();
  /** The call id that an approval id belongs to. */
  readonly #callIds = new Map<unknown, unknown>();

  constructor(core: GuardCore, ids: StringIds) {
    this.#core = core;
    this.#ids = ids;
  }

  /** A part shows the call that an approval belongs to. */
  setCall(approvalId: unknown, toolCallId: unknown): void {
    this.#callIds.set(approvalId, toolCallId);
  }

  /** Forgets the approvals whose ids nothing uses. */
  prune(): void {
    for (const map of [this.questions, this.answers, this.#callIds]) {
      for (const id of map.keys()) if (!this.#ids.has(id)) map.delete(id);
    }
  }

  /**
   * Tells the core of a chunk; returns whether the chunk is about a call.
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
    const [low, high] = output;
    const approved = chunk.approved === true ? 2 : chunk.approved === false ? 1 : 0;
    const preliminary = chunk.preliminary === true;
    const ids = this.#ids;
    this.#core.chunk(request, kind, ids.of(id), ids.of(approvalId), approved, low, high, preliminary);
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
