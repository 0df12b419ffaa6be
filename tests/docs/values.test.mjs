// The reference says what each value of a message is. Which message has which value, the types say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pkg } from './support/documents.mjs';

const read = (name) => readFileSync(path.join(process.env.DOCS_ROOT, name), 'utf8');

test('the values in the reference are those of the English messages', () => {
  const texts = ['catalogue', 'model-reasons']
    .map((name) => read(`pkg-template/src/text/${name}.ts`))
    .join('\n');
  // A function names its values before it says them.
  const found = [...texts.matchAll(/^ {2}'\w+\.\w+': \(\{ ([\w, ]+) \}/gm)].flatMap(([, names]) =>
    names.split(', '),
  );
  const words = readFileSync(path.join(pkg, 'docs', 'api', 'words.md'), 'utf8');
  const section = words.split('\n### ').find((text) => text.startsWith('Values\n'));
  const listed = [...section.matchAll(/^- ([^:]+): /gm)].flatMap(([, names]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  assert.ok(found.length > 20);
  assert.deepEqual(listed.sort(), [...new Set(found)].sort());
});
