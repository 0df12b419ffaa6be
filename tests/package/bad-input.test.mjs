// Misuse throws a GuardError with a code, and changes nothing.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { forEachSdk } from './support/sdk.mjs';
import { GuardError, createApprovalGuard, scene } from './support/chat.mjs';
import { assertAsking } from './support/assertions.mjs';
import { assertMisuse } from './support/decide.mjs';
import { gated, response, says } from './support/chunks.mjs';
import { createWords } from 'tool-approval-guard/words';

const DAY = 86_400_000;

async function asked(sdk) {
  const s = scene(sdk, {
    script: [response('a1', gated('c1', 'rm', { path: '/a', n: 1 }), gated('c2', 'ls', ['a'])), says()],
  });
  await s.say();
  return s;
}
/** Tries each misuse, and checks that a decision still works afterwards. */
async function misuses(sdk, cases) {
  const s = await asked(sdk);
  for (const [what, act] of cases) assertMisuse(s, () => act(s.guard, s), what);
  assert.equal(s.count, 1);
  assertAsking(s.home('c1'), 'ap-c1');
  assert.deepEqual(s.codes(), []);
  assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
  assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
  await s.settle();
  assert.equal(s.count, 2);
}
const list = (values, act) => values.map(([what, value]) => [what, (guard) => act(guard, value)]);
const hostile = (field) => ({
  get [field]() {
    throw new TypeError('mine');
  },
});

const CHOICES = [
  ['a choice that is none', 'allow'],
  ['a choice in another case', 'Deny'],
  ['a choice of an object', 'toString'],
  ['an empty choice', ''],
  ['no choice', undefined],
  ['null for a choice', null],
  ['true for a choice', true],
  ['a list for a choice', ['deny']],
];
const IDS = [
  ['no id', undefined],
  ['null', null],
  ['a number', 7],
  ['true', true],
  ['a symbol', Symbol('c1')],
  ['a function', () => 'c1'],
  ['a list', ['c1']],
  ['an object that is no view', {}],
  ['an object without the id of its call', { approvalId: 'ap-c1' }],
  ['an object whose id is no string', { toolCallId: 7 }],
];
const REASONS = [
  ['a number', 7],
  ['true', true],
  ['an object', { text: 'no' }],
  ['a list', ['no']],
  ['501 characters', 'x'.repeat(501)],
  ['a null character', 'a\u0000b'],
  ['a bell', 'a\u0007b'],
  ['an escape', '\u001b[2Jno'],
  ['a delete', 'a\u007fb'],
];
const COVERS = [
  ['an empty list', []],
  ['an unknown word', 'all'],
  ['another case', 'Tool'],
  ['an empty word', ''],
  ['a number', 7],
  ['true', true],
  ['an object', { path: '/a' }],
  ['a list with a number', [0]],
  ['a list with nothing in it', [undefined]],
];
const TIMES = [
  ['0', 0],
  ['less than 0', -1],
  ['NaN', NaN],
  ['for ever', Infinity],
  ['a string', '1000'],
  ['a date', new Date()],
  ['over 7 days', 7 * DAY + 1],
  ['a list', [1_000]],
];

forEachSdk((sdk) =>
  describe(`misuse, ${sdk.name}`, () => {
    test('C103 an unknown choice is not guessed', () =>
      misuses(sdk, [
        ...list(CHOICES, (guard, value) => guard.decide('c1', value)),
        ...list(CHOICES, (guard, value) => guard.decideAll(['c1', 'c2'], value)),
      ]));

    test('C96 decideAll gives no grants', () =>
      misuses(sdk, [
        ['allow-chat', (guard) => guard.decideAll(['c1', 'c2'], 'allow-chat')],
        ['deny-chat', (guard) => guard.decideAll(['c1', 'c2'], 'deny-chat')],
        ['allow-chat for none', (guard) => guard.decideAll([], 'allow-chat')],
      ]));

    test('an id that is neither a string nor a view', () =>
      misuses(sdk, [
        ...list(IDS, (guard, value) => guard.decide(value, 'allow-once')),
        ...list(IDS, (guard, value) => guard.decide(value, 'deny')),
        ...list(IDS, (guard, value) => guard.covered(value, 'tool')),
        ...list(IDS, (guard, value) => guard.decideAll(['c1', value], 'deny')),
        ['a list that is none', (guard) => guard.decideAll('c1', 'deny')],
        ['no list', (guard) => guard.decideAll(undefined, 'deny')],
      ]));

    test('an id that is neither a string nor a view: undo and extend throw nothing else', async () => {
      const s = await asked(sdk);
      for (const [what, value] of IDS) {
        for (const act of [() => s.guard.undo(value), () => s.guard.extend(value)]) {
          const before = s.guard.getSnapshot();
          try {
            assert.equal(act().type, 'refused', what);
          } catch (e) {
            assert.ok(e instanceof GuardError, `${what}: ${e}`);
            assert.equal(e.code, 'invalid-decision');
          }
          assert.equal(s.guard.getSnapshot(), before);
        }
      }
    });

    test('a reason that is not plain text of at most 500 characters', () =>
      misuses(sdk, [
        ...list(REASONS, (guard, reason) => guard.decide('c1', 'deny', { reason })),
        ...list(REASONS, (guard, reason) => guard.decide('c1', 'allow-once', { reason })),
        ...list(REASONS, (guard, reason) => guard.decideAll(['c1', 'c2'], 'deny', { reason })),
      ]));

    test('C88 invalid covers', () =>
      misuses(sdk, [
        ...list(COVERS, (guard, covers) => guard.decide('c1', 'allow-chat', { covers })),
        ...list(COVERS, (guard, covers) => guard.decide('c1', 'deny-chat', { covers })),
        ...list(COVERS, (guard, covers) => guard.covered('c1', covers)),
        ['covered() without covers', (guard) => guard.covered('c1')],
      ]));

    test('C94 invalid forMs', () =>
      misuses(sdk, [
        ...list(TIMES, (guard, forMs) => guard.decide('c1', 'allow-chat', { forMs })),
        ...list(TIMES, (guard, forMs) => guard.decide('c1', 'deny-chat', { forMs })),
        ['beside allow-once', (guard) => guard.decide('c1', 'allow-once', { forMs: 1_000 })],
        ['beside deny', (guard) => guard.decide('c1', 'deny', { forMs: 1_000 })],
      ]));

    test('options that are not an object, and options that throw', () =>
      misuses(sdk, [
        ['a number', (guard) => guard.decide('c1', 'deny', 7)],
        ['a string', (guard) => guard.decide('c1', 'deny', 'no')],
        ['a reason that throws', (guard) => guard.decide('c1', 'deny', hostile('reason'))],
        ['covers that throw', (guard) => guard.decide('c1', 'allow-chat', hostile('covers'))],
        ['a time that throws', (guard) => guard.decide('c1', 'allow-chat', hostile('forMs'))],
        ['an id that throws', (guard) => guard.decide(hostile('toolCallId'), 'deny')],
      ]));

    test('if one of several calls is invalid, none is decided', async () => {
      const s = await asked(sdk);
      assertMisuse(s, () => s.guard.decideAll(['c1', 'c2', 7], 'allow-once'), 'a number among them');
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.call('c2').status, 'asking');
    });

    test('rules that return no ruling: the calls ask, and each failure is reported', async () => {
      for (const ruling of [undefined, null, 'allow', 7]) {
        const rules = { judge: () => ruling, subscribe: () => () => {} };
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()], guard: { rules } });
        await s.say();
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.call('c1').ruling.because, 'unavailable');
        assert.ok(s.codes().length > 0 && s.codes().every((code) => code === 'listener-failed'), s.codes());
        await s.deny('c1');
        assert.equal(s.count, 2);
      }
    });

    test('undefined is the same as left out', async () => {
      const s = await asked(sdk);
      const none = { reason: undefined, covers: undefined, forMs: undefined };
      assert.equal(s.guard.decide('c1', 'allow-once', none).type, 'drafted');
      assert.equal(s.guard.decide('c2', 'deny', undefined).type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
    });
  }),
);

describe('options of createApprovalGuard', () => {
  const refused = (options, codes = ['invalid-option']) =>
    assert.throws(
      () => createApprovalGuard(options),
      (e) => {
        assert.ok(e instanceof GuardError, `${e}`);
        assert.ok(codes.includes(e.code), `${e.code} for ${inspect(options)}`);
        assert.match(e.message, /^\S.*\.$/s);
        return true;
      },
      inspect(options),
    );

  for (const option of ['undoMs', 'undoMsWhenDangerous']) {
    test(`${option}: a time from 0, or Infinity`, () => {
      for (const value of [-1, NaN, -Infinity, 1_000n, '1000', null, true, [1], {}])
        refused({ [option]: value });
      for (const value of [0, 1, 5_000, Infinity, undefined])
        createApprovalGuard({ [option]: value }).dispose();
    });
  }

  test('expiresMs: from 1000 to 30 days, or a function', () => {
    for (const value of [
      10,
      999,
      0,
      -1,
      NaN,
      Infinity,
      30 * DAY + 1,
      60_000n,
      '60000',
      null,
      true,
      {},
      [60_000],
    ])
      refused({ expiresMs: value });
    for (const value of [1_000, 30 * DAY, () => undefined, undefined])
      createApprovalGuard({ expiresMs: value }).dispose();
  });

  test('warnMs: a time', () => {
    for (const value of [NaN, -1, 20_000n, '20000', null, {}]) refused({ warnMs: value });
    for (const value of [0, 1, 60_000, undefined]) createApprovalGuard({ warnMs: value }).dispose();
  });

  test('attended: true or false', () => {
    for (const value of ['no', 0, 1, null, {}]) refused({ attended: value });
    for (const value of [true, false, undefined]) createApprovalGuard({ attended: value }).dispose();
  });

  test('tools: an object that describes them', () => {
    for (const value of [
      7,
      'rm',
      null,
      ['rm'],
      () => ({}),
      { rm: 7 },
      { rm: null },
      { rm: 'dangerous' },
      { rm: { title: 7 } },
      { rm: { server: {} } },
      { rm: { dangerous: 'yes' } },
      { rm: { dangerous: 1 } },
      { rm: { covers: 'all' } },
      { rm: { covers: [] } },
      { rm: { covers: [7] } },
      { rm: { covers: true } },
      { rm: { colour: 'red' } },
      { ls: {}, rm: { Dangerous: true } },
    ])
      refused({ tools: value });
    for (const value of [
      undefined,
      {},
      { rm: {} },
      { rm: { title: 'Delete', server: 'Files', dangerous: true, covers: 'tool' } },
      { rm: { dangerous: () => true, covers: ['path'] } },
      { rm: { title: undefined, server: undefined, dangerous: undefined, covers: undefined } },
      JSON.parse('{"__proto__":{"dangerous":true},"constructor":{}}'),
    ])
      createApprovalGuard({ tools: value }).dispose();
  });

  test('locale: a catalogue that can be read', () => {
    const unreadable = { name: 'GuardError', code: 'invalid-catalogue' };
    for (const value of [
      7,
      'de',
      null,
      [],
      {},
      { locale: 'de' },
      { locale: 7, messages: {} },
      { messages: {} },
      { locale: 'de', messages: 7 },
      { locale: 'de', messages: { 'reason.rule': 7 } },
      { locale: 'de', messages: { 'reason.ruleWhy': () => 7 } },
    ]) {
      refused({ locale: value }, ['invalid-catalogue']);
      assert.throws(() => createWords(value).text('reason.ruleWhy', { note: 'so' }), unreadable);
    }
    refused({ locale: { locale: 'de', messages: { 'prompt.quotes': 7 } } }, ['invalid-catalogue']);
    for (const value of [
      { locale: 'not a locale', messages: {} },
      { locale: 'de', messages: { 'prompt.title': 7 } },
      { locale: 'de', messages: { 'prompt.titel': 'x' } },
      { locale: 'de', messages: { 'queue.sent': ['x'] } },
    ])
      assert.throws(() => createWords(value), unreadable);
    for (const value of [undefined, { locale: 'de', messages: {} }])
      createApprovalGuard({ locale: value }).dispose();
  });

  test('an unknown option', () => {
    for (const options of [{ undoMS: 5 }, { expires: 60_000 }, { grants: [] }]) refused(options);
  });
});
