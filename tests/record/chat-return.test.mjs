// In one page, a component that shows a chat goes away and comes back. What its first guard left behind does
// not count as that of another tab.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { enterChat, quiet, server, startServerAndBrowser, until, untilIn, withTabs } from './chat-stage.mjs';

startServerAndBrowser();

const limit = { timeout: 120_000, concurrency: 4 };

/**
 * The ways in which a component comes back, each with a new `Chat` or the same one. The component before has
 * released what it owned.
 */
const ways = {
  'with the same guard and chat': () => mount({ guard, record, chat }),
  'with the same guard and another chat': () => mount({ guard, record, messages: chat.messages }),
  'with a new guard of the same record': () => mount({ record, messages: chat.messages }),
  'with a new guard and a new record': () => mount({ messages: chat.messages }),
  'with a new guard, the old one disposed of': () => {
    guard.dispose();
    return mount({ messages: chat.messages });
  },
};
const disposes = (way) => way.includes('disposed');

const withPage = ({ storage, undo, how = {} }, play) =>
  withTabs(async ({ open }) => {
    const { id, backend } = await server.chat(how);
    const page = await open();
    await enterChat(page, id, { storage, undo });
    await play(page, backend);
    assert.deepEqual(await page.evaluate(() => window.errors), []);
  });

const comeBack = async (page, way) => {
  await page.evaluate(() => window.detach());
  await page.evaluate(way);
};
const outcomes = (page) =>
  page.evaluate(() => Object.values(calls()).map(({ status, outcome }) => `${status}: ${outcome}`));
const allowBoth = (page) => page.evaluate(() => void guard.decideAll(['c1', 'c2'], 'allow-once'));

for (const storage of ['indexeddb', 'session', 'memory']) {
  describe(`the component comes back, ${storage}`, limit, () => {
    for (const [name, way] of Object.entries(ways)) {
      // A new record in memory has nothing to continue from.
      if (storage === 'memory' && name.includes('new record')) continue;
      if (storage === 'memory' && disposes(name)) continue;

      test(`${name}, while what was decided can be undone`, async () => {
        await withPage({ storage, undo: 'Infinity' }, async (page, backend) => {
          await allowBoth(page);
          await comeBack(page, way);
          const drafted = disposes(name) ? 'asking: ' : 'drafted: Allowed once';
          assert.deepEqual(await outcomes(page), [drafted, drafted]);
          if (disposes(name)) await allowBoth(page);
          assert.equal(await page.evaluate(() => guard.decide('c1', 'deny').type), 'drafted');
          await quiet(50);
          assert.equal(backend.carried, 0, 'nothing leaves by itself');
          await page.evaluate(() => void guard.commit());
          await until(() => backend.carried === 1, 'the answers');
          await untilIn(page, () => chat.status === 'ready', 'the end');
          assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': true });
          assert.deepEqual(await page.evaluate(async () => (await guard.resume()).type), 'nothing-to-send');
          await quiet();
          assert.deepEqual(backend.sends, { 'ap-c1': 1, 'ap-c2': 1 });
        });
      });

      test(`${name}, after the transport was away`, async () => {
        await withPage({ storage, undo: 0 }, async (page, backend) => {
          await page.evaluate(async () => {
            const { fetch } = window;
            window.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
            guard.decideAll(['c1', 'c2'], 'allow-once');
            while (chat.status !== 'error') await new Promise((resolve) => setTimeout(resolve, 5));
            window.fetch = fetch;
          });
          await comeBack(page, way);
          const said = await outcomes(page);
          for (const outcome of said) assert.match(outcome, /^(answered|in-doubt): Allowed once$/);
          assert.equal(backend.carried, 0, 'nothing leaves by itself');
          const sent = await page.evaluate(async () => {
            const { type } = await guard.resume();
            return type === 'sent' ? type : (await guard.retry()).type;
          });
          assert.equal(sent, 'sent');
          await until(() => backend.carried > 0, 'the request');
          await quiet();
          assert.deepEqual(backend.sends, { 'ap-c1': 1, 'ap-c2': 1 });
          assert.deepEqual(backend.runs, { c1: 1, c2: 1 });
        });
      });
    }
  });
}

describe('two guards of one chat in one page', limit, () => {
  for (const storage of ['indexeddb', 'session']) {
    test(`the newer one has the record: the older one commits and sends nothing, and says why, ${storage}`, async () => {
      await withPage({ storage, undo: 0 }, async (page, backend) => {
        await page.evaluate(async () => {
          window.older = { guard, chat, record };
          await mount({ messages: chat.messages });
        });
        await page.evaluate(() => void older.guard.decideAll(['c1', 'c2'], 'allow-once'));
        await untilIn(page, () => errors.length > 0, 'the report');
        await quiet();
        assert.equal(backend.carried, 0);
        const codes = await page.evaluate(() => errors.splice(0));
        assert.ok(codes.length > 0);
        assert.deepEqual(new Set(codes), new Set(['record-in-use']));
        const isDrafted = () =>
          Object.values(calls()).every((c) => c.status === 'drafted' && c.outcome === 'Allowed once');
        await untilIn(page, isDrafted, 'the drafts of the older one');
        await page.evaluate(() => void guard.decideAll(['c1', 'c2'], 'deny'));
        await until(() => backend.carried === 1, 'the answers of the newer one');
        await quiet();
        assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': false });
      });
    });

    test(`what the older one has sent is not in doubt any more when its response has ended, ${storage}`, async () => {
      await withPage({ storage, undo: 0, how: { holds: true } }, async (page, backend) => {
        await allowBoth(page);
        await until(() => backend.carried === 1, 'the request');
        await page.evaluate(() => {
          const messages = chat.messages;
          detach();
          return mount({ messages });
        });
        assert.deepEqual(await outcomes(page), ['in-doubt: Allowed once', 'in-doubt: Allowed once']);
        backend.release();
        const isKnown = () => Object.values(calls()).every(({ status }) => status !== 'in-doubt');
        await untilIn(page, isKnown, 'the end');
        const again = await page.evaluate(async () => [
          (await guard.resume()).type,
          (await guard.retry()).type,
        ]);
        assert.deepEqual(again, ['nothing-to-send', 'nothing-to-send']);
        assert.equal(backend.carried, 1);
        assert.deepEqual(backend.runs, { c1: 1, c2: 1 });
      });
    });
  }

  test('a record of another chat stays with its guard', async () => {
    await withPage({ storage: 'indexeddb', undo: 0 }, async (page) => {
      const codes = await page.evaluate(async () => {
        const own = newGuard(record, 'another');
        own.observe([]);
        return errors.splice(0);
      });
      assert.deepEqual(codes, ['record-in-use']);
      assert.deepEqual(await outcomes(page), ['asking: ', 'asking: ']);
    });
  });
});
