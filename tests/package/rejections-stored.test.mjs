// Rejections after a reload, after a resumed stream, with the queue, and with every approval field (law 4).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { macrotask, parts, scene } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, plain } from './support/assertions.mjs';
import { asking, assistant, call, everyField, said, step, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';

const pay = (state, more) => call('c1', 'pay', state, { input: { amount: 10 }, ...more });

forEachSdk((sdk) =>
  describe(`rejections, stored and resumed, ${sdk.name}`, () => {
    for (const [what, leftover] of [
      ['an output', { state: 'output-available', output: { ok: true } }],
      ['an error', { state: 'output-error', errorText: 'cancelled' }],
      ['a preliminary output', { state: 'output-available', output: 1, preliminary: true }],
      ['result metadata', { state: 'output-available', output: 1, resultProviderMetadata: { p: { a: 1 } } }],
    ]) {
      test(`C45 ${what} stored beside approved: false is repaired without memory`, async () => {
        const denial = { id: 'ap-c1', approved: false, reason: 'no' };
        const s = scene(sdk, {
          messages: [
            user(),
            assistant('a1', pay(leftover.state, { ...leftover, approval: denial }), step, said()),
          ],
          script: [says(), says()],
        });
        for (const count of [1, 2]) {
          await s.say('and now?');
          assert.equal(s.count, count);
          assertDenied(s.wire('c1'), denial);
          assert.deepEqual(s.wire('c1').input, { amount: 10 });
          await sdk.ai.validateUIMessages({ messages: s.last.messages });
        }
        assertDenied(s.home('c1'), denial);
      });
    }

    test('C45 in any message and any step', async () => {
      const bad = (id) =>
        call(id, 'rm', 'output-available', { output: 'fake', approval: { id: `ap-${id}`, approved: false } });
      const s = scene(sdk, {
        messages: [
          user('u1'),
          assistant('a1', bad('c1'), step, said(), step, bad('c2')),
          user('u2'),
          assistant('a2', said(), bad('c3'), step, said()),
        ],
        script: [says()],
      });
      await s.say('and now?');
      assert.equal(s.count, 1);
      for (const id of ['c1', 'c2', 'c3']) {
        assertDenied(s.wire(id), { id: `ap-${id}` });
        assertDenied(s.home(id), { id: `ap-${id}` });
      }
    });

    for (const state of ['output-denied', 'approval-responded']) {
      test(`C45 law 4 an output that the page writes over a stored ${state} takes nothing from its approval`, async () => {
        const denial = { ...everyField, id: 'ap-c1', approved: false, reason: 'no' };
        const s = scene(sdk, {
          messages: [user(), assistant('a1', pay(state, { approval: denial }))],
          script: [says(), says()],
        });
        await s.output('c1', 'made up', 'pay');
        assertDenied(s.home('c1'), denial);
        for (const text of ['and now?', 'and then?']) {
          await s.say(text);
          assertDenied(s.wire('c1'), denial);
          assert.deepEqual(plain(s.wire('c1').approval), denial);
        }
      });
    }

    test('C47 a sweep that cancels every open call does not rewrite the denial', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), gated('c2', 'ls')),
          continued([outputAvailable('c2')]),
          says(),
        ],
      });
      await s.say();
      await s.deny('c1', 'not that folder');
      await s.approve('c2');
      s.chat.messages = s.chat.messages.map((m) => ({
        ...m,
        parts: m.parts.map((p) =>
          p.toolCallId !== 'c1'
            ? p
            : {
                type: p.type,
                toolCallId: 'c1',
                input: p.input,
                state: 'output-error',
                errorText: 'cancelled by a new message',
              },
        ),
      }));
      await s.say('something else');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'not that folder' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'not that folder' });
    });

    test('C51 a stored denial without an approval passes as it is', async () => {
      const part = call('c1', 'rm', 'output-denied');
      const s = scene(sdk, { messages: [user(), assistant('a1', part, step, said())], script: [says()] });
      await s.say('and now?');
      assert.equal(s.count, 1);
      assert.deepEqual(s.wire('c1'), plain(part));
      assert.deepEqual(s.codes(), []);
    });

    for (const write of ['no write', 'output', 'outputError']) {
      test(`C52 C53 every approval field is kept, ${write}`, async () => {
        const s = scene(sdk, {
          messages: [
            user(),
            assistant(
              'a1',
              { ...pay('approval-requested'), approval: { id: 'ap-c1', ...everyField } },
              asking('c2', 'ls', everyField),
            ),
          ],
          script: [continued([outputAvailable('c2')]), says()],
        });
        await s.deny('c1', 'no');
        if (write !== 'no write') await s[write]('c1', 'fake', 'pay');
        assert.equal(s.count, 0);
        await s.approve('c2', 'yes');
        assert.equal(s.count, 1);
        const denial = { id: 'ap-c1', approved: false, reason: 'no', ...everyField };
        assertDenied(s.wire('c1'), denial, { state: 'approval-responded' });
        assert.deepEqual(s.wire('c1').approval, plain(denial), 'and nothing is added');
        assert.deepEqual(s.wire('c1').input, { amount: 10 });
        assertAllowed(s.wire('c2'), { id: 'ap-c2', reason: 'yes', ...everyField });
        await s.say('and now?');
        assert.equal(s.count, 2);
        assert.deepEqual(s.wire('c1').approval, plain(denial));
        assert.deepEqual(s.home('c1').approval, plain(denial));
      });
    }

    test('C54 an approval object that lost its id gets it back', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'), gated('c2', 'ls')), says()] });
      await s.say();
      await s.deny('c1', 'no');
      s.chat.messages = s.chat.messages.map((m) => ({
        ...m,
        parts: m.parts.map((p) => (p.toolCallId === 'c1' ? { ...p, approval: { approved: false } } : p)),
      }));
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'approval-responded' });
    });

    /** A response with the same two calls, as a server replays it. */
    const replayed = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));

    test('C70 a replaying resume puts the old part back: the denial holds', async () => {
      const s = scene(sdk, {
        replaying: true,
        replays: [replayed()],
        script: [replayed(), continued([outputDenied('c1'), outputAvailable('c2')])],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.transport.reconnects, 1);
      assert.equal(s.count, 1);
      assert.equal(parts(s.chat.messages, 'c1').length, 1);
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
      assertAsking(s.home('c2'), 'ap-c2');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    /** The chunks of the response of a1, which goes on after its question. */
    const asks = (...more) => [start('a1'), startStep, ...gated('c1', 'rm', { path: '/a' }), ...more];
    const ends = () => [...text('So.'), finishStep, finish()];
    const answers = {
      'denied through the chat': (s) => s.answer('c1', false, 'no'),
      'allowed through the chat': (s) => s.answer('c1', true),
      'denied, and drafted': (s) => s.guard.decide('c1', 'deny'),
      'allowed, and drafted': (s) => s.guard.decide('c1', 'allow-once'),
    };
    for (const [how, answer] of Object.entries(answers)) {
      for (const breaks of [1, 2]) {
        test(`C70 a call is ${how}, and a broken response is replayed chunk by chunk, ${breaks} times: the answer stands`, async () => {
          const [first, ...replays] = [live(), live(), live()].slice(0, breaks + 1);
          const s = scene(sdk, {
            guard: { undoMs: how.includes('drafted') ? 60_000 : 0 },
            replaying: true,
            replays,
            script: [first, says()],
          });
          /** Pushes one chunk after the other, and shows each to the guard, as a page does. */
          const play = async (response, ...chunks) => {
            await response.started;
            for (const chunk of chunks) {
              response.push(chunk);
              await macrotask();
              s.guard.observe(s.chat.messages);
              s.guard.getSnapshot();
            }
          };
          const status = how.includes('drafted') ? 'drafted' : 'answered';
          const said = s.send();
          await play(first, ...asks());
          await answer(s);
          first.fail(new TypeError('network error'));
          await said;
          await s.settle();
          assert.equal(s.call('c1').status, status);
          for (const [at, replay] of replays.entries()) {
            const resumed = s.chat.resumeStream();
            if (at + 1 < replays.length) {
              // It breaks before it has asked again.
              await play(replay, ...asks().slice(0, 3));
              assert.equal(s.home('c1').state, 'input-available');
              replay.fail(new TypeError('network error'));
            } else {
              await play(replay, ...asks(...ends()));
              replay.close();
            }
            await resumed;
            await s.settle();
          }
          const asked = s.guard.ledger().filter(({ type }) => type === 'asked');
          assert.equal(asked.length, 1);
          if (status === 'drafted') {
            assert.equal(s.call('c1').status, 'drafted');
            return;
          }
          assert.equal(s.count, 2);
          if (how.startsWith('denied')) assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
          else assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        });
      }
    }

    for (const choice of ['allow-once', 'deny']) {
      const decided = async (repeats, replay) => {
        const first = live();
        const s = scene(sdk, {
          guard: { undoMs: 0 },
          replaying: true,
          replays: [replay],
          script: [first, says(), says()],
        });
        const said = s.send();
        await first.started;
        first.push(asks());
        await macrotask();
        first.fail(new TypeError('network error'));
        await said;
        await s.settle();
        const resumed = s.chat.resumeStream();
        await replay.started;
        replay.push(asks().slice(0, 3));
        await macrotask();
        s.guard.observe(s.chat.messages);
        assert.equal(s.home('c1').state, 'input-available');
        await repeats(s);
        await resumed;
        await s.settle();
        assert.equal(s.count, 2);
        const expected = choice === 'deny' ? assertDenied : assertAllowed;
        expected(s.wire('c1'), { id: 'ap-c1' });
      };

      test(`C70 ${choice} while a resumed response has not repeated the question yet: the answer stands`, async () => {
        const replay = live();
        await decided(async (s) => {
          assert.notEqual(s.guard.decide('c1', choice).type, 'refused');
          replay.push(asks(...ends()).slice(3));
          replay.close();
        }, replay);
      });

      test(`C70 ${choice} after a resumed response was stopped before it has repeated the question`, async () => {
        const replay = live();
        await decided(async (s) => {
          await s.chat.stop();
          await s.settle();
          s.guard.observe(s.chat.messages);
          assertAsking(s.home('c1'), 'ap-c1');
          assert.notEqual(s.guard.decide('c1', choice).type, 'refused');
        }, replay);
      });

      test(`C70 ${choice} for a stored call, after a resumed response was stopped before it has repeated the question`, async () => {
        const replay = live();
        const messages = [user(), assistant('a1', { ...asking('c1', 'rm'), input: { path: '/a' } })];
        const s = scene(sdk, { messages, replaying: true, replays: [replay], script: [says()] });
        const resumed = s.chat.resumeStream();
        await replay.started;
        replay.push(asks().slice(0, 3));
        await macrotask();
        await s.chat.stop();
        await resumed;
        await s.settle();
        s.guard.observe(s.chat.messages);
        assertAsking(s.home('c1'), 'ap-c1');
        assert.notEqual(s.guard.decide('c1', choice).type, 'refused');
        await s.settle();
        assert.equal(s.wire('c1').approval.approved, choice !== 'deny');
      });
    }

    test('C70 the denial holds on the wire without an attached chat', async () => {
      const s = scene(sdk, {
        attach: false,
        replaying: true,
        replays: [replayed()],
        script: [replayed(), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.chat.resumeStream();
      await s.settle();
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C71 a resume that repeats the calls in a second step: both copies are denied', async () => {
      const s = scene(sdk, {
        replays: [replayed()],
        script: [replayed(), continued([outputAvailable('c2')]), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.count, 1);
      await s.approve('c2');
      assert.equal(s.count, 2);
      for (const part of parts(s.last.messages, 'c1')) assertDenied(part, { id: 'ap-c1', reason: 'no' });
    });

    test('C72 the continuation has another message id: both copies are denied', async () => {
      const drifted = continued([outputAvailable('c2')]).map((c) => (c.type === 'start' ? start('b1') : c));
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'ls')), drifted, says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assert.deepEqual(s.chat.messages.map((m) => m.id).slice(1), ['a1', 'b1']);
      await s.say('and now?');
      assert.equal(s.count, 3);
      assert.equal(parts(s.last.messages, 'c1').length, 2);
      for (const part of parts(s.last.messages, 'c1')) assertDenied(part, { id: 'ap-c1', reason: 'no' });
    });

    for (const attach of [true, false]) {
      test(`C14 C42 an output over a denial on an earlier card, ${attach ? '' : 'not '}attached`, async () => {
        const s = scene(sdk, {
          attach,
          guard: { whenUserSends: 'pass' },
          script: [response('a1', gated('c1', 'rm')), says(), says()],
        });
        await s.say();
        await s.say('meanwhile');
        await s.deny('c1', 'no');
        await s.output('c1', 'fake', 'rm');
        assert.equal(s.count, 2);
        await s.say('and now?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      });
    }

    for (const [what, ids] of [
      ['other messages', ['u9', 'a9']],
      ['the same message ids', ['g0', 'a1']],
    ]) {
      test(`a denial is not put on a call with another input, in a list with ${what}`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('call_0', 'rm', { n: 1 })), says(), says()] });
        await s.say();
        await s.deny('call_0', 'no');
        assert.equal(s.count, 2);
        const other = call('call_0', 'rm', 'output-available', { input: { n: 2 }, output: 'ran' });
        s.chat.messages = [user(ids[0]), assistant(ids[1], other, step, said())];
        await s.say('and now?');
        assert.equal(s.count, 3);
        assert.deepEqual(s.wire('call_0'), plain(other));
        assert.deepEqual(s.home('call_0'), other);
      });
    }

    test('a denial whose response has ended does not make sendMessage() continue its message', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm')),
          says(),
          response('a2', toolCall('k1', 'ui'), toolCall('k2', 'ui')),
          says(),
        ],
        guard: { whenUserSends: 'pass' },
      });
      await s.say();
      await s.deny('c1', 'no');
      assert.equal(s.count, 2);
      assertDenied(s.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      await s.say('and now?');
      assert.equal(s.count, 3);
      await s.output('k1');
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 4);
      assert.equal(s.last.messageId, 'a2', 'the continuation belongs to the last message');
    });
  }),
);

test('the queue continues after a denial that the server did not change, ai@7', async () => {
  const s = scene(sdk7, {
    chat: { experimental_queue: true },
    script: [response('a1', gated('c1', 'rm')), continued([]), says(), says()],
  });
  await s.say();
  await s.send('queued');
  assert.equal(s.count, 1);
  await s.deny('c1', 'no');
  assert.equal(s.count, 3);
  assertDenied(s.wire('c1', s.requests[1]), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
  assert.equal(s.last.messages.at(-1).parts[0].text, 'queued');
  assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
});

test('C62 the queue sends the answers first, ai@7', async () => {
  const s = scene(sdk7, {
    chat: { experimental_queue: true },
    script: [
      response('a1', gated('c1', 'rm'), gated('c2', 'ls')),
      continued([outputAvailable('c2')]),
      says(),
    ],
  });
  await s.say();
  await s.send('queued');
  await s.deny('c1', 'no');
  await s.output('c1', 'fake', 'rm');
  assert.equal(s.count, 1);
  await s.approve('c2');
  assert.equal(s.count, 3);
  assert.equal(s.requests[1].messages.at(-1).role, 'assistant');
  assertDenied(s.wire('c1', s.requests[1]), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
  assertAllowed(s.wire('c2', s.requests[1]), { id: 'ap-c2' });
  assert.equal(s.last.messages.at(-1).parts[0].text, 'queued');
  assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
});

test('C70 an unmarked resume of a broken continuation keeps the denial, ai@7', async () => {
  const s = scene(sdk7, {
    script: [response('a1', gated('c1', 'rm')), says()],
    replays: [[start('a1'), startStep, ...gated('c1', 'rm'), finishStep, finish()]],
  });
  await s.say();
  await s.deny('c1', 'no');
  assert.equal(s.count, 2);
  await s.chat.resumeStream();
  await s.settle();
  assert.equal(s.count, 2, 'a delivered denial is not sent again');
  for (const part of parts(s.chat.messages, 'c1')) assertDenied(part, { id: 'ap-c1', reason: 'no' });
});
