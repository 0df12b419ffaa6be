// What checks and programs of tests come to: `{ passed, failed, failures, took }`, with the texts of the failures and the
// seconds of each file or check.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { isBroad } from './breadth.mjs';
import { root, run, since } from './process.mjs';
import { checkedTypes, lintWhileCompiling } from './toolchain.mjs';

const at = (...parts) => path.join(root, ...parts);

export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  failures: [...a.failures, ...b.failures],
  took: [...a.took, ...b.took],
});
export const nothing = { passed: 0, failed: 0, failures: [], took: [] };
export const failure = (text) => ({ ...nothing, failed: 1, failures: [text] });

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
export async function checks(list) {
  let counts = nothing;
  for (const [what, work] of list) counts = add(counts, await check(what, work));
  return counts;
}

export const program = (name, ...args) => [`${name} ${args.join(' ')}`, () => run(name, args)];
export const nodeProgram = (file, ...args) => run(process.execPath, [at('node_modules', ...file), ...args]);
export const typeScript = (project) => [
  `tsc ${project}`,
  () =>
    nodeProgram(
      ['typescript', 'bin', 'tsc'],
      ...['--project', at(project), '--noEmit', '--emitDeclarationOnly', 'false'],
      // The build has checked the same files, and only what has changed since is checked again.
      ...['--incremental', '--tsBuildInfoFile', checkedTypes],
    ),
];

/** Counts what `cargo test` and `wasm-pack test` report. What does not pass clippy does not compile. */
export async function cargoTests(command, args, env) {
  const lint = await lintWhileCompiling();
  const { code, output } = await run(command, args, { env: { ...lint, ...env }, show: true, may: true });
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
export const MEASURES = /^times\./;
export const REST = /^(?!times\.)/;
/** Those about third parties whose versions are pinned: a commit does not change them, so they are for `test:all`. */
const BROAD = /^broad\./;

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
    // Not beside the tests: some of them are no copy. Parts that run beside this one share tests of the same folder.
    const folder = path.basename(path.dirname(group[0]));
    const file = at('target', `all-${folder}-${i}-${process.pid}.mjs`);
    process.once('exit', () => rmSync(file, { force: true }));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, group.map((name) => `import '${pathToFileURL(name)}';\n`).join(''));
    return [file];
  });
  return [...made, ...others];
}

/** All files, for `shared`. */
export const ALL = [/./];

/**
 * Counts what `node --test` reports over folders. The files that match the same pattern of `shared` run in one process:
 * they load the same modules, bundle the same page and start the same browser once.
 */
export async function nodeTests(folders, { concurrency = 2, env = {}, only = REST, shared = [] } = {}) {
  const found = [folders].flat().flatMap((folder) => {
    const inside = testsIn(folder, only).filter((file) => isBroad || !BROAD.test(path.basename(file)));
    if (inside.length === 0) console.log(`  There is no test in ${path.relative(root, folder)}.`);
    return inside;
  });
  const files = inFewerFiles(found, shared);
  if (files.length === 0) return nothing;
  const countsFile = at('target', `test-counts-${process.pid}.json`);
  const reporter = at('tests', 'support', 'reporter.mjs');
  // Most of what a test makes is gone when it ends: a larger space for what is new needs less collecting.
  const args = [
    '--max-semi-space-size=64',
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-reporter=${reporter}`,
    ...files,
  ];
  // A parent that is itself a test runner would otherwise get the results.
  const { code } = await run(process.execPath, args, {
    cwd: path.dirname(found[0]),
    env: { NODE_TEST_CONTEXT: undefined, TEST_COUNTS: countsFile, ...env },
    show: true,
    may: true,
  });
  const counts = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : nothing;
  rmSync(countsFile, { force: true });
  if (code !== 0 && counts.failed === 0) return add(counts, failure(`node --test ended with ${code}`));
  return counts;
}
