// What of an input can be changed, and what comes of what was typed into a form of the application's own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { editFields, readEdit } from 'tool-approval-guard/edit';
import { de } from 'tool-approval-guard/locales/de';

import { scene } from './support/chat.mjs';
import { gated, response, says } from './support/chunks.mjs';
import { forEachSdk } from './support/sdk.mjs';

const typed = (values) => new Map(Object.entries(values));

forEachSdk((sdk) =>
  describe(`a form, ${sdk.name}`, () => {
    /** A chat that asks about one call with this input. */
    async function asked(input, info = {}, guard = {}) {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'mail', input), gated('c2', 'other')), says()],
        guard: { tools: { mail: { editable: true, ...info } }, ...guard },
      });
      await s.say();
      return s;
    }

    test('each value has its kind, by the schema or by itself', async () => {
      const inputSchema = {
        properties: {
          size: { type: 'integer' },
          tone: { enum: ['formal', 'friendly'] },
          urgent: { type: 'boolean' },
          note: { type: ['string', 'null'] },
          list: { type: 'array' },
          wrong: { type: 'string' },
          cc: { type: 'string' },
          level: { enum: [1, 2] },
        },
      };
      const input = {
        ...{ to: 'al', n: 1.5, ok: true, none: null, deep: { a: [1] }, size: '7', tone: 'rude' },
        ...{ urgent: false, note: null, list: [], wrong: { a: 1 } },
      };
      const s = await asked(input, { inputSchema });
      const kinds = editFields(s.call('c1')).map(({ name, kind, text, choices }) => [
        name,
        kind,
        text,
        ...(kind === 'choice' ? [choices] : []),
      ]);
      assert.deepEqual(kinds, [
        ['to', 'text', 'al'],
        ['n', 'number', '1.5'],
        ['ok', 'choice', '0', [true, false]],
        ['none', 'json', 'null'],
        ['deep', 'json', '{\n  "a": [\n    1\n  ]\n}'],
        ['size', 'number', '7'],
        ['tone', 'choice', '0', ['rude', 'formal', 'friendly']],
        ['urgent', 'choice', '1', [true, false]],
        ['note', 'text', ''],
        ['list', 'json', '[]'],
        ['wrong', 'json', '{\n  "a": 1\n}'],
        ['cc', 'text', ''],
        ['level', 'choice', '0', [undefined, 1, 2]],
      ]);
    });

    test('what was not typed stays as it is, also where it is no text', async () => {
      const input = { size: '7', note: null, at: 1e3, deep: { b: 1, a: 2 } };
      const s = await asked(input, { inputSchema: { properties: { size: { type: 'number' }, cc: {} } } });
      const call = s.call('c1');
      const texts = editFields(call).map(({ name, text }) => [name, text]);
      assert.deepEqual(readEdit(call, new Map(texts)), { type: 'unchanged' });
      assert.deepEqual(readEdit(call, new Map()), { type: 'unchanged' });
      assert.deepEqual(readEdit(call, typed({ deep: '{"b":1,"a":2}' })), { type: 'unchanged' });
      assert.deepEqual(readEdit(call, typed({ size: '8', cc: '"x"' })), {
        type: 'changed',
        input: { ...input, size: 8, cc: 'x' },
      });
      const { input: changed } = readEdit(call, typed({ at: '2' }));
      assert.equal(s.guard.decide(call, 'allow-once', { input: changed }).type, 'drafted');
      assert.deepEqual(s.call('c1').edited.to, { ...input, at: 2 });
    });

    test('what is wrong is named with its field, in the language of the guard', async () => {
      const properties = {
        to: { type: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
        n: { type: 'integer', minimum: 1, maximum: 5 },
        broken: { type: 'string', pattern: '(' },
      };
      const s = await asked({ to: 'al', n: 1, list: [], broken: 'x' }, { inputSchema: { properties } });
      const call = s.call('c1');
      const problems = (values, locale) =>
        (readEdit(call, typed(values), locale).problems ?? []).map(({ field, message }) => [field, message]);
      const cases = [
        [{ to: 'a' }, 'to', 'This needs at least 2 characters.'],
        [{ to: 'alfons' }, 'to', 'This can have at most 4 characters.'],
        [{ to: 'a\u{1f600}\u{1f600}\u{1f600}' }, undefined],
        [{ to: 'bob' }, 'to', 'This does not have the form that the tool expects.'],
        [{ broken: 'y' }, undefined],
        [{ n: '' }, 'n', 'This has to be a number.'],
        [{ n: 'NaN' }, 'n', 'This has to be a number.'],
        [{ n: '0x1' }, 'n', 'This has to be a number.'],
        [{ n: '12345678901234567890' }, 'n', 'This has to be a number.'],
        [{ n: '1.5' }, 'n', 'This has to be a whole number.'],
        [{ n: '0' }, 'n', 'This has to be at least 1.'],
        [{ n: '6' }, 'n', 'This can be at most 5.'],
        [{ list: '[' }, 'list', 'This has to be JSON.'],
      ];
      for (const [values, ...said] of cases)
        assert.deepEqual(problems(values), said[0] ? [said] : [], JSON.stringify(values));
      assert.deepEqual(problems({ n: 'x', list: '[' }, de), [
        ['n', 'Hier muss eine Zahl stehen.'],
        ['list', 'Hier muss JSON stehen.'],
      ]);
    });

    test('only what may be changed and can be read has a field', async () => {
      const { redact } = await import('tool-approval-guard/redact');
      const input = { to: 'al', password: 'hunter2', url: 'https://a:hunter2@b.example/' };
      const names = (call) => editFields(call).map(({ name }) => name);
      const named = await asked(input, { editable: ['to', 'cc'] });
      assert.deepEqual(names(named.call('c1')), ['to']);
      assert.deepEqual(names(named.call('c2')), [], 'a tool that may not be changed');
      const masked = await asked(input, {}, { redact });
      assert.deepEqual(names(masked.call('c1')), ['to']);
      const { input: changed } = readEdit(masked.call('c1'), typed({ to: 'ann', password: 'guessed' }));
      assert.deepEqual(changed, { ...input, to: 'ann' }, 'what is hidden stays as it is');
      masked.guard.unmask('c1');
      assert.deepEqual(names(masked.call('c1')), ['to', 'password', 'url']);
      masked.guard.decide('c1', 'deny');
      assert.deepEqual(names(masked.call('c1')), [], 'a decided call');
    });

    test('an input that is no object is one field, and names of objects are names', async () => {
      const s = await asked('al');
      assert.deepEqual(
        editFields(s.call('c1')).map(({ name, kind }) => [name, kind]),
        [[undefined, 'text']],
      );
      assert.deepEqual(readEdit(s.call('c1'), new Map([[undefined, 'ann']])), {
        type: 'changed',
        input: 'ann',
      });
      const proto = await asked(JSON.parse('{"__proto__": "a", "constructor": "b"}'));
      const { input } = readEdit(proto.call('c1'), new Map([['__proto__', 'c']]));
      assert.deepEqual(Object.entries(input), [
        ['__proto__', 'c'],
        ['constructor', 'b'],
      ]);
    });
  }),
);
