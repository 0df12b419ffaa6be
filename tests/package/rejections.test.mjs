// A rejection stays a rejection, on the wire and at home, in every order and timing (law 4).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, assertHolds, plain } from './support/assertions.mjs';
import {
  approvalRequest,
  approvalResponse,
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
  toolCall,
} from './support/chunks.mjs';

const fake = { success: false, denied: true };

/** The ways in which a page may write over a denied call. */
const writes = [
  ['an output', (s, id) => s.put(id, fake, 'rm')],
  ['an error', (s, id) => s.putError(id, 'User declined', 'rm')],
];

/** The ways in which a server ends the response that carried the denial. */
const servers = [
  ['that settles the denial', [outputDenied('c1'), outputAvailable('c2')]],
  ['that leaves the denial as it is', [outputAvailable('c2')]],
];

const orders = [
  ['deny', 'write', 'allow'],
  ['deny', 'allow', 'write'],
  ['allow', 'deny', 'write'],
  ['write', 'deny', 'allow'],
  ['write', 'allow', 'deny'],
  ['allow', 'write', 'deny'],
];

const timings = [
  [
    'in one tick',
    async (acts) => {
      await Promise.all(acts.map((act) => act()));
    },
  ],
  [
    'turn by turn',
    async (acts, s) => {
      for (const act of acts) {
        await act();
        await s.settle();
      }
    },
  ],
  [
    'one macrotask apart',
    async (acts) => {
      for (const act of acts) {
        void act();
        await macrotask();
      }
    },
  ],
];

const opening = () => response('a1', gated('c1', 'rm', { path: '/' }), gated('c2', 'ls', { path: '.' }));

forEachSdk((sdk) =>
  describe(`rejections, ${sdk.name}`, () => {
    for (const order of orders) {
      for (const [when, play] of timings) {
        for (const [what, write] of writes) {
          for (const [server, settled] of servers) {
            test(`C42 ${order.join(', ')} ${when}, ${what} over the denial, a server ${server}`, async () => {
              const s = scene(sdk, { script: [opening(), continued(settled), says()] });
              await s.say();
              const acts = {
                deny: () => s.answer('c1', false, 'no'),
                allow: () => s.answer('c2', true),
                write: () => write(s, 'c1'),
              };
              await play(
                order.map((name) => acts[name]),
                s,
              );
              await s.settle();

              assert.equal(s.count, 2);
              assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
              assertAllowed(s.wire('c2'), { id: 'ap-c2' });
              assert.deepEqual(s.wire('c1').input, { path: '/' });
              assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
              assert.equal(s.home('c2').output, 'done');

              await s.say('and now?');
              assert.equal(s.count, 3);
              assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
              await assertValid(s);
            });
          }
        }
      }
    }

    for (const [what, write] of writes) {
      test(`C42 ${what} while the continuation streams`, async () => {
        const second = live();
        const s = scene(sdk, { script: [opening(), second, says()] });
        await s.say();
        await s.deny('c1', 'no');
        await s.answer('c2', true);
        await second.started;
        await macrotask();
        second.push(start());
        await write(s, 'c1');
        await macrotask();
        second.push(outputDenied('c1'), outputAvailable('c2'));
        await macrotask();
        await write(s, 'c1');
        second.push(startStep, finishStep, finish());
        second.close();
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
        await s.say('and now?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      });

      test(`C42 ${what} long after the continuation`, async () => {
        const s = scene(sdk, { script: [opening(), continued([outputAvailable('c2')]), says(), says()] });
        await s.say();
        await s.deny('c1', 'no');
        await s.approve('c2');
        await write(s, 'c1');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
        for (const count of [3, 4]) {
          await s.say('and now?');
          assert.equal(s.count, count);
          assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
        }
      });

      test(`C42 ${what} over the only call, and nobody is told that it ran`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says(), says()] });
        await s.say();
        await Promise.all([s.answer('c1', false, 'no'), write(s, 'c1')]);
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
        assert.equal(s.call('c1').decision, 'denied');
      });
    }

    test('C42 on every later request, even while the guard is not attached', async () => {
      const s = scene(sdk, {
        attach: false,
        script: [opening(), continued([outputAvailable('c2')]), says(), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.output('c1', fake, 'rm');
      await s.approve('c2');
      for (const more of ['one', 'two']) await s.say(more);
      assert.equal(s.count, 4);
      for (const request of s.requests.slice(1))
        assertDenied(s.wire('c1', request), { id: 'ap-c1', reason: 'no' });
    });

    for (const [what, call] of [
      ['a call', {}],
      ['a provider-executed call', { providerExecuted: true }],
    ]) {
      test(`C43 an output over the open approval of ${what} is not an answer`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm', {}, { call })), says()] });
        await s.say();
        await s.output('c1', fake, 'rm');
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'ap-c1');
        assertHolds(s, 'waiting');
        assert.ok(s.codes().includes('output-over-open-approval'));
        assert.ok(!s.guard.ledger().some((e) => e.type === 'answered'), 'nobody has answered');
        await s.approve('c1');
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        assert.equal(s.wire('c1').output, undefined);
      });
    }

    test('C43 with another answer it still asks, also in a manual send', async () => {
      const s = scene(sdk, {
        attach: false,
        guard: { whenUserSends: 'pass' },
        script: [opening(), []],
      });
      await s.say();
      await s.output('c1', fake, 'rm');
      await s.approve('c2');
      assert.equal(s.count, 1);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 2);
      assertAsking(s.wire('c1'), 'ap-c1');
    });

    test('C43 an output that the page writes again is put back again, and reported', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
      await s.say();
      for (let times = 1; times <= 3; times += 1) {
        await s.output('c1', fake, 'rm');
        assertAsking(s.home('c1'), 'ap-c1');
        assert.deepEqual(s.codes(), Array(times).fill('output-over-open-approval'));
      }
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.wire('c1').output, undefined);
    });

    test('C43 an output that the page writes before the question comes', async () => {
      for (const answer of ['approve', 'deny']) {
        const first = live();
        const s = scene(sdk, { script: [first, says()] });
        const said = s.send();
        await first.started;
        const [call, question] = gated('c1', 'rm');
        first.push(start('a1'), startStep, call);
        await macrotask();
        await s.put('c1', fake, 'rm');
        first.push(question, finishStep, finish());
        first.close();
        await said;
        await s.settle();
        assertAsking(s.home('c1'), 'ap-c1');
        assert.equal(s.home('c1').output, undefined);
        assert.deepEqual(s.codes(), ['output-over-open-approval']);
        await s[answer]('c1');
        assert.equal(s.count, 2);
        if (answer === 'deny') assertDenied(s.wire('c1'), { id: 'ap-c1' });
        else assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        assert.equal(s.wire('c1').output, undefined);
      }
    });

    for (const choice of ['allow-once', 'deny']) {
      const assertAnswered = (s) => {
        assert.equal(s.count, 2);
        if (choice === 'deny') assertDenied(s.wire('c1'), { id: 'ap-c1' });
        else assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        assert.equal(s.wire('c1').output, undefined);
      };
      const script = () => [response('a1', gated('c1', 'rm')), says()];

      test(`C43 an output that was written before the chat was attached is no answer: ${choice}`, async () => {
        const s = scene(sdk, { attach: false, guard: { undoMs: 0 }, script: script() });
        await s.say();
        await s.output('c1', fake, 'rm');
        s.guard.attach(s.chat);
        await s.settle();
        assertAsking(s.home('c1'), 'ap-c1');
        s.guard.decide(s.call('c1'), choice);
        await s.settle();
        assertAnswered(s);
      });

      test(`C43 an output that stands when a decision is written is no answer: ${choice}`, async () => {
        for (const undoMs of [0, 20]) {
          const s = scene(sdk, { guard: { undoMs }, script: script() });
          await s.say();
          const write = () => {
            s.chat.messages = s.chat.messages.map((message) => ({
              ...message,
              parts: message.parts.map((part) =>
                part.toolCallId === 'c1' ? { ...part, state: 'output-available', output: fake } : part,
              ),
            }));
          };
          const shown = s.call('c1');
          if (undoMs === 0) write();
          assert.notEqual(s.guard.decide(shown, choice).type, 'refused');
          if (undoMs > 0) write();
          await new Promise((resolve) => setTimeout(resolve, 2 * undoMs));
          await s.settle();
          assertAnswered(s);
        }
      });
    }

    test('C43 an output over an open approval while the response streams', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      const said = s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await macrotask();
      await s.put('c1', fake, 'rm');
      first.push(finishStep, finish());
      first.close();
      await said;
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
    });

    test('C44 at home the denial is complete after the server confirmed it', async () => {
      const s = scene(sdk, {
        script: [opening(), continued([outputDenied('c1'), outputAvailable('c2')]), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.output('c1', fake, 'rm');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      await sdk.ai.validateUIMessages({ messages: plain(s.chat.messages) });
    });

    test('C46 a server that sends what the page had written over the denial is reported, too', async () => {
      const s = scene(sdk, {
        script: [opening(), continued([outputAvailable('c1', 'ran'), outputAvailable('c2')]), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.output('c1', 'ran', 'rm');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
      assert.ok(s.codes().includes('output-of-denied-call'), 'the tool may really have run');
    });

    test('C46 a server that sends an output for a denied call: repaired and reported', async () => {
      const s = scene(sdk, {
        script: [opening(), continued([outputAvailable('c1', 'ran'), outputAvailable('c2')]), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
      assert.ok(s.codes().includes('output-of-denied-call'), 'the tool may really have run');
      await s.say('and now?');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      await assertValid(s);
    });

    test('C49 the call is denied from the start', async () => {
      const s = scene(sdk, { script: [opening()] });
      await s.say();
      assert.equal(s.call('c1').status, 'asking');
      await s.deny('c1');
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').decision, 'denied');
      assert.equal(s.call('c1').actor, 'person');
      assert.equal(s.call('c2').decision, undefined);
    });

    test('C57 no call without an output gets one', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'ls'), toolCall('s1', 'search')), []],
        guard: { whenUserSends: 'pass' },
      });
      await s.say();
      await s.approve('c2');
      await s.say('and now?');
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2', 's1']) {
        assert.equal(s.wire(id).output, undefined);
        assert.equal(s.wire(id).errorText, undefined);
      }
      assert.equal(s.wire('s1').state, 'input-available');
    });

    test('C58 the reason of an allowance stays on the wire', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
      await s.say();
      await s.approve('c1', 'only the first file');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'only the first file' });
    });
  }),
);

/** Checks that each request passes the SDK's own validation. */
async function assertValid(s) {
  for (const request of s.requests) await s.sdk.ai.validateUIMessages({ messages: request.messages });
}

test('C50 an automatic denial that an older server left as answered is not a person, ai@7', async () => {
  const s = scene(sdk7, {
    script: [
      response(
        'a1',
        toolCall('d1', 'rm'),
        approvalRequest('d1', 'ap-d1', { isAutomatic: true }),
        approvalResponse('ap-d1', false, { reason: 'policy' }),
        gated('c1', 'mv'),
      ),
      says(),
    ],
  });
  await s.say();
  assert.equal(s.count, 1);
  assert.equal(s.call('d1').actor, 'server');
  await s.approve('c1');
  assert.equal(s.count, 2);
  assert.equal(s.call('c1').actor, 'person');
  assertDenied(s.wire('d1', s.requests[1]), { id: 'ap-d1', isAutomatic: true, reason: 'policy' });
});
