// Denials for the whole chat.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { assertNeverAllowed, chained, entries, watch } from './support/decide.mjs';
import { gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { A, B, batchOf, granted, only, three } from './support/grants.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`refused for the chat, ${sdk.name}`, () => {
    test('C95 deny-chat: a repeated call is denied without asking, and the model is told why', async () => {
      const { s, page, result } = await granted(sdk, [gated('n1', 'rm', A)], {
        choice: 'deny-chat',
        decide: { reason: 'mine' },
      });
      assert.deepEqual(
        [result.grant.type, result.grant.covers, result.choice],
        ['deny', 'input', 'deny-chat'],
      );
      assert.equal(s.count, 3);
      assertDenied(s.wire('n1'), { id: 'ap-n1' });
      assert.ok(s.wire('n1').approval.reason, 'the model is told why');
      const { actor, outcome, decision } = s.call('n1');
      assert.deepEqual([actor, outcome, decision], ['grant', 'denied-automatically', 'denied']);
      assert.ok(!page.statuses('n1').includes('asking'));
      assert.equal(only(s).uses, 1);
      assert.equal(s.call('c1').outcome, 'denied-chat');
    });

    test('C95 deny-chat without a reason tells the model not to ask again, and a reason of the person stays', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'mv', B)]);
      s.guard.decide('c1', 'deny-chat');
      s.guard.decide('c2', 'deny-chat', { reason: 'mine' });
      await s.settle();
      assert.ok(s.wire('c1').approval.reason);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'mine' });
    });

    test('C95 another input asks, and covers: tool refuses it as well', async () => {
      const exact = await granted(sdk, [gated('n1', 'rm', B)], { choice: 'deny-chat' });
      assert.equal(exact.s.count, 2);
      assert.equal(exact.s.call('n1').status, 'asking');
      const whole = await granted(sdk, [gated('n1', 'rm', B)], {
        choice: 'deny-chat',
        decide: { covers: 'tool' },
      });
      assert.equal(whole.s.count, 3);
      assertDenied(whole.s.wire('n1'), { id: 'ap-n1' });
    });

    test('C95 a denial for the chat is active as soon as it is committed', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A)], { then: [reject()] });
      const { grant } = s.guard.decide('c1', 'deny-chat');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(only(s).id, grant.id);
      assert.equal(only(s).status, 'active', 'also when the request failed');
    });

    test('C95 waiting repeated calls are denied as drafts, and can be undone', async () => {
      const s = await batchOf(sdk, three());
      const result = s.guard.decide('c1', 'deny-chat');
      assert.deepEqual(named(s.guard, result.also), ['c2']);
      assert.deepEqual([s.call('c2').actor, s.call('c2').outcome], ['grant', 'denied-automatically']);
      s.guard.undo('c2');
      assert.equal(s.call('c2').status, 'asking');
      s.guard.decide('c2', 'allow-once');
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    for (const [what, first, second] of [
      ['given after it', ['c1', 'allow-chat', { covers: 'tool' }], ['c2', 'deny-chat', { covers: 'input' }]],
      ['given before it', ['c2', 'deny-chat', { covers: 'input' }], ['c1', 'allow-chat', { covers: 'tool' }]],
    ]) {
      test(`C93 a refusal ${what} beats an allowance of the whole tool`, async () => {
        const s = scene(sdk, {
          guard: { undoMs: Infinity },
          script: [
            response('a1', gated('c1', 'rm', A), gated('c2', 'rm', B)),
            chained(
              [outputAvailable('c1'), outputDenied('c2')],
              gated('n1', 'rm', B),
              gated('n2', 'rm', { path: '/c' }),
            ),
            says(),
          ],
        });
        await s.say();
        s.guard.decide(...first);
        s.guard.decide(...second);
        s.guard.commit();
        await s.settle();
        assertDenied(s.wire('c2', s.requests[1]), { id: 'ap-c2' });
        assertAllowed(s.wire('c1', s.requests[1]), { id: 'ap-c1' });
        s.guard.commit();
        await s.settle();
        assert.equal(s.count, 3);
        assertDenied(s.wire('n1'), { id: 'ap-n1' });
        assertAllowed(s.wire('n2'), { id: 'ap-n2' });
        assertNeverAllowed(s, 'n1');
        assert.equal(s.guard.grants().length, 2);
      });
    }

    test('C95 the opposite choice for the same calls replaces the older grant once it is committed', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'rm', A), gated('c3', 'mv', B)]);
      const older = s.guard.decide('c1', 'deny-chat').grant;
      s.guard.undo('c2');
      const newer = s.guard.decide('c2', 'allow-chat').grant;
      assert.notEqual(newer.id, older.id);
      assert.deepEqual(
        s.guard.grants().map((g) => g.id),
        [older.id, newer.id],
      );
      s.guard.undo('c2');
      assert.equal(only(s).id, older.id, 'an undo gives the older one back');
      const again = s.guard.decide('c2', 'allow-chat').grant;
      s.guard.decide('c3', 'deny');
      await s.settle();
      assert.equal(only(s).id, again.id);
      assert.equal(only(s).type, 'allow');
      assert.deepEqual(
        entries(s, 'grant-ended').map((e) => e.grantId),
        [newer.id, older.id],
      );
    });

    test('C95 another cover of the same tool does not replace it', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'rm', B), gated('c3', 'mv', B)]);
      s.guard.decide('c1', 'deny-chat');
      s.guard.decide('c2', 'allow-chat');
      assert.deepEqual(
        s.guard.grants().map((g) => [g.type, g.toolCallId]),
        [
          ['deny', 'c1'],
          ['allow', 'c2'],
        ],
      );
    });

    test('C09 C95 denials by a grant count: the batch is looping after three refusals', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', A)),
          ...[2, 3, 4].map((i) => chained([outputDenied(`c${i - 1}`)], gated(`c${i}`, 'rm', A))),
          says(),
        ],
      });
      await s.say();
      const page = watch(s);
      s.guard.decide('c1', 'deny-chat');
      await s.settle();
      assert.equal(s.count, 5);
      for (const id of ['c2', 'c3', 'c4']) assertDenied(s.wire(id), { id: `ap-${id}` });
      assert.ok(page.seen.some((x) => x.batch.looping && x.batch.refusals >= 3));
    });

    test('C95 a refusal ends when it is revoked', async () => {
      const { s } = await granted(sdk, [gated('n1', 'rm', A)], {
        choice: 'deny-chat',
        then: [says(), response('a5', gated('n2', 'rm', A))],
      });
      assert.equal(s.count, 3);
      assert.equal(s.guard.revoke(only(s).id).type, 'revoked');
      await s.say('again');
      assert.equal(s.call('n2').status, 'asking');
      assertDenied(s.wire('n1'), { id: 'ap-n1' });
    });
  }),
);
