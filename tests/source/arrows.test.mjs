// Arrows between files only point down and never run in a circle, and every import leads somewhere. The map names every
// folder, and each file begins with what it is for. No function of the core is too long. Each check is shown to find what
// it looks for. The builds of the modules check the layers a second time: each contains only its own folders.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';

import { cruise } from 'dependency-cruiser';

import { arrowsOf, circles, upward } from '../support/arrows.mjs';
import { root, run } from '../support/process.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const namesOf = (arrows) => arrows.map(({ from, to }) => `${from} -> ${to}`).sort();

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
/** A folder with these files. @param {Record<string, string>} files */
function folderOf(files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'arrows-'));
  folders.push(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const sources = ['src', 'pkg-template/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
);

describe('the files of the crate', () => {
  const arrows = arrowsOf(
    Object.fromEntries(sources.filter((file) => file.endsWith('.rs')).map((file) => [file, read(file)])),
  );

  test('are read', () => {
    assert.ok(arrows.length > 500, `only ${arrows.length} arrows were found`);
    const names = namesOf(arrows);
    for (const arrow of [
      'src/core/verdict.rs -> src/core/protocol.rs',
      'src/rules/shell/mod.rs -> src/rules/unicode.rs',
      'src/web/rules.rs -> src/rules/judge.rs',
    ]) {
      assert.ok(names.includes(arrow), arrow);
    }
  });
  test('use no layer above', () => assert.deepEqual(namesOf(upward(arrows)), []));
  test('use each other in no circle', () => assert.deepEqual(namesOf(circles(arrows)), []));

  const crate = (files) => arrowsOf({ 'src/lib.rs': 'pub mod core;\npub mod web;', ...files });

  for (const [name, text, ...found] of [
    ['in a use', 'use crate::web::f;', 'src/web/mod.rs'],
    ['in a group', 'use crate::{core, web::{f, rows::{self, g}}};', 'src/web/mod.rs', 'src/web/rows.rs'],
    ['in a path', 'fn f() { crate::web::f() }', 'src/web/mod.rs'],
    ['in a relative path', 'type F = super::super::web::F;', 'src/web/mod.rs'],
    ['in tests', 'mod tests {\n    use super::super::super::web::f;\n}', 'src/web/mod.rs'],
    ['but not in a comment or a text', '// crate::web::f\nconst F: &str = "use crate::web::f;";'],
    ['but not to a file beside it', 'use super::b::f;\nmod tests {\n    use super::super::b::f;\n}'],
  ]) {
    test(`an arrow that points up is found ${name}`, () => {
      const files = {
        'src/core/mod.rs': '',
        'src/core/b.rs': '',
        'src/web/mod.rs': '',
        'src/web/rows.rs': '',
      };
      const arrows = crate({ ...files, 'src/core/a.rs': text });
      assert.deepEqual(namesOf(upward(arrows)), found.map((to) => `src/core/a.rs -> ${to}`).sort());
    });
  }

  for (const [name, passesOn, a, b, isFound] of [
    ['of two files', '', 'use super::b::B;', 'fn f() -> crate::core::a::A {}', true],
    ['of a file and its child', '', 'mod c;\nuse c::C;', '', true],
    ['over what a third file passes on', 'pub use b::B;', 'use super::B;', 'use super::a::A;', true],
    ['in tests', '', 'use super::b::B;', 'mod tests {\n    use super::super::a::A;\n}', true],
    ['but not where a file passes on what its child makes', 'pub use a::A;', 'use super::X;', '', false],
  ]) {
    test(`a circle is found ${name}`, () => {
      const arrows = crate({
        'src/core/mod.rs': `mod a;\nmod b;\n${passesOn}`,
        'src/core/a.rs': a,
        'src/core/a/c.rs': 'use super::A;',
        'src/core/b.rs': b,
      });
      assert.equal(circles(arrows).length, isFound ? 2 : 0);
    });
  }
});

describe('the files of the shell', () => {
  /** What is wrong with the files of a repository, types and all. */
  async function cruised(baseDir) {
    const forbidden = [
      { name: 'upward', from: { path: '^src/' }, to: { path: '^pkg-template/' } },
      { name: 'circle', from: {}, to: { circular: true } },
      { name: 'nowhere', from: {}, to: { couldNotResolve: true, pathNot: '^virtual:' } },
    ].map((rule) => ({ ...rule, severity: 'error' }));
    const options = { baseDir, validate: true, ruleSet: { forbidden }, tsPreCompilationDeps: true };
    const more = { doNotFollow: { path: 'node_modules' } };
    const exports = { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] };
    const { output } = await cruise(['pkg-template/src', 'src/web'], { ...options, ...more }, exports);
    const wrong = output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
    return { ...output.summary, wrong };
  }

  test('use no layer above, each other in no circle, and nothing that is not there', async () => {
    const { wrong, totalDependenciesCruised } = await cruised(root);
    assert.ok(totalDependenciesCruised > 500, `only ${totalDependenciesCruised} arrows were found`);
    assert.deepEqual(wrong, []);
  });

  test('what is wrong is found', async () => {
    const folder = folderOf({
      'pkg-template/src/a.ts': "import type { B } from './b.js';",
      'pkg-template/src/b.ts': "export { c } from './d/c.js';",
      'pkg-template/src/d/c.ts': "export type A = import('../a.js').A;",
      'src/web/a.js': "import { x } from '../../pkg-template/src/a.js';\nimport './gone.js';",
    });
    assert.deepEqual((await cruised(folder)).wrong.sort(), [
      'circle: pkg-template/src/a.ts -> pkg-template/src/b.ts',
      'nowhere: src/web/a.js -> ./gone.js',
      'upward: src/web/a.js -> pkg-template/src/a.ts',
    ]);
  });
});

describe('the map', () => {
  /** Folders of sources that it does not name. */
  function unnamed(files, document) {
    const spans = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span);
    const names = document.split('\n### ').flatMap((section) => {
      const roots = spans(section.split('\n')[0]);
      return roots.flatMap((root) => [root, ...spans(section).map((span) => `${root}/${span}`)]);
    });
    const isCode = (file) => !/(^|\/)(tests|properties)\.rs$/.test(file);
    const folders = new Set(files.filter(isCode).map((file) => path.posix.dirname(file)));
    return [...folders].filter((folder) => !names.some((name) => `${name}/`.startsWith(`${folder}/`)));
  }

  /** The files that do not begin with a comment; a directive may stand before it. */
  const silent = (files, textOf) =>
    files.filter(
      (file) =>
        /\.(rs|ts)$/.test(file) &&
        !/(^|\/|_)tests\.rs$/.test(file) &&
        !/^('use client';\n+)?\/[/*]/.test(textOf(file)),
    );

  test('each file says in its first line what it is for', () => assert.deepEqual(silent(sources, read), []));

  test('a file that does not is found', () => {
    const texts = {
      'a.ts': '// A.\n',
      'b.ts': "'use client';\n\n// B.\n",
      'c.ts': "import './a.js';\n// C.\n",
      'd.rs': '//! D.\n',
      'e.rs': 'use super::d;\n',
      'tests.rs': 'use super::*;\n',
    };
    assert.deepEqual(
      silent(Object.keys(texts), (file) => texts[file]),
      ['c.ts', 'e.rs'],
    );
  });

  test('names every folder', () => assert.deepEqual(unnamed(sources, read('HACKING.md')), []));

  test('a folder that it does not name is found', () => {
    const map =
      '# HACKING\n### `src/core`, `src/rules`\n| `call/state.rs` |\n### `pkg-template/src`\n| `record/` |\n';
    const named = [
      'src/rules/a.rs',
      'src/core/call/state.rs',
      'src/core/a/tests.rs',
      'pkg-template/src/record/a.ts',
    ];
    assert.deepEqual(unnamed(named, map), []);
    const others = ['src/web/a.rs', 'src/core/record/a.rs', 'pkg-template/src/call/a.ts'];
    assert.deepEqual(unnamed([...named, ...others], map), others.map(path.posix.dirname));
  });
});

test('clippy says where a function of the core has more than 80 lines', async () => {
  const [lint] = read('src/core/mod.rs').match(/^#!\[.*\bclippy::too_many_lines\b.*\]$/m) ?? [];
  const count = async (lines) => {
    const long = `//! Core\n${lint}\nfn main() {\n${'std::hint::spin_loop();\n'.repeat(lines)}}`;
    const folder = folderOf({ 'Cargo.toml': '[package]\nname = "long"\n[workspace]', 'src/main.rs': long });
    writeFileSync(path.join(folder, 'clippy.toml'), read('clippy.toml'));
    const { output } = await run('cargo', ['clippy', '--offline'], { cwd: folder });
    return output.match(/too many lines/g)?.length ?? 0;
  };
  assert.equal(await count(80), 0);
  assert.equal(await count(81), 1);
});
