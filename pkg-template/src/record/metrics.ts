import type { RecordMetrics } from './types.js';

/** The figures of the core; see `Metrics::figures` in `src/core/record/metrics.rs`. */
export interface Figures extends Omit<
  RecordMetrics,
  'answers' | 'errors' | 'shares' | 'promptsPerTurn' | 'response'
> {
  answers: readonly (readonly [actor: string, count: number])[];
  times: number;
  medianMs?: number;
  p95Ms?: number;
}

/** Adds the ratios to the figures. */
export function metricsOf(
  { answers, times, medianMs, p95Ms, ...counts }: Figures,
  errors: ReadonlyMap<string, number>,
): RecordMetrics {
  const { asked, turns } = counts;
  const share = (count: number) => (asked === 0 ? 0 : count / asked);
  return {
    ...counts,
    answers: Object.fromEntries(answers),
    errors: Object.fromEntries(errors),
    shares: {
      allowed: share(counts.allowed),
      denied: share(counts.denied),
      expired: share(counts.expired),
      abandoned: share(counts.abandoned),
      recovered: share(counts.recovered),
    },
    promptsPerTurn: turns === 0 ? null : asked / turns,
    response: { count: times, medianMs: medianMs ?? null, p95Ms: p95Ms ?? null },
  };
}
