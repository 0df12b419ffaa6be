// What the glue uses of the platform, where the module is JavaScript. The build imports these names into the glue.
import { instantiate } from 'virtual:translated';

type Imports = Parameters<typeof instantiate>[0];

/** As much of `WebAssembly` as the glue uses. */
export const WebAssembly = {
  /** The module has no bytes: its code is part of this file. */
  Module: class {},
  Instance: class {
    readonly exports: object;

    constructor(_module: object, imports: Imports) {
      this.exports = instantiate(imports);
    }
  },
};

/** Engines such as Hermes and QuickJS have no decoder, or had none for long. The module writes well-formed UTF-8. */
class Utf8Decoder {
  decode(bytes?: Uint8Array): string {
    let text = '';
    for (let at = 0; bytes !== undefined && at < bytes.length;) {
      const first = bytes[at++] ?? 0;
      const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      let point = more === 0 ? first : first & (0x3f >> more);
      for (let i = 0; i < more; i++) point = (point << 6) | ((bytes[at++] ?? 0) & 0x3f);
      text += String.fromCodePoint(point);
    }
    return text;
  }
}

class Utf8Encoder {
  encode(text: string): Uint8Array {
    const bytes: number[] = [];
    // A lone surrogate becomes U+FFFD, as the platform's encoder has it.
    for (const letter of text) {
      const found = letter.codePointAt(0) ?? 0;
      const point = found >= 0xd800 && found <= 0xdfff ? 0xfffd : found;
      if (point < 0x80) bytes.push(point);
      else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 0x3f));
      else {
        if (point < 0x10000) bytes.push(0xe0 | (point >> 12));
        else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f));
        bytes.push(0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
      }
    }
    return Uint8Array.from(bytes);
  }

  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
    const bytes = this.encode(text);
    into.set(bytes);
    return { read: text.length, written: bytes.length };
  }
}

const platform = globalThis as Partial<typeof globalThis>;

export const TextDecoder = platform.TextDecoder ?? Utf8Decoder;
export const TextEncoder = platform.TextEncoder ?? Utf8Encoder;
export const performance = platform.performance ?? Date;
