import type { RecordMetrics } from './types.js';

/** The figures of the core; see `Metrics::figures` in `src/core/record/metrics.rs`. */
export interface Figures extends Omit<
  RecordMetrics,
  'answers' | 'errors' | 'shares' | 'promptsPerTurn' | 'response' | 'storage'
> {
  answers: readonly (readonly [actor: string, count: number])[];
  times: number;
  medianMs?: number;
  p95Ms?: number;
}

/** The smallest of these numbers that is no smaller than a share of them; `null` if there are none. */
function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}

/**
 * Adds the ratios to the figures, and what is known of this page only.
 *
 * @param transactions how long the latest transactions of the storage took, in milliseconds
 */
export function metricsOf(
  { answers, times, medianMs, p95Ms, ...counts }: Figures,
  errors: ReadonlyMap<string, number>,
  transactions: readonly number[],
): RecordMetrics {
  const { asked, turns } = counts;
  // The answer to one call can be restored by many pages.
  const share = (count: number) => asked && Math.min(1, count / asked);
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
    storage: {
      count: transactions.length,
      medianMs: percentile(transactions, 0.5),
      p95Ms: percentile(transactions, 0.95),
    },
  };
}
