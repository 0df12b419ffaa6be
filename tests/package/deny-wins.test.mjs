// A denial wins over an allowance, drafted or direct, and over an output of the page.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { assertRefused, entries, statuses } from './support/decide.mjs';
import { finish, finishStep, gated, response, says, start, startStep, toolCall } from './support/chunks.mjs';
import { asked, one, three, two } from './support/asked.mjs';

forEachSdk((sdk) =>
  describe(`deny wins, ${sdk.name}`, () => {
    test('C34 a Deny replaces a drafted Allow', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      const result = s.guard.decide('c1', 'deny', { reason: 'rather not' });
      assert.equal(result.type, 'drafted');
      assert.equal(result.choice, 'deny');
      assert.deepEqual([s.call('c1').decision, s.call('c1').outcome], ['denied', 'denied']);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'rather not' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(
        entries(s, 'drafted', 'c1').map((e) => e.approved),
        [true, false],
      );
    });

    test('C34 an Allow over a drafted Deny is refused, and so is a second Deny', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'allow-chat', { covers: 'tool' }), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'deny', { reason: 'never' }), 'already-drafted');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C34 a direct Deny beats a drafted Allow', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      await s.deny('c1', 'no, after all');
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no, after all' });
      assert.equal(s.call('c1').decision, 'denied');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no, after all' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Deny beats a drafted Allow in a batch that waits for its commit', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.deny('c1', 'no');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Allow over a drafted Deny is refused: the denial stands at home and on the wire', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.approve('c1', 'yes');
      assert.notEqual(s.home('c1').approval.approved, true, 'no allowance stands at home');
      assert.equal(s.call('c1').decision, 'denied');
      assert.equal(entries(s, 'refused', 'c1').length, 1);
      assert.equal(s.count, 1);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Allow over a drafted Deny of the only call', async () => {
      const s = await asked(sdk, one(), { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.approve('c1');
      assert.notEqual(s.home('c1').approval.approved, true);
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C34 a direct Allow over a drafted Deny while the response streams', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.answer('c1', true);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    for (const approved of [true, false]) {
      test(`a direct answer (${approved}) completes the batch if the others are drafted`, async () => {
        const s = await asked(sdk, three());
        s.guard.decide('c3', 'allow-once');
        s.guard.decide('c1', 'deny', { reason: 'no' });
        await (approved ? s.approve('c2', 'ok') : s.deny('c2', 'neither'));
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
        assert.equal(s.wire('c2').approval.approved, approved);
        assertAllowed(s.wire('c3'), { id: 'ap-c3' });
        assert.deepEqual(statuses(s).c1 === 'drafted', false);
      });
    }

    test('a direct answer first, then a decision for the last one', async () => {
      const s = await asked(sdk, two());
      await s.deny('c1', 'no');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('a direct answer does not shorten the undo period of drafts', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-once');
      await s.approve('c2');
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.guard.undo('c1').type, 'undone');
      s.guard.decide('c1', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C43 an output that the page writes over a draft is not an answer', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.output('c1', { denied: true }, 'rm');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C42 an output that the page writes over a committed denial is sent as the denial', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), {
        guard: { clientTools: ['ui'] },
      });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.output('c1', { success: false, denied: true }, 'rm');
      await s.output('k1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });
  }),
);
