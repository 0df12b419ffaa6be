/** A value, at once or later. */
export type Later<T> = T | PromiseLike<T>;

/**
 * Where the record is kept: IndexedDB, a server, anything that keeps texts by key. Each method may answer at once or
 * with a promise; only with answers at once is a record written before the next line of the page runs.
 */
export interface ApprovalStorage {
  /** The text under this key, or nothing. */
  read(key: string): Later<string | undefined | null>;
  /** Keeps the text under this key, in the place of the one before, and wholly or not at all. */
  write(key: string, text: string): Later<void>;
  /** Removes what is kept under this key; it is no error when there is nothing. */
  remove(key: string): Later<void>;
  /** All keys that begin with `prefix`. */
  keys(prefix: string): Later<Iterable<string>>;
}

/** A storage that ends with the page. */
export function memoryStorage(): ApprovalStorage {
  const texts = new Map<string, string>();
  return {
    read: (key) => texts.get(key),
    write: (key, text) => void texts.set(key, text),
    remove: (key) => void texts.delete(key),
    keys: (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  };
}

/** The browser's own storage, as the wasm border gives it. Nothing of it throws; what went wrong is a code. */
export interface WebStorageCore {
  read(key: string): string | undefined;
  /** Nothing, or `blocked`, `full` or another code. */
  write(key: string, text: string): string | undefined;
  remove(key: string): string | undefined;
  /** Nothing where they cannot be read. */
  keys(prefix: string): string[] | undefined;
}

/**
 * The browser's own storage: `local` is shared by all tabs, `session` is that of one tab. It is opened with its first
 * use, and again until it is there: a person may allow it meanwhile.
 *
 * @param open gives it, or `undefined` where it is blocked or missing
 */
export function webStorage(
  kind: 'session' | 'local',
  open: (area: 'session' | 'local') => WebStorageCore | undefined,
): ApprovalStorage {
  let opened: WebStorageCore | undefined;
  const core = (): WebStorageCore => {
    opened ??= open(kind);
    if (opened === undefined) throw 'blocked';
    return opened;
  };
  const check = (code: string | undefined): void => {
    if (code !== undefined) throw code;
  };
  return {
    read: (key) => core().read(key),
    write: (key, text) => check(core().write(key, text)),
    remove: (key) => check(core().remove(key)),
    keys(prefix) {
      const keys = core().keys(prefix);
      if (keys === undefined) throw 'blocked';
      return keys;
    },
  };
}

/**
 * What is wrong with a storage. `storage-blocked`: the browser does not allow it. `storage-full`: there is no room.
 * `storage-failed`: anything else, such as an error, an answer that makes no sense, or none for 5 seconds.
 */
export type StorageProblem = 'storage-blocked' | 'storage-full' | 'storage-failed';

/** What a {@link Drawer} needs. */
export interface DrawerOptions {
  /** Where the documents are. It is not trusted: it may throw, hang or answer anything. */
  storage: ApprovalStorage;
  /** What the keys of all documents of this chat, and of no other one, begin with. */
  prefix: string;
  /** What stands behind it in the key of the own document. */
  session: string;
  /** Hears of each kind of problem once, and again only after something was written. */
  onProblem: (code: StorageProblem, cause: unknown) => void;
  /** How long the storage may take for one answer, in milliseconds; default 5000. */
  patience?: number;
}

/** What a chat has in its storage. */
export interface Loaded {
  /** The documents, by key and in the order of their keys. */
  documents: ReadonlyMap<string, string>;
  /** Could everything be read? If not, the problem was reported. */
  complete: boolean;
}

const PATIENCE = 5_000;

/** More documents than tabs and crashes can leave: a list without an end must not hang the page. */
const MOST_DOCUMENTS = 1_000;
/** And a storage may give keys that nobody asked for. */
const MOST_KEYS = 100_000;

/** What the storage answered; `undefined` when it failed. */
type Answer<T> = { value: T } | undefined;

/** What is there at once where the storage answers at once. */
type Soon<T> = T | Promise<T>;

/** One document in a storage, and those of the other sessions of the same chat to read. */
export class Drawer {
  /** The key of the own document. */
  readonly key: string;
  readonly #storage: ApprovalStorage;
  readonly #prefix: string;
  readonly #patience: number;
  readonly #onProblem: DrawerOptions['onProblem'];
  readonly #reported = new Set<StorageProblem>();
  /** Could everything be read the last time? */
  #isReadable = true;

  /** What was saved last, and the number of that save. */
  #text: string | undefined;
  #saved = 0;
  /** The newest save that was tried, and the newest one that is written. */
  #tried = 0;
  #written = 0;
  /** Is `#text` still to be written? */
  #waits = false;
  /** Has the storage given back what was written? */
  #proven = false;
  /** Is a call of the storage under way? */
  #busy = false;

  readonly #drops = new Set<string>();
  /** The save that must be written before `#drops` may go. */
  #dropsAfter = 0;
  readonly #erases = new Set<string>();
  #settling: { upTo: number; resolve: (written: boolean) => void }[] = [];

  constructor({ storage, prefix, session, onProblem, patience = PATIENCE }: DrawerOptions) {
    this.#storage = storage;
    this.#prefix = prefix;
    this.#patience = patience;
    this.#onProblem = onProblem;
    this.key = prefix + session;
  }

  /**
   * Writes the document: before this returns where the storage answers at once, otherwise one after the other, and of
   * those that wait only the newest. What could not be written is tried again with the next save.
   */
  save(text: string): void {
    this.#text = text;
    this.#saved += 1;
    this.#waits = true;
    this.#work();
  }

  /** Resolves when what was saved and removed so far is done or has failed: is the newest of it written? */
  settled(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#settling.push({ upTo: this.#saved, resolve });
      this.#work();
    });
  }

  /**
   * Removes documents which the own one has taken over, as soon as what was saved so far is written. If that fails,
   * they stay until a later save is written: they are the only copy.
   */
  drop(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#isOfThisChat(key) && key !== this.key) this.#drops.add(key);
    }
    // Without an own document nothing has been taken over.
    this.#dropsAfter = Math.max(1, this.#saved);
    this.#work();
  }

  /** Removes documents whatever became of the saves, the own one too. */
  erase(keys: Iterable<string>): void {
    for (const key of keys) {
      if (!this.#isOfThisChat(key)) continue;
      this.#erases.add(key);
      if (key !== this.key) continue;
      this.#text = undefined;
      this.#waits = false;
      this.#tried = this.#saved;
    }
    this.#work();
  }

  /** All documents of the chat, at once where the storage answers at once. Never throws or rejects. */
  load(): Loaded | Promise<Loaded> {
    return chain(
      this.#ask(
        () => this.#storage.keys(this.#prefix),
        (list) => this.#keysOf(list),
      ),
      (found) => this.#readAll(found?.value.keys ?? [], found?.value.complete === true),
    );
  }

  #readAll(keys: string[], complete: boolean): Soon<Loaded> {
    // All at once: a storage that hangs must not take its time for each of them.
    const answers = keys.map((key) => this.#ask(() => this.#storage.read(key), textOf));
    const gather = (answers: Answer<string | undefined>[]): Loaded => {
      const documents = new Map<string, string>();
      for (const [i, answer] of answers.entries()) {
        const key = keys[i];
        // Without a text another tab has removed it since.
        if (key !== undefined && answer?.value !== undefined) documents.set(key, answer.value);
      }
      this.#isReadable = complete && !answers.includes(undefined);
      this.#works();
      return { documents, complete: this.#isReadable };
    };
    return answers.every((answer) => !(answer instanceof Promise))
      ? gather(answers as Answer<string | undefined>[])
      : Promise.all(answers).then(gather);
  }

  #keysOf(list: unknown): { keys: string[]; complete: boolean } {
    // A text can be gone through as well, but is no list of keys.
    if (typeof list !== 'object' || list === null) throw new TypeError('The storage gave no list of keys.');
    const keys = new Set<string>();
    let seen = 0;
    for (const key of list as Iterable<unknown>) {
      seen += 1;
      if (keys.size === MOST_DOCUMENTS || seen > MOST_KEYS) {
        this.#report(new RangeError('The storage has too many keys.'));
        return { keys: [...keys].sort(), complete: false };
      }
      if (this.#isOfThisChat(key)) keys.add(key);
    }
    return { keys: [...keys].sort(), complete: true };
  }

  #isOfThisChat(key: unknown): key is string {
    return typeof key === 'string' && key.startsWith(this.#prefix);
  }

  /** Does what is to be done, one call of the storage after the other. */
  #work(): void {
    if (this.#busy) return;
    this.#busy = true;
    for (let step = this.#step(); step !== undefined; step = this.#step()) {
      if (step instanceof Promise) {
        void step.then(() => this.#workOn());
        return;
      }
      // The storage saved something itself while it wrote: left to a later turn, so that it cannot go on for ever.
      if (this.#waits) {
        setTimeout(() => this.#workOn(), 0);
        return;
      }
    }
    this.#busy = false;
  }

  #workOn(): void {
    this.#busy = false;
    this.#work();
  }

  /** One step, where there is one. */
  #step(): Soon<true> | undefined {
    if (this.#erases.size > 0) return this.#remove(this.#erases);
    if (this.#drops.size > 0 && this.#written >= this.#dropsAfter) return this.#remove(this.#drops);
    const settled = this.#settling.filter(({ upTo }) => upTo <= this.#tried);
    this.#settling = this.#settling.filter(({ upTo }) => upTo > this.#tried);
    for (const { upTo, resolve } of settled) resolve(upTo <= this.#written);
    if (this.#waits && this.#text !== undefined) return this.#write(this.#text);
    return undefined;
  }

  #write(text: string): Soon<true> {
    const number = this.#saved;
    this.#waits = false;
    const written = this.#ask(
      () => this.#storage.write(this.key, text),
      () => true,
      () => this.#cameLate(number),
    );
    return chain(
      chain(written, (answer) => (answer === undefined || this.#proven ? answer : this.#prove(text))),
      (answer) => {
        this.#tried = Math.max(this.#tried, number);
        this.#proven = answer !== undefined;
        if (answer !== undefined) {
          this.#written = number;
          this.#works();
        }
        return true;
      },
    );
  }

  /** Reads what was written first: a storage that forgets is found before the documents of others are dropped. */
  #prove(text: string): Soon<Answer<true>> {
    return this.#ask(
      () => this.#storage.read(this.key),
      (answer) => {
        if (answer !== text) throw new TypeError('The storage did not give back what was written.');
        return true;
      },
    );
  }

  /** A write that was given up is done after all, and may have replaced a newer text. */
  #cameLate(number: number): void {
    if (this.#text === undefined) this.#erases.add(this.key);
    else if (number < this.#saved) this.#waits = true;
    else this.#written = number;
    this.#work();
  }

  /** What fails here is not tried again: the next session does it, which ignores these documents. */
  #remove(keys: Set<string>): Soon<true> {
    const answers = [...keys].map((key) =>
      this.#ask(
        () => this.#storage.remove(key),
        () => true,
      ),
    );
    keys.clear();
    return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers).then(() => true) : true;
  }

  /** The answer of the storage, as `read` reads it, which throws at nonsense. */
  #ask<T>(work: () => unknown, read: (answer: unknown) => T, late?: () => void): Soon<Answer<T>> {
    try {
      const answer = work();
      if (!isThenable(answer)) return { value: read(answer) };
      return this.#wait(answer, read, late);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #wait<T>(
    answer: PromiseLike<unknown>,
    read: (answer: unknown) => T,
    late?: () => void,
  ): Promise<Answer<T>> {
    return new Promise((resolve) => {
      let over = false;
      const giveUp = setTimeout(() => {
        over = true;
        this.#report(new Error(`The storage did not answer within ${this.#patience} ms.`));
        resolve(undefined);
      }, this.#patience);
      // The outer promise makes one well-behaved answer of whatever a foreign `then` does.
      new Promise((hear) => hear(answer)).then(read).then(
        (value) => {
          clearTimeout(giveUp);
          if (over) late?.();
          else resolve({ value });
        },
        (error: unknown) => {
          clearTimeout(giveUp);
          if (!over) this.#report(error);
          resolve(undefined);
        },
      );
    });
  }

  /** What works both ways may be reported again when it fails. */
  #works(): void {
    if (this.#isReadable && this.#written === this.#saved) this.#reported.clear();
  }

  #report(cause: unknown): void {
    const code = codeOf(cause);
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    try {
      this.#onProblem(code, cause);
    } catch {
      // A listener that fails must not keep the page from its work.
    }
  }
}

/** A text or nothing. @throws TypeError when it is something else */
function textOf(answer: unknown): string | undefined {
  if (typeof answer === 'string') return answer;
  if (answer === undefined || answer === null) return undefined;
  throw new TypeError(`The storage gave no text but a value of type ${typeof answer}.`);
}

/** What went wrong, by what was thrown: a code of the border, or an error of the browser. */
function codeOf(cause: unknown): StorageProblem {
  let name: unknown;
  try {
    name = typeof cause === 'string' ? cause : (cause as { name?: unknown } | null | undefined)?.name;
  } catch {
    // What is thrown may be anything, also something that throws when it is looked at.
  }
  if (name === 'full' || name === 'QuotaExceededError' || name === 'NS_ERROR_DOM_QUOTA_REACHED') {
    return 'storage-full';
  }
  return name === 'blocked' || name === 'SecurityError' ? 'storage-blocked' : 'storage-failed';
}

/** @throws what a hostile getter throws */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on at once where the value is there at once. */
function chain<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
