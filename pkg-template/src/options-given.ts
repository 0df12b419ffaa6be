// The checks of options that need no engine: misuse is told where it is made, also while the engine is being loaded.
import { GuardError } from './error.js';
import { policyNames } from './generated/abi.js';
import type { ApprovalGuardOptions } from './types.js';

const KNOWN = new Set([
  ...policyNames,
  'chatId',
  'clientTools',
  'unavailableTools',
  'tools',
  'describe',
  'expiresMs',
  'user',
  'rules',
  'redact',
  'record',
  'omitFromWire',
  'locale',
  'onEvent',
  'onError',
] satisfies (keyof ApprovalGuardOptions)[]) as ReadonlySet<string>;

/** The error for an option that is not what it must be. */
export const invalid = (name: string, expected: string): GuardError =>
  new GuardError('invalid-option', `The option ${name} must be ${expected}.`);

/**
 * Checks which options there are, and those that the guard needs at once.
 *
 * @throws GuardError `invalid-option`, saying which option is wrong and what it must be
 */
export function checkGiven(options: ApprovalGuardOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new GuardError('invalid-option', 'The options must be an object.');
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) {
      throw new GuardError(
        'invalid-option',
        `There is no option ${name}. The options are ${[...KNOWN].join(', ')}.`,
      );
    }
  }
  const { chatId, onEvent, onError, record } = options;
  // Nothing that is stored may reach another chat.
  if (typeof chatId !== 'string' && (chatId ?? record) !== undefined)
    throw invalid('chatId', 'a string, and set if there is a record');
  for (const [name, handler] of Object.entries({ onEvent, onError })) {
    if (handler !== undefined && typeof handler !== 'function') throw invalid(name, 'a function');
  }
}
