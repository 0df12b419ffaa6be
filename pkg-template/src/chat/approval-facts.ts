// Tells the core what the application and its rules say of a call that asks.

import type { GuardCore } from 'virtual:glue';

import type { Ruling } from '../types/rules.js';
import { StatusField } from '../generated/abi.js';
import type { StatusBlock } from '../rows.js';
import type { CallMemory } from './call-memory.js';
import type { Fingerprints } from './fingerprints.js';
import { toolNameOf, type PartFacts } from './part.js';
import type { StringIds } from './string-ids.js';

/** The knowledge that the application has of calls. */
export interface Describer {
  describe(tool: string, facts: PartFacts): { dangerous: boolean; lifetime: number } | undefined;
  judge(tool: string, facts: PartFacts): Judged | undefined;
}

/** The ruling on a call, as the core takes it. */
export interface Judged {
  /** The code of the effect. */
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
  readonly #core: GuardCore;
  readonly #status: StatusBlock;
  readonly #ids: StringIds;
  readonly #memory: CallMemory;
  readonly #fingerprints: Fingerprints;
  readonly #describer: Describer;
  /** A record needs the hash of each input. */
  needsHashes = false;

  constructor(
    core: GuardCore,
    status: StatusBlock,
    ids: StringIds,
    memory: CallMemory,
    fingerprints: Fingerprints,
    describer: Describer,
  ) {
    this.#core = core;
    this.#status = status;
    this.#ids = ids;
    this.#memory = memory;
    this.#fingerprints = fingerprints;
    this.#describer = describer;
  }

  /** A call was seen asking. */
  tell(facts: PartFacts): void {
    const { call } = facts;
    const core = this.#core;
    const said = this.#describer.describe(toolNameOf(facts), facts);
    const isDangerous = this.#judge(facts);
    if (said !== undefined || isDangerous) {
      core.mark(call, isDangerous || said?.dangerous === true, said?.lifetime ?? Infinity);
    }
    this.hash(call);
    if (this.#status.get(StatusField.Grants) > 0) {
      for (const fields of core.wanted(call)) this.#fingerprints.tell(call, fields);
    }
    core.answer_by_itself(call);
  }

  /** Tells a record the input of a call. */
  hash(call: number): void {
    if (this.needsHashes) this.#fingerprints.of(call);
  }

  /** Tells the core the ruling on a call; returns whether the call may do harm. */
  #judge(facts: PartFacts): boolean {
    const { call } = facts;
    const judged = this.#describer.judge(toolNameOf(facts), facts);
    const memory = this.#memory.get(call);
    if (memory !== undefined) memory.ruling = judged?.ruling;
    if (judged === undefined) return false;
    this.#core.judge(call, judged.effect, judged.always, this.#ids.of(judged.rule));
    if (judged.denies) this.#memory.draft(call, false, judged.reason);
    return judged.dangerous;
  }
}
