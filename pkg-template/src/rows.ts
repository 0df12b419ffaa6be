// Rows of numbers that the core returns; their fields are named by src/web/abi.rs.
import type { Shape } from './generated/abi.js';

/** The row at this place. */
export function rowAt<Row>(numbers: Float64Array, at: number, shape: Shape<Row>): Row {
  const row = {} as Record<keyof Row, number>;
  for (let i = 0; i < shape.length; i++) row[shape[i] as keyof Row] = numbers[at + i] ?? NaN;
  return row as Row;
}

/** All rows of a table. */
export function rowsOf<Row>(numbers: Float64Array, shape: Shape<Row>): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < numbers.length; at += shape.length) rows.push(rowAt(numbers, at, shape));
  return rows;
}

/** A number that may be missing. */
export const optional = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** An answer as it crosses: 0 for none, 1 for no, 2 for yes. */
export const answerOf = (code: number): boolean | undefined => (code === 0 ? undefined : code === 2);
