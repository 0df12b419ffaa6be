// Tabs of one chat, one of which is closed, killed, frozen or dropped while it answers. Nothing that may have
// been sent is repeated without a person, and the chat can be finished in another tab. The tests count what
// the server has received.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import {
  assertAgreed,
  assertReceivedOnce,
  assertReceivedSafely,
  isDecided,
  lookIn,
  NO,
  untilDecided,
  YES,
} from './chat-noise.mjs';
import {
  crash,
  quiet,
  rendererOf,
  server,
  startServerAndBrowser,
  STORAGE,
  until,
  untilIn,
  withTabs,
} from './chat-stage.mjs';
import { byBreadth } from '../support/breadth.mjs';
import { seeded } from '../package/support/seeded.mjs';

startServerAndBrowser();

const limit = { timeout: 240_000 };
const sideBySide = { concurrency: 3 };
/** Much longer than it takes the other tabs to give a tab up, also on a busy machine. */
const PATIENCE = 40_000;

/** A page that shows no chat yet. */
const openPage = async ({ open }, options) => {
  const page = await open();
  await become(page, options);
  return page;
};
const become = (page, options) =>
  page.evaluate((options) => become(options), { storage: STORAGE, ...options });
const show = (page, id) => page.evaluate((id) => show(id), id);
const press = (page, id, answer) => page.evaluate(({ id, answer }) => press(id, answer), { id, answer });
/** The result of `resume()`, `retry()` or `commit()`, or the code of its error, within a limited time. */
const act = (page, id, name) =>
  page.evaluate(
    async ({ id, name, patience }) => {
      const late = new Promise((resolve) => setTimeout(resolve, patience, { type: 'late' }));
      const result = Promise.resolve(chats[id].guard[name]()).catch(({ code }) => ({ type: code }));
      const { type } = await Promise.race([result, late]);
      if (type === 'late') throw new Error(`${name}() of ${id} did not come`);
      return type;
    },
    { id, name, patience: PATIENCE },
  );
const statusIn = async (page, id) => (await page.evaluate((id) => look(id), id)).c1.status;
const untilStatus = (page, id, statuses, what = `${statuses}`) =>
  untilIn(
    page,
    ({ id, statuses }) => statuses.includes(look(id).c1.status),
    what,
    { id, statuses },
    PATIENCE,
  );

/**
 * A person finishes a chat in this page: answers the calls that ask, sends answers that were never sent, and,
 * if nothing else is left, sends answers again that may have been sent.
 */
async function finish(page, id, backend) {
  const isDone = async () => {
    const calls = Object.entries(await page.evaluate((id) => look(id), id));
    if (calls.every(([, { status }]) => status === 'settled')) return true;
    const asking = calls.filter(([, { status }]) => status === 'asking').map(([call]) => [call, 'deny']);
    if (asking.length > 0) await press(page, id, Object.fromEntries(asking));
    // Drafts of the tab that is gone are drafts here.
    if (calls.some(([, { status }]) => status === 'drafted')) await act(page, id, 'commit');
    if ((await act(page, id, 'resume')) === 'sent') return false;
    assertReceivedSafely(backend);
    const reason = await page.evaluate((id) => chats[id].guard.explain().reason, id);
    if (reason === 'in-doubt' || reason === 'failed') {
      const before = structuredClone(backend.answers);
      const type = await act(page, id, 'retry');
      if (type === 'sent') {
        await untilStatus(page, id, ['settled'], 'the end');
        for (const [approval, answers] of Object.entries(backend.received)) {
          assert.deepEqual(new Set(answers), new Set([before[approval] ?? answers[0]]), approval);
          assert.ok(answers.length <= 2, 'a person has sent it once more');
        }
        return true;
      }
    }
    await delay(50);
    return calls.every(([, call]) => isDecided(call) && call.status !== 'in-doubt') && backend.carried > 0;
  };
  await until(isDone, 'the end', PATIENCE).catch(async (error) => {
    const seen = await page.evaluate((id) => [look(id), chats[id].guard.explain().reason, errors], id);
    throw new Error(`${error.message}: ${JSON.stringify({ seen, received: backend.received })}`);
  });
}

describe('a tab is gone while its request with a yes is awaited', sideBySide, () => {
  const ways = {
    closed: (page) => page.close(),
    crashed: crash,
    reloaded: async (page) => {
      await page.reload();
      await become(page);
    },
  };
  for (const [name, leave] of Object.entries(ways)) {
    test(
      `${name}: it is in doubt, resume() sends nothing, and one retry() sends it again`,
      limit,
      async () => {
        await withTabs(async (tabs) => {
          const { id, backend } = await server.chat({ holds: true, lags: true });
          const [page, other] = [await openPage(tabs), await openPage(tabs)];
          await show(page, id);
          await show(other, id);
          await press(page, id, YES);
          await until(() => backend.carried === 1, 'the request');
          await leave(page);
          backend.release();
          const next = page.isClosed() ? await openPage(tabs) : page;
          await show(next, id);
          for (const each of [next, other]) assert.notEqual(await act(each, id, 'resume'), 'sent');
          await untilStatus(next, id, ['in-doubt']);
          await untilStatus(other, id, ['in-doubt']);
          for (const each of [next, other]) assert.notEqual(await act(each, id, 'resume'), 'sent');
          await quiet();
          assert.deepEqual(backend.received, { 'ap-c1': [true], 'ap-c2': [true] });
          // A person who knows that the tab is gone can send it again, in any tab.
          const [first, second] = name === 'closed' ? [other, next] : [next, other];
          assert.equal(await act(first, id, 'retry'), 'sent');
          await until(() => backend.carried === 2, 'the second request');
          assert.notEqual(await act(second, id, 'retry'), 'sent');
          await untilStatus(first, id, ['settled']);
          assert.notEqual(await act(second, id, 'resume'), 'sent');
          await quiet();
          assert.deepEqual(backend.received, { 'ap-c1': [true, true], 'ap-c2': [true, true] });
        });
      },
    );
  }
});

describe('a guard that nobody holds, and that was not disposed of', sideBySide, () => {
  /** Drops the guard, like a component that is gone. The application keeps the record. */
  const drop = async (page, id) => {
    await page.evaluate((id) => {
      window.dropped = new WeakRef(chats[id].guard);
      window.kept = chats[id].record;
      chats[id].detach();
      delete chats[id];
    }, id);
    await until(async () => {
      await page.requestGC();
      return page.evaluate(() => window.dropped.deref() === undefined);
    }, 'nobody holds it');
  };

  for (const where of ['the same page', 'another tab']) {
    test(`its answer could not be sent: ${where} goes on`, limit, async () => {
      await withTabs(async (tabs) => {
        const { id, backend } = await server.chat();
        const page = await openPage(tabs);
        await show(page, id);
        await page.evaluate(() => {
          window.away = window.fetch;
          window.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
        });
        await press(page, id, YES);
        await untilStatus(page, id, ['in-doubt', 'failed', 'answered']);
        await page.evaluate(() => void (window.fetch = window.away));
        await drop(page, id);
        const next = where === 'another tab' ? await openPage(tabs) : page;
        await show(next, id);
        await finish(next, id, backend);
        assert.deepEqual(backend.received, { 'ap-c1': [true], 'ap-c2': [true] });
      });
    });

    test(`its answer is a draft: ${where} goes on`, limit, async () => {
      await withTabs(async (tabs) => {
        const { id, backend } = await server.chat();
        const page = await openPage(tabs, { undo: 'Infinity' });
        await show(page, id);
        await press(page, id, YES);
        await drop(page, id);
        const next = where === 'another tab' ? await openPage(tabs) : page;
        await show(next, id);
        await press(next, id, NO);
        await act(next, id, 'commit');
        await assertAgreed([next], id, backend);
        assert.deepEqual(backend.received, { 'ap-c1': [false], 'ap-c2': [false] });
      });
    });
  }

  test('its record is free for another chat', limit, async () => {
    await withTabs(async (tabs) => {
      const [one, other] = [await server.chat(), await server.chat()];
      const page = await openPage(tabs);
      await show(page, one.id);
      await drop(page, one.id);
      await page.evaluate((id) => show(id, window.kept), other.id);
      await press(page, other.id, YES);
      await assertAgreed([page], other.id, other.backend);
      assert.deepEqual(await page.evaluate(() => errors), []);
    });
  });
});

describe('a tab that freezes while it says no', () => {
  const ways = {
    frozen: async (page) => {
      const session = await page.context().newCDPSession(page);
      const set = (state) => session.send('Page.setWebLifecycleState', { state });
      return { freeze: () => set('frozen'), thaw: () => set('active') };
    },
    stopped: async (page) => {
      const id = await rendererOf(page);
      const send = (signal) => void process.kill(id, signal);
      return { freeze: () => send('SIGSTOP'), thaw: () => send('SIGCONT') };
    },
  };
  const COUNT = 8;
  for (const [name, way] of Object.entries(ways)) {
    test(
      `${name} at each moment of it: another tab that says yes comes to an end, and when it is back, too`,
      limit,
      async () => {
        await withTabs(async (tabs) => {
          const [page, other] = [await openPage(tabs), await openPage(tabs)];
          const { freeze, thaw } = await way(page);
          const all = [];
          while (all.length < COUNT) all.push(await server.chat({ wait: 20 }));
          for (const { id } of all) await Promise.all([show(page, id), show(other, id)]);
          const ids = all.map(({ id }) => id);
          const time = Date.now() + 80;
          // At intervals, so that each one is at a different point when the page is frozen.
          await page.evaluate(
            ({ ids, time, answer }) => {
              ids.forEach((id, i) => void meet(time + 5 * i, () => press(id, answer)));
            },
            { ids, time, answer: NO },
          );
          await delay(time + (5 * COUNT) / 2 - Date.now());
          await freeze();
          try {
            await delay(60);
            for (const id of ids) await press(other, id, YES);
            // A page that is stopped inside its transaction blocks all others, but they wait only for a
            // limited time.
            await Promise.all(ids.map((id) => act(other, id, 'resume')));
            if (name === 'frozen')
              await Promise.all(all.map(({ id, backend }) => finish(other, id, backend)));
          } finally {
            await thaw();
          }
          // A person sends there what the page could not send while it was stopped.
          await Promise.all(all.map(({ id, backend }) => finish(page, id, backend)));
          await Promise.all(all.map(({ id, backend }) => finish(other, id, backend)));
          const untilUnderstood = ({ id, backend }) =>
            untilDecided(page, id, backend.ids, 'the first tab has understood', PATIENCE);
          await Promise.all(all.map(untilUnderstood));
          await quiet();
          for (const { id, backend } of all) {
            const [calls] = await lookIn([page], id);
            for (const call of backend.ids) {
              const answers = backend.received[`ap-${call}`];
              assert.equal(new Set(answers).size, 1, `${id} ${call} left as ${answers}`);
              if (answers[0]) assert.equal(answers.length, 1, 'a yes left twice');
              assert.equal(calls[call].decision, answers[0] ? 'allowed' : 'denied');
            }
          }
          await page.close();
        });
      },
    );
  }
});

const KILLS = byBreadth({ commit: 10, all: 50, soak: 100 });
/** The number of chats that one page shows at the same time, and the number of victims for each survivor. */
const CHATS = 2;
const VICTIMS = 5;

describe(`renderers that are killed, ${KILLS} at random moments`, () => {
  const pick = (random, list) => list[Math.floor(random() * list.length)];
  const someAnswer = (random) => ({
    c1: pick(random, ['allow-once', 'deny']),
    c2: pick(random, ['allow-once', 'deny']),
  });

  /**
   * A tab answers chats that the survivor shows too, and is killed; `holds`: while all of their requests are awaited.
   */
  async function kill(random, tabs, survivor, seen, holds) {
    const victim = await openPage(tabs);
    const all = [];
    while (all.length < CHATS) {
      all.push(await server.chat({ wait: Math.floor(random() * 60), lags: random() < 0.5, holds }));
    }
    for (const { id } of all) await Promise.all([show(victim, id), show(survivor, id)]);
    const time = Date.now() + 40;
    for (const { id } of all) {
      const offset = random() * 30;
      // What is awaited has a yes, which only a person may send again.
      const answer = { ...someAnswer(random), ...(holds && { c1: 'allow-once' }) };
      void victim.evaluate(pressAt, { id, time: time + offset, answer }).catch(() => {});
      if (!holds && random() < 0.5) {
        const at = time + offset + random() * 80 - 40;
        void survivor.evaluate(pressAt, { id, time: at, answer: someAnswer(random) });
      }
    }
    await delay(time - Date.now() + random() * 110);
    if (holds) await until(() => all.every(({ backend }) => backend.carried > 0), 'the requests');
    await crash(victim);
    for (const { backend } of all) backend.release();
    seen.killed += 1;
    seen.sent += all.filter(({ backend }) => backend.carried > 0).length;
    return all;
  }
  const pressAt = ({ id, time, answer }) => meet(time, () => press(id, answer));

  test(
    'no yes leaves twice, none beside a no, and the other tab brings each chat to its end',
    { timeout: 400_000 },
    async (t) => {
      const seen = { killed: 0, sent: 0, again: 0 };
      const batches = Array.from({ length: KILLS / VICTIMS }, (_, i) => i);
      const lane = async () => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
          const random = seeded(batch);
          await withTabs(async (tabs) => {
            const survivor = await openPage(tabs);
            const awaited = await kill(random, tabs, survivor, seen, true);
            const all = [...awaited];
            for (let i = 1; i < VICTIMS; i++) all.push(...(await kill(random, tabs, survivor, seen, false)));
            await quiet();
            for (const { backend } of all) assertReceivedOnce(backend);
            await Promise.all(awaited.map(({ id }) => untilStatus(survivor, id, ['in-doubt'])));
            await Promise.all(all.map(({ id, backend }) => finish(survivor, id, backend)));
            await quiet();
            for (const { backend } of all) {
              seen.again += Object.values(backend.received).some(({ length }) => length > 1) ? 1 : 0;
              for (const call of backend.ids) {
                const answers = backend.received[`ap-${call}`];
                assert.equal(new Set(answers).size, 1, `${call} left as ${answers}`);
              }
            }
            assert.deepEqual(await survivor.evaluate(() => errors), []);
          });
        }
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
      t.diagnostic(JSON.stringify(seen));
      assert.ok(seen.sent > KILLS / 4, 'requests had left');
      assert.ok(seen.again >= (CHATS * KILLS) / VICTIMS, 'what was awaited was sent again');
    },
  );
});
