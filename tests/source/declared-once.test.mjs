// What crosses between the shell and the core is declared once: these are the files that a change has to touch.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

import ts from 'typescript';

import { root } from '../support/process.mjs';

const SHELL = 'pkg-template/src';
const GENERATED = 'generated/abi.ts';

const files = readdirSync(path.join(root, SHELL), { recursive: true }).filter((file) => file.endsWith('.ts'));
const textOf = (file) => readFileSync(path.join(root, SHELL, file), 'utf8');

/** The names and texts of a file, without comments. */
function wordsIn(text) {
  const words = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) words.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest));
  return words;
}

const words = new Map(files.map((file) => [file, wordsIn(textOf(file))]));
const filesWith = (word) => files.filter((file) => words.get(file).has(word)).sort();

/** The texts of a list that is generated. */
const listed = (name) =>
  [...new RegExp(`${name} = \\[([^\\]]*)\\]`).exec(textOf(GENERATED))[1].matchAll(/'(\w+)'/g)].map(
    ([, one]) => one,
  );

describe('an option by which the core decides', () => {
  const names = listed('policyNames');
  // Where the shell itself does something only because of an option.
  const used = {
    outputMs: ['options.ts'],
    attended: ['guard/guard.ts'],
  };

  test('there are some', () => assert.ok(names.length >= 10, String(names)));

  for (const name of names) {
    test(`${name} is named by hand in its type, and nowhere in the shell besides`, () => {
      const wanted = [GENERATED, 'types.ts', ...(used[name] ?? [])];
      assert.deepEqual(filesWith(name), wanted.sort());
    });
  }
});
