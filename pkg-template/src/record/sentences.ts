import type { GuardErrorCode } from '../error.js';

/** The problems of a record, and their consequences. */
export const PROBLEMS = {
  'storage-blocked': 'The browser does not let this page store anything: the record ends with the page.',
  'storage-full': 'There is no room in the storage: what was decided since is not kept over a reload.',
  'storage-failed':
    'The storage of the record has failed: what was decided since may not be kept over a reload.',
  'record-rolled-back':
    'What is stored of this chat is older than what was stored before: nothing of it is put back.',
  'record-too-large': 'The record is too large to be stored: give the option keep a smaller number.',
  'turn-failed':
    'The turn of this tab among the tabs of its chat could not be waited for: what is stored of the chat was not read.',
} satisfies Partial<Record<GuardErrorCode, string>>;

/** The reasons for which a document or an entry is rejected. */
export const FAULTS: Readonly<Record<string, string>> = {
  foreign: 'Under a key of the record stands something else: it is left there, and nothing of it counts.',
  newer: 'The record was written by a later version: it is left as it is, and nothing of it counts.',
  corrupt: 'The record was changed or cut off: it is left as it is, and nothing of it counts.',
  'other-chat': 'The record is of another chat: it is left as it is, and nothing of it counts.',
  'too-large':
    'The record is larger than any that is written: it is left as it is, and nothing of it counts.',
  malformed: 'An entry could not be recorded. Please report this.',
};
