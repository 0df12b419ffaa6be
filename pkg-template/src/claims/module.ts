// The core of the claims, in its module.
import { claim_calls as claimInModule } from 'virtual:claims-glue';

import { GuardError } from '../error.js';
import { run } from '../module/start.js';

/**
 * Carries out a command on stored claims.
 *
 * @param transaction JSON of the time, the command and the stored claims
 * @returns the changes and the answer
 * @throws GuardError `wasm-unavailable` if the module cannot be started, and `wasm-trapped` if it failed or did
 * not understand the transaction
 */
export function claimCalls(transaction: string): unknown {
  const outcome: unknown = run('the claims', () => claimInModule(new TextEncoder().encode(transaction)));
  if (outcome === undefined) {
    throw new GuardError('wasm-trapped', 'The WebAssembly of the claims does not know this transaction.');
  }
  return outcome;
}
