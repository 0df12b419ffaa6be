import { GuardError, type GuardErrorCode } from './error.js';
import type { Engine } from './engine.js';
import { PROBLEMS, SENTENCES } from './reasons.js';
import type {
  Actor,
  CallStatus,
  CallView,
  LedgerEntry,
  LedgerEventType,
  Need,
  Verdict,
  WaitingCall,
} from './types.js';

/** How many numbers the core gives for an entry and for a call. */
const ENTRY = 6;
const CALL = 7;

const ANSWERS = [undefined, false, true] as const;

/** Turns the numbers of the core into the objects of the public face. */
export class View {
  readonly #engine: Engine;
  readonly #reasons: readonly string[];
  readonly #needs: readonly string[];
  readonly #statuses: readonly string[];
  readonly #actors: readonly string[];
  readonly #events: readonly string[];
  readonly #problems: readonly string[];
  #calls: readonly CallView[] = [];
  #verdict: Verdict | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    const lines = engine.names.split('\n').map((line) => line.split(' '));
    [, , , , , , , this.#reasons = [], this.#needs = [], this.#statuses = []] = lines;
    [, , , , , , , , , , this.#actors = [], this.#events = [], this.#problems = []] = lines;
  }

  #text(symbol: number | undefined): string | undefined {
    return symbol === undefined ? undefined : this.#engine.walker.symbols.texts[symbol];
  }

  #namesOf(call: number) {
    return this.#names(this.#engine.core.call(call), 0);
  }

  #names(calls: Uint32Array, at: number) {
    return {
      toolCallId: this.#text(calls[at + 1]) ?? '',
      approvalId: this.#text(calls[at + 2]),
      toolName: this.#text(calls[at]) ?? '',
    };
  }

  /** The verdict, also of this moment if `now`; the same object while nothing in it changes. */
  verdict(now: boolean): Verdict {
    const { core } = this.#engine;
    const reason = this.#reasons[core.reason(now)] as Verdict['reason'];
    const waitingFor: WaitingCall[] = [];
    if (reason === 'waiting') {
      const waiting = core.waiting();
      for (let i = 0; i < waiting.length; i += 2) {
        const need = this.#needs[waiting[i + 1] ?? 0] as Need;
        waitingFor.push({ ...this.#namesOf(waiting[i] ?? 0), need });
      }
    }
    const verdict = verdictOf(reason, waitingFor);
    if (JSON.stringify(verdict) !== JSON.stringify(this.#verdict)) this.#verdict = verdict;
    return this.#verdict ?? verdict;
  }

  /** The calls whose message is still there; unchanged calls are the same objects. */
  calls(): readonly CallView[] {
    const numbers = this.#engine.core.calls();
    const before = new Map(
      this.#calls.map((call, index) => [`${call.messageId}\n${call.toolCallId}\n${index}`, call]),
    );
    const calls: CallView[] = [];
    for (let at = 0; at < numbers.length; at += CALL) {
      const status = this.#statuses[numbers[at + 4] ?? 0] as CallStatus;
      if (status === 'gone') continue;
      const answer = ANSWERS[numbers[at + 5] ?? 0];
      const view: CallView = {
        ...this.#names(numbers, at),
        messageId: this.#text(numbers[at + 3]) ?? '',
        status,
        decision: answer === undefined ? undefined : answer ? 'allowed' : 'denied',
        actor: this.#actors[(numbers[at + 6] ?? 0) - 1] as Actor | undefined,
      };
      const old = before.get(`${view.messageId}\n${view.toolCallId}\n${calls.length}`);
      calls.push(old !== undefined && equal(old, view) ? old : view);
    }
    const same = calls.length === this.#calls.length && calls.every((call, i) => call === this.#calls[i]);
    return same ? this.#calls : (this.#calls = calls);
  }

  /** The entries of the ledger from one on. */
  entries(from: number): LedgerEntry[] {
    const { core } = this.#engine;
    const numbers = core.entries(from);
    const entries: LedgerEntry[] = [];
    for (let at = 0; at < numbers.length; at += ENTRY) {
      const call = numbers[at + 2] ?? 0;
      const nobody = { toolCallId: undefined, approvalId: undefined, toolName: undefined };
      const names = call === 0 ? nobody : this.#namesOf(call);
      entries.push({
        seq: from + at / ENTRY,
        at: numbers[at] ?? 0,
        type: this.#events[numbers[at + 1] ?? 0] as LedgerEventType,
        ...names,
        approved: ANSWERS[numbers[at + 3] ?? 0],
        actor: this.#actors[(numbers[at + 4] ?? 0) - 1] as Actor | undefined,
        request: numbers[at + 5] === 0 ? undefined : numbers[at + 5],
      });
    }
    return entries;
  }

  /** The problems since the last time. */
  problems(): GuardError[] {
    const { core } = this.#engine;
    const numbers = core.problems();
    const problems: GuardError[] = [];
    for (let i = 0; i < numbers.length; i += 2) {
      const code = this.#problems[numbers[i] ?? 0] as GuardErrorCode;
      const call = numbers[i + 1] ?? 0;
      problems.push(problem(code, call === 0 ? {} : { toolCallId: this.#namesOf(call).toolCallId }));
    }
    return problems;
  }
}

function equal(a: CallView, b: CallView): boolean {
  return (
    a.approvalId === b.approvalId &&
    a.toolName === b.toolName &&
    a.status === b.status &&
    a.decision === b.decision &&
    a.actor === b.actor
  );
}

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
