// Stores what the core does not hold about each call: its part, and its original approval objects.

import type { Ruling } from '../types/rules.js';
import { ToolState } from '../generated/abi.js';
import { hasOutput, isObject, resultOf, stateOf, toolOf, type Fields, type PartFacts } from './part.js';
import type { ChunkReader, ShownCalls } from './stream.js';
import type { StringIds } from './string-ids.js';

/** The part of a call as it was last read, its original approval objects, and the latest ruling. */
export interface RememberedCall {
  facts?: PartFacts;
  asked?: Fields | undefined;
  yes?: Fields | undefined;
  no?: Fields | undefined;
  /** The part with an output that an earlier state has replaced, as when an older list is set. */
  done?: PartFacts | undefined;
  ruling?: Ruling | undefined;
}

const NOTHING: RememberedCall = Object.freeze({});

/** The memory of one chat, by call number. */
export class CallMemory implements ShownCalls {
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
  withApproval(approvalId: string): Readonly<RememberedCall> {
    let found = NOTHING;
    for (const memory of this.#calls.values()) {
      if (memory.facts?.approvalId === approvalId || memory.asked?.id === approvalId) found = memory;
    }
    return found;
  }

  callWith(approvalId: unknown): unknown {
    return typeof approvalId === 'string' ? this.withApproval(approvalId).facts?.toolCallId : undefined;
  }

  /** The memory of the last call with this approval id or call id, for reading. */
  withId(id: string): Readonly<RememberedCall> {
    let found = NOTHING;
    for (const memory of this.#calls.values()) {
      if (memory.facts?.approvalId === id || memory.facts?.toolCallId === id) found = memory;
    }
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

  /**
   * Stores a part that has crossed, with its original approval object.
   *
   * @param approvalRef the approval id of its call, which the part may have lost
   */
  remember(facts: PartFacts, approvalRef: number): void {
    const { approval } = facts;
    const { call } = facts.tracked;
    const memory = this.#calls.get(call) ?? {};
    this.#calls.set(call, memory);
    const last = memory.facts;
    if (last !== undefined && last.state !== facts.state) memory.done = hasOutput(last) ? last : undefined;
    memory.facts = facts;
    if (isObject(approval) && facts.approvalRef !== 0) {
      const state = stateOf(facts);
      if (state === ToolState.ApprovalRequested) memory.asked = approval;
      else if (state !== ToolState.ApprovalResponded) return;
      else if (facts.approved === true) memory.yes = approval;
      else if (facts.approved === false) memory.no = approval;
    } else if (memory.asked === undefined) {
      const { question, answer } = this.#stream.approval(this.#ids.text(approvalRef)) ?? {};
      memory.asked = question;
      if (answer?.approved === false) memory.no ??= answer;
    }
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

  /** Stores the reason of an answer until the answer is written. */
  draft(call: number, approved: boolean, reason: string | undefined): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    const answer = { ...memory.asked, approved, ...(reason === undefined ? {} : { reason }) };
    memory.yes = approved ? answer : undefined;
    memory.no = approved ? undefined : answer;
  }

  /** Removes a withdrawn answer. */
  undo(call: number): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    memory.yes = undefined;
    memory.no = undefined;
  }

  /** Stores an answer, unless an older one with the same value stands. */
  answer(call: number, answer: Fields): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    if (answer.approved === true) memory.yes ??= answer;
    else memory.no ??= answer;
  }

  /**
   * The arguments for `addToolApprovalResponse`.
   *
   * @param cause the code of the cause, if no person gave a reason
   */
  answerOf(call: number, approved: boolean, cause: number) {
    const { facts, asked, yes, no } = this.of(call);
    if (facts === undefined) return undefined;
    // An output written over the question may have removed the approval.
    const id = facts.approvalId ?? asked?.id;
    const reason = this.#ownReasons[cause] ?? (approved ? yes : no)?.reason;
    return { id, approved, reason };
  }

  /** The arguments for `addToolOutput` that write the output of a call again. */
  outputOf(call: number) {
    const { facts } = this.of(call);
    if (facts === undefined) return undefined;
    return { tool: toolOf(facts), toolCallId: facts.toolCallId, ...resultOf(facts) };
  }

  /** Removes the calls below a number. */
  prune(first: number): void {
    for (const call of this.#calls.keys()) if (call < first) this.#calls.delete(call);
  }
}
