import type { Later } from './storage.js';

/**
 * Why work under the lock of a chat came to no end. `tabs-closed`: the record was closed before it began.
 * `record-in-use`: a newer guard in this page has it.
 * `lock-expired`: the work took too long. `lock-lost`: the page was put away, or another script took the lock.
 */
export type LockErrorCode = 'tabs-closed' | 'record-in-use' | 'lock-expired' | 'lock-lost';

/** Work under the lock of a chat came to no end, or not to its end under the lock. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** What happened, for programs. */
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

/** What {@link Tabs} need. */
export interface TabsOptions {
  /** What the names of this chat, and of no other one, begin with: the prefix of its documents. */
  prefix: string;
  /** The id of this session, as it stands in the key of its document. */
  session: string;
  /**
   * Something may have changed in another tab. `away`: the page was in the back/forward cache since, and another tab
   * may have taken this session for one that is over.
   */
  onChange: (away: boolean) => void;
  /** How long work may hold the lock, in milliseconds; default 10000. */
  bound?: number;
}

/**
 * A work that never ends would keep all tabs of the chat from answering, for as long as its page lives. What is done
 * under the lock is a matter of milliseconds, with a slow storage of seconds.
 */
const BOUND = 10_000;

/** How often a flood may call, in milliseconds. */
const PAUSE = 50;

/** The only word that is said on the channel: who forges it causes a second look and nothing else. */
const CHANGED = 'changed';

/** Who waits in this page, by the name of the lock: two guards of one chat are in one tab, too. */
const lines = /* @__PURE__ */ new Map<string, Promise<unknown>>();

/** The tabs of a browser in which the same chat is open. Without a document there are none, and nothing is asked for. */
export class Tabs {
  /** The lock of this session is held, or there are no locks. Before that another tab may take it for over. */
  readonly ready: Promise<void>;
  readonly #prefix: string;
  readonly #session: string;
  readonly #bound: number;
  readonly #page: Document | undefined;
  readonly #calls: Calls;
  /** Ends what listens to the page. */
  readonly #listening = new AbortController();
  #locks: LockManager | undefined;
  #channel: BroadcastChannel | undefined;
  /** Gives the lock of this session back, and all places in the line of the chat. Another one after each absence. */
  #present = new AbortController();
  /** Gives the lock of this session back when another one with a newer mark is held. */
  #alive = new AbortController();
  #mark = 0;
  #away = false;
  #closed = false;
  /** Who waits until the page is seen, or back. */
  readonly #waiting = new Set<() => void>();

  constructor({ prefix, session, onChange, bound = BOUND }: TabsOptions) {
    this.#prefix = prefix;
    this.#session = session;
    this.#bound = bound;
    this.#calls = new Calls(onChange);
    this.#page = globalThis.document;
    // On a server a channel and locks would live as long as the process.
    this.#locks = this.#page && (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    this.ready = this.#appear();
    const { signal } = this.#listening;
    this.#page?.addEventListener('visibilitychange', () => this.#seen(), { signal });
    // What is held would keep a page out of the back/forward cache, or all other tabs waiting while it is in there.
    globalThis.window?.addEventListener('pagehide', () => this.#leave(), { signal });
    globalThis.window?.addEventListener('pageshow', (event) => this.#return(event.persisted), { signal });
  }

  /**
   * Runs `work` while no other tab runs any for this chat, and never two at the same time. Without Web Locks it waits
   * until the page is seen: of the tabs of a window only one is. Where the lock is lost while `work` runs, `held` is
   * aborted, and the promise rejects at once.
   *
   * @throws LockError as a rejection; what `work` throws is passed on
   */
  locked<T>(work: (held: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    const name = `${this.#prefix}lock`;
    const turn = (lines.get(name) ?? Promise.resolve()).then(() => this.#turn(name, work));
    const end: Promise<unknown> = turn.then(nothing, nothing).then(() => {
      if (lines.get(name) === end) lines.delete(name);
    });
    lines.set(name, end);
    return turn;
  }

  /**
   * The sessions of this chat whose pages live, this one among them, each with its newest mark; `undefined` where
   * nobody knows.
   */
  async living(): Promise<ReadonlyMap<string, number> | undefined> {
    try {
      const found = await this.#locks?.query();
      if (found === undefined || this.#locks === undefined) return undefined;
      const prefix = `${this.#prefix}live:`;
      const living = new Map<string, number>();
      // One that still waits for its lock has just begun.
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
   * Lets the other tabs know how far the document of this session is, in the name of its lock. To be awaited under the
   * lock, after the document was written: in Chromium what one page writes to `localStorage` reaches another one some
   * milliseconds later, and the lock of the chat may be there first.
   */
  mark(mark: number): Promise<void> {
    if (this.#closed || mark <= this.#mark) return Promise.resolve();
    this.#mark = mark;
    return this.#away ? Promise.resolve() : this.#live();
  }

  /**
   * Waits, under the lock, until the documents of the other living sessions are as far as their marks: `markOf` reads
   * such a document again and says how far it is. False when it did not come within `patience` milliseconds, so that
   * what is read may be old. Without Web Locks there are no marks, and it is true.
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

  /** Tells the other tabs that something has changed, and nothing else. */
  changed(): void {
    try {
      this.#channel?.postMessage(CHANGED);
    } catch {
      // They look again when they are seen the next time.
    }
  }

  /** Gives back what is held. Who waits is refused; work that runs keeps the lock until it ends, or for its time. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening.abort();
    this.#calls.close();
    this.#disappear();
    this.#wake();
  }

  /** Opens the channel and takes the lock of this session. Never rejects. */
  #appear(): Promise<void> {
    if (this.#page === undefined) return Promise.resolve();
    this.#present = new AbortController();
    this.#channel = this.#listen();
    return this.#live();
  }

  /** Takes the lock of this session with its mark, and then gives the one before back. Never rejects. */
  #live(): Promise<void> {
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
      // Shared: it says that somebody lives and keeps nobody out, so it never waits for one of the same name.
      locks.request(name, { mode: 'shared', signal }, hold).catch((error: unknown) => {
        this.#refused(error);
        resolve();
      });
    });
  }

  #disappear(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#present.abort();
  }

  #listen(): BroadcastChannel | undefined {
    if (typeof globalThis.BroadcastChannel !== 'function') return undefined;
    try {
      const channel = new BroadcastChannel(`${this.#prefix}tabs`);
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (data === CHANGED) this.#calls.call(false);
      };
      // In Node, below a simulated document, it would keep the process alive.
      (channel as { unref?: () => void }).unref?.();
      return channel;
    } catch {
      // A sandboxed frame may have none.
      return undefined;
    }
  }

  #seen(): void {
    if (this.#page?.visibilityState === 'hidden') return;
    this.#wake();
    // A hidden page may have been asleep, or missed something.
    this.#calls.call(false);
  }

  #leave(): void {
    this.#away = true;
    this.#disappear();
  }

  #return(persisted: boolean): void {
    if (!this.#away) return;
    this.#away = false;
    void this.#appear();
    this.#wake();
    this.#calls.call(persisted);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** In a frame without an origin of its own all requests are refused, for good. */
  #refused(error: unknown): void {
    if ((error as { name?: unknown } | null)?.name === 'SecurityError') this.#locks = undefined;
  }

  async #turn<T>(name: string, work: (held: AbortSignal) => T | PromiseLike<T>): Promise<T> {
    for (;;) {
      if (this.#closed) throw new LockError('tabs-closed');
      const unseen = this.#locks === undefined && this.#page?.visibilityState === 'hidden';
      if (this.#away || unseen) {
        await new Promise<void>((wake) => this.#waiting.add(wake));
        continue;
      }
      const hold = new Hold(work, this.#bound);
      if (this.#locks === undefined) {
        hold.begin();
        return hold.result;
      }
      const { signal } = this.#present;
      try {
        await this.#locks.request(name, { signal }, () => {
          // It was given while the page left.
          if (signal.aborted) return undefined;
          hold.begin();
          return hold.result.then(nothing, nothing);
        });
      } catch (error) {
        // A lock that another script steals is refused after it was given.
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

/** A work that holds the lock: for as long as it runs, but no longer than it may. */
class Hold<T> {
  /** The result of the work, or why it lost the lock. */
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

/** Calls at once when it was quiet, and under a flood once in a while; the last one is never lost. */
class Calls {
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
