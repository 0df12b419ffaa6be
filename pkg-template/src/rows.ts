// Rows of numbers that the core returns; their fields are named by src/web/abi.rs.
import { StatusField, type Shape } from './generated/abi.js';

/** All rows of a table. */
export function rowsOf<Row>(numbers: Float64Array, shape: Shape<Row>): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < numbers.length; at += shape.length) rows.push(shape.read(numbers, at));
  return rows;
}

/** A number that may be missing. */
export const optional = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** An answer as it crosses: 0 for none, 1 for no, 2 for yes. */
export const answerOf = (code: number): boolean | undefined => (code === 0 ? undefined : code === 2);

/** The status block of a guard, read from the module's memory without a crossing. */
export class StatusBlock {
  readonly #memory: WebAssembly.Memory;
  readonly #address: number;
  #view = new Float64Array(0);

  constructor(memory: WebAssembly.Memory, address: number) {
    this.#memory = memory;
    this.#address = address;
  }

  get(field: StatusField): number {
    // Memory that has grown leaves the old view empty.
    if (this.#view.length === 0) {
      this.#view = new Float64Array(this.#memory.buffer, this.#address, StatusField.Count);
    }
    return this.#view[field] ?? 0;
  }
}
