// Leaves calls that the model does not need to see out of a request. They stay in the chat.

import { PartTypeName, statesWithResult } from '../generated/abi.js';
import { isToolPart, toolOf, type PartFacts } from './part.js';
import { isObject } from '../objects.js';

/** Whether a name matches a pattern, in which a star stands for any text. */
function matches(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  const tail = rest.pop() ?? '';
  if (!name.startsWith(head) || name.length < head.length + tail.length || !name.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - tail.length;
}

/** Leaves the settled calls of some tools out of requests. */
export class Omission {
  readonly #patterns: readonly string[];

  /** @param patterns patterns of tool names */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  /**
   * Returns the list without these calls, or the same list if it has none. One part contains both a call and
   * its result, so neither is left without the other. Calls that still have to be answered or run are kept.
   */
  outgoing<T>(messages: readonly T[]): readonly T[] {
    // Without patterns, a long chat costs nothing.
    if (this.#patterns.length === 0) return messages;
    let changed = false;
    const kept = messages.map((message) => {
      if (!isObject(message) || !Array.isArray(message.parts)) return message;
      const parts = message.parts.filter((part) => !this.#omits(part));
      if (parts.length === message.parts.length) return message;
      changed = true;
      // The SDK refuses a message without parts (`ai` 7.0, `validate-ui-messages.ts`), and the response of
      // the server continues this message.
      const left = parts.length > 0 ? parts : [{ type: PartTypeName.StepStart }];
      return { ...message, parts: left };
    });
    return changed ? kept : messages;
  }

  #omits(part: unknown): boolean {
    if (!isToolPart(part)) return false;
    const name = toolOf(part as unknown as PartFacts);
    if (typeof name !== 'string' || part.preliminary === true) return false;
    if (!statesWithResult.some((state) => state === part.state)) return false;
    return this.#patterns.some((pattern) => matches(pattern, name));
  }
}
