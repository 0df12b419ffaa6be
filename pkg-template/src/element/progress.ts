// The progress of a batch as text.
import type { CallView, Snapshot } from '../prompt.js';
import type { Outcome } from '../types/events.js';
import type { CardContext, Translate } from './context.js';

export interface Progress {
  /** The current phase. */
  heading: string;
  /**
   * The decisions so far, and what follows automatically. It contains no time, so it does not change every
   * second.
   */
  status: string;
  /** The label of the button that does `batch.action`; empty if there is none. */
  label: string;
}

/** Outcomes without a person's answer: their own sentence says more than a count. */
const CLOSED: readonly (Outcome | undefined)[] = [
  'expired',
  'unattended',
  'superseded',
  'superseded-in-doubt',
];

/** The label of the button that does what the batch needs; empty if it needs none. */
function labelOf({ action, phase, total }: Snapshot['batch'], translate: Translate): string {
  if (action === undefined) return '';
  if (action === 'retry') return translate('queue.retry');
  return phase === 'decided' ? translate('action.send', { n: total }) : translate('queue.resume');
}

/** @param calls the calls of the batch, or of the last one when it is over */
export function progress(
  { batch, verdict }: Snapshot,
  calls: readonly CallView[],
  { translate, words }: Pick<CardContext, 'translate' | 'words'>,
  now: number,
): Progress {
  const { action } = batch;
  const result = (heading: string, ...more: string[]): Progress => ({
    heading,
    status: sentences(countsOf(calls, translate), ...more),
    label: labelOf(batch, translate),
  });

  if (verdict.reason === 'history') return result(translate('queue.history'));
  switch (batch.phase) {
    case 'asking': {
      const stopped = batch.stopped ? translate('queue.stopped') : '';
      const expiring = calls.some((call) => call.expiring) ? translate('queue.expiring') : '';
      return result(words.batch(batch).summary, stopped, expiring);
    }
    case 'decided': {
      // The undo period is over, but the response may still bring more calls.
      const isDue = batch.commitAt !== undefined && batch.commitAt <= now;
      return result(translate(isDue ? 'queue.rest' : 'queue.decided'));
    }
    case 'answered':
      switch (verdict.reason) {
        case 'waiting':
          return result(translate('queue.rest'));
        case 'limit':
          return result(translate('queue.limit'));
        case 'stopped':
          return result(translate('queue.stopped'));
        case 'all-denied':
        case 'not-in-send-on':
          // A message of the user carries a denial.
          return result(translate(action === undefined ? 'queue.held' : 'queue.decided'));
        default:
          return result(translate(action === undefined ? 'queue.sending' : 'queue.decided'));
      }
    case 'sending':
      return result(translate('queue.sending'));
    case 'failed':
      return result(translate('error.send'));
    case 'in-doubt':
      return result(translate('queue.doubt'));
    case 'sent':
    case 'idle': {
      const closed = calls.filter(({ outcome }) => CLOSED.includes(outcome));
      const texts = new Set(closed.map((call) => words.call(call).outcome));
      // A call that the chat has left behind may never have been answered.
      const sent = calls.filter((call) => call.decision !== undefined && !closed.includes(call));
      const elsewhere = sent.every(({ actor }) => actor === 'tab');
      return {
        heading: translate(sent.length === 0 ? 'queue.closed' : elsewhere ? 'queue.elsewhere' : 'queue.sent'),
        status: sentences(countsOf(sent, translate), ...texts),
        label: '',
      };
    }
  }
}

/** "1 denied, 2 allowed": the answers of persons, grants and timers. */
function countsOf(calls: readonly CallView[], translate: Translate): string {
  const count = (
    id: 'queue.allowed' | 'queue.denied' | 'queue.expired',
    decision: CallView['decision'],
    ...outcomes: (Outcome | undefined)[]
  ) => {
    const is = (call: CallView) =>
      call.actor === 'tab' ? call.decision === decision : outcomes.includes(call.outcome);
    const n = calls.filter(is).length;
    return n === 0 ? [] : [translate(id, { n })];
  };
  return [
    ...count(
      'queue.denied',
      'denied',
      'denied',
      'denied-chat',
      'denied-automatically',
      'denied-by-rule',
      'denied-externally',
    ),
    ...count(
      'queue.allowed',
      'allowed',
      'allowed-once',
      'allowed-chat',
      'allowed-automatically',
      'allowed-by-rule',
      'allowed-externally',
    ),
    ...count('queue.expired', undefined, 'expired'),
  ].join(', ');
}

/** Joins texts as sentences. */
export const sentences = (...texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text) => (/[\p{Sentence_Terminal}…]\p{Pe}*$/u.test(text) ? text : `${text}.`))
    .join(' ');
