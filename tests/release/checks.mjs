// What has to hold before the package may be published. Each check takes what it looks at and throws a sentence
// that says what to do; it answers what it has seen.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import satisfies from 'spdx-satisfies';

const json = (...parts) => JSON.parse(readFileSync(path.join(...parts), 'utf8'));

/** @param {string} pkg the built package */
export const manifestOf = (pkg) => json(pkg, 'package.json');

/** What a package of ours may contain: all ask for no more than their text, or nothing. */
const LICENCES = [
  ...['MIT', 'MIT-0', 'Apache-2.0', 'Unicode-3.0', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['ISC', 'Zlib', '0BSD', 'Unlicense', 'CC0-1.0'],
];

/** The version of a crate in a Cargo.toml, or of the crate of that name in a Cargo.lock. */
function crateVersionIn(file, name) {
  const [, version] =
    new RegExp(`^name = "${name}"\nversion = "(.+)"$`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  if (version === undefined) throw new Error(`${file} says no version of ${name}.`);
  return version;
}

/**
 * The crate, each lock file that has it, and the package say the same version, and the changelog has it with a date.
 *
 * @param {string} root the sources
 * @param {string} pkg the built package
 */
export function versionsAgree(root, pkg) {
  const { name, version } = json(pkg, 'package.json');
  for (const file of ['Cargo.toml', 'Cargo.lock', 'tests/fuzz/Cargo.lock']) {
    const other = crateVersionIn(path.join(root, file), name);
    if (other !== version) throw new Error(`${file} says ${other} and the package says ${version}.`);
  }
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const [, heading, when] = /^## (\S+)(?: \((.+)\))?$/m.exec(changelog) ?? [];
  if (heading !== version || !/^\d{4}-\d\d-\d\d$/.test(when ?? '')) {
    const first = heading === undefined ? 'no version' : `${heading} (${when ?? 'no date'})`;
    throw new Error(
      `CHANGELOG.md begins with ${first}: write \`## ${version} (YYYY-MM-DD)\` with the day of the release.`,
    );
  }
  return `${version}, ${when}`;
}

/** A tarball that is built elsewhere than on a laptop says where: for that npm needs the address of the sources. */
export function namesItsRepository({ repository }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  if (typeof url !== 'string' || url === '') {
    throw new Error(
      'pkg-template/package.json has no `repository`, without which npm refuses provenance: write `"repository": { "type": "git", "url": "git+https://…" }` with the address of the sources.',
    );
  }
  return url;
}

export function hasProvenance({ publishConfig = {} }) {
  const { access, provenance } = publishConfig;
  if (access !== 'public' || provenance !== true) {
    throw new Error(
      'pkg-template/package.json needs `"publishConfig": { "access": "public", "provenance": true }`.',
    );
  }
  return 'public, with provenance';
}

/** The files that a value of `exports` names. */
const targets = (value) =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap((inner) => targets(inner));

/** Whether a pattern of `exports` means this file. */
function isMeant(pattern, file) {
  const [before, after] = path.posix.normalize(pattern).split('*');
  return after === undefined ? file === before : file.startsWith(before) && file.endsWith(after);
}

/**
 * @param {readonly string[]} files what the tarball holds
 * @param {{ exports: object }} manifest
 */
export function exportsExist(files, { exports }) {
  const missing = targets(exports).filter((pattern) => !files.some((file) => isMeant(pattern, file)));
  if (missing.length > 0) throw new Error(`The package exports ${missing.join(', ')}, and has no such file.`);
  return `${Object.keys(exports).length} entries`;
}

/** The declarations that the entries have, and what those import. */
function declarationsOf(pkg, files, manifest) {
  const declarations = files.filter((file) => file.endsWith('.d.ts'));
  const needed = new Set(
    declarations.filter((file) => targets(manifest.exports).some((pattern) => isMeant(pattern, file))),
  );
  for (const file of needed) {
    const text = readFileSync(path.join(pkg, file), 'utf8');
    for (const [, from] of text.matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g)) {
      needed.add(`${path.posix.join(path.posix.dirname(file), from)}.d.ts`);
    }
  }
  return [...needed];
}

/**
 * @param {readonly string[]} files what the tarball holds
 * @param {readonly string[]} expected what it has to hold beside declarations
 */
export function hasWhatIsExpected(pkg, files, expected) {
  const code = [...expected, ...declarationsOf(pkg, files, json(pkg, 'package.json'))];
  const wanted = new Set(code);
  const missing = [...wanted].filter((file) => !files.includes(file));
  const more = files.filter((file) => !wanted.has(file));
  if (missing.length > 0) throw new Error(`The tarball lacks ${missing.join(', ')}.`);
  if (more.length > 0) {
    throw new Error(
      `The tarball holds ${more.join(', ')}, which nobody expects: see tests/packed/contents.mjs.`,
    );
  }
  return `${files.length} files: ${files.join(' ')}`;
}

/** @param {readonly { name: string, licence: string }[]} crates what is compiled into the modules */
export function licencesAreCompatible(crates) {
  if (crates.length === 0) throw new Error('There is no crate in the modules, which cannot be.');
  const wrong = crates.filter(({ licence }) => {
    try {
      // As cargo wrote OR before SPDX.
      return !satisfies(licence.replaceAll('/', ' OR '), LICENCES);
    } catch {
      return true;
    }
  });
  if (wrong.length > 0) {
    const named = wrong.map(({ name, licence }) => `${name} (${licence || 'no licence'})`);
    throw new Error(`These licences are not known to be compatible: ${named.join(', ')}.`);
  }
  return `${crates.length} crates`;
}

/** @param {string} status what `git status --porcelain` says */
export function isClean(status) {
  if (status.trim() !== '') throw new Error(`What is not committed would not be in the release:\n${status}`);
  return 'nothing is uncommitted';
}

/** @param {{ code: number, output: string }} result what `npm publish --dry-run` said */
export function canBePublished({ code, output }) {
  if (code !== 0) throw new Error(output);
  // npm would publish another manifest than the one that was tested.
  if (output.includes('auto-corrected')) throw new Error(output);
  return 'npm would take it';
}

/** @param {readonly string[]} differing what two builds do not have in common */
export function isReproducible(differing) {
  if (differing.length > 0) throw new Error(`Two clean builds differ in ${differing.join(', ')}.`);
  return 'two clean builds have the same bytes';
}
