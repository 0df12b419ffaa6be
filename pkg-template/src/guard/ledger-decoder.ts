// Decodes the verdict, the ledger and the problems from the numbers of the core.
import type { GuardError, GuardErrorCode } from '../error.js';
import type { Engine } from '../engine/engine.js';
import {
  type CommitCause,
  entryRow,
  needRow,
  reasonNames,
  StatusField,
  Table,
  verdictRow,
  type EntryRow,
} from '../generated/abi.js';
import { NO_DIGEST, sameDigest, type Digest } from '../chat/digest.js';
import { problem, verdictOf } from '../verdict.js';
import { NONE, rowsOf } from '../engine/rows.js';
import { grantId } from './grants.js';
import type { LedgerEntry, LedgerEventType, User, Verdict, WaitingCall } from '../types/events.js';

/** Decodes the verdict, the ledger and the problems from the core's numbers. */
export class LedgerDecoder {
  readonly #engine: Engine;
  readonly #user: User | undefined;
  readonly #chatId: () => string | undefined;
  #verdict: Verdict | undefined;
  /** The number of facts that the core had taken when the verdict was read, and its commit. */
  #about = -1;
  #commit: CommitCause | undefined;

  constructor(engine: Engine, user: User | undefined, chatId: () => string | undefined) {
    this.#engine = engine;
    this.#user = user;
    this.#chatId = chatId;
  }

  #text(id: number | undefined): string | undefined {
    return this.#engine.ids.text(id);
  }

  #namesOf({ tool, id, approval }: Pick<EntryRow, 'tool' | 'id' | 'approval'>) {
    return {
      toolCallId: this.#text(id) ?? '',
      approvalId: this.#text(approval),
      toolName: this.#text(tool) ?? '',
    };
  }

  /** The verdict; the same object as long as nothing in it changes. */
  verdict(commit: CommitCause | undefined): Verdict {
    const { core } = this.#engine;
    const facts = core.get(StatusField.Facts);
    if (this.#verdict !== undefined && this.#about === facts && this.#commit === commit) {
      return this.#verdict;
    }
    this.#about = facts;
    this.#commit = commit;
    const numbers = core.read(Table.Verdict, commit ?? NaN);
    const reason = reasonNames[verdictRow.read(numbers, 0).reason] as Verdict['reason'];
    const open = reason === 'waiting' ? rowsOf(numbers, needRow, verdictRow.length) : [];
    const waitingFor: WaitingCall[] = open.map((row) => ({
      key: this.#engine.keys.of(row.call),
      ...this.#namesOf(row),
      need: row.need,
    }));
    const verdict = verdictOf(reason, waitingFor);
    if (!sameVerdict(verdict, this.#verdict)) this.#verdict = verdict;
    return this.#verdict ?? verdict;
  }

  /** The entries of the ledger from an index on. */
  entries(since: number): LedgerEntry[] {
    const { core } = this.#engine;
    // Sealed entries are not kept.
    const from = Math.max(since, core.get(StatusField.Sealed));
    const chatId = this.#chatId();
    return rowsOf(core.read(Table.Entries, from), entryRow).map((row, i) =>
      this.#entry(from + i, chatId, row),
    );
  }

  #entry(seq: number, chatId: string | undefined, row: EntryRow): LedgerEntry {
    const { call, request, grant, actor, edit } = row;
    const source = this.#text(row.source);
    const user = actor === 'person' ? source : undefined;
    const isEdited = !sameDigest(edit, NO_DIGEST);
    const nobody = { toolCallId: undefined, approvalId: undefined, toolName: undefined };
    return {
      seq,
      chatId,
      at: row.at,
      mono: row.mono,
      type: row.kind as LedgerEventType,
      ...(call === 0 ? nobody : this.#namesOf(row)),
      inputHash: this.#engine.fingerprints.hashOf(row.fingerprint),
      approved: row.answer,
      edited: isEdited ? true : undefined,
      editHash: isEdited ? this.#editHash(call, edit) : undefined,
      actor,
      user,
      userName: user === this.#user?.id ? this.#user?.name : this.#engine.memory.nameOfUser(user),
      source: actor === 'external' ? source : undefined,
      outcome: row.outcome,
      waitedMs: row.waited,
      deadline: row.ends,
      request: request === 0 ? undefined : request,
      automatic: row.automatic,
      doubt: row.doubt,
      grantId: grant === 0 ? undefined : grantId(grant),
      ruleId: actor === 'rule' ? source : undefined,
    };
  }

  /** The hash of the changed input of an entry. */
  #editHash(call: number, edit: Digest): string | undefined {
    const { memory, fingerprints } = this.#engine;
    const { facts } = memory.of(call);
    const known = memory.knownEdit(call, edit);
    return known && facts && fingerprints.hashOfPart(facts, known.input);
  }

  /** The problems that are new. */
  problems(): readonly GuardError[] {
    const { core, memory } = this.#engine;
    const { problems } = core;
    if (problems === undefined) return NONE;
    core.problems = undefined;
    return problems.map((row) => {
      const { facts } = memory.of(row.call);
      const about = row.call === 0 ? {} : { toolCallId: memory.callIdOf(row.call) };
      const code = row.problem as GuardErrorCode;
      // The error of the output often shows its author.
      const cause = code === 'output-over-open-approval' ? facts?.errorText : undefined;
      return problem(code, cause === undefined ? about : { ...about, cause });
    });
  }
}

function sameVerdict(a: Verdict, b: Verdict | undefined): boolean {
  const same = (call: WaitingCall, other: WaitingCall | undefined) =>
    call.key === other?.key && call.approvalId === other.approvalId && call.need === other.need;
  return (
    b?.reason === a.reason &&
    b.waitingFor.length === a.waitingFor.length &&
    a.waitingFor.every((call, i) => same(call, b.waitingFor[i]))
  );
}
