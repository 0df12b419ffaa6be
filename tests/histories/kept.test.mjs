// Histories that once broke a promise.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { KEPT } from './kept.mjs';
import { SDKS } from './support/sdks.mjs';
import { play } from './support/world.mjs';

for (const sdk of SDKS) {
  for (const [kind, history] of KEPT) {
    test(`${sdk.name}: ${kind}: ${JSON.stringify(history)}`, async () => {
      const { broken } = await play(sdk, history);
      assert.deepEqual(broken, []);
    });
  }
}
