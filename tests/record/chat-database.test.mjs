// What happens to the database of a record while tabs use it: it is full, missing, written by a later
// version, held open by another page, deleted or cleared. And a page or a whole browser that comes back finds
// it again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertAgreed, isDecided, NO, untilDecided, YES } from './chat-noise.mjs';
import {
  browser,
  goBack,
  plainBrowser,
  quiet,
  rendererOf,
  server,
  startServerAndBrowser,
  until,
  untilIn,
} from './chat-stage.mjs';

startServerAndBrowser();

const limit = { timeout: 120_000 };
const sideBySide = { concurrency: 4 };
const NAME = 'tool-approval-guard';

const openPage = async (context, more = '') => {
  const page = await context.newPage();
  await page.goto(`${server.url}?storage=indexeddb${more}`);
  return page;
};
const show = (page, id) => page.evaluate((id) => show(id), id);
const press = (page, id, answer) => page.evaluate(({ id, answer }) => press(id, answer), { id, answer });
const statusIn = async (page, id) => (await page.evaluate((id) => look(id), id)).c1.status;
const errorsOf = (page) => page.evaluate(() => errors);
const sentOnce = { 'ap-c1': [true], 'ap-c2': [true] };

/** Opens a page of the origin without a guard. */
const openOther = async (context) => {
  const page = await context.newPage();
  await page.goto(`${server.url}messages`);
  return page;
};

async function withChat(play, { script } = {}) {
  const context = await browser.newContext();
  try {
    if (script !== undefined) await context.addInitScript(script);
    const { id, backend } = await server.chat();
    const page = await openPage(context);
    await play(page, { id, backend, context });
  } finally {
    await context.close();
  }
}

describe('a database that cannot be used is reported, and the chat goes on', sideBySide, () => {
  for (const [what, script] of [
    ['there is none', `Object.defineProperty(window, 'indexedDB', { value: undefined })`],
    [
      'it may not be read',
      `Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } })`,
    ],
    [
      'it may not be opened',
      `IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); }`,
    ],
  ]) {
    test(`${what}: storage-blocked`, limit, async () => {
      await withChat(
        async (page, { id, backend }) => {
          await show(page, id);
          await press(page, id, YES);
          await assertAgreed([page], id, backend);
          assert.deepEqual(await errorsOf(page), ['storage-blocked']);
        },
        { script },
      );
    });
  }

  test('it is full from a moment on: storage-full', limit, async () => {
    await withChat(async (page, { id, backend, context }) => {
      const session = await context.newCDPSession(page);
      const { origin } = new URL(server.url);
      // Chromium asks for the available space before the first write, and does its own counting afterwards.
      await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 500_000 });
      await show(page, id);
      assert.deepEqual(await errorsOf(page), []);
      const other = await openOther(context);
      const error = await other.evaluate(
        () =>
          new Promise((resolve) => {
            const request = indexedDB.open('filler', 1);
            request.onupgradeneeded = () =>
              request.result.createObjectStore('texts', { autoIncrement: true });
            const fill = (size) => {
              const transaction = request.result.transaction('texts', 'readwrite');
              transaction.objectStore('texts').add('x'.repeat(size));
              transaction.oncomplete = () => fill(size);
              transaction.onabort = () => (size > 1 ? fill(size >> 1) : resolve(transaction.error.name));
            };
            request.onsuccess = () => fill(1 << 16);
          }),
      );
      assert.equal(error, 'QuotaExceededError');
      await press(page, id, YES);
      await assertAgreed([page], id, backend);
      assert.deepEqual(await errorsOf(page), ['storage-full']);
    });
  });

  test(
    'a page of a later version opens it: it is not blocked, and this one says storage-newer',
    limit,
    async () => {
      await withChat(async (page, { id, backend, context }) => {
        await show(page, id);
        const other = await openOther(context);
        const events = await other.evaluate(
          (name) =>
            new Promise((resolve) => {
              const request = indexedDB.open(name, 2);
              const events = [];
              request.onblocked = () => events.push('blocked');
              request.onsuccess = () => resolve(events);
            }),
          NAME,
        );
        assert.deepEqual(events, []);
        await press(page, id, YES);
        await assertAgreed([page], id, backend);
        assert.deepEqual(await errorsOf(page), ['storage-newer']);
      });
    },
  );
});

describe('a database that another page holds', () => {
  test('nothing leaves, it is reported, and a person can send it when it is free', limit, async () => {
    await withChat(async (page, { id, backend, context }) => {
      await show(page, id);
      const other = await openOther(context);
      const renderer = await rendererOf(other);
      await other.evaluate(
        (name) =>
          new Promise((resolve) => {
            indexedDB.open(name).onsuccess = ({ target: { result } }) => {
              const store = result.transaction(['records', 'entries'], 'readwrite').objectStore('records');
              window.isHeld = true;
              const goOn = () => {
                resolve();
                if (window.isHeld) store.get('x').onsuccess = goOn;
              };
              goOn();
            };
          }),
        NAME,
      );
      // Its transaction stays open, and costs nothing.
      process.kill(renderer, 'SIGSTOP');
      await press(page, id, YES);
      await untilIn(page, () => errors.length > 0, 'the report').finally(() =>
        process.kill(renderer, 'SIGCONT'),
      );
      assert.equal(backend.carried, 0);
      await other.evaluate(() => void (window.isHeld = false));
      const send = async () => {
        const type = await page.evaluate(async (id) => {
          const { guard } = chats[id];
          const { type } = await guard.resume();
          return type === 'sent' ? type : (await guard.retry()).type;
        }, id);
        return type === 'sent' || backend.carried > 0;
      };
      await until(send, 'the request');
      await assertAgreed([page], id, backend);
      assert.deepEqual(backend.received, sentOnce);
      const known = ['storage-timeout', 'storage-busy'];
      assert.ok(
        (await errorsOf(page)).every((code) => known.includes(code)),
        `${await errorsOf(page)}`,
      );
    });
  });
});

describe('a database that is deleted under way', sideBySide, () => {
  const ways = {
    'by another page': async (context) => {
      const other = await openOther(context);
      const events = await other.evaluate(
        (name) =>
          new Promise((resolve) => {
            const events = [];
            const request = indexedDB.deleteDatabase(name);
            request.onblocked = () => events.push('blocked');
            request.onsuccess = () => resolve(events);
          }),
        NAME,
      );
      assert.deepEqual(events, [], 'nobody holds it');
    },
    'by the browser': async (context) => {
      const session = await context.newCDPSession(await openOther(context));
      const { origin } = new URL(server.url);
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    },
  };
  for (const [name, clear] of Object.entries(ways)) {
    test(
      `${name}, before anything was answered: it is reported, and what is answered leaves`,
      limit,
      async () => {
        await withChat(async (page, { id, backend, context }) => {
          await show(page, id);
          await clear(context);
          await press(page, id, YES);
          await assertAgreed([page], id, backend);
          assert.deepEqual(new Set(await errorsOf(page)), new Set(['storage-lost']));
        });
      },
    );

    test(`${name}, after one tab has sent: another tab knows it, and sends nothing`, limit, async () => {
      await withChat(async (page, { id, backend, context }) => {
        const other = await openPage(context);
        for (const each of [page, other]) await show(each, id);
        await press(page, id, YES);
        await assertAgreed([page, other], id, backend);
        await clear(context);
        await press(other, id, NO);
        await other.evaluate(async (id) => {
          await chats[id].guard.resume();
          await chats[id].guard.retry();
        }, id);
        await quiet();
        assert.deepEqual(backend.received, sentOnce);
        assert.ok(isDecided((await other.evaluate((id) => look(id), id)).c1));
      });
    });
  }

  test('again and again while two tabs answer: each chat comes to its end', limit, async () => {
    const context = await browser.newContext();
    try {
      const pages = [await openPage(context), await openPage(context)];
      const other = await openOther(context);
      await other.evaluate((name) => {
        const next = () => {
          indexedDB.deleteDatabase(name).onsuccess = () => setTimeout(next, 7);
        };
        next();
      }, NAME);
      for (let round = 0; round < 10; round++) {
        const { id, backend } = await server.chat();
        await Promise.all(pages.map((page) => show(page, id)));
        await Promise.all(pages.map((page) => press(page, id, YES)));
        await until(() => backend.carried > 0, 'a request');
        for (const page of pages) {
          await untilDecided(page, id, ['c1'], 'the end');
        }
        // A tab that has lost the database knows nothing about the other tab, and reports that.
        const codes = new Set((await Promise.all(pages.map(errorsOf))).flat());
        for (const code of codes)
          assert.ok(['storage-lost', 'storage-busy', 'storage-timeout'].includes(code), code);
        if (backend.received['ap-c1'].length > 1) assert.ok(codes.size > 0, 'it was reported');
      }
    } finally {
      await context.close();
    }
  });
});

describe('a page that comes back', () => {
  const shown = async (tab) => {
    await until(() => tab.run('typeof window.ready === "object"').catch(() => false), 'the page');
    await tab.run('window.ready');
  };
  const statuses = (tab) => tab.run('Object.values(calls()).map((c) => c.status + " " + c.decision)');

  test(
    'from the back/forward cache, when another tab has answered: it says so, and sends nothing',
    limit,
    async () => {
      /** Returns why the browser has not kept the page, which it need not do. */
      const play = async (plain) => {
        const { id, backend } = await server.chat();
        const url = `${server.url}?storage=indexeddb&chat=${id}`;
        const tab = await plain.open(`${url}&undo=Infinity`);
        await shown(tab);
        await tab.run(`void addEventListener('pageshow', (e) => (window.back = e.persisted))`);
        await tab.run(`void guard.decideAll(['c1', 'c2'], 'allow-once')`);
        // The browser gives up a page that waits in the cache and holds a transaction for which another page waits.
        await tab.run('record.settled()');
        await tab.send('Page.enable');
        await tab.send('Page.navigate', { url: `${server.url}messages` });
        await until(async () => (await tab.run('location.pathname')) === '/messages', 'the other page');
        // A message on its channel would make Chromium load the page again instead of restoring it.
        const other = await plain.open();
        await other.send('Page.enable');
        const source = 'delete globalThis.BroadcastChannel';
        await other.send('Page.addScriptToEvaluateOnNewDocument', { source });
        await other.send('Page.navigate', { url });
        await shown(other);
        await other.run(`void guard.decideAll(['c1', 'c2'], 'deny')`);
        await until(() => backend.carried === 1, 'the request');
        await tab.activate();
        const reasons = await goBack(tab);
        if (reasons) return reasons;
        await tab.run('void guard.commit()');
        const says = async () =>
          (await statuses(tab)).every((said) => /^(elsewhere|settled) denied$/.test(said));
        await until(says, 'what the other one has sent');
        await quiet();
        assert.deepEqual(backend.received, { 'ap-c1': [false], 'ap-c2': [false] });
        assert.deepEqual(await tab.run('window.errors'), []);
        for (const each of [tab, other]) await each.close();
        return '';
      };
      const plain = await plainBrowser();
      for (let tries = 1, why; (why = await play(plain)); tries++)
        assert.ok(tries < 4, `no page was kept: ${why}`);
    },
  );

  test('after the whole browser was killed while a request was awaited: it is in doubt', limit, async () => {
    const { id, backend } = await server.chat({ holds: true, lags: true });
    const url = `${server.url}?storage=indexeddb&chat=${id}`;
    const plain = await plainBrowser();
    const tab = await plain.open(url);
    await shown(tab);
    await tab.run(`void guard.decideAll(['c1', 'c2'], 'allow-once')`);
    await until(() => backend.carried === 1, 'the request');
    await plain.restart();
    backend.release();
    const next = await plain.open(url);
    await shown(next);
    const isInDoubt = async () => (await statuses(next)).every((said) => said === 'in-doubt allowed');
    await until(isInDoubt, 'the doubt');
    await next.run('guard.resume().then(() => {})');
    assert.equal(backend.carried, 1);
    await next.run('guard.retry().then(() => {})');
    await until(() => backend.carried === 2, 'the request of a person');
    await next.close();
  });
});
