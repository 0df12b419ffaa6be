// The page of figures is written by `npm run bench -- --write`: the tables of a run in place of those of the last one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { markdownTable, withFigures } from '../bench/table.mjs';

const page = readFileSync(new URL('../bench/README.md', import.meta.url), 'utf8');

test('a table marks what misses its target', () => {
  const rows = [
    ['', 'µs', 'target'],
    ['one', '1 | 2', 'pass'],
    ['two', '3', 'MISS'],
  ];
  assert.equal(
    markdownTable('Deciding', rows),
    [
      '### Deciding',
      '',
      '|  | µs | target |',
      '| --- | --- | --- |',
      '| one | 1 \\| 2 | pass |',
      '| two | 3 | **misses** |',
    ].join('\n'),
  );
});

test('only the figures of the page are replaced', () => {
  const written = withFigures(page, 'One run.');
  assert.ok(written.startsWith('# Figures'));
  assert.ok(written.includes('<!-- figures -->\n\nOne run.\n\n<!-- /figures -->'));
  assert.equal(
    withFigures(written, 'Another.').length - written.length,
    'Another.'.length - 'One run.'.length,
  );
  assert.ok(written.includes('## What misses its target'));
  assert.throws(() => withFigures('nothing', 'x'), /no place/);
});
