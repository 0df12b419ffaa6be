// Writes a module as text of ASCII that no language around it has to escape: neither a string of JavaScript, with any
// quotes, nor a script inside a page. `src/module/text.ts` reads it, with a small module that this file makes as well:
// JavaScript that runs for the first time would take two to four times as long.
import binaryen from 'binaryen';

/** The printable characters without quotes, backslash and `<`. The last two begin a sign of two letters. */
const LETTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
  (letter) => !`"'\`\\<`.includes(letter),
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

/** The text of a module: the signs of the bytes 0 to 255, so that a reader learns them, and then those of the module. */
export function moduleText(bytes) {
  const signs = signsOf(bytes);
  return signs.join('') + Array.from(bytes, (byte) => signs[byte]).join('');
}

/** Where the text begins in the memory of the reader, behind the table of signs. */
const START = 3 * 128;
const PAGE = 65_536;

/**
 * The module that reads a text, which is in its memory from `START` on: `decode` takes the end of the text, and returns
 * the number of bytes, which it leaves in the place of the text. A sign of two letters has its place in the table behind
 * those of one letter. The signs of the bytes 0 to 255 are counted from -256 on, so the last eight bits of their numbers
 * are these bytes.
 *
 * @param {string} text
 */
export function readerOf(text) {
  const first = PREFIXES[0].charCodeAt(0);
  const module = binaryen.parseText(`(module
    (memory (export "letters") ${Math.ceil((START + text.length) / PAGE)})
    (func (export "decode") (param $end i32) (result i32) (local $at i32) (local $to i32) (local $sign i32)
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
      (local.get $to)))`);
  try {
    module.optimize();
    return Buffer.from(module.emitBinary()).toString('hex');
  } finally {
    module.dispose();
  }
}
