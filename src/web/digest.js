// @ts-check
// A 64-bit hash of a JSON-like value, equal for equal values whatever the order of their keys.

/** The most values and characters that are looked at. An output is sampled: a difference beyond its
 * budget only means that the same call is not sent a second time by itself. An input beyond its
 * budget (16 million, so that 10 MB are read in full) is equal to no other, not even to itself. */
export const OUTPUT_BUDGET = 65_536;
export const INPUT_BUDGET = 16_777_216;

/** The most values of an input: a hostile object can be endless. */
const VALUES = 1_048_576;

let incomparable = 0;

/**
 * @param {unknown} value
 * @param {number} budget
 * @param {Uint32Array} out receives the low and the high half; the low one is never 0
 */
export function digest(value, budget, out) {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  let left = budget;
  let values = Math.min(budget, VALUES);

  /** @param {number} code */
  const mix = (code) => {
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
    low ^= high >>> 15;
  };
  /** @param {string} text */
  const mixText = (text) => {
    mix(text.length);
    const end = Math.min(text.length, Math.max(left, 0));
    for (let i = 0; i < end; i++) mix(text.charCodeAt(i));
    left -= text.length;
  };

  // A stack of its own: messages may be nested deeper than the call stack allows. A frame is a list
  // and how far it was read.
  /** @type {{ list: readonly unknown[], next: number }[]} */
  const stack = [{ list: [value], next: 0 }];
  /** @type {Set<object>} */
  const seen = new Set();
  for (let frame = stack.at(-1); frame !== undefined && left > 0 && values > 0; frame = stack.at(-1)) {
    if (frame.next >= frame.list.length) {
      stack.pop();
      continue;
    }
    const next = frame.list[frame.next++];
    values--;
    left--;
    if (typeof next === 'string') {
      mix(1);
      mixText(next);
    } else if (typeof next !== 'object' || next === null) {
      mix(2);
      mixText(String(next));
    } else if (seen.has(next)) {
      mix(3);
    } else {
      seen.add(next);
      if (Array.isArray(next)) {
        mix(4);
        mix(next.length);
        stack.push({ list: next, next: 0 });
      } else {
        const keys = Object.keys(next).sort();
        const entries = /** @type {Readonly<Record<string, unknown>>} */ (next);
        /** @type {unknown[]} */
        const list = [];
        for (const key of keys) {
          const entry = entries[key];
          if (entry !== undefined) list.push(key, entry);
        }
        mix(5);
        mix(list.length);
        stack.push({ list, next: 0 });
      }
    }
  }
  if (stack.length > 0 && budget === INPUT_BUDGET) mix(++incomparable);
  out[0] = low | 1;
  out[1] = high;
}
