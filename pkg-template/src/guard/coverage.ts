// Which waiting calls a lasting choice about a call would answer.
import type { Engine } from '../engine/engine.js';
import { StatusField, Table } from '../generated/abi.js';

const NOTHING: readonly string[] = Object.freeze([]);

/** The lists for one choice of fields, by call. Calls with the same content share a list. */
type Lists = Map<number, readonly string[]>;

/** Lists that were read since something has changed. Those of a thousand cards are read once. */
export class Coverage {
  readonly #engine: Engine;
  #at = -1;
  #lists = new Map<number, Lists>();
  /** The lists before the last change: an equal one stays the same object. */
  #old = new Map<number, Lists>();
  readonly #told = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The keys of the calls that a choice for these fields of a call would answer.
   *
   * @param tell tells the core the content of these fields in all calls of the tool
   */
  of(call: number, tool: string, fields: number, tell: () => void): readonly string[] {
    const { core, keys } = this.#engine;
    this.#forgetOld();
    const known = this.#lists.get(fields)?.get(call);
    if (known !== undefined) return known;
    const told = `${fields} ${tool}`;
    if (!this.#told.has(told)) tell();
    core.apply();
    const calls = [...core.read(Table.Covered, call, fields)];
    const found = calls.map(keys.of);
    // The content may not be known yet: a record hashes it only once its storage was read.
    if (found.length === 0) return NOTHING;
    this.#told.add(told);
    const old = this.#old.get(fields)?.get(call) ?? NOTHING;
    const list = old.length === found.length && found.every((key, i) => key === old[i]) ? old : found;
    const lists = this.#lists.get(fields) ?? new Map<number, readonly string[]>();
    this.#lists.set(fields, lists);
    for (const other of calls) lists.set(other, list);
    return list;
  }

  #forgetOld(): void {
    const at = this.#engine.core.get(StatusField.Changes);
    if (at === this.#at) return;
    this.#at = at;
    if (this.#lists.size > 0) this.#old = this.#lists;
    this.#lists = new Map();
    this.#told.clear();
  }
}
