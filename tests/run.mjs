// Runs all the tests, or the parts that are named: `node tests/run.mjs [part …] [--built] [--all | --soak]`. With `--built` it
// neither sets up nor builds before. With `--all`, what repeats for breadth is played as well; with `--soak`, what is random
// is repeated many times. Each part ends in one line `<part>: N passed, N failed (N s)`; a part in which nothing ran has failed.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parts } from './parts.mjs';
import { setUp } from './setup.mjs';
import { byBreadth } from './support/breadth.mjs';
import { browserName } from './support/browsers.mjs';
import { add, failure, nothing } from './support/counts.mjs';
import { pack } from './support/pack.mjs';
import { root, run, SILENCE, since } from './support/process.mjs';
import { lintWhileCompiling } from './support/toolchain.mjs';

const begin = performance.now();
const at = (...names) => path.join(root, ...names);

/** The longest text of a failure that is repeated at the end. */
const MAX_FAILURE = 2_000;
/** How many of the slowest files and checks are named at the end. */
const SLOWEST = 10;
/**
 * Of each lane, whether it prefers parts that wait. Two of these and one that works keep two cores busy. Of the other
 * browsers only one has the focus.
 */
const LANES = browserName === 'chromium' ? [true, false, true] : [true];
/** The minutes after which a part is ended: one that hangs would otherwise hide what has failed before. */
const LIMIT_MINUTES = byBreadth({ commit: 20, all: 120, soak: 1_440 });
/** The seconds of each part in the last run of all of them. */
const timesFile = at('target', 'test-times.json');

const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = [
  ...asked.filter((name) => !(name in parts)),
  ...options.filter((option) => !['--built', '--all', '--soak'].includes(option)),
];
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}; the parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const isBuilt = options.includes('--built');
const names = Object.keys(parts).filter((name) => asked.length === 0 || asked.includes(name));
/** Where a part in a process of its own says what it came to. */
const resultFile = process.env.TEST_RESULT;
delete process.env.TEST_RESULT;

const summary = (name, { passed, failed, seconds }) =>
  `${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`;

/** Runs one part in this process. */
async function runPart(name) {
  const start = performance.now();
  const { says, work } = parts[name];
  console.log(`\n${name}: ${says}`);
  let counts = nothing;
  try {
    counts = await work();
  } catch (error) {
    const text = `  ✖ ${error.stack ?? error}`;
    console.log(text);
    counts = failure(text);
  }
  if (counts.passed + counts.failed === 0) {
    console.log('  Nothing ran, and that is a failure.');
    counts = failure('nothing ran');
  }
  const result = { ...counts, seconds: (performance.now() - start) / 1000 };
  console.log(summary(name, result));
  return result;
}

/** The parts that run now, since when, and what each said last. */
const running = new Map();
let printed = performance.now();
function print(text) {
  printed = performance.now();
  console.log(text);
}

/** Runs a part in a process of its own, and prints its output in one piece when it ends. */
async function runApart(name, tarball) {
  const start = performance.now();
  const file = at('target', `test-result-${name}.json`);
  rmSync(file, { force: true });
  running.set(name, { start, last: '' });
  const { code, output } = await run(process.execPath, [at('tests', 'run.mjs'), '--built', name], {
    // Those that have pages wait for them most of the time, and go first when something comes.
    priority: parts[name].waits ? 0 : 5,
    env: { TEST_RESULT: file, ...(tarball && { PACKED_TARBALL: tarball }) },
    show: (text) => {
      running.get(name).last = text.trimEnd().split('\n').at(-1).trim() || running.get(name).last;
    },
    limitMs: LIMIT_MINUTES * 60_000,
    may: true,
  });
  running.delete(name);
  print(output.trimEnd());
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const result = {
    ...failure(
      `it ended with ${code} and without a result, after ${since(start)}:\n${output.slice(-MAX_FAILURE / 2)}`,
    ),
    seconds: (performance.now() - start) / 1000,
  };
  print(summary(name, result));
  return result;
}

/**
 * Builds the package and packs it once for all parts: as it is released if all is tested, and else as tests need it.
 *
 * @returns {Promise<string | undefined>} the tarball
 */
async function buildPackage() {
  print('\nbuild: the package');
  const isQuick = process.env.TEST_BREADTH === undefined;
  const args = [at('pkg-template', 'build.mjs'), ...(isQuick ? ['--quick'] : [])];
  // A released module is compiled by the compiler alone.
  const env = isQuick ? await lintWhileCompiling() : {};
  const { code } = await run(process.execPath, args, { env, show: true, may: true });
  return code === 0 ? pack() : undefined;
}

/**
 * Runs the parts in lanes. A lane takes the next part of its kind, one that works or one that waits, or else one of the
 * other kind. Until the package is built, only parts run that do not need it. What measures time comes at the end, alone.
 *
 * @param {Promise<string | undefined>} building
 * @returns {Promise<Map<string, object>>} what each part came to, in the order in which they ended
 */
async function runSideBySide(building) {
  const results = new Map();
  const left = names.filter((name) => !parts[name].alone);
  let built = false;
  let tarball;
  const whenBuilt = building.then((packed) => {
    tarball = packed;
    built = true;
  });
  const start = async (name) => {
    const isPossible = !parts[name].needsBuild || tarball !== undefined;
    const notRun = { ...failure('not run: there is no package to test'), seconds: 0 };
    if (!isPossible) print(`\n${name}: not run, because there is no package to test`);
    results.set(name, isPossible ? await runApart(name, tarball) : notRun);
  };
  const lane = async (waits) => {
    while (left.length > 0) {
      const ready = left.filter((name) => built || !parts[name].needsBuild);
      const name = ready.find((name) => Boolean(parts[name].waits) === waits) ?? ready[0];
      if (name === undefined) await whenBuilt;
      else {
        left.splice(left.indexOf(name), 1);
        await start(name);
      }
    }
  };
  const heartbeat = setInterval(() => {
    if (running.size === 0 || performance.now() - printed < SILENCE) return;
    const line = ([name, { start, last }]) => `  … ${name}, ${since(start)}: ${last.slice(0, 90)}`;
    print([...running].map(line).join('\n'));
  }, 1000);
  // The first lane builds before it takes a part.
  await Promise.all(LANES.map((waits, i) => (i === 0 ? whenBuilt.then(() => lane(waits)) : lane(waits))));
  for (const name of names.filter((name) => parts[name].alone)) await start(name);
  clearInterval(heartbeat);
  return results;
}

/** Prints what each part took, beside the last run that was kept, and the slowest files. Keeps a run of all parts that passed. */
function report(results) {
  // A log may be cut at its beginning, so the failures stand at its end, too.
  for (const [name, { failures }] of results) {
    for (const text of failures) console.log(`\n${name} failed:\n${text.slice(0, MAX_FAILURE)}`);
  }
  const last = existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')) : {};
  console.log('');
  for (const [name, result] of results) {
    const before = last.parts?.[name];
    console.log(summary(name, result) + (before === undefined ? '' : `, last time ${before.toFixed(1)} s`));
  }
  const took = [...results].flatMap(([name, result]) =>
    result.took.map(([what, seconds]) => [`${name}, ${what}`, seconds]),
  );
  console.log('\nthe slowest:');
  for (const [what, seconds] of took.sort((a, b) => b[1] - a[1]).slice(0, SLOWEST)) {
    console.log(`  ${seconds.toFixed(1)} s ${what}`);
  }
  const total = [...results.values()].reduce(add, nothing);
  const seconds = (performance.now() - begin) / 1000;
  const before = last.all === undefined ? '' : `\nThe last run of all parts took ${last.all.toFixed(1)} s.`;
  console.log(`${before}\nall: ${total.passed} passed, ${total.failed} failed (${seconds.toFixed(1)} s)`);
  if (total.failed > 0) process.exitCode = 1;
  else if (names.length === Object.keys(parts).length) {
    const kept = Object.fromEntries([...results].map(([name, { seconds }]) => [name, seconds]));
    writeFileSync(timesFile, JSON.stringify({ all: seconds, parts: kept }));
  }
}

if (!isBuilt && !(await setUp('test'))) process.exit(1);
mkdirSync(at('target'), { recursive: true });
const needsPackage = names.some((name) => parts[name].needsBuild);
if (names.length === 1) {
  const [name] = names;
  // Its own process packs what was built.
  const isThere = isBuilt || !needsPackage || (await buildPackage()) !== undefined;
  const result = isThere ? await runPart(name) : { ...failure('the package could not be built'), seconds: 0 };
  if (resultFile) {
    writeFileSync(resultFile, JSON.stringify(result));
    // Something that a test has left open must not keep the part from ending.
    process.exit(result.failed > 0 ? 1 : 0);
  }
  report(new Map([[name, result]]));
} else if (needsPackage) report(await runSideBySide(isBuilt ? pack() : buildPackage()));
else report(await runSideBySide(Promise.resolve('')));
