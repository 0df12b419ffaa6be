import type { ChatRequestOptions, UIMessage } from 'ai';

import { INPUT, TOOL } from '../chat/fingerprints.js';
import { toolNameOf } from '../chat/part.js';
import type { Taken } from '../engine/core.js';
import { tell, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import {
  choiceNames,
  CommitCause,
  commitFact,
  decideFact,
  extendFact,
  refusalNames,
  revealFact,
  revokeAllFact,
  revokeFact,
  StatusField,
  Table,
  TakenCode,
  undoAllFact,
  undoFact,
  type ChangedEffect,
} from '../generated/abi.js';
import type { AttachedChat } from '../chat/attachment.js';
import { isCovers, type Settings } from '../options.js';
import type {
  Choice,
  CommitResult,
  Covers,
  DecideOptions,
  DecideResult,
  ExtendResult,
  Refusal,
  RefusalReason,
  RevealResult,
  RevokeResult,
  UndoResult,
} from '../prompt.js';
import { REFUSALS } from '../reasons.js';
import { invalid, nameOf, readDecision, type Named, type Target } from './decision-input.js';
import { grantNumber } from './grants.js';
import type { Snapshots } from './snapshots.js';
import type { Verdict } from '../types/events.js';
import type { AttachedApprovalResponse } from '../types.js';

/** The number of a grant that there cannot be. */
const NO_GRANT = 0xffff_ffff;
/** What a decision needs of its guard. */
export interface Host<M extends UIMessage> {
  settings: Settings;
  chat(): AttachedChat<M> | undefined;
  verdict(): Verdict;
  /** Runs with the engine and tells what changed; `undefined` when there is no working guard. */
  run<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined;
  /**
   * Reads the messages of the chat, where they are surely the newest, and again the inputs of the last step, or only
   * that of a call: they may have changed in place.
   */
  read(engine: Engine, of?: number | string): void;
  report(error: GuardError): void;
  /** What the next request of the guard is given: this, or else what it was told last. */
  requestOptions(options: ChatRequestOptions | undefined): ChatRequestOptions | undefined;
  /** Runs this when it is the turn of this tab; nothing where there is no other tab to wait for. */
  inTurn: ((work: (engine: Engine) => void) => void) | undefined;
}

/** What a person does: decide, undo, commit, extend, reveal, revoke. */
export class Decisions<M extends UIMessage> {
  readonly #host: Host<M>;
  /** A commit waits for the turn of this tab. */
  #waits = false;
  /** What drafts want their request to be given, the newest last. */
  readonly #requestOptions = new Map<number, ChatRequestOptions>();

  constructor(host: Host<M>) {
    this.#host = host;
  }

  decide(target: Target, choice: Choice, options: DecideOptions = {}): DecideResult {
    const named = nameOf(target);
    if (!choiceNames.includes(choice)) throw invalid(`A choice is ${choiceNames.join(', ')}.`);
    const given = readDecision(choice, options);
    const results = this.#host.run((engine, snapshots) =>
      this.#decide(engine, snapshots, [named], choice, given),
    );
    return results?.[0] ?? refused('unavailable');
  }

  decideAll(
    targets: readonly Target[],
    choice: 'allow-once' | 'deny',
    options: Pick<DecideOptions, 'reason' | 'options'> = {},
  ): readonly DecideResult[] {
    if (!Array.isArray(targets)) throw invalid('decideAll takes the list of the calls that the page showed.');
    const calls = [...targets].map(nameOf);
    if (choice !== 'allow-once' && choice !== 'deny') {
      throw invalid("decideAll takes 'allow-once' or 'deny': it gives no grants.");
    }
    const given = readDecision(choice, options);
    const results = this.#host.run((engine, snapshots) =>
      this.#decide(engine, snapshots, calls, choice, given),
    );
    return results ?? calls.map(() => refused('unavailable'));
  }

  /** Decides, and commits what is due: both in one crossing. */
  #decide(
    engine: Engine,
    snapshots: Snapshots,
    targets: readonly Named[],
    choice: Choice,
    options: DecideOptions,
  ): readonly DecideResult[] {
    const { core, ids } = engine;
    const [first] = targets;
    // What may complete the batch commits all of it, so that all of its inputs count.
    const isAlone = targets.length === 1 && core.get(StatusField.Asking) > 1;
    this.#read(engine, isAlone && first !== undefined ? this.#nameIn(snapshots, first) : undefined);
    const lasts = choice === 'allow-chat' || choice === 'deny-chat';
    for (const target of targets) {
      const { call, shown } = this.#meant(snapshots, target);
      const fields = lasts ? this.#fields(engine, this.#nameIn(snapshots, target), options.covers) : INPUT;
      decideFact(core.facts, {
        call,
        id: ids.known(target.id),
        choice: choiceNames.indexOf(choice),
        fields,
        lifetime: options.forMs ?? Infinity,
        shown: Number(shown !== undefined),
        shownCall: shown?.call ?? 0,
        shownLow: shown?.digest[0] ?? 0,
        shownHigh: shown?.digest[1] ?? 0,
      });
    }
    const isTrial = this.#addCommit(engine);
    const { taken } = core.apply();
    const results = targets.map((_, i) => this.#drafted(engine, snapshots, taken[i], choice, options));
    if (!this.#carryOut(engine, taken[targets.length], isTrial)) return results;
    return results.map((result) => {
      if (result.type !== 'drafted') return result;
      const grant = result.grant && snapshots.grants.grant(grantNumber(result.grant.id));
      return { ...result, type: 'committed', grant };
    });
  }

  /** What became of one decision. */
  #drafted(
    engine: Engine,
    snapshots: Snapshots,
    taken: Taken | undefined,
    choice: Choice,
    options: DecideOptions,
  ): DecideResult {
    if (taken === undefined || taken.taken === TakenCode.Refused) return refusedBy(taken);
    const { call, calls } = taken;
    const { memory } = engine;
    const grant = snapshots.grants.grant(taken.grant);
    const given = { toolCallId: memory.callIdOf(call), grant, also: idsOf(engine, calls) };
    if (taken.taken === TakenCode.Counted) return { type: 'counted', ...given };
    // The next one is refused with these words too; better that the model does not ask for it.
    const reason = choice === 'deny-chat' ? this.#host.settings.words.text('reason.denyChat') : undefined;
    const approved = choice === 'allow-once' || choice === 'allow-chat';
    memory.draft(call, approved, options.reason ?? reason);
    this.#requestOptions.delete(call);
    if (options.options !== undefined) this.#requestOptions.set(call, options.options);
    return { type: 'drafted', choice, ...given };
  }

  /** Reads the chat, and tells what has changed before anything counts for it. */
  #read(engine: Engine, of?: number | string): void {
    this.#host.read(engine, of);
    tell(engine);
  }

  /** The call that a view showed, or 0 where an id names it, and what the person saw of it. */
  #meant(snapshots: Snapshots, { id, view }: Named) {
    const shown = snapshots.shown(view ?? id);
    return { call: view === undefined ? 0 : (shown?.call ?? 0), shown };
  }

  /** The number of a call that a view showed, or else its id. */
  #nameIn(snapshots: Snapshots, named: Named): number | string {
    return this.#meant(snapshots, named).call || named.id;
  }

  /**
   * The number of the fields that a choice is to cover, after the core was told what they hold in every call of the
   * last step that they could be compared with. An input without one of the fields holds nothing that could be compared.
   */
  #fields(
    { fingerprints, memory, transcript }: Engine,
    of: number | string,
    given: Covers | undefined,
  ): number {
    const part = typeof of === 'number' ? memory.of(of).facts : memory.withId(of).facts;
    const toolName = part && toolNameOf(part);
    const covers = given ?? this.#host.settings.tools.get(toolName ?? '')?.covers ?? 'input';
    if (covers === 'tool') return TOOL;
    const fields = covers === 'input' ? INPUT : fingerprints.idOf(covers);
    for (const other of new Set([part, ...transcript.stepParts()])) {
      if (other !== undefined && toolNameOf(other) === toolName) fingerprints.tell(other, fields);
    }
    return fields;
  }

  covered(target: Target, covers: Covers): readonly string[] {
    const named = nameOf(target);
    if (!isCovers(covers)) throw invalid("covers is 'input', 'tool' or a list of names of fields.");
    const calls = this.#host.run((engine, snapshots) => {
      const name = this.#nameIn(snapshots, named);
      const call = typeof name === 'number' ? name : engine.memory.withId(name).facts?.tracked.call;
      if (call === undefined) return [];
      const fields = this.#fields(engine, call, covers);
      engine.core.apply();
      return [...engine.core.read(Table.Covered, call, fields)].map((other) => engine.memory.callIdOf(other));
    });
    return calls ?? [];
  }

  undo(target: Target): UndoResult {
    const named = nameOf(target);
    const result = this.#host.run((engine, snapshots) => {
      undoFact(engine.core.facts, this.#name(engine, snapshots, named));
      return this.#undone(engine);
    });
    return result ?? refused('unavailable');
  }

  undoAll(): UndoResult {
    const result = this.#host.run((engine) => {
      undoAllFact(engine.core.facts);
      return this.#undone(engine);
    });
    return result ?? refused('unavailable');
  }

  #undone(engine: Engine): UndoResult {
    const [taken] = engine.core.apply().taken;
    if (taken === undefined || taken.taken === TakenCode.Refused) return refusedBy(taken);
    for (const { call } of taken.calls) {
      engine.memory.undo(call);
      this.#requestOptions.delete(call);
    }
    return { type: 'undone', toolCallIds: idsOf(engine, taken.calls) };
  }

  /** The name of a call, as facts have it. */
  #name({ ids }: Engine, snapshots: Snapshots, named: Named) {
    return { call: this.#meant(snapshots, named).call, id: ids.known(named.id) };
  }

  commit(): CommitResult {
    const result = this.#host.run((engine): CommitResult => {
      if (this.#host.chat()?.takesAnswers !== true) return { type: 'not-attached' };
      this.#read(engine);
      const waits = this.#host.inTurn !== undefined;
      commitFact(engine.core.facts, { cause: CommitCause.Person, attached: 1, trial: Number(waits) });
      const [taken] = engine.core.apply().taken;
      if (taken?.taken === TakenCode.Waiting) {
        const { waitingFor } = this.#host.verdict();
        return { type: 'waiting', waitingFor: waitingFor.filter(({ need }) => need !== 'commit') };
      }
      if (taken?.taken === TakenCode.Responding) return { type: 'responding' };
      if (taken?.taken !== TakenCode.Done) return { type: 'nothing-to-commit' };
      if (waits) {
        this.#inTurn(CommitCause.Person);
        return { type: 'committing' };
      }
      this.#write(engine, taken.calls);
      return { type: 'committed', toolCallIds: idsOf(engine, taken.calls) };
    });
    return result ?? refused('unavailable');
  }

  /**
   * Adds the wish to commit what is due; the core says whether it is time to. Returns whether it is only a trial, because
   * the commit waits for the turn of this tab.
   */
  #addCommit({ core }: Engine): boolean {
    const attached = this.#host.chat()?.takesAnswers === true;
    const isTrial = attached && this.#host.inTurn !== undefined;
    commitFact(core.facts, { cause: CommitCause.Time, attached: Number(attached), trial: Number(isTrial) });
    return isTrial;
  }

  /** Carries out a commit; returns whether something was committed. */
  #carryOut(engine: Engine, commit: Taken | undefined, isTrial: boolean): boolean {
    if (commit?.taken !== TakenCode.Done) return false;
    if (isTrial) this.#inTurn(CommitCause.Time);
    else if (commit.calls.length > 0) this.#write(engine, commit.calls);
    return !isTrial && commit.calls.length > 0;
  }

  /** Commits the batch if it is time to; returns whether it was. */
  settle(engine: Engine): boolean {
    const isTrial = this.#addCommit(engine);
    return this.#carryOut(engine, tell(engine).taken.at(-1), isTrial);
  }

  /** Commits when no other tab does: what that has answered, or refuses, counts here too. */
  #inTurn(cause: CommitCause): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#host.inTurn?.((engine) => {
      this.#waits = false;
      this.#read(engine);
      const attached = Number(this.#host.chat()?.takesAnswers === true);
      commitFact(engine.core.facts, { cause, attached, trial: 0 });
      this.#carryOut(engine, engine.core.apply().taken.at(-1), false);
    });
  }

  /** The same after an act that may have found out that time has passed. */
  settleDue(engine: Engine): void {
    if (engine.core.get(StatusField.Asking) > 0) return;
    this.#read(engine);
    this.settle(engine);
  }

  /**
   * Writes committed answers into the chat: the last one through the chat itself, which then asks
   * the predicate, and those before it as repairs, so that only the last write can make it true.
   */
  #write({ repairs, transcript, memory }: Engine, calls: readonly ChangedEffect[]): void {
    const chat = this.#host.chat();
    const last = calls.at(-1);
    if (chat === undefined || last === undefined) return;
    const written = new Set(calls.map(({ call }) => call));
    const given = [...this.#requestOptions].filter(([call]) => written.has(call)).at(-1)?.[1];
    this.#requestOptions.clear();
    const options = this.#host.requestOptions(given);
    const failed = (cause: unknown) =>
      this.#host.report(
        new GuardError(
          'commit-failed',
          'The decisions could not be written into the chat. They are kept: retry() sends them.',
          { cause },
        ),
      );
    try {
      if (calls.length > 1) {
        chat.write((messages) => repairs.atHome(messages, true, last.call));
        if (chat.isCurrent) transcript.setCurrent(chat.chat.messages);
      }
      const answer = memory.answerOf(last.call, last.approved === 1, last.cause);
      if (answer === undefined) return;
      const response = options === undefined ? answer : { ...answer, options };
      void chat.answer(response as AttachedApprovalResponse).catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  extend(target: Target): ExtendResult {
    const named = nameOf(target);
    const result = this.#host.run((engine, snapshots): ExtendResult => {
      extendFact(engine.core.facts, this.#name(engine, snapshots, named));
      const [taken] = engine.core.apply().taken;
      if (taken === undefined || taken.taken === TakenCode.Refused) return refusedBy(taken);
      return { type: 'extended', deadline: snapshots.update().get(taken.call)?.row.deadline ?? Infinity };
    });
    return result ?? refused('unavailable');
  }

  reveal(target: Target): RevealResult {
    const named = nameOf(target);
    const result = this.#host.run((engine, snapshots): RevealResult => {
      revealFact(engine.core.facts, this.#name(engine, snapshots, named));
      const [taken] = engine.core.apply().taken;
      return taken?.taken === TakenCode.Done ? { type: 'revealed' } : refusedBy(taken);
    });
    return result ?? refused('unavailable');
  }

  revoke(id: string): RevokeResult {
    if (typeof id !== 'string') throw invalid('revoke takes the id of a grant.');
    return this.#revoke((facts) => revokeFact(facts, { grant: grantNumber(id) || NO_GRANT }));
  }

  revokeAll(): RevokeResult {
    return this.#revoke(revokeAllFact);
  }

  #revoke(write: (facts: number[]) => void): RevokeResult {
    const result = this.#host.run((engine): RevokeResult => {
      write(engine.core.facts);
      const [taken] = engine.core.apply().taken;
      if (taken?.taken !== TakenCode.Done) return refusedBy(taken);
      for (const { call } of taken.calls) engine.memory.undo(call);
      return { type: 'revoked', toolCallIds: idsOf(engine, taken.calls) };
    });
    return result ?? refused('unavailable');
  }
}

const refusedBy = (taken: Taken | undefined): Refusal =>
  refused(refusalNames[taken?.refusal ?? NaN] ?? 'unavailable');

const idsOf = ({ memory }: Engine, calls: readonly ChangedEffect[]): readonly string[] =>
  calls.map(({ call }) => memory.callIdOf(call));

function refused(reason: RefusalReason): Refusal {
  return { type: 'refused', reason, message: REFUSALS[reason] };
}
