// Each check of a release holds for a tree that is right, and fails for one that is broken in its way.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { differences } from '../reproducible.mjs';
import * as checks from './checks.mjs';

const manifest = {
  name: 'our-package',
  version: '1.2.3',
  repository: { type: 'git', url: 'git+https://example.org/our-package.git' },
  publishConfig: { access: 'public', provenance: true },
  exports: {
    '.': { workerd: './javascript/index.js', types: './index.d.ts', default: './index.js' },
    './locales/*': { types: './locales/*.d.ts', default: './locales/*.js' },
    './package.json': './package.json',
  },
};
const right = {
  'Cargo.toml': '[package]\nname = "our-package"\nversion = "1.2.3"\n',
  'Cargo.lock':
    '[[package]]\nname = "our-package"\nversion = "1.2.3"\n\n[[package]]\nname = "z"\nversion = "9.0.0"\n',
  'tests/fuzz/Cargo.lock': '[[package]]\nname = "our-package"\nversion = "1.2.3"\n',
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3 (2026-12-24)\n\n- New.\n\n## 1.2.2 (2026-11-30)\n',
  'pkg/package.json': JSON.stringify(manifest),
  'pkg/index.js': 'export {};',
  'pkg/index.d.ts': "export type { T } from './types.js';",
  'pkg/types.d.ts': "export type T = import('./deep/more.js').More;",
  'pkg/deep/more.d.ts': 'export type More = 1;',
  'pkg/javascript/index.js': 'export {};',
  'pkg/locales/de.js': 'export {};',
  'pkg/locales/de.d.ts': 'export {};',
};
const contents = ['package.json', 'index.js', 'javascript/index.js', 'locales/de.js'];

/** A tree on the disk, with what is given in the place of what is right; `undefined` is no file. */
function tree(t, changes = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ ...right, ...changes })) {
    if (text === undefined) continue;
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return { root: folder, pkg: path.join(folder, 'pkg') };
}
const filesOf = (changes = {}) =>
  Object.entries({ ...right, ...changes })
    .filter(([name, text]) => name.startsWith('pkg/') && text !== undefined)
    .map(([name]) => name.slice('pkg/'.length));

test('versions: the crate, the lock files, the package and the changelog agree', (t) => {
  const { root, pkg } = tree(t);
  assert.match(checks.versionsAgree(root, pkg), /1\.2\.3/);
  for (const name of ['Cargo.toml', 'Cargo.lock', 'tests/fuzz/Cargo.lock']) {
    const { root, pkg } = tree(t, { [name]: right[name].replace('1.2.3', '1.2.4') });
    assert.throws(() => checks.versionsAgree(root, pkg), new RegExp(`${name} says 1.2.4`));
  }
  const other = tree(t, { 'Cargo.toml': '[package]\nname = "other"\nversion = "1.2.3"\n' });
  assert.throws(() => checks.versionsAgree(other.root, other.pkg), /says no version of our-package/);
});

for (const [what, heading] of [
  ['is unreleased', '## 1.2.3 (unreleased)'],
  ['is of another version', '## 1.2.2 (2026-12-24)'],
  ['has no date', '## 1.2.3'],
  ['has nothing', ''],
]) {
  test(`versions: a changelog that ${what} fails, and says what to write`, (t) => {
    const { root, pkg } = tree(t, { 'CHANGELOG.md': `# Changelog\n\n${heading}\n` });
    assert.throws(() => checks.versionsAgree(root, pkg), /write `## 1\.2\.3 \(YYYY-MM-DD\)`/);
  });
}

test('repository: without one it says what to write', () => {
  assert.equal(checks.namesItsRepository(manifest), manifest.repository.url);
  for (const repository of [undefined, '', { type: 'git' }]) {
    assert.throws(() => checks.namesItsRepository({ ...manifest, repository }), /write `"repository"/);
  }
});

test('provenance: it is asked for, and the package is public', () => {
  checks.hasProvenance(manifest);
  for (const publishConfig of [undefined, { access: 'public' }, { provenance: true }]) {
    assert.throws(() => checks.hasProvenance({ ...manifest, publishConfig }), /publishConfig/);
  }
});

test('exports: every file that is named is there', () => {
  checks.exportsExist(filesOf(), manifest);
  for (const file of ['javascript/index.js', 'index.d.ts', 'locales/de.js', 'package.json']) {
    const files = filesOf({ [`pkg/${file}`]: undefined });
    assert.throws(() => checks.exportsExist(files, manifest), /has no such file/, file);
  }
});

test('contents: exactly what is expected, with the declarations that it needs', (t) => {
  const { pkg } = tree(t);
  const list = checks.hasWhatIsExpected(pkg, filesOf(), contents);
  for (const file of filesOf()) assert.ok(list.includes(file), file);
  for (const file of ['index.js', 'types.d.ts', 'deep/more.d.ts']) {
    const files = filesOf({ [`pkg/${file}`]: undefined });
    assert.throws(() => checks.hasWhatIsExpected(pkg, files, contents), new RegExp(`lacks ${file}`));
  }
  for (const file of ['secret.txt', 'unused.d.ts', 'index.js.map', 'src/index.ts']) {
    assert.throws(
      () => checks.hasWhatIsExpected(pkg, [...filesOf(), file], contents),
      new RegExp(`holds ${file}`),
    );
  }
});

test('licences: what asks for more than its text, or says nothing, fails', () => {
  const crate = (licence) => [{ name: 'c v1.0.0', licence }];
  for (const licence of [
    'MIT',
    'MIT/Apache-2.0',
    '(MIT OR Apache-2.0) AND Unicode-3.0',
    'GPL-3.0-only OR MIT',
  ]) {
    checks.licencesAreCompatible(crate(licence));
  }
  for (const licence of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', '', 'as you like', 'MPL-2.0']) {
    assert.throws(() => checks.licencesAreCompatible(crate(licence)), /c v1\.0\.0/, licence);
  }
  assert.throws(() => checks.licencesAreCompatible([]), /no crate/);
});

test('the git tree: what is changed or new fails', () => {
  checks.isClean('');
  assert.throws(() => checks.isClean(' M src/lib.rs\n'), /src\/lib\.rs/);
  assert.throws(() => checks.isClean('?? new.ts\n'), /new\.ts/);
});

test('npm publish --dry-run: a refusal and a correction fail', () => {
  checks.canBePublished({ code: 0, output: '+ our-package@1.2.3' });
  assert.throws(() => checks.canBePublished({ code: 1, output: 'npm error EPRIVATE' }), /EPRIVATE/);
  const output = 'npm warn publish npm auto-corrected some errors in your package.json when publishing.';
  assert.throws(() => checks.canBePublished({ code: 0, output }), /auto-corrected/);
});

test('reproducible: another byte, and a file that only one has', (t) => {
  const one = tree(t).root;
  assert.deepEqual(differences(one, tree(t).root), []);
  const changes = { 'pkg/index.js': 'export { };', 'pkg/types.d.ts': undefined, 'pkg/more.js': '' };
  const other = tree(t, changes).root;
  const names = ['pkg/index.js', 'pkg/more.js', 'pkg/types.d.ts'];
  assert.deepEqual(differences(one, other), names);
  assert.deepEqual(differences(other, one), names);
  assert.throws(() => checks.isReproducible(names), /pkg\/more\.js/);
});
