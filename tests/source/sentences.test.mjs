// How what is read by contributors is written: the documents of the repository, and the comments of its programs.
// `tests/docs/words.test.mjs` reads what ships.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { root } from '../support/process.mjs';
import { LONGEST, longInComments, longInMarkdown } from '../support/sentences.mjs';

const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
const READ = [
  ['documents', /\.md$/, longInMarkdown],
  ['comments', /\.(rs|ts|tsx|mjs|js)$/, longInComments],
];

for (const [what, ending, longIn] of READ) {
  test(`${what}: no sentence has more than ${LONGEST} words`, () => {
    const read = files.filter((file) => ending.test(file));
    assert.ok(read.length > 10);
    const long = read.flatMap((file) =>
      longIn(readFileSync(path.join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`),
    );
    assert.deepEqual(long, []);
  });
}

test('a long sentence is found over the lines of a comment, and in a table', () => {
  const long = `${'word '.repeat(LONGEST)}more.`;
  const comment = `/**\n * Short.\n *\n * ${long.replaceAll(/((?:\w+ ){10})/g, '$1\n * ')}\n */`;
  assert.equal(longInComments(comment).length, 1);
  assert.equal(longInComments(comment.replace('more', '')).length, 0);
  assert.equal(longInMarkdown(`| a | ${long} |\n- ${long}`).length, 2);
});
