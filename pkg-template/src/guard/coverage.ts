// The waiting calls that a lasting choice about a call would answer.
import type { Engine } from '../engine/engine.js';
import { NONE, sameItems } from '../engine/rows.js';
import { StatusField, Table } from '../generated/abi.js';

/** A list of keys, as it was at one state of the core. */
interface Known {
  at: number;
  keys: readonly string[];
}

/** The lists that were read. Those of a thousand cards are read once, and an equal list stays the same object. */
export class Coverage {
  readonly #engine: Engine;
  /** The lists by fields and call. Calls share a list if a choice about each of them answers the same ones. */
  readonly #lists = new Map<number, Map<number, Known>>();
  /** The fields and tools whose content the core was told, and its state then. */
  readonly #toldAt = new Map<string, number>();

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
    const at = core.get(StatusField.Changes);
    const lists = this.#lists.get(fields) ?? new Map<number, Known>();
    this.#lists.set(fields, lists);
    const known = lists.get(call);
    if (known?.at === at) return known.keys;
    const key = `${fields} ${tool}`;
    if (this.#toldAt.get(key) !== at) tell();
    core.apply();
    const [isMutual, ...calls] = core.read(Table.Covered, call, fields);
    // The content may not be known yet: a record hashes it only once its storage was read.
    if (calls.length === 0) return NONE;
    this.#toldAt.set(key, at);
    const found = calls.map((each) => keys.of(each));
    const same = [lists.get(calls[0] ?? 0), known].find(
      (old) => old !== undefined && sameItems(old.keys, found),
    );
    const next = { at, keys: same?.keys ?? Object.freeze(found) };
    for (const other of isMutual === 1 ? calls : [call]) lists.set(other, next);
    return next.keys;
  }

  /** Drops the calls below a number. */
  forget(first: number): void {
    for (const lists of this.#lists.values()) {
      for (const call of lists.keys()) if (call < first) lists.delete(call);
    }
  }
}
