// The lists of the laws and of the cases are true: each number that code and tests cite stands there, and each test that is named
// there exists.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name) => readFileSync(path.join(root, name), 'utf8');

const sources = ['src', 'pkg-template/src', 'tests'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => /\.(rs|ts|mjs)$/.test(name) && !name.includes('node_modules')),
);
/** What a pattern finds in all sources, each once. */
const cited = (pattern) =>
  new Set(sources.flatMap((name) => [...read(name).matchAll(pattern)].map(([, number]) => Number(number))));

const rows = read('tests/cases.md')
  .split('\n')
  .filter((line) => /^\| C\d/.test(line));
const cases = rows.map((row) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim()),
);
const laws = [...read('src/core/laws.md').matchAll(/^(\d+)\. \*\*.*_Property:_ `([^`]+)`$/gm)];

test('the cases are numbered from 1, each with its situation and what is right', () => {
  assert.deepEqual(
    cases.map(([name]) => Number(name.slice(1))),
    cases.map((_, i) => i + 1),
  );
  for (const [name, situation, right] of cases) assert.ok(situation && right, name);
});

test('the test of each case exists and has its number in a name', () => {
  const without = [];
  for (const [name, , , file] of cases) {
    if (file === '–') without.push(name);
    else assert.match(read(`tests/${file.slice(1, -1)}`), new RegExp(`['"\`][^'"\`\\n]*\\b${name}\\b`), name);
  }
  // It says why.
  assert.deepEqual(without, ['C102']);
});

test('no source cites a case that the list has not', () => {
  const numbers = [...cited(/\bC(\d{2,3})\b(?!["'\d])/g)].filter((number) => number > cases.length);
  assert.deepEqual(numbers, []);
});

test('the laws are numbered from 1, and the property of each exists', () => {
  assert.deepEqual(
    laws.map(([, number]) => Number(number)),
    laws.map((_, i) => i + 1),
  );
  const functions = sources
    .filter((name) => name.endsWith('.rs'))
    .map(read)
    .join('\n');
  for (const [, number, name] of laws) {
    if (name.startsWith('tests/')) assert.ok(existsSync(path.join(root, name)), `law ${number}`);
    else assert.match(functions, new RegExp(`fn ${name}\\(`), `law ${number}`);
  }
});

test('no source cites a law that the list has not', () => {
  const numbers = [...cited(/\b[Ll]aw[s_ ](\d+)/g)].filter((number) => number > laws.length);
  assert.deepEqual(numbers, []);
});
