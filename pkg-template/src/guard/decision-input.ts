// Checks the arguments of a decision.
import { canonical } from '../chat/canonical.js';
import { GuardError } from '../error.js';
import { COVERS, isDuration, isName, LONGEST_GRANT } from '../options.js';
import type { CallView, Choice, DecideOptions } from '../prompt.js';
import { readRequestOptions } from '../request-options.js';

const LONGEST_REASON = 500;
/**
 * Characters that a reader could not see, or that would end a line of a prompt, except a line break and a
 * tab.
 */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** A reference to a call, as a page gives it. */
export type Target = string | CallView;

/** The name of a call: a key or an id, and the view, if the page gave one. */
export interface Named {
  name: string;
  view: CallView | undefined;
}

/** The error for a misuse. */
export function invalid(message: string): GuardError {
  return new GuardError('invalid-decision', message);
}

/** Checks what a lasting choice should cover. @throws GuardError `invalid-decision` */
export function checkCovers(covers: unknown): void {
  const [isCovers, expected] = COVERS;
  if (!isCovers(covers)) throw invalid(`covers must be ${expected}.`);
}

/** Reads a reference to a call. @throws GuardError `invalid-decision` */
export function nameOf(target: Target): Named {
  if (typeof target === 'string') return { name: target, view: undefined };
  try {
    const { key }: Partial<CallView> = target ?? {};
    if (typeof key === 'string') return { name: key, view: target };
  } catch {
    // It is not a call.
  }
  throw invalid('Identify a call by the call from the snapshot, its key, its approval id or its call id.');
}

const OPTIONS = new Set([
  'reason',
  'input',
  'covers',
  'forMs',
  'source',
  'options',
] satisfies (keyof DecideOptions)[]) as ReadonlySet<string>;

/**
 * Reads the options once, so that the checked values are the used ones. @throws GuardError `invalid-decision`
 */
export function readDecision(choice: Choice, options: DecideOptions): DecideOptions {
  try {
    const given = { ...options };
    checkOptions(choice, options, given);
    const request = readRequestOptions(given.options, 'invalid-decision');
    return request === undefined ? given : { ...given, options: request };
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError('invalid-decision', 'The options could not be read.', { cause });
  }
}

function checkOptions(choice: Choice, options: DecideOptions, given: DecideOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('The options must be an object.');
  const unknown = Object.keys(given).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) {
    throw invalid(`There is no option ${unknown}. The options are ${[...OPTIONS].join(', ')}.`);
  }
  const { reason, covers, forMs, source } = given;
  if (given.input !== undefined) {
    if (choice !== 'allow-once')
      throw invalid("A changed input is for one call: use it only with 'allow-once'.");
    if (canonical(given.input) === undefined)
      throw invalid('The input must be JSON that can be compared: not too deep, and not too large.');
    // Later changes of the object are not allowed.
    given.input = JSON.parse(JSON.stringify(given.input)) as unknown;
  }
  if (reason !== undefined) {
    if (typeof reason !== 'string') throw invalid('The reason must be a string.');
    if (reason.length > LONGEST_REASON)
      throw invalid(`The reason must have at most ${LONGEST_REASON} characters.`);
    if (CONTROL.test(reason)) throw invalid('The reason must be plain text without control characters.');
  }
  if (source !== undefined && !isName(source))
    throw invalid('The source must be plain text of 1 to 200 characters.');
  const lasts = choice === 'allow-chat' || choice === 'deny-chat';
  // A grant stands for a person: its prompts say that the person gave it.
  if (lasts && source !== undefined)
    throw invalid("A program decides one call: use 'allow-once' or 'deny' with a source.");
  if (!lasts && (covers !== undefined || forMs !== undefined)) {
    throw invalid("Use covers and forMs only with 'allow-chat' and 'deny-chat'.");
  }
  if (covers !== undefined) checkCovers(covers);
  if (forMs !== undefined && !(isDuration(forMs, 1, LONGEST_GRANT) && Number.isInteger(forMs))) {
    throw invalid(
      `forMs must be a whole number of milliseconds from 1 to ${LONGEST_GRANT}, which is 7 days.`,
    );
  }
}
