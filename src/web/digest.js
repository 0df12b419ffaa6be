// @ts-check
// A 64-bit hash of a JSON-like value, equal for equal values whatever the order of their keys.

/** The most values and characters of an output that are looked at: outputs can be huge, and a
 * difference beyond this only means that the same call is not sent a second time by itself. */
export const OUTPUT_BUDGET = 65_536;

/**
 * @param {unknown} value
 * @param {number} budget how many values and characters are looked at
 * @param {Uint32Array} out receives the low and the high half
 */
export function digest(value, budget, out) {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  let left = budget;

  /** @param {number} code */
  const mix = (code) => {
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
    low ^= high >>> 15;
  };
  /** @param {string} text */
  const mixText = (text) => {
    mix(text.length);
    const end = Math.min(text.length, left);
    for (let i = 0; i < end; i++) mix(text.charCodeAt(i));
    left -= end;
  };

  // A stack of its own: messages may be nested deeper than the call stack allows.
  /** @type {unknown[]} */
  const stack = [value];
  /** @type {Set<object>} */
  const seen = new Set();
  while (stack.length > 0 && left > 0) {
    const next = stack.pop();
    left--;
    if (typeof next === 'string') {
      mix(1);
      mixText(next);
    } else if (typeof next === 'object' && next !== null) {
      if (seen.has(next)) {
        mix(2);
        continue;
      }
      seen.add(next);
      if (Array.isArray(next)) {
        mix(3);
        mix(next.length);
        const end = Math.min(next.length, left);
        for (let i = 0; i < end; i++) stack.push(next[i]);
      } else {
        const entries = Object.entries(next).filter(([, entry]) => entry !== undefined);
        entries.sort(([a], [b]) => (a < b ? -1 : 1));
        mix(4);
        mix(entries.length);
        for (const [key, entry] of entries) {
          mixText(key);
          stack.push(entry);
        }
      }
    } else {
      mix(5);
      mixText(String(next));
    }
  }
  // 0 stands for no value.
  out[0] = low | 1;
  out[1] = high;
}
