// @ts-check
// The canonical JSON of an input (RFC 8785): one text for all inputs that are the same on the wire.

/** How deep an input may be nested, and how many UTF-16 units its text may have. */
export const DEPTH = 64;
export const LENGTH = 262_144;

/** A surrogate without its other half, which cannot be sent: with `u` the halves of a pair are one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Was it made as JSON makes objects, in this realm or in another one? Every `Object.prototype` has
 * no prototype of its own, and brings `hasOwnProperty`.
 * @param {unknown} value @returns {value is object}
 */
function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
}

/**
 * The value of an own field. An accessor is not called: what it answers now says nothing of later.
 * @param {object} owner @param {PropertyKey} key @returns {unknown}
 * @throws {TypeError} when JSON has no such fields
 */
function field(owner, key) {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  if (typeof key === 'symbol' || !descriptor?.enumerable || !('value' in descriptor)) {
    throw new TypeError('no field of JSON');
  }
  return descriptor.value;
}

/**
 * The canonical JSON of a value, or undefined where there is none: the value is not made of what
 * JSON knows, or it is past a cap. A key whose value is undefined is left out, as on the wire.
 * @param {unknown} value @returns {string | undefined}
 */
export function canonical(value) {
  let text = '';

  // Each of these writes, and says whether it could: the first that could not ends it all.

  /** @param {string} more */
  const add = (more) => {
    text += more;
    return text.length <= LENGTH;
  };

  /** @param {string} string */
  const addString = (string) =>
    string.length <= LENGTH && !LONE_SURROGATE.test(string) && add(JSON.stringify(string));

  /** @param {readonly unknown[]} array @param {number} depth */
  const addArray = (array, depth) => {
    // Nothing is missing and nothing stands beside the elements but the length. A class of arrays
    // is none: only `Array.prototype` is an array itself.
    const { length } = array;
    if (length > LENGTH || Reflect.ownKeys(array).length !== length + 1) return false;
    if (!Array.isArray(Object.getPrototypeOf(array))) return false;
    if (!add('[')) return false;
    for (let i = 0; i < length; i++) {
      if ((i > 0 && !add(',')) || !addValue(field(array, i), depth)) return false;
    }
    return add(']');
  };

  /** @param {object} object @param {number} depth */
  const addObject = (object, depth) => {
    const keys = Reflect.ownKeys(object);
    if (keys.length > LENGTH || !add('{')) return false;
    let first = true;
    // By UTF-16 units, which is how strings compare here anyway.
    for (const key of keys.sort()) {
      const value = field(object, key);
      if (value === undefined) continue;
      if (!first && !add(',')) return false;
      first = false;
      if (!addString(String(key)) || !add(':') || !addValue(value, depth)) return false;
    }
    return add('}');
  };

  /** @param {unknown} value @param {number} depth how many objects and arrays it stands in @returns {boolean} */
  const addValue = (value, depth) => {
    if (typeof value === 'string') return addString(value);
    // `String` writes numbers as the RFC wants them, and -0 as 0.
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
 * These own top-level fields of an input and no others, or undefined when one of them is missing or
 * the input is no plain object.
 * @param {unknown} input @param {readonly string[]} fields
 * @returns {Readonly<Record<string, unknown>> | undefined}
 */
export function pick(input, fields) {
  try {
    if (!isPlain(input)) return undefined;
    // Without a prototype `__proto__` is a field like others.
    const picked = Object.create(null);
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
