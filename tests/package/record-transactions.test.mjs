// The transactions of a record whose storage is slow, silent or wrong: what is not stored is not sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { gated, response, says } from './support/chunks.mjs';
import { reloadable, storageOf } from './support/reload.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { asking, assistant, user } from './support/stored.mjs';

const one = response('a1', gated('c1', 'rm', { path: '/a' }));
const never = new Promise(() => {});
const messages = [user(), assistant('a1', { ...asking('c1', 'rm'), input: { path: '/a' } })];

/** Waits until `done()` holds. */
async function until(done, patience = 8_000) {
  for (const end = performance.now() + patience; !(await done()); await delay(10)) {
    assert.ok(performance.now() < end, 'it did not come');
  }
}

/** A storage whose transactions can be replaced. */
function replaceable() {
  const inner = storageOf();
  const storage = { ...inner, inner, replaced: undefined };
  storage.transact = (...args) => (storage.replaced ?? inner.transact)(...args);
  return storage;
}

const typesOf = ({ inner }) =>
  [...inner.rows.values()].flatMap(({ entries }) => entries.map((text) => JSON.parse(text).type));

forEachSdk((sdk) =>
  describe(`transactions, ${sdk.name}`, { concurrency: true }, () => {
    test('a storage that is silent before a commit: turn-failed, nothing is sent, and the draft stays', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
      await s.say();
      storage.replaced = () => never;
      s.guard.decide('c1', 'allow-once');
      // First the draft cannot be stored, and then the answer.
      await until(() => s.codes().length === 2, 15_000);
      assert.deepEqual(s.codes(), ['turn-failed', 'turn-failed']);
      assert.equal(s.call('c1').status, 'drafted');
      assert.equal(s.count, 1);
      storage.replaced = undefined;
      assert.equal(s.guard.commit().type, 'committing');
      await until(() => s.count === 2);
      assert.equal(s.wire('c1').approval.approved, true);
    });

    for (const isStored of [true, false]) {
      test(`a claim of which nothing is heard, ${isStored ? 'stored' : 'not stored'}: nothing is sent until retry()`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
        await s.say();
        storage.replaced = (chat, from, judge) => {
          let isClaim = false;
          storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isClaim = change?.append?.some((text) => text.includes('"carried"')) === true;
            return isClaim && !isStored ? undefined : change;
          });
          return isClaim ? never : undefined;
        };
        s.guard.decide('c1', 'allow-once');
        await until(() => s.chat.status === 'error');
        assert.equal(s.count, 1);
        storage.replaced = undefined;
        assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        assert.equal(s.count, 2);
        await s.record.settled();
        const types = typesOf(storage);
        assert.equal(types.filter((type) => type === 'answered').length, 1, 'nothing is doubled');
      });
    }

    for (const isTaken of [false, true]) {
      test(`a claim that took long ${isTaken ? 'and is another tab’s by now is not used' : 'is renewed before it is used'}`, async () => {
        const storage = replaceable();
        const page = reloadable(sdk, { storage });
        const s = await page.load({ messages, script: [says()], keepOpen: true });
        let transactions = 0;
        storage.replaced = (chat, from, judge) => {
          let isClaim = false;
          transactions += 1;
          storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isClaim = change?.append?.some((text) => text.includes('"carried"')) === true;
            return change;
          });
          return isClaim ? delay(1_700) : undefined;
        };
        s.guard.decide('c1', 'allow-once');
        await until(() => typesOf(storage).includes('carried'));
        storage.replaced = undefined;
        transactions = 0;
        if (isTaken) {
          const other = await page.load({ messages, script: [says()], keepOpen: true });
          assert.equal(other.call('c1').status, 'in-doubt');
          assert.deepEqual(await other.guard.retry(), { type: 'sent' });
          await delay(2_000);
          assert.equal(s.count, 0);
          assert.notEqual(s.call('c1').status, 'sent');
          return;
        }
        await delay(300);
        assert.equal(s.count, 0);
        await until(() => s.count === 1);
      });
    }

    for (const pause of [0, 30]) {
      test(`a stored grant answers after a reload, and the chat sends: ${pause} ms for a transaction`, async () => {
        const storage = storageOf();
        const { transact } = storage;
        storage.transact = async (...args) => {
          await delay(pause);
          transact(...args);
        };
        const page = reloadable(sdk, { storage, record: { grants: true } });
        const first = await page.load({ script: [one, says()] });
        await first.say();
        first.guard.decide('c1', 'allow-chat', { covers: 'tool' });
        await until(() => first.count === 2 && first.chat.status === 'ready');
        await first.record.settled();
        const again = response('a2', gated('c2', 'rm', { path: '/b' }));
        const second = await page.load({
          messages: structuredClone(first.chat.messages),
          script: [again, says()],
        });
        await second.say('again');
        await until(() => second.count === 2);
        assert.equal(second.wire('c2').approval.approved, true);
        assert.deepEqual(second.codes(), []);
      });
    }

    test('retry() while the answers are being stored sends them once', async () => {
      const storage = storageOf();
      const { transact } = storage;
      storage.transact = async (...args) => {
        await delay(30);
        transact(...args);
        await delay(30);
      };
      const s = await reloadable(sdk, { storage }).load({ messages, script: [says(), says()] });
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await delay(500);
      assert.equal(s.count, 1);
      assert.equal(s.wire('c1').approval.approved, true);
    });

    for (const wait of [0, 300]) {
      test(`a no of the chat itself after the yes of another tab is not sent: after ${wait} ms`, async () => {
        const page = reloadable(sdk, { storage: storageOf(undefined, { later: true }) });
        const first = await page.load({ messages, script: [says()] });
        const other = await page.load({
          messages: structuredClone(messages),
          script: [says()],
          keepOpen: true,
        });
        first.guard.decide('c1', 'allow-once');
        await until(() => first.count === 1);
        await delay(wait);
        await other.chat.addToolApprovalResponse({ id: 'ap-c1', approved: false });
        await delay(500);
        assert.equal(other.count, 0);
        assert.equal(first.wire('c1').approval.approved, true);
      });
    }

    test('a storage that calls nothing, or calls twice: it is reported, and the chat goes on', async () => {
      const wrong = {
        'nothing, at once': () => undefined,
        'nothing, later': async () => {},
        'with nonsense': (_chat, _from, judge) => void judge({}),
        twice: (_chat, from, judge) => {
          const stored = { head: undefined, state: undefined, first: 0, length: 0, entries: [] };
          judge(stored);
          judge(stored);
        },
      };
      for (const [what, transact] of Object.entries(wrong)) {
        const storage = { ...storageOf(), transact };
        const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
        await s.say();
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, 2, what);
        assert.equal(s.wire('c1').approval.approved, false, what);
        assert.equal(s.codes().length, 1, `${what}: ${s.codes()}`);
      }
    });
  }),
);
