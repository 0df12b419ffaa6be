import type { ApprovalStorage } from './storage.js';

/**
 * A problem of a storage. `storage-blocked`: the browser does not allow it. `storage-full`: there is no room.
 * `storage-failed`: anything else, such as an error, an invalid answer, or none for 5 seconds.
 */
export type StorageProblem = 'storage-blocked' | 'storage-full' | 'storage-failed';

/** The options of a {@link DocumentStore}. */
export interface DocumentStoreOptions {
  /** The storage of the documents. It is not trusted: it may throw, hang or return anything. */
  storage: ApprovalStorage;
  /** The prefix of the keys of all documents of this chat, and of no other chat. */
  prefix: string;
  /** The rest of the key of the own document. */
  session: string;
  /** Called once for each kind of problem, and again only after a successful write. */
  onProblem: (code: StorageProblem, cause: unknown) => void;
  /** How long the storage may take for one call, in milliseconds. Default 5000. */
  patience?: number;
}

/** The documents of a chat. */
export interface Loaded {
  /** The documents, by key and in the order of their keys. */
  documents: ReadonlyMap<string, string>;
  /** Whether everything could be read. If not, the problem was reported. */
  complete: boolean;
}

const PATIENCE = 5_000;

/** More documents than tabs and crashes can leave. An endless list must not hang the page. */
const MOST_DOCUMENTS = 1_000;
/** The limit of all keys, because a storage may return unrelated ones. */
const MOST_KEYS = 100_000;

/** The answer of the storage; `undefined` when it failed. */
type Answer<T> = { value: T } | undefined;

/** A value where the storage is synchronous, otherwise a promise. */
type MaybeAsync<T> = T | Promise<T>;

/** Writes the document of one session, and reads those of all sessions of the chat. */
export class DocumentStore {
  /** The key of the own document. */
  readonly key: string;
  readonly #storage: ApprovalStorage;
  readonly #prefix: string;
  readonly #patience: number;
  readonly #onProblem: DocumentStoreOptions['onProblem'];
  readonly #reported = new Set<StorageProblem>();
  /** Whether everything could be read the last time. */
  #isReadable = true;

  /** The last saved text, and the number of that save. */
  #text: string | undefined;
  #saved = 0;
  /** The newest save that was tried, and the newest one that was written. */
  #tried = 0;
  #written = 0;
  /** Whether `#text` still has to be written. */
  #isPending = false;
  /** Whether the storage has returned what was written. */
  #isProven = false;
  /** Whether a call of the storage is running. */
  #isBusy = false;

  readonly #drops = new Set<string>();
  /** The save that must be written before `#drops` may be removed. */
  #dropsAfter = 0;
  readonly #erases = new Set<string>();
  #settling: { upTo: number; resolve: (written: boolean) => void }[] = [];

  constructor({ storage, prefix, session, onProblem, patience = PATIENCE }: DocumentStoreOptions) {
    this.#storage = storage;
    this.#prefix = prefix;
    this.#patience = patience;
    this.#onProblem = onProblem;
    this.key = prefix + session;
  }

  /**
   * Writes the document: before this returns if the storage is synchronous, otherwise one save after the other, skipping
   * all waiting ones but the newest. A failed write is repeated with the next save.
   */
  save(text: string): void {
    this.#text = text;
    this.#saved += 1;
    this.#isPending = true;
    this.#work();
  }

  /** Resolves when all saves and removals so far are done or have failed, with whether the newest save was written. */
  settled(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#settling.push({ upTo: this.#saved, resolve });
      this.#work();
    });
  }

  /**
   * Removes documents that the own one has taken over, once all saves so far are written. Until then they are the only
   * copy, so they stay if the write fails.
   */
  drop(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#isOfThisChat(key) && key !== this.key) this.#drops.add(key);
    }
    // Before the first save nothing was taken over.
    this.#dropsAfter = Math.max(1, this.#saved);
    this.#work();
  }

  /** Removes documents regardless of the saves, the own one included. */
  erase(keys: Iterable<string>): void {
    for (const key of keys) {
      if (!this.#isOfThisChat(key)) continue;
      this.#erases.add(key);
      if (key !== this.key) continue;
      this.#text = undefined;
      this.#isPending = false;
      this.#tried = this.#saved;
    }
    this.#work();
  }

  /** Returns all documents of the chat; a promise only if the storage is asynchronous. Never throws or rejects. */
  load(): Loaded | Promise<Loaded> {
    return chain(
      this.#ask(
        () => this.#storage.keys(this.#prefix),
        (list) => this.#keysOf(list),
      ),
      (found) => this.#readAll(found?.value.keys ?? [], found?.value.complete === true),
    );
  }

  #readAll(keys: string[], complete: boolean): MaybeAsync<Loaded> {
    // In parallel: a storage that hangs must not do so for each of them.
    const answers = keys.map((key) => this.#ask(() => this.#storage.read(key), textOf));
    const gather = (answers: Answer<string | undefined>[]): Loaded => {
      const documents = new Map<string, string>();
      for (const [i, answer] of answers.entries()) {
        const key = keys[i];
        // If there is no text, another tab has removed the document since.
        if (key !== undefined && answer?.value !== undefined) documents.set(key, answer.value);
      }
      this.#isReadable = complete && !answers.includes(undefined);
      this.#resetReports();
      return { documents, complete: this.#isReadable };
    };
    return answers.every((answer) => !(answer instanceof Promise))
      ? gather(answers as Answer<string | undefined>[])
      : Promise.all(answers).then(gather);
  }

  #keysOf(list: unknown): { keys: string[]; complete: boolean } {
    // A string is iterable, but is no list of keys.
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

  /** Does all pending work, one call of the storage after the other. */
  #work(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let step = this.#step(); step !== undefined; step = this.#step()) {
      if (step instanceof Promise) {
        void step.then(() => this.#workOn());
        return;
      }
      // The storage itself caused a save while it wrote. A later task continues, so that this loop cannot run forever.
      if (this.#isPending) {
        setTimeout(() => this.#workOn(), 0);
        return;
      }
    }
    this.#isBusy = false;
  }

  #workOn(): void {
    this.#isBusy = false;
    this.#work();
  }

  /** Does the next step, if there is one. */
  #step(): MaybeAsync<true> | undefined {
    if (this.#erases.size > 0) return this.#remove(this.#erases);
    if (this.#drops.size > 0 && this.#written >= this.#dropsAfter) return this.#remove(this.#drops);
    const settled = this.#settling.filter(({ upTo }) => upTo <= this.#tried);
    this.#settling = this.#settling.filter(({ upTo }) => upTo > this.#tried);
    for (const { upTo, resolve } of settled) resolve(upTo <= this.#written);
    if (this.#isPending && this.#text !== undefined) return this.#write(this.#text);
    return undefined;
  }

  #write(text: string): MaybeAsync<true> {
    const number = this.#saved;
    this.#isPending = false;
    const written = this.#ask(
      () => this.#storage.write(this.key, text),
      () => true,
      () => this.#finishedLate(number),
    );
    return chain(
      chain(written, (answer) => (answer === undefined || this.#isProven ? answer : this.#prove(text))),
      (answer) => {
        this.#tried = Math.max(this.#tried, number);
        this.#isProven = answer !== undefined;
        if (answer !== undefined) {
          this.#written = number;
          this.#resetReports();
        }
        return true;
      },
    );
  }

  /** Reads the first write back, so that a storage that loses data is found before other documents are dropped. */
  #prove(text: string): MaybeAsync<Answer<true>> {
    return this.#ask(
      () => this.#storage.read(this.key),
      (answer) => {
        if (answer !== text) throw new TypeError('The storage did not give back what was written.');
        return true;
      },
    );
  }

  /** A write that timed out has finished after all, and may have replaced a newer text. */
  #finishedLate(number: number): void {
    if (this.#text === undefined) this.#erases.add(this.key);
    else if (number < this.#saved) this.#isPending = true;
    else this.#written = number;
    this.#work();
  }

  /** A failed removal is not repeated: the next session ignores these documents and removes them. */
  #remove(keys: Set<string>): MaybeAsync<true> {
    const answers = [...keys].map((key) =>
      this.#ask(
        () => this.#storage.remove(key),
        () => true,
      ),
    );
    keys.clear();
    return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers).then(() => true) : true;
  }

  /** Calls the storage. `read` checks the answer and throws if it is invalid. */
  #ask<T>(work: () => unknown, read: (answer: unknown) => T, late?: () => void): MaybeAsync<Answer<T>> {
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
      // The outer promise settles once, whatever a foreign `then` does.
      new Promise((settle) => settle(answer)).then(read).then(
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

  /** Allows problems to be reported again, once reading and writing work. */
  #resetReports(): void {
    if (this.#isReadable && this.#written === this.#saved) this.#reported.clear();
  }

  #report(cause: unknown): void {
    const code = codeOf(cause);
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    try {
      this.#onProblem(code, cause);
    } catch {
      // A failing listener must not stop the work.
    }
  }
}

/** @throws TypeError if the answer is neither a text nor missing */
function textOf(answer: unknown): string | undefined {
  if (typeof answer === 'string') return answer;
  if (answer === undefined || answer === null) return undefined;
  throw new TypeError(`The storage gave no text but a value of type ${typeof answer}.`);
}

/** The problem for a thrown value: a code of the border, or an error of the browser. */
function codeOf(cause: unknown): StorageProblem {
  let name: unknown;
  try {
    name = typeof cause === 'string' ? cause : (cause as { name?: unknown } | null | undefined)?.name;
  } catch {
    // A thrown value may itself throw when it is read.
  }
  if (name === 'full' || name === 'QuotaExceededError' || name === 'NS_ERROR_DOM_QUOTA_REACHED') {
    return 'storage-full';
  }
  return name === 'blocked' || name === 'SecurityError' ? 'storage-blocked' : 'storage-failed';
}

/** @throws the error of a hostile getter */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Continues synchronously with a value, and asynchronously with a promise. */
function chain<T, U>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<U>): MaybeAsync<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
