// The sentences for developers about a record.
import type { GuardErrorCode } from '../error.js';

/** The problems of a record, and their consequences. */
export const PROBLEMS = {
  'storage-blocked':
    'The browser does not let this page store anything: the record ends with the page, and other tabs know nothing of it.',
  'storage-full':
    'There is no room in the storage: what was decided since is not kept over a reload, and other tabs do not know it.',
  'storage-newer':
    'A later version of this package has written the storage: what was decided since is not kept over a reload, and other tabs do not know it.',
  'storage-busy':
    'The storage was not free in time: nothing was written, and nothing was sent that needs it.',
  'storage-lost':
    'The storage was deleted or closed while it was used: what was decided since is not kept over a reload, and other tabs do not know it.',
  'storage-failed':
    'The storage of the record has failed: what was decided since is not kept over a reload, and other tabs do not know it.',
  'record-rolled-back':
    'What is stored of this chat is older than what was stored before: nothing of it is put back.',
  'storage-timeout':
    'The storage of the record did not answer in time, so nothing was sent. Answers leave when it works again; after a failed request, retry() sends them.',
  'record-in-use':
    'A newer guard of this chat in this page uses the record, so this one neither commits nor sends. Use the newer one.',
} satisfies Partial<Record<GuardErrorCode, string>>;

/** The reasons for which a document or an entry is rejected. */
export const FAULTS: Readonly<Record<string, string>> = {
  foreign: 'Under a key of the record stands something else: it is left there, and nothing of it counts.',
  newer: 'The record was written by a later version: it is left as it is, and nothing of it counts.',
  corrupt: 'The record was changed or cut off: it is left as it is, and nothing of it counts.',
  'other-chat': 'The record is of another chat: it is left as it is, and nothing of it counts.',
  malformed: 'An entry could not be recorded. Please report this.',
};
