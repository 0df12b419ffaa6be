// A store in an SQLite file, which several processes of one machine can share.
import { GuardError } from '../error.js';
import { checkSchema, SCHEMA } from './schema.js';
import * as sql from './sql.js';
import type { ClaimStore, FoundClaim } from './store.js';

/** A statement of an SQLite database. */
export interface SqliteStatement {
  /** Runs it and returns all rows. */
  all(...values: unknown[]): unknown[];
  /** Runs it; `changes` is the number of rows that it has changed. */
  run(...values: unknown[]): {
    /** The number of rows. */
    changes: number | bigint;
  };
}

/** An SQLite database: that of `node:sqlite`, `better-sqlite3`, `libsql` or `bun:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}

/** SQLite counts the places of the values by itself. */
const inOrder = (statement: string): string => statement.replace(/\$\d/g, '?');

/** Whether another connection had the file for too long. */
const isBusy = (cause: unknown): boolean =>
  /SQLITE_BUSY|database is locked/.test(`${(cause as { code?: unknown } | null)?.code} ${String(cause)}`);

/** A database whose tables exist. */
class Sqlite {
  readonly #database: SqliteDatabase;
  #ready = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  all(statement: string, ...values: (string | number | null)[]): sql.Row[] {
    return this.#database.prepare(inOrder(statement)).all(...values) as sql.Row[];
  }

  run(statement: string, ...values: (string | number | null)[]): number {
    return Number(this.#database.prepare(inOrder(statement)).run(...values).changes);
  }

  /** Runs work in a transaction that holds the file from its beginning, so that what it reads stays true. */
  transaction<T>(work: () => T): T {
    const database = this.#database;
    try {
      if (!this.#ready) database.exec('pragma busy_timeout = 5000');
      database.exec('begin immediate');
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      throw new GuardError('storage-busy', 'Another process has the file of the claims.', { cause });
    }
    try {
      if (!this.#ready) this.#prepare();
      const result = work();
      database.exec('commit');
      this.#ready = true;
      return result;
    } catch (cause) {
      try {
        database.exec('rollback');
      } catch {
        // The database has rolled back by itself; what it threw first says why.
      }
      throw cause;
    }
  }

  #prepare(): void {
    // `strict` tables hold what they say; a row is found by its chat and approval without a second index.
    this.#database.exec(sql.tablesOf('integer', 'strict', 'strict, without rowid').join(';'));
    const [found] = this.#database.prepare('select version from tool_approval_claims_schema').all();
    if (found === undefined) this.run('insert into tool_approval_claims_schema values (?)', SCHEMA);
    else checkSchema((found as { version: unknown }).version);
  }
}

/**
 * Creates a store in an SQLite file. The tables are created when they are first used. Several processes can
 * open the same file; each waits up to five seconds for the others.
 *
 * @param database an open database of `node:sqlite`, `better-sqlite3`, `libsql` or `bun:sqlite`, in which no
 * transaction is open when the store is used
 * @returns a store for `createClaims`
 */
export function sqliteClaims(database: SqliteDatabase): ClaimStore {
  const sqlite = new Sqlite(database);
  const find = (by: sql.FoundBy, until: number, limit: number): FoundClaim[] =>
    sqlite.transaction(() => sqlite.all(sql.findBy(by), until, limit).map(sql.foundIn));
  return {
    transact: async (chatId, ids, judge) =>
      sqlite.transaction(() => {
        const rows =
          ids === undefined
            ? sqlite.all(sql.ALL, chatId)
            : [...new Set(ids)].flatMap((id) => sqlite.all(`${sql.SOME} $2`, chatId, id));
        for (const claim of judge(rows.map(sql.storedIn)))
          sqlite.run(sql.WRITE, ...sql.written(chatId, claim));
      }),
    doubtful: async (until, limit) => find('doubtful', until, limit),
    waiting: async (until, limit) => find('waiting', until, limit),
    forget: async (before) => sqlite.transaction(() => sqlite.run(sql.FORGET, before)),
  };
}
