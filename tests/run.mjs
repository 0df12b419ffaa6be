// Runs all the tests, or the parts that are named, with `--built` without set-up and build before: `node
// tests/run.mjs lint core browser source package record queue packed types release docs demo`. Each part ends
// in one line `<part>: N passed, N failed`; a part in which
// nothing ran has failed.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { setUp } from './setup.mjs';
import { browserName, geckodriverPath, webkitDriverPath } from './support/browsers.mjs';
import { chromedriverPath } from './support/chromium.mjs';
import { openDisplay } from './support/display.mjs';
import { pack } from './support/pack.mjs';
import { root, run, since } from './support/process.mjs';
import { wasmTarget } from './support/toolchain.mjs';

const at = (...parts) => path.join(root, ...parts);
const begin = performance.now();

/** The longest text of a failure that is repeated at the end. */
const MAX_FAILURE = 2_000;

const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  failures: [...a.failures, ...b.failures],
});
const nothing = { passed: 0, failed: 0, failures: [] };
const failure = (text) => ({ passed: 0, failed: 1, failures: [text] });

/** One check that either holds or not. */
async function check(what, work) {
  const start = performance.now();
  try {
    await work();
    console.log(`  ✔ ${what} (${since(start)})`);
    return { ...nothing, passed: 1 };
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
  const failures = [...output.matchAll(/^test (.*) \.\.\. (?:FAILED|FAIL|ignored).*$/gm)].map(([line]) => line);
  // It did not compile, or a test ended the process.
  if (code !== 0 && counts.failed === 0) counts = add(counts, failure(`${command} ended with ${code}`));
  return { ...counts, failures: [...counts.failures, ...failures] };
}

const testsIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.test.mjs'))
        .sort()
        .map((name) => path.join(folder, name))
    : [];

/** Counts what `node --test` reports over a folder. */
async function nodeTests(folder, { concurrency = 2, env = {}, only = undefined } = {}) {
  const files = testsIn(folder).filter((file) => only?.test(path.basename(file)) ?? true);
  if (files.length === 0) {
    console.log(`  There is no test in ${path.relative(root, folder)}.`);
    return nothing;
  }
  const countsFile = at('target', 'test-counts.json');
  rmSync(countsFile, { force: true });
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
        const args = ['test', '--headless', ...drivers[browserName](), '--mode', 'no-install'];
        return await cargoTests('wasm-pack', args, {
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
      const project = await packedProject('packed', 'tests/package', 'tests/vectors');
      return nodeTests(path.join(project, 'tests', 'package'));
    },
  },
  record: {
    needsBuild: true,
    says: `the record in several real pages of ${browserName}`,
    work: async () => {
      const folders = ['tests/record', 'tests/package/support', 'tests/support', 'pkg-template/src'];
      const project = await packedProject('packed-record', ...folders);
      // Only the DevTools protocol kills, freezes and hides pages.
      const only = browserName === 'chromium' ? undefined : /^chat-races/;
      return nodeTests(path.join(project, 'tests', 'record'), { concurrency: 1, only });
    },
  },
  queue: {
    needsBuild: true,
    says: `the element of the packed package in ${browserName}, with real keys and pointers`,
    work: async () => {
      // Beside its sources: what counts as a press is tested from them, and the nasty strings stand there.
      const folders = [
        'tests/queue',
        'tests/package/support',
        'tests/support',
        'tests/source',
        'pkg-template/src',
      ];
      const project = await packedProject('packed-queue', ...folders);
      // What counts as a press depends on the browser; the rest has been tried in Chromium alone so far.
      const only = browserName === 'chromium' ? undefined : /^press-/;
      return nodeTests(path.join(project, 'tests', 'queue'), { concurrency: 1, only });
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
    says: `the demo in ${browserName}`,
    work: () => nodeTests(at('tests', 'demo'), { concurrency: 1 }),
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
  console.log(`  (${since(start)})`);
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed`);
  return counts;
}

const isBuilt = process.argv.includes('--built');
const asked = process.argv.slice(2).filter((name) => name !== '--built');
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const names = Object.keys(parts).filter((name) => asked.length === 0 || asked.includes(name));

if (!isBuilt && !(await setUp('test'))) process.exit(1);

const results = new Map();
let built = true;
if (!isBuilt && names.some((name) => parts[name].needsBuild)) {
  console.log('\nbuild: the package');
  const { code } = await run(process.execPath, [at('pkg-template', 'build.mjs')], { show: true, may: true });
  built = code === 0;
  if (!built) results.set('build', failure('the package could not be built'));
}
for (const name of names) {
  if (parts[name].needsBuild && !built) {
    console.log(`\n${name}: not run, because there is no package to test\n${name}: 0 passed, 1 failed`);
    results.set(name, failure('not run'));
  } else {
    results.set(name, await runPart(name));
  }
}

// A log may be cut at its beginning, so the failures stand at its end, too.
for (const [name, { failures }] of results) {
  for (const text of failures) console.log(`\n${name} failed:\n${text.slice(0, MAX_FAILURE)}`);
}
console.log('');
for (const [name, { passed, failed }] of results) console.log(`${name}: ${passed} passed, ${failed} failed`);
const total = [...results.values()].reduce(add, nothing);
console.log(`all: ${total.passed} passed, ${total.failed} failed (${since(begin)})`);
if (total.failed > 0) process.exitCode = 1;
