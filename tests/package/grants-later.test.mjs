// The later calls that a grant answers.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { forever, live } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { stoppedClock } from './support/clock.mjs';
import { chained, watch } from './support/decide.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';
import { A, B, MINUTE, batchOf, granted, only } from './support/grants.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`later calls, ${sdk.name}`, () => {
    test('C92 a covered call is never shown as asking, and is sent automatically as allowed', async () => {
      const { s, page } = await granted(sdk, [gated('n1', 'rm', A), gated('n2', 'rm', A)]);
      assert.equal(s.count, 3);
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assertAllowed(s.wire('n2'), { id: 'ap-n2' });
      for (const id of ['n1', 'n2']) {
        assert.ok(page.statuses(id).length > 0);
        assert.ok(!page.statuses(id).includes('asking'), `${id}: ${page.statuses(id).join()}`);
      }
      for (const snapshot of page.seen) {
        if (snapshot.calls.some((c) => c.toolCallId === 'n1')) assert.equal(snapshot.batch.asking, 0);
      }
      assert.equal(s.verdict().send, false);
      assert.deepEqual(s.codes(), []);
    });

    test('C92 chunk by chunk: not even for one turn of the event loop', async () => {
      const next = live();
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm', A)), next, says()] });
      await s.say();
      const page = watch(s);
      s.guard.decide('c1', 'allow-chat');
      await next.started;
      for (const chunk of [
        start(),
        outputAvailable('c1'),
        startStep,
        ...gated('n1', 'rm', A),
        finishStep,
        finish(),
      ]) {
        next.push(chunk);
        await until(() => true, { quiet: 2 });
        s.guard.observe(s.chat.messages);
        assert.notEqual(s.call('n1')?.status, 'asking', `after ${chunk.type}`);
      }
      assert.equal(s.count, 2);
      next.close();
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assert.ok(!page.statuses('n1').includes('asking'), page.statuses('n1').join());
    });

    test('C92 a covered call is decided, and waits for one that is not covered', async () => {
      const { s, page } = await granted(sdk, [gated('n1', 'rm', A), gated('n2', 'mv', B)]);
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').decision, 'allowed');
      assert.equal(s.call('n2').status, 'asking');
      assert.ok(!page.statuses('n1').includes('asking'));
      assert.equal(s.guard.decide('n2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assertDenied(s.wire('n2'), { id: 'ap-n2' });
    });

    test('C94 uses and lastUsedAt count', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', A)),
          continued([outputAvailable('c1')]),
          response('a2', gated('n1', 'rm', A), gated('n2', 'rm', A)),
          continued([outputAvailable('n1'), outputAvailable('n2')]),
          response('a3', gated('n3', 'rm', A)),
          continued([outputAvailable('n3')]),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat');
      const created = clock.now();
      await s.settle();
      assert.deepEqual([only(s).uses, only(s).lastUsedAt, only(s).status], [0, undefined, 'active']);
      await clock.pass(MINUTE);
      await s.say('again');
      assert.equal(s.count, 4);
      assert.deepEqual([only(s).uses, only(s).lastUsedAt], [2, created + MINUTE]);
      await clock.pass(MINUTE);
      await s.say('and again');
      assert.equal(s.count, 6);
      assert.deepEqual(
        [only(s).uses, only(s).lastUsedAt, only(s).createdAt],
        [3, created + 2 * MINUTE, created],
      );
    });

    test('C10 a grant does not cause endless sends', async () => {
      let n = 0;
      const s = scene(sdk, {
        guard: { maxAutomaticSends: 3 },
        script: [
          response('a1', gated('c1', 'rm', A)),
          forever(() => {
            n += 1;
            return chained([outputAvailable(n === 1 ? 'c1' : `n${n - 1}`)], gated(`n${n}`, 'rm', A));
          }),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      assert.ok(s.count <= 1 + 1 + 3, `${s.count} requests`);
      assert.ok(s.count >= 3);
    });

    test('C91 the automatic answer of a dangerous call can be undone in time, and then the call asks', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, {
        guard: { tools: { rm: { dangerous: true } }, undoMsWhenDangerous: 1_000 },
        script: [
          response('a1', gated('c1', 'rm', A)),
          chained([outputAvailable('c1')], gated('n1', 'rm', A)),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual([s.call('n1').status, s.call('n1').can.undo], ['drafted', true]);
      assert.deepEqual(named(s.guard, s.guard.undo('n1')), { type: 'undone', keys: ['n1'] });
      await clock.pass(10_000);
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').status, 'asking');
      assert.equal(only(s).status, 'active');
      s.guard.decide('n1', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 3);
      assertDenied(s.wire('n1'), { id: 'ap-n1' });
    });

    for (const undoMs of [1_000, Infinity]) {
      test(`C92 a batch answered only by grants does not wait for undoMs: ${undoMs}`, async () => {
        const s = scene(sdk, {
          guard: { undoMs },
          script: [
            response('a1', gated('c1', 'rm', A)),
            chained([outputAvailable('c1')], gated('n1', 'rm', A)),
            chained([outputAvailable('n1')], gated('n2', 'rm', A), gated('n3', 'mv', B)),
            says(),
          ],
        });
        await s.say();
        s.guard.decide('c1', 'allow-chat');
        s.guard.commit();
        await s.settle();
        assert.equal(s.count, 3);
        assertAllowed(s.wire('n1'), { id: 'ap-n1' });
        assert.deepEqual([s.call('n2').status, s.call('n3').status], ['drafted', 'asking']);
        assert.equal(s.guard.decide('n3', 'deny').type, 'drafted', 'beside a decision of a person it waits');
        assert.equal(s.call('n2').can.undo, true);
        await s.settle();
        assert.equal(s.count, 3);
        assert.equal(s.guard.undo('n2').type, 'undone');
        s.guard.decide('n2', 'deny');
        s.guard.commit();
        await s.settle();
        assert.equal(s.count, 4);
        assertDenied(s.wire('n2'), { id: 'ap-n2' });
      });
    }

    test('C89 a grant of one chat never acts in another', async () => {
      const { s } = await granted(sdk, [gated('n1', 'mv', A)], { decide: { covers: 'tool' } });
      const other = await batchOf(sdk, [gated('c9', 'rm', A)]);
      assert.equal(only(s).status, 'active');
      assert.deepEqual(other.guard.grants(), []);
      assert.equal(other.call('c9').status, 'asking');
      assert.equal(other.guard.revoke(only(s).id).reason, 'unknown-grant');
      assert.equal(only(s).status, 'active');
      await other.settle();
      assert.equal(other.count, 1);
    });

    test('T1 grants never come from messages', async () => {
      const s = scene(sdk, {
        messages: [
          user('u1'),
          assistant(
            'h1',
            call('h1', 'rm', 'output-available', {
              input: A,
              output: 'done',
              approval: { id: 'ap-h1', approved: true, grant: 'allow-chat', covers: 'tool' },
            }),
            { ...answered('h2', 'rm', true, { scope: 'chat' }), input: A },
          ),
        ],
        script: [
          response('a1', gated('c1', 'rm', A)),
          chained([outputAvailable('c1')], gated('c2', 'rm', A)),
          says(),
        ],
      });
      await s.say();
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.call('c1').status, 'asking');
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.call('c2').status, 'asking', 'a direct answer gives no grant');
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C93 a call refused by the server stays refused', async () => {
      const s = scene(sdk, {
        messages: [
          user(),
          assistant(
            'a1',
            { ...answered('c1', 'rm', false, { isAutomatic: true }), input: A },
            { ...asking('c2', 'rm'), input: A },
          ),
        ],
        script: [says()],
      });
      assert.deepEqual(s.guard.decide('c2', 'allow-chat', { covers: 'tool' }).also, []);
      await s.settle();
      assertDenied(s.home('c1'), { id: 'ap-c1' });
      for (const request of s.requests) assertDenied(s.wire('c1', request), { id: 'ap-c1' });
    });
  }),
);
