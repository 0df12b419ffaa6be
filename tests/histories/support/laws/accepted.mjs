// A server can read every request.
import { TOOLS } from '../replies.mjs';
import { nameOf, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';

export class Accepted extends Promises {
  /** The server cannot read a request. */
  unacceptable(request, error) {
    const { page, wire } = request;
    const { guard = {} } = this.options;
    if (guard.whenUserSends === 'pass') return;
    // A message over a denial that was not sent: the server of `ai` 6 refuses it once.
    const isFirstDenial = ({ state, approval }) => {
      if (this.world.sdk.major > 6 || state !== 'approval-responded' || approval.approved) return false;
      const isFirst = !page.refused.has(approval.id);
      page.refused.add(approval.id);
      return isFirst;
    };
    // A call that never asked, and has no result. A resumed response may ask in another message.
    const asksBelow = ({ toolCallId }) =>
      toolParts(wire).some((other) => other.toolCallId === toolCallId && other.approval);
    const isLeft = (part) =>
      part.state === 'input-available' &&
      part.approval === undefined &&
      !TOOLS[nameOf(part)].page &&
      (this.calls.questionOf(page, part) === undefined || asksBelow(part));
    const isExcused = (toolCallId) =>
      toolParts(wire)
        .filter((part) => part.toolCallId === toolCallId)
        .some((part) => isLeft(part) || isFirstDenial(part));
    if (error.toolCallIds?.every(isExcused)) return;
    this.breaksIn(request, 'a request that the server refuses', {
      error: error.message,
      ids: error.toolCallIds,
    });
  }
}
