// The contract of a store of claims as tests, for stores that an application provides.
import { equal, testContract } from '../contract-tests.js';
import type { ClaimStore, ClaimWrite, StoredClaim } from './store.js';

export type { ClaimStore, ClaimWrite, FoundClaim, StoredClaim } from './store.js';

/** The options of {@link testClaimStore}. */
export interface ClaimStoreTestOptions {
  /**
   * Opens another connection to the same data, like that of another server.
   *
   * @default only one connection is tested
   * @see `docs/claims.md#a-store-of-your-own`
   */
  reopen?: () => ClaimStore | Promise<ClaimStore>;
  /**
   * Registers a test, like `test` of `node:test` and of Vitest.
   *
   * @default the tests run one after the other, and the first failure is thrown
   * @see `docs/claims.md#a-store-of-your-own`
   */
  test?: (name: string, run: () => Promise<void>) => unknown;
}

/**
 * Tests whether a store fulfils the contract of {@link ClaimStore}. The tests remove claims, so the store must
 * not contain anything else.
 *
 * @param store the store
 * @param options how to open another connection, and how to register tests
 * @returns settles when all tests have run, or are registered with `test`
 * @throws Error with the findings of the first failing test, if `test` is not given
 */
export function testClaimStore(store: ClaimStore, options: ClaimStoreTestOptions = {}): Promise<void> {
  const open = async (): Promise<Subject> => new Subject(store, (await options.reopen?.()) ?? store);
  return testContract(TESTS, open, options.test);
}

/** Later than every time that a test writes. */
const LATE = 8e15;

const claim = (id: string, data: string, more: Partial<ClaimWrite> = {}): ClaimWrite => ({
  ...{ id, data, result: undefined, doubtfulFrom: undefined, forgettableFrom: 1, waitingFrom: undefined },
  ...more,
});

/** A store under test. */
class Subject {
  readonly store: ClaimStore;
  /** Another connection to the same data. */
  readonly other: ClaimStore;
  readonly #chats = new Map<string, Set<string>>();

  constructor(store: ClaimStore, other: ClaimStore) {
    this.store = store;
    this.other = other;
  }

  /** Returns the id of a chat that no other test uses. */
  chat(): string {
    return `chat ${Math.random()}`;
  }

  async clear(): Promise<void> {
    for (const [chat, ids] of this.#chats) {
      await this.store.transact(chat, [], () => [...ids].map((id) => claim(id, '')));
    }
    await this.store.forget(LATE);
  }

  async write(chat: string, ...writes: ClaimWrite[]): Promise<void> {
    const ids = this.#chats.get(chat) ?? new Set();
    this.#chats.set(chat, ids);
    for (const { id } of writes) ids.add(id);
    await this.store.transact(chat, [], () => writes);
  }

  async read(chat: string, ids?: readonly string[], store = this.store): Promise<readonly StoredClaim[]> {
    let found: readonly StoredClaim[] | undefined;
    await store.transact(chat, ids, (stored) => {
      found = stored;
      return [];
    });
    return [...(found ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async holds(chat: string, expected: readonly (readonly [id: string, data: string, result?: string])[]) {
    for (const store of [this.store, this.other]) {
      const ids = expected.map(([id]) => id);
      const rows = (await this.read(chat, ids, store)).map(({ id, data, result }) => [id, data, result]);
      equal(
        rows,
        expected.map(([id, data, result]) => [id, data, result]),
        'what is stored',
      );
      const all = (await this.read(chat, undefined, store)).map(({ id, data, result }) => [id, data, result]);
      equal(
        all,
        expected.map(([id, data]) => [id, data, undefined]),
        'all of the chat, without results',
      );
    }
  }
}

const TEXTS = ['', ' ', '\n', '"', '\\', '{}', "'", 'é e\u0301', '\u2028', '🙂', 'x'.repeat(200_000)];

/** Whether a store finds claims by one of their times. */
async function finds(subject: Subject, find: 'doubtful' | 'waiting'): Promise<void> {
  const at = (time: number): Partial<ClaimWrite> =>
    find === 'doubtful' ? { doubtfulFrom: time } : { waitingFrom: time };
  const [one, two] = [subject.chat(), subject.chat()];
  await subject.write(one, claim('a', '1', { ...at(30), result: 'r' }), claim('b', '2'));
  await subject.write(two, claim('a', '3', at(10)), claim('b', '4', at(20)));
  const found = async (until: number, limit = 9): Promise<unknown[]> =>
    (await subject.other[find](until, limit)).map(({ chatId, id, data, result }) => [
      ...[chatId === one ? 1 : 2, id, data, result],
    ]);
  const all = [
    [2, 'a', '3', undefined],
    [2, 'b', '4', undefined],
    [1, 'a', '1', 'r'],
  ];
  equal(await found(9), [], 'before all of them');
  equal(await found(20), all.slice(0, 2), 'some of them');
  equal(await found(LATE), all, 'all of them');
  equal(await found(LATE, 1), all.slice(0, 1), 'one of them');
  await subject.write(two, claim('a', '3'));
  equal(await found(LATE), all.slice(1), 'those that are left');
}

const TESTS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'a chat that was never written is empty': async (subject) => {
    const chat = subject.chat();
    await subject.holds(chat, []);
    equal(await subject.read(chat, ['a']), [], 'an approval that nobody wrote');
  },

  'what was written is read, by its ids or all of a chat': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, claim('a', '1'), claim('b', '2', { result: 'r' }), claim('c', '3'));
    await subject.holds(chat, [
      ['a', '1'],
      ['b', '2', 'r'],
      ['c', '3'],
    ]);
    const some = await subject.read(chat, ['b', 'b', 'z']);
    equal(some, [{ id: 'b', data: '2', result: 'r' }], 'one of them');
    equal(await subject.read(chat, []), [], 'none of them');
  },

  'a claim is replaced, and a result stays until another one comes': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, claim('a', '1', { result: 'r' }));
    await subject.write(chat, claim('a', '2'));
    await subject.holds(chat, [['a', '2', 'r']]);
    await subject.write(chat, claim('a', '3', { result: '' }));
    await subject.holds(chat, [['a', '3', '']]);
  },

  'nothing is written if judge throws, and transact throws the same': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, claim('a', '1'));
    const error = new Error('judge has thrown');
    let thrown: unknown = 'nothing';
    try {
      await subject.store.transact(chat, ['a'], () => {
        throw error;
      });
    } catch (cause) {
      thrown = cause;
    }
    equal(thrown === error, true, `whether ${String(thrown)} is the error of judge`);
    await subject.holds(chat, [['a', '1']]);
    await subject.write(chat, claim('a', '2'));
    await subject.holds(chat, [['a', '2']]);
  },

  'texts come back as they are': async (subject) => {
    const chat = subject.chat();
    const writes = TEXTS.map((text, i) => claim(`a${`${i}`.padStart(2, '0')}`, text, { result: text }));
    await subject.write(chat, ...writes);
    await subject.holds(
      chat,
      writes.map(({ id, data, result }) => [id, data, result as string]),
    );
  },

  'chats and approvals do not mix, whatever their ids are': async (subject) => {
    const base = subject.chat();
    const ends = ['', ':', ':1', '/', '%2F', 'é', '🙂', '*', '_', "'", '"', ' ', '\\', '["', '}'];
    const names = ['__proto__', 'constructor', ...ends.map((end) => base + end)];
    const sorted = [...names].sort((a, b) => (a < b ? -1 : 1));
    for (const chat of names) await subject.write(chat, ...sorted.map((id) => claim(id, `${chat} ${id}`)));
    for (const chat of names)
      await subject.holds(
        chat,
        sorted.map((id) => [id, `${chat} ${id}`]),
      );
  },

  'transactions of one chat never overlap': async (subject) => {
    const chat = subject.chat();
    const count = 40;
    await subject.write(chat, claim('a', '0'));
    const add = (store: ClaimStore): Promise<void> =>
      store.transact(chat, ['a'], ([stored]) => [claim('a', `${Number(stored?.data) + 1}`)]);
    const stores = [subject.store, subject.other];
    await Promise.all(Array.from({ length: count }, (_, i) => add(stores[i % 2] as ClaimStore)));
    await subject.holds(chat, [['a', `${count}`]]);
  },

  'of two that create the same claim, the second one sees that of the first': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat);
    let created = 0;
    const create = (store: ClaimStore): Promise<void> => {
      let isMine = false;
      return store
        .transact(chat, ['a'], (stored) => {
          isMine = stored.length === 0;
          return isMine ? [claim('a', '1')] : [];
        })
        .then(() => void (created += isMine ? 1 : 0));
    };
    await Promise.all(Array.from({ length: 16 }, (_, i) => create(i % 2 ? subject.store : subject.other)));
    equal(created, 1, 'how many have created it');
    await subject.write(chat, claim('a', '2'));
  },

  'doubtful finds claims of all chats by their time, the earliest first': (subject) =>
    finds(subject, 'doubtful'),

  'waiting finds claims of all chats by their time, the earliest first': (subject) =>
    finds(subject, 'waiting'),

  'forget removes what may be forgotten, and its result': async (subject) => {
    const [one, two] = [subject.chat(), subject.chat()];
    await subject.write(one, claim('a', '1', { forgettableFrom: 10, result: 'r' }));
    await subject.write(one, claim('b', '2', { forgettableFrom: 20, waitingFrom: 1 }));
    await subject.write(two, claim('a', '3', { forgettableFrom: undefined, doubtfulFrom: 1 }));
    equal(await subject.other.forget(10), 0, 'how many were removed at 10');
    equal(await subject.other.forget(11), 1, 'how many were removed at 11');
    await subject.holds(one, [['b', '2']]);
    equal(await subject.store.forget(LATE), 1, 'how many were removed at last');
    equal(await subject.other.waiting(LATE, 9), [], 'what is forgotten waits no more');
    await subject.holds(one, []);
    await subject.holds(two, [['a', '3']]);
    await subject.write(one, claim('a', '4'));
    await subject.holds(one, [['a', '4']]);
  },
};
