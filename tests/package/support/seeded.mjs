// Random numbers that can be repeated.

const SEED = Number(process.env.TAG_SEED ?? 1);

/** Random numbers from 0 to 1, always the same for each `number`. `TAG_SEED` chooses others. */
export function seeded(number = 0) {
  let state = (Math.imul(SEED, 1_000_003) + number) >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
