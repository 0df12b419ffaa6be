// Reads a module from its text, which `pkg-template/module-text.mjs` writes.

/** The place of the text in the memory of the reader. */
const START = 3 * 128 + 64;

/** The names are not those of an export of another module, which the build makes shorter. */
interface Reader {
  letters: WebAssembly.Memory;
  /** Reads the text up to `end`, writes the module behind it, and returns the end of the module. */
  decode(end: number): number;
}

/**
 * The bytes of a text.
 *
 * @param text the text of a module
 * @param reader the module that reads it, in hexadecimal digits
 */
export function bytesOf(text: string, reader: string): Uint8Array<ArrayBuffer> {
  // A loop over the digits costs as much as all the rest.
  const { fromHex } = Uint8Array as { fromHex?: (digits: string) => Uint8Array<ArrayBuffer> };
  const module = new WebAssembly.Module(fromHex?.call(Uint8Array, reader) ?? withoutFromHex(reader));
  const { letters, decode } = new WebAssembly.Instance(module).exports as unknown as Reader;
  const bytes = new Uint8Array(letters.buffer as ArrayBuffer);
  new TextEncoder().encodeInto(text, bytes.subarray(START));
  const end = START + text.length;
  return bytes.subarray(end, decode(end));
}

const withoutFromHex = (digits: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));
