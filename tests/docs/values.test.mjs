// The guide says what each value of a message is. Which message has which value, the types say.
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
  const found = [...texts.matchAll(/^ {2}'\w+\.\w+': \(\{ ([\w, ]+) \}/gm)].flatMap(([, names]) =>
    names.split(', '),
  );
  const table = read('pkg-template/docs/guard.md').split('<!-- values -->')[1].trim().split('\n\n')[0];
  const rows = table.split('\n').slice(2);
  const listed = rows.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert.ok(found.length > 20);
  assert.deepEqual(listed.sort(), [...new Set(found)].sort());
});
