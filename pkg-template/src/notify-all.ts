/**
 * Calls every listener, also after one has thrown. Its error goes to the console: the page that registered the listener
 * is not on the stack and could not catch it.
 */
export function notifyAll(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener();
    } catch (cause) {
      console.error(cause);
    }
  }
}
