// The words of prompts, from their sources: every message of every locale against another
// implementation of ICU MessageFormat, and against the Unicode bidirectional algorithm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import bidiFactory from 'bidi-js';
import { build } from 'esbuild';
import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';

// The same values at each run, so that a failure can be told from a change; another seed finds others.
fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const outfile = at('target/source/words.mjs');

/** What these TypeScript modules of the shell export. */
async function load(...names) {
  await build({
    stdin: {
      contents: [
        ...names.map((name) => `export * from './${name}';`),
        `export { ENGLISH as QUEUE } from './element/texts.ts';`,
      ].join('\n'),
      resolveDir: at('pkg-template/src'),
    },
    bundle: true,
    outfile,
    format: 'esm',
    target: 'es2022',
  });
  return import(pathToFileURL(outfile));
}

const { ENGLISH, MessageFormatter, GuardError, de, ar, escapeInvisible, QUEUE } = await load(
  'text/catalogue.ts',
  'text/format.ts',
  'error.ts',
  'escape-invisible.ts',
  'locales/de.ts',
  'locales/ar.ts',
);

const ids = Object.keys(ENGLISH);
const queueIds = Object.keys(QUEUE);
const forPeople = ids.filter((id) => !id.startsWith('reason.'));
const en = { locale: 'en', messages: ENGLISH };
const pseudo = {
  locale: 'en-XA',
  messages: Object.fromEntries(ids.map((id) => [id, `⟦Å ${ENGLISH[id]} ''é'{'#'}'⟧`])),
};

const NUMBERS = ['index', 'total', 'waiting', 'n'];
const numbers = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 20, 21, 22, 99, 100, 101, 102, 103, 111, 1000, 1234.5, 1e6];
const nasty = [
  '',
  'delete_file',
  "it's {tool} '{' # 100%",
  '<b>&amp;</b>',
  'naïve',
  'حذف_ملف',
  'מחק file.txt',
  '👩‍👩‍👧 🇩🇪',
  '\ud83d',
  '\ude00x',
  '\u202egnp.exe',
  '\u202a\u202b\u202c\u202d',
  '\u2069\u2069 Denied',
  '\u2067\u2066\u2068',
  '\u2069\u2067x\u2069\u2067',
  '\u2068nested \u2068deeper\u2069\u2069',
  '\u2068'.repeat(200),
  'two\nlines\r\nof\u2029text\u0085\u001c',
  '\u200f\u200e\u061c\u200b\ufeff\0\t',
  '__proto__',
  ' spaces ',
  'many         spaces',
  'می\u200cخواهم',
  'pay\u200cpal',
];

/** Words that stand in others; what they are safe with stays in them. */
const WORDS = ['action', 'duration', 'fields', 'scope', 'time', 'why'];
const said = [
  'path',
  '10\u00a0minutes, 1\u202f000',
  'every \u2068löschen\u2069 call, in this chat',
  'you allowed \u2068every \u2068löschen\u2069 call\u2069',
  '\u200f\u061c3\u200e',
  'حذف',
];

/** A message without its isolates. */
const apart = (text) => text.replace(/[\u2068\u2069]/g, '');

/** What is said of a value: all of it can be seen. */
const seen = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && !WORDS.includes(name) ? escapeInvisible(value, { lines: false }) : value,
    ]),
  );

const read = (text) => IntlMessageFormat.__parse(text, { ignoreTag: true });
const [ARGUMENT, NUMBER, PLURAL] = [1, 2, 6];

/** Every element of a message, the inner ones too. */
const elements = (ast) =>
  ast.flatMap((e) => [e, ...Object.values(e.options ?? {}).flatMap((option) => elements(option.value))]);

const placeholders = (text) => {
  const all = elements(read(text)).filter((e) => e.type === ARGUMENT || e.type === PLURAL);
  return [...new Set(all.map((e) => e.value))].sort();
};

/** What the other implementation says; `{n}` is a number to us, and there only `{n, number}` is. */
function oracle(text, locale) {
  const ast = read(text);
  for (const e of elements(ast)) if (e.type === ARGUMENT && NUMBERS.includes(e.value)) e.type = NUMBER;
  const message = new IntlMessageFormat(ast, [locale, 'en']);
  return (values) => message.format(values);
}

/** Values for these placeholders: each beside each, and by turns for more than two. */
function* samples([first, second, ...others]) {
  const valuesOf = (name) => {
    if (name === undefined) return [undefined];
    return NUMBERS.includes(name) ? numbers : WORDS.includes(name) ? said : nasty;
  };
  const firsts = valuesOf(first);
  const seconds = valuesOf(second);
  for (let i = 0; i < firsts.length * seconds.length; i++) {
    const values = { [first]: firsts[i % firsts.length], [second]: seconds[Math.floor(i / firsts.length)] };
    for (const name of others) values[name] = valuesOf(name)[i % valuesOf(name).length];
    yield values;
  }
}

const refuses = (work, pattern) =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof GuardError, String(error));
    assert.equal(error.code, 'invalid-catalogue');
    assert.match(error.message, pattern);
    return true;
  });

describe('the English words', () => {
  test('say run and not execute, and never always, trust or sure', () => {
    for (const id of ids) assert.doesNotMatch(ENGLISH[id], /execut|always|trust|sure\b/i, id);
  });

  test('that stand in stored chats stay what they are', () => {
    assert.equal(
      ENGLISH['reason.superseded'],
      'Not a refusal by the user: the user moved on before this call ran.',
    );
    assert.equal(
      ENGLISH['reason.doubt'],
      'Not a refusal by the user: the conversation went on before the result of this call came, so it is not known whether the call ran.',
    );
  });

  test('for the model have no placeholder but for the why of a rule, and are plain ASCII', () => {
    for (const id of ids.filter((id) => !forPeople.includes(id))) {
      assert.match(ENGLISH[id], /^[ -~]+$/);
      assert.deepEqual(placeholders(ENGLISH[id]), id === 'reason.ruleWhy' ? ['note'] : [], id);
    }
  });
});

for (const catalogue of [de, ar]) {
  describe(`the words of ${catalogue.locale}`, () => {
    const { messages } = catalogue;

    test('are there for every message that a person reads, and for no other', () => {
      assert.deepEqual(Object.keys(messages), [...forPeople, ...queueIds]);
    });

    test('speak of all that the English ones speak of', () => {
      for (const id of forPeople) assert.deepEqual(placeholders(messages[id]), placeholders(ENGLISH[id]), id);
      for (const id of queueIds) assert.deepEqual(placeholders(messages[id]), placeholders(QUEUE[id]), id);
    });

    test('have every plural form that the language has', () => {
      const { pluralCategories } = new Intl.PluralRules(catalogue.locale).resolvedOptions();
      let plurals = 0;
      for (const [id, text] of Object.entries(messages)) {
        // A number that is only inserted has one form, as in English.
        const english = elements(read(ENGLISH[id] ?? QUEUE[id])).filter((e) => e.type === PLURAL);
        if (english.every((e) => Object.keys(e.options).join() === 'other')) continue;
        for (const e of elements(read(text))) {
          if (e.type !== PLURAL) continue;
          plurals++;
          const forms = Object.keys(e.options).filter((form) => !form.startsWith('='));
          assert.deepEqual(forms.sort(), [...pluralCategories].sort(), id);
        }
      }
      assert.ok(plurals >= 3);
    });

    test('are no English ones, and no direction is written into them', () => {
      for (const id of forPeople) {
        // A name alone is the same everywhere.
        if (id !== 'action.timed' && !/^\{\w+\}$/.test(ENGLISH[id])) {
          assert.notEqual(messages[id], ENGLISH[id]);
        }
      }
      for (const id of Object.keys(messages)) {
        assert.doesNotMatch(messages[id], /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/, id);
      }
    });
  });
}

describe('every message is said as another implementation says it', () => {
  for (const { locale, messages } of [en, de, ar, pseudo]) {
    test(locale, () => {
      const words = new MessageFormatter({ locale, messages });
      let compared = 0;
      for (const id of ids) {
        const own = messages[id];
        const expected = oracle(own ?? ENGLISH[id], own === undefined ? 'en' : locale);
        for (const values of samples(placeholders(ENGLISH[id]))) {
          assert.equal(apart(words.text(id, values)), apart(expected(seen(values))), id);
          compared++;
        }
      }
      assert.ok(compared > 1500, `only ${compared} texts`);
    });
  }

  test('without a catalogue it is English', () => {
    const words = new MessageFormatter(undefined);
    for (const id of ids) {
      const values = Object.fromEntries(
        placeholders(ENGLISH[id]).map((name) => [name, NUMBERS.includes(name) ? 2 : 'x']),
      );
      assert.equal(words.text(id, values), oracle(ENGLISH[id], 'en')(values));
    }
  });
});

describe('the syntax of messages', () => {
  // An id that has both kinds of placeholders would be better, and there is none.
  const say = (text, n, locale = 'en') =>
    new MessageFormatter({ locale, messages: { 'action.send': text } }).text('action.send', { n });

  for (const [text, n, expected] of [
    ['', 1, ''],
    ["it's", 1, "it's"],
    ["it''s", 1, "it's"],
    ["'{n}'", 1, '{n}'],
    ["'{''}'", 1, "{'}"],
    ["'}' '#' #", 1, "} '#' #"],
    ["{n, plural, other {'#' # '{}#'' '}}", 7, "# 7 {}#' "],
    ['{ n }', 1234, '1,234'],
    ['{n}{n}', 3, '33'],
    ['{n,plural,=0{none}=1{just one}one{# one}other{# others}}', 0, 'none'],
    ['{n,plural,=0{none}=1{just one}one{# one}other{# others}}', 1, 'just one'],
    ['{n,plural,=0{none}one{# one}other{# others}}', 1, '1 one'],
    ['{n,plural,other{a{n,plural,one{b#}other{c#}}d{n}}}', 1, 'ab1d1'],
    ['{\n  n,\tplural,\n  one {1}\n  other {many}\n}', 5, 'many'],
    ['{n, plural, few {few} other {other}}', 3, 'other'],
    ['👍{n}\ud83d', 1, '👍1\ud83d'],
  ]) {
    test(`${JSON.stringify(text)} of ${n}`, () => {
      assert.equal(say(text, n), expected);
      assert.equal(oracle(text, 'en')({ n }), expected);
    });
  }

  test('a text that is taken is one that the other implementation takes and says the same', () => {
    const pieces = [
      "'",
      "''",
      '{',
      '}',
      '#',
      'a',
      ' ',
      '👍',
      ',',
      '{n}',
      "'{'",
      "'#",
      '{n, plural, ',
      'one {',
      'other {',
      '=1 {',
      '}}',
    ];
    const text = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join('')),
      fc
        .array(fc.constantFrom(...pieces.filter((piece) => !/[{}]/.test(piece) || piece === '{n}')), {
          maxLength: 6,
        })
        .map((list) => list.join(''))
        .chain((inner) => fc.constantFrom(`{n, plural, =1 {${inner}} other {b ${inner}}} ${inner}`, inner)),
    );
    let taken = 0;
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...numbers),
        fc.constantFrom('en', 'de', 'ar', 'pl'),
        (text, n, locale) => {
          let said;
          try {
            said = say(text, n, locale);
          } catch (error) {
            assert.ok(error instanceof GuardError, String(error));
            return;
          }
          taken++;
          assert.equal(said, oracle(text, locale)({ n }));
        },
      ),
      { numRuns: 5000 },
    );
    assert.ok(taken > 1500, `only ${taken} were taken`);
  });

  test('a message that is not replaced has the plurals and numbers of English', () => {
    const words = new MessageFormatter({ locale: 'fr', messages: {} });
    assert.equal(words.text('prompt.summary', { waiting: 0 }), '0 decisions needed');
    assert.equal(words.text('prompt.count', { index: 1, total: 1234.5 }), '1 of 1,234.5');
  });

  test('a locale that the engine does not know has those too, and not those of the machine', () => {
    const code = `
      import { MessageFormatter } from ${JSON.stringify(pathToFileURL(outfile))};
      const messages = { 'prompt.count': '{index} / {total}' };
      const words = new MessageFormatter({ locale: 'tlh', messages });
      const said = [words.text('prompt.count', { index: 1, total: 1234.5 }), words.duration(7_200_000)];
      console.log(JSON.stringify([new Intl.NumberFormat().resolvedOptions().locale, ...said]));`;
    const args = ['--input-type=module', '--eval', code];
    const output = execFileSync(process.execPath, args, { env: { ...process.env, LC_ALL: 'de_DE.UTF-8' } });
    assert.deepEqual(JSON.parse(output), ['de-DE', '1 / 1,234.5', '2 hours']);
  });

  test('a catalogue is read once', () => {
    const catalogue = { locale: 'de', messages: { 'action.undo': 'Zurück' } };
    const words = new MessageFormatter(catalogue);
    catalogue.messages['action.undo'] = '{';
    assert.equal(words.text('action.undo'), 'Zurück');
  });

  test('undefined is as good as left out', () => {
    assert.equal(
      new MessageFormatter({ locale: 'de', messages: { 'action.undo': undefined } }).text('action.undo'),
      'Undo',
    );
  });
});

describe('a catalogue that is wrong is refused', () => {
  for (const [what, catalogue, pattern] of [
    ['null', null, /object \{ locale, messages \}/],
    ['a string', 'de', /object \{ locale, messages \}/],
    ['an array', [], /object \{ locale, messages \}/],
    ['no messages', { locale: 'de' }, /object \{ locale, messages \}/],
    ['messages that are null', { locale: 'de', messages: null }, /object \{ locale, messages \}/],
    ['messages that are a string', { locale: 'de', messages: 'Zurück' }, /object \{ locale, messages \}/],
    ['messages in an array', { locale: 'de', messages: ['Zurück'] }, /no message 0\./],
    ['no locale', { messages: {} }, /BCP 47/],
    ['an empty locale', { locale: '', messages: {} }, /BCP 47/],
    ['a locale with an underscore', { locale: 'de_DE', messages: {} }, /BCP 47/],
    ['a locale that is a list', { locale: ['de'], messages: {} }, /BCP 47/],
    [
      'an id that there is not',
      { locale: 'de', messages: { 'prompt.titel': 'x' } },
      /no message prompt\.titel/,
    ],
    ['the id toString', { locale: 'de', messages: { toString: 'x' } }, /no message toString/],
    ['the id __proto__', { locale: 'de', messages: JSON.parse('{"__proto__":"x"}') }, /no message __proto__/],
    ['a number', { locale: 'de', messages: { 'action.undo': 1 } }, /action\.undo must be a string/],
    ['null for a text', { locale: 'de', messages: { 'action.undo': null } }, /action\.undo must be a string/],
  ]) {
    test(what, () => refuses(() => new MessageFormatter(catalogue), pattern));
  }

  for (const [id, text, place, pattern] of [
    ['prompt.title', 'Allow {tol}?', 7, /\{tol\} is not one of its placeholders \(tool, server\)/],
    ['prompt.title', 'Allow {n}?', 7, /not one of its placeholders/],
    ['prompt.title', 'Allow {__proto__}{toString}?', 7, /\{__proto__\} is not one of its placeholders/],
    ['action.undo', 'Undo {tool}', 6, /placeholders \(none\)/],
    ['prompt.title', 'Allow {}?', 7, /\{\} is not one of its placeholders/],
    ['prompt.title', 'Allow {tool', 7, /write \{tool\} or \{tool, plural, …\}/],
    ['prompt.title', 'Allow {tool server}', 7, /write \{tool\}/],
    ['prompt.title', 'Allow {', 7, /\{\} is not one/],
    ['prompt.title', 'Allow tool}', 11, /closes nothing; write '\}'/],
    ['prompt.title', "L'{tool} est", 2, /never closed; write ''/],
    ['prompt.title', "'{tool}''", 1, /never closed/],
    ['prompt.title', '{tool, plural, other {x}}', 1, /\{tool\} is not a number/],
    ['prompt.title', '{tool, select, a {x} other {y}}', 1, /write \{tool\} or \{tool, plural, …\}/],
    ['action.send', '{n, number}', 1, /write \{n\} or \{n, plural, …\}/],
    ['action.send', '{n, number, ::currency/EUR}', 1, /write \{n\}/],
    ['action.send', '{n, date, short}', 1, /write \{n\}/],
    ['action.send', '{n, selectordinal, other {#th}}', 1, /write \{n\}/],
    ['action.send', '{n, Plural, other {#}}', 1, /write \{n\}/],
    ['action.send', '{n, plural, offset:1 other {#}}', 22, /write zero, one, two/],
    ['action.send', '{n, plural}', 1, /write \{n\}/],
    ['action.send', '{n, plural, }', 1, /needs other/],
    ['action.send', '{n, plural, one {#}}', 1, /needs other/],
    ['action.send', '{n, plural, other}', 18, /write zero, one, two/],
    ['action.send', '{n, plural, other {#}', 22, /write zero, one, two/],
    ['action.send', '{n, plural, other {#', 19, /this \{ is not closed/],
    ['action.send', '{n, plural, {#} other {#}}', 13, /write zero, one, two/],
    ['action.send', '{n, plural, several {#} other {#}}', 21, /write zero, one, two/],
    ['action.send', '{n, plural, =x {#} other {#}}', 16, /write zero, one, two/],
    ['action.send', '{n, plural, =01 {#} other {#}}', 17, /write zero, one, two/],
    ['action.send', '{n, plural, one {a} one {b} other {c}}', 25, /one occurs twice/],
    ['action.send', "{n, plural, other {'}}", 20, /never closed/],
    ['action.send', '{n, plural, other {{n, plural, one {#}}}}', 20, /needs other/],
  ]) {
    test(`${id} as ${JSON.stringify(text)}`, () => {
      refuses(() => new MessageFormatter({ locale: 'de', messages: { [id]: text } }), pattern);
      refuses(
        () => new MessageFormatter({ locale: 'de', messages: { [id]: text } }),
        new RegExp(`The message ${id} has a mistake at character ${place}: `),
      );
    });
  }
});

describe('a message that cannot be said is refused', () => {
  const words = new MessageFormatter(undefined);

  for (const id of ['', 'prompt', '__proto__', 'toString', 'constructor', undefined, Symbol('x')]) {
    test(`the id ${String(id)}`, () => refuses(() => words.text(id), /^There is no message /));
  }

  for (const [what, values] of [
    ['no values', undefined],
    ['null', null],
    ['a value that is missing', { tool: 'x' }],
    ['a value that is undefined', { tool: 'x', server: undefined }],
    ['a value that is inherited', Object.assign(Object.create({ server: 'x' }), { tool: 'x' })],
    ['an object', { tool: 'x', server: { toString: () => 'x' } }],
    ['a boolean', { tool: 'x', server: true }],
  ]) {
    test(what, () =>
      refuses(() => words.text('prompt.title', values), /prompt\.title needs a value for \{(tool|server)\}/),
    );
  }

  test('a text for a plural', () =>
    refuses(() => words.text('action.send', { n: '2' }), /a value for \{n\}/));
});

describe('texts from elsewhere are isolated', () => {
  const title = (tool, catalogue) => new MessageFormatter(catalogue).text('prompt.titleNoServer', { tool });

  test('unless they are plain ASCII in a language that is written from left to right', () => {
    assert.equal(title('delete_file ~'), 'Allow delete_file ~?');
    assert.equal(title('naïve'), 'Allow \u2068naïve\u2069?');
    assert.equal(title('tab\t'), 'Allow \u2068tab⟦U+0009⟧\u2069?');
    const messages = { 'prompt.titleNoServer': '{tool}' };
    for (const locale of ['en', 'de-AT', 'ja', 'az', 'ar-Latn', 'en-XA'])
      assert.equal(title('x', { locale, messages }), 'x', locale);
    for (const locale of ['ar', 'ar-EG', 'he', 'fa', 'ur-PK', 'dv', 'az-Arab', 'yi', 'ks-Arab', 'ff-Adlm']) {
      assert.equal(title('x', { locale, messages }), '\u2068x\u2069', locale);
    }
  });

  test('and hide nothing, whatever they are', () => {
    for (const [tool, expected] of [
      ['\u202egnp.exe', '⟦U+202E⟧gnp.exe'],
      ['a\u2069b', 'a⟦U+2069⟧b'],
      ['de\u2068\u2069lete', 'de⟦U+2068⟧⟦U+2069⟧lete'],
      ['a\nb', 'a⟦U+000A⟧b'],
      [' a', '⟦U+0020⟧a'],
      ['pay\u00a0pal', 'pay⟦U+00A0⟧pal'],
      ['می\u200cخواهم', 'می\u200cخواهم'],
    ]) {
      assert.equal(title(tool), `Allow \u2068${expected}\u2069?`);
      const words = new MessageFormatter(undefined);
      assert.equal(words.list([tool, 'x']), `\u2068${expected}\u2069 and x`);
      for (const name of ['server', 'reason', 'title']) {
        assert.equal(words.text('queue.x', { [name]: tool }, `{${name}}`), `\u2068${expected}\u2069`);
      }
    }
  });

  test('and in the words of the guard only isolates, and what numbers are written with, stay', () => {
    const words = new MessageFormatter(undefined);
    for (const name of WORDS) {
      const say = (value) => words.text('queue.x', { [name]: value }, `{${name}}`);
      for (const value of said.slice(1)) assert.equal(say(value), `\u2068${value}\u2069`);
      assert.equal(say('\u202ea\u2067b\nc\u200bd'), '\u2068⟦U+202E⟧a⟦U+2067⟧b⟦U+000A⟧c⟦U+200B⟧d\u2069');
    }
    assert.equal(
      new MessageFormatter({ locale: 'fr', messages: { 'why.grant': 'a {scope}' } }).text('why.grant', {
        scope: words.text('scope.toolTimed', { tool: 'x', duration: '10\u00a0minutes' }),
      }),
      'a \u2068every x call, in this chat, for \u206810\u00a0minutes\u2069\u2069',
    );
  });

  test('and numbers never are', () => {
    assert.equal(
      new MessageFormatter(ar).text('prompt.count', { index: 1, total: 2 }),
      oracle(ar.messages['prompt.count'], 'ar')({ index: 1, total: 2 }),
    );
  });

  test('so that one may stand in another', () => {
    const words = new MessageFormatter(undefined);
    const scope = words.text('scope.tool', { tool: 'löschen' });
    const why = words.text('why.grant', { scope });
    assert.equal(why, 'you allowed \u2068every \u2068löschen\u2069 call, in this chat\u2069');
    assert.equal(words.text('done.auto', { why }), `Allowed automatically: \u2068${why}\u2069`);
  });

  test('and whatever they are, they change the direction of nothing around them', () => {
    const bidi = bidiFactory();
    const levels = (text, direction) => {
      const { levels, paragraphs } = bidi.getEmbeddingLevels(text, direction);
      assert.equal(paragraphs.length, 1);
      return [...levels];
    };
    const unit = fc.oneof(
      fc.constantFrom(
        ...'\u2066\u2067\u2068\u2069\u2069\u202a\u202b\u202c\u202d\u202e\u200e\u200f\u061c\n\r\u2029\u0085\u001cאع1١a (),',
      ),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    const value = fc.oneof(
      fc.constantFrom(...nasty),
      fc.array(unit, { maxLength: 12 }).map((list) => list.join('')),
    );
    const tagged = { locale: 'ar', messages: { 'prompt.title': ar.messages['prompt.title'] } };
    for (const [direction, catalogue] of [
      ['ltr', undefined],
      ['rtl', tagged],
    ]) {
      const words = new MessageFormatter(catalogue);
      const pattern = catalogue?.messages['prompt.title'] ?? ENGLISH['prompt.title'];
      const [before, between, after] = pattern.split(/\{\w+\}/);
      // Something neutral stands for both.
      const blank = levels(`${before}\u2068\u2069${between}\u2068\u2069${after}`, direction);
      fc.assert(
        fc.property(value, value, (tool, server) => {
          // Plain ASCII has no isolate of its own: it cannot change what is written from left to right.
          fc.pre(direction === 'rtl' || (/[^ -~]/.test(tool) && /[^ -~]/.test(server)));
          const [first, second] = [tool, server].map((value) =>
            title(value, { locale: 'ar', messages: { 'prompt.titleNoServer': '{tool}' } }),
          );
          const text = words.text('prompt.title', { tool, server });
          assert.equal(text, `${before}${first}${between}${second}${after}`);
          const all = levels(text, direction);
          const outer = [
            ...all.slice(0, before.length + 1),
            ...all.slice(before.length + first.length - 1, before.length + first.length + between.length + 1),
            ...all.slice(all.length - after.length - 1),
          ];
          assert.deepEqual(outer, blank);
        }),
        { numRuns: 2000 },
      );
    }
  });
});

describe('times', () => {
  const words = new MessageFormatter(undefined);
  const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

  for (const [ms, expected] of [
    [0, '0 seconds'],
    [-5, '0 seconds'],
    [1, '1 second'],
    [second, '1 second'],
    [19_001, '20 seconds'],
    [59_001, '1 minute'],
    [90 * second, '1 minute 30 seconds'],
    [10 * minute, '10 minutes'],
    [59 * minute + 59_999, '1 hour'],
    [hour, '1 hour'],
    [90 * minute, '1 hour 30 minutes'],
    [hour + 59 * second, '1 hour'],
    [8 * hour, '8 hours'],
    [day, '1 day'],
    [day + 2 * hour + 30 * minute, '1 day 2 hours'],
    [day + 30 * minute, '1 day'],
    [7 * day, '7 days'],
    [30 * day, '30 days'],
  ]) {
    test(`${ms} ms are ${expected}`, () => assert.equal(words.duration(ms), expected));
  }

  test('in other languages', () => {
    assert.equal(new MessageFormatter(de).duration(10 * minute), '10 Minuten');
    assert.match(new MessageFormatter(de).duration(90 * minute), /^1 Stunde\P{L}+30 Minuten$/u);
    assert.equal(new MessageFormatter(ar).duration(2 * hour), 'ساعتان');
  });

  test('a plain time is no text to isolate', () => {
    const action = words.text('action.chatTool', { tool: 'delete_file' });
    assert.equal(
      words.text('action.timed', { action, duration: words.duration(90 * minute) }),
      'Allow for this chat: every delete_file call, for at most 1 hour 30 minutes',
    );
  });
});

test('lists', () => {
  const words = new MessageFormatter(undefined);
  assert.equal(words.list([]), '');
  assert.equal(words.list(['path']), 'path');
  assert.equal(words.list(['path', 'mode']), 'path and mode');
  assert.equal(words.list(['path', 'mode', 'owner']), 'path, mode, and owner');
  assert.equal(words.list(['päth', 'mode']), '\u2068päth\u2069 and mode');
  assert.equal(new MessageFormatter(de).list(['path', 'mode']), 'path und mode');
  assert.equal(new MessageFormatter(ar).list(['path', 'mode']), '\u2068path\u2069 و\u2068mode\u2069');
});

describe('the built-in English says what Intl says of English', () => {
  const text = '{n}{n, plural, one { is one} other { are more}}';
  const builtIn = new MessageFormatter(undefined);
  const byIntl = new MessageFormatter({ locale: 'en', messages: { ...ENGLISH, 'queue.n': text } });
  const ofNumber = (n) => [builtIn.text('queue.n', { n }, text), byIntl.text('queue.n', { n })];

  const integers = [0, -0, 1, -1, 2, 9, 10, 999, 1000, -1000, 9999, 10_000, 999_999, 1e6, -1234567];
  const odd = [NaN, Infinity, -Infinity, 0.5, -0.5, 1.0001, 0.9999, 1.5, 999.9999, 1234.5678, 1e-7];
  const large = [2 ** 53 - 1, 2 ** 53, -(2 ** 53), 2 ** 60, 1e21, 1e300, Number.MAX_VALUE];

  test('of numbers and their plurals', () => {
    for (const n of [...integers, ...odd, ...large]) {
      const [own, other] = ofNumber(n);
      assert.equal(own, other, String(n));
    }
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double(), fc.integer({ min: -20, max: 20_000 })),
        (n) => {
          const [own, other] = ofNumber(n);
          assert.equal(own, other);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('of times', () => {
    for (const n of [...integers, ...odd, ...large]) assert.equal(builtIn.duration(n), byIntl.duration(n));
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: -1000, max: 200_000_000 }), fc.maxSafeInteger(), fc.double()),
        (ms) => assert.equal(builtIn.duration(ms), byIntl.duration(ms)),
      ),
      { numRuns: 5000 },
    );
  });

  test('of lists and of what stands isolated in them', () => {
    const item = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...nasty));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) =>
        assert.equal(builtIn.list(items), byIntl.list(items)),
      ),
      { numRuns: 2000 },
    );
  });
});

describe('texts of the queue', () => {
  const english = 'Show {n, plural, one {# field} other {# fields}} of {tool}';
  const say = (messages, values, given = english, id = 'queue.fields') =>
    new MessageFormatter(messages && { locale: 'de', messages }).text(id, values, given);

  test('are those that are given, in English', () => {
    assert.equal(say(undefined, { n: 1, tool: 'x' }), 'Show 1 field of x');
    assert.equal(say({}, { n: 1234, tool: 'x' }), 'Show 1,234 fields of x');
    assert.equal(say({ 'queue.fields': undefined }, { n: 2, tool: 'é' }), 'Show 2 fields of \u2068é\u2069');
    assert.equal(say(undefined, undefined, ''), '');
    // A text is no id.
    assert.equal(say(undefined, undefined, 'action.undo'), 'action.undo');
    assert.equal(new MessageFormatter(undefined).text('action.undo'), 'Undo');
  });

  test('are those of the catalogue, if it has them', () => {
    const german = '{tool}: {n, plural, one {# Feld} other {# Felder}}';
    assert.equal(say({ 'queue.fields': german }, { n: 1234, tool: 'x' }), 'x: 1.234 Felder');
    assert.equal(say({ 'queue.fields': '' }, { n: 1, tool: 'x' }), '');
    assert.equal(
      new MessageFormatter({ locale: 'de', messages: { 'queue.fields': german } }).text('queue.fields', {
        n: 1,
        tool: 'x',
      }),
      'x: 1 Feld',
    );
    assert.equal(say({ 'action.undo': 'Weg' }, undefined, 'Undo it', 'action.undo'), 'Weg');
  });

  test('are English where those of the catalogue need what they are not given', () => {
    for (const text of [
      '{server}',
      '{n}{tool}{x}',
      '{tool, plural, other {#}}',
      '{__proto__}',
      '{toString}',
    ]) {
      assert.equal(say({ 'queue.fields': text }, { n: 2, tool: 'x' }), 'Show 2 fields of x', text);
    }
    refuses(
      () =>
        new MessageFormatter({ locale: 'de', messages: { 'queue.fields': '{server}' } }).text(
          'queue.fields',
          {},
        ),
      /queue\.fields needs a value for \{server\}/,
    );
    refuses(() => say({ 'queue.fields': '{server}' }, {}), /queue\.fields needs a value for \{n\}/);
  });

  test('are refused where they are no texts', () => {
    refuses(() => say({ 'queue.fields': '{n' }), /queue\.fields has a mistake at character 1/);
    refuses(() => say({ 'queue.fields': '{}' }), /queue\.fields has a mistake at character 1/);
    refuses(() => say({ 'queue.fields': 1 }), /queue\.fields must be a string/);
    refuses(() => say({ 'queues.fields': 'x' }), /no message queues\.fields/);
    refuses(() => say({ queue: 'x' }), /no message queue\./);
    refuses(() => say(undefined, {}, '{n'), /queue\.fields has a mistake at character 1/);
    refuses(() => say(undefined, {}, 7), /no message queue\.fields/);
    refuses(() => new MessageFormatter(undefined).text('queue.fields'), /no message queue\.fields/);
  });

  test('may have any number of numbers', () => {
    assert.equal(say(undefined, { a: 1, b: 2 }, '{a, plural, one {#} other {no}}, {b}'), '1, 2');
  });

  test('of the element are read and said as another implementation says them', () => {
    for (const { locale, messages } of [{ locale: 'en', messages: QUEUE }, de, ar]) {
      const words = new MessageFormatter({ locale, messages });
      for (const id of queueIds) {
        const names = placeholders(QUEUE[id]);
        for (const n of numbers) {
          const counts = elements(read(QUEUE[id])).filter(
            (e) => e.type === PLURAL || NUMBERS.includes(e.value),
          );
          const values = Object.fromEntries(
            names.map((name) => [name, counts.some((e) => e.value === name) ? n : 'x']),
          );
          assert.equal(
            apart(words.text(id, values)),
            oracle(messages[id] ?? QUEUE[id], messages[id] === undefined ? 'en' : locale)(values),
            id,
          );
        }
      }
    }
  });
});
