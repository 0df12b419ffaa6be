// Masks the secrets of an input.
import { startModule } from 'virtual:module';
import { redact as redactJson } from 'virtual:redact-glue';

import { canonical } from './chat/canonical.js';
import type { Redacted } from './types/rules.js';

export type { Redacted } from './types/rules.js';

/**
 * Masks the secrets of an input, for display or for a record. It does not change the input itself, nor what
 * is sent.
 *
 * @param input any value
 * @param view `'record'` is stricter, for data that is kept
 * @returns the masked copy; `undefined` if the input cannot be shown: it is too large, too deep, or not JSON
 * @throws if the WebAssembly cannot be started
 */
export function redact(input: unknown, view: 'display' | 'record' = 'display'): Redacted | undefined {
  startModule();
  const json = canonical(input);
  if (json === undefined) return undefined;
  // As bytes, because the glue would encode a string character by character.
  const text = redactJson(new TextEncoder().encode(json), view === 'record');
  if (text === undefined) return undefined;
  if (text === '') return { value: inOrder(input, input), hidden: [] };
  const { value, hidden } = JSON.parse(text) as { value: unknown; hidden: [string, number][] };
  return { value: inOrder(value, input), hidden: hidden.map(([pointer, count]) => ({ pointer, count })) };
}

/** A copy with its fields in the order of the original. Masked names come last. */
function inOrder(copy: unknown, like: unknown): unknown {
  if (typeof copy !== 'object' || copy === null || typeof like !== 'object' || like === null) return copy;
  const at = (object: object, key: string | number) => (object as Record<string | number, unknown>)[key];
  if (Array.isArray(copy)) return copy.map((item, i) => inOrder(item, at(like, i)));
  const names = new Set(
    [...Object.keys(like), ...Object.keys(copy)].filter((name) => Object.hasOwn(copy, name)),
  );
  // `fromEntries` also creates a field with the name `__proto__`.
  return Object.fromEntries([...names].map((name) => [name, inOrder(at(copy, name), at(like, name))]));
}
