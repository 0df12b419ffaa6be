// A storage in IndexedDB, which all tabs share.
import type { ApprovalStorage, RecordChange } from './contract.js';
import { storageError, storageErrorOf } from './errors.js';
import { timeLimit } from './time-limit.js';

const NAME = 'tool-approval-guard';
const VERSION = 1;

/** The longest wait of a transaction, or of the opening of the database, for other pages, in milliseconds. */
const PATIENCE = 10_000;

/** A row of the store `records`. Its key is the id of the chat. */
interface Row {
  head: string | undefined;
  state: string | undefined;
  first: number;
  length: number;
  /** The time when it was last written, in milliseconds since the epoch. */
  at: number;
}

interface Stores {
  /** A {@link Row} for each chat, with an index over `at`. */
  records: IDBObjectStore;
  /** The entries. The key of each is `[chat, number]`. */
  entries: IDBObjectStore;
  /**
   * Runs a callback of a request. If it throws, the transaction is aborted, and rejects with the thrown
   * value.
   */
  run: (work: () => void) => void;
  /** Commits the transaction without waiting for the results of its requests. */
  commit: () => void;
}

/**
 * Creates a storage in IndexedDB, which all tabs of an origin share. The database is opened at the first use,
 * and again after another tab or the browser has closed or deleted it.
 *
 * Its methods reject with a `GuardError`:
 *
 * - `storage-blocked`: the page has no IndexedDB, or may not use it
 * - `storage-newer`: the database was written by a later version of this package
 * - `storage-full`: there is no space left
 * - `storage-busy`: other pages did not release the database in time
 * - `storage-lost`: the database was deleted or closed during the transaction
 * - `storage-failed`: any other error
 */
export function indexedDbStorage({ patience = PATIENCE } = {}): ApprovalStorage {
  const connection = new Connection(patience);
  return {
    transact(chat, from, judge) {
      let isJudged = false;
      return connection.transaction(
        ({ records, entries, run, commit }) => {
          const rows: IDBRequest<Row | undefined> = records.get(chat);
          const texts: IDBRequest<string[]> = entries.getAll(entriesFrom(chat, from));
          const judgeAll = (): void => {
            isJudged = true;
            const row = rows.result ?? EMPTY;
            const { head, state, first, length } = row;
            const change = judge({ head, state, first, length, entries: texts.result });
            if (change !== undefined) write(records, entries, chat, row, change);
            commit();
          };
          // The requests of one transaction succeed in order, so both results are available.
          texts.onsuccess = () => run(judgeAll);
        },
        // The caller may already rely on the result of `judge`, so it must not be called again.
        () => !isJudged,
      );
    },
    remove: (chat) => connection.transaction(({ records, entries }) => removeRecord(records, entries, chat)),
    prune: (before, most) =>
      connection.transaction(({ records, entries, run }) => {
        const times = records.index('at');
        const old = times.count(IDBKeyRange.upperBound(before, true));
        const chats = times.getAllKeys() as IDBRequest<string[]>;
        chats.onsuccess = () =>
          run(() => {
            const count = Math.max(old.result, chats.result.length - most);
            for (const chat of chats.result.slice(0, Math.max(count, 0)))
              removeRecord(records, entries, chat);
          });
      }),
  };
}

const EMPTY: Row = { head: undefined, state: undefined, first: 0, length: 0, at: 0 };

/** The range of the entries of a chat from this number on. In keys, an array is larger than any number. */
const entriesFrom = (chat: string, from: number): IDBKeyRange => IDBKeyRange.bound([chat, from], [chat, []]);

function write(
  records: IDBObjectStore,
  entries: IDBObjectStore,
  chat: string,
  { head, state, first, length }: Row,
  change: RecordChange,
): void {
  const append = change.append ?? [];
  const next = Math.max(change.first ?? 0, first);
  append.forEach((text, i) => entries.put(text, [chat, length + i]));
  if (next > first) entries.delete(IDBKeyRange.bound([chat], [chat, next], false, true));
  const row: Row = {
    head: change.head ?? head,
    state: change.state ?? state,
    first: next,
    length: length + append.length,
    at: Date.now(),
  };
  records.put(row, chat);
}

function removeRecord(records: IDBObjectStore, entries: IDBObjectStore, chat: string): void {
  records.delete(chat);
  entries.delete(IDBKeyRange.bound([chat], [chat, []]));
}

/** The connection of a page to the database. */
class Connection {
  readonly #patience: number;
  #database: Promise<IDBDatabase> | undefined;

  constructor(patience: number) {
    this.#patience = patience;
  }

  /**
   * Runs a read-write transaction on both stores. A failed one is repeated once, with a new connection.
   *
   * @param mayRepeat whether it may be repeated
   */
  async transaction(work: (stores: Stores) => void, mayRepeat = () => true): Promise<void> {
    try {
      try {
        await this.#attempt(work);
      } catch (cause) {
        if (!isLost(cause) || !mayRepeat()) throw cause;
        await this.#attempt(work);
      }
    } catch (cause) {
      if (isLost(cause)) throw storageError('storage-lost', cause);
      throw cause instanceof DOMException ? storageErrorOf(cause) : cause;
    }
  }

  async #attempt(work: (stores: Stores) => void): Promise<void> {
    const opening = (this.#database ??= this.#open());
    const database = await opening;
    try {
      await inTransaction(database, this.#patience, work);
    } catch (cause) {
      // After any error of the browser, the next use opens the database again.
      if (cause instanceof DOMException) this.#forget(opening);
      throw cause;
    }
  }

  #open(): Promise<IDBDatabase> {
    const opening: Promise<IDBDatabase> = openDatabase(this.#patience, () => this.#forget(opening));
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  #forget(opening: Promise<IDBDatabase>): void {
    if (this.#database === opening) this.#database = undefined;
    opening.then(
      (database) => database.close(),
      () => {},
    );
  }
}

/** Whether the connection was closed before the transaction began, or during it. */
const isLost = (cause: unknown): boolean =>
  cause instanceof DOMException && (cause.name === 'InvalidStateError' || cause.name === 'AbortError');

/**
 * @param onClose called when the browser has closed the connection, or when it has to be closed for another
 * page
 */
function openDatabase(patience: number, onClose: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // In some pages, reading the property throws.
    const factory: IDBFactory | null | undefined = globalThis.indexedDB;
    if (factory == null) throw storageError('storage-blocked');
    const request = factory.open(NAME, VERSION);
    let isGivenUp = false;
    const giveUp = (): void => {
      isGivenUp = true;
      reject(storageError('storage-busy'));
    };
    // If another page deletes the database and a third one keeps it open, no event is fired.
    const cancel = timeLimit(patience, giveUp);
    request.onblocked = giveUp;
    request.onupgradeneeded = () => {
      request.result.createObjectStore('records').createIndex('at', 'at');
      request.result.createObjectStore('entries');
    };
    request.onerror = () => {
      cancel();
      const { error } = request;
      // Some browsers report this in private windows.
      const isBlocked = error?.name === 'InvalidStateError';
      reject(isBlocked ? storageError('storage-blocked', error) : error);
    };
    request.onsuccess = () => {
      cancel();
      const database = request.result;
      database.onversionchange = onClose;
      database.onclose = onClose;
      if (isGivenUp) database.close();
      else resolve(database);
    };
  });
}

function inTransaction(
  database: IDBDatabase,
  patience: number,
  work: (stores: Stores) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Strict: if a request with an answer has left, a power failure must not make the call open again.
    const transaction = database.transaction(['records', 'entries'], 'readwrite', { durability: 'strict' });
    const fail = (cause: unknown): void => {
      try {
        transaction.abort();
      } catch {
        // It is being committed, or has ended, so its own event will follow or has been fired.
        return;
      }
      reject(cause);
    };
    // A page that is frozen inside its transaction blocks all others.
    const cancel = timeLimit(patience, () => fail(storageError('storage-busy')));
    transaction.oncomplete = () => {
      cancel();
      resolve();
    };
    transaction.onabort = () => {
      cancel();
      reject(transaction.error ?? new DOMException('The connection was closed.', 'AbortError'));
    };
    const run = (callback: () => void): void => {
      try {
        callback();
      } catch (cause) {
        fail(cause);
      }
    };
    const stores = {
      records: transaction.objectStore('records'),
      entries: transaction.objectStore('entries'),
      run,
      commit: () => transaction.commit?.(),
    };
    run(() => work(stores));
  });
}
