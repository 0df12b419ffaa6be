// A module as text: every byte comes back, and nothing around the text has to escape it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';

import { moduleText, readerOf } from '../../pkg-template/module-text.mjs';
import { load } from './load.mjs';

const { bytesOf } = await load('module/text');

/** What has a meaning in a string, with any quotes, or in a script inside a page. */
const TO_ESCAPE = /["'`\\<]|[^ -~]/;

function comesBack(bytes) {
  const text = moduleText(bytes);
  assert.doesNotMatch(text, TO_ESCAPE);
  assert.deepEqual(Buffer.from(bytesOf(text, readerOf(text))), Buffer.from(bytes));
  return text;
}

describe('a module as text', () => {
  test('any bytes come back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => void comesBack(bytes)),
      { numRuns: 300 },
    );
  });

  test('few bytes, each of them often, come back', () => {
    const few = fc.array(fc.constantFrom(0, 34, 39, 60, 92, 96, 125, 126, 127, 255), { maxLength: 2_000 });
    fc.assert(
      fc.property(few, (bytes) => void comesBack(Uint8Array.from(bytes))),
      { numRuns: 300 },
    );
  });

  test('the modules of the package come back, with less than 1.1 letters for each byte', () => {
    const bindgen = new URL('../../target/bindgen/', import.meta.url);
    const modules = readdirSync(bindgen).filter((name) => name.endsWith('.opt.wasm'));
    assert.equal(modules.length, 6);
    for (const name of modules) {
      const bytes = readFileSync(new URL(name, bindgen));
      assert.ok(comesBack(bytes).length < 1.1 * bytes.length, name);
    }
  });
});
