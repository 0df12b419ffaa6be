import { GuardError } from './error.js';
import type { ApprovalGuardOptions } from './types.js';

/** The options with their defaults, as the core takes them. */
export interface Settings {
  flags: number;
  maxAutomaticSends: number;
  chatId: string | undefined;
  clientTools: readonly string[];
}

const KNOWN = new Set([
  'chatId',
  'clientTools',
  'sendOn',
  'whenUserSends',
  'whenAllDenied',
  'maxAutomaticSends',
  'onEvent',
  'onError',
] satisfies (keyof ApprovalGuardOptions)[]) as ReadonlySet<string>;

const FLAGS = { answersSend: 1, outputsSend: 2, holdAllDenied: 4, denyWhenUserSends: 8 };

function invalid(name: string, expected: string): GuardError {
  return new GuardError('invalid-option', `The option ${name} must be ${expected}.`);
}

function oneOf<T extends string>(name: string, value: T | undefined, allowed: readonly [T, ...T[]]): T {
  if (value === undefined) return allowed[0];
  if (!allowed.includes(value)) throw invalid(name, allowed.map((item) => `'${item}'`).join(' or '));
  return value;
}

/**
 * Checks the options.
 *
 * @throws GuardError `invalid-option`, naming the option and what it must be
 */
export function readOptions(options: ApprovalGuardOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new GuardError('invalid-option', 'createApprovalGuard takes an object of options, or nothing.');
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) {
      throw new GuardError(
        'invalid-option',
        `There is no option ${name}. The options are ${[...KNOWN].join(', ')}.`,
      );
    }
  }
  const { chatId, clientTools = [], maxAutomaticSends = 20, onEvent, onError } = options;
  if (chatId !== undefined && typeof chatId !== 'string') throw invalid('chatId', 'a string');
  if (!Array.isArray(clientTools) || !clientTools.every((tool) => typeof tool === 'string')) {
    throw invalid('clientTools', 'an array of tool names');
  }
  if (!Number.isInteger(maxAutomaticSends) || maxAutomaticSends < 0 || maxAutomaticSends > 1_000_000) {
    throw invalid('maxAutomaticSends', 'a whole number from 0 to 1000000');
  }
  if (onEvent !== undefined && typeof onEvent !== 'function') throw invalid('onEvent', 'a function');
  if (onError !== undefined && typeof onError !== 'function') throw invalid('onError', 'a function');
  const sendOn = oneOf('sendOn', options.sendOn, ['both', 'approvals', 'outputs']);
  const whenAllDenied = oneOf('whenAllDenied', options.whenAllDenied, ['send', 'hold']);
  const whenUserSends = oneOf('whenUserSends', options.whenUserSends, ['deny', 'pass']);
  return {
    flags:
      (sendOn === 'outputs' ? 0 : FLAGS.answersSend) |
      (sendOn === 'approvals' ? 0 : FLAGS.outputsSend) |
      (whenAllDenied === 'hold' ? FLAGS.holdAllDenied : 0) |
      (whenUserSends === 'deny' ? FLAGS.denyWhenUserSends : 0),
    maxAutomaticSends,
    chatId,
    clientTools,
  };
}
