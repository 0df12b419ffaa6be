// Reads a module from its text, which `pkg-template/module-text.mjs` writes.

/** The first of the two letters with which a sign of two letters begins. */
const PREFIX = 125;

/**
 * The bytes of a text. A sign has one letter, or two if its first one is a prefix; the first 256 signs are those of the
 * bytes 0 to 255.
 */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const byteOf = new Uint8Array(3 * 128);
  const bytes = new Uint8Array(text.length);
  let length = -256;
  for (let at = 0; at < text.length; length++) {
    let sign = text.charCodeAt(at++);
    if (sign >= PREFIX) sign = (sign - PREFIX + 1) * 128 + text.charCodeAt(at++);
    // The number is negative here, and its last eight bits are the byte.
    if (length < 0) byteOf[sign] = length;
    else bytes[length] = byteOf[sign] as number;
  }
  return bytes.subarray(0, length);
}
