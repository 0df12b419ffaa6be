// Why the WebAssembly of an entry is not there, as a sentence for developers.
import { GuardError } from '../error.js';

/** What the engines of browsers say if the policy of the page forbids it. */
const BY_POLICY = /unsafe-eval|content security policy|\bcsp\b/i;

/** The cause, and what can be done about it. */
export function because(cause: unknown): string {
  if (typeof WebAssembly !== 'object') {
    return 'This JavaScript engine has no WebAssembly, so nothing can be decided here.';
  }
  const said = cause instanceof Error ? cause.message : String(cause);
  return BY_POLICY.test(said)
    ? "The Content-Security-Policy of this page forbids it: add 'wasm-unsafe-eval' to script-src."
    : `The cause: ${said}`;
}

/**
 * The error of an entry whose module cannot be started.
 *
 * @param what the entry, as in "The WebAssembly of the record"
 */
export const unavailable = (what: string, cause: unknown): GuardError =>
  cause instanceof GuardError
    ? cause
    : new GuardError(
        'wasm-unavailable',
        `The WebAssembly of ${what} could not be started. ${because(cause)}`,
        {
          cause,
        },
      );
