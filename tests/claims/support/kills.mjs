// What the servers that are killed share.
import path from 'node:path';

import Database from 'libsql';

/** The file of the claims. A killed process is no power failure, so nothing waits for the disk. */
export function openDatabase(folder) {
  const database = new Database(path.join(folder, 'claims.db'));
  database.exec('pragma busy_timeout = 10000');
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = off');
  return database;
}
