// Calls that the model does not need stay in the chat, but are left out of requests.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertAllowed, assertAsking } from './support/assertions.mjs';
import { gated, toolCall, outputAvailable, response, says } from './support/chunks.mjs';
import { createApprovalGuard, GuardError, scene } from './support/chat.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { assistant, user } from './support/stored.mjs';

const done = (id, tool, more = {}) => ({
  type: 'dynamic-tool',
  toolName: tool,
  toolCallId: id,
  state: 'output-available',
  input: {},
  output: 1,
  ...more,
});
const text = { type: 'text', text: 'so' };

forEachSdk((sdk) =>
  describe(`calls that the model does not need, ${sdk.name}`, () => {
    const guard = { omitFromWire: ['client.*', 'log'] };
    const sent = async (messages, options = {}) => {
      const s = scene(sdk, { script: [says()], messages, guard, ...options });
      await s.say();
      return { s, list: s.transport.requests.at(-1).messages };
    };

    test('a call is left out of the request, and stays in the chat', async () => {
      const stored = assistant('a0', done('c1', 'client.theme'), done('c2', 'read'), done('c3', 'log'), text);
      const { s, list } = await sent([user('u0'), stored]);
      const parts = list.find(({ id }) => id === 'a0').parts;
      assert.deepEqual(
        parts.filter(({ toolCallId }) => toolCallId).map(({ toolCallId }) => toolCallId),
        ['c2'],
      );
      assert.ok(parts.some((part) => part.text === 'so'));
      assert.equal(s.home('c1').output, 1);
      assert.equal(s.home('c3').output, 1);
    });

    test('a call that still needs an answer or an output is sent anyway', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'client.pick', {}), gated('c2', 'rm', {})), says()],
        guard,
      });
      await s.say();
      assertAsking(s.home('c1'), 'ap-c1');
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.settle();
      assertAllowed(s.wire('c1'));
    });

    test('nothing else is changed, and a list without such calls stays the same list', async () => {
      let leaving;
      const inner = {
        sendMessages: async ({ messages }) => {
          leaving = messages;
          return new ReadableStream({ start: (controller) => controller.close() });
        },
        reconnectToStream: async () => null,
      };
      const transport = createApprovalGuard({ chatId: 'x', ...guard }).transport(inner);
      const send = (messages) =>
        transport.sendMessages({ chatId: 'x', trigger: 'submit-message', messageId: undefined, messages });
      const plain = [user('u0'), assistant('a0', done('c2', 'read'), text), user('u1')];
      await send(plain);
      assert.equal(leaving, plain);
      const more = [...plain.slice(0, 2), assistant('a2', done('c1', 'log'), text), user('u1')];
      await send(more);
      assert.deepEqual(
        leaving.map((message, i) => message === more[i]),
        [true, true, false, true],
      );
    });

    test('a message that contains nothing else is still accepted by the SDK', async () => {
      const { list } = await sent([user('u0'), assistant('a0', done('c1', 'client.theme'))]);
      const message = list.find(({ id }) => id === 'a0');
      assert.deepEqual(
        message.parts.map(({ type }) => type),
        ['step-start'],
      );
      await sdk.ai.validateUIMessages({ messages: list });
      await sdk.ai.convertToModelMessages(list);
    });

    test('a preliminary output stays', async () => {
      const { list } = await sent([
        user('u0'),
        assistant('a0', done('c1', 'log', { preliminary: true }), text),
      ]);
      assert.ok(list.find(({ id }) => id === 'a0').parts.some(({ toolCallId }) => toolCallId === 'c1'));
    });

    test('the model sees no call without its result, and no result without its call', async () => {
      const s = scene(sdk, {
        script: [response('a1', toolCall('c1', 'client.theme', {}), outputAvailable('c1')), says(), says()],
        guard,
      });
      await s.say();
      await s.say();
      const told = JSON.stringify(await sdk.ai.convertToModelMessages(s.transport.requests.at(-1).messages));
      assert.ok(!told.includes('c1'), told);
    });
  }),
);

test('anything but a list of patterns is refused', () => {
  for (const omitFromWire of ['client.*', [1], [''], {}]) {
    assert.throws(
      () => createApprovalGuard({ omitFromWire }),
      (error) => error instanceof GuardError && error.code === 'invalid-option',
    );
  }
});
