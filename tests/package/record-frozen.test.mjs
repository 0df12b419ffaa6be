// A page that is frozen, as in the back/forward cache, while the storage of its record works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { says } from './support/chunks.mjs';
import { until } from './support/chat.mjs';
import { reloadable, storageOf } from './support/reload.mjs';
import { sdk7 } from './support/sdk.mjs';
import { asking, assistant, user } from './support/stored.mjs';

/** Stops the page: afterwards its timers are late. */
const freeze = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a page that was frozen during a transaction reports nothing, because the transaction has ended', async () => {
  const storage = storageOf();
  const { transact } = storage;
  let isSlow = false;
  // It ends before the page goes on, which hears of it after a timer of 5 s.
  storage.transact = async (...args) => {
    transact(...args);
    if (isSlow) await delay(5_010);
  };
  const messages = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'rm'))];
  const s = await reloadable(sdk7, { storage }).load({ messages, script: [says()] });
  isSlow = true;
  s.guard.decide('c1', 'allow-once');
  await delay(50);
  isSlow = false;
  freeze(5_200);
  await delay(200);
  assert.deepEqual(s.codes(), []);
  s.guard.decide('c2', 'deny');
  await until(() => s.count === 1 && s.chat.status === 'ready');
  assert.deepEqual(
    ['c1', 'c2'].map((id) => s.wire(id).approval.approved),
    [true, false],
  );
  assert.deepEqual(s.codes(), []);
});
