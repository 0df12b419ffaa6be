// UTF-8 where the engine has none: the same bytes and the same text as those of the platform.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { load } from './load.mjs';

const { Utf8Decoder, Utf8Encoder } = await load('module/utf8');

/** Any text, also with lone surrogates and beyond the basic plane. */
const texts = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1 }),
    fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
  ),
});

test('the encoder writes what the platform writes', () => {
  const [own, platform] = [new Utf8Encoder(), new TextEncoder()];
  fc.assert(fc.property(texts, (text) => assert.deepEqual(own.encode(text), platform.encode(text))));
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = new Uint8Array(3 * text.length);
      const { written } = own.encodeInto(text, bytes);
      assert.deepEqual(bytes.subarray(0, written), platform.encode(text));
    }),
  );
});

test('the decoder reads what the platform has written', () => {
  const [own, platform] = [new Utf8Decoder(), new TextEncoder()];
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = platform.encode(text);
      assert.equal(own.decode(bytes), new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
  );
  assert.equal(own.decode(), '');
});
