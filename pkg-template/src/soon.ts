const tasks: (() => void)[] = [];
let port: MessagePort | undefined;

/**
 * Runs this in a task of its own, when all microtasks are done. In a page a message starts it: a timer waits for up to
 * a minute there while the page is hidden.
 */
export function soon(task: () => void): void {
  if (typeof document === 'undefined' || typeof MessageChannel === 'undefined') {
    setTimeout(task, 0);
    return;
  }
  if (port === undefined) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => tasks.shift()?.();
    // In Node, below a simulated document, it would keep the process alive.
    (port1 as { unref?: () => void }).unref?.();
    port = port2;
  }
  tasks.push(task);
  port.postMessage(undefined);
}
