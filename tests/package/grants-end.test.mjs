// When a grant begins to hold, and when it ends.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { DAY, YEAR, stoppedClock } from './support/clock.mjs';
import {
  assertMisuse,
  assertNeverAllowed,
  assertRefused,
  chained,
  entries,
  holding,
  statuses,
} from './support/decide.mjs';
import { call } from './support/stored.mjs';
import { gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { A, B, MINUTE, batchOf, granted, only, three } from './support/grants.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`provisional until delivered, ${sdk.name}`, () => {
    test('C90 draft, provisional, active', async () => {
      const transport = holding([response('a1', gated('c1', 'rm', A), gated('c2', 'mv', B)), says()]);
      const s = scene(sdk, { inner: transport });
      await s.say();
      assert.equal(s.guard.decide('c1', 'allow-chat').grant.status, 'draft');
      const open = transport.hold();
      s.guard.decide('c2', 'allow-once');
      assert.equal(only(s).status, 'provisional');
      await until(() => s.count === 2);
      assert.equal(only(s).status, 'provisional', 'the request is on its way');
      open();
      await s.settle();
      assert.equal(only(s).status, 'active');
    });

    test('C90 the request fails: the grant stays provisional, and retry() makes it active', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A)], {
        then: [reject(), chained([outputAvailable('c1')], gated('n1', 'rm', A)), says()],
      });
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(only(s).status, 'provisional');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 4);
      assert.equal(only(s).status, 'active');
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
    });

    test('C90 the request fails and the user moves on: the grant is gone, and the next call asks', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A)], {
        then: [reject(), response('a2', gated('n1', 'rm', A))],
      });
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      assert.equal(s.count, 2);
      await s.say('forget it');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.call('n1').status, 'asking');
      assert.equal(entries(s, 'grant-ended').length, 1);
      assertNeverAllowed(s, 'n1');
    });

    test('C90 a message over the drafts ends the grant that they would have given', async () => {
      const s = await batchOf(sdk, three(), { then: [response('a2', gated('n1', 'rm', A))] });
      s.guard.decide('c1', 'allow-chat');
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.grants(), []);
      for (const id of ['c1', 'c2', 'c3']) assertDenied(s.wire(id), { id: `ap-${id}` });
      assert.equal(s.call('n1').status, 'asking');
    });

    test('C90 a stop withdraws the decision and its grant', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A)], { when: (own) => (o) => own(o) && false });
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(only(s).status, 'provisional');
      await s.chat.stop();
      await s.settle();
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C90 an edit removes the message, and the grant with it', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', A), gated('c2', 'mv', A)),
          response('a2', gated('n1', 'rm', A)),
        ],
      });
      await s.chat.sendMessage({ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] });
      await s.settle();
      s.guard.decide('c1', 'allow-chat');
      await s.chat.sendMessage({ text: 'go elsewhere', messageId: 'u1' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.call('n1').status, 'asking');
    });

    test('C90 a delivered grant lasts, even if its message is regenerated', async () => {
      const { s } = await granted(sdk, [gated('n1', 'mv', B)], {
        then: [says(), response('a9', gated('n2', 'rm', A)), says()],
      });
      assert.equal(only(s).status, 'active');
      s.guard.decide('n1', 'deny');
      await s.settle();
      await s.chat.regenerate();
      await s.settle();
      assert.equal(only(s).status, 'active');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`a grant ends, ${sdk.name}`, () => {
    const timed = async (t, calls, forMs) => {
      const clock = stoppedClock(t);
      const then = [response('a5', ...calls), says()];
      return { clock, ...(await granted(sdk, [], { decide: { forMs }, then })) };
    };

    test('C94 forMs: the grant ends by itself, and the next call asks', async (t) => {
      const { clock, s, result } = await timed(t, [gated('n1', 'rm', A)], 10 * MINUTE);
      assert.equal(result.grant.endsAt, result.grant.createdAt + 10 * MINUTE);
      await clock.pass(10 * MINUTE - 1);
      assert.equal(only(s).status, 'active');
      await clock.pass(5);
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(entries(s, 'grant-ended').length, 1);
      await s.say('again');
      assert.equal(s.call('n1').status, 'asking');
    });

    test('C94 forMs: the grant answers within its time', async (t) => {
      const { clock, s } = await timed(t, [gated('n1', 'rm', A)], 10 * MINUTE);
      await clock.pass(10 * MINUTE - 1);
      await s.say('again');
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
    });

    for (const [what, change] of [
      ['no timer has fired', (clock) => clock.sleep(10 * MINUTE)],
      ['the wall clock was set a year ahead', (clock) => clock.set(YEAR)],
      [
        'the wall clock was set a year back, and the time has passed',
        (clock) => {
          clock.set(-YEAR);
          clock.sleep(10 * MINUTE);
        },
      ],
      [
        'it has ended, and then the wall clock was set back',
        async (clock) => {
          await clock.pass(10 * MINUTE + 5);
          clock.set(-YEAR);
        },
      ],
    ]) {
      test(`T19 forMs: ${what}: the next call asks`, async (t) => {
        const { clock, s } = await timed(t, [gated('n1', 'rm', A)], 10 * MINUTE);
        await change(clock);
        await s.say('again');
        await s.settle();
        assert.equal(s.call('n1').status, 'asking');
        assertNeverAllowed(s, 'n1');
        assert.deepEqual(s.guard.grants(), []);
      });
    }

    test('C94 forMs: at most 7 days', async (t) => {
      const clock = stoppedClock(t);
      const s = await batchOf(sdk, three());
      assertMisuse(s, () => s.guard.decide('c1', 'allow-chat', { forMs: 7 * DAY + 1 }), 'over 7 days');
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(s.guard.grants(), []);
      const { grant } = s.guard.decide('c1', 'allow-chat', { forMs: 7 * DAY });
      assert.equal(grant.endsAt, clock.now() + 7 * DAY);
    });

    test('C94 forMs counts from the decision, even while that is a draft', async (t) => {
      const clock = stoppedClock(t);
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'mv', B)], {
        then: [chained([outputAvailable('c1')], gated('n1', 'rm', A))],
      });
      s.guard.decide('c1', 'allow-chat', { forMs: MINUTE });
      await clock.pass(MINUTE + 5);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').status, 'asking');
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C94 revoke(): the next call asks, and sent answers stay', async () => {
      const { s } = await granted(sdk, [gated('n1', 'rm', A)], {
        then: [says(), response('a5', gated('n2', 'rm', A))],
      });
      assert.equal(s.count, 3);
      const { id } = only(s);
      assert.deepEqual(named(s.guard, s.guard.revoke(id)), { type: 'revoked', keys: [] });
      assert.deepEqual(s.guard.grants(), []);
      const [ended] = entries(s, 'grant-ended');
      assert.deepEqual([ended.grantId, ended.actor], [id, 'person']);
      assertAllowed(s.home('n1'), { id: 'ap-n1' });
      assert.equal(s.call('n1').outcome, 'allowed-automatically');
      await s.say('again');
      assert.equal(s.call('n2').status, 'asking');
      assertRefused(s, () => s.guard.revoke(id), 'unknown-grant');
      assertRefused(s, () => s.guard.revoke('nope'), 'unknown-grant');
    });

    test('C94 revoke() of a grant in its draft: the drafts that it made ask again', async () => {
      const s = await batchOf(sdk, three());
      const { grant } = s.guard.decide('c1', 'allow-chat');
      const result = s.guard.revoke(grant.id);
      assert.equal(result.type, 'revoked');
      assert.deepEqual(named(s.guard, result.keys), ['c2']);
      assert.equal(s.call('c2').status, 'asking');
      assert.deepEqual(s.guard.grants(), []);
      s.guard.decide('c2', 'deny');
      s.guard.decide('c3', 'deny');
      if (s.call('c1').status === 'asking') s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C94 revokeAll() ends every grant, and drafts of later calls ask again', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', A), gated('c2', 'mv', B)),
          chained(
            [outputAvailable('c1'), outputDenied('c2')],
            gated('n1', 'rm', A),
            gated('n2', 'mv', B),
            gated('n3', 'cp', B),
          ),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat');
      s.guard.decide('c2', 'deny-chat');
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(statuses(s).n3, 'asking');
      assert.deepEqual([s.call('n1').decision, s.call('n2').decision], ['allowed', 'denied']);
      const result = s.guard.revokeAll();
      assert.equal(result.type, 'revoked');
      assert.deepEqual(named(s.guard, result.keys).sort(), ['n1', 'n2']);
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual([s.call('n1').status, s.call('n2').status], ['asking', 'asking']);
      assert.equal(s.home('c1').approval.approved, true, 'what was sent stays');
      await s.settle();
      assert.equal(s.count, 2);
    });
  }),
);
