// Rows of numbers returned by the core. Their fields are named in src/web/tables.rs and in src/core.
import { itemsAt, type Shape } from '../generated/abi.js';

/** A list without items, for all that have none. */
export const NONE: readonly never[] = /* @__PURE__ */ Object.freeze([]);

/** All rows of a table. */
export const rowsOf = <Row>(numbers: Float64Array, shape: Shape<Row>, from = 0): Row[] =>
  itemsAt(numbers, from, (numbers.length - from) / shape.length, shape);

/** The code for an answer. */
export const answerCode = (answer: unknown): number => (answer === true ? 2 : answer === false ? 1 : 0);

export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]));

/** The old list, if the next one has the same items. */
export const sameList = <List extends readonly unknown[]>(old: List, next: List): List =>
  sameItems(old, next) ? old : next;
