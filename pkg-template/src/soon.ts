// Runs a task soon, in a way that no page can delay.
const tasks: (() => void)[] = [];
let port: MessagePort | undefined;

/**
 * Runs a function in a task of its own, after all microtasks. In a page a message starts it, because timers
 * can wait up to a minute while the page is hidden.
 */
export function soon(task: () => void): void {
  if (typeof document === 'undefined' || typeof MessageChannel === 'undefined') {
    setTimeout(task, 0);
    return;
  }
  if (port === undefined) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => tasks.shift()?.();
    // In Node with a simulated document, the port would keep the process alive.
    (port1 as { unref?: () => void }).unref?.();
    port = port2;
  }
  tasks.push(task);
  port.postMessage(undefined);
}
