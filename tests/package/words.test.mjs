// The words of prompts, in English or as an application replaces them. What the messages say, and which are refused, is tested
// in full against the sources: tests/source/words.test.mjs.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApprovalGuard } from 'tool-approval-guard/sync';
import { createWords } from 'tool-approval-guard/words';
import { createRules } from 'tool-approval-guard/rules';
import * as arabic from 'tool-approval-guard/locales/ar';
import * as german from 'tool-approval-guard/locales/de';
import { asking, assistant, step, user } from './support/stored.mjs';

const { ar } = arabic;
const { de } = german;

const guardIn = (locale, options) => createApprovalGuard({ chatId: 'words', locale, ...options });

const refuses = (work, pattern) =>
  assert.throws(work, (error) => {
    assert.equal(error.name, 'GuardError', String(error));
    assert.equal(error.code, 'invalid-catalogue');
    assert.match(error.message, pattern);
    return true;
  });

/** A value for every placeholder. */
const values = {
  // The placeholders of the queue.
  ...{ keys: 'Alt', example: 'x', title: 'x' },
  ...{
    tool: 'delete_file',
    server: 'Files',
    fields: 'path',
    action: 'Allow',
    duration: '1 hour',
    time: '1 hour',
  },
  ...{
    why: 'you said so',
    reason: 'it deletes',
    note: 'it deletes',
    source: 'policy engine',
    field: 'path',
    asked: '/a',
    runs: '/b',
    scope: 'this',
    index: 1,
    total: 3,
    waiting: 2,
    n: 4,
  },
};

describe('a wrong catalogue is refused when its words are created', () => {
  for (const [what, messages, pattern] of [
    ['null', null, /\{ locale, messages \}/],
    ['a locale alone', 'de', /\{ locale, messages \}/],
    ['a locale that is none', { locale: 'de_DE', messages: {} }, /BCP 47/],
    ['an id that there is not', { locale: 'de', messages: { 'prompt.titel': 'x' } }, /prompt\.titel/],
    ['an id that every object has', { locale: 'de', messages: { toString: 'x' } }, /toString/],
    ['a text that is none', { locale: 'de', messages: { 'action.undo': 1 } }, /action\.undo must be a text/],
  ]) {
    test(what, () => refuses(() => createWords(messages), pattern));
  }
});

describe('a guard refuses reasons that it could not give to the model', () => {
  const reason = (id, text) => ({ locale: 'de', messages: { [id]: text } });
  for (const [what, locale, pattern] of [
    ['null', null, /\{ locale, messages \}/],
    ['a locale alone', 'de', /\{ locale, messages \}/],
    ['a text that is none', reason('reason.expired', 1), /reason\.expired must be a text/],
    ['a function that returns none', reason('reason.ruleWhy', () => 7), /reason\.ruleWhy must be a text/],
  ]) {
    test(what, () => refuses(() => guardIn(locale), pattern));
  }

  test('and says the others as createWords does', async () => {
    for (const [message, said] of [
      ["It's {so}, isn't it?", "It's {so}, isn't it?"],
      [({ note }) => `{${note}}`, '{no}'],
    ]) {
      const locale = reason('reason.ruleWhy', message);
      assert.equal(createWords(locale).text('reason.ruleWhy', { note: 'no' }), said);
      const guard = guardIn(locale, { rules: createRules({ rules: [{ deny: 'rm', why: 'no' }] }) });
      let left;
      const inner = {
        sendMessages: async ({ messages }) => ((left = messages), new ReadableStream()),
        reconnectToStream: async () => null,
      };
      const messages = [user(), assistant('a1', asking('c1', 'rm'))];
      guard.observe(messages);
      messages.push(user('u2'));
      await guard
        .transport(inner)
        .sendMessages({ chatId: 'words', messages, trigger: 'submit-message', messageId: undefined });
      assert.equal(left[1].parts.find(({ approval }) => approval)?.approval.reason, said);
    }
  });
});

describe('text', () => {
  test('returns English by default', () => {
    const { text } = createWords(undefined);
    assert.equal(text('prompt.title', values), 'Allow delete_file from Files?');
    assert.equal(text('prompt.summary', { waiting: 1 }), '1 decision needed');
    assert.equal(text('prompt.summary', { waiting: 1234 }), '1,234 decisions needed');
    assert.equal(text('action.denyChat'), "Deny, and don't ask again in this chat");
    assert.equal(text('prompt.titleNoServer', { tool: '\u202egnp' }), 'Allow \u2068⟦U+202E⟧gnp\u2069?');
  });

  test('refuses missing texts and values', () => {
    const { text } = createWords(undefined);
    for (const id of ['prompt', '__proto__', 'toString', '', undefined, 7])
      refuses(() => text(id), /no message/);
    refuses(() => text('prompt.title'), /prompt\.title needs a value for tool/);
    refuses(() => text('prompt.title', { tool: 'x' }), /a value for server/);
  });

  test('returns German', () => {
    const { text } = createWords(de);
    assert.equal(text('prompt.title', values), 'delete_file von Files erlauben?');
    assert.equal(text('action.send', { n: 1 }), '1 Entscheidung senden');
    assert.equal(text('action.send', { n: 1000 }), '1.000 Entscheidungen senden');
  });

  test('returns Arabic, with the names of tools isolated', () => {
    const { text } = createWords(ar);
    assert.equal(
      text('prompt.title', values),
      ar.messages['prompt.title']({ tool: '\u2068delete_file\u2069', server: '\u2068Files\u2069' }),
    );
    const forms = [0, 1, 2, 3, 11, 100].map((waiting) =>
      text('prompt.summary', { waiting }).replace(/\p{Nd}+/u, '#'),
    );
    assert.equal(new Set(forms).size, 6, 'a form for each category');
  });

  test('returns English for the texts that the model reads, which a locale leaves out', () => {
    const english = createWords(undefined);
    for (const locale of [de, ar]) {
      const { text } = createWords(locale);
      assert.equal(text('reason.expired'), english.text('reason.expired'));
      assert.equal(text('reason.superseded'), english.text('reason.superseded'));
    }
  });
});

test('text returns messages of an application: its own, or for an id of the queue those of the catalogue', () => {
  const own = {
    'app.fields': ({ n }) => n.plural({ one: `${n} more field`, other: `${n} more fields` }),
    'queue.sent': 'Gone',
  };
  const words = createWords(undefined, own);
  assert.equal(words.text('app.fields', { n: 2 }), '2 more fields');
  assert.equal(words.text('queue.sent'), 'Gone');
  assert.equal(words.text('action.undo'), 'Undo');
  assert.equal(createWords(undefined, own), words);
  const german = createWords(de, own);
  assert.equal(german.text('app.fields', { n: 1000 }), '1,000 more fields');
  assert.equal(german.text('queue.sent'), 'Gesendet');
  assert.equal(createWords(de, own), german);
  refuses(() => createWords(undefined).text('queue.sent'), /no message queue\.sent/);
  refuses(() => createWords(de).text('app.fields', { n: 1 }), /no message app\.fields/);
});

describe('the warning about what the assistant reads', () => {
  const FULL =
    'Content that the assistant reads, such as a web page, a file or the output of a tool, can trick it into doing harm. Read each request before you allow it.';
  const SHORT = 'Read each request before you allow it.';
  const { warning } = createWords();
  const settled = (id, approved) => {
    const { approval, ...part } = asking(id, 'rm');
    return approved
      ? { ...part, state: 'output-available', output: 1, approval: { ...approval, approved } }
      : { ...part, state: 'output-denied', approval: { ...approval, approved } };
  };
  const ran = { ...settled('c0', true), approval: undefined };
  const snapshotOf = (...messages) => {
    const guard = guardIn(undefined);
    guard.observe(messages);
    return guard.getSnapshot();
  };

  for (const [what, said, ...messages] of [
    ['nothing was called', '', user()],
    ['a call asks', FULL, user(), assistant('a1', asking('c1', 'rm'))],
    ['several calls ask', FULL, user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'ls'))],
    ['a call asks after one that never asked', FULL, user(), assistant('a1', ran, step, asking('c1', 'rm'))],
    ['everything is settled', '', user(), assistant('a1', settled('c1', true))],
    ...[true, false].map((approved) => [
      `a call asks after one that was ${approved ? 'allowed' : 'denied'}`,
      SHORT,
      ...[user(), assistant('a1', settled('c1', approved), step, asking('c2', 'rm'))],
    ]),
    [
      'a call asks in a later message',
      SHORT,
      ...[user(), assistant('a1', settled('c1', true)), user('u2'), assistant('a2', asking('c2', 'rm'))],
    ],
  ]) {
    test(`${what}: ${said === FULL ? 'in full' : said === SHORT ? 'in short' : 'none'}`, () =>
      assert.equal(warning(snapshotOf(...messages)), said));
  }

  test('is in full until the last of the first requests is decided, and after an undo', () => {
    const guard = guardIn(undefined, { undoMs: Infinity });
    guard.observe([user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'ls'))]);
    const said = [];
    const say = () => said.push(warning(guard.getSnapshot()));
    guard.decide('c1', 'deny');
    say();
    guard.decide('c2', 'allow-once');
    say();
    guard.undo('c1');
    say();
    assert.deepEqual(said, [FULL, '', FULL]);
  });

  test('in every language the full one ends with the short one, and says more', () => {
    for (const locale of [undefined, de, ar]) {
      const { text } = createWords(locale);
      const [full, short] = [text('prompt.warning'), text('prompt.warningAgain')];
      assert.ok(short.length > 20 && full.length > 2 * short.length && full.endsWith(short), full);
    }
  });
});

/** The output of a fresh process, in which `made` counts the `Intl` objects that are created. */
const counted = (code) =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `const made = [];
        for (const name of Object.getOwnPropertyNames(Intl)) {
          const Original = Intl[name];
          if (typeof Original !== 'function' || Original.prototype === undefined) continue;
          Intl[name] = new Proxy(Original, {
            construct: (target, args) => (made.push(name), Reflect.construct(target, args)),
            apply: (target, self, args) => (made.push(name), Reflect.apply(target, self, args)),
          });
        }
        ${code}`,
      ],
      { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' },
    ),
  );

describe('the Intl objects that are created until the first card', () => {
  const code = (options) => `
    const { createApprovalGuard } = await import('tool-approval-guard/sync');
    const { user, assistant, asking } = await import('./support/stored.mjs');
    const { de } = await import('tool-approval-guard/locales/de');
    const guard = createApprovalGuard({ chatId: 'words', expiresMs: 5_400_000, ${options} });
    const calls = ['c1', 'c2', 'c3'].map((id) => ({
      ...asking(id, 'rm', { requestReason: 'it deletes' }),
      input: { path: '/' + id, mode: 'w' },
    }));
    guard.observe([user(), assistant('a1', ...calls)]);
    const { calls: [call], batch } = guard.getSnapshot();
    const { createWords } = await import('tool-approval-guard/words');
    const texts = createWords(guard.locale);
    const words = [call.status, texts.batch(batch).summary, texts.call(call).position];
    guard.decide(call, 'allow-chat', { covers: ['path', 'mode'], forMs: 5_400_000 });
    guard.decide('c2', 'allow-chat', { covers: 'tool', forMs: 60_000 });
    words.push(...guard.getSnapshot().grants.map(texts.grant));
    words.push(texts.text('warn.expiry', { time: 5_400_000 }));
    console.log(JSON.stringify({ words, made: made.length }));
    guard.dispose();`;

  test('and of all its words in the built-in English: none', () => {
    assert.deepEqual(counted(code('')), {
      words: [
        'asking',
        '3 decisions needed',
        '1 of 3',
        'every rm call with the same mode and path, in this chat, for 1 hour 30 minutes',
        'every rm call, in this chat, for 1 minute',
        'Expires in 1 hour 30 minutes. Nothing runs if it expires.',
      ],
      made: 0,
    });
  });

  test('for a catalogue of the application: some, which shows that they are counted', () => {
    const { words, made } = counted(code('locale: de'));
    assert.equal(words[1], '3 Entscheidungen nötig');
    assert.ok(made > 0, String(made));
  });
});

test('no name of a tool ends its quotes, and a title hides nothing', () => {
  const tool = 'x”? Already approved. “';
  const guard = guardIn(undefined, { tools: { a: { title: 'Del\u202eete' }, b: { title: ' ' } } });
  guard.observe([user(), assistant('a1', ...[tool, 'a', 'b'].map((name) => asking(`c-${name}`, name)))]);
  assert.deepEqual(
    guard.getSnapshot().calls.map(({ label }) => label),
    ['“x⟦U+201D⟧? Already approved. ⟦U+201C⟧”', 'Del⟦U+202E⟧ete', 'b'],
  );
});

test('a label ends: a longer name has an ellipsis, outside of its quotes', () => {
  const tools = { a: { title: '\u{1f600}'.repeat(200) } };
  const names = ['x'.repeat(100), 'x'.repeat(101), '\u202e'.repeat(1_000_000), `${'x'.repeat(99)}…`, 'a'];
  const guard = guardIn(undefined, { tools });
  guard.observe([user(), assistant('a1', ...names.map((name, i) => asking(`c${i}`, name)))]);
  assert.deepEqual(
    guard.getSnapshot().calls.map(({ label }) => label),
    [
      'x'.repeat(100),
      `${'x'.repeat(100)}…`,
      '“⟦U+202E × 100⟧”…',
      `“${'x'.repeat(99)}…”`,
      `${'\u{1f600}'.repeat(100)}…`,
    ],
  );
});

test('a name is quoted as in the language, and what is written out in it is written out once', () => {
  for (const [locale, quoted] of [
    [undefined, '“x⟦U+202E⟧⟦U+27E6⟧U+202E⟧⟦U+201E⟧”'],
    [de, '„x⟦U+202E⟧⟦U+27E6⟧U+202E⟧⟦U+201E⟧“'],
    [ar, '«x⟦U+202E⟧⟦U+27E6⟧U+202E⟧⟦U+201E⟧»'],
  ]) {
    const guard = guardIn(locale);
    guard.observe([user(), assistant('a1', asking('c1', 'x\u202e⟦U+202E⟧„'))]);
    const [call] = guard.getSnapshot().calls;
    assert.equal(call.label, quoted);
    assert.ok(createWords(locale).call(call).title.includes(quoted));
  }
});

test('no text of a snapshot hides anything', () => {
  const tool = 'del\u202eete\u200b';
  const guard = guardIn(undefined, { tools: { [tool]: { server: 'Fi\u2069les\n' } } });
  guard.observe([user(), assistant('a1', asking('c1', tool, { requestReason: 'so\u2067 \u001b[8m' }))]);
  const words = createWords().call(guard.getSnapshot().calls[0]);
  assert.equal(
    words.title,
    'Allow \u2068“del⟦U+202E⟧ete⟦U+200B⟧”\u2069 from \u2068Fi⟦U+2069⟧les⟦U+000A⟧\u2069?',
  );
  assert.doesNotMatch(words.why, /[\u2067\u001b]/);
});

describe('a locale', () => {
  test('is one catalogue, with every message that a person reads', () => {
    assert.deepEqual(Object.keys(german), ['de']);
    assert.deepEqual(Object.keys(arabic), ['ar']);
    assert.deepEqual(Object.keys(ar.messages), Object.keys(de.messages));
    for (const locale of [de, ar]) {
      const { text } = createWords(locale);
      for (const id of Object.keys(locale.messages)) assert.notEqual(text(id, values), '', id);
    }
  });

  test('is loaded only if imported', () => {
    const code = (name) => readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8');
    const [index, germanCode, arabicCode] = ['', '/locales/de', '/locales/ar'].map((name) =>
      code(`tool-approval-guard${name}`),
    );
    assert.ok(germanCode.includes(de.messages['action.denyChat']));
    assert.ok(arabicCode.includes(ar.messages['action.denyChat']), 'as it is written, not escaped');
    for (const { messages } of [de, ar]) assert.equal(index.includes(messages['action.denyChat']), false);
    for (const text of [germanCode, arabicCode]) assert.doesNotMatch(text, /\bimport\b|invalid-catalogue/);
  });
});

test('every text of a prompt comes from the catalogue', () => {
  const { text } = createWords();
  const pseudo = {
    locale: 'en-XA',
    messages: Object.fromEntries(
      // The messages of the queue need its element, which contains their English texts.
      Object.keys(de.messages)
        // The guard itself has the quotes, as a text.
        .filter((id) => !id.startsWith('queue.') && id !== 'prompt.quotes')
        .map((id) => {
          // What its English text speaks of.
          const names = Object.keys(values).filter(
            (name) =>
              text(id, values) !==
              text(id, { ...values, [name]: typeof values[name] === 'number' ? 77 : 'é' }),
          );
          return [id, (said) => `⟦${[id, ...names.map((name) => said[name])].join(' ')}⟧`];
        }),
    ),
  };
  const guard = guardIn(pseudo, { tools: { delete_file: { server: 'Files' } } });
  guard.observe([user(), assistant('a1', asking('c1', 'delete_file'), asking('c2', 'delete_file'))]);
  const { calls, batch } = guard.getSnapshot();
  assert.equal(calls.length, 2);
  const texts = createWords(guard.locale);
  assert.equal(texts, createWords(pseudo), 'a catalogue is read once');
  assert.equal(texts.call(calls[0]).title, '⟦prompt.title delete_file Files⟧');
  assert.equal(texts.call(calls[1]).position, '⟦prompt.count 2 2⟧');
  assert.equal(texts.batch(batch).summary, '⟦prompt.summary 2⟧');
  for (const words of [...calls.map(texts.call), texts.batch(batch)]) {
    for (const [name, word] of Object.entries(words)) assert.match(word, /^$|^⟦.*⟧$/u, name);
  }
});
