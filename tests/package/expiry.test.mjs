// Deadlines: time only closes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { DAY, YEAR, stoppedClock } from './support/clock.mjs';
import { assertNeverAllowed, assertRefused, callsOf, entries, statuses } from './support/decide.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import { finish, finishStep, gated, response, says, start, startStep } from './support/chunks.mjs';
import { named } from './support/named.mjs';

const MINUTE = 60_000;
/** The deadline and a little more, because a timer may be late. */
const OVER = MINUTE + 5;
const NO_REFUSAL = /(not|no) (a )?refusal by the user/i;
const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));
/** Only `rm` expires. */
const rmExpires = ({ toolName }) => (toolName === 'rm' ? MINUTE : undefined);

async function asked(t, sdk, response_, guard, { then = [says(), says()], ...options } = {}) {
  const clock = stoppedClock(t);
  const s = scene(sdk, { script: [response_, ...then], guard: { expiresMs: MINUTE, ...guard }, ...options });
  await s.say();
  assert.equal(s.count, 1);
  return { s, clock };
}

/** Checks the denial of an unanswered call, as it is sent. */
function assertExpired(s, toolCallId) {
  assertDenied(s.wire(toolCallId), { id: `ap-${toolCallId}` });
  assert.match(s.wire(toolCallId).approval.reason, NO_REFUSAL);
  assertDenied(s.home(toolCallId), { id: `ap-${toolCallId}` });
  const { decision, actor, outcome } = s.call(toolCallId);
  assert.deepEqual([decision, actor, outcome], ['denied', 'timer', 'expired']);
  assertNeverAllowed(s, toolCallId);
}

forEachSdk((sdk) =>
  describe(`deadlines, ${sdk.name}`, () => {
    test('C100 a call that nobody answers is denied at its deadline, and not as a refusal by the user', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      assert.equal(s.call('c1').deadline, clock.now() + MINUTE);
      await clock.pass(MINUTE - 1);
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 1);
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      const [expired] = entries(s, 'expired');
      assert.deepEqual([expired.toolCallId, expired.actor], ['c1', 'timer']);
      await clock.pass(DAY);
      assert.equal(s.count, 2);
      assert.equal(entries(s, 'expired').length, 1);
    });

    test('law 14: without a chat, explain() and the predicate agree on an expired call', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), {}, { attach: false });
      await clock.pass(OVER);
      const { send, reason } = s.guard.explain();
      assert.deepEqual([send, reason], [true, 'answered']);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), true);
    });

    test('C100 an expired call waits for the rest of its batch', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      assert.deepEqual([s.call('c1').deadline, s.call('c2').deadline], [clock.now() + MINUTE, undefined]);
      await clock.pass(OVER);
      assert.equal(s.count, 1);
      const { status, decision, actor, outcome } = s.call('c1');
      assert.deepEqual([status, decision, actor, outcome], ['expired', 'denied', 'timer', 'expired']);
      assert.equal(s.call('c2').status, 'asking');
      assert.notEqual(s.home('c1').approval.approved, true);
      const { batch } = s.guard.getSnapshot();
      assert.deepEqual([batch.total, batch.asking, batch.denied, batch.phase], [2, 1, 1, 'asking']);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('law 1: a call that expires while an older list shows half of its input holds back, and leaves nothing', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      const question = s.chat.messages.at(-1);
      const begins = (part) =>
        part.toolCallId === 'c1' ? { ...part, state: 'input-streaming', approval: undefined } : part;
      s.chat.messages = [...s.chat.messages.slice(0, -1), { ...question, parts: question.parts.map(begins) }];
      await s.settle();
      await clock.pass(MINUTE + 5);
      await s.settle();
      assert.equal(s.call('c1').status, 'expired');
      const { send, waitingFor } = s.verdict();
      assert.deepEqual([send, waitingFor.map(({ need }) => need)], [false, ['input']]);
      assert.equal(s.count, 1);
      s.chat.messages = [...s.chat.messages.slice(0, -1), question];
      assert.equal(s.verdict().reason, 'answered');
      assert.equal(s.guard.getSnapshot().batch.action, 'send');
      await s.guard.proceed('send');
      assert.equal(s.count, 2, 'it leaves with a list that has its input');
      assertExpired(s, 'c1');
    });

    test('law 3: what expires in a list that has its parts in another order leaves then', async (t) => {
      // Nothing wakes the guard before the deadline.
      const { s, clock } = await asked(t, sdk, two(), { warnMs: MINUTE });
      const [first, last] = s.chat.messages;
      const [begin, ...calls] = last.parts;
      s.chat.messages = [first, { ...last, parts: [begin, ...calls.reverse()] }];
      await clock.pass(OVER);
      await s.settle();
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) assertExpired(s, id);
    });

    test('expiresMs receives whether the tool is known only at run time', () => {
      const seen = [];
      const { guard } = scene(sdk, { guard: { expiresMs: ({ dynamic }) => void seen.push(dynamic) } });
      const call = { ...asking('c1', 'rm'), type: 'dynamic-tool', toolName: 'rm' };
      guard.observe([user(), assistant('a1', call, asking('c2', 'rm'))]);
      assert.deepEqual(seen, [true, false]);
    });

    test('C100 expiresMs can be a function of the call; undefined means no limit', async (t) => {
      const seen = [];
      const { s, clock } = await asked(t, sdk, two(), {
        expiresMs: (call) => {
          seen.push({ ...call });
          return rmExpires(call);
        },
      });
      assert.deepEqual(seen.slice(0, 2), [
        { toolName: 'rm', dynamic: false, toolCallId: 'c1', input: { path: '/a' } },
        { toolName: 'mv', dynamic: false, toolCallId: 'c2', input: { path: '/b' } },
      ]);
      await clock.pass(OVER);
      await clock.pass(400 * DAY);
      assert.deepEqual(statuses(s), { c1: 'expired', c2: 'asking' });
      assert.equal(s.count, 1);
    });

    for (const [what, answer] of [
      [
        'throws',
        () => {
          throw new Error('mine');
        },
      ],
      ['answers NaN', () => NaN],
      ['answers 10', () => 10],
      ['answers a string', () => '60000'],
      ['answers null', () => null],
      ['answers for ever with Infinity', () => Infinity],
      ['answers over 30 days', () => 30 * DAY + 1],
    ]) {
      test(`C100 expiresMs that ${what} is reported, and the call has one second`, async (t) => {
        const { s, clock } = await asked(t, sdk, one(), { expiresMs: answer });
        assert.equal(s.call('c1').deadline, clock.now() + 1_000);
        assert.ok(s.errors.length > 0);
        await clock.pass(1_005);
        await s.settle();
        assert.equal(s.count, 2);
        assertExpired(s, 'c1');
      });
    }

    test('C100 an allowance is committed a second before it expires, even if undoMs is longer', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), { undoMs: DAY });
      s.guard.decide('c1', 'allow-once');
      const { commitAt } = s.guard.getSnapshot().batch;
      assert.equal(commitAt, clock.now() + MINUTE - 1_000);
      await clock.pass(MINUTE - 1_001);
      assert.equal(s.count, 1);
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(entries(s, 'expired').length, 0);
    });

    test('C100 without expiresMs nothing expires', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), { expiresMs: undefined });
      assert.equal(s.call('c1').deadline, undefined);
      await clock.pass(400 * DAY);
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
    });

    test('C100 a deadline beyond the longest timer of a browser is not cut short', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), { expiresMs: 30 * DAY });
      await clock.pass(30 * DAY - 1);
      assert.equal(s.call('c1').status, 'asking');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 calls that expire together are sent in one request', async (t) => {
      const { s, clock } = await asked(t, sdk, two());
      await clock.pass(OVER);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertExpired(s, 'c2');
      assert.deepEqual(callsOf(s, 'answered'), ['c1', 'c2']);
    });

    test('C100 an answer in time stands: nothing expires later', async (t) => {
      const { s, clock } = await asked(t, sdk, two());
      await clock.pass(MINUTE - 1);
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny', { reason: 'no' });
      await s.settle();
      await clock.pass(DAY);
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(entries(s, 'expired').length, 0);
    });

    test('C100 while the response streams an expired call waits for its end', async (t) => {
      const clock = stoppedClock(t);
      const first = live();
      const s = scene(sdk, { guard: { expiresMs: MINUTE }, script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.observe(s.chat.messages);
      await clock.pass(OVER);
      assert.equal(s.call('c1').status, 'expired');
      assert.equal(s.count, 1);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 an expired call is not a refusal and does not count for a loop', async (t) => {
      const { s, clock } = await asked(
        t,
        sdk,
        one(),
        {},
        { then: [response('a2', gated('n1', 'rm', { path: '/a' }))] },
      );
      await clock.pass(OVER);
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').refusals, 0);
    });

    test('C59 a message over an expired call: it stays expired and does not become superseded', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      await s.say('something else');
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      assert.doesNotMatch(s.wire('c2').approval.reason, /answered before the request expired/i);
    });

    test('C100 no timer is left when the call is answered, and none when the guard is disposed of', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      assert.ok(clock.timers > 0);
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(clock.timers, 0);
      const other = scene(sdk, { script: [one()], guard: { expiresMs: MINUTE, undoMs: MINUTE } });
      await other.say();
      other.guard.decide('c1', 'allow-chat', { forMs: MINUTE });
      other.guard.dispose();
      assert.equal(clock.timers, 0);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`a warning and more time, ${sdk.name}`, () => {
    test('C100 expiring: 20 seconds before, once', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      assert.equal(s.call('c1').expiring, false);
      await clock.pass(MINUTE - 20_001);
      assert.equal(s.call('c1').expiring, false);
      let told = 0;
      s.guard.subscribe(() => {
        told += 1;
      });
      await clock.pass(5);
      assert.equal(s.call('c1').expiring, true);
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(told, 1, 'the page is told');
      assert.deepEqual(callsOf(s, 'warned'), ['c1']);
      await clock.pass(19_990);
      assert.equal(s.count, 1);
      assert.equal(entries(s, 'warned').length, 1);
    });

    test('C100 warnMs: another time', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), { warnMs: 5_000 });
      await clock.pass(MINUTE - 5_001);
      assert.equal(s.call('c1').expiring, false);
      await clock.pass(5);
      assert.equal(s.call('c1').expiring, true);
    });

    test('C100 extend() gives the full time again, any number of times', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      for (let i = 0; i < 12; i += 1) {
        await clock.pass(MINUTE - 1_000);
        assert.equal(s.call('c1').expiring, true);
        assert.deepEqual(s.guard.extend(i % 2 ? 'c1' : s.call('c1')), {
          type: 'extended',
          deadline: clock.now() + MINUTE,
        });
        assert.equal(s.call('c1').deadline, clock.now() + MINUTE);
        assert.equal(s.call('c1').expiring, false);
      }
      assert.equal(entries(s, 'extended').length, 12);
      assert.equal(s.count, 1);
      await clock.pass(MINUTE - 1);
      assert.equal(s.call('c1').status, 'asking');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 extend() after the deadline is refused: expired', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      assertRefused(s, () => s.guard.extend('c1'), 'expired');
      assert.equal(s.call('c1').status, 'expired');
    });

    test('C100 extend() after the deadline when no timer has fired: expired', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      clock.sleep(MINUTE);
      assertRefused(s, () => s.guard.extend('c1'), 'expired', { finds: true });
      await s.settle();
      assertNeverAllowed(s, 'c1');
    });

    test('C100 extend() of a call that does not expire is refused: no-deadline', async (t) => {
      const { s } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      assertRefused(s, () => s.guard.extend('c2'), 'no-deadline');
      assert.equal(s.guard.extend('c1').type, 'extended');
    });

    test('C100 extend() of a call that was answered is refused', async (t) => {
      const { s } = await asked(t, sdk, one());
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assertRefused(s, () => s.guard.extend('c1'), 'already-answered');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`after the deadline, ${sdk.name}`, () => {
    test('C100 a late Allow is refused before the commit', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      for (const choice of ['allow-once', 'allow-chat'])
        assertRefused(s, () => s.guard.decide('c1', choice), 'expired');
      assert.deepEqual(s.guard.grants(), []);
      s.guard.decide('c2', 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 a late Allow is refused after the commit', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      await clock.pass(OVER);
      await s.settle();
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired');
      assertRefused(s, () => s.guard.decideAll(['c1'], 'allow-once')[0], 'expired');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 a late Deny before the commit counts as a decision of a person', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      const result = s.guard.decide('c1', 'deny', { reason: 'too dangerous' });
      assert.equal(result.type, 'drafted');
      const { decision, actor, outcome } = s.call('c1');
      assert.deepEqual([decision, actor, outcome], ['denied', 'person', 'denied']);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'too dangerous' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C100 a late Deny after the commit counts as a denial by a person, and nothing is sent again', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      await clock.pass(OVER);
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(named(s.guard, s.guard.decide('c1', 'deny')), {
        type: 'late-denial',
        key: 'c1',
        grant: undefined,
        also: [],
      });
      await s.settle();
      assert.equal(s.count, 2);
      const [counted] = entries(s, 'late-denial');
      assert.deepEqual([counted.toolCallId, counted.actor], ['c1', 'person']);
      const { decision, actor, outcome } = s.call('c1');
      assert.deepEqual([decision, actor, outcome], ['denied', 'person', 'denied']);
      assertDenied(s.home('c1'), { id: 'ap-c1' });
    });

    test('a late deny-chat after the commit denies similar calls, now and later', async (t) => {
      const like = (n) => response(`a${n}`, gated(`c${n}`, 'rm', { path: '/a' }));
      const { s, clock } = await asked(t, sdk, one(), {}, { then: [like(2), says(), like(3), says()] });
      await clock.pass(OVER);
      await s.settle();
      assert.deepEqual([s.count, s.call('c2').status], [2, 'asking']);
      const { grant, ...result } = named(s.guard, s.guard.decide('c1', 'deny-chat'));
      assert.deepEqual(result, { type: 'late-denial', key: 'c1', also: ['c2'] });
      assert.deepEqual([grant.type, grant.covers, grant.status], ['deny', 'input', 'active']);
      assert.deepEqual([s.call('c1').outcome, s.call('c1').grant?.id], ['denied-chat', grant.id]);
      const [counted] = entries(s, 'late-denial');
      assert.deepEqual([counted.outcome, counted.grantId], ['denied-chat', grant.id]);
      await s.settle();
      assert.equal(s.count, 3, 'it was the last one that asked');
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      await s.say('again');
      assert.equal(s.call('c3').outcome, 'denied-automatically');
      assertDenied(s.wire('c3'), { id: 'ap-c3' });
      assert.deepEqual(
        s.guard.grants().map(({ id, uses }) => [id, uses]),
        [[grant.id, 2]],
      );
    });

    test('a late deny-chat for an input that cannot be compared is refused, but Deny counts', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      await clock.pass(OVER);
      await s.settle();
      assertRefused(s, () => s.guard.decide('c1', 'deny-chat', { covers: ['mode'] }), 'not-comparable');
      assertExpired(s, 'c1');
      assert.equal(s.guard.decide('c1', 'deny').type, 'late-denial');
    });

    test('C100 a drafted Allow expires as well', async (t) => {
      const { s, clock } = await asked(t, sdk, one(), { undoMs: Infinity });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      await clock.pass(OVER);
      const { decision, actor, outcome } = s.call('c1');
      assert.deepEqual([decision, actor, outcome], ['denied', 'timer', 'expired']);
      assertNeverAllowed(s, 'c1');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 a drafted Allow expires if its sibling asks for too long', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      s.guard.decide('c1', 'allow-chat');
      await clock.pass(OVER);
      assert.equal(s.call('c1').outcome, 'expired');
      assert.deepEqual(s.guard.grants(), [], 'the grant that it would have given is gone');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C100 a drafted Deny stays a denial by the person', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await clock.pass(OVER);
      assert.deepEqual([s.call('c1').actor, s.call('c1').outcome], ['person', 'denied']);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C100 a direct Allow after the deadline does not count while another call asks', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      await s.approve('c1', 'yes');
      assert.notEqual(s.home('c1').approval.approved, true);
      assert.equal(s.count, 1);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 a direct Allow after the deadline does not count if no timer has fired', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      clock.sleep(MINUTE);
      await s.approve('c1', 'yes');
      assertNeverAllowed(s, 'c1');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('C100 a direct Deny after the deadline counts as a denial by a person', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      await clock.pass(OVER);
      await s.deny('c1', 'no');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.call('c1').decision, 'denied');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`clocks, ${sdk.name}`, () => {
    test('T19 the deadline holds when no timer ever fires: a late Allow is refused', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      clock.sleep(MINUTE);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
      assert.equal(s.call('c1').status, 'expired');
      s.guard.decide('c2', 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('T19 one millisecond before it, without a timer, an Allow counts', async (t) => {
      const { s, clock } = await asked(t, sdk, one());
      clock.sleep(MINUTE - 1);
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('T19 a commit without a timer finds the drafted Allow expired', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { undoMs: Infinity, expiresMs: rmExpires });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      clock.sleep(MINUTE);
      s.guard.commit();
      await s.settle();
      assertNeverAllowed(s, 'c1');
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('T19 the last decision without a timer finds another drafted Allow expired', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      s.guard.decide('c1', 'allow-once');
      clock.sleep(MINUTE);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('T19 decideAll without a timer finds expired calls', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      clock.sleep(MINUTE);
      const [first, second] = s.guard.decideAll(['c1', 'c2'], 'allow-once');
      assert.deepEqual([first.type, first.reason], ['refused', 'expired']);
      assert.equal(second.type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('T19 a wall clock set a year ahead expires calls', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      clock.set(YEAR);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
      s.guard.decide('c2', 'deny');
      await s.settle();
      assertExpired(s, 'c1');
    });

    for (const [how, goes] of [
      ['timers fire', (clock) => clock.pass(OVER)],
      ['no timer fires', (clock) => clock.sleep(MINUTE)],
    ]) {
      test(`T19 a wall clock a year back gives no more time (${how})`, async (t) => {
        const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
        clock.set(-YEAR);
        await goes(clock);
        assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
        s.guard.decide('c2', 'deny');
        await s.settle();
        assert.equal(s.count, 2);
        assertExpired(s, 'c1');
      });

      test(`T19 an expired call is not revived by a wall clock that is set back (${how})`, async (t) => {
        const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
        await goes(clock);
        clock.set(-YEAR);
        assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
        assertRefused(s, () => s.guard.extend('c1'), 'expired');
        await clock.pass(DAY);
        assert.equal(s.call('c1').status, 'expired');
        await s.approve('c1');
        s.guard.decide('c2', 'deny');
        await s.settle();
        assert.equal(s.count, 2);
        assertExpired(s, 'c1');
      });
    }

    test('T19 a wall clock set a year ahead, noticed, and set back again: expired', async (t) => {
      const { s, clock } = await asked(t, sdk, two(), { expiresMs: rmExpires });
      clock.set(YEAR);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
      clock.set(-YEAR);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'expired', { finds: true });
      assert.equal(s.call('c1').status, 'expired');
    });

    test('T19 a wall clock set a year back before the call asks does not change its time', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { script: [one(), says()], guard: { expiresMs: MINUTE } });
      clock.set(-YEAR);
      await s.say();
      await clock.pass(MINUTE - 1);
      assert.equal(s.call('c1').status, 'asking');
      await clock.pass(5);
      await s.settle();
      assert.equal(s.count, 2);
      assertExpired(s, 'c1');
    });

    test('T19 cards that existed at the attach have their full time from then on', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm'))],
        script: [says()],
        guard: { expiresMs: MINUTE },
      });
      assert.equal(s.call('c1').deadline, clock.now() + MINUTE);
      await clock.pass(MINUTE - 1);
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
      await clock.pass(5);
      assert.equal(s.call('c1').outcome, 'expired');
      await s.settle();
      assertNeverAllowed(s, 'c1');
    });
  }),
);
