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

/** What one run of fast-check plays at most, so that a seed leads to its failure soon. */
const BATCH = 1_000;
const { TAG_HISTORIES, TAG_SEED } = process.env;
const COUNT = Number(TAG_HISTORIES ?? byBreadth({ commit: 4_000, all: 40_000, soak: 1_000_000 }));
/** How many are always the same: a commit that breaks nothing seldom meets a broken promise among as few fresh ones. */
const FIXED = byBreadth({ commit: 3_750, all: 2_000, soak: 2_000 });
// While promises are known to be broken, a fresh history may well break another one: only a soak looks for these.
const isFresh = KNOWN.length === 0 || breadth === 'soak' || TAG_SEED !== undefined;
const FRESH = Number(TAG_SEED ?? process.hrtime.bigint() % 2_000_000_000n);

/** Runs of this many histories with all SDKs together, from a seed on. */
function runsOf(first, count) {
  const each = Math.ceil(count / SDKS.length);
  return Array.from({ length: Math.ceil(each / BATCH) }, (_, i) => ({
    seed: first + i,
    count: Math.min(BATCH, each - i * BATCH),
  }));
}

// A seed that is played again may have been that of a whole batch.
const least = TAG_SEED === undefined ? 0 : BATCH * SDKS.length;
const fresh = isFresh ? runsOf(FRESH, Math.max(least, COUNT - FIXED)) : [];
const plain = [...runsOf(1, isFresh ? FIXED : COUNT), ...fresh];
/** The runs of histories in which persons change inputs. */
const changing = [{ seed: 3, count: BATCH }, ...(breadth === 'soak' || TAG_SEED !== undefined ? fresh : [])];
const runs = [...plain, ...changing.map((run) => ({ ...run, changes: true }))];

const occurred = new Map();

/** A history as a test that can be kept. */
const pasted = ({ kind, seed, i, history, broken }) =>
  [
    `${kind}, seed ${seed}, history ${i}. To play it again: TAG_SEED=${seed} node tests/run.mjs histories. To keep it, add to kept.mjs:`,
    `  [${JSON.stringify(kind)}, ${JSON.stringify(history)}],`,
    `What was seen: ${JSON.stringify(broken[0])}`,
  ].join('\n');

describe(`histories, fresh ones from seed ${fresh[0]?.seed ?? 'none'} on`, () => {
  for (const sdk of SDKS) {
    for (const { seed, count, changes = false } of runs) {
      const name = changes ? 'with changed inputs, ' : '';
      test(`${sdk.name}, ${name}seed ${seed}: no history breaks a promise`, async () => {
        const texts = [];
        const { seen } = await hunt(sdk, { seed, count, changes, onFound: (one) => texts.push(pasted(one)) });
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
    const played = runs.reduce((sum, { count }) => sum + count, 0) * SDKS.length;
    console.log(`${played} histories, in which occurred:\n${lines.join('\n')}`);
  });
});
