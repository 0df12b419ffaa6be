// No message of the user is lost, and what the application is told is true.
import { toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { brief, isUnanswered, text } from './shown.mjs';

/** What is reported only after a mistake that no history makes. */
const NEVER = new Set([
  ...[
    'malformed-approval',
    'wrong-chat',
    'commit-failed',
    'repair-failed',
    'listener-failed',
    'unreadable-messages',
  ],
  ...['wasm-unavailable', 'wasm-trapped', 'record-unreadable', 'record-rolled-back'],
]);

export class Told extends Promises {
  ended(page) {
    this.#messagesArrived(page);
    this.#told(page);
  }

  /** A message of the user reaches the server, or the application is told that it does not. */
  #messagesArrived(page) {
    for (const one of this.truth.acts) {
      if (one.page !== page || !['say', 'edit'].includes(one.act)) continue;
      const isTaken = this.truth.acts.some(
        (other) =>
          other.page === page &&
          // A chat with a queue stops itself before an edit, and takes the list as it is then.
          (other.at > one.at || (this.options.queue && other.turn === one.turn)) &&
          other !== one &&
          ['list', 'edit', 'regenerate', 'stop'].includes(other.act),
      );
      const arrived = page.requests.some(({ wire }) =>
        wire.some(({ role, parts }) => role === 'user' && parts.some((part) => part.text === one.text)),
      );
      const isTold = one.isTold || page.errors.length > one.errors;
      const isQueued = page.chat.experimental_queuedMessages?.some(({ parts }) => parts[0].text === one.text);
      if (!arrived && !isTold && !isTaken && !isQueued)
        this.breaks("a user's message is lost", { text: one.text });
    }
  }

  /** What the application is told is true. */
  #told(page) {
    // What was answered on another device, or was in doubt, may have run before its denial.
    const isLoaded = (approvalId) =>
      toolParts(page.loaded).some(
        ({ approval }) => approval?.id === approvalId && approval.approved === false,
      );
    const isDenied = ({ approvalId }) => page.denied.has(approvalId) || isLoaded(approvalId);
    const hasRun = this.truth.runs.some((run) => run.approvalId !== undefined && isDenied(run));
    // Law 17: what a server refuses in the list that the page was loaded with.
    const nameOfResult = ({ toolCallId, output, errorText }) => text([toolCallId, output, errorText]);
    const stored = toolParts(page.loaded).filter(isUnanswered).map(nameOfResult);
    const leaves = toolParts(page.requests[0]?.wire ?? []).some(
      (part) => isUnanswered(part) && stored.includes(nameOfResult(part)),
    );
    const isReported = page.errors.some(({ code }) => code === 'malformed-approval');
    if (leaves && !isReported && !this.options.engine)
      this.breaks('an output beside a question is not reported', { loaded: brief(page.loaded) });
    for (const { code, message } of page.errors) {
      if (
        code === 'malformed-approval' &&
        page.requests.some(({ wire }) => toolParts(wire).some(isUnanswered))
      )
        continue;
      if (code === 'output-of-denied-call' ? !hasRun : NEVER.has(code))
        this.breaks(`${code} is reported`, { message });
    }
  }
}
