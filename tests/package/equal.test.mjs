// Equal calls of one step: one card can show them, one press decides them, and one undo takes them back.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { assertMisuse, callsOf, entries, statuses } from './support/decide.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import { finish, finishStep, gated, response, says, start, startStep } from './support/chunks.mjs';
import { named } from './support/named.mjs';

const MAIL = { to: 'ana@example.com' };

async function asked(sdk, calls, guard, then = [says(), says()]) {
  const s = scene(sdk, { script: [response('a1', ...calls), ...then], guard });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}

/** Three calls, of which the first and the last are equal. */
const three = () => [gated('c1', 'mail', MAIL), gated('c2', 'rm', { path: '/a' }), gated('c3', 'mail', MAIL)];

/** The call ids of each group, in the order of its first call. */
const groups = (s) => {
  const { calls } = s.guard.getSnapshot();
  const firsts = calls.filter((call) => call.group === call.key);
  return firsts.map(({ key }) => calls.filter(({ group }) => group === key).map((call) => call.toolCallId));
};
/** The calls of a group, as a page would show them now. */
const groupOf = (s, id) => {
  const { calls } = s.guard.getSnapshot();
  const { group } = s.call(id);
  return calls.filter((call) => call.group === group);
};
/** The groups of parts that are in the chat from the beginning. */
const stored = (sdk, parts, guard) => {
  const s = scene(sdk, { messages: [user(), assistant('a1', ...parts)], guard });
  return groups(s).map((ids) => ids.join('='));
};

forEachSdk((sdk) =>
  describe(`equal calls, ${sdk.name}`, () => {
    test('C41 calls of the same tool with the same input are a group, and are counted one by one', async () => {
      const s = await asked(sdk, three());
      assert.deepEqual(groups(s), [['c1', 'c3'], ['c2']]);
      const { batch } = s.guard.getSnapshot();
      assert.deepEqual([batch.total, batch.asking], [3, 3]);
      assert.equal(s.call('c3').group, s.call('c1').key);
      assert.equal(s.guard.getSnapshot(), s.guard.getSnapshot());
    });

    test('C41 one press allows a group: an entry for each call, and one request', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      const results = s.guard.decideAll(groupOf(s, 'c1'), 'allow-once');
      assert.deepEqual(
        results.map(({ type }) => type),
        ['drafted', 'drafted'],
      );
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking', c3: 'drafted' });
      assert.deepEqual(groups(s), [['c1', 'c3'], ['c2']], 'they still are a group');
      const { batch } = s.guard.getSnapshot();
      assert.deepEqual([batch.asking, batch.allowed], [1, 2]);
      s.guard.decide('c2', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c3'), { id: 'ap-c3' });
      for (const type of ['drafted', 'answered']) {
        const own = entries(s, type).filter(({ toolName }) => toolName === 'mail');
        assert.deepEqual(
          own.map(({ toolCallId, actor, approved }) => [toolCallId, actor, approved]),
          [
            ['c1', 'person', true],
            ['c3', 'person', true],
          ],
        );
      }
    });

    test('C41 one press denies a group, with one reason', async () => {
      const s = await asked(sdk, [gated('c1', 'mail', MAIL), gated('c2', 'mail', MAIL)]);
      const results = s.guard.decideAll(groupOf(s, 'c1'), 'deny', { reason: 'not again' });
      assert.ok(results.every(({ type }) => type === 'committed'));
      await s.settle();
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) assertDenied(s.wire(id), { id: `ap-${id}`, reason: 'not again' });
    });

    test('C41 one undo takes all of them back together, and each has an entry', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      const before = s.guard.getSnapshot().batch;
      s.guard.decideAll(groupOf(s, 'c1'), 'allow-once');
      const told = [];
      s.guard.subscribe(() => told.push(statuses(s)));
      const result = s.guard.undo(groupOf(s, 'c1'));
      assert.deepEqual(named(s.guard, result), { type: 'undone', keys: ['c1', 'c3'] });
      await s.settle();
      assert.ok(
        told.every(({ c1, c3 }) => c1 === c3),
        'nobody has seen one without the other',
      );
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.deepEqual(callsOf(s, 'undone'), ['c1', 'c3']);
      assert.deepEqual(s.guard.getSnapshot().batch, before);
      assert.deepEqual(groups(s), [['c1', 'c3'], ['c2']]);
    });

    test('C41 an undo of a list: what cannot be undone is refused and recorded, and holds nothing back', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      s.guard.decide('c1', 'allow-once');
      const result = s.guard.undo(['c3', 'c1', 'unknown']);
      assert.deepEqual(named(s.guard, result), { type: 'undone', keys: ['c1'] });
      assert.equal(entries(s, 'refused').length, 2);
      assert.equal(s.guard.undo(['c1', 'c3']).reason, 'not-drafted');
      assert.deepEqual(s.guard.undo([]), { type: 'undone', keys: [] });
      for (const wrong of [[1], [undefined], [{}], {}, null]) {
        assertMisuse(s, () => s.guard.undo(wrong), JSON.stringify(wrong));
      }
    });

    test('C41 a lasting answer to one of them answers the group, which stays one and is undone together', async () => {
      for (const [own, other] of [
        ['c1', 'c3'],
        ['c3', 'c1'],
      ]) {
        const s = await asked(sdk, three(), { undoMs: Infinity });
        const result = s.guard.decide(s.call(own), 'allow-chat', { covers: 'input' });
        assert.deepEqual(named(s.guard, result.also), [other]);
        assert.deepEqual([s.call(own).actor, s.call(other).actor], ['person', 'grant']);
        assert.deepEqual(groups(s), [['c1', 'c3'], ['c2']]);
        const undone = s.guard.undo(groupOf(s, 'c1'));
        assert.deepEqual(named(s.guard, undone.keys).sort(), ['c1', 'c3']);
        assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking', c3: 'asking' });
        assert.deepEqual(s.guard.grants(), []);
        assert.deepEqual(entries(s, 'refused'), []);
      }
    });

    test('C41 an answer to one of them alone separates it from the others', async () => {
      const calls = ['c1', 'c2', 'c3'].map((id) => gated(id, 'mail', MAIL));
      const s = await asked(sdk, calls, { undoMs: Infinity });
      assert.deepEqual(groups(s), [['c1', 'c2', 'c3']]);
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(groups(s), [['c1'], ['c2', 'c3']]);
      s.guard.decideAll(groupOf(s, 'c2'), 'deny');
      assert.deepEqual(groups(s), [['c1'], ['c2', 'c3']]);
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      for (const id of ['c2', 'c3']) assertDenied(s.wire(id), { id: `ap-${id}` });
    });

    test('C41 the user writes over the first call: it is denied as superseded, and the second one asks alone', async () => {
      const again = response('a2', gated('c2', 'mail', MAIL));
      const s = await asked(sdk, [gated('c1', 'mail', MAIL)], undefined, [again, says()]);
      await s.say('well?');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual([s.call('c1').actor, s.call('c1').outcome], ['superseded', 'superseded']);
      assert.deepEqual(statuses(s), { c1: s.call('c1').status, c2: 'asking' });
      assert.deepEqual(groups(s), [['c1'], ['c2']], 'one card for one wish');
      const { batch } = s.guard.getSnapshot();
      assert.deepEqual([batch.total, batch.asking], [1, 1]);
      assert.equal(s.guard.decideAll(groupOf(s, 'c2'), 'allow-once')[0].type, 'committed');
      await s.settle();
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C41 the calls of another step are no part of the group', async () => {
      const again = response('a2', gated('c2', 'mail', MAIL));
      const s = await asked(sdk, [gated('c1', 'mail', MAIL)], { whenUserSends: 'pass' }, [again, says()]);
      await s.say('well?');
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      assert.deepEqual(groups(s), [['c1'], ['c2']]);
    });

    test('C41 a call that comes after the page has shown the group is not decided with it', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'mail', MAIL));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.observe(s.chat.messages);
      const shown = groupOf(s, 'c1');
      assert.equal(shown.length, 1);
      first.push(gated('c2', 'mail', MAIL));
      await until(() => s.home('c2')?.state === 'approval-requested', { quiet: 1 });
      s.guard.observe(s.chat.messages);
      assert.deepEqual(groups(s), [['c1', 'c2']]);
      assert.equal(s.guard.decideAll(shown, 'allow-once')[0].type, 'drafted');
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking' });
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1, 'c2 asks');
      assertAsking(s.home('c2'), 'ap-c2');
    });

    test('C41 a call whose input has changed since is refused, and the rest of the group is decided', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      const shown = groupOf(s, 'c1');
      s.home('c3').input.to = 'eve@example.com';
      const results = s.guard.decideAll(shown, 'allow-once');
      assert.deepEqual(
        results.map(({ type, reason }) => [type, reason]),
        [
          ['drafted', undefined],
          ['refused', 'changed'],
        ],
      );
      assert.deepEqual(groups(s), [['c1'], ['c2'], ['c3']]);
    });

    test('C41 what is equal: the tool with its server, and the input as JSON says it', () => {
      const part = (id, more) => ({ ...asking(id, 'rm'), ...more });
      const input = { path: '/a', force: true };
      assert.deepEqual(
        stored(sdk, [
          part('c1', { input }),
          part('c2', { input: { force: true, path: '/a' } }),
          part('c3', { input: { ...input, note: undefined } }),
          part('c4', { input: { ...input, note: null } }),
          part('c5', { input: { path: '/a', force: 'true' } }),
          part('c6', { input: JSON.stringify(input) }),
          part('c7', { input, type: 'tool-remove' }),
        ]),
        ['c1=c2=c3', 'c4', 'c5', 'c6', 'c7'],
      );
      const of = (server) => ({ input, toolMetadata: { server } });
      assert.deepEqual(
        stored(sdk, [part('c1', of('A')), part('c2', of('B')), part('c3', { input }), part('c4', of('A'))]),
        ['c1=c4', 'c2', 'c3'],
      );
    });

    test('C41 calls that do not read the same are apart, though they ask the same', () => {
      const input = { path: '/a' };
      const part = (id, more, approval) => ({ ...asking(id, 'rm', approval), input, ...more });
      const hints = (readOnlyHint) => ({ toolMetadata: { annotations: { readOnlyHint } } });
      assert.deepEqual(
        stored(sdk, [
          part('c1', {}, { requestReason: 'over the limit' }),
          part('c2', {}, { requestReason: 'free' }),
          part('c3', {}, { requestReason: 'over the limit' }),
        ]),
        ['c1=c3', 'c2'],
      );
      for (const [one, other] of [
        [{ title: 'Clean up' }, { title: 'Delete' }],
        [{}, { type: 'dynamic-tool', toolName: 'rm' }],
        [hints(true), hints(false)],
        [{}, { toolMetadata: { annotations: { destructiveHint: true } } }],
      ]) {
        assert.deepEqual(
          stored(sdk, [part('c1', one), part('c2', other)]),
          ['c1', 'c2'],
          Object.keys(other)[0],
        );
        assert.deepEqual(stored(sdk, [part('c1', other), part('c2', other)]), ['c1=c2']);
      }
    });

    test('C41 what cannot be shown or compared is equal to nothing', () => {
      const round = {};
      round.self = round;
      const twin = {};
      for (const input of [undefined, round, new Date(0), { n: 1n }, { f() {} }, 'x'.repeat(300_000)]) {
        const parts = ['c1', 'c2'].map((id) => ({ ...asking(id, 'rm'), input }));
        assert.deepEqual(stored(sdk, parts), ['c1', 'c2'], String(input).slice(0, 20));
      }
      const shared = ['c1', 'c2'].map((id) => ({ ...asking(id, 'rm'), input: { a: twin, b: twin } }));
      assert.deepEqual(stored(sdk, shared), ['c1=c2']);
    });

    test('C41 dangerous calls are a group too, which says so and has its time to undo', async () => {
      const calls = [gated('c1', 'rm', MAIL), gated('c2', 'rm', MAIL)];
      const s = await asked(sdk, calls, { tools: { rm: { dangerous: true } } });
      assert.deepEqual(groups(s), [['c1', 'c2']]);
      assert.equal(s.guard.getSnapshot().batch.allowAll, false, 'no button allows what it does not name');
      s.guard.decideAll(groupOf(s, 'c1'), 'allow-once');
      assert.ok(s.guard.getSnapshot().batch.commitAt > Date.now());
      s.guard.undo(groupOf(s, 'c1'));
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      s.guard.dispose();
    });

    test('C41 showing what is hidden of one call separates nothing', async () => {
      const redact = () => ({ value: { to: '***' }, hidden: [{ count: 1 }] });
      const s = await asked(sdk, [gated('c1', 'mail', MAIL), gated('c2', 'mail', MAIL)], { redact });
      assert.deepEqual(groups(s), [['c1', 'c2']]);
      s.guard.unmask(s.call('c1'));
      assert.notEqual(s.call('c1').inputText, s.call('c2').inputText);
      assert.deepEqual(groups(s), [['c1', 'c2']]);
    });

    test('C41 the views of a group are the same objects until something in them changes', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      const before = s.guard.getSnapshot().calls;
      s.guard.decide('c2', 'deny');
      const after = s.guard.getSnapshot().calls;
      assert.deepEqual(
        after.map((call, i) => call === before[i]),
        [true, false, true],
      );
      s.guard.decide('c1', 'deny');
      assert.equal(s.call('c3').group, s.call('c3').key, 'its group changes although it does not');
      assert.notEqual(s.call('c3'), before[2]);
    });
  }),
);
