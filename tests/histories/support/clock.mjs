// The time of a history. Timers, `Date.now` and `performance.now` are those of a clock that stands still until a history lets time
// pass, so a day costs nothing. The same history always plays in the same order.

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
/** Timers that fire more often than this in one history fire without end. */
const MOST_FIRED = 20_000;

const nextTurn = globalThis.setImmediate;

/** The clock of this process. It replaces the real one as soon as this module is loaded. */
class Clock {
  #timers = new Map();
  #handles = 0;
  #passed = 0;
  #wall = START;
  #fired = 0;

  constructor() {
    Date.now = () => this.#wall;
    performance.now = () => 1_000 + this.#passed;
    globalThis.setTimeout = (run, delay, ...args) => {
      // Node and browsers treat a longer delay as 1 ms.
      const ms = delay >= 1 ? (delay > 2_147_483_647 ? 1 : delay) : 0;
      const handle = Object.assign(new Number((this.#handles += 1)), { ref() {}, unref() {} });
      this.#timers.set(handle, { due: this.#passed + ms, run: () => run(...args) });
      return handle;
    };
    globalThis.clearTimeout = (handle) => void this.#timers.delete(handle);
  }

  /** For each history: no timer is set, and the time is the same as in every other one. */
  reset() {
    this.#timers.clear();
    this.#passed = 0;
    this.#wall = START;
    this.#fired = 0;
  }

  get wall() {
    return this.#wall;
  }

  #next(end) {
    let first;
    for (const [handle, { due }] of this.#timers) {
      if (due <= end && (first === undefined || due < this.#timers.get(first).due)) first = handle;
    }
    return first;
  }

  /** All microtasks. */
  microtasks() {
    return new Promise((resolve) => nextTurn(resolve));
  }

  /** All microtasks, and every timer that is due. */
  turn() {
    return this.pass(0);
  }

  /** Lets time pass. Each timer fires when it is due, in a task of its own. */
  async pass(ms) {
    const end = this.#passed + ms;
    await this.microtasks();
    for (;;) {
      const handle = this.#next(end);
      if (handle === undefined) break;
      if ((this.#fired += 1) > MOST_FIRED) throw new Error('timers fire without end');
      const { due, run } = this.#timers.get(handle);
      this.#timers.delete(handle);
      this.#move(Math.max(0, due - this.#passed));
      run();
      await this.microtasks();
    }
    this.#move(end - this.#passed);
  }

  /** Lets time pass while no timer fires, as when the machine sleeps. */
  sleep(ms) {
    this.#move(ms);
  }

  /** Sets the wall clock, forward or back, while no time passes. */
  set(ms) {
    this.#wall += ms;
  }

  #move(ms) {
    this.#passed += ms;
    this.#wall += ms;
  }
}

export const clock = new Clock();
