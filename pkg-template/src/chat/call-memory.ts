// Remembers of each call what the core does not hold: its part, and its approval objects as they came.

import type { Ruling } from '../types/rules.js';
import { ToolState, ToolStateName } from '../generated/abi.js';
import { isObject, stateOf, toolOf, type Fields, type PartFacts } from './part.js';
import type { ChunkReader } from './stream.js';
import type { StringIds } from './string-ids.js';

/** The part of a call as it was last read, its approval objects as they came, and the latest ruling. */
export interface RememberedCall {
  facts?: PartFacts;
  asked?: Fields | undefined;
  yes?: Fields | undefined;
  no?: Fields | undefined;
  ruling?: Ruling | undefined;
}

const NOTHING: RememberedCall = Object.freeze({});

/** The memory of one chat, by the numbers of its calls. */
export class CallMemory {
  readonly #ids: StringIds;
  readonly #ownReasons: readonly string[];
  readonly #stream: ChunkReader;
  readonly #calls = new Map<number, RememberedCall>();

  constructor(ids: StringIds, ownReasons: readonly string[], stream: ChunkReader) {
    this.#ownReasons = ownReasons;
    this.#ids = ids;
    this.#stream = stream;
  }

  /** Every remembered part, by the number of its call. */
  *parts(): Iterable<readonly [call: number, facts: PartFacts]> {
    for (const [call, { facts }] of this.#calls) if (facts !== undefined) yield [call, facts];
  }

  /** The memory of a call; undefined where there is none to change. */
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

  /** The memory of the last call with this approval id or call id, for reading. */
  withId(id: string): Readonly<RememberedCall> {
    let found = NOTHING;
    for (const memory of this.#calls.values()) {
      if (memory.facts?.approvalId === id || memory.facts?.toolCallId === id) found = memory;
    }
    return found;
  }

  /** The call id of a call, as a text. */
  callIdOf(call: number): string {
    const id = this.of(call).facts?.toolCallId;
    return typeof id === 'string' ? id : '';
  }

  /** As {@link get}, for reading. */
  of(call: number): Readonly<RememberedCall> {
    return this.#calls.get(call) ?? NOTHING;
  }

  /**
   * A part was told: keeps its approval object as it came.
   *
   * @param approvalRef the approval id of its call, which the part may have lost
   */
  remember(facts: PartFacts, approvalRef: number): void {
    const { approval } = facts;
    const { call } = facts.tracked;
    const memory = this.#calls.get(call) ?? {};
    this.#calls.set(call, memory);
    memory.facts = facts;
    if (isObject(approval) && facts.approvalRef !== 0) {
      this.#stream.setCall(facts.approvalId, facts.toolCallId);
      const state = stateOf(facts);
      if (state === ToolState.ApprovalRequested) memory.asked = approval;
      else if (state !== ToolState.ApprovalResponded) return;
      else if (facts.approved === true) memory.yes = approval;
      else if (facts.approved === false) memory.no = approval;
    } else if (memory.asked === undefined && this.#stream.questions.size > 0) {
      const approvalId = this.#ids.text(approvalRef);
      const answer = this.#stream.answers.get(approvalId);
      memory.asked = this.#stream.questions.get(approvalId);
      if (answer?.approved === false) memory.no ??= answer;
    }
  }

  /** A copy of a known part was read. */
  replace(facts: PartFacts): void {
    const memory = this.#calls.get(facts.tracked.call);
    if (memory !== undefined) memory.facts = facts;
  }

  /** Remembers the words of an answer until it is written. */
  draft(call: number, approved: boolean, reason: string | undefined): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    const answer = { ...memory.asked, approved, ...(reason === undefined ? {} : { reason }) };
    memory.yes = approved ? answer : undefined;
    memory.no = approved ? undefined : answer;
  }

  /** The answer was taken back. */
  undo(call: number): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    memory.yes = undefined;
    memory.no = undefined;
  }

  /** Remembers an answer, unless an older one of the same kind stands. */
  answer(call: number, answer: Fields): void {
    const memory = this.#calls.get(call);
    if (memory === undefined) return;
    if (answer.approved === true) memory.yes ??= answer;
    else memory.no ??= answer;
  }

  /**
   * What `addToolApprovalResponse` takes to write an answer.
   *
   * @param cause the code of the cause, where no person has said it
   */
  answerOf(call: number, approved: boolean, cause: number) {
    const { facts, asked, yes, no } = this.of(call);
    if (facts === undefined) return undefined;
    // An output that was written over the question may have removed its approval.
    const id = facts.approvalId ?? asked?.id;
    const reason = this.#ownReasons[cause] ?? (approved ? yes : no)?.reason;
    return { id, approved, reason };
  }

  /** What `addToolOutput` takes to write the output of a call again. */
  outputOf(call: number) {
    const { facts } = this.of(call);
    if (facts === undefined) return undefined;
    const written = { tool: toolOf(facts), toolCallId: facts.toolCallId };
    return stateOf(facts) === ToolState.OutputError
      ? { ...written, state: ToolStateName.OutputError, errorText: facts.errorText }
      : { ...written, output: facts.output };
  }

  /** Forgets the calls below a number. */
  prune(first: number): void {
    for (const call of this.#calls.keys()) if (call < first) this.#calls.delete(call);
  }
}
