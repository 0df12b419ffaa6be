// The hash that says whether an input is still the one that was shown.
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';

import { bundle } from './load.mjs';

const file = await bundle('chat/digest');
const { digest, INPUT_BUDGET, OUTPUT_BUDGET } = await import(file);

const of = (value, budget = INPUT_BUDGET) => {
  const out = new Uint32Array(2);
  digest(value, budget, out);
  return `${out[0]} ${out[1]}`;
};

/** The same value with the keys of its objects in another order. */
const turned = (value) =>
  Array.isArray(value)
    ? value.map(turned)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, field]) => [key, turned(field)]),
        )
      : value;

describe('digest', () => {
  test('equal values have equal hashes, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        assert.equal(of(structuredClone(value)), of(value));
        assert.equal(of(turned(value)), of(value));
      }),
      { numRuns: 300 },
    );
  });

  test('other values have other hashes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
        fc.pre(JSON.stringify(turned(turned(a))) !== JSON.stringify(turned(turned(b))));
        fc.pre(JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b)));
        assert.notEqual(of(a), of(b));
      }),
      { numRuns: 500 },
    );
  });

  test('the same texts and numbers in another structure have another hash', () => {
    /** Where each list ends and which text is whose: what a hash of the values alone would not tell. */
    const groups = [
      [[[1], 2], [[1, 2]], [[], 1, 2], [[[], 1], 2], [1, [2]], [1, 2, []]],
      [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }, { a: { b: 1 }, c: [2] }, ['a', { b: 1 }, 'c', 2]],
      [['rm', '-rf'], ['r', 'm-rf'], ['rm-rf', ''], ['', 'rm-rf'], [['rm', '-rf']]],
      ['1', 1, [1], ['1'], { 1: 1 }, { 1: '1' }],
      ['null', null, 'true', true, 'false', false, [null], []],
      ['12', '1', ['1', '2'], ['12'], [1, 2], [12]],
    ];
    for (const group of groups) {
      assert.equal(new Set(group.map((value) => of(value))).size, group.length, JSON.stringify(group));
    }
  });

  test('each bit of the value changes about half of the bits of the hash', () => {
    const bits = (text) => of(text).split(' ').map(Number);
    const count = (word) => word.toString(2).replaceAll('0', '').length;
    let changed = 0;
    let pairs = 0;
    for (let place = 0; place < 8; place++) {
      for (let bit = 0; bit < 16; bit++) {
        const units = [97, 98, 99, 100, 101, 102, 103, 104];
        const [low, high] = bits(String.fromCharCode(...units));
        units[place] ^= 1 << bit;
        const [otherLow, otherHigh] = bits(String.fromCharCode(...units));
        changed += count((low ^ otherLow) >>> 0) + count((high ^ otherHigh) >>> 0);
        pairs += 1;
      }
    }
    assert.ok(changed / pairs > 28 && changed / pairs < 36, `${changed / pairs} of 64 bits`);
  });

  test('its key is of this process: what collides in one does not help in another', () => {
    const script = `import { digest, INPUT_BUDGET } from ${JSON.stringify(file)};
      const out = new Uint32Array(2); digest({ path: '/a' }, INPUT_BUDGET, out); console.log(out.join(' '));`;
    const run = () =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
    assert.equal(new Set([run(), run(), of({ path: '/a' })]).size, 3);
  });

  test('what is too long is equal to nothing else, and says so by being even', () => {
    const long = 'x'.repeat(INPUT_BUDGET + 1);
    const hash = of([long, long]);
    assert.notEqual(of([long, long]), hash);
    assert.equal(Number(hash.split(' ')[0]) % 2, 0);
    assert.equal(Number(of('short').split(' ')[0]) % 2, 1);
  });

  test('C41 an object that is there twice is told from another one in its place', () => {
    const [one, other] = [{ path: '/a' }, { path: '/b' }];
    assert.notEqual(of([one, other, one]), of([one, other, other]));
    assert.equal(of([one, other, one]), of(structuredClone([one, other, one])));
    const round = {};
    round.self = [round];
    const inner = { self: [] };
    inner.self.push(inner.self);
    assert.notEqual(of(round), of(inner), 'in a circle, too');
  });

  test('an output is sampled', () => {
    const long = 'x'.repeat(OUTPUT_BUDGET);
    assert.equal(of([long, 'a'], OUTPUT_BUDGET), of([long, 'b'], OUTPUT_BUDGET));
    assert.notEqual(of([long, 'a']), of([long, 'b']));
  });
});

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
