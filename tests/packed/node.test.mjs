// The package in an empty project where nothing else is installed. tests/run.mjs makes the project.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

import { works } from '../matrix/expected.mjs';
import { contents } from './contents.mjs';

const { PACKED_PROJECT: project, PACKED_TARBALL: tarball } = process.env;
const installed = path.join(project, 'node_modules', 'tool-approval-guard');
const text = (name) => readFileSync(path.join(installed, name), 'utf8');

test('the tarball has what a package needs, and nothing else', () => {
  const names = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const files = names.map((name) => name.replace('package/', '')).sort();
  const manifest = JSON.parse(text('package.json'));
  // Beside each entry its types.
  const others = files.filter((name) => !name.endsWith('.d.ts'));
  assert.deepEqual(others, contents);
  for (const { types } of Object.values(manifest.exports).filter(({ types }) => types)) {
    assert.ok(types.includes('*') || files.includes(types.replace('./', '')), types);
  }
  const docs = files.filter((name) => name.startsWith('docs/'));
  const guides = readdirSync(new URL('../../pkg-template/docs', import.meta.url), { recursive: true }).filter(
    (name) => path.extname(name) !== '',
  );
  assert.deepEqual(
    docs.filter((name) => !name.startsWith('docs/api/')),
    guides.map((name) => `docs/${name}`).sort(),
  );
  // The reference has a page for each entry.
  for (const entry of ['README', 'index', 'element', 'react', 'record', 'rules', 'verify']) {
    assert.ok(docs.includes(`docs/api/${entry}.md`), entry);
  }
});

test('it has at most 200 files, and no maps, sources or addresses of them', () => {
  const names = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  assert.ok(names.length <= 200, `${names.length} files`);
  const others = names.filter((name) => /\.map$|^package\/src\/|\.rs$/.test(name));
  assert.deepEqual(others, []);
  for (const name of names.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const file = name.replace('package/', '');
    assert.ok(!text(file).includes('sourceMappingURL'), `${file} leads to a map`);
  }
});

test('it brings no other package', () => {
  const packages = readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(packages, ['tool-approval-guard']);
});

test('its package.json leads to files that exist, and says the version of the changelog', () => {
  const manifest = JSON.parse(text('package.json'));
  const {
    './package.json': itself,
    './locales/*': locales,
    './javascript/*': javascript,
    './vectors/*.json': vectors,
    ...entries
  } = manifest.exports;
  text(itself);
  text(vectors.replace('*', 'server'));
  for (const file of Object.values(locales)) text(file.replace('*', 'de'));
  for (const file of Object.values(javascript)) text(file.replace('*', 'rules'));
  for (const [name, entry] of Object.entries(entries)) {
    // The first that matches counts: types before all, and what works everywhere last.
    const modules = [
      '.',
      './sync',
      './rules',
      './redact',
      './record',
      './server',
      './claims',
      './threads',
      './verify',
    ];
    const isModule = modules.includes(name);
    assert.deepEqual(
      Object.keys(entry),
      ['types', ...(isModule ? ['react-native', 'workerd'] : []), 'default'],
      name,
    );
    for (const file of Object.values(entry)) text(file);
  }
  assert.equal(manifest.type, 'module');
  assert.equal(manifest.sideEffects, false);
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.engines, undefined);
  assert.ok(text('CHANGELOG.md').includes(manifest.version));
});

/** The framework of each binding. */
const FRAMEWORKS = {
  angular: '@angular/core',
  'assistant-ui': 'react',
  react: 'react',
  svelte: 'svelte',
  vue: 'vue',
};

test('no declaration needs more than the types of ai, and that of a binding those of its framework', () => {
  const names = readdirSync(installed, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  assert.ok(names.includes('index.d.ts') && names.includes('vue.d.ts'));
  for (const name of names) {
    for (const [, from] of text(name).matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)) {
      const framework = FRAMEWORKS[name.replace('.d.ts', '')];
      const own = from === framework || from.startsWith(`${framework}/`);
      const known = from === 'ai' || /^\.\.?\//.test(from) || own;
      assert.ok(known, `${name} needs ${from}`);
    }
  }
});

test('a binding is smaller than 2 KB and imports its framework, the guard, and nothing else', () => {
  for (const [name, framework] of Object.entries(FRAMEWORKS)) {
    const more = name === 'svelte' ? ['svelte/reactivity', 'svelte/store'] : [];
    const guards = name === 'assistant-ui' ? [] : ['./threads.js'];
    const imports = [...guards, framework, ...more];
    const code = text(`${name}.js`);
    const from = [...code.matchAll(/\bfrom ?['"]([^'"]+)['"]/g)].map(([, place]) => place);
    assert.deepEqual(from.sort(), imports.sort());
    assert.doesNotMatch(code, /WebAssembly|import ?\(/);
    const { length } = brotliCompressSync(code);
    assert.ok(length < 2048, `${name} has ${length} bytes`);
  }
  assert.match(
    text('react.js'),
    /^(['"])use client\1;/,
    'the first thing in it, or a server component fails',
  );
});

test('the code needs no eval and no network', () => {
  for (const name of [
    'sync.js',
    'rules.js',
    'server.js',
    'element.js',
    'editor.js',
    'edit.js',
    'escape.js',
  ]) {
    // Without the module itself, in which any letters may follow each other, and without the editor beside the elements.
    const code = text(name)
      .replace(/[A-Za-z0-9+/=]{1000,}/, '')
      .replace(/import\((['"`])\.\/editor\.js\1\)/, '');
    for (const word of [
      /\beval\(/,
      /new Function/,
      /\bfetch\(/,
      /XMLHttpRequest/,
      /import\(/,
      /import\.meta/,
    ]) {
      assert.doesNotMatch(code, word);
    }
  }
});

test('the elements load the editor from beside them, and the small entry the engine, and nothing else', () => {
  const loads = (name) =>
    [...text(name).matchAll(/(?:import\(?|from)\s*['"`]([^'"`]+)['"`]/g)].map(([, from]) => from);
  assert.deepEqual(loads('element.js'), ['./words.js', './editor.js']);
  assert.deepEqual(loads('editor.js'), ['./words.js']);
  assert.deepEqual(loads('index.js'), ['./sync.js', './javascript/sync.js']);
  assert.deepEqual(loads('javascript/index.js'), ['./sync.js']);
});

test('it works in Node without the SDK, and starts nothing before its first use', () => {
  const output = execFileSync(process.execPath, ['watched.js'], { cwd: project, encoding: 'utf8' });
  const { atImport, afterUse, used, packages, globals } = JSON.parse(output);
  assert.deepEqual(packages, [], 'no SDK is in reach');
  assert.equal(atImport, 0, 'nothing is compiled or instantiated by an import');
  // One reads the text of the other.
  assert.equal(
    afterUse,
    21,
    'two modules and two instances for each of five entries, however often used, and one try to compile',
  );
  assert.deepEqual(used, works);
  assert.deepEqual(globals, [], 'it leaves nothing in the global object');
});
