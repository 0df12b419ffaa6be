// Whether a call is allowed or denied never changes when a request leaves.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import { byBreadth } from '../support/breadth.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { gated, response, says, toolCall } from './support/chunks.mjs';
import { forEachSdk } from './support/sdk.mjs';

const RUNS = byBreadth({ commit: 15, all: 60 });
const SEED = Number(process.env.TAG_SEED ?? 20_261_127);

/** Up to four calls that ask and two of the page, and the order in which they are answered. */
const history = fc
  .record({ asking: fc.integer({ min: 1, max: 4 }), ofPage: fc.nat({ max: 2 }) })
  .chain(({ asking, ofPage }) => {
    const ids = [
      ...Array.from({ length: asking }, (_, i) => `c${i}`),
      ...Array.from({ length: ofPage }, (_, i) => `p${i}`),
    ];
    return fc.record({
      ids: fc.constant(ids),
      order: fc.shuffledSubarray(ids, { minLength: ids.length }),
      approved: fc.array(fc.boolean(), { minLength: asking, maxLength: asking }),
      flipped: fc.array(fc.boolean(), { minLength: asking, maxLength: asking }),
      throughGuard: fc.array(fc.boolean(), { minLength: asking, maxLength: asking }),
      thenWrites: fc.nat({ max: ids.length }),
    });
  });

/** The number of requests after each act. */
async function requestsAfterEachAct(sdk, { ids, order, throughGuard, thenWrites }, approved) {
  const parts = ids.map((id) => (id.startsWith('c') ? gated(id, 'rm', { id }) : toolCall(id, 'ui', { id })));
  const s = scene(sdk, {
    script: [response('a1', ...parts), ...Array.from({ length: 4 }, () => says())],
    guard: { undoMs: 0, clientTools: ['ui'] },
  });
  await s.say();
  const counts = [s.count];
  for (const [at, id] of order.entries()) {
    // A message of the user in between closes what is open.
    if (at === thenWrites && thenWrites > 0) {
      await s.say('something else');
      counts.push(s.count);
    }
    const place = ids.indexOf(id);
    if (!id.startsWith('c')) await s.chat.addToolOutput({ tool: 'ui', toolCallId: id, output: 'done' });
    else if (throughGuard[place]) s.guard.decide(id, approved[place] ? 'allow-once' : 'deny');
    else await s.chat.addToolApprovalResponse({ id: `ap-${id}`, approved: approved[place] });
    await s.settle();
    await macrotask();
    counts.push(s.count);
  }
  s.guard.dispose();
  return counts;
}

forEachSdk((sdk) =>
  describe(`flipped answers, ${sdk.name}`, () => {
    test('law 3: requests leave at the same time, whichever answers are given', async () => {
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(history, async (given) => {
          const { approved, flipped } = given;
          const other = approved.map((yes, i) => yes !== flipped[i]);
          const counts = await requestsAfterEachAct(sdk, given, approved);
          assert.deepEqual(await requestsAfterEachAct(sdk, given, other), counts);
          sent += Number(counts.at(-1) > 1);
        }),
        { numRuns: RUNS, seed: SEED },
      );
      assert.ok(sent > RUNS / 2, 'most histories send');
    });
  }),
);
