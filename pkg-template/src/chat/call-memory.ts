// Stores what the core does not hold about each call: its part, and its original approval objects.

import type { Ruling } from '../types/rules.js';
import { Keeps, KeptOutput, type SeenEffect } from '../generated/abi.js';
import { digestOf, INPUT_BUDGET, sameDigest, type Digest } from './digest.js';
import { resultOf, toolOf, type KnownEdits, type PartFacts } from './part.js';
import { isObject, type Fields } from '../objects.js';
import type { ChunkReader, ShownCalls } from './stream.js';
import type { StringIds } from './string-ids.js';

/** An input that a person has put in the place of the one that the model asked for. */
export interface Edit {
  input: unknown;
  digest: Digest;
}

/** The objects of a call. The core says which part and which approval, and decides how a repair uses them. */
export interface RememberedCall {
  /** The part as it was last read. */
  facts?: PartFacts;
  /** The question, the allowance and the denial as they were last seen. */
  asked?: Fields | undefined;
  allowed?: Fields | undefined;
  denied?: Fields | undefined;
  /** The answers that were given here, or that a record knows: `approved` and `reason`. The messages may not show them yet. */
  givenAllowance?: Fields | undefined;
  givenDenial?: Fields | undefined;
  /** The changed input with which the call is allowed, with its digest. */
  edit?: Edit | undefined;
  /** All of them so far, which the entries of the ledger name by their digests. */
  edits?: Edit[];
  /** A part that shows the output of the call. */
  output?: PartFacts | undefined;
  /** The latest ruling. */
  ruling?: Ruling | undefined;
  /** Whether its parts can need a repair. */
  isWatched?: boolean;
}

const NOTHING: RememberedCall = Object.freeze({});

/** The memory of one chat, by call number. */
export class CallMemory implements ShownCalls, KnownEdits {
  readonly #ids: StringIds;
  readonly #ownReasons: readonly string[];
  readonly #stream: ChunkReader;
  readonly #calls = new Map<number, RememberedCall>();

  /** The names of persons who have drafted answers on earlier pages, by their ids. */
  #userNames: Map<string | undefined, string | undefined> | undefined;

  constructor(ids: StringIds, ownReasons: readonly string[], stream: ChunkReader) {
    this.#ownReasons = ownReasons;
    this.#ids = ids;
    this.#stream = stream;
    stream.shown = this;
  }

  /** All stored parts, by call number. */
  *parts(): Iterable<readonly [call: number, facts: PartFacts]> {
    for (const [call, { facts }] of this.#calls) if (facts !== undefined) yield [call, facts];
  }

  /** The memory of a call; `undefined` if there is none to change. */
  get(call: number): RememberedCall | undefined {
    return this.#calls.get(call);
  }

  /** The memory of the last call whose part shows this approval, for reading. */
  withApproval(id: string): Readonly<RememberedCall> {
    return this.#last(({ facts, asked }) => facts?.approvalId === id || asked?.id === id);
  }

  callWith(approvalId: unknown): unknown {
    return typeof approvalId === 'string' ? this.withApproval(approvalId).facts?.toolCallId : undefined;
  }

  /** The memory of the last call with this approval id or call id, for reading. */
  withId(id: string): Readonly<RememberedCall> {
    return this.#last(({ facts }) => facts?.approvalId === id || facts?.toolCallId === id);
  }

  #last(isMeant: (memory: RememberedCall) => boolean): Readonly<RememberedCall> {
    let found = NOTHING;
    for (const memory of this.#calls.values()) if (isMeant(memory)) found = memory;
    return found;
  }

  /** The call id of a call, as a string. */
  callIdOf(call: number): string {
    const id = this.of(call).facts?.toolCallId;
    return typeof id === 'string' ? id : '';
  }

  /** As {@link get}, for reading. */
  of(call: number): Readonly<RememberedCall> {
    return this.#calls.get(call) ?? NOTHING;
  }

  /** Keeps of a part that has crossed what the core says. */
  remember(facts: PartFacts, effect: SeenEffect): void {
    const { keeps, keptOutput } = effect;
    if (keeps === Keeps.Nothing) return;
    const { call } = facts.tracked;
    const memory = this.#calls.get(call) ?? {};
    this.#calls.set(call, memory);
    memory.facts = facts;
    if (keptOutput !== KeptOutput.Stays) {
      memory.output = keptOutput === KeptOutput.Replaced ? facts : undefined;
    }
    const shown = isObject(facts.approval) ? facts.approval : undefined;
    switch (keeps) {
      case Keeps.Asked:
        memory.asked = shown;
        break;
      case Keeps.Allowed:
        memory.allowed = shown;
        if (facts.editDigest[0] !== 0) keepEdit(memory, { input: facts.input, digest: facts.editDigest });
        break;
      case Keeps.Denied:
        memory.denied = shown;
        break;
      case Keeps.Heard: {
        const { question, answer } = this.#stream.approval(this.#ids.text(effect.approval)) ?? {};
        memory.asked ??= question;
        if (answer?.approved === true) memory.allowed ??= answer;
        if (answer?.approved === false) memory.denied ??= answer;
        break;
      }
    }
  }

  /** Notes that the parts of a call can need a repair. Returns whether none was known to need one. */
  watch(call: number): boolean {
    const memory = this.#calls.get(call);
    if (memory === undefined || memory.isWatched) return false;
    return (memory.isWatched = true);
  }

  nameUser(id: string, name: string | undefined): void {
    (this.#userNames ??= new Map()).set(id, name);
  }

  nameOfUser(id: string | undefined): string | undefined {
    return this.#userNames?.get(id);
  }

  /** Replaces a known part by a copy that was read. */
  replace(facts: PartFacts): void {
    const memory = this.#calls.get(facts.tracked.call);
    if (memory !== undefined) memory.facts = facts;
  }

  /** Keeps an answer until it is written. It replaces any other one. */
  draft(call: number, approved: boolean, reason: unknown, edit?: Edit): void {
    this.undo(call);
    this.answer(call, approved, reason);
    const memory = this.#calls.get(call);
    if (memory !== undefined && edit !== undefined) keepEdit(memory, edit);
  }

  /** A changed input with its digest. The record asks here, because the digests of its own bundle have another key. */
  editOf(input: unknown): Edit {
    return { input, digest: digestOf(input, INPUT_BUDGET) };
  }

  /** Keeps the changed input of an answer that a record knows, unless another one is known. */
  restoreEdit(call: number, edit: Edit | undefined): void {
    const memory = this.#calls.get(call);
    if (memory === undefined || edit === undefined) return;
    const own = memory.edit;
    keepEdit(memory, edit);
    memory.edit = own ?? edit;
  }

  isEdit(approvalId: unknown, input: Digest): boolean {
    const { edits } = typeof approvalId === 'string' ? this.withApproval(approvalId) : NOTHING;
    return edits?.some(({ digest }) => sameDigest(digest, input)) === true;
  }

  /** The changed input that the core names by its digest. */
  knownEdit(call: number, edit: Digest): Edit | undefined {
    return this.#calls.get(call)?.edits?.find(({ digest }) => sameDigest(digest, edit));
  }

  /** Drops a withdrawn answer. */
  undo(call: number): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    memory.allowed = memory.denied = memory.givenAllowance = memory.givenDenial = memory.edit = undefined;
  }

  /** Keeps an answer, unless an older one with the same value stands. */
  answer(call: number, approved: boolean, reason: unknown): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    const given = { approved, ...(reason === undefined ? {} : { reason }) };
    if (approved) memory.givenAllowance ??= given;
    else memory.givenDenial ??= given;
  }

  /**
   * The arguments for `addToolApprovalResponse`.
   *
   * @param cause the code of the cause, if no person gave a reason
   */
  answerOf(call: number, approved: boolean, cause: number) {
    const memory = this.of(call);
    const { facts, asked } = memory;
    if (facts === undefined) return undefined;
    // An output written over the question may have removed the approval.
    const id = facts.approvalId ?? asked?.id;
    return { id, approved, reason: this.#ownReasons[cause] ?? reasonOf(memory, approved) };
  }

  /** The arguments for `addToolOutput` that write the output of a call again. An older list may show none. */
  outputOf(call: number) {
    const { output } = this.of(call);
    if (output === undefined) return undefined;
    return { tool: toolOf(output), toolCallId: output.toolCallId, ...resultOf(output) };
  }

  /** Removes the calls below a number. */
  prune(first: number): void {
    for (const call of this.#calls.keys()) if (call < first) this.#calls.delete(call);
  }
}

function keepEdit(memory: RememberedCall, edit: Edit): void {
  memory.edit = edit;
  const edits = (memory.edits ??= []);
  if (!edits.some(({ digest }) => sameDigest(digest, edit.digest))) edits.push(edit);
}

/** The reason of an answer: the one that was seen with it, or else given for it. */
export function reasonOf(memory: RememberedCall, approved: boolean): unknown {
  const { allowed, denied, givenAllowance, givenDenial } = memory;
  return (approved ? (allowed ?? givenAllowance) : (denied ?? givenDenial))?.reason;
}
