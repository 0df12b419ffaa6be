// Every store keeps the contract, over a real database and two connections; and the suite finds stores that do not.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { memoryClaims } from 'tool-approval-guard/claims';
import { testClaimStore } from 'tool-approval-guard/claims/testing';

import { stores } from './support/stores.mjs';

for (const [name, start] of Object.entries(stores)) {
  describe(`the store ${name}`, () => {
    let database;
    before(async () => (database = await start()));
    after(() => database.close());

    test('keeps the contract', async (t) => {
      const waiting = [];
      const [one, two] = [await database.open(), await database.open()];
      await testClaimStore(one, {
        reopen: () => two,
        test: (what, run) => waiting.push([what, run]),
      });
      assert.ok(waiting.length >= 10);
      for (const [what, run] of waiting) await t.test(what, run);
    });
  });
}

describe('the suite finds a store that', () => {
  const broken = {
    'writes although judge has thrown': (store) => ({
      ...store,
      transact: async (chat, ids, judge) => {
        let error;
        await store.transact(chat, ids, (stored) => {
          try {
            return judge(stored);
          } catch (cause) {
            error = cause;
            return [{ id: 'a', data: 'x', forgettableFrom: 1 }];
          }
        });
        if (error) throw error;
      },
    }),
    'forgets what is in doubt': (store) => ({
      ...store,
      forget: () => store.forget(Infinity),
      transact: (chat, ids, judge) =>
        store.transact(chat, ids, (stored) => judge(stored).map((it) => ({ ...it, forgettableFrom: 0 }))),
    }),
    'lists what does not wait': (store) => ({
      ...store,
      transact: (chat, ids, judge) =>
        store.transact(chat, ids, (stored) => judge(stored).map((it) => ({ ...it, waitingFrom: 1 }))),
    }),
    'loses results': (store) => ({
      ...store,
      transact: (chat, ids, judge) =>
        store.transact(chat, ids, (stored) =>
          judge(stored).map((it) => ({ ...it, result: it.result ?? '' })),
        ),
    }),
    'mixes chats': (store) => ({
      ...store,
      transact: (_chat, ids, judge) => store.transact('one', ids, judge),
    }),
    'lets transactions overlap': (store) => ({
      ...store,
      transact: async (chat, ids, judge) => {
        let found;
        await store.transact(chat, ids, (stored) => ((found = stored), []));
        const writes = judge(found);
        await new Promise((resolve) => setTimeout(resolve, 1));
        await store.transact(chat, ids, () => writes);
      },
    }),
    'finds no doubt': (store) => ({ ...store, doubtful: async () => [] }),
  };
  for (const [what, breaks] of Object.entries(broken)) {
    test(what, () => assert.rejects(testClaimStore(breaks(memoryClaims())), /must be/));
  }
});
