// The fields of an input that a person can change, and what comes of what is typed into one.
import { isRecord } from '../objects.js';
import type { CallView, JsonSchema } from '../prompt.js';
import type { EDITOR } from '../text/editor-texts.js';
import type { Words } from '../words.js';

/** The words of an editor. */
export type EditorWords = Words<typeof EDITOR>;

/** One top-level field of an input that a person may change and can read: it hides no secret. */
export interface EditField {
  /** Its name; `undefined` for an input that is not an object. Untrusted text. */
  name: string | undefined;
  /** Its control: one of `choices`, or a text, which is a number, JSON, or the value itself. */
  kind: 'choice' | 'number' | 'json' | 'text';
  /** The first content of a control: the value as text, or the index of the choice. */
  text: string;
  /** The value that the model asked for; `undefined` if the input has no such field yet. Untrusted, like the input. */
  value: unknown;
  /** The values to choose from; empty for other kinds. `undefined` is none, and is there only while the field is not. */
  choices: readonly unknown[];
  /** Its schema, with its limits: that of the option `inputSchema`, or an empty one. */
  schema: JsonSchema;
}

/** A number as JSON has it. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

export const sameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns the fields of a call that a person may change: those of its input, and those that its schema names besides. A
 * field with a masked secret is missing until it is shown (`guard.unmask`), because nobody changes what they cannot read.
 *
 * @param call the call as it is shown
 * @returns the fields in the order of the input; none if `call.can.edit` is false
 */
export function editFields({ can, input, display, editable, inputSchema = {} }: CallView): EditField[] {
  const shown = display?.value;
  if (!can.edit) return [];
  if (!isRecord(input) || !isRecord(shown)) {
    const isWhole = typeof editable !== 'object' && sameJson(input, shown);
    return isWhole ? [fieldOf(undefined, input, inputSchema)] : [];
  }
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const own = (of: JsonSchema, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined);
  return [...new Set([...Object.keys(input), ...Object.keys(properties)])]
    .filter((name) => typeof editable !== 'object' || editable.includes(name))
    .filter((name) => sameJson(own(input, name), own(shown, name)))
    .map((name) => fieldOf(name, own(input, name), own(properties, name)));
}

/** An input with other values in some fields. */
export function withValues(input: unknown, values: readonly [string | undefined, unknown][]): unknown {
  return values.reduce<unknown>(
    (now, [name, value]) => (name === undefined ? value : { ...(now as object), [name]: value }),
    input,
  );
}

/** Reads what was typed into one field: a value, or what is wrong with it in words. */
export function readField(
  { kind, text, value, choices, schema }: EditField,
  typed: string,
  words: EditorWords,
): { value: unknown } | { problem: string } {
  if (typed === text) return { value };
  if (kind === 'choice') return { value: choices[Number(typed)] };
  const { minLength, maxLength, minimum, maximum, pattern, type } = schema;
  const limit = (n: unknown): n is number => typeof n === 'number';
  if (kind === 'text') {
    const { length } = [...typed];
    if (limit(minLength) && length < minLength)
      return { problem: words.text('queue.editShort', { n: minLength }) };
    if (limit(maxLength) && length > maxLength)
      return { problem: words.text('queue.editLong', { n: maxLength }) };
    const fits = typeof pattern !== 'string' || matches(pattern, typed);
    return fits ? { value: typed } : { problem: words.text('queue.editForm') };
  }
  if (kind === 'number') {
    const n = Number(typed);
    // A number that is too precise would be read as another one.
    const isNumber = NUMBER.test(typed.trim()) && !(Number.isInteger(n) && !Number.isSafeInteger(n));
    if (!isNumber) return { problem: words.text('queue.editNumber') };
    if (type === 'integer' && !Number.isInteger(n)) return { problem: words.text('queue.editWhole') };
    if (limit(minimum) && n < minimum) return { problem: words.text('queue.editLeast', { n: minimum }) };
    if (limit(maximum) && n > maximum) return { problem: words.text('queue.editMost', { n: maximum }) };
    return { value: n };
  }
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { problem: words.text('queue.editJson') };
  }
}

/** Whether a text has the form of a schema. A pattern that is none says nothing. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function fieldOf(name: string | undefined, value: unknown, said: unknown): EditField {
  const schema = isRecord(said) ? said : {};
  const choices = choicesOf(schema, value);
  const kind = choices.length > 0 ? 'choice' : kindOf(schema, value);
  const index = choices.findIndex((choice) => sameJson(choice, value));
  const isEmpty = value === undefined || (value === null && kind !== 'json');
  const text = typeof value === 'string' ? value : isEmpty ? '' : JSON.stringify(value, null, 2);
  return { name, kind, text: kind === 'choice' ? `${index}` : text, value, choices, schema };
}

/** The values to choose from: those of the schema, and before them the one that is there, or none. */
function choicesOf(schema: JsonSchema, value: unknown): unknown[] {
  const isBoolean = schema['type'] === 'boolean' || typeof value === 'boolean';
  const named = schema['enum'] ?? (isBoolean ? [true, false] : []);
  if (!Array.isArray(named) || named.length === 0) return [];
  return named.some((each) => sameJson(each, value)) ? named : [value, ...(named as unknown[])];
}

/** By the schema, if that says one type and the value is no object; otherwise by the value. */
function kindOf({ type }: JsonSchema, value: unknown): 'number' | 'json' | 'text' {
  const types = [type].flat().filter((each) => each !== 'null' && each !== undefined);
  const said: unknown = types.length === 1 ? types[0] : value === null ? 'null' : typeof value;
  if (typeof value === 'object' && value !== null) return 'json';
  if (said === 'number' || said === 'integer') return 'number';
  return said === 'string' ? 'text' : 'json';
}
