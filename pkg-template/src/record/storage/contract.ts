/** The stored data of one chat. */
export interface StoredRecord {
  /** The text that was last written as `head`; `undefined` if nothing is stored for the chat. */
  readonly head: string | undefined;
  /** The text that was last written as `state`. */
  readonly state: string | undefined;
  /** The number of the oldest stored entry. Entries are numbered from 0. */
  readonly first: number;
  /** The number of entries that were ever appended, which is also the number of the next one. */
  readonly length: number;
  /** The entries from number `from` on, or from `first` on if that is larger; oldest first. */
  readonly entries: readonly string[];
}

/** A change that a transaction writes completely or not at all. Missing fields stay as they are. */
export interface RecordChange {
  /** Replaces `head`. */
  head?: string;
  /** Replaces `state`. */
  state?: string;
  /** Entries to append, in this order. */
  append?: readonly string[];
  /**
   * Entries with a smaller number are removed. It is never smaller than before, and at most the new length.
   */
  first?: number;
}

/**
 * The storage of the record. With `tool-approval-guard/record/testing` you can test whether your own storage
 * fulfils the contract.
 */
export interface ApprovalStorage {
  /**
   * Reads and writes the record of a chat in one transaction. Transactions of one chat never overlap, in any
   * tab, worker or connection: each one reads everything that earlier ones have written. When the promise is
   * fulfilled, the change is stored.
   *
   * @param chat the id of the chat, which can be any text
   * @param from the number of the first entry that the caller wants to read
   * @param judge called once, inside the transaction, and synchronous. It returns the change to write, or
   * `undefined` if there is none. If it throws, nothing is written, and `transact` throws the same value
   * @throws any error of the storage. Then nothing of the change is stored. After an error with the `code`
   * `storage-busy` the transaction is tried again; after any other one, the page goes on without the storage
   */
  transact(
    chat: string,
    from: number,
    judge: (stored: StoredRecord) => RecordChange | undefined,
  ): void | Promise<void>;
  /** Removes everything that is stored for a chat. It is not an error if nothing is stored. */
  remove(chat: string): void | Promise<void>;
  /**
   * Removes all records that were last written before a given time. If more than `most` records are left,
   * also removes those that were not written for the longest time.
   *
   * @param before the time, in milliseconds since the epoch
   * @param most the maximum number of records to keep
   */
  prune(before: number, most: number): void | Promise<void>;
}
