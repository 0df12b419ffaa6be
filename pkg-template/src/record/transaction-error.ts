/**
 * The reason why a transaction of this tab failed. `storage-timeout`: it did not end in time. `record-in-use`: the record
 * belongs to a newer guard in this page. `closed`: the record was closed. `refused`: another tab came first.
 */
export type TransactionErrorCode = 'storage-timeout' | 'record-in-use' | 'closed' | 'refused';

const SENTENCES: Readonly<Record<TransactionErrorCode, string>> = {
  'storage-timeout': 'The storage of the record did not answer in time.',
  'record-in-use': 'A newer guard of this chat in this page has its record: use that one.',
  closed: 'The record of this chat was closed: make a new guard.',
  refused: 'Another tab has decided first.',
};

/** The error of a failed transaction. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError';
  /** The code of the failure. */
  readonly code: TransactionErrorCode;

  constructor(code: TransactionErrorCode, cause?: unknown) {
    super(SENTENCES[code], cause === undefined ? {} : { cause });
    this.code = code;
  }
}
