// Runs all the tests, or the parts that are named, with `--built` without set-up and build before: `node
// tests/run.mjs lint core browser source package record claims queue ai-elements packed types release docs demo times`. Several parts run
// beside each other, each in a process of its own whose output is printed when it ends. With `--soak`, what is random is repeated many
// times. With `--all`, what repeats for breadth is played as well. Each part ends in one line `<part>: N passed, N failed (N s)`; a part in which nothing ran has failed. At the end the
// slowest files and checks are named.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { setUp } from './setup.mjs';
import { browserName, geckodriverPath, webkitDriverPath } from './support/browsers.mjs';
import { chromedriverPath } from './support/chromium.mjs';
import { openDisplay } from './support/display.mjs';
import { pack } from './support/pack.mjs';
import { python } from './support/python.mjs';
import { root, run, SILENCE, since } from './support/process.mjs';
import { checkedTypes, wasmTarget } from './support/toolchain.mjs';

const at = (...parts) => path.join(root, ...parts);
const begin = performance.now();

/** The longest text of a failure that is repeated at the end. */
const MAX_FAILURE = 2_000;

/** How many of the slowest files and checks are named at the end. */
const SLOWEST = 20;

const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  failures: [...a.failures, ...b.failures],
  took: [...a.took, ...b.took],
});
/** `took` has the seconds of each file or check. */
const nothing = { passed: 0, failed: 0, failures: [], took: [] };
const failure = (text) => ({ ...nothing, failed: 1, failures: [text] });

/** One check that either holds or not. */
async function check(what, work) {
  const start = performance.now();
  try {
    await work();
    console.log(`  ✔ ${what} (${since(start)})`);
    return { ...nothing, passed: 1, took: [[what, (performance.now() - start) / 1000]] };
  } catch (error) {
    const text = `  ✖ ${what} (${since(start)})\n${error.message}`;
    console.log(text);
    return failure(text);
  }
}

/** The checks, in this order. */
async function checks(list) {
  let counts = nothing;
  for (const [what, work] of list) counts = add(counts, await check(what, work));
  return counts;
}

const program = (name, ...args) => [`${name} ${args.join(' ')}`, () => run(name, args)];
const nodeProgram = (file, ...args) => run(process.execPath, [at('node_modules', ...file), ...args]);
const typeScript = (project) => [
  `tsc ${project}`,
  () =>
    nodeProgram(
      ['typescript', 'bin', 'tsc'],
      ...['--project', at(project), '--noEmit', '--emitDeclarationOnly', 'false'],
      // The build has checked the same files, and only what has changed since is checked again.
      ...['--incremental', '--tsBuildInfoFile', checkedTypes],
    ),
];

/** Counts what `cargo test` and `wasm-pack test` report. */
async function cargoTests(command, args, env) {
  const { code, output } = await run(command, args, { env, show: true, may: true });
  let counts = nothing;
  for (const [, passed, failed, ignored] of output.matchAll(
    /test result: \S+\. (\d+) passed; (\d+) failed; (\d+) ignored/g,
  )) {
    // An ignored test shows nothing.
    counts = add(counts, { ...nothing, passed: Number(passed), failed: Number(failed) + Number(ignored) });
  }
  const failures = [...output.matchAll(/^test (.*) \.\.\. (?:FAILED|FAIL|ignored).*$/gm)].map(
    ([line]) => line,
  );
  // It did not compile, or a test ended the process.
  if (code !== 0 && counts.failed === 0) counts = add(counts, failure(`${command} ended with ${code}`));
  return { ...counts, failures: [...counts.failures, ...failures] };
}

/** The files of tests that compare times: they run in a part that has the machine to itself. */
const MEASURES = /^times\./;
const REST = /^(?!times\.)/;

/** The files of tests in a folder. @param {string} folder @param {RegExp} only */
const testsIn = (folder, only) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.test.mjs') && only.test(name))
        .sort()
        .map((name) => path.join(folder, name))
    : [];

/** Files of which those that match the same pattern become one, that imports them. @param {string[]} files @param {RegExp[]} shared */
function inFewerFiles(files, shared) {
  const groups = shared.map(() => []);
  const others = files.filter((file) => {
    const group = groups[shared.findIndex((pattern) => pattern.test(path.basename(file)))];
    group?.push(file);
    return !group;
  });
  const made = groups.flatMap((group, i) => {
    if (group.length === 0) return [];
    const file = path.join(path.dirname(group[0]), `all-${i}.mjs`);
    writeFileSync(file, group.map((name) => `import '${pathToFileURL(name)}';\n`).join(''));
    return [file];
  });
  return [...made, ...others];
}

/** All files, for `shared`. */
const ALL = [/./];

/**
 * Counts what `node --test` reports over folders. The files that match the same pattern of `shared` run in one process:
 * they load the same modules, bundle the same page and start the same browser once.
 */
async function nodeTests(folders, { concurrency = 2, env = {}, only = REST, shared = [] } = {}) {
  const found = [folders].flat().flatMap((folder) => {
    const inside = testsIn(folder, only);
    if (inside.length === 0) console.log(`  There is no test in ${path.relative(root, folder)}.`);
    return inside;
  });
  const files = inFewerFiles(found, shared);
  if (files.length === 0) return nothing;
  const countsFile = at('target', `test-counts-${process.pid}.json`);
  const reporter = at('tests', 'support', 'reporter.mjs');
  const args = ['--test', `--test-concurrency=${concurrency}`, `--test-reporter=${reporter}`, ...files];
  // A parent that is itself a test runner would otherwise get the results.
  const { code } = await run(process.execPath, args, {
    cwd: path.dirname(files[0]),
    env: { NODE_TEST_CONTEXT: undefined, TEST_COUNTS: countsFile, ...env },
    show: true,
    may: true,
  });
  const counts = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : nothing;
  rmSync(countsFile, { force: true });
  if (code !== 0 && counts.failed === 0) return add(counts, failure(`node --test ended with ${code}`));
  return counts;
}

/**
 * A project beside the tests that has the packed package, where the packages of the SDK are found
 * in the node_modules above: so the tests meet what is published, and need no network.
 */
async function packedProject(name, ...folders) {
  const project = at('target', name);
  const place = path.join(project, 'node_modules', 'tool-approval-guard');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  await run('tar', ['-xzf', await pack(), '-C', place, '--strip-components=1']);
  for (const folder of folders) {
    if (existsSync(at(folder))) cpSync(at(folder), path.join(project, folder), { recursive: true });
  }
  return project;
}

/** An empty project with the package installed from its tarball, and no other package in reach. */
async function emptyProject() {
  const project = mkdtempSync(path.join(tmpdir(), 'tool-approval-guard-'));
  for (let place = project; place !== path.dirname(place); place = path.dirname(place)) {
    if (existsSync(path.join(place, 'node_modules'))) {
      throw new Error(`${place} has a node_modules, so ${project} is no empty project: set TMPDIR.`);
    }
  }
  for (const part of ['scene', 'projects/script']) {
    cpSync(at('tests', 'matrix', part), project, { recursive: true });
  }
  cpSync(at('tests', 'matrix', 'forms', 'default.js'), path.join(project, 'answer.js'));
  writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const args = ['install', await pack(), '--offline', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', args, { cwd: project });
  return project;
}

/** What wasm-pack is told. WebKitGTK answers to what it says to Safari. */
const drivers = {
  chromium: () => ['--chrome', '--chromedriver', chromedriverPath()],
  firefox: () => ['--firefox', '--geckodriver', geckodriverPath()],
  webkit: () => ['--safari', '--safaridriver', webkitDriverPath()],
};

/** The tests of the package that make a page of their process. */
const PAGES = /^(assistant-ui|hook|react|svelte|threads-frameworks|vue|ways-out)/;
/**
 * Those that leave their process as it was, do not wait for long, and have no record that nobody closes: it sets its
 * timers again and again, and a test that lets a day pass on a clock of its own would fire them thousands of times.
 */
const PLAIN = /^(?!hidden-page|let-go|record|rehearsal|servers|slim|threads|traps|truth|who)/;

/** What the tests of the queue need beside the package. */
const QUEUE = ['tests/queue', 'tests/package/support', 'tests/support', 'tests/source', 'pkg-template/src'];

const parts = {
  lint: {
    needsBuild: true,
    says: 'format, lint and types of the sources',
    work: () =>
      checks([
        program('cargo', 'fmt', '--check'),
        program('cargo', 'clippy', '--locked', '--all-targets', '--', '-D', 'warnings'),
        program(
          ...['cargo', 'clippy', '--locked', '--all-targets', '--all-features', '--target', wasmTarget],
          ...['--', '-D', 'warnings'],
        ),
        ['prettier --check', () => nodeProgram(['prettier', 'bin', 'prettier.cjs'], '--check', '.')],
        typeScript('pkg-template/tsconfig.json'),
        [
          // Reads the components of Vue, too.
          'vue-tsc www/tsconfig.json',
          () =>
            nodeProgram(['vue-tsc', 'bin', 'vue-tsc.js'], '--project', at('www/tsconfig.json'), '--noEmit'),
        ],
      ]),
  },
  core: {
    says: 'the Rust core: units, laws, vectors',
    work: () => cargoTests('cargo', ['test', '--locked', '--no-fail-fast']),
  },
  browser: {
    says: `the Rust border in headless ${browserName}`,
    work: async () => {
      // Only WebKit has to have one.
      const display = browserName === 'webkit' ? await openDisplay() : undefined;
      try {
        const mode = ['--headless', ...drivers[browserName](), '--mode', 'no-install'];
        // Only these tests run in a browser. The units of the crate would be compiled for it, and none of them run.
        return await cargoTests('wasm-pack', ['test', ...mode, '--', '--locked', '--test', 'border'], {
          // They run for two seconds, and optimized they would take longer to compile than to run.
          CARGO_PROFILE_TEST_OPT_LEVEL: '0',
          // wasm-pack builds them first, in this profile; with other settings all of it would be compiled again.
          CARGO_PROFILE_DEV_DEBUG: '0',
          CARGO_PROFILE_DEV_INCREMENTAL: 'false',
          CARGO_PROFILE_DEV_LTO: 'off',
          // Without it tests that do not ask for a browser are skipped without a word.
          WASM_BINDGEN_USE_BROWSER: '1',
          WASM_BINDGEN_TEST_TIMEOUT: '120',
          WASM_BINDGEN_TEST_DRIVER_TIMEOUT: '30',
          ...(display && { DISPLAY: display.name }),
        });
      } finally {
        display?.child.kill();
      }
    },
  },
  source: {
    says: 'modules of the shell on their own',
    work: () => nodeTests(at('tests', 'source')),
  },
  package: {
    needsBuild: true,
    says: 'the packed package beside both majors of the SDK',
    work: async () => {
      const project = await packedProject(
        'packed',
        'tests/package',
        'tests/spikes',
        'tests/support',
        'tests/vectors',
      );
      const folders = ['package', 'spikes/ag-ui'].map((name) => path.join(project, 'tests', name));
      return nodeTests(folders, { env: { EXAMPLE_PYTHON: python }, shared: [PAGES, PLAIN] });
    },
  },
  record: {
    needsBuild: true,
    waits: true,
    says: `the record in several real pages of ${browserName}`,
    work: async () => {
      const folders = ['tests/record', 'tests/package/support', 'tests/support', 'pkg-template/src'];
      const project = await packedProject('packed-record', ...folders);
      // Only the DevTools protocol kills, freezes and hides pages.
      const only = browserName === 'chromium' ? REST : /^chat-races/;
      return nodeTests(path.join(project, 'tests', 'record'), { shared: ALL, only });
    },
  },
  claims: {
    needsBuild: true,
    waits: true,
    says: 'claims in SQLite, PostgreSQL and Redis, and servers that are killed',
    work: async () => {
      const project = await packedProject(
        'packed-claims',
        'tests/claims',
        'tests/package/support',
        'tests/support',
      );
      return nodeTests(path.join(project, 'tests', 'claims'), { concurrency: 1 });
    },
  },
  queue: {
    needsBuild: true,
    waits: true,
    says: `the element of the packed package in ${browserName}, with real keys and pointers`,
    work: async () => {
      // Beside its sources: what counts as a press is tested from them, and the nasty strings stand there.
      const project = await packedProject('packed-queue', ...QUEUE);
      // What counts as a press depends on the browser; the rest has been tried in Chromium alone so far.
      const only = browserName === 'chromium' ? REST : /^press-/;
      return nodeTests(path.join(project, 'tests', 'queue'), { shared: ALL, only });
    },
  },
  'ai-elements': {
    needsBuild: true,
    waits: true,
    says: 'the item of the registry, installed with the CLI of shadcn, beside AI Elements in Chromium',
    work: async () => {
      const project = await packedProject('packed-ai-elements', 'tests/ai-elements/app');
      const modules = path.join('tests', 'ai-elements', 'node_modules');
      symlinkSync(at(modules), path.join(project, modules));
      const env = { PACKED_PROJECT: project, BROWSER: 'chromium' };
      return nodeTests(at('tests', 'ai-elements'), { concurrency: 1, env });
    },
  },
  packed: {
    needsBuild: true,
    says: 'the package installed from its tarball, in Node and in a Vite build',
    work: async () => {
      const project = await emptyProject();
      try {
        const env = { PACKED_PROJECT: project, PACKED_TARBALL: await pack() };
        return await nodeTests(at('tests', 'packed'), { concurrency: 1, env });
      } finally {
        rmSync(project, { recursive: true, force: true });
      }
    },
  },
  types: {
    needsBuild: true,
    says: 'the tarball as linters see it, and the public types beside both majors of the SDK',
    work: async () => {
      const { packageLint } = await import('./support/package-lint.mjs');
      const { faceTests } = await import('./support/face-tests.mjs');
      const { typeTests, versionTests } = await import('./support/type-tests.mjs');
      const project = await packedProject('packed-types', 'tests/types');
      return checks([
        ...packageLint(await pack()),
        ...faceTests(project),
        ...typeTests(project, path.join(project, 'tests', 'types')),
        ...versionTests(project, path.join(project, 'tests', 'types')),
      ]);
    },
  },
  release: {
    says: 'the checks of a release, over trees that are broken in each way',
    work: () => nodeTests(at('tests', 'release')),
  },
  docs: {
    needsBuild: true,
    says: 'the documents: their code, links and lists, and what they promise, beside both majors of the SDK',
    work: async () => {
      const project = await packedProject('packed-docs', 'tests/docs', 'tests/support');
      return nodeTests(path.join(project, 'tests', 'docs'), { env: { DOCS_ROOT: root } });
    },
  },
  demo: {
    needsBuild: true,
    waits: true,
    says: `the demo in ${browserName}`,
    // Its pages wait for the seconds that a person has.
    work: () => nodeTests(at('tests', 'demo'), { concurrency: 2 }),
  },
  times: {
    needsBuild: true,
    alone: true,
    says: 'what is measured by time, while nothing else runs',
    work: async () => {
      const project = await packedProject('packed-times', 'tests/package', ...QUEUE);
      return nodeTests([path.join(project, 'tests', 'package'), path.join(project, 'tests', 'queue')], {
        concurrency: 1,
        only: MEASURES,
      });
    },
  },
};

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
    counts = add(counts, failure(text));
  }
  if (counts.passed + counts.failed === 0) {
    console.log('  Nothing ran, and that is a failure.');
    counts = failure('nothing ran');
  }
  const result = { ...counts, time: since(start) };
  console.log(summary(name, result));
  return result;
}

const summary = (name, { passed, failed, time }) => `${name}: ${passed} passed, ${failed} failed (${time})`;

/** A part in a process of its own, whose output is printed in one piece when it ends. */
async function runApart(name) {
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
    may: true,
  });
  running.delete(name);
  print(output.trimEnd());
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const result = { ...failure(`it ended with ${code} and without a result`), time: since(start) };
  print(summary(name, result));
  return result;
}

/** The parts that run now, since when, and what each said last. */
const running = new Map();
let printed = performance.now();
function print(text) {
  printed = performance.now();
  console.log(text);
}

/** The longest first, so that no lane is left alone with a long part at the end. */
const LONGEST_FIRST = [
  ...['core', 'queue', 'record', 'demo', 'claims', 'ai-elements'],
  ...['package', 'lint', 'types', 'browser', 'docs', 'source', 'packed', 'release'],
];

/**
 * Runs two parts beside each other: one that works, and one that waits most of the time. Of the other browsers only one
 * has the focus, so with these one part runs at a time. When a part ends, the next one of its kind starts, or else one of
 * the other kind. Until the package is built, only a part runs that does not need it. What measures time comes at
 * the end, alone.
 *
 * @param {string[]} names
 * @param {Map<string, object>} results
 * @param {Promise<boolean>} built whether there is a package, once that is known
 */
async function runSideBySide(names, results, built) {
  const heartbeat = setInterval(() => {
    if (running.size === 0 || performance.now() - printed < SILENCE) return;
    print(
      [...running]
        .map(([name, { start, last }]) => `  … ${name}, ${since(start)}: ${last.slice(0, 90)}`)
        .join('\n'),
    );
  }, 1000);
  const start = async (name) => void results.set(name, await runApart(name));
  let left = names
    .filter((name) => !parts[name].alone)
    .sort((a, b) => LONGEST_FIRST.indexOf(a) - LONGEST_FIRST.indexOf(b));
  let alone = names.filter((name) => parts[name].alone);
  let isBuilt = false;
  const whenBuilt = built.then((there) => {
    isBuilt = true;
    if (there) return;
    for (const name of names.filter((name) => parts[name].needsBuild)) notRun(name, results);
    left = left.filter((name) => !parts[name].needsBuild);
    alone = alone.filter((name) => !parts[name].needsBuild);
  });
  const lane = async (waits) => {
    while (left.length > 0) {
      const ready = left.filter((name) => isBuilt || !parts[name].needsBuild);
      const name = ready.find((name) => Boolean(parts[name].waits) === waits) ?? ready[0];
      if (name === undefined) await whenBuilt;
      else {
        left.splice(left.indexOf(name), 1);
        await start(name);
      }
    }
  };
  const waiting = whenBuilt.then(() => lane(true));
  await Promise.all([waiting, browserName === 'chromium' ? lane(false) : undefined]);
  for (const name of alone) await start(name);
  clearInterval(heartbeat);
}

/** A part that needs a package which there is not. */
function notRun(name, results) {
  const result = { ...failure('not run'), time: '0 s' };
  print(`\n${name}: not run, because there is no package to test\n${summary(name, result)}`);
  results.set(name, result);
}

/** Builds the package. @returns {Promise<boolean>} whether it is there */
async function buildPackage(results) {
  const start = performance.now();
  print('\nbuild: the package');
  const { code } = await run(process.execPath, [at('pkg-template', 'build.mjs')], { show: true, may: true });
  if (code === 0) return true;
  results.set('build', { ...failure('the package could not be built'), time: since(start) });
  return false;
}

/** Where a part in a process of its own says what it came to. */
const resultFile = process.env.TEST_RESULT;
delete process.env.TEST_RESULT;
const isBuilt = process.argv.includes('--built');
for (const breadth of ['all', 'soak'])
  if (process.argv.includes(`--${breadth}`)) process.env.TEST_BREADTH = breadth;
const asked = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const names = Object.keys(parts).filter((name) => asked.length === 0 || asked.includes(name));

if (!isBuilt && !(await setUp('test'))) process.exit(1);

/** What each part came to, in the order in which they ended. */
const results = new Map();
const needsPackage = names.some((name) => parts[name].needsBuild);
const building = needsPackage && !isBuilt ? buildPackage(results) : Promise.resolve(true);
/** Packed once for all of them. */
let tarball;
if (names.length === 1) {
  const [name] = names;
  if (await building) results.set(name, await runPart(name));
  else notRun(name, results);
} else {
  const packed = building.then(async (there) => {
    if (there && needsPackage) tarball = await pack().catch(() => undefined);
    return there;
  });
  await runSideBySide(names, results, packed);
}

if (resultFile) {
  const [result] = results.values();
  writeFileSync(resultFile, JSON.stringify(result));
  process.exit(result.failed > 0 ? 1 : 0);
}
// A log may be cut at its beginning, so the failures stand at its end, too.
for (const [name, { failures }] of results) {
  for (const text of failures) console.log(`\n${name} failed:\n${text.slice(0, MAX_FAILURE)}`);
}
console.log('');
for (const [name, result] of results) console.log(summary(name, result));
const took = [...results].flatMap(([name, result]) =>
  result.took.map(([what, seconds]) => [`${name}, ${what}`, seconds]),
);
const slowest = took.sort((a, b) => b[1] - a[1]).slice(0, SLOWEST);
console.log('\nthe slowest:');
for (const [what, seconds] of slowest) console.log(`  ${seconds.toFixed(1)} s ${what}`);
console.log('');
const total = [...results.values()].reduce(add, nothing);
console.log(`all: ${total.passed} passed, ${total.failed} failed (${since(begin)})`);
if (total.failed > 0) process.exitCode = 1;
