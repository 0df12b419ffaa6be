// Masks the secrets of an input.
import { redact as redactJson } from 'virtual:redact-glue';

import { start } from './module/start.js';
import { canonical } from './chat/canonical.js';
import type { Redacted } from './types/rules.js';

export type { Redacted } from './types/rules.js';

/** The text in the place of a secret. */
const MASK = '••••••••';

/**
 * Masks the secrets of an input, for display or for a record. It does not change the input itself, nor what
 * is sent.
 *
 * @param input any value
 * @param view `'record'` is stricter, for data that is kept
 * @returns the masked copy; `undefined` if the input cannot be shown: it is too large, too deep, or not JSON
 * @throws GuardError `wasm-unavailable` if the WebAssembly cannot be started
 */
export function redact(input: unknown, view: 'display' | 'record' = 'display'): Redacted | undefined {
  start('redact');
  const json = canonical(input);
  if (json === undefined) return undefined;
  // As bytes, because the glue would encode a string character by character.
  const text = redactJson(new TextEncoder().encode(json), view === 'record');
  if (text === undefined) return undefined;
  if (text === '') return { value: inOrder(input, input, String), hidden: [] };
  const { mask, value, hidden } = JSON.parse(text) as {
    mask: string;
    value: unknown;
    hidden: [string, number][];
  };
  const shown = (text: string) => text.replaceAll(mask, MASK);
  return {
    value: inOrder(value, input, shown),
    hidden: hidden.map(([pointer, count]) => ({ pointer: shown(pointer), count })),
  };
}

/** A copy with its fields in the order of the original, and its texts as they are shown. Masked names come last. */
function inOrder(copy: unknown, like: unknown, shown: (text: string) => string): unknown {
  if (typeof copy === 'string') return shown(copy);
  if (typeof copy !== 'object' || copy === null) return copy;
  // Below a masked name there is no original.
  const at = (object: unknown, key: string | number) =>
    (Object(object) as Record<string | number, unknown>)[key];
  if (Array.isArray(copy)) return copy.map((item, i) => inOrder(item, at(like, i), shown));
  const names = new Set(
    [...Object.keys(Object(like)), ...Object.keys(copy)].filter((name) => Object.hasOwn(copy, name)),
  );
  // `fromEntries` also creates a field with the name `__proto__`.
  return Object.fromEntries(
    [...names].map((name) => [shown(name), inOrder(at(copy, name), at(like, name), shown)]),
  );
}
