// A settled step with something new goes on.
import { isTool, lastStep, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { brief, isAnswer, text } from './shown.mjs';

export class Stalls extends Promises {
  /** A settled step with something new has been sent. */
  ended(page) {
    const { guard = {}, queue } = this.options;
    if (Object.keys(guard).some((name) => name !== 'undoMs')) return;
    // A queue that waits continues the chat.
    if (queue && page.chat.experimental_queuedMessages?.length > 0) return;
    if (guard.undoMs === Infinity || page.chat.status !== 'ready' || page.errors.length > 0) return;
    const step = lastStep(page.messages);
    const calls = step.filter(isTool);
    if (calls.length === 0 || calls.some((part) => this.calls.isOpen(page, part))) return;
    // Laws 13 and 16: what has left as allowed, was not refused and has no result leaves again only for a person.
    if (calls.some((part) => this.#isOut(part))) return;
    const isText = ({ type, text: words }) => type === 'text' && words.trim() !== '';
    if (step.slice(step.findLastIndex(isTool)).some(isText)) return;
    const sentAt = page.requests.at(-1)?.leftAt ?? 0;
    const isTaken = (act) =>
      ['stop', 'list', 'edit', 'regenerate', 'break', 'reconnect', 'ask'].includes(act);
    const from = this.truth.acts.findLast((one) => one.page === page && isTaken(one.act))?.at ?? 0;
    const isNew = (one) => {
      if (one.page !== page || one.at <= sentAt || one.at <= from) return false;
      // A program's decision does not go on after a stop.
      if (one.source && this.truth.acts.some(({ act, page: of }) => act === 'stop' && of === page))
        return false;
      // While a chat stops, the SDK sends nothing by itself.
      if (
        this.truth.acts.some(({ act, page: of, turn }) => act === 'stop' && of === page && turn === one.turn)
      )
        return false;
      if (this.#isRepeatedAfterStop(one)) return false;
      // What was in the chat when a request had to wait has left with it.
      const isSent = (part) =>
        one.act === 'put'
          ? text(part.output) === text(one.value)
          : part.approval && part.approval.id === one.approvalId && isAnswer(part.approval.approved);
      if (this.truth.requests.some(({ wire }) => toolParts(wire).some(isSent))) return false;
      if (one.act === 'put') {
        // After a stop an output is no reason to send.
        if (this.truth.acts.some(({ act, page: of }) => act === 'stop' && of === page)) return false;
        return (
          this.calls.waitsForPage({ ...one.part, ...one.before }) &&
          calls.some(({ output }) => text(output) === text(one.value))
        );
      }
      if (one.act !== 'answer' && (one.act !== 'decide' || one.result.type === 'refused')) return false;
      if (this.#isOverruled(one, calls)) return false;
      // What was allowed on another device has run.
      if (this.truth.questions.get(one.approvalId)?.call.elsewhere) return false;
      return calls.some(({ approval }) => approval?.id === one.approvalId);
    };
    const act = this.truth.acts.find(isNew);
    if (act)
      this.breaks('a stall', { act: act.act, home: brief(page.messages), verdict: page.guard.explain() });
  }

  /** Law 7: an Allow that a denial has overruled is no answer. The tab of the denial sends it, unless that tab was stopped or closed. */
  #isOverruled({ approvalId, approved, choice }, calls) {
    const isDenied = calls.some(({ approval }) => approval?.id === approvalId && approval.approved === false);
    return (approved ?? choice.startsWith('allow')) && isDenied && this.words.saysNo(approvalId, 0);
  }

  /** Law 7: the denial of a call that is denied already is refused, so it is no answer after a stop. */
  #isRepeatedAfterStop({ act, page, at, approvalId, approved }) {
    if (act !== 'answer' || approved) return false;
    const own = this.truth.acts.filter((one) => one.page === page && one.at < at);
    const first = own.find(
      (one) =>
        one.approvalId === approvalId &&
        (one.act === 'answer'
          ? !one.approved
          : one.result?.type === 'committed' && one.choice.startsWith('deny')),
    );
    return first !== undefined && own.some((one) => one.act === 'stop' && one.at > first.at);
  }

  /**
   * Whether an allowance has left that no server has refused, or was given on another device, and its part shows no result: a request
   * would repeat it.
   */
  #isOut({ state, approval }) {
    if (state !== 'approval-responded' || approval.approved !== true) return false;
    if (this.truth.questions.get(approval.id)?.call.elsewhere) return true;
    return this.truth.requests.some(
      ({ wire, failed }) =>
        !['refused', 'unacceptable'].includes(failed) &&
        toolParts(wire).some((part) => part.approval?.id === approval.id && part.approval.approved === true),
    );
  }
}
