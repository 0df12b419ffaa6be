// A store in PostgreSQL.
import { checkSchema, SCHEMA } from './schema.js';
import * as sql from './sql.js';
import type { ClaimStore, FoundClaim } from './store.js';

/** Something that runs statements of PostgreSQL. */
export interface Queryable {
  /** Runs a statement with its values. */
  query(
    sql: string,
    values?: unknown[],
  ): Promise<{
    /** The rows that it returns. */
    rows: unknown[];
  }>;
}

/** A connection of a pool. */
export interface PostgresConnection extends Queryable {
  /** Gives the connection back to its pool; with `true` the pool closes it. */
  release(destroy?: boolean): unknown;
  /** Adds a listener. Without one, `pg` ends the process if the connection is lost while it is used. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool of connections, such as that of `pg`, or a single connection without `connect`. */
export interface PostgresDatabase extends Queryable {
  /** Takes a connection from the pool. Without it, the object itself is the only connection. */
  connect?(): Promise<PostgresConnection>;
}

/** The statement that was running fails with the same error. */
const ignore = (): void => {};

type Work<T> = (query: (statement: string, ...values: unknown[]) => Promise<sql.Row[]>) => Promise<T>;

/** A database, and whether its tables exist. */
class Postgres {
  readonly #database: PostgresDatabase;
  /** The end of the last transaction, if there is only one connection. */
  #last: Promise<unknown> = Promise.resolve();
  #ready = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Runs work in a transaction. `lock` is the name of a lock that it holds until its end. */
  async transaction<T>(lock: string, work: Work<T>): Promise<T> {
    const database = this.#database;
    if (database.connect === undefined) {
      const running = this.#last.then(() => this.#run(database, lock, work));
      this.#last = running.catch(() => {});
      return running;
    }
    const connection = await database.connect();
    let isWell = false;
    connection.on?.('error', ignore);
    try {
      const result = await this.#run(connection, lock, work);
      isWell = true;
      return result;
    } finally {
      // One that is closed can still say that it was lost.
      if (isWell) connection.off?.('error', ignore);
      // Nobody knows in which state a connection is whose transaction has failed.
      connection.release(!isWell);
    }
  }

  async #run<T>(connection: Queryable, lock: string, work: Work<T>): Promise<T> {
    // In a transaction of its own: who creates a table while he holds the lock of a chat can wait for another one who
    // waits for that lock.
    if (!this.#ready) await within(connection, 'tool_approval_claims_schema', prepare);
    this.#ready = true;
    return within(connection, lock, work);
  }
}

async function within<T>(connection: Queryable, lock: string, work: Work<T>): Promise<T> {
  const query = async (statement: string, ...values: unknown[]): Promise<sql.Row[]> =>
    (await connection.query(statement, values)).rows as sql.Row[];
  // Whatever the default is: what is read after the lock has to be what was committed before it.
  await query('begin isolation level read committed');
  try {
    // A lock and not `for update`, because a question that is new has no row yet.
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', lock);
    const result = await work(query);
    await query('commit');
    return result;
  } catch (cause) {
    await query('rollback').catch(() => {});
    throw cause;
  }
}

async function prepare(query: Parameters<Work<void>>[0]): Promise<void> {
  const name = 'tool_approval_claims_schema';
  const [table] = await query('select to_regclass($1) is not null as data', name);
  if (table?.data) {
    const [found] = await query(`select version as data from ${name}`);
    return checkSchema(found?.data);
  }
  for (const statement of sql.tablesOf('bigint')) await query(statement);
  await query(`insert into ${name} values ($1)`, SCHEMA);
}

/**
 * Creates a store in PostgreSQL. The tables are created when they are first used.
 *
 * @param database a pool of `pg`, or anything with `query`. Transactions run on connections of `connect()`, or
 * without it one after the other on the object itself. For a single client of `pg`, which has another
 * `connect`, pass `{ query: (sql, values) => client.query(sql, values) }`
 * @returns a store for `createClaims`
 */
export function postgresClaims(database: PostgresDatabase): ClaimStore {
  const postgres = new Postgres(database);
  const lockOf = (chatId: string): string => `tool_approval_claims:${chatId}`;
  const find = (by: sql.FoundBy, until: number, limit: number): Promise<FoundClaim[]> =>
    postgres.transaction(`tool_approval_claims_${by}`, async (query) =>
      (await query(sql.findBy(by), until, limit)).map(sql.foundIn),
    );
  return {
    transact: (chatId, ids, judge) =>
      postgres.transaction(lockOf(chatId), async (query) => {
        const rows = await (ids === undefined
          ? query(sql.ALL, chatId)
          : query(`${sql.SOME} any($2::text[])`, chatId, ids));
        for (const claim of judge(rows.map(sql.storedIn)))
          await query(sql.WRITE, ...sql.written(chatId, claim));
      }),
    doubtful: (until, limit) => find('doubtful', until, limit),
    waiting: (until, limit) => find('waiting', until, limit),
    forget: (before) =>
      postgres.transaction('tool_approval_claims_forget', async (query) => {
        const gone = await query(`${sql.FORGET} returning id`, before);
        return gone.length;
      }),
  };
}
