// Four servers with clocks that differ, over one store, get the same requests again and again and are killed at
// random moments, and their connections break. The side effect of a call is a line in a file. With `npm run soak` there are 100,000 approvals in the SQLite
// file, and 10,000 in each of the others.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { createClaims } from 'tool-approval-guard/claims';

import { sdk7 } from '../package/support/sdk.mjs';
import { byBreadth } from '../support/breadth.mjs';
import { postgresDatabase, redisDatabase } from './support/databases.mjs';
import { openStore } from './support/kills.mjs';
import { chatOf, EACH, modelMessagesOf, questionsOf, requestsOf } from './support/requests.mjs';

const SERVERS = 4;
/** The servers handle the chats in batches, so that the work grows as their number does. */
const BATCH = 100;
const worker = path.join(import.meta.dirname, 'support', 'worker.mjs');

/** The stores, with the number of approvals and of kills by the breadth of the run, and the address of an empty database. */
const scenes = {
  sqlite: {
    approvals: { commit: 400, all: 1_000, soak: 100_000 },
    kills: { commit: 10, all: 50, soak: 500 },
    database: async () => undefined,
  },
  postgres: {
    approvals: { commit: 400, all: 400, soak: 10_000 },
    kills: { commit: 10, all: 20, soak: 100 },
    database: postgresDatabase,
  },
  redis: {
    approvals: { commit: 400, all: 400, soak: 10_000 },
    kills: { commit: 10, all: 20, soak: 100 },
    database: redisDatabase,
  },
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that lives until it is killed. */
class Server {
  #child;
  #lines;
  #errors = '';
  #isKilled = false;

  constructor(file, place, seed) {
    const skew = [0, 150, -150, 50][seed % 4];
    const args = [worker, file, place, `${seed}`, `${skew}`];
    this.#child = spawn(process.execPath, args, { stdio: 'pipe' });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (text) => (this.#errors += text));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line that it prints; `undefined` if it was killed. */
  async says() {
    const { value, done } = await this.#lines.next();
    if (done && !this.#isKilled) throw new Error(`A server ended:\n${this.#errors}`);
    return value;
  }

  give(from, to) {
    this.#child.stdin.write(`${from} ${to}\n`);
  }

  kill() {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
  }
}

for (const [name, { approvals, kills, database }] of Object.entries(scenes)) {
  const count = byBreadth(approvals);
  test(`${name}: ${count} approvals, and servers that are killed`, { timeout: 7_200_000 }, async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'claims-kills-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const place = (await database()) ?? folder;
    const { store, close } = await openStore(place);
    const killing = new Killing(createClaims({ store }), path.join(folder, 'effects'), place);
    t.after(() => killing.end());
    try {
      await killing.run(count / EACH, byBreadth(kills));
      await killing.verify(t, count / EACH);
    } finally {
      await close();
    }
  });
}

test('the requests are those that the SDK would make', async () => {
  for (const { messages } of requestsOf(0)) {
    const made = JSON.parse(JSON.stringify(await sdk7.ai.convertToModelMessages(messages)));
    assert.deepEqual(modelMessagesOf(messages), made);
  }
});

/** The servers, and what becomes of them. */
class Killing {
  #claims;
  #file;
  #place;
  #servers = [];
  #seeds = 0;
  #since = performance.now();
  #isOver = false;
  kills = 0;

  constructor(claims, file, place) {
    this.#claims = claims;
    this.#file = file;
    this.#place = place;
  }

  async #server(lane) {
    // If one lane has failed, the others end, too.
    if (this.#isOver) throw new Error('The test has ended.');
    while (this.#servers[lane] === undefined) {
      const server = new Server(this.#file, this.#place, lane + SERVERS * this.#seeds++);
      this.#servers[lane] = server;
      if ((await server.says()) !== 'ready') this.#servers[lane] = undefined;
    }
    return this.#servers[lane];
  }

  /** Gives one server the chats until it has handled them. While there are `kills` left, it is killed meanwhile. */
  async #lane(lane, from, to, most) {
    for (;;) {
      const server = await this.#server(lane);
      server.give(from, to);
      const isDone = server.says().then((line) => line === 'done');
      if (this.kills < most) {
        await Promise.race([pause(20 + Math.random() * 180), isDone]);
        if (this.kills < most) {
          this.kills += 1;
          server.kill();
          this.#servers[lane] = undefined;
          await isDone;
          continue;
        }
      }
      if (await isDone) return;
    }
  }

  #all(from, to, most) {
    return Promise.all(Array.from({ length: SERVERS }, (_, lane) => this.#lane(lane, from, to, most)));
  }

  async run(chats, kills) {
    for (let from = 0; from < chats; from += BATCH) {
      const to = Math.min(from + BATCH, chats);
      for (let chat = from; chat < to; chat++) await this.#claims.asked(chatOf(chat), questionsOf(chat));
      await this.#all(from, to, Math.round((kills * to) / chats));
    }
    // The clock of a server may be ahead, and that of this process behind.
    await pause(700);
  }

  #effects() {
    const lines = readFileSync(this.#file, 'utf8').trimEnd().split('\n');
    const ran = new Set(lines);
    assert.equal(ran.size, lines.length, 'a side effect happens at most once');
    return ran;
  }

  async verify(t, chats) {
    const claims = this.#claims;
    const doubts = await claims.inDoubt({ limit: chats * EACH });
    const doubtful = new Set(doubts.map(({ approvalId }) => approvalId));
    this.#effects();
    // Where few are killed it can happen that none of them runs a tool.
    assert.ok(doubtful.size > 0 || this.kills < 50, 'some servers were killed while a tool ran');
    for (const doubt of doubts) assert.equal(await claims.settle(doubt, { output: 'settled' }), true);
    // Those beside a call in doubt can go on now.
    const numbers = new Set(doubts.map(({ chatId }) => Number(chatId.slice(chatOf('').length))));
    for (const chat of numbers) await this.#all(chat, chat + 1, 0);

    const ran = this.#effects();
    assert.deepEqual(await claims.inDoubt(), []);
    let late = 0;
    let broken = 0;
    for (let chat = 0; chat < chats; chat++) {
      const { chatId, messages } = requestsOf(chat).at(-1);
      const { ok, done, rejected } = await claims.take(chatId, messages);
      assert.equal(ok, true, chatId);
      assert.equal(done.length + rejected.length, EACH, `nothing of ${chatId} is left running`);
      for (const { type, approvalId, toolCallId, result } of done) {
        const isSettled = result.output === 'settled';
        assert.equal(isSettled, doubtful.has(approvalId), `${toolCallId} is settled if it was in doubt`);
        const hasRun = result.output === toolCallId;
        assert.ok(isSettled || hasRun === ran.has(approvalId), `${toolCallId} has run if it says so`);
        late += Number(type === 'rejected');
        broken += Number(!isSettled && !hasRun);
      }
      for (const { approvalId } of rejected) assert.ok(!ran.has(approvalId), `${approvalId} was denied`);
    }
    const seconds = Math.round((performance.now() - this.#since) / 1_000);
    t.diagnostic(
      `${this.kills} kills, ${ran.size} effects, ${doubtful.size} in doubt, ${late} denied too late, ` +
        `${broken} not run because the store broke, ${seconds} s`,
    );
  }

  end() {
    this.#isOver = true;
    for (const server of this.#servers) server?.kill();
  }
}
