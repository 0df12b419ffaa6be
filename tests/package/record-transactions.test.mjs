// The transactions of a record whose storage is slow, silent or wrong: what is not stored is not sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { createRecord } from 'tool-approval-guard/record';

import { scene } from './support/chat.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';
import { busy, reloadable, storageOf } from './support/reload.mjs';
import { hanging, live, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { asking, assistant, user } from './support/stored.mjs';

const one = response('a1', gated('c1', 'rm', { path: '/a' }));
const two = response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'rm', { path: '/b' }));
const never = new Promise(() => {});
const messages = [user(), assistant('a1', { ...asking('c1', 'rm'), input: { path: '/a' } })];

/** Waits until `done()` holds. */
async function until(done, patience = 30_000) {
  for (const end = performance.now() + patience; !(await done()); await delay(10)) {
    assert.ok(performance.now() < end, 'it did not come');
  }
}

/** A storage whose transactions can be replaced. */
function replaceable(rows = new Map()) {
  const inner = storageOf(rows);
  const storage = { ...inner, inner, replaced: undefined };
  storage.transact = (...args) => (storage.replaced ?? inner.transact)(...args);
  return storage;
}

const typesOf = ({ inner }) =>
  [...inner.rows.values()].flatMap(({ entries }) => entries.map((text) => JSON.parse(text).type));

const transactions = (sdk) =>
  describe(`transactions, ${sdk.name}`, { concurrency: true }, () => {
    test('a storage that is silent before a commit: storage-timeout, nothing is sent, and the draft stays', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
      await s.say();
      storage.replaced = () => never;
      s.guard.decide('c1', 'allow-once');
      // First the draft cannot be stored, and then the answer.
      await until(() => s.codes().length === 2, 15_000);
      assert.deepEqual(s.codes(), ['storage-timeout', 'storage-timeout']);
      assert.equal(s.call('c1').status, 'drafted');
      assert.equal(s.count, 1);
      storage.replaced = undefined;
      assert.equal(s.guard.commit().type, 'committing');
      await until(() => s.count === 2);
      assert.equal(s.wire('c1').approval.approved, true);
    });

    for (const what of ['stored', 'not stored', 'not executed', 'refused as busy']) {
      /** From now on, nothing is heard of transactions that claim. Returns how many there were. */
      const silence = (storage) => {
        let claims = 0;
        storage.replaced = (chat, from, judge) => {
          let isClaim = false;
          if (what === 'not executed' || what === 'refused as busy') {
            if (!typesOf(storage).includes('answered')) return storage.inner.transact(chat, from, judge);
            claims += 1;
            return what === 'not executed' ? never : Promise.reject(busy());
          }
          storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isClaim = change?.append?.some((text) => text.includes('"sent"')) === true;
            return isClaim && what === 'not stored' ? undefined : change;
          });
          claims += Number(isClaim);
          return isClaim ? never : undefined;
        };
        return () => claims;
      };

      test(`a claim of which nothing is heard, ${what}: it is read and made again, and leaves once`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
        await s.say();
        const claims = silence(storage);
        s.guard.decide('c1', 'allow-once');
        await until(() => claims() > 0);
        assert.equal(s.count, 1);
        storage.replaced = undefined;
        await until(() => s.count === 2, 15_000);
        assert.equal(s.wire('c1').approval.approved, true);
        await until(() => s.chat.status === 'ready');
        await s.record.settled();
        const types = typesOf(storage);
        for (const type of ['answered', 'sent'])
          assert.equal(types.filter((other) => other === type).length, 1, 'nothing is doubled');
        assert.equal(s.count, 2);
        assert.deepEqual(s.codes(), []);
      });

      // What was stored is found when it is read again.
      if (what === 'stored') continue;
      test(`claims of which nothing is heard, ${what}: nothing is sent until retry()`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
        await s.say();
        const claims = silence(storage);
        s.guard.decide('c1', 'allow-once');
        await until(() => s.chat.status === 'error', 60_000);
        assert.ok(claims() > 2, `${claims()} claims`);
        assert.equal(s.count, 1);
        const { send, reason } = s.guard.explain();
        assert.deepEqual({ send, reason }, { send: false, reason: 'failed' });
        assert.equal(s.guard.sendAutomaticallyWhen(s.chat), false);
        storage.replaced = undefined;
        assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        assert.equal(s.count, 2);
        await s.record.settled();
        const types = typesOf(storage);
        assert.equal(types.filter((type) => type === 'answered').length, 1, 'nothing is doubled');
      });
    }

    for (const what of ['stored', 'not stored', 'not executed', 'refused as busy']) {
      test(`a commit of which nothing is heard, ${what}: the chat sends by itself as soon as the storage works again`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({ script: [two, says()] });
        await s.say();
        let commits = 0;
        storage.replaced = (chat, from, judge) => {
          if (what === 'not executed') {
            commits += 1;
            return never;
          }
          let isCommit = false;
          const done = storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isCommit = change?.append?.some((text) => text.includes('"answered"')) === true;
            return isCommit && what !== 'stored' ? undefined : change;
          });
          if (!isCommit) return done;
          commits += 1;
          return what === 'refused as busy' ? Promise.reject(busy()) : never;
        };
        s.guard.decide('c1', 'deny');
        s.guard.decide('c2', 'deny');
        // First the draft cannot be stored, and then the answer.
        await until(() => (what === 'not executed' ? s.codes().length > 1 : commits > 0), 15_000);
        assert.equal(s.count, 1);
        storage.replaced = undefined;
        await until(() => s.count === 2, 15_000);
        await until(() => s.chat.status === 'ready');
        await s.record.settled();
        assert.deepEqual([s.wire('c1').approval.approved, s.wire('c2').approval.approved], [false, false]);
        const types = typesOf(storage);
        for (const type of ['answered', 'sent'])
          assert.equal(types.filter((other) => other === type).length, 2, 'nothing is doubled');
        assert.equal(s.count, 2);
        assert.deepEqual(new Set(s.codes()), new Set(['storage-timeout']));
      });
    }

    test('a request that has waited carries an older list, and nothing happens to a call that this lacks', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
      storage.replaced = async (...args) => {
        await delay(20);
        return storage.inner.transact(...args);
      };
      await Promise.all([s.chat.sendMessage({ text: 'go' }), s.chat.sendMessage()]);
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1'), undefined);
      const of = s.guard.ledger().filter(({ toolCallId }) => toolCallId === 'c1');
      assert.deepEqual(
        of.map(({ type }) => type),
        ['noticed', 'asked'],
      );
      assert.equal(s.call('c1').status, 'asking');
    });

    for (const [what, act] of [
      ['an edit', (chat) => chat.sendMessage({ text: 'other', messageId: chat.messages[0].id })],
      ['a regeneration', (chat) => chat.regenerate()],
    ])
      test(`law 14: while ${what} waits for its transaction, what it has taken away cannot be decided`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
        await s.say();
        await s.record.settled();
        assert.equal(s.call('c1').can.deny, true);
        let release;
        const gate = new Promise((resolve) => (release = resolve));
        storage.replaced = (...args) => gate.then(() => storage.inner.transact(...args));
        const sent = act(s.chat);
        await delay(10);
        assert.equal(s.count, 1);
        for (const call of s.guard.getSnapshot().calls)
          assert.deepEqual([call.status, call.can.allow, call.can.deny], ['gone', false, false]);
        release();
        storage.replaced = undefined;
        await sent;
        await s.settle();
        assert.equal(s.count, 2);
        const [gone] = s.guard.ledger().filter(({ type }) => type === 'gone');
        assert.equal(gone.actor, what === 'an edit' ? 'edit' : 'regenerate');
      });

    test('a request that is stopped before it leaves has failed by the stop, and not by the server', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ script: [says()] });
      storage.replaced = async (...args) => {
        await storage.inner.transact(...args);
        if (!s.guard.ledger().some(({ type }) => type === 'requested')) return;
        storage.replaced = undefined;
        await s.chat.stop();
      };
      await s.say();
      assert.equal(s.count, 0);
      const about = s.guard.ledger().filter(({ type }) => ['requested', 'failed', 'stopped'].includes(type));
      assert.deepEqual(
        about.map(({ type, actor, doubt }) => [type, actor, doubt]),
        [
          ['requested', 'person', undefined],
          ['stopped', 'person', undefined],
          ['failed', 'stop', false],
        ],
      );
    });

    test('a chat that is stopped while its claim is made again sends nothing', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ script: [one, says()] });
      await s.say();
      let claims = 0;
      storage.replaced = (...args) => {
        if (!typesOf(storage).includes('answered')) return storage.inner.transact(...args);
        claims += 1;
        return Promise.reject(busy());
      };
      s.guard.decide('c1', 'allow-once');
      await until(() => claims > 0);
      await s.chat.stop();
      storage.replaced = undefined;
      await until(() => s.chat.status === 'ready');
      await delay(500);
      assert.equal(s.count, 1);
      assert.notEqual(s.call('c1').status, 'sent');
    });

    test('retry() whose claim cannot be stored says so, and sends nothing', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ messages, script: [says()] });
      storage.replaced = (chat, from, judge) => {
        let isClaim = false;
        storage.inner.transact(chat, from, (stored) => {
          const change = judge(stored);
          const has = (type) => change?.append?.some((text) => text.includes(`"${type}"`)) === true;
          // What has failed is stored.
          isClaim = has('sent') && !has('failed');
          return isClaim ? undefined : change;
        });
        return isClaim ? Promise.reject(busy()) : undefined;
      };
      s.guard.decide('c1', 'allow-once');
      await until(() => s.chat.status === 'error');
      assert.deepEqual(await s.guard.retry(), { type: 'not-sent' });
      assert.equal(s.count, 0);
      storage.replaced = undefined;
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      assert.equal(s.count, 1);
    });

    for (const isTaken of [false, true]) {
      test(`a claim that took long ${isTaken ? 'and is another tab’s by now is not used' : 'is renewed before it is used'}`, async () => {
        const storage = replaceable();
        const page = reloadable(sdk, { storage });
        const s = await page.load({ messages, script: [says()], keepOpen: true });
        let release;
        const written = new Promise((resolve) => (release = resolve));
        storage.replaced = (chat, from, judge) => {
          let isClaim = false;
          storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isClaim = change?.append?.some((text) => text.includes('"sent"')) === true;
            return change;
          });
          return isClaim ? written : undefined;
        };
        s.guard.decide('c1', 'allow-once');
        await until(() => typesOf(storage).includes('sent'));
        storage.replaced = undefined;
        // Longer than a claim may take that is used. In a busy process a timer can fire earlier by this clock.
        const wrote = performance.now();
        const long = until(() => performance.now() - wrote > 1_700);
        if (isTaken) {
          const other = await page.load({ messages, script: [says()], keepOpen: true });
          assert.equal(other.call('c1').status, 'in-doubt');
          assert.deepEqual(await other.guard.retry(), { type: 'sent' });
          await long;
          release();
          await until(() => s.call('c1').status !== 'sent');
          await delay(50);
          // For the page, that is no failure.
          assert.deepEqual([s.count, s.chat.status, s.codes()], [0, 'ready', []]);
          return;
        }
        await long;
        assert.equal(s.count, 0);
        let renewals = 0;
        let renew;
        const renewed = new Promise((resolve) => (renew = resolve));
        storage.replaced = (...transaction) => {
          renewals += 1;
          storage.inner.transact(...transaction);
          return renewed;
        };
        release();
        await until(() => renewals > 0);
        await delay(50);
        assert.equal(s.count, 0, 'nothing leaves before it is renewed');
        storage.replaced = undefined;
        renew();
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

    for (const approved of [true, false]) {
      test(`law 3: an answer through the chat before the record was read, and then a decision: ${approved}`, async () => {
        const storage = storageOf();
        const { transact } = storage;
        storage.transact = async (...args) => {
          await delay(30);
          return transact(...args);
        };
        const messages = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'rm'))];
        const page = reloadable(sdk, { storage });
        const s = await page.load({ messages, script: [says()] });
        void s.chat.addToolApprovalResponse({ id: 'ap-c2', approved });
        await delay(300);
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
        await until(() => s.count === 1);
        assert.equal(s.wire('c1').approval.approved, true);
        assert.equal(s.wire('c2').approval.approved, approved);
      });
    }

    test('law 17: a message of the user leaves, although another tab was the first to answer', async () => {
      const storage = replaceable();
      const page = reloadable(sdk, { storage });
      const first = await page.load({ messages, script: [says()], keepOpen: true });
      const other = await page.load({ messages, script: [says()], keepOpen: true });
      let isSaid = false;
      let isDenied;
      const denied = new Promise((resolve) => (isDenied = resolve));
      storage.replaced = (chat, from, judge) => {
        let isClaim = false;
        storage.inner.transact(chat, from, (stored) => {
          const change = judge(stored);
          isClaim = change?.append?.some((text) => text.includes('"sent"')) === true;
          return change;
        });
        if (!isClaim || isSaid) return;
        // What it reads next is already in a request of the other tab.
        isSaid = true;
        storage.replaced = (...args) => denied.then(() => storage.inner.transact(...args));
        void first.send('and now?');
      };
      other.guard.decide('c1', 'allow-once');
      await until(() => isSaid);
      assert.equal(first.call('c1').status, 'asking', 'it has not heard of it');
      void first.answer('c1', false);
      setTimeout(isDenied, 30);
      await until(() => first.count === 1 && first.chat.status === 'ready');
      assert.equal(first.last.messages.at(-1).parts[0].text, 'and now?');
      assert.deepEqual(first.codes(), []);
      await until(() => other.count === 1);
      await delay(200);
      assert.equal(first.count, 1);
    });

    for (const stored of [false, true]) {
      test(`laws 2 and 3: with one automatic send an answer leaves once, ${stored ? 'after a reload' : 'on the first page'}`, async () => {
        const page = reloadable(sdk, { guard: { maxAutomaticSends: 1 } });
        let s = await page.load({ script: [one, says()] });
        await s.say();
        if (stored) s = await page.load({ messages: structuredClone(s.chat.messages), script: [says()] });
        const before = s.count;
        s.guard.decide('c1', 'allow-once');
        await until(() => s.count === before + 1 && s.chat.status === 'ready');
        assert.equal(s.wire('c1').approval.approved, true);
      });
    }

    test('a grant that one page revokes ends in the others, and what it would have answered asks', async () => {
      const storage = storageOf();
      const page = reloadable(sdk, { storage, record: { grants: true } });
      const first = await page.load({ script: [one, says()] });
      await first.say();
      first.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      await until(() => first.count === 2 && first.chat.status === 'ready');
      await first.record.settled();
      const active = ({ guard }) => guard.grants().filter(({ status }) => status === 'active').length;
      const again = (id) => response(`a-${id}`, gated(id, 'rm', { path: '/b' }));
      const second = await page.load({
        messages: structuredClone(first.chat.messages),
        script: [again('c2'), says(), again('c3'), says()],
        keepOpen: true,
      });
      await second.say('again');
      await until(() => second.count === 2 && second.chat.status === 'ready');
      assert.equal(second.wire('c2').approval.approved, true, 'the grant of the other page answers');
      first.guard.revokeAll();
      await first.record.settled();
      await second.say('and again');
      await until(() => second.call('c3')?.status === 'asking');
      await delay(100);
      assert.deepEqual([second.count, second.call('c3').status, active(second)], [3, 'asking', 0]);
      const [end] = second.guard.ledger().filter(({ type }) => type === 'grant-ended');
      assert.equal(end.actor, 'tab');
      assert.ok(
        !second.guard.ledger().some(({ type, toolCallId }) => type === 'answered' && toolCallId === 'c3'),
      );
      const third = await page.load({
        messages: structuredClone(second.chat.messages),
        script: [],
        keepOpen: true,
      });
      await third.record.settled();
      assert.equal(active(third), 0, 'it is not stored again');
    });

    test('law 7: a Deny before the record was read takes nothing back that another page has sent', async () => {
      for (const response of [hanging(), says()]) {
        const storage = storageOf();
        const page = reloadable(sdk, { storage });
        const first = await page.load({ messages, script: [response] });
        first.guard.decide('c1', 'allow-once');
        await until(() => first.count === 1);
        await first.record.settled();
        await delay(50);
        const { transact } = storage;
        storage.transact = async (...args) => {
          await delay(20);
          transact(...args);
        };
        const { id } = page;
        const s = scene(sdk, {
          messages: structuredClone(messages),
          script: [says()],
          guard: { chatId: id, record: createRecord({ storage }) },
          chat: { id },
        });
        assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
        // By the page itself or elsewhere: that depends on what the page knows of the other one, which still lives.
        await until(() => s.call('c1').decision === 'allowed');
        await delay(200);
        assert.deepEqual([s.count, s.call('c1').decision], [0, 'allowed']);
        assert.ok(!s.guard.ledger().some(({ type, approved }) => type === 'answered' && approved === false));
      }
    });

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

    for (const isBack of ['before', 'after']) {
      test(`a chat that is detached while its answers are being stored, and attached again ${isBack} they are: they are sent once`, async () => {
        const storage = replaceable();
        const parts = ['c1', 'c2'].map((id) => ({ ...asking(id, 'rm'), input: { path: `/${id}` } }));
        const script = [says(), says()];
        const s = await reloadable(sdk, { storage }).load({
          messages: [user(), assistant('a1', ...parts)],
          script,
        });
        let release;
        const gate = new Promise((resolve) => (release = resolve));
        storage.replaced = async (...args) => {
          storage.inner.transact(...args);
          if (typesOf(storage).includes('answered')) await gate;
        };
        s.guard.decide('c1', 'deny');
        s.guard.decide('c2', 'allow-once');
        await until(() => typesOf(storage).includes('answered'));
        s.detach();
        if (isBack === 'before') s.guard.attach(s.chat);
        release();
        await delay(50);
        if (isBack === 'after') {
          assert.deepEqual([s.call('c1').status, s.call('c2').status, s.count], ['answered', 'answered', 0]);
          s.guard.attach(s.chat);
        }
        await until(() => s.count === 1);
        assert.deepEqual(
          ['c1', 'c2'].map((id) => s.wire(id).approval.approved),
          [false, true],
        );
        s.guard.attach(s.chat);
        await delay(100);
        assert.equal(s.count, 1);
        assert.deepEqual(s.codes(), []);
      });
    }

    test('a chat that is stopped while its answers are being stored: its yes is taken back, and not written', async () => {
      const storage = replaceable();
      const parts = ['c1', 'c2'].map((id) => ({ ...asking(id, 'rm'), input: { path: `/${id}` } }));
      const s = await reloadable(sdk, { storage }).load({
        messages: [user(), assistant('a1', ...parts)],
        script: [says()],
      });
      let release;
      const gate = new Promise((resolve) => (release = resolve));
      storage.replaced = async (...args) => {
        storage.inner.transact(...args);
        if (typesOf(storage).includes('answered')) await gate;
      };
      s.guard.decide('c1', 'deny');
      s.guard.decide('c2', 'allow-once');
      await until(() => typesOf(storage).includes('answered'));
      await s.chat.stop();
      release();
      await until(() => s.home('c1').state === 'approval-responded');
      await delay(50);
      assert.deepEqual([s.call('c1').status, s.call('c2').status, s.count], ['answered', 'asking', 0]);
      assert.equal(s.home('c2').state, 'approval-requested');
      s.guard.decide('c2', 'allow-once');
      await until(() => s.count === 1);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.wire(id).approval.approved),
        [false, true],
      );
    });

    for (const choice of ['deny', 'allow-once']) {
      test(`a chat that is stopped while a press waits for the record sends nothing: ${choice}`, async () => {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage }).load({
          script: [one, reject(new TypeError('fetch failed')), says()],
        });
        await s.say();
        s.guard.decide('c1', choice);
        await until(() => s.chat.status === 'error');
        let waits;
        const isWaiting = new Promise((resolve) => (waits = resolve));
        let release;
        const gate = new Promise((resolve) => (release = resolve));
        storage.replaced = async (...args) => {
          waits();
          await gate;
          await storage.inner.transact(...args);
        };
        const pressed = s.guard.retry();
        await isWaiting;
        await s.chat.stop();
        release();
        assert.equal((await pressed).type, 'not-sent');
        await delay(50);
        assert.equal(s.count, 2);
        assert.equal(s.guard.ledger().filter(({ type }) => type === 'acted').length, 0);
        storage.replaced = undefined;
        assert.equal((await s.guard.retry()).type, 'sent');
        assert.equal(s.wire('c1').approval.approved, choice === 'allow-once');
      });
    }

    test('law 13, one press of retry() beside a commit sends once, also if that request is lost', async () => {
      const inner = storageOf();
      let last = Promise.resolve();
      // One transaction after the other, as a database has them.
      const transact = (...args) => {
        const done = last.then(() => delay(5)).then(() => inner.transact(...args));
        last = done.catch(() => {});
        return done;
      };
      const page = reloadable(sdk, { storage: { ...inner, transact } });
      const s = await page.load({ script: [one, reject(new TypeError('fetch failed')), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await delay(100);
      assert.equal(s.count, 2);
      assert.equal(s.call('c1').status, 'in-doubt');
      // A second press says that the call may run twice, and sends it again.
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 3);
    });

    for (const [when, pause] of [
      ['in the tick of an answer', () => null],
      ['while an answer is being stored', () => delay(2)],
      ['while a request is on its way', ({ started }) => started],
    ]) {
      test(`law 16, a press of retry() ${when} does not repeat a call that has run meanwhile`, async () => {
        const inner = storageOf();
        let last = Promise.resolve();
        const transact = (...args) => {
          const done = last.then(() => delay(5)).then(() => inner.transact(...args));
          last = done.catch(() => {});
          return done;
        };
        const page = reloadable(sdk, { storage: { ...inner, transact } });
        const lost = live();
        const s = await page.load({ script: [one, lost, says()] });
        await s.say();
        void s.answer('c1', true);
        await pause(lost);
        const press = s.guard.retry();
        await lost.started;
        lost.fail(new TypeError('connection lost'));
        await press;
        await delay(100);
        assert.equal(s.count, 2);
        assert.equal(s.call('c1').status, 'in-doubt');
        // A second press says that the call may run twice, and sends it again.
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 3);
      });
    }

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

    let chats = 0;
    /** Two tabs of one chat, and a function that holds all later transactions of the first one. */
    async function twoTabs({ shown = messages, ...options } = {}, script = [says()], its = [says()]) {
      const rows = new Map();
      const storage = replaceable(rows);
      const id = `shared-${chats++}`;
      const open = (storage = storageOf(rows), script = [says()]) =>
        reloadable(sdk, { storage }).load({
          messages: structuredClone(shown),
          script,
          guard: { chatId: id, ...options },
          chat: { id },
        });
      const first = await open(storage, script);
      const other = await open(undefined, its);
      /** From the moment on in which `when()` holds, until `gate` is settled. */
      const hold = (gate, when) => {
        storage.replaced = async (...args) => {
          if (when()) await gate;
          storage.inner.transact(...args);
        };
      };
      return { id, storage, first, other, open, hold };
    }

    /** Without a page there is no channel, so a tab reads what is new when a person acts. */
    const untilElsewhere = (tab) =>
      until(async () => {
        assert.notEqual((await tab.guard.resume()).type, 'sent');
        return tab.call('c1').status === 'elsewhere';
      });

    for (const shows of ['the question', 'a yes']) {
      test(`a tab is stopped while its claim waits: the other tab, which shows ${shows}, asks again and can answer`, async () => {
        const { storage, first, other, hold } = await twoTabs();
        let release;
        const gate = new Promise((resolve) => (release = resolve));
        hold(gate, () => typesOf(storage).includes('answered'));
        first.guard.decide('c1', 'allow-once');
        await untilElsewhere(other);
        if (shows === 'a yes') await other.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
        const stopped = first.chat.stop();
        release();
        await stopped;
        await until(() => other.call('c1').status === 'asking');
        assert.equal(other.verdict().reason, 'waiting');
        assert.equal(other.home('c1').state, 'approval-requested');
        assert.deepEqual([first.count, other.count], [0, 0]);
        assert.equal(other.guard.decide('c1', 'allow-once').type, 'drafted');
        await until(() => other.count === 1);
        assert.equal(other.wire('c1').approval.approved, true);
        await untilElsewhere(first);
        assert.equal(first.count, 0);
      });
    }

    test('a tab that was given up takes its answer back: the other tab does not send it', async () => {
      const { storage, first, other, hold } = await twoTabs();
      let release;
      const gate = new Promise((resolve) => (release = resolve));
      hold(gate, () => typesOf(storage).includes('answered'));
      first.guard.decide('c1', 'allow-once');
      await untilElsewhere(other);
      await until(() => other.call('c1').status === 'answered');
      const stopped = first.chat.stop();
      release();
      await stopped;
      await until(() => typesOf(storage).includes('withdrawn'));
      assert.deepEqual(await other.guard.resume(), { type: 'nothing-to-send' });
      assert.equal(other.call('c1').status, 'asking');
      assert.deepEqual([first.count, other.count], [0, 0]);
    });

    test('a tab is silent while its claim waits: the other tab can send the answer', async () => {
      const { storage, first, other, hold } = await twoTabs();
      hold(never, () => typesOf(storage).includes('answered'));
      first.guard.decide('c1', 'allow-once');
      await untilElsewhere(other);
      await until(() => other.call('c1').status === 'answered');
      assert.deepEqual(await other.guard.resume(), { type: 'sent' });
      await until(() => other.count === 1);
      assert.equal(first.count, 0);
      first.guard.dispose();
    });

    test('a no and a yes of one tab leave together: another tab sends neither of them while that tab lives', async () => {
      const parts = ['c1', 'c2'].map((id) => ({ ...asking(id, 'rm'), input: { path: `/${id}` } }));
      const { storage, first, other, hold } = await twoTabs({ shown: [user(), assistant('a1', ...parts)] });
      let release;
      const gate = new Promise((resolve) => (release = resolve));
      hold(gate, () => typesOf(storage).includes('answered'));
      first.guard.decide('c1', 'deny');
      first.guard.decide('c2', 'allow-once');
      await until(async () => {
        assert.deepEqual(await other.guard.resume(), { type: 'nothing-to-send' });
        return other.call('c2').status === 'elsewhere';
      });
      assert.equal(other.call('c1').decision, 'denied');
      assert.deepEqual(await other.guard.retry(), { type: 'nothing-to-send' });
      release();
      await until(() => first.count === 1);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => first.wire(id).approval.approved),
        [false, true],
      );
      assert.equal(other.count, 0);
    });

    for (const [mine, its] of [
      ['allow-once', 'deny'],
      ['deny', 'allow-once'],
    ]) {
      test(`the storage of a tab that has said ${mine} fails until the other tab has sent ${its}: both show what was sent`, async () => {
        const { storage, first, other } = await twoTabs({}, [says(), says()]);
        let claims = 0;
        let isBroken = false;
        storage.replaced = (chat, from, judge) => {
          // A denial that was stored would win, so it is not stored.
          if (isBroken || mine === 'deny') {
            claims += 1;
            return Promise.reject(busy());
          }
          let isClaim = false;
          storage.inner.transact(chat, from, (stored) => {
            const change = judge(stored);
            isClaim = change?.append?.some((text) => text.includes('"sent"')) === true;
            return isClaim ? undefined : change;
          });
          if (!isClaim) return undefined;
          claims += 1;
          isBroken = true;
          return Promise.reject(busy());
        };
        if (mine === 'deny') void first.chat.addToolApprovalResponse({ id: 'ap-c1', approved: false });
        else first.guard.decide('c1', mine);
        await until(() => (mine === 'deny' ? first.chat.status === 'error' : claims > 0));
        other.guard.decide('c1', its);
        await until(() => other.count === 1 && other.chat.status === 'ready');
        storage.replaced = undefined;
        await until(async () => {
          await first.guard.retry().catch(() => {});
          return first.call('c1').decision === (its === 'deny' ? 'denied' : 'allowed');
        }, 20_000);
        assert.equal(first.count, 0);
        assert.equal(other.wire('c1').approval.approved, its !== 'deny');
        assert.notEqual(first.verdict().reason, 'failed');
        assert.deepEqual(await first.guard.retry(), { type: 'nothing-to-send' });
      });
    }

    test('a tab whose storage is busy for some time looks again by itself, and does not wait for a tab that is gone', async () => {
      const { first, other, storage, hold, open } = await twoTabs();
      const busyFor = replaceable(storage.inner.rows);
      const third = await open(busyFor);
      hold(never, () => typesOf(storage).includes('answered'));
      first.guard.decide('c1', 'allow-once');
      await untilElsewhere(third);
      let refused = 0;
      busyFor.replaced = () => (refused++, Promise.reject(busy()));
      await until(() => refused > 0);
      busyFor.replaced = undefined;
      // Nobody acts.
      await until(() => third.call('c1').status === 'answered');
      assert.deepEqual(await third.guard.resume(), { type: 'sent' });
      assert.deepEqual([first.count, other.count, third.count], [0, 0, 1]);
      first.guard.dispose();
    });

    test('a tab that could not claim tells the others as soon as the storage works again', async () => {
      const { first, other, storage } = await twoTabs();
      storage.replaced = (...args) => {
        if (!typesOf(storage).includes('answered')) return storage.inner.transact(...args);
        return Promise.reject(busy());
      };
      first.guard.decide('c1', 'allow-once');
      await until(() => first.chat.status === 'error', 30_000);
      storage.replaced = undefined;
      // Nobody acts in it.
      await until(() => typesOf(storage).includes('failed'));
      await until(async () => {
        assert.notEqual((await other.guard.resume()).type, 'sent');
        return other.verdict().reason === 'failed';
      });
      assert.deepEqual(await other.guard.retry(), { type: 'sent' });
      assert.deepEqual([first.count, other.count], [0, 1]);
    });

    test('a message in one tab while the request of another one runs: the model is told the truth', async () => {
      const { first, other, open } = await twoTabs({}, [hanging()]);
      first.guard.decide('c1', 'allow-once');
      await until(() => first.count === 1);
      await untilElsewhere(other);
      await other.say('and now?');
      await until(() => other.chat.status === 'ready');
      await other.record.settled();
      // The yes was sent and may run, whatever the other list says.
      const third = await open();
      assert.deepEqual([third.call('c1').status, third.call('c1').decision], ['in-doubt', 'allowed']);
      const { allowed, abandoned } = third.record.metrics();
      assert.deepEqual({ allowed, abandoned }, { allowed: 1, abandoned: 0 });
      assert.equal(first.call('c1').status, 'delivered');
      const { approved, reason } = other.wire('c1', other.requests[0]).approval;
      assert.equal(approved, false);
      assert.match(reason, /it is not known whether the call ran/);
      assert.deepEqual([first.count, other.count], [1, 1]);
    });

    for (const [answer, refused] of [
      ['refuses', true],
      ['answers', false],
    ]) {
      test(`laws 5 and 6: a message in one tab, which the server ${answer}, takes no output from the tab whose request runs`, async () => {
        const shown = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'rm'))];
        const running = live();
        const reply = refused ? reject(Object.assign(new Error('409'), { statusCode: 409 })) : says();
        const { first, other } = await twoTabs({ shown }, [running, says()], [reply, says()]);
        first.guard.decideAll(['c1', 'c2'], 'allow-once');
        await running.started;
        running.push(start(), outputAvailable('c1', 'the result'));
        await until(() => first.home('c1').state === 'output-available');
        await first.record.settled();
        await untilElsewhere(other);
        await other.say('and now?');
        await other.record.settled();
        running.push(outputAvailable('c2'), startStep, text('Done.'), finishStep, finish());
        running.close();
        await until(() => first.chat.status === 'ready');
        await first.record.settled();
        await first.say('next');
        assert.deepEqual(first.codes(), []);
        for (const id of ['c1', 'c2']) {
          const { status, decision } = first.call(id);
          assert.deepEqual({ status, decision }, { status: 'settled', decision: 'allowed' });
        }
        for (const part of [first.home('c1'), first.wire('c1')]) {
          const { state, output } = part;
          assert.deepEqual({ state, output }, { state: 'output-available', output: 'the result' });
        }
        assert.deepEqual([first.count, other.count], [2, 1]);
      });
    }

    test('laws 5 and 6: a message in one tab takes no output from a tab whose page ran the call, and whose step waits', async () => {
      const parts = [asking('c1', 'ui'), asking('c2', 'rm')];
      const { first, other } = await twoTabs({
        shown: [user(), assistant('a1', ...parts)],
        clientTools: ['ui'],
      });
      await first.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      await first.put('c1', 'the result');
      await first.record.settled();
      await untilElsewhere(other);
      await other.say('and now?');
      await other.record.settled();
      await first.guard.retry();
      await first.say('next');
      assert.deepEqual(first.codes(), []);
      assert.equal(first.call('c1').decision, 'allowed');
      for (const part of [first.home('c1'), first.wire('c1')]) {
        const { state, output } = part;
        assert.deepEqual({ state, output }, { state: 'output-available', output: 'the result' });
      }
    });

    test('law 4: a denial that another tab has sent leaves as settled before a message of this tab', async () => {
      const { first, other } = await twoTabs({}, [hanging()]);
      first.guard.decide('c1', 'deny');
      await until(() => first.count === 1);
      await untilElsewhere(other);
      await other.say('and now?');
      assert.equal(other.wire('c1').state, 'output-denied', '`ai` 6 takes no other denial before a message');
    });

    test('law 3: a tab whose response shows a call before its question knows that the other tab has asked about its input', async () => {
      const page = reloadable(sdk);
      const its = live();
      const first = await page.load({ script: [its, says()] });
      void first.send('go');
      await its.started;
      const shown = structuredClone(first.chat.messages);
      const question = { ...asking('c1', 'rm'), input: { path: '/a' } };
      const other = await page.load({
        messages: [...shown, assistant('a1', question)],
        script: [says()],
        keepOpen: true,
      });
      its.push(start('a1'), startStep, toolCall('c1', 'rm', { path: '/a' }));
      await until(() => first.call('c1') !== undefined);
      await first.guard.resume();
      its.push(approvalRequest('c1'), finishStep, finish());
      its.close();
      await until(() => first.chat.status === 'ready');
      first.guard.decide('c1', 'allow-once');
      await until(() => first.count === 2 && first.chat.status === 'ready');
      await first.record.settled();
      other.guard.decide('c1', 'allow-once');
      await delay(300);
      assert.equal(other.count, 0, 'law 2: it was sent once');
      assert.equal(other.call('c1').status, 'elsewhere');
      assert.equal(other.guard.getSnapshot().batch.action, undefined);
    });

    test('law 13: a tab that first sees a call while its input streams takes nothing back from the tab that has sent its answer', async () => {
      const page = reloadable(sdk);
      const [its, sent] = [live(), live()];
      const first = await page.load({ script: [its, says()] });
      void first.send('go');
      await its.started;
      const shown = structuredClone(first.chat.messages);
      const question = { ...asking('c1', 'rm'), input: { path: '/a' } };
      const other = await page.load({
        messages: [...shown, assistant('a1', question)],
        script: [sent, says()],
        keepOpen: true,
      });
      other.guard.decide('c1', 'allow-once');
      await sent.started;
      its.push(start('a1'), startStep, { type: 'tool-input-start', toolCallId: 'c1', toolName: 'rm' });
      for (const inputTextDelta of ['{"pa', 'th":"/a"}']) {
        its.push({ type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta });
        await delay(20);
      }
      await first.guard.resume();
      assert.equal(first.call('c1').status, 'elsewhere');
      its.push(toolCall('c1', 'rm', { path: '/a' }), approvalRequest('c1'), finishStep, finish());
      its.close();
      await until(() => first.chat.status === 'ready');
      await first.record.settled();
      assert.equal(first.call('c1').status, 'elsewhere');
      sent.fail(new Error('connection lost'));
      await until(() => other.guard.getSnapshot().batch.action === 'retry');
      assert.deepEqual(await other.guard.retry(), { type: 'sent' });
    });

    test('law 16: a press of retry() repeats nothing that only its own reading of the record shows to be in doubt', async () => {
      // Without a channel, no tab hears of another one before it reads.
      const page = reloadable(sdk, { storage: storageOf() });
      const messages = [user(), assistant('a1', { ...asking('c1', 'rm'), input: { path: '/a' } })];
      const sent = live();
      const first = await page.load({ messages, script: [sent] });
      const other = await page.load({ messages, script: [says()], keepOpen: true });
      first.guard.decide('c1', 'allow-once');
      await sent.started;
      sent.fail(new Error('connection lost'));
      await until(() => first.chat.status === 'error');
      await first.record.settled();
      assert.deepEqual([other.call('c1').status, other.call('c1').mayHaveRun], ['asking', false]);
      assert.deepEqual(await other.guard.retry(), { type: 'not-sent' });
      assert.deepEqual([other.call('c1').status, other.call('c1').mayHaveRun], ['in-doubt', true]);
      assert.deepEqual(await other.guard.retry(), { type: 'sent' });
    });

    test('law 13: what did not arrive is for retry() in its tab, also beside an answer that another tab has given since', async () => {
      const page = reloadable(sdk, { guard: { sendEach: true } });
      const asks = [
        ['c1', '/a'],
        ['c2', '/b'],
      ].map(([id, path]) => ({ ...asking(id, 'rm'), input: { path } }));
      const both = [user(), assistant('a1', ...asks)];
      const sent = live();
      const first = await page.load({ messages: both, script: [sent, says()] });
      const other = await page.load({ messages: both, script: [], keepOpen: true });
      first.guard.decide('c1', 'allow-once');
      await sent.started;
      sent.fail(new Error('connection lost'));
      await until(() => first.chat.status === 'error');
      await first.record.settled();
      await other.guard.resume();
      other.guard.decide('c2', 'allow-once');
      await other.record.settled();
      await first.guard.resume();
      assert.equal(first.call('c2').status, 'elsewhere');
      assert.equal(first.guard.getSnapshot().batch.action, 'retry');
      assert.deepEqual(await first.guard.retry(), { type: 'sent' });
      for (const id of ['c1', 'c2']) assert.equal(first.wire(id).approval.approved, true);
    });

    test('law 14: a continue that the question of another tab keeps back is no failure, and no storage was slow', async () => {
      const page = reloadable(sdk);
      const s = await page.load({ messages, script: [says()], guard: { sendOn: 'outputs' } });
      s.guard.decide('c1', 'allow-once');
      s.guard.commit();
      await s.record.settled();
      const asksAnew = [user(), assistant('a1', { ...asking('c1', 'rm'), input: { path: '/b' } })];
      const other = await page.load({ messages: asksAnew, script: [], keepOpen: true });
      assert.equal(other.call('c1').status, 'asking');
      await other.record.settled();
      assert.deepEqual(await s.guard.retry(), { type: 'not-sent' });
      assert.deepEqual([s.count, s.chat.status, s.codes()], [0, 'ready', []]);
    });

    test('law 1: a page whose list has half of an input offers no answer, although the record has the question', async () => {
      const half = {
        ...asking('c1', 'rm'),
        state: 'input-streaming',
        input: { path: '/a' },
        approval: undefined,
      };
      const page = reloadable(sdk);
      await page.load({ messages, script: [] });
      const list = [user(), assistant('a1', half)];
      const s = await page.load({ messages: list, script: [says()], keepOpen: true });
      const { allow, deny } = s.call('c1').can;
      assert.deepEqual({ allow, deny }, { allow: false, deny: false });
      for (const choice of ['deny', 'allow-once']) {
        const { type, reason } = s.guard.decide('c1', choice);
        assert.deepEqual([type, reason], ['refused', 'not-asking']);
      }
      assert.equal(s.verdict().send, false);
      assert.equal(s.guard.getSnapshot().batch.inputLocked, false, 'a message closes nothing');
      await s.say('go on');
      assert.equal(s.count, 1);
      assert.equal(s.wire('c1').state, 'input-streaming', 'it leaves as it is (law 4)');
    });

    test('a tool of the page runs in the tab that has answered its call, and in no other', async () => {
      const parts = [asking('c1', 'ui'), asking('c2', 'rm')];
      const options = { shown: [user(), assistant('a1', ...parts)], clientTools: ['ui'], outputMs: 1_000 };
      const { first, other } = await twoTabs(options);
      const needs = (tab) => tab.verdict().waitingFor.map(({ toolCallId, need }) => [toolCallId, need]);
      first.guard.decideAll(['c1', 'c2'], 'allow-once');
      await until(() => first.home('c1').state === 'approval-responded');
      await untilElsewhere(other);
      assert.deepEqual(needs(first), [['c1', 'output']]);
      assert.deepEqual(needs(other), [['c1', 'elsewhere']]);
      const { send, reason } = other.verdict();
      assert.deepEqual({ send, reason }, { send: false, reason: 'waiting' }, 'law 1: it has no output yet');
      await first.put('c1', 'the result');
      await until(() => first.count === 1 && first.chat.status === 'ready');
      // Its time to run is none of the other tab either.
      await delay(1_500);
      await other.guard.resume();
      assert.equal(other.home('c1').output, undefined);
      assert.ok(needs(other).every(([, need]) => need !== 'output'));
      assert.deepEqual([first.count, other.count], [1, 0]);
      assert.equal(first.wire('c1').output, 'the result');
      assert.deepEqual([...first.codes(), ...other.codes()], []);
    });

    test('a tool of the page whose tab is gone runs in the one that is left', async () => {
      const shown = [user(), assistant('a1', asking('c1', 'ui'))];
      const { first, other, open } = await twoTabs({ shown, clientTools: ['ui'] });
      first.guard.decide('c1', 'allow-once');
      await untilElsewhere(other);
      first.guard.dispose();
      const again = await open();
      const waits = again.verdict().waitingFor.map(({ need }) => need);
      assert.deepEqual([again.call('c1').decision, waits], ['allowed', ['output']]);
    });

    test('a tab that goes alone shows no draft of an open tab: the call asks', async () => {
      const { storage, first, other } = await twoTabs({ undoMs: Infinity });
      const { rows } = storage.inner;
      const older = [...rows];
      first.guard.decide('c1', 'allow-once');
      await first.record.settled();
      await other.guard.resume();
      for (const [chat, row] of older) rows.set(chat, row);
      await other.guard.resume();
      assert.deepEqual(other.codes(), ['record-rolled-back']);
      assert.deepEqual([first.call('c1').status, other.call('c1').status], ['drafted', 'asking']);
      assert.notEqual(other.guard.commit().type, 'committing');
      await delay(100);
      assert.equal(other.count, 0);
    });

    for (const [way, allow] of [
      ['through the chat', (tab) => tab.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true })],
      ['as a draft', (tab) => (tab.guard.decide('c1', 'allow-once'), tab.guard.commit())],
    ])
      for (const code of ['storage-lost', 'record-rolled-back'])
        test(`law 3: a tab that goes alone (${code}) sends what it allows ${way}, although another tab had drafted a denial`, async () => {
          const { storage, first, other } = await twoTabs({ undoMs: Infinity });
          const { rows } = storage.inner;
          const older = code === 'storage-lost' ? [] : [...rows];
          first.guard.decide('c1', 'deny');
          await first.record.settled();
          await other.guard.resume();
          rows.clear();
          for (const [chat, row] of older) rows.set(chat, row);
          await other.guard.resume();
          assert.deepEqual(other.codes(), [code]);
          assert.equal(other.call('c1').status, 'asking');
          await allow(other);
          await until(() => other.count === 1, 2_000);
          assert.equal(other.wire('c1').approval.approved, true);
        });

    for (const later of [false, true]) {
      for (const failure of ['refused', 'broken off']) {
        test(`law 13: retry() in two tabs after a request that was ${failure} sends once, ${later ? 'with promises' : 'at once'}`, async () => {
          const rows = new Map();
          const id = `retried-${chats++}`;
          const open = (script) =>
            reloadable(sdk, { storage: storageOf(rows, { later }) }).load({
              messages: structuredClone(messages),
              script,
              guard: { chatId: id },
              chat: { id },
            });
          const lost = new TypeError('fetch failed');
          const first = await open([failure === 'refused' ? reject() : reject(lost), says()]);
          first.guard.decide('c1', 'allow-once');
          await until(() => first.chat.status === 'error');
          await first.record.settled();
          // They were opened after the answer, so they do not show it as another tab's.
          const other = await open([says()]);
          const third = await open([says()]);
          const [, sent] = await Promise.all([first.guard.retry(), other.guard.retry()]);
          assert.deepEqual(sent, { type: 'not-sent' });
          await until(() => first.chat.status === 'ready');
          await first.record.settled();
          for (const tab of [other, third]) {
            assert.deepEqual(await tab.guard.retry(), { type: 'nothing-to-send' });
            assert.equal(tab.verdict().reason, 'already-sent');
            assert.deepEqual([tab.count, tab.codes()], [0, []]);
          }
          assert.equal(first.count, 2);
        });
      }
    }

    test('law 3: a Stop takes nothing back that another tab has answered before', async () => {
      const { first, other } = await twoTabs();
      // Both say yes, and the first one is stored.
      void first.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      void other.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      await delay(0);
      await other.chat.stop();
      await until(() => first.count === 1);
      assert.equal(first.wire('c1').approval.approved, true);
      await untilElsewhere(other);
      assert.equal(other.count, 0);
    });

    for (const approved of [true, false]) {
      test(`an answer through the chat before the record was read is that of all tabs: ${approved}`, async () => {
        const { id, other, open, storage } = await twoTabs();
        const slow = storageOf(storage.inner.rows);
        const { transact } = slow;
        slow.transact = async (...args) => {
          await delay(30);
          return transact(...args);
        };
        const record = createRecord({ storage: slow });
        const s = scene(sdk, {
          messages: structuredClone(messages),
          script: [says()],
          guard: { chatId: id, record },
          chat: { id },
        });
        void s.chat.addToolApprovalResponse({ id: 'ap-c1', approved });
        await until(() => s.count === 1);
        await record.settled();
        const [answer] = record.entries().filter(({ type }) => type === 'answered');
        assert.equal(answer.inputHash, record.hashOf('rm', { path: '/a' }));
        assert.deepEqual(await other.guard.resume(), { type: 'nothing-to-send' });
        assert.equal(other.call('c1').decision, approved ? 'allowed' : 'denied');
        assert.equal(other.guard.decide('c1', 'deny').type, 'refused');
        const third = await open();
        assert.equal(third.call('c1').decision, approved ? 'allowed' : 'denied');
        assert.deepEqual([other.count, third.count], [0, 0]);
      });
    }

    for (const undone of [false, true]) {
      test(`law 7: a yes of the chat itself after a denial that another tab has drafted is refused, as in one tab${undone ? '; undone, the call can be allowed' : ''}`, async () => {
        const { storage, first, other } = await twoTabs({ undoMs: Infinity });
        assert.equal(first.guard.decide('c1', 'deny').type, 'drafted');
        await first.record.settled();
        await other.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
        await until(() => other.home('c1').state === 'approval-requested');
        await until(() => other.chat.status === 'ready');
        assert.equal(other.call('c1').status, 'asking');
        assert.equal(other.home('c1').approval.approved, undefined);
        assert.equal(other.guard.ledger().filter(({ type }) => type === 'refused').length, 1);
        assert.equal(other.verdict().reason, 'waiting');
        await other.record.settled();
        assert.deepEqual([first.count, other.count], [0, 0]);
        assert.ok(!typesOf(storage).includes('answered'));
        if (undone) {
          assert.equal(first.guard.undo('c1').type, 'undone');
          await first.record.settled();
          await other.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
          await until(() => other.count === 1);
          assert.equal(other.wire('c1').approval.approved, true);
        } else {
          first.guard.commit();
          await until(() => first.count === 1);
          assert.equal(first.wire('c1').approval.approved, false);
        }
        assert.equal(first.count + other.count, 1);
      });
    }

    test('a commit that could not be stored is made when the storage works again, however long an undo is possible', async () => {
      for (const how of ['made', 'undone']) {
        const storage = replaceable();
        const s = await reloadable(sdk, { storage, guard: { undoMs: Infinity } }).load({
          messages,
          script: [says()],
        });
        s.guard.decide('c1', 'allow-once');
        await s.record.settled();
        storage.replaced = () => Promise.reject(busy());
        assert.equal(s.guard.commit().type, 'committing');
        await until(() => s.codes().length > 0);
        if (how === 'undone') {
          assert.equal(s.guard.undo('c1').type, 'undone');
          assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
        }
        storage.replaced = undefined;
        if (how === 'made') await until(() => s.count === 1);
        else await delay(2_000);
        assert.equal(s.call('c1').status, how === 'made' ? 'delivered' : 'drafted');
        assert.equal(s.count, how === 'made' ? 1 : 0);
      }
    });

    test('retry() and resume() tell with a value that the storage did not answer', async () => {
      const storage = replaceable();
      const s = await reloadable(sdk, { storage }).load({ messages, script: [reject(), says()] });
      s.guard.decide('c1', 'allow-once');
      await until(() => s.chat.status === 'error');
      await s.record.settled();
      storage.replaced = () => Promise.reject(busy());
      for (const send of ['retry', 'resume']) {
        assert.deepEqual(await s.guard[send](), { type: 'not-sent' });
      }
      assert.deepEqual(new Set(s.codes()), new Set(['storage-timeout']));
      storage.replaced = undefined;
      assert.equal(s.count, 1);
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
    });

    test('a storage that says storage-busy once goes on to be shared', async () => {
      const { storage, first, other } = await twoTabs();
      let refused = 0;
      storage.replaced = (...args) => {
        if (refused++ > 0) return storage.inner.transact(...args);
        throw Object.assign(new Error('offline'), { code: 'storage-busy' });
      };
      first.guard.decide('c1', 'allow-once');
      await until(() => first.count === 1);
      await untilElsewhere(other);
      assert.ok(refused > 1);
      assert.equal(other.guard.decide('c1', 'allow-once').type, 'refused');
      assert.equal(other.count, 0);
    });

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
  });

// Most of them wait until a storage counts as silent, which takes seconds: all at once.
describe('both majors', { concurrency: true }, () => forEachSdk(transactions));
