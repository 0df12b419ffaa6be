// Connects a guard with its record.
import { rowsOf } from '../engine/rows.js';
import {
  durableEvents,
  forgetFingerprintsFact,
  grantRow,
  restoreGrantFact,
  restoreSendsFact,
  revokeFact,
  StatusField,
  Table,
} from '../generated/abi.js';
import { reasonOf, type CallMemory } from '../chat/call-memory.js';
import { INPUT } from '../chat/fingerprints.js';
import type { LedgerEntry } from '../types/events.js';
import type { CallNote, KeptGrant } from '../types/record.js';
import { grantId, grantNumber } from '../guard/grants.js';
import type { Snapshots } from '../guard/snapshots.js';
import type { LedgerDecoder } from '../guard/ledger-decoder.js';
import type { EngineOfGuard, RecordedEngine, Recorder, Transacting } from '../guard/recorder.js';
import { GuardError } from '../error.js';
import type { RecordSession } from './session.js';
import { ClaimedRequests } from './claimed-requests.js';
import { PROBLEMS } from './sentences.js';
import { StoredCommits } from './stored-commits.js';
import { Restoring } from './restoring.js';

/** Events that are written before any other code of the page runs, so that a crash does not lose them. */
const DURABLE: ReadonlySet<string> = new Set(durableEvents);

/** The longest JSON of a changed input that is noted. */
const LONGEST_EDIT = 2_000;

/** The recorder of one guard. */
export class GuardRecorder implements Recorder {
  readonly #session: RecordSession;
  readonly #engine: EngineOfGuard;
  readonly #calls: CallMemory;
  readonly #decoder: LedgerDecoder;
  readonly #snapshots: Snapshots;
  readonly #chatId: string;
  readonly requests = new ClaimedRequests(this);
  readonly commits = new StoredCommits(this);
  #isBegun = false;
  #isClosed = false;
  #recorded = 0;
  #grants = '';
  /** The active grants by their numbers, each as it is stored, by whatever page gave it. */
  #kept: ReadonlyMap<number, KeptGrant> = new Map();
  /** Those that were seen in the storage. */
  #stored: ReadonlySet<number> = new Set();

  constructor(session: RecordSession, chatId: string, running: RecordedEngine, calls: CallMemory) {
    this.#session = session;
    this.#chatId = chatId;
    this.#engine = running.engine;
    this.#calls = calls;
    this.#decoder = running.decoder;
    this.#snapshots = running.snapshots;
    this.begin();
  }

  /** Runs once the storage was read: from now on, inputs are hashed and known calls are restored. */
  begin(): boolean {
    if (this.#isBegun || !this.#session.isRead) return this.#isBegun;
    this.#isBegun = true;
    const { core, fingerprints, transcript } = this.#engine;
    fingerprints.useHash(this.#session.hash);
    forgetFingerprintsFact(core.facts);
    // A call that was asked and answered meanwhile is recorded with its input, too: without it, no allowance is restored.
    for (const [, facts] of this.#calls.parts())
      if (facts.approvalId !== undefined) fingerprints.tell(facts, INPUT);
    transcript.restoring = new Restoring(this.#engine, this.#calls, this.#session);
    this.#restoreGrants();
    restoreSendsFact(core.facts, { sends: this.#session.automaticSends() });
    core.apply();
    return true;
  }

  /** Restores the stored grants. Each stays stored as its page has written it, so that it is the same for all pages. */
  #restoreGrants(): void {
    const stored = new Set(this.#session.grants());
    if (stored.size === 0) return;
    const before = this.#activeGrants();
    for (const grant of stored) this.#regrant(grant);
    this.#engine.core.apply();
    const kept = new Map<number, KeptGrant>();
    for (const [number, grant] of this.#activeGrants()) {
      const original = before.has(number)
        ? undefined
        : [...stored].find((other) => isSameGrant(other, grant));
      if (original === undefined) continue;
      stored.delete(original);
      kept.set(number, original);
    }
    this.#kept = kept;
    this.#stored = new Set(kept.keys());
  }

  #regrant({ toolName, server, approved, covers, hash, createdAt, endsAt }: KeptGrant): void {
    // If the clock was set back, the grant would last too long.
    if (approved && !(Date.now() >= createdAt)) return;
    const left = endsAt === undefined ? Infinity : endsAt - Date.now();
    if (left <= 0) return;
    const { core, ids, fingerprints } = this.#engine;
    restoreGrantFact(core.facts, {
      name: ids.of(toolName),
      server: ids.of(server),
      approved,
      fields: fingerprints.idOf(covers),
      fingerprint: fingerprints.numberOf(hash),
      lifetime: left,
    });
  }

  get isShared(): boolean {
    return this.#session.isShared;
  }

  recallAgain(): void {
    // The storage may respond after the end of the guard.
    if (this.#isClosed || !this.begin()) return;
    this.#endRevoked();
    this.#engine.transcript.restoreAgain();
  }

  /** Ends the grants that another page has ended: they are no longer in the storage. */
  #endRevoked(): void {
    const now = this.#session.grants();
    if (now === undefined || this.#kept.size === 0) return;
    const { core } = this.#engine;
    const texts = new Set(now.map((grant) => JSON.stringify(grant)));
    const stored = new Set<number>();
    for (const number of this.#activeGrants().keys()) {
      const grant = this.#kept.get(number);
      if (grant === undefined) continue;
      if (texts.has(JSON.stringify(grant))) stored.add(number);
      else if (this.#stored.has(number)) revokeFact(core.facts, { grant: number, elsewhere: true });
    }
    this.#stored = stored;
    for (const { changed } of core.apply().acts) for (const { call } of changed) this.#calls.undo(call);
  }

  recordNew(): void {
    // New entries wait while a page that came back reads its storage.
    if (!this.#isBegun || !this.#session.isRead) return;
    const length = this.#engine.core.get(StatusField.Length);
    if (length === this.#recorded) return;
    const entries = this.#decoder.entries(this.#recorded);
    this.#recorded = length;
    let isUrgent = false;
    for (const entry of entries) {
      this.#session.append(entry);
      this.#note(entry);
      isUrgent ||= DURABLE.has(entry.type);
    }
    this.#keepGrants();
    this.#session.save(isUrgent);
  }

  /** Notes the data that the answer of an open call needs on the wire, in case the messages lose it. */
  #note(entry: LedgerEntry): void {
    const { type, approvalId, toolCallId, approved, actor } = entry;
    const isNoted = type === 'asked' || type === 'drafted' || type === 'answered';
    if (!isNoted || approvalId === undefined || toolCallId === undefined) return;
    // A page that only sees a question says less of it than the one that has drafted an answer.
    const known = this.#session.note(approvalId);
    if (type === 'asked' && known !== undefined) return;
    const memory = this.#calls.withApproval(approvalId);
    const reason = reasonOf(memory, approved !== false);
    const note: CallNote = {};
    // Only these fields: others may contain the input.
    const { id, signature, isAutomatic } = memory.asked ?? {};
    note.asked = {
      id: id ?? approvalId,
      ...(typeof signature === 'string' ? { signature } : {}),
      ...(isAutomatic === true ? { isAutomatic } : {}),
    };
    if (typeof reason === 'string') note.reason = reason;
    // A longer one does not fit, and its allowance is not restored.
    const { edit } = memory;
    if (entry.edited === true && edit !== undefined && JSON.stringify(edit.input).length <= LONGEST_EDIT)
      note.edit = edit.input;
    // A page that restores a draft notes it again, and it stays that of its person.
    const { user, userName } = actor === 'person' ? entry : (known ?? {});
    if (user !== undefined) note.user = user;
    if (userName !== undefined) note.userName = userName;
    this.#session.keepNote(approvalId, note);
  }

  #keepGrants(): void {
    if (this.#session.grants() === undefined) return;
    const kept = this.#activeGrants();
    for (const number of kept.keys()) {
      const known = this.#kept.get(number);
      if (known !== undefined) kept.set(number, known);
    }
    this.#kept = kept;
    const text = JSON.stringify([...kept.values()]);
    if (text === this.#grants) return;
    this.#grants = text;
    this.#session.keepGrants([...kept.values()]);
  }

  /** The active grants by their numbers. */
  #activeGrants(): Map<number, KeptGrant> {
    const { core, fingerprints } = this.#engine;
    const rows = rowsOf(core.read(Table.Grants), grantRow);
    const hashes = new Map(rows.map((row) => [grantId(row.grant), fingerprints.hashOf(row.fingerprint)]));
    const active = this.#snapshots.grants.all().filter(({ status }) => status === 'active');
    return new Map(
      active.map(({ id, toolName, server, type, covers, createdAt, endsAt }): [number, KeptGrant] => {
        const hash = hashes.get(id);
        return [
          grantNumber(id),
          { toolName, server, approved: type === 'allow', covers, hash, createdAt, endsAt },
        ];
      }),
    );
  }

  get engine(): EngineOfGuard | undefined {
    return this.#isClosed ? undefined : this.#engine;
  }

  claim<T extends { request: number }>(work: () => T): Promise<T> {
    return this.#transaction(this.#session.claim(this.#recalled(work)));
  }

  async informed<T>(guard: Transacting, then: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      if (this.isShared) await this.inTransaction(() => guard.run(() => {}));
    } catch (cause) {
      // After a refusal, it is known what another tab has decided.
      if ((cause as { code?: unknown }).code !== 'refused') {
        guard.fail(cause);
        return otherwise;
      }
    }
    return then();
  }

  inTransaction<T>(work: () => T): Promise<T> {
    return this.#transaction(this.#session.inTransaction(this.#recalled(work)));
  }

  /** Waits for a transaction. @throws GuardError `storage-timeout`, `record-in-use`, as a rejection */
  async #transaction<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (cause) {
      const { name, code } = cause as { name?: unknown; code?: unknown };
      if (name !== 'TransactionError' || code === 'refused') throw cause;
      throw code === 'record-in-use' ? this.#error(code, cause) : this.late(cause);
    }
  }

  late(cause: unknown): GuardError {
    return this.#error('storage-timeout', cause);
  }

  #error(code: keyof typeof PROBLEMS, cause: unknown): GuardError {
    return new GuardError(code, PROBLEMS[code], { cause, chatId: this.#chatId });
  }

  #recalled<T>(work: () => T): () => T {
    return () => {
      this.recallAgain();
      const result = work();
      this.recordNew();
      return result;
    };
  }

  countError(code: string): void {
    this.#session.countError(code);
  }

  timeQuery(duration: number): void {
    this.#session.timeQuery(duration);
  }

  close(): void {
    this.#isClosed = true;
    this.#session.save(true);
  }
}

/** Whether both answer the same calls alike. */
const isSameGrant = (one: KeptGrant, other: KeptGrant): boolean =>
  one.toolName === other.toolName &&
  one.server === other.server &&
  one.approved === other.approved &&
  one.hash === other.hash &&
  String(one.covers) === String(other.covers);
