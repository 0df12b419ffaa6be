// A module as text: every byte comes back, and nothing around the text has to escape it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import binaryen from 'binaryen';
import fc from 'fast-check';

import { moduleText } from '../../pkg-template/module-text.mjs';
import { byBreadth, isBroad } from '../support/breadth.mjs';
import { load } from './load.mjs';

const { bytesOf } = await load('module/text');

/** What has a meaning in a string, with any quotes, or in a script inside a page. */
const TO_ESCAPE = /["'`\\<]|-->|[^ -~]/;

function comesBack(bytes) {
  const { text, reader } = moduleText(bytes);
  assert.doesNotMatch(text, TO_ESCAPE);
  assert.deepEqual(Buffer.from(bytesOf(text, reader)), Buffer.from(bytes));
  return text;
}

const HEADER = [...Buffer.from('\0asm'), 1, 0, 0, 0];
const leb = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...leb(number >> 7)]);
const section = (id, content) => [id, ...leb(content.length), ...content];
/** A module that has only data. */
const withData = (data) => Uint8Array.from([...HEADER, ...section(0, [1, 97, ...data])]);
/** A module with function bodies, which no engine has to accept: the text knows instructions, not types. */
const withBodies = (bodies, behind = []) =>
  Uint8Array.from([
    ...HEADER,
    ...section(10, [...leb(bodies.length), ...bodies.flatMap((body) => [...leb(body.length), ...body])]),
    ...behind,
  ]);

const unsigned = fc.nat(2 ** 31 - 1).map(leb);
const byteOf = (...bytes) => fc.constantFrom(...bytes);
const join = (...parts) => fc.tuple(...parts).map((parts) => parts.flat());
/** Any instruction of https://webassembly.github.io/spec/core/binary/instructions.html up to version 2, without vectors. */
const instruction = fc.oneof(
  fc.integer({ min: 0x45, max: 0xc4 }).map((opcode) => [opcode]),
  byteOf(0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1).map((opcode) => [opcode]),
  join(byteOf(0x02, 0x03, 0x04), fc.oneof(byteOf(0x40, 0x7f, 0x7e, 0x7d, 0x7c), unsigned)),
  join(byteOf(0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x41, 0x42, 0xd0, 0xd2), unsigned),
  join(byteOf(0x11), unsigned, unsigned),
  fc
    .array(unsigned, { minLength: 1, maxLength: 40 })
    .map((all) => [0x0e, ...leb(all.length - 1), ...all.flat()]),
  join(fc.integer({ min: 0x28, max: 0x3e }), fc.nat(3), unsigned),
  join(byteOf(0x3f, 0x40), byteOf(0)),
  join(
    byteOf(0x44),
    fc.double().map((number) => [...new Uint8Array(Float64Array.of(number).buffer)]),
  ),
  join(byteOf(0xfc), fc.nat(7)),
  join(byteOf(0xfc), byteOf(8, 10, 12, 14), unsigned, unsigned),
  join(byteOf(0xfc), byteOf(9, 11, 13, 15, 16, 17), unsigned),
);
const bodies = fc.array(
  fc
    .tuple(
      fc.array(join(unsigned, byteOf(0x7f, 0x7e, 0x7c)), { maxLength: 3 }),
      fc.array(instruction, { maxLength: 60 }),
    )
    .map(([locals, code]) => [locals.length, ...locals.flat(), ...code.flat(), 0x0b]),
  { maxLength: 8 },
);

describe('a module as text', () => {
  test('any bytes come back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (data) => void comesBack(withData(data))),
      { numRuns: byBreadth({ commit: 60, all: 200 }) },
    );
  });

  test('few bytes, each of them often, come back', () => {
    const few = fc.array(fc.constantFrom(0, 34, 39, 60, 92, 96, 125, 126, 127, 255), { maxLength: 2_000 });
    fc.assert(
      fc.property(few, (data) => void comesBack(withData(data))),
      { numRuns: byBreadth({ commit: 60, all: 200 }) },
    );
  });

  test('any instructions come back, with what stands behind them', () => {
    const behind = fc.uint8Array({ maxLength: 200 }).map((data) => section(11, [...data]));
    fc.assert(
      fc.property(bodies, behind, (bodies, behind) => void comesBack(withBodies(bodies, behind))),
      { numRuns: byBreadth({ commit: 100, all: 300 }) },
    );
  });

  test('what the optimizer writes comes back: negative numbers, tables of labels, calls through a table, memory', () => {
    const module = binaryen.parseText(`(module
      (type $unary (func (param i32) (result i32)))
      (memory 1 2)
      (table 2 funcref)
      (elem (i32.const 0) $one $one)
      (global $count (mut i64) (i64.const -9223372036854775808))
      (func $one (type $unary) (local f64 i64 f64)
        (local.set 1 (f64.const -0.1))
        (local.set 3 (f64.const -inf))
        (block $first (block $second (block $third
          (br_table $first $second $third $first (local.get 0)))
          (memory.fill (i32.const 0) (i32.const -1) (i32.const 300)))
          (memory.copy (i32.const 5) (i32.const -70000) (i32.const 300)))
        (drop (i32.load offset=70000 align=1 (local.get 0)))
        (drop (i32.trunc_sat_f64_s (local.get 1)))
        (call_indirect (type $unary) (local.get 0) (i32.const 1)))
      (export "one" (func $one)))`);
    module.setFeatures(binaryen.Features.All);
    comesBack(module.emitBinary());
    module.dispose();
  });

  test('an instruction that is not known ends the build', () => {
    for (const code of [
      [0x43, 0, 0, 0, 0],
      [0xfd, 0],
      [0xfc, 18, 0],
      [0x06, 0x40],
    ]) {
      assert.throws(() => moduleText(withBodies([[0, ...code, 0x0b]])), /is not known/);
    }
  });

  test('the modules of the package come back, with less than 1.1 letters for each byte', () => {
    const bindgen = new URL('../../target/bindgen/', import.meta.url);
    const modules = readdirSync(bindgen).filter((name) => name.endsWith('.opt.wasm'));
    assert.equal(modules.length, 7);
    // The tests that load the others read them, too.
    for (const name of isBroad ? modules : modules.filter((name) => /^(guard|verify)\b/.test(name))) {
      const bytes = readFileSync(new URL(name, bindgen));
      assert.ok(comesBack(bytes).length < 1.1 * bytes.length, name);
    }
  });
});
