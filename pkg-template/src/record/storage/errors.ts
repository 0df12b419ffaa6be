// The errors of a storage: one `GuardError` for whatever it throws.
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
  let problem: StorageProblem = 'storage-failed';
  try {
    if (cause instanceof GuardError) return cause;
    const { name, code } = cause as { name?: unknown; code?: unknown };
    // An application's storage has no GuardError of this bundle.
    problem = code === 'storage-busy' ? code : (CODES.get(name) ?? problem);
  } catch {
    // The thrown value may have no properties, or may itself throw when it is read.
  }
  return storageError(problem, cause);
}
