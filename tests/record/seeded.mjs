// Chance that can be had again.

const SEED = Number(process.env.TAG_SEED ?? 1);

/** Numbers from 0 to 1, for each `number` always the same ones; `TAG_SEED` chooses others. */
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
