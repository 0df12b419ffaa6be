/**
 * Calls `end` when this time is over, and returns a function that cancels this. A page that was frozen hears only
 * after its timers what happened meanwhile, so at least half of the time passes while the page runs.
 */
export function timeLimit(ms: number, end: () => void): () => void {
  let timer = setTimeout(() => (timer = setTimeout(end, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}
