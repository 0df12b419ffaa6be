// The recorder that a record brings to its guard. A guard without a record has none.
import type { CallMemory } from '../chat/call-memory.js';
import type { Engine } from '../engine/engine.js';
import type { ApprovalRecord, RecordConnection } from '../types/record.js';
import type { LedgerDecoder } from './ledger-decoder.js';
import type { Snapshots } from './snapshots.js';

/** Connects a guard with its record: writes new entries to the record, and restores what the record knows. */
export interface Recorder {
  /** Whether requests and commits each wait for a transaction. */
  readonly isShared: boolean;
  /** Restores again, after the record has read what other pages have written. */
  recallAgain(): void;
  /** Records the entries since the last call. */
  recordNew(): void;
  /** Runs work inside one transaction, once the guard knows everything that other tabs have written. */
  inTransaction<T>(work: () => T): Promise<T>;
  /** Like `inTransaction`, for work that claims to send answers. */
  claim<T extends { request: number }>(work: () => T): Promise<T>;
  /** Settles when all entries are written, or could not be written. */
  saved(): Promise<void>;
  /** Notes how long the query for the calls that wait took, in milliseconds. */
  timeQuery(duration: number): void;
  /** Stops recording. The guard closes the connection. */
  close(): void;
}

/**
 * The engine, as a record knows it. The bundles of both shorten the names that cross to their modules, and `memory` is one
 * of them, so it is passed beside.
 */
export type EngineOfGuard = Omit<Engine, 'memory'>;

/** A record, with what only the guard uses of it. */
export interface RecordOfGuard extends ApprovalRecord {
  /** Makes the recorder of a guard. */
  recorder(
    connection: RecordConnection,
    engine: EngineOfGuard,
    calls: CallMemory,
    decoder: LedgerDecoder,
    snapshots: Snapshots,
  ): Recorder;
}
