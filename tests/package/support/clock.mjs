// A clock that the test controls: `Date.now`, `performance.now` and timers of 1 ms and more. Timers of 0 ms
// stay real, so that the event loop keeps turning, and so do those of what an earlier test has left open.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as realTurn } from 'node:timers/promises';

export const DAY = 86_400_000;
export const YEAR = 365 * DAY;

/** The clock of the test in which something runs. */
const clockOf = new AsyncLocalStorage();

/** @param t the test; the real clock is restored when it ends */
export function stoppedClock(t, { wall = Date.UTC(2026, 0, 2, 3, 4, 5) } = {}) {
  const real = { now: Date.now, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const timers = new Map();
  let monotonic = 1_000;
  let handles = 0;

  Date.now = () => wall;
  performance.now = () => monotonic;
  clockOf.enterWith(timers);
  globalThis.setTimeout = (run, delay, ...args) => {
    if (!(delay >= 1) || clockOf.getStore() !== timers) return real.setTimeout(run, delay, ...args);
    // Node and browsers treat a longer delay as 1 ms.
    const ms = delay > 2_147_483_647 ? 1 : delay;
    handles += 1;
    const handle = Object.assign(new Number(handles), { ref() {}, unref() {} });
    timers.set(handle, { due: monotonic + ms, run: () => run(...args) });
    return handle;
  };
  globalThis.clearTimeout = (handle) => {
    if (!timers.delete(handle)) real.clearTimeout(handle);
  };
  t.after(() => {
    Date.now = real.now;
    delete performance.now;
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
  });

  const move = (ms) => {
    wall += ms;
    monotonic += ms;
  };
  const turns = async () => {
    for (let i = 0; i < 4; i += 1) await realTurn(0);
  };

  return {
    now: () => wall,
    /** How many timers are set. */
    get timers() {
      return timers.size;
    },
    /** Lets time pass; each timer fires when it is due. */
    async pass(ms) {
      const end = monotonic + ms;
      for (;;) {
        const [handle, next] = [...timers].reduce(
          (first, timer) => (timer[1].due <= end && !(first[1]?.due <= timer[1].due) ? timer : first),
          [],
        );
        if (!next) break;
        timers.delete(handle);
        move(Math.max(next.due - monotonic, 0));
        next.run();
        await turns();
      }
      move(end - monotonic);
      await turns();
    },
    /** Lets time pass without firing timers, as when the machine sleeps or the browser suspends the tab. */
    sleep: (ms) => move(ms),
    /** Sets the wall clock forward or backward, without time passing. */
    set: (ms) => {
      wall += ms;
    },
  };
}
