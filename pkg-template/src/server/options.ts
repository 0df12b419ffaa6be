// The checks of the options that the functions of the server entry take.
import { GuardError } from '../error.js';
import { isText } from './outline.js';
import { type Fields, isRecord } from '../objects.js';

export const invalid = (sentence: string): GuardError => new GuardError('invalid-option', sentence);

/** The items of an option; `undefined` if it is left out. @throws GuardError `invalid-option` */
export function listOf(options: Fields, name: string): unknown[] | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
    throw invalid(`The option ${name} must be a list.`);
  }
  return [...(value as Iterable<unknown>)];
}

/** An option that names tools. @throws GuardError `invalid-option` */
export function toolNames(options: Fields, option: string): string[] {
  const names = listOf(options, option) ?? [];
  if (!names.every((tool) => isText(tool)))
    throw invalid(`The option ${option} must be a list of tool names.`);
  return names;
}

/** An option that is true or false. @throws GuardError `invalid-option` */
export function flag(options: Fields, name: string): boolean {
  const value = options[name] ?? false;
  if (typeof value !== 'boolean') throw invalid(`The option ${name} must be true or false.`);
  return value;
}

/** Checks the names of options. @throws GuardError `invalid-option` */
export function checkOptions(
  options: unknown,
  of: string,
  known: readonly string[],
): asserts options is Fields {
  if (!isRecord(options)) throw invalid(`The options of ${of} must be an object, or be left out.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`${of} has no option ${unknown}.`);
}
