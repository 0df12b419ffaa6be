// The record's document in storages that do what they should not, and in a real IndexedDB.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import fc from 'fast-check';

import { launchChromium } from '../support/chromium.mjs';

// The same values at each run, so that a failure can be told from a change; another seed finds others.
fc.configureGlobal({ seed: Number(process.env.TAG_SEED ?? 20_261_121) });

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const sources = ['storage', 'document-store'].map((name) => at(`pkg-template/src/record/${name}.ts`));
const contents = sources.map((file) => `export * from ${JSON.stringify(file)};`).join('\n');
const outfile = at('target/source/record-storage.mjs');
const stdin = { contents, resolveDir: at('.') };
const bundled = { stdin, bundle: true, format: 'esm', target: 'es2022' };
await build({ ...bundled, outfile });
const { DocumentStore, memoryStorage, webStorage } = await import(pathToFileURL(outfile));

const PREFIX = 'p:1:chat:';
const OWN = `${PREFIX}me`;
const OTHER = `${PREFIX}other`;

/** A document store over `storage`, and the problems it reports. */
function storeOver(storage, { patience = 40, ...more } = {}) {
  const problems = [];
  const onProblem = (code) => problems.push(code);
  return {
    problems,
    store: new DocumentStore({ storage, prefix: PREFIX, session: 'me', onProblem, patience, ...more }),
  };
}

/** A storage in memory, some methods of which are others. */
const storageWith = (more = {}, inner = memoryStorage()) => ({ ...inner, ...more, inner });
const raise = (error) => () => {
  throw error;
};
const named = (name) => Object.assign(new Error(name), { name });

/** A storage that answers after `wait()` milliseconds. */
function slow(wait, inner = memoryStorage()) {
  const log = [];
  const later =
    (name) =>
    async (...args) => {
      log.push(`${name} ${args.join(' ')}`);
      await delay(wait());
      const answer = inner[name](...args);
      log.push(`done ${name} ${args.join(' ')}`);
      return answer;
    };
  return {
    read: later('read'),
    write: later('write'),
    remove: later('remove'),
    keys: later('keys'),
    log,
    inner,
  };
}

/** What a storage may give instead of what it should. */
const NONSENSE = [
  ['a number', () => 7],
  ['true', () => true],
  ['a symbol', () => Symbol('x')],
  ['an object', () => ({})],
  ['a function', () => () => 'x'],
  ['an exception', raise(new Error('no'))],
  ['an exception that is nothing', raise(undefined)],
  ['an exception that is a Proxy which throws', raise(new Proxy({}, { get: raise(new Error('trap')) }))],
  ['a rejection', () => Promise.reject(new Error('no'))],
  ['a promise of a number', () => Promise.resolve(7)],
  ['a promise that never ends', () => new Promise(() => {})],
  ['a thenable that throws', () => ({ then: raise(new Error('then')) })],
  ['a thenable that answers a promise that never ends', () => ({ then: (f) => f(new Promise(() => {})) })],
  ['a getter that throws', () => Object.defineProperty({}, 'then', { get: raise(new Error('getter')) })],
];

describe('a storage that answers at once', () => {
  test('what is saved is written before save returns, and loaded at once', async () => {
    const storage = memoryStorage();
    const { store: own, problems } = storeOver(storage);
    own.save('one');
    assert.equal(storage.read(OWN), 'one');
    own.save('two');
    assert.equal(storage.read(OWN), 'two');
    storage.write(OTHER, 'theirs');
    storage.write('p:1:chat2:x', 'another chat');
    const loaded = own.load();
    assert.deepEqual(
      [...loaded.documents],
      [
        [OWN, 'two'],
        [OTHER, 'theirs'],
      ],
    );
    assert.equal(loaded.complete, true);
    assert.equal(await own.settled(), true);
    assert.deepEqual(problems, []);
  });

  test('documents of others are dropped after the own one is written, those of other chats never', () => {
    const storage = memoryStorage();
    const foreign = 'p:1:chat2:x';
    storage.write(OTHER, 'theirs');
    storage.write(foreign, 'foreign');
    const { store: own } = storeOver(storage);
    own.save('one');
    own.drop([OTHER, foreign, OWN]);
    assert.equal(storage.read(OTHER), undefined);
    assert.equal(storage.read(foreign), 'foreign');
    assert.equal(storage.read(OWN), 'one', 'the own one is not dropped');
    own.erase([OWN, foreign]);
    assert.equal(storage.read(OWN), undefined);
    assert.equal(storage.read(foreign), 'foreign');
  });

  test('a storage that saves while it writes does not go on for ever in one turn', async () => {
    let writes = 0;
    const storage = storageWith({
      write: (key, text) => {
        writes += 1;
        if (writes < 1000) own.save(`${text}x`);
        storage.inner.write(key, text);
      },
    });
    const { store: own } = storeOver(storage);
    own.save('x');
    assert.equal(writes, 1);
    while (writes < 5) await delay(1);
    assert.equal(writes < 1000, true);
  });

  test('a web storage is opened with its first use, and passes on what is wrong with it', () => {
    const inner = memoryStorage();
    const opened = [];
    let code;
    const core = {
      read: (key) => (code === undefined ? inner.read(key) : undefined),
      write: (key, text) => code ?? inner.write(key, text),
      remove: (key) => code ?? inner.remove(key),
      keys: (prefix) => (code === undefined ? inner.keys(prefix) : undefined),
    };
    let there = false;
    const open = (area) => (opened.push(area), there ? core : undefined);
    const { store: own, problems } = storeOver(webStorage('local', open));
    assert.deepEqual(opened, [], 'nothing before the first use');
    assert.deepEqual(own.load(), { documents: new Map(), complete: false });
    own.save('lost');
    assert.deepEqual(problems, ['storage-blocked']);
    there = true;
    own.save('kept');
    assert.equal(inner.read(OWN), 'kept');
    assert.deepEqual(own.load(), { documents: new Map([[OWN, 'kept']]), complete: true });
    for (const [name, problem] of [
      ['blocked', 'storage-blocked'],
      ['full', 'storage-full'],
      ['other', 'storage-failed'],
    ]) {
      code = name;
      problems.length = 0;
      own.save('again');
      if (name === 'blocked') assert.equal(own.load().complete, false);
      assert.deepEqual(problems, [problem]);
    }
    code = undefined;
    own.erase([OWN]);
    assert.equal(inner.read(OWN), undefined);
    assert.deepEqual(new Set(opened), new Set(['local']));
    webStorage('session', open).keys('');
    assert.equal(opened.at(-1), 'session');
  });
});

describe('a storage that answers later', () => {
  test('one write after the other, and only the newest waits', async () => {
    let running = 0;
    let most = 0;
    const texts = [];
    const storage = storageWith({
      write: async (key, text) => {
        most = Math.max(most, ++running);
        texts.push(text);
        await delay(5);
        storage.inner.write(key, text);
        running -= 1;
      },
    });
    const { store: own, problems } = storeOver(storage);
    for (let i = 0; i < 1000; i++) own.save(`${i}`);
    assert.equal(await own.settled(), true);
    assert.deepEqual(texts, ['0', '999']);
    assert.equal(most, 1);
    assert.equal(storage.inner.read(OWN), '999');
    assert.deepEqual(problems, []);
  });

  test('settled waits for what was saved so far, and not for what comes after it', async () => {
    const storage = slow(() => 5);
    const { store: own } = storeOver(storage);
    own.save('a');
    own.save('b');
    const settled = own.settled();
    const flood = setInterval(() => own.save('later'), 1);
    try {
      assert.equal(await settled, true);
      assert.ok(
        storage.log.includes(`done write ${OWN} b`) || storage.log.includes(`done write ${OWN} later`),
      );
    } finally {
      clearInterval(flood);
    }
  });

  test('documents are dropped after the own one is written and given back', async () => {
    const storage = slow(() => 2);
    storage.inner.write(OTHER, 'theirs');
    const { store: own } = storeOver(storage);
    own.save('a');
    own.drop([OTHER]);
    await own.settled();
    assert.deepEqual(
      storage.log.filter((line) => !line.startsWith('done') || line.includes('write')),
      [`write ${OWN} a`, `done write ${OWN} a`, `read ${OWN}`, `remove ${OTHER}`],
    );
    assert.equal(storage.inner.read(OTHER), undefined);
  });

  test('a late write does not stay over a newer one', async () => {
    const waits = [100, 0, 0, 0];
    const storage = slow(() => waits.shift() ?? 0);
    const { store: own, problems } = storeOver(storage, { patience: 20 });
    own.save('old');
    assert.equal(await own.settled(), false);
    own.save('new');
    assert.equal(await own.settled(), true);
    assert.equal(storage.inner.read(OWN), 'new');
    while (!storage.log.includes(`done write ${OWN} old`)) await delay(2);
    await delay(10);
    assert.equal(storage.inner.read(OWN), 'new', 'written again after the late one');
    assert.deepEqual(problems, ['storage-failed']);
  });

  test('a late write does not bring back what was erased', async () => {
    const waits = [60];
    const storage = slow(() => waits.shift() ?? 0);
    const { store: own } = storeOver(storage, { patience: 20 });
    own.save('old');
    await own.settled();
    own.erase([OWN]);
    await own.settled();
    while (!storage.log.includes(`done write ${OWN} old`)) await delay(2);
    await delay(10);
    assert.equal(storage.inner.read(OWN), undefined);
  });

  test('a storage that is always too late is not written to for ever', async () => {
    const storage = slow(() => 30);
    const { store: own } = storeOver(storage, { patience: 10 });
    own.save('a');
    await delay(200);
    assert.equal(storage.log.filter((line) => line.startsWith('write')).length, 1);
    own.save('b');
    await delay(200);
    assert.equal(storage.inner.read(OWN), 'b');
    assert.ok(storage.log.filter((line) => line.startsWith('write')).length <= 3);
  });

  test('random histories over random waits end with the newest text, and with nothing lost', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ save: fc.nat(1000) }) },
      fc.record({ drop: fc.constant(true) }),
      fc.record({ pause: fc.nat(6) }),
    );
    const fate = fc.constantFrom(0, 0, 1, 3, 15, 'reject', 'throw');
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fate, { maxLength: 20 }),
        async (steps, fates) => {
          const inner = memoryStorage();
          inner.write(OTHER, 'theirs');
          const meet =
            (name) =>
            (...args) => {
              const fate = fates.shift() ?? 1;
              if (fate === 'throw') throw new Error('thrown');
              if (fate === 'reject') return Promise.reject(new Error('rejected'));
              return fate === 0 ? inner[name](...args) : delay(fate).then(() => inner[name](...args));
            };
          const storage = {
            read: meet('read'),
            write: meet('write'),
            remove: meet('remove'),
            keys: meet('keys'),
          };
          const { store: own } = storeOver(storage, { patience: 8 });
          let text;
          let dropped = false;
          for (const { save, drop, pause } of steps) {
            if (save !== undefined) own.save((text = `${save}`));
            if (drop) {
              own.drop([OTHER]);
              dropped = true;
            }
            if (pause) await delay(pause);
            // Either copy is there at any moment, once there is something to lose.
            if (text !== undefined && inner.read(OTHER) === undefined)
              assert.notEqual(inner.read(OWN), undefined);
          }
          const written = await own.settled();
          await delay(25);
          await own.settled();
          if (written && text !== undefined) assert.equal(inner.read(OWN), text);
          if (!dropped) assert.equal(inner.read(OTHER), 'theirs');
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a storage that does what it should not', () => {
  for (const [what, answer] of NONSENSE) {
    test(`${what} from every method: nothing is thrown, and it is reported once`, async () => {
      const storage = { read: answer, write: answer, remove: answer, keys: answer };
      const { store: own, problems } = storeOver(storage, { patience: 15 });
      const loaded = await own.load();
      assert.deepEqual([...loaded.documents], []);
      assert.equal(loaded.complete, false);
      for (let i = 0; i < 5; i++) own.save(`${i}`);
      own.drop([OTHER]);
      assert.equal(await own.settled(), false);
      own.erase([OWN]);
      await own.settled();
      assert.deepEqual(problems, ['storage-failed']);
    });

    test(`${what} instead of one document: the others are loaded`, async () => {
      const storage = storageWith({ read: (key) => (key === OTHER ? answer() : storage.inner.read(key)) });
      storage.inner.write(OTHER, 'x');
      storage.inner.write(`${PREFIX}third`, 'third');
      const { store: own, problems } = storeOver(storage, { patience: 15 });
      const { documents, complete } = await own.load();
      assert.deepEqual([...documents], [[`${PREFIX}third`, 'third']]);
      assert.equal(complete, false);
      assert.deepEqual(problems, ['storage-failed']);
    });
  }

  test('a storage without methods, or none at all', async () => {
    for (const storage of [{}, null, undefined, 7, new Proxy({}, { get: raise(new Error('trap')) })]) {
      const { store: own, problems } = storeOver(storage);
      assert.equal((await own.load()).complete, false);
      own.save('x');
      own.drop([OTHER]);
      own.erase([OWN]);
      assert.equal(await own.settled(), false);
      assert.deepEqual(problems, ['storage-failed']);
    }
  });

  test('the kinds of problems are told apart', () => {
    for (const [error, code] of [
      [new DOMException('x', 'QuotaExceededError'), 'storage-full'],
      [named('NS_ERROR_DOM_QUOTA_REACHED'), 'storage-full'],
      ['full', 'storage-full'],
      [new DOMException('x', 'SecurityError'), 'storage-blocked'],
      ['blocked', 'storage-blocked'],
      [new DOMException('x', 'InvalidStateError'), 'storage-failed'],
      ['else', 'storage-failed'],
      [null, 'storage-failed'],
    ]) {
      const { store: own, problems } = storeOver(storageWith({ write: raise(error) }));
      own.save('x');
      assert.deepEqual(problems, [code]);
    }
  });

  test('a full storage is reported once, again after it worked, and what was not written is lost to nobody', async () => {
    let room = 10;
    const storage = storageWith({
      write: (key, text) => {
        if (text.length > room) throw new DOMException('full', 'QuotaExceededError');
        storage.inner.write(key, text);
      },
    });
    storage.inner.write(OTHER, 'theirs');
    const { store: own, problems } = storeOver(storage);
    own.save('x'.repeat(5));
    for (let i = 11; i < 50; i++) own.save('x'.repeat(i));
    own.drop([OTHER]);
    assert.deepEqual(problems, ['storage-full']);
    assert.equal(await own.settled(), false);
    assert.equal(storage.inner.read(OWN), 'xxxxx', 'the text before stays');
    assert.equal(storage.inner.read(OTHER), 'theirs', 'the only copy stays');
    room = 100;
    own.save('y');
    assert.equal(storage.inner.read(OWN), 'y');
    assert.equal(storage.inner.read(OTHER), undefined, 'and goes when the new one is written');
    room = 0;
    own.save('z');
    assert.deepEqual(problems, ['storage-full', 'storage-full']);
  });

  test('a storage that forgets is found at the first write, and nothing is dropped', async () => {
    for (const forget of [() => undefined, async () => undefined]) {
      const storage = storageWith({ write: forget });
      storage.inner.write(OTHER, 'theirs');
      const { store: own, problems } = storeOver(storage);
      own.save('x');
      own.drop([OTHER]);
      assert.equal(await own.settled(), false);
      assert.deepEqual(problems, ['storage-failed']);
      assert.equal(storage.inner.read(OTHER), 'theirs');
    }
  });

  test('keys that are none, that come twice, of other chats, and without an end', async () => {
    const read = (key) => `text of ${key}`;
    const { store: own, problems } = storeOver(
      storageWith({ read, keys: () => [OTHER, 7, null, OTHER, 'p:1:chat2:x', '', Symbol('x')] }),
    );
    assert.deepEqual(own.load(), { documents: new Map([[OTHER, `text of ${OTHER}`]]), complete: true });
    assert.deepEqual(problems, []);

    function* endless(make) {
      for (let i = 0; ; i++) yield make(i);
    }
    for (const make of [(i) => `${PREFIX}${i}`, () => OTHER, (i) => i]) {
      const { store: own, problems } = storeOver(storageWith({ read, keys: () => endless(make) }));
      const start = performance.now();
      const { documents, complete } = own.load();
      assert.ok(performance.now() - start < 2_000);
      assert.ok(documents.size <= 1000);
      assert.equal(complete, false);
      assert.deepEqual(problems, ['storage-failed']);
    }
    const text = storeOver(storageWith({ read, keys: () => OTHER }));
    assert.equal(text.store.load().complete, false, 'a text is no list');
    assert.deepEqual(text.problems, ['storage-failed']);
    function* breaks() {
      yield OTHER;
      throw new Error('in the middle');
    }
    const broken = storeOver(storageWith({ read, keys: breaks }));
    assert.equal(broken.store.load().complete, false);
    assert.deepEqual(broken.problems, ['storage-failed']);
  });

  test('a document that went away between the list and the reading is no problem', async () => {
    for (const nothing of [undefined, null]) {
      const { store: own, problems } = storeOver(storageWith({ read: () => nothing, keys: () => [OTHER] }));
      assert.deepEqual(own.load(), { documents: new Map(), complete: true });
      assert.deepEqual(problems, []);
    }
  });

  test('documents of a storage that hangs are waited for together', async () => {
    const { store: own } = storeOver(
      storageWith({
        read: () => new Promise(() => {}),
        keys: () => Array.from({ length: 50 }, (_, i) => PREFIX + i),
      }),
      { patience: 60 },
    );
    const start = performance.now();
    await own.load();
    assert.ok(performance.now() - start < 1000);
  });

  test('a listener that throws changes nothing', async () => {
    let heard = 0;
    const onProblem = () => {
      heard += 1;
      throw new Error('listener');
    };
    const { store: own } = storeOver(storageWith({ write: raise(new Error('no')) }), { onProblem });
    own.save('x');
    own.save('y');
    assert.equal(await own.settled(), false);
    assert.equal(heard, 1);
  });
});

describe('a real IndexedDB', () => {
  test('keeps, loads, drops and erases, and is full without a throw', { timeout: 60_000 }, async () => {
    const { outputFiles } = await build({
      ...bundled,
      format: 'iife',
      globalName: 'record',
      write: false,
    });
    const browser = await launchChromium();
    try {
      const context = await browser.newContext();
      // An origin of its own; nothing is asked of a network.
      await context.route('**/*', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<p>page</p>' }),
      );
      const open = async (url = 'http://localhost/', quotaSize = undefined) => {
        const page = await context.newPage();
        await page.goto(url);
        if (quotaSize !== undefined) {
          const session = await context.newCDPSession(page);
          await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(url).origin, quotaSize });
        }
        await page.addScriptTag({ content: outputFiles[0].text });
        await page.evaluate(indexedStorage);
        return page;
      };
      const first = await open();
      const saved = await first.evaluate(async () => {
        const { own, problems } = window.open1('first');
        for (let i = 0; i < 200; i++) own.save(`text ${i} \u{1F600}`);
        return { settled: await own.settled(), problems, writes: window.writes };
      });
      assert.deepEqual(saved, { settled: true, problems: [], writes: 2 });
      await first.close();

      const second = await open();
      const taken = await second.evaluate(async () => {
        const { own, problems } = window.open1('second');
        const before = await own.load();
        own.save('absorbed');
        own.drop([...before.documents.keys()]);
        await own.settled();
        const after = await own.load();
        return {
          before: [...before.documents],
          after: [...after.documents],
          complete: after.complete,
          problems,
        };
      });
      assert.deepEqual(taken, {
        before: [[`${PREFIX}first`, 'text 199 \u{1F600}']],
        after: [[`${PREFIX}second`, 'absorbed']],
        complete: true,
        problems: [],
      });

      const erased = await second.evaluate(async () => {
        const { own, problems } = window.open1('second');
        own.erase([own.key]);
        await own.settled();
        return { keys: [...(await own.load()).documents.keys()], problems };
      });
      assert.deepEqual(erased, { keys: [], problems: [] });

      // Another place: what there is room for is remembered for a while.
      const third = await open('http://full.localhost/', 100_000);
      const full = await third.evaluate(async () => {
        const { own, problems } = window.open1('third');
        // Random, because what repeats itself is stored small.
        const signs = Array.from({ length: 4_000_000 }, () => String.fromCharCode(33 + Math.random() * 90));
        own.save(signs.join(''));
        const settled = await own.settled();
        return { settled, problems, keys: [...(await own.load()).documents.keys()] };
      });
      assert.deepEqual(full, { settled: false, problems: ['storage-full'], keys: [] });
    } finally {
      await browser.close();
    }
  });
});

/** In the page: the four methods over IndexedDB, as an application would write them. */
function indexedStorage() {
  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open('approvals', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('texts');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const run = async (mode, work) => {
    const database = await opened;
    return new Promise((resolve, reject) => {
      const transaction = database.transaction('texts', mode);
      const request = work(transaction.objectStore('texts'));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  };
  window.writes = 0;
  const storage = {
    read: (key) => run('readonly', (texts) => texts.get(key)),
    write: (key, text) => {
      window.writes += 1;
      return run('readwrite', (texts) => texts.put(text, key));
    },
    remove: (key) => run('readwrite', (texts) => texts.delete(key)),
    keys: (prefix) =>
      run('readonly', (texts) => texts.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`))),
  };
  window.open1 = (session) => {
    const problems = [];
    const onProblem = (code) => problems.push(code);
    return {
      problems,
      own: new window.record.DocumentStore({ storage, prefix: 'p:1:chat:', session, onProblem }),
    };
  };
}
