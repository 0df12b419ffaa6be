// Texts as they are shown: against a corpus of nasty ones and random mixtures of what is in it, with an
// oracle that goes through code points and shares nothing with the expressions of escape-invisible.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import fc from 'fast-check';

import { byBreadth } from '../support/breadth.mjs';
import { NASTY } from './nasty.mjs';

// The same values at each run, so that a failure can be told from a change; another seed finds others.
fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const outfile = at('target/source/escape.mjs');
await build({
  entryPoints: [at('pkg-template/src/escape.ts')],
  bundle: true,
  outfile,
  format: 'esm',
  target: 'es2022',
});
const { escapeTokens, escapeInvisible } = await import(pathToFileURL(outfile));

/** Code points that a person does not see, from the charts; those that are not assigned are asked for. */
const UNSEEN = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad],
  [0x34f],
  [0x600, 0x605],
  [0x61c],
  [0x6dd],
  [0x70f],
  [0x890, 0x891],
  [0x8e2],
  [0x115f, 0x1160],
  [0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x27e6], // the bracket that begins what is written out
  [0x2800],
  [0x3000],
  [0x3164],
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff],
  [0xffa0],
  [0xfff0, 0xfffc],
  [0xfffe, 0xffff],
  [0x110bd],
  [0x110cd],
  [0x13430, 0x1343f],
  [0x13441, 0x13442],
  [0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0x10ffff],
];
/** The answer for each code point, asked once. @param {(point: number) => boolean} ask */
function remembered(ask) {
  const known = new Map();
  return (point) => {
    if (!known.has(point)) known.set(point, ask(point));
    return known.get(point);
  };
}
const isUnseen = remembered(
  (point) =>
    UNSEEN.some(([first, last = first]) => point >= first && point <= last) ||
    /\p{Unassigned}/u.test(String.fromCodePoint(point)),
);

const JOINING = new RegExp(
  `^(?=\\p{Letter}|\\p{Mark})[${[
    ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Phags_Pa', 'Hanifi_Rohingya', 'Adlam'],
    ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
    ...['Sinhala', 'Khmer', 'Myanmar'],
    ...['Thaana', 'Samaritan'],
  ]
    .map((name) => `\\p{Script_Extensions=${name}}`)
    .join('')}]$`,
  'u',
);
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((name) => [
  0x1f3f4,
  ...Array.from(name, (char) => 0xe0000 + char.charCodeAt(0)),
  0xe007f,
]);
const [ZWNJ, ZWJ, TEXT, PICTURE, CAP] = [0x200c, 0x200d, 0xfe0e, 0xfe0f, 0x20e3];
const char = (point) => (point === undefined ? '' : String.fromCodePoint(point));
const isTone = (point) => point >= 0x1f3fb && point <= 0x1f3ff;
const isPicture = (point) =>
  point > 0x7f &&
  !isTone(point) &&
  !(point >= 0x1f1e6 && point <= 0x1f1ff) &&
  /^\p{Emoji}$/u.test(char(point));
const isSelector = (point) => (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef);

/** Has the unseen code point at this place a business there? */
function hasPlace(points, i) {
  const [before, point, after] = [points[i - 1], points[i], points[i + 1]];
  if (point === PICTURE && after === CAP && /^[0-9#*]$/.test(char(before))) return true;
  if (point === PICTURE || point === TEXT) return isPicture(before) && !isSelector(after);
  const base = before === PICTURE || isTone(before) ? points[i - 2] : before;
  if (point === ZWJ && isPicture(base) && isPicture(after)) return true;
  if (point === ZWJ || point === ZWNJ) return JOINING.test(char(before)) && JOINING.test(char(after));
  return FLAGS.some((flag) =>
    flag.some((_, from) => from > 0 && flag.every((part, k) => points[i - from + k] === part)),
  );
}

/** What is wrong with what is shown as it is. */
function* faults(tokens, lines) {
  for (const [n, { text, kind }] of tokens.entries()) {
    if (kind === 'hidden') {
      if (!/^⟦U\+[0-9A-F]{4,6}(?: U\+000A)?(?: × [1-9]\d*)?⟧$/.test(text)) yield `a strange token ${text}`;
      continue;
    }
    if (kind !== 'plain' || text === '') yield `no token: ${JSON.stringify(tokens[n])}`;
    if (tokens[n - 1]?.kind === 'plain') yield 'two plain tokens';
    const points = Array.from(text, (one) => one.codePointAt(0));
    let marks = 0;
    for (const [i, point] of points.entries()) {
      const isLine = point === 10 || point === 9 || (point === 13 && points[i + 1] === 10);
      if (isUnseen(point) && !(lines && isLine) && !hasPlace(points, i)) {
        yield `U+${point.toString(16)} at ${i}`;
      }
      // The selector and the cap of a key are one sign with it.
      const isKey = [i, i - 1].some((k) => points[k] === PICTURE && points[k + 1] === CAP);
      const isMark = !isKey && point !== PICTURE && point !== TEXT && /^[\p{Mn}\p{Me}]$/u.test(char(point));
      if (i === 0 && /^\p{M}$/u.test(char(point))) yield 'a mark on nothing';
      // A joiner does not end a stack, and what is on the other side of it is on the same letter.
      marks = isMark ? marks + 1 : point === ZWJ || point === ZWNJ ? marks : 0;
      if (marks > 4) yield `${marks} marks on one letter at ${i}`;
    }
    if (n === 0 && /^[ \t]/.test(text)) yield 'white space at the start';
    if (n === tokens.length - 1 && /[ \t]$/.test(text)) yield 'white space at the end';
    for (const [blank] of text.matchAll(/\s+/g)) {
      const rows = blank.split('\n');
      if (rows.length > 5) yield 'many lines';
      for (const [k, row] of rows.entries()) {
        const most = k > 0 && lines ? 4 : 1;
        const spaces = row.replace(/\r$/, '');
        if (spaces.length > 8 * most || spaces.split('\t').length - 1 > 4 * most) yield 'much white space';
      }
    }
  }
}

/** The text that tokens stand for. */
const original = (tokens) =>
  tokens
    .map(({ text, kind }) => {
      if (kind === 'plain') return text;
      const points = [...text.matchAll(/U\+([0-9A-F]+)/g)].map(([, hex]) => parseInt(hex, 16));
      const [, times = '1'] = / × (\d+)⟧$/.exec(text) ?? [];
      return points.map(char).join('').repeat(Number(times));
    })
    .join('');

/** The text that a shown text stands for. */
const readBack = (joined) =>
  joined.replace(/⟦([^⟧]*?)(?: × (\d+))?⟧/g, (_, points, times = '1') =>
    points
      .split(' ')
      .map((point) => char(parseInt(point.slice(2), 16)))
      .join('')
      .repeat(Number(times)),
  );

/** Everything that holds for any text. */
function check(text) {
  for (const lines of [true, false]) {
    const tokens = escapeTokens(text, { lines });
    assert.deepEqual([...faults(tokens, lines)], [], JSON.stringify(text.slice(0, 300)));
    assert.equal(original(tokens), text);
    const joined = escapeInvisible(text, { lines });
    assert.equal(joined, tokens.map((token) => token.text).join(''));
    // What is shown is safe to be shown, and stands for one text only.
    const bare = joined.replaceAll('⟦', '[');
    assert.deepEqual(escapeTokens(bare, { lines }), bare ? [{ text: bare, kind: 'plain' }] : []);
    assert.equal(readBack(joined), text);
  }
}

describe('the corpus', () => {
  test('has more than 300 texts, each once', () => {
    assert.ok(NASTY.length >= 300, `${NASTY.length}`);
    assert.equal(new Set(NASTY.map(({ text }) => text)).size, NASTY.length);
    assert.equal(new Set(NASTY.map(({ name }) => name)).size, NASTY.length);
    const stays = NASTY.filter((one) => one.stays).length;
    assert.ok(stays > 100 && NASTY.length - stays > 150, `${stays} of ${NASTY.length} stay`);
  });

  for (const { name, text, stays = false } of NASTY) {
    test(name, () => {
      check(text);
      const tokens = escapeTokens(text);
      if (stays) assert.deepEqual(tokens, [{ text, kind: 'plain' }]);
      else assert.ok(tokens.some(({ kind }) => kind === 'hidden'));
      // In the middle of a text it is no other than alone, but for white space and marks at an end.
      if (stays && !/^[\s\p{M}]|\s$/u.test(text)) {
        assert.deepEqual(escapeTokens(`a ${text} b`), [{ text: `a ${text} b`, kind: 'plain' }]);
      }
    });
  }
});

describe('what is shown', () => {
  for (const [text, expected, options] of [
    ['', ''],
    ['abc', 'abc'],
    ['a\u200bb', 'a⟦U+200B⟧b'],
    ['\u200b'.repeat(100_000), '⟦U+200B × 100000⟧'],
    ['\u200b\u200b\u200c', '⟦U+200B × 2⟧⟦U+200C⟧'],
    ['a\u{e0061}', 'a⟦U+E0061⟧'],
    ['\ud83d', '⟦U+D83D⟧'],
    ['\0', '⟦U+0000⟧'],
    ['\u001b[31m', '⟦U+001B⟧[31m'],
    ['a\rb', 'a⟦U+000D⟧b'],
    ['a\r\nb', 'a\r\nb'],
    ['a\r\nb\tc\nd', 'a⟦U+000D U+000A⟧b⟦U+0009⟧c⟦U+000A⟧d', { lines: false }],
    ['a\r\n\r\n\r\n\r\n\r\nb', 'a⟦U+000D U+000A × 5⟧b'],
    ['\tx', '⟦U+0009⟧x'],
    ['x\t', 'x⟦U+0009⟧'],
    [`x${' '.repeat(512)}y`, 'x⟦U+0020 × 512⟧y'],
    [`x${' '.repeat(8)}y`, `x${' '.repeat(8)}y`],
    ['x\n\n\n\n\ny', 'x⟦U+000A × 5⟧y'],
    [`x\n${' '.repeat(32)}y`, `x\n${' '.repeat(32)}y`],
    [`x\n${' '.repeat(33)}y`, 'x\n⟦U+0020 × 33⟧y'],
    [`x\n${' '.repeat(32)}y`, 'x⟦U+000A⟧⟦U+0020 × 32⟧y', { lines: false }],
    [' a ', '⟦U+0020⟧a⟦U+0020⟧'],
    ['   ', '⟦U+0020 × 3⟧'],
    ['a\u0301\u0302\u0303\u0304', 'a\u0301\u0302\u0303\u0304'],
    ['a\u0301\u0302\u0303\u0304\u0305', 'a⟦U+0301⟧⟦U+0302⟧⟦U+0303⟧⟦U+0304⟧⟦U+0305⟧'],
    ['\u0301a', '⟦U+0301⟧a'],
    ['a\u200b\u0338', 'a⟦U+200B⟧⟦U+0338⟧'],
    ['\u{1f600}\ufe0f\ufe0f', '\u{1f600}⟦U+FE0F × 2⟧'],
    ['\u2764\ufe0e\ufe0f', '\u2764⟦U+FE0E⟧⟦U+FE0F⟧'],
    ['\u2764\ufe0f\ufe0e', '\u2764⟦U+FE0F⟧⟦U+FE0E⟧'],
    ['\u{1f600}\u200d', '\u{1f600}⟦U+200D⟧'],
    ['1\ufe0f', '1⟦U+FE0F⟧'],
    ['\u0645\u06cc\u200c', '\u0645\u06cc⟦U+200C⟧'],
    ['a⟦U+202E⟧b', 'a⟦U+27E6⟧U+202E⟧b'],
    ['⟦⟦⟧⟧', '⟦U+27E6 × 2⟧⟧⟧'],
  ]) {
    const what = text.length > 40 ? `${text.length} × ${JSON.stringify(text[0])}` : JSON.stringify(text);
    test(`${what}${options ? ' in one line' : ''}`, () =>
      assert.equal(escapeInvisible(text, options), expected));
  }

  test('every code point between two letters is shown as it is, or as its number', () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      const text = `a${char(point)}b`;
      const expected =
        isUnseen(point) && point !== 9 && point !== 10
          ? `a⟦U+${point.toString(16).toUpperCase().padStart(4, '0')}⟧b`
          : text;
      if (escapeInvisible(text) !== expected)
        assert.equal(escapeInvisible(text), expected, point.toString(16));
    }
  });

  test('no line breaks or tabs stay in one line, and nothing else changes with it', () => {
    for (const { text } of NASTY) {
      const joined = escapeInvisible(text, { lines: false });
      assert.doesNotMatch(joined, /[\n\r\t]/);
      if (!/[\n\r\t]/.test(text)) assert.equal(joined, escapeInvisible(text));
    }
  });
});

describe('random texts', () => {
  const pieces = [
    ...NASTY.map(({ text }) => text).filter((text) => text.length < 12),
    ...'\u200b\u200c\u200d\ufe0e\ufe0f\u20e3\u202e\u2069\u0301\u0302\u034f\u0915\u094d\u0951\u0645\u0651 \t\n\r1#a\u{1f600}\u2764\u{1f3fd}\u{1f1e9}\u{1f3f4}\u{e0067}\u{e007f}\ud83d\ude00',
    '    ',
    '\n\n',
    '\r\n',
    '\u0300\u0300\u0300',
  ];
  const unit = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
  );
  const text = fc.array(unit, { maxLength: 14 }).map((list) => list.join(''));

  test('of all kinds of pieces', () => {
    fc.assert(fc.property(text, check), { numRuns: byBreadth({ commit: 2_000, all: 8_000 }) });
  });

  test('of short pieces next to each other: two in all ways, and three in many', () => {
    const short = [...new Set(pieces.filter((piece) => [...piece].length === 1))];
    assert.ok(short.length > 30);
    // Of each two, every eleventh third one, and with other two another.
    const every = byBreadth({ commit: 11, all: 1 });
    for (const [i, a] of short.entries())
      for (const [j, b] of short.entries()) {
        check(a + b);
        for (let k = (i + j) % every; k < short.length; k += every) check(a + b + short[k]);
      }
  });

  test('of any UTF-16 units', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
          .map((units) => String.fromCharCode(...units)),
        check,
      ),
      { numRuns: 1000 },
    );
  });
});

describe('the time it takes', () => {
  /** The least milliseconds of the processor, which has other work too. */
  const best = (work, runs) => {
    let least = Infinity;
    for (let i = 0; i < runs; i++) {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      least = Math.min(least, (user + system) / 1000);
    }
    return least;
  };
  const fill = (unit, length) => unit.repeat(Math.ceil(length / unit.length));

  for (const [what, unit] of [
    ['English', 'The quick brown fox jumps over the lazy dog. '],
    ['code', 'function f(a) {\n  return a + 1; // \u2013 one more\n}\n'],
    ['German', 'L\u00f6sche die Stra\u00dfe, \u201ebitte\u201c. '],
    ['Chinese', '\u5220\u9664\u6587\u4ef6\u3002'],
  ]) {
    test(`256 KB of ${what} that is plain`, (t) => {
      // Written anew, so that it is flat as a text from the network is.
      const text = JSON.parse(JSON.stringify(`${fill(unit, 262_144)}x`));
      assert.equal(escapeTokens(text).length, 1);
      const time = best(() => escapeTokens(text), 20);
      t.diagnostic(`${time.toFixed(2)} ms`);
      assert.ok(time < 6, `${time} ms`);
    });
  }

  for (const unit of [
    ...[
      '\u200b',
      '\u200b\u200c',
      ' ',
      '\t',
      '\n',
      ' \n',
      '\r',
      '\r\n',
      '    x',
      '\u0301',
      '\u0301\u0302',
      'a\u0301',
    ],
    ...[
      '\u{1f600}\u200d',
      '\u{1f469}\u{1f3fd}\u200d',
      '\u0915\u094d\u200d',
      '\u0645\u200c',
      '1\ufe0f',
      '\ud83d',
    ],
    ...[
      '\u{1f3f4}\u{e0067}\u{e0062}',
      '\u{e0067}',
      '\ufe0f',
      '\u2068',
      '\u0915\u0951\u0951\u200d',
      'a \u200b',
    ],
  ]) {
    test(`a long text of ${JSON.stringify(unit)} takes no more than its length`, () => {
      const length = byBreadth({ commit: 400_000, all: 1_000_000 });
      const [half, whole] = [length / 2, length].map((length) => `${fill(unit, length)}x`);
      escapeTokens(half);
      const short = best(() => escapeTokens(half), 1);
      let long = Infinity;
      const isLong = () => long >= 5 * short + 100;
      // Another program may have run meanwhile, so the shortest of some times counts.
      for (let i = 0; i < 5 && isLong(); i += 1)
        long = Math.min(
          long,
          best(() => escapeTokens(whole), 1),
        );
      assert.ok(!isLong(), `${short} ms, and ${long} ms for twice of it`);
      assert.ok(long < 8_000, `${long} ms`);
    });
  }

  const most = byBreadth({ commit: 8, all: 30 });
  test(`${most} MB of one thing are no more than the engine can do`, () => {
    for (const unit of [' ', '\u0301']) assert.ok(escapeTokens(fill(unit, most * 1_000_000)).length > 0);
  });
});
