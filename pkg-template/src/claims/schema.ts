// The version of the stored schema, which every store keeps beside its data.
import { GuardError } from '../error.js';

/** The version of this package. */
export const SCHEMA = 1;

/**
 * Checks the version that a store has found.
 *
 * @throws GuardError `storage-newer` or `storage-older`
 */
export function checkSchema(found: unknown): void {
  const version = Number(found);
  if (version === SCHEMA) return;
  if (version > SCHEMA) {
    throw new GuardError(
      'storage-newer',
      `The claims were stored by a newer version of tool-approval-guard (schema ${String(found)}). Update this server.`,
    );
  }
  throw new GuardError(
    'storage-older',
    `The claims have the schema ${String(found)}, which this version of tool-approval-guard cannot read.`,
  );
}
