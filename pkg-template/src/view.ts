import { GuardError, type GuardErrorCode } from './error.js';
import type { Engine } from './engine.js';
import { PROBLEMS, SENTENCES } from './reasons.js';
import { grantId } from './snapshot.js';
import type {
  Actor,
  LedgerEntry,
  LedgerEventType,
  Need,
  Outcome,
  Verdict,
  WaitingCall,
} from './types/events.js';

/** How many numbers the core gives for an entry. */
const ENTRY = 13;

const ANSWERS = [undefined, false, true] as const;

const IN_DOUBT = 1;
const NOT_IN_DOUBT = 2;
const AUTOMATIC = 4;

/** Turns the numbers of the core into the verdict, the ledger and the problems. */
export class View {
  readonly #engine: Engine;
  readonly #names: Record<
    'reasons' | 'needs' | 'actors' | 'events' | 'outcomes' | 'problems',
    readonly string[]
  >;
  #verdict: Verdict | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    const [, , , , , , , reasons = [], needs = [], , actors = [], events = [], problems = []] = engine.names;
    const outcomes = engine.names[15] ?? [];
    this.#names = { reasons, needs, actors, events, outcomes, problems };
  }

  #text(symbol: number | undefined): string | undefined {
    return this.#engine.ids.text(symbol);
  }

  #namesOf(call: number) {
    const [tool, id, approval] = this.#engine.core.names_of(call);
    return {
      toolCallId: this.#text(id) ?? '',
      approvalId: this.#text(approval),
      toolName: this.#text(tool) ?? '',
    };
  }

  /** The verdict, also of this moment if `now`; the same object while nothing in it changes. */
  verdict(now: boolean): Verdict {
    const { core } = this.#engine;
    const reason = this.#names.reasons[core.reason(now)] as Verdict['reason'];
    const waitingFor: WaitingCall[] = [];
    if (reason === 'waiting') {
      const waiting = core.waiting();
      for (let i = 0; i < waiting.length; i += 2) {
        const need = this.#names.needs[waiting[i + 1] ?? 0] as Need;
        waitingFor.push({ ...this.#namesOf(waiting[i] ?? 0), need });
      }
    }
    const verdict = verdictOf(reason, waitingFor);
    if (!sameVerdict(verdict, this.#verdict)) this.#verdict = verdict;
    return this.#verdict ?? verdict;
  }

  /** The entries of the ledger from one on. */
  entries(since: number): LedgerEntry[] {
    const { core } = this.#engine;
    // What is sealed is given up.
    const from = Math.max(since, core.sealed());
    const numbers = core.entries(from);
    const entries: LedgerEntry[] = [];
    for (let at = 0; at < numbers.length; at += ENTRY) {
      entries.push(this.#entry(from + at / ENTRY, numbers.subarray(at, at + ENTRY)));
    }
    return entries;
  }

  #entry(seq: number, numbers: Float64Array): LedgerEntry {
    const [at = 0, event = 0, call = 0, answer = 0, actor = 0, request = 0, grant = 0, rule] = numbers;
    const [mono = 0, outcome = 0, waited = NaN, ends = NaN, flags = 0] = numbers.subarray(8);
    const { core } = this.#engine;
    const nobody = { toolCallId: undefined, approvalId: undefined, toolName: undefined };
    return {
      seq,
      at,
      mono,
      type: this.#names.events[event] as LedgerEventType,
      ...(call === 0 ? nobody : this.#namesOf(call)),
      inputHash: call === 0 ? undefined : core.hash_of(core.print_of(call)),
      approved: ANSWERS[answer],
      actor: this.#names.actors[actor - 1] as Actor,
      outcome: this.#names.outcomes[outcome - 1] as Outcome | undefined,
      waitedMs: numberOf(waited),
      deadline: numberOf(ends),
      request: request === 0 ? undefined : request,
      automatic: this.#names.events[event] === 'requested' ? (flags & AUTOMATIC) !== 0 : undefined,
      doubt: flags & IN_DOUBT ? true : flags & NOT_IN_DOUBT ? false : undefined,
      grantId: grant === 0 ? undefined : grantId(grant),
      ruleId: this.#text(rule),
    };
  }

  /** The problems since the last time. */
  problems(): GuardError[] {
    const { core } = this.#engine;
    const numbers = core.problems();
    const problems: GuardError[] = [];
    for (let i = 0; i < numbers.length; i += 2) {
      const code = this.#names.problems[numbers[i] ?? 0] as GuardErrorCode;
      const call = numbers[i + 1] ?? 0;
      problems.push(problem(code, call === 0 ? {} : { toolCallId: this.#namesOf(call).toolCallId }));
    }
    return problems;
  }
}

const numberOf = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** An error with the sentence of its code. */
export function problem(
  code: GuardErrorCode,
  options: { cause?: unknown; toolCallId?: string } = {},
): GuardError {
  return new GuardError(code, PROBLEMS[code] ?? code, options);
}

/** A verdict with the sentence of its reason. */
export function verdictOf(reason: Verdict['reason'], waitingFor: readonly WaitingCall[] = []): Verdict {
  const message = reason === 'waiting' ? waitingSentence(waitingFor) : SENTENCES[reason];
  switch (reason) {
    case 'answered':
    case 'output':
    case 'retry':
    case 'resume':
      return { send: true, reason, waitingFor, message };
    default:
      return { send: false, reason, waitingFor, message };
  }
}

/** Names at most this many open calls. */
const NAMED = 5;

function waitingSentence(calls: readonly WaitingCall[]): string {
  const named = calls.slice(0, NAMED).map(({ toolName, need }) => `${toolName} (${need})`);
  const more = calls.length > NAMED ? ` and ${calls.length - NAMED} more` : '';
  return `Open in the last step: ${named.join(', ')}${more}.`;
}

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
