import { useRef } from 'react';
import type { CallView, Outcome, Snapshot } from 'tool-approval-guard';
import type { DemoGuard } from '../useDemoChat.ts';
import { useKeptFocus } from '../useKeptFocus.ts';
import { secondsUntil, useNow } from '../useNow.ts';

interface DecisionBarProps {
  guard: DemoGuard;
  snapshot: Snapshot;
  /** The number of the user's last message. */
  turn: number;
  /** The person has stopped the assistant. */
  stopped: boolean;
}

/** The calls that are decided together: what is missing, and what can be done with all of them. */
export function DecisionBar({ guard, snapshot, turn, stopped }: DecisionBarProps) {
  const { batch, calls } = snapshot;
  const keptFocus = useKeptFocus<HTMLElement>('.undo-all');
  const now = useNow(batch.commitAt !== undefined);
  const shown = useLastBatch(batch.toolCallIds, turn);
  const own = calls.filter(({ toolCallId }) => shown.includes(toolCallId));
  const waiting = own.filter(({ status }) => status === 'asking');
  const text = status(guard, snapshot, own, stopped);

  return (
    <section
      {...keptFocus}
      className={text === '' ? 'decisions empty' : 'decisions'}
      aria-label="Decisions"
      data-phase={batch.phase}
    >
      <p className="summary" role="status">
        {text}
      </p>
      {batch.commitAt !== undefined && (
        <p className="countdown" role="timer">
          Sends in {secondsUntil(batch.commitAt, now)} s
        </p>
      )}
      <div className="card-actions">
        {batch.asking > 1 && (
          <button type="button" onClick={() => guard.decideAll(waiting, 'deny')}>
            Deny all {batch.asking}
          </button>
        )}
        {batch.asking > 1 && batch.allowAll && (
          <button type="button" onClick={() => guard.decideAll(waiting, 'allow-once')}>
            Allow all {batch.asking} once
          </button>
        )}
        {batch.undoable && batch.total > 1 && (
          <button type="button" className="undo-all" onClick={() => guard.undoAll()}>
            {guard.text('action.undoAll')}
          </button>
        )}
        {batch.commitAt !== undefined && (
          <button type="button" className="primary" onClick={() => guard.commit()}>
            {guard.text('action.send', { n: batch.total })}
          </button>
        )}
      </div>
    </section>
  );
}

/** The calls of the batch, also while the model already answers, until the user writes again. */
function useLastBatch(toolCallIds: readonly string[], turn: number): readonly string[] {
  const last = useRef({ toolCallIds, turn });
  if (toolCallIds.length > 0 || last.current.turn !== turn) last.current = { toolCallIds, turn };
  return last.current.toolCallIds;
}

/** One text for all that changes, so that it is read out once. It has no seconds in it. */
function status(
  guard: DemoGuard,
  { batch, verdict }: Snapshot,
  calls: readonly CallView[],
  stopped: boolean,
): string {
  if (stopped) return 'Stopped. Nothing runs unless you answer.';
  const { summary, loop } = batch.words;
  const decided = counts(calls);
  switch (batch.phase) {
    case 'asking': {
      const expiring = calls.some((call) => call.expiring);
      return sentences(summary, decided, loop, expiring ? 'A request expires soon' : '');
    }
    case 'decided':
      return sentences(decided, 'Nothing is sent yet');
    case 'answered':
      if (verdict.reason === 'waiting') return sentences(decided, 'Waits for the rest of this step');
      return sentences(decided, 'Sending');
    case 'sending':
      return sentences(decided, 'Sending');
    case 'sent':
    case 'idle':
      return decided === '' ? '' : sentences(decided, 'Sent');
    case 'failed':
      return guard.text('error.send');
    case 'in-doubt':
      return 'The request broke off. What you allowed may have run.';
  }
}

/** What a person, a grant or time said here: what the server decided by itself is not part of it. */
function counts(calls: readonly CallView[]): string {
  const outcomes = calls.map(({ outcome }) => outcome);
  const count = (word: string, ...of: Outcome[]) => {
    const found = outcomes.filter((outcome) => outcome !== undefined && of.includes(outcome)).length;
    return found > 0 ? [`${found} ${word}`] : [];
  };
  return [
    ...count('denied', 'denied', 'denied-chat', 'denied-automatically'),
    ...count('expired', 'expired'),
    ...count('allowed', 'allowed-once', 'allowed-chat', 'allowed-automatically'),
  ].join(', ');
}

const sentences = (...parts: string[]) =>
  parts
    .filter((part) => part !== '')
    .map((part) => (/[.?!]$/.test(part) ? part : `${part}.`))
    .join(' ');
