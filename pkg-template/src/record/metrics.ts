// The metrics of a record, made of the figures of the core.
import type { RecordMetrics } from './types.js';

/** The figures of the core; see `Metrics::figures` in `src/core/record/metrics.rs`. */
export interface Figures extends Omit<
  RecordMetrics,
  'answers' | 'errors' | 'shares' | 'promptsPerTurn' | 'response' | 'storage' | 'pending'
> {
  answers: readonly (readonly [actor: string, count: number])[];
  times: readonly number[];
}

/** The number of these durations, and the smallest ones that half and 95 % of them do not exceed. */
function figuresOf(times: readonly number[]): RecordMetrics['response'] {
  const sorted = [...times].sort((a, b) => a - b);
  const percentile = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? null;
  return { count: sorted.length, medianMs: percentile(50), p95Ms: percentile(95) };
}

/** The maximum number of durations that are kept. */
const MOST_TIMES = 1_000;

/** The durations of the latest runs of something in this page, in milliseconds. */
export class Durations {
  readonly #times: number[] = [];

  add(time: number): void {
    this.#times.push(time);
    if (this.#times.length > MOST_TIMES) this.#times.shift();
  }

  figures(): RecordMetrics['response'] {
    return figuresOf(this.#times);
  }
}

/**
 * Adds the ratios to the figures, and what is known of this page only.
 *
 * @param transactions of the storage
 * @param queries of the calls that wait
 */
export function metricsOf(
  { answers, times, ...counts }: Figures,
  errors: ReadonlyMap<string, number>,
  transactions: Durations,
  queries: Durations,
): RecordMetrics {
  const { asked, turns } = counts;
  const share = (count: number) => asked && count / asked;
  return {
    ...counts,
    answers: Object.fromEntries(answers),
    errors: Object.fromEntries(errors),
    shares: {
      waiting: share(counts.waiting),
      allowed: share(counts.allowed),
      denied: share(counts.denied),
      expired: share(counts.expired),
      abandoned: share(counts.abandoned),
      recovered: share(counts.recovered),
    },
    promptsPerTurn: turns === 0 ? null : asked / turns,
    response: figuresOf(times),
    storage: transactions.figures(),
    pending: queries.figures(),
  };
}
