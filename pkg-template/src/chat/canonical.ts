// The canonical JSON of an input (RFC 8785): the same text for all inputs that are equal on the wire.

/** The deepest nesting of an input, and the largest number of UTF-16 units in its text. */
export const DEPTH = 64;
export const LENGTH = 262_144;

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
  let text = '';

  // Each of these functions appends text and returns whether it could. The first failure ends all of them.

  const add = (more: string): boolean => {
    text += more;
    return text.length <= LENGTH;
  };

  const addString = (string: string): boolean =>
    string.length <= LENGTH && !LONE_SURROGATE.test(string) && add(JSON.stringify(string));

  const addArray = (array: readonly unknown[], depth: number): boolean => {
    // The own keys are the elements and the length, without holes. A subclass is refused: only
    // `Array.prototype` is itself an array.
    const { length } = array;
    if (length > LENGTH || Reflect.ownKeys(array).length !== length + 1) return false;
    if (!Array.isArray(Object.getPrototypeOf(array))) return false;
    if (!add('[')) return false;
    for (let i = 0; i < length; i++) {
      if ((i > 0 && !add(',')) || !addValue(field(array, i), depth)) return false;
    }
    return add(']');
  };

  const addObject = (object: object, depth: number): boolean => {
    const keys = Reflect.ownKeys(object);
    if (keys.length > LENGTH || !add('{')) return false;
    let first = true;
    // Strings are compared by UTF-16 units, as the RFC requires.
    for (const key of keys.sort()) {
      const value = field(object, key);
      if (value === undefined) continue;
      if (!first && !add(',')) return false;
      first = false;
      if (!addString(String(key)) || !add(':') || !addValue(value, depth)) return false;
    }
    return add('}');
  };

  const addValue = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') return addString(value);
    // `String` writes numbers as the RFC requires, and -0 as 0.
    if (typeof value === 'number') return Number.isFinite(value) && add(String(value));
    if (typeof value === 'boolean' || value === null) return add(String(value));
    if (typeof value !== 'object' || depth === DEPTH) return false;
    if (Array.isArray(value)) return addArray(value, depth + 1);
    return isPlain(value) && addObject(value, depth + 1);
  };

  try {
    return addValue(value, 0) ? text : undefined;
  } catch {
    // An accessor, a symbol, or a Proxy that throws.
    return undefined;
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
