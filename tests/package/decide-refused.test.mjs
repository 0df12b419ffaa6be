// Every refusal of a decision.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { parts, scene } from './support/chat.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { assertRefused, callsOf, statuses } from './support/decide.mjs';
import { answered, asking, assistant, call, said, step, user } from './support/stored.mjs';
import { continued, gated, outputAvailable, response, says, toolCall } from './support/chunks.mjs';
import { asked, one, replaceInput, two } from './support/asked.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`refusals, ${sdk.name}`, () => {
    test('unknown-id', async () => {
      const s = await asked(sdk, two());
      assertRefused(s, () => s.guard.decide('c9', 'allow-once'), 'unknown-id');
      assertRefused(s, () => s.guard.decide('', 'deny'), 'unknown-id');
      assertRefused(s, () => s.guard.decide('toString', 'allow-once'), 'unknown-id');
      assertRefused(s, () => s.guard.undo('c9'), 'unknown-id');
      assertRefused(s, () => s.guard.extend('c9'), 'unknown-id');
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('ambiguous-id: two calls that ask have this call id', async () => {
      const twin = (approvalId, path) => ({
        ...asking('call_0', 'rm', { id: approvalId }),
        input: { path },
      });
      const s = scene(sdk, {
        messages: [user(), assistant('a1', twin('ap-x', '/x'), twin('ap-y', '/y'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('call_0', 'allow-once'), 'ambiguous-id');
      const [x, y] = s.guard.getSnapshot().calls;
      assert.equal(s.guard.decide('ap-x', 'allow-once').type, 'drafted');
      assert.deepEqual(
        s.guard.getSnapshot().calls.map((c) => [c.approvalId, c.status]),
        [
          ['ap-x', 'drafted'],
          ['ap-y', 'asking'],
        ],
      );
      assert.equal(x.approvalId, 'ap-x');
      assert.equal(s.guard.decide(y, 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(
        parts(s.last.messages, 'call_0').map((p) => [p.input.path, p.approval.approved]),
        [
          ['/x', true],
          ['/y', false],
        ],
      );
    });

    test('ambiguous-id: a call id that is used again in a later message', async () => {
      const again = (id, input) =>
        response(id, toolCall('call_0', 'rm', input), {
          type: 'tool-approval-request',
          toolCallId: 'call_0',
          approvalId: `ap-${id}`,
        });
      const s = scene(sdk, {
        script: [
          again('m1', { path: '/x' }),
          continued([outputAvailable('call_0')]),
          again('m2', { path: '/y' }),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('call_0', 'allow-once');
      await s.settle();
      await s.say('again');
      assert.equal(s.count, 3);
      assertRefused(s, () => s.guard.decide('call_0', 'allow-once'), 'ambiguous-id');
      assert.equal(s.guard.decide('ap-m2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 4);
      assertDenied(s.wire('call_0'), { id: 'ap-m2' });
    });

    test('C77 an old view never hits a newer call with the same ids and the same input', async () => {
      const again = response('a2', gated('c1', 'rm', { path: '/a' }));
      const s = await asked(sdk, one(), { then: [again, says()] });
      const old = s.call('c1');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual([s.call('c1').status, s.call('c1').approvalId], ['asking', 'ap-c1']);
      assertRefused(s, () => s.guard.decide(old, 'allow-once'), 'gone');
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 2);
      assert.equal(s.guard.decide(s.call('c1'), 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('already-drafted', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'allow-chat'), 'already-drafted');
      assert.equal(s.call('c1').outcome, 'allowed-once');
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.count, 1);
    });

    test('C34 already-answered: a double click, a late click, and a call that was answered directly', async () => {
      const s = await asked(sdk, one());
      s.guard.decide('c1', 'allow-once');
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-answered');
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      await s.settle();
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      const direct = await asked(sdk, two());
      await direct.approve('c1');
      assertRefused(direct, () => direct.guard.decide('c1', 'deny'), 'already-answered');
      assertAllowed(direct.home('c1'), { id: 'ap-c1' });
    });

    test('already-answered: cards that were answered before this page', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', answered('c1', 'rm', true), asking('c2', 'mv'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      assert.equal(s.call('c1').outcome, 'allowed-elsewhere');
      assert.equal(s.count, 0);
    });

    test('C59 superseded', async () => {
      const s = await asked(sdk, one());
      await s.say('something else');
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'superseded');
      assertRefused(s, () => s.guard.decide('ap-c1', 'allow-chat'), 'superseded');
      assertDenied(s.home('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C64 gone', async () => {
      const s = await asked(sdk, one(), { then: [response('a2', gated('c2', 'mv')), says()] });
      const view = s.call('c1');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'gone');
      assertRefused(s, () => s.guard.decide(view, 'allow-once'), 'gone');
      assert.deepEqual(statuses(s), { c2: 'asking' });
    });

    test('C14 unreachable: the user has written over it', async () => {
      const s = await asked(sdk, one(), { guard: { whenUserSends: 'pass' } });
      assert.equal(s.guard.getSnapshot().batch.inputLocked, false, 'a message closes nothing');
      assert.equal(s.call('c1').waiting, true);
      await s.say('meanwhile');
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'unreachable');
      assertAsking(s.home('c1'), 'ap-c1');
      assert.deepEqual([s.call('c1').status, s.call('c1').waiting], ['asking', false]);
    });

    test('unreachable: the call asks in an earlier step', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm'), step, asking('c2', 'mv'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'unreachable');
      assert.deepEqual(named(s.guard, s.guard.getSnapshot().batch.keys), ['c2']);
      assert.deepEqual([s.call('c1').waiting, s.call('c2').waiting], [false, true]);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      assert.equal(s.call('c2').waiting, false);
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('unreachable: only a message can continue a chat whose question was passed over', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm')), user('u2'), assistant('a2', said())],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'unreachable');
      assert.equal(s.guard.getSnapshot().batch.inputLocked, false);
      await s.say('go on');
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'superseded');
    });

    test('not-asking: a call that needs no approval', async () => {
      const s = await asked(
        sdk,
        response('a1', toolCall('k1', 'ui'), toolCall('s1', 'search'), gated('c1', 'rm')),
        {
          guard: { clientTools: ['ui'] },
        },
      );
      for (const id of ['k1', 's1']) {
        assertRefused(s, () => s.guard.decide(id, 'allow-once'), 'not-asking');
        assertRefused(s, () => s.guard.decide(id, 'deny'), 'not-asking');
      }
      assert.equal(s.home('k1').state, 'input-available');
      assert.equal(s.home('k1').approval, undefined);
    });

    test('T2 changed: the input differs from the one that the page was shown', async () => {
      const s = await asked(sdk, two());
      const shown = s.call('c1');
      replaceInput(s, 'c1', { path: '/etc' });
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed', { finds: true });
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed');
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(s.call('c1').input, { path: '/etc' });
      assert.notEqual(s.call('c1'), shown);
      assert.equal(s.guard.decide(s.call('c1'), 'allow-once').type, 'drafted');
    });

    test('T2 changed: written into the same object that the page was shown', async () => {
      const s = await asked(sdk, two());
      const shown = s.call('c1');
      s.home('c1').input.path = '/etc';
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed', { finds: true });
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 1);
    });

    test('T2 an equal copy of the input is not a change', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm', { a: 1, b: { c: [1, 2] } })));
      const shown = s.call('c1');
      replaceInput(s, 'c1', { b: { c: [1, 2] }, a: 1 });
      assert.equal(s.guard.decide(shown, 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
    });

    for (const [how, change] of [
      ['in a new list', (s) => replaceInput(s, 'c1', { path: '/etc' })],
      [
        'in the same object',
        (s) => {
          s.home('c1').input.path = '/etc';
        },
      ],
    ]) {
      test(`T2 an input that changes ${how} after the decision voids the draft, and the call asks again`, async () => {
        const s = await asked(sdk, two());
        s.guard.decide('c1', 'allow-once');
        change(s);
        assert.equal(s.guard.decide('c2', 'allow-once').type, 'drafted', 'the batch is not decided any more');
        await s.settle();
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'ap-c1');
        assertAsking(s.home('c2'), 'ap-c2');
        assert.deepEqual(statuses(s), { c1: 'asking', c2: 'drafted' });
        assert.deepEqual(callsOf(s, 'voided'), ['c1']);
        assert.equal(s.guard.decide('c1', 'deny').type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test(`T2 an input that changes ${how} while the batch can be undone: commit() waits`, async () => {
        const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
        s.guard.decideAll(['c1', 'c2'], 'allow-once');
        change(s);
        const result = s.guard.commit();
        assert.equal(result.type, 'waiting');
        assert.deepEqual(
          result.waitingFor.map((c) => [c.toolCallId, c.need]),
          [['c1', 'approval']],
        );
        await s.settle();
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'ap-c1');
      });
    }

    test('C108 not-comparable: an input without a canonical form can be allowed once, or for the whole tool', async () => {
      const endless = { path: '/a' };
      endless.self = endless;
      const odd = (id, input) => ({ ...asking(id, 'rm'), input });
      const s = scene(sdk, {
        messages: [
          user(),
          assistant('a1', odd('c1', endless), odd('c2', { run: () => {} }), asking('c3', 'mv')),
        ],
        script: [],
      });
      for (const id of ['c1', 'c2']) {
        assertRefused(s, () => s.guard.decide(id, 'allow-chat'), 'not-comparable');
        assertRefused(s, () => s.guard.decide(id, 'deny-chat', { covers: 'input' }), 'not-comparable');
      }
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal(s.guard.undo('c1').type, 'undone');
      const result = s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      assert.equal(result.type, 'drafted');
      assert.equal(result.grant.covers, 'tool');
      assert.deepEqual(named(s.guard, result.also), ['c2']);
    });

    test('C88 not-comparable: a named field that the input does not have', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'rm', ['/a']), gated('c3', 'rm', {})),
      );
      for (const [id, covers] of [
        ['c1', ['size']],
        ['c1', ['path', 'size']],
        ['c1', ['toString']],
        ['c1', ['__proto__']],
        ['c1', ['constructor']],
        ['c2', ['length']],
        ['c3', ['path']],
      ]) {
        for (const choice of ['allow-chat', 'deny-chat'])
          assertRefused(s, () => s.guard.decide(id, choice, { covers }), 'not-comparable');
        assert.deepEqual(s.guard.covered(id, covers), []);
      }
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual(s.guard.decide('c1', 'allow-chat', { covers: ['path'] }).also, []);
    });

    test('unavailable: the guard was disposed of', async () => {
      const s = await asked(sdk, one());
      s.guard.dispose();
      for (const act of [
        () => s.guard.decide('c1', 'allow-once'),
        () => s.guard.undo('c1'),
        () => s.guard.undoAll(),
        () => s.guard.extend('c1'),
        () => s.guard.revoke('g1'),
        () => s.guard.revokeAll(),
        () => s.guard.decideAll(['c1'], 'allow-once')[0],
      ]) {
        const result = act();
        assert.deepEqual([result.type, result.reason], ['refused', 'unavailable']);
        assert.match(result.message, /\.$/);
      }
      assert.deepEqual(s.guard.grants(), []);
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
    });
  }),
);
