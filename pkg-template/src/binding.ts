// What the bindings of the frameworks share.
import type { UIMessage } from 'ai';

import { EMPTY_BATCH } from './empty.js';
import type { CallOf, CallView, Snapshot } from './prompt.js';

/** What every binding gives beside the snapshot. */
export interface ApprovalActions<M extends UIMessage = UIMessage> {
  /**
   * The call that a part of a message shows: the one with its call id and, if it has one, its approval id.
   * Of several it is the one in `message`, or else the last. Nothing for a part that is no tool call, or
   * whose approval the guard has not seen yet: then there is nothing to press.
   */
  readonly callOf: (part: M['parts'][number], message?: Pick<M, 'id'>) => CallOf<M> | undefined;
  /** Stops the chat, so that the guard hears it: what was drafted or answered and not sent asks again. */
  readonly stop: () => Promise<void>;
}

/**
 * What there is on a server, and in the first render of a browser, which must be the same: the snapshot of
 * a guard that has seen nothing. It needs no WebAssembly.
 */
const EMPTY: Snapshot = /* @__PURE__ */ freeze({
  calls: [],
  batch: EMPTY_BATCH,
  grants: [],
  verdict: {
    send: false,
    reason: 'no-assistant-message',
    waitingFor: [],
    message: 'The last message is not from the assistant.',
  },
});

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner);
  return Object.freeze(value);
}

/** The same for every type of messages. */
export const empty = <M extends UIMessage>(): Snapshot<CallOf<M>> => EMPTY as unknown as Snapshot<CallOf<M>>;

/** See {@link ApprovalActions.callOf}. */
export function findCall<Call extends CallView>(
  calls: readonly Call[],
  part: object,
  message: { id: string } | undefined,
): Call | undefined {
  const { toolCallId, approval } = part as { toolCallId?: unknown; approval?: { id?: unknown } | null };
  const id = approval?.id;
  let found: Call | undefined;
  let within = false;
  for (const call of calls) {
    // A call id may come again, with another approval: that is another call.
    if (call.toolCallId !== toolCallId || (id !== undefined && call.approvalId !== id)) continue;
    const here = call.messageId === message?.id;
    if (within && !here) continue;
    within = here;
    found = call;
  }
  return found;
}
