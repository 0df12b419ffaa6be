// The guide lists the values of all messages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const read = (name) => readFileSync(path.join(process.env.DOCS_ROOT, name), 'utf8');

test('the values in the guide are those of the English messages', () => {
  const texts = ['catalogue', 'model-reasons']
    .map((name) => read(`pkg-template/src/text/${name}.ts`))
    .join('\n');
  // A function names its values before it says them.
  const found = [...texts.matchAll(/^ {2}'(\w+\.\w+)': \(\{ ([\w, ]+) \}/gm)].flatMap(([, id, names]) =>
    names.split(', ').map((name) => `${name} ${id}`),
  );
  const table = read('pkg-template/docs/guard.md').split('<!-- values -->')[1].trim().split('\n\n')[0];
  const named = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const listed = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|'))
    .flatMap(([, names, , ids]) => named(names).flatMap((name) => named(ids).map((id) => `${name} ${id}`)));
  assert.ok(found.length > 20);
  assert.deepEqual(listed.sort(), [...new Set(found)].sort());
});
