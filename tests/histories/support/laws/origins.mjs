// Each call and each approval, on the wire and at home, is one that the server has made.
import { toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { text } from './shown.mjs';

export class Origins extends Promises {
  /** Whose call a part of a request shows, with its question; `undefined` if that is unclear, or broken. */
  of(request, part) {
    const { page } = request;
    if (this.truth.isUnclear(part) || this.calls.isOfEarlierPage(page, part)) return undefined;
    const call = this.truth.callOf(part);
    if (call === undefined) return this.breaksIn(request, 'a call is invented', { part });
    const { approval } = part;
    const question = approval === undefined ? undefined : this.truth.questions.get(approval?.id);
    if (approval !== undefined && question?.call !== call) {
      return this.breaksIn(request, 'an approval of another call', { part });
    }
    return { call, question };
  }

  /** Looks at the lists of the pages. */
  looked() {
    for (const page of this.world.pages) {
      if (page.isClosed) continue;
      for (const part of toolParts(page.messages)) this.#home(page, part);
      for (const approvalId of page.arriving.splice(0)) page.gotAt.set(approvalId, this.truth.now);
    }
  }

  #home(page, part) {
    if (this.truth.isUnclear(part)) return;
    const call = this.truth.callOf(part);
    if (call === undefined) {
      // Its input still streams.
      if (part.state !== 'input-streaming') this.breaks('a call is invented at home', { part });
      return;
    }
    if (part.approval) {
      const question = this.truth.questions.get(part.approval.id);
      if (question?.call !== call) return this.breaks('an approval of another call at home', { part });
      const fields = page.shown.get(question.approvalId) ?? new Set();
      for (const field of Object.keys(part.approval)) fields.add(field);
      page.shown.set(question.approvalId, fields);
    }
    if (part.state === 'output-available' && part.preliminary !== true) {
      const isRun = this.truth.runs.some(
        (run) => run.call === call && text(run.output) === text(part.output),
      );
      if (isRun && !page.ranAt.has(call.serial)) page.ranAt.set(call.serial, this.truth.now);
    }
  }
}
