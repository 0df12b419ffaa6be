// Tells the core what the application and its rules say of a call that asks.

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
import { INPUT, type Fingerprints } from './fingerprints.js';
import { toolNameOf, toolOf, type PartFacts } from './part.js';
import type { StringIds } from './string-ids.js';

/** The knowledge that the application has of calls. */
export interface Describer {
  /** `lifetime` is what the application says: the core decides what counts. */
  describe(tool: string, facts: PartFacts): { dangerous: boolean; lifetime: number } | undefined;
  judge(tool: string, facts: PartFacts): Judged | undefined;
}

/** The ruling on a call, as the core takes it. */
export interface Judged {
  /** The code of the effect; -1 for what is none. */
  effect: number;
  denies: boolean;
  /** The call is always asked. */
  always: boolean;
  dangerous: boolean;
  rule: string | undefined;
  /** What the model is told of a denial. */
  reason: string;
  ruling: Ruling;
}

/** The facts about the asking calls of one chat. */
export class ApprovalFacts {
  readonly #core: Core;
  readonly #ids: StringIds;
  readonly #memory: CallMemory;
  readonly #fingerprints: Fingerprints;
  readonly #describer: Describer;
  /** The rulings on parts that wait to be told. */
  readonly #judged = new WeakMap<PartFacts, Judged>();
  /** The lists of fields that grants ask for, by tool, and how many grants there were. */
  #wanted = new Map<number, Set<number>>();
  #grants = 0;

  constructor(
    core: Core,
    ids: StringIds,
    memory: CallMemory,
    fingerprints: Fingerprints,
    describer: Describer,
  ) {
    this.#core = core;
    this.#ids = ids;
    this.#memory = memory;
    this.#fingerprints = fingerprints;
    this.#describer = describer;
  }

  /** A part was seen asking. */
  tell(facts: PartFacts): void {
    const { facts: told } = this.#core;
    const tool = toolNameOf(facts);
    // The application is asked first: it may have the guard read something else.
    const said = this.#describer.describe(tool, facts);
    const judged = this.#describer.judge(tool, facts);
    const { pending: part, call } = facts.tracked;
    const isDangerous = judged?.dangerous === true;
    if (judged !== undefined) {
      this.#judged.set(facts, judged);
      const { effect, always, rule } = judged;
      evaluateRuleFact(told, { part, call, effect, always: Number(always), rule: this.#ids.of(rule) });
    }
    if (said !== undefined || isDangerous) {
      const dangerous = Number(isDangerous || said?.dangerous === true);
      annotateFact(told, { part, call, dangerous, lifetime: said?.lifetime ?? Infinity });
    }
    this.hash(facts);
    for (const fields of this.#wantedOf(facts)) this.#fingerprints.tell(facts, fields);
    matchFact(told, { part, call });
  }

  /** Tells a record the input of a part. */
  hash(facts: PartFacts): void {
    if (this.#fingerprints.areHashes) this.#fingerprints.tell(facts, INPUT);
  }

  /** The call of a part is known: remembers the ruling on it, and what the model is told of a denial. */
  remember(facts: PartFacts): void {
    const judged = this.#judged.get(facts);
    const memory = this.#memory.get(facts.tracked.call);
    if (judged === undefined || memory === undefined) return;
    memory.ruling = judged.ruling;
    if (judged.denies) this.#memory.draft(facts.tracked.call, false, judged.reason);
  }

  /** The lists of fields that grants ask for. */
  #wantedOf(facts: PartFacts): Iterable<number> {
    const grants = this.#core.get(StatusField.Grants);
    if (grants !== this.#grants) {
      this.#grants = grants;
      this.#wanted = new Map();
      for (const { tool, fields } of rowsOf(this.#core.read(Table.Wanted), wantedRow)) {
        this.#wanted.set(tool, (this.#wanted.get(tool) ?? new Set()).add(fields));
      }
    }
    return this.#wanted.get(this.#ids.of(toolOf(facts))) ?? [];
  }
}
