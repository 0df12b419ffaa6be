// The predicate answers, and says yes only when nothing of the step is open.
import { isTool, lastStep, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { hasOutput, isAnswer } from './shown.mjs';

export class Predicate extends Promises {
  /** The predicate has answered the chat. */
  asked(page, yes) {
    if (typeof yes !== 'boolean') this.breaks('the predicate says neither yes nor no', { yes });
    if (yes) {
      // A commit writes into the chat while the chat asks. What is sent is the newest list.
      // An output over a call that asked may still be repaired in the request.
      const open = lastStep(page.messages).filter(
        (part) =>
          isTool(part) &&
          !hasOutput(part) &&
          this.calls.isOpen(page, part) &&
          !this.#isOfOtherTab(page, part) &&
          !this.#isAnsweredAbove(page, part),
      );
      if (open.length > 0) this.breaks('an early send', { open });
    }
  }

  /** Whether a copy of a question is answered. The chat writes into the first message that has it. */
  #isAnsweredAbove(page, part) {
    const isCopy = ({ approval }) => approval?.id === part.approval?.id && isAnswer(approval?.approved);
    return part.approval !== undefined && toolParts(page.messages).some(isCopy);
  }

  /** Whether a person has answered a question in another tab. The request carries that answer, which the chat may not show. */
  #isOfOtherTab(page, { approval }) {
    return this.truth.acts.some(
      (one) => one.page !== page && one.approvalId === approval?.id && ['answer', 'decide'].includes(one.act),
    );
  }
}
