import type { Engine } from './engine.js';
import { INPUT } from './chat/fingerprints.js';
import { Restoring } from './chat/restoring.js';
import type { Settings } from './options.js';
import type { LedgerEntry } from './types/events.js';
import type { CallNote, KeptGrant, RecordConnection } from './types/record.js';
import { grantNumber, type Snapshots } from './snapshot.js';
import type { View } from './view.js';

/** What has to be written before the next line of the page runs: a crash must not lose it. */
const URGENT: ReadonlySet<string> = new Set([
  'drafted',
  'undone',
  'answered',
  'expired',
  'withdrawn',
  'superseded',
  'requested',
  'carried',
  'granted',
  'grant-ended',
] satisfies LedgerEntry['type'][]);

const TOOL = -1;

/** Tells a record what happens, and a guard what the record knows. */
export class Recorder {
  readonly #connection: RecordConnection;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #view: View;
  readonly #snapshots: Snapshots;
  #isBegun = false;
  #isClosed = false;
  #told = 0;
  #grants = '';

  constructor(
    connection: RecordConnection,
    engine: Engine,
    settings: Settings,
    view: View,
    snapshots: Snapshots,
  ) {
    this.#connection = connection;
    this.#engine = engine;
    this.#settings = settings;
    this.#view = view;
    this.#snapshots = snapshots;
    this.begin();
  }

  /** What is stored was read: inputs are hashed from now on, and what is known is recalled. */
  begin(): boolean {
    const { salt } = this.#connection;
    if (this.#isBegun || salt === undefined) return this.#isBegun;
    this.#isBegun = true;
    const { core, ids, memory, fingerprints } = this.#engine;
    core.keep_record(Uint8Array.from(salt.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
    this.#engine.approvals.needsHashes = true;
    this.#engine.transcript.restoring = new Restoring(core, ids, memory, fingerprints, this.#connection);
    for (const grant of this.#connection.grants() ?? []) this.#regrant(grant);
    return true;
  }

  #regrant({ toolName, server, approved, covers, hash = '', createdAt, endsAt }: KeptGrant): void {
    // Another server behind the same name is another tool.
    if (server !== this.#settings.tools.get(toolName)?.server) return;
    // A clock that was set back would give it more time than a person has.
    if (approved && !(Date.now() >= createdAt)) return;
    const left = endsAt === undefined ? Infinity : endsAt - Date.now();
    if (left <= 0) return;
    const { core, ids, fingerprints } = this.#engine;
    const fields = covers === 'tool' ? TOOL : covers === 'input' ? INPUT : fingerprints.idOf(covers);
    core.regrant(ids.of(toolName), approved, fields, hash, left);
  }

  /** What is read again, where a request or a commit waits for its turn. */
  get isShared(): boolean {
    return this.#connection.isShared;
  }

  /** Everything that the record knows, once more: it has read what is stored, or what another tab wrote. */
  recallAgain(): void {
    // A turn that was waited for may come after the end of the guard.
    if (!this.#isClosed && this.begin()) this.#engine.transcript.restoreAgain();
  }

  /** Tells what has happened since the last time. */
  tell(): void {
    // While a page that came back reads what is stored, what happens waits.
    if (!this.#isBegun || this.#connection.salt === undefined) return;
    const { core } = this.#engine;
    const length = core.length();
    if (length === this.#told) return;
    const entries = this.#view.entries(this.#told);
    this.#told = length;
    let isUrgent = false;
    for (const entry of entries) {
      this.#connection.append(entry);
      this.#note(entry);
      isUrgent ||= URGENT.has(entry.type);
    }
    this.#keepGrants();
    this.#connection.save(isUrgent);
  }

  /** What the answer of an open call needs on the wire, if the messages lose it. */
  #note({ type, approvalId, toolCallId, approved }: LedgerEntry): void {
    const isNoted = type === 'asked' || type === 'drafted' || type === 'answered';
    if (!isNoted || approvalId === undefined || toolCallId === undefined) return;
    const call = this.#snapshots.withId(approvalId).at(-1);
    const { asked, yes, no } = this.#engine.memory.of(call ?? 0);
    const reason = (approved === false ? no : yes)?.reason;
    const note: CallNote = {};
    // Nothing else of it: other fields may hold the input.
    const { id, signature, isAutomatic } = asked ?? {};
    note.asked = {
      id: id ?? approvalId,
      ...(typeof signature === 'string' ? { signature } : {}),
      ...(isAutomatic === true ? { isAutomatic } : {}),
    };
    if (typeof reason === 'string') note.reason = reason;
    this.#connection.keepNote(approvalId, note);
  }

  #keepGrants(): void {
    if (this.#connection.grants() === undefined) return;
    const { core } = this.#engine;
    const active = this.#snapshots.grants().filter(({ status }) => status === 'active');
    const kept = active.map(({ id, toolName, server, type, covers, createdAt, endsAt }): KeptGrant => {
      const hash = core.hash_of(core.print_of_grant(grantNumber(id)));
      return { toolName, server, approved: type === 'allow', covers, hash, createdAt, endsAt };
    });
    const text = JSON.stringify(kept);
    if (text === this.#grants) return;
    this.#grants = text;
    this.#connection.keepGrants(kept);
  }

  /** Runs this while no other tab runs the same, once what is stored was read and what is new is known. */
  inTurn<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#connection.inTurn(() => {
      this.recallAgain();
      return work();
    });
  }

  /** Settles when everything is written, or cannot be. */
  saved(): Promise<void> {
    return this.#connection.saved();
  }

  /** Nothing more is told; the guard closes the connection. */
  close(): void {
    this.#isClosed = true;
    this.#connection.save(true);
  }
}
