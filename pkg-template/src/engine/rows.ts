// Rows of numbers returned by the core. Their fields are named in src/web/abi.
import type { Shape } from '../generated/abi.js';

/** All rows of a table. */
export function rowsOf<Row>(numbers: Float64Array, shape: Shape<Row>, from = 0): Row[] {
  const rows: Row[] = [];
  for (let at = from; at < numbers.length; at += shape.length) rows.push(shape.read(numbers, at));
  return rows;
}

/** A number that may be missing (NaN). */
export const optional = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** The answer for a code: 0 for none, 1 for no, 2 for yes. */
export const answerOf = (code: number): boolean | undefined => (code === 0 ? undefined : code === 2);

/** The code for an answer. */
export const answerCode = (answer: unknown): number => (answer === true ? 2 : answer === false ? 1 : 0);

/** Whether two lists have the same items. */
export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));
