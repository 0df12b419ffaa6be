// Each store over a real database, opened as often as a test wants: `open()` is another server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { createClient } from 'redis';
import { memoryClaims, postgresClaims, redisClaims, sqliteClaims } from 'tool-approval-guard/claims';

import { postgresDatabase, redisDatabase } from './databases.mjs';

function closers() {
  const list = [];
  return {
    add: (close) => list.push(close),
    all: async () => void (await Promise.all(list.map((it) => it()))),
  };
}

export const openFile = (file) => new Database(file);

/** Each of them: `{ open, close }`. */
export const stores = {
  memory: async () => {
    const store = memoryClaims();
    return { open: async () => store, close: async () => {} };
  },
  sqlite: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'claims-sqlite-'));
    const file = path.join(folder, 'claims.db');
    return {
      file,
      open: async () => sqliteClaims(openFile(file)),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  postgres: async () => {
    const address = await postgresDatabase();
    const open = closers();
    return {
      url: address,
      open: async (url = address) => {
        const pool = new pg.Pool({ connectionString: url, max: 5 });
        pool.on('error', () => {});
        open.add(() => pool.end());
        return postgresClaims(pool);
      },
      close: open.all,
    };
  },
  'postgres, one client': async () => {
    const address = await postgresDatabase();
    const open = closers();
    return {
      open: async () => {
        const client = new pg.Client(address);
        await client.connect();
        open.add(() => client.end());
        return postgresClaims({ query: (sql, values) => client.query(sql, values) });
      },
      close: open.all,
    };
  },
  ioredis: async () => {
    const address = await redisDatabase();
    const open = closers();
    return {
      url: address,
      open: async (url = address) => {
        // By default it waits longer each time, and half a minute in all.
        const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
        client.on('error', () => {});
        open.add(() => client.disconnect());
        return redisClaims(client);
      },
      close: open.all,
    };
  },
  redis: async () => {
    const address = await redisDatabase();
    const open = closers();
    return {
      open: async () => {
        const client = createClient({ url: address });
        client.on('error', () => {});
        await client.connect();
        open.add(() => client.destroy());
        return redisClaims(client, { prefix: 'other:' });
      },
      close: open.all,
    };
  },
};
