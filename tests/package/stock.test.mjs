// The statements about the stock SDK on the page *What it does*: a chat without a guard.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { until } from './support/chat.mjs';
import { backend, callsTool, saysText } from './support/backend.mjs';
import { broken, reject, ScriptedTransport } from './support/scripted-transport.mjs';
import { gated, response, says, start, startStep } from './support/chunks.mjs';

const gate = { needsApproval: true };

forEachSdk((sdk) =>
  describe(`without a guard, ${sdk.name}`, () => {
    function stock(transport) {
      const { lastAssistantMessageIsCompleteWithApprovalResponses: sendAutomaticallyWhen } = sdk.ai;
      const chat = new sdk.Chat({ transport, sendAutomaticallyWhen, onError: () => {} });
      const settle = () =>
        until(() => !transport.busy && (chat.status === 'ready' || chat.status === 'error'));
      const say = async (text) => {
        await chat.sendMessage({ text });
        await settle();
      };
      const part = (id) => chat.messages.flatMap(({ parts }) => parts).find((p) => p.toolCallId === id);
      const answer = async (id, approved) => {
        await chat.addToolApprovalResponse({ id: part(id).approval.id, approved });
        await settle();
      };
      return { chat, say, answer, part, settle };
    }

    /** The requests with a message, and with the next one, after `act` on a step of `rm`, `mv` and `ui`. */
    async function written(calls, act = async () => {}) {
      const server = await backend(sdk, {
        steps: [calls.map(([id, tool]) => callsTool(id, tool)), saysText('Yes?'), saysText('Yes?')],
        tools: { rm: gate, mv: gate, ui: { server: false } },
      });
      const s = stock(server.transport);
      await s.say('go');
      await act(s);
      const requests = server.requests.length;
      const seen = [];
      for (const text of ['stop that', 'still there?']) {
        await s.say(text);
        seen.push(s.chat.status);
      }
      assert.deepEqual(server.executed, []);
      assert.equal(server.requests.length, requests + 2);
      return seen;
    }
    const refused = ['error', 'error'];
    const taken = ['ready', 'ready'];
    const two = [
      ['c1', 'rm'],
      ['c2', 'mv'],
    ];

    test('C59 a message over an open approval of the server', async () => {
      assert.deepEqual(await written([['c1', 'rm']]), sdk.major === 7 ? taken : refused);
    });

    test('C60 a message over an allowance that was not sent, and an open approval', async () => {
      assert.deepEqual(await written(two, (s) => s.answer('c1', true)), refused);
    });

    test('C60 a message over a denial that was not sent, and an open approval', async () => {
      assert.deepEqual(await written(two, (s) => s.answer('c1', false)), sdk.major === 7 ? taken : refused);
    });

    test('a message over an open client tool', async () => {
      assert.deepEqual(await written([['k1', 'ui']]), refused);
    });

    test('C16 after a request with the answers has failed, nothing repeats it but a sendMessage() of the page', async () => {
      const transport = new ScriptedTransport([response('a1', gated('c1', 'rm')), reject(), says()]);
      const s = stock(transport);
      await s.say('go');
      await s.answer('c1', true);
      assert.equal(s.chat.status, 'error');
      assert.equal(transport.requests.length, 2);
      if (sdk.major === 7) {
        await s.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
        await s.settle();
        assert.equal(transport.requests.length, 2, 'another press does nothing');
      }
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(transport.requests.length, 3);
      const [sent] = transport.requests
        .at(-1)
        .messages.at(-1)
        .parts.filter((p) => p.toolCallId === 'c1');
      assert.deepEqual([sent.state, sent.approval.approved], ['approval-responded', true]);
    });

    test('C105 a request that breaks half way looks like one that never arrived', async () => {
      const seen = [];
      for (const answer of [reject(), broken([start(), startStep])]) {
        const transport = new ScriptedTransport([response('a1', gated('c1', 'rm')), answer]);
        const s = stock(transport);
        await s.say('go');
        await s.answer('c1', true);
        const { state, approval } = s.part('c1');
        seen.push([s.chat.status, state, approval.approved]);
      }
      assert.deepEqual(seen[0], ['error', 'approval-responded', true]);
      assert.deepEqual(seen[1], seen[0]);
    });
  }),
);
