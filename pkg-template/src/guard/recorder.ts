// What a guard has of its record. A guard without one has `UNRECORDED`, so that nothing asks whether there is a record.
import type { ChatRequestOptions, UIMessage } from 'ai';

import type { CallMemory } from '../chat/call-memory.js';
import type { Engine } from '../engine/engine.js';
import type { GuardError } from '../error.js';
import type { Permit } from '../generated/abi.js';
import type { Reference } from '../lifetime.js';
import type { Settings } from '../options.js';
import type { ApprovalRecord } from '../types/record.js';
import type { LedgerDecoder } from './ledger-decoder.js';
import type { OutgoingRequest } from './outgoing-request.js';
import type { Snapshots } from './snapshots.js';

/**
 * The engine, as a record knows it. The bundles of both shorten the names that cross to their modules, and `memory` is one
 * of them, so it is passed beside.
 */
export type EngineOfGuard = Omit<Engine, 'memory'>;

/** A request that may leave. */
export interface Released<M extends UIMessage> {
  request: number;
  messages: readonly M[];
  /** The options in place of its own, if those are of an earlier message. */
  options?: ChatRequestOptions | undefined;
  /** Whether the chat was stopped while it waited. */
  isStopped?: () => boolean;
}

/** The part of a guard that works in a transaction of its record. */
export interface Transacting {
  /** Runs with the engine, and tells the listeners what changed. A failure is reported. */
  run(work: (engine: Engine) => void, changes?: boolean): void;
  report(error: GuardError): GuardError;
  fail(cause: unknown): GuardError;
}

/** The part of a guard whose requests leave. */
export interface Releasing<M extends UIMessage> extends Transacting {
  readonly attachments: {
    /** How often the chat was stopped. */
    readonly stops: number;
    repair(engine: EngineOfGuard, withLast: boolean): void;
  };
  readonly requests: {
    /** Reads what a request shows that has to wait. Returns whether it has no message of a person at its end. */
    wait(options: OutgoingRequest<M>): boolean;
    /** @param hasWaited whether the chat may have gone on since it made the request */
    release(options: OutgoingRequest<M>, hasWaited: boolean): Released<M>;
  };
}

/** The part of a guard that its record uses as long as something else holds the guard. */
export interface RecordedGuard {
  readonly settings: Settings;
  /** Returns the engine, if there is one. */
  engine(): EngineOfGuard | undefined;
  /** Handles what the record knows from an earlier page or another tab. */
  recalled(): void;
  report(error: GuardError): GuardError;
}

/** The part of a guard whose commits are stored. */
export interface CommittingGuard extends Transacting {
  readonly decisions: {
    /** Commits what is due. Returns the approval ids of the answers. */
    commitNow(engine: Engine, isByPerson: boolean): readonly unknown[];
    /** Writes the committed answers after they were stored, if there are any. */
    writeStored(engine: Engine): void;
  };
}

/** The commits of a guard, as its record stores them. */
export interface RecordedCommits {
  /** Whether answers are being stored, so that they are not written yet. */
  readonly isStoring: boolean;
  /** Whether a list that the chat asks about lacks an answer that is being stored. */
  isAskedEarly(messages: readonly unknown[]): boolean;
  /** Whether the next commit is a person's, which could not be stored and is made again. Says it once. */
  takePostponed(): boolean;
  /** Whether answers were stored that are not written yet. Says it once. */
  takeStored(): boolean;
  /** Commits in a transaction, so that the answers and refusals of other tabs count here too. */
  commit(guard: CommittingGuard, isByPerson: boolean): void;
}

/** The requests of a guard, as its record lets them leave. */
export interface RecordedRequests {
  /** Whether one of them waits for its transaction. */
  readonly isWaiting: boolean;
  /** Has a request leave: at once, or when other tabs have agreed. */
  outgoing<M extends UIMessage>(
    guard: Releasing<M>,
    options: OutgoingRequest<M>,
  ): Released<M> | Promise<Released<M>>;
  /** Notes the permission of a person, which the next continue uses; `undefined` takes it back. */
  permit(permit: Permit | undefined): void;
  /** Settles when none of them waits any more. */
  settled(): Promise<unknown>;
  /** Whether a request that was counted has left. */
  hasLeft(request: number): boolean;
}

/** Connects a guard with its record: writes new entries to the record, and restores what the record knows. */
export interface Recorder {
  /** Whether other tabs have to agree to requests and commits, so that each waits for a transaction. */
  readonly isShared: boolean;
  readonly requests: RecordedRequests;
  readonly commits: RecordedCommits;
  /** Restores again, after the record has read what other pages have written. */
  recallAgain(): void;
  /** Records the entries since the last call. */
  recordNew(): void;
  /** Runs `then` once the guard knows what other tabs have decided; returns `otherwise` if that cannot be known. */
  informed<T>(guard: Transacting, then: () => Promise<T>, otherwise: T): Promise<T>;
  /** Counts a problem that was reported. */
  countError(code: string): void;
  /** Notes how long the query for the calls that wait took, in milliseconds. */
  timeQuery(duration: number): void;
  /** Stops recording. */
  close(): void;
}

const nothing = (): void => {};
const no = (): boolean => false;

/** Of a guard without a record: nobody else has to agree, and nothing is kept. */
export const UNRECORDED: Recorder = {
  isShared: false,
  requests: {
    isWaiting: false,
    outgoing: ({ requests }, options) => requests.release(options, false),
    permit: nothing,
    settled: async () => {},
    hasLeft: () => true,
  },
  commits: { isStoring: false, isAskedEarly: no, takePostponed: no, takeStored: no, commit: nothing },
  recallAgain: nothing,
  recordNew: nothing,
  informed: (_, then) => then(),
  countError: nothing,
  timeQuery: nothing,
  close: nothing,
};

/** A guard that runs, as the recorder is made of it. */
export interface RecordedEngine {
  readonly engine: EngineOfGuard;
  readonly decoder: LedgerDecoder;
  readonly snapshots: Snapshots;
  /** Has `end` called when the guard ends, or when nothing holds it any more. `end` must not hold it. */
  endWith(end: () => void): void;
}

/** A record, with what only the guard uses of it. */
export interface RecordOfGuard extends ApprovalRecord {
  /** Connects the record, and makes the recorder of a guard; `undefined`, which is reported, if that is not possible. */
  readonly connect: (
    guard: Reference<RecordedGuard>,
    chatId: string,
    running: RecordedEngine,
    calls: CallMemory,
  ) => Recorder | undefined;
}
