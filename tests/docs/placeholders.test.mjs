// The guide lists the placeholders of all texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const read = (name) => readFileSync(path.join(process.env.DOCS_ROOT, name), 'utf8');

test('the placeholders in the guide are those of the English texts', () => {
  const texts = ['catalogue', 'model-reasons']
    .map((name) => read(`pkg-template/src/text/${name}.ts`))
    .join('\n');
  const found = [...texts.matchAll(/^ {2}'(\w+\.\w+)':\s*(['"])(.*)\2,$/gm)].flatMap(([, id, , text]) =>
    [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => `${name} ${id}`),
  );
  const table = read('pkg-template/docs/guard.md').split('<!-- placeholders -->')[1].trim().split('\n\n')[0];
  const named = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const listed = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|'))
    .flatMap(([, names, , ids]) => named(names).flatMap((name) => named(ids).map((id) => `${name} ${id}`)));
  assert.ok(found.length > 20);
  assert.deepEqual(listed.sort(), [...new Set(found)].sort());
});
