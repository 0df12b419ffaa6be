// What the model need not see costs nothing where there is no such tool.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from './load.mjs';

const { Omission } = await load('chat/omission');

const vocabulary = {
  dynamicTool: 'dynamic-tool',
  toolPrefix: 'tool-',
  stepStart: 'step-start',
  settled: new Set(['output-available']),
};

test('without a pattern no message is read', () => {
  const unread = {
    get parts() {
      throw new Error('it was read');
    },
  };
  const messages = [unread, unread];
  assert.equal(new Omission([], vocabulary).outgoing(messages), messages);
  assert.throws(() => new Omission(['x'], vocabulary).outgoing(messages), /it was read/);
});

test('with one the list is the same as long as nothing is left out', () => {
  const part = (name) => ({ type: `tool-${name}`, state: 'output-available', toolCallId: name });
  const omission = new Omission(['client.*'], vocabulary);
  const kept = [{ id: 'a', parts: [part('files.read')] }];
  assert.equal(omission.outgoing(kept), kept);
  const mixed = [...kept, { id: 'b', parts: [part('client.pick'), part('files.read')] }];
  const left = omission.outgoing(mixed);
  assert.equal(left[0], kept[0]);
  assert.deepEqual(left[1].parts, [mixed[1].parts[1]]);
  assert.equal(mixed[1].parts.length, 2, 'the chat has it still');
});
