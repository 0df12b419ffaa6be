// The sizes that the documents say, against the package as it is released.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { budgets, sizesOf } from '../support/sizes.mjs';
import { codeOf } from '../support/markdown.mjs';
import { pkg, written } from './support/documents.mjs';

const { exports } = JSON.parse(readFileSync(path.join(pkg, 'package.json'), 'utf8'));
const tables = written.flatMap((document) => document.lists);

test('the sizes are those of the files', () => {
  const sizes = tables.filter(({ kind }) => kind === 'sizes');
  assert.ok(sizes.length > 0);
  const wrong = [];
  for (const [names, kilobytes] of sizes.flatMap(({ rows }) => rows.slice(1))) {
    for (const name of codeOf(names)) {
      const entry = `.${name.slice('tool-approval-guard'.length)}`;
      const { default: file } = exports[entry] ?? exports['./locales/*'];
      // What an entry brings beside its own file, the budgets know.
      const files = budgets[entry]?.files ?? [file.replace('*', entry.split('/').at(-1))];
      const measured = sizesOf(pkg, files).brotli / 1000;
      const said = Number(kilobytes.content);
      // A few bytes come and go with each change.
      if (Math.abs(said - measured) > Math.max(0.1, measured * 0.03)) wrong.push({ name, said, measured });
    }
  }
  assert.deepEqual(wrong, []);
});
