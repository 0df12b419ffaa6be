// How much there is to read. A person decides in five minutes, and a guide is read while something does not work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LONGEST, longInMarkdown, wordsOf } from '../support/sentences.mjs';
import { shipped } from './support/documents.mjs';

/** The most words of the README, before its licence, and of all other pages together. */
const LIMITS = { readme: 700, guides: 18_000 };

/** Code is read, too; comments are not shown. */
const shown = (text) => text.replace(/<!--[^]*?-->/g, '');

const [readme, ...guides] = shipped.map(({ name, file }) => ({ name, text: readFileSync(file, 'utf8') }));

test('the README takes five minutes', () => {
  const words = wordsOf(shown(readme.text.split('Licensed under')[0]));
  assert.ok(words <= LIMITS.readme, `${words} words`);
});

test('the guides take no longer than they did', () => {
  const words = guides.reduce((sum, { text }) => sum + wordsOf(shown(text)), 0);
  assert.ok(words <= LIMITS.guides, `${words} words`);
});

for (const { name, text } of [readme, ...guides]) {
  test(`${name}: no sentence has more than ${LONGEST} words`, () =>
    assert.deepEqual(longInMarkdown(text), []));
}
