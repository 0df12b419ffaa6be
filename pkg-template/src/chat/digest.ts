// A 64-bit hash of a JSON-like value, the same for each order of its keys: whether an input is still the one that a person
// saw. The author of an input may try to forge it, so the hash is keyed: HalfSipHash-2-4 (Aumasson and Bernstein), with a
// key that is known only in this page.

/** The two halves of a hash. */
export type Digest = readonly [low: number, high: number];

/** The digest of a missing value. */
export const NO_DIGEST: Digest = [0, 0];

/**
 * The largest number of values and characters that are read. An output is sampled: if two outputs differ only
 * beyond the budget, the same call is not sent a second time automatically, which is all that can happen. An
 * input beyond its budget (16 million, enough to read 10 MB in full) equals no other input.
 */
export const OUTPUT_BUDGET = 65_536;
export const INPUT_BUDGET = 16_777_216;

/** The largest number of values in an input, because a hostile object can be endless. */
const VALUES = 1_048_576;

let key: Uint32Array | undefined;

/** A value that is too long to read equals no other: its hash is the next even number. */
let incomparable = 0;

/** The state of the hash. In variables shared by closures, the numbers would be boxed on the heap. */
const state = new Int32Array(4);

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Mixes in the units of a text up to `end`, two per word; without a text, `end` as one word. */
function mix(text: string | undefined, end: number): void {
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

/** Runs the four final rounds, and returns one half. */
function finish(lane: number, constant: number): number {
  state[lane] = (state[lane] ?? 0) ^ constant;
  // Two empty words make four rounds.
  mix(undefined, 0);
  mix(undefined, 0);
  return (state[1] ?? 0) ^ (state[3] ?? 0);
}

/** The field names and values of an object, sorted by name, without undefined ones. */
function entriesOf(object: object): readonly unknown[] {
  const fields = object as Readonly<Record<string, unknown>>;
  const list: unknown[] = [];
  for (const name of Object.keys(object).sort()) {
    const value = fields[name];
    if (value !== undefined) list.push(name, value);
  }
  return list;
}

/**
 * Hashes a value.
 *
 * @param out receives the low and the high half; the low half is never 0, and odd if the value was read in
 * full
 */
export function digest(value: unknown, budget: number, out: Uint32Array): void {
  key ??= crypto.getRandomValues(new Uint32Array(2));
  const [low = 0, high = 0] = key;
  state.set([low, high ^ 0xee, 0x6c796765 ^ low, 0x74656462 ^ high]);
  let left = budget;
  let values = Math.min(budget, VALUES);

  const mixText = (text: string): void => {
    mix(undefined, text.length);
    const end = Math.min(text.length, Math.max(left, 0));
    if (end > 0) mix(text, end);
    left -= text.length;
  };

  // An explicit stack, because messages may be nested deeper than the call stack allows. A frame is a list
  // and the position of its next value.
  const stack: { list: readonly unknown[]; next: number }[] = [{ list: [value], next: 0 }];
  /** The objects so far, each with its number. */
  const seen = new Map<object, number>();
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
      mix(undefined, seen.get(next) ?? 0);
    } else {
      seen.set(next, seen.size);
      const list: readonly unknown[] = Array.isArray(next) ? next : entriesOf(next);
      mix(undefined, Array.isArray(next) ? 4 : 5);
      mix(undefined, list.length);
      stack.push({ list, next: 0 });
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

const halves = new Uint32Array(2);

/** The hash of a value; {@link NO_DIGEST} for `undefined`. */
export function digestOf(value: unknown, budget: number): Digest {
  if (value === undefined) return NO_DIGEST;
  digest(value, budget, halves);
  return [halves[0] ?? 0, halves[1] ?? 0];
}

export const sameDigest = (a: Digest, b: Digest): boolean => a[0] === b[0] && a[1] === b[1];
