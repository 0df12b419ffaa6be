// A list as it was judged, while a transaction of the record delays its request.
import { partsOf } from '../chat/part.js';
import { isObject, type Fields } from '../objects.js';
import { RECENT } from '../chat/watched-messages.js';

/**
 * Keeps a list as it is now: what was judged is what leaves. While a request waits, the SDK may write into a message that a
 * response has begun.
 *
 * @returns a function that returns the list, with a copy in the place of each message that has changed meanwhile
 */
export function keptList<M>(messages: readonly M[]): () => readonly M[] {
  const kept = new Map<number, Fields>();
  for (let i = Math.max(0, messages.length - RECENT); i < messages.length; i++) {
    const message: unknown = messages[i];
    if (isObject(message)) kept.set(i, { ...message, parts: partsOf(message).map(copyOf) });
  }
  return () => {
    const hasChanged = (message: M, i: number): boolean => {
      const copy = kept.get(i);
      return copy !== undefined && !sameList(partsOf(copy), partsOf(message as Fields));
    };
    if (!messages.some(hasChanged)) return messages;
    return messages.map((message, i) => (hasChanged(message, i) ? (kept.get(i) as M) : message));
  };
}

const copyOf = (part: unknown): unknown => (isObject(part) ? { ...part } : part);

const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((part, i) => sameFields(Object(part) as Fields, Object(b[i]) as Fields));

const sameFields = (a: Fields, b: Fields): boolean =>
  Object.keys(b).length === Object.keys(a).length && Object.keys(a).every((key) => a[key] === b[key]);
