// The contract of every store of claims: it reads, lets the core judge, and commits atomically. It decides nothing.

/** A stored claim. */
export interface StoredClaim {
  /** The id of the approval. */
  readonly id: string;
  /** The text that was last written as `data`. */
  readonly data: string;
  /** The text that was last written as `result`; `undefined` if there is none, or if all of a chat was read. */
  readonly result: string | undefined;
}

/** The write of one claim in a transaction. */
export interface ClaimWrite {
  /** The id of the approval. */
  readonly id: string;
  /** Replaces `data`. */
  readonly data: string;
  /** Replaces `result`; `undefined` leaves it as it is. */
  readonly result: string | undefined;
  /** From this time on, `doubtful` finds the claim; `undefined` if it does not. */
  readonly doubtfulFrom: number | undefined;
  /** The claim may be forgotten if this time has passed; `undefined` if it may not. */
  readonly forgettableFrom: number | undefined;
  /** From this time on, `waiting` finds the claim; `undefined` if it does not. */
  readonly waitingFrom: number | undefined;
}

/** A claim that `doubtful` or `waiting` has found. */
export interface FoundClaim extends StoredClaim {
  /** The id of the chat. */
  readonly chatId: string;
}

/**
 * The storage of claims. With `tool-approval-guard/claims/testing` you can test whether your own store
 * fulfils the contract. A store can throw anything; `createClaims` makes a `GuardError` of it.
 */
export interface ClaimStore {
  /**
   * Reads and writes claims of a chat in one transaction. Transactions of one chat never overlap, in any
   * process: each one reads what earlier ones have written. When the promise is fulfilled, everything that
   * `judge` returned last is stored.
   *
   * @param chatId the id of the chat
   * @param ids the approvals to read; `undefined` for all of the chat, without results
   * @param judge synchronous. It returns the claims to write, also for approvals that are new. It may be called
   * again if another transaction was faster; only what it returned last is written. If it throws, nothing is
   * written, and `transact` throws the same value
   * @throws any error of the store. Then all or nothing is stored
   */
  transact(
    chatId: string,
    ids: readonly string[] | undefined,
    judge: (stored: readonly StoredClaim[]) => readonly ClaimWrite[],
  ): Promise<void>;
  /**
   * Finds claims of all chats with a `doubtfulFrom` of at most a given time, the earliest first.
   *
   * @param until the time, in milliseconds since the epoch
   * @param limit the largest number of claims to return
   */
  doubtful(until: number, limit: number): Promise<readonly FoundClaim[]>;
  /**
   * Finds claims of all chats with a `waitingFrom` of at most a given time, the earliest first.
   *
   * @param until the time, in milliseconds since the epoch
   * @param limit the largest number of claims to return
   */
  waiting(until: number, limit: number): Promise<readonly FoundClaim[]>;
  /**
   * Removes the claims of all chats with a `forgettableFrom` before a given time, with their results.
   *
   * @param before the time, in milliseconds since the epoch
   * @returns how many were removed
   */
  forget(before: number): Promise<number>;
}
