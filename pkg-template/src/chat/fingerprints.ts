// Fingerprints of inputs: equal inputs of a tool have equal numbers, and the core compares calls by them. A number
// stands for the canonical text of an input, and where there is a record for its salted hash.

import { fingerprintFact } from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import { canonical, pick } from './canonical.js';
import { toolNameOf, type PartFacts } from './part.js';
import type { StringIds } from './string-ids.js';

/** The whole input, in place of a list of fields. */
export const INPUT = 0;

/** Every input, in place of a list of fields. */
export const TOOL = -1;

/** The fingerprints of the inputs of one chat. */
export class Fingerprints {
  readonly #core: Core;
  readonly #ids: StringIds;
  readonly #identityOf: (tool: string) => readonly unknown[];
  readonly #numbers = new Map<string, number>();
  readonly #keys = new Map<number, string>();
  #last = 0;
  /** The numbers of whole inputs. */
  #inputs = new WeakMap<PartFacts, number>();
  /** Hashes a text with the salt of the record. */
  #hash: ((text: string) => string | undefined) | undefined;

  /** @param identityOf what tells two tools of one name apart */
  constructor(core: Core, ids: StringIds, identityOf: (tool: string) => readonly unknown[]) {
    this.#core = core;
    this.#ids = ids;
    this.#identityOf = identityOf;
  }

  /** Whether fingerprints are hashes, which a record keeps. */
  get areHashes(): boolean {
    return this.#hash !== undefined;
  }

  /** From now on inputs are hashed. Earlier fingerprints equal none. */
  useHash(hash: (text: string) => string | undefined): void {
    this.#hash = hash;
    this.#numbers.clear();
    this.#keys.clear();
    this.#inputs = new WeakMap();
  }

  /** The number of a hash, or of a text where there is no record; 0 for nothing. */
  numberOf(key: string | undefined): number {
    if (key === undefined) return 0;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = ++this.#last;
      this.#numbers.set(key, number);
      this.#keys.set(number, key);
    }
    return number;
  }

  /** The hash behind a number; `undefined` without a record. */
  hashOf(number: number): string | undefined {
    return this.#hash && this.#keys.get(number);
  }

  /** The hash of an input of a tool; `undefined` without a record, and where the input cannot be compared. */
  hashOfInput(tool: string, input: unknown): string | undefined {
    const text = this.#hash && this.#textOf(tool, input);
    return text === undefined ? undefined : this.#hash?.(text);
  }

  /** The text that a number stands for. A list, and not joined texts, so that no two lists have the same text. */
  #textOf(tool: string, shown: unknown): string | undefined {
    return shown === undefined ? undefined : canonical(['grant-v1', ...this.#identityOf(tool), tool, shown]);
  }

  /** The fingerprint of the whole input of a part; 0 where it has none. */
  of(facts: PartFacts): number {
    const known = this.#inputs.get(facts);
    if (known !== undefined) return known;
    const text = this.#textOf(toolNameOf(facts), facts.input);
    const number = this.#number(text);
    // While a record reads its storage, it has no hash yet.
    if (number !== 0 || text === undefined) this.#inputs.set(facts, number);
    return number;
  }

  #number(text: string | undefined): number {
    return this.numberOf(text === undefined || this.#hash === undefined ? text : this.#hash(text));
  }

  /** Tells the core the fingerprint of some fields of the input of a part, or of all of it. */
  tell(facts: PartFacts, fields: number): void {
    const { pending: part, call } = facts.tracked;
    const picked = () => this.#textOf(toolNameOf(facts), pick(facts.input, this.fieldsOf(fields)));
    const fingerprint = fields === INPUT ? this.of(facts) : this.#number(picked());
    fingerprintFact(this.#core.facts, { part, call, fields, fingerprint });
  }

  /** The number of a list of fields. */
  idOf(fields: readonly string[]): number {
    return this.#ids.of(JSON.stringify([...new Set(fields)].sort()));
  }

  fieldsOf(id: number): readonly string[] {
    return JSON.parse(this.#ids.text(id) ?? '[]') as readonly string[];
  }

  /** Forgets the fingerprints that nothing uses. */
  keep(used: ReadonlySet<number>): void {
    for (const [number, key] of this.#keys) {
      if (used.has(number)) continue;
      this.#keys.delete(number);
      this.#numbers.delete(key);
    }
    // Numbers of parts that were forgotten here are made again.
    this.#inputs = new WeakMap();
  }
}
