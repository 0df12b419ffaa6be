// What a page gives with a decision, checked.
import { GuardError } from '../error.js';
import { isCovers, isDuration, LONGEST_GRANT } from '../options.js';
import type { CallView, Choice, DecideOptions } from '../prompt.js';
import { readRequestOptions } from '../request-options.js';

const LONGEST_REASON = 500;
/** What a reader could not see, or what would end a line of a prompt: everything but a line break and a tab. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** A call as a page names it. */
export type Target = string | CallView;

/** What names a call: an id, and the view that the page gave, if it gave one. */
export interface Named {
  id: string;
  view: CallView | undefined;
}

/** The error of a misuse. */
export function invalid(message: string): GuardError {
  return new GuardError('invalid-decision', message);
}

/** The name of a call. @throws GuardError `invalid-decision` */
export function nameOf(target: Target): Named {
  if (typeof target === 'string') return { id: target, view: undefined };
  try {
    const { approvalId, toolCallId }: Partial<CallView> = target ?? {};
    if (typeof toolCallId === 'string') return { id: approvalId ?? toolCallId, view: target };
  } catch {
    // It is no call.
  }
  throw invalid('A call is named by its approval id, its call id, or the call from the snapshot.');
}

const OPTIONS = new Set([
  'reason',
  'covers',
  'forMs',
  'options',
] satisfies (keyof DecideOptions)[]) as ReadonlySet<string>;

/** Reads the options once, so that what was checked is what is used. @throws GuardError `invalid-decision` */
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
  if (typeof options !== 'object' || options === null) throw invalid('The options are an object.');
  const unknown = Object.keys(given).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) {
    throw invalid(`There is no option ${unknown}. The options are ${[...OPTIONS].join(', ')}.`);
  }
  const { reason, covers, forMs } = given;
  if (reason !== undefined) {
    if (typeof reason !== 'string') throw invalid('A reason is a string.');
    if (reason.length > LONGEST_REASON) throw invalid(`A reason has at most ${LONGEST_REASON} characters.`);
    if (CONTROL.test(reason)) throw invalid('A reason is plain text, without control characters.');
  }
  const lasts = choice === 'allow-chat' || choice === 'deny-chat';
  if (!lasts && (covers !== undefined || forMs !== undefined)) {
    throw invalid("covers and forMs belong to 'allow-chat' and 'deny-chat'.");
  }
  if (covers !== undefined && !isCovers(covers)) {
    throw invalid("covers is 'input', 'tool' or a list of names of fields.");
  }
  if (forMs !== undefined && !(isDuration(forMs, 1, LONGEST_GRANT) && Number.isInteger(forMs))) {
    throw invalid(`forMs is a whole number of milliseconds from 1 to ${LONGEST_GRANT}, which is 7 days.`);
  }
}
