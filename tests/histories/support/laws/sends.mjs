// What leaves by itself leaves once, and only when nothing of the step is open; what a person asks for is told as it is.
import { isTool, lastStep } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { text } from './shown.mjs';

export class Sends extends Promises {
  leaves(request) {
    const { page, wire } = request;
    request.isAutomatic =
      wire.at(-1)?.role === 'assistant' &&
      !request.isContinued &&
      request.trigger === 'submit-message' &&
      // `retry()` writes an output again, and the chat then asks.
      !this.truth.acts.some((one) => one.page === page && one.isGoing);
    if (request.isAutomatic) this.#automatic(request);
    this.#overResponse(request);
    // Each act of a person that continues the chat explains one request.
    if (request.isContinued) {
      const isCause = ({ act, page: of, at, used }) =>
        ['go', 'retry', 'resume'].includes(act) && of === page && at <= request.leftAt && !used;
      request.cause = this.truth.acts.findLast(isCause);
      if (request.cause) request.cause.used = true;
    }
  }

  left() {
    if (this.truth.requests.length > 150) this.breaks('requests without end');
  }

  #automatic(request) {
    const { page, wire, leftAt } = request;
    const open = lastStep(wire).filter((part) => isTool(part) && this.calls.isOpen(page, part));
    if (open.length > 0) this.breaksIn(request, 'an early send on the wire', { open });
    const key = text([
      wire.filter(({ role }) => role === 'user').map(({ parts }) => parts),
      lastStep(wire)
        .filter(isTool)
        .map((part) => [
          part.toolCallId,
          part.input,
          part.approval?.id,
          part.approval?.approved,
          part.output,
          part.errorText,
        ]),
    ]);
    request.key = key;
    for (const one of page.requests) {
      if (one === request || one.key !== key || !one.isAutomatic) continue;
      const isAsked = lastStep(wire).some(
        ({ approval }) => approval && this.words.decides(approval.id, one.at),
      );
      if (!isAsked) this.breaksIn(request, 'a second send', { key, failed: one.failed });
    }
    const act = this.truth.acts.findLast(
      (one) =>
        one.page === page &&
        one.at <= leftAt &&
        (['say', 'retry', 'resume', 'go', 'regenerate', 'edit', 'commit', 'answer'].includes(one.act) ||
          (one.act === 'decide' && one.result.type !== 'refused' && !one.source)),
    );
    const since = ['decide', 'answer', 'commit'].includes(act?.act)
      ? act.at
      : (page.requests.find((one) => !one.isAutomatic && one.leftAt >= (act?.at ?? 0))?.at ?? Infinity);
    const automatic = page.requests.filter((one) => one.isAutomatic && one.leftAt >= since);
    const most = this.options.guard?.maxAutomaticSends ?? 6;
    if (automatic.length > most)
      this.breaksIn(request, 'more automatic sends than allowed', { automatic: automatic.length });
  }

  /** While the response goes on that has asked about a call of the last step, nothing continues it. */
  #overResponse(request) {
    const { page, wire, trigger } = request;
    if (this.options.guard?.whenUserSends === 'pass' || trigger !== 'submit-message') return;
    for (const { approval } of lastStep(wire)) {
      const response = this.truth.questions.get(approval?.id)?.response;
      if (response?.isReadBy(page)) this.breaksIn(request, 'a send while the response goes on', { approval });
    }
    const isOfLast = ({ messageId }) => messageId !== undefined && messageId === wire.at(-1).id;
    const other = this.world.server.open.find((response) => isOfLast(response) && response.isReadBy(page));
    if (request.isAutomatic && other)
      this.breaksIn(request, 'a send while another response goes on', { of: other.request.number });
  }

  /** What a person is told of `retry()` or `resume()` is so. */
  permitted(page, { act, at, result, isSending, since = at }) {
    if (page.isClosed) return;
    const left = [...page.requests, ...this.truth.unsent.filter((one) => one.page === page)].filter(
      ({ leftAt, homeCopy }) => leftAt >= since && homeCopy.at(-1)?.role === 'assistant',
    );
    if (result.type === 'sent' && left.length === 0 && !isSending) this.breaks(`${act}() says sent`, { at });
    // The guard also continues a chat that did not ask about what has come meanwhile.
    const isNew = this.truth.acts.some(
      (one) => one.page === page && one.at > at && ['answer', 'put', 'decide'].includes(one.act),
    );
    const own = !isNew && page.requests.find(({ cause }) => cause?.at === at);
    if (result.type !== 'sent' && own) this.breaks(`${act}() says ${result.type}`, { request: own.number });
  }
}
