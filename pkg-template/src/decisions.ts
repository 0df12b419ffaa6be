import type { ChatRequestOptions, UIMessage } from 'ai';

import { INPUT } from './chat/fingerprints.js';
import type { Engine } from './engine.js';
import { GuardError } from './error.js';
import { choiceNames, refusalNames, StatusField } from './generated/abi.js';
import type { AttachedChat } from './chat/attachment.js';
import { isCovers, isDuration, LONGEST_GRANT, type Settings } from './options.js';
import type {
  CallView,
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
} from './prompt.js';
import { REFUSALS } from './reasons.js';
import { readRequestOptions } from './request-options.js';
import { grantNumber, type Snapshots } from './snapshot.js';
import type { Verdict } from './types/events.js';
import type { AttachedApprovalResponse } from './types.js';

/** What the core answers; see `taken` in `src/web/guard.rs`. */
const TAKEN = { done: 0, counted: 1, waiting: 2, responding: 3, refused: 8 } as const;
/** The number of a grant that there cannot be. */
const NO_GRANT = 0xffff_ffff;
const TOOL = -1;
const LONGEST_REASON = 500;
/** What a reader could not see, or what would end a line of a prompt: everything but a line break and a tab. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

type Target = string | CallView;

/** What names a call: an id, and the view that the page gave, if it gave one. */
interface Named {
  id: string;
  view: CallView | undefined;
}

/** What a decision needs of its guard. */
export interface Host<M extends UIMessage> {
  settings: Settings;
  chat(): AttachedChat<M> | undefined;
  verdict(): Verdict;
  /** Runs with the engine and tells what changed; `undefined` when there is no working guard. */
  run<T>(work: (engine: Engine, snapshots: Snapshots) => T): T | undefined;
  /**
   * Looks at the messages of the chat, where they are surely the newest, and reads again the input
   * of a call, or without one those of the last step: they may have changed in place.
   */
  read(engine: Engine, call?: number): void;
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
    const result = this.#host.run((engine, snapshots) => {
      this.#host.read(engine, this.#named(snapshots, named)[0] ?? 0);
      const result = this.#draft(engine, snapshots, named, choice, given);
      return this.#committed(engine, snapshots, [result])[0];
    });
    return result ?? refused('unavailable');
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
    const results = this.#host.run((engine, snapshots) => {
      this.#host.read(engine);
      const results = calls.map((call) => this.#draft(engine, snapshots, call, choice, given));
      return this.#committed(engine, snapshots, results);
    });
    return results ?? calls.map(() => refused('unavailable'));
  }

  #draft(
    engine: Engine,
    snapshots: Snapshots,
    named: Named,
    choice: Choice,
    options: DecideOptions,
  ): DecideResult {
    const { core, memory } = engine;
    const call = this.#find(engine, snapshots, named, choice);
    if (typeof call !== 'number') return call;
    const rows = snapshots.update();
    const toolName = rows.get(call)?.toolName ?? '';
    const toolCallId = rows.get(call)?.toolCallId ?? '';
    const lasts = choice === 'allow-chat' || choice === 'deny-chat';
    let fields = INPUT;
    if (lasts) {
      const covers = options.covers ?? this.#host.settings.tools.get(toolName)?.covers ?? 'input';
      fields = this.#fields(engine, snapshots, call, covers);
    }
    const code = choiceNames.indexOf(choice);
    const [taken = 0, grant = 0, ...also] = core.decide(call, code, fields, options.forMs ?? Infinity);
    if (taken >= TAKEN.refused) return this.#refusedBy(taken);
    const approved = choice === 'allow-once' || choice === 'allow-chat';
    const given = { toolCallId, grant: snapshots.grant(grant), also: this.#idsOf(snapshots, also) };
    if (taken === TAKEN.counted) return { type: 'counted', ...given };
    // The next one is refused with these words too; better that the model does not ask for it.
    const reason = choice === 'deny-chat' ? this.#host.settings.words.text('reason.denyChat') : undefined;
    memory.draft(call, approved, options.reason ?? reason);
    this.#requestOptions.delete(call);
    if (options.options !== undefined) this.#requestOptions.set(call, options.options);
    return { type: 'drafted', choice, ...given };
  }

  /** Commits what is due now, and says so in the results. */
  #committed(
    engine: Engine,
    snapshots: Snapshots,
    results: readonly DecideResult[],
  ): readonly DecideResult[] {
    if (results.every(({ type }) => type === 'refused') || engine.status.get(StatusField.Asking) > 0)
      return results;
    this.#host.read(engine);
    if (!this.settle(engine)) return results;
    return results.map((result) => {
      if (result.type !== 'drafted') return result;
      const grant = result.grant && snapshots.grant(grantNumber(result.grant.id));
      return { ...result, type: 'committed', grant };
    });
  }

  /**
   * The number of the fields that a choice is to cover, after the core was told what they hold in
   * every call of the batch that they could be compared with. An input without one of the fields
   * holds nothing that could be compared.
   */
  #fields({ fingerprints }: Engine, snapshots: Snapshots, call: number, covers: Covers): number {
    if (covers === 'tool') return TOOL;
    const fields = covers === 'input' ? INPUT : fingerprints.idOf(covers);
    const rows = snapshots.update();
    const toolName = rows.get(call)?.toolName;
    for (const other of new Set([call, ...snapshots.batchCalls()])) {
      if (rows.get(other)?.toolName !== toolName) continue;
      if (fields === INPUT) fingerprints.of(other);
      else fingerprints.tell(other, fields);
    }
    return fields;
  }

  covered(target: Target, covers: Covers): readonly string[] {
    const named = nameOf(target);
    if (!isCovers(covers)) throw invalid("covers is 'input', 'tool' or a list of names of fields.");
    const calls = this.#host.run((engine, snapshots) => {
      const [call] = this.#named(snapshots, named);
      if (call === undefined) return [];
      const fields = this.#fields(engine, snapshots, call, covers);
      return this.#idsOf(snapshots, [...engine.core.covered(call, fields)]);
    });
    return calls ?? [];
  }

  undo(target: Target): UndoResult {
    const named = nameOf(target);
    const result = this.#host.run((engine, snapshots) => {
      const call = this.#find(engine, snapshots, named);
      return typeof call === 'number' ? this.#undo(engine, snapshots, call) : call;
    });
    return result ?? refused('unavailable');
  }

  undoAll(): UndoResult {
    const result = this.#host.run((engine, snapshots) => this.#undo(engine, snapshots, 0));
    return result ?? refused('unavailable');
  }

  #undo(engine: Engine, snapshots: Snapshots, call: number): UndoResult {
    const { core, memory } = engine;
    const [taken = 0, , ...calls] = core.undo(call);
    if (taken >= TAKEN.refused) return this.#refusedBy(taken);
    for (const undone of calls) {
      memory.undo(undone);
      this.#requestOptions.delete(undone);
    }
    return { type: 'undone', toolCallIds: this.#idsOf(snapshots, calls) };
  }

  commit(): CommitResult {
    const result = this.#host.run((engine, snapshots): CommitResult => {
      if (this.#host.chat()?.takesAnswers !== true) return { type: 'not-attached' };
      this.#host.read(engine);
      const waits = this.#host.inTurn !== undefined;
      const [taken, , ...calls] = waits ? [engine.core.due(false, true)] : engine.core.commit(false, true);
      if (taken === TAKEN.waiting) {
        const { waitingFor } = this.#host.verdict();
        return { type: 'waiting', waitingFor: waitingFor.filter(({ need }) => need !== 'commit') };
      }
      if (taken === TAKEN.responding) return { type: 'responding' };
      if (taken !== TAKEN.done) return { type: 'nothing-to-commit' };
      if (waits) {
        this.#inTurn(false);
        return { type: 'committing' };
      }
      this.#write(engine, calls);
      return { type: 'committed', toolCallIds: this.#idsOf(snapshots, calls) };
    });
    return result ?? refused('unavailable');
  }

  /** Commits the batch if it is time to; answers whether it was. */
  settle(engine: Engine): boolean {
    const { core } = engine;
    const attached = this.#host.chat()?.takesAnswers === true;
    // Without a chat nothing could be written: what nobody can undo waits for one, and what a person
    // has drafted is held until they act again.
    if (!attached && engine.status.get(StatusField.Undoable) === 0) return false;
    if (this.#host.inTurn !== undefined && attached) {
      if (core.due(true, attached) === TAKEN.done) this.#inTurn(true);
      return false;
    }
    const [taken, , ...calls] = core.commit(true, attached);
    const committed = taken === TAKEN.done && calls.length > 0;
    if (committed) this.#write(engine, calls);
    return committed;
  }

  /** Commits when no other tab does: what that has answered, or refuses, counts here too. */
  #inTurn(due: boolean): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#host.inTurn?.((engine) => {
      this.#waits = false;
      if (engine.status.get(StatusField.Asking) > 0) return;
      this.#host.read(engine);
      const [taken, , ...calls] = engine.core.commit(due, this.#host.chat()?.takesAnswers === true);
      if (taken === TAKEN.done && calls.length > 0) this.#write(engine, calls);
    });
  }

  /** The same after an act that may have found out that time has passed. */
  settleDue(engine: Engine): void {
    if (engine.status.get(StatusField.Asking) > 0) return;
    this.#host.read(engine);
    this.settle(engine);
  }

  /**
   * Writes committed answers into the chat: the last one through the chat itself, which then asks
   * the predicate, and those before it as repairs, so that only the last write can make it true.
   */
  #write({ core, repairs, transcript, memory }: Engine, calls: readonly number[]): void {
    const chat = this.#host.chat();
    const last = calls.at(-1);
    if (chat === undefined || last === undefined) return;
    const given = [...this.#requestOptions].filter(([call]) => calls.includes(call)).at(-1)?.[1];
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
        chat.write((messages) => repairs.atHome(messages, true, last));
        if (chat.isCurrent) transcript.setCurrent(chat.chat.messages);
      }
      const answer = memory.answerOf(last, core.allows(last));
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
      const call = this.#find(engine, snapshots, named);
      if (typeof call !== 'number') return call;
      const [taken = 0] = engine.core.extend(call);
      if (taken >= TAKEN.refused) return this.#refusedBy(taken);
      return { type: 'extended', deadline: snapshots.update().get(call)?.row.deadline ?? Infinity };
    });
    return result ?? refused('unavailable');
  }

  reveal(target: Target): RevealResult {
    const named = nameOf(target);
    const result = this.#host.run((engine, snapshots): RevealResult => {
      const call = this.#find(engine, snapshots, named);
      if (typeof call !== 'number') return call;
      const [taken = 0] = engine.core.reveal(call);
      return taken >= TAKEN.refused ? this.#refusedBy(taken) : { type: 'revealed' };
    });
    return result ?? refused('unavailable');
  }

  revoke(id: string): RevokeResult {
    if (typeof id !== 'string') throw invalid('revoke takes the id of a grant.');
    return this.#revoke(grantNumber(id) || NO_GRANT);
  }

  revokeAll(): RevokeResult {
    return this.#revoke(0);
  }

  #revoke(number: number): RevokeResult {
    const result = this.#host.run((engine, snapshots): RevokeResult => {
      const [taken = 0, , ...calls] = engine.core.revoke(number);
      if (taken >= TAKEN.refused) return this.#refusedBy(taken);
      for (const undone of calls) engine.memory.undo(undone);
      return { type: 'revoked', toolCallIds: this.#idsOf(snapshots, calls) };
    });
    return result ?? refused('unavailable');
  }

  /** The calls that may be meant: what a view showed, or those with an id, of which the gone ones come last. */
  #named(snapshots: Snapshots, { id, view }: Named): readonly number[] {
    const shown = view && snapshots.shown(view);
    return shown === undefined ? snapshots.withId(id) : [shown.call];
  }

  /**
   * The call that is meant. A call id may come again and would then decide another call than the
   * one that the person saw, so it is taken only where it is the only one.
   */
  #find(engine: Engine, snapshots: Snapshots, named: Named, choice?: Choice): number | Refusal {
    const [call, ...others] = this.#named(snapshots, named);
    const { view } = named;
    const copied = view && call !== undefined && choice !== undefined;
    const shown = snapshots.shown(view ?? call ?? 0) ?? (copied ? snapshots.shownBy(view, call) : undefined);
    const changed = choice !== undefined && shown?.call === call && shown && !snapshots.isShown(shown);
    const reason =
      call === undefined
        ? 'unknown-id'
        : others.length > 0
          ? 'ambiguous-id'
          : changed === true
            ? 'changed'
            : undefined;
    if (reason === undefined && call !== undefined) return call;
    const about = reason === 'changed' ? (call ?? 0) : 0;
    engine.core.refused(about, choice === 'allow-once' || choice === 'allow-chat');
    return refused(reason ?? 'unknown-id');
  }

  #refusedBy(taken: number): Refusal {
    return refused(refusalNames[taken - TAKEN.refused] ?? 'unavailable');
  }

  #idsOf(snapshots: Snapshots, calls: readonly number[]): readonly string[] {
    const rows = snapshots.update();
    return calls.map((call) => rows.get(call)?.toolCallId ?? '');
  }
}

function invalid(message: string): GuardError {
  return new GuardError('invalid-decision', message);
}

function refused(reason: RefusalReason): Refusal {
  return { type: 'refused', reason, message: REFUSALS[reason] };
}

function nameOf(target: Target): Named {
  if (typeof target === 'string') return { id: target, view: undefined };
  try {
    const { approvalId, toolCallId }: Partial<CallView> = target ?? {};
    if (typeof toolCallId === 'string') return { id: approvalId ?? toolCallId, view: target };
  } catch {
    // It is no call.
  }
  throw invalid('A call is named by its approval id, its call id, or the call from the snapshot.');
}

const OPTIONS = new Set([
  'reason',
  'covers',
  'forMs',
  'options',
] satisfies (keyof DecideOptions)[]) as ReadonlySet<string>;

/** Reads the options once, so that what was checked is what is used. */
function readDecision(choice: Choice, options: DecideOptions): DecideOptions {
  try {
    const given = { ...options };
    checkOptions(choice, options, given);
    const request = readRequestOptions(given.options, 'invalid-decision');
    return request === undefined ? given : { ...given, options: request };
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError('invalid-decision', 'The options could not be read.', { cause });
  }
}

function checkOptions(choice: Choice, options: DecideOptions, given: DecideOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('The options are an object.');
  const unknown = Object.keys(given).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) {
    throw invalid(`There is no option ${unknown}. The options are ${[...OPTIONS].join(', ')}.`);
  }
  const { reason, covers, forMs } = given;
  if (reason !== undefined) {
    if (typeof reason !== 'string') throw invalid('A reason is a string.');
    if (reason.length > LONGEST_REASON) throw invalid(`A reason has at most ${LONGEST_REASON} characters.`);
    if (CONTROL.test(reason)) throw invalid('A reason is plain text, without control characters.');
  }
  const lasts = choice === 'allow-chat' || choice === 'deny-chat';
  if (!lasts && (covers !== undefined || forMs !== undefined)) {
    throw invalid("covers and forMs belong to 'allow-chat' and 'deny-chat'.");
  }
  if (covers !== undefined && !isCovers(covers)) {
    throw invalid("covers is 'input', 'tool' or a list of names of fields.");
  }
  if (forMs !== undefined && !(isDuration(forMs, 1, LONGEST_GRANT) && Number.isInteger(forMs))) {
    throw invalid(`forMs is a whole number of milliseconds from 1 to ${LONGEST_GRANT}, which is 7 days.`);
  }
}
