// @ts-check
// Calls that the model need not see stay in the chat and leave the wire.

import { isObject } from './parts.js';

/** @typedef {import('./vocabulary.js').Vocabulary} Vocabulary */

/** Does a name match a pattern, in which a star stands for any text? @param {string} pattern @param {string} name */
function matches(pattern, name) {
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

/** What leaves of a list of messages. */
export class Omission {
  /** @param {readonly string[]} patterns of names of tools @param {Vocabulary} vocabulary */
  constructor(patterns, vocabulary) {
    this.patterns = patterns;
    this.vocabulary = vocabulary;
    /** By the name of a tool. @type {Map<string, boolean>} */
    this.known = new Map();
  }

  /**
   * The list without them; the same list where there are none. A part holds a request with its answer, so that
   * none loses its partner; one that somebody has still to answer, or to run, stays.
   * @template T @param {readonly T[]} messages @returns {readonly T[]}
   */
  outgoing(messages) {
    // A request of a long chat that has not changed costs nothing.
    if (this.patterns.length === 0) return messages;
    let changed = false;
    const kept = messages.map((message) => {
      if (!isObject(message) || !Array.isArray(message.parts)) return message;
      const parts = message.parts.filter((part) => !this.omits(part));
      if (parts.length === message.parts.length) return message;
      changed = true;
      // The SDK refuses a message without a part (`ai` 7.0, `validate-ui-messages.ts`), and the answer of
      // the server goes on with this one.
      const left = parts.length > 0 ? parts : [{ type: this.vocabulary.stepStart }];
      return /** @type {T} */ ({ ...message, parts: left });
    });
    return changed ? kept : messages;
  }

  /** @param {unknown} part */
  omits(part) {
    if (!isObject(part) || typeof part.type !== 'string') return false;
    const { dynamicTool, toolPrefix, settled } = this.vocabulary;
    const isDynamic = part.type === dynamicTool;
    if (!isDynamic && !part.type.startsWith(toolPrefix)) return false;
    const name = isDynamic ? part.toolName : part.type.slice(toolPrefix.length);
    if (typeof name !== 'string' || !settled.has(part.state) || part.preliminary === true) return false;
    let omitted = this.known.get(name);
    if (omitted === undefined) {
      omitted = this.patterns.some((pattern) => matches(pattern, name));
      this.known.set(name, omitted);
    }
    return omitted;
  }
}
