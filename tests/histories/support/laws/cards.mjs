// The page shows what it can be asked about, and nothing else.
import { isTool, lastStep, toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { brief, hasOutput, text } from './shown.mjs';

/** The outcomes of calls that do not run. */
const DENIALS = new Set([
  ...[
    'denied',
    'denied-chat',
    'denied-automatically',
    'denied-by-rule',
    'denied-externally',
    'denied-elsewhere',
  ],
  ...['expired', 'unattended', 'superseded', 'superseded-in-doubt'],
]);

export class Cards extends Promises {
  /** The page shows what it can be asked about, and nothing else. */
  ended(page) {
    const { calls } = page.guard.getSnapshot();
    if (this.world.pages.length > 1) return;
    const asking = lastStep(page.messages).filter(
      (part) => isTool(part) && part.state === 'approval-requested',
    );
    for (const { approval } of asking) {
      const cards = calls.filter(({ approvalId }) => approvalId === approval.id);
      const [card] = cards;
      // A denial that an older list does not show stands, and is put back at the next check.
      const isDenied = DENIALS.has(card?.outcome);
      const isShown = cards.some(
        ({ waiting, status }) => waiting || ['drafted', 'answered'].includes(status),
      );
      if (!isDenied && !isShown) {
        this.breaks('a question without a card', {
          cards: cards.map(({ status, waiting, outcome }) => ({ status, waiting, outcome })),
          home: brief(page.messages),
        });
      }
    }
    for (const { approvalId, status, outcome, edited, display } of calls) {
      const runs = this.truth.runs.filter((run) => run.approvalId === approvalId);
      if (runs.length === 0 || status !== 'settled' || DENIALS.has(outcome)) continue;
      const { input, call } = runs.at(-1);
      if (
        text(edited?.to ?? call.input) !== text(input) &&
        !call.questions.some((one) => one.input !== call.input)
      )
        this.breaks('a card shows another input than the one that ran', {
          approvalId,
          edited,
          input,
          display,
        });
    }
    for (const { waiting, approvalId, toolCallId } of calls) {
      // An older list may show the call before its question, which is not lost by that; and an output over the question is
      // repaired at the next check.
      const isBefore = (part) =>
        part.toolCallId === toolCallId && (part.state.startsWith('input-') || hasOutput(part));
      if (lastStep(page.messages).some(isBefore)) continue;
      if (waiting && !asking.some(({ approval }) => approval.id === approvalId)) {
        this.breaks('a card without a question', { approvalId, home: brief(page.messages) });
      }
    }
    const { waitingFor } = page.guard.explain();
    for (const { key, approvalId, can } of calls) {
      const isAsking = waitingFor.some((one) => one.key === key && one.need === 'approval');
      if (isAsking && !can.deny && page.chat.status === 'ready')
        this.breaks('a question that cannot be answered', { approvalId, home: brief(page.messages) });
    }
    for (const { status, approvalId } of calls) {
      if (status === 'in-doubt' && !this.#isDoubtful(page, approvalId)) {
        this.breaks('a doubt without a reason', { approvalId, home: brief(page.messages) });
      }
    }
    const { commitAt } = page.guard.getSnapshot().batch;
    if (commitAt < Date.now() && page.chat.status === 'ready')
      this.breaks('a time of a commit that has passed', {
        commitAt,
        now: Date.now(),
        home: brief(page.messages),
      });
    const told = page.guard.explain().send;
    const yes = page.guard.sendAutomaticallyWhen({ messages: page.messages });
    if (told !== yes) this.breaks('explain() says otherwise', { told, yes, home: brief(page.messages) });
    // The chat does not ask about a list that the application has set.
    const isSet = this.truth.acts.some(
      ({ act, page: of }) => of === page && ['list', 'edit', 'regenerate', 'ask'].includes(act),
    );
    if (told && page.chat.status === 'ready' && !isSet)
      this.breaks('explain() says that it sends', {
        reason: page.guard.explain().reason,
        home: brief(page.messages),
      });
  }

  /** Whether a request that carried an allowance may have run it without a word, or may have left as its page was closed. */
  #isDoubtful(page, approvalId) {
    const isLost = ({ page: of, home }) =>
      of.isClosed && toolParts(home).some(({ approval }) => approval?.id === approvalId);
    if (this.truth.unsent.some(isLost)) return true;
    // Also those of the page before.
    return this.truth.requests.some(
      ({ wire, failed, response }) =>
        failed !== 'refused' &&
        toolParts(wire).some(({ approval }) => approval && approval.id === approvalId && approval.approved) &&
        (failed !== undefined || response !== undefined),
    );
  }

  /** What is refused because its call is gone does not ask any more. */
  refused(page, { approvalId, result }) {
    const asks = ({ state, approval }) => state === 'approval-requested' && approval.id === approvalId;
    if (result.reason === 'gone' && lastStep(page.messages).some((part) => isTool(part) && asks(part)))
      this.breaks('a call that asks is gone', { approvalId, home: brief(page.messages) });
  }
}
