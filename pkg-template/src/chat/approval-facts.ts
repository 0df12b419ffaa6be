// Tells the core what the application and its rules decide about a call that asks.

import type { Ruling } from '../types/rules.js';
import {
  annotateFact,
  evaluateRuleFact,
  matchFact,
  StatusField,
  Table,
  wantedRow,
} from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import { rowsOf } from '../engine/rows.js';
import type { CallMemory } from './call-memory.js';
import type { Descriptions } from './description.js';
import { INPUT, type Fingerprints } from './fingerprints.js';
import { toolOf, type PartFacts } from './part.js';
import type { StringIds } from './string-ids.js';

/** The knowledge of the application about calls. */
export interface Describer {
  /** Passes `lifetime` on as the application gave it: the core decides what is valid. */
  describe(facts: PartFacts): { dangerous: boolean | undefined; lifetime: number | undefined };
  judge(facts: PartFacts): Judged | undefined;
}

/** The ruling on a call, in the form of the core. */
export interface Judged {
  /** The code of the effect; -1 for an invalid one. */
  effect: number;
  denies: boolean;
  /** Whether the call always asks. */
  always: boolean;
  dangerous: boolean;
  rule: string | undefined;
  /** The reason that the model receives for a denial. */
  reason: string;
  ruling: Ruling;
}

/** Collects the facts about the asking calls of one chat. */
export class ApprovalFacts {
  readonly #core: Core;
  readonly #ids: StringIds;
  readonly #memory: CallMemory;
  readonly #fingerprints: Fingerprints;
  readonly #describer: Describer;
  readonly #descriptions: Descriptions;
  /** The rulings on parts that wait for the next crossing. */
  #judged: WeakMap<PartFacts, Judged> | undefined;
  /**
   * The lists of fields whose fingerprints are needed by grants, by tool, and the number of grants when they
   * were read.
   */
  #wanted: Map<number, Set<number>> | undefined;
  #grants = 0;

  constructor(
    core: Core,
    ids: StringIds,
    memory: CallMemory,
    fingerprints: Fingerprints,
    describer: Describer,
    descriptions: Descriptions,
  ) {
    this.#core = core;
    this.#ids = ids;
    this.#memory = memory;
    this.#fingerprints = fingerprints;
    this.#describer = describer;
    this.#descriptions = descriptions;
  }

  /** Adds the facts about a part that asks. */
  tell(facts: PartFacts): void {
    const { facts: waiting } = this.#core;
    // The application is called first, because it may make the guard read something else.
    const said = this.#describer.describe(facts);
    const judged = this.#judge(facts);
    this.#descriptions.of(facts);
    const { pending: part, call } = facts.tracked;
    // The word of the application about its tool goes before a conclusion of the rules from a name.
    const isDangerous = said.dangerous ?? judged?.dangerous === true;
    if (judged !== undefined) {
      (this.#judged ??= new WeakMap()).set(facts, judged);
      const { effect, always, rule } = judged;
      evaluateRuleFact(waiting, { part, call, effect, always, rule: this.#ids.of(rule) });
    }
    if (isDangerous || said.lifetime !== undefined) {
      annotateFact(waiting, { part, call, dangerous: isDangerous, lifetime: said.lifetime ?? Infinity });
    }
    this.hash(facts);
    for (const fields of this.#wantedOf(facts)) this.#fingerprints.tell(facts, fields);
    matchFact(waiting, { part, call });
  }

  /** The ruling on a call. A denial of the changed input with which it is drafted is one of the call. */
  #judge(facts: PartFacts): Judged | undefined {
    const judged = this.#describer.judge(facts);
    const { edit } = this.#memory.get(facts.tracked.call) ?? {};
    if (judged === undefined || judged.denies || edit === undefined) return judged;
    const changed = this.#describer.judge({ ...facts, input: edit.input });
    return changed?.denies === true ? changed : judged;
  }

  /** Whether the rules would deny the call with another input. */
  denies(facts: PartFacts, input: unknown): boolean {
    return this.#describer.judge({ ...facts, input })?.denies === true;
  }

  /** Tells the core the hash of a part's input, if there is a record. */
  hash(facts: PartFacts): void {
    if (this.#fingerprints.areHashes) this.#fingerprints.tell(facts, INPUT);
  }

  /**
   * Stores the ruling on a part, and the reason that the model receives for a denial, once its call is known.
   */
  remember(facts: PartFacts): void {
    const judged = this.#judged?.get(facts);
    const memory = this.#memory.get(facts.tracked.call);
    if (judged === undefined || memory === undefined) return;
    memory.ruling = judged.ruling;
    if (judged.denies) this.#memory.draft(facts.tracked.call, false, judged.reason);
  }

  /** The lists of fields whose fingerprints are needed by grants. */
  #wantedOf(facts: PartFacts): Iterable<number> {
    const grants = this.#core.get(StatusField.Grants);
    if (grants !== this.#grants) {
      this.#grants = grants;
      const wanted = (this.#wanted = new Map<number, Set<number>>());
      for (const { tool, fields } of rowsOf(this.#core.read(Table.Wanted), wantedRow)) {
        wanted.set(tool, (wanted.get(tool) ?? new Set()).add(fields));
      }
    }
    return this.#wanted?.get(this.#ids.of(toolOf(facts))) ?? [];
  }
}
