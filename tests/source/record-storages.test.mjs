// The storages of a record: each keeps the contract, and what goes wrong with IndexedDB is told apart. The order of
// events is that of `fake-indexeddb`.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { IDBDatabase, IDBFactory, IDBKeyRange, IDBObjectStore, IDBTransaction } from 'fake-indexeddb';
import { JSDOM } from 'jsdom';

import { load } from './load.mjs';

const { testStorage } = await load('record/testing');
const { memoryStorage } = await load('record/storage/memory');
const { webSessionStorage } = await load('record/storage/web-session');
const { indexedDbStorage } = await load('record/storage/indexed-db');
const { storageErrorOf } = await load('record/storage/errors');

const NAME = 'tool-approval-guard';
const raise = (error) => () => {
  throw error;
};
const named = (name) => new DOMException(name, name);
/** Sets a global for the time of a test. */
const restores = [];
function setGlobal(name, descriptor) {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { configurable: true, ...descriptor });
  restores.push(() => (before ? Object.defineProperty(globalThis, name, before) : delete globalThis[name]));
}
function patch(object, name, change) {
  const before = object[name];
  object[name] = change(before);
  restores.push(() => void (object[name] = before));
}
afterEach(() => {
  for (const restore of restores.splice(0).reverse()) restore();
});

const read = async (storage, chat, from = 0) => {
  let found;
  await storage.transact(chat, from, (stored) => void (found = stored));
  return found;
};
const append =
  (...texts) =>
  () => ({ append: texts });

describe('memory', () => {
  const storage = memoryStorage();
  void testStorage(storage, { test });

  test('it writes before transact returns', () => {
    assert.equal(storage.transact('chat', 0, append('a')), undefined);
    let found;
    storage.transact('chat', 0, (stored) => void (found = stored));
    assert.deepEqual(found.entries, ['a']);
  });
});

describe('session', () => {
  const { window } = new JSDOM('', { url: 'https://example.com/' });
  beforeEach(() => setGlobal('sessionStorage', { value: window.sessionStorage }));
  void testStorage(webSessionStorage(), { test, reopen: webSessionStorage });

  test('other keys of the tab stay', () => {
    window.sessionStorage.setItem('other', 'kept');
    const storage = webSessionStorage();
    storage.transact('chat', 0, append('a'));
    storage.prune(Infinity, 0);
    assert.deepEqual(Object.keys(window.sessionStorage), ['other']);
  });

  for (const [what, descriptor, code] of [
    ['is missing', { value: undefined }, 'storage-blocked'],
    ['is null', { value: null }, 'storage-blocked'],
    ['may not be read', { get: raise(named('SecurityError')) }, 'storage-blocked'],
    [
      'is full',
      { value: { getItem: () => null, setItem: raise(named('QuotaExceededError')) } },
      'storage-full',
    ],
    ['holds something else', { value: { getItem: () => '{' } }, 'storage-failed'],
    ['holds something else', { value: { getItem: () => '{}' } }, undefined],
  ]) {
    test(`it ${what}: ${code ?? 'it throws'}`, () => {
      setGlobal('sessionStorage', descriptor);
      assert.throws(
        () => webSessionStorage().transact('chat', 0, append('a')),
        code === undefined ? TypeError : { name: 'GuardError', code },
      );
    });
  }
});

describe('indexeddb', () => {
  let factory;
  beforeEach(() => {
    factory = new IDBFactory();
    setGlobal('indexedDB', { value: factory });
    setGlobal('IDBKeyRange', { value: IDBKeyRange });
  });

  /** Opens the database as another page does. */
  const openRaw = (version, { closes = true, onBlocked = () => {} } = {}) =>
    new Promise((resolve, reject) => {
      const request = factory.open(NAME, version);
      request.onsuccess = () => {
        if (closes) request.result.onversionchange = () => request.result.close();
        resolve(request.result);
      };
      request.onerror = () => reject(request.error);
      request.onblocked = onBlocked;
    });
  const deleteDatabase = (events = []) =>
    new Promise((resolve) => {
      const request = factory.deleteDatabase(NAME);
      request.onblocked = () => events.push('blocked');
      request.onsuccess = () => resolve(events);
    });
  /** Holds a transaction over all stores until the returned function is called. */
  const holdTransaction = (database) => {
    const transaction = database.transaction(['records', 'entries'], 'readwrite');
    let isHeld = true;
    const goOn = () => {
      if (isHeld) transaction.objectStore('records').get('x').onsuccess = goOn;
    };
    goOn();
    return () => void (isHeld = false);
  };
  const rejects = (promise, code) => assert.rejects(promise, { name: 'GuardError', code });

  void testStorage(
    {
      // The suite is registered before the first test makes a database.
      transact: (...args) => indexedDbStorage().transact(...args),
      remove: (...args) => indexedDbStorage().remove(...args),
      prune: (...args) => indexedDbStorage().prune(...args),
    },
    { test, reopen: indexedDbStorage },
  );

  test('nothing is opened before the first use', async () => {
    indexedDbStorage();
    await delay(5);
    assert.deepEqual(await factory.databases(), []);
  });

  test('one transaction reads, judges and writes, and is strict; its promise is fulfilled when it is complete', async () => {
    const storage = indexedDbStorage();
    await read(storage, 'chat');
    const events = [];
    patch(
      IDBDatabase.prototype,
      'transaction',
      (before) =>
        function (...args) {
          const transaction = before.apply(this, args);
          events.push(`${args[1]} ${args[2].durability} ${args[0].join(' ')}`);
          transaction.addEventListener('complete', () => events.push('complete'));
          return transaction;
        },
    );
    for (const name of ['get', 'getAll', 'put', 'delete']) {
      patch(
        IDBObjectStore.prototype,
        name,
        (before) =>
          function (...args) {
            events.push(`${name} ${this.name}`);
            return before.apply(this, args);
          },
      );
    }
    await storage.transact('chat', 0, () => {
      events.push('judge');
      return { head: 'h', append: ['a', 'b'], first: 1 };
    });
    events.push('fulfilled');
    assert.deepEqual(events, [
      'readwrite strict records entries',
      'get records',
      'getAll entries',
      'judge',
      'put entries',
      'put entries',
      'delete entries',
      'put records',
      'complete',
      'fulfilled',
    ]);
  });

  test('the second of two connections judges when the first is complete', async () => {
    const [one, two] = [indexedDbStorage(), indexedDbStorage()];
    await Promise.all([read(one, 'chat'), read(two, 'chat')]);
    const events = [];
    const judge = (name) => (stored) => {
      events.push(`${name} sees ${stored.length}`);
      return { append: [name] };
    };
    await Promise.all([
      one.transact('chat', 0, judge('one')).then(() => events.push('one is done')),
      two.transact('chat', 0, judge('two')).then(() => events.push('two is done')),
    ]);
    assert.deepEqual(events, ['one sees 0', 'one is done', 'two sees 1', 'two is done']);
  });

  test('where judge throws, or what it returns cannot be stored, nothing is written, and others go on', async () => {
    const storage = indexedDbStorage();
    const all = await Promise.allSettled([
      storage.transact('chat', 0, append('a')),
      storage.transact('chat', 0, raise('thrown')),
      storage.transact('chat', 0, append('b', Symbol('no text'))),
      storage.transact('chat', 0, append('c')),
    ]);
    assert.deepEqual(
      all.map(({ status, reason }) => reason?.code ?? reason ?? status),
      ['fulfilled', 'thrown', 'storage-failed', 'fulfilled'],
    );
    assert.deepEqual((await read(storage, 'chat')).entries, ['a', 'c']);
  });

  test('deleted by another page: it lets go of the database at once, and begins anew', async () => {
    const storage = indexedDbStorage();
    await storage.transact('chat', 0, append('a'));
    assert.deepEqual(await deleteDatabase(), [], 'nobody is blocked');
    assert.equal((await read(storage, 'chat')).length, 0);
    await storage.transact('chat', 0, append('b'));
    assert.deepEqual((await read(indexedDbStorage(), 'chat')).entries, ['b']);
  });

  test('deleted while transactions run: what has begun is done before, what comes later begins anew', async () => {
    const storage = indexedDbStorage();
    await read(storage, 'chat');
    const before = storage.transact('chat', 0, append('a'));
    const deleted = deleteDatabase();
    const results = await Promise.all([before, deleted, storage.transact('chat', 0, append('b'))]);
    assert.deepEqual(results[1], []);
    assert.ok(!(await read(storage, 'chat')).entries.includes('a'));
  });

  /** The browser ends the transactions of the connection, `count` times, when `name` is asked for. */
  const endTransactions = (name, count) => {
    patch(
      IDBObjectStore.prototype,
      name,
      (before) =>
        function (...args) {
          const request = before.apply(this, args);
          if (count-- > 0) {
            this.transaction.db.close();
            this.transaction._abort('AbortError');
          }
          return request;
        },
    );
  };

  test('closed by the browser before it was judged: it is repeated once, over a new connection', async () => {
    const storage = indexedDbStorage();
    await storage.transact('chat', 0, append('a'));
    endTransactions('getAll', 1);
    let judged = 0;
    await storage.transact('chat', 0, ({ entries }) => {
      judged += 1;
      return { append: [`after ${entries.length}`] };
    });
    assert.equal(judged, 1);
    assert.deepEqual((await read(storage, 'chat')).entries, ['a', 'after 1']);
  });

  test('closed by the browser again and again: storage-lost, and it works when that is over', async () => {
    const storage = indexedDbStorage();
    endTransactions('getAll', 2);
    await rejects(storage.transact('chat', 0, append('a')), 'storage-lost');
    await storage.transact('chat', 0, append('b'));
    assert.deepEqual((await read(storage, 'chat')).entries, ['b']);
  });

  test('closed by the browser after it was judged: storage-lost, and it is not judged again', async () => {
    const storage = indexedDbStorage();
    await storage.transact('chat', 0, append('a'));
    endTransactions('put', 1);
    let judged = 0;
    const judge = () => {
      judged += 1;
      return { append: ['b'] };
    };
    await rejects(storage.transact('chat', 0, judge), 'storage-lost');
    assert.equal(judged, 1);
    assert.deepEqual((await read(storage, 'chat')).entries, ['a'], 'nothing of it is written');
  });

  test('a later version lets it go, and is not touched: storage-newer', async () => {
    const storage = indexedDbStorage();
    await storage.transact('chat', 0, append('a'));
    const events = [];
    const newer = await openRaw(2, { onBlocked: () => events.push('blocked') });
    assert.deepEqual(events, []);
    for (const each of [storage, storage, indexedDbStorage()]) {
      await rejects(each.transact('chat', 0, append('b')), 'storage-newer');
    }
    assert.equal(newer.version, 2);
  });

  test('a page that does not let go of a deleted database: storage-busy, and it works when that is over', async () => {
    await read(indexedDbStorage(), 'chat');
    const holder = await openRaw(1, { closes: false });
    const events = [];
    const deleted = deleteDatabase(events);
    const storage = indexedDbStorage({ patience: 40 });
    await rejects(storage.transact('chat', 0, append('a')), 'storage-busy');
    assert.deepEqual(events, ['blocked']);
    holder.close();
    await deleted;
    await storage.transact('chat', 0, append('b'));
    assert.deepEqual((await read(storage, 'chat')).entries, ['b']);
    // The database that was opened too late is closed, too.
    const versionChange = new Promise((resolve) => setTimeout(resolve, 1_000, 'blocked'));
    assert.notEqual(await Promise.race([deleteDatabase(), versionChange]), 'blocked');
  });

  test('an upgrade that another page blocks: storage-busy at once', async () => {
    const request = {};
    setGlobal('indexedDB', { value: { open: () => request } });
    const opened = indexedDbStorage().transact('chat', 0, append('a'));
    await delay(1);
    request.onblocked();
    await rejects(opened, 'storage-busy');
    let closed = 0;
    request.result = { close: () => (closed += 1) };
    request.onsuccess();
    assert.equal(closed, 1);
  });

  test('a transaction of another page that does not end: storage-busy, and nothing is written', async () => {
    await read(indexedDbStorage(), 'chat');
    const end = holdTransaction(await openRaw(1));
    let judged = 0;
    const storage = indexedDbStorage({ patience: 40 });
    const judge = () => {
      judged += 1;
      return { append: ['a'] };
    };
    await rejects(storage.transact('chat', 0, judge), 'storage-busy');
    await rejects(storage.remove('chat'), 'storage-busy');
    await rejects(storage.prune(0, 0), 'storage-busy');
    end();
    await delay(20);
    assert.equal(judged, 0);
    assert.equal((await read(storage, 'chat')).length, 0);
    await storage.transact('chat', 0, judge);
    assert.equal((await read(storage, 'chat')).length, 1);
  });

  test('no room: storage-full, and nothing is written; what is there can be read', async () => {
    const storage = indexedDbStorage();
    await storage.transact('chat', 0, append('a'));
    patch(
      IDBTransaction.prototype,
      'commit',
      () =>
        function () {
          this._abort('QuotaExceededError');
        },
    );
    await rejects(storage.transact('chat', 0, append('b')), 'storage-full');
    restores.pop()();
    assert.deepEqual((await read(storage, 'chat')).entries, ['a']);
  });

  for (const [what, descriptor, code] of [
    ['is missing', { value: undefined }, 'storage-blocked'],
    ['is null', { value: null }, 'storage-blocked'],
    ['may not be read', { get: raise(named('SecurityError')) }, 'storage-blocked'],
    ['may not be opened', { value: { open: raise(named('SecurityError')) } }, 'storage-blocked'],
  ]) {
    test(`indexedDB ${what}: ${code}`, async () => {
      setGlobal('indexedDB', descriptor);
      await rejects(indexedDbStorage().transact('chat', 0, append('a')), code);
    });
  }

  for (const [name, code] of [
    ['InvalidStateError', 'storage-blocked'],
    ['UnknownError', 'storage-failed'],
    ['QuotaExceededError', 'storage-full'],
    ['VersionError', 'storage-newer'],
  ]) {
    test(`open ends with ${name}: ${code}, and the next use tries again`, async () => {
      let opens = 0;
      const open = () => {
        opens += 1;
        const request = { error: named(name) };
        setTimeout(() => request.onerror());
        return request;
      };
      setGlobal('indexedDB', { value: { open } });
      const storage = indexedDbStorage();
      await rejects(storage.transact('chat', 0, append('a')), code);
      setGlobal('indexedDB', { value: factory });
      await storage.transact('chat', 0, append('a'));
      assert.equal(opens, 1);
    });
  }
});

test('whatever a storage throws becomes a GuardError', () => {
  for (const [cause, code] of [
    [named('QuotaExceededError'), 'storage-full'],
    [Object.assign(new Error('x'), { name: 'NS_ERROR_DOM_QUOTA_REACHED' }), 'storage-full'],
    [named('SecurityError'), 'storage-blocked'],
    [named('VersionError'), 'storage-newer'],
    [new Error('x'), 'storage-failed'],
    [Object.assign(new Error('offline'), { code: 'storage-busy' }), 'storage-busy'],
    [Object.assign(new Error('x'), { code: 'refused' }), 'storage-failed'],
    ['text', 'storage-failed'],
    [null, 'storage-failed'],
    [undefined, 'storage-failed'],
    [
      new Proxy({}, { get: raise(new Error('trap')), getPrototypeOf: raise(new Error('trap')) }),
      'storage-failed',
    ],
  ]) {
    const error = storageErrorOf(cause);
    assert.equal(error.name, 'GuardError');
    assert.equal(error.code, code);
    assert.equal(error.cause, cause);
    assert.equal(storageErrorOf(error), error);
  }
});

describe('the suite for other storages finds what is wrong', () => {
  /** A storage in memory, changed by a fault. */
  const faulty = (fault) => {
    const inner = memoryStorage();
    return { transact: inner.transact, remove: inner.remove, prune: inner.prune, ...fault(inner) };
  };
  const changed = (change) => (inner) => ({
    transact: (chat, from, judge) =>
      inner.transact(chat, from, (stored) => {
        const wanted = judge(stored);
        return wanted && change(wanted, stored);
      }),
  });
  const shown = (show) => (inner) => ({
    transact: (chat, from, judge) => inner.transact(chat, from, (stored) => judge(show(stored, from))),
  });
  const faults = {
    'state is forgotten': changed(({ state, ...rest }) => rest),
    'head is forgotten': changed(({ head, ...rest }) => rest),
    'what is not named is emptied': changed((wanted) => ({ head: '', ...wanted })),
    'first is ignored': changed(({ first, ...rest }) => rest),
    'appended in another order': changed((wanted) => ({ ...wanted, append: wanted.append?.toReversed() })),
    'texts are trimmed': changed((wanted) => ({
      ...wanted,
      append: wanted.append?.map((text) => text.trim()),
    })),
    'texts are cut off': changed((wanted) => ({
      ...wanted,
      append: wanted.append?.map((text) => text.slice(0, 65_536)),
    })),
    'from is ignored': (inner) => ({ transact: (chat, from, judge) => inner.transact(chat, 0, judge) }),
    'length is that of the entries read': shown((stored) => ({ ...stored, length: stored.entries.length })),
    'first is not told': shown((stored) => ({ ...stored, first: 0 })),
    'entries are missing beyond a hundred': shown((stored) => ({
      ...stored,
      entries: stored.entries.slice(0, 100),
    })),
    'judge is called again': (inner) => ({
      transact: (chat, from, judge) => inner.transact(chat, from, (stored) => (judge(stored), judge(stored))),
    }),
    'judge is called later': (inner) => ({
      transact: (...args) => void setTimeout(() => void inner.transact(...args)),
    }),
    'nothing is said where judge throws': (inner) => ({
      transact: (...args) => {
        try {
          inner.transact(...args);
        } catch {}
      },
    }),
    'another error where judge throws': (inner) => ({
      transact: (...args) => {
        try {
          inner.transact(...args);
        } catch (cause) {
          throw new Error('failed', { cause });
        }
      },
    }),
    'it is written although judge throws': (inner) => ({
      transact: (chat, from, judge) => {
        let thrown;
        inner.transact(chat, from, (stored) => {
          try {
            return judge(stored);
          } catch (cause) {
            thrown = { cause };
            return { append: ['x'] };
          }
        });
        if (thrown) throw thrown.cause;
      },
    }),
    'it is written although judge returns undefined': (inner) => ({
      transact: (chat, from, judge) => inner.transact(chat, from, (stored) => judge(stored) ?? { head: '' }),
    }),
    ...Object.fromEntries(
      Object.entries({
        'cut off': (chat) => chat.slice(0, 20),
        'cut off at the length of a column': (chat) => chat.slice(0, 255),
        trimmed: (chat) => chat.trim(),
        'trimmed at the end': (chat) => chat.trimEnd(),
        'folded to small letters': (chat) => chat.toLowerCase(),
        normalized: (chat) => chat.normalize(),
      }).map(([what, change]) => [
        `ids of chats are ${what}`,
        (inner) => ({
          transact: (chat, ...args) => inner.transact(change(chat), ...args),
          remove: (chat) => inner.remove(change(chat)),
        }),
      ]),
    ),
    'an empty id of a chat is another one': (inner) => ({
      transact: (chat, ...args) => inner.transact(chat || '__proto__', ...args),
    }),
    'transactions overlap': (inner) => ({
      transact: async (chat, from, judge) => {
        let change;
        inner.transact(chat, from, (stored) => void (change = judge(stored)));
        await delay(0);
        inner.transact(chat, from, () => change);
      },
    }),
    'the last write comes first': (inner) => {
      let last = Promise.resolve();
      return {
        transact: (...args) => (last = last.then(() => inner.transact(...args))),
        remove: (chat) => void setTimeout(() => void inner.remove(chat), 5),
      };
    },
    'remove removes all': (inner) => ({ remove: () => inner.prune(Infinity, 0) }),
    'remove removes nothing': () => ({ remove: () => {} }),
    'prune knows no time': (inner) => ({ prune: (before, most) => inner.prune(0, most) }),
    'prune knows no number': (inner) => ({ prune: (before) => inner.prune(before, Infinity) }),
    'prune removes all': (inner) => ({ prune: () => inner.prune(Infinity, 0) }),
  };
  for (const [what, fault] of Object.entries(faults)) {
    test(what, () => assert.rejects(testStorage(faulty(fault)), { name: 'Error' }));
  }

  test('another connection that reads too late', async () => {
    const inner = memoryStorage();
    const late = memoryStorage();
    const copy = {
      transact: (chat, from, judge) => late.transact(chat, from, judge),
      remove: (chat) => late.remove(chat),
      prune: () => {},
    };
    await assert.rejects(testStorage(inner, { reopen: () => copy }), { name: 'Error' });
  });

  test('each test of the suite fails for one of them, and says what it has found', async () => {
    const failed = new Set();
    let all = [];
    for (const fault of [...Object.values(faults), () => ({ transact: () => {} })]) {
      const tests = [];
      await testStorage(faulty(fault), { test: (name, run) => tests.push([name, run]) });
      all = tests.map(([name]) => name);
      for (const [name, run] of tests) {
        await run().catch((error) => {
          assert.notEqual(error.message, '');
          failed.add(name);
        });
      }
    }
    assert.deepEqual([...failed].sort(), all.toSorted());
  });
});
