// The core of the server entry, in its module.
import { GuardError } from '../error.js';
import { run } from '../module/start.js';
import { pack } from './pack.js';

/** Runs an export of the module. @throws GuardError `wasm-unavailable`, `wasm-trapped`, `unreadable-messages` */
export function ask(
  about: (question: Uint8Array) => Float64Array | undefined,
  question: unknown,
): Float64Array {
  const rows = run('the server entry', () => about(pack(question)));
  if (rows === undefined) throw new GuardError('unreadable-messages', 'The messages could not be read.');
  return rows;
}
