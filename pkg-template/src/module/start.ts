// Starts the module of an entry, or says for developers why it cannot be started.
import { startModule } from 'virtual:module';

import { GuardError } from '../error.js';

/** The words of browsers if the policy of the page forbids it. */
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
export function unavailable(what: string, cause: unknown): GuardError {
  if (cause instanceof GuardError) return cause;
  const sentence = `The WebAssembly of ${what} could not be started. ${because(cause)}`;
  return new GuardError('wasm-unavailable', sentence, { cause });
}

/** Starts the module of an entry at its first use. @throws GuardError `wasm-unavailable` */
export function start(what: string): void {
  try {
    startModule();
  } catch (cause) {
    throw unavailable(what, cause);
  }
}

/** Runs an export of the module of an entry. @throws GuardError `wasm-unavailable`, `wasm-trapped` */
export function run<T>(what: string, work: () => T): T {
  start(what);
  try {
    return work();
  } catch (cause) {
    throw new GuardError('wasm-trapped', `The WebAssembly of ${what} failed.`, { cause });
  }
}
