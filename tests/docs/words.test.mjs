// How much there is to read. A person decides in five minutes, and a guide is read while something does not work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shipped } from './support/documents.mjs';

/** The most words of the README, before its licence, and of all other pages together. */
const LIMITS = { readme: 700, guides: 18_000 };

/** Words are what has a letter or a digit between spaces, also in code. Comments are not shown. */
const wordsOf = (text) =>
  text
    .replace(/<!--[^]*?-->/g, '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const [readme, ...guides] = shipped.map(({ name, file }) => ({ name, text: readFileSync(file, 'utf8') }));

test('the README takes five minutes', () => {
  const words = wordsOf(readme.text.split('Licensed under')[0]);
  assert.ok(words <= LIMITS.readme, `${words} words`);
});

test('the guides take no longer than they did', () => {
  const words = guides.reduce((sum, { text }) => sum + wordsOf(text), 0);
  assert.ok(words <= LIMITS.guides, `${words} words`);
});

/** The longest sentence that a tired reader takes in at once, in words. What is code is not read as words. */
const LONGEST = 30;

for (const { name, text } of [readme, ...guides]) {
  test(`${name}: no sentence has more than ${LONGEST} words`, () => {
    const sentences = text
      .replace(/<!--[^]*?-->|```[^]*?```|`[^`]*`/g, '')
      .split('\n')
      .flatMap((line) => (line.startsWith('|') ? line.split('|') : [line]))
      .flatMap((line) => line.split(/(?<=[.:;!?])\s+/));
    const long = sentences.filter((sentence) => wordsOf(sentence) > LONGEST);
    assert.deepEqual(long, []);
  });
}
