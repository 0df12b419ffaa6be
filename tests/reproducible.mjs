// Builds the package twice from nothing, in two folders whose names and depths differ, and compares every
// byte: `node tests/reproducible.mjs`. So the sources prove what the package was made of.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { setUp } from './setup.mjs';
import { root, run } from './support/process.mjs';

/** What differs between two folders: names that only one has, and files of other bytes. */
export function differences(one, other) {
  const [a, b] = [one, other].map(
    (folder) =>
      new Map(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => [path.relative(folder, file), readFileSync(file)]),
      ),
  );
  const isSame = (name) => a.get(name) !== undefined && b.get(name)?.equals(a.get(name)) === true;
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isSame(name)).sort();
}

/** The files that git knows, as they are now, and the installed packages. */
async function copySources(to) {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root });
  for (const name of stdout.split('\0').filter((name) => name !== '')) {
    cpSync(path.join(root, name), path.join(to, name));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(to, 'node_modules'));
}

/**
 * @returns {Promise<string[]>} the files that differ
 */
export async function reproduce() {
  const place = mkdtempSync(path.join(tmpdir(), 'tool-approval-guard-'));
  try {
    const builds = [path.join(place, 'a'), path.join(place, 'another', 'much deeper', 'place')];
    for (const build of builds) {
      mkdirSync(build, { recursive: true });
      await copySources(build);
      console.log(`reproducible: building in ${build}`);
      const env = { CARGO_TARGET_DIR: undefined, CARGO_INCREMENTAL: undefined };
      await run(process.execPath, [path.join(build, 'pkg-template', 'build.mjs')], {
        cwd: build,
        env,
        show: true,
      });
    }
    return differences(...builds.map((build) => path.join(build, 'pkg')));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!(await setUp('build'))) process.exit(1);
  const files = await reproduce();
  console.log(
    files.length === 0
      ? 'reproducible: both builds have the same bytes'
      : `reproducible: the builds differ in ${files.join(', ')}`,
  );
  if (files.length > 0) process.exitCode = 1;
}
