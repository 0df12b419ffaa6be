import type { DocumentCore, RecordCore } from 'virtual:record-glue';

import type { LedgerEntry } from '../types/events.js';
import type { CallNote, KeptGrant, KnownCall, RecordConnection, RecordHost } from '../types/record.js';
import { DocumentStore, type Loaded } from './document-store.js';
import {
  findAtPeer,
  findOwn,
  peerDocument,
  storedCalls,
  type CallKey,
  type PeerDocument,
  type StoredCalls,
} from './known-calls.js';
import { metricsOf, type Figures } from './metrics.js';
import { FAULTS, PROBLEMS } from './sentences.js';
import type { ApprovalStorage } from './storage.js';
import { LockError, Tabs } from './tabs.js';
import type { PromptLoad, RecordHead, RecordMetrics } from './types.js';
import { WriteCounters } from './write-counters.js';

/** The options of a {@link RecordSession}. */
export interface SessionOptions {
  host: RecordHost;
  /** `memory` and `session` are not shared with other tabs. */
  kind: 'memory' | 'session' | 'local' | 'own';
  storage: ApprovalStorage;
  grants: boolean;
  keep: number;
  RecordCore: typeof RecordCore;
  DocumentCore: typeof DocumentCore;
  /** Called after each change of the record. */
  onChange: () => void;
  /** The session that the same record was connected with before. */
  previous: RecordSession | undefined;
}

/** The prefix of every key, with the version of the format. */
const PREFIX = 'tool-approval-guard:1:';

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/**
 * The newest session of each storage and chat in this page. Of two guards of one chat the newer one has the record: an
 * older guard does not learn that its component was removed, and its record must not wait for it.
 */
const newest = /* @__PURE__ */ new Map<string, WeakRef<RecordSession>>();

/** The record of one guard, from its first use to its end. */
export class RecordSession implements RecordConnection {
  /** Settles when the storage was read; `undefined` where that happened synchronously. */
  ready: Promise<void> | undefined;
  isClosed = false;
  readonly #isShared: boolean;
  readonly #host: RecordHost;
  readonly #options: Omit<SessionOptions, 'previous'>;
  readonly #chat: string;
  readonly #prefix: string;
  readonly #counters: WriteCounters;
  #session = '';
  #core: RecordCore | undefined;
  #store: DocumentStore | undefined;
  #tabs: Tabs | undefined;
  /** The calls known from earlier sessions. */
  #restored: StoredCalls = new Map();
  /** The documents of other living sessions, by session. */
  #peers: ReadonlyMap<string, PeerDocument> = new Map();
  #livingSessions: ReadonlyMap<string, unknown> | undefined;
  /** The newer session in this page that has taken over the record. */
  #newer: WeakRef<RecordSession> | undefined;
  /** The documents that superseded sessions of this page still write about their running requests. */
  readonly #superseded = new Map<string, PeerDocument>();
  #isInTurn = false;
  #notes: Readonly<Record<string, CallNote>> = {};
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #peerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor({ previous, ...options }: SessionOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#isShared = options.kind === 'local' || options.kind === 'own';
    const { chatId } = options.host;
    // An id with a lone surrogate cannot be stored as it is. Its escaped form belongs to no other chat.
    this.#chat = chatId.isWellFormed() ? chatId : `ill-formed ${JSON.stringify(chatId)}`;
    this.#prefix = `${PREFIX}${encodeURIComponent(this.#chat)}:`;
    this.#counters = new WriteCounters(this.#prefix);
    const opened = this.#open(false, this.#replaceOlder(previous));
    if (opened instanceof Promise) this.ready = opened;
  }

  /** A superseded session counts as shared, so that its requests wait for the lock and are refused. */
  get isShared(): boolean {
    return this.#isShared || this.#newer !== undefined;
  }

  /** Supersedes the older sessions of this record in this page, and returns those of this chat. */
  #replaceOlder(previous: RecordSession | undefined): readonly RecordSession[] {
    const { kind } = this.#options;
    const replaced = new Set(previous === undefined ? [] : [previous]);
    // A process without a page serves many users.
    if (kind !== 'memory' && globalThis.document !== undefined) {
      const place = `${kind}:${this.#prefix}`;
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
    clearTimeout(this.#peerTimer);
    this.#tabs?.close();
  }

  get isRead(): boolean {
    return this.#core !== undefined;
  }

  readonly hash = (text: string): string | undefined => this.#core?.hash(text);

  // ---- start -------------------------------------------------------------------------------

  /** Starts a session: takes over the documents of ended sessions and reads those of living ones. */
  #open(again: boolean, replaced: readonly RecordSession[] = []): void | Promise<void> {
    this.#session = randomHex(8);
    const session = this.#session;
    this.#store = new DocumentStore({
      storage: this.#options.storage,
      prefix: this.#prefix,
      session,
      onProblem: (code, cause) => this.#host.report(code, PROBLEMS[code], cause),
    });
    const own = ({ documents, complete }: Loaded): Loaded => {
      const left = replaced.flatMap((older) => older.#document());
      return { documents: new Map([...documents, ...left]), complete };
    };
    if (!this.#isShared) {
      const loaded = this.#store.load();
      if (!(loaded instanceof Promise)) return this.#begin(own(loaded), new Set());
    }
    this.#tabs = new Tabs({ prefix: this.#prefix, session, onChange: (away) => this.#changed(away) });
    const tabs = this.#tabs;
    return tabs
      .locked(async () => {
        await tabs.ready;
        for (const older of replaced) await older.saved();
        const living = await tabs.living();
        const loaded = (await this.#store?.load()) ?? {
          documents: new Map<string, string>(),
          complete: false,
        };
        if (this.isClosed || this.#newer !== undefined) return;
        // Without Web Locks all other sessions count as ended.
        const over = new Set([session, ...replaced.map((older) => older.#session)]);
        this.#begin(own(loaded), new Set([...(living?.keys() ?? [])].filter((other) => !over.has(other))));
        this.#livingSessions = living;
        this.#watchPeers();
        await this.#flush();
      })
      .catch((cause: unknown) => {
        if (this.isClosed || this.#newer !== undefined) return;
        this.#host.report('turn-failed', PROBLEMS['turn-failed'], cause);
        if (this.#core === undefined) this.#begin({ documents: new Map(), complete: false }, new Set());
      })
      .then(() => {
        if (again && !this.isClosed) this.#host.changed();
      });
  }

  /** Takes over the documents of ended sessions; those of living ones are only read. */
  #begin({ documents }: Loaded, living: ReadonlySet<string>): void {
    const { RecordCore, DocumentCore, keep, grants } = this.#options;
    const chatId = this.#chat;
    const good = new Map<string, DocumentCore>();
    for (const [key, text] of documents) {
      const session = key.slice(this.#prefix.length);
      const document = DocumentCore.read(text, chatId);
      const fault = document.fault();
      if (fault === undefined && !this.#counters.isOlder(session, document.counter())) {
        good.set(session, document);
        continue;
      }
      document.free();
      if (fault !== undefined) this.#host.report('record-unreadable', FAULTS[fault] ?? fault);
      else this.#host.report('record-rolled-back', PROBLEMS['record-rolled-back']);
    }
    // All sessions of a chat use the same salt, so that their hashes of inputs are comparable.
    const [first] = [...good].sort(([a], [b]) => Number(living.has(b)) - Number(living.has(a)));
    const salt = first?.[1].salt() ?? randomHex(32);
    const core = RecordCore.create(this.#session, chatId, salt, keep);
    if (core === undefined) return;
    this.#core = core;
    const alive = [...good].filter(([session]) => living.has(session));
    this.#peers = new Map(
      alive.map(([session, document]) => [
        session,
        peerDocument(documents.get(this.#prefix + session) ?? '', document),
      ]),
    );
    const dead = [...good.keys()].filter((session) => !living.has(session));
    const remove = core.inherit([...good.values()], dead, Date.now()) ?? [];
    this.#restored = storedCalls(core.known());
    this.#notes = notesOf(core);
    if (!grants) core.set_grants(undefined);
    else if (core.grants() === undefined) core.set_grants([]);
    this.save(true);
    this.#store?.drop(remove.map((session) => this.#prefix + session));
  }

  /** The own document with its key. */
  #document(): readonly (readonly [string, string])[] {
    const text = this.#core?.encode();
    return text === undefined ? [] : [[this.#prefix + this.#session, text]];
  }

  #read<T>(text: string, use: (document: DocumentCore) => T): T | undefined {
    const document = this.#options.DocumentCore.read(text, this.#chat);
    const seen = document.fault() === undefined ? use(document) : undefined;
    document.free();
    return seen;
  }

  // ---- other tabs --------------------------------------------------------------------------

  #changed(away: boolean): void {
    if (this.isClosed) return;
    if (away) {
      // Another tab may have considered this session to be over, so it continues as a new one.
      this.#tabs?.close();
      const core = this.#core;
      this.#core = undefined;
      core?.free();
      const opened = this.#open(true);
      if (opened instanceof Promise) this.ready = opened;
      return;
    }
    void this.#refresh().then(() => {
      if (!this.isClosed) this.#host.changed();
    });
  }

  /** Reads the documents of other tabs again. */
  async #refresh(): Promise<void> {
    if (!this.#isShared) return;
    const [living, loaded] = [await this.#tabs?.living(), await this.#store?.load()];
    if (this.isClosed || loaded === undefined) return;
    this.#livingSessions = living;
    const beside = new Map<string, PeerDocument>();
    for (const [key, text] of loaded.documents) {
      const session = key.slice(this.#prefix.length);
      if (session === this.#session) continue;
      const last = this.#peers.get(session);
      const document = last?.text === text ? last : this.#read(text, (read) => peerDocument(text, read));
      if (document === undefined) continue; // this was reported at the first read, or by another tab
      if (last !== undefined && document.counter < last.counter) {
        this.#host.report('record-rolled-back', PROBLEMS['record-rolled-back']);
        beside.set(session, last);
      } else beside.set(session, document);
    }
    this.#peers = beside;
    this.#watchPeers();
  }

  /** Checks whether other pages still live: a killed page sends no message, and this page offers its unsent answers. */
  #watchPeers(): void {
    clearTimeout(this.#peerTimer);
    const others = [...this.#peers.keys()].filter((session) => this.#livingSessions?.has(session));
    if (others.length === 0 || this.isClosed) return;
    this.#peerTimer = setTimeout(() => {
      void this.#tabs?.living().then((living) => {
        if (living !== undefined && others.some((session) => !living.has(session))) this.#changed(false);
        else this.#watchPeers();
      });
    }, PEER_CHECK_MS);
    (this.#peerTimer as { unref?: () => void }).unref?.();
  }

  /** Under the lock: waits until everything is written, and publishes the write counter. */
  async #flush(): Promise<void> {
    await this.saved();
    await this.#tabs?.mark(this.#core?.counter() ?? 0);
  }

  async #counterOf(session: string): Promise<number> {
    const loaded = await this.#store?.load();
    const text = loaded?.documents.get(this.#prefix + session);
    // A missing document was taken over, or never written.
    return text === undefined ? Infinity : (this.#read(text, (document) => document.counter()) ?? Infinity);
  }

  async inTurn<T>(work: () => T | PromiseLike<T>): Promise<T> {
    await this.ready;
    if (this.#newer !== undefined) throw new LockError('record-in-use');
    const run = async () => {
      // The write of another page may arrive later than its lock.
      await this.#tabs?.caughtUp((session) => this.#counterOf(session));
      await this.#refresh();
      this.#isInTurn = true;
      try {
        return await work();
      } finally {
        this.#isInTurn = false;
        await this.#flush();
      }
    };
    return this.#tabs === undefined ? run() : this.#tabs.locked(run);
  }

  // ---- known calls, notes and grants -------------------------------------------------------

  find(approvalId: string | undefined, toolCallId: string, toolName: string): readonly KnownCall[] {
    const call = this.#idOf(toolCallId);
    const all = [this.#restored, ...[...this.#peers, ...this.#superseded].map(([, { calls }]) => calls)];
    if (!all.some((calls) => calls.has(call))) return [];
    const key: CallKey = {
      toolCallId: call,
      approvalId: approvalId && this.#idOf(approvalId),
      toolName: this.#idOf(toolName),
    };
    const found = [...findOwn(this.#restored, key)];
    for (const [session, document] of this.#peers) {
      const isAlive = !this.#superseded.has(session) && (this.#livingSessions?.has(session) ?? true);
      found.push(...findAtPeer(document, key, isAlive, this.#isInTurn));
    }
    for (const document of this.#superseded.values()) found.push(...findAtPeer(document, key, false, true));
    return found;
  }

  #idOf(text: string): string {
    return this.#options.RecordCore.id(text.toWellFormed());
  }

  note(approvalId: string): CallNote | undefined {
    return this.#notes[this.#idOf(approvalId)];
  }

  keepNote(approvalId: string, note: CallNote): void {
    this.#core?.note(this.#idOf(approvalId), JSON.stringify(note));
  }

  grants(): readonly KeptGrant[] | undefined {
    return this.#core?.grants()?.map((text) => JSON.parse(text) as KeptGrant);
  }

  keepGrants(grants: readonly KeptGrant[]): void {
    this.#core?.set_grants(grants.map((grant) => JSON.stringify(grant)));
    this.save(true);
  }

  // ---- recording ---------------------------------------------------------------------------

  append(entry: LedgerEntry): void {
    // The core accepts fields only in the order of their names. JSON omits undefined ones.
    const fault = this.#core?.append(
      JSON.stringify({
        actor: entry.actor,
        approvalId: entry.approvalId?.toWellFormed(),
        approved: entry.approved,
        at: Math.round(entry.at),
        automatic: entry.automatic,
        deadline: whole(entry.deadline),
        doubt: entry.doubt,
        grantId: entry.grantId,
        inputHash: entry.inputHash,
        mono: whole(entry.mono),
        outcome: entry.outcome,
        request: entry.request,
        ruleId: entry.ruleId?.toWellFormed(),
        seq: entry.seq,
        toolCallId: entry.toolCallId?.toWellFormed(),
        toolName: entry.toolName?.toWellFormed(),
        type: entry.type,
        waitedMs: whole(entry.waitedMs),
      }),
    );
    if (fault !== undefined) this.#host.report('record-unreadable', FAULTS[fault] ?? fault);
  }

  save(now: boolean): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    if (!now) {
      this.#saveTimer = setTimeout(() => this.save(true), 0);
      return;
    }
    this.#write();
    this.#options.onChange();
  }

  #write(): void {
    const isKept = this.#newer === undefined && this.#options.kind !== 'memory';
    const newer = this.#newer?.deref();
    if (this.#core === undefined || !(isKept || newer !== undefined)) return;
    const text = this.#core.encode();
    if (text === undefined) {
      this.#host.report('record-too-large', PROBLEMS['record-too-large']);
      return;
    }
    if (newer !== undefined) {
      newer.#receive(this.#session, text);
      return;
    }
    this.#store?.save(text);
    this.#counters.remember(this.#session, this.#core.counter());
    this.#tabs?.changed();
  }

  #receive(session: string, text: string): void {
    const document = this.#read(text, (read) => peerDocument(text, read));
    if (document === undefined || this.isClosed) return;
    this.#superseded.set(session, document);
    this.#host.changed();
  }

  async saved(): Promise<void> {
    if (this.#saveTimer !== undefined) this.save(true);
    await this.#store?.settled();
  }

  // ---- views -------------------------------------------------------------------------------

  head(): RecordHead | undefined {
    return this.#core && { entries: this.#core.length(), hash: this.#core.head() };
  }

  metrics(): RecordMetrics | undefined {
    return this.#core && metricsOf(this.#core.metrics() as Figures);
  }

  load(most: number): readonly Omit<PromptLoad, 'input' | 'rule'>[] {
    return this.#core === undefined ? [] : (this.#core.load(most) as PromptLoad[]);
  }

  export(format: 'jsonl' | 'csv'): string {
    return this.#core?.export(format) ?? '';
  }

  async forget(): Promise<void> {
    await this.ready;
    this.#core?.forget();
    this.#restored = new Map();
    this.#peers = new Map();
    this.#superseded.clear();
    this.#notes = {};
    this.#options.onChange();
    this.#counters.clear();
    const loaded = await this.#store?.load();
    this.#store?.erase(loaded?.documents.keys() ?? []);
    await this.#store?.settled();
  }

  close(): void {
    if (this.isClosed) return;
    if (this.#saveTimer !== undefined) this.save(true);
    clearTimeout(this.#peerTimer);
    this.isClosed = true;
    this.#tabs?.close();
    // The recorded entries can still be read and exported.
  }
}

/** How often this page checks whether other pages live, in milliseconds. */
const PEER_CHECK_MS = 2_000;

const whole = (number: number | undefined): number | undefined =>
  number === undefined ? undefined : Math.round(number);

function notesOf(core: RecordCore): Readonly<Record<string, CallNote>> {
  const texts = core.notes() as readonly (readonly [id: string, text: string])[];
  const notes = Object.create(null) as Record<string, CallNote>;
  for (const [id, text] of texts) notes[id] = JSON.parse(text) as CallNote;
  return notes;
}
