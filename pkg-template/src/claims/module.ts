// The core of the claims, in its module.
import { claim_calls as claimInModule } from 'virtual:claims-glue';

import { start } from '../module/cause.js';
import { GuardError } from '../error.js';

/**
 * Carries out a command on stored claims.
 *
 * @param transaction JSON of the time, the command and the stored claims
 * @returns the changes and the answer
 * @throws GuardError `wasm-unavailable` if the module cannot be started, and `wasm-trapped` if it failed or did
 * not understand the transaction
 */
export function claimCalls(transaction: string): unknown {
  start('the claims');
  let outcome: unknown;
  try {
    outcome = claimInModule(new TextEncoder().encode(transaction));
  } catch (cause) {
    throw new GuardError('wasm-trapped', 'The WebAssembly of the claims failed.', { cause });
  }
  if (outcome === undefined) {
    throw new GuardError('wasm-trapped', 'The WebAssembly of the claims does not know this transaction.');
  }
  return outcome;
}
