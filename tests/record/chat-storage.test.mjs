// What the storage of a real browser does to a record: it keeps it, lacks it, is full, goes back to an older
// state, or is changed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  browser,
  dump,
  goBack,
  openChat,
  plainBrowser,
  quiet,
  restore,
  server,
  startServerAndBrowser,
  until,
  untilIn,
} from './chat-stage.mjs';

startServerAndBrowser();

const limit = { timeout: 60_000 };
const sideBySide = { ...limit, concurrency: 4 };
const shows = () => Object.values(calls()).map(({ status, decision }) => decision ?? status);
const reload = async (page) => {
  await page.reload();
  await page.evaluate(() => window.ready);
};

/** Plays a chat in its own profile. Drafts stay until they are committed. */
async function withChat(play, { more = '&undo=Infinity', script } = {}) {
  const context = await browser.newContext();
  try {
    if (script !== undefined) await context.addInitScript(script);
    const { id, backend } = await server.chat();
    const open = () => openChat(context, server, id, more);
    await play(await open(), { open, backend, id });
  } finally {
    await context.close();
  }
}

const decides = () => [guard.decide('c1', 'allow-once').type, guard.decide('c2', 'deny').type];
const drafted = ['drafted', 'drafted'];

describe('the storage of the browser', sideBySide, () => {
  test('session: survives a reload, and is not that of another tab', async () => {
    await withChat(
      async (page, { open, backend }) => {
        assert.deepEqual(await page.evaluate(decides), drafted);
        const other = await open();
        assert.deepEqual(await other.evaluate(shows), ['asking', 'asking']);
        await reload(page);
        assert.deepEqual(await page.evaluate(shows), ['allowed', 'denied']);
        assert.deepEqual(await page.evaluate(() => errors), []);
        assert.equal(backend.carried, 0);
      },
      { more: '&storage=session&undo=Infinity' },
    );
  });

  for (const [what, script] of [
    [
      'throws',
      `Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } })`,
    ],
    ['is not there', `Object.defineProperty(window, 'indexedDB', { value: null })`],
  ]) {
    test(`blocked: indexedDB ${what}; it is reported, and the chat goes on`, async () => {
      await withChat(
        async (page, { backend }) => {
          assert.deepEqual(await page.evaluate(() => errors), ['storage-blocked']);
          await page.evaluate(decides);
          assert.deepEqual(await page.evaluate(() => guard.commit().type), 'committing');
          await until(() => backend.carried === 1, 'the request');
          assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': false });
          await reload(page);
          assert.equal(backend.carried, 1);
        },
        { script },
      );
    });
  }

  test('full: it is reported, and nothing is allowed that was not stored', async () => {
    await withChat(async (page, { backend }) => {
      await page.evaluate(() => {
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('no room', 'QuotaExceededError');
        };
      });
      assert.deepEqual(await page.evaluate(decides), drafted);
      await untilIn(page, () => errors.includes('storage-full'), 'the report');
      await reload(page);
      assert.deepEqual(await page.evaluate(shows), ['asking', 'asking']);
      assert.equal((await page.evaluate(() => guard.resume())).type !== 'sent', true);
      assert.equal(backend.carried, 0);
    });
  });

  test('rolled back: an older document is reported, and nothing of it is put back', async () => {
    await withChat(async (page, { backend }) => {
      await page.evaluate(() => void guard.decideAll(['c1', 'c2'], 'allow-once'));
      await page.evaluate(() => record.settled());
      const older = await dump(page);
      await page.evaluate(() => void guard.undoAll());
      await page.evaluate(() => record.settled());
      await page.goto(`${server.url}messages`);
      await restore(page, older);
      await page.goBack();
      await page.evaluate(() => window.ready);
      await untilIn(page, () => errors.length > 0, 'the report');
      assert.deepEqual(await page.evaluate(() => errors), ['record-rolled-back']);
      await quiet(50);
      assert.notEqual((await page.evaluate(() => guard.resume())).type, 'sent');
      assert.equal(backend.carried, 0);
    });
  });

  const flip = (text, part) => {
    const at = Math.floor(text.length * part);
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
  };
  for (const [place, change] of Object.entries({
    'the head': ({ records: [[, row]] }) => (row.head = flip(row.head, 0.4)),
    'the state': ({ records: [[, row]] }) => (row.state = flip(row.state, 0.9)),
    'the first entry': ({ entries: [first] }) => (first[1] = flip(first[1], 0.5)),
    'the last entry': ({ entries }) => (entries.at(-1)[1] = flip(entries.at(-1)[1], 0.1)),
  })) {
    test(`a flipped byte in ${place}: it is reported, and nothing is allowed`, async () => {
      await withChat(async (page, { backend }) => {
        await page.evaluate(() => void guard.decideAll(['c1', 'c2'], 'allow-once'));
        await page.evaluate(() => record.settled());
        // A page that shows the chat would write again under way.
        await page.goto(`${server.url}messages`);
        const rows = await dump(page);
        change(rows);
        await restore(page, rows);
        await page.goBack();
        await page.evaluate(() => window.ready);
        assert.deepEqual(await page.evaluate(() => errors), ['record-unreadable']);
        assert.deepEqual(await page.evaluate(shows), ['asking', 'asking']);
        assert.equal(backend.carried, 0);
        // Data that cannot be read is left unchanged.
        await page.evaluate(() => void guard.decideAll(['c1', 'c2'], 'deny'));
        await page.evaluate(() => record.settled());
        const { records, entries } = await dump(page);
        assert.deepEqual([records[0][1].state, entries], [rows.records[0][1].state, rows.entries]);
      });
    });
  }
});

describe('the back/forward cache', limit, () => {
  // The longer time is more than a transaction may take that is under way when the page is left.
  for (const away of [0, 6_000])
    test(`a page that comes back goes on with what it had: after ${away} ms`, async () => {
      const plain = await plainBrowser();
      /** Returns why the browser has not kept the page, which it need not do. */
      const play = async () => {
        const { id, backend } = await server.chat();
        const tab = await plain.open(`${server.url}?chat=${id}&undo=Infinity`);
        const ready = () => tab.run('typeof window.ready === "object"').catch(() => false);
        await until(ready, 'the page');
        await tab.run('window.ready');
        await tab.run(`void addEventListener('pageshow', (e) => (window.back = e.persisted))`);
        await tab.run(`void guard.decide('c1', 'deny')`);
        await tab.send('Page.enable');
        await tab.send('Page.navigate', { url: `${server.url}messages` });
        await until(async () => (await tab.run('location.pathname')) === '/messages', 'the other page');
        await quiet(away);
        const reasons = await goBack(tab);
        if (reasons) return reasons;
        await quiet(300);
        assert.deepEqual(await tab.run(`Object.values(calls()).map((c) => c.decision ?? c.status)`), [
          'denied',
          'asking',
        ]);
        await tab.run(`void guard.decide('c2', 'allow-once')`);
        await tab.run(`void guard.commit()`);
        await until(() => backend.carried === 1, 'the request');
        await quiet();
        assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': true });
        assert.deepEqual(backend.sends, { 'ap-c1': 1, 'ap-c2': 1 });
        assert.deepEqual(await tab.run('window.errors'), []);
        await tab.close();
        return '';
      };
      for (let tries = 1, why; (why = await play()); tries++)
        assert.ok(tries < 4, `no page was kept: ${why}`);
    });
});
