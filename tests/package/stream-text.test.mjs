// With a real `streamText` behind the chat: what runs on the server, and what the model receives.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { backend, callsTool, resultsOf, saysText } from './support/backend.mjs';
import { assertDenied } from './support/assertions.mjs';

/** A chat with a real backend. Approval ids come from the server, so calls are answered by call id. */
async function play(sdk, { steps, tools, guard, chat, convert }) {
  const server = await backend(sdk, { steps, tools, convert });
  const s = scene(sdk, { inner: server.transport, guard, chat });
  const approvalId = (callId) => s.home(callId).approval.id;
  return {
    s,
    server,
    answer: async (callId, approved, reason) => {
      await s.chat.addToolApprovalResponse({ id: approvalId(callId), approved, reason });
      await s.settle();
    },
  };
}

const gate = { needsApproval: true };
const onPage = { server: false };

forEachSdk((sdk) =>
  describe(`with streamText, ${sdk.name}`, () => {
    // In the SDK's cookbook the page calls `sendMessage()` after each answer.
    for (const [what, chat] of [
      ['beside the predicate', {}],
      ['without a predicate', { sendAutomaticallyWhen: undefined }],
    ]) {
      test(`C26 answer one, sendMessage(), answer the other, sendMessage(): both run once, ${what}`, async () => {
        const { s, server } = await play(sdk, {
          tools: { rm: gate, ls: gate },
          steps: [[callsTool('c1', 'rm'), callsTool('c2', 'ls')], saysText('Both.')],
          chat,
        });
        await s.say('both');
        const answerAndSend = async (callId) => {
          const { id } = s.home(callId).approval;
          await s.chat.addToolApprovalResponse({ id, approved: true });
          await s.chat.sendMessage();
          await s.settle();
        };
        await answerAndSend('c1');
        assert.equal(s.count, 1);
        assert.deepEqual(s.codes(), []);
        assert.equal(s.events.at(-1).type, 'held', 'an entry says that it waits for the other call');
        assert.equal(s.home('c2').state, 'approval-requested', 'and it is not denied');
        await answerAndSend('c2');
        assert.equal(s.count, 2);
        assert.deepEqual(server.executed, ['c1', 'c2']);
        assert.deepEqual(
          ['c1', 'c2'].map((id) => s.home(id).state),
          ['output-available', 'output-available'],
        );
        assert.deepEqual(s.codes(), []);
        assert.equal(s.chat.status, 'ready');
      });
    }

    // The page calls `sendMessage()` without a message, or the SDK's queue (`ai` 7) does before the message of the user.
    for (const how of sdk.major === 7 ? ['bare', 'queue'] : ['bare'])
      test(`law 13: what is in doubt does not run again because the chat goes on, ${how}`, async () => {
        const server = await backend(sdk, {
          tools: { rm: gate },
          steps: [[callsTool('c1', 'rm')], saysText('Removed.'), saysText('Go on?'), saysText('Sure.')],
        });
        // The second response is lost on its way.
        const inner = Object.create(server.transport, {
          sendMessages: {
            value: async (request) => {
              const response = await server.transport.sendMessages(request);
              if (server.requests.length !== 2) return response;
              for await (const chunk of response) void chunk;
              throw new TypeError('fetch failed');
            },
          },
        });
        const s = scene(sdk, { inner, chat: { experimental_queue: how === 'queue' } });
        await s.say();
        await s.chat.addToolApprovalResponse({ id: s.home('c1').approval.id, approved: true });
        await s.settle();
        assert.deepEqual(server.executed, ['c1']);
        assert.equal(s.call('c1').status, 'in-doubt');
        await (how === 'queue' ? s.say('and now?') : s.chat.sendMessage());
        await s.settle();
        assert.deepEqual(server.executed, ['c1'], 'it has run once');
        assertDenied(s.wire('c1'), {}, { state: how === 'queue' ? 'output-denied' : 'approval-responded' });
        assert.match(s.wire('c1').approval.reason, /not known/);
        assertDenied(s.home('c1'), {}, { state: 'output-denied' });
        assert.equal(s.call('c1').status, 'superseded');
        assert.equal(s.chat.status, 'ready');
        assert.deepEqual(server.errors, []);
        const written = server.requests.at(-1).messages.filter((m) => m.role === 'user').length;
        assert.equal(written, how === 'queue' ? 2 : 1, 'the message of the user arrives');
      });

    test('a call that a stop has left without a result, in the route of the guide: the chat goes on, also with answers', async () => {
      // As in docs/decisions.md.
      const convert = async ({ convertToModelMessages }, messages, tools) => [
        ...(await convertToModelMessages(messages.slice(0, -1), { tools, ignoreIncompleteToolCalls: true })),
        ...(await convertToModelMessages(messages.slice(-1), { tools })),
      ];
      const { s, server, answer } = await play(sdk, {
        tools: { slow: { hangs: true }, rm: gate },
        steps: [[callsTool('c1', 'slow')], [callsTool('c2', 'rm')], saysText('Done.')],
        convert,
      });
      void s.send('wait');
      await until(() => server.executed.length === 1);
      await s.chat.stop();
      await s.settle();
      await s.say('remove it');
      await answer('c2', true);
      assert.deepEqual(server.executed, ['c1', 'c2']);
      assert.deepEqual(server.errors, []);
      assert.equal(resultsOf(server, 'c2').length, 1, 'the model is told');
      assert.equal(s.chat.status, 'ready');
    });

    test('C42 C48 one denied with a fake output, one approved: the denied one did not run, and the model knows', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate, ls: gate },
        steps: [
          [callsTool('c1', 'rm', { path: '/' }), callsTool('c2', 'ls')],
          saysText('I listed.'),
          saysText('Sure.'),
        ],
      });
      await s.say('clean up');
      await answer('c1', false, 'not that');
      await s.output('c1', { success: false, denied: true }, 'rm');
      await answer('c2', true);
      assert.equal(s.count, 2);
      assert.deepEqual(server.executed, ['c2']);
      assert.equal(server.prompts.length, 2);
      assertDenied(s.wire('c1'), { reason: 'not that' }, { state: 'approval-responded' });
      assert.deepEqual(
        resultsOf(server, 'c1').map((o) => o.type),
        ['execution-denied'],
      );
      assert.equal(resultsOf(server, 'c1')[0].reason, 'not that');
      assertDenied(s.home('c1'), { reason: 'not that' }, { state: 'output-denied' });
      assert.equal(s.home('c2').state, 'output-available');

      await s.say('thanks');
      assert.equal(s.count, 3);
      // The SDK reports a settled denial to the model as an error that contains the reason.
      const later = resultsOf(server, 'c1');
      assert.equal(later.length, 1);
      assert.match(JSON.stringify(later[0]), /not that/);
      assert.deepEqual(server.executed, ['c2']);
      assert.deepEqual(server.errors, []);
    });

    test('C12 both denied: the model is told, nothing runs', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate, ls: gate },
        steps: [[callsTool('c1', 'rm'), callsTool('c2', 'ls')], saysText('As you wish.')],
      });
      await s.say();
      await answer('c1', false);
      await answer('c2', false);
      assert.equal(s.count, 2);
      assert.deepEqual(server.executed, []);
      assert.equal(s.chat.status, 'ready');
    });

    for (const order of ['approval first', 'output first']) {
      test(`C30 a client tool beside an approval, ${order}`, async () => {
        const { s, server, answer } = await play(sdk, {
          tools: { rm: gate, ui: onPage },
          steps: [[callsTool('c1', 'rm'), callsTool('k1', 'ui')], saysText('Done.')],
        });
        await s.say();
        const acts = [() => answer('c1', true), () => s.output('k1', { picked: 1 })];
        if (order === 'output first') acts.reverse();
        await acts[0]();
        assert.equal(s.count, 1);
        assert.deepEqual(server.executed, []);
        await acts[1]();
        assert.equal(s.count, 2);
        assert.deepEqual(server.executed, ['c1']);
        assert.equal(s.chat.status, 'ready');
        assert.deepEqual(server.errors, []);
      });
    }

    test('C03 an approved tool ran and the model returns nothing', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate },
        steps: [[callsTool('c1', 'rm')], [], [], []],
      });
      await s.say();
      await answer('c1', true);
      assert.equal(s.count, 2);
      assert.deepEqual(server.executed, ['c1']);
    });

    test('C60 a denial of the user before a message: the chat continues, and the model learns of it', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate, mv: gate },
        steps: [
          [callsTool('c1', 'rm'), callsTool('c2', 'mv')],
          ...(sdk.major >= 7 ? [saysText('All right.')] : []),
          saysText('Yes?'),
          [callsTool('c3', 'rm'), callsTool('c4', 'mv')],
          saysText('All right.'),
        ],
      });
      await s.say();
      await answer('c1', false, 'no');
      await s.say('stop that');
      // The server side of `ai` 6 refuses an answered denial before a message, once.
      assert.equal(s.chat.status, sdk.major >= 7 ? 'ready' : 'error');
      await s.say('still there?');
      assert.equal(s.chat.status, 'ready');
      assertDenied(s.wire('c1'), { reason: 'no' });
      await s.say('again');
      await answer('c3', false, 'no');
      await s.say('and stop');
      assert.equal(s.chat.status, 'ready');
      assertDenied(s.wire('c3'), { reason: 'no' });
      assert.deepEqual(server.executed, []);
    });

    test('C60 a message after one of two answers: the chat continues and nothing runs', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate, mv: gate },
        steps: [[callsTool('c1', 'rm'), callsTool('c2', 'mv')], saysText('All right.'), saysText('Yes?')],
      });
      await s.say();
      await answer('c1', true);
      await s.say('stop that');
      assert.equal(s.count, 2);
      assert.equal(s.chat.status, 'ready');
      await s.say('still there?');
      assert.equal(s.count, 3);
      assert.equal(s.chat.status, 'ready');
      assert.deepEqual(server.executed, []);
      assert.deepEqual(server.errors, []);
      assert.equal(server.prompts.length, 3);
    });

    test('a message over an open client tool: the backend accepts it', async () => {
      const { s, server } = await play(sdk, {
        guard: { clientTools: ['ui'] },
        tools: { ui: onPage },
        steps: [[callsTool('k1', 'ui')], saysText('All right.')],
      });
      await s.say();
      await s.say('never mind');
      assert.equal(s.count, 2);
      assert.equal(s.chat.status, 'ready');
      assert.equal(server.prompts.length, 2);
      assert.deepEqual(server.errors, []);
    });

    test('C24 an approved client tool: the backend sees it with its output', async () => {
      const { s, server, answer } = await play(sdk, {
        guard: { clientTools: ['pick'] },
        tools: { pick: { ...onPage, ...gate } },
        steps: [[callsTool('c1', 'pick')], saysText('Thanks.')],
      });
      await s.say();
      await answer('c1', true);
      assert.equal(s.count, 1);
      await s.output('c1', { file: 'a' }, 'pick');
      assert.equal(s.count, 2);
      assert.equal(s.chat.status, 'ready');
      assert.deepEqual(server.errors, []);
      assert.equal(server.prompts.length, 2);
    });

    test('a chain of steps, each with an approval: each tool runs once', async () => {
      const { s, server, answer } = await play(sdk, {
        tools: { rm: gate },
        steps: [
          [callsTool('c1', 'rm', { n: 1 })],
          [callsTool('c2', 'rm', { n: 2 })],
          [callsTool('c3', 'rm', { n: 3 })],
          saysText('Done.'),
        ],
      });
      await s.say();
      await answer('c1', true);
      await answer('c2', false, 'not this one');
      await answer('c3', true);
      assert.equal(s.count, 4);
      assert.deepEqual(server.executed, ['c1', 'c3']);
      assert.deepEqual(server.errors, []);
    });
  }),
);

test('C11 a call that the policy of the server denies, with a client tool, ai@7', async () => {
  const { s, server } = await play(sdk7, {
    tools: { rm: { policy: 'denied' }, ui: onPage },
    steps: [[callsTool('d1', 'rm'), callsTool('k1', 'ui')], saysText('Done.')],
  });
  await s.say();
  assert.equal(s.count, 1);
  assert.equal(s.home('d1').state, 'output-denied');
  await s.output('k1', { picked: 1 });
  assert.equal(s.count, 2);
  assert.deepEqual(server.executed, []);
  assert.deepEqual(server.errors, []);
  assert.equal(s.chat.status, 'ready');
});
