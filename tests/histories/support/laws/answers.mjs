// Each answer on the wire is what the person has said.
import { lastStep, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { hasOutput, isAnswer, OWN } from './shown.mjs';

const LEFTOVERS = ['output', 'errorText', 'preliminary', 'resultProviderMetadata'];

export class Answers extends Promises {
  part(request, part, { question }) {
    const { approval, state } = part;
    if (question) {
      const said = this.words.said(question.approvalId, request.leftAt);
      if (approval.approved === true) this.#allowed(request, part, question, said);
      if (approval.approved === false) this.#denied(request, part, question);
      if (!isAnswer(approval.approved)) this.#asks(request, part, question, said);
    }
    // A page that was loaded with it never had its approval. A record keeps it.
    const isKnown = this.options.record || this.calls.questionOf(request.page, part) !== undefined;
    if (state === 'output-denied' && approval?.approved !== false && isKnown)
      this.breaksIn(request, 'a denial without an answer', { part });
  }

  left({ page, wire, at }) {
    // A copy above the one that can be answered leaves as closed. The last one says what becomes of the call.
    const parts = toolParts(wire);
    for (const part of parts) {
      const isLast = parts.findLast(({ approval }) => approval?.id === part.approval?.id) === part;
      if (isLast && part.approval?.approved === false && !page.denied.has(part.approval.id))
        page.denied.set(part.approval.id, at);
    }
  }

  #allowed(request, part, question, said) {
    const { page, at, wire } = request;
    const { approvalId } = question;
    // What has run has run: a denial over an older list comes too late when a newer one has the output again.
    const isLate =
      hasOutput(part) &&
      this.truth.runs.some(
        (run) => run.approvalId === approvalId && !this.words.saysNo(approvalId, 0, run.at),
      );
    if (said === 'denied' && !question.call.elsewhere && !isLate)
      this.breaksIn(request, 'a denied call is sent as allowed', { part });
    else if (!this.words.mayBeAllowed(question, at)) this.breaksIn(request, 'an invented yes', { part });
    if (part.state !== 'approval-responded') return;
    const deniedAt = page.denied.get(approvalId);
    if (deniedAt !== undefined && !this.words.personResends(approvalId, deniedAt))
      this.breaksIn(request, 'what was closed is allowed again', { part });
    const seenAt = page.ranAt.get(question.call.serial);
    if (seenAt !== undefined && !this.words.personResends(approvalId, seenAt)) {
      this.breaksIn(request, 'a call that has run is sent as allowed', { part });
    }
    const isLast = lastStep(wire).some((one) => one.approval?.id === approvalId);
    // A server accepts an allowance of a call that the provider runs, and one whose call stands again further down.
    const isAgain = toolParts(wire).findLast((one) => this.truth.callOf(one) === question.call) !== part;
    if (!isLast && !isAgain && !part.providerExecuted && this.options.guard?.whenUserSends !== 'pass') {
      this.breaksIn(request, 'an allowance that is too late', { part });
    }
  }

  #denied(request, part, question) {
    const { page } = request;
    for (const field of LEFTOVERS) {
      if (part[field] !== undefined) this.breaksIn(request, `a denial with ${field}`, { part });
    }
    if (!['approval-responded', 'output-denied'].includes(part.state))
      this.breaksIn(request, 'a denial in another state', { part });
    const { approvalId, call } = question;
    // What another tab has sent stands in the record, and a denial that comes later is refused.
    const isLate = this.truth.acts.some(
      (one) =>
        one.page === page &&
        one.approvalId === approvalId &&
        (one.choice?.startsWith('deny') || one.approved === false) &&
        this.words.isSentByOther(page, approvalId, one.at, true),
    );
    if (this.options.record && request.isAutomatic && isLate)
      this.breaksIn(request, 'a denial that is too late', { part });
    const seenAt = page.ranAt.get(call.serial) ?? page.gotAt.get(approvalId);
    // A server that asks again after the run asks about another one.
    const isLater = question.toldAt > seenAt;
    // A question with another approval id is another call to the guard: that the call has run under a later one says of this one
    // only that it may have run, and so the model is told.
    const isOfOther =
      OWN.test(part.approval.reason) &&
      this.truth.runs.every((run) => run.call !== call || run.approvalId !== approvalId);
    if (
      seenAt !== undefined &&
      !isLater &&
      !isOfOther &&
      !page.denied.has(approvalId) &&
      !this.words.saysNo(approvalId, seenAt)
    ) {
      this.breaksIn(request, 'a call that has run is denied', { part });
    }
  }

  #asks(request, part, question, said) {
    const { page, wire } = request;
    const { approvalId } = question;
    for (const field of LEFTOVERS) {
      if (part[field] !== undefined) this.breaksIn(request, `a question with ${field}`, { part });
    }
    if (this.options.guard?.whenUserSends === 'pass') return;
    if (page.denied.has(approvalId)) this.breaksIn(request, 'a denial is forgotten', { part });
    else if (said === 'denied') this.breaksIn(request, 'a denial is not sent', { part });
    const isOfUser = wire.at(-1)?.role === 'user';
    if (isOfUser && page.shown.has(approvalId))
      this.breaksIn(request, 'a question stays open behind a message', { part });
  }
}
