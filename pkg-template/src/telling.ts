/**
 * Calls every one of them: one that throws must not keep the others from hearing it. What it throws is its own, and
 * nobody who could mend it waits for an answer.
 */
export function tell(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener();
    } catch (cause) {
      console.error(cause);
    }
  }
}
