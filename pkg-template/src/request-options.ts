// The options of a request: headers, body and metadata.
import type { ChatRequestOptions } from 'ai';

import { GuardError, type GuardErrorCode } from './error.js';
import { isObject } from './objects.js';

type Given = Readonly<Partial<Record<keyof ChatRequestOptions, unknown>>>;

const NAMES = ['headers', 'body', 'metadata'] satisfies (keyof ChatRequestOptions)[];

/** The options of a request, if it has any. */
export function optionsOf(request: Given): ChatRequestOptions | undefined {
  let options: Record<string, unknown> | undefined;
  for (const name of NAMES) {
    const value = request[name];
    if (value !== undefined) (options ??= {})[name] = value;
  }
  return options as ChatRequestOptions | undefined;
}

/**
 * Reads the options that the page gave, once, and copies them. The chat spreads them over its request, so
 * they must not contain anything else.
 *
 * @throws GuardError with this code
 */
export function readRequestOptions(options: unknown, code: GuardErrorCode): ChatRequestOptions | undefined {
  if (options === undefined) return undefined;
  if (!isObject(options) || Object.keys(options).some((name) => !(NAMES as string[]).includes(name))) {
    throw new GuardError(
      code,
      'The options of a request must be an object with only headers, body and metadata.',
    );
  }
  return optionsOf(options) ?? {};
}
