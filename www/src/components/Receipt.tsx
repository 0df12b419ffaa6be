import type { Run } from '../../shared/protocol.ts';
import { isHonestDenial } from '../honest.ts';
import type { SentRequest } from '../recorder.ts';

interface ReceiptProps {
  answers: ReadonlyMap<string, boolean>;
  requests: readonly SentRequest[];
  runs: readonly Run[];
}

/** The whole story in three figures. */
export function Receipt({ answers, requests, runs }: ReceiptProps) {
  const callsOf = (answer: boolean) => [...answers].filter(([, given]) => given === answer);
  const denied = callsOf(false);
  const allowed = callsOf(true);

  const sentDenied = denied.flatMap(([id]) => {
    const sent = requests.findLast(({ calls }) =>
      calls.some((call) => call.toolCallId === id && call.state !== 'approval-requested'),
    );
    return sent?.calls.find((call) => call.toolCallId === id) ?? [];
  });
  const honest = sentDenied.filter(isHonestDenial);
  const timesRun = allowed.map(([id]) => runs.find((run) => run.toolCallId === id)?.times ?? 0);
  const mostRuns = Math.max(0, ...timesRun);

  return (
    <dl className="receipt" aria-label="In short">
      <Figure
        label="requests sent"
        value={String(requests.length)}
        tone={requests.length >= 8 ? 'bad' : 'plain'}
      />
      <Figure
        label="denials sent as denials"
        value={sentDenied.length === 0 ? '–' : `${honest.length} of ${sentDenied.length}`}
        tone={sentDenied.length === 0 ? 'plain' : honest.length === sentDenied.length ? 'good' : 'bad'}
      />
      <Figure
        label="runs of an allowed call"
        value={mostRuns === 0 ? '–' : String(mostRuns)}
        tone={mostRuns === 0 ? 'plain' : mostRuns === 1 ? 'good' : 'bad'}
      />
    </dl>
  );
}

function Figure(props: { label: string; value: string; tone: 'plain' | 'good' | 'bad' }) {
  return (
    <div className={`figure ${props.tone}`}>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
