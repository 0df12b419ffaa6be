// What a grant covers.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { assertAllowed, assertAsking, assertDenied, plain } from './support/assertions.mjs';
import { entries } from './support/decide.mjs';
import { asking, assistant, call, user } from './support/stored.mjs';
import { continued, gated, outputAvailable, response, toolCall } from './support/chunks.mjs';
import { replaceInput } from './support/asked.mjs';
import { A, B, batchOf, granted, only, three } from './support/grants.mjs';
import { named } from './support/named.mjs';
import { createRules } from 'tool-approval-guard/rules';
import { createWords } from 'tool-approval-guard/words';

const wordsOf = ({ guard }) => createWords(guard.locale);

/** What a lasting choice about this call would answer, by call id. */
const coversOf = (s, id) => {
  const call = s.call(id);
  const [input, tool] = ['input', 'tool'].map((covers) => named(s.guard, s.guard.covered(call, covers)));
  return { input, tool };
};

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
      assert.ok(wordsOf(s).grant(grant).length > 0);
      assert.deepEqual(plain(only(s)), plain(grant));
      assert.equal(s.guard.getSnapshot().grants.length, 1);
      assert.equal(s.call('c1').grant?.id, grant.id);
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
      const { actor, outcome, decision, grant: given } = s.call('n1');
      assert.deepEqual(
        [actor, outcome, decision, given?.id],
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

    test('C88 covers: tool has to be explicit, and covers every input of this tool and no other', async () => {
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

    test('C88 both of two fields have to be equal, and a nested value is compared as a whole', async () => {
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

    test('C88 the option tools sets what a lasting choice covers by default', async () => {
      const guard = { tools: { rm: { covers: 'tool' }, mv: { covers: ['path'] } } };
      const s = await batchOf(sdk, [gated('c1', 'rm', A), gated('c2', 'mv', A), gated('c3', 'rm', B)], {
        guard,
      });
      const first = s.guard.decide('c1', 'allow-chat');
      assert.equal(first.grant.covers, 'tool');
      assert.deepEqual(named(s.guard, first.also), ['c3']);
      s.guard.undo('c1');
      const exact = s.guard.decide('c1', 'allow-chat', { covers: 'input' });
      assert.equal(exact.grant.covers, 'input');
      assert.deepEqual(exact.also, []);
      assert.deepEqual(s.guard.decide('c2', 'deny-chat').grant.covers, ['path']);
    });

    test('C88 covered() returns in advance the waiting calls that a choice would answer', async () => {
      const s = await batchOf(sdk, [
        gated('c1', 'rm', { path: '/a', n: 1 }),
        gated('c2', 'rm', { n: 1, path: '/a' }),
        gated('c3', 'rm', { path: '/a', n: 2 }),
        gated('c4', 'rm', { path: '/b', n: 2 }),
        gated('c5', 'mv', { path: '/a', n: 1 }),
      ]);
      const before = s.guard.getSnapshot();
      assert.deepEqual(named(s.guard, s.guard.covered('c1', 'input')), ['c1', 'c2']);
      assert.deepEqual(named(s.guard, s.guard.covered('ap-c1', 'tool')), ['c1', 'c2', 'c3', 'c4']);
      assert.deepEqual(named(s.guard, s.guard.covered(s.call('c1'), ['path'])), ['c1', 'c2', 'c3']);
      assert.deepEqual(named(s.guard, s.guard.covered('c3', ['n'])), ['c3', 'c4']);
      assert.equal(s.guard.getSnapshot(), before);
      assert.deepEqual(coversOf(s, 'c1'), {
        input: ['c1', 'c2'],
        tool: ['c1', 'c2', 'c3', 'c4'],
      });
      assert.deepEqual(coversOf(s, 'c5'), { input: ['c5'], tool: ['c5'] });
      const list = s.guard.covered('c1', 'tool');
      assert.equal(s.guard.covered('c4', 'tool'), list, 'calls with the same content share a list');
      assert.ok(Object.isFrozen(list));
      const { also } = s.guard.decide('c1', 'allow-chat', { covers: ['path'] });
      // Nor does a call that does not wait, or one that there is not, get a new list each time.
      for (const id of ['c1', 'c4', 'nobody']) {
        const first = s.guard.covered(id, 'tool');
        s.guard.covered('c1', 'tool');
        assert.equal(s.guard.covered(id, 'tool'), first, id);
      }
      assert.deepEqual(named(s.guard, also), ['c2', 'c3'], 'and exactly these are answered');
      assert.deepEqual(coversOf(s, 'c1'), { input: [], tool: ['c4'] }, 'a decided call does not wait');
      assert.deepEqual(coversOf(s, 'c4'), { input: ['c4'], tool: ['c4'] });
    });

    test('C88 covered() returns nothing where decide() refuses', async () => {
      const input = { path: '/a' };
      const rules = createRules({ rules: [{ deny: 'never' }, { ask: '*' }] });
      const s = await batchOf(
        sdk,
        [
          gated('c1', 'rm', input),
          gated('c2', 'rm', input),
          toolCall('open', 'rm', input),
          gated('no', 'never'),
        ],
        { guard: { rules } },
      );
      const shown = s.call('c1');
      assert.equal(s.guard.covered(shown, 'tool').length, 2);
      for (const id of ['open', 'no', 'nobody']) {
        assert.equal(s.guard.decide(id, 'deny-chat', { covers: 'tool' }).type, 'refused', id);
        assert.deepEqual(s.guard.covered(id, 'tool'), [], id);
      }
      replaceInput(s, 'c1', { path: '/etc' });
      assert.equal(s.guard.decide(shown, 'allow-chat', { covers: 'tool' }).reason, 'changed');
      assert.deepEqual(s.guard.covered(shown, 'tool'), [], 'of another input than the shown one');
      assert.equal(s.guard.covered(s.call('c1'), 'tool').length, 2);
    });

    test('C88 covered() returns nothing for an ambiguous id', () => {
      const twin = (approvalId) => ({ ...asking('call_0', 'rm', { id: approvalId }), input: A });
      const s = scene(sdk, { messages: [user(), assistant('a1', twin('ap-x'), twin('ap-y'))] });
      assert.equal(s.guard.decide('call_0', 'allow-chat', { covers: 'tool' }).reason, 'ambiguous-id');
      assert.deepEqual(s.guard.covered('call_0', 'tool'), []);
      assert.equal(s.guard.covered('ap-x', 'tool').length, 2);
    });

    test('C88 C93 covered() names no call that a rule always asks about, except itself', async () => {
      const rules = createRules({
        tools: { bash: { target: 'command', kind: 'shell' } },
        rules: [{ ask: 'bash:git push*', always: true }],
      });
      const bash = (id, command) => gated(id, 'bash', { command });
      const calls = [bash('c1', 'ls'), bash('c2', 'git push'), bash('c3', 'cat a')];
      const s = await batchOf(sdk, calls, { guard: { rules } });
      const covered = (id) => named(s.guard, s.guard.covered(id, 'tool'));
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(covered('c2'), ['c1', 'c2', 'c3']);
        assert.deepEqual(covered('c1'), ['c1', 'c3']);
        assert.deepEqual(covered('c3'), ['c1', 'c3']);
      }
      const { also } = s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      assert.deepEqual(named(s.guard, also), ['c3']);
    });

    test('C93 an Allow of the same calls replaces no drafted denial, and covered() does not name it', async () => {
      const s = await batchOf(sdk, [
        gated('c1', 'rm', A),
        gated('c2', 'rm', A),
        gated('c3', 'rm', A),
        gated('c4', 'mv'),
      ]);
      s.guard.decide('c1', 'deny-chat', { covers: 'tool' });
      s.guard.undo('c2');
      assert.deepEqual(coversOf(s, 'c2'), { input: ['c2'], tool: ['c2'] });
      const { also } = s.guard.decide('c2', 'allow-chat', { covers: 'tool' });
      assert.deepEqual(also, []);
      assert.equal(s.call('c3').outcome, 'denied-automatically');
      s.guard.undo('c3');
      assert.equal(s.call('c3').status, 'asking', 'a person may change it');
    });
  }),
);
