// The record of one guard, and its transactions.
import type { RecordCore } from 'virtual:record-glue';

import type { LedgerEntry } from '../types/events.js';
import type { CallNote, KeptGrant, KnownCall } from '../types/record.js';
import { referTo, type Reference } from '../lifetime.js';
import { soon } from '../soon.js';
import type { RecordHost } from './host.js';
import { Durations, metricsOf, type Figures } from './metrics.js';
import { leaveMark, takeMark, type PageMark } from './page-mark.js';
import { FAULTS, PROBLEMS } from './sentences.js';
import type { ApprovalStorage, RecordChange, StoredRecord } from './storage/contract.js';
import { storageErrorOf } from './storage/errors.js';
import { timeLimit } from './storage/time-limit.js';
import { TransactionError } from './transaction-error.js';
import type { PromptLoad, RecordHead, RecordMetrics } from './types.js';
import { Wakes } from './wakes.js';

/** The options of a {@link RecordSession}. */
export interface SessionOptions {
  host: RecordHost;
  /** `memory` and `session` are not shared with other tabs. */
  kind: 'memory' | 'session' | 'indexeddb' | 'own';
  storage: ApprovalStorage;
  grants: boolean;
  keep: number;
  RecordCore: typeof RecordCore;
  /** Called after each change of the record. */
  onChange: () => void;
  /** The session with which the same record was connected before. */
  previous: RecordSession | undefined;
}

/** The maximum duration of a transaction, in milliseconds. */
const PATIENCE_MS = 5_000;
/** The number of attempts to make, or renew, a claim before the storage counts as too slow. */
const MOST_CLAIMS = 4;
/** The pause after a transaction that failed, before the storage is read again, in milliseconds. */
const PAUSE_MS = 1_000;
/** The same, before a claim is made again. */
const CLAIM_PAUSE_MS = 300;
/** Records that were not written for 90 days are removed. */
const KEPT_MS = 90 * 24 * 3_600_000;
/** The maximum number of records that are kept. */
const MOST_RECORDS = 1_000;

/**
 * The newest session of each storage and chat in this page. If a chat has two guards, the record belongs to
 * the newer one: an older guard does not learn that its component was removed, and the record must not wait
 * for it.
 */
const newest = /* @__PURE__ */ new Map<string, WeakRef<RecordSession>>();
/** The sessions of each storage in this process. */
const sessions = /* @__PURE__ */ new WeakMap<ApprovalStorage, readonly Reference<RecordSession>[]>();

/** The sessions over this storage that something holds and nobody has closed. */
const openSessions = (storage: ApprovalStorage): RecordSession[] =>
  (sessions.get(storage) ?? [])
    .map((reference) => reference.deref())
    .filter((session): session is RecordSession => session?.isClosed === false);

/** The storages from which this page has removed old records. */
const pruned = /* @__PURE__ */ new WeakSet<ApprovalStorage>();

/** The result of a transaction after the storage was read. */
interface Judged<T> {
  result?: T;
  /** The value that the work threw. */
  error?: unknown;
  /** The fault because of which the stored data is ignored. */
  fault?: string;
}

/** The record of one guard, from its first use to its end. */
export class RecordSession {
  /** Settles when the storage was read; `undefined` if that happened synchronously. */
  ready: Promise<void> | undefined;
  isClosed = false;
  isRead = false;
  readonly #isShared: boolean;
  readonly #host: RecordHost;
  readonly #options: Omit<SessionOptions, 'previous'>;
  readonly #chat: string;
  readonly #session = randomHex(8);
  readonly #core: RecordCore;
  /** The mark that the previous page in the same tab has left. */
  readonly #mark: PageMark | undefined;
  /** The number of reports of each problem in this page. */
  readonly #errors = new Map<string, number>();
  readonly #transactions = new Durations();
  readonly #queries = new Durations();
  readonly #wakes: Wakes;
  /** The sessions that this one continues. */
  readonly #before: readonly string[];
  /** The newer session in this page that has taken over the record. */
  #newer: WeakRef<RecordSession> | undefined;
  /** Whether the storage cannot be used: then the record ends with the page, and there are no other tabs. */
  #isAlone = false;
  /** Whether a transaction has read the storage but has not returned yet what to write. */
  #isJudging = false;
  /** Whether a later transaction will write the appended entries. */
  #isLookWaiting = false;
  /** Whether the last transaction appends entries. */
  #hasAppended = false;
  /** Whether it was reported that transactions do not end in time. */
  #isLate = false;
  /** Whether a transaction has failed or was refused since the host was last told of a change. */
  #isHostWaiting = false;
  #revision: number | undefined;
  /** The end of the last transaction, while it runs. */
  #running: Promise<unknown> | undefined;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  /** @throws TypeError if the module provides no record */
  constructor({ previous, ...options }: SessionOptions) {
    const { host, kind, keep } = options;
    this.#options = options;
    this.#host = host;
    this.#isShared = kind === 'indexeddb' || kind === 'own';
    const { chatId } = host;
    // An id with a lone surrogate cannot be stored unchanged. Its escaped form does not occur as the id of
    // another chat.
    this.#chat = wellFormed(chatId) !== chatId ? `ill-formed ${JSON.stringify(chatId)}` : chatId;
    const core = options.RecordCore.create(this.#session, this.#chat, randomHex(32), keep, this.#isShared);
    if (core === undefined) throw new TypeError('The record could not be made.');
    this.#core = core;
    this.#mark = this.#isShared && globalThis.document !== undefined ? takeMark(this.#chat) : undefined;
    if (this.#mark !== undefined) core.hear(this.#mark.at);
    this.#wakes = new Wakes(this.#isShared ? this.#chat : undefined, {
      look: () => this.#look(),
      hide: (isKept) => this.#hide(isKept),
      show: () => this.#show(),
    });
    const older = this.#replaceOlder(previous);
    this.#before = [...older.map((session) => session.#session), ...(this.#mark ? [this.#mark.session] : [])];
    const open = () => this.#transact(() => {});
    const waits = older.some((session) => session.#running !== undefined);
    const opened = waits ? Promise.all(older.map((session) => session.saved())).then(open) : open();
    if (opened instanceof Promise) this.ready = opened.catch((cause: unknown) => this.#late(cause));
  }

  /**
   * Whether other tabs may write to the same storage. Then each commit and each request waits for a transaction. A superseded
   * session counts as shared, so that its requests are refused.
   */
  get isShared(): boolean {
    return this.#isShared || this.#newer !== undefined;
  }

  /** Supersedes the older sessions of this record in this page, and returns those of this chat. */
  #replaceOlder(previous: RecordSession | undefined): readonly RecordSession[] {
    const { kind } = this.#options;
    const replaced = new Set(previous === undefined ? [] : [previous]);
    // A process without a page serves many users.
    if (kind !== 'memory' && globalThis.document !== undefined) {
      const place = `${kind}:${this.#chat}`;
      const older = newest.get(place)?.deref();
      if (older !== undefined) replaced.add(older);
      newest.set(place, new WeakRef(this));
    }
    for (const older of replaced) older.#supersede(this);
    return [...replaced].filter((older) => older.#chat === this.#chat);
  }

  #supersede(newer: RecordSession): void {
    if (this.isClosed || this.#newer !== undefined) return;
    this.save(true);
    this.#newer = new WeakRef(newer);
    this.#core.leave();
    this.#wakes.close();
  }

  readonly hash = (text: string): string | undefined => (this.isRead ? this.#core.hash(text) : undefined);

  // ---- transactions ------------------------------------------------------------------------

  /**
   * Runs work in a transaction: at once if the storage is synchronous, otherwise after all earlier
   * transactions.
   */
  #transact<T>(work: () => T): T | Promise<T> {
    const before = this.#running;
    const result = before === undefined ? this.#attempt(work) : before.then(() => this.#attempt(work));
    if (!(result instanceof Promise)) return result;
    const end: Promise<unknown> = result.then(nothing, nothing).then(() => {
      if (this.#running === end) this.#running = undefined;
    });
    this.#running = end;
    return result;
  }

  #attempt<T>(work: () => T): T | Promise<T> {
    if (this.#isAlone) return this.#conclude(this.#judge(work), work);
    // It reads everything, and its end decides when to look next.
    this.#wakes.after(undefined);
    let judged: Judged<T> | undefined;
    let isOver = false;
    const start = performance.now();
    const done = (): T => {
      this.#transactions.add(performance.now() - start);
      return this.#conclude(judged, work);
    };
    const judge = (stored: StoredRecord): RecordChange | undefined => {
      if (isOver) return undefined;
      const fault = this.#read(stored);
      judged = fault === undefined ? this.#judge(work) : { fault };
      const changes: Required<RecordChange>[] = [];
      if (fault === undefined) this.#core.change(changes);
      const [change] = changes;
      this.#hasAppended = (change?.append.length ?? 0) > 0;
      return change;
    };
    const failed = (cause: unknown): T => {
      isOver = true;
      const { code } = storageErrorOf(cause);
      if (cause instanceof TransactionError || code === 'storage-busy') {
        this.#core.failed();
        this.#isHostWaiting = true;
        // Other tabs may wait for what was to be written, or this one for what it was to read.
        if (!this.isClosed && this.#newer === undefined) this.#wakes.after(PAUSE_MS);
        throw new TransactionError('storage-timeout', cause);
      }
      this.#report(code as keyof typeof PROBLEMS, cause);
      return this.#goAlone(judged, work);
    };
    let writing: ReturnType<ApprovalStorage['transact']>;
    try {
      writing = this.#options.storage.transact(this.#chat, this.#core.length(), judge);
    } catch (cause) {
      return failed(cause);
    }
    // An error of the work, or its refusal, is no failure of the storage.
    return writing === undefined ? done() : withPatience(writing).then(done, failed);
  }

  /** Returns the fault because of which the stored data has to be ignored, if there is one. */
  #read({ head, state, first, length, entries }: StoredRecord): string | undefined {
    if (!this.isRead && length < (this.#mark?.length ?? 0)) return 'rolled-back';
    return this.#core.read(head, state, first, length, [...entries], performance.now());
  }

  /** Runs the work inside a transaction, after the storage was read. */
  #judge<T>(work: () => T): Judged<T> {
    this.#isJudging = true;
    try {
      if (!this.isRead) this.#begin();
      this.#core.sequence();
      return { result: work() };
    } catch (error) {
      return { error };
    } finally {
      this.#isJudging = false;
    }
  }

  /** Runs after the storage was read for the first time. */
  #begin(): void {
    this.isRead = true;
    const { kind, grants, storage } = this.#options;
    for (const session of this.#before) this.#core.give_up(session);
    // Without a page, it is unknown which other sessions are alive, but for those of this process.
    const others = openSessions(storage);
    sessions.set(storage, [...others, this].map(referTo));
    const isBesideAnother = others.some((other) => other.#chat === this.#chat && other.#newer === undefined);
    if (kind !== 'indexeddb' && globalThis.document === undefined && !isBesideAnother)
      this.#core.give_up_others();
    if (grants) this.#core.adopt_grants();
    else this.#core.set_grants(undefined);
  }

  /** Ends a transaction. @throws the value that the work threw, or TransactionError `refused` */
  #conclude<T>(judged: Judged<T> | undefined, work: () => T): T {
    if (judged === undefined) {
      this.#report(
        'storage-failed',
        new TypeError('The storage did not call the function that it was given.'),
      );
      return this.#goAlone(judged, work);
    }
    if (judged.fault !== undefined) {
      const code = PROBLEM_OF_FAULT[judged.fault];
      if (code !== undefined) this.#report(code);
      else this.#host.report('record-unreadable', FAULTS[judged.fault] ?? judged.fault);
      return this.#goAlone(undefined, work);
    }
    if (this.#isAlone) this.#core.change([]);
    const isRefused = this.#core.is_refused();
    this.#core.written();
    if (isRefused) this.#isHostWaiting = true;
    this.#announce();
    if ('error' in judged) throw judged.error;
    if (isRefused) throw new TransactionError('refused');
    return judged.result as T;
  }

  /** From now on, keeps the record only in the page. It includes the work of a transaction that failed. */
  #goAlone<T>(judged: Judged<T> | undefined, work: () => T): T {
    this.#isAlone = true;
    this.#core.go_alone();
    return this.#conclude(judged ?? this.#judge(work), work);
  }

  /** Tells all listeners what a transaction has changed. */
  #announce(): void {
    this.#isLate = false;
    if (this.#hasAppended) this.#wakes.tell();
    this.#hasAppended = false;
    const [before, now] = [this.#revision, this.#core.revision()];
    this.#revision = now;
    if (before === undefined) this.#prune();
    // The older session of this page tells the newer one what happens to its request.
    const newer = this.#newer?.deref();
    if (newer !== undefined) newer.#look();
    else if (!this.isClosed) {
      this.#wakes.after(this.#isAlone ? undefined : this.#core.wakes_after());
      if (this.#isHostWaiting || (before !== undefined && now !== before)) soon(this.#host.changed);
      this.#isHostWaiting = false;
    }
    this.#options.onChange();
  }

  /** Removes old records, once per page. */
  #prune(): void {
    const { storage, kind } = this.#options;
    if (kind === 'memory' || this.#isAlone || pruned.has(storage)) return;
    pruned.add(storage);
    // Faults of the storage are reported by its transactions.
    const prune = async () => storage.prune(Date.now() - KEPT_MS, MOST_RECORDS);
    prune().catch(nothing);
  }

  #report(code: keyof typeof PROBLEMS, cause?: unknown): void {
    this.#host.report(code, PROBLEMS[code], cause);
  }

  /** Handles a transaction that did not end in time. The next transaction writes its entries. */
  #late(cause: unknown): void {
    if (this.#isLate || (cause as TransactionError).code === 'refused') return;
    this.#isLate = true;
    this.#report('storage-timeout', cause);
  }

  /** Reads new entries, and writes the appended ones. */
  #look(): void {
    if (this.#isLookWaiting) return;
    this.#isLookWaiting = true;
    const end = (cause: unknown) => {
      this.#isLookWaiting = false;
      this.#late(cause);
    };
    try {
      const looked = this.#transact(() => void (this.#isLookWaiting = false));
      if (looked instanceof Promise) looked.catch(end);
    } catch (cause) {
      end(cause);
    }
  }

  /**
   * Runs work inside one transaction, after everything that other tabs have written was read. Settles when the entries of the
   * work are stored.
   */
  async inTransaction<T>(work: () => T): Promise<T> {
    await this.ready;
    if (this.#newer !== undefined) throw new TransactionError('record-in-use');
    if (this.isClosed) throw new TransactionError('closed');
    return this.#transact(work);
  }

  /**
   * Like `inTransaction`, for work that claims to send answers. It is made again if nothing was heard of it, and renewed if it
   * took too long: what it is then is read first. The request may leave as soon as the promise is fulfilled, and not later.
   */
  async claim<T extends { request: number }>(work: () => T): Promise<T> {
    let began = 0;
    let left: T | undefined;
    const claim = (): T => {
      began = performance.now();
      const isAgain = left !== undefined;
      left = work();
      if (isAgain && !this.#core.claims_hold(left.request)) throw new TransactionError('refused');
      return left;
    };
    for (let claims = 1; ; claims++) {
      try {
        const claimed = await this.inTransaction(claim);
        if (this.#options.RecordCore.may_send(began, performance.now())) return claimed;
        if (claims === MOST_CLAIMS) throw new TransactionError('storage-timeout');
      } catch (cause) {
        if ((cause as TransactionError).code !== 'storage-timeout' || claims === MOST_CLAIMS) throw cause;
        await new Promise((resolve) => setTimeout(resolve, CLAIM_PAUSE_MS));
      }
    }
  }

  // ---- the page ----------------------------------------------------------------------------

  #hide(isKept: boolean): void {
    leaveMark(this.#chat, { session: this.#session, length: this.#core.length(), at: Date.now() });
    if (!isKept) this.#core.leave();
    this.#look();
  }

  #show(): void {
    takeMark(this.#chat);
    this.#look();
  }

  // ---- known calls, notes and grants -------------------------------------------------------

  /** What is known about a call. Without an approval id: about all calls that the part may belong to, if it has lost its approval. */
  find(approvalId: string | undefined, toolCallId: string, toolName: string): readonly KnownCall[] {
    if (!this.isRead) return [];
    const approval = approvalId === undefined ? undefined : this.#idOf(approvalId);
    const [call, tool] = [this.#idOf(toolCallId), this.#idOf(toolName)];
    const known: KnownCall[] = [];
    this.#core.recall(approval, call, tool, this.#isJudging, known);
    return known;
  }

  #idOf(text: string): string {
    return this.#options.RecordCore.id(wellFormed(text));
  }

  /** The note of an open call. */
  note(approvalId: string): CallNote | undefined {
    const text = this.#core.note(this.#idOf(approvalId));
    return text === undefined ? undefined : (JSON.parse(text) as CallNote);
  }

  /** Keeps a note until the call is closed. */
  keepNote(approvalId: string, note: CallNote): void {
    this.#core.keep_note(this.#idOf(approvalId), JSON.stringify(note));
  }

  /** The stored grants; `undefined` without the option `grants`. */
  grants(): readonly KeptGrant[] | undefined {
    if (!this.#options.grants) return undefined;
    return (this.#core.grants() ?? []).map((text) => JSON.parse(text) as KeptGrant);
  }

  /** Replaces the stored grants. Without the option `grants`, nothing is stored. */
  keepGrants(grants: readonly KeptGrant[]): void {
    this.#core.set_grants(grants.map((grant) => JSON.stringify(grant)));
    this.save(true);
  }

  /** How many requests have left by themselves since a person acted, in whichever page. */
  automaticSends(): number {
    return this.#core.automatic();
  }

  // ---- recording ---------------------------------------------------------------------------

  append(entry: LedgerEntry): void {
    // The core accepts fields only in the order of their names. JSON omits undefined ones.
    const fault = this.#core.append(
      JSON.stringify({
        actor: entry.actor,
        approvalId: wellFormed(entry.approvalId),
        approved: entry.approved,
        at: Math.round(entry.at),
        automatic: entry.automatic,
        deadline: whole(entry.deadline),
        doubt: entry.doubt,
        editHash: entry.editHash,
        edited: entry.edited,
        grantId: entry.grantId,
        inputHash: entry.inputHash,
        mono: whole(entry.mono),
        outcome: entry.outcome,
        request: entry.request,
        ruleId: wellFormed(entry.ruleId),
        seq: entry.seq,
        source: entry.source,
        toolCallId: wellFormed(entry.toolCallId),
        toolName: wellFormed(entry.toolName),
        type: entry.type,
        user: entry.user,
        userName: entry.userName,
        waitedMs: whole(entry.waitedMs),
      }),
    );
    if (fault !== undefined) this.#host.report('record-unreadable', FAULTS[fault] ?? fault);
  }

  /** Writes the appended entries: at once if `now` is set and the storage is synchronous, otherwise soon. */
  save(now: boolean): void {
    if (this.#isJudging || !this.isRead) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    if (this.#core.is_settled()) return;
    if (now) this.#look();
    else this.#saveTimer = setTimeout(() => this.save(true), 0);
  }

  /** Settles when all entries are written, or could not be written. */
  async saved(): Promise<void> {
    if (this.#saveTimer !== undefined) this.save(true);
    while (this.#running !== undefined) await this.#running;
  }

  // ---- views -------------------------------------------------------------------------------

  head(): RecordHead {
    return { entries: this.#core.length(), hash: this.#core.head() };
  }

  countError(code: string): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  timeQuery(duration: number): void {
    this.#queries.add(duration);
  }

  metrics(): RecordMetrics {
    return metricsOf(this.#core.metrics() as Figures, this.#errors, this.#transactions, this.#queries);
  }

  load(most: number): readonly Omit<PromptLoad, 'input' | 'rule'>[] {
    return this.#core.load(most) as PromptLoad[];
  }

  export(format: 'jsonl' | 'csv'): string {
    return this.#core.export(format) ?? '';
  }

  async forget(): Promise<void> {
    await this.ready;
    await this.saved();
    this.#core.forget();
    this.#options.onChange();
    try {
      await this.#options.storage.remove(this.#chat);
    } catch (cause) {
      // The unusable storage was already reported.
      if (!this.#isAlone) this.#report(storageErrorOf(cause).code as keyof typeof PROBLEMS, cause);
    }
  }

  close(): void {
    if (this.isClosed) return;
    clearTimeout(this.#saveTimer);
    // The recorded entries can still be read and exported.
    this.isClosed = true;
    this.#core.leave();
    this.#wakes.close();
    this.#look();
  }
}

/** The faults of a document that have their own code. */
const PROBLEM_OF_FAULT: Readonly<Record<string, keyof typeof PROBLEMS>> = {
  'rolled-back': 'record-rolled-back',
  lost: 'storage-lost',
};

const nothing = (): void => {};

/** A text without lone surrogates. Older engines, such as that of React Native, have no `toWellFormed`. */
const wellFormed = <T extends string | undefined>(text: T): T =>
  text?.replace(/\p{Surrogate}/gu, '\ufffd') as T;

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

const whole = (number: number | undefined): number | undefined =>
  number === undefined ? undefined : Math.round(number);

/** Waits for a storage, but only for a limited time. @throws TransactionError `storage-timeout`, as a rejection */
function withPatience(writing: PromiseLike<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = timeLimit(PATIENCE_MS, () => reject(new TransactionError('storage-timeout')));
    Promise.resolve(writing).then(resolve, reject).finally(cancel);
  });
}
