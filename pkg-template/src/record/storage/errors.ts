import { GuardError } from '../../error.js';
import { PROBLEMS } from '../sentences.js';

/** The problems of a storage. */
export type StorageProblem = Extract<keyof typeof PROBLEMS, `storage-${string}`>;

/** Creates the error of a storage. */
export function storageError(code: StorageProblem, cause?: unknown): GuardError {
  return new GuardError(code, PROBLEMS[code], { cause });
}

/** The names of browser errors. An error with any other name becomes `storage-failed`. */
const CODES = new Map<unknown, StorageProblem>([
  ['QuotaExceededError', 'storage-full'],
  ['NS_ERROR_DOM_QUOTA_REACHED', 'storage-full'],
  ['SecurityError', 'storage-blocked'],
  ['VersionError', 'storage-newer'],
]);

/** Returns the {@link GuardError} for a value that a storage has thrown, which can be anything. */
export function storageErrorOf(cause: unknown): GuardError {
  let name: unknown;
  try {
    if (cause instanceof GuardError) return cause;
    name = (cause as { name?: unknown } | null | undefined)?.name;
  } catch {
    // The thrown value may itself throw when it is read.
  }
  return storageError(CODES.get(name) ?? 'storage-failed', cause);
}
