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

/** The state of the hash: what closures share would be numbers on the heap. */
const state = new Int32Array(4);

/** @param {number} word @param {number} by */
const rotate = (word, by) => (word << by) | (word >>> (32 - by));

/**
 * Takes the first units of a text, two in a word; or without a text one word as it is.
 * @param {string | undefined} text @param {number} end how many units, or the word
 */
function mix(text, end) {
  let [v0 = 0, v1 = 0, v2 = 0, v3 = 0] = state;
  const stop = text === undefined ? 1 : end;
  for (let i = 0; i < stop; i += 2) {
    const word =
      text === undefined ? end : text.charCodeAt(i) | (i + 1 < end ? text.charCodeAt(i + 1) << 16 : 0);
    v3 ^= word;
    for (let n = 0; n < 2; n++) {
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
    }
    v0 ^= word;
  }
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}

/** The four rounds at the end; answers one half. @param {number} lane @param {number} constant */
function finish(lane, constant) {
  state[lane] = (state[lane] ?? 0) ^ constant;
  // Two words of nothing are four rounds.
  mix(undefined, 0);
  mix(undefined, 0);
  return (state[1] ?? 0) ^ (state[3] ?? 0);
}

/**
 * @param {unknown} value
 * @param {number} budget
 * @param {Uint32Array} out receives the low and the high half; the low one is never 0, and odd for what
 * was read in full
 */
export function digest(value, budget, out) {
  key ??= crypto.getRandomValues(new Uint32Array(2));
  const [low = 0, high = 0] = key;
  state.set([low, high ^ 0xee, 0x6c796765 ^ low, 0x74656462 ^ high]);
  let left = budget;
  let values = Math.min(budget, VALUES);

  /** @param {string} text */
  const mixText = (text) => {
    mix(undefined, text.length);
    const end = Math.min(text.length, Math.max(left, 0));
    if (end > 0) mix(text, end);
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
      mix(undefined, 1);
      mixText(next);
    } else if (typeof next !== 'object' || next === null) {
      mix(undefined, 2);
      mixText(String(next));
    } else if (seen.has(next)) {
      mix(undefined, 3);
    } else {
      seen.add(next);
      if (Array.isArray(next)) {
        mix(undefined, 4);
        mix(undefined, next.length);
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
        mix(undefined, 5);
        mix(undefined, list.length);
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
  out[0] = finish(2, 0xee) | 1;
  out[1] = finish(1, 0xdd);
}
