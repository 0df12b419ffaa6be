// Where the calls that are decided together are, in words.
import type { CallView, CommitResult, Snapshot } from '../prompt.js';
import type { Outcome } from '../types/events.js';
import type { SendResult } from '../types.js';
import type { QueueGuard, Say } from './desk.js';
import type { QueueMessageId } from './words.js';

export interface Progress {
  /** What it is about now. */
  heading: string;
  /** What was said so far, and what follows by itself. It has no time in it. */
  status: string;
  /** What a person can do to get on, where nothing goes on by itself. */
  proceed: { label: string; act: (guard: QueueGuard) => CommitResult | Promise<SendResult> } | undefined;
}

/** Closed without a person's answer: the sentence that says so is worth more than a count. */
const CLOSED: readonly (Outcome | undefined)[] = ['expired', 'unattended', 'superseded'];

/** @param calls the calls that are decided together, or that were decided together last */
export function progress(
  { batch, verdict }: Snapshot,
  calls: readonly CallView[],
  say: Say,
  now: number,
): Progress {
  const retry = { label: say('queue.retry'), act: ({ retry }: QueueGuard) => retry() };
  const told = (heading: string, proceed?: Progress['proceed'], ...more: string[]): Progress => ({
    heading,
    status: sentences(countsOf(calls, say), ...more),
    proceed,
  });

  if (verdict.reason === 'history') {
    return told(say('queue.history'), {
      label: say('queue.resume'),
      act: ({ resume }) => resume(),
    });
  }
  switch (batch.phase) {
    case 'asking': {
      const stopped = batch.stopped ? say('queue.stopped') : '';
      const expiring = calls.some((call) => call.expiring) ? say('queue.expiring') : '';
      return told(batch.words.summary, undefined, stopped, expiring);
    }
    case 'decided': {
      const label = say('action.send', { n: batch.total });
      // Its time is over, and more may still come in the response that asked.
      const isDue = batch.commitAt !== undefined && batch.commitAt <= now;
      return told(
        say(isDue ? 'queue.rest' : 'queue.decided'),
        batch.undoable ? { label, act: ({ commit }) => commit() } : undefined,
      );
    }
    case 'answered':
      switch (verdict.reason) {
        case 'waiting':
          return told(say('queue.rest'));
        case 'limit':
          return told(say('queue.limit'), retry);
        case 'all-denied':
        case 'not-in-send-on':
          return told(say('queue.held'));
        case 'stopped':
          return told(say('queue.stopped'), retry);
        default:
          // A predicate around the guard's may have said no: then a person can still send.
          return verdict.send
            ? told(say('queue.decided'), { ...retry, label: say('queue.resume') })
            : told(say('queue.sending'));
      }
    case 'sending':
      return told(say('queue.sending'));
    case 'failed':
      return told(say('error.send'), retry);
    case 'in-doubt':
      return told(say('queue.doubt'), retry);
    case 'sent':
    case 'idle': {
      const closed = calls.filter(({ outcome }) => CLOSED.includes(outcome));
      const texts = new Set(closed.map(({ words }) => words.outcome));
      const sent = calls.filter((call) => !closed.includes(call));
      const elsewhere = sent.every(({ actor }) => actor === 'tab');
      return {
        heading: say(sent.length === 0 ? 'queue.closed' : elsewhere ? 'queue.elsewhere' : 'queue.sent'),
        status: sentences(countsOf(sent, say), ...texts),
        proceed: undefined,
      };
    }
  }
}

/** "1 denied, 2 allowed": what a person, a grant or time said. */
function countsOf(calls: readonly CallView[], say: Say): string {
  const count = (
    id: QueueMessageId,
    decision: CallView['decision'],
    ...outcomes: (Outcome | undefined)[]
  ) => {
    const is = (call: CallView) =>
      call.actor === 'tab' ? call.decision === decision : outcomes.includes(call.outcome);
    const n = calls.filter(is).length;
    return n === 0 ? [] : [say(id, { n })];
  };
  return [
    ...count('queue.denied', 'denied', 'denied', 'denied-chat', 'denied-automatically', 'denied-by-rule'),
    ...count(
      'queue.allowed',
      'allowed',
      ...(['allowed-once', 'allowed-chat', 'allowed-automatically', 'allowed-by-rule'] as const),
    ),
    ...count('queue.expired', undefined, 'expired'),
  ].join(', ');
}

/** Texts as sentences, one after the other. */
export const sentences = (...texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text) => (/[\p{Sentence_Terminal}…]\p{Pe}*$/u.test(text) ? text : `${text}.`))
    .join(' ');
