// Reads the chunks of a response that are about tool calls.

import type { ClientTools } from './client-tools.js';
import { chunkFact, ChunkName, chunkNames } from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import { answerCode } from '../engine/rows.js';
import { digestOf, INPUT_BUDGET, NO_DIGEST, OUTPUT_BUDGET } from './digest.js';
import { isObject, type Fields } from '../objects.js';
import type { StringIds } from './string-ids.js';

/** An approval as the chunks of responses have told it. Its part may never be seen. */
interface StreamedApproval {
  toolCallId: unknown;
  /** The approval object. */
  question: Fields | undefined;
  /** The same object, with the server's answer. */
  answer: Fields | undefined;
}

/** Knows the calls that parts have shown. */
export interface ShownCalls {
  /** The id of the call whose part shows this approval. */
  callWith(approvalId: unknown): unknown;
}

/** Reads the responses of one chat. */
export class ChunkReader {
  readonly #core: Core;
  readonly #ids: StringIds;
  /** The approvals that chunks have named, by their ids. */
  #approvals: Map<unknown, StreamedApproval> | undefined;
  /** The parts that were seen. */
  shown: ShownCalls | undefined;
  readonly #clientTools: ClientTools;

  constructor(core: Core, ids: StringIds, clientTools: ClientTools) {
    this.#core = core;
    this.#ids = ids;
    this.#clientTools = clientTools;
  }

  /** The approval that the chunks have told; `undefined` if nothing is known of it. */
  approval(approvalId: unknown): Readonly<StreamedApproval> | undefined {
    return this.#approvals?.get(approvalId);
  }

  #approval(approvalId: unknown): StreamedApproval {
    const approvals = (this.#approvals ??= new Map());
    let approval = approvals.get(approvalId);
    if (approval === undefined) {
      approval = { toolCallId: undefined, question: undefined, answer: undefined };
      approvals.set(approvalId, approval);
    }
    return approval;
  }

  /** Drops the approvals whose ids are no longer in use. */
  prune(): void {
    for (const id of this.#approvals?.keys() ?? []) if (!this.#ids.has(id)) this.#approvals?.delete(id);
  }

  /**
   * Tells the core about a chunk; returns whether the chunk concerns a call.
   *
   * @param request 0 for a resumed response
   */
  read(request: number, chunk: unknown): boolean {
    if (!isObject(chunk)) return false;
    const kind = (chunkNames as readonly unknown[]).indexOf(chunk.type);
    const { type, approvalId } = chunk;
    // The failure of a response is told with its request.
    if (kind < 0 || type === ChunkName.Error) return false;
    const id =
      chunk.toolCallId ?? this.#approvals?.get(approvalId)?.toolCallId ?? this.shown?.callWith(approvalId);
    let content = NO_DIGEST;
    if (type === ChunkName.ApprovalRequest) {
      const approval = this.#approval(approvalId);
      approval.question = questionOf(chunk);
      approval.toolCallId = id;
    } else if (type === ChunkName.ApprovalResponse) {
      const { approved, reason } = chunk;
      const approval = this.#approval(approvalId);
      approval.answer = { ...approval.question, approved, ...(reason != null ? { reason } : {}) };
    } else if (type === ChunkName.OutputAvailable) {
      content = digestOf(chunk.output, OUTPUT_BUDGET);
    } else if (type === ChunkName.OutputError || type === ChunkName.InputError) {
      content = digestOf(chunk.errorText, OUTPUT_BUDGET);
    } else if (type === ChunkName.InputAvailable && request === 0) {
      content = digestOf(chunk.input, INPUT_BUDGET);
    }
    const ids = this.#ids;
    this.#clientTools.see(chunk.toolName);
    chunkFact(this.#core.facts, {
      request,
      kind,
      tool: ids.of(chunk.toolName),
      id: ids.of(id),
      approval: ids.of(approvalId),
      approved: answerCode(chunk.approved),
      content,
      preliminary: chunk.preliminary === true,
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
