// What claims cost on a server, beside a plain round trip of the same client, one at a time and 64 at once; what is
// stored of each approval; and how many approvals two processes bring to their end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';

import { createClaims, postgresClaims, redisClaims, sqliteClaims } from '../../pkg/claims.js';
import { pingPostgres, pingRedis, startPostgres, startRedis } from '../claims/support/servers.mjs';
import { ratio, summary } from './measure.mjs';

const ROUNDS = 7;
const EACH = 64;
const AT_ONCE = [1, 64];
const PROCESSES = 2;
/** The approvals of each process. */
const LOAD = 400;

/** Opens the database at a place: an address, or a file. */
function open(place) {
  if (place.startsWith('postgres:')) {
    const pool = new pg.Pool({ connectionString: place });
    return {
      store: postgresClaims(pool),
      ping: () => pool.query('select 1'),
      bytes: async () => {
        const { rows } = await pool.query(`select pg_total_relation_size('tool_approval_claims') as bytes`);
        return Number(rows[0].bytes);
      },
      rows: async () =>
        Number((await pool.query('select count(*) as rows from tool_approval_claims')).rows[0].rows),
      close: () => pool.end(),
    };
  }
  if (place.startsWith('redis:')) {
    const client = new Redis(place);
    return {
      store: redisClaims(client),
      ping: () => client.ping(),
      bytes: async () => Number(/used_memory_dataset:(\d+)/.exec(await client.info('memory'))[1]),
      close: async () => client.disconnect(),
    };
  }
  const database = new Database(place);
  // As the guide says.
  database.exec('pragma journal_mode = wal');
  const one = (sql) => Object.values(database.prepare(sql).all()[0])[0];
  return {
    store: sqliteClaims(database),
    ping: async () => database.prepare('select 1').all(),
    bytes: async () => one('pragma page_count') * one('pragma page_size'),
    rows: async () => one('select count(*) from tool_approval_claims'),
    close: async () => database.close(),
  };
}

/** Each store, with what starts its database. */
const places = {
  SQLite: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bench-claims-'));
    return {
      url: path.join(folder, 'claims.db'),
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  PostgreSQL: () => startPostgres(pingPostgres),
  Redis: () => startRedis(pingRedis),
};

const input = { path: '/home/ann/report.md' };
const tools = { rm: { execute: async () => ({ removed: true }) } };

/** One approval of a chat of its own, in all its forms. */
function approval(name) {
  const ids = { approvalId: `ap-${name}`, toolCallId: `call-${name}` };
  const message = (state, more) => ({
    ...{ id: 'a1', role: 'assistant' },
    parts: [
      {
        ...{ type: 'tool-rm', toolCallId: ids.toolCallId, state, input },
        approval: { id: ids.approvalId, ...more },
      },
    ],
  });
  return {
    chatId: `chat-${name}`,
    question: message('approval-requested'),
    messages: [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      message('approval-responded', { approved: true }),
    ],
    options: {
      toolCallId: ids.toolCallId,
      messages: [{ role: 'assistant', content: [{ type: 'tool-approval-request', ...ids }] }],
    },
  };
}

const approvals = (prefix, count) => Array.from({ length: count }, (_, i) => approval(`${prefix}-${i}`));

/** Microseconds of one, over a list and so many at once. */
async function timed(list, atOnce, work) {
  const waiting = [...list];
  const lane = async () => {
    for (let item; (item = waiting.pop()) !== undefined;) await work(item);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ((performance.now() - start) * 1000) / list.length;
}

/** The acts of a server. */
function actsOf(claims) {
  const wrapped = new Map();
  return {
    asked: ({ chatId, question }) => claims.asked(chatId, question),
    take: async ({ chatId, messages }) => {
      if (!(await claims.take(chatId, messages)).ok) throw new Error('An approval was refused.');
      wrapped.set(chatId, claims.tools(tools, { chatId }));
    },
    execute: ({ chatId, options }) => wrapped.get(chatId).rm.execute(input, options),
  };
}

async function race({ store, ping }, atOnce) {
  const acts = actsOf(createClaims({ store }));
  const figures = { ping: [], asked: [], take: [], execute: [] };
  for (let round = -1; round < ROUNDS; round++) {
    const list = approvals(`${atOnce}-${round}`, EACH);
    for (const [name, work] of Object.entries({ ping, ...acts })) {
      const time = await timed(list, atOnce, work);
      // The first round is for the compiler.
      if (round >= 0) figures[name].push(time);
    }
  }
  return Object.fromEntries(
    Object.keys(figures).map((name) => [
      name,
      { micros: summary(figures[name]), toPing: ratio(figures, name, 'ping') },
    ]),
  );
}

/** Approvals in each second, from the question to the end, with so many processes. */
async function throughput(place) {
  const children = Array.from({ length: PROCESSES }, (_, number) =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), place, `process-${number}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const lines = children.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
  await Promise.all(lines.map((line) => line.next()));
  const start = performance.now();
  for (const { stdin } of children) stdin.end('go\n');
  await Promise.all(lines.map((line) => line.next()));
  const seconds = (performance.now() - start) / 1000;
  await Promise.all(children.map(async (child) => child.exitCode ?? (await once(child, 'exit'))));
  return (PROCESSES * LOAD) / seconds;
}

/** A process of `throughput`. */
async function load(place, name) {
  const { store, close } = open(place);
  const acts = actsOf(createClaims({ store }));
  const list = approvals(name, LOAD);
  await timed(approvals(`${name}-first`, 64), 64, acts.asked);
  console.log('ready');
  await once(process.stdin, 'data');
  await timed(list, 64, async (item) => {
    await acts.asked(item);
    await acts.take(item);
    await acts.execute(item);
  });
  console.log('done');
  await close();
}

/** @param {(text: string) => void} log */
export async function claiming(log) {
  const figures = {};
  for (const [name, start] of Object.entries(places)) {
    const { url, stop } = await start();
    const database = open(url);
    try {
      const atOnce = {};
      await createClaims({ store: database.store }).forget({ before: 0 });
      const before = await database.bytes();
      for (const count of AT_ONCE) atOnce[count] = await race(database, count);
      const stored = AT_ONCE.length * (ROUNDS + 1) * EACH;
      const bytes = ((await database.bytes()) - before) / stored;
      const rows = ((await database.rows?.()) ?? stored) / stored;
      figures[name] = { atOnce, bytes, rows, perSecond: await throughput(url) };
    } finally {
      await database.close();
      await stop();
    }
    log(`claims in ${name}`);
  }
  return figures;
}

const [program, place, name] = process.argv.slice(1);
if (program === fileURLToPath(import.meta.url)) {
  await load(place, name);
  process.exit(0);
}
