// A store in an SQLite file, which several processes of one machine can share.
import { GuardError } from '../error.js';
import { checkSchema, SCHEMA } from './schema.js';
import type { ClaimStore, ClaimWrite, FoundClaim } from './store.js';

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

// `strict` tables hold what they say; a row is found by its chat and approval without a second index.
const TABLES = `
create table if not exists tool_approval_claims_schema (version integer not null) strict;
create table if not exists tool_approval_claims (
  chat text not null,
  id text not null,
  data text not null,
  result text,
  doubtful integer,
  forgettable integer,
  waiting integer,
  primary key (chat, id)
) strict, without rowid;
create index if not exists tool_approval_claims_doubtful
  on tool_approval_claims (doubtful) where doubtful is not null;
create index if not exists tool_approval_claims_forgettable
  on tool_approval_claims (forgettable) where forgettable is not null;
create index if not exists tool_approval_claims_waiting
  on tool_approval_claims (waiting) where waiting is not null;
`;

interface Row {
  chat: string;
  id: string;
  data: string;
  result: string | null;
}

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

  all(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
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
    this.#database.exec(TABLES);
    const [found] = this.#database.prepare('select version from tool_approval_claims_schema').all();
    if (found === undefined) this.run('insert into tool_approval_claims_schema values (?)', SCHEMA);
    else checkSchema((found as { version: unknown }).version);
  }

  /** Writes a claim. A result that is not given stays. */
  write(chatId: string, claim: ClaimWrite): void {
    const { id, data, result, doubtfulFrom, forgettableFrom, waitingFrom } = claim;
    this.run(
      `insert into tool_approval_claims (chat, id, data, result, doubtful, forgettable, waiting)
       values (?, ?, ?, ?, ?, ?, ?)
       on conflict (chat, id) do update set data = excluded.data,
         result = coalesce(excluded.result, result),
         doubtful = excluded.doubtful, forgettable = excluded.forgettable, waiting = excluded.waiting`,
      ...[chatId, id, data, result ?? null],
      ...[doubtfulFrom ?? null, forgettableFrom ?? null, waitingFrom ?? null],
    );
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
  const rows = (chatId: string, ids: readonly string[] | undefined): Row[] =>
    ids === undefined
      ? sqlite.all('select id, data, null as result from tool_approval_claims where chat = ?', chatId)
      : ids.flatMap((id) =>
          sqlite.all(
            'select id, data, result from tool_approval_claims where chat = ? and id = ?',
            chatId,
            id,
          ),
        );
  const find = (column: 'doubtful' | 'waiting', until: number, limit: number): FoundClaim[] =>
    sqlite.transaction(() =>
      sqlite
        .all(
          `select chat, id, data, result from tool_approval_claims
           where ${column} <= ? order by ${column} limit ?`,
          ...[until, limit],
        )
        .map(({ chat, id, data, result }) => ({ chatId: chat, id, data, result: result ?? undefined })),
    );
  return {
    transact: async (chatId, ids, judge) =>
      sqlite.transaction(() => {
        const stored = rows(chatId, ids && [...new Set(ids)]);
        const claims = stored.map(({ id, data, result }) => ({ id, data, result: result ?? undefined }));
        for (const write of judge(claims)) sqlite.write(chatId, write);
      }),
    doubtful: async (until, limit) => find('doubtful', until, limit),
    waiting: async (until, limit) => find('waiting', until, limit),
    forget: async (before) =>
      sqlite.transaction(() => sqlite.run('delete from tool_approval_claims where forgettable < ?', before)),
  };
}
