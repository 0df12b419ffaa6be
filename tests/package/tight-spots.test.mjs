// Decisions in difficult situations: acts in the same turn, shared ids, calls that begin again, a guard that
// is gone, two components.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { STOCK, createApprovalGuard, macrotask, parts, scene } from './support/chat.mjs';
import { backend, callsTool, saysText } from './support/backend.mjs';
import { chained } from './support/decide.mjs';
import { live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import {
  approvalRequest,
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { named } from './support/named.mjs';
import { createWords } from 'tool-approval-guard/words';

const wordsOf = ({ guard }) => createWords(guard.locale);

const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));

forEachSdk((sdk) =>
  describe(`difficult situations, ${sdk.name}`, { skip: STOCK }, () => {
    for (const then of ['message', 'allow']) {
      test(`law 5, an output that the page wrote before the question came is no answer: ${then}`, async () => {
        const asks = live();
        const s = scene(sdk, { script: [asks, says()] });
        void s.send();
        await asks.started;
        asks.push(start('a1'), startStep, toolCall('c1', 'rm', { path: '/a' }));
        await macrotask();
        await s.put('c1', { done: true }, 'rm');
        s.guard.observe(s.chat.messages);
        asks.push(approvalRequest('c1'), finishStep, finish());
        asks.close();
        await s.settle();
        s.guard.observe(s.chat.messages);
        assert.equal(s.call('c1').waiting, true);
        assert.equal(s.codes().at(-1), 'output-over-open-approval');
        if (then === 'allow') {
          s.guard.decide('c1', 'allow-once');
          await s.settle();
          assertAllowed(s.wire('c1'), { id: 'ap-c1' });
          assert.equal(s.wire('c1').output, undefined);
        } else {
          await s.say('something else');
          assertDenied(s.wire('c1'), { id: 'ap-c1' });
        }
        assert.equal(s.count, 2);
      });
    }

    test('law 14: no button sends a call whose message the application has taken away, also before the last step', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), reject(new Error('connection lost'))],
      });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      const show = (messages) => {
        s.chat.messages = messages;
        s.guard.observe(messages);
        return s.guard.getSnapshot();
      };
      const later = { id: 'a2', role: 'assistant', parts: [{ type: 'text', text: 'Later.' }] };
      assert.equal(show([...s.chat.messages, later]).batch.action, 'retry');
      const { batch, calls } = show(s.chat.messages.filter(({ id }) => id !== 'a1'));
      assert.deepEqual([batch.action, calls], [undefined, []]);
    });

    /** A chat with a real `streamText`, which has asked about its only call. */
    async function served() {
      const server = await backend(sdk, {
        steps: [[callsTool('c1', 'rm', { path: '/a' })], saysText('one'), saysText('two')],
        tools: { rm: { needsApproval: true } },
      });
      const s = scene(sdk, { inner: server.transport });
      await s.say();
      return { s, server };
    }

    for (const later of [0, 1, 2, 5]) {
      for (const choice of ['allow-once', 'deny']) {
        test(`law 3: an output, and ${later} microtasks later the last decision (${choice}): one request has both`, async () => {
          const script = [response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), says()];
          const s = scene(sdk, { script, guard: { clientTools: ['ui'] } });
          await s.say();
          void s.chat.addToolOutput({ tool: 'ui', toolCallId: 'k1', output: 'shown' });
          for (let i = 0; i < later; i++) await null;
          assert.equal(s.guard.decide('c1', choice).type, 'committed');
          await s.settle();
          assert.equal(s.count, 2);
          assert.equal(s.wire('c1').approval.approved, choice === 'allow-once');
          assert.equal(s.wire('k1').output, 'shown');
        });
      }
    }

    test('allowed and continued in the same turn: one request, and the tool runs once', async () => {
      const { s, server } = await served();
      s.guard.decide('c1', 'allow-once');
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(server.requests.length, 2);
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(s.codes(), []);
      assert.equal(s.chat.error, undefined);
    });

    test('C64 allowed and regenerated in the same turn: one request, and nothing runs', async () => {
      const { s, server } = await served();
      s.guard.decide('c1', 'allow-once');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(server.requests.length, 2);
      assert.deepEqual(server.executed, []);
      assert.equal(s.chat.error, undefined);
    });

    // The SDK of the older major reads its messages before the person's message is among them.
    test('C61 denied and written in the same turn: the message is in one request', async () => {
      const s = scene(sdk, { script: [one(), says(), says(), says()] });
      await s.say();
      s.guard.decide('c1', 'deny', { reason: 'another file' });
      await s.chat.sendMessage({ text: 'take the other one' });
      await s.settle();
      const withMessage = s.requests.filter((r) => r.messages.at(-1).role === 'user');
      assert.equal(withMessage.length, 2, 'the first message, and this one');
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'another file' });
    });

    for (const choice of ['allow-once', 'deny']) {
      for (const why of ['a call is open', 'it is of another chat']) {
        test(`law 3: a continue is refused because ${why}, and in its turn comes the last decision (${choice}): it is sent`, async () => {
          const s = scene(sdk, { script: [one(), says()] });
          await s.say();
          const { transport } = s.chat;
          if (why !== 'a call is open') {
            const sendMessages = (options) => {
              s.chat.transport = transport;
              return transport.sendMessages({ ...options, chatId: 'another' });
            };
            s.chat.transport = { sendMessages };
          }
          const refused = s.chat.sendMessage();
          assert.equal(s.guard.decide('c1', choice).type, 'committed');
          await refused;
          await s.settle();
          if (why === 'it is of another chat') assert.equal(s.codes().at(-1), 'wrong-chat');
          else assert.equal(s.guard.ledger().filter(({ type }) => type === 'held').length, 1);
          assert.equal(s.count, 2, 'one request has the decision');
          assert.equal(s.wire('c1').approval.approved, choice === 'allow-once');
          assert.equal(s.chat.error, undefined);
          assert.equal((await s.guard.retry()).type, 'nothing-to-send');
        });
      }
    }

    for (const how of ['put', 'putError'])
      test(`law 3: a continue is refused because a client tool runs, and in its turn comes the output (${how}): it is sent`, async () => {
        const script = [response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), says()];
        const s = scene(sdk, { script, guard: { clientTools: ['ui'] } });
        await s.say();
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
        await s.settle();
        const refused = s.chat.sendMessage();
        void s[how]('k1');
        await refused;
        await s.settle();
        assert.equal(s.guard.ledger().filter(({ type }) => type === 'held').length, 1);
        assert.equal(s.count, 2, 'one request has the output');
        assert.equal(s.wire('k1').state, how === 'put' ? 'output-available' : 'output-error');
        assert.equal(s.wire('c1').approval.approved, true);
        assert.equal(s.chat.error, undefined);
      });

    test('a continue is refused, and in its turn come a yes of the chat itself and a stop: nothing is sent', async () => {
      const s = scene(sdk, { script: [one(), says()] });
      await s.say();
      const refused = s.chat.sendMessage();
      void s.answer('c1', true);
      await s.chat.stop();
      await refused;
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('C61 a note that the page adds in the tick of a decision does not stop the send', async () => {
      const s = scene(sdk, { script: [one(), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      const note = { id: 'note', role: 'system', parts: [{ type: 'text', text: 'noted' }] };
      s.chat.messages = [...s.chat.messages, note];
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C16 a request that fails in its turn can be sent again in the same turn', async () => {
      const s = scene(sdk, { script: [one(), reject(), says()] });
      await s.say();
      let result;
      s.guard.subscribe(() => {
        if (s.guard.getSnapshot().batch.phase === 'failed') result ??= s.guard.retry();
      });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await result;
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('a transport that is wrapped twice sends', async () => {
      const s = scene(sdk, { script: [one(), says()] });
      const twice = s.guard.transport(s.guard.transport(s.transport));
      await s.say();
      const chat = new sdk.Chat({
        id: s.id,
        messages: s.chat.messages,
        transport: twice,
        sendAutomaticallyWhen: s.guard.sendAutomaticallyWhen,
      });
      s.guard.attach(chat);
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('law 12: an expiry found by a refused click still sends', async () => {
      const s = scene(sdk, { guard: { expiresMs: 1_000 }, script: [one(), says()] });
      await s.say();
      // No timer goes off meanwhile, as on a computer that sleeps.
      const begin = Date.now();
      while (Date.now() - begin < 1_050);
      assert.equal(s.guard.decide('c1', 'allow-once').reason, 'expired');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { reason: wordsOf(s).text('reason.expired') });
    });

    test('C100 a call that expires while no chat is attached is sent when one is', async () => {
      const s = scene(sdk, { guard: { expiresMs: 1_000 }, script: [one(), says()] });
      await s.say();
      s.detach();
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      assert.equal(s.count, 1);
      s.guard.attach(s.chat);
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { reason: wordsOf(s).text('reason.expired') });
    });

    test('C91 after a denial for the chat ends, the older allowance answers its calls', async () => {
      const del = (id) => gated(id, 'del', { n: id });
      const s = scene(sdk, {
        script: [
          response('a1', del('c1')),
          chained([outputAvailable('c1')], del('a'), del('b'), gated('z', 'mv')),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      await s.settle();
      s.guard.undo('a');
      s.guard.decide('a', 'deny-chat', { covers: 'tool' });
      assert.equal(s.call('b').outcome, 'denied-automatically');
      assert.deepEqual(named(s.guard, s.guard.undo('a').keys), ['a']);
      assert.deepEqual([s.call('a').status, s.call('b').outcome], ['asking', 'allowed-automatically']);
    });

    test('law 5: one click of the SDK on an approval id shared by two calls allows neither', async () => {
      const shared = (toolCallId, tool) => [
        toolCall(toolCallId, tool, { path: `/${toolCallId}` }),
        approvalRequest(toolCallId, 'ap-x'),
      ];
      const s = scene(sdk, {
        script: [response('a1', shared('c1', 'read'), shared('c2', 'rm')), says()],
      });
      await s.say();
      await s.chat.addToolApprovalResponse({ id: 'ap-x', approved: true });
      await s.settle();
      assert.equal(s.count, 1);
      for (const id of ['c1', 'c2']) assertAsking(s.home(id), 'ap-x');
      assert.ok(s.codes().includes('malformed-approval'));
      const [read, rm] = s.guard.getSnapshot().calls;
      assert.equal(s.guard.decide('ap-x', 'allow-once').reason, 'ambiguous-id');
      s.guard.decide(read, 'allow-once');
      s.guard.decide(rm, 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-x' });
      assertDenied(s.wire('c2'), { id: 'ap-x' });
    });

    test('T2 a call that begins again with another input removes the draft, and leaves nothing behind', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      void s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm', { path: '/a' }));
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      first.push(gated('c1', 'rm', { path: '/etc' }), finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(
        s.guard.getSnapshot().calls.map((c) => [c.toolCallId, c.status, c.input]),
        [['c1', 'asking', { path: '/etc' }]],
      );
      assert.equal(s.guard.decide('c1', 'deny').type, 'committed');
      await s.settle();
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('a call whose input comes again without a question cannot be decided', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      void s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm', { path: '/a' }));
      await new Promise((resolve) => setTimeout(resolve, 5));
      const old = s.call('c1');
      s.guard.decide(old, 'allow-once');
      first.push(toolCall('c1', 'rm', { path: '/etc' }), finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assert.notEqual(s.call('c1').status, 'drafted');
      assert.equal(s.guard.decide(old, 'allow-once').type, 'refused');
      assert.notEqual(s.home('c1').approval?.approved, true);
    });

    test('with two attachments, detaching one does not affect the other', async () => {
      const s = scene(sdk, { script: [two(), says()] });
      await s.say();
      const leave = s.guard.attach(s.chat);
      s.guard.decide('c1', 'allow-once');
      leave();
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C59 with whenUserSends: pass a message withdraws the drafts', async () => {
      const s = scene(sdk, { guard: { whenUserSends: 'pass', undoMs: Infinity }, script: [two(), says()] });
      await s.say();
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.say('something else');
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) {
        assertAsking(s.wire(id), `ap-${id}`);
        assert.deepEqual([s.call(id).status, s.call(id).can.undo], ['asking', false]);
        assert.equal(s.guard.decide(id, 'allow-once').reason, 'unreachable');
      }
      assert.equal(s.guard.commit().type, 'nothing-to-commit');
    });

    test('a dangerous call that is allowed late is not committed early, but expires', async () => {
      const s = scene(sdk, {
        guard: { tools: { rm: { dangerous: true } }, expiresMs: 1_000 },
        script: [one(), says()],
      });
      await s.say();
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal(s.call('c1').can.undo, true);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      await s.settle();
      assert.equal(s.call('c1').outcome, 'expired');
      for (const request of s.requests.slice(1)) assertDenied(parts(request.messages, 'c1').at(-1), {});
    });

    test('T9 an input of 17 million characters can be denied, and allowed', async () => {
      const path = 'x'.repeat(17_000_000);
      for (const choice of ['deny', 'allow-once']) {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm', { path })), says()] });
        await s.say();
        assert.equal(s.guard.decide(s.call('c1'), choice).type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
      }
    });

    test('the result of a commit shows the state of the grant after it', async () => {
      const s = scene(sdk, { script: [one(), continued([outputAvailable('c1')]), says()] });
      await s.say();
      const result = s.guard.decide('c1', 'deny-chat');
      assert.equal(result.type, 'committed');
      assert.equal(result.grant.status, 'active');
      await s.settle();
      assertDenied(s.wire('c1'), { reason: wordsOf(s).text('reason.denyChat') });
    });
  }),
);

describe('a guard that is gone', { skip: STOCK }, () => {
  test('it says so once, and its snapshot stays the same object', () => {
    const errors = [];
    const guard = createApprovalGuard({ onError: (e) => errors.push(e.code) });
    guard.getSnapshot();
    guard.dispose();
    const snapshot = guard.getSnapshot();
    for (let i = 0; i < 5; i++) {
      assert.equal(guard.getSnapshot(), snapshot);
      guard.decide('c1', 'deny');
      guard.sendAutomaticallyWhen({ messages: [] });
    }
    assert.deepEqual(errors, ['disposed']);
    assert.deepEqual(
      [snapshot.calls, snapshot.batch.phase, snapshot.verdict.reason],
      [[], 'idle', 'disposed'],
    );
  });
});
