// Four servers with clocks that differ, over one SQLite file, get the same requests again and again and are killed at
// random moments. The side effect of a call is a line in a file. With TAG_SOAK there are 100,000 approvals.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { createClaims, sqliteClaims } from 'tool-approval-guard/claims';

import { sdk7 } from '../package/support/sdk.mjs';
import { answered, asking, assistant, user } from '../package/support/stored.mjs';
import { openDatabase } from './support/kills.mjs';

const APPROVALS = process.env.TAG_SOAK ? 100_000 : 1_000;
const EACH = 4;
const SERVERS = 4;
const KILLS = APPROVALS / 20;
const worker = path.join(import.meta.dirname, 'support', 'worker.mjs');

const idOf = (chat, call) => `${chat}-${call}`;
/** Every sixth call is denied. */
const isDenied = (chat, call) => (chat * EACH + call) % 6 === 0;
const calls = Array.from({ length: EACH }, (_, call) => call);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server; `ended` is whether it came to the end of all requests by itself. */
function start(folder, seed) {
  const skew = [0, 150, -150, 50][seed % 4];
  const child = spawn(process.execPath, [worker, folder, `${seed}`, `${skew}`], {
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

test(`${APPROVALS} approvals, and servers that are killed`, { timeout: 3_600_000 }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'claims-kills-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const claims = createClaims({ store: sqliteClaims(openDatabase(folder)) });
  const requests = [];
  for (let chat = 0; chat < APPROVALS / EACH; chat++) {
    const chatId = `chat ${chat}`;
    await claims.asked(chatId, assistant('a1', ...calls.map((call) => asking(idOf(chat, call), 'rm'))));
    const parts = calls.map((call) => answered(idOf(chat, call), 'rm', !isDenied(chat, call)));
    const messages = [user(), assistant('a1', ...parts)];
    requests.push({ chatId, messages, modelMessages: await sdk7.ai.convertToModelMessages(messages) });
  }
  writeFileSync(path.join(folder, 'requests.json'), JSON.stringify(requests));

  let kills = 0;
  const lane = async (number) => {
    for (let life = 0; ; life++) {
      const { child, ready, ended } = start(folder, number + SERVERS * life);
      await ready;
      if (kills < KILLS) {
        await Promise.race([pause(20 + Math.random() * 180), ended]);
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL');
          kills += 1;
        }
      }
      if ((await ended) && kills >= KILLS) return;
      // What has all its answers comes to its end before it can be killed.
      if (await ended) kills += 1;
    }
  };
  await Promise.all(Array.from({ length: SERVERS }, (_, number) => lane(number)));
  // The clock of a server may be ahead, and that of this process behind.
  await pause(700);

  const doubts = await claims.inDoubt({ limit: APPROVALS });
  const effects = readFileSync(path.join(folder, 'effects'), 'utf8').trimEnd().split('\n');
  const doubtful = new Set(doubts.map(({ approvalId }) => approvalId));
  const ran = new Set(effects);
  assert.equal(ran.size, effects.length, 'a side effect happens at most once');
  assert.ok(doubtful.size > 0, 'some servers were killed while a tool ran');
  t.diagnostic(`${kills} kills, ${ran.size} effects, ${doubtful.size} in doubt`);
  for (const doubt of doubts) assert.equal(await claims.settle(doubt, { output: 'settled' }), true);
  // Those beside a call in doubt can go on now.
  await Promise.all([start(folder, 1).ended, start(folder, 2).ended]);

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
});
