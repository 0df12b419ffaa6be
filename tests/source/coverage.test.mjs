// The lists of covered calls that are read once for several calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from './load.mjs';

const { Coverage } = await load('guard/coverage');

/** The number of lists read for the calls 1 and 2, if a choice about each would answer these calls. */
function reads(isMutual, ...covered) {
  let count = 0;
  const core = {
    get: () => 7,
    apply: () => {},
    read: () => {
      count += 1;
      return [isMutual, ...covered];
    },
  };
  const coverage = new Coverage({ core, keys: { of: (call) => `call-${call}` } });
  for (const call of [1, 2, 1]) coverage.of(call, 'mail', 0, () => {});
  return count;
}

test('a list is that of another call only if a choice about each of them answers the same ones', () => {
  assert.equal(reads(1, 1, 2), 1);
  assert.equal(reads(0, 1, 2), 2);
});
