// A tool runs once, for the person's yes, with the input that was shown.
import { askedFor, isTool, lastStep, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { isAnswer, text } from './shown.mjs';

export class Runs extends Promises {
  /** A tool runs because of a request. */
  ran(request, approvalId, call) {
    // The newest word about the call counts, also if it was about another question of it.
    const { questions } = this.truth.questions.get(approvalId).call;
    const newest = this.truth.acts.findLast(
      (one) =>
        one.at <= request.leftAt &&
        ['decide', 'answer'].includes(one.act) &&
        one.result?.type !== 'refused' &&
        questions.some((question) => question.approvalId === one.approvalId),
    );
    const said = this.words.said(newest?.approvalId ?? approvalId, request.leftAt);
    if (said === 'denied') this.breaksIn(request, 'a denied tool runs', { approvalId });
    const runs = this.truth.runs.filter((run) => run.approvalId === approvalId);
    const question = this.truth.questions.get(newest?.approvalId ?? approvalId);
    const inputs = this.words.inputs(question, request.leftAt);
    const { input } = runs.at(-1);
    if (!inputs.includes(text(input)))
      this.breaksIn(request, 'a tool runs with an input that was not shown', { approvalId, input, inputs });
    if (askedFor({ providerOptions: call.providerOptions }) !== undefined)
      this.truth.saw('a changed input runs');
    const before = runs.at(-2);
    if (before === undefined || ['retry', 'resume'].includes(request.cause?.act)) return;
    // A person sends it again from when the allowance has left on.
    const first = this.truth.requests.findLast((one) => one !== request && one.ran.includes(approvalId));
    const since = first?.leftAt ?? before.at;
    if (!this.#knows(request.page, approvalId)) return;
    // Law 16: who allows it again is told that it may run twice.
    const again = this.truth.acts.findLast(
      (one) =>
        one.act === 'decide' &&
        one.at > since &&
        one.approvalId === approvalId &&
        one.result.type !== 'refused',
    );
    if (again?.status === 'asking' && !again.mayHaveRun && first?.page === again.page)
      this.breaksIn(request, 'a person is not told that a tool may run twice', { approvalId, call });
    if (this.words.personResends(approvalId, since)) return;
    this.breaksIn(request, 'a tool runs twice', { approvalId, call });
  }

  /**
   * Whether a page can know that an answer was sent: it has sent it, has a record, or was loaded with the answer. Law 1: the answers
   * of a step in which a call is open have not left, so a list that was loaded with such a step says nothing of them.
   */
  #knows(page, approvalId) {
    const shows = (parts) =>
      parts.some(({ approval }) => approval?.id === approvalId && isAnswer(approval.approved));
    const sent = page.requests.slice(0, -1).some(({ wire }) => shows(toolParts(wire)));
    const step = lastStep(page.loaded).filter(isTool);
    const isOpen = step.some((part) => this.calls.isOpen(page, part));
    const loaded = toolParts(page.loaded).filter((part) => !isOpen || !step.includes(part));
    return Boolean(this.options.record) || sent || shows(loaded);
  }
}
