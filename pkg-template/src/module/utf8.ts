// UTF-8 for engines that have no decoder or encoder, such as QuickJS and older versions of Hermes.
/** As much of the platform's decoder as the glue uses. The module writes well-formed UTF-8. */
export class Utf8Decoder {
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

/** As much of the platform's encoder as the glue uses. */
export class Utf8Encoder {
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
