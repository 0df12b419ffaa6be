import type { ChatRequestOptions, UIMessage } from 'ai';

import { whenReady } from 'virtual:module';

import { Decisions } from './decisions.js';
import { EMPTY_BATCH } from './empty.js';
import { prune, startEngine, tell, type Engine } from './engine/engine.js';
import { GuardError } from './error.js';
import {
  askFact,
  CommitCause,
  commitFact,
  decidedFact,
  endedFact,
  failedFact,
  hydrateFact,
  leaveFact,
  leavingFact,
  Permit,
  permitFact,
  permitOverFact,
  Reason,
  sendFact,
  startedFact,
  StatusField,
  stoppedFact,
  Trigger,
  wakeFact,
  Way,
} from './generated/abi.js';
import { AttachedChat, type ChatEvents } from './chat/attachment.js';
import { toolNameOf } from './chat/part.js';
import { endsOf, referTo, whileHeld, type Reference } from './lifetime.js';
import { readOptions } from './options.js';
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
} from './prompt.js';
import { optionsOf, readRequestOptions } from './request-options.js';
import { Snapshots } from './snapshot.js';
import { soon } from './soon.js';
import { notifyAll } from './notify-all.js';
import { watching, type Left } from './transport.js';
import { AutomaticSend, type OutgoingRequest } from './automatic-send.js';
import type {
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  AttachedApprovalResponse,
  AttachedToolOutput,
  RetryOptions,
  SendResult,
} from './types.js';
import type { LedgerEntry, Verdict } from './types/events.js';
import type { RecordConnection, RecordHost } from './types/record.js';
import { LedgerDecoder } from './ledger-decoder.js';
import { problem, verdictOf } from './verdict.js';
import type { MessageId, MessageValues, QueueId } from './words.js';

/** The reasons up to this one are a yes. */
const LAST_YES = Reason.Resume;

/** How often listeners that change the guard are told of it at once; the rest waits for the next change. */
const ROUNDS = 10;

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
  readonly #options: ApprovalGuardOptions;
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
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot | undefined;
  /** The state that the snapshot was taken of. */
  #shown: number | undefined;
  /** Counts what can change a snapshot beside the messages and the core. */
  #changes = 0;
  /** The state that was told to the listeners. */
  #notified = 0;
  #entries = 0;
  /** The calls below this one are forgotten. */
  #forgotten = 1;
  #unreadable = false;
  /** How often that has changed. */
  #unreadableChanges = 0;
  #flushing = false;
  /** What a person has asked to be sent last, until that is done. */
  #sending: { permit: number; result: Promise<SendResult> } | undefined;
  /** What a person has permitted and has not left yet. */
  #permitted: number | undefined;
  readonly #automaticSend = new AutomaticSend<M>();
  /** What the last request was given, which `retry` repeats. */
  #requestOptions: ChatRequestOptions | undefined;
  /** What the last message of a person was given, and so its decisions: a server may want a header. */
  #personOptions: ChatRequestOptions | undefined;
  /** That there is no engine was reported. */
  #errorReported = false;
  #isReadPending = false;

  constructor(options: ApprovalGuardOptions) {
    this.#settings = readOptions(options);
    this.#options = options;
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
      requestOptions: (options) =>
        (this.#requestOptions = options ?? this.#personOptions ?? this.#requestOptions),
    });
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
      if (reason <= LAST_YES) this.#automaticSend.saidYes();
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

  readonly transport = watching<M>({
    leaving: (options) => this.#leaving(options),
    reconnecting: (chatId) => {
      const engine = this.#start();
      if (engine !== undefined && !isChatOf(engine, chatId)) throw this.#report(problem('wrong-chat'));
    },
    started: (request) => this.#about(request, ({ core }) => startedFact(core.facts, { request })),
    ended: (request) => this.#about(request, ({ core }) => endedFact(core.facts, { request })),
    heard: (request, chunk) =>
      this.#guarded(undefined, ({ core, stream }) => {
        if (stream.read(request, chunk)) this.#readSoon();
        if (isErrorChunk(chunk) && request !== 0) failedFact(core.facts, { request, asked: 1, status: NaN });
      }),
    failed: (request, aborted, asked, status) =>
      this.#about(request, (engine) => {
        this.#automaticSend.over();
        failedFact(engine.core.facts, { request, asked: Number(asked), status });
        // Nobody asks after a failure, so this is the last look.
        if (this.#attached?.isCurrent === true) this.#readChat(this.#attached, engine.transcript);
        this.#repairChat(engine, true);
        if (aborted) this.#stopped(engine);
      }),
  });

  #leaving(options: OutgoingRequest<M>): Left<M> | Promise<Left<M>> {
    // An aborted request pauses the queue that newer chats have.
    if (this.#automaticSend.isOvertaken(options) && this.#attached?.queues !== true) {
      // What the chat takes for its own stop: no error, and no second question.
      throw new DOMException('A request of a person has taken this one along.', 'AbortError');
    }
    this.#start();
    const recorder = this.#recorder;
    if (recorder?.isShared !== true) return this.#leave(options);
    this.#guarded(undefined, ({ core }) => leavingFact(core.facts), false);
    return this.#inTurn(recorder, async () => {
      // What another tab has sent is not sent again: to the chat it is as if it had stopped by itself.
      const { aborted } = (options.abortSignal ?? {}) as { aborted?: unknown };
      if (aborted === true || this.#isTaken()) {
        this.#guarded(undefined, (engine) => this.#repairChat(engine, true));
        throw new DOMException('Another tab has sent this.', 'AbortError');
      }
      const left = this.#leave(options);
      await recorder.saved();
      return left;
    });
  }

  /** Whether another tab has sent what this request was to send. */
  #isTaken(): boolean {
    const { core } = this.#engine ?? {};
    const permit = this.#permitted;
    this.#permitted = undefined;
    if (core === undefined) return false;
    core.apply();
    if (permit === undefined) return core.get(StatusField.Taken) === 1;
    // A person may have pressed in two tabs: what was permitted has to be so still.
    permitOverFact(core.facts);
    permitFact(core.facts, { permit });
    return (core.apply().permitted?.way ?? Way.Nothing) <= Way.Waiting;
  }

  #leave(options: OutgoingRequest<M>): Left<M> {
    const engine = this.#start();
    if (engine === undefined) return { request: 0, messages: this.#withoutApprovals(options.messages) };
    let refused: GuardError | undefined;
    try {
      const { core, transcript, repairs, ids, omission } = engine;
      const messages = listOf(options) as M[];
      this.#given = messages;
      const trigger = triggerOf(options);
      transcript.readAll(messages, trigger);
      const last: unknown = messages.at(-1);
      const continues = (last as { role?: unknown } | null | undefined)?.role === 'assistant';
      sendFact(core.facts, { chat: ids.of(options.chatId), trigger, continues: Number(continues) });
      const { request, person } = tell(engine).request;
      if (request === 0) {
        refused = this.#drain().at(-1) ?? problem('wrong-chat');
        this.#automaticSend.over();
        this.#flush();
        throw refused;
      }
      this.#requestOptions = optionsOf(options);
      if (person === 1) this.#personOptions = this.#requestOptions ?? {};
      const leaving = omission.outgoing(repairs.outgoing(messages));
      // A repair of the last message would be overwritten by the response that is now to come.
      this.#repairChat(engine, person === 1);
      this.#changes++;
      this.#flush();
      return { request, messages: leaving };
    } catch (error) {
      throw error === refused ? refused : this.#fail(error);
    }
  }

  /** Without a working core a request passes only if no message carries an approval. */
  #withoutApprovals(messages: readonly M[]): readonly M[] {
    let carries = true;
    try {
      carries = messages.some((message) =>
        message.parts.some((part) => 'approval' in part && part.approval != null),
      );
    } catch {
      // What cannot be read may carry one.
    }
    if (carries) throw this.#dead?.error ?? problem('wasm-unavailable');
    return messages;
  }

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
    this.#permit(Permit.Retry, requestOf(given));
  readonly resume = async (given?: RetryOptions): Promise<SendResult> =>
    this.#permit(Permit.Resume, requestOf(given));

  /** One at a time: what is being sent is sent for everybody who asks, and else it is the turn of the next. */
  #permit(permit: number, options: ChatRequestOptions | undefined): Promise<SendResult> {
    const before = this.#sending;
    if (before?.permit === permit) return before.result;
    const send = () => this.#permitNow(permit, options);
    const result = before?.result.then((sent) => (sent.type === 'sent' ? sent : send())) ?? send();
    const own = (this.#sending = { permit, result });
    const over = () => {
      if (this.#sending === own) this.#sending = undefined;
    };
    result.then(over, over);
    return result;
  }

  async #permitNow(permit: number, options: ChatRequestOptions | undefined): Promise<SendResult> {
    const attached = this.#attached;
    if (attached === undefined) return { type: 'not-attached' };
    const engine = this.#start();
    if (engine === undefined) throw this.#dead?.error ?? problem('wasm-unavailable');
    const recorder = this.#recorder;
    // The tab that was to send it may have died meanwhile, without a word.
    if (recorder?.isShared === true) await this.#inTurn(recorder, () => this.#guarded(undefined, () => {}));
    return this.#send(attached, engine, permit, options ?? this.#requestOptions ?? this.#personOptions);
  }

  async #send(
    attached: AttachedChat<M>,
    engine: Engine,
    permit: number,
    options: ChatRequestOptions | undefined,
  ): Promise<SendResult> {
    if (this.#dead !== undefined) throw this.#dead.error;
    const { core, transcript, memory } = engine;
    try {
      if (attached.isCurrent) transcript.readAll(attached.chat.messages);
      tell(engine);
    } catch (cause) {
      throw this.#fail(cause);
    }
    permitFact(core.facts, { permit });
    const { way = Way.Nothing, call = 0 } = core.apply().permitted ?? {};
    this.#changes++;
    if (way === Way.Nothing) return { type: 'nothing-to-send' };
    if (way === Way.Waiting) return { type: 'waiting', waitingFor: this.#verdict().waitingFor };
    const before = core.get(StatusField.Requests);
    try {
      const output = way === Way.Rewrite ? memory.outputOf(call) : undefined;
      if (output === undefined || attached.chat.addToolOutput === undefined) {
        this.#permitted = permit;
        await attached.chat.sendMessage(undefined, options);
      } else {
        await attached.chat.addToolOutput({ ...output, ...(options && { options }) } as AttachedToolOutput);
        // The chat sends after it has answered.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } finally {
      this.#permitted = undefined;
      this.#guarded(undefined, () => permitOverFact(core.facts));
    }
    const sent = this.#engine?.core.get(StatusField.Requests) ?? before;
    return { type: sent > before ? 'sent' : 'not-sent' };
  }

  // ---- looking -----------------------------------------------------------------------------

  readonly getSnapshot = (): Snapshot => {
    // Who renders must not be told to render: listeners are told by what comes next.
    const flushing = this.#flushing;
    this.#flushing = true;
    try {
      return this.#takeSnapshot();
    } finally {
      this.#flushing = flushing;
    }
  };

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
            return { calls, batch: snapshots.batch(), grants: snapshots.grants() };
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
    this.#guarded<readonly GrantView[]>(EMPTY, () => this.#snapshots?.grants() ?? EMPTY, false);
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

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  };

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
    for (const listener of [...this.#listeners]) this.#call(listener);
    this.#listeners.clear();
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
        const engine = startEngine(this.#settings, (cause) => this.#listenerFailed(cause), calls.wake);
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
    for (const listener of [...this.#listeners]) this.#call(listener);
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

  /** As `#guarded`, for what belongs to a request that the core knows. */
  #about(request: number, run: (engine: Engine) => void): void {
    if (request !== 0 && this.#engine !== undefined) this.#guarded(undefined, run);
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
      for (const listener of [...this.#listeners]) this.#call(listener);
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
    const { onError } = this.#options;
    try {
      if (onError === undefined) console.error(error);
      else onError(error);
    } catch {
      // A failing handler of errors has nobody to tell.
    }
    return error;
  }

  /** The problems that the core has found, reported. */
  #drain(): GuardError[] {
    return (this.#decoder?.problems() ?? EMPTY).map((error) => this.#report(error));
  }

  /** Tells what happened, after the core is done: a listener may call the guard again. */
  #flush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      for (let round = 0, again = true; again && round < ROUNDS; round++) {
        this.#drain();
        this.#tellEvents();
        again = this.#tellListeners();
      }
    } finally {
      this.#flushing = false;
    }
  }

  #tellEvents(): void {
    try {
      this.#recorder?.recordNew();
    } catch (cause) {
      this.#listenerFailed(cause);
    }
    const length = this.#engine?.core.get(StatusField.Length) ?? this.#entries;
    if (length === this.#entries) return;
    const from = this.#entries;
    this.#entries = length;
    const { onEvent } = this.#options;
    if (onEvent !== undefined) {
      for (const entry of this.#decoder?.entries(from) ?? []) this.#call(() => onEvent(entry));
    }
    this.#forget();
  }

  /** Gives up what the core has given up, once everybody was told of it. */
  #forget(): void {
    const engine = this.#engine;
    const first = engine?.core.get(StatusField.Forgotten);
    if (engine === undefined || first === undefined || first === this.#forgotten) return;
    this.#forgotten = first;
    prune(engine, first);
    this.#snapshots?.forget(first);
  }

  /** Notifies once per change; answers whether there was one. */
  #tellListeners(): boolean {
    const engine = this.#engine;
    if (engine === undefined) return false;
    const now = engine.core.get(StatusField.Changes) + engine.transcript.told + this.#unreadableChanges;
    if (now === this.#notified) return false;
    this.#notified = now;
    for (const listener of [...this.#listeners]) this.#call(listener);
    return true;
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (cause) {
      this.#listenerFailed(cause);
    }
  }

  #listenerFailed(cause: unknown): void {
    this.#report(
      new GuardError('listener-failed', 'A function that the guard was given has failed.', { cause }),
    );
  }
}

/** Whether this is the chat of the guard, as far as it is known. */
function isChatOf({ core, ids }: Engine, chatId: unknown): boolean {
  const chat = core.get(StatusField.Chat);
  return chat === 0 || chat === ids.of(chatId);
}

/** What made a request. */
function triggerOf({ trigger, messageId }: OutgoingRequest<UIMessage>): Trigger {
  if (trigger === 'regenerate-message') return Trigger.Regenerate;
  return messageId === undefined ? Trigger.Submit : Trigger.Edit;
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

function listOf(from: { messages: unknown }): readonly unknown[] {
  const { messages } = from;
  if (!Array.isArray(messages)) throw problem('invalid-input');
  return messages;
}

const closing = (connection: RecordConnection) => () => connection.close();

/** The record is of another bundle, and so is the class of its errors. */
const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'wasm-unavailable';

function isErrorChunk(chunk: unknown): boolean {
  return typeof chunk === 'object' && chunk !== null && 'type' in chunk && chunk.type === 'error';
}
