/**
 * Calls every listener, even after one has thrown. Its error goes to the console, because the code that
 * registered the listener is not on the stack and could not catch it.
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
