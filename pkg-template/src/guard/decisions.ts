// The acts of a person: decide, undo, commit, extend, unmask, revoke.
import { NONE } from '../engine/rows.js';
import type { ChatRequestOptions, UIMessage } from 'ai';

import { NO_DIGEST, sameDigest } from '../chat/digest.js';
import { INPUT, TOOL } from '../chat/fingerprints.js';
import { toolNameOf, type PartFacts } from '../chat/part.js';
import { tell, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import {
  choiceNames,
  CommitCause,
  commitFact,
  decideFact,
  extendFact,
  unmaskFact,
  revokeAllFact,
  revokeFact,
  StatusField,
  Table,
  undoAllFact,
  undoFact,
  tryCommitFact,
  unwrittenFact,
  WaitedFor,
  ActCode,
  type ActEffect,
  type ChangedRow,
} from '../generated/abi.js';
import type { AttachedChat } from '../chat/attachment.js';
import type { Settings } from '../options.js';
import type {
  Choice,
  CommitResult,
  Covers,
  DecideOptions,
  DecideResult,
  ExtendResult,
  Refusal,
  RefusalReason,
  UnmaskResult,
  RevokeResult,
  UndoResult,
} from '../prompt.js';
import { REFUSALS } from '../reasons.js';
import { checkCovers, invalid, nameOf, readDecision, type Named, type Target } from './decision-input.js';
import { givenEdit, NO_EDIT, type GivenEdit } from './edits.js';
import { grantNumber } from './grants.js';
import type { CommittingGuard, Recorder } from './recorder.js';
import type { SentOptions } from './sent-options.js';
import { isSameShown, type Snapshots } from './snapshots.js';
import type { Verdict } from '../types/events.js';
import type { AttachedApprovalResponse } from '../types.js';

/** The part of a guard that its decisions use. */
export interface DecisionsHost<M extends UIMessage> extends CommittingGuard {
  readonly settings: Settings;
  readonly attachments: { readonly newest: AttachedChat<M> | undefined };
  verdict(): Verdict;
  /** Runs an act of a person, and tells the listeners what changed; `undefined` if there is no working guard. */
  act<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined;
  /** The same for work that changes nothing. */
  look<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined;
  /**
   * Reads the messages of the chat, and puts questions back that the page has written over, so that the core knows what has
   * changed before an act counts.
   *
   * @param isDue whether it is only time for it, so that a hook is read if it shows something new
   */
  read(engine: Engine, isDue?: boolean): void;
  /** Reports what a function of the application has thrown. */
  failed(cause: unknown): void;
  readonly requests: {
    readonly options: SentOptions;
  };
  readonly recorder: Recorder;
}

/** A commit that was added to other facts. `isTrial`: it waits for its transaction, and is only tried out. */
interface AddedCommit {
  isTrial: boolean;
  isByPerson: boolean;
}

/** The acts of a person: decide, undo, commit, extend, unmask, revoke. */
export class Decisions<M extends UIMessage> {
  readonly #host: DecisionsHost<M>;
  /** Whether committed answers could not be written into a chat, because none was attached. */
  #isUnwritten = false;
  /** The request options that were given with drafts, the newest last. */
  #requestOptions: Map<number, ChatRequestOptions> | undefined;

  constructor(host: DecisionsHost<M>) {
    this.#host = host;
  }

  decide(target: Target, choice: Choice, options: DecideOptions = {}): DecideResult {
    const named = nameOf(target);
    if (!choiceNames.includes(choice)) throw invalid(`The choice must be one of ${choiceNames.join(', ')}.`);
    return this.#decide([named], choice, options)[0] as DecideResult;
  }

  decideAll(
    targets: readonly Target[],
    choice: 'allow-once' | 'deny',
    options: Pick<DecideOptions, 'reason' | 'source' | 'options'> = {},
  ): readonly DecideResult[] {
    if (!Array.isArray(targets))
      throw invalid('The first argument of decideAll must be a list of the calls that the page showed.');
    const calls = [...targets].map(nameOf);
    if (choice !== 'allow-once' && choice !== 'deny') {
      throw invalid("decideAll takes 'allow-once' or 'deny': it gives no grants.");
    }
    return this.#decide(calls, choice, options);
  }

  #decide(targets: readonly Named[], choice: Choice, given: DecideOptions): readonly DecideResult[] {
    const options = readDecision(choice, given);
    const results = this.#host.act((engine, snapshots) =>
      this.#decideNow(engine, snapshots, targets, choice, options),
    );
    return results ?? targets.map(() => refused('unavailable'));
  }

  /** Decides, and commits what is due, in one crossing. */
  #decideNow(
    engine: Engine,
    snapshots: Snapshots,
    targets: readonly Named[],
    choice: Choice,
    options: DecideOptions,
  ): readonly DecideResult[] {
    const { core } = engine;
    const [first] = targets;
    // A decision that may complete the batch commits all of it, so all of its inputs are read.
    const isAlone = targets.length === 1 && core.get(StatusField.Asking) > 1;
    engine.transcript.recheck(isAlone && first !== undefined ? this.#nameIn(engine, first) : undefined);
    this.#host.read(engine);
    const lasts = choice === 'allow-chat' || choice === 'deny-chat';
    const { input } = options;
    const edit = input === undefined || first === undefined ? undefined : this.#editOf(engine, first, input);
    for (const target of targets) {
      const shown = snapshots.shown(target);
      const fields = lasts ? this.#fields(engine, this.#nameIn(engine, target), options.covers) : INPUT;
      decideFact(core.facts, {
        ...this.#name(engine, target),
        choice: choiceNames.indexOf(choice),
        covers: fields,
        lifetime: options.forMs ?? Infinity,
        ...(edit === undefined ? NO_EDIT : factOf(edit)),
        program: engine.ids.of(options.source),
        isShown: shown !== undefined,
        shownCall: shown?.call ?? 0,
        shownInput: shown === undefined ? NO_DIGEST : snapshots.digestToCompare(shown),
        shownServer: engine.ids.of(shown?.server),
      });
    }
    const commit = this.#addCommit(engine);
    const { acts } = core.apply();
    const results = targets.map((_, i) => this.#drafted(engine, snapshots, acts[i], choice, options, edit));
    const committed = new Set(this.#carryOut(engine, acts[targets.length], commit));
    return results.map((result) => {
      if (result.type !== 'drafted' || !committed.has(result.key)) return result;
      const grant = result.grant && snapshots.grants.grant(grantNumber(result.grant.id));
      return { ...result, type: 'committed', grant };
    });
  }

  /** The result of one decision. */
  #drafted(
    engine: Engine,
    snapshots: Snapshots,
    act: ActEffect | undefined,
    choice: Choice,
    options: DecideOptions,
    edit: GivenEdit | undefined,
  ): DecideResult {
    if (act === undefined || act.result === ActCode.Refused) {
      const refusal = refusedBy(act);
      return refusal.reason === 'invalid-input' ? { ...refusal, problems: edit?.problems ?? [] } : refusal;
    }
    const { call, changed } = act;
    const { memory } = engine;
    const grant = snapshots.grants.grant(act.grant);
    const result = { key: engine.keys.of(call), grant, also: keysOf(engine, changed) };
    if (act.result === ActCode.LateDenial) return { type: 'late-denial', ...result };
    const approved = choice === 'allow-once' || choice === 'allow-chat';
    // To allow what the model asked for is no change.
    const isEdited = edit !== undefined && !isShownBy(memory.of(call).facts, edit);
    memory.draft(call, approved, this.#reasonOf(choice, options, isEdited), isEdited ? edit : undefined);
    this.#requestOptions?.delete(call);
    if (options.options !== undefined) (this.#requestOptions ??= new Map()).set(call, options.options);
    return { type: 'drafted', choice, ...result };
  }

  /** A changed input of a call, with the word of the application about it. */
  #editOf(engine: Engine, target: Named, input: unknown): GivenEdit {
    const call = this.#callOf(engine, target);
    return givenEdit(engine, this.#host.settings, call, input, (cause) => this.#host.failed(cause));
  }

  /** The reason that the model reads. An application that leaves a default out gives it an empty text. */
  #reasonOf(choice: Choice, { reason, source }: DecideOptions, isEdited: boolean): string | undefined {
    if (reason !== undefined || (choice.startsWith('allow') && !isEdited)) return reason;
    // The next such call is refused with these words too. It is better if the model does not ask again.
    const byPerson = choice === 'deny-chat' ? 'reason.denyChat' : 'reason.denied';
    const id = isEdited ? 'reason.edited' : source === undefined ? byPerson : 'reason.external';
    return this.#host.settings.reasons(id) || undefined;
  }

  /** The number of the call with a key, or otherwise the id. */
  #nameIn({ keys }: Engine, { name }: Named): number | string {
    return keys.callOf(name) || name;
  }

  /**
   * The number of the list of fields that a choice should cover. First tells the core the content of these
   * fields in every call of the last step that they could be compared with. An input that lacks one of the
   * fields cannot be compared.
   */
  #fields(
    { fingerprints, memory, transcript }: Engine,
    of: number | string,
    given: Covers | undefined,
  ): number {
    const part = typeof of === 'number' ? memory.of(of).facts : memory.withId(of).facts;
    const toolName = part && toolNameOf(part);
    const { tools } = this.#host.settings;
    const covers = given ?? tools.coversOf(toolName ?? '', part && tools.serverOf(part));
    const fields = fingerprints.idOf(covers);
    if (fields === TOOL) return TOOL;
    for (const other of new Set([part, ...transcript.stepParts()])) {
      if (other !== undefined && toolNameOf(other) === toolName) fingerprints.tell(other, fields);
    }
    return fields;
  }

  covered(target: Target, covers: Covers): readonly string[] {
    const named = nameOf(target);
    checkCovers(covers);
    const covered = this.#host.look((engine, snapshots) => {
      const { fingerprints, memory } = engine;
      const call = this.#callOf(engine, named);
      const { facts } = memory.of(call);
      const shown = snapshots.shown(named);
      // A decision about another input than the shown one is refused.
      if (facts === undefined || (shown?.call === call && !isSameShown(shown, snapshots.current(call))))
        return NONE;
      const fields = fingerprints.idOf(covers);
      const tell = () => void this.#fields(engine, call, covers);
      return snapshots.coverage.of(call, toolNameOf(facts), fields, tell);
    });
    return covered ?? NONE;
  }

  undo(target: Target | readonly Target[]): UndoResult {
    const calls = (Array.isArray(target) ? target : [target as Target]).map(nameOf);
    if (calls.length === 0) return { type: 'undone', keys: NONE };
    return this.#act(
      (engine) => undoFact(engine.core.facts, { calls: calls.map((named) => this.#name(engine, named)) }),
      (act, engine) => ({ type: 'undone', keys: this.#withdraw(engine, act) }),
    );
  }

  undoAll(): UndoResult {
    return this.#act(
      ({ core }) => undoAllFact(core.facts),
      (act, engine) => ({ type: 'undone', keys: this.#withdraw(engine, act) }),
    );
  }

  /** Drops the answers that an act has taken back. Returns the keys of their calls. */
  #withdraw(engine: Engine, { changed }: ActEffect): readonly string[] {
    for (const { call } of changed) {
      engine.memory.undo(call);
      this.#requestOptions?.delete(call);
    }
    return keysOf(engine, changed);
  }

  /** Tells the core of an act of a person; returns what has come of it, or why it was refused. */
  #act<T>(
    tellOf: (engine: Engine) => void,
    done: (act: ActEffect, engine: Engine, snapshots: Snapshots) => T,
  ): T | Refusal {
    const result = this.#host.act((engine, snapshots) => {
      this.#host.read(engine);
      tellOf(engine);
      const [act] = engine.core.apply().acts;
      return act?.result === ActCode.Done ? done(act, engine, snapshots) : refusedBy(act);
    });
    return result ?? refused('unavailable');
  }

  /** The reference to a call, in the form of the facts. */
  #name({ ids, keys }: Engine, { name }: Named) {
    return { call: keys.callOf(name), id: ids.known(name) };
  }

  /** The number of a call; 0 if there is none. */
  #callOf(engine: Engine, named: Named): number {
    const { call, id } = this.#name(engine, named);
    return call || (engine.core.read(Table.Named, id)[0] ?? 0);
  }

  /** Whether a chat is attached into which answers can be written. */
  get #isAttached(): boolean {
    return this.#host.attachments.newest?.takesAnswers === true;
  }

  commit(): CommitResult {
    const result = this.#host.act((engine): CommitResult => {
      if (!this.#isAttached) return { type: 'not-attached' };
      engine.transcript.recheck();
      this.#host.read(engine);
      const waits = this.#host.recorder.isShared;
      this.#tellCommit(engine, true, waits);
      const [act] = engine.core.apply().acts;
      if (act?.result === ActCode.Waiting) {
        const { waitingFor } = this.#host.verdict();
        return { type: 'waiting', waitingFor: waitingFor.filter(({ need }) => need !== 'commit') };
      }
      if (act?.result === ActCode.Responding) return { type: 'responding' };
      if (act?.result !== ActCode.Done) return { type: 'nothing-to-commit' };
      if (waits) {
        this.#host.recorder.commits.commit(this.#host, true);
        return { type: 'committing' };
      }
      this.#write(engine, act.changed);
      return { type: 'committed', keys: keysOf(engine, act.changed) };
    });
    return result ?? refused('unavailable');
  }

  /** Adds a commit of what is due; the core decides whether it is time. */
  #addCommit(engine: Engine): AddedCommit {
    const { isShared, commits } = this.#host.recorder;
    const commit = { isTrial: this.#isAttached && isShared, isByPerson: commits.takePostponed() };
    this.#tellCommit(engine, commit.isByPerson, commit.isTrial);
    return commit;
  }

  #tellCommit({ core }: Engine, byPerson: boolean, isTrial: boolean): void {
    if (isTrial) return tryCommitFact(core.facts, { byPerson });
    const due = this.#isAttached ? CommitCause.Time : CommitCause.TimeAlone;
    commitFact(core.facts, { cause: byPerson ? CommitCause.Person : due });
  }

  /** Carries out a commit; returns the keys of the calls whose answers are written. */
  #carryOut(
    engine: Engine,
    act: ActEffect | undefined,
    { isTrial, isByPerson }: AddedCommit,
  ): readonly string[] {
    if (act?.result !== ActCode.Done) return NONE;
    if (isTrial) {
      this.#host.recorder.commits.commit(this.#host, isByPerson);
      return NONE;
    }
    if (act.changed.length > 0) this.#write(engine, act.changed);
    return keysOf(engine, act.changed);
  }

  /** Commits the batch if it is time to; returns whether it was. */
  settle(engine: Engine): boolean {
    const commit = this.#addCommit(engine);
    return this.#carryOut(engine, tell(engine).acts.at(-1), commit).length > 0;
  }

  commitNow(engine: Engine, isByPerson: boolean): readonly unknown[] {
    engine.transcript.recheck();
    this.#host.read(engine);
    this.#tellCommit(engine, isByPerson, false);
    const act = engine.core.apply().acts.at(-1);
    const changed = act?.result === ActCode.Done ? act.changed : NONE;
    return changed.map(({ call }) => engine.memory.of(call).facts?.approvalId);
  }

  writeStored(engine: Engine): void {
    if (!this.#host.recorder.commits.takeStored()) return;
    // Those that a request of a person has carried since are not among them.
    unwrittenFact(engine.core.facts, { waitedFor: WaitedFor.Storage });
    this.#write(engine, tell(engine).acts.at(-1)?.changed ?? []);
  }

  /** Writes answers that were committed while no chat was attached; returns whether there were any. */
  writeLate(engine: Engine): boolean {
    if (!this.#isUnwritten || !this.#isAttached) return false;
    unwrittenFact(engine.core.facts, { waitedFor: WaitedFor.Chat });
    const { changed = [] } = tell(engine).acts.at(-1) ?? {};
    this.#write(engine, changed);
    return changed.length > 0;
  }

  /** Commits what is due after an act that may have found that time has passed. */
  settleDue(engine: Engine): void {
    if (engine.core.get(StatusField.WaitsForDecision) === 1) {
      this.#host.recorder.commits.takePostponed();
      return;
    }
    engine.transcript.recheck();
    this.#host.read(engine, true);
    this.settle(engine);
  }

  /**
   * Writes committed answers into the chat. The last one is written through the chat itself, which then asks
   * the predicate; the others are written as repairs. So only the last write can make the predicate true.
   */
  #write({ repairs, memory }: Engine, calls: readonly ChangedRow[]): void {
    const chat = this.#host.attachments.newest;
    const last = calls.at(-1);
    this.#isUnwritten = chat === undefined;
    if (chat === undefined || last === undefined) return;
    const written = new Set(calls.map(({ call }) => call));
    const given = [...(this.#requestOptions ?? [])].filter(([call]) => written.has(call)).at(-1)?.[1];
    this.#requestOptions = undefined;
    const options = this.#host.requests.options.for(given);
    const failed = (cause: unknown) =>
      this.#host.report(
        new GuardError(
          'commit-failed',
          'The decisions could not be written into the chat. They are kept, and retry() sends them.',
          { cause },
        ),
      );
    try {
      // A changed input has to stand there before the chat sends, because the response goes on with a copy.
      if (calls.length > 1 || last.edit[0] !== 0)
        chat.write((messages) => repairs.atHome(messages, true, last));
      const answer = memory.answerOf(last.call, last.approved, last.cause);
      if (answer === undefined) return;
      const response = options === undefined ? answer : { ...answer, options };
      void chat.answer(response as AttachedApprovalResponse).catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  extend(target: Target): ExtendResult {
    const named = nameOf(target);
    return this.#act(
      (engine) => extendFact(engine.core.facts, this.#name(engine, named)),
      ({ call }, _, snapshots) => ({ type: 'extended', deadline: snapshots.deadlineOf(call) ?? Infinity }),
    );
  }

  unmask(target: Target): UnmaskResult {
    const named = nameOf(target);
    return this.#act(
      (engine) => unmaskFact(engine.core.facts, this.#name(engine, named)),
      () => ({ type: 'unmasked' }),
    );
  }

  revoke(id: string): RevokeResult {
    if (typeof id !== 'string') throw invalid('The argument of revoke must be the id of a grant.');
    return this.#revoke((facts) => revokeFact(facts, { grant: grantNumber(id), elsewhere: false }));
  }

  revokeAll(): RevokeResult {
    return this.#revoke(revokeAllFact);
  }

  #revoke(write: (facts: number[]) => void): RevokeResult {
    return this.#act(
      ({ core }) => write(core.facts),
      (act, engine) => ({ type: 'revoked', keys: this.#withdraw(engine, act) }),
    );
  }
}

const factOf = ({ digest, editable, signed, faulty, denied }: GivenEdit) => ({
  input: digest,
  editable,
  signed,
  faulty,
  denied,
});

const isShownBy = (facts: PartFacts | undefined, { digest }: GivenEdit): boolean =>
  facts !== undefined && sameDigest(facts.inputDigest, digest);

const refusedBy = (act: ActEffect | undefined): Refusal => refused(act?.refusal ?? 'unavailable');

const keysOf = ({ keys }: Engine, calls: readonly ChangedRow[]): readonly string[] =>
  calls.map(({ call }) => keys.of(call));

function refused(reason: RefusalReason): Refusal {
  return { type: 'refused', reason, message: REFUSALS[reason] };
}
