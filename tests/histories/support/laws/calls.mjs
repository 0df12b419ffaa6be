// What a page can know of its calls.
import { PAGE_TOOLS, TOOLS } from '../replies.mjs';
import { nameOf, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { hasOutput, isAnswer, isUnanswered } from './shown.mjs';

export class Calls extends Promises {
  /** Whether a call needs something before the chat may go on. */
  isOpen(page, part) {
    const { state, approval, providerExecuted } = part;
    if (state === 'approval-requested') return true;
    if (state === 'approval-responded') {
      if (!isAnswer(approval?.approved)) return true;
      return approval.approved && PAGE_TOOLS.includes(nameOf(part));
    }
    if (state === 'output-denied') return false;
    if (hasOutput(part)) {
      if (part.preliminary === true) return true;
      if (this.isOfEarlierPage(page, part)) return false;
      const question = this.questionOf(page, part);
      return question !== undefined && approval?.approved !== true;
    }
    return approval !== undefined || !providerExecuted;
  }

  /** Whether the page has to run a call, and can. */
  waitsForPage(part) {
    const { page, asks } = TOOLS[nameOf(part)];
    if (!page) return false;
    return asks
      ? part.state === 'approval-responded' && part.approval.approved === true
      : part.state === 'input-available';
  }

  /**
   * Whether a page was loaded with an output over a question that nobody has answered. `ai` 6 has that where the server has
   * given the output, too, so no page can tell.
   */
  isOfEarlierPage({ loaded }, { toolCallId, approval }) {
    return (
      this.world.sdk.major < 7 &&
      toolParts(loaded).some(
        (part) => part.toolCallId === toolCallId && part.approval?.id === approval?.id && isUnanswered(part),
      )
    );
  }

  /** The newest question about the call of a part that the page has shown. */
  questionOf(page, part) {
    return this.truth.callOf(part)?.questions.findLast(({ approvalId }) => page.shown.has(approvalId));
  }
}
