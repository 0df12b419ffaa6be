// Where the servers that are killed keep their claims: a connection of their own for each process.
import path from 'node:path';

import { postgresClaims, redisClaims, sqliteClaims } from 'tool-approval-guard/claims';

/** Opens the store at a place: the address of a PostgreSQL or a Redis, or a folder for a file. */
export async function openStore(place) {
  if (place.startsWith('postgres:')) {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: place, max: 4 });
    return { store: postgresClaims(pool), close: () => pool.end() };
  }
  if (place.startsWith('redis:')) {
    const { Redis } = await import('ioredis');
    const client = new Redis(place);
    return { store: redisClaims(client), close: () => client.disconnect() };
  }
  const { default: Database } = await import('libsql');
  const database = new Database(path.join(place, 'claims.db'));
  database.exec('pragma busy_timeout = 10000');
  database.exec('pragma journal_mode = wal');
  // A killed process is no power failure, so nothing waits for the disk.
  database.exec('pragma synchronous = off');
  return { store: sqliteClaims(database), close: () => database.close() };
}
