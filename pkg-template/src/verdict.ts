// Verdicts and errors with their sentences.
import { GuardError, type GuardErrorCode } from './error.js';
import { sendingReasons } from './generated/abi.js';
import { PROBLEMS, SENTENCES } from './reasons.js';
import type { SendReason, Verdict, WaitingCall } from './types/events.js';

/** An error with the sentence of its code. */
export function problem(
  code: GuardErrorCode,
  options: { cause?: unknown; toolCallId?: string } = {},
): GuardError {
  return new GuardError(code, PROBLEMS[code] ?? code, options);
}

/** A verdict with the sentence of its reason. */
export function verdictOf(reason: Verdict['reason'], waitingFor: readonly WaitingCall[] = []): Verdict {
  const message = reason === 'waiting' ? waitingSentence(waitingFor) : SENTENCES[reason];
  return isSending(reason)
    ? { send: true, reason, waitingFor, message }
    : { send: false, reason, waitingFor, message };
}

const isSending = (reason: Verdict['reason']): reason is SendReason =>
  (sendingReasons as readonly string[]).includes(reason);

/** The most open calls that are named. */
const NAMED = 5;

function waitingSentence(calls: readonly WaitingCall[]): string {
  const named = calls.slice(0, NAMED).map(({ toolName, need }) => `${toolName} (${need})`);
  const more = calls.length > NAMED ? ` and ${calls.length - NAMED} more` : '';
  return `Open in the last step: ${named.join(', ')}${more}.`;
}
