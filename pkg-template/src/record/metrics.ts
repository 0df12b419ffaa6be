// The metrics of a record, made of the figures of the core.
import type { RecordMetrics } from './types.js';

/** The figures of the core; see `Metrics::figures` in `src/core/record/metrics.rs`. */
export interface Figures extends Omit<
  RecordMetrics,
  'answers' | 'errors' | 'shares' | 'promptsPerTurn' | 'response' | 'storage' | 'pending'
> {
  answers: readonly (readonly [actor: string, count: number])[];
  times: number;
  medianMs?: number;
  p95Ms?: number;
}

/** The smallest of these numbers that is no smaller than a share of them; `null` if there are none. */
function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
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

  figures(): RecordMetrics['storage'] {
    const times = this.#times;
    return { count: times.length, medianMs: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
  }
}

/**
 * Adds the ratios to the figures, and what is known of this page only.
 *
 * @param transactions of the storage
 * @param queries of the calls that wait
 */
export function metricsOf(
  { answers, times, medianMs, p95Ms, ...counts }: Figures,
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
    response: { count: times, medianMs: medianMs ?? null, p95Ms: p95Ms ?? null },
    storage: transactions.figures(),
    pending: queries.figures(),
  };
}
