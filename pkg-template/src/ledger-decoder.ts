import type { GuardError, GuardErrorCode } from './error.js';
import type { Engine } from './engine.js';
import {
  actorNames,
  entryRow,
  eventKindNames,
  needNames,
  outcomeNames,
  problemNames,
  reasonNames,
  type EntryRow,
  StatusField,
} from './generated/abi.js';
import { problem, verdictOf } from './verdict.js';
import { answerOf, optional, rowsOf } from './rows.js';
import { grantId } from './snapshot.js';
import type { Actor, LedgerEntry, LedgerEventType, Need, Verdict, WaitingCall } from './types/events.js';

/** Decodes the verdict, the ledger and the problems from the numbers of the core. */
export class LedgerDecoder {
  readonly #engine: Engine;
  #verdict: Verdict | undefined;
  /** The number of facts that the core had when the verdict was read. */
  #about = -1;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  #text(id: number | undefined): string | undefined {
    return this.#engine.ids.text(id);
  }

  #namesOf(call: number) {
    const [tool, id, approval] = this.#engine.core.names_of(call);
    return {
      toolCallId: this.#text(id) ?? '',
      approvalId: this.#text(approval),
      toolName: this.#text(tool) ?? '',
    };
  }

  /** The verdict; the same object while nothing in it changes. */
  verdict(): Verdict {
    const { core, status } = this.#engine;
    const facts = status.get(StatusField.Facts);
    if (this.#verdict !== undefined && this.#about === facts) {
      return this.#verdict;
    }
    this.#about = facts;
    const reason = reasonNames[core.reason()] as Verdict['reason'];
    const waitingFor: WaitingCall[] = [];
    if (reason === 'waiting') {
      const waiting = core.waiting();
      for (let i = 0; i < waiting.length; i += 2) {
        const need = needNames[waiting[i + 1] ?? 0] as Need;
        waitingFor.push({ ...this.#namesOf(waiting[i] ?? 0), need });
      }
    }
    const verdict = verdictOf(reason, waitingFor);
    if (!sameVerdict(verdict, this.#verdict)) this.#verdict = verdict;
    return this.#verdict ?? verdict;
  }

  /** The entries of the ledger from one on. */
  entries(since: number): LedgerEntry[] {
    const { core, status } = this.#engine;
    // What is sealed is given up.
    const from = Math.max(since, status.get(StatusField.Sealed));
    return rowsOf(core.entries(from), entryRow).map((row, i) => this.#entry(from + i, row));
  }

  #entry(seq: number, row: EntryRow): LedgerEntry {
    const { call, request, grant } = row;
    const { core } = this.#engine;
    const nobody = { toolCallId: undefined, approvalId: undefined, toolName: undefined };
    return {
      seq,
      at: row.at,
      mono: row.mono,
      type: eventKindNames[row.kind] as LedgerEventType,
      ...(call === 0 ? nobody : this.#namesOf(call)),
      inputHash: call === 0 ? undefined : core.hash_of(core.print_of(call)),
      approved: answerOf(row.answer),
      actor: actorNames[row.actor] as Actor,
      outcome: outcomeNames[row.outcome],
      waitedMs: optional(row.waited),
      deadline: optional(row.ends),
      request: request === 0 ? undefined : request,
      automatic: flagOf(row.automatic),
      doubt: flagOf(row.doubt),
      grantId: grant === 0 ? undefined : grantId(grant),
      ruleId: this.#text(row.rule),
    };
  }

  /** The problems since the last time. */
  problems(): GuardError[] {
    const { core } = this.#engine;
    const numbers = core.problems();
    const problems: GuardError[] = [];
    for (let i = 0; i < numbers.length; i += 2) {
      const code = problemNames[numbers[i] ?? 0] as GuardErrorCode;
      const call = numbers[i + 1] ?? 0;
      problems.push(problem(code, call === 0 ? {} : { toolCallId: this.#namesOf(call).toolCallId }));
    }
    return problems;
  }
}

const flagOf = (value: number): boolean | undefined => (Number.isNaN(value) ? undefined : value === 1);

function sameVerdict(a: Verdict, b: Verdict | undefined): boolean {
  const same = (call: WaitingCall, other: WaitingCall | undefined) =>
    call.approvalId === other?.approvalId &&
    call.toolCallId === other?.toolCallId &&
    call.toolName === other?.toolName &&
    call.need === other?.need;
  return (
    b?.reason === a.reason &&
    b.waitingFor.length === a.waitingFor.length &&
    a.waitingFor.every((call, i) => same(call, b.waitingFor[i]))
  );
}
