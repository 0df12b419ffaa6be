// The results that a guard believes without a core.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from './load.mjs';

const { believedFrom } = await load('guard/believed');

const part = (approved, output = 'done') => ({
  toolCallId: 'c1',
  state: 'output-available',
  approval: { id: 'a1', approved },
  output,
});

test('law 17: a result is believed as the list of the server has it; law 4: beside a denial it is not', () => {
  const isBelieved = (shown, known) => believedFrom([{ parts: [known] }])(shown);
  assert.equal(isBelieved(part(true), part(true)), true);
  assert.equal(isBelieved(part(true), part(true, 'other')), false);
  assert.equal(isBelieved(part(true), part(undefined)), false);
  assert.equal(isBelieved(part(true), { ...part(true), toolCallId: 'c2' }), false);
  assert.equal(isBelieved(part(true), { ...part(true), approval: { id: 'a2', approved: true } }), false);
  const failed = { ...part(true, undefined), state: 'output-error', errorText: 'done' };
  assert.equal(isBelieved(part(true), failed), false);
  assert.equal(isBelieved(part(false), part(false)), false);
});
