// Two tabs of one chat whose storage fails at random: before it has read, after it has read, and after it has
// written, so that the tab does not know what was stored. As soon as the storage works again, the chat goes on by
// itself, and a person can finish it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { continued, outputAvailable, outputDenied } from '../package/support/chunks.mjs';
import { busy, reloadable, storageOf } from '../package/support/reload.mjs';
import { forever } from '../package/support/scripted-transport.mjs';
import { forEachSdk } from '../package/support/sdk.mjs';
import { asking, assistant, user } from '../package/support/stored.mjs';
import { seeded } from '../package/support/seeded.mjs';
import { byBreadth } from '../support/breadth.mjs';

const HISTORIES = byBreadth({ commit: 24, all: 24, soak: 400 });
/** How many histories run side by side: few enough that no tab is late. */
const AT_ONCE = 24;
const CALLS = ['c1', 'c2'];

/** A storage in which about half of the transactions fail while `isFailing`. */
function failing(random) {
  const inner = storageOf(undefined, { later: true });
  const storage = { ...inner, isFailing: true, failed: 0 };
  storage.transact = (chat, from, judge) => {
    const chance = storage.isFailing ? random() : 1;
    if (chance >= 0.5) return inner.transact(chat, from, judge);
    storage.failed += 1;
    if (chance < 0.15) return Promise.reject(busy());
    const written = inner.transact(chat, from, (stored) => {
      const change = judge(stored);
      return chance < 0.3 ? undefined : change;
    });
    return written.then(() => Promise.reject(busy()));
  };
  return storage;
}

/** A server that runs what was allowed. */
const server = ({ messages }) => {
  const answered = messages
    .flatMap(({ parts }) => parts)
    .filter(({ state }) => state === 'approval-responded');
  return continued(
    answered.map(({ toolCallId, approval }) =>
      approval.approved ? outputAvailable(toolCallId) : outputDenied(toolCallId),
    ),
  );
};

async function play(sdk, number) {
  const random = seeded(number);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const storage = failing(random);
  const messages = [
    user(),
    assistant('a1', ...CALLS.map((id) => ({ ...asking(id, 'rm'), input: { path: id } }))),
  ];
  const page = reloadable(sdk, { storage });
  storage.isFailing = false;
  const open = (keepOpen) =>
    page.load({ messages: structuredClone(messages), script: [forever(server)], keepOpen });
  const tabs = [await open(false), await open(true)];
  storage.isFailing = true;
  const log = [];
  for (let acts = 2 + Math.floor(random() * 5); acts > 0; acts -= 1) {
    await delay(Math.floor(random() * 150));
    const [i, call, choice] = [
      pick([0, 1]),
      pick(CALLS),
      pick(['allow-once', 'deny', 'deny', 'undo', 'stop']),
    ];
    const { guard, chat } = tabs[i];
    if (choice === 'stop') await chat.stop();
    const result = choice === 'undo' ? guard.undo(call) : choice !== 'stop' && guard.decide(call, choice);
    log.push([i, call, choice, result.type]);
  }
  await delay(300);
  storage.isFailing = false;
  const seen = () =>
    JSON.stringify({
      number,
      log,
      failed: storage.failed,
      tabs: tabs.map((tab) => [
        CALLS.map((id) => [tab.call(id).status, tab.call(id).decision]),
        tab.guard.explain().reason,
        tab.count,
        tab.codes(),
      ]),
    });
  const requests = () =>
    tabs.flatMap((tab) =>
      tab.requests.map((request) => CALLS.map((id) => tab.wire(id, request).approval?.approved)),
    );

  // By itself: no tab stands still with a verdict that it may send, or with drafts that it is to commit.
  const stands = (tab) =>
    tab.guard.explain().send ||
    tab.guard.getSnapshot().batch.commitAt !== undefined ||
    tab.chat.status === 'submitted';
  for (let end = performance.now() + 15_000, quiet = 0; quiet < 10; await delay(20)) {
    quiet = tabs.some(stands) ? 0 : quiet + 1;
    if (performance.now() > end) assert.fail(`it stands still: ${seen()}`);
  }

  // A person finishes it in one of the tabs: answers what asks, sends what was answered, and retries.
  const [one] = random() < 0.5 ? tabs : [...tabs].reverse();
  const isDone = (call) => ['settled', 'elsewhere'].includes(call.status);
  for (const end = performance.now() + 20_000; ; await delay(50)) {
    for (const id of CALLS) if (one.call(id).status === 'asking') one.guard.decide(id, 'deny');
    if (one.guard.getSnapshot().batch.phase === 'decided') one.guard.commit();
    if ((await one.guard.resume()).type !== 'sent') await one.guard.retry();
    const answers = requests();
    if (CALLS.every((id) => isDone(one.call(id))) && answers.length > 0) break;
    if (performance.now() > end) assert.fail(`it cannot be finished: ${seen()}`);
  }
  await delay(100);
  for (const [i, id] of CALLS.entries()) {
    const answers = requests()
      .map((request) => request[i])
      .filter((answer) => answer !== undefined);
    if (answers.length === 0) assert.fail(`${id} was not sent: ${seen()}`);
    if (new Set(answers).size > 1) assert.fail(`${id} left as ${answers}: ${seen()}`);
    if (answers[0] && answers.length > 1) assert.fail(`the yes to ${id} left twice: ${seen()}`);
  }
  for (const tab of tabs) tab.guard.dispose();
  return storage.failed;
}

forEachSdk((sdk) =>
  test(`a storage that fails at random, ${sdk.name}`, async () => {
    const failures = [];
    while (failures.length < HISTORIES) {
      const numbers = Array.from({ length: AT_ONCE }, (_, i) => failures.length + i);
      failures.push(...(await Promise.all(numbers.map((number) => play(sdk, number)))));
    }
    assert.ok(failures.filter((count) => count > 0).length > HISTORIES / 2, `${failures}`);
  }),
);
