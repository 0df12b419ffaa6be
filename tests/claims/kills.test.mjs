// Four servers with clocks that differ, over one store, get the same requests again and again and are killed at
// random moments. The side effect of a call is a line in a file. With TAG_SOAK there
// are 100,000 approvals in the SQLite file.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { createClaims } from 'tool-approval-guard/claims';

import { sdk7 } from '../package/support/sdk.mjs';
import { answered, asking, assistant, user } from '../package/support/stored.mjs';
import { openStore } from './support/kills.mjs';
import { pingPostgres, pingRedis, startPostgres, startRedis } from './support/servers.mjs';

const EACH = 4;
const SERVERS = 4;
const MOST_KILLS = 500;
const worker = path.join(import.meta.dirname, 'support', 'worker.mjs');

/** The stores, with the number of approvals and the database that they need. */
const scenes = {
  sqlite: { approvals: process.env.TAG_SOAK ? 100_000 : 1_000, start: async () => undefined },
  postgres: { approvals: 400, start: () => startPostgres(pingPostgres) },
  redis: { approvals: 400, start: () => startRedis(pingRedis) },
};

const idOf = (chat, call) => `${chat}-${call}`;
/** Every sixth call is denied. */
const isDenied = (chat, call) => (chat * EACH + call) % 6 === 0;
const calls = Array.from({ length: EACH }, (_, call) => call);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server; `ended` is whether it came to the end of all requests by itself. */
function start(folder, place, seed) {
  const skew = [0, 150, -150, 50][seed % 4];
  const child = spawn(process.execPath, [worker, folder, place, `${seed}`, `${skew}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const ready = new Promise((resolve) => {
    child.stdout.once('data', resolve);
    child.once('exit', resolve);
  });
  const ended = new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(true);
      else if (signal === 'SIGKILL') resolve(false);
      else reject(new Error(`A server ended with ${code}:\n${errors}`));
    });
  });
  return { child, ready, ended };
}

for (const [name, { approvals, start: startDatabase }] of Object.entries(scenes)) {
  test(`${name}: ${approvals} approvals, and servers that are killed`, { timeout: 3_600_000 }, async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'claims-kills-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const database = await startDatabase();
    if (database) t.after(database.stop);
    const place = database?.url ?? folder;
    const { store, close } = await openStore(place);
    try {
      await killing(t, { approvals, folder, place, claims: createClaims({ store }) });
    } finally {
      await close();
    }
  });
}

/** Asks, and writes the requests with the answers into a file. */
async function ask(claims, approvals, folder) {
  const requests = [];
  for (let chat = 0; chat < approvals / EACH; chat++) {
    const chatId = `chat ${chat}`;
    await claims.asked(chatId, assistant('a1', ...calls.map((call) => asking(idOf(chat, call), 'rm'))));
    const parts = calls.map((call) => answered(idOf(chat, call), 'rm', !isDenied(chat, call)));
    const messages = [user(), assistant('a1', ...parts)];
    requests.push({ chatId, messages, modelMessages: await sdk7.ai.convertToModelMessages(messages) });
  }
  writeFileSync(path.join(folder, 'requests.json'), JSON.stringify(requests));
  return requests;
}

async function killing(t, { approvals, folder, place, claims }) {
  const requests = await ask(claims, approvals, folder);
  const most = Math.min(approvals / 20, MOST_KILLS);
  let kills = 0;
  const lane = async (number) => {
    for (let life = 0; ; life++) {
      const { child, ready, ended } = start(folder, place, number + SERVERS * life);
      await ready;
      if (kills < most) {
        await Promise.race([pause(20 + Math.random() * 180), ended]);
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL');
          kills += 1;
        }
      }
      if ((await ended) && kills >= most) return;
      // What has all its answers comes to its end before it can be killed.
      if (await ended) kills += 1;
    }
  };
  await Promise.all(Array.from({ length: SERVERS }, (_, number) => lane(number)));
  // The clock of a server may be ahead, and that of this process behind.
  await pause(700);

  const doubts = await claims.inDoubt({ limit: approvals });
  const effects = readFileSync(path.join(folder, 'effects'), 'utf8').trimEnd().split('\n');
  const doubtful = new Set(doubts.map(({ approvalId }) => approvalId));
  const ran = new Set(effects);
  assert.equal(ran.size, effects.length, 'a side effect happens at most once');
  // Where few are killed it can happen that none of them runs a tool.
  assert.ok(doubtful.size > 0 || most < 50, 'some servers were killed while a tool ran');
  t.diagnostic(`${kills} kills, ${ran.size} effects, ${doubtful.size} in doubt`);
  for (const doubt of doubts) assert.equal(await claims.settle(doubt, { output: 'settled' }), true);
  // Those beside a call in doubt can go on now.
  await Promise.all([start(folder, place, 1).ended, start(folder, place, 2).ended]);

  const lines = readFileSync(path.join(folder, 'effects'), 'utf8').trimEnd().split('\n');
  const all = new Set(lines);
  assert.equal(all.size, lines.length, 'nor later');
  assert.deepEqual(await claims.inDoubt(), []);
  for (const { chatId, messages } of requests) {
    const { ok, done, rejected } = await claims.take(chatId, messages);
    assert.equal(ok, true, chatId);
    assert.equal(done.length + rejected.length, EACH, `nothing of ${chatId} is left running`);
    for (const { approvalId, toolCallId, result } of done) {
      const isSettled = result.output === 'settled';
      assert.equal(isSettled, doubtful.has(approvalId), `${toolCallId} is settled if it was in doubt`);
      assert.ok(isSettled || all.has(approvalId), `${toolCallId} is done, so it has run`);
    }
    for (const { approvalId } of rejected) assert.ok(!all.has(approvalId), `${approvalId} was denied`);
  }
}
