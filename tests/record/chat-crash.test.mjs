// A page is killed at a random moment of a chat, and is loaded again with the messages of its server. No
// answer is lost, none is sent twice, and no allowance appears that nobody gave. A person may change what a call does
// before allowing it: then it runs with that, and with nothing else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import {
  browser,
  crash,
  openChat,
  quiet,
  server,
  startServerAndBrowser,
  until,
  untilAlone,
} from './chat-stage.mjs';
import { byBreadth } from '../support/breadth.mjs';
import { seeded } from '../package/support/seeded.mjs';

startServerAndBrowser();

const KILLS = byBreadth({ commit: 10, all: 50, soak: 100 });
const ways = {
  crash: async (page) => {
    await crash(page);
    await page.close();
  },
  close: (page) => page.close(),
  reload: (page) => page.reload(),
};

const pickWith = (random) => (list) => list[Math.floor(random() * list.length)];

/** An allowance, as a person remembers it: with the path that the call was allowed with. */
const allowedWith = (path) => `allow ${path}`;
/** What the model has asked for. */
const askedPath = (id) => `/${id}`;

/** The acts of a person during one life of the page, each after some milliseconds. */
function someActs(random, mayResume) {
  const pick = pickWith(random);
  const allow = (id) => {
    const changed = { input: { path: `/${id}-${Math.floor(random() * 1e6)}` } };
    return ['decide', id, 'allow-once', ...(random() < 0.4 ? [changed] : [])];
  };
  const acts = ['c1', 'c2'].map((id) => (random() < 0.5 ? allow(id) : ['decide', id, 'deny']));
  if (random() < 0.5) acts.reverse();
  const others = [['undo', 'c1'], ['undo', 'c2'], ['decide', 'c1', 'deny'], allow('c2'), ['commit']];
  if (mayResume) others.push(['resume']);
  for (let i = Math.floor(random() * 4); i > 0; i--) {
    acts.splice(Math.floor(random() * (acts.length + 1)), 0, pick(others));
  }
  acts.push(['commit']);
  return acts.map((act) => [Math.floor(random() * 12), ...act]);
}

/**
 * Runs in the page. Performs the acts, and reports before and after each one, so that the test knows which
 * acts are complete.
 */
const play = async (acts) => {
  for (const [pause, ...act] of acts) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const [name, ...given] = act;
    await tell('begins', act);
    const result = guard[name](...given);
    if (result instanceof Promise) continue;
    // An answer is safe once it is stored.
    await record.settled();
    void tell('returned', act, result.type);
  }
};

/**
 * What each call may be, from the view of a person who saw which acts returned. If an act did not return, all
 * possible results count.
 */
class Person {
  may = { c1: new Set([undefined]), c2: new Set([undefined]) };
  #begun;

  hear(what, act, type) {
    const [name, id] = act;
    const choice = Person.choiceOf(act);
    if (what === 'begins') {
      this.#begun = act;
      return;
    }
    this.#begun = undefined;
    if (name === 'decide' && (type === 'drafted' || type === 'committed')) this.may[id] = new Set([choice]);
    if (name === 'undo' && type === 'undone') this.may[id] = new Set([undefined]);
  }

  static choiceOf([, id, choice, { input } = {}]) {
    return choice === 'allow-once' ? allowedWith(input?.path ?? askedPath(id)) : choice;
  }

  /** Notes that the page is gone. Acts that had begun may be complete. */
  lose() {
    const [name, id] = this.#begun ?? [];
    const choice = Person.choiceOf(this.#begun ?? []);
    this.#begun = undefined;
    if (name === 'decide') this.may[id].add(choice);
    if (name === 'undo') this.may[id].add(undefined);
  }

  /** Compares this with what the page shows after a reload. @returns the calls whose answer is lost */
  see(calls, backend) {
    const lost = [];
    for (const [id, { status, decision, path }] of Object.entries(calls)) {
      const sent = backend.answers[`ap-${id}`];
      const choices = { allowed: allowedWith(path ?? askedPath(id)), denied: 'deny' };
      const arrived = sent ? allowedWith(backend.paths[id]) : 'deny';
      // The server's own results do not depend on any record.
      const shown = status === 'settled' && sent !== undefined ? arrived : choices[decision];
      if (sent !== undefined) assert.ok(this.may[id].has(arrived), `${id}: invented ${arrived}`);
      if (shown === choices.allowed) assert.ok(this.may[id].has(shown), `${id}: an invented yes`);
      if (!this.may[id].has(shown)) lost.push(id);
      this.may[id] = new Set([shown]);
    }
    return lost;
  }
}

const looks = () => ({ calls: calls(), reason: guard.explain().reason, errors: window.errors });

/** Plays one chat. Its page is killed once or twice, and then the chat is finished. */
async function round(number, context, seen) {
  const random = seeded(number);
  const pick = pickWith(random);
  const { id, backend } = await server.chat({
    wait: random() < 0.6 ? Math.floor(random() * 80) : 0,
    lags: random() < 0.3,
    breaks: random() < 0.1,
  });
  const undo = pick(['0', '0', '25', 'Infinity']);
  const person = new Person();
  const story = [];
  const open = async () => {
    const page = await openChat(context, server, id, `&undo=${undo}`);
    await page.exposeFunction('tell', (what, act, type) => {
      story.push(JSON.stringify([what, ...act, type]));
      person.hear(what, act, type);
    });
    return page;
  };
  let page = await open();
  const kills = random() < 0.35 ? 2 : 1;
  let reason = '';
  for (let kill = 0; kill < kills; kill++) {
    const mayResume = kill === 0 || backend.carried === 0;
    void page.evaluate(play, someActs(random, mayResume)).catch(() => {});
    await delay(random() * 160);
    const way = pick(Object.keys(ways));
    seen[way]++;
    await ways[way](page, context);
    person.lose();
    story.push(way);
    if (page.isClosed()) {
      page = await open();
      await untilAlone(page);
    } else await page.evaluate(() => window.ready);
    const found = await page.evaluate(looks);
    story.push(found, structuredClone(backend.sends));
    assert.deepEqual(found.errors, []);
    const before = structuredClone(person.may);
    const lost = person.see(found.calls, backend);
    for (const id of lost) {
      // Counted separately, because the browser may not have received the last write of a renderer that
      // crashed.
      assert.equal(way, 'crash', `the answer of ${id} is lost: ${[...before[id]]} ${JSON.stringify(story)}`);
      seen.late++;
    }
    reason = found.reason;
    seen[reason] = (seen[reason] ?? 0) + 1;
  }
  // Nothing is sent by itself.
  const { carried } = backend;
  await quiet(40);
  assert.equal(backend.carried, carried, 'nobody has said so');
  if (carried === 0) {
    await page.evaluate(() => {
      for (const [id, { status }] of Object.entries(calls())) {
        if (status === 'asking') guard.decide(id, 'deny');
      }
      guard.commit();
    });
    const left = async () => {
      if (backend.carried > 0) return true;
      const resume = async () => {
        const { type } = await guard.resume();
        return { type, reason: guard.explain().reason };
      };
      const { type, reason } = await page.evaluate(resume);
      // An answer that was about to leave when the page was killed may have left, so it needs retry(). One that has
      // arrived meanwhile, and whose response broke, needs nothing more.
      const wasSent = type === 'nothing-to-send' && ['in-doubt', 'failed'].includes(reason);
      if (!wasSent || backend.carried > 0) return type === 'sent';
      return (await page.evaluate(() => guard.retry())).type === 'sent';
    };
    await quiet(30);
    await until(left, `the answer can be sent: ${JSON.stringify(story)}`);
  }
  await quiet(30);
  assert.equal(backend.carried, 1, JSON.stringify(story));
  for (const id of ['c1', 'c2']) {
    assert.equal(backend.sends[`ap-${id}`], 1);
    assert.equal(backend.runs[id], backend.answers[`ap-${id}`] ? 1 : undefined);
    const sure = [...person.may[id]][0];
    const arrived = backend.answers[`ap-${id}`] ? allowedWith(backend.paths[id]) : 'deny';
    if (backend.runs[id] && backend.paths[id] !== askedPath(id)) seen.changed++;
    if (sure !== undefined) assert.equal(arrived, sure, id);
    else if (carried === 0)
      assert.equal(backend.answers[`ap-${id}`], false, 'what was not answered was denied here');
  }
  await page.close();
}

describe('a page that is killed', () => {
  test(
    `${KILLS} times at a random moment: no answer is lost, no second send, no invented yes`,
    { timeout: 400_000 },
    async (t) => {
      const seen = { crash: 0, close: 0, reload: 0, late: 0, changed: 0 };
      // Several at a time, because most of the time is spent waiting.
      let next = 0;
      const lane = async () => {
        const context = await browser.newContext();
        while (seen.crash + seen.close + seen.reload < KILLS) await round(next++, context, seen);
        await context.close();
      };
      await Promise.all(Array.from({ length: 10 }, lane));
      t.diagnostic(JSON.stringify(seen));
      assert.equal(seen.late, 0, 'a write of a renderer that crashed was late');
    },
  );
});
