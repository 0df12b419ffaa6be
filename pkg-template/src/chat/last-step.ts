// The last step of the chat: tells the core about it, and checks whether it is still open.

import { stepFact } from '../generated/abi.js';
import type { Core } from '../engine/core.js';
import type { StringIds } from './string-ids.js';
import type { Reading, SeenMessage } from './message.js';
import { isStillOpen, partsOf, type PartFacts } from './part.js';
import { isObject } from '../objects.js';

/** The end of a message: the start of its last step, and the content of that step. */
type End = Pick<Reading, 'start' | 'count' | 'hasText'>;

const NO_STEP: End = { start: -1, count: 0, hasText: false };

/** The last step, as the core knows it. */
export class LastStep {
  #seen: SeenMessage | undefined;
  #end: End = { ...NO_STEP, count: -1 };
  /** Whether the core was told about a part since, so that it has to be told the step again. */
  isDue = true;

  /**
   * Tells the core the last step, unless the core already knows it.
   *
   * @param seen the last message; `undefined` if it is not from the assistant
   * @param reading the end of that message
   * @returns whether the core was told
   */
  tell({ facts }: Core, ids: StringIds, seen: SeenMessage | undefined, reading: End): boolean {
    const { start, count, hasText } = seen === undefined ? NO_STEP : reading;
    const { start: knownStart, count: knownCount, hasText: knownText } = this.#end;
    const isSame = start === knownStart && count === knownCount && hasText === knownText;
    // While a message is not accepted in place of a known one, each reading makes a new object of it.
    const isKnown = !this.isDue && this.#seen?.id === seen?.id && this.#seen?.index === seen?.index && isSame;
    this.#seen = seen;
    if (isKnown) return false;
    this.isDue = false;
    this.#end = { start, count, hasText };
    const rows = this.parts().map(({ tracked, before, code }) => {
      // If the core does not accept a part, the earlier part at the same place belongs to the step.
      const { call } = before?.tracked ?? tracked;
      return { part: tracked.pending, call, flags: before?.code ?? code };
    });
    const message = seen === undefined ? 0 : ids.of(seen.id);
    stepFact(facts, { assistant: seen !== undefined, message, text: hasText, rows });
    return true;
  }

  /** The tool parts of the step. */
  parts(): readonly PartFacts[] {
    return this.#seen?.parts.slice(this.#end.start).filter((facts) => facts !== undefined) ?? [];
  }

  /** Whether a list lacks a call of the step: an older list, or one from which the page has removed the call. */
  isMissingIn(messages: readonly unknown[]): boolean {
    const seen = this.#seen;
    const message = seen && messages[seen.index];
    if (message === seen?.message) return false;
    const parts = isObject(message) && message.id === seen?.id ? partsOf(message) : [];
    const ids = new Set(parts.map((part) => isObject(part) && part.toolCallId));
    return this.parts().some(({ toolCallId }) => !ids.has(toolCallId));
  }

  /**
   * Whether the step has not changed in anything that can close a call.
   */
  isStillOpen(messages: readonly unknown[]): boolean {
    const seen = this.#seen;
    const { start } = this.#end;
    const last = messages.length - 1;
    if (seen === undefined || seen.index !== last) return false;
    const message = messages[last];
    if (!isObject(message) || message.id !== seen.id) return false;
    if (message !== seen.message && start > 1) return false; // an earlier step may have changed
    const parts = partsOf(message);
    if (parts.length !== seen.length) return false;
    for (let i = start; i < parts.length; i++) {
      const facts = seen.parts[i];
      const part = parts[i];
      if (facts !== undefined && !(isObject(part) && isStillOpen(facts, part))) return false;
    }
    return true;
  }
}
