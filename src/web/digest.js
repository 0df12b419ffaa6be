// @ts-check
// A 64-bit hash of a JSON-like value, equal for equal values whatever the order of their keys.
// It says whether an input is still the one that a person saw, and whoever writes inputs may want it to
// lie. So it is keyed: HalfSipHash-2-4 (Aumasson and Bernstein) under a key that nobody outside of this
// page knows, which makes two inputs with one hash a matter of luck.

/** The most values and characters that are looked at. An output is sampled: a difference beyond its
 * budget only means that the same call is not sent a second time by itself. An input beyond its
 * budget (16 million, so that 10 MB are read in full) is equal to no other. */
export const OUTPUT_BUDGET = 65_536;
export const INPUT_BUDGET = 16_777_216;

/** The most values of an input: a hostile object can be endless. */
const VALUES = 1_048_576;

/** @type {Uint32Array | undefined} */
let key;

/** What is too long to be read is equal to nothing else: its hash is a number of its own, and even. */
let incomparable = 0;

/** @param {number} word @param {number} by */
const rotate = (word, by) => (word << by) | (word >>> (32 - by));

/**
 * @param {unknown} value
 * @param {number} budget
 * @param {Uint32Array} out receives the low and the high half; the low one is never 0, and odd for what
 * was read in full
 */
export function digest(value, budget, out) {
  key ??= crypto.getRandomValues(new Uint32Array(2));
  const [low = 0, high = 0] = key;
  let v0 = low;
  let v1 = high ^ 0xee;
  let v2 = 0x6c796765 ^ low;
  let v3 = 0x74656462 ^ high;
  let left = budget;
  let values = Math.min(budget, VALUES);

  const round = () => {
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
  };
  /** @param {number} word */
  const mix = (word) => {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  /** @param {string} text */
  const mixText = (text) => {
    mix(text.length);
    const end = Math.min(text.length, Math.max(left, 0));
    let i = 0;
    for (; i + 1 < end; i += 2) mix(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
    if (i < end) mix(text.charCodeAt(i));
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
  if (stack.length > 0 && budget === INPUT_BUDGET) {
    incomparable += 2;
    out[0] = incomparable;
    out[1] = 0;
    return;
  }
  v2 ^= 0xee;
  for (let i = 0; i < 4; i++) round();
  out[0] = (v1 ^ v3) | 1;
  v1 ^= 0xdd;
  for (let i = 0; i < 4; i++) round();
  out[1] = v1 ^ v3;
}
