// What can be shown of an input: one rule, for `display`, `inputText` and `inspect`.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuard } from 'tool-approval-guard/sync';
import { escapeInvisible, inspect } from 'tool-approval-guard/escape';
import { asking, assistant, call, user } from './support/stored.mjs';

/** The call with this input, as a snapshot has it. */
const viewOf = (input, part = asking('c1', 'rm'), options = {}) => {
  const guard = createApprovalGuard({ chatId: 'c', onError: () => {}, ...options });
  guard.observe([user(), assistant('a1', { ...part, input })]);
  return guard.getSnapshot().calls[0];
};

const nested = (depth, value = 1) => (depth === 0 ? value : { a: nested(depth - 1, value) });
const fields = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, i]));
const cycle = {};
cycle.a = cycle;

/** Whether each input can be shown, and why not. */
const TABLE = [
  ['an object', { path: '/a', n: -0.5, list: [true, null, {}, []] }],
  ['an empty object', {}],
  ['a text', 'ls -la'],
  ['an empty text', ''],
  ['a number', 7],
  ['null', null],
  ['a lone surrogate', { a: '\ud83d' }],
  ['a field without a value', { a: undefined, b: 1 }],
  ['64 objects in each other', nested(64)],
  ['1,000 fields', fields(1_000)],
  ['a long text', 'x'.repeat(262_142)],
  ['no input', undefined, 'not-json'],
  ['a bigint', { n: 1n }, 'not-json'],
  ['NaN', { n: NaN }, 'not-json'],
  ['Infinity', [Infinity], 'not-json'],
  ['a date', { at: new Date(0) }, 'not-json'],
  ['a map', new Map(), 'not-json'],
  ['a function', { f() {} }, 'not-json'],
  ['a symbol', { s: Symbol('s') }, 'not-json'],
  ['a toJSON', { path: '/etc', toJSON: () => ({ path: '/tmp' }) }, 'not-json'],
  ['a getter', Object.defineProperty({}, 'a', { enumerable: true, get: () => 1 }), 'not-json'],
  ['a list with a hole', { list: [1, , 2] }, 'not-json'],
  ['a list with an item that is not there', [undefined], 'not-json'],
  ['65 objects in each other', nested(65), 'too-deep'],
  ['5,000 objects in each other', nested(5_000), 'too-deep'],
  ['itself', cycle, 'too-deep'],
  ['a text that is too long', 'x'.repeat(262_143), 'too-large'],
  ['10,001 values', { a: Array(10_000).fill(0) }, 'too-large'],
  ['1,001 fields', fields(1_001), 'too-large'],
  ['a long name', { ['x'.repeat(201)]: 1 }, 'too-large'],
  ['what is hidden by turns', 'a\u200b'.repeat(10_001), 'too-large'],
];

describe('one rule says what can be shown', () => {
  for (const [what, input, why] of TABLE) {
    test(`${what}: ${why ?? 'shown'}`, () => {
      const { display, inputText } = viewOf(input);
      const seen = inspect(input);
      assert.deepEqual(
        [seen.type, seen.why, display === undefined, inputText === undefined],
        why === undefined ? ['shown', undefined, false, false] : ['unshowable', why, true, true],
      );
      if (why !== undefined) return;
      assert.equal(display.value, input);
      if (typeof input === 'string') assert.equal(inputText, escapeInvisible(input));
    });
  }

  test('the rule is about what is shown: a copy with masks', () => {
    const shown = viewOf({ key: 1n }, undefined, {
      redact: () => ({ value: { key: '•' }, hidden: [{ count: 1 }] }),
    });
    assert.deepEqual([shown.display.value, shown.inputText], [{ key: '•' }, '{\n  "key": "•"\n}']);
    const hidden = viewOf({ key: 1 }, undefined, { redact: () => ({ value: { key: 1n }, hidden: [] }) });
    assert.deepEqual([hidden.display, hidden.inputText], [undefined, undefined]);
  });

  test('before an approval is requested, nothing is refused', () => {
    const { display, inputText } = viewOf({ n: NaN }, call('c1', 'rm', 'input-streaming'));
    assert.ok(display);
    assert.equal(inputText, undefined);
  });
});

describe('the text of an input', () => {
  test('its own indentation is never written out, and blanks of the input are', () => {
    const blanks = `a${' '.repeat(40)}b`;
    for (const depth of [1, 4, 17, 40, 63]) {
      const input = nested(depth, [blanks, ' x', '\u202e\u2028y', 'tab\there\n']);
      const { inputText } = viewOf(input);
      const expected = JSON.stringify(input, null, 2)
        .replace(blanks, 'a⟦U+0020 × 40⟧b')
        .replace('\u202e\u2028', '⟦U+202E⟧⟦U+2028⟧');
      assert.equal(inputText, expected, `${depth} deep`);
    }
  });

  test('what looks as if it was written out is distinguished from what was', () => {
    assert.equal(viewOf('⟦U+202E⟧').inputText, '⟦U+27E6⟧U+202E⟧');
    assert.equal(viewOf({ a: '⟦' }).inputText, '{\n  "a": "⟦U+27E6⟧"\n}');
  });
});
