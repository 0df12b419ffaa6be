// What the person has said, and what has left of it.
import { toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { isAnswer, text } from './shown.mjs';

export class Words extends Promises {
  /**
   * What a person, or a program in a person's place, said last about a question before a moment: `allowed`, `denied`, or `open`. `unclear`
   * is what the guides leave to the guard: a draft that a stop or a reload has met.
   */
  said(approvalId, before = Infinity) {
    let said = 'open';
    let isDraft = false;
    let isOfGrant = false;
    for (const one of this.truth.acts) {
      if (one.at > before) break;
      const { act, result } = one;
      if (act === 'decide' && result.type !== 'refused') {
        // What another tab has sent stands, also while the record has not told it yet.
        if (this.isSentByOther(one.page, approvalId, one.at)) continue;
        const isIt = one.approvalId === approvalId;
        if (!isIt && !one.also.includes(approvalId)) continue;
        said = one.choice.startsWith('allow') ? 'allowed' : 'denied';
        isDraft = result.type !== 'late-denial';
        isOfGrant = !isIt;
      } else if (act === 'answer' && one.approvalId === approvalId) {
        if (said === 'open') [said, isDraft] = [one.approved ? 'allowed' : 'denied', false];
        else if (said === 'allowed' && isDraft && !one.approved) said = 'unclear';
      } else if (act === 'undo' && one.undone.includes(approvalId)) {
        if (!this.isSentByOther(one.page, approvalId, one.at)) said = 'open';
      } else if (act === 'reload' && !this.options.record && (isDraft || one.how === 'older')) said = 'open';
      else if (['stop', 'reload'].includes(act) && isDraft && said !== 'open') said = 'unclear';
      else if (act === 'revoke' && isOfGrant) said = 'unclear';
      // A call that was taken out of the list before its answer was sent is another matter when it comes back.
      else if (
        ['list', 'edit', 'regenerate'].includes(act) &&
        said !== 'open' &&
        !this.isSent(approvalId, one.at)
      ) {
        said = 'unclear';
      }
    }
    return said;
  }

  /** Whether an answer has left in a time. */
  isSent(approvalId, before, since = 0) {
    return this.truth.requests.some(
      ({ wire, at }) =>
        at > since &&
        at < before &&
        toolParts(wire).some(({ approval }) => approval?.id === approvalId && isAnswer(approval.approved)),
    );
  }

  /**
   * Whether another page has sent an answer, or an allowance, before a moment. A server that repeats its question has accepted
   * none of them.
   */
  isSentByOther(page, approvalId, before, isAllowed = false) {
    const repeats = this.truth.questions.get(approvalId)?.repeats ?? [];
    const since = repeats.findLast((at) => at < before) ?? 0;
    return this.truth.requests.some(
      ({ wire, at, page: of }) =>
        of !== page &&
        !of.isClosed &&
        at > since &&
        at < before &&
        toolParts(wire).some(
          ({ approval }) =>
            approval?.id === approvalId && isAnswer(approval.approved) && (!isAllowed || approval.approved),
        ),
    );
  }

  /** Whether somebody or something may have allowed a call before a moment. */
  mayBeAllowed({ approvalId, call }, before) {
    const { acts } = this.truth;
    // An undo takes back the last decision before it.
    const decides = (one) => one.act === 'decide' && one.result.type !== 'refused';
    const isUndone = (one) => {
      const next = acts.find(
        (other) =>
          other.at > one.at &&
          ((other.act === 'undo' && other.undone.includes(one.approvalId)) ||
            (decides(other) && other.approvalId === one.approvalId)),
      );
      // Another tab may have sent it, and the record has not told that yet.
      return next?.act === 'undo' && !this.isSent(one.approvalId, next.at, one.at);
    };
    const saidYes = acts.some(
      (one) =>
        one.at <= before &&
        ((one.act === 'answer' && one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('allow') &&
            one.result.type !== 'refused' &&
            (one.approvalId === approvalId || this.covers(one, call)) &&
            !isUndone(one))),
    );
    return saidYes || call.elsewhere || (this.options.rules && call.tool === 'copy');
  }

  /** Whether a decision is a grant that covers a call. */
  covers({ choice, covers, approvalId }, call) {
    if (!choice.endsWith('chat')) return false;
    const from = this.truth.questions.get(approvalId)?.call;
    if (from?.tool !== call.tool) return false;
    return covers === 'tool' || text(from.input) === text(call.input);
  }

  /** Whether a person has decided a call since a moment. */
  decides(approvalId, since) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        one.approvalId === approvalId &&
        (one.act === 'answer' || (one.act === 'decide' && one.result.type !== 'refused')),
    );
  }

  /** Whether a person did something since a moment that may send a call again. */
  personResends(approvalId, since) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        (['retry', 'resume'].includes(one.act) ||
          (one.act === 'answer' && one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('allow') &&
            one.result.type !== 'refused' &&
            one.approvalId === approvalId)),
    );
  }

  /**
   * The inputs with which a call may run or be shown as allowed. Where it is clear what the person said last, that is one: the input that
   * was given, or else the one that was shown.
   */
  inputs({ approvalId, call, input }, before) {
    const { acts } = this.truth;
    const words = acts.filter(
      (one) =>
        one.at <= before &&
        ((one.act === 'decide' && one.result.type !== 'refused' && one.choice.startsWith('allow')) ||
          (one.act === 'answer' && one.approved)) &&
        one.approvalId === approvalId,
    );
    const given = words.map((one) => one.input ?? one.shown);
    const isOne = new Set(words.map(({ page }) => page.number)).size === 1;
    const said = this.said(approvalId, before);
    // A draft stands over an Allow through the chat.
    const last = words.findLast((one, i) => one.act === 'decide' || i === 0);
    if (said === 'allowed' && isOne && this.isLast(last, before)) return [text(last.input ?? last.shown)];
    return [input, call.input, ...given].map(text);
  }

  /** Whether nothing has been said about a call after a word. */
  isLast({ approvalId, at }, before) {
    return !this.truth.acts.some(
      (one) =>
        one.at > at &&
        one.at <= before &&
        (one.approvalId === approvalId ||
          one.also?.includes(approvalId) ||
          one.undone?.includes(approvalId)) &&
        one.result?.type !== 'refused',
    );
  }

  /** Whether a person has denied in a time. */
  saysNo(approvalId, since, until = Infinity) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        one.at < until &&
        ((one.act === 'answer' && !one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('deny') &&
            one.result.type !== 'refused' &&
            (one.approvalId === approvalId || one.also.includes(approvalId)))),
    );
  }
}
