// Fingerprints of inputs: equal inputs of a tool have equal numbers, by which the core compares calls. A
// number stands for the canonical text of an input, or, with a record, for the salted hash of that text.

import { fingerprintFact } from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import { canonical, pick } from './canonical.js';
import { askedInput, toolNameOf, type PartFacts } from './part.js';
import type { Covers } from '../prompt.js';
import type { Tools } from '../tools-option.js';
import type { StringIds } from './string-ids.js';

/** Stands for the whole input instead of a list of fields. */
export const INPUT = 0;

/** Stands for all inputs instead of a list of fields. */
export const TOOL = -1;

/** The fingerprints of the inputs of one chat. */
export class Fingerprints {
  readonly #core: Core;
  readonly #ids: StringIds;
  readonly #chatId: string | null;
  readonly #tools: Tools;
  #numbers: Map<string, number> | undefined;
  #keys: Map<number, string> | undefined;
  #last = 0;
  /** The numbers of whole inputs. */
  #inputs: WeakMap<PartFacts, number> | undefined;
  /** Hashes a text with the salt of the record. */
  #hash: ((text: string) => string | undefined) | undefined;

  constructor(core: Core, ids: StringIds, chatId: string | null, tools: Tools) {
    this.#core = core;
    this.#ids = ids;
    this.#chatId = chatId;
    this.#tools = tools;
  }

  /** Whether fingerprints are hashes that a record keeps. */
  get areHashes(): boolean {
    return this.#hash !== undefined;
  }

  /** Hashes inputs from now on. Earlier fingerprints then equal no other. */
  useHash(hash: (text: string) => string | undefined): void {
    this.#hash = hash;
    this.#numbers = this.#keys = this.#inputs = undefined;
  }

  /** The number of a hash, or of a text if there is no record; 0 for `undefined`. */
  numberOf(key: string | undefined): number {
    if (key === undefined) return 0;
    const numbers = (this.#numbers ??= new Map<string, number>());
    let number = numbers.get(key);
    if (number === undefined) {
      number = ++this.#last;
      numbers.set(key, number);
      (this.#keys ??= new Map<number, string>()).set(number, key);
    }
    return number;
  }

  /** The hash with this number; `undefined` without a record. */
  hashOf(number: number): string | undefined {
    return this.#hash && this.#keys?.get(number);
  }

  /** The hash of an input of a tool; `undefined` without a record, or if the input cannot be compared. */
  hashOfInput(tool: string, server: string | undefined, input: unknown): string | undefined {
    const text = this.#hash && this.#textOf(tool, server, input);
    return text === undefined ? undefined : this.#hash?.(text);
  }

  /** The hash of another input of the tool of a part; `undefined` without a record. */
  hashOfPart(facts: PartFacts, input: unknown): string | undefined {
    return this.hashOfInput(toolNameOf(facts), this.#tools.serverOf(facts), input);
  }

  /** The text to be numbered. It is the JSON of a list, because concatenated texts would not be unique. */
  #textOf(tool: string, server: string | undefined, shown: unknown): string | undefined {
    return shown === undefined
      ? undefined
      : canonical(['grant-v1', this.#chatId, server ?? null, tool, shown]);
  }

  /** The fingerprint of the whole input of a part; 0 if it has none. */
  of(facts: PartFacts): number {
    // Its own input does not say what a person has allowed.
    if (facts.tracked.isDescribed === true) return 0;
    const inputs = (this.#inputs ??= new WeakMap());
    const known = inputs.get(facts);
    if (known !== undefined) return known;
    const text = this.#textOf(toolNameOf(facts), this.#tools.serverOf(facts), askedInput(facts));
    const number = this.#number(text);
    // While a record still reads its storage, there is no hash yet.
    if (number !== 0 || text === undefined) inputs.set(facts, number);
    return number;
  }

  #number(text: string | undefined): number {
    return this.numberOf(text === undefined || this.#hash === undefined ? text : this.#hash(text));
  }

  /** Tells the core the fingerprint of some fields of a part's input, or of the whole input. */
  tell(facts: PartFacts, fields: number): void {
    const { pending: part, call } = facts.tracked;
    const picked = () =>
      this.#textOf(
        toolNameOf(facts),
        this.#tools.serverOf(facts),
        pick(askedInput(facts), this.fieldsOf(fields)),
      );
    const isWhole = fields === INPUT || facts.tracked.isDescribed === true;
    const fingerprint = isWhole ? this.of(facts) : this.#number(picked());
    fingerprintFact(this.#core.facts, { part, call, fields, fingerprint });
  }

  /** The fingerprint of some fields of an input that no part shows, or of the whole input; 0 if there is none. */
  ofInput(tool: string, server: string | undefined, input: unknown, fields: number): number {
    const shown = fields === INPUT ? input : pick(input, this.fieldsOf(fields));
    return this.#number(this.#textOf(tool, server, shown));
  }

  /** The number of what a choice covers. */
  idOf(covers: Covers): number {
    if (covers === 'tool') return TOOL;
    return covers === 'input' ? INPUT : this.#ids.of(JSON.stringify([...new Set(covers)].sort()));
  }

  /** The fields that a choice covers, by their number. */
  coversOf(id: number): Covers {
    return id === TOOL ? 'tool' : id === INPUT ? 'input' : this.fieldsOf(id);
  }

  fieldsOf(id: number): readonly string[] {
    return JSON.parse(this.#ids.text(id) ?? '[]') as readonly string[];
  }

  /** Keeps only the fingerprints that are in use. */
  keep(used: ReadonlySet<number>): void {
    for (const [number, key] of this.#keys ?? []) {
      if (used.has(number)) continue;
      this.#keys?.delete(number);
      this.#numbers?.delete(key);
    }
    // Parts may still refer to numbers that were dropped, so their fingerprints are computed again.
    this.#inputs = undefined;
  }
}
