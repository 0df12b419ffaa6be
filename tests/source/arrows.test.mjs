// Arrows between files only point down and never run in a circle, the map names every folder, and no function of the
// core is too long. Each check is first shown to find what it looks for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import {
  arrowsOf,
  circles,
  longFunctions,
  nameOf,
  readTree,
  unnamedFolders,
  upward,
} from '../support/arrows.mjs';

/** Arrows of circles that are still there. The list only shrinks: one that is gone has to leave it. */
const stillThere = {
  circles: [],
  longFunctions: [],
};

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the sources', () => {
  const tree = readTree(root);
  const arrows = arrowsOf(tree);

  test('are read', () => {
    assert.ok(arrows.length > 300, `only ${arrows.length} arrows were found`);
    const names = new Set(arrows.map(nameOf));
    for (const arrow of [
      'src/core/verdict.rs -> src/core/protocol.rs',
      'src/rules/shell/mod.rs -> src/rules/unicode.rs',
      'src/web/rules.rs -> src/rules/judge.rs',
      'pkg-template/src/record.ts -> pkg-template/src/record/session.ts',
      'pkg-template/src/record/types.ts -> pkg-template/src/types/events.ts',
    ]) {
      assert.ok(names.has(arrow), arrow);
    }
  });

  test('have no arrow that points up', () => assert.deepEqual(upward(arrows), []));

  test('have no circle but those that are known', () => {
    const { found, gone } = circles(arrows, stillThere.circles);
    assert.deepEqual(found, [], 'files that lead to each other');
    assert.deepEqual(gone, [], 'these are in no circle any more: take them off the list');
  });

  test('are in folders that the map names', () => {
    const document = readFileSync(path.join(root, 'HACKING.md'), 'utf8');
    assert.deepEqual(unnamedFolders(tree, document), []);
  });

  test('have no long function in the core but those that are known', () => {
    assert.deepEqual(longFunctions(tree).sort(), [...stillThere.longFunctions].sort());
  });
});

/** Small trees. */
const treeOf = (files) => new Map(Object.entries(files));
const inCore = (files) => ({ 'src/lib.rs': 'pub mod core;\npub mod rules;\npub mod web;', ...files });

describe('an arrow that points up is found', () => {
  const base = inCore({
    'src/core/mod.rs': 'pub mod a;',
    'src/rules/mod.rs': 'pub mod b;',
    'src/rules/b.rs': 'use crate::core::a::A;',
    'src/web/mod.rs': 'pub fn f(a: crate::core::a::A) {}',
  });
  for (const [name, text] of Object.entries({
    'in a use': 'use crate::web::f;',
    'in a group': 'use crate::{core, web::{f, g}};',
    'in a path': 'fn f() { crate::web::f() }',
    'in a relative path': 'type F = super::super::web::F;',
  })) {
    test(`from the core to the border, ${name}`, () => {
      const arrows = arrowsOf(treeOf({ ...base, 'src/core/a.rs': text }));
      assert.deepEqual(upward(arrows), ['src/core/a.rs -> src/web/mod.rs']);
    });
  }
  test('from the core to the rules', () => {
    const arrows = arrowsOf(treeOf({ ...base, 'src/core/a.rs': 'use crate::rules::b;' }));
    assert.deepEqual(upward(arrows), ['src/core/a.rs -> src/rules/b.rs']);
  });
  test('from the border to the shell', () => {
    const files = {
      'src/web/a.js': "import { x } from '../../pkg-template/src/x.js';",
      'pkg-template/src/x.ts': '',
    };
    assert.deepEqual(upward(arrowsOf(treeOf(files))), ['src/web/a.js -> pkg-template/src/x.ts']);
  });
  for (const [name, text] of Object.entries({
    'a comment': '//! [`crate::web::f`]\n/* use crate::web::f; */',
    'a text': 'const F: &str = "use crate::web::f;";',
    'a test': '#[cfg(test)]\nmod tests {\n    use crate::web::f;\n}',
    'the layer below': 'use crate::core::b::B;',
  })) {
    test(`but none in ${name}`, () => {
      const arrows = arrowsOf(treeOf({ ...base, 'src/core/a.rs': text }));
      assert.deepEqual(upward(arrows), []);
    });
  }
});

describe('a circle is found', () => {
  const found = (files, known) => circles(arrowsOf(treeOf(files)), known);
  const rust = (a, b, more = {}) =>
    inCore({ 'src/core/mod.rs': 'pub mod a;\npub mod b;', 'src/core/a.rs': a, 'src/core/b.rs': b, ...more });

  test('of two files', () => {
    const files = rust('use super::b::B;', 'use crate::core::a::A;');
    assert.deepEqual(found(files).found, [['src/core/a.rs', 'src/core/b.rs']]);
  });
  test('of a module and its child', () => {
    const files = rust('mod c;\nuse c::C;', '', { 'src/core/a/c.rs': 'use super::A;' });
    assert.deepEqual(found(files).found, [['src/core/a.rs', 'src/core/a/c.rs']]);
  });
  test('over an item that a third file passes on', () => {
    const files = rust('use super::B;', 'use super::a::A;', {
      'src/core/mod.rs': 'mod a;\nmod b;\npub use b::B;',
    });
    assert.deepEqual(found(files).found, [['src/core/a.rs', 'src/core/b.rs']]);
  });
  test('but a module that declares and passes on its child is none', () => {
    const files = rust('', '', {
      'src/core/mod.rs': 'mod a;\npub use a::A;',
      'src/core/a.rs': 'use super::X;',
    });
    assert.deepEqual(found(files).found, []);
  });
  test('of three TypeScript files, over types alone', () => {
    const files = {
      'pkg-template/src/a.ts': "import type { B } from './b.js';",
      'pkg-template/src/b.ts': "export { c } from './d/c.js';",
      'pkg-template/src/d/c.ts': "type A = import('../a.js').A;",
    };
    assert.deepEqual(found(files).found, [
      ['pkg-template/src/a.ts', 'pkg-template/src/b.ts', 'pkg-template/src/d/c.ts'],
    ]);
  });
  test('also where it goes past a known one', () => {
    const files = {
      'pkg-template/src/a.ts': "import { b } from './b.js';\nimport { c } from './c.js';",
      'pkg-template/src/b.ts': "import { a } from './a.js';",
      'pkg-template/src/c.ts': "import { a } from './a.js';",
    };
    const known = ['pkg-template/src/b.ts -> pkg-template/src/a.ts'];
    assert.deepEqual(found(files, known), {
      found: [['pkg-template/src/a.ts', 'pkg-template/src/c.ts']],
      gone: [],
    });
  });
  test('and a known one that is gone', () => {
    const known = ['src/core/a.rs -> src/core/b.rs'];
    assert.deepEqual(found(rust('use super::b::B;', ''), known), { found: [], gone: known });
  });
});

describe('a folder without a name in the map is found', () => {
  const document = [
    '# HACKING',
    '## The map',
    '### `src/core`: the machine',
    '| `call/state.rs` | one call |',
    '### `src/rules`, `src/server`: beside',
    '### `pkg-template/src`: the shell',
    '| `record/` | the record |',
    '### Where to add what',
    '| `src/web` | not in the map |',
  ].join('\n');
  const unnamed = (...files) =>
    unnamedFolders(treeOf(Object.fromEntries(files.map((file) => [file, '']))), document);

  test('beside those that have one', () => {
    const named = [
      'src/core/a.rs',
      'src/core/call/state.rs',
      'src/server/a.rs',
      'pkg-template/src/record/a.ts',
    ];
    assert.deepEqual(unnamed(...named), []);
    assert.deepEqual(
      unnamed(...named, 'src/web/a.rs', 'src/core/record/a.rs', 'pkg-template/src/call/a.ts'),
      ['src/web', 'src/core/record', 'pkg-template/src/call'],
    );
  });
  test('but a folder of tests needs none', () => assert.deepEqual(unnamed('src/core/a/tests.rs'), []));
});

describe('a long function is found', () => {
  const lines = (count) => Array.from({ length: count }, () => '    f("}");').join('\n');
  const long = (text) => longFunctions(treeOf({ 'src/core/a.rs': text }));

  test('from 81 lines on', () => {
    assert.deepEqual(long(`fn short() {\n${lines(78)}\n}`), []);
    assert.deepEqual(long(`impl A {\npub fn long(x: [u8; 2]) -> u8 {\n${lines(79)}\n}\n}`), [
      'src/core/a.rs: long',
    ]);
  });
  test('but not in tests, in tables, or outside of the core', () => {
    assert.deepEqual(long(`#[cfg(test)]\nmod tests {\nfn long() {\n${lines(90)}\n}\n}`), []);
    assert.deepEqual(long(`table! {\n${lines(90)}\n}\nconst T: [u8; 90] = [\n${lines(90)}\n];`), []);
    assert.deepEqual(longFunctions(treeOf({ 'src/rules/a.rs': `fn long() {\n${lines(90)}\n}` })), []);
  });
});
