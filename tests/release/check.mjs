// Everything that can be known of a release before it is published: `npm run release:check`, or with `--fast`
// without the tests. It publishes nothing.
import path from 'node:path';

import { contents } from '../packed/contents.mjs';
import { reproduce } from '../reproducible.mjs';
import { setUp } from '../setup.mjs';
import { root, run, since } from '../support/process.mjs';
import { wasmTarget } from '../support/toolchain.mjs';

const pkg = path.join(root, 'pkg');
const unknown = process.argv.slice(2).filter((word) => word !== '--fast');
if (unknown.length > 0) {
  console.error(`release:check: there is no ${unknown.join(', ')}; there is --fast.`);
  process.exit(2);
}
const isFast = process.argv.includes('--fast');

/** What is compiled into the modules, without what only runs while they are compiled. */
async function crates() {
  const { stdout } = await run('cargo', [
    ...['tree', '--locked', '--all-features', '--target', wasmTarget, '--edges', 'normal,no-proc-macro'],
    ...['--prefix', 'none', '--no-dedupe', '--format', '{p}\t{l}'],
  ]);
  const lines = new Set(stdout.split('\n').filter((line) => line !== ''));
  return [...lines].map((line) => {
    const [name = '', licence = ''] = line.split('\t');
    return { name, licence };
  });
}

async function packedFiles() {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: pkg });
  return JSON.parse(stdout)[0].files.map((file) => file.path);
}

let failed = 0;
async function check(what, work) {
  const start = performance.now();
  try {
    const answer = await work();
    console.log(`✔ ${what}: ${answer} (${since(start)})`);
  } catch (error) {
    failed++;
    console.log(`✖ ${what}: ${error.message} (${since(start)})`);
  }
}

if (!(await setUp('build'))) process.exit(1);
// Only now, because it needs a package of the lock file.
const checks = await import('./checks.mjs');
await check('the git tree is clean', async () => {
  const { stdout } = await run('git', ['status', '--porcelain']);
  return checks.isClean(stdout);
});
await check('licences of what is compiled', async () => checks.licencesAreCompatible(await crates()));
if (!isFast) {
  await check('the tests', async () => {
    await run(process.execPath, [path.join(root, 'tests', 'run.mjs'), '--all'], { show: true });
    return 'all pass';
  });
}
let isBuilt = false;
await check('the build', async () => {
  await run(process.execPath, [path.join(root, 'pkg-template', 'build.mjs')]);
  isBuilt = true;
  return 'pkg/';
});
if (isBuilt) {
  const manifest = checks.manifestOf(pkg);
  await check('versions', () => checks.versionsAgree(root, pkg));
  await check('provenance', () => checks.hasProvenance(manifest));
  await check('repository', () => checks.namesItsRepository(manifest));
  await check('exports', async () => checks.exportsExist(await packedFiles(), manifest));
  await check('contents', async () => checks.hasWhatIsExpected(pkg, await packedFiles(), contents));
  await check('npm publish --dry-run', async () =>
    checks.canBePublished(
      await run('npm', ['publish', '--dry-run', '--ignore-scripts'], { cwd: pkg, may: true }),
    ),
  );
}
await check('reproducible', async () => checks.isReproducible(await reproduce()));
console.log(failed === 0 ? 'release:check: ready' : `release:check: ${failed} failed`);
if (failed > 0) process.exitCode = 1;
