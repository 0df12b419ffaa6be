// Repairs the messages of a request and of the chat. The core decides which repairs are needed.

import { type ChangedRow, NoteName, Repair, Scope, StatusField } from '../generated/abi.js';
import { rewritePart, type Core } from '../engine/core.js';
import { sameItems } from '../engine/rows.js';
import { withoutBlankEnd } from './blank.js';
import type { CallMemory, Edit } from './call-memory.js';
import type { SeenMessage } from './message.js';
import { editedFrom, partsOf, resultOf, type PartFacts } from './part.js';
import { isObject, type Fields } from '../objects.js';
import type { TranscriptReader } from './transcript.js';

/** A call that the chat answers itself, with the changed input with which it is allowed. */
type Answered = Pick<ChangedRow, 'call' | 'edit'>;

/** Repairs the messages of one chat. */
export class Repairs {
  readonly #core: Core;
  readonly #transcript: TranscriptReader;
  readonly #memory: CallMemory;
  readonly #ownReasons: readonly string[];

  constructor(core: Core, transcript: TranscriptReader, memory: CallMemory, ownReasons: readonly string[]) {
    this.#core = core;
    this.#transcript = transcript;
    this.#memory = memory;
    this.#ownReasons = ownReasons;
  }

  /**
   * Returns the list for a request; all of it must have been read. Untouched messages are the same objects,
   * and an untouched list is the same array.
   */
  outgoing<T>(messages: readonly T[]): readonly T[] {
    const { isInPlace, watched } = this.#transcript;
    const repaired = this.#repaired(messages, watched, false, undefined);
    // A transport reads the list later. Changes that the page makes to it until then are not part of this
    // request.
    return repaired === messages && isInPlace ? [...messages] : repaired;
  }

  /**
   * Returns the repaired list of the chat.
   *
   * @param withLast whether to repair the last message, too; a running response would overwrite the repair
   * @param except a call that the chat itself answers then: of it, only a changed input is put into its question
   */
  atHome<T>(messages: readonly T[], withLast: boolean, except?: Answered): readonly T[] {
    const last = messages.length - 1;
    const watched = this.#transcript.watched.filter(({ index }) => withLast || index !== last);
    const repaired = this.#repaired(messages, watched, true, except);
    // A part that is written over a repair has changed, also if it was there before.
    if (repaired !== messages) this.#transcript.readLast(repaired, true);
    return repaired;
  }

  /** Whether any of the latest messages of the chat needs a repair. */
  isNeededAtHome(): boolean {
    this.#ask(this.#transcript.repairable(), true);
    this.#core.apply();
    for (const facts of this.#transcript.repairable()) {
      if ((facts.atHome?.repair ?? Repair.Keep) !== Repair.Keep) return true;
    }
    return false;
  }

  /**
   * Asks for the repairs of the chat's own list in the next crossing, because the facts before that may change
   * them.
   */
  prepare(): void {
    const hasFacts = this.#core.facts.length > 0;
    this.#ask(this.#transcript.repairable(), true, hasFacts);
  }

  /**
   * Asks for the repairs that are not known. They are those of the state at the end of the crossing.
   *
   * @param above whether the message of the parts is not the last one that leaves
   */
  #ask(parts: Iterable<PartFacts>, home: boolean, all = false, above = false): void {
    const revision = this.#core.get(StatusField.Revision);
    for (const facts of parts) {
      const known = home ? facts.atHome : facts.onWire;
      if (!all && known?.revision === revision) continue;
      const { pending: part, call } = facts.tracked;
      const fact = {
        part,
        call,
        flags: facts.code,
        approval: facts.approvalRef,
        input: facts.inputDigest,
        edit: facts.editDigest,
        scope: home ? Scope.Home : Scope.Wire,
        above,
      };
      this.#core.addRepair(fact, facts);
    }
  }

  #repaired<T>(
    messages: readonly T[],
    watched: readonly SeenMessage[],
    home: boolean,
    except: Answered | undefined,
  ): readonly T[] {
    let copy: T[] | undefined;
    const put = ({ index }: SeenMessage, message: Fields, parts: readonly unknown[]): void => {
      (copy ??= [...messages])[index] = { ...message, parts } as T;
    };
    const revision = this.#core.get(StatusField.Revision);
    /** The messages that have to be repaired again. */
    const stale: (readonly [seen: SeenMessage, message: Fields])[] = [];
    for (const seen of watched) {
      // By id, not by identity: a reactive list may return a new proxy on each access.
      const message = messages[seen.index];
      if (!isObject(message) || message.id !== seen.id) continue;
      const { repairedForWire: known } = seen;
      // A page may have written another part into it in place.
      const isKnown = known?.revision === revision && sameItems(known.parts, partsOf(message));
      if (home || !isKnown) stale.push([seen, message]);
      else if (known.repaired) put(seen, message, known.repaired);
    }
    // A message without content only continues.
    const last = withoutBlankEnd(messages).length - 1;
    for (const [{ parts, index }] of stale)
      this.#ask(parts.filter(isFacts), home, false, !home && index < last);
    this.#core.apply();
    for (const [seen, message] of stale) {
      const parts = partsOf(message);
      const repaired = this.#repairedParts(seen, parts, home, except);
      if (!home) seen.repairedForWire = { revision, parts: [...parts], repaired };
      if (repaired) put(seen, message, repaired);
    }
    return copy ?? messages;
  }

  #repairedParts(
    seen: SeenMessage,
    parts: readonly unknown[],
    home: boolean,
    except: Answered | undefined,
  ): unknown[] | undefined {
    let copy: unknown[] | undefined;
    for (const [i, facts] of seen.parts.entries()) {
      const part = parts[i];
      if (facts === undefined || !isObject(part)) continue;
      // The chat's list may be newer than the list that was read.
      const isSame = part.toolCallId === facts.toolCallId && part.state === facts.state;
      if (!isSame || Object(part.approval).id !== facts.approvalId) continue;
      const { call } = facts.tracked;
      if (call === except?.call) {
        const edit = this.#memory.knownEdit(call, except.edit);
        if (edit !== undefined) (copy ??= [...parts])[i] = { ...part, ...inputsOf(part, facts, edit).edited };
        continue;
      }
      const needed = home ? facts.atHome : facts.onWire;
      if (needed === undefined || needed.repair === Repair.Keep) continue;
      const memory = this.#memory.of(call);
      const { output } = memory;
      // Copies, so that nothing of the application is called while the part is made.
      (copy ??= [...parts])[i] = rewritePart(
        needed,
        { ...part },
        {
          shown: copyOf(facts.approval),
          asked: copyOf(memory.asked),
          allowed: copyOf(memory.allowed),
          denied: copyOf(memory.denied),
          givenAllowance: copyOf(memory.givenAllowance),
          givenDenial: copyOf(memory.givenDenial),
          output: output && { ...resultOf(output), state: output.state, approval: copyOf(output.approval) },
          reason: this.#ownReasons[needed.cause],
          ...inputsOf(part, facts, this.#memory.knownEdit(call, needed.edit)),
        },
      );
    }
    return copy;
  }
}

/** The inputs that a part may get, each with the metadata of the call that goes with it. */
function inputsOf(part: Fields, { callMetadata, editDigest }: PartFacts, edit: Edit | undefined) {
  const { [NoteName.Package]: note, ...others } = isObject(callMetadata) ? callMetadata : ({} as Fields);
  const isEdited = editDigest[0] !== 0;
  const from = isEdited ? editedFrom(callMetadata) : part.input;
  const rest = Object.keys(others).length === 0 ? {} : { callProviderMetadata: others };
  const metadata = { ...others, [NoteName.Package]: { [NoteName.EditedFrom]: from } };
  return {
    edited: edit && { input: edit.input, callProviderMetadata: metadata },
    original: isEdited ? { input: from, ...rest } : undefined,
  };
}

const copyOf = (value: unknown) => (isObject(value) ? { ...value } : undefined);

const isFacts = (facts: PartFacts | undefined): facts is PartFacts => facts !== undefined;
