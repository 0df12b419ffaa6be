// Packs a value for the module: what JSON would say of it, in a form that needs no parser there.
import { Packed } from '../generated/abi.js';

/** The bytes of a value of texts, natural numbers, lists and plain objects. Fields that are `undefined` are left out. */
export function pack(value: unknown): Uint8Array {
  const bytes: number[] = [];
  const number = (rest: number): void => {
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  };
  const text = (of: string): void => {
    const characters = Array.from(of, (character) => character.codePointAt(0) ?? 0);
    number(characters.length);
    characters.forEach(number);
  };
  const put = (of: unknown): void => {
    if (typeof of === 'string') {
      bytes.push(Packed.Text);
      text(of);
    } else if (typeof of === 'number') {
      bytes.push(Packed.Number);
      number(of);
    } else if (Array.isArray(of)) {
      bytes.push(Packed.List);
      number(of.length);
      of.forEach(put);
    } else if (typeof of === 'object' && of !== null) {
      const fields = of as Readonly<Record<string, unknown>>;
      const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
      bytes.push(Packed.Fields);
      number(names.length);
      for (const name of names.sort()) {
        text(name);
        put(fields[name]);
      }
    } else bytes.push(of === true ? Packed.Yes : of === false ? Packed.No : Packed.Null);
  };
  put(value);
  return Uint8Array.from(bytes);
}
