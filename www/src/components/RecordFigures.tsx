import type { RecordMetrics } from 'tool-approval-guard/record';
import { duration } from '../timeline.ts';

/** What the record adds up to. */
export function RecordFigures({ metrics }: { metrics: RecordMetrics }) {
  const { asked, response, shares, promptsPerTurn, recovered, automatic } = metrics;
  const time = (ms: number | null) => (ms === null ? '–' : duration(ms));
  const share = (part: number) => (asked === 0 ? '–' : `${Math.round(part * 100)} %`);
  const figures = {
    'calls that asked': asked,
    'median response': time(response.medianMs),
    'p95 response': time(response.p95Ms),
    'prompts per turn': promptsPerTurn?.toFixed(1) ?? '–',
    allowed: share(shares.allowed),
    denied: share(shares.denied),
    expired: share(shares.expired),
    abandoned: share(shares.abandoned),
    'recovered calls': recovered,
    'automatic answers': automatic,
  };
  return (
    <dl className="figures" aria-label="Metrics">
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
