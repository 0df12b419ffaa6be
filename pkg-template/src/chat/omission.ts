// Leaves calls out of a request that the model need not see. They stay in the chat.

import { PartTypeName, ToolStateName } from '../generated/abi.js';
import { isObject } from './part.js';

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

/** Whether a call in this state is finished. */
const isSettled = (state: unknown): boolean =>
  state === ToolStateName.OutputAvailable ||
  state === ToolStateName.OutputError ||
  state === ToolStateName.OutputDenied;

/** Leaves the settled calls of some tools out of requests. */
export class Omission {
  readonly #patterns: readonly string[];
  /** Whether the calls of a tool are left out, by its name. */
  readonly #known = new Map<string, boolean>();

  /** @param patterns of names of tools */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  /**
   * Returns the list without these calls; the same list where it has none. A part holds a request with its result, so
   * neither loses its partner. A call that somebody has still to answer or to run stays.
   */
  outgoing<T>(messages: readonly T[]): readonly T[] {
    // An unchanged request of a long chat costs nothing.
    if (this.#patterns.length === 0) return messages;
    let changed = false;
    const kept = messages.map((message) => {
      if (!isObject(message) || !Array.isArray(message.parts)) return message;
      const parts = message.parts.filter((part) => !this.#omits(part));
      if (parts.length === message.parts.length) return message;
      changed = true;
      // The SDK refuses a message without a part (`ai` 7.0, `validate-ui-messages.ts`), and the response of the server
      // continues this message.
      const left = parts.length > 0 ? parts : [{ type: PartTypeName.StepStart }];
      return { ...message, parts: left };
    });
    return changed ? kept : messages;
  }

  #omits(part: unknown): boolean {
    if (!isObject(part) || typeof part.type !== 'string') return false;
    const isDynamic = part.type === PartTypeName.DynamicTool;
    if (!isDynamic && !part.type.startsWith(PartTypeName.ToolPrefix)) return false;
    const name = isDynamic ? part.toolName : part.type.slice(PartTypeName.ToolPrefix.length);
    if (typeof name !== 'string' || !isSettled(part.state) || part.preliminary === true) return false;
    let omitted = this.#known.get(name);
    if (omitted === undefined) {
      omitted = this.#patterns.some((pattern) => matches(pattern, name));
      this.#known.set(name, omitted);
    }
    return omitted;
  }
}
