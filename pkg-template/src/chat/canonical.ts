// The canonical JSON of an input (RFC 8785): the same text for all inputs that are equal on the wire.

/** The deepest nesting of an input, and the largest number of UTF-16 units in its text. */
export const DEPTH = 64;
export const LENGTH = 262_144;

/** The largest numbers of values, top-level fields, characters of a name, and hidden pieces that can be shown. */
const VALUES = 10_000;
const FIELDS = 1_000;
const NAME = 200;
const HIDDEN = 10_000;

/** The reasons for which an input is not comparable, or cannot be shown. */
export const enum Fault {
  NotJson,
  TooLarge,
  TooDeep,
}

/** A surrogate without its other half cannot be sent. With the flag `u`, a pair counts as one character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Whether it is a plain object as JSON makes them, in this realm or another. Every `Object.prototype` has no
 * prototype of its own and owns `hasOwnProperty`.
 */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}

/**
 * The value of an own field. An accessor is not called, because its value now says nothing about its value
 * later.
 *
 * @throws TypeError for a field that JSON does not have
 */
function field(owner: object, key: PropertyKey): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  if (typeof key === 'symbol' || !descriptor?.enumerable || !('value' in descriptor)) {
    throw new TypeError('no field of JSON');
  }
  return descriptor.value;
}

/**
 * Returns the canonical JSON of a value, or `undefined` if JSON cannot express it or it exceeds a limit. As
 * on the wire, fields with the value `undefined` are left out.
 */
export function canonical(value: unknown): string | undefined {
  const text = writeJson(value);
  return typeof text === 'string' ? text : undefined;
}

/**
 * Writes the canonical JSON of a value.
 *
 * @param piecesOf counts the hidden pieces of a text, if the value is to be shown. Then there are more limits, but
 * lone surrogates are taken, because they are written out
 */
export function writeJson(value: unknown, piecesOf?: (text: string) => number): string | Fault {
  let text = '';
  let values = 0;
  let hidden = 0;

  // Each of these functions appends text, or throws a fault, which ends all of them.

  const limit = (size: number, most: number): void => {
    if (size > most) throw Fault.TooLarge;
  };

  const add = (more: string): void => {
    text += more;
    limit(text.length, LENGTH);
  };

  const addString = (string: string): void => {
    limit(string.length, LENGTH);
    if (piecesOf) limit((hidden += piecesOf(string)), HIDDEN);
    else if (LONE_SURROGATE.test(string)) throw Fault.NotJson;
    add(JSON.stringify(string));
  };

  const addArray = (array: readonly unknown[], depth: number): void => {
    // The own keys are the elements and the length, without holes. A subclass is refused: only
    // `Array.prototype` is itself an array.
    const { length } = array;
    limit(length, LENGTH);
    const isList = Array.isArray(Object.getPrototypeOf(array));
    if (!isList || Reflect.ownKeys(array).length !== length + 1) throw Fault.NotJson;
    add('[');
    for (let i = 0; i < length; i++) {
      if (i > 0) add(',');
      addValue(field(array, i), depth);
    }
    add(']');
  };

  const addObject = (object: object, depth: number): void => {
    const keys = Reflect.ownKeys(object);
    limit(keys.length, piecesOf && depth === 1 ? FIELDS : LENGTH);
    let before = '{';
    // Strings are compared by UTF-16 units, as the RFC requires.
    for (const key of keys.sort()) {
      const value = field(object, key);
      if (value === undefined) continue;
      const name = String(key);
      if (piecesOf) limit(name.length, NAME);
      add(before);
      addString(name);
      add(':');
      addValue(value, depth);
      before = ',';
    }
    add(before === ',' ? '}' : '{}');
  };

  const addValue = (value: unknown, depth: number): void => {
    if (piecesOf) limit(values++, VALUES);
    if (typeof value === 'string') addString(value);
    // `String` writes numbers as the RFC requires, and -0 as 0.
    else if (value === null || typeof value === 'boolean' || Number.isFinite(value)) add(String(value));
    else if (typeof value !== 'object') throw Fault.NotJson;
    else if (depth === DEPTH) throw Fault.TooDeep;
    else if (Array.isArray(value)) addArray(value, depth + 1);
    else if (isPlain(value)) addObject(value, depth + 1);
    else throw Fault.NotJson;
  };

  try {
    addValue(value, 0);
    return text;
  } catch (fault) {
    // Otherwise an accessor, a symbol, or a Proxy that throws.
    return typeof fault === 'number' ? fault : Fault.NotJson;
  }
}

/**
 * Returns these own top-level fields of an input and no others; `undefined` if one of them is missing or the
 * input is not a plain object.
 */
export function pick(
  input: unknown,
  fields: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  try {
    if (!isPlain(input)) return undefined;
    // In an object without a prototype, `__proto__` is a field like any other.
    const picked = Object.create(null) as Record<string, unknown>;
    for (const name of fields) {
      const value = field(input, name);
      if (value === undefined) return undefined;
      picked[name] = value;
    }
    return picked;
  } catch {
    return undefined;
  }
}
