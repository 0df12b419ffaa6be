// The core of one guard. Facts wait until a result is needed. Then all of them cross at once, and their
// effects come back.
import { NO_DIGEST } from '../chat/digest.js';
import {
  apply_facts,
  close_guard,
  open_guard,
  read_table,
  reserve_facts,
  rewrite_part,
  start_guards,
  status_of,
} from 'virtual:glue';
import { startModule } from 'virtual:module';

import {
  actEffect,
  after,
  answeredEffect,
  EffectKind,
  grantedEffect,
  HeaderField,
  overtakenEffect,
  partFact,
  permittedEffect,
  problemEffect,
  Repair,
  repairEffect,
  repairFact,
  requestEffect,
  type Scope,
  type Shape,
  seenEffect,
  timedOutEffect,
  unsentEffect,
  verdictEffect,
  type ActEffect,
  type Kept,
  type PartFact,
  type PermittedEffect,
  type ProblemEffect,
  type Reason,
  type RepairEffect,
  type RepairFact,
  type RequestEffect,
  type SeenEffect,
  StatusField,
  type Table,
  type UnsentEffect,
} from '../generated/abi.js';
import type { Reference } from '../lifetime.js';

const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The repair that a part needs. It is valid only while the core has this revision. */
export interface KnownRepair extends Omit<RepairEffect, 'number'> {
  revision: number;
}

/** A part with its repairs: on the wire, and in the chat. */
export interface Repairable {
  onWire: KnownRepair | undefined;
  atHome: KnownRepair | undefined;
}

/** The fields of {@link Repairable}, by scope. */
const REPAIR_FIELDS = ['onWire', 'atHome'] as const satisfies Record<Scope, keyof Repairable>;
const NO_REPAIR = { repair: Repair.Keep, cause: NaN, keepsShownDenial: false, input: 0, edit: NO_DIGEST };

/** The memory of the module, which all guards of a page share. */
class ModuleMemory {
  readonly #memory: WebAssembly.Memory;
  /** Whether a buffer is detached when the memory grows, as it is in WebAssembly and not in JavaScript. */
  readonly #detaches: boolean;
  readonly #header: number;
  #view = new Float64Array(0);

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#detaches = typeof WebAssembly === 'object' && memory instanceof WebAssembly.Memory;
    this.#header = start_guards({ wake: (guard: number) => owners.get(guard)?.deref()?.wake() });
  }

  /**
   * A view of the whole memory. When the memory grows, it has another buffer, and the view of a detached one is empty.
   * To ask WebAssembly for the buffer takes longer than the rest of a check.
   */
  get view(): Float64Array {
    const view = this.#view;
    const isStale = this.#detaches ? view.length === 0 : view.buffer !== this.#memory.buffer;
    return isStale ? (this.#view = new Float64Array(this.#memory.buffer)) : view;
  }

  #field(field: HeaderField): number {
    return this.view[this.#header / BYTES + field] ?? 0;
  }

  /** Writes facts into the module's memory; returns how many numbers were written. */
  write(facts: readonly number[]): number {
    const { length } = facts;
    if (length > this.#field(HeaderField.Capacity)) reserve_facts(Math.max(2 * length, 64));
    const { view } = this;
    const start = this.#field(HeaderField.Facts) / BYTES;
    // For the few numbers of most checks, a loop takes half the time of `set`.
    for (let i = 0; i < length; i++) view[start + i] = facts[i] ?? 0;
    return length;
  }

  /** The place in the view at which the numbers start that the module has written. */
  get from(): number {
    return this.#field(HeaderField.Effects) / BYTES;
  }

  /** The place at which they end. */
  get to(): number {
    return this.from + this.#field(HeaderField.Length);
  }
}

let memory: ModuleMemory | undefined;

/** Is told when time has changed something. */
export interface Wakeable {
  wake(): void;
}

/** The owners of guards, by the numbers of these. Nothing here holds an owner. */
const owners = new Map<number, Reference<Wakeable>>();

function end(guard: number): void {
  owners.delete(guard);
  close_guard(guard);
}

let dropped: FinalizationRegistry<number> | undefined;

/** The effects of a crossing. */
export interface Effects {
  /** The verdict; `undefined` if the whole list has to be read first. */
  reason: Reason | undefined;
  /** Whether another request of this tick has already taken everything along. */
  isOvertaken: boolean;
  /** The request, if it leaves. */
  request: RequestEffect | undefined;
  /** Whether it is held. */
  isHeld: boolean;
  /** The call that was answered through the chat, or 0. */
  answered: number;
  permitted: PermittedEffect | undefined;
  /** The grant that would answer a call, or 0. */
  grant: number;
  /** The result of each act and commit. */
  acts: ActEffect[];
  /** The end of the listed messages that the server needs. */
  unsent: UnsentEffect | undefined;
}

const noEffects = (): Effects => ({
  reason: undefined,
  isOvertaken: false,
  request: undefined,
  isHeld: false,
  answered: 0,
  permitted: undefined,
  grant: 0,
  acts: [],
  unsent: undefined,
});

/** The effects of no facts. */
const NO_EFFECTS: Readonly<Effects> = /* @__PURE__ */ noEffects();

/** A plain copy of an object, which may change. */
type Copy = Record<string, unknown>;

/** Makes the repaired part of a copy. */
export function rewritePart(
  { repair, keepsShownDenial, input }: KnownRepair,
  part: Copy,
  kept: Kept<Copy | string>,
): Copy {
  return rewrite_part(repair, keepsShownDenial, input, part, kept) as Copy;
}

type SeenListener = (effect: SeenEffect) => void;

/** A part whose repair was asked for. */
interface Repaired {
  part: Repairable;
  scope: Scope;
}

/** Facts and their effects, for one guard. */
export class Core {
  readonly #memory: ModuleMemory;
  /** The number of the guard, and the address of its status block; both are invalid after the end of the guard. */
  #guard: number;
  #status: number;
  /** The waiting facts, written by the functions of `abi.ts`. */
  facts: number[] = [];
  /** The number of parts among them. */
  #parts = 0;
  // Most guards are at rest, so each of these lists is made when it is needed.
  #seen: SeenListener[] | undefined;
  #repairs: Repaired[] | undefined;
  /** The calls that the page did not run in time, and that have not got their errors yet. */
  timedOut: number[] | undefined;
  /** The problems to be reported. */
  problems: ProblemEffect[] | undefined;

  /**
   * @param options writes the options as facts
   * @param owner is told when time has changed something
   */
  constructor(options: (facts: number[]) => void, owner: Reference<Wakeable>) {
    this.#memory = memory ??= new ModuleMemory(startModule());
    options(this.facts);
    this.#guard = open_guard(this.#memory.write(this.facts));
    this.facts = [];
    this.#status = status_of(this.#guard) / BYTES;
    owners.set(this.#guard, owner);
    if (typeof FinalizationRegistry !== 'undefined') {
      dropped ??= new FinalizationRegistry(end);
      dropped.register(this, this.#guard, this);
    }
  }

  /** Ends the core. After a trap the module is not called again, and its number is free. Its timer wakes nobody. */
  free(hasTrapped: boolean): void {
    dropped?.unregister(this);
    if (hasTrapped) owners.delete(this.#guard);
    else end(this.#guard);
    // Its number may be given to another guard.
    this.#guard = 0;
    this.#status = NaN;
  }

  /** A number of the status block, read without a crossing. Waiting facts have not changed it. */
  get(field: StatusField): number {
    return this.#memory.view[this.#status + field] ?? 0;
  }

  /** Whether something has ended by time that no fact has told the core. */
  get isOverdue(): boolean {
    const wall = this.get(StatusField.EndsWall);
    return wall !== Infinity && (Date.now() >= wall || performance.now() >= this.get(StatusField.EndsSteady));
  }

  /** Adds a part; returns its number among the waiting parts. `seen` receives the result. */
  addPart(part: PartFact, seen: SeenListener): number {
    partFact(this.facts, part);
    this.awaitSeen(seen);
    return ++this.#parts;
  }

  /** Registers a function for the result of the fact about a call that was just added. */
  awaitSeen(seen: SeenListener): void {
    (this.#seen ??= []).push(seen);
  }

  /** Asks for the repair of a part, which the part has after the crossing. */
  addRepair(fact: Omit<RepairFact, 'number'>, part: Repairable): void {
    const repairs = (this.#repairs ??= []);
    repairFact(this.facts, { ...fact, number: repairs.length });
    repairs.push({ part, scope: fact.scope });
  }

  /** Passes all waiting facts to the module. */
  apply(): Readonly<Effects> {
    if (this.facts.length === 0) return NO_EFFECTS;
    const { facts } = this;
    const [seen, repairs] = [this.#seen, this.#repairs];
    // A fact that traps is not passed again.
    this.facts = [];
    this.#parts = 0;
    this.#seen = this.#repairs = undefined;
    apply_facts(this.#guard, this.#memory.write(facts));
    const revision = this.get(StatusField.Revision);
    if (repairs !== undefined) {
      const none = { ...NO_REPAIR, revision };
      for (const { part, scope } of repairs) part[REPAIR_FIELDS[scope]] = none;
    }
    return this.#decode(seen, repairs, revision);
  }

  /** Decodes the effects where they are: a view of them would take longer to make than to read. */
  #decode(
    seen: readonly SeenListener[] | undefined,
    repairs: readonly Repaired[] | undefined,
    revision: number,
  ): Effects {
    const effects = noEffects();
    const { view: numbers, from, to } = this.#memory;
    let nextSeen = 0;
    let at = from;
    const next = <Effect>(shape: Shape<Effect>): Effect => {
      const effect = shape.read(numbers, at);
      at = after(shape, numbers, at);
      return effect;
    };
    while (at < to) {
      const kind: EffectKind = numbers[at++] ?? 0;
      switch (kind) {
        case EffectKind.Seen:
          seen?.[nextSeen++]?.(next(seenEffect));
          break;
        case EffectKind.Repair: {
          const { number, ...effect } = next(repairEffect);
          const { part, scope } = repairs?.[number] ?? {};
          if (part !== undefined && scope !== undefined) part[REPAIR_FIELDS[scope]] = { ...effect, revision };
          break;
        }
        case EffectKind.Verdict:
          effects.reason = next(verdictEffect).reason;
          break;
        case EffectKind.Overtaken:
          effects.isOvertaken = next(overtakenEffect).overtaken;
          break;
        case EffectKind.Request:
          effects.request = next(requestEffect);
          break;
        case EffectKind.Held:
          effects.isHeld = true;
          break;
        case EffectKind.Answered:
          effects.answered = next(answeredEffect).call;
          break;
        case EffectKind.Permitted:
          effects.permitted = next(permittedEffect);
          break;
        case EffectKind.Granted:
          effects.grant = next(grantedEffect).grant;
          break;
        case EffectKind.Act:
          effects.acts.push(next(actEffect));
          break;
        case EffectKind.Unsent:
          effects.unsent = next(unsentEffect);
          break;
        case EffectKind.TimedOut:
          (this.timedOut ??= []).push(...next(timedOutEffect).calls);
          break;
        case EffectKind.Problem:
          (this.problems ??= []).push(next(problemEffect));
          break;
      }
    }
    return effects;
  }

  /** Reads a table, without the effect of waiting facts; valid until the next crossing. */
  read(table: Table, of = 0, argument = 0): Float64Array {
    read_table(this.#guard, table, of, argument);
    const { view, from, to } = this.#memory;
    return view.subarray(from, to);
  }
}
