// Repairs message lists: what leaves, and the chat's own list. The core decides what is repaired.

import { StatusField } from '../generated/abi.js';
import type { GuardCore } from 'virtual:glue';

import type { StatusBlock } from '../rows.js';
import type { CallMemory } from './call-memory.js';
import type { SeenMessage } from './message.js';
import { isObject, partsOf, type Fields } from './part.js';
import { rewrite } from './rewrite.js';
import type { TranscriptReader } from './transcript.js';

/** Repairs the messages of one chat. */
export class Repairs {
  readonly #core: GuardCore;
  readonly #status: StatusBlock;
  readonly #transcript: TranscriptReader;
  readonly #memory: CallMemory;
  readonly #ownReasons: readonly string[];
  /** The last list that left, and what it was made of. */
  #plan: { list: unknown; told: number; revision: number; result: readonly unknown[] } | undefined;

  constructor(
    core: GuardCore,
    status: StatusBlock,
    transcript: TranscriptReader,
    memory: CallMemory,
    ownReasons: readonly string[],
  ) {
    this.#core = core;
    this.#status = status;
    this.#transcript = transcript;
    this.#memory = memory;
    this.#ownReasons = ownReasons;
  }

  /**
   * Returns the list as it may leave, after all of it was read. Untouched messages are the same objects, an untouched
   * list is the same array.
   */
  outgoing<T>(messages: readonly T[]): readonly T[] {
    const { isInPlace, told, watched } = this.#transcript;
    const revision = this.#status.get(StatusField.Revision);
    const plan = this.#plan;
    if (plan?.list === messages && plan.told === told && plan.revision === revision && !isInPlace) {
      return plan.result as readonly T[];
    }
    const repaired = this.#repaired(messages, watched, false, 0);
    // A transport reads the list later. What the page changes in it until then is not part of this request.
    const result = repaired === messages && isInPlace ? [...messages] : repaired;
    this.#plan = { list: messages, told, revision, result };
    return result;
  }

  /**
   * Returns the chat's own list, repaired.
   *
   * @param withLast repair the last message too; a running response would overwrite it
   * @param except a call that is left as it is
   */
  atHome<T>(messages: readonly T[], withLast: boolean, except = 0): readonly T[] {
    const last = messages.length - 1;
    const watched = this.#transcript.watched.filter(({ index }) => withLast || index !== last);
    const repaired = this.#repaired(messages, watched, true, except);
    if (repaired !== messages) this.#transcript.setCurrent(repaired);
    return repaired;
  }

  /** Whether one of the latest messages of the chat needs a repair. */
  isNeededAtHome(): boolean {
    for (const { parts } of this.#transcript.recent) {
      for (const facts of parts) {
        if (facts === undefined) continue;
        if ((this.#core.repair(facts.call, facts.code, facts.approvalRef, true) & 15) !== 0) return true;
      }
    }
    return false;
  }

  #repaired<T>(
    messages: readonly T[],
    watched: readonly SeenMessage[],
    home: boolean,
    except: number,
  ): readonly T[] {
    let copy: T[] | undefined;
    const revision = this.#status.get(StatusField.Revision);
    for (const seen of watched) {
      // By id, not by identity: a reactive list may hand out a new proxy at each read.
      const message = messages[seen.index];
      if (!isObject(message) || message.id !== seen.id) continue;
      let repaired = seen.leaving?.result;
      if (home || seen.leaving?.revision !== revision || message !== seen.message) {
        repaired = this.#repairMessage(seen, message, home, except);
        if (!home) seen.leaving = { revision, result: repaired };
      }
      if (repaired !== message) (copy ??= [...messages])[seen.index] = repaired as T;
    }
    return copy ?? messages;
  }

  #repairMessage(seen: SeenMessage, message: Fields, home: boolean, except: number): Fields {
    let copy: unknown[] | undefined;
    const parts = partsOf(message);
    for (const [i, facts] of seen.parts.entries()) {
      if (facts === undefined || facts.call === except) continue;
      const code = this.#core.repair(facts.call, facts.code, facts.approvalRef, home);
      const part = parts[i];
      if ((code & 15) === 0 || !isObject(part)) continue;
      // The chat's list may be newer than the one that was read.
      if (part.toolCallId !== facts.toolCallId || part.state !== facts.state) continue;
      (copy ??= [...parts])[i] = rewrite(facts, part, this.#memory.of(facts.call), code, this.#ownReasons);
    }
    return copy === undefined ? message : { ...message, parts: copy };
  }
}
