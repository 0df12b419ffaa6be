// The tabs of one chat, as real pages of a real browser: the lock, who lives, and what they tell each other.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { launchChromium } from '../support/chromium.mjs';
import { openPlainBrowser } from '../support/plain-browser.mjs';
import { serveTabs } from './tab-stage.mjs';

/** @type {Awaited<ReturnType<typeof serveTabs>>} */
let server;
/** @type {Awaited<ReturnType<typeof launchChromium>>} */
let browser;
before(async () => {
  [server, browser] = await Promise.all([serveTabs(), launchChromium()]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** What hangs has failed. */
const limit = { timeout: 120_000 };

/** Plays with `count` pages of one profile, each with the session `s0`, `s1`, … */
async function withPages(count, play, search = '') {
  const context = await browser.newContext();
  const errors = [];
  try {
    const pages = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const page = await context.newPage();
        page.on('pageerror', (error) => errors.push(String(error)));
        await page.goto(server.url + search);
        await page.evaluate((i) => open(`s${i}`).ready, i);
        return page;
      }),
    );
    await play(pages, context);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

/** Waits until `done()` holds, and says how long it took. */
async function until(done, what, patience = 10_000) {
  const start = performance.now();
  while (!(await done())) {
    if (performance.now() - start > patience) throw new Error(`it did not come: ${what}`);
    await delay(5);
  }
  return performance.now() - start;
}

const everywhere = (pages, work, argument) => Promise.all(pages.map((page) => page.evaluate(work, argument)));

/** In a page: rounds that add one to a counter which all pages share, and say how many pages were inside at once. */
const rounds = async ({ count, locked }) => {
  let most = 0;
  const round = async () => {
    most = Math.max(most, Number(await (await fetch('/enter')).text()));
    const n = Number(localStorage.getItem('n'));
    await later(0);
    localStorage.setItem('n', String(n + 1));
    await fetch('/leave');
  };
  for (let i = 0; i < count; i++) await (locked ? tabs.locked(round) : round());
  return most;
};

describe('the lock of a chat', limit, () => {
  for (const pages of [2, 5]) {
    const count = 200 / pages;
    test(`${pages} pages, 200 contended rounds: never two at once, and no count is lost`, async () => {
      await withPages(pages, async (all) => {
        const most = await everywhere(all, rounds, { count, locked: true });
        assert.deepEqual(new Set(most), new Set([1]));
        await until(() => all[0].evaluate(() => localStorage.getItem('n') === '200'), 'the count');
      });
    });

    test(`${pages} pages without the lock: the same rounds meet, and lose counts`, async () => {
      await withPages(pages, async (all) => {
        const most = await everywhere(all, rounds, { count, locked: false });
        await delay(300);
        assert.ok(Math.max(...most) > 1, 'they met');
        assert.ok(Number(await all[0].evaluate(() => localStorage.getItem('n'))) < 200);
      });
    });
  }

  test('calls of one page, and of two guards in it, run one after the other', async () => {
    for (const search of ['', '?without=locks']) {
      await withPages(
        1,
        async ([page]) => {
          const log = await page.evaluate(async () => {
            const first = tabs;
            const second = open('second');
            const work = (name) => async () => {
              log.push(`${name} begins`);
              await later(5);
              log.push(`${name} ends`);
            };
            await Promise.all([first.locked(work('a')), second.locked(work('b')), first.locked(work('c'))]);
            return log;
          });
          assert.deepEqual(
            log,
            ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
          );
        },
        search,
      );
    }
  });

  test('what the work gives or throws is passed on, and the lock is given back', async () => {
    await withPages(2, async ([one, two]) => {
      const results = await one.evaluate(async () => [
        await tabs.locked(() => 7),
        await tabs.locked(async () => 'later'),
        await tabs
          .locked(() => {
            throw new Error('thrown');
          })
          .catch(errorOf),
        await tabs.locked(() => Promise.reject(new Error('rejected'))).catch(errorOf),
        await tabs
          .locked(() => ({
            then: () => {
              throw new Error('then');
            },
          }))
          .catch(errorOf),
      ]);
      assert.deepEqual(results, [7, 'later', 'thrown', 'rejected', 'then']);
      assert.equal(await two.evaluate(() => tabs.locked(() => 'next')), 'next');
    });
  });

  test('chats do not wait for each other', async () => {
    await withPages(2, async ([one, two]) => {
      await one.evaluate(() => void tabs.locked(() => new Promise(() => {})));
      assert.equal(
        await two.evaluate(() => open('x', { prefix: 'p:1:chat2:' }).locked(() => 'other')),
        'other',
      );
    });
  });

  test('work that does not end loses the lock after its time, and is told', async () => {
    await withPages(2, async ([one, two]) => {
      const lost = one.evaluate(async () => {
        open('bounded', { bound: 300 });
        let held;
        const code = await tabs.locked((signal) => ((held = signal), new Promise(() => {}))).catch(errorOf);
        return { code, aborted: held.aborted, reason: held.reason.code };
      });
      await delay(50);
      assert.equal(await two.evaluate(() => tabs.locked(() => 'next')), 'next');
      assert.deepEqual(await lost, { code: 'lock-expired', aborted: true, reason: 'lock-expired' });
    });
  });

  test('a lock that another script steals is lost at once', async () => {
    await withPages(1, async ([page]) => {
      const lost = await page.evaluate(async () => {
        let held;
        const result = tabs.locked((signal) => ((held = signal), new Promise(() => {}))).catch(errorOf);
        await later(20);
        void navigator.locks.request(`${PREFIX}lock`, { steal: true }, () => {});
        return { code: await result, aborted: held.aborted, then: await tabs.locked(() => 'next') };
      });
      assert.deepEqual(lost, { code: 'lock-lost', aborted: true, then: 'next' });
    });
  });

  test('after close who waits is refused, what runs keeps the lock, and nothing is held', async () => {
    await withPages(2, async ([one, two]) => {
      const closed = await one.evaluate(async () => {
        let end;
        const runs = tabs.locked(() => new Promise((resolve) => (end = resolve)));
        const waits = tabs.locked(() => 'never').catch(errorOf);
        await later(20);
        tabs.close();
        tabs.close();
        await later(20);
        const held = (await navigator.locks.query()).held.map(({ name }) => name);
        end('done');
        return {
          held,
          runs: await runs,
          waits: await waits,
          late: await tabs.locked(() => 0).catch(errorOf),
        };
      });
      assert.deepEqual(closed.held.sort(), ['p:1:chat:live:s1:0', 'p:1:chat:lock']);
      assert.deepEqual(closed, { ...closed, runs: 'done', waits: 'tabs-closed', late: 'tabs-closed' });
      assert.deepEqual(await two.evaluate(() => living()), ['s1']);
      const names = await two.evaluate(async () =>
        (await navigator.locks.query()).held.map(({ name }) => name),
      );
      assert.deepEqual(names, ['p:1:chat:live:s1:0']);
      // A page that waits for another one is refused at once.
      const waiting = await two.evaluate(async () => {
        void navigator.locks.request(`${PREFIX}lock`, () => new Promise(() => {}));
        const waits = tabs.locked(() => 'never').catch(errorOf);
        await later(20);
        tabs.close();
        return waits;
      });
      assert.equal(waiting, 'tabs-closed');
    });
  });

  for (const [how, kill] of [
    ['is closed', (page) => page.close()],
    [
      'crashes',
      async (page, context) => {
        const session = await context.newCDPSession(page);
        const crashed = page.waitForEvent('crash');
        // It never answers.
        void session.send('Page.crash').catch(() => {});
        await crashed;
      },
    ],
  ]) {
    test(`the page that holds the lock ${how}: another one gets it within a second, and it lives no more`, async (t) => {
      await withPages(3, async ([owner, two, three], context) => {
        await owner.evaluate(() => void tabs.locked(() => new Promise(() => {})));
        const names = ['s0', 's1', 's2'];
        for (const page of [owner, two, three]) assert.deepEqual(await page.evaluate(() => living()), names);
        const times = [two, three].map((page) =>
          page.evaluate(() => tabs.locked(() => performance.timeOrigin + performance.now())),
        );
        assert.equal(await Promise.race([...times, delay(200, 'nobody')]), 'nobody');
        const killed = performance.timeOrigin + performance.now();
        await kill(owner, context);
        const waited = (await Promise.all(times)).map((time) => Math.round(time - killed));
        t.diagnostic(`after ${waited.join(' and ')} ms`);
        assert.ok(Math.max(...waited) < 1000, `${waited}`);
        await until(
          async () => (await two.evaluate(() => living())).length === 2,
          'the end of the session',
          1000,
        );
        for (const page of [two, three]) assert.deepEqual(await page.evaluate(() => living()), ['s1', 's2']);
      });
    });
  }
});

describe('marks', limit, () => {
  test('who has the lock reads what was written under it, although localStorage is late', async (t) => {
    await withPages(5, async (all) => {
      const waits = await everywhere(all, async () => {
        const key = (session) => `document of ${session}`;
        const markOf = (session) => Number(localStorage.getItem(key(session)));
        let waits = 0;
        for (let i = 0; i < 40; i++) {
          await tabs.locked(async () => {
            const sessions = ['s0', 's1', 's2', 's3', 's4'];
            const early = Math.max(...sessions.map(markOf));
            if (!(await tabs.caughtUp(markOf))) throw new Error('not caught up');
            const newest = Math.max(...sessions.map(markOf));
            if (newest > early) waits += 1;
            const own = [...(await tabs.living())].find(([id]) => id === window.own)?.[0];
            localStorage.setItem(key(own), String(newest + 1));
            await tabs.mark(newest + 1);
          });
        }
        return waits;
      });
      t.diagnostic(`waited in ${waits.reduce((a, b) => a + b)} of 200 rounds`);
      const marks = await all[0].evaluate(async () => Math.max(...(await tabs.living()).values()));
      assert.equal(marks, 200);
      const held = await all[0].evaluate(async () => (await navigator.locks.query()).held.length);
      assert.equal(held, 5, 'one lock for each session');
    });
  });

  test('a forged mark, or one that never comes, costs the patience and nothing else', async () => {
    await withPages(2, async ([one, two]) => {
      await two.evaluate(() => {
        void navigator.locks.request(`${PREFIX}live:forged:999`, () => new Promise(() => {}));
        void navigator.locks.request(`${PREFIX}live:nonsense:x:y`, () => new Promise(() => {}));
      });
      const { caughtUp, time, ids } = await one.evaluate(async () => {
        const start = performance.now();
        const caughtUp = await tabs.caughtUp(() => 0, 100);
        return { caughtUp, time: performance.now() - start, ids: [...(await tabs.living())].sort() };
      });
      assert.equal(caughtUp, false);
      assert.ok(time >= 100 && time < 1000, `${time}`);
      assert.deepEqual(ids, [
        ['forged', 999],
        ['nonsense', 0],
        ['s0', 0],
        ['s1', 0],
      ]);
    });
  });
});

describe('the channel', limit, () => {
  test('says that something changed, at once', async () => {
    await withPages(2, async ([one, two]) => {
      await one.evaluate(() => tabs.changed());
      await until(() => two.evaluate(() => changes.length === 1), 'the call');
      assert.equal(await two.evaluate(() => changes[0].away), false);
      assert.equal(await one.evaluate(() => changes.length), 0, 'not to oneself');
    });
  });

  test('a flood of 10,000 messages leads to few calls, and the last one is not lost', async (t) => {
    await withPages(2, async ([one, two]) => {
      await two.evaluate(() => {
        const channel = new BroadcastChannel(`${PREFIX}tabs`);
        window.got = 0;
        channel.onmessage = () => {
          window.got += 1;
          window.lastMessage = performance.now();
        };
      });
      await one.evaluate(() => {
        for (let i = 0; i < 10_000; i++) tabs.changed();
      });
      await until(() => two.evaluate(() => window.got === 10_000), 'all messages', 30_000);
      await delay(200);
      const { calls, gaps, last, lastMessage } = await two.evaluate(() => ({
        calls: changes.length,
        gaps: changes.slice(1).map(({ at }, i) => at - changes[i].at),
        last: changes.at(-1).at,
        lastMessage: window.lastMessage,
      }));
      t.diagnostic(`${calls} calls`);
      assert.ok(calls >= 2 && calls <= 200, `${calls} calls`);
      assert.ok(
        gaps.every((gap) => gap >= 49),
        `${gaps}`,
      );
      assert.ok(last >= lastMessage - 1, 'a call after the last message');
    });
  });

  test('other words do nothing', async () => {
    await withPages(2, async ([one, two]) => {
      await one.evaluate(() => {
        const channel = new BroadcastChannel(`${PREFIX}tabs`);
        const words = [
          '',
          'Changed',
          'changed ',
          'allow',
          7,
          null,
          undefined,
          true,
          NaN,
          10n,
          [],
          ['changed'],
        ];
        const others = [
          { data: 'changed' },
          { toString: 'changed' },
          new Map(),
          new Date(),
          new Error('changed'),
        ];
        for (const word of [...words, ...others, new ArrayBuffer(8), new Blob(['changed'])])
          channel.postMessage(word);
        new BroadcastChannel('p:1:chat2:tabs').postMessage('changed');
      });
      await delay(200);
      assert.equal(await two.evaluate(() => changes.length), 0);
    });
  });

  test('after close nobody is called', async () => {
    await withPages(2, async ([one, two]) => {
      await one.evaluate(() => {
        tabs.changed();
        tabs.changed();
      });
      await until(() => two.evaluate(() => changes.length > 0), 'the first call');
      const before = await two.evaluate(() => {
        tabs.close();
        return changes.length;
      });
      await one.evaluate(() => tabs.changed());
      await two.evaluate(() => tabs.changed());
      await delay(200);
      assert.equal(await two.evaluate(() => changes.length), before);
    });
  });
});

describe('a browser that lacks something', limit, () => {
  test('without a channel the rest works', async () => {
    await withPages(
      2,
      async ([one, two]) => {
        await one.evaluate(() => tabs.changed());
        assert.equal(await two.evaluate(() => tabs.locked(() => 'held')), 'held');
        assert.deepEqual(await two.evaluate(() => living()), ['s0', 's1']);
      },
      '?without=BroadcastChannel',
    );
  });

  test('in a frame without an origin nobody knows who lives, and the seen page runs', async () => {
    await withPages(1, async ([page]) => {
      await page.evaluate(async () => {
        const frame = document.createElement('iframe');
        frame.sandbox.add('allow-scripts');
        frame.src = location.href;
        document.body.append(frame);
        await new Promise((resolve) => (frame.onload = resolve));
      });
      const frame = page.frames()[1];
      const result = await frame.evaluate(async () => {
        // At once: the lock is refused while it is asked for.
        open('framed');
        tabs.changed();
        return [await tabs.locked(() => 'runs'), await tabs.locked(() => 'again'), await living()];
      });
      assert.deepEqual(result, ['runs', 'again', undefined]);
    });
  });

  test('where there is no document it runs at once, one after the other, and nothing is opened', async (t) => {
    const outfile = fileURLToPath(new URL('../../target/record/tabs.mjs', import.meta.url));
    await build({
      entryPoints: [fileURLToPath(new URL('../../pkg-template/src/record/tabs.ts', import.meta.url))],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      outfile,
    });
    const { Tabs } = await import(pathToFileURL(outfile).href);
    const asked = [];
    const { BroadcastChannel } = globalThis;
    t.after(() => Object.assign(globalThis, { BroadcastChannel }));
    globalThis.BroadcastChannel = class {
      constructor(name) {
        asked.push(name);
      }
    };
    const tabs = new Tabs({ prefix: 'p:1:chat:', session: 's', onChange: () => assert.fail() });
    await tabs.ready;
    const log = [];
    await Promise.all([1, 2].map((n) => tabs.locked(async () => (log.push(n), await delay(5), log.push(n)))));
    assert.deepEqual(log, [1, 1, 2, 2]);
    assert.equal(await tabs.living(), undefined);
    assert.equal(await tabs.caughtUp(() => 0), true);
    await tabs.mark(1);
    tabs.changed();
    assert.deepEqual(asked, [], 'on a server it would live as long as the process');
  });
});

describe('tabs that hide each other', limit, () => {
  /** @type {Awaited<ReturnType<typeof openPlainBrowser>>} */
  let plain;
  /** @type {{ close(): Promise<unknown> }[]} */
  const opened = [];
  before(async () => {
    plain = await openPlainBrowser();
  });
  afterEach(async () => {
    for (const tab of opened.splice(0)) await tab.close();
  });
  after(() => plain?.close());

  /** A tab in front of the others, with the page and its session. */
  async function openTab(session, search = '') {
    const tab = await plain.open(server.url + search);
    opened.push(tab);
    await until(
      () => tab.run('document.readyState === "complete" && typeof living === "function"'),
      'the page',
    );
    await tab.run(`open('${session}').ready`);
    return tab;
  }
  const state = (tab) => tab.run('document.visibilityState');
  /** While a tab goes from one page to another, it may never answer. */
  const holds = (tab, expression) =>
    Promise.race([tab.run(`Boolean(${expression})`).catch(() => false), delay(300, false)]);

  test('without Web Locks only the tab that is seen runs, and the other one when it is', async () => {
    const one = await openTab('a', '?without=locks');
    const two = await openTab('b', '?without=locks');
    await until(async () => (await state(one)) === 'hidden', 'the first tab hidden');
    const ask = `void tabs.locked(() => log.push(document.visibilityState))`;
    await one.run(ask);
    await two.run(ask);
    await until(() => two.run('log.length === 1'), 'the work of the seen tab');
    await delay(200);
    assert.deepEqual(await one.run('log'), []);
    assert.equal(await one.run('living()'), undefined);
    await one.activate();
    await until(() => one.run('log.length === 1'), 'the work of the other tab');
    await two.run(ask);
    await delay(200);
    assert.deepEqual(await one.run('log'), ['visible']);
    assert.deepEqual(await two.run('log'), ['visible']);
    assert.ok((await one.run('changes.length')) >= 1, 'it looks again when it is seen');
    // One that waits is refused when it is closed.
    assert.equal(
      await two.run(`(async () => {
      const waits = tabs.locked(() => 0).catch(errorOf);
      await later(0);
      tabs.close();
      return waits;
    })()`),
      'tabs-closed',
    );
  });

  test('with Web Locks a hidden tab runs', async () => {
    const one = await openTab('a');
    await openTab('b');
    await until(async () => (await state(one)) === 'hidden', 'the first tab hidden');
    assert.equal(await one.run(`tabs.locked(() => 'hidden')`), 'hidden');
  });

  test('in the back/forward cache a page holds nothing; when it is back, it lives, looks again and is told', async () => {
    const one = await openTab('a');
    const two = await openTab('b');
    await two.run(`void (async () => {
      let held;
      const result = await tabs.locked((signal) => ((held = signal), new Promise(() => {}))).catch(errorOf);
      log.push(result, held.aborted);
    })()`);
    assert.deepEqual(await one.run('living()'), ['a', 'b']);
    await two.run('window.addEventListener("pageshow", (event) => log.push(`persisted ${event.persisted}`))');
    await one.run(`void tabs.locked(() => log.push('got it'))`);
    await two.send('Page.navigate', { url: `${server.url}?without=locks` });
    await until(() => one.run('log.length === 1'), 'the lock', 1000);
    assert.deepEqual(await one.run('living()'), ['a']);
    await one.run('tabs.changed()');
    await until(() => holds(two, 'location.search && document.readyState === "complete"'), 'the other page');
    void two.run('history.back()');
    await until(() => holds(two, '!location.search && log.length === 3'), 'the way back');
    const log = await two.run('log');
    assert.deepEqual(log.sort(), ['lock-lost', 'persisted true', true].sort());
    await until(() => one.run('living().then((ids) => ids.length === 2)'), 'the session again');
    await until(() => two.run('changes.some(({ away }) => away)'), 'the call that says so');
    await one.run('tabs.changed()');
    const before = await two.run('changes.length');
    await until(() => two.run(`changes.length > ${before - 1}`), 'the channel again');
    assert.equal(await two.run(`tabs.locked(() => 'works')`), 'works');
  });
});
