// The other calls of the batch that a grant answers.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { assertNeverAllowed, callsOf, entries, statuses } from './support/decide.mjs';
import { finish, finishStep, gated, says, start, startStep } from './support/chunks.mjs';
import { A, B, batchOf, only, three } from './support/grants.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`waiting siblings, ${sdk.name}`, () => {
    test('C91 a new grant answers waiting calls as drafts, and says which', async () => {
      const s = await batchOf(sdk, three());
      const result = s.guard.decide('c1', 'allow-chat');
      assert.equal(result.type, 'drafted');
      assert.deepEqual(named(s.guard, result.also), ['c2']);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      const { actor, outcome, decision, can, grant } = s.call('c2');
      assert.deepEqual(
        [actor, outcome, decision, can.undo, grant?.id],
        ['grant', 'allowed-automatically', 'allowed', true, result.grant.id],
      );
      assert.deepEqual([s.call('c1').actor, s.call('c1').outcome], ['person', 'allowed-chat']);
      assertAsking(s.home('c2'), 'ap-c2');
      assert.equal(s.count, 1);
      const draft = entries(s, 'drafted', 'c2').at(-1);
      assert.deepEqual([draft.actor, draft.approved, draft.grantId], ['grant', true, result.grant.id]);
      assert.equal(s.guard.decide('c3', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      assertDenied(s.wire('c3'), { id: 'ap-c3' });
    });

    test('C91 a grant that answers all others commits the batch: one request', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'rm', B), gated('c3', 'rm', A)]);
      const result = s.guard.decide('c2', 'allow-chat', { covers: 'tool' });
      assert.equal(result.type, 'committed');
      assert.deepEqual(named(s.guard, result.also), ['c1', 'c3']);
      await s.settle();
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2', 'c3']) assertAllowed(s.wire(id), { id: `ap-${id}` });
      assert.deepEqual(callsOf(s, 'answered'), ['c1', 'c2', 'c3']);
      assert.equal(only(s).uses, 2);
    });

    test('C91 once, and a Deny, never touch the others', async () => {
      const s = await batchOf(sdk, [...three(), gated('c4', 'rm', A)]);
      assert.deepEqual(s.guard.decide('c1', 'allow-once').also, []);
      assert.deepEqual(s.guard.decide('c4', 'deny').also, []);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking', c3: 'asking', c4: 'drafted' });
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C91 undo of the decision that gave the grant also removes the grant and its drafts', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      const result = s.guard.undo('c1');
      assert.equal(result.type, 'undone');
      assert.deepEqual(named(s.guard, result.keys).sort(), ['c1', 'c2']);
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(entries(s, 'grant-ended').length, 1);
      s.guard.decideAll(['c1', 'c2', 'c3'], 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      assertNeverAllowed(s, 'c2');
    });

    test('C91 undo of one sibling: it asks again, and the grant does not answer it again', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      assert.deepEqual(named(s.guard, s.guard.undo('c2')), { type: 'undone', keys: ['c2'] });
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking', c3: 'asking' });
      assert.equal(only(s).status, 'draft');
      s.guard.observe([...s.chat.messages]);
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.equal(s.call('c2').status, 'asking');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c2', 'deny', { reason: 'not this one' }).type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'not this one' });
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C91 undo of one sibling stands even if another grant answers others', async () => {
      const s = await batchOf(sdk, [...three(), gated('c4', 'mv', B), gated('c5', 'cp', A)]);
      s.guard.decide('c1', 'allow-chat');
      s.guard.undo('c2');
      assert.deepEqual(named(s.guard, s.guard.decide('c3', 'allow-chat').also), ['c4']);
      assert.deepEqual(statuses(s), {
        c1: 'drafted',
        c2: 'asking',
        c3: 'drafted',
        c4: 'drafted',
        c5: 'asking',
      });
    });

    test('C91 undoAll() removes the grant, too', async () => {
      const waiting = await batchOf(sdk, three(), { guard: { undoMs: Infinity } });
      waiting.guard.decide('c1', 'allow-chat');
      waiting.guard.decide('c3', 'deny-chat', { covers: 'tool' });
      assert.equal(waiting.guard.grants().length, 2);
      assert.deepEqual(named(waiting.guard, waiting.guard.undoAll().keys).sort(), ['c1', 'c2', 'c3']);
      assert.deepEqual(waiting.guard.grants(), []);
      assert.deepEqual(statuses(waiting), { c1: 'asking', c2: 'asking', c3: 'asking' });
    });

    test('C91 a draft that denies a sibling is never overridden', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c2', 'deny', { reason: 'no' });
      const result = s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      assert.deepEqual(result.also, []);
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C91 a sibling that was answered directly keeps its answer', async () => {
      const s = await batchOf(sdk, three());
      await s.deny('c2', 'no');
      assert.deepEqual(s.guard.decide('c1', 'allow-chat').also, []);
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
    });

    test('C91 a Deny replaces what the grant has drafted', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      assert.equal(s.guard.decide('c2', 'deny', { reason: 'no' }).type, 'drafted');
      assert.deepEqual([s.call('c2').actor, s.call('c2').outcome], ['person', 'denied']);
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C91 a Deny over the drafted allow-chat removes the grant and its drafts', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      s.guard.decide('c1', 'deny');
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking', c3: 'asking' });
      assert.equal(s.count, 1);
    });

    test('C91 a direct Deny over the drafted allow-chat removes them, too', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      await s.deny('c1', 'no');
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.call('c2').status, 'asking');
      assert.equal(s.count, 1);
    });

    test('C91 a call that comes while the response streams is answered by the draft of a grant', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm', A));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'allow-chat');
      first.push(gated('c2', 'rm', A), gated('c3', 'rm', B));
      await until(() => s.home('c3')?.state === 'approval-requested', { quiet: 1 });
      s.guard.observe(s.chat.messages);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      assert.equal(s.call('c2').actor, 'grant');
      assertAsking(s.home('c2'), 'ap-c2');
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1, 'c3 asks');
    });
  }),
);
