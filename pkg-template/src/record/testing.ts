// The contract of a storage as tests, for storages that an application provides.
import { equal, testContract } from '../contract-tests.js';
import type { ApprovalStorage, RecordChange, StoredRecord } from './storage/contract.js';

export type { ApprovalStorage, RecordChange, StoredRecord } from './storage/contract.js';

/** The options of {@link testStorage}. */
export interface StorageTestOptions {
  /**
   * Opens another connection to the same data, like that of another tab.
   *
   * @default only one connection is tested
   * @see `docs/record.md#a-storage-of-your-own`
   */
  reopen?: () => ApprovalStorage | Promise<ApprovalStorage>;
  /**
   * Registers a test, like `test` of `node:test` and of Vitest.
   *
   * @default the tests run one after the other, and the first failure is thrown
   * @see `docs/record.md#a-storage-of-your-own`
   */
  test?: (name: string, run: () => Promise<void>) => unknown;
}

/**
 * Tests whether a storage fulfils the contract of {@link ApprovalStorage}. The tests remove records, so the
 * storage must not contain anything else.
 *
 * @param storage the storage
 * @param options how to open another connection, and how to register tests
 * @returns settles when all tests have run, or are registered with `test`
 * @throws Error with the findings of the first failing test, if `test` is not given
 */
export function testStorage(storage: ApprovalStorage, options: StorageTestOptions = {}): Promise<void> {
  const open = async (): Promise<Subject> => new Subject(storage, (await options.reopen?.()) ?? storage);
  return testContract(TESTS, open, options.test);
}

type Judge = (stored: StoredRecord) => RecordChange | undefined;

/** A storage under test, and the chats of one test. */
class Subject {
  readonly storage: ApprovalStorage;
  /** Another connection to the same data. */
  readonly other: ApprovalStorage;
  readonly #chats = new Set<string>();

  constructor(storage: ApprovalStorage, other: ApprovalStorage) {
    this.storage = storage;
    this.other = other;
  }

  /** Returns the id of a chat that no other test uses. */
  chat(name = `chat ${Math.random()}`): string {
    this.#chats.add(name);
    return name;
  }

  async clear(): Promise<void> {
    for (const chat of this.#chats) await this.storage.remove(chat);
  }

  async transact(chat: string, from: number, judge: Judge, storage = this.storage): Promise<void> {
    let calls = 0;
    let isPromise = false;
    await storage.transact(chat, from, (stored) => {
      calls += 1;
      const change: unknown = judge(stored);
      isPromise = change instanceof Promise;
      return change as RecordChange | undefined;
    });
    equal(calls, 1, 'how often judge was called before transact was done');
    equal(isPromise, false, 'whether judge has returned a promise');
  }

  write(chat: string, change: RecordChange, storage = this.storage): Promise<void> {
    return this.transact(chat, 0, () => change, storage);
  }

  async read(chat: string, from = 0, storage = this.storage): Promise<StoredRecord> {
    let found: StoredRecord | undefined;
    await this.transact(chat, from, (stored) => void (found = stored), storage);
    return found as unknown as StoredRecord;
  }

  async holds(chat: string, expected: Partial<StoredRecord>, storage = this.storage): Promise<void> {
    const { head, state, first, length, entries } = await this.read(chat, 0, storage);
    const nothing = { head: undefined, state: undefined, first: 0, length: 0, entries: [] };
    equal({ head, state, first, length, entries }, { ...nothing, ...expected }, 'what is stored');
  }
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `entry ${i}`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const TESTS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'a chat that was never written is empty': async (subject) => {
    await subject.holds(subject.chat(), {});
  },

  'what was written is read, from each number on': async (subject) => {
    const chat = subject.chat();
    const entries = numbers(5);
    await subject.write(chat, { head: 'h', state: 's', append: entries });
    await subject.holds(chat, { head: 'h', state: 's', length: 5, entries });
    for (const from of [0, 1, 4, 5, 9]) {
      const stored = await subject.read(chat, from);
      equal(stored.entries, entries.slice(from), `entries from ${from} on`);
      equal([stored.first, stored.length], [0, 5], 'first and length');
    }
  },

  'what a change does not name stays': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, { head: 'h', state: 's', append: ['a'] });
    await subject.write(chat, { head: 'i' });
    await subject.write(chat, { append: ['b', 'c'] });
    await subject.write(chat, { state: '' });
    await subject.write(chat, {});
    await subject.holds(chat, { head: 'i', state: '', length: 3, entries: ['a', 'b', 'c'] });
  },

  'entries before first are removed, and the others keep their numbers': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, { append: numbers(4) });
    await subject.write(chat, { append: ['entry 4'], first: 3 });
    await subject.holds(chat, { first: 3, length: 5, entries: ['entry 3', 'entry 4'] });
    equal((await subject.read(chat, 4)).entries, ['entry 4'], 'entries from 4 on');
    await subject.write(chat, { first: 5 });
    await subject.holds(chat, { first: 5, length: 5 });
    await subject.write(chat, { append: ['entry 5'] });
    await subject.holds(chat, { first: 5, length: 6, entries: ['entry 5'] });
  },

  'nothing is written if judge returns undefined': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, { head: 'h', append: ['a'] });
    await subject.transact(chat, 0, () => undefined);
    await subject.holds(chat, { head: 'h', length: 1, entries: ['a'] });
  },

  'nothing is written if judge throws, and transact throws the same': async (subject) => {
    const chat = subject.chat();
    await subject.write(chat, { head: 'h', append: ['a'] });
    const error = new Error('judge has thrown');
    let thrown: unknown = 'nothing';
    try {
      await subject.transact(chat, 0, () => {
        throw error;
      });
    } catch (cause) {
      thrown = cause;
    }
    equal(thrown === error, true, `whether ${String(thrown)} is the error of judge`);
    await subject.holds(chat, { head: 'h', length: 1, entries: ['a'] });
  },

  'texts come back as they are': async (subject) => {
    const chat = subject.chat();
    const texts = [
      '',
      ' ',
      '\n',
      '\r\n',
      'a\0b',
      '"',
      '\\',
      '{}',
      'é e\u0301',
      '\u2028',
      '🙂',
      'x'.repeat(200_000),
    ];
    await subject.write(chat, { head: texts.join(), state: texts.join(), append: texts });
    await subject.holds(chat, {
      head: texts.join(),
      state: texts.join(),
      length: texts.length,
      entries: texts,
    });
  },

  'chats do not mix, whatever their ids are': async (subject) => {
    const base = subject.chat();
    const long = '.'.repeat(300);
    const ends = [
      '',
      ' ',
      'a',
      'A',
      long,
      `${long}.`,
      ':',
      ':1',
      '/',
      '%2F',
      '\0',
      'é',
      'e\u0301',
      '🙂',
      '*',
      '_',
      "'",
      '"',
    ];
    const chats = ['', '__proto__', 'constructor', ` ${base}`, ...ends.map((end) => base + end)];
    for (const chat of chats) await subject.write(subject.chat(chat), { head: chat, append: [chat] });
    for (const chat of chats) await subject.holds(chat, { head: chat, length: 1, entries: [chat] });
  },

  'transactions of one chat never overlap': async (subject) => {
    const chat = subject.chat();
    const count = 40;
    const append = (i: number): Promise<void> =>
      subject.transact(
        chat,
        0,
        ({ length, entries }) => {
          equal(entries.length, length, 'how many entries are read');
          return { head: `${length}`, append: [`${length} ${i}`] };
        },
        i % 2 === 0 ? subject.storage : subject.other,
      );
    await Promise.all(Array.from({ length: count }, (_, i) => append(i)));
    const { head, entries } = await subject.read(chat);
    equal(head, `${count - 1}`, 'head');
    equal(
      entries.map((entry) => Number(entry.split(' ')[0])),
      Array.from({ length: count }, (_, i) => i),
      'the length that each transaction has seen',
    );
    equal(new Set(entries.map((entry) => entry.split(' ')[1])).size, count, 'how many have written');
  },

  'another connection reads at once what was written': async (subject) => {
    const chat = subject.chat();
    for (let i = 0; i < 10; i++) {
      const [one, other] = i % 2 === 0 ? [subject.storage, subject.other] : [subject.other, subject.storage];
      await subject.write(chat, { head: `${i}`, append: [`entry ${i}`] }, one);
      await subject.holds(chat, { head: `${i}`, length: i + 1, entries: numbers(i + 1) }, other);
    }
  },

  'a thousand entries in one change': async (subject) => {
    const chat = subject.chat();
    const entries = numbers(1_000).map((entry) => entry.padEnd(300, '.'));
    await subject.write(chat, { append: entries });
    await subject.holds(chat, { length: 1_000, entries });
  },

  'remove removes one chat, and it begins again': async (subject) => {
    const [chat, other] = [subject.chat(), subject.chat()];
    for (const each of [chat, other])
      await subject.write(each, { head: 'h', state: 's', append: ['a', 'b'] });
    await subject.storage.remove(chat);
    await subject.storage.remove(chat);
    await subject.holds(chat, {});
    await subject.holds(other, { head: 'h', state: 's', length: 2, entries: ['a', 'b'] });
    await subject.write(chat, { append: ['c'] });
    await subject.holds(chat, { length: 1, entries: ['c'] });
  },

  'prune removes records by age': async (subject) => {
    const [old, young] = [subject.chat(), subject.chat()];
    await subject.write(old, { append: ['a'] });
    await subject.storage.prune(0, Infinity);
    await subject.holds(old, { length: 1, entries: ['a'] });
    await pause(30);
    const between = Date.now();
    await pause(30);
    await subject.write(young, { append: ['b'] });
    await subject.storage.prune(between, Infinity);
    await subject.holds(old, {});
    await subject.holds(young, { length: 1, entries: ['b'] });
  },

  'prune removes the records written longest ago beyond a number': async (subject) => {
    const chats = [subject.chat(), subject.chat(), subject.chat()];
    for (const chat of [...chats, chats[0] as string]) {
      await pause(15);
      await subject.write(chat, { append: ['a'] });
    }
    await subject.storage.prune(0, 2);
    await subject.holds(chats[0] as string, { length: 2, entries: ['a', 'a'] });
    await subject.holds(chats[1] as string, {});
    await subject.holds(chats[2] as string, { length: 1, entries: ['a'] });
  },
};
