// Tells the core what a record knows about the calls that are seen. The core decides what to use.

import { actorNames, reachNames, restoreFact } from '../generated/abi.js';
import { answerCode } from '../engine/rows.js';
import type { CallNote, KnownCall } from '../types/record.js';
import type { CallMemory, Edit } from '../chat/call-memory.js';
import { NO_DIGEST } from '../chat/digest.js';
import { INPUT } from '../chat/fingerprints.js';
import { toolNameOf, type PartFacts } from '../chat/part.js';
import type { Restorer } from '../chat/transcript.js';
import type { EngineOfGuard } from '../guard/recorder.js';
import type { RecordSession } from './session.js';

/** Restores what a record knows about calls. */
export class Restoring implements Restorer {
  readonly #engine: EngineOfGuard;
  readonly #memory: CallMemory;
  readonly #record: Pick<RecordSession, 'find' | 'note'>;
  /** Parts that may have lost their approval. */
  readonly #lost = new Set<PartFacts>();

  constructor(engine: EngineOfGuard, memory: CallMemory, record: Pick<RecordSession, 'find' | 'note'>) {
    this.#engine = engine;
    this.#memory = memory;
    this.#record = record;
  }

  tell(facts: PartFacts): void {
    const { toolCallId, approvalId } = facts;
    if (typeof toolCallId !== 'string') return;
    if (typeof approvalId !== 'string') this.#lost.add(facts);
    else for (const known of this.#find(approvalId, facts)) this.#restore(facts, known);
  }

  #find(approvalId: string | undefined, facts: PartFacts): readonly KnownCall[] {
    return this.#record.find(approvalId, String(facts.toolCallId), toolNameOf(facts));
  }

  findLost(shown: () => ReadonlySet<unknown>): void {
    if (this.#lost.size === 0) return;
    const ids = shown();
    for (const facts of this.#lost) {
      const found = this.#find(undefined, facts).filter(({ approvalId }) => !ids.has(approvalId));
      const candidates = new Set(found.map(({ approvalId }) => approvalId)).size;
      // The record is told of a question that is put back, with its input.
      if (candidates > 0) this.#engine.fingerprints.tell(facts, INPUT);
      for (const known of found) this.#restore(facts, known, candidates);
    }
    this.#lost.clear();
  }

  #restore(facts: PartFacts, known: KnownCall, candidates = 0): void {
    const { pending: part, call } = facts.tracked;
    const { core, ids, fingerprints, approvals, transcript } = this.#engine;
    const hash = fingerprints.hashOf(fingerprints.of(facts));
    const edit = known.editHash === undefined ? undefined : this.#editOf(facts, known);
    // The rules of this page see a changed input before it is sent. Once it was sent, it is what may have run.
    const isUnsent = known.draft === true || known.reach === 'unsent' || known.reach === 'failed';
    const isDenied = isUnsent && edit !== undefined && approvals.denies(facts, edit.input);
    const sameEdit = known.editHash === undefined || (edit !== undefined && !isDenied);
    const sameInput = sameEdit && known.inputHash !== undefined && known.inputHash === hash;
    const { approved, draft, settled, elsewhere, takenBack, found, approvalId } = known;
    const { askedAt = Infinity, deadline = Infinity, latest = Infinity } = known;
    const { user, userName }: CallNote =
      (draft && approvalId !== undefined && this.#record.note(approvalId)) || {};
    if (user !== undefined) this.#memory.nameUser(user, userName);
    restoreFact(core.facts, {
      part,
      call,
      approval: ids.of(approvalId),
      approved: answerCode(approved),
      actor: actorNames.indexOf(known.actor ?? 'history'),
      reach: reachNames.indexOf(known.reach),
      draft: draft === true,
      settled: settled === true,
      sameInput,
      takenBack: takenBack === true,
      found: found === true,
      elsewhere,
      askedAt,
      deadline,
      latest,
      candidates,
      user: ids.of(user),
      edit: edit?.digest ?? NO_DIGEST,
    });
    core.awaitSeen(({ call, watched }) => {
      if (call === 0) return;
      this.#remember(facts, approvalId, approved);
      if (approved === true) this.#memory.restoreEdit(call, edit);
      if (watched) transcript.watch(call);
    });
  }

  /** The changed input of an allowance: the one that the part shows, or that the record has kept. */
  #editOf(facts: PartFacts, { approvalId, editHash }: KnownCall): Edit | undefined {
    const note = approvalId === undefined ? undefined : this.#record.note(approvalId)?.edit;
    const input = facts.editDigest[0] === 0 ? note : facts.input;
    if (input === undefined || this.#engine.fingerprints.hashOfPart(facts, input) !== editHash)
      return undefined;
    return this.#memory.editOf(input);
  }

  /** Remembers the approval object and the reason of an answer, if the messages do not contain them. */
  #remember(facts: PartFacts, approvalId: string | undefined, approved: boolean | undefined): void {
    const memory = this.#memory.get(facts.tracked.call);
    if (memory === undefined || approvalId === undefined) return;
    const note = this.#record.note(approvalId);
    // The messages have more fields of an approval than the note (law 4). The note is removed when the call
    // is settled, but the id of its approval stays known.
    const { allowed, denied } = memory;
    const isShown = [facts.approval, allowed, denied].some((one) => Object(one).id === approvalId);
    if (!isShown) memory.asked ??= note?.asked ?? { id: approvalId };
    const reason = note?.reason;
    if (approved !== undefined && reason !== undefined)
      this.#memory.answer(facts.tracked.call, approved, reason);
  }
}
