// Beside a durable engine: the claim says that the call may start, and the workflow goes on where a killed server was.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import pg from 'pg';
import { createClaims, postgresClaims } from 'tool-approval-guard/claims';

import { asking, assistant } from '../package/support/stored.mjs';
import { postgresDatabase } from './support/databases.mjs';

const program = path.join(import.meta.dirname, 'support', 'dbos.mjs');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server; `lines` are what it has printed, and `ended` is how it ended. */
function start(...args) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const server = { child, text: '', errors: '' };
  child.stdout.on('data', (text) => (server.text += text));
  child.stderr.on('data', (text) => (server.errors += text));
  server.ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  return server;
}

test(
  'DBOS: a server is killed in the middle of a workflow; the next one ends it, and the call has run once',
  { timeout: 120_000 },
  async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'claims-dbos-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const url = await postgresDatabase();
    const pool = new pg.Pool({ connectionString: url });
    pool.on('error', () => {});
    const claims = createClaims({ store: postgresClaims(pool) });
    await claims.asked('chat', assistant('a1', { ...asking('c1', 'transfer'), input: { amount: 7 } }));
    const effects = () => readFileSync(path.join(folder, 'effects'), 'utf8').trim().split('\n');

    const first = start(url, folder, 'dies');
    while (!first.text.includes('half')) {
      assert.equal(first.child.exitCode, null, first.errors);
      await pause(50);
    }
    // The same request on another server, while the workflow runs.
    const second = start(url, folder, 'dies');
    assert.equal(await second.ended, 0, second.errors);
    assert.deepEqual(JSON.parse(second.text), { run: 0, results: [], error: 'running' });
    first.child.kill('SIGKILL');
    await first.ended;
    assert.deepEqual(effects(), ['withdraw 7']);

    while ((await claims.inDoubt()).length === 0) await pause(50);
    const third = start(url, folder);
    assert.equal(await third.ended, 0, third.errors);
    assert.deepEqual(JSON.parse(third.text), { run: 0, results: [{ output: { transferred: 7 } }] });
    assert.deepEqual(effects(), ['withdraw 7', 'deposit 7']);
    assert.deepEqual(await claims.inDoubt(), []);
    await pool.end();
  },
);
