// Writes a module as text of ASCII that no language around it has to escape: neither a string of JavaScript, with any
// quotes, nor a script inside a page. `src/module/text.ts` reads it.

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
