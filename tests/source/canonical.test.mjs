// The canonical JSON of an input: equal for what is the same on the wire, and nothing for the rest.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import vm from 'node:vm';

import canonicalize from 'canonicalize';
import fc from 'fast-check';

import { load } from './load.mjs';

const { canonical, DEPTH, LENGTH, pick } = await load('chat/canonical');

// The same values at each run, so that a failure can be told from a change; another seed finds others.
fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 8 }));
const key = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'toString', 'constructor', 'toJSON', '', '1', '10', '2'),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e20, max: 1e23 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-8, max: 1e-5 }),
);
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}));

const isObject = (value) => typeof value === 'object' && value !== null;

/** The same value, with the keys of every object put in another order. */
const reordered = (value) => {
  if (Array.isArray(value)) return value.map(reordered);
  if (!isObject(value)) return value;
  const copy = Object.create(null);
  for (const name of Object.keys(value).reverse()) copy[name] = reordered(value[name]);
  return copy;
};

const nested = (levels, inner = []) => {
  let value = inner;
  for (let i = 1; i < levels; i++) value = i % 2 ? [value] : { value };
  return value;
};

const getter = (calls) =>
  Object.defineProperty({}, 'path', {
    enumerable: true,
    get() {
      calls.push('get');
      return 'x';
    },
  });

describe('for every value of JSON', () => {
  test('it is what another implementation writes', () => {
    fc.assert(
      fc.property(json, (value) => assert.equal(canonical(value), canonicalize(value))),
      { numRuns: 3000 },
    );
  });

  test('it is read back as the same value, which has the same form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const written = canonical(value);
        assert.equal(canonical(JSON.parse(written)), written);
        assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('it is the same for any order of keys', () => {
    fc.assert(fc.property(json, (value) => assert.equal(canonical(reordered(value)), canonical(value))));
  });

  test('it is another one for another value', () => {
    const onTheWire = (value) => JSON.parse(JSON.stringify(value));
    // Of few values, so that many pairs are equal or nearly so.
    const leaf = fc.constantFrom(0, -0, 1, '', '1', 'a', '[]', '"', null);
    const few = fc.oneof(
      leaf,
      fc.array(fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('', 'a', '1', '"', 'a":1,"b'), fc.oneof(leaf, fc.array(leaf)), {
        maxKeys: 2,
      }),
    );
    let equal = 0;
    fc.assert(
      fc.property(few, few, (a, b) => {
        const same = isDeepStrictEqual(onTheWire(a), onTheWire(b));
        if (same) equal++;
        assert.equal(canonical(a) === canonical(b), same);
      }),
      { numRuns: 5000 },
    );
    assert.ok(equal > 100, `only ${equal} pairs were equal`);
    const different = [
      ...[null, true, false, 0, 1, '', '0', 'null', [], {}, [null], [[]], [{}], [0], ['0'], [1, 2], [12]],
      ...[{ a: 1 }, { a: '1' }, { b: 1 }, { a: null }, { a: { b: 1 } }, { 'a":1,"b': 1 }, { a: 1, b: 1 }],
      ...['é', 'e\u0301', [['a'], 'b'], ['a', ['b']], [['a', 'b']], { 1: 1 }, [1]],
    ];
    const forms = different.map(canonical);
    assert.equal(forms.includes(undefined), false);
    assert.equal(new Set(forms).size, different.length);
  });

  test('it changes nothing and keeps nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        canonical(Object.freeze(value));
        assert.equal(JSON.stringify(value), before);
      }),
      { numRuns: 200 },
    );
  });
});

describe('as RFC 8785 wants it', () => {
  // Section 3.2.2.3 and appendix B: the bits of a double, and its text.
  for (const [bits, expected] of [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ]) {
    test(`the double ${bits} is ${expected}`, () => {
      const double = Buffer.from(bits, 'hex').readDoubleBE();
      assert.equal(canonical(double), expected);
      assert.equal(canonical({ n: [double] }), `{"n":[${expected}]}`);
    });
  }

  test('keys are sorted by their UTF-16 units, at every depth', () => {
    // Of these an emoji is the last by code point and by UTF-8, but its first unit is 0xd83d.
    const sorted = [
      '\r',
      '1',
      '10',
      '2',
      'A',
      'a',
      'aa',
      'b',
      '\u0080',
      'ö',
      '€',
      '\ud83d\ude00',
      '\ufb33',
      '\uffff',
    ];
    const value = Object.fromEntries([...sorted].reverse().map((name) => [name, sorted.indexOf(name)]));
    const expected = `{${sorted.map((name, i) => `${JSON.stringify(name)}:${i}`).join(',')}}`;
    assert.equal(canonical(value), expected);
    assert.equal(canonical([{ deeper: value }]), `[{"deeper":${expected}}]`);
  });

  test('texts are escaped only where they have to be', () => {
    assert.equal(
      canonical('\u20ac$\u000f\nA\'B"\\\\"/\b\t\f\r\u007f\u2028\ud83d\ude00'),
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\b\\t\\f\\r\u007f\u2028\ud83d\ude00"',
    );
  });

  test('nothing stands between the pieces', () => {
    assert.equal(
      canonical({ z: [1, [], {}, 'x y'], literals: [null, true, false], '': { b: 0, a: -0 } }),
      '{"":{"a":0,"b":0},"literals":[null,true,false],"z":[1,[],{},"x y"]}',
    );
  });
});

describe('what is the same on the wire is the same', () => {
  test('a key whose value is undefined is left out', () => {
    assert.equal(canonical({ a: undefined, b: 1, c: undefined }), '{"b":1}');
    assert.equal(canonical({ a: undefined }), '{}');
  });

  test('objects without a prototype, frozen ones, and those of another realm', () => {
    assert.equal(canonical(Object.assign(Object.create(null), { a: 1 })), '{"a":1}');
    assert.equal(canonical(Object.freeze({ a: Object.freeze([1]) })), '{"a":[1]}');
    const other = vm.runInNewContext('({ b: [1, { c: null }], a: Object.create(null) })');
    assert.notEqual(Object.getPrototypeOf(other), Object.prototype);
    assert.equal(canonical(other), '{"a":{},"b":[1,{"c":null}]}');
  });

  test('the same object twice', () => {
    const twice = { a: 1 };
    assert.equal(canonical([twice, twice]), '[{"a":1},{"a":1}]');
  });

  test('a key __proto__ is a key', () => {
    assert.equal(canonical(JSON.parse('{"__proto__":{"a":1},"b":2}')), '{"__proto__":{"a":1},"b":2}');
    assert.notEqual(canonical(JSON.parse('{"__proto__":{"a":1}}')), canonical({}));
  });

  test('a Proxy that behaves', () => {
    assert.equal(canonical(new Proxy({ b: new Proxy([1], {}), a: 2 }, {})), '{"a":2,"b":[1]}');
  });
});

describe('there is no canonical form', () => {
  class Point {
    x = 1;
  }
  class Own {
    hasOwnProperty() {}
  }
  class List extends Array {}
  const cycle = { a: [] };
  cycle.a.push(cycle);
  const wide = [];
  for (let i = 0; i < 8; i++) wide.push(wide);
  const throws = () => {
    throw new Error('trap');
  };
  const hostile = (target, ...traps) =>
    new Proxy(target, Object.fromEntries(traps.map((trap) => [trap, throws])));
  const revoked = (target) => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };
  const hidden = (name, value) => Object.defineProperty({ a: 1 }, name, { value, enumerable: false });

  for (const [what, value] of [
    ['undefined', undefined],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['a BigInt', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => {}],
    ['a Date', new Date(0)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['a RegExp', /x/],
    ['an Error', new Error('x')],
    ['a Promise', Promise.resolve()],
    ['bytes', new Uint8Array([1])],
    ['a buffer', new ArrayBuffer(1)],
    ['a URL', new URL('https://example.org')],
    ['a boxed string', Object('x')],
    ['a boxed number', Object(1)],
    ['an instance of a class', new Point()],
    ['an instance of a class that brings what Object brings', new Own()],
    ['an object with another one for a prototype', Object.create({ a: 1 })],
    ['an object above one without a prototype', Object.create(Object.create(null))],
    ['an instance of a class of arrays', List.from([1])],
    ['an array without a prototype', Object.setPrototypeOf([1], null)],
    [
      'arguments',
      (function () {
        return arguments;
      })(1),
    ],
    ['Math', Math],
    ['JSON', JSON],
    ['a Date of another realm', vm.runInNewContext('new Date(0)')],
    ['an instance of another realm', vm.runInNewContext('new (class A { x = 1 })()')],
    ['a toJSON', { a: 1, toJSON: () => 'x' }],
    ['a hidden toJSON', hidden('toJSON', () => 'x')],
    ['a hidden field', hidden('b', 1)],
    ['a symbol for a key', { [Symbol('x')]: 1 }],
    ['a symbol beside another key', { a: 1, [Symbol('x')]: 1 }],
    ['a hole', [1, , 3]],
    ['an endless hole', new Array(4_294_967_295)],
    ['undefined in an array', [undefined]],
    ['a field of an array', Object.assign([1], { b: 2 })],
    ['a toJSON of an array', Object.assign([1], { toJSON: () => 'x' })],
    ['half a pair', '\ud83d'],
    ['the other half', 'a\ude00b'],
    ['two halves in the wrong order', '\ude00\ud83d'],
    ['half a pair in a key', { '\ud83d': 1 }],
    ['a cycle', cycle],
    ['a cycle with many ways', wide],
    ['a revoked Proxy', revoked({})],
    ['a revoked Proxy of an array', revoked([])],
    ['a Proxy without keys', hostile({ a: 1 }, 'ownKeys')],
    ['a Proxy without a prototype to tell', hostile({ a: 1 }, 'getPrototypeOf')],
    ['a Proxy without descriptors', hostile({ a: 1 }, 'getOwnPropertyDescriptor')],
    ['a Proxy of an array without a length', hostile([1], 'get')],
    ['a Proxy of an array without elements', hostile([1], 'getOwnPropertyDescriptor')],
  ]) {
    test(what, () => {
      assert.equal(canonical(value), undefined);
      assert.equal(canonical([value]), undefined, 'in an array');
      if (value !== undefined) assert.equal(canonical({ a: 1, b: { c: value } }), undefined, 'in an object');
    });
  }

  test('an accessor, which is not called', () => {
    const calls = [];
    const list = Object.defineProperty([], 0, { enumerable: true, get: () => calls.push('element') });
    const setter = { set path(_) {} };
    for (const value of [getter(calls), [getter(calls)], list, setter])
      assert.equal(canonical(value), undefined);
    assert.deepEqual(calls, []);
  });

  test('what a Proxy would answer to a read does not count', () => {
    const reads = [];
    const proxy = new Proxy({ a: 1 }, { get: (_, name) => reads.push(name) });
    assert.equal(canonical(proxy), '{"a":1}');
    assert.deepEqual(reads, []);
  });
});

describe('the caps', () => {
  test('64 levels, and not 65', () => {
    assert.equal(DEPTH, 64);
    assert.equal(canonical(nested(64)), JSON.stringify(nested(64)));
    assert.equal(canonical(nested(64, [1])), JSON.stringify(nested(64, [1])));
    assert.equal(canonical(nested(65)), undefined);
    assert.equal(canonical(nested(65, {})), undefined);
    assert.equal(canonical(nested(100_000)), undefined);
  });

  test('256 KB of text, and not one more', () => {
    assert.equal(LENGTH, 256 * 1024);
    const quoted = (length) => 'x'.repeat(length - 2);
    assert.equal(canonical(quoted(LENGTH)).length, LENGTH);
    assert.equal(canonical(quoted(LENGTH + 1)), undefined);
    assert.equal(canonical([quoted(LENGTH - 2)]).length, LENGTH);
    assert.equal(canonical([quoted(LENGTH - 1)]), undefined);
    assert.equal(canonical({ a: quoted(LENGTH - 6) }).length, LENGTH);
    assert.equal(canonical({ a: quoted(LENGTH - 5) }), undefined);
    assert.equal(canonical({ [quoted(LENGTH - 4)]: 1 }).length, LENGTH);
    assert.equal(canonical({ [quoted(LENGTH - 3)]: 1 }), undefined);
    // By what is written, in UTF-16 units.
    assert.equal(canonical('\n'.repeat(LENGTH / 2)), undefined);
    assert.equal(canonical('\n'.repeat(LENGTH / 2 - 1)).length, LENGTH);
    assert.equal(canonical('😀'.repeat(LENGTH / 2 - 1)).length, LENGTH);
    assert.equal(canonical('😀'.repeat(LENGTH / 2)), undefined);
    assert.equal(canonical(Array.from({ length: LENGTH / 2 }, () => 1)), undefined);
  });

  test('what is far beyond them costs little', () => {
    let shared = ['x'.repeat(1000)];
    for (let i = 0; i < 40; i++) shared = [shared, shared];
    const values = [
      'x'.repeat(100_000_000),
      Array.from({ length: 2_000_000 }, (_, i) => i),
      // Written out it would be a thousand times a million million characters.
      shared,
      Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, undefined])),
    ];
    for (const value of values) {
      const begin = process.cpuUsage();
      assert.equal(canonical(value), undefined);
      const { user, system } = process.cpuUsage(begin);
      const took = (user + system) / 1000;
      // Without the caps the first takes seconds and the third for ever; a machine may be busy with something else.
      assert.ok(took < 5_000, `${took} ms`);
    }
  });
});

describe('some fields of an input', () => {
  test('are exactly these, without a prototype', () => {
    const input = { path: 'a', mode: 7, deep: { x: [1] }, rest: true };
    const picked = pick(input, ['mode', 'deep']);
    assert.equal(Object.getPrototypeOf(picked), null);
    assert.deepEqual({ ...picked }, { mode: 7, deep: { x: [1] } });
    assert.equal(picked.deep, input.deep);
    assert.equal(canonical(pick(input, ['deep', 'mode'])), canonical(picked));
    assert.equal(canonical(pick(input, ['mode', 'mode'])), '{"mode":7}');
    assert.equal(canonical(pick(input, [])), '{}');
    assert.equal(
      canonical(pick({ path: null, mode: false }, ['path', 'mode'])),
      '{"mode":false,"path":null}',
    );
  });

  test('of JSON values have the form of the input without its other fields', () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, json, { maxKeys: 6 }),
        fc.array(key, { maxLength: 4 }),
        (input, more) => {
          const names = Object.keys(input).filter((_, i) => i % 2 === 0);
          const kept = Object.fromEntries(names.map((name) => [name, input[name]]));
          assert.equal(canonical(pick(input, names)), canonical(kept));
          const all = more.every((name) => Object.hasOwn(input, name));
          assert.equal(pick(input, more) !== undefined, all);
        },
      ),
    );
  });

  test('whatever they are called', () => {
    const input = JSON.parse('{"__proto__":{"a":1},"toString":"x","":0}');
    const picked = pick(input, ['__proto__', 'toString', '']);
    assert.equal(Object.getPrototypeOf(picked), null);
    assert.equal(canonical(picked), '{"":0,"__proto__":{"a":1},"toString":"x"}');
  });

  test('are none when one is missing', () => {
    const calls = [];
    for (const [input, fields] of [
      [{ a: 1 }, ['b']],
      [{ a: 1 }, ['a', 'b']],
      [{ a: 1, b: undefined }, ['a', 'b']],
      [{ a: 1 }, ['toString']],
      [{ a: 1 }, ['__proto__']],
      [Object.defineProperty({}, 'a', { value: 1 }), ['a']],
      [getter(calls), ['path']],
    ]) {
      assert.equal(pick(input, fields), undefined);
    }
    assert.deepEqual(calls, []);
  });

  test('are none of what is no plain object', () => {
    const { proxy, revoke } = Proxy.revocable({ a: 1 }, {});
    revoke();
    const trap = () => {
      throw new Error('trap');
    };
    for (const input of [
      ...[undefined, null, 1, 'abc', true, 1n, Symbol('x'), () => {}],
      ...[['a'], new Date(0), new Map(), Object.create({ a: 1 }), proxy],
      Object.setPrototypeOf(['a'], null),
      new Proxy({ a: 1 }, { getPrototypeOf: trap }),
    ]) {
      for (const fields of [[], ['a'], ['length'], ['0']]) assert.equal(pick(input, fields), undefined);
    }
    assert.equal(pick(new Proxy({ a: 1 }, { getOwnPropertyDescriptor: trap }), ['a']), undefined);
  });
});
