import type { ChatRequestOptions, UIMessage } from 'ai';

import { whenReady } from 'virtual:module';

import { Decisions } from './decisions.js';
import { EMPTY_BATCH } from '../empty.js';
import { startEngine, tell, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import {
  askFact,
  CommitCause,
  commitFact,
  decidedFact,
  hydrateFact,
  leaveFact,
  Permit,
  Reason,
  StatusField,
  stoppedFact,
  wakeFact,
} from '../generated/abi.js';
import { AttachedChat, type ChatEvents } from '../chat/attachment.js';
import { toolNameOf } from '../chat/part.js';
import { endsOf, referTo, whileHeld, type Reference } from '../lifetime.js';
import { readOptions } from '../options.js';
import { Recorder } from './recorder.js';
import type {
  CallView,
  Choice,
  CommitResult,
  Covers,
  DecideOptions,
  DecideResult,
  ExtendResult,
  GrantView,
  PendingCall,
  RevealResult,
  RevokeResult,
  Snapshot,
  UndoResult,
} from '../prompt.js';
import { readRequestOptions } from '../request-options.js';
import { Snapshots } from './snapshots.js';
import { soon } from '../soon.js';
import { notifyAll } from '../notify-all.js';
import { watching } from './transport.js';
import { isChatOf, listOf, Requests } from './requests.js';
import type {
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  AttachedApprovalResponse,
  RetryOptions,
  SendResult,
} from '../types.js';
import type { LedgerEntry, Verdict } from '../types/events.js';
import type { RecordConnection, RecordHost } from '../types/record.js';
import { Notifications, type Told } from './notifications.js';
import { LedgerDecoder } from './ledger-decoder.js';
import { problem, verdictOf } from '../verdict.js';
import type { MessageId, MessageValues, QueueId } from '../words.js';

/** The reasons up to this one are a yes. */
const LAST_YES = Reason.Resume;

const EMPTY: readonly never[] = [];

/**
 * Creates the approval guard of one chat. Nothing is started before its first use.
 *
 * @typeParam M the messages of the chat, whose tools are those that the options can name
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options each has a default
 * @returns the guard; whoever made it disposes of it, or lets go of it
 * @throws GuardError `invalid-option` or `invalid-catalogue`, naming what it must be
 */
export function createApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: ApprovalGuardOptions<M, Dynamic> = {},
): ApprovalGuard<M> {
  return new Session<M>(options as unknown as ApprovalGuardOptions) as unknown as ApprovalGuard<M>;
}

/** Which tools there are matters to nothing here, so their names are strings. */
class Session<M extends UIMessage> implements ApprovalGuard {
  readonly #settings;
  #engine: Engine | undefined;
  /** Ends what others have of this guard. None of it holds the guard: it is left to do when that is gone. */
  #ends: Set<() => void> | undefined;
  #decoder: LedgerDecoder | undefined;
  #snapshots: Snapshots | undefined;
  #recorder: Recorder | undefined;
  readonly #decisions: Decisions<M>;
  /** Something can be drafted or expire, so that time and drafts matter to each question. */
  #busy: boolean;
  /** Why there is no engine, when it was tried or taken away. */
  #dead: { code: 'disposed' | 'wasm-unavailable' | 'wasm-trapped'; error: GuardError } | undefined;
  #attached: AttachedChat<M> | undefined;
  readonly #attachments = new Set<AttachedChat<M>>();
  /** The list that the chat gave last, with a question or a request. */
  #given: readonly M[] | undefined;
  readonly #notifications: Notifications;
  #snapshot: Snapshot | undefined;
  /** The state that the snapshot was taken of. */
  #shown: number | undefined;
  /** Counts what can change a snapshot beside the messages and the core. */
  #changes = 0;
  #unreadable = false;
  /** How often that has changed. */
  #unreadableChanges = 0;
  readonly #requests: Requests<M>;
  /** That there is no engine was reported. */
  #errorReported = false;
  #isReadPending = false;

  constructor(options: ApprovalGuardOptions) {
    this.#settings = readOptions(options);
    this.#notifications = new Notifications(options);
    this.#busy =
      options.attended === false ||
      options.expiresMs !== undefined ||
      options.rules !== undefined ||
      options.record !== undefined;
    const guard = this;
    this.#decisions = new Decisions<M>({
      settings: this.#settings,
      get inTurn() {
        return guard.#recorder?.isShared === true ? guard.#commitInTurn : undefined;
      },
      chat: () => this.#attached,
      verdict: () => this.#verdict(),
      run: (work) => this.#decided(work),
      read: ({ transcript }, of) => {
        transcript.recheck(of);
        if (this.#attached !== undefined) this.#readChat(this.#attached, transcript);
      },
      report: (error) => this.#report(error),
      requestOptions: (options) => this.#requests.optionsFor(options),
    });
    this.#requests = new Requests<M>({
      start: () => this.#start(),
      engine: () => this.#engine,
      death: () => this.#dead?.error,
      chat: () => this.#attached,
      recorder: () => this.#recorder,
      verdict: () => this.#verdict(),
      run: (work, changes) => this.#guarded(undefined, work, changes),
      given: (messages) => (this.#given = messages),
      read: ({ transcript }) => {
        if (this.#attached !== undefined) this.#readChat(this.#attached, transcript);
      },
      readSoon: () => this.#readSoon(),
      repair: (engine, withLast) => this.#repairChat(engine, withLast),
      stopped: (engine) => this.#stopped(engine),
      inTurn: (recorder, work) => this.#inTurn(recorder, work),
      changed: () => {
        this.#changes++;
        this.#flush();
      },
      problem: () => this.#notifications.drain(this.#told()).at(-1),
      report: (error) => this.#report(error),
      fail: (cause) => this.#fail(cause),
    });
    this.transport = watching<M>(this.#requests.watcher);
  }

  // ---- asking ------------------------------------------------------------------------------

  readonly sendAutomaticallyWhen = (question: { messages: M[] }): boolean => {
    try {
      const engine = this.#start();
      if (engine === undefined) return false;
      const { core, transcript } = engine;
      const messages = listOf(question) as M[];
      this.#given = messages;
      const isQuiet = !this.#unreadable && core.facts.length === 0;
      if (isQuiet && core.get(StatusField.Open) === 1 && transcript.isStillOpen(messages)) return false;
      if (this.#busy) transcript.recheck();
      transcript.readLast(messages, true);
      const isTold = !this.#setUnreadable(false);
      if (isTold && core.facts.length === 0 && core.get(StatusField.Denied) === 1) return false;
      let reason = this.#askNow(engine);
      if (reason === undefined) {
        transcript.readMoved();
        reason = this.#askNow(engine) ?? Reason.Waiting;
      }
      this.#repairChat(engine, true);
      this.#flush();
      if (reason <= LAST_YES) this.#requests.saidYes();
      return reason <= LAST_YES;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  };

  /**
   * Asks, all in one crossing: commits what is due before the chat takes its messages, and asks what they need.
   * Returns nothing where the whole list has to be read first.
   */
  #askNow(engine: Engine): Reason | undefined {
    const { core, repairs } = engine;
    if (this.#busy) {
      if (this.#recorder?.isShared === true) this.#decisions.settle(engine);
      else {
        const attached = Number(this.#attached !== undefined);
        commitFact(core.facts, { cause: CommitCause.Question, attached, trial: 0 });
      }
    }
    askFact(core.facts);
    repairs.prepare();
    return core.apply().reason;
  }

  readonly explain = (messages?: readonly M[]): Verdict => {
    if (messages !== undefined) this.observe(messages);
    return this.#verdict();
  };

  readonly observe = (messages: readonly M[]): void => {
    this.#guarded(undefined, ({ transcript }) => {
      transcript.observe(listOf({ messages }));
      this.#setUnreadable(false);
    });
  };

  // ---- sending -----------------------------------------------------------------------------

  readonly transport: ApprovalGuard<M>['transport'];

  // ---- the chat ----------------------------------------------------------------------------

  readonly #chatEvents: ChatEvents<M> = {
    newest: () => this.#given,
    answered: (attached, response) => this.#answered(attached, response),
    stopped: () => this.#guarded(undefined, (engine) => this.#stopped(engine)),
  };

  readonly attach = (chat: AttachableChat<M>): (() => void) => {
    let attached: AttachedChat<M>;
    try {
      attached = new AttachedChat(chat, this.#chatEvents);
    } catch (error) {
      this.#fail(error);
      return () => {};
    }
    this.#attachments.add(attached);
    this.#attached = attached;
    this.#enter(attached);
    return () => this.#exit(attached);
  };

  #exit(attached: AttachedChat<M>): void {
    attached.detach();
    this.#attachments.delete(attached);
    if (this.#attached === attached) this.#attached = [...this.#attachments].at(-1);
  }

  /** What is there when nothing was seen yet is history. */
  #enter(attached: AttachedChat<M>): void {
    this.#guarded(undefined, (engine) => {
      const { core, transcript } = engine;
      const { messages } = attached.chat;
      // A chat may make its id when it is first read, and the next id it makes is then another one: it is read
      // only where there is one to compare it with.
      const id = core.get(StatusField.Chat) === 0 ? undefined : attached.chat.id;
      if (typeof id === 'string' && !isChatOf(engine, id)) {
        this.#exit(attached);
        this.#report(problem('wrong-chat'));
        return;
      }
      if (transcript.isEmpty) {
        hydrateFact(core.facts, { on: 1 });
        try {
          transcript.readAll(messages);
        } finally {
          hydrateFact(core.facts, { on: 0 });
        }
      } else {
        this.#readChat(attached, transcript);
      }
      tell(engine);
      // Stored messages may lag behind what the record knows.
      if (this.#recorder !== undefined) this.#repairChat(engine, true);
      if (this.#busy) this.#decisions.settleDue(engine);
    });
  }

  #answered(attached: AttachedChat<M>, response: AttachedApprovalResponse): void {
    this.#guarded(undefined, (engine) => {
      const { core, transcript, memory, ids } = engine;
      this.#readChat(attached, transcript);
      tell(engine);
      const { id, approved, reason } = response;
      if (typeof approved !== 'boolean') return;
      decidedFact(core.facts, { approval: ids.of(id), approved: Number(approved) });
      const call = core.apply().answered;
      const { asked } = memory.of(call);
      if (asked !== undefined) memory.answer(call, { ...asked, approved, reason });
    });
  }

  /** Looks once the chat has taken the chunk that has just passed: nobody asks before the response ends. */
  #readSoon(): void {
    if (this.#isReadPending || this.#attached?.isCurrent !== true) return;
    this.#isReadPending = true;
    soon(() => {
      if (this.#engine !== undefined)
        this.#guarded(undefined, ({ transcript }) => this.#readPending(transcript));
    });
  }

  #readPending(transcript: Engine['transcript']): void {
    if (!this.#isReadPending) return;
    this.#isReadPending = false;
    if (this.#attached?.isCurrent === true) this.#readChat(this.#attached, transcript);
  }

  /** What a render handed out may be older than what was seen since. */
  #readChat(attached: AttachedChat<M>, transcript: Engine['transcript']): void {
    const { messages } = attached.chat;
    if (attached.isCurrent) transcript.readLast(messages, true);
    else transcript.observe(messages);
  }

  #stopped(engine: Engine): void {
    stoppedFact(engine.core.facts);
    tell(engine);
    this.#changes++;
    this.#repairChat(engine, true);
  }

  #repairChat({ repairs, transcript }: Engine, withLast: boolean): void {
    const attached = this.#attached;
    if (attached === undefined || !repairs.isNeededAtHome()) return;
    try {
      attached.write((messages) => repairs.atHome(messages, withLast));
      if (attached.isCurrent) transcript.setCurrent(attached.chat.messages);
    } catch (cause) {
      this.#report(
        new GuardError('repair-failed', 'The messages of the chat could not be repaired; what is sent is.', {
          cause,
        }),
      );
    }
  }

  readonly retry = async (given?: RetryOptions): Promise<SendResult> =>
    this.#requests.permit(Permit.Retry, requestOf(given));
  readonly resume = async (given?: RetryOptions): Promise<SendResult> =>
    this.#requests.permit(Permit.Resume, requestOf(given));

  // ---- looking -----------------------------------------------------------------------------

  readonly getSnapshot = (): Snapshot => this.#notifications.silently(() => this.#takeSnapshot());

  #takeSnapshot(): Snapshot {
    if (this.#isReadPending && this.#engine !== undefined) {
      this.#guarded(undefined, ({ transcript }) => this.#readPending(transcript));
      this.#isReadPending = true; // the task is still to come
    }
    const old = this.#snapshot;
    const { core, transcript } = this.#engine ?? {};
    const state =
      core &&
      transcript &&
      core.get(StatusField.Changes) + transcript.told + transcript.replaced + this.#changes;
    // Each of them only grows, so that an equal sum says that nothing has changed.
    if (old !== undefined && state !== undefined && state === this.#shown) return old;
    const next = this.#dead
      ? NOTHING_KNOWN
      : this.#guarded(
          undefined,
          () => {
            const snapshots = this.#snapshots;
            if (snapshots === undefined) return undefined;
            const calls = snapshots.calls();
            return { calls, batch: snapshots.batch(), grants: snapshots.grants.all() };
          },
          false,
        );
    const { calls, batch, grants } = next ?? old ?? NOTHING_KNOWN;
    // What was read just now may have failed.
    const verdict = this.#verdict();
    this.#shown = state;
    if (old?.verdict === verdict && old.calls === calls && old.batch === batch && old.grants === grants)
      return old;
    return (this.#snapshot = { calls, batch, grants, verdict });
  }

  // ---- deciding ----------------------------------------------------------------------------

  readonly decide = (call: string | CallView, choice: Choice, options?: DecideOptions): DecideResult =>
    this.#decisions.decide(call, choice, options);

  readonly decideAll = (
    calls: readonly (string | CallView)[],
    choice: 'allow-once' | 'deny',
    options?: Pick<DecideOptions, 'reason'>,
  ): readonly DecideResult[] => this.#decisions.decideAll(calls, choice, options);

  readonly undo = (call: string | CallView): UndoResult => this.#decisions.undo(call);
  readonly undoAll = (): UndoResult => this.#decisions.undoAll();
  readonly commit = (): CommitResult => this.#decisions.commit();
  readonly extend = (call: string | CallView): ExtendResult => this.#decisions.extend(call);
  readonly reveal = (call: string | CallView): RevealResult => this.#decisions.reveal(call);
  readonly covered = (call: string | CallView, covers: Covers): readonly string[] =>
    this.#decisions.covered(call, covers);
  readonly revoke = (id: string): RevokeResult => this.#decisions.revoke(id);
  readonly revokeAll = (): RevokeResult => this.#decisions.revokeAll();
  readonly pending = (): readonly PendingCall[] =>
    this.#guarded<readonly PendingCall[]>(EMPTY, () => this.#snapshots?.pending() ?? EMPTY, false);
  readonly grants = (): readonly GrantView[] =>
    this.#guarded<readonly GrantView[]>(EMPTY, () => this.#snapshots?.grants.all() ?? EMPTY, false);
  readonly text = (id: MessageId | QueueId, values?: MessageValues, english?: string): string =>
    this.#settings.words.text(id, values, english);

  /** Runs what a person does; undefined when there is no working guard. */
  #decided<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined {
    let misuse: GuardError | undefined;
    const result = this.#guarded<T | undefined>(undefined, (engine) => {
      this.#busy = true;
      try {
        const result = this.#snapshots && work(engine, this.#snapshots);
        this.#decisions.settleDue(engine);
        return result;
      } catch (error) {
        if (!(error instanceof GuardError)) throw error;
        misuse = error;
        return undefined;
      }
    });
    if (misuse !== undefined) throw misuse;
    return result;
  }

  /** Time has passed. */
  #wake(): void {
    this.#guarded(undefined, (engine) => {
      wakeFact(engine.core.facts);
      engine.transcript.recheck();
      if (this.#attached !== undefined) this.#readChat(this.#attached, engine.transcript);
      this.#decisions.settle(engine);
    });
  }

  /** The record knows more: of an earlier page, or of another tab. */
  #recalled(): void {
    this.#revive();
    if (this.#engine === undefined) return;
    this.#guarded(undefined, (engine) => {
      this.#recorder?.recallAgain();
      tell(engine);
      this.#repairChat(engine, true);
      this.#decisions.settleDue(engine);
    });
  }

  /** Runs this when it is the turn of this tab. @throws GuardError `turn-failed`, `record-in-use`, as a rejection */
  async #inTurn<T>(recorder: Recorder, work: () => T | Promise<T>): Promise<T> {
    try {
      return await recorder.inTurn(work);
    } catch (cause) {
      // The lock is of another bundle, and so is the class of its errors.
      const isLost = cause instanceof Error && cause.name === 'LockError';
      const isTaken = (cause as { code?: unknown }).code === 'record-in-use';
      throw isLost ? problem(isTaken ? 'record-in-use' : 'turn-failed', { cause }) : cause;
    }
  }

  readonly #commitInTurn = (commit: (engine: Engine) => void): void => {
    if (this.#recorder === undefined) return;
    const work = () => {
      if (this.#engine !== undefined) this.#guarded(undefined, commit);
    };
    this.#inTurn(this.#recorder, work).catch((error: unknown) => this.#fail(error));
  };

  /** Rules became stricter. */
  #judgeAgain(): void {
    this.#guarded(undefined, (engine) => {
      this.#busy = true;
      engine.transcript.judgeAgain();
      tell(engine);
      this.#decisions.settleDue(engine);
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#notifications.subscribe(listener);

  readonly ledger = (): readonly LedgerEntry[] =>
    this.#guarded<readonly LedgerEntry[]>(EMPTY, () => this.#decoder?.entries(0) ?? EMPTY, false);

  #verdict(): Verdict {
    if (this.#dead !== undefined) return this.#dead.code === 'disposed' ? DISPOSED : UNAVAILABLE;
    if (this.#unreadable) return UNREADABLE;
    return this.#guarded(UNAVAILABLE, () => this.#decoder?.verdict() ?? UNAVAILABLE, false);
  }

  // ---- living ------------------------------------------------------------------------------

  readonly dispose = (): void => {
    if (this.#dead?.code === 'disposed') return;
    if (this.#engine !== undefined) this.#guarded(undefined, ({ core }) => leaveFact(core.facts));
    this.#recorder?.close();
    this.#recorder = undefined;
    for (const attached of this.#attachments) attached.detach();
    this.#attachments.clear();
    this.#attached = undefined;
    this.#forgetEngine();
    this.#dead = { code: 'disposed', error: problem('disposed') };
    // What a page shows of it is over, and it has to hear so.
    this.#snapshot = undefined;
    this.#notifications.tellAll();
    this.#notifications.clear();
  };

  readonly [Symbol.dispose] = this.dispose;

  #forgetEngine(isTrapped = false): void {
    notifyAll(this.#ends ?? EMPTY);
    this.#ends?.clear();
    this.#engine?.core.free(isTrapped);
    this.#engine = undefined;
    this.#decoder = undefined;
    this.#snapshots = undefined;
  }

  /** The engine, started on first use; undefined, and reported, when there is none. */
  #start(): Engine | undefined {
    if (this.#engine !== undefined) return this.#engine;
    if (this.#dead === undefined) {
      const self = referTo(this);
      const calls = Session.#calls(self);
      const ends = (this.#ends ??= endsOf(this));
      try {
        const engine = startEngine(this.#settings, (cause) => this.#notifications.failed(cause), calls.wake);
        const unsubscribe = this.#settings.rules?.subscribe?.(calls.judgeAgain);
        if (unsubscribe !== undefined) ends.add(unsubscribe);
        this.#engine = engine;
        this.#decoder = new LedgerDecoder(engine);
        this.#snapshots = new Snapshots(engine, this.#settings);
        this.#connect(engine, this.#decoder, this.#snapshots, self);
        return engine;
      } catch (error) {
        this.#forgetEngine();
        this.#dead = { code: 'wasm-unavailable', error: error as GuardError };
        ends.add(whenReady(calls.revive));
      }
    }
    // Once: whoever renders asks again and again.
    if (!this.#errorReported) {
      this.#errorReported = true;
      this.#report(this.#dead.error);
    }
    return undefined;
  }

  /** The module was loaded after all. */
  #revive(): void {
    if (this.#dead?.code !== 'wasm-unavailable') return;
    this.#dead = undefined;
    this.#errorReported = false;
    // In their order: the newest one counts.
    for (const attached of [...this.#attachments]) this.#enter(attached);
    this.#notifications.tellAll();
  }

  /**
   * What the module, rules and the record call: they may live longer, so none of it holds the guard. It is made here,
   * because a function holds all that is in scope where it is made.
   */
  static #calls<M extends UIMessage>(self: Reference<Session<M>>) {
    return {
      wake: whileHeld(self, (guard) => guard.#wake()),
      judgeAgain: whileHeld(self, (guard) => guard.#judgeAgain()),
      revive: whileHeld(self, (guard) => guard.#revive()),
      recalled: whileHeld(self, (guard) => guard.#recalled()),
    };
  }

  static #hostOf<M extends UIMessage>(self: Reference<Session<M>>, chatId: string): RecordHost {
    return {
      chatId,
      hashOf: whileHeld(self, (guard, toolName, input: unknown) => {
        return guard.#engine?.fingerprints.hashOfInput(toolName, input);
      }),
      inputOf: whileHeld(self, (guard, hash) => {
        const found = guard.#engine && inputWith(guard.#engine, hash);
        return found && { ...found, server: guard.#settings.tools.get(found.toolName)?.server };
      }),
      changed: whileHeld(self, (guard) => guard.#recalled()),
      report: whileHeld(self, (guard, code, message, cause) => {
        guard.#report(new GuardError(code, message, cause === undefined ? {} : { cause }));
      }),
    };
  }

  #connect(engine: Engine, decoder: LedgerDecoder, snapshots: Snapshots, self: Reference<Session<M>>): void {
    const { record, chatId } = this.#settings;
    if (record === undefined || chatId === undefined) return;
    try {
      const connection = record.connect(Session.#hostOf(self, chatId));
      if (connection === undefined) return;
      this.#ends?.add(closing(connection));
      this.#recorder = new Recorder(connection, engine, this.#settings, decoder, snapshots);
      void connection.ready?.then(Session.#calls(self).recalled);
    } catch (error) {
      // Without what it has to remember, a guard could ask again what was denied: it waits for it.
      if (isUnavailable(error)) throw new GuardError('wasm-unavailable', error.message, { cause: error });
      this.#fail(error);
    }
  }

  /** Runs with the engine; on a failure reports it and answers the fallback. */
  #guarded<T>(fallback: T, run: (engine: Engine) => T, changes = true): T {
    const engine = this.#start();
    if (engine === undefined) return fallback;
    try {
      const result = run(engine);
      tell(engine);
      if (changes) this.#changes++;
      this.#flush();
      return result;
    } catch (error) {
      this.#fail(error);
      return fallback;
    }
  }

  /** Reports a failure; a trap ends the guard. */
  #fail(cause: unknown): GuardError {
    if (cause instanceof GuardError) return this.#report(cause);
    const trapped = cause instanceof WebAssembly.RuntimeError;
    const error = problem(trapped ? 'wasm-trapped' : 'unreadable-messages', { cause });
    if (trapped) {
      this.#dead = { code: 'wasm-trapped', error };
      // What it has recorded stays, and another guard may go on with it.
      this.#recorder?.close();
      this.#recorder = undefined;
      this.#forgetEngine(true);
      this.#notifications.tellAll();
    }
    this.#report(error);
    if (!trapped && this.#setUnreadable(true)) {
      try {
        this.#flush();
      } catch (next) {
        this.#fail(next);
      }
    }
    return error;
  }

  /** Notes whether the messages can be read; returns whether that has changed. */
  #setUnreadable(unreadable: boolean): boolean {
    if (this.#unreadable === unreadable) return false;
    this.#unreadable = unreadable;
    this.#unreadableChanges++;
    this.#changes++;
    return true;
  }

  #report(error: GuardError): GuardError {
    return this.#notifications.report(error);
  }

  /** What there is to tell of. */
  readonly #told = (): Told | undefined => {
    const [engine, decoder, snapshots, recorder] = [
      this.#engine,
      this.#decoder,
      this.#snapshots,
      this.#recorder,
    ];
    return engine && decoder && snapshots && { engine, decoder, snapshots, recorder };
  };

  #flush(): void {
    this.#notifications.flush(this.#told, () => this.#unreadableChanges);
  }
}

/** The input with this hash, and its tool. */
function inputWith({ memory, fingerprints }: Engine, hash: string) {
  for (const [, facts] of memory.parts()) {
    if (fingerprints.hashOf(fingerprints.of(facts)) === hash) {
      return { toolName: toolNameOf(facts), input: facts.input };
    }
  }
  return undefined;
}

/** What else a caller gives, such as the event of a button, is ignored. */
const requestOf = (given: unknown): ChatRequestOptions | undefined =>
  readRequestOptions((Object(given) as { options?: unknown }).options, 'invalid-input');

const NOTHING_KNOWN: Omit<Snapshot, 'verdict'> = {
  calls: EMPTY,
  batch: EMPTY_BATCH,
  grants: EMPTY,
};
const DISPOSED = verdictOf('disposed');
const UNAVAILABLE = verdictOf('unavailable');
const UNREADABLE = verdictOf('unreadable');

const closing = (connection: RecordConnection) => () => connection.close();

/** The record is of another bundle, and so is the class of its errors. */
const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'wasm-unavailable';
