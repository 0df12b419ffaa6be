// Which calls still wait for an answer: asked of a server, by whatever page comes next.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createClaims } from 'tool-approval-guard/claims';

import { answered, asking, assistant, call, user } from '../package/support/stored.mjs';
import { stores } from './support/stores.mjs';

const plain = (calls) => calls.map(({ chatId, approvalId }) => [chatId, approvalId]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

for (const [name, start] of Object.entries(stores)) {
  describe(`what waits, in the store ${name}`, () => {
    let database;
    before(async () => (database = await start()));
    after(() => database.close());

    test('the calls that ask are listed, of a chat and of all, until they are answered or have ended', async () => {
      const [one, two] = [await database.open(), await database.open()];
      const claims = createClaims({ store: one });
      const other = createClaims({ store: two });
      const brief = createClaims({ store: two, leaseMs: 100 });
      assert.deepEqual(await other.waiting(), []);
      assert.deepEqual(await other.waiting('chat a'), []);

      const begin = Date.now();
      const until = new Date(begin + 3_600_000);
      await claims.asked('chat a', assistant('m1', asking('c1', 'rm'), asking('c2', 'ls')), {
        user: 'ann',
        until,
      });
      await pause(5);
      await claims.asked('chat b', assistant('m1', asking('c1', 'rm')));
      await claims.asked('chat b', assistant('m2', asking('c9', 'rm')), { until: begin - 1 });

      const [first, ...others] = await other.waiting('chat a');
      assert.ok(first.since.getTime() >= begin && first.since.getTime() <= Date.now());
      assert.deepEqual(first, {
        chatId: 'chat a',
        approvalId: 'ap-c1',
        toolCallId: 'c1',
        toolName: 'rm',
        user: 'ann',
        since: first.since,
        until,
      });
      assert.deepEqual(plain(others), [['chat a', 'ap-c2']]);
      const [inB, ...none] = await other.waiting('chat b');
      assert.deepEqual([inB.approvalId, inB.user, inB.until, none], ['ap-c1', undefined, undefined, []]);

      const all = plain(await other.waiting());
      assert.deepEqual(all.slice(0, 2).toSorted(), [
        ['chat a', 'ap-c1'],
        ['chat a', 'ap-c2'],
      ]);
      assert.deepEqual(all.slice(2), [['chat b', 'ap-c1']], 'one that has ended waits no more');
      assert.equal((await other.waiting(undefined, { limit: 1 })).length, 1);
      assert.equal((await other.waiting('chat a', { limit: 1 })).length, 1);

      // A denial, and a yes that a server has taken.
      const messages = [user(), assistant('m1', answered('c1', 'rm', true), answered('c2', 'ls', false))];
      const { run } = await claims.take('chat a', messages, { user: 'ann' });
      assert.deepEqual(
        run.map(({ approvalId }) => approvalId),
        ['ap-c1'],
      );
      assert.deepEqual(await other.waiting('chat a'), []);
      assert.deepEqual(plain(await other.waiting()), [['chat b', 'ap-c1']]);
      // A server that takes a yes and never starts the call: it dies.
      assert.equal(
        (await brief.take('chat b', [user(), assistant('m1', answered('c1', 'rm', true))])).ok,
        true,
      );
      await pause(150);
      assert.deepEqual(plain(await claims.waiting('chat b')), [['chat b', 'ap-c1']]);
      assert.deepEqual(plain(await claims.waiting()), [['chat b', 'ap-c1']]);

      await claims.forget({ before: Date.now() + 1_000 });
      await pause(2);
      await claims.forget({ before: Date.now() });
      assert.deepEqual(await claims.waiting(), []);
      assert.deepEqual(await claims.waiting('chat b'), []);
    });

    test('of a message only the calls wait that ask: not one that runs, nor one without an approval', async () => {
      const claims = createClaims({ store: await database.open() });
      const beside = [call('c1', 'pick', 'input-available'), call('c2', 'pick', 'input-streaming')];
      await claims.asked('chat c', assistant('m1', ...beside));
      assert.deepEqual(await claims.waiting('chat c'), []);
      await claims.asked(
        'chat c',
        assistant('m2', ...beside, asking('c3', 'rm'), answered('c4', 'rm', true)),
      );
      assert.deepEqual(plain(await claims.waiting('chat c')), [['chat c', 'ap-c3']]);
    });

    test('what cannot be a chat or a limit is refused', async () => {
      const claims = createClaims({ store: await database.open() });
      for (const chat of ['', 7, null, {}]) {
        await assert.rejects(claims.waiting(chat), { code: 'invalid-input' });
      }
      for (const limit of [0, -1, 1.5, '3', Infinity]) {
        await assert.rejects(claims.waiting('chat', { limit }), { code: 'invalid-option' });
      }
    });
  });
}
