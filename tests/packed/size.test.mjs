// What each entry weighs, against its budget. The figures are of the package as it is installed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { budgets, sizesOf } from '../support/sizes.mjs';

const installed = path.join(process.env.PACKED_PROJECT, 'node_modules', 'tool-approval-guard');
const { exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

for (const [entry, { files, budget, target }] of Object.entries(budgets)) {
  test(`${entry} keeps its budget`, (t) => {
    const { brotli } = sizesOf(installed, files);
    const asked = target === undefined ? '' : `, the design asks for ${kilo(target)}`;
    t.diagnostic(`${entry}: ${kilo(brotli)} of ${kilo(budget)}${asked}`);
    assert.ok(brotli <= budget, `${entry} has ${brotli} bytes`);
    // A budget that nothing comes near is none.
    assert.ok(brotli > budget * 0.9 || budget <= 2_000, `${entry} has only ${brotli} bytes: lower it`);
  });
}

test('every entry of code has a budget', () => {
  const without = ['./package.json', './locales/*', './javascript/*'];
  const named = Object.entries(exports)
    .filter(([name, { default: file }]) => file?.endsWith('.js') && !without.includes(name))
    .map(([name]) => name);
  const files = readdirSync(path.join(installed, 'javascript')).filter((name) =>
    /^(?!index).*\.js$/.test(name),
  );
  const names = [...named, ...files.map((name) => `./javascript/${name.replace('.js', '')}`)];
  assert.deepEqual(
    names.filter((name) => budgets[name] === undefined),
    [],
  );
});

/** What an installation downloads at most, with 0.5 % for what a compiler changes. The design asks for 700 KB. */
const MOST_PACKED = 1_172_000;

test('the tarball keeps its budget', (t) => {
  const { size } = statSync(process.env.PACKED_TARBALL);
  t.diagnostic(`${kilo(size)} of ${kilo(MOST_PACKED)}`);
  assert.ok(size <= MOST_PACKED, `the tarball has ${size} bytes`);
});
