// How a button stands still for long enough without anybody waiting for it, where the press itself is not what a test is
// about. What is about presses waits: `tests/queue/press-*.test.mjs` and `accident.test.mjs`.

/** How long a button has to stand still before a press counts, and some time for a slow machine. */
export const SETTLED_MS = 750;

/**
 * Runs in a page, before its scripts. The guard of presses samples the place of each button, and a press counts half a
 * second after the first sample at that place. The page returned here waits for that sample, and then puts its clock
 * forward: what `performance.now()` and the time stamps of events say. Everything else of a press is as it always is.
 *
 * @param {number} settled
 * @returns {(button: Element) => Promise<void>} lets a button stand still
 */
export function installStanding(settled) {
  let ahead = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + ahead;
  const stamp = /** @type {(this: Event) => number} */ (
    Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp')?.get
  );
  Object.defineProperty(Event.prototype, 'timeStamp', {
    configurable: true,
    enumerable: true,
    /** @this {Event} */
    get() {
      return stamp.call(this) + ahead;
    },
  });

  const { getBoundingClientRect: measure } = Element.prototype;
  const placeOf = (/** @type {Element} */ button) => JSON.stringify(measure.call(button));
  /** Until the guard has sampled the button, and the frame of the sample is painted. @param {Element} button */
  const sampled = (button) =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      button.getBoundingClientRect = () => {
        // The guard notes the time in a timer that it sets after its sample.
        setTimeout(() => setTimeout(resolve));
        return measure.call(button);
      };
      // A button that decides nothing is not guarded.
      setTimeout(resolve, settled);
    });

  return async (button) => {
    for (let place = ''; place !== placeOf(button);) {
      place = placeOf(button);
      await sampled(button);
    }
    Reflect.deleteProperty(button, 'getBoundingClientRect');
    ahead += settled;
  };
}
