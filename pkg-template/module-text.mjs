// Writes a module as text of ASCII that no language around it has to escape: neither a string of JavaScript, with any
// quotes, nor a script inside a page. `src/module/text.ts` reads it, with a small module that this file makes as well:
// JavaScript that runs for the first time would take two to four times as long.
import binaryen from 'binaryen';

import { SEVEN_MORE, streamsOf } from './module-streams.mjs';

/**
 * The printable characters without quotes, backslash, `<`, and `>`, which minifiers escape behind two hyphens: in a page
 * that may end a comment. The last two begin a sign of two letters.
 */
const LETTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
  (letter) => !`"'\`\\<>`.includes(letter),
);
const PREFIXES = LETTERS.splice(-2);

/**
 * The sign of each byte. The common bytes have one letter, and it is their own one in ASCII where they have one: what is
 * text stays text. The others have two. In the order of the bytes, because neighbours among them mean similar things,
 * and what compresses the text sees it.
 *
 * @param {Uint8Array} bytes
 */
function signsOf(bytes) {
  const count = new Uint32Array(256);
  for (const byte of bytes) count[byte]++;
  const byCount = [...count.keys()].sort((one, other) => count[other] - count[one]);
  const common = new Set(byCount.slice(0, LETTERS.length));
  const own = (byte) => common.has(byte) && LETTERS.includes(String.fromCharCode(byte));
  const free = LETTERS.filter((letter) => !own(letter.charCodeAt(0)));
  let rare = 0;
  return Array.from(count, (_, byte) => {
    if (own(byte)) return String.fromCharCode(byte);
    if (common.has(byte)) return free.shift();
    return PREFIXES[Math.floor(rare / LETTERS.length)] + LETTERS[rare++ % LETTERS.length];
  });
}

/** Where the text begins in the memory of the reader, behind the table of signs and the places in the streams. */
const START = 3 * 128 + 64;
const PLACES = 3 * 128;
const PAGE = 65_536;

/**
 * A module as text, and the module that reads the text, in hexadecimal digits. The text begins with the signs of the
 * bytes 0 to 255, so that the reader learns them. The reader has the text in its memory from `START` on: `decode` takes
 * the end of the text, writes the module behind it, and returns the end of the module.
 *
 * @param {Uint8Array} bytes
 */
export function moduleText(bytes) {
  const { symbols, before, code, streams, behind } = streamsOf(bytes);
  const parts = [symbols, before, code, ...streams, behind];
  const signs = signsOf(Uint8Array.from(parts.flatMap((part) => [...part])));
  const text = [...signs, ...parts.flatMap((part) => Array.from(part, (byte) => signs[byte]))].join('');
  /** Where each part begins after the text was read, in its place. */
  const starts = [START];
  for (const part of parts) starts.push(starts.at(-1) + part.length);
  const [symbolsAt, beforeAt, ...places] = starts;
  return {
    text,
    reader: readerOf({
      ...{ symbolsAt, beforeAt, before: before.length, places: places.slice(0, -2) },
      ...{
        behindAt: places.at(-2),
        behind: behind.length,
        pages: Math.ceil((START + text.length + bytes.length) / PAGE),
      },
      code: bytes.length - behind.length,
    }),
  };
}

/**
 * First it reads the signs, and leaves the bytes in the place of the text. A sign of two letters has its place in the
 * table behind those of one letter. The signs of the bytes 0 to 255 are counted from -256 on, so the last eight bits of
 * their numbers are these bytes. Then it puts the code together: each symbol has bytes of the code, and the numbers of
 * streams from which its operands come.
 */
function readerOf({ symbolsAt, beforeAt, before, places, behindAt, behind, code, pages }) {
  const first = PREFIXES[0].charCodeAt(0);
  const little = (number) => [0, 8, 16, 24].map((bits) => `\\${hex((number >> bits) & 255)}`).join('');
  const module = binaryen.parseText(`(module
    (memory (export "letters") ${pages})
    (data (i32.const ${PLACES}) "${[PLACES + 60, ...places.slice(1)].map(little).join('')}")
    (func (export "decode") (param $end i32) (result i32)
      (local $at i32) (local $to i32) (local $sign i32)
      (local.set $at (i32.const ${START}))
      (local.set $to (i32.const -256))
      (loop $next
        (local.set $sign (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (if (i32.ge_u (local.get $sign) (i32.const ${first}))
          (then
            (local.set $sign (i32.add
              (i32.shl (i32.sub (local.get $sign) (i32.const ${first - 1})) (i32.const 7))
              (i32.load8_u (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (if (i32.lt_s (local.get $to) (i32.const 0))
          (then (i32.store8 (local.get $sign) (local.get $to)))
          (else (i32.store8 offset=${START} (local.get $to) (i32.load8_u (local.get $sign)))))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))

      (memory.copy (local.get $end) (i32.const ${beforeAt}) (i32.const ${before}))
      (local.set $to (call $putTogether
        (i32.add (local.get $end) (i32.const ${before}))
        (i32.add (local.get $end) (i32.const ${code}))))
      (memory.copy (local.get $to) (i32.const ${behindAt}) (i32.const ${behind}))
      (i32.add (local.get $to) (i32.const ${behind})))

    (func $putTogether (param $to i32) (param $end i32) (result i32)
      (local $code i32) (local $symbol i32) (local $place i32) (local $at i32) (local $byte i32) (local $has i32)
      (local.set $code (i32.const ${places[0]}))
      (loop $next
        (if (i32.lt_u (local.get $to) (local.get $end)) (then
          (local.set $symbol
            (i32.load offset=${symbolsAt} (i32.shl (i32.load8_u (local.get $code)) (i32.const 2))))
          (local.set $code (i32.add (local.get $code) (i32.const 1)))
          (i32.store16 (local.get $to) (local.get $symbol))
          (local.set $to
            (i32.add (local.get $to) (i32.and (i32.shr_u (local.get $symbol) (i32.const 16)) (i32.const 3))))
          (local.set $place (i32.and (i32.shr_u (local.get $symbol) (i32.const 18)) (i32.const 60)))
          (local.set $at (i32.load offset=${PLACES} (local.get $place)))
          (local.set $byte (i32.load8_u (local.get $at)))
          (i32.store8 (local.get $to) (local.get $byte))
          (local.set $has (i32.ne (local.get $place) (i32.const 0)))
          (i32.store offset=${PLACES} (local.get $place) (i32.add (local.get $at) (local.get $has)))
          (local.set $to (i32.add (local.get $to) (local.get $has)))
          (local.set $symbol (i32.shr_u (local.get $symbol) (i32.const 24)))
          (if (i32.or (local.get $symbol) (i32.and (local.get $byte) (i32.const 128)))
            (then (local.set $to (call $rest (local.get $symbol) (local.get $place) (local.get $to)))))
          (br $next))))
      (local.get $to))

    (func $rest (param $second i32) (param $place i32) (param $to i32) (result i32) (local $at i32) (local $byte i32)
      (local.set $at (i32.load offset=${PLACES} (local.get $place)))
      (if (i32.eq (local.get $second) (i32.const ${SEVEN_MORE << 2})) (then
        (i32.store (local.get $to) (i32.load (local.get $at)))
        (i32.store offset=3 (local.get $to) (i32.load offset=3 (local.get $at)))
        (i32.store offset=${PLACES} (local.get $place) (i32.add (local.get $at) (i32.const 7)))
        (return (i32.add (local.get $to) (i32.const 7)))))
      (local.set $byte (i32.load8_u (i32.sub (local.get $at) (i32.const 1))))
      (loop $operand
        (loop $more
          (if (i32.and (local.get $byte) (i32.const 128)) (then
            (local.set $byte (i32.load8_u (local.get $at)))
            (i32.store8 (local.get $to) (local.get $byte))
            (local.set $to (i32.add (local.get $to) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $more))))
        (i32.store offset=${PLACES} (local.get $place) (local.get $at))
        (if (local.get $second) (then
          (local.set $place (local.get $second))
          (local.set $second (i32.const 0))
          (local.set $at (i32.load offset=${PLACES} (local.get $place)))
          (local.set $byte (i32.const 128))
          (br $operand))))
      (local.get $to)))`);
  try {
    module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
    if (!module.validate()) throw new Error('The reader is no valid module.');
    // An engine counts what a function has run, and compiles it anew on the way if it is much: so none becomes part of another.
    binaryen.setOneCallerInlineMaxSize(0);
    module.optimize();
    if (module.getNumFunctions() !== 3) throw new Error('The functions of the reader became one.');
    // A setting of all modules, which the one before may have left on.
    binaryen.setDebugInfo(false);
    return hex(...module.emitBinary());
  } finally {
    module.dispose();
  }
}

/** Two digits for each byte. */
const hex = (...bytes) => Buffer.from(bytes).toString('hex');
