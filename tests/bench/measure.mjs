// Times contenders side by side: round by round, in turns, as long batches. Runs in Node and in pages.

/** What the contenders answered; read by the report, so that no work can be left out. */
export let answers = 0;

const median = (values) => quantile(values, 0.5);
export function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const low = sorted[Math.floor(place)];
  return low + (sorted[Math.ceil(place)] - low) * (place - Math.floor(place));
}

/** How often each contender was asked: a batch goes on where the one before it ended. */
const asked = new WeakMap();

/** Milliseconds of one batch. A contender with `asynchronous: true` is awaited call by call. */
async function batch(contender, times) {
  const { ask, asynchronous } = contender;
  const from = asked.get(contender) ?? 0;
  asked.set(contender, from + times);
  let sum = 0;
  const start = performance.now();
  if (asynchronous) for (let i = from; i < from + times; i++) sum += (await ask(i)) ? 1 : 0;
  else for (let i = from; i < from + times; i++) sum += ask(i) ? 1 : 0;
  const time = performance.now() - start;
  answers += sum;
  return time;
}

/** How many calls take about `length` milliseconds, once it is warm. */
async function calibrate(contender, length) {
  let times = 16;
  for (let i = 0; i < 40; i++) {
    const time = await batch(contender, times);
    if (time >= length) return Math.max(1, Math.round((times * length) / time));
    times = Math.ceil(times * Math.min(4, Math.max(1.5, length / Math.max(time, 0.02))));
  }
  return times;
}

/**
 * @param contenders name to `{ ask(i), asynchronous }`
 * @returns per name the microseconds of one call, one figure per round
 */
export async function race(contenders, { rounds = 21, length = 3 } = {}) {
  const names = Object.keys(contenders);
  const times = {};
  // Twice: the first time is compiled to, the second is measured by.
  for (let i = 0; i < 2; i++)
    for (const name of names) times[name] = await calibrate(contenders[name], length);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      figures[name].push(((await batch(contenders[name], times[name])) * 1000) / times[name]);
    }
  }
  return figures;
}

/** Milliseconds of each stage of `times` cycles, and how much work each did. */
async function cycles({ stages, between }, times, from) {
  const spent = Object.fromEntries(Object.keys(stages).map((name) => [name, { time: 0, count: 0 }]));
  for (let cycle = from; cycle < from + times; cycle++) {
    for (const [name, stage] of Object.entries(stages)) {
      const start = performance.now();
      const pending = stage(cycle);
      const count = typeof pending === 'number' ? pending : await pending;
      spent[name].time += performance.now() - start;
      spent[name].count += count;
      answers += count;
      await between?.(cycle, name);
    }
  }
  return spent;
}

/**
 * As `race`, for work that changes what it works on: a contender has stages that follow one another, and
 * after the last one everything is as before the first. A stage does its work to a whole fleet of equals, so
 * that it is long enough for the clock of a page, and answers to how many; `between` is not measured.
 *
 * @param contenders name to `{ stages: { name: (cycle) => count }, between(cycle, name) }`
 * @returns per name and stage the microseconds of one, one figure per round
 */
export async function staged(contenders, { rounds = 15, length = 8 } = {}) {
  const names = Object.keys(contenders);
  const times = {};
  const done = Object.fromEntries(names.map((name) => [name, 0]));
  const turn = async (name, count) => {
    const spent = await cycles(contenders[name], count, done[name]);
    done[name] += count;
    return spent;
  };
  for (const name of names) {
    // Warm, and how many cycles take as long as wanted.
    for (let count = 1; ; count = Math.min(4 * count, 4_096)) {
      const spent = Object.values(await turn(name, count));
      const time = spent.reduce((sum, stage) => sum + stage.time, 0);
      times[name] = Math.max(1, Math.round((count * length * spent.length) / Math.max(time, 0.02)));
      if (time >= length * spent.length || done[name] > 16_384) break;
    }
  }
  const figures = Object.fromEntries(
    names.map((name) => [name, Object.fromEntries(Object.keys(contenders[name].stages).map((s) => [s, []]))]),
  );
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      for (const [stage, { time, count }] of Object.entries(await turn(name, times[name])))
        figures[name][stage].push((time * 1000) / count);
    }
  }
  return figures;
}

/** Median and the quarters around it. */
export const summary = (values) => ({
  median: median(values),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
});

/** The ratio of two contenders, round by round. */
export const ratio = (figures, name, to) =>
  summary(figures[name].map((figure, round) => figure / figures[to][round]));

/** What one contender costs beyond another; the difference of medians, as one round is too noisy. */
export const beyond = (figures, name, base) => {
  const floor = median(figures[base]);
  const { median: middle, low, high } = summary(figures[name]);
  return { median: middle - floor, low: low - floor, high: high - floor };
};
