import { NONE } from '../engine/rows.js';
import type { ChatRequestOptions, UIMessage } from 'ai';

import type { AttachedChat } from '../chat/attachment.js';
import { Decisions, type DecisionsHost, type TransactionEnd } from './decisions.js';
import { emptySnapshot } from '../empty.js';
import { startEngine, tell, type Engine } from '../engine/engine.js';
import { GuardError, ofChat } from '../error.js';
import {
  askedInVainFact,
  askFact,
  CommitCause,
  commitFact,
  lookFact,
  leaseOverFact,
  leaveFact,
  Permit,
  Reason,
  sends,
  StatusField,
  wakeFact,
} from '../generated/abi.js';
import { Attachments, type AttachmentsHost } from './attachments.js';
import { toolNameOf, type PartFacts } from '../chat/part.js';
import { isTrap } from '../module/trap.js';
import { endsOf, referTo, whileHeld, type Reference } from '../lifetime.js';
import { soon } from '../soon.js';
import { readOptions, type Settings } from '../options.js';
import type { Recorder, RecordOfGuard } from './recorder.js';
import { rehearse } from './rehearsal.js';
import type { GrantView, PendingCall, Snapshot } from '../prompt.js';
import { readRequestOptions } from '../request-options.js';
import { Unanswerable } from './unanswerable.js';
import { Snapshots } from './snapshots.js';
import { notifyAll } from '../notify-all.js';
import { listOf, Requests, type RequestHost } from './requests.js';
import type { Happening, LateGuard } from '../loading/happening.js';
import type {
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  ProceedResult,
  SendResult,
} from '../types.js';
import type { LedgerEntry, Verdict } from '../types/events.js';
import type { RecordConnection, RecordHost } from '../types/record.js';
import { Notifications, type News, type Sources } from './notifications.js';
import { BeforeVerdict, LedgerDecoder } from './ledger-decoder.js';
import { problem, verdictOf } from '../verdict.js';

/**
 * Creates the approval guard of one chat. The WebAssembly starts at the first use, or when the page is idle.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options every option has a default
 * @returns the guard. Its creator either disposes of it or drops every reference to it
 * @throws GuardError `invalid-option` or `invalid-catalogue`, saying what the option must be
 */
export function createApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: ApprovalGuardOptions<M, Dynamic> = {},
): ApprovalGuard<M> {
  return faceOf(new Session<M>(options as unknown as ApprovalGuardOptions));
}

/**
 * Creates the guard that one becomes which has waited for its engine.
 *
 * @internal
 */
export function createLateGuard<M extends UIMessage>(options: ApprovalGuardOptions): LateGuard<M> {
  const session = new Session<M>(options);
  const { attachments } = session;
  return {
    guard: faceOf(session),
    attach: (chat) => attachments.attach(chat, false),
    tell: (happened) => session.catchUp(happened),
    begin: (hasSent) => session.begin(hasSent),
    askAgain: (asker, options) => session.askAgain(asker, options),
  };
}

/** The members that take messages. */
type OfMessages = 'transport' | 'attach' | 'observe' | 'adopt' | 'sendAutomaticallyWhen' | 'unsent';

/** The functions of a guard. Each of them can be passed on by itself. */
function faceOf<M extends UIMessage>(session: Session<M>): ApprovalGuard<M> {
  rehearse(() => faceOf(new Session({ onError: () => {} })));
  const { attachments, decisions, notifications, requests } = session;
  const dispose = (): void => session.dispose();
  const face: Omit<ApprovalGuard, OfMessages> & Pick<ApprovalGuard<M>, OfMessages> = {
    locale: session.settings.locale,
    get ready() {
      return session.ready();
    },
    sendAutomaticallyWhen: (question) => session.ask(question),
    explain: () => session.verdict(),
    observe: (messages) => session.observe(messages),
    adopt: (messages) => session.adopt(messages),
    transport: (inner) => session.named(() => requests.transport(inner)),
    unsent: (messages) => session.named(() => requests.unsent(listOf(messages))),
    attach: (chat) => attachments.attach(chat),
    retry: async (given) => session.permit(Permit.Retry, given),
    resume: async (given) => session.permit(Permit.Resume, given),
    proceed: async (action, given) => session.proceed(action, given),
    getSnapshot: () => notifications.silently(() => session.snapshot()),
    decide: (call, choice, options) => session.named(() => decisions.decide(call, choice, options)),
    decideAll: (calls, choice, options) => session.named(() => decisions.decideAll(calls, choice, options)),
    undo: (call) => session.named(() => decisions.undo(call)),
    undoAll: () => decisions.undoAll(),
    commit: () => decisions.commit(),
    extend: (call) => session.named(() => decisions.extend(call)),
    unmask: (call) => session.named(() => decisions.unmask(call)),
    covered: (call, covers) => session.named(() => decisions.covered(call, covers)),
    revoke: (id) => session.named(() => decisions.revoke(id)),
    revokeAll: () => decisions.revokeAll(),
    pending: () => session.pending(),
    grants: () => session.grants(),
    granted: (toolName, input, server) => session.granted(toolName, input, server),
    subscribe: (listener) => notifications.subscribe(listener),
    ledger: () => session.ledger(),
    dispose,
    [Symbol.dispose]: dispose,
  };
  return face as unknown as ApprovalGuard<M>;
}

/** One guard. The tools do not matter here, so their names are plain strings. */
class Session<M extends UIMessage> implements AttachmentsHost, DecisionsHost<M>, News, RequestHost<M> {
  readonly settings;
  readonly notifications: Notifications;
  readonly attachments: Attachments<M>;
  readonly decisions: Decisions<M>;
  readonly requests: Requests<M>;
  adopted: readonly M[] | undefined;
  #engine: Engine | undefined;
  /**
   * Functions that end the connections of other objects to this guard. None of them holds the guard, so they
   * still work after it is gone.
   */
  #ends: Set<() => void> | undefined;
  #decoder: LedgerDecoder | undefined;
  #snapshots: Snapshots | undefined;
  #recorder: Recorder | undefined;
  /** Whether anything can be drafted or expire, so that every question depends on time and drafts. */
  #busy: boolean;
  /** Why there is no engine: it could not be started, or has ended. */
  #dead: { code: 'disposed' | 'wasm-unavailable' | 'wasm-trapped'; error: GuardError } | undefined;
  #snapshot: Snapshot | undefined;
  /** The state that the snapshot shows. */
  #shown: number | undefined;
  /** Counts the changes that can change a snapshot but are not in the messages or the core. */
  #changes = 0;
  #unreadable = false;
  /** Whether a task is due that asks in place of the chat. */
  #asksSoon = false;
  /** What the transcript had been told when an observed list was last repaired. */
  #repaired = '';
  /** How often `#unreadable` has changed. */
  shellRevision = 0;
  /** Whether the missing engine was reported. */
  #errorReported = false;
  /** What shows the calls that ask while there is no engine, and the messages that it was last given. */
  #unanswerable: Unanswerable | undefined;
  #unread: readonly M[] | undefined;
  #willTell = false;
  /** The snapshot that listeners last knew while there is no engine. */
  #lastTold: Snapshot | undefined;

  constructor(options: ApprovalGuardOptions) {
    this.settings = readOptions(options);
    this.notifications = new Notifications(options, () => this.chatId);
    this.#busy =
      options.attended === false ||
      options.expiresMs !== undefined ||
      options.rules !== undefined ||
      options.record !== undefined;
    this.attachments = new Attachments<M>(this);
    this.decisions = new Decisions<M>(this);
    this.requests = new Requests<M>(this);
  }

  // ---- for attachments, decisions and requests -------------------------------------------------

  engine(): Engine | undefined {
    return this.#engine;
  }

  death(): GuardError | undefined {
    return ofChat(this.#dead?.error, this.chatId);
  }

  /** The id of the chat, as far as it is known. */
  get chatId(): string | undefined {
    const { core, ids } = this.#engine ?? {};
    const own = this.settings.chatId ?? (core && ids?.text(core.get(StatusField.Chat)));
    const attached: unknown = own ?? this.attachments.newest?.chat.id;
    return typeof attached === 'string' ? attached : undefined;
  }

  /** Runs a member of the guard. What it throws says which chat it is of. */
  named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw ofChat(error, this.chatId);
    }
  }

  recorder(): Recorder | undefined {
    return this.#recorder;
  }

  chat(): AttachedChat<M> | undefined {
    return this.attachments.newest;
  }

  isWriting(): boolean {
    return this.decisions.isStoring;
  }

  run(work: (engine: Engine) => void, changes = true): void {
    this.#guarded(undefined, work, changes);
  }

  look<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined {
    this.#passTime();
    return this.#guarded<T | undefined>(undefined, (engine) => work(engine, this.#views(engine)), false);
  }

  entered(engine: Engine): void {
    const isWritten = this.decisions.writeLate(engine);
    // Stored messages may be older than the record, and a page may have written while its chat was not attached.
    if (!isWritten) this.attachments.repair(engine, true);
    if (this.#busy) this.decisions.settleDue(engine);
    // A call that timed out while no chat was attached gets its error now, in a task of its own.
    if (this.settings.limitsOutputs) soon(Session.#calling(referTo(this), 'wake'));
  }

  read(engine: Engine, of?: number | string, isDue = false): void {
    engine.transcript.recheck(of);
    const { attachments } = this;
    if (!isDue) attachments.read(engine);
    else if (attachments.newest !== undefined) attachments.observe(engine, attachments.newest.chat.messages);
    // What the page has written over a question is no answer, and no decision may let it leave (law 5).
    if (engine.transcript.hasResults()) attachments.repair(engine, true);
  }

  requestOptions(options: ChatRequestOptions | undefined): ChatRequestOptions | undefined {
    return this.requests.optionsFor(options);
  }

  inTransaction<T>(recorder: Recorder, work: () => T): Promise<T> {
    return this.#transaction(recorder.inTransaction(work));
  }

  claim<T extends { request: number }>(recorder: Recorder, work: () => T): Promise<T> {
    return this.#transaction(recorder.claim(work));
  }

  changed(): void {
    this.#changes++;
    this.#flush();
  }

  problem(): GuardError | undefined {
    return this.notifications.drain(this.sources()).at(-1);
  }

  // ---- asking ------------------------------------------------------------------------------

  /** Whether the chat may submit. Never throws. */
  ask(question: { messages: M[] }): boolean {
    try {
      const engine = this.start();
      if (engine === undefined) {
        this.#unread = question?.messages;
        return false;
      }
      const { core, transcript } = engine;
      const messages = listOf(question.messages);
      this.attachments.pass(messages);
      const isStopping = this.attachments.isStopping;
      const isQuiet = !this.#unreadable && core.facts.length === 0 && !isStopping;
      if (isQuiet && core.get(StatusField.NoWhileOpen) === 1 && transcript.isStillOpen(messages)) return false;
      // The chat asks again: when it has written the answer that it was given, and when a stored one is written into it.
      const isEarly = this.attachments.isAskedEarly(messages) || this.decisions.isAskedEarly(messages);
      if (isEarly || isStopping) {
        askedInVainFact(core.facts);
        this.run(({ transcript }) => transcript.readLast(messages, true));
        return false;
      }
      if (this.#busy) transcript.recheck();
      transcript.readLast(messages, true);
      engine.clientTools.renew();
      const isTold = !this.#setUnreadable(false);
      if (isTold && core.facts.length === 0 && core.get(StatusField.NoUntilFact) === 1) return false;
      let reason = this.#askNow(engine);
      if (reason === undefined) {
        transcript.readWhole();
        reason = this.#askNow(engine) ?? Reason.Waiting;
      }
      this.attachments.repair(engine, true);
      // The repair may have shown what is new, and the chat does not ask about that.
      if (!sends(reason) && core.facts.length > 0) this.askSoon();
      this.#flush();
      return sends(reason);
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** Reads what has happened before there was an engine. Nothing is done about it before `begin`. */
  catchUp(happened: Happening<M>): void {
    this.run((engine) => {
      if (happened.type === 'adopted') {
        this.adopted = happened.messages;
        this.requests.adopt(engine, listOf(happened.messages));
      }
      if (happened.type === 'left') this.requests.hasLeft(engine, happened.request, happened.isDelivered);
      else this.attachments.catchUp(engine, happened);
    });
  }

  /**
   * Reads the attached chats, unless a request has just left, which was read; and acts on what is known. The engine starts
   * now, and not when a person waits for a card.
   */
  begin(hasSent: boolean): void {
    this.start();
    this.attachments.enterAll(!hasSent);
    if (this.adopted !== undefined) this.run((engine) => this.#readAdopted(engine));
  }

  /** Asks the predicate in place of a chat, and sends if it says yes. */
  askAgain(asker: unknown, options: ChatRequestOptions | undefined): void {
    const { newest } = this.attachments;
    // It asks by itself when its response has ended.
    if (newest?.isSending === true) return;
    const chat = newest?.chat ?? (Object(asker) as Partial<AttachableChat<M>>);
    const messages = newest?.messages ?? chat.messages;
    if (typeof chat.sendMessage !== 'function' || !Array.isArray(messages)) {
      if (this.verdict().send) this.report(new GuardError('unknown-chat', UNKNOWN_ASKER));
      return;
    }
    // What the page has put around the predicate may say no before the guard is asked.
    const { sendAutomaticallyWhen: own } = chat as { sendAutomaticallyWhen?: (question: unknown) => unknown };
    const send = async (): Promise<void> => {
      const says = typeof own === 'function' ? await own.call(chat, { messages }) : this.ask({ messages });
      if (says === true) await chat.sendMessage?.(undefined, options);
    };
    send().catch((cause: unknown) => this.fail(cause));
  }

  /**
   * Commits what is due before the chat takes its messages, asks whether to send, and asks for the repairs,
   * all in one crossing. Returns `undefined` if the whole list has to be read first.
   */
  #askNow(engine: Engine): Reason | undefined {
    const { core, repairs } = engine;
    if (this.#busy) {
      if (this.isShared) this.decisions.settle(engine);
      else {
        const attached = this.attachments.newest !== undefined;
        commitFact(core.facts, { cause: CommitCause.Question, attached, trial: false });
      }
    }
    askFact(core.facts);
    repairs.prepare();
    return core.apply().reason;
  }

  askSoon(): void {
    if (this.#asksSoon || this.attachments.newest === undefined) return;
    this.#asksSoon = true;
    soon(() => {
      try {
        this.#askForChat();
      } catch (cause) {
        // A getter of the chat may throw. Later wake-ups must still come.
        this.fail(cause);
      } finally {
        this.#asksSoon = false;
      }
    });
  }

  /**
   * Law 3: asks in place of the chat about what it would be told yes to. By itself it asks only after what it has written, and not
   * while it is busy. In this task it has had its turn.
   */
  #askForChat(): void {
    const { newest } = this.attachments;
    // A chat that is busy asks at the end.
    if (this.#engine === undefined || newest === undefined || newest.isSending) return;
    const { attachments, decisions, requests } = this;
    // What ends then, tells.
    if (attachments.isAnswering || attachments.isStopping || decisions.isStoring || requests.isBusy) return;
    this.run((engine) => {
      attachments.read(engine);
      tell(engine);
      // What the page has written over a question meanwhile is no answer.
      attachments.repair(engine, true);
    }, false);
    if (this.#isUnasked) this.askAgain(newest.chat, requests.optionsFor(undefined));
  }

  /** Whether the chat would be told yes, and does not ask. */
  get #isUnasked(): boolean {
    return this.#engine?.core.get(StatusField.Unasked) === 1;
  }

  observe(messages: readonly M[]): void {
    if (this.start() === undefined) this.#unread = messages;
    this.run((engine) => {
      this.attachments.observe(engine, listOf(messages));
      this.#setUnreadable(false);
      this.#repairSoon(engine);
    });
  }

  /**
   * Repairs what an observed list shows anew, in a task of its own, because a rendering may have asked. What a response
   * writes is repaired when it ends.
   */
  #repairSoon({ core, transcript }: Engine): void {
    const repaired = `${transcript.version} ${core.get(StatusField.Revision)}`;
    if (this.#repaired === repaired) return;
    this.#repaired = repaired;
    soon(() => {
      if (this.attachments.newest?.isSending === false)
        this.run((engine) => this.attachments.repair(engine, true));
    });
  }

  /** Believes a list of the server's. It is kept, because the core may come later. */
  adopt(messages: readonly M[]): void {
    this.adopted = messages;
    if (this.start() === undefined) this.#unread = messages;
    this.run((engine) => this.#adopt(engine, messages));
  }

  #adopt(engine: Engine, messages: readonly M[]): void {
    const { attachments, requests } = this;
    requests.adopt(engine, listOf(messages));
    this.#setUnreadable(false);
    if (attachments.newest === undefined) {
      attachments.observe(engine, messages);
      return;
    }
    this.#readAdopted(engine);
    // The chat may get the list after this.
    soon(() => {
      if (this.#engine !== undefined) this.run((engine) => this.#readAdopted(engine));
    });
  }

  /** Reads the chat. */
  #readAdopted(engine: Engine): void {
    this.attachments.read(engine);
    tell(engine);
    this.entered(engine);
  }

  // ---- looking -----------------------------------------------------------------------------

  /** Ends what has ended by time, also if its timer is late: what is shown is so (laws 12 and 14). */
  #passTime(): void {
    if (this.#engine?.core.isOverdue !== true) return;
    this.run(({ core }) => lookFact(core.facts), false);
  }

  snapshot(): Snapshot {
    this.attachments.readPending();
    this.#passTime();
    const old = this.#snapshot;
    const { core, transcript } = this.#engine ?? {};
    const state =
      core &&
      transcript &&
      core.get(StatusField.Changes) + transcript.version + transcript.replaced + this.#changes;
    // Each of them only increases, so an equal sum means that nothing has changed.
    if (old !== undefined && state !== undefined && state === this.#shown) return old;
    const next = this.#dead
      ? this.#withoutEngine()
      : this.look((_, snapshots) => ({ ...snapshots.all(), grants: snapshots.grants.all() }));
    const { calls, approvals, batch, grants } =
      next ?? (this.#isMissing ? this.#withoutEngine() : old) ?? NOTHING_KNOWN;
    // Reading may just have failed.
    const verdict = this.verdict();
    this.#shown = state;
    if (old?.verdict === verdict && old.calls === calls && old.batch === batch && old.grants === grants)
      return old;
    return (this.#snapshot = { calls, approvals, batch, grants, verdict });
  }

  /** Does what the button of the batch was for, if the batch still needs it. */
  async proceed(action: unknown, given: unknown): Promise<ProceedResult> {
    if (action === undefined || this.snapshot().batch.action !== action) return { type: 'nothing-to-send' };
    const committed = action === 'send' ? this.decisions.commit() : undefined;
    if (committed !== undefined && committed.type !== 'nothing-to-commit') return committed;
    return this.permit(action === 'resume' ? Permit.Resume : Permit.Retry, given);
  }

  /** Sends as a person asks for. Anything given besides options, such as the event of a button, is ignored. */
  permit(permit: Permit, given: unknown): Promise<SendResult> {
    const { options } = Object(given) as { options?: unknown };
    const request = this.named(() => readRequestOptions(options, 'invalid-input'));
    return this.requests.permit(permit, request);
  }

  /** Whether there is no core because its module could not be started. */
  get #isMissing(): boolean {
    return this.#dead?.code === 'wasm-unavailable';
  }

  /** What is known without the core: the calls that ask are still shown. */
  #withoutEngine(): Omit<Snapshot, 'verdict'> {
    if (!this.#isMissing) return NOTHING_KNOWN;
    try {
      const messages = this.attachments.newest?.chat.messages ?? this.#unread;
      if (messages === undefined) return NOTHING_KNOWN;
      const calls = (this.#unanswerable ??= new Unanswerable()).in(messages, this.settings);
      return { ...NOTHING_KNOWN, calls, approvals: calls };
    } catch {
      // The messages cannot be read.
      return NOTHING_KNOWN;
    }
  }

  /** Tells the page of calls that ask, in a task of its own, because a rendering may have asked for the core. */
  #tellWithoutEngine(): void {
    if (this.#willTell) return;
    this.#willTell = true;
    this.#lastTold ??= this.#snapshot;
    soon(() => {
      this.#willTell = false;
      // Whoever renders may have read the snapshot meanwhile, and others have not.
      const known = this.#lastTold;
      const shown = this.snapshot();
      if (!this.#isMissing || shown === known || (known === undefined && shown.calls.length === 0)) return;
      this.#lastTold = shown;
      this.notifications.tellAll();
    });
  }

  // ---- deciding ----------------------------------------------------------------------------

  pending(): readonly PendingCall[] {
    const start = performance.now();
    const pending = this.look((_, snapshots) => snapshots.pending()) ?? NONE;
    this.#recorder?.timeQuery(performance.now() - start);
    return pending;
  }

  grants(): readonly GrantView[] {
    return this.look((_, snapshots) => snapshots.grants.all()) ?? NONE;
  }

  granted(toolName: string, input: unknown, server: string | undefined): GrantView | undefined {
    return this.look((engine, { grants }) => {
      tell(engine);
      return grants.answering(toolName, input, server);
    });
  }

  ledger(): readonly LedgerEntry[] {
    return this.#guarded<readonly LedgerEntry[]>(NONE, () => this.#decoder?.entries(0) ?? NONE, false);
  }

  verdict(): Verdict {
    if (this.#dead !== undefined) return this.#dead.code === 'disposed' ? DISPOSED : UNAVAILABLE;
    if (this.#unreadable) return UNREADABLE;
    const isAttached = this.attachments.newest !== undefined;
    const commit = isAttached ? BeforeVerdict.Attached : BeforeVerdict.Unattached;
    this.#passTime();
    // What other tabs have to agree to is not committed before the chat gets its answer.
    const before = this.isShared ? BeforeVerdict.Nothing : commit;
    const read = (engine: Engine): Verdict => {
      engine.clientTools.renew();
      return this.#decoder?.verdict(before) ?? UNAVAILABLE;
    };
    return this.#guarded(UNAVAILABLE, read, false);
  }

  /** Runs an act of a person; returns `undefined` if there is no working guard. */
  act<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined {
    let misuse: GuardError | undefined;
    const result = this.#guarded<T | undefined>(undefined, (engine) => {
      this.#busy = true;
      try {
        const result = work(engine, this.#views(engine));
        this.decisions.settleDue(engine);
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

  /** Handles the passing of time. */
  wake(): void {
    this.#guarded(undefined, (engine) => {
      const { facts } = engine.core;
      // The event loop has turned since the last question.
      leaseOverFact(facts, { sending: this.attachments.newest?.isSending === true });
      wakeFact(facts);
      this.read(engine, undefined, true);
      this.decisions.settle(engine);
      this.attachments.endOutputs(engine, this.settings.reasons('reason.timeout'));
    });
  }

  /** Handles news from the record: from an earlier page or another tab. */
  recalled(): void {
    if (this.#engine === undefined) return;
    this.#guarded(undefined, (engine) => {
      this.#recorder?.recallAgain();
      tell(engine);
      this.decisions.writeStored(engine);
      this.attachments.repair(engine, true);
      this.decisions.settleDue(engine);
    });
  }

  /** Waits for a transaction of the record. @throws GuardError `storage-timeout`, `record-in-use`, as a rejection */
  async #transaction<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (cause) {
      // The record comes from another bundle, which has its own class of errors.
      const { name, code } = cause as { name?: unknown; code?: unknown };
      if (name !== 'TransactionError' || code === 'refused') throw cause;
      throw ofChat(problem(code === 'record-in-use' ? code : 'storage-timeout', { cause }), this.chatId);
    }
  }

  get isShared(): boolean {
    return this.#recorder?.isShared === true;
  }

  /** Runs work in a transaction of the record, and then calls `then`. */
  commitInTurn(work: (engine: Engine) => void, then: (engine: Engine, end: TransactionEnd) => void): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const alive = (work: (engine: Engine) => void): void => {
      if (this.#engine !== undefined) this.run(work);
    };
    const end = (how: TransactionEnd): void => alive((engine) => then(engine, how));
    this.#transaction(recorder.inTransaction(() => alive(work))).then(
      () => end('stored'),
      (cause: unknown) => {
        const { code } = cause as { code?: unknown };
        end(code === 'storage-timeout' || code === 'refused' ? 'postponed' : 'failed');
        // After a refusal, the record tells what another tab has decided.
        if (code !== 'refused') this.fail(cause);
      },
    );
  }

  /** Evaluates the rules again after they became stricter. */
  judgeAgain(): void {
    this.#guarded(undefined, (engine) => {
      this.#busy = true;
      engine.transcript.judgeAgain();
      tell(engine);
      this.decisions.settleDue(engine);
    });
  }

  // ---- living ------------------------------------------------------------------------------

  dispose(): void {
    if (this.#dead?.code === 'disposed') return;
    if (this.#engine !== undefined) this.#guarded(undefined, ({ core }) => leaveFact(core.facts));
    this.#recorder?.close();
    this.#recorder = undefined;
    this.attachments.detachAll();
    this.#forgetEngine();
    this.#dead = { code: 'disposed', error: problem('disposed') };
    // What a page shows of the guard is no longer valid, so the page is told.
    this.#snapshot = undefined;
    this.notifications.tellAll();
    this.notifications.clear();
  }

  /** Has `end` called when the engine ends, or when nothing holds the guard any more. `end` must not hold it. */
  #endWith(end: () => void): void {
    (this.#ends ??= endsOf(this)).add(end);
  }

  #forgetEngine(isTrapped = false): void {
    notifyAll(this.#ends ?? NONE);
    this.#ends?.clear();
    this.#engine?.core.free(isTrapped);
    this.#engine = undefined;
    this.#decoder = undefined;
    this.#snapshots = undefined;
  }

  /** The engine, started on first use; `undefined` if there is none, which is reported. */
  start(): Engine | undefined {
    if (this.#engine !== undefined) return this.#engine;
    if (this.#dead === undefined) {
      const self = referTo(this);
      try {
        const engine = startEngine(this.settings, this.notifications, self);
        const unsubscribe = this.settings.rules?.subscribe?.(Session.#calling(self, 'judgeAgain'));
        if (unsubscribe !== undefined) this.#endWith(unsubscribe);
        this.#engine = engine;
        this.#decoder = new LedgerDecoder(engine, this.settings.user, () => this.chatId);
        this.#connect(engine, this.#decoder, self);
        return engine;
      } catch (error) {
        this.#forgetEngine();
        this.#dead = { code: 'wasm-unavailable', error: error as GuardError };
      }
    }
    this.#tellWithoutEngine();
    // Only once, because rendering asks again and again.
    if (!this.#errorReported) {
      this.#errorReported = true;
      this.report(this.#dead.error);
    }
    return undefined;
  }

  /** Starts the engine. @throws GuardError if there is none, as a rejection */
  ready(): Promise<void> {
    const ready = this.start() === undefined ? Promise.reject(this.death() as Error) : Promise.resolve();
    // Who does not wait is told by `onError`.
    ready.catch(() => {});
    return ready;
  }

  /**
   * A function that the module, the rules or the record calls. These may live longer than the guard, so the
   * function does not hold it. It is made in a static method, because a closure keeps everything in its scope
   * alive.
   */
  static #calling<M extends UIMessage>(
    self: Reference<Session<M>>,
    name: 'wake' | 'judgeAgain' | 'recalled',
  ): () => void {
    return whileHeld(self, (guard) => guard[name]());
  }

  static #hostOf<M extends UIMessage>(self: Reference<Session<M>>, chatId: string): RecordHost {
    return {
      chatId,
      hashOf: whileHeld(self, (guard, toolName, input: unknown, server) => {
        const of = server ?? guard.settings.tools.serverNamed(toolName);
        return guard.#engine?.fingerprints.hashOfInput(toolName, of, input);
      }),
      inputOf: whileHeld(self, (guard, hash) => {
        const facts = guard.#engine && partWith(guard.#engine, hash);
        return facts && toolAndInput(facts, guard.settings);
      }),
      changed: Session.#calling(self, 'recalled'),
      report: whileHeld(self, (guard, code, message, cause) => {
        guard.report(new GuardError(code, message, cause === undefined ? {} : { cause }));
      }),
    };
  }

  #connect(engine: Engine, decoder: LedgerDecoder, self: Reference<Session<M>>): void {
    const { record, chatId } = this.settings;
    if (record === undefined || chatId === undefined) return;
    try {
      const connection = record.connect(Session.#hostOf(self, chatId));
      if (connection === undefined) return;
      this.#endWith(closing(connection));
      this.notifications.count = (code) => connection.countError(code);
      const views = this.#views(engine);
      this.#recorder = (record as RecordOfGuard).recorder(connection, engine, engine.memory, decoder, views);
      void connection.ready?.then(Session.#calling(self, 'recalled'));
    } catch (error) {
      // Without its record a guard could ask again about a denied call.
      if (isUnavailable(error)) throw new GuardError('wasm-unavailable', error.message, { cause: error });
      this.fail(error);
    }
  }

  /** What a page shows, made when it is first needed. */
  #views(engine: Engine): Snapshots {
    return (this.#snapshots ??= new Snapshots(engine, this.settings, this.notifications));
  }

  /** Runs with the engine. Reports a failure, and then returns the fallback. */
  #guarded<T>(fallback: T, run: (engine: Engine) => T, changes = true): T {
    const engine = this.start();
    if (engine === undefined) return fallback;
    try {
      const result = run(engine);
      tell(engine);
      if (changes) this.#changes++;
      this.#flush();
      return result;
    } catch (error) {
      this.fail(error);
      return fallback;
    }
  }

  /** Reports a failure; a trap ends the guard. */
  fail(cause: unknown): GuardError {
    if (cause instanceof GuardError) return this.report(cause);
    const trapped = isTrap(cause);
    const error = problem(trapped ? 'wasm-trapped' : 'unreadable-messages', { cause });
    if (trapped) {
      this.#dead = { code: 'wasm-trapped', error };
      // Its record stays, and another guard can continue it.
      this.#recorder?.close();
      this.#recorder = undefined;
      this.#forgetEngine(true);
      this.notifications.tellAll();
    }
    this.report(error);
    if (!trapped && this.#setUnreadable(true)) {
      try {
        this.#flush();
      } catch (next) {
        this.fail(next);
      }
    }
    return error;
  }

  /** Sets whether the messages can be read; returns whether that has changed. */
  #setUnreadable(unreadable: boolean): boolean {
    if (this.#unreadable === unreadable) return false;
    this.#unreadable = unreadable;
    this.shellRevision++;
    this.#changes++;
    return true;
  }

  failed(cause: unknown): void {
    this.notifications.failed(cause);
  }

  report(error: GuardError): GuardError {
    return this.notifications.report(error);
  }

  /** What listeners can be told about. */
  sources(): Sources | undefined {
    const engine = this.#engine;
    const decoder = this.#decoder;
    return engine && decoder && { engine, decoder, snapshots: this.#snapshots, recorder: this.#recorder };
  }

  #flush(): void {
    this.notifications.flush(this);
    if (this.#isUnasked) this.askSoon();
  }
}

/** The part whose input has this hash. */
function partWith({ memory, fingerprints }: Engine, hash: string): PartFacts | undefined {
  for (const [, facts] of memory.parts()) {
    if (fingerprints.hashOf(fingerprints.of(facts)) === hash) return facts;
  }
  return undefined;
}

const toolAndInput = (facts: PartFacts, { tools }: Settings) => ({
  toolName: toolNameOf(facts),
  server: tools.serverOf(facts),
  input: facts.input,
});

const UNKNOWN_ASKER =
  'A chat asked whether to send before the guard was loaded, and cannot be asked again, so nothing was sent. Attach the chat, or await guard.ready before the chat is used.';
const DISPOSED = verdictOf('disposed');
const UNAVAILABLE = verdictOf('unavailable');
const UNREADABLE = verdictOf('unreadable');
const NOTHING_KNOWN: Omit<Snapshot, 'verdict'> = emptySnapshot('unavailable', UNAVAILABLE.message);

const closing = (connection: RecordConnection) => () => connection.close();

/** The record comes from another bundle, which has its own class of errors. */
const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'wasm-unavailable';
