// A tool of the page that never answers: its call ends with an error, and the chat goes on.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuard, parts, scene } from './support/chat.mjs';
import { gated, response, says, toolCall } from './support/chunks.mjs';
import { stoppedClock } from './support/clock.mjs';
import { entries } from './support/decide.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { assistant, call, step, user } from './support/stored.mjs';

const SECOND = 1_000;
const TIMEOUT = 'The tool did not answer in time. It is not known whether it ran.';

const chat = async (t, sdk, calls, { guard, ...options } = {}) => {
  const clock = stoppedClock(t);
  const s = scene(sdk, {
    script: [response('a1', ...calls), says(), says()],
    guard: { clientTools: ['ui'], outputMs: 60 * SECOND, ...guard },
    ...options,
  });
  await s.say();
  return { s, clock };
};

forEachSdk((sdk) =>
  describe(`a tool that stays silent, ${sdk.name}`, () => {
    test('law 6: writes no error over the result of another call with the same id', async (t) => {
      const clock = stoppedClock(t);
      const earlier = call('c1', 'look', 'output-available', { output: 'found' });
      const open = call('c1', 'ui', 'input-available');
      for (const messages of [
        [user(), assistant('a1', earlier), user('u2'), assistant('a2', open)],
        [user(), assistant('a1', earlier, step, open)],
      ]) {
        const s = scene(sdk, {
          messages,
          script: [says()],
          guard: { clientTools: ['ui'], outputMs: 60 * SECOND },
        });
        await s.settle();
        await clock.pass(61 * SECOND);
        await s.settle();
        const [first, last] = parts(s.chat.messages, 'c1');
        assert.deepEqual([first, last], [earlier, open]);
        assert.deepEqual([s.count, s.codes()], [0, ['commit-failed']]);
      }
    });

    for (const [name, act] of Object.entries({
      'the predicate': (s) => s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }),
      'commit()': (s) => s.guard.commit(),
      'a refused decision': (s) => s.guard.decide('c1', 'deny'),
      'unmask()': (s) => s.guard.unmask('c1'),
      'revokeAll()': (s) => s.guard.revokeAll(),
    })) {
      test(`law 3: gets its error when the timer is late, also after ${name}`, async (t) => {
        const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')]);
        clock.sleep(61 * SECOND);
        act(s);
        assert.equal(s.count, 1);
        await clock.pass(5);
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(s.wire('c1').errorText, TIMEOUT);
      });
    }

    test('gets an error as its output when its time is over, once, and the chat sends it', async (t) => {
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui', { n: 1 })]);
      assert.equal(s.count, 1);
      await clock.pass(60 * SECOND - 1);
      assert.equal(s.count, 1);
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      const { state, errorText, output, input } = s.wire('c1');
      assert.deepEqual([state, errorText, output, input], ['output-error', TIMEOUT, undefined, { n: 1 }]);
      await clock.pass(600 * SECOND);
      assert.equal(s.count, 2);
      assert.deepEqual(
        s.guard
          .ledger()
          .filter(({ type }) => ['awaited', 'timed-out'].includes(type))
          .map(({ type, actor }) => [type, actor]),
        [
          ['awaited', 'application'],
          ['timed-out', 'timer'],
        ],
      );
    });

    test('an output in time counts, and nothing follows', async (t) => {
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')]);
      await clock.pass(59 * SECOND);
      await s.output('c1', { ok: true });
      assert.equal(s.count, 2);
      await clock.pass(600 * SECOND);
      assert.equal(s.count, 2);
      assert.deepEqual(s.wire('c1').output, { ok: true });
      assert.deepEqual(entries(s, 'timed-out'), []);
    });

    test('an allowance that a stop has taken back leaves no time behind: the next one has all of it', async (t) => {
      const { s, clock } = await chat(t, sdk, [...gated('c1', 'ui')]);
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await clock.pass(30 * SECOND);
      await s.chat.stop();
      assert.equal(s.call('c1').status, 'asking');
      await clock.pass(60 * SECOND);
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await clock.pass(59 * SECOND);
      assert.deepEqual([s.count, s.home('c1').state], [1, 'approval-responded']);
      await clock.pass(2 * SECOND);
      await s.settle();
      assert.deepEqual([s.count, s.wire('c1').errorText], [2, TIMEOUT]);
    });

    test('the time of an approved call begins with the approval, and other calls hold the send', async (t) => {
      const { s, clock } = await chat(t, sdk, [...gated('c1', 'ui'), ...gated('c2', 'rm')]);
      await clock.pass(600 * SECOND);
      assert.equal(s.call('c1').status, 'asking', 'a person may take as long as the other options say');
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      await s.settle();
      assert.equal(s.guard.explain().reason, 'waiting');
      await clock.pass(59 * SECOND);
      assert.equal(s.count, 1);
      await clock.pass(2 * SECOND);
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1').state, 'output-error');
      assert.equal(s.wire('c1').errorText, TIMEOUT);
      assert.equal(s.wire('c2').approval.approved, false);
    });

    test('a late output does not run the step again', async (t) => {
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')]);
      await clock.pass(61 * SECOND);
      await s.settle();
      assert.equal(s.count, 2);
      await s.output('c1', { late: true }).catch(() => {});
      await clock.pass(SECOND);
      assert.equal(s.count, 2);
    });

    test('without a chat to write into it is reported, and no send is invented', async (t) => {
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')], { attach: false });
      await clock.pass(61 * SECOND);
      await s.settle();
      assert.equal(s.count, 1);
      assert.ok(s.errors.some(({ code, toolCallId }) => code === 'commit-failed' && toolCallId === 'c1'));
    });

    test('a time that ends while no chat is attached counts as soon as one is', async (t) => {
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')]);
      s.detach();
      await clock.pass(61 * SECOND);
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.home('c1').state, 'input-available');
      s.guard.attach(s.chat);
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1').errorText, TIMEOUT);
      await clock.pass(600 * SECOND);
      assert.equal(s.count, 2);
    });

    test('an application words the error', async (t) => {
      const locale = { locale: 'en', messages: { 'reason.timeout': 'Too slow.' } };
      const { s, clock } = await chat(t, sdk, [toolCall('c1', 'ui')], { guard: { locale } });
      await clock.pass(61 * SECOND);
      await s.settle();
      assert.equal(s.wire('c1').errorText, 'Too slow.');
    });
  }),
);

for (const outputMs of [0, 999, Infinity, NaN, '5000', () => 5_000, 31 * 24 * 60 * 60 * SECOND])
  test(`outputMs ${String(outputMs)} is refused`, () => {
    assert.throws(() => createApprovalGuard({ outputMs }), { code: 'invalid-option', message: /outputMs/ });
  });
