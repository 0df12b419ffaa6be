// What claims do on the server, as a person sees it: two pages answer the same call, and one goes away while it runs.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pingPostgres, pingRedis, startPostgres, startRedis } from '../claims/support/servers.mjs';
import { browserName } from '../support/browsers.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { stage } from './stage.mjs';
import { lines, runs } from './state.mjs';

/** @import { Demo } from './drive.mjs' */

/** Where the server keeps its claims, and how often the id of an approval is stored there. */
const places = {
  'an SQLite file': async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'demo-claims-'));
    const file = path.join(folder, 'claims.db');
    return {
      env: { DEMO_CLAIMS: file },
      stop: async () => rmSync(folder, { recursive: true }),
      /** @param {string} id */
      keeps: async (id) => existsSync(file) && readFileSync(file, 'latin1').includes(id),
    };
  },
  PostgreSQL: async () => {
    const { url, stop } = await startPostgres(pingPostgres);
    return {
      env: { DATABASE_URL: url },
      stop,
      /** @param {string} id */
      keeps: async (id) => {
        const client = new pg.Client(url);
        await client.connect();
        const { rows } = await client.query('select * from tool_approval_claims');
        await client.end();
        return JSON.stringify(rows).includes(id);
      },
    };
  },
  Redis: async () => {
    const { url, stop } = await startRedis(pingRedis);
    return {
      env: { REDIS_URL: url },
      stop,
      /** @param {string} id */
      keeps: async (id) => {
        const client = new Redis(url);
        const keys = await client.keys('*');
        const all = await Promise.all(
          keys.map(async (key) => ((await client.type(key)) === 'hash' ? await client.hgetall(key) : key)),
        );
        client.disconnect();
        return JSON.stringify(all).includes(id);
      },
    };
  },
};

/** The chat asks for one call. @param {Demo} demo @param {boolean} guarded */
async function begin(demo, guarded) {
  await demo.start('Claims', { guarded });
  await demo.button('notes.md', 'Allow once').waitFor();
  await demo.idle();
}

/** Waits until the tool has written its line. @param {Demo} demo */
async function written(demo) {
  for (let tries = 0; lines(await demo.state(), 'notes.md') !== 4; tries++) {
    assert.ok(tries < 300, 'the tool did not end');
    await demo.page.waitForTimeout(100);
  }
}

for (const [name, start] of Object.entries(places)) {
  describe(`claims in ${name}`, () => {
    /** @type {Awaited<ReturnType<typeof start>>} */
    let place;
    /** Ends the tool. */
    let end = () => {};
    const { play } = stage(async () => {
      place = await start();
      return { ...place, slowTool: () => new Promise((resolve) => (end = () => resolve())) };
    });
    // Only Chromium says in the console that a request has failed.
    const refused =
      browserName === 'chromium'
        ? ['Failed to load resource: the server responded with a status of 409 (Conflict)']
        : [];

    const scene = `two pages allow the call, and one reloads while it runs: it runs once (${name})`;
    if (runsHere(scene)) {
      test(scene, () =>
        play(async (demo) => {
          await begin(demo, true);
          const other = await demo.secondTab();
          await demo.answer('notes.md', 'Allow once');
          await demo.received(2);
          await demo.reload();
          await other.answer('notes.md', 'Allow once');
          await other.page.getByText('This answer came from another page').waitFor();
          assert.equal(lines(await demo.state(), 'notes.md'), 3, 'the tool still runs');

          end();
          await written(demo);
          await demo.click('Send now');
          await demo.reads('write_note on notes.md ran and returned');
          await other.click('Try again');
          await other.reads('write_note on notes.md ran and returned');
          const state = await demo.state();
          assert.deepEqual(runs(state), ['write_note notes.md 1']);
          assert.equal(lines(state, 'notes.md'), 4);
          assert.deepEqual(
            state.requests.map(({ answer }) => answer),
            ['stream', 'stream', 'refused', 'stream', 'stream'],
          );
          for (const { page } of [demo, other]) {
            await page.getByRole('cell', { name: 'write_note × 1' }).waitFor();
          }
          const id = await demo.page.evaluate(
            () => /"approval":\{"id":"([^"]+)"/.exec(Object.values(localStorage).join())?.[1],
          );
          assert.ok(id && (await place.keeps(id)), 'the claim is where the server was told to keep it');
          assert.deepEqual(other.errors, refused);
        }),
      );
    }
  });
}

describe('without claims', () => {
  const { play } = stage(async () => ({ slowTool: async () => {} }));
  const scene = 'without claims: each of two pages that allow the call has it run';
  if (!runsHere(scene)) return;
  test(scene, () =>
    play(async (demo) => {
      await begin(demo, false);
      const other = await demo.secondTab();
      await demo.answer('notes.md', 'Allow once');
      await other.answer('notes.md', 'Allow once');
      for (const page of [demo, other]) await page.reads('write_note on notes.md ran and returned');
      assert.deepEqual(runs(await demo.state()), ['write_note notes.md 2']);
    }),
  );
});
