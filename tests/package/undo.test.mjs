// Undo until sent: the time in which a decided batch can be undone, and what waits longer.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { DAY, YEAR, stoppedClock } from './support/clock.mjs';
import { assertRefused, callsOf, chained, entries, statuses, watch } from './support/decide.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import {
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';
import { named } from './support/named.mjs';

const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));

async function asked(sdk, response_, guard, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response_, ...then], guard, ...options });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}
const batch = (s) => s.guard.getSnapshot().batch;

forEachSdk((sdk) =>
  describe(`undo, ${sdk.name}`, () => {
    test('C101 an undone draft asks again, and can be decided the other way', async () => {
      const s = await asked(sdk, two());
      const before = s.call('c2');
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.call('c1').can.undo, true);
      assert.deepEqual(named(s.guard, s.guard.undo('c1')), { type: 'undone', keys: ['c1'] });
      const { status, decision, actor, outcome, can } = s.call('c1');
      assert.deepEqual(
        [status, decision, actor, outcome, can.undo],
        ['asking', undefined, undefined, undefined, false],
      );
      assert.equal(s.call('c2'), before);
      assert.deepEqual(callsOf(s, 'undone'), ['c1']);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(
        s.guard.decide('c2', 'allow-once').type,
        'drafted',
        'c1 asks, so the batch is not decided',
      );
      assert.equal(s.guard.decide('c1', 'deny', { reason: 'no' }).type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('law 7: an undo finds the answer that the application has set before it', async () => {
      for (const undo of [(s) => s.guard.undo('c1'), (s) => s.guard.undoAll()]) {
        const s = await asked(sdk, two());
        s.guard.decide('c1', 'allow-once');
        const allow = (part) =>
          part.toolCallId === 'c1'
            ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
            : part;
        s.chat.messages = s.chat.messages.map((m) => ({ ...m, parts: m.parts.map(allow) }));
        assert.equal(undo(s).type, 'refused');
        assert.deepEqual(callsOf(s, 'undone'), []);
      }
    });

    test('C101 an undone Deny can become an Allow', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      s.guard.undo(s.call('c1'));
      s.guard.decide('ap-c1', 'allow-once');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.equal('reason' in s.wire('c1').approval, false, 'the reason of the undone decision is gone');
    });

    test('what a stop takes back leaves nothing of itself: no reason, no option of its request', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'too old', options: { body: { from: 'the first' } } });
      await s.chat.stop();
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      await s.deny('c1');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.doesNotMatch(JSON.stringify(s.last), /too old|the first/);
    });

    test('C101 undo of a call that was not decided: not-drafted', async () => {
      const s = await asked(sdk, two());
      assertRefused(s, () => s.guard.undo('c1'), 'not-drafted');
      s.guard.decide('c1', 'allow-once');
      s.guard.undo('c1');
      assertRefused(s, () => s.guard.undo('c1'), 'not-drafted');
    });

    test('C101 after the commit an undo is refused, and the sent answers stay', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      assert.deepEqual(
        [s.call('c1').can.undo, s.call('c2').can.undo, batch(s).undoable],
        [false, false, false],
      );
      assertRefused(s, () => s.guard.undo('c1'), 'already-answered');
      await s.settle();
      assertRefused(s, () => s.guard.undo('c1'), 'already-answered');
      assertRefused(s, () => s.guard.undo('ap-c2'), 'already-answered');
      assert.equal(s.count, 2);
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
    });

    test('C101 after a commit that was not delivered an undo is refused, too', async () => {
      const s = await asked(sdk, one(), {}, { then: [reject()] });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assertRefused(s, () => s.guard.undo('c1'), 'already-answered');
    });

    test('C101 undoAll() undoes all drafts, in order', async () => {
      const s = await asked(sdk, two(), { undoMs: Infinity });
      s.guard.decide('c2', 'deny');
      s.guard.decide('c1', 'allow-once');
      assert.equal(batch(s).undoable, true);
      assert.deepEqual(named(s.guard, s.guard.undoAll()), { type: 'undone', keys: ['c1', 'c2'] });
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      assert.deepEqual([batch(s).phase, batch(s).undoable, batch(s).asking], ['asking', false, 2]);
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(entries(s, 'undone').length, 2);
    });

    test('C101 undoAll() does not change direct answers', async () => {
      const s = await asked(sdk, two());
      await s.deny('c2', 'no');
      assertDenied(s.home('c2'), { id: 'ap-c2', reason: 'no' });
      const nothing = s.guard.undoAll();
      assert.ok(nothing.type === 'refused' || nothing.keys.length === 0);
      assertDenied(s.home('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(s.count, 1);
    });

    test('C101 undoAll() after the commit undoes nothing', async () => {
      const s = await asked(sdk, two());
      s.guard.decideAll(['c1', 'c2'], 'deny');
      await s.settle();
      const result = s.guard.undoAll();
      assert.ok(result.type === 'refused' || result.keys.length === 0);
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C101 a draft lives with the guard, even after a detach and another attach', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      s.detach();
      assert.equal(s.call('c1').status, 'drafted');
      const detach = s.guard.attach(s.chat);
      assert.equal(s.call('c1').status, 'drafted');
      assert.equal(s.guard.undo('c1').type, 'undone');
      s.guard.decide('c1', 'deny');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      detach();
    });

    test('C101 without a chat nothing is committed, not even at the last decision', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      s.detach();
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'drafted');
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.deepEqual(s.guard.commit(), { type: 'not-attached' });
    });
  }),
);

forEachSdk((sdk) =>
  describe(`the undo period, ${sdk.name}`, () => {
    test('C101 undoMs: the batch is committed automatically when the time is over, and not before', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { undoMs: 1_000 });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal(batch(s).commitAt, undefined, 'a call asks');
      await clock.pass(5_000);
      assert.equal(s.guard.decide('c2', 'deny', { reason: 'no' }).type, 'drafted');
      assert.deepEqual(
        [batch(s).phase, batch(s).commitAt, batch(s).undoable],
        ['decided', clock.now() + 1_000, true],
      );
      await clock.pass(999);
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assertAsking(s.home('c2'), 'ap-c2');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(batch(s).commitAt, undefined);
      await clock.pass(DAY);
      assert.equal(s.count, 2);
    });

    test('C101 law 12: a timer is late, and the chat asks after the time is over: the batch is committed and sent', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, one(), { undoMs: 1_000 });
      s.guard.decide('c1', 'deny');
      const asks = () => s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
      assert.equal(asks(), false);
      clock.sleep(999);
      assert.equal(asks(), false);
      assert.deepEqual(statuses(s), { c1: 'drafted' });
      clock.sleep(1);
      assert.equal(asks(), true);
      assert.deepEqual(statuses(s), { c1: 'answered' });
    });

    test('C101 an undo in time stops the commit, and the full time starts with the next decision', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { undoMs: 1_000 });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await clock.pass(900);
      assert.deepEqual(named(s.guard, s.guard.undo('c1')), { type: 'undone', keys: ['c1'] });
      assert.deepEqual([batch(s).commitAt, batch(s).phase], [undefined, 'asking']);
      await clock.pass(DAY);
      assert.equal(s.count, 1);
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'drafted' });
      s.guard.decide('c1', 'deny');
      assert.equal(batch(s).commitAt, clock.now() + 1_000);
      await clock.pass(999);
      assert.equal(s.count, 1);
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C101 a Deny over a drafted Allow restarts the time, because it is the last decision', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, one(), { undoMs: 1_000 });
      s.guard.decide('c1', 'allow-once');
      await clock.pass(600);
      assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
      assert.equal(batch(s).commitAt, clock.now() + 1_000);
      await clock.pass(999);
      assert.equal(s.count, 1);
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C101 commit() skips the wait, and nothing more is sent when the time is over', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { undoMs: 10_000 });
      s.guard.decide('c2', 'deny');
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(named(s.guard, s.guard.commit()), { type: 'committed', keys: ['c1', 'c2'] });
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
      assertDenied(s.home('c2'), { id: 'ap-c2' });
      await s.settle();
      assert.equal(s.count, 2);
      await clock.pass(DAY);
      assert.equal(s.count, 2);
    });

    test('C101 undoMs: Infinity waits for commit()', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, one(), { undoMs: Infinity });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.deepEqual([batch(s).phase, batch(s).commitAt], ['decided', undefined]);
      await clock.pass(60 * DAY);
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'drafted');
      assert.equal(s.guard.commit().type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C101 undoMs beyond the longest timer of a browser is not cut short', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, one(), { undoMs: 30 * DAY });
      s.guard.decide('c1', 'allow-once');
      await clock.pass(29 * DAY);
      assert.equal(s.count, 1);
      await clock.pass(DAY + 5);
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C101 if the time is over while the response streams, the commit waits for its end', async (t) => {
      const clock = stoppedClock(t);
      const first = live();
      const s = scene(sdk, { guard: { undoMs: 1_000 }, script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'allow-once');
      await clock.pass(5_000);
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      first.push(finishStep, finish());
      first.close();
      await until(() => s.chat.status === 'ready' && !s.transport.busy);
      await clock.pass(1_005);
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    for (const [name, act] of Object.entries({
      'retry()': (s) => s.guard.retry(),
      'resume()': (s) => s.guard.resume(),
      'observe()': (s) => s.guard.observe(structuredClone(s.chat.messages)),
      'extend()': (s) => s.guard.extend('c1'),
      'explain()': (s) => s.guard.explain(),
    })) {
      test(`law 3: a timer that is late commits, also after ${name}`, async (t) => {
        const clock = stoppedClock(t);
        const s = await asked(sdk, one(), { undoMs: 1_000 });
        s.guard.decide('c1', 'allow-once');
        clock.sleep(1_500);
        await act(s);
        await clock.pass(5);
        await s.settle();
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    }

    for (const undoMs of [0, 1_000]) {
      test(`a batch that was decided while its response broke off waits for commit(), and says so: undoMs ${undoMs}`, async (t) => {
        const clock = stoppedClock(t);
        const first = live();
        const s = scene(sdk, { guard: { undoMs }, script: [first, says()] });
        const said = s.send().catch(() => {});
        await first.started;
        first.push(start('a1'), startStep, gated('c1', 'rm'));
        await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
        s.guard.decide('c1', 'allow-once');
        first.fail(new Error('lost'));
        await said;
        await clock.pass(5_000);
        await s.settle();
        assert.deepEqual([batch(s).phase, batch(s).commitAt, s.count], ['decided', undefined, 1]);
        assert.equal(s.guard.commit().type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    }

    test('T19 a wall clock that is set back does not delay the commit', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, one(), { undoMs: 1_000 });
      s.guard.decide('c1', 'deny');
      clock.set(-YEAR);
      await clock.pass(1_005);
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('a draft whose batch waits is not asking and not answered', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { guard: { undoMs: 1_000 }, script: [one(), says()] });
      const page = watch(s);
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await clock.pass(1_005);
      await s.settle();
      assert.equal(s.count, 2);
      const seen = [...new Set(page.statuses('c1'))];
      assert.deepEqual(seen.slice(seen.indexOf('asking'), 3 + seen.indexOf('asking')), [
        'asking',
        'drafted',
        'answered',
      ]);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`dangerous calls, ${sdk.name}`, () => {
    test('C101 a batch that allows a dangerous call waits 5 seconds', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { tools: { rm: { dangerous: true } } });
      assert.deepEqual([s.call('c1').dangerous, s.call('c2').dangerous], [true, false]);
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'drafted');
      assert.equal(batch(s).commitAt, clock.now() + 5_000);
      await clock.pass(4_999);
      assert.equal(s.count, 1);
      assertAsking(s.home('c2'), 'ap-c2');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C101 a batch that denies it does not wait', async (t) => {
      stoppedClock(t);
      const s = await asked(sdk, two(), { tools: { rm: { dangerous: true } } });
      s.guard.decide('c1', 'deny');
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C101 a Deny over the drafted Allow of a dangerous call ends the wait', async (t) => {
      stoppedClock(t);
      const s = await asked(sdk, one(), { tools: { rm: { dangerous: true } } });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal(s.guard.decide('c1', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('undoMsWhenDangerous: another time, none, and no limit', async (t) => {
      const clock = stoppedClock(t);
      const tools = { rm: { dangerous: true } };
      const short = await asked(sdk, one(), { tools, undoMsWhenDangerous: 2_000 });
      short.guard.decide('c1', 'allow-once');
      assert.equal(batch(short).commitAt, clock.now() + 2_000);
      const none = await asked(sdk, one(), { tools, undoMsWhenDangerous: 0 });
      assert.equal(none.guard.decide('c1', 'allow-once').type, 'committed');
      const ever = await asked(sdk, one(), { tools, undoMsWhenDangerous: Infinity });
      ever.guard.decide('c1', 'allow-once');
      await clock.pass(40 * DAY);
      await Promise.all([short, none, ever].map((s) => s.settle()));
      assert.deepEqual([short.count, none.count, ever.count], [2, 2, 1]);
    });

    test('dangerous by its input, and a function that throws marks the call as dangerous', async (t) => {
      stoppedClock(t);
      const asks = [];
      const s = await asked(
        sdk,
        response(
          'a1',
          gated('c1', 'rm', { path: '/' }),
          gated('c2', 'rm', { path: '/tmp/x' }),
          gated('c3', 'mv', { path: '/b' }),
        ),
        {
          tools: {
            rm: {
              dangerous: (input) => {
                asks.push(input);
                return input.path === '/';
              },
            },
            mv: {
              dangerous: () => {
                throw new Error('I do not know');
              },
            },
          },
        },
      );
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.call(id).dangerous),
        [true, false, true],
      );
      assert.deepEqual(asks.slice(0, 2), [{ path: '/' }, { path: '/tmp/x' }]);
      s.guard.decide('c1', 'deny');
      s.guard.decide('c2', 'allow-once');
      assert.equal(s.guard.decide('c3', 'allow-once').type, 'drafted', 'c3 may be dangerous');
      assert.equal(s.count, 1);
    });

    test('C80 a tool named like a member of an object is not marked by accident', async () => {
      const s = scene(sdk, {
        guard: { tools: { rm: { dangerous: true } } },
        messages: [user(), assistant('a1', asking('c1', 'constructor'), asking('c2', 'toString'))],
        script: [says()],
      });
      for (const id of ['c1', 'c2']) {
        const { dangerous, title, server } = s.call(id);
        assert.deepEqual([dangerous, title, server], [false, undefined, undefined]);
      }
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('C93 a grant does not shorten the wait of a dangerous call', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(
        sdk,
        one(),
        { tools: { rm: { dangerous: true } } },
        { then: [chained([outputAvailable('c1')], gated('n1', 'rm', { path: '/a' })), says()] },
      );
      const page = watch(s);
      s.guard.decide('c1', 'allow-chat');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').status, 'drafted');
      assert.equal(s.call('n1').actor, 'grant');
      assert.equal(batch(s).commitAt, clock.now() + 5_000);
      await clock.pass(5_005);
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assert.ok(!page.statuses('n1').includes('asking'), page.statuses('n1').join());
    });
  }),
);
