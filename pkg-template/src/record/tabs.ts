import type { Later } from './storage.js';

/**
 * Why work under the lock of a chat did not finish. `tabs-closed`: the record was closed before the work began.
 * `record-in-use`: a newer guard in this page has the record.
 * `lock-expired`: the work took too long. `lock-lost`: the page was hidden for good, or another script stole the lock.
 */
export type LockErrorCode = 'tabs-closed' | 'record-in-use' | 'lock-expired' | 'lock-lost';

/** The error of work that did not finish under the lock of its chat. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** The code of the failure. */
  readonly code: LockErrorCode;

  constructor(code: LockErrorCode) {
    super(SENTENCES[code]);
    this.code = code;
  }
}

const SENTENCES: Readonly<Record<LockErrorCode, string>> = {
  'tabs-closed': 'The record of this chat was closed: make a new guard.',
  'record-in-use': 'A newer guard of this chat in this page has its record: use that one.',
  'lock-expired': 'The work under the lock of this chat took too long, so that another tab may go on.',
  'lock-lost':
    'The lock of this chat was lost while something was done under it: read what is stored, and try again.',
};

/** The options of {@link Tabs}. */
export interface TabsOptions {
  /** The prefix of all names of this chat, and of no other chat: the prefix of its documents. */
  prefix: string;
  /** The id of this session, as it stands in the key of its document. */
  session: string;
  /**
   * Called when something may have changed in another tab. `away`: the page was in the back/forward cache meanwhile, and
   * another tab may have considered this session to be over.
   */
  onChange: (away: boolean) => void;
  /** How long work may hold the lock, in milliseconds. Default 10000. */
  bound?: number;
}

/**
 * Work that never ends would block all tabs of the chat for as long as its page lives. Work under the lock takes
 * milliseconds, or seconds with a slow storage.
 */
const BOUND = 10_000;

/** The shortest time between two calls of the listener, in milliseconds. */
const PAUSE = 50;

/** The only message on the channel. A forged one causes a check and nothing else. */
const CHANGED = 'changed';

/** The last waiting work in this page, by lock: one tab may have two guards of a chat. */
const queues = /* @__PURE__ */ new Map<string, Promise<unknown>>();

/** The tabs of a browser in which the same chat is open. Without a document there are none, and no lock is requested. */
export class Tabs {
  /** Resolves when the lock of this session is held, or locks are unavailable. Until then the session may look ended. */
  readonly ready: Promise<void>;
  readonly #prefix: string;
  readonly #session: string;
  readonly #bound: number;
  readonly #page: Document | undefined;
  readonly #onChange: Throttle;
  /** Removes the listeners of the page. */
  readonly #listening = new AbortController();
  #locks: LockManager | undefined;
  #channel: BroadcastChannel | undefined;
  /** Releases the lock of this session and cancels all waiting requests. Renewed after each absence. */
  #present = new AbortController();
  /** Releases the lock of this session once another one with a newer mark is held. */
  #alive = new AbortController();
  #mark = 0;
  #away = false;
  #closed = false;
  /** Callbacks that wait until the page is visible, or back. */
  readonly #waiting = new Set<() => void>();

  constructor({ prefix, session, onChange, bound = BOUND }: TabsOptions) {
    this.#prefix = prefix;
    this.#session = session;
    this.#bound = bound;
    this.#onChange = new Throttle(onChange);
    this.#page = globalThis.document;
    // On a server, a channel and locks would live as long as the process.
    this.#locks = this.#page && (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    this.ready = this.#connect();
    const { signal } = this.#listening;
    this.#page?.addEventListener('visibilitychange', () => this.#onVisible(), { signal });
    // A held lock would keep the page out of the back/forward cache, or block all other tabs while it is in there.
    globalThis.window?.addEventListener('pagehide', () => this.#onPageHide(), { signal });
    globalThis.window?.addEventListener('pageshow', (event) => this.#onPageShow(event.persisted), { signal });
  }

  /**
   * Runs `work` while no other tab, and nothing else in this one, runs work of this chat. Without Web Locks it waits until
   * the page is visible, because only one tab of a window is. If the lock is lost while `work` runs, `held` is aborted,
   * and the promise rejects at once.
   *
   * @throws LockError as a rejection; an error of `work` is passed on
   */
  locked<T>(work: (held: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    const name = `${this.#prefix}lock`;
    const run = (queues.get(name) ?? Promise.resolve()).then(() => this.#acquire(name, work));
    const end: Promise<unknown> = run.then(nothing, nothing).then(() => {
      if (queues.get(name) === end) queues.delete(name);
    });
    queues.set(name, end);
    return run;
  }

  /**
   * Returns the living sessions of this chat, this one included, each with its newest mark; `undefined` where the
   * browser cannot tell.
   */
  async living(): Promise<ReadonlyMap<string, number> | undefined> {
    try {
      const found = await this.#locks?.query();
      if (found === undefined || this.#locks === undefined) return undefined;
      const prefix = `${this.#prefix}live:`;
      const living = new Map<string, number>();
      // A session that still waits for its lock has just begun.
      for (const { name } of [...(found.held ?? []), ...(found.pending ?? [])]) {
        if (name === undefined || !name.startsWith(prefix)) continue;
        const [session = '', mark] = name.slice(prefix.length).split(':');
        living.set(session, Math.max(living.get(session) ?? 0, Number(mark) || 0));
      }
      if (!this.#closed) living.set(this.#session, Math.max(living.get(this.#session) ?? 0, this.#mark));
      return living;
    } catch {
      return undefined;
    }
  }

  /**
   * Publishes the write counter of the document in the name of the session's lock. To be awaited under the lock of the
   * chat, after the document was written: in Chromium a write to `localStorage` reaches another page some milliseconds
   * later, possibly after the lock of the chat.
   */
  mark(mark: number): Promise<void> {
    if (this.#closed || mark <= this.#mark) return Promise.resolve();
    this.#mark = mark;
    return this.#away ? Promise.resolve() : this.#holdSessionLock();
  }

  /**
   * Waits, under the lock, until the documents of the other living sessions have reached their marks. `markOf` reads such
   * a document again and returns its counter. Resolves with `false` after `patience` milliseconds, when the documents may
   * still be old. Without Web Locks there are no marks, and the result is `true`.
   */
  async caughtUp(markOf: (session: string) => Later<number>, patience = 1_000): Promise<boolean> {
    const living = await this.living();
    const end = performance.now() + patience;
    for (const [session, mark] of living ?? []) {
      if (session === this.#session) continue;
      while (!((await markOf(session)) >= mark)) {
        if (performance.now() > end) return false;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return true;
  }

  /** Tells the other tabs that something has changed. */
  changed(): void {
    try {
      this.#channel?.postMessage(CHANGED);
    } catch {
      // The other tabs check again when they become visible.
    }
  }

  /** Releases everything. Waiting work is refused; running work keeps the lock until it ends or expires. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening.abort();
    this.#onChange.close();
    this.#disconnect();
    this.#wake();
  }

  /** Opens the channel and takes the lock of this session. Never rejects. */
  #connect(): Promise<void> {
    if (this.#page === undefined) return Promise.resolve();
    this.#present = new AbortController();
    this.#channel = this.#openChannel();
    return this.#holdSessionLock();
  }

  /** Takes the lock of this session with its mark, then releases the previous one. Never rejects. */
  #holdSessionLock(): Promise<void> {
    const locks = this.#locks;
    if (locks === undefined) return Promise.resolve();
    const before = this.#alive;
    const alive = (this.#alive = new AbortController());
    const { signal } = alive;
    const present = this.#present.signal;
    if (present.aborted) alive.abort();
    else present.addEventListener('abort', () => alive.abort(), { signal });
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve());
      const hold = () => {
        before.abort();
        resolve();
        return aborted(signal);
      };
      const name = `${this.#prefix}live:${this.#session}:${this.#mark}`;
      // Shared: the lock only shows that the session lives, so it never waits for another one of its name.
      locks.request(name, { mode: 'shared', signal }, hold).catch((error: unknown) => {
        this.#refused(error);
        resolve();
      });
    });
  }

  #disconnect(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#present.abort();
  }

  #openChannel(): BroadcastChannel | undefined {
    if (typeof globalThis.BroadcastChannel !== 'function') return undefined;
    try {
      const channel = new BroadcastChannel(`${this.#prefix}tabs`);
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (data === CHANGED) this.#onChange.call(false);
      };
      // In Node with a simulated document it would keep the process alive.
      (channel as { unref?: () => void }).unref?.();
      return channel;
    } catch {
      // A sandboxed frame may have no channel.
      return undefined;
    }
  }

  #onVisible(): void {
    if (this.#page?.visibilityState === 'hidden') return;
    this.#wake();
    // A hidden page may have been suspended, or have missed a message.
    this.#onChange.call(false);
  }

  #onPageHide(): void {
    this.#away = true;
    this.#disconnect();
  }

  #onPageShow(persisted: boolean): void {
    if (!this.#away) return;
    this.#away = false;
    void this.#connect();
    this.#wake();
    this.#onChange.call(persisted);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** In a frame with an opaque origin all requests are refused permanently. */
  #refused(error: unknown): void {
    if ((error as { name?: unknown } | null)?.name === 'SecurityError') this.#locks = undefined;
  }

  async #acquire<T>(name: string, work: (held: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    for (;;) {
      if (this.#closed) throw new LockError('tabs-closed');
      const isHidden = this.#locks === undefined && this.#page?.visibilityState === 'hidden';
      if (this.#away || isHidden) {
        await new Promise<void>((wake) => this.#waiting.add(wake));
        continue;
      }
      const hold = new LockHold(work, this.#bound);
      if (this.#locks === undefined) {
        hold.begin();
        return hold.result;
      }
      const { signal } = this.#present;
      try {
        await this.#locks.request(name, { signal }, () => {
          // The lock was granted while the page was leaving.
          if (signal.aborted) return undefined;
          hold.begin();
          return hold.result.then(nothing, nothing);
        });
      } catch (error) {
        // When another script steals the lock, the request rejects after it was granted.
        if (hold.began) hold.lose('lock-lost');
        else if (!signal.aborted) {
          this.#refused(error);
          if (this.#locks !== undefined) throw error;
        }
      }
      if (hold.began) return hold.result;
    }
  }
}

/** Work that holds the lock for as long as it runs, but not longer than the limit. */
class LockHold<T> {
  /** The result of the work, or the reason why it lost the lock. */
  readonly result: Promise<T>;
  began = false;
  readonly #work: (held: AbortSignal) => T | PromiseLike<T>;
  readonly #bound: number;
  readonly #held = new AbortController();
  #resolve!: (value: T | PromiseLike<T>) => void;
  #reject!: (reason: unknown) => void;

  constructor(work: (held: AbortSignal) => T | PromiseLike<T>, bound: number) {
    this.#work = work;
    this.#bound = bound;
    this.result = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  begin(): void {
    this.began = true;
    const leave = () => this.lose('lock-lost');
    const expire = setTimeout(() => this.lose('lock-expired'), this.#bound);
    globalThis.window?.addEventListener('pagehide', leave);
    const end = () => {
      clearTimeout(expire);
      globalThis.window?.removeEventListener('pagehide', leave);
    };
    this.result.then(end, end);
    new Promise<T>((resolve) => resolve(this.#work(this.#held.signal))).then(this.#resolve, this.#reject);
  }

  lose(code: LockErrorCode): void {
    const error = new LockError(code);
    this.#reject(error);
    this.#held.abort(error);
  }
}

/** Calls a listener at once after a pause, and at intervals otherwise. The last call is never lost. */
class Throttle {
  readonly #call: (away: boolean) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -Infinity;
  #away = false;
  #closed = false;

  constructor(call: (away: boolean) => void) {
    this.#call = call;
  }

  call(away: boolean): void {
    this.#away ||= away;
    if (this.#closed || this.#timer !== undefined) return;
    const left = this.#last + PAUSE - performance.now();
    if (left <= 0) this.#now();
    else this.#timer = setTimeout(() => this.#now(), Math.ceil(left));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #now(): void {
    const away = this.#away;
    this.#timer = undefined;
    this.#away = false;
    this.#last = performance.now();
    this.#call(away);
  }
}

const nothing = (): void => {};

/** Resolves when `signal` is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
