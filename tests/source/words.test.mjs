// The words of prompts, from their sources: every message of every locale, its values, its plurals, and the Unicode
// bidirectional algorithm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import bidiFactory from 'bidi-js';
import { build } from 'esbuild';
import fc from 'fast-check';

// The same values at each run, so that a failure can be told from a change; another seed finds others.
fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const outfile = at('target/source/words.mjs');

/** What these TypeScript modules of the shell export. */
async function load(...names) {
  await build({
    stdin: {
      contents: names.map((name) => `export * from './${name}';`).join('\n'),
      resolveDir: at('pkg-template/src'),
    },
    bundle: true,
    outfile,
    format: 'esm',
    target: 'es2022',
  });
  return import(pathToFileURL(outfile));
}

const { ENGLISH, Texts, GuardError, de, ar, escapeInvisible, ...OF } = await load(
  'text/catalogue.ts',
  'text/queue-texts.ts',
  'text/editor-texts.ts',
  'text/texts.ts',
  'error.ts',
  'escape-invisible.ts',
  'locales/de.ts',
  'locales/ar.ts',
);

const ids = Object.keys(ENGLISH);
/** The messages of the queue, and those of its editor. */
const QUEUE = { ...OF.QUEUE, ...OF.EDITOR };
const queueIds = Object.keys(QUEUE);
const forPeople = ids.filter((id) => !id.startsWith('reason.'));
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
const spoken = [
  'path',
  '10\u00a0minutes, 1\u202f000',
  'every \u2068löschen\u2069 call, in this chat',
  'you allowed \u2068every \u2068löschen\u2069 call\u2069',
  '\u200f\u061c3\u200e',
  'حذف',
];

/** A number of a message that takes this form of every plural. */
const countOf = (form, forms = []) => ({
  value: 2,
  plural: (all) => (forms.push(Object.keys(all)), all[form] ?? all.other),
  toString: () => '#',
});

const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'];
const NUMBERS = ['index', 'total', 'waiting', 'n'];

/** What a message says in this form: its values stand in it by their names. */
function said(message, { form = 'other', names = [], forms = [] } = {}) {
  if (typeof message === 'string') return message;
  const get = (_, name) => {
    if (!names.includes(name)) names.push(name);
    return NUMBERS.includes(name) ? countOf(form, forms) : `{${name}}`;
  };
  return message(new Proxy({}, { get }));
}

/** The names of the values that a message uses. */
const namesIn = (message) => {
  const names = [];
  for (const form of FORMS) said(message, { form, names });
  return names.sort();
};

/** The forms of each plural of a message. */
const formsIn = (message) => {
  const forms = [];
  said(message, { forms });
  return forms;
};

const refuses = (work, pattern) =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof GuardError, String(error));
    assert.equal(error.code, 'invalid-catalogue');
    assert.match(error.message, pattern);
    return true;
  });

describe('the English words', () => {
  test('say run and not execute, and never always, trust or sure', () => {
    for (const id of ids) assert.doesNotMatch(said(ENGLISH[id]), /execut|always|trust|sure\b/i, id);
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

  test('for the model speak of nothing but the why of a rule, and are plain ASCII', () => {
    for (const id of ids.filter((id) => !forPeople.includes(id))) {
      assert.match(said(ENGLISH[id]), /^[ -~]+$/);
      assert.deepEqual(namesIn(ENGLISH[id]), id === 'reason.ruleWhy' ? ['note'] : [], id);
    }
  });

  test('that make an Intl object are none', () => {
    const texts = new Texts(undefined, QUEUE);
    const values = { index: 1, total: 3, waiting: 2, n: 1234, time: 5_400_000, duration: 60_000 };
    for (const name of ['tool', 'server', 'fields', 'action', 'why', 'scope', 'reason', 'note', 'source'])
      values[name] = 'é';
    Object.assign(values, { keys: 'Alt', example: 'x', title: 'x', field: 'x', asked: 'x', runs: 'x' });
    const made = [];
    const { Intl } = globalThis;
    globalThis.Intl = new Proxy(Intl, { get: (_, name) => (made.push(name), Intl[name]) });
    try {
      for (const id of [...ids, ...queueIds]) assert.notEqual(texts.text(id, values), '', id);
      texts.list(['path', 'mode']);
    } finally {
      globalThis.Intl = Intl;
    }
    assert.deepEqual(made, []);
  });
});

for (const catalogue of [de, ar]) {
  describe(`the words of ${catalogue.locale}`, () => {
    const { messages } = catalogue;

    test('are there for every message that a person reads, and for no other', () => {
      assert.deepEqual(Object.keys(messages), [...forPeople, ...queueIds]);
    });

    test('speak of all that the English ones speak of', () => {
      for (const id of forPeople) assert.deepEqual(namesIn(messages[id]), namesIn(ENGLISH[id]), id);
      for (const id of queueIds) assert.deepEqual(namesIn(messages[id]), namesIn(QUEUE[id]), id);
    });

    test('have every plural form that the language has', () => {
      const { pluralCategories } = new Intl.PluralRules(catalogue.locale).resolvedOptions();
      let plurals = 0;
      for (const [id, message] of Object.entries(messages)) {
        for (const forms of formsIn(message)) {
          plurals++;
          assert.deepEqual([...forms].sort(), [...pluralCategories].sort(), id);
        }
      }
      assert.ok(plurals >= 3);
    });

    test('are no English ones, and no direction is written into them', () => {
      for (const id of forPeople) {
        // A name alone is the same everywhere.
        if (id !== 'action.timed' && !/^\{\w+\}$/.test(said(ENGLISH[id])))
          assert.notEqual(said(messages[id]), said(ENGLISH[id]), id);
      }
      for (const [id, message] of Object.entries(messages)) {
        for (const form of FORMS) {
          assert.doesNotMatch(said(message, { form }), /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/, id);
        }
      }
    });

    test('count as Intl counts', () => {
      const texts = new Texts(catalogue, QUEUE);
      const rules = new Intl.PluralRules(catalogue.locale);
      const format = new Intl.NumberFormat(catalogue.locale);
      let compared = 0;
      for (const [id, message] of Object.entries(messages)) {
        const names = namesIn(message);
        if (names.length !== 1 || !NUMBERS.includes(names[0])) continue;
        for (const n of numbers.filter((n) => n > 0)) {
          const expected = said(message, { form: rules.select(n) }).replaceAll('#', format.format(n));
          assert.equal(texts.text(id, { [names[0]]: n }), expected, `${id} of ${n}`);
          compared++;
        }
      }
      assert.ok(compared > 100, `only ${compared} texts`);
    });
  });
}

test('a number that nothing was used for has a text of its own', () => {
  const texts = (catalogue) => new Texts(catalogue, QUEUE);
  assert.equal(texts().text('queue.uses', { n: 0 }), 'Not used for other calls yet.');
  assert.equal(texts().text('queue.uses', { n: 1 }), 'Used for 1 more call.');
  assert.equal(texts(de).text('queue.uses', { n: 0 }), 'Noch für keinen anderen Aufruf verwendet.');
  assert.equal(texts(de).text('queue.uses', { n: 2 }), 'Für 2 weitere Aufrufe verwendet.');
});

describe('a catalogue', () => {
  test('leaves the plurals and numbers of English to a message that it does not replace', () => {
    const texts = new Texts({ locale: 'fr', messages: {} });
    assert.equal(texts.text('prompt.summary', { waiting: 0 }), '0 decisions needed');
    assert.equal(texts.text('prompt.count', { index: 1, total: 1234.5 }), '1 of 1,234.5');
  });

  test('in a locale that the engine does not know has those too, and not those of the machine', () => {
    const code = `
      import { Texts } from ${JSON.stringify(pathToFileURL(outfile))};
      const messages = { 'prompt.count': ({ index, total }) => \`\${index} / \${total}\` };
      const texts = new Texts({ locale: 'tlh', messages });
      const said = [texts.text('prompt.count', { index: 1, total: 1234.5 }), texts.language.duration(7_200_000)];
      console.log(JSON.stringify([new Intl.NumberFormat().resolvedOptions().locale, ...said]));`;
    const args = ['--input-type=module', '--eval', code];
    const output = execFileSync(process.execPath, args, { env: { ...process.env, LC_ALL: 'de_DE.UTF-8' } });
    assert.deepEqual(JSON.parse(output), ['de-DE', '1 / 1,234.5', '2 hours']);
  });

  test('is read once', () => {
    const catalogue = { locale: 'de', messages: { 'action.undo': 'Zurück' } };
    const texts = new Texts(catalogue);
    catalogue.messages['action.undo'] = 'Weg';
    assert.equal(texts.text('action.undo'), 'Zurück');
  });

  test('may have undefined for a message that it leaves out', () => {
    assert.equal(
      new Texts({ locale: 'de', messages: { 'action.undo': undefined } }).text('action.undo'),
      'Undo',
    );
  });

  test('may have a text that speaks of less, and a function that speaks of nothing', () => {
    const messages = { 'action.send': 'Senden', 'action.undo': () => 'Zurück' };
    const texts = new Texts({ locale: 'de', messages });
    assert.equal(texts.text('action.send', { n: 3 }), 'Senden');
    assert.equal(texts.text('action.undo'), 'Zurück');
  });

  test('gives a form that it leaves out the words of other', () => {
    const messages = { 'prompt.times': ({ n }) => n.plural({ one: 'einmal', other: `${n}-mal` }) };
    const texts = new Texts({ locale: 'ar', messages });
    assert.equal(texts.text('prompt.times', { n: 1 }), 'einmal');
    assert.match(texts.text('prompt.times', { n: 2 }), /-mal$/);
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
    ['a number', { locale: 'de', messages: { 'action.undo': 1 } }, /action\.undo must be a text/],
    ['null for a text', { locale: 'de', messages: { 'action.undo': null } }, /action\.undo must be a text/],
    ['a text in a list', { locale: 'de', messages: { 'action.undo': ['x'] } }, /action\.undo must be a text/],
    ['a number for the queue', { locale: 'de', messages: { 'queue.sent': 1 } }, /queue\.sent must be a text/],
  ]) {
    test(what, () => refuses(() => new Texts(catalogue), pattern));
  }
});

describe('a message that cannot be said is refused', () => {
  const texts = new Texts(undefined);

  for (const id of [
    '',
    'prompt',
    '__proto__',
    'toString',
    'constructor',
    undefined,
    Symbol('x'),
    'queue.label',
  ]) {
    test(`the id ${String(id)}`, () => refuses(() => texts.text(id), /^There is no message /));
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
      refuses(() => texts.text('prompt.title', values), /prompt\.title needs a value for (tool|server)\./),
    );
  }

  test('one that uses what it is not given', () => {
    const messages = { 'prompt.title': ({ tol }) => `${tol}?`, 'action.undo': (values) => `${values}` };
    const own = new Texts({ locale: 'de', messages });
    refuses(
      () => own.text('prompt.title', { tool: 'x', server: 'y' }),
      /prompt\.title needs a value for tol\./,
    );
    refuses(() => own.text('action.undo'), /action\.undo/);
  });

  test('one that throws, or returns no text', () => {
    const cause = new TypeError('so');
    const messages = {
      'action.undo': () => {
        throw cause;
      },
      'action.deny': () => 7,
      'action.send': ({ n }) => n,
    };
    const own = new Texts({ locale: 'de', messages });
    refuses(() => own.text('action.undo'), /action\.undo has failed/);
    assert.throws(() => own.text('action.undo'), { cause });
    refuses(() => own.text('action.deny'), /action\.deny must be a text/);
    refuses(() => own.text('action.send', { n: 1 }), /action\.send must be a text/);
  });
});

describe('messages of an application', () => {
  const own = {
    'app.hello': ({ name }) => `Hello, ${name}`,
    'app.fields': ({ n, tool }) =>
      n.plural({ one: `${n} field of ${tool}`, other: `${n} fields of ${tool}` }),
    'app.bye': 'Bye',
  };

  test('are said as those of the package are', () => {
    for (const catalogue of [undefined, { locale: 'ar', messages: {} }]) {
      const texts = new Texts(catalogue, own);
      assert.equal(texts.text('app.hello', { name: 'Ada' }), 'Hello, Ada');
      assert.equal(texts.text('app.hello', { name: 'Zoë\u202e' }), 'Hello, \u2068Zoë⟦U+202E⟧\u2069');
      assert.equal(texts.text('app.fields', { n: 1, tool: 'x' }), '1 field of x');
      assert.equal(texts.text('app.fields', { n: 1234, tool: 'x' }), '1,234 fields of x');
      assert.equal(texts.text('app.bye'), 'Bye');
      refuses(() => texts.text('app.hello', {}), /app\.hello needs a value for name\./);
    }
  });

  test('that are none are refused when they are said', () => {
    refuses(() => new Texts(undefined, { 'app.x': 7 }).text('app.x'), /app\.x must be a text/);
    refuses(() => new Texts(undefined, own).text('app.other'), /no message app\.other/);
  });
});

describe('texts from elsewhere are isolated', () => {
  const title = (tool, catalogue) => new Texts(catalogue).text('prompt.titleNoServer', { tool });

  test('unless they are plain ASCII in a language that is written from left to right', () => {
    assert.equal(title('delete_file ~'), 'Allow delete_file ~?');
    assert.equal(title('naïve'), 'Allow \u2068naïve\u2069?');
    assert.equal(title('tab\t'), 'Allow \u2068tab⟦U+0009⟧\u2069?');
    const messages = { 'prompt.titleNoServer': ({ tool }) => tool };
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
      const words = new Texts(undefined);
      assert.equal(words.list([tool, 'x']), `\u2068${expected}\u2069 and x`);
      for (const name of ['server', 'reason', 'title']) {
        const own = new Texts(undefined, { 'app.x': (values) => values[name] });
        assert.equal(own.text('app.x', { [name]: tool }), `\u2068${expected}\u2069`);
      }
    }
  });

  test('and in the words of the guard only isolates, and what numbers are written with, stay', () => {
    const words = new Texts(undefined);
    for (const name of WORDS) {
      const own = new Texts(undefined, { 'app.x': (values) => values[name] });
      const say = (value) => own.text('app.x', { [name]: value });
      for (const value of spoken.slice(1)) assert.equal(say(value), `\u2068${value}\u2069`);
      assert.equal(say('\u202ea\u2067b\nc\u200bd'), '\u2068⟦U+202E⟧a⟦U+2067⟧b⟦U+000A⟧c⟦U+200B⟧d\u2069');
    }
    assert.equal(
      new Texts({ locale: 'fr', messages: { 'why.grant': ({ scope }) => `a ${scope}` } }).text('why.grant', {
        scope: words.text('scope.toolTimed', { tool: 'x', duration: '10\u00a0minutes' }),
      }),
      'a \u2068every x call, in this chat, for \u206810\u00a0minutes\u2069\u2069',
    );
  });

  test('and numbers never are', () => {
    const format = new Intl.NumberFormat('ar');
    assert.equal(
      new Texts(ar).text('prompt.count', { index: 1, total: 2 }),
      `${format.format(1)} من ${format.format(2)}`,
    );
  });

  test('so that one may stand in another', () => {
    const words = new Texts(undefined);
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
      const words = new Texts(catalogue);
      const pattern = said(catalogue?.messages['prompt.title'] ?? ENGLISH['prompt.title']);
      const [before, between, after] = pattern.split(/\{\w+\}/);
      // Something neutral stands for both.
      const blank = levels(`${before}\u2068\u2069${between}\u2068\u2069${after}`, direction);
      fc.assert(
        fc.property(value, value, (tool, server) => {
          // Plain ASCII has no isolate of its own: it cannot change what is written from left to right.
          fc.pre(direction === 'rtl' || (/[^ -~]/.test(tool) && /[^ -~]/.test(server)));
          const [first, second] = [tool, server].map((value) =>
            title(value, { locale: 'ar', messages: { 'prompt.titleNoServer': ({ tool }) => tool } }),
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
  const words = new Texts(undefined);
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
    test(`${ms} ms are ${expected}`, () => assert.equal(words.language.duration(ms), expected));
  }

  test('in other languages', () => {
    assert.equal(new Texts(de).language.duration(10 * minute), '10 Minuten');
    assert.match(new Texts(de).language.duration(90 * minute), /^1 Stunde\P{L}+30 Minuten$/u);
    assert.equal(new Texts(ar).language.duration(2 * hour), 'ساعتان');
  });

  test('a plain time is no text to isolate', () => {
    const action = words.text('action.chatTool', { tool: 'delete_file' });
    assert.equal(
      words.text('action.timed', { action, duration: words.language.duration(90 * minute) }),
      'Allow for this chat: every delete_file call, for at most 1 hour 30 minutes',
    );
  });
});

test('lists', () => {
  const words = new Texts(undefined);
  assert.equal(words.list([]), '');
  assert.equal(words.list(['path']), 'path');
  assert.equal(words.list(['path', 'mode']), 'path and mode');
  assert.equal(words.list(['path', 'mode', 'owner']), 'path, mode, and owner');
  assert.equal(words.list(['päth', 'mode']), '\u2068päth\u2069 and mode');
  assert.equal(new Texts(de).list(['path', 'mode']), 'path und mode');
  assert.equal(new Texts(ar).list(['path', 'mode']), '\u2068path\u2069 و\u2068mode\u2069');
});

describe('the built-in English says what Intl says of English', () => {
  const messages = { 'queue.n': ({ n }) => `${n}${n.plural({ one: ' is one', other: ' are more' })}` };
  const builtIn = new Texts(undefined, messages);
  const byIntl = new Texts({ locale: 'en', messages: { ...ENGLISH, ...messages } });
  const ofNumber = (n) => [builtIn.text('queue.n', { n }), byIntl.text('queue.n', { n })];

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
    for (const n of [...integers, ...odd, ...large])
      assert.equal(builtIn.language.duration(n), byIntl.language.duration(n));
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: -1000, max: 200_000_000 }), fc.maxSafeInteger(), fc.double()),
        (ms) => assert.equal(builtIn.language.duration(ms), byIntl.language.duration(ms)),
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
