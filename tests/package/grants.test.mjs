// What a person allows, or refuses, for more than one call.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { forever, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, plain } from './support/assertions.mjs';
import { DAY, YEAR, stoppedClock } from './support/clock.mjs';
import {
  assertMisuse,
  assertNeverAllowed,
  assertRefused,
  callsOf,
  chained,
  entries,
  holding,
  statuses,
  watch,
} from './support/decide.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';

const A = { path: '/a' };
const B = { path: '/b' };
const MINUTE = 60_000;
const only = (s) => {
  const grants = s.guard.grants();
  assert.equal(grants.length, 1, `one grant, not ${JSON.stringify(grants)}`);
  return grants[0];
};

/** A chat in which `c1` was decided with a choice that lasts, and which asks for these calls next. */
async function granted(
  sdk,
  calls,
  { input = A, choice = 'allow-chat', decide, then = [says(), says()], ...options } = {},
) {
  const settled = choice.startsWith('allow') ? outputAvailable('c1') : outputDenied('c1');
  const s = scene(sdk, {
    script: [response('a1', gated('c1', 'rm', input)), chained([settled], ...calls), ...then],
    ...options,
  });
  await s.say();
  const page = watch(s);
  const result = s.guard.decide('c1', choice, decide);
  assert.equal(result.type, 'committed');
  await s.settle();
  return { s, page, result };
}

/** A batch that asks for these calls. */
async function batchOf(sdk, calls, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response('a1', ...calls), ...then], ...options });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}
const three = () => [gated('c1', 'rm', A), gated('c2', 'rm', A), gated('c3', 'mv', B)];

forEachSdk((sdk) =>
  describe(`what a grant covers, ${sdk.name}`, () => {
    test('C87 the result names what was stored, and it is what the list shows', async () => {
      const s = await batchOf(sdk, three(), { guard: { tools: { rm: { server: 'Files' } } } });
      const before = Date.now();
      const { grant } = s.guard.decide('c1', 'allow-chat');
      assert.deepEqual(
        [grant.type, grant.toolName, grant.server, grant.covers, grant.toolCallId, grant.status],
        ['allow', 'rm', 'Files', 'input', 'c1', 'draft'],
      );
      assert.equal(grant.endsAt, undefined);
      assert.ok(grant.createdAt >= before && grant.createdAt <= Date.now());
      assert.ok(grant.id.length > 0);
      assert.ok(grant.words.scope.length > 0);
      assert.deepEqual(plain(only(s)), plain(grant));
      assert.equal(s.guard.getSnapshot().grants.length, 1);
      assert.equal(s.call('c1').grantId, grant.id);
      const [entry] = entries(s, 'granted');
      assert.deepEqual([entry.grantId, entry.toolCallId, entry.actor], [grant.id, 'c1', 'person']);
    });

    test('C86 C88 allow-chat covers exactly this input: the next message does not ask for it', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', A)),
          continued([outputAvailable('c1')]),
          response('a2', gated('n1', 'rm', A)),
          continued([outputAvailable('n1')]),
          response('a3', gated('n2', 'rm', B)),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      await s.say('again');
      assert.equal(s.count, 4, 'the repeated call went out by itself, once');
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assert.equal(s.wire('n1').state, 'approval-responded');
      const { actor, outcome, decision, grantId } = s.call('n1');
      assert.deepEqual(
        [actor, outcome, decision, grantId],
        ['grant', 'allowed-automatically', 'allowed', only(s).id],
      );
      await s.say('and that');
      assert.equal(s.count, 5);
      assert.equal(s.call('n2').status, 'asking', 'another value asks');
      assert.equal(only(s).uses, 1);
      await s.settle();
      assert.equal(s.count, 5);
    });

    const big = '{"path":"/a","deep":{"b":[1,{"y":null,"x":"\\u00e9"}],"a":1.0},"zero":-0}';
    for (const [what, json, same] of [
      ['the same', big, true],
      ['keys in another order', '{"zero":0,"deep":{"a":1,"b":[1.0,{"x":"é","y":null}]},"path":"/a"}', true],
      ['a number written in another way', big.replace('1.0', '10e-1'), true],
      ['another number', big.replace('1.0', '1.5'), false],
      ['a string for a number', big.replace('1.0', '"1"'), false],
      [
        'another order in a list',
        big.replace('[1,{"y":null,"x":"\\u00e9"}]', '[{"y":null,"x":"é"},1]'),
        false,
      ],
      ['a field more', big.replace('{"path"', '{"force":true,"path"'), false],
      ['a field less', big.replace(',"zero":-0', ''), false],
      ['null for nothing', big.replace('"y":null,', ''), false],
      ['false for 0', big.replace('-0', 'false'), false],
      ['the other normal form of a letter', big.replace('\\u00e9', 'e\\u0301'), false],
      ['another case', big.replace('/a', '/A'), false],
      ['a space more', big.replace('/a', '/a '), false],
      ['a list for an object', '[]', false],
    ]) {
      test(`C88 the input compared: ${what} is ${same ? 'the same' : 'another'} call`, async () => {
        const { s } = await granted(sdk, [gated('n1', 'rm', JSON.parse(json))], { input: JSON.parse(big) });
        assert.equal(s.count, same ? 3 : 2);
        if (same) assertAllowed(s.wire('n1'), { id: 'ap-n1' });
        else assertAsking(s.home('n1'), 'ap-n1');
      });
    }

    test('C88 another tool with the same input asks', async () => {
      const { s } = await granted(sdk, [gated('n1', 'mv', A)]);
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').status, 'asking');
      assertAsking(s.home('n1'), 'ap-n1');
    });

    test('C88 covers: tool has to be said, and covers every input of this tool and of no other', async () => {
      const { s } = await granted(sdk, [gated('n1', 'rm', B), gated('n2', 'mv', A)], {
        decide: { covers: 'tool' },
      });
      assert.equal(only(s).covers, 'tool');
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').actor, 'grant');
      assert.equal(s.call('n2').status, 'asking');
      s.guard.decide('n2', 'deny');
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('n1'), { id: 'ap-n1' });
      assertDenied(s.wire('n2'), { id: 'ap-n2' });
    });

    for (const [what, input, covered] of [
      ['the same value beside other ones', { path: '/a', mode: 'slow', more: [1] }, true],
      ['another value', { path: '/b', mode: 'fast' }, false],
      ['no such field', { mode: 'fast' }, false],
      ['null in the field', { path: null, mode: 'fast' }, false],
      ['the value in another field', { mode: '/a' }, false],
    ]) {
      test(`C88 covers: ['path'], ${what}`, async () => {
        const { s } = await granted(sdk, [gated('n1', 'rm', input)], {
          input: { path: '/a', mode: 'fast' },
          decide: { covers: ['path'] },
        });
        assert.deepEqual(only(s).covers, ['path']);
        assert.equal(s.count, covered ? 3 : 2);
        if (covered) assertAllowed(s.wire('n1'), { id: 'ap-n1' });
        else assertAsking(s.home('n1'), 'ap-n1');
      });
    }

    test('C88 two fields have to be the same both, and a deep value is compared as a whole', async () => {
      const input = { to: { host: 'a', port: 1 }, as: 'me', text: 'one' };
      const { s } = await granted(
        sdk,
        [
          gated('n1', 'rm', { text: 'two', as: 'me', to: { port: 1.0, host: 'a' } }),
          gated('n2', 'rm', { ...input, as: 'you' }),
          gated('n3', 'rm', { ...input, to: { host: 'a' } }),
        ],
        { input, decide: { covers: ['to', 'as'] } },
      );
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').actor, 'grant');
      assert.deepEqual([s.call('n2').status, s.call('n3').status], ['asking', 'asking']);
    });

    test('C88 the option tools says what a choice that lasts covers unless it says otherwise', async () => {
      const guard = { tools: { rm: { covers: 'tool' }, mv: { covers: ['path'] } } };
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'mv', A), gated('c3', 'rm', B)], {
        guard,
      });
      const first = s.guard.decide('c1', 'allow-chat');
      assert.equal(first.grant.covers, 'tool');
      assert.deepEqual(first.also, ['c3']);
      s.guard.undo('c1');
      const exact = s.guard.decide('c1', 'allow-chat', { covers: 'input' });
      assert.equal(exact.grant.covers, 'input');
      assert.deepEqual(exact.also, []);
      assert.deepEqual(s.guard.decide('c2', 'deny-chat').grant.covers, ['path']);
    });

    test('C88 covered() says beforehand which waiting calls a choice would answer', async () => {
      const s = await batchOf(sdk, [
        gated('c1', 'rm', { path: '/a', n: 1 }),
        gated('c2', 'rm', { n: 1, path: '/a' }),
        gated('c3', 'rm', { path: '/a', n: 2 }),
        gated('c4', 'rm', { path: '/b', n: 2 }),
        gated('c5', 'mv', { path: '/a', n: 1 }),
      ]);
      const before = s.guard.getSnapshot();
      assert.deepEqual(s.guard.covered('c1', 'input'), ['c1', 'c2']);
      assert.deepEqual(s.guard.covered('ap-c1', 'tool'), ['c1', 'c2', 'c3', 'c4']);
      assert.deepEqual(s.guard.covered(s.call('c1'), ['path']), ['c1', 'c2', 'c3']);
      assert.deepEqual(s.guard.covered('c3', ['n']), ['c3', 'c4']);
      assert.equal(s.guard.getSnapshot(), before);
      assert.deepEqual(s.call('c1').covers, {
        input: ['c1', 'c2'],
        tool: ['c1', 'c2', 'c3', 'c4'],
      });
      assert.deepEqual(s.call('c5').covers, { input: ['c5'], tool: ['c5'] });
      const { also } = s.guard.decide('c1', 'allow-chat', { covers: ['path'] });
      assert.deepEqual(also, ['c2', 'c3'], 'and exactly these are answered');
      assert.deepEqual(s.call('c1').covers, { input: [], tool: [] }, 'a decided call does not wait');
      assert.deepEqual(s.call('c4').covers, { input: ['c4'], tool: ['c4'] });
    });
  }),
);

forEachSdk((sdk) =>
  describe(`waiting siblings, ${sdk.name}`, () => {
    test('C91 a new grant answers waiting calls as drafts, and says which', async () => {
      const s = await batchOf(sdk, three());
      const result = s.guard.decide('c1', 'allow-chat');
      assert.equal(result.type, 'drafted');
      assert.deepEqual(result.also, ['c2']);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      const { actor, outcome, decision, undoable, grantId } = s.call('c2');
      assert.deepEqual(
        [actor, outcome, decision, undoable, grantId],
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
      assert.deepEqual(result.also, ['c1', 'c3']);
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

    test('C91 undo of the decision that gave it takes the grant and its drafts back', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      const result = s.guard.undo('c1');
      assert.equal(result.type, 'undone');
      assert.deepEqual([...result.toolCallIds].sort(), ['c1', 'c2']);
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
      assert.deepEqual(s.guard.undo('c2'), { type: 'undone', toolCallIds: ['c2'] });
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

    test('C91 undo of one sibling stands also when another grant answers others', async () => {
      const s = await batchOf(sdk, [...three(), gated('c4', 'mv', B), gated('c5', 'cp', A)]);
      s.guard.decide('c1', 'allow-chat');
      s.guard.undo('c2');
      assert.deepEqual(s.guard.decide('c3', 'allow-chat').also, ['c4']);
      assert.deepEqual(statuses(s), {
        c1: 'drafted',
        c2: 'asking',
        c3: 'drafted',
        c4: 'drafted',
        c5: 'asking',
      });
    });

    test('C91 undoAll() takes the grant back, too', async () => {
      const waiting = await batchOf(sdk, three(), { guard: { undoMs: Infinity } });
      waiting.guard.decide('c1', 'allow-chat');
      waiting.guard.decide('c3', 'deny-chat', { covers: 'tool' });
      assert.equal(waiting.guard.grants().length, 2);
      assert.deepEqual([...waiting.guard.undoAll().toolCallIds].sort(), ['c1', 'c2', 'c3']);
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

    test('C91 a sibling that was answered directly stays as it was answered', async () => {
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

    test('C91 a Deny over the drafted allow-chat takes the grant and its drafts back', async () => {
      const s = await batchOf(sdk, three());
      s.guard.decide('c1', 'allow-chat');
      s.guard.decide('c1', 'deny');
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking', c3: 'asking' });
      assert.equal(s.count, 1);
    });

    test('C91 a direct Deny over the drafted allow-chat takes them back, too', async () => {
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

forEachSdk((sdk) =>
  describe(`later calls, ${sdk.name}`, () => {
    test('C92 a covered call is never seen as asking, and leaves allowed by itself', async () => {
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

    test('C92 chunk by chunk: not for one turn of the event loop', async () => {
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

    test('C92 beside a call that is not covered it is decided, and waits', async () => {
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

    test('C10 a grant does not send without end', async () => {
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

    test('C91 the automatic answer of a dangerous call can be undone in its time, and the call then asks', async (t) => {
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
      assert.deepEqual([s.call('n1').status, s.call('n1').undoable], ['drafted', true]);
      assert.deepEqual(s.guard.undo('n1'), { type: 'undone', toolCallIds: ['n1'] });
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
      test(`C92 a batch that grants have answered alone does not wait for undoMs: ${undoMs}`, async () => {
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
        assert.equal(s.call('n2').undoable, true);
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

    test('C93 what the server has refused stays refused', async () => {
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

    test('C90 the request fails: the grant stays provisional, and retry() makes it last', async () => {
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

    test('C90 an edit takes the message away, and the grant with it', async () => {
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

    test('C90 what was delivered lasts, also when its message is regenerated', async () => {
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

    test('C94 forMs: it ends by itself, and the next call asks', async (t) => {
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

    test('C94 forMs: within its time it answers', async (t) => {
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

    test('C94 forMs: 7 days and no more', async (t) => {
      const clock = stoppedClock(t);
      const s = await batchOf(sdk, three());
      assertMisuse(s, () => s.guard.decide('c1', 'allow-chat', { forMs: 7 * DAY + 1 }), 'over 7 days');
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(s.guard.grants(), []);
      const { grant } = s.guard.decide('c1', 'allow-chat', { forMs: 7 * DAY });
      assert.equal(grant.endsAt, clock.now() + 7 * DAY);
    });

    test('C94 forMs counts from the decision, also while it is a draft', async (t) => {
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

    test('C94 revoke(): the next call asks, what was sent stays', async () => {
      const { s } = await granted(sdk, [gated('n1', 'rm', A)], {
        then: [says(), response('a5', gated('n2', 'rm', A))],
      });
      assert.equal(s.count, 3);
      const { id } = only(s);
      assert.deepEqual(s.guard.revoke(id), { type: 'revoked', toolCallIds: [] });
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
      assert.deepEqual(result.toolCallIds, ['c2']);
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
      assert.deepEqual([...result.toolCallIds].sort(), ['n1', 'n2']);
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual([s.call('n1').status, s.call('n2').status], ['asking', 'asking']);
      assert.equal(s.home('c1').approval.approved, true, 'what was sent stays');
      await s.settle();
      assert.equal(s.count, 2);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`refused for the chat, ${sdk.name}`, () => {
    test('C95 deny-chat: a repeat is refused without asking, and the model is told why', async () => {
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

    test('C95 a refusal is active from its commit on', async () => {
      const s = await batchOf(sdk, [gated('c1', 'rm', A)], { then: [reject()] });
      const { grant } = s.guard.decide('c1', 'deny-chat');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(only(s).id, grant.id);
      assert.equal(only(s).status, 'active', 'also when the request failed');
    });

    test('C95 waiting repeats are refused as drafts, and can be undone', async () => {
      const s = await batchOf(sdk, three());
      const result = s.guard.decide('c1', 'deny-chat');
      assert.deepEqual(result.also, ['c2']);
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

    test('C95 the same cover given the other way replaces the older grant, once it is committed', async () => {
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

    test('C09 C95 what a grant refuses counts: the batch is looping after three refusals', async () => {
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
