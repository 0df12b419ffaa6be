// Histories at random over a real `Chat` of both majors of the SDK, checked against the laws. `npm test` plays the same ones each time
// and some that nobody has played before; `TAG_HISTORIES` says how many, `TAG_SEED` which. What breaks a promise is shrunk, and
// printed as a line for `kept.mjs`, whose histories are played in every run.
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';

import { MUST_OCCUR } from './cases.mjs';
import { KEPT } from './kept.mjs';
import { KNOWN } from './known.mjs';
import { hunt } from './support/hunt.mjs';
import { SDKS } from './support/sdks.mjs';
import { play } from './support/world.mjs';
import { breadth, byBreadth } from '../support/breadth.mjs';

/** What one run of fast-check plays, so that a seed leads to its failure soon. */
const BATCH = 1_000;
const COUNT = Number(process.env.TAG_HISTORIES ?? byBreadth({ commit: 4_000, all: 40_000, soak: 1_000_000 }));
/** The seed of the fixed batch, and one that nobody has played before. `TAG_SEED` plays one of these again. */
const FRESH = Number(process.env.TAG_SEED ?? process.hrtime.bigint() % 2_000_000_000n);

// While promises are known to be broken, a fresh history may well break another one: only a soak looks for these, and other runs
// always play the same ones.
const isFresh = KNOWN.length === 0 || breadth === 'soak' || process.env.TAG_SEED !== undefined;
const seeds = [1];
for (let played = BATCH * SDKS.length; played < COUNT; played += BATCH * SDKS.length) {
  seeds.push((isFresh ? FRESH : 2) + seeds.length - 1);
}

/** The seeds of histories in which persons change inputs. */
const changing = breadth === 'soak' ? seeds : [3];

const occurred = new Map();

/** A history as a test that can be kept. */
const pasted = ({ kind, seed, i, history, broken }) =>
  [
    `${kind}, seed ${seed}, history ${i}. To keep it, add to kept.mjs:`,
    `  [${JSON.stringify(kind)}, ${JSON.stringify(history)}],`,
    `What was seen: ${JSON.stringify(broken[0])}`,
  ].join('\n');

describe(`histories, seeds ${seeds.join(', ').slice(0, 60)}`, () => {
  for (const sdk of SDKS) {
    for (const [seed, changes] of [
      ...seeds.map((seed) => [seed, false]),
      ...changing.map((seed) => [seed, true]),
    ]) {
      const name = changes ? 'with changed inputs, ' : '';
      test(`${sdk.name}, ${name}seed ${seed}: no history breaks a promise`, async () => {
        const texts = [];
        const { seen } = await hunt(sdk, {
          seed,
          count: BATCH,
          changes,
          onFound: (one) => texts.push(pasted(one)),
        });
        for (const [name, times] of seen) occurred.set(name, (occurred.get(name) ?? 0) + times);
        assert.equal(texts.length, 0, `\n${texts.join('\n\n')}`);
      });
    }
  }

  for (const sdk of SDKS) {
    for (const [kind, history] of KEPT) {
      test(`${sdk.name}, kept: ${kind}: ${JSON.stringify(history)}`, async () => {
        const { broken, seen } = await play(sdk, history);
        for (const [name, times] of seen) occurred.set(name, (occurred.get(name) ?? 0) + times);
        assert.deepEqual(broken, []);
      });
    }
  }

  test('each case that matters has occurred', () => {
    const missing = MUST_OCCUR.filter((name) => !occurred.has(name));
    assert.deepEqual(missing, []);
  });

  for (const [kind, major, history] of KNOWN) {
    test(`known to be broken in ai@${major}, else to be taken out of known.mjs: ${kind}`, async () => {
      const sdk = SDKS.find((one) => one.major === major);
      const { broken } = await play(sdk, history);
      assert.ok(broken.some((one) => one.kind === kind));
    });
  }

  after(() => {
    const lines = [...occurred].sort((a, b) => b[1] - a[1]).map(([name, count]) => `  ${count} × ${name}`);
    console.log(
      `${BATCH * (seeds.length + changing.length) * SDKS.length} histories, in which occurred:\n${lines.join('\n')}`,
    );
  });
});
