// What the form whose module is JavaScript has in the place of what its platform lacks.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { without } from '../support/without.mjs';
import { bundle, load } from './load.mjs';

const LACKING = ['TextDecoder', 'TextEncoder', 'performance', 'crypto', 'DOMException'];
const all = await load('module/platform');

test('what the platform has is used', () => {
  for (const name of LACKING.filter((name) => name !== 'crypto'))
    assert.equal(all[name], globalThis[name], name);
});

test('without the others, a request that is stopped and a text cross all the same', async () => {
  const file = await bundle('module/platform');
  const { DOMException, performance, TextEncoder, TextDecoder } = await without(
    LACKING,
    () => import(`${file}?lacking`),
  );
  const error = new DOMException('stopped', 'AbortError');
  assert.ok(error instanceof Error && !(error instanceof globalThis.DOMException));
  assert.deepEqual([error.name, error.message], ['AbortError', 'stopped']);
  assert.ok(Math.abs(performance.now() - Date.now()) < 1_000);
  assert.equal(new TextDecoder().decode(new TextEncoder().encode('é𝄞')), 'é𝄞');
});

test('without crypto there are random numbers all the same, and one that comes later is used', async (t) => {
  const { crypto } = globalThis;
  const bytes = await without(['crypto'], () => all.crypto.getRandomValues(new Uint8Array(4_000)));
  // Of 256 values each is as likely as the others: none is missing among so many, but once in 30,000 runs.
  assert.ok(new Set(bytes).size > 250);
  const words = await without(['crypto'], () => all.crypto.getRandomValues(new Uint32Array(100)));
  assert.ok(Math.max(...words) > 2 ** 31 && new Set(words).size > 90);
  const filled = t.mock.method(crypto, 'getRandomValues');
  all.crypto.getRandomValues(new Uint32Array(2));
  assert.equal(filled.mock.callCount(), 1);
});
