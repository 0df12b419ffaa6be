// One chat in several real pages, each with its own guard, and all with one backend. A call that is answered
// in one of them is answered in all, and its answer is sent once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { byBreadth } from '../support/breadth.mjs';
import {
  crash,
  dump,
  enterChat,
  plainBrowser,
  quiet,
  server,
  startServerAndBrowser,
  until,
  untilIn,
  withTabs,
} from './chat-stage.mjs';
import { seeded } from '../package/support/seeded.mjs';

const random = seeded();

/** How often tabs meet in one test: each of 20 tabs once, or of 8. */
const ROUNDS = byBreadth({ commit: 10, all: 20 });

startServerAndBrowser();

/** A test that hangs fails. */
const limit = { timeout: 240_000 };
const sideBySide = { ...limit, concurrency: 3 };

/**
 * Plays with `count` pages of one profile that show the same chat. Each round has a new chat, which is shown in the same
 * tabs.
 */
const withPages = (count, play, { how = {}, undo = '0', rounds = 1 } = {}) =>
  withTabs(async ({ context, open: openTab }) => {
    const pages = [];
    for (let round = 0; round < rounds; round++) {
      const { id, backend } = await server.chat(how);
      const open = async () => {
        const page = await openTab();
        await enterChat(page, id, { undo });
        return page;
      };
      await Promise.all(pages.map((page) => enterChat(page, id, { undo })));
      while (pages.length < count) pages.push(await open());
      await play(pages, backend, { open, context, id, round });
      for (const page of pages.filter((page) => !page.isClosed())) {
        assert.deepEqual(await page.evaluate(() => errors), []);
      }
    }
  });

const everywhere = (pages, work, argument) => Promise.all(pages.map((page) => page.evaluate(work, argument)));

/** Runs the same work in all pages, in the same millisecond. */
const atOnce = (pages, work) => {
  const time = Date.now() + 60;
  return Promise.all(pages.map((page, i) => page.evaluate(`meet(${time}, () => (${work})(${i}))`)));
};

const bothAllowed = () => guard.decideAll(['c1', 'c2'], 'allow-once').map(({ type }) => type);
/** Runs in a page: whether another tab has answered all of its calls. */
const isElsewhere = () =>
  Object.values(calls()).every(
    ({ status, outcome }) =>
      (status === 'elsewhere' || status === 'settled') && outcome.endsWith('in another tab'),
  );
const untilElsewhere = (page) => untilIn(page, isElsewhere, 'the word of the other tab');
const untilDecisions = (page, decisions, what) =>
  untilIn(
    page,
    (decisions) =>
      Object.values(calls())
        .map((c) => c.decision)
        .join() === decisions,
    what,
    decisions,
  );

/** Asserts that each answer was sent once, and each allowed call ran once. */
function assertOnce(backend) {
  assert.equal(backend.carried, 1, 'one request carries the answers');
  for (const id of backend.ids) {
    assert.equal(backend.sends[`ap-${id}`], 1, `the answer of ${id} left once`);
    const runs = backend.answers[`ap-${id}`] ? 1 : undefined;
    assert.equal(backend.runs[id], runs, `runs of ${id}`);
  }
}

/** Waits until each page knows that nothing is open. */
const untilClosed = (pages) => {
  const isClosed = () =>
    Object.values(calls()).every(({ status }) => status === 'elsewhere' || status === 'settled');
  return Promise.all(pages.map((page) => untilIn(page, isClosed, 'nothing is open')));
};

/** The interval, in milliseconds, in which a tab writes while others wait for it. */
const BEAT = 1_000;

/** What is stored of this chat, and how many entries each page has read of it. */
const stateOf = async (pages, id) => ({
  stored: await dump(pages[0], id),
  read: await everywhere(pages, () => record.head().entries),
});

/** Waits until each page has read all that is stored, and nothing was written for two beats. */
async function untilStill(pages, id) {
  let [state, since] = [await stateOf(pages, id), performance.now()];
  const isStill = async () => {
    await delay(100);
    const now = await stateOf(pages, id);
    if (!isDeepStrictEqual(now, state)) [state, since] = [now, performance.now()];
    const [[, { length }]] = state.stored.records;
    return state.read.every((read) => read === length) && performance.now() - since > 2 * BEAT;
  };
  await until(isStill, 'nobody writes');
  return state;
}

/** Asserts that no page sends anything more, even if a person asks all of them to. */
async function assertNothingIsLeft(pages, backend) {
  await untilClosed(pages);
  // A tab that has begun to send what another one has claimed returns the end of that first.
  await until(async () => {
    const types = (await atOnce(pages, 'async () => (await guard.resume()).type')).flat();
    assert.ok(!types.includes('sent'), 'something was left');
    return types.every((type) => type === 'nothing-to-send');
  }, 'a state in which nothing is left');
  await quiet();
  assertOnce(backend);
}

for (const count of [2, 5]) {
  describe(`${count} tabs of one chat`, sideBySide, () => {
    test('answered in one, the others say so, at once and when it is done', async () => {
      const how = { holds: true };
      await withPages(
        count,
        async ([page, ...others], backend) => {
          await page.evaluate(() => void [guard.decide('c1', 'allow-once'), guard.decide('c2', 'deny')]);
          for (const other of others) {
            await untilElsewhere(other);
            assert.deepEqual(await other.evaluate(() => Object.values(calls()).map((c) => c.outcome)), [
              'Allowed in another tab',
              'Denied in another tab',
            ]);
            const late = await other.evaluate(() => guard.decide('c1', 'deny'));
            assert.equal(late.type, 'refused');
          }
          backend.release();
          await untilIn(page, () => chat.status === 'ready', 'the end');
          assertOnce(backend);
          assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': false });
          await assertNothingIsLeft([page, ...others], backend);
          for (const other of others) {
            assert.ok(await other.evaluate(isElsewhere));
            // The response that has settled it has ended in the other tab.
            const isSettled = () =>
              chat.messages.some(({ parts }) => parts.some(({ state }) => state === 'output-denied'));
            await untilIn(other, isSettled, 'the denial is settled');
          }
        },
        { how },
      );
    });

    test('C35 answered in all in the same millisecond: it leaves once', async () => {
      await withPages(
        count,
        async (pages, backend) => {
          const said = await atOnce(pages, bothAllowed);
          assert.ok(said.flat().includes('drafted'));
          await until(() => backend.carried > 0, 'a request');
          await quiet();
          await assertNothingIsLeft(pages, backend);
          assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': true });
          const statuses = await everywhere(pages, () => Object.values(calls()).map((c) => c.decision));
          for (const decisions of statuses) assert.deepEqual(decisions, ['allowed', 'allowed']);
        },
        { rounds: ROUNDS / count },
      );
    });

    test('answered differently in the same millisecond: one answer leaves, and no tab says that it was a yes where it was a no', async () => {
      await withPages(
        count,
        async (pages, backend) => {
          await atOnce(
            pages,
            `(i) => void guard.decideAll(['c1', 'c2'], i % 2 === 0 ? 'allow-once' : 'deny')`,
          );
          await until(() => backend.carried > 0, 'a request');
          await quiet();
          await assertNothingIsLeft(pages, backend);
          for (const decisions of await everywhere(pages, () => calls())) {
            for (const [id, { decision, status }] of Object.entries(decisions)) {
              assert.notEqual(status, 'asking');
              const said = backend.answers[`ap-${id}`] ? 'allowed' : 'denied';
              if (said === 'denied') assert.equal(decision, 'denied');
            }
          }
        },
        { rounds: ROUNDS / count },
      );
    });

    test('drafts that say the opposite: the denial wins, whoever commits', async () => {
      await withPages(
        count,
        async (pages, backend, { round }) => {
          const who = ['who allows', 'who denies'][round];
          const [one] = pages;
          const other = pages.at(-1);
          await one.evaluate(() => void guard.decideAll(['c1', 'c2'], 'allow-once'));
          await other.evaluate(() => void [guard.decide('c1', 'deny'), guard.decide('c2', 'allow-once')]);
          // A draft counts in other tabs once it is stored.
          await everywhere([one, other], () => record.settled());
          const page = who === 'who allows' ? one : other;
          assert.equal((await page.evaluate(() => guard.commit())).type, 'committing');
          await until(() => backend.carried > 0, 'a request');
          await quiet();
          assertOnce(backend);
          assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': true }, who);
          // Law 14: whoever commits it, the denial is that of the person in this page.
          const actors = await other.evaluate(() =>
            guard.getSnapshot().calls.flatMap((call) => (call.toolCallId === 'c1' ? [call.actor] : [])),
          );
          assert.deepEqual(actors, ['person'], who);
          await atOnce(pages, `() => guard.commit().type`);
          await assertNothingIsLeft(pages, backend);
        },
        { undo: 'Infinity', rounds: 2 },
      );
    });

    test('when all is said, nobody writes any more', async () => {
      await withPages(count, async (pages, backend, { id }) => {
        await pages[0].evaluate(bothAllowed);
        await until(() => backend.carried > 0, 'a request');
        await untilClosed(pages);
        const before = await untilStill(pages, id);
        await quiet(1.5 * BEAT);
        assert.deepEqual(await stateOf(pages, id), before);
      });
    });
  });
}

describe('each tab answers another call through its chat, which commits it at once', sideBySide, () => {
  const respond = (page, call, approved) =>
    page.evaluate(
      ([id, approved]) => void chat.addToolApprovalResponse({ id, approved }),
      [`ap-${call}`, approved],
    );

  test('one after the other: the tab that completes the step sends all of it', async () => {
    await withPages(2, async ([one, two], backend) => {
      await respond(one, 'c1', true);
      await untilDecisions(two, 'allowed,', 'the word of the other tab');
      assert.equal(backend.carried, 0);
      await respond(two, 'c2', true);
      await until(() => backend.carried > 0, 'the request');
      await assertNothingIsLeft([one, two], backend);
      assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': true });
      await untilIn(two, () => chat.status === 'ready', 'the end');
      const states = () => two.evaluate(() => chat.messages.at(-1).parts.filter((p) => p.toolCallId));
      for (const { state } of await states()) assert.equal(state, 'output-available');
    });
  });

  for (const answers of [
    [true, true],
    [true, false],
  ]) {
    test(`in the same millisecond, ${answers}: one of them sends both`, async () => {
      await withPages(
        3,
        async (pages, backend) => {
          await atOnce(
            pages.slice(0, 2),
            `(i) => void chat.addToolApprovalResponse({ id: 'ap-c' + (i + 1), approved: [${answers}][i] })`,
          );
          await until(() => backend.carried > 0, 'the request');
          await assertNothingIsLeft(pages, backend);
          assert.deepEqual(backend.answers, { 'ap-c1': answers[0], 'ap-c2': answers[1] });
        },
        { rounds: ROUNDS / 2 },
      );
    });
  }

  test('a chat that sends nothing by itself sends nothing in this case either', async () => {
    await withPages(2, async (pages, backend) => {
      await everywhere(pages, () => void (chat.sendAutomaticallyWhen = undefined));
      await atOnce(
        pages,
        `(i) => void chat.addToolApprovalResponse({ id: 'ap-c' + (i + 1), approved: true })`,
      );
      await Promise.all(
        pages.map((page) => untilDecisions(page, 'allowed,allowed', 'the word of the other tab')),
      );
      await quiet();
      assert.equal(backend.carried, 0);
      assert.equal((await pages[0].evaluate(() => guard.resume())).type, 'sent');
      await assertNothingIsLeft(pages, backend);
    });
  });

  test('a no to what another tab has allowed and not sent: the no wins', async () => {
    await withPages(2, async ([one, two], backend) => {
      await respond(one, 'c1', true);
      await untilDecisions(two, 'allowed,', 'the word of the other tab');
      await two.evaluate(() => {
        const parts = chat.messages
          .at(-1)
          .parts.map((part) =>
            part.toolCallId === 'c1'
              ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: false } }
              : part,
          );
        chat.messages = [...chat.messages.slice(0, -1), { ...chat.messages.at(-1), parts }];
        return chat.addToolApprovalResponse({ id: 'ap-c2', approved: true });
      });
      await until(() => backend.carried > 0, 'the request');
      await assertNothingIsLeft([one, two], backend);
      assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': true });
    });
  });
});

describe('a tab is stopped after its no was stored, and before it is sent', sideBySide, () => {
  const untilShown = (page, states, what = `${states}`) =>
    untilIn(
      page,
      (states) =>
        Object.values(calls())
          .map((c) => `${c.status} ${c.decision}`)
          .join() === states.join(),
      what,
      states,
    );
  /** Answers, and stops the chat as soon as the answers are stored. Returns when the tab shows these states. */
  const stopAfter = async (page, answers, states) => {
    await page.evaluate((answers) => {
      const unsubscribe = guard.subscribe(() => {
        if (calls().c1.status !== 'answered') return;
        unsubscribe();
        void chat.stop();
      });
      for (const [id, choice] of Object.entries(answers)) guard.decide(id, choice);
    }, answers);
    await untilShown(page, states);
  };

  test('the no stands in all tabs, and another one can send it', async () => {
    await withPages(2, async ([page, other], backend) => {
      const denied = ['answered denied', 'answered denied'];
      await stopAfter(page, { c1: 'deny', c2: 'deny' }, denied);
      await untilShown(other, denied, 'the no in the other tab');
      const late = await other.evaluate(() => guard.decide('c1', 'allow-once'));
      assert.equal(late.type, 'refused');
      await quiet();
      assert.equal(backend.carried, 0, 'nobody has said so');
      assert.deepEqual(await other.evaluate(async () => (await guard.resume()).type), 'sent');
      assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': false });
      await assertNothingIsLeft([page, other], backend);
    });
  });

  test('its yes is taken back, and what another tab answers leaves with the no', async () => {
    await withPages(2, async ([page, other], backend) => {
      const asked = ['answered denied', 'asking undefined'];
      await stopAfter(page, { c1: 'deny', c2: 'allow-once' }, asked);
      await untilShown(other, asked, 'the question in the other tab');
      assert.equal(await other.evaluate(() => guard.decide('c2', 'allow-once').type), 'drafted');
      await until(() => backend.carried > 0, 'the request');
      await assertNothingIsLeft([page, other], backend);
      assert.deepEqual(backend.answers, { 'ap-c1': false, 'ap-c2': true });
    });
  });
});

/** The rounds in which it is killed: of those of a commit each leaves something else behind. */
const KILLS = byBreadth({ commit: [0, 1, 2, 4, 5], all: Array.from({ length: 12 }, (_, number) => number) });

describe('the tab that answers is killed', sideBySide, () => {
  for (const [how, kill] of [
    ['closed', (page) => page.close()],
    ['crashed', crash],
  ]) {
    test(`${how} at random moments: the others go on, and it leaves once`, async (t) => {
      const seen = { sent: 0, survivor: 0, 'two tabs': 0 };
      const round = async (number) => {
        const how = { wait: Math.floor(random() * 60) };
        await withPages(
          2,
          async ([owner, other], backend, { open }) => {
            const after = random() * [20, 60, 200][number % 3];
            // Of each four, one request never leaves, and one is awaited when its tab is killed.
            if (number % 4 === 0)
              await owner.evaluate(() => void (window.fetch = () => new Promise(() => {})));
            const said = await owner.evaluate(bothAllowed);
            assert.deepEqual(said, ['drafted', 'drafted']);
            await delay(after);
            if (number % 4 === 1) await until(() => backend.carried === 1, 'the request');
            await kill(owner);
            await quiet();
            if (backend.carried === 1) {
              seen.sent++;
              await untilAnswered(other);
              assertOnce(backend);
              return;
            }
            assert.equal(backend.carried, 0);
            // Nothing is sent by itself. When the lease of the tab has ended, a person finds the answers in
            // the next tab they look at, or the questions if nothing was stored. In half of the rounds, they
            // look at two tabs at once, one of which is new.
            const asked = number % 8 < 4 ? [other] : [other, await open()];
            const press = `async () => {
              const { type } = await guard.resume();
              if (type !== 'nothing-to-send') return type;
              // What was about to leave when the tab was killed may have left: that is for retry().
              if (guard.explain().reason === 'in-doubt') return (await guard.retry()).type;
              guard.decideAll(guard.pending().map((call) => call.toolCallId), 'allow-once');
              return guard.commit().type;
            }`;
            seen[asked.length === 1 ? 'survivor' : 'two tabs']++;
            await until(
              async () => backend.carried > 0 || (await atOnce(asked, press), await quiet(60), false),
              'the request',
            );
            await quiet();
            assertOnce(backend);
          },
          { how },
        );
      };
      for (let first = 0; first < KILLS.length; first += 4) {
        await Promise.all(KILLS.slice(first, first + 4).map(round));
      }
      t.diagnostic(JSON.stringify(seen));
      assert.ok(seen.sent > 0 && seen.survivor > 0 && seen['two tabs'] > 0, 'all were met');
    });
  }
});

/** Waits until nothing asks in this page, although the page that answered is gone. */
const untilAnswered = (page) => untilDecisions(page, 'allowed,allowed', 'the word of the killed tab');

describe('what is forged', limit, () => {
  test('a flood on the channel changes nothing', async () => {
    await withPages(2, async ([one, two], backend, { context, id }) => {
      const attacker = await context.newPage();
      await attacker.goto(`${server.url}messages`);
      await attacker.evaluate((id) => {
        const channel = new BroadcastChannel(`tool-approval-guard:2:${id}`);
        const answer = { type: 'answered', approvalId: 'ap-c1', approved: true };
        const words = ['changed', 'answered', answer, JSON.stringify(answer), null, new Uint8Array(1e3)];
        const say = () => {
          for (let i = 0; i < 20; i++) channel.postMessage(words[i % words.length]);
        };
        window.flood = setInterval(say, 5);
      }, id);
      await quiet(300);
      for (const page of [one, two]) {
        const statuses = await page.evaluate(() => Object.values(calls()).map((c) => c.status));
        assert.deepEqual(statuses, ['asking', 'asking']);
        assert.equal((await page.evaluate(() => guard.resume())).type, 'nothing-to-send');
      }
      assert.equal(backend.carried, 0);
      await one.evaluate(() => void [guard.decide('c1', 'allow-once'), guard.decide('c2', 'deny')]);
      await until(() => backend.carried > 0, 'the request');
      await untilElsewhere(two);
      await attacker.close();
      await assertNothingIsLeft([one, two], backend);
      assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': false });
    });
  });
});

describe('without Web Locks and without a channel', limit, () => {
  const open = async (t, id) => {
    const tab = await (await plainBrowser()).open();
    t.after(() => tab.close());
    await tab.send('Page.enable');
    const source = 'delete Navigator.prototype.locks; delete globalThis.BroadcastChannel';
    await tab.send('Page.addScriptToEvaluateOnNewDocument', { source });
    await tab.send('Page.navigate', { url: `${server.url}?chat=${id}` });
    await until(() => tab.run('typeof window.ready === "object"').catch(() => false), 'the page');
    await tab.run('window.ready');
    assert.equal(await tab.run('navigator.locks'), undefined);
    return tab;
  };
  const hidden = (tab) => until(async () => (await tab.run('document.hidden')) === true, 'a hidden tab');

  test('answered in both, of which one is hidden: it leaves once, and the other one says so when it is seen', async (t) => {
    const { id, backend } = await server.chat();
    const one = await open(t, id);
    const two = await open(t, id);
    await hidden(one);
    const work = `void guard.decideAll(['c1', 'c2'], 'allow-once')`;
    await Promise.all([one.run(work), two.run(work)]);
    await until(() => backend.carried > 0, 'the request');
    await quiet();
    const elsewhere = async (tab) =>
      (await tab.run('Object.values(calls()).every((c) => c.status === "elsewhere")')) === true;
    await one.activate();
    await until(async () => (await elsewhere(one)) !== (await elsewhere(two)), 'the word of the other tab');
    await quiet();
    assertOnce(backend);
  });
});
