// One guard: it answers the predicate of its chat, and connects what reads, decides, sends and shows.
import type { UIMessage } from 'ai';

import { tell, type Engine } from '../engine/engine.js';
import { NONE } from '../engine/rows.js';
import { GuardError, ofChat } from '../error.js';
import {
  askedInVainFact,
  askFact,
  CommitCause,
  commitFact,
  lookFact,
  leaseOverFact,
  guardEndsFact,
  Permit,
  Reason,
  sends,
  StatusField,
  wakeFact,
} from '../generated/abi.js';
import { referTo, whileHeld, type Reference } from '../lifetime.js';
import type { Happening } from '../loading/happening.js';
import { isTrap } from '../module/trap.js';
import { readOptions } from '../options.js';
import type { GrantView, PendingCall, Snapshot } from '../prompt.js';
import { readRequestOptions } from '../request-options.js';
import { soon } from '../soon.js';
import type { ApprovalGuardOptions, ProceedResult, SendResult } from '../types.js';
import type { LedgerEntry, Verdict } from '../types/events.js';
import { problem, verdictOf } from '../verdict.js';
import { Attachments, type AttachmentsHost } from './attachments.js';
import { AutomaticSends, type AutomaticSendsHost } from './automatic-sends.js';
import { Decisions, type DecisionsHost } from './decisions.js';
import { Ended, NOTHING_KNOWN, UNAVAILABLE } from './ended.js';
import { Notifications, type NotificationsHost } from './notifications.js';
import { UNRECORDED, type RecordedGuard, type Recorder, type RecordOfGuard } from './recorder.js';
import { listOf } from './outgoing-request.js';
import { Requests, type RequestHost } from './requests.js';
import { Running } from './running.js';
import type { Snapshots } from './snapshots.js';

/** One guard. The tools do not matter here, so their names are plain strings. */
export class Guard<M extends UIMessage>
  implements
    AttachmentsHost,
    AutomaticSendsHost<M>,
    DecisionsHost<M>,
    NotificationsHost,
    RecordedGuard,
    RequestHost<M>
{
  readonly settings;
  readonly notifications: Notifications;
  readonly attachments: Attachments<M>;
  readonly decisions: Decisions<M>;
  readonly requests: Requests<M>;
  readonly automaticSends: AutomaticSends<M>;
  adopted: readonly M[] | undefined;
  #stage: 'new' | Running | Ended = 'new';
  /** Whether anything can be drafted or expire, so that each answer of the predicate depends on time and drafts. */
  #busy: boolean;
  #snapshot: Snapshot | undefined;
  /** The state that the snapshot shows. */
  #shown: number | undefined;
  /** Counts the changes that can change a snapshot but are not in the messages or the core. */
  #changes = 0;
  #unreadable = false;
  /** The versions of transcript and core when an observed list was last repaired. */
  #repaired = '';
  /** The number of changes of `#unreadable`. */
  shellRevision = 0;

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
    this.automaticSends = new AutomaticSends<M>(this);
  }

  // ---- for attachments, decisions and requests -------------------------------------------------

  running(): Running | undefined {
    return this.#stage instanceof Running ? this.#stage : undefined;
  }

  get #ended(): Ended | undefined {
    return this.#stage instanceof Ended ? this.#stage : undefined;
  }

  engine(): Engine | undefined {
    return this.running()?.engine;
  }

  endError(): GuardError | undefined {
    return ofChat(this.#ended?.error, this.chatId);
  }

  /** The id of the chat, as far as it is known. */
  get chatId(): string | undefined {
    const { core, ids } = this.engine() ?? {};
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

  get recorder(): Recorder {
    return this.running()?.recorder ?? UNRECORDED;
  }

  run(work: (engine: Engine) => void, changes = true): void {
    this.#guarded(undefined, work, changes);
  }

  look<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined {
    this.#expireDue();
    return this.#guarded<T | undefined>(undefined, (engine, { snapshots }) => work(engine, snapshots), false);
  }

  entered(engine: Engine): void {
    const isWritten = this.decisions.writeLate(engine);
    // Stored messages may be older than the record, and a page may have written while its chat was not attached.
    if (!isWritten) this.attachments.repair(engine, true);
    if (this.#busy) this.decisions.settleDue(engine);
    // A call that timed out while no chat was attached gets its error now, in a task of its own.
    if (this.settings.limitsOutputs) soon(calling(referTo(this), 'wake'));
  }

  read(engine: Engine, isDue = false): void {
    const { attachments } = this;
    if (!isDue) attachments.read(engine);
    else if (attachments.newest !== undefined) attachments.observe(engine, attachments.newest.chat.messages);
    // An output that the page has written over a question is no answer, and no decision may let it leave (law 5).
    if (engine.transcript.hasResults()) attachments.repair(engine, true);
    tell(engine);
  }

  changed(): void {
    this.#changes++;
    this.#flush();
  }

  problem(): GuardError | undefined {
    return this.notifications.drain(this.running()).at(-1);
  }

  // ---- asking ------------------------------------------------------------------------------

  /** Whether the chat may submit. Never throws. */
  ask(options: { messages: M[] }): boolean {
    try {
      const engine = this.start();
      if (engine === undefined) {
        this.#isGiven(options?.messages);
        return false;
      }
      const { core, transcript } = engine;
      const messages = listOf(options.messages);
      this.attachments.noteList(messages);
      const isStopping = this.attachments.isStopping;
      const isQuiet = !this.#unreadable && core.facts.length === 0 && !isStopping;
      if (isQuiet && core.get(StatusField.NoWhileOpen) === 1 && transcript.isStillOpen(messages))
        return false;
      // The chat asks again: when it has written the answer that it was given, and when a stored one is written into it.
      const isEarly = this.attachments.isAskedEarly(messages) || this.recorder.commits.isAskedEarly(messages);
      if (isEarly || isStopping) {
        askedInVainFact(core.facts);
        this.run(({ transcript }) => transcript.readLast(messages, true));
        return false;
      }
      if (this.#busy) transcript.recheck();
      transcript.readLast(messages, true);
      engine.clientTools.renew();
      const wasReadable = !this.#setUnreadable(false);
      if (wasReadable && core.facts.length === 0 && core.get(StatusField.NoUntilFact) === 1) return false;
      let reason = this.#askNow(engine);
      if (reason === undefined) {
        transcript.readWhole();
        reason = this.#askNow(engine) ?? Reason.Waiting;
      }
      this.attachments.repair(engine, true);
      // The repair may have shown what is new, and the chat does not ask about that.
      if (!sends(reason) && core.facts.length > 0) this.automaticSends.askSoon();
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

  /** The cause of a commit before the chat gets its answer. */
  get #commitCause(): CommitCause {
    return this.attachments.newest === undefined ? CommitCause.PredicateAlone : CommitCause.Predicate;
  }

  /**
   * Commits what is due before the chat takes its messages, asks whether to send, and asks for the repairs,
   * all in one crossing. Returns `undefined` if the whole list has to be read first.
   */
  #askNow(engine: Engine): Reason | undefined {
    const { core, repairs } = engine;
    if (this.#busy) {
      if (this.recorder.isShared) this.decisions.settle(engine);
      else commitFact(core.facts, { cause: this.#commitCause });
    }
    askFact(core.facts);
    repairs.prepare();
    return core.apply().reason;
  }

  observe(messages: readonly M[]): void {
    this.#isGiven(messages);
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
    this.#isGiven(messages);
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
      if (this.engine() !== undefined) this.run((engine) => this.#readAdopted(engine));
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
  #expireDue(): void {
    if (this.engine()?.core.isOverdue !== true) return;
    this.run(({ core }) => lookFact(core.facts), false);
  }

  snapshot(): Snapshot {
    this.attachments.readPending();
    this.#expireDue();
    const old = this.#snapshot;
    const { core, transcript } = this.engine() ?? {};
    const state =
      core &&
      transcript &&
      core.get(StatusField.Changes) + transcript.version + transcript.replaced + this.#changes;
    // Each of them only increases, so an equal sum means that nothing has changed.
    if (old !== undefined && state !== undefined && state === this.#shown) return old;
    const next =
      this.#shownAtEnd() ??
      this.look((_, snapshots) => ({ ...snapshots.all(), grants: snapshots.grants.all() }));
    const { calls, approvals, batch, grants } = next ?? this.#shownAtEnd() ?? old ?? NOTHING_KNOWN;
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
    // Calls that still ask hold back no answer that was written before.
    if (committed !== undefined && !NOTHING_COMMITTED.has(committed.type)) return committed;
    return this.permit(action === 'resume' ? Permit.Resume : Permit.Retry, given);
  }

  /** Sends as a person asks for. Anything given besides options, such as the event of a button, is ignored. */
  permit(permit: Permit, given: unknown): Promise<SendResult> {
    const { options } = Object(given) as { options?: unknown };
    const request = this.named(() => readRequestOptions(options, 'invalid-input'));
    return this.requests.permit(permit, request);
  }

  /** The calls and the batch of a guard that has ended. */
  #shownAtEnd(): Omit<Snapshot, 'verdict'> | undefined {
    return this.#ended?.shown(() => this.attachments.newest?.chat.messages, this.settings);
  }

  // ---- deciding ----------------------------------------------------------------------------

  pending(): readonly PendingCall[] {
    const start = performance.now();
    const pending = this.look((_, snapshots) => snapshots.pending()) ?? NONE;
    this.recorder.timeQuery(performance.now() - start);
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
    return this.#guarded<readonly LedgerEntry[]>(NONE, (_, { decoder }) => decoder.entries(0), false);
  }

  verdict(): Verdict {
    const ended = this.#ended;
    if (ended !== undefined) return ended.verdict;
    if (this.#unreadable) return UNREADABLE;
    this.#expireDue();
    // A commit to which other tabs have to agree is not made before the chat gets its answer.
    const commit = this.recorder.isShared ? undefined : this.#commitCause;
    const read = (engine: Engine, { decoder }: Running): Verdict => {
      engine.clientTools.renew();
      return decoder.verdict(commit);
    };
    return this.#guarded(UNAVAILABLE, read, false);
  }

  /** Runs an act of a person; returns `undefined` if there is no working guard. */
  act<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined {
    let misuse: GuardError | undefined;
    const result = this.#guarded<T | undefined>(undefined, (engine, { snapshots }) => {
      this.#busy = true;
      try {
        const result = work(engine, snapshots);
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
      // A yes of the predicate is valid for one tick.
      leaseOverFact(facts, { sending: this.attachments.newest?.isSending === true });
      wakeFact(facts);
      engine.transcript.recheck();
      this.read(engine, true);
      this.decisions.settle(engine);
      this.attachments.endOutputs(engine, this.settings.reasons('reason.timeout'));
    });
  }

  /** Takes over what an earlier page or another tab has recorded. */
  recalled(): void {
    if (this.engine() === undefined) return;
    this.#guarded(undefined, (engine, { recorder }) => {
      recorder.recallAgain();
      tell(engine);
      this.decisions.writeStored(engine);
      this.attachments.repair(engine, true);
      this.decisions.settleDue(engine);
    });
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
    if (this.#ended?.reason === 'disposed') return;
    if (this.engine() !== undefined) this.#guarded(undefined, ({ core }) => guardEndsFact(core.facts));
    this.attachments.detachAll();
    this.#end('disposed', problem('disposed'));
    // The snapshot that a page shows is no longer valid, so the page is told.
    this.#snapshot = undefined;
    this.notifications.tellAll();
    this.notifications.clear();
  }

  #end(reason: Ended['reason'], error: GuardError): void {
    this.running()?.end(reason === 'trapped');
    this.#stage = new Ended(reason, error, this.#ended?.isReported);
  }

  /** The engine, started on first use; `undefined` if there is none, which is reported. */
  start(): Engine | undefined {
    return this.#start()?.engine;
  }

  #start(): Running | undefined {
    if (this.#stage === 'new') this.#run();
    const ended = this.#ended;
    if (ended === undefined) return this.running();
    ended.tellSoon(this, this.#snapshot);
    // Only once, because rendering asks again and again.
    if (!ended.isReported) {
      ended.isReported = true;
      this.report(ended.error);
    }
    return undefined;
  }

  #run(): void {
    const self = referTo(this);
    const { settings, notifications } = this;
    try {
      const running = new Running(settings, notifications, self, () => this.chatId);
      this.#stage = running;
      const unsubscribe = settings.rules?.subscribe?.(calling(self, 'judgeAgain'));
      if (unsubscribe !== undefined) running.endWith(unsubscribe);
      this.#connect(running, self);
    } catch (error) {
      this.#end('missing', error as GuardError);
    }
  }

  /** Starts the engine. @throws GuardError if there is none, as a rejection */
  ready(): Promise<void> {
    const ready = this.start() === undefined ? Promise.reject(this.endError() as Error) : Promise.resolve();
    // A caller that does not wait is told by `onError`.
    ready.catch(() => {});
    return ready;
  }

  #connect(running: Running, self: Reference<Guard<M>>): void {
    const { record, chatId } = this.settings;
    if (record === undefined || chatId === undefined) return;
    try {
      const recorder = (record as RecordOfGuard).connect(self, chatId, running, running.engine.memory);
      if (recorder === undefined) return;
      this.notifications.count = (code) => recorder.countError(code);
      running.recorder = recorder;
    } catch (error) {
      // Without its record a guard could ask again about a denied call.
      if (error instanceof GuardError && error.code === 'wasm-unavailable') throw error;
      this.fail(error);
    }
  }

  /** Notes the messages, and starts the engine. Without one, those are shown that the page has given last. */
  #isGiven(messages: readonly M[]): void {
    if (this.start() === undefined && this.#ended !== undefined) this.#ended.messages = messages;
  }

  /** Runs with the engine. Reports a failure, and then returns the fallback. */
  #guarded<T>(fallback: T, run: (engine: Engine, running: Running) => T, changes = true): T {
    const running = this.#start();
    if (running === undefined) return fallback;
    const { engine } = running;
    try {
      const result = run(engine, running);
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
      this.#end('trapped', error);
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

  #flush(): void {
    this.notifications.flush(this);
    if (this.automaticSends.isUnasked) this.automaticSends.askSoon();
  }
}

/** Results of a commit that leave a button for what was answered before. */
const NOTHING_COMMITTED: ReadonlySet<string> = new Set(['nothing-to-commit', 'waiting', 'responding']);
const UNREADABLE = verdictOf('unreadable');

/**
 * A function that the module or the rules call. These may live longer than the guard, so the function does not
 * hold it. It is made out here, because a closure keeps everything in its scope alive.
 */
const calling = <M extends UIMessage>(self: Reference<Guard<M>>, name: 'wake' | 'judgeAgain'): (() => void) =>
  whileHeld(self, (guard) => guard[name]());
