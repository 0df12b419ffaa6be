// Checks an export of a record, on a server, in a tool or in a page.
import { verify_export as verifyExport } from 'virtual:verify-glue';

import { start } from './module/start.js';
import { GuardError } from './error.js';

/** The result of {@link verifyRecord}. */
export type RecordVerdict =
  | {
      type: 'intact';
      entries: number;
      /** The number of entries of which only their number and a hash are left. */
      sealed: number;
      /** The hash of all entries. */
      head: string;
      /** Whether a head proves that nothing was cut off. */
      complete: boolean;
      /** The number of entries that the heads prove to be complete. */
      provenTo?: number;
      message: string;
    }
  | { type: 'broken'; line: number; code: string; message: string };

/**
 * Checks whether an export (`record.export('jsonl')`) was edited, or had entries inserted, moved or removed.
 * Only heads that were kept elsewhere can prove that its end was not cut off, and that it was not rewritten
 * from the beginning.
 *
 * @param text the unchanged export
 * @param heads earlier results of `record.head().hash`, oldest first
 * @returns `intact`, or `broken` with the first broken line
 * @throws GuardError `wasm-unavailable`
 */
export function verifyRecord(text: string, heads: readonly string[] = []): RecordVerdict {
  if (!Array.isArray(heads))
    throw new GuardError('invalid-option', 'verifyRecord takes a list of heads, or nothing.');
  start('verifyRecord');
  return verifyExport(String(text), Array.from(heads, String)) as RecordVerdict;
}
