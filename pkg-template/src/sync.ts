// The guard in one file, which `tool-approval-guard` loads when a guard is created.
import { preload as startEarly } from 'virtual:module';

import { unavailable } from './module/start.js';

export { createApprovalGuard } from './guard/face.js';
/** @internal */
export { createLateGuard } from './guard/face.js';
export { GuardError } from './error.js';
export type * from './public.js';

/**
 * Starts the module before a guard needs it: its WebAssembly is compiled off the main thread. Without it, the first use
 * compiles it.
 *
 * @throws GuardError `wasm-unavailable`, as a rejection
 */
export async function preload(): Promise<void> {
  try {
    await startEarly();
  } catch (cause) {
    throw unavailable('tool-approval-guard', cause);
  }
}
