// A person decides while the response with the question still streams.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { statuses } from './support/decide.mjs';
import { finish, finishStep, gated, response, says, start, startStep } from './support/chunks.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`decide while the response streams, ${sdk.name}`, () => {
    async function streaming(options) {
      const first = live();
      let turned = false;
      const s = scene(sdk, {
        script: [
          first,
          () => {
            s.turnedAtRequest = turned;
            return says();
          },
          says(),
        ],
        chat: {
          onError: () => {},
          onFinish: () => {
            setTimeout(() => {
              turned = true;
            }, 0);
          },
        },
        ...options,
      });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      return { s, first };
    }

    test('decisions are committed when the response has ended, in the same turn, when the SDK asks', async () => {
      const yes = [];
      const { s, first } = await streaming({
        when: (own) => (o) => {
          const sends = own(o);
          yes.push(sends);
          return sends;
        },
      });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.deepEqual(s.guard.commit(), { type: 'responding' });
      await until(() => true);
      assertAsking(s.home('c1'), 'ap-c1');
      first.push(gated('c2', 'mv'));
      await until(() => s.home('c2')?.state === 'approval-requested', { quiet: 1 });
      assert.equal(s.guard.decide('c2', 'deny', { reason: 'no' }).type, 'drafted');
      await until(() => true);
      assertAsking(s.home('c2'), 'ap-c2');
      assert.equal(s.count, 1);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.turnedAtRequest, false, 'the event loop has not turned since the response ended');
      assert.deepEqual(
        yes.filter((sends) => sends),
        [true],
      );
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(s.home('c2').approval.approved, false);
    });

    test('a response that ends with a call that asks: the last decision commits', async () => {
      const { s, first } = await streaming();
      s.guard.decide('c1', 'allow-once');
      first.push(gated('c2', 'mv'), finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.call('c1').status, 'drafted', 'the draft has outlived the response');
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C101 a draft that is undone while the response streams is not sent at its end', async () => {
      const { s, first } = await streaming();
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(named(s.guard, s.guard.undo('c1')), { type: 'undone', keys: ['c1'] });
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
    });

    test('a call that asks is in the snapshot while the response streams', async () => {
      const { s, first } = await streaming();
      assert.deepEqual(statuses(s), { c1: 'asking' });
      first.push(gated('c2', 'mv'));
      await until(() => s.home('c2')?.state === 'approval-requested', { quiet: 1 });
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      assert.equal(s.guard.getSnapshot().batch.asking, 2);
      first.close();
      await s.settle();
    });

    test('C96 a call that comes after the page has shown the others is not touched', async () => {
      const { s, first } = await streaming();
      s.guard.observe(s.chat.messages);
      const shown = s.guard.getSnapshot().calls;
      first.push(gated('c2', 'rm'), finishStep, finish());
      first.close();
      await s.settle();
      assert.deepEqual(
        s.guard.decideAll(shown, 'allow-once').map((r) => [r.type, named(s.guard, r.key)]),
        [['drafted', 'c1']],
      );
      await s.settle();
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking' });
      assert.equal(s.count, 1);
    });
  }),
);
