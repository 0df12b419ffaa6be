// Fingerprints of inputs: the core compares calls by them.

import type { GuardCore } from 'virtual:glue';

import { canonical, pick } from './canonical.js';
import type { CallMemory } from './call-memory.js';
import { toolNameOf, type PartFacts } from './part.js';
import type { StringIds } from './string-ids.js';

/** The whole input, in place of a list of fields. */
export const INPUT = 0;

/** Tells the core the fingerprints of the inputs of one chat. */
export class Fingerprints {
  readonly #core: GuardCore;
  readonly #ids: StringIds;
  readonly #memory: CallMemory;
  readonly #identityOf: (tool: string) => readonly unknown[];
  /** The parts whose input has no fingerprint. */
  readonly #incomparable = new WeakSet<PartFacts>();

  /** @param identityOf what tells two tools of one name apart */
  constructor(
    core: GuardCore,
    ids: StringIds,
    memory: CallMemory,
    identityOf: (tool: string) => readonly unknown[],
  ) {
    this.#core = core;
    this.#ids = ids;
    this.#memory = memory;
    this.#identityOf = identityOf;
  }

  /** Tells the core the fingerprint of some fields of the input of a call, or of all of it. */
  tell(call: number, fields: number): void {
    const { facts } = this.#memory.of(call);
    const input = facts?.input;
    const shown = fields === INPUT ? input : pick(input, this.fieldsOf(fields));
    const tool = facts === undefined ? '' : toolNameOf(facts);
    const text = shown === undefined ? undefined : this.textOf(tool, shown);
    this.#core.print(call, fields, text);
  }

  /** The text whose hash is the fingerprint. A list, and not joined texts, so that no two lists have the same text. */
  textOf(tool: string, shown: unknown): string | undefined {
    return canonical(['grant-v1', ...this.#identityOf(tool), tool, shown]);
  }

  /** The number of the fingerprint of the whole input of a call, told to the core first; 0 where it has none. */
  of(call: number): number {
    const { facts } = this.#memory.of(call);
    const known = this.#core.print_of(call);
    if (known !== 0 || facts === undefined || this.#incomparable.has(facts)) return known;
    this.tell(call, INPUT);
    const print = this.#core.print_of(call);
    if (print === 0) this.#incomparable.add(facts);
    return print;
  }

  /** The fingerprint of the whole input of a call, in hexadecimal digits. */
  hashOf(call: number): string | undefined {
    return this.#core.hash_of(this.of(call));
  }

  /** The number of a list of fields. */
  idOf(fields: readonly string[]): number {
    return this.#ids.of(JSON.stringify([...new Set(fields)].sort()));
  }

  fieldsOf(id: number): readonly string[] {
    return JSON.parse(this.#ids.text(id) ?? '[]') as readonly string[];
  }
}
