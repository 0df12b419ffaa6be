import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EDITABLE } from './tools.mjs';

/** @import { Claims, ClaimStore } from 'tool-approval-guard/claims' */

/** Where the file is, unless the environment names another place. */
const FILE = fileURLToPath(new URL('../../target/demo/claims.db', import.meta.url));
const DAY = 86_400_000;

/**
 * Opens the claims of all chats: in PostgreSQL or Redis if `DATABASE_URL` or `REDIS_URL` names one, otherwise in an
 * SQLite file. What is older than a day is forgotten, because the folders of the chats are gone by then.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ claims: Claims, close: () => Promise<void> }>}
 */
export async function openClaims(env) {
  const { createClaims, ...stores } = await import('../../pkg/claims.js');
  const { store, close } = await open(stores, env);
  const claims = createClaims({ store, clientTools: ['pick_file'], editable: EDITABLE });
  await claims.forget({ before: Date.now() - DAY });
  return { claims, close };
}

/**
 * @param {Omit<typeof import('tool-approval-guard/claims'), 'createClaims'>} stores
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ store: ClaimStore, close: () => Promise<void> }>}
 */
async function open({ postgresClaims, redisClaims, sqliteClaims }, env) {
  const { DATABASE_URL: postgres, REDIS_URL: redis, DEMO_CLAIMS: file = FILE } = env;
  if (postgres) {
    // @ts-expect-error It brings no types.
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: postgres });
    return { store: postgresClaims(pool), close: () => pool.end() };
  }
  if (redis) {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis);
    return { store: redisClaims(client), close: async () => void (await client.quit()) };
  }
  const { default: Database } = await import('libsql');
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file);
  return { store: sqliteClaims(database), close: async () => void database.close() };
}
