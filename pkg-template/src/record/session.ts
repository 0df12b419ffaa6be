import type { DocumentCore, RecordCore } from 'virtual:record-glue';

import type { LedgerEntry } from '../types/events.js';
import type { CallNote, KeptGrant, KnownCall, RecordConnection, RecordHost } from '../types/record.js';
import { FAULTS, PROBLEMS } from './sentences.js';
import { Drawer, type ApprovalStorage, type Loaded } from './storage.js';
import { LockError, Tabs } from './tabs.js';
import type { PromptLoad, RecordHead, RecordMetrics } from './types.js';

/** What {@link RecordSession} needs. */
export interface SessionOptions {
  host: RecordHost;
  /** Memory and the storage of a tab are nobody else's. */
  kind: 'memory' | 'session' | 'local' | 'own';
  storage: ApprovalStorage;
  grants: boolean;
  keep: number;
  RecordCore: typeof RecordCore;
  DocumentCore: typeof DocumentCore;
  /** Something is new in it. */
  told: () => void;
  /** What the same record was connected with before. */
  before: RecordSession | undefined;
}

/** What a document says of a call; see `src/core/record/recollection.rs`. What is false is left out. */
interface Known extends Omit<KnownCall, 'elsewhere'> {
  toolCallId: string;
  toolName: string;
  hearsay?: boolean;
  lone?: boolean;
}

/** What the document of another page says. */
interface Document {
  text: string;
  counter: number;
  calls: Calls;
}

/** The figures that the core has; see `Metrics::figures` in `src/core/record/metrics.rs`. */
interface Figures extends Omit<RecordMetrics, 'shares' | 'promptsPerTurn' | 'response'> {
  times: number;
  medianMs?: number;
  p95Ms?: number;
}

/** What is known of calls, by call id: one may come again with another approval. */
type Calls = ReadonlyMap<string, readonly Known[]>;

/** The first part of every key, with the version of the format. */
const PREFIX = 'tool-approval-guard:1:';

/** Where the counters of documents are remembered over a reload, so that one that was put back is found. */
const MARKS = 'tool-approval-guard:marks:';

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/**
 * The newest session of each storage and chat in this page, where there is one. Of two guards of one chat the newer one
 * has the record: nobody tells a guard that its component is gone, and what it left must not wait for it.
 */
const newest = /* @__PURE__ */ new Map<string, WeakRef<RecordSession>>();

/** The record of one guard from its first use to its end. */
export class RecordSession implements RecordConnection {
  /** Settles when what is stored was read; nothing where it was at once. */
  ready: Promise<void> | undefined;
  isClosed = false;
  readonly #isShared: boolean;
  readonly #host: RecordHost;
  readonly #options: Omit<SessionOptions, 'before'>;
  readonly #chat: string;
  readonly #prefix: string;
  #session = '';
  #core: RecordCore | undefined;
  #drawer: Drawer | undefined;
  #tabs: Tabs | undefined;
  /** What was known when this session began, by call id. */
  #before: Calls = new Map();
  /** The same of other sessions, by session. */
  #beside: ReadonlyMap<string, Document> = new Map();
  #living: ReadonlyMap<string, unknown> | undefined;
  /** The guard that has the record now, where there is a newer one in this page. */
  #newer: WeakRef<RecordSession> | undefined;
  /** What such older sessions have heard since of requests that were on their way. */
  readonly #heard = new Map<string, Document>();
  #isInTurn = false;
  #notes: Readonly<Record<string, CallNote>> = {};
  #soon: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor({ before, ...options }: SessionOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#isShared = options.kind === 'local' || options.kind === 'own';
    const { chatId } = options.host;
    // An id with half a character is no text that could be stored, and is none of another chat.
    this.#chat = chatId.isWellFormed() ? chatId : `ill-formed ${JSON.stringify(chatId)}`;
    this.#prefix = `${PREFIX}${encodeURIComponent(this.#chat)}:`;
    const opened = this.#open(false, this.#takeOver(before));
    if (opened instanceof Promise) this.ready = opened;
  }

  /** Of what is superseded, each request waits for a turn that never comes. */
  get isShared(): boolean {
    return this.#isShared || this.#newer !== undefined;
  }

  /** The older sessions of this page, whose place this one takes. */
  #takeOver(before: RecordSession | undefined): readonly RecordSession[] {
    const { kind } = this.#options;
    const olders = new Set(before === undefined ? [] : [before]);
    // A process that is no page has many users.
    if (kind !== 'memory' && globalThis.document !== undefined) {
      const place = `${kind}:${this.#prefix}`;
      const older = newest.get(place)?.deref();
      if (older !== undefined) olders.add(older);
      newest.set(place, new WeakRef(this));
    }
    for (const older of olders) older.#supersede(this);
    return [...olders].filter((older) => older.#chat === this.#chat);
  }

  #supersede(newer: RecordSession): void {
    if (this.isClosed || this.#newer !== undefined) return;
    this.save(true);
    this.#newer = new WeakRef(newer);
    clearTimeout(this.#watch);
    this.#tabs?.close();
  }

  get salt(): string | undefined {
    return this.#core?.salt();
  }

  // ---- beginning ---------------------------------------------------------------------------

  /** Begins a session: takes over what earlier ones have left, and reads what living ones say. */
  #open(again: boolean, olders: readonly RecordSession[] = []): void | Promise<void> {
    this.#session = randomHex(8);
    const session = this.#session;
    this.#drawer = new Drawer({
      storage: this.#options.storage,
      prefix: this.#prefix,
      session,
      onProblem: (code, cause) => this.#host.report(code, PROBLEMS[code], cause),
    });
    const own = ({ documents, complete }: Loaded): Loaded => {
      const left = olders.flatMap((older) => older.#left());
      return { documents: new Map([...documents, ...left]), complete };
    };
    if (!this.#isShared) {
      const loaded = this.#drawer.load();
      if (!(loaded instanceof Promise)) return this.#begin(own(loaded), new Set());
    }
    this.#tabs = new Tabs({ prefix: this.#prefix, session, onChange: (away) => this.#changed(away) });
    const tabs = this.#tabs;
    return tabs
      .locked(async () => {
        await tabs.ready;
        for (const older of olders) await older.saved();
        const living = await tabs.living();
        const loaded = (await this.#drawer?.load()) ?? {
          documents: new Map<string, string>(),
          complete: false,
        };
        if (this.isClosed || this.#newer !== undefined) return;
        // Where nobody knows who lives, those are over that nobody writes to from now on.
        const over = new Set([session, ...olders.map((older) => older.#session)]);
        this.#begin(own(loaded), new Set([...(living?.keys() ?? [])].filter((other) => !over.has(other))));
        this.#living = living;
        this.#watchOthers();
        await this.#written();
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

  /** Takes over the documents of sessions that are over; the others are only read. */
  #begin({ documents }: Loaded, living: ReadonlySet<string>): void {
    const { RecordCore, DocumentCore, keep, grants } = this.#options;
    const chatId = this.#chat;
    const good = new Map<string, DocumentCore>();
    for (const [key, text] of documents) {
      const session = key.slice(this.#prefix.length);
      const document = DocumentCore.read(text, chatId);
      const fault = document.fault();
      if (fault === undefined && !this.#isRolledBack(session, document)) {
        good.set(session, document);
        continue;
      }
      document.free();
      if (fault !== undefined) this.#host.report('record-unreadable', FAULTS[fault] ?? fault);
      else this.#host.report('record-rolled-back', PROBLEMS['record-rolled-back']);
    }
    // All sessions of a chat hash with the same salt, so that they know the inputs of each other.
    const [first] = [...good].sort(([a], [b]) => Number(living.has(b)) - Number(living.has(a)));
    const salt = first?.[1].salt() ?? randomHex(32);
    const core = RecordCore.create(this.#session, chatId, salt, keep);
    if (core === undefined) return;
    this.#core = core;
    const alive = [...good].filter(([session]) => living.has(session));
    this.#beside = new Map(
      alive.map(([session, document]) => [
        session,
        seenIn(documents.get(this.#prefix + session) ?? '', document),
      ]),
    );
    const dead = [...good.keys()].filter((session) => !living.has(session));
    const remove = core.inherit([...good.values()], dead, Date.now()) ?? [];
    this.#before = callsOf(core.known());
    this.#notes = notesOf(core);
    if (!grants) core.set_grants(undefined);
    else if (core.grants() === undefined) core.set_grants([]);
    this.save(true);
    this.#drawer?.drop(remove.map((session) => this.#prefix + session));
  }

  /** The document as it is, by its key. */
  #left(): readonly (readonly [string, string])[] {
    const text = this.#core?.encode();
    return text === undefined ? [] : [[this.#prefix + this.#session, text]];
  }

  #read<T>(text: string, look: (document: DocumentCore) => T): T | undefined {
    const document = this.#options.DocumentCore.read(text, this.#chat);
    const seen = document.fault() === undefined ? look(document) : undefined;
    document.free();
    return seen;
  }

  // ---- marks -------------------------------------------------------------------------------

  /** Is it older than what this tab has seen of it? Nobody but a backup, or an attacker, writes that. */
  #isRolledBack(session: string, document: DocumentCore): boolean {
    const known = this.#marks()[session];
    return known !== undefined && document.counter() < known;
  }

  #marks(): Readonly<Record<string, number>> {
    try {
      const text = globalThis.sessionStorage?.getItem(MARKS + this.#prefix);
      const marks: unknown = JSON.parse(text ?? '{}');
      return typeof marks === 'object' && marks !== null ? (marks as Record<string, number>) : {};
    } catch {
      return {};
    }
  }

  #mark(): void {
    if (this.#options.kind === 'memory') return;
    try {
      const marks = { [this.#session]: this.#core?.counter() ?? 0 };
      globalThis.sessionStorage?.setItem(MARKS + this.#prefix, JSON.stringify(marks));
    } catch {
      // Without it a document that was put back is not found; it never allows anything by itself.
    }
  }

  // ---- other tabs --------------------------------------------------------------------------

  #changed(away: boolean): void {
    if (this.isClosed) return;
    if (away) {
      // Another tab may have taken this session for one that is over: it goes on as a new one.
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

  /** Reads what other tabs have written. */
  async #refresh(): Promise<void> {
    if (!this.#isShared) return;
    const [living, loaded] = [await this.#tabs?.living(), await this.#drawer?.load()];
    if (this.isClosed || loaded === undefined) return;
    this.#living = living;
    const beside = new Map<string, Document>();
    for (const [key, text] of loaded.documents) {
      const session = key.slice(this.#prefix.length);
      if (session === this.#session) continue;
      const last = this.#beside.get(session);
      const document = last?.text === text ? last : this.#read(text, (read) => seenIn(text, read));
      if (document === undefined) continue; // it was said when it was read first, or another tab says it
      if (last !== undefined && document.counter < last.counter) {
        this.#host.report('record-rolled-back', PROBLEMS['record-rolled-back']);
        beside.set(session, last);
      } else beside.set(session, document);
    }
    this.#beside = beside;
    this.#watchOthers();
  }

  /** A page that is killed says nothing: what it was to send is offered here once it is known to be gone. */
  #watchOthers(): void {
    clearTimeout(this.#watch);
    const others = [...this.#beside.keys()].filter((session) => this.#living?.has(session));
    if (others.length === 0 || this.isClosed) return;
    this.#watch = setTimeout(() => {
      void this.#tabs?.living().then((living) => {
        if (living !== undefined && others.some((session) => !living.has(session))) this.#changed(false);
        else this.#watchOthers();
      });
    }, WATCH);
    (this.#watch as { unref?: () => void }).unref?.();
  }

  /** Under the lock: what was written is in the storage, and other tabs know how far it is. */
  async #written(): Promise<void> {
    await this.saved();
    await this.#tabs?.mark(this.#core?.counter() ?? 0);
  }

  async #counterOf(session: string): Promise<number> {
    const loaded = await this.#drawer?.load();
    const text = loaded?.documents.get(this.#prefix + session);
    // A document that is gone was taken over, or never written.
    return text === undefined ? Infinity : (this.#read(text, (document) => document.counter()) ?? Infinity);
  }

  async inTurn<T>(work: () => T | PromiseLike<T>): Promise<T> {
    await this.ready;
    if (this.#newer !== undefined) throw new LockError('record-in-use');
    const run = async () => {
      // What another page has written may come later than its lock.
      await this.#tabs?.caughtUp((session) => this.#counterOf(session));
      await this.#refresh();
      this.#isInTurn = true;
      try {
        return await work();
      } finally {
        this.#isInTurn = false;
        await this.#written();
      }
    };
    return this.#tabs === undefined ? run() : this.#tabs.locked(run);
  }

  // ---- what is known -----------------------------------------------------------------------

  find(approvalId: string | undefined, toolCallId: string, toolName: string): readonly KnownCall[] {
    const call = this.#idOf(toolCallId);
    const before = this.#before.get(call) ?? NONE;
    const beside = [...this.#beside, ...this.#heard].filter(([, { calls }]) => calls.has(call));
    if (before.length === 0 && beside.length === 0) return NONE;
    const id = approvalId && this.#idOf(approvalId);
    const tool = this.#idOf(toolName);
    const is = (known: Known) =>
      known.toolName === tool && (id === undefined ? known.lone === true : known.approvalId === id);
    const own = before.filter(is).map((known) => ({ ...known, elsewhere: false }));
    const others: KnownCall[] = [];
    for (const [session, { calls }] of beside) {
      const isAlive = !this.#heard.has(session) && (this.#living?.has(session) ?? true);
      for (const known of calls.get(call)?.filter(is) ?? NONE) {
        // What a living tab has only heard says somebody who lives, too, or whose document is there: two tabs that
        // had it from each other would both wait. What is only drafted there counts when it is decided here.
        const { approved, draft, hearsay } = known;
        if (isAlive && (approved === undefined || hearsay || (draft && !this.#isInTurn))) continue;
        others.push({ ...known, elsewhere: isAlive });
      }
    }
    return [...own, ...others];
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
    // The core reads fields in the order of their names only. JSON leaves those out that are not there.
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
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!now) {
      this.#soon = setTimeout(() => this.save(true), 0);
      return;
    }
    this.#write();
    this.#options.told();
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
      newer.#hear(this.#session, text);
      return;
    }
    this.#drawer?.save(text);
    this.#mark();
    this.#tabs?.changed();
  }

  #hear(session: string, text: string): void {
    const document = this.#read(text, (read) => seenIn(text, read));
    if (document === undefined || this.isClosed) return;
    this.#heard.set(session, document);
    this.#host.changed();
  }

  async saved(): Promise<void> {
    if (this.#soon !== undefined) this.save(true);
    await this.#drawer?.settled();
  }

  // ---- looking -----------------------------------------------------------------------------

  head(): RecordHead | undefined {
    return this.#core && { entries: this.#core.length(), hash: this.#core.head() };
  }

  metrics(): RecordMetrics | undefined {
    return this.#core && metricsOf(JSON.parse(this.#core.metrics()) as Figures);
  }

  load(most: number): readonly Omit<PromptLoad, 'input' | 'rule'>[] {
    return this.#core === undefined ? [] : (JSON.parse(this.#core.load(most)) as PromptLoad[]);
  }

  export(format: 'jsonl' | 'csv'): string {
    return this.#core?.export(format) ?? '';
  }

  async forget(): Promise<void> {
    await this.ready;
    this.#core?.forget();
    this.#before = new Map();
    this.#beside = new Map();
    this.#heard.clear();
    this.#notes = {};
    this.#options.told();
    try {
      globalThis.sessionStorage?.removeItem(MARKS + this.#prefix);
    } catch {
      // Then there are none.
    }
    const loaded = await this.#drawer?.load();
    this.#drawer?.erase(loaded?.documents.keys() ?? []);
    await this.#drawer?.settled();
  }

  close(): void {
    if (this.isClosed) return;
    if (this.#soon !== undefined) this.save(true);
    clearTimeout(this.#watch);
    this.isClosed = true;
    this.#tabs?.close();
    // What it has recorded can still be read and exported.
  }
}

/** How often it is looked whether other pages live, while there are some. */
const WATCH = 2_000;

const NONE: readonly never[] = [];

const whole = (number: number | undefined): number | undefined =>
  number === undefined ? undefined : Math.round(number);

function callsOf(text: string | undefined): Calls {
  const found = new Map<string, Known[]>();
  if (text === undefined) return found;
  for (const call of JSON.parse(text) as Known[]) {
    const same = found.get(call.toolCallId);
    if (same === undefined) found.set(call.toolCallId, [call]);
    else same.push(call);
  }
  return found;
}

const seenIn = (text: string, document: DocumentCore): Document => ({
  text,
  counter: document.counter(),
  calls: callsOf(document.known()),
});

function metricsOf({ times, medianMs, p95Ms, ...counts }: Figures): RecordMetrics {
  const { asked, turns } = counts;
  const share = (count: number) => (asked === 0 ? 0 : count / asked);
  return {
    ...counts,
    shares: {
      allowed: share(counts.allowed),
      denied: share(counts.denied),
      expired: share(counts.expired),
      abandoned: share(counts.abandoned),
      recovered: share(counts.recovered),
    },
    promptsPerTurn: turns === 0 ? null : asked / turns,
    response: { count: times, medianMs: medianMs ?? null, p95Ms: p95Ms ?? null },
  };
}

function notesOf(core: RecordCore): Readonly<Record<string, CallNote>> {
  const texts = JSON.parse(core.notes()) as Record<string, string>;
  const notes = Object.create(null) as Record<string, CallNote>;
  for (const [id, text] of Object.entries(texts)) notes[id] = JSON.parse(text) as CallNote;
  return notes;
}
