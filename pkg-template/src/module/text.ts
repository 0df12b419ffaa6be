// Reads a module from its text, which `pkg-template/module-text.mjs` writes.

/** Where the text begins in the memory of the reader. */
const START = 3 * 128;

/** The names are not those of an export of another module, which the build makes shorter. */
interface Reader {
  letters: WebAssembly.Memory;
  /** Reads the text up to `end`, and returns how many bytes are now in its place. */
  decode(end: number): number;
}

/**
 * The bytes of a text.
 *
 * @param text the text of a module
 * @param reader the module that reads it, in hexadecimal digits
 */
export function bytesOf(text: string, reader: string): Uint8Array<ArrayBuffer> {
  const digits = reader.match(/../g) ?? [];
  const module = new WebAssembly.Module(Uint8Array.from(digits, (byte) => parseInt(byte, 16)));
  const { letters, decode } = new WebAssembly.Instance(module).exports as unknown as Reader;
  const bytes = new Uint8Array(letters.buffer as ArrayBuffer, START);
  new TextEncoder().encodeInto(text, bytes);
  return bytes.subarray(0, decode(START + text.length));
}
