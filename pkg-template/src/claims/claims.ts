// The claims of an application: asks the core in transactions of the store, and keeps the tokens of what this server
// has taken.
import { GuardError } from '../error.js';
import { RoleName, ToolStateName, type Fate, type Runner } from '../generated/abi.js';
import type { ApprovedCall, ReadDecision, RejectedCall } from '../server.js';
import { type Answers, type Command, judge, type Judged, type Listed, type ServerEntry } from './core.js';
import { areChecks, type EditChecks, fits } from './edits.js';
import { fingerprint } from './fingerprint.js';
import { resultOf, resultText, withResults } from './results.js';
import type { ClaimStore, FoundClaim, StoredClaim } from './store.js';
import { type CallToStart, type Ending, type StartedCall, wrapTools } from './tools.js';
import type {
  AskedOptions,
  CallInDoubt,
  CallWaiting,
  ClaimId,
  ClaimResult,
  Claims,
  ClaimsOptions,
  DoneCall,
  EarlierCall,
  Taken,
  TakeOptions,
} from './types.js';

/** The number of attempts to write the end of a call, and the first pause in between. */
const TRIES = 4;
const PAUSE_MS = 50;
/** The most malformed decisions that are told of one list: the first one refuses it. */
const MOST_MALFORMED = 100;
/** The time after its lease in which a call that this server has taken can still start: the calls before it may take long. */
const LONGEST_WAIT_MS = 86_400_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Text that every store can hold: no database takes a lone surrogate, and some take no NUL. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !/\p{Surrogate}|\0/u.test(value);

function named(value: unknown, what: string): string {
  if (isName(value)) return value;
  throw new GuardError('invalid-input', `The ${what} must be text, not empty, and without NUL.`);
}

function timeOf(value: unknown, what: string): number {
  const time = value instanceof Date ? value.getTime() : value;
  if (typeof time === 'number' && time >= 0 && time <= 8.64e15) return Math.floor(time);
  throw new GuardError('invalid-input', `${what} must be a Date, or milliseconds since the epoch.`);
}

const storeError = (cause: unknown): GuardError =>
  (cause as { name?: unknown } | null)?.name === 'GuardError'
    ? (cause as GuardError)
    : new GuardError('storage-failed', 'The store of the claims failed, so nothing runs. See cause.', {
        cause,
      });

/** Whether a part has an output that is not complete. */
const isPreliminary = ({ type, part }: ReadDecision): boolean =>
  type === 'open' && part.state === ToolStateName.OutputAvailable;

/** The input about which the user was asked, with its fingerprint, and the same of the one that was put in its place. */
interface Prints {
  fingerprint: string | null;
  edit: { fingerprint: string; fits: boolean } | null;
}

/** A decision as the core needs it. Outputs, texts of errors and reasons can be anything, and are not passed. */
function saidOf(decision: ReadDecision, clientTools: readonly string[]) {
  const { current, approvalId, toolCallId, toolName, providerExecuted } = decision;
  const type = isPreliminary(decision) ? 'preliminary' : decision.type;
  const inPage = toolName !== undefined && clientTools.includes(toolName);
  const runner: Runner = providerExecuted ? 'provider' : inPage ? 'page' : 'server';
  return {
    ...{ type, current, approvalId, toolCallId, toolName, runner },
    ...('overwritten' in decision && { overwritten: decision.overwritten }),
    ...('waitsFor' in decision && { waitsFor: decision.waitsFor }),
    ...('code' in decision && { code: decision.code }),
  };
}

/** The claims that a command reads, and the result that it stores. */
interface Scope {
  ids?: readonly string[];
  result?: ClaimResult | undefined;
}

/** The settings of {@link ClaimsOptions}, checked. */
export interface ClaimsSettings {
  store: ClaimStore;
  leaseMs: number;
  clientTools: readonly string[];
  editable: EditChecks;
  signsAgain: boolean;
  keepResults: boolean;
  onError: (error: GuardError) => void;
}

const OPTIONS = {
  store: (value: unknown) => typeof (value as Partial<ClaimStore> | undefined)?.transact === 'function',
  leaseMs: (value: unknown) =>
    value === undefined || (typeof value === 'number' && value >= 100 && value <= 86_400_000),
  clientTools: (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Symbol.iterator in value),
  editable: (value: unknown) => value === undefined || areChecks(value),
  signsAgain: (value: unknown) => value === undefined || typeof value === 'boolean',
  keepResults: (value: unknown) => value === undefined || typeof value === 'boolean',
  onError: (value: unknown) => value === undefined || typeof value === 'function',
} satisfies Record<keyof ClaimsOptions, (value: unknown) => boolean>;

/**
 * Checks the options.
 *
 * @throws GuardError `invalid-option`
 */
export function settingsOf(options: ClaimsOptions): ClaimsSettings {
  const given = Object(options) as Record<string, unknown>;
  const wrong =
    Object.keys(given).find((name) => !(name in OPTIONS)) ??
    Object.entries(OPTIONS).find(([name, isValid]) => !isValid(given[name]))?.[0];
  if (wrong !== undefined) {
    throw new GuardError('invalid-option', `createClaims has no option ${wrong} with this value.`);
  }
  const { store, leaseMs = 30_000, clientTools = [], keepResults = true, onError } = options;
  const { editable = {}, signsAgain = false } = options;
  return {
    ...{ store, leaseMs: Math.floor(leaseMs), keepResults, clientTools: [...clientTools] },
    ...{ editable, signsAgain },
    onError: onError ?? ((error) => console.error(error)),
  };
}

/** See {@link Claims}. */
export class ClaimsOfStore implements Claims {
  readonly #server: ServerEntry;
  readonly #settings: ClaimsSettings;
  /** The tokens of what this server has taken and not started, by chat and approval. */
  readonly #taken = new Map<string, { token: string; until: number }>();

  constructor(server: ServerEntry, settings: ClaimsSettings) {
    this.#server = server;
    this.#settings = settings;
  }

  async asked(chatId: string, message: unknown, options: AskedOptions = {}): Promise<void> {
    const chat = named(chatId, 'id of the chat');
    const user = options.user === undefined ? null : named(options.user, 'user');
    const expires = options.until === undefined ? null : timeOf(options.until, 'until');
    const { role, parts } = Object(message) as { role?: unknown; parts?: unknown };
    if (role !== RoleName.Assistant || !Array.isArray(parts)) {
      throw new GuardError('invalid-input', 'asked needs the message of the assistant, with its parts.');
    }
    const waiting = this.#server
      .readDecisions([message])
      .filter((decision) => decision.type === 'open' && decision.waitsFor === 'approval');
    const questions = await Promise.all(
      waiting.map(async ({ approvalId, toolCallId, toolName, part }) => {
        const id = named(approvalId, 'id of an approval');
        const { input } = part as { input?: unknown };
        const print = await fingerprint(chat, id, toolName as string, input);
        return { id, call: toolCallId, tool: toolName, input: print ?? null };
      }),
    );
    if (questions.length === 0) return;
    const scope = { ids: questions.map(({ id }) => id) };
    await this.#transact(chat, scope, () => ({ type: 'ask', questions, user, expires }));
  }

  async take<MESSAGES>(
    chatId: string,
    messages: MESSAGES,
    options: TakeOptions = {},
  ): Promise<Taken<MESSAGES>> {
    const chat = named(chatId, 'id of the chat');
    const user = options.user === undefined ? null : named(options.user, 'user');
    const { clientTools, leaseMs } = this.#settings;
    const prints = new Map<string, Prints>();
    const approvals = new Set<string | undefined>();
    /** The tools of the calls, as the last part with their id says. */
    const toolNames = new Map<string | undefined, string | undefined>();
    for (const decision of this.#server.readDecisions(messages, { clientTools })) {
      const { type, approvalId, toolCallId, toolName } = decision;
      approvals.add(approvalId);
      toolNames.set(toolCallId, toolName);
      // A denial, too, because it may come too late.
      if ((type !== 'approved' && type !== 'rejected') || approvalId === undefined) continue;
      prints.set(placeOf(decision), await this.#printsOf(chat, approvalId, decision));
    }
    const token = crypto.randomUUID();
    let decisions: ReadDecision[] = [];
    let until = 0;
    const verdict = await this.#transact<'take'>(chat, {}, (stored, now) => {
      const { answer } = judge(
        this.#server,
        chat,
        { type: 'requested' } as Command<'requested'>,
        stored,
        now,
      );
      // If the message with the question is gone, its call id can stand for another call now.
      const requested = answer.calls.flatMap(([approvalId, toolCallId, toolName]) =>
        approvals.has(approvalId) || (toolNames.get(toolCallId) ?? toolName) === toolName
          ? [{ approvalId, toolCallId }]
          : [],
      );
      let unread = 0;
      decisions = this.#server
        .readDecisions(messages, { clientTools, requested })
        .filter(({ type }) => type !== 'malformed' || ++unread <= MOST_MALFORMED);
      until = now + leaseMs;
      const answers = decisions.map((decision) => ({
        ...saidOf(decision, clientTools),
        ...(prints.get(placeOf(decision)) ?? { fingerprint: null, edit: null }),
      }));
      return { type: 'take', decisions: answers, user, token, until };
    });
    const taken = gather(verdict, decisions);
    this.#remember(chat, taken.run, token, until);
    await this.#recall(chat, taken.done);
    return { ...taken, messages: withResults(messages, taken.done) };
  }

  async #printsOf(chat: string, id: string, decision: ApprovedCall | RejectedCall): Promise<Prints> {
    const { toolName, part, edited, approval } = decision;
    const print = async (input: unknown) => (await fingerprint(chat, id, toolName, input)) ?? null;
    if (edited === undefined) return { fingerprint: await print(part.input), edit: null };
    const changed = await print(edited.to);
    // A signature holds for one input, and so does the input from which the schema has made it.
    const { editable, signsAgain } = this.#settings;
    const bonds = signsAgain ? ['inputSchemaInput'] : ['signature', 'inputSchemaInput'];
    const isFree = !bonds.some((bond) => bond in Object(approval));
    const isFit =
      isFree && changed !== null && (await fits(editable, toolName, edited.to, (it) => this.#report(it)));
    return {
      fingerprint: await print(edited.from),
      edit: { fingerprint: changed ?? '', fits: isFit },
    };
  }

  tools<TOOLS extends object>(tools: TOOLS, options: { chatId: string }): TOOLS {
    const chat = named((options as Partial<typeof options> | undefined)?.chatId, 'id of the chat');
    return wrapTools(tools, {
      start: (call) => this.#start(chat, call),
    });
  }

  async inDoubt(options: { limit?: number } = {}): Promise<CallInDoubt[]> {
    const limit = limitOf(options);
    const found = await this.#store((store) => store.doubtful(Date.now(), limit));
    return this.#listed('review', found, callOf);
  }

  async waiting(chatId?: string, options: { limit?: number } = {}): Promise<CallWaiting[]> {
    const limit = limitOf(options);
    const waitingOf = (chat: string, { until, ...call }: Listed): CallWaiting => ({
      ...callOf(chat, call),
      until: until === undefined ? undefined : new Date(until),
    });
    if (chatId === undefined) {
      const found = await this.#store((store) => store.waiting(Date.now(), limit));
      return this.#listed('waiting', found, waitingOf);
    }
    const chat = named(chatId, 'id of the chat');
    const { calls } = await this.#transact<'waiting'>(chat, {}, () => ({ type: 'waiting' }));
    return calls
      .map((call) => waitingOf(chat, call))
      .sort((one, other) => one.since.getTime() - other.since.getTime())
      .slice(0, limit);
  }

  /** The calls that the core lists of the claims that the store has found. */
  #listed<T>(
    type: 'review' | 'waiting',
    found: readonly FoundClaim[],
    of: (chatId: string, call: Listed) => T,
  ): T[] {
    return found.flatMap(({ chatId, ...claim }) => {
      try {
        const { answer } = judge<typeof type>(this.#server, chatId, { type }, [claim], Date.now());
        return answer.calls.map((call) => of(chatId, call));
      } catch (error) {
        // One damaged claim does not hide those of other chats.
        this.#report(error as GuardError);
        return [];
      }
    });
  }

  async settle({ chatId, approvalId }: ClaimId, result: ClaimResult): Promise<boolean> {
    const chat = named(chatId, 'id of the chat');
    const id = named(approvalId, 'id of the approval');
    if (result === null || typeof result !== 'object' || 'output' in result === 'errorText' in result) {
      throw new GuardError('invalid-input', 'settle needs either an output or an errorText.');
    }
    if (resultText(result) === undefined) {
      throw new GuardError('invalid-input', 'The output cannot be stored: JSON cannot express it.');
    }
    const end: Ending = 'errorText' in result ? 'failed' : 'done';
    // The word of an operator is stored, also where results of tools are not: nothing else is known.
    const scope = { ids: [id], result };
    const { ok } = await this.#transact<'settle'>(chat, scope, () => ({
      type: 'settle',
      id,
      end,
      kept: true,
    }));
    return ok;
  }

  async forget(options: { before: Date | number }): Promise<number> {
    const before = timeOf((options as Partial<typeof options> | undefined)?.before, 'before');
    return this.#store((store) => store.forget(Math.min(before, Date.now())));
  }

  /** Calls the store, and makes a `GuardError` of whatever it throws. */
  async #store<T>(work: (store: ClaimStore) => Promise<T>): Promise<T> {
    try {
      return await work(this.#settings.store);
    } catch (cause) {
      throw storeError(cause);
    }
  }

  async #transact<K extends keyof Answers>(
    chatId: string,
    { ids, result }: Scope,
    command: (stored: readonly StoredClaim[], now: number) => Command<K>,
  ): Promise<Answers[K]> {
    let answer: Answers[K] | undefined;
    let writes: Judged<K>['writes'] = [];
    await this.#store((store) =>
      store.transact(chatId, ids, (stored) => {
        // A client that sends a command again after a broken connection may find what it has written itself.
        const isOwn = ({ id, data }: { id: string; data: string }): boolean =>
          stored.some((claim) => claim.id === id && claim.data === data);
        if (writes.length > 0 && writes.every(isOwn)) return [];
        const now = Date.now();
        const judged = judge(this.#server, chatId, command(stored, now), stored, now);
        ({ answer, writes } = judged);
        return judged.writes.map(({ id, data, doubtfulFrom, forgettableFrom, waitingFrom }) => ({
          ...{ id, data, result: result && resultText(result) },
          ...{ doubtfulFrom, forgettableFrom, waitingFrom },
        }));
      }),
    );
    if (answer === undefined) throw storeError(new TypeError('The store did not call judge.'));
    return answer;
  }

  #remember(chatId: string, calls: readonly ApprovedCall[], token: string, until: number): void {
    const now = Date.now();
    for (const [key, taken] of this.#taken) {
      // A call may be started long after its lease, behind others, if nobody else has taken it since.
      if (taken.until + LONGEST_WAIT_MS < now) this.#taken.delete(key);
    }
    for (const { approvalId } of calls)
      this.#taken.set(JSON.stringify([chatId, approvalId]), { token, until });
  }

  /** Adds the stored results. */
  async #recall(chatId: string, calls: readonly DoneCall[]): Promise<void> {
    if (calls.length === 0) return;
    const results = await this.#results(
      chatId,
      calls.map(({ approvalId }) => approvalId),
    );
    for (const call of calls) call.result = results.get(call.approvalId) ?? lost();
  }

  async #results(chatId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ClaimResult>> {
    const results = new Map<string, ClaimResult>();
    await this.#store((store) =>
      store.transact(chatId, ids, (stored) => {
        for (const { id, result } of stored) results.set(id, resultOf(result) ?? lost());
        return [];
      }),
    );
    return results;
  }

  async #start(chatId: string, toStart: CallToStart): Promise<StartedCall | ClaimResult> {
    const { approvalId: id, toolCallId: call, toolName: tool } = toStart;
    const input = (await fingerprint(chatId, id, tool, toStart.input)) ?? null;
    const key = JSON.stringify([chatId, id]);
    const token = this.#taken.get(key)?.token ?? null;
    // Given out once, so that nothing in this process starts the call again with it.
    this.#taken.delete(key);
    const { leaseMs } = this.#settings;
    let started: Answers['start'];
    try {
      started = await this.#transact<'start'>(chatId, { ids: [id] }, (_stored, now) => ({
        ...{ type: 'start', id, call, tool, input, token, until: now + leaseMs },
      }));
    } catch (error) {
      // It may have been written down as started.
      if (token !== null) await this.#release(chatId, id, token);
      throw error;
    }
    if (started.go && token !== null) return new RunningCall(this, chatId, id, token);
    if (started.kept) return (await this.#results(chatId, [id])).get(id) ?? lost();
    throw new GuardError(
      'claim-refused',
      `This approved call does not run here: its claim is ${started.state ?? 'unknown'}. Call take before streamText, with the same claims.`,
      { toolCallId: call },
    );
  }

  /** Says that a call did not run although its start may be stored, which only this server knows. */
  async #release(chatId: string, id: string, token: string): Promise<void> {
    const { keepResults: kept } = this.#settings;
    const result = { errorText: 'The store of the claims failed, so the tool did not run.' };
    const scope = { ids: [id], result: kept ? result : undefined };
    const command: Command<'finish'> = { type: 'finish', id, token, end: 'failed', kept };
    // If the store fails again, the call is in doubt when its lease ends.
    await this.#transact(chatId, scope, () => command).catch(() => {});
  }

  /** Renews a lease. @returns in how many milliseconds it has to be renewed again */
  async renew(chatId: string, id: string, token: string): Promise<number> {
    const { leaseMs } = this.#settings;
    try {
      await this.#transact<'renew'>(chatId, { ids: [id] }, (_stored, now) => ({
        ...{ type: 'renew', id, token, until: now + leaseMs },
      }));
    } catch (error) {
      this.#report(error as GuardError);
    }
    return leaseMs / 3;
  }

  /** Writes how a call ended. It tries several times, because nobody else knows it. */
  async end(...[chatId, id, token, end, result]: EndOfCall): Promise<void> {
    const { keepResults } = this.#settings;
    const kept = keepResults && end !== 'in-doubt' && resultText(result) !== undefined;
    const scope = { ids: [id], result: kept ? result : undefined };
    for (let tries = 1; ; tries++) {
      try {
        const { ok } = await this.#transact<'finish'>(chatId, scope, () => ({
          ...{ type: 'finish', id, token, end, kept },
        }));
        // A try that failed may have been stored after all.
        if (!ok && tries === 1) this.#report(gone(id));
        return;
      } catch (error) {
        if (tries === TRIES) return this.#report(error as GuardError);
        await pause(PAUSE_MS * 2 ** tries);
      }
    }
  }

  get leaseMs(): number {
    return this.#settings.leaseMs;
  }

  #report(error: GuardError): void {
    try {
      this.#settings.onError(error);
    } catch {
      // An error of the application's own `onError` does not stop a tool.
    }
  }
}

type EndOfCall = [chatId: string, id: string, token: string, end: Ending, result: ClaimResult];

/** A call that was started with a token of this server. */
class RunningCall implements StartedCall {
  readonly #claims: ClaimsOfStore;
  readonly #place: [chatId: string, id: string, token: string];

  constructor(claims: ClaimsOfStore, ...place: [chatId: string, id: string, token: string]) {
    this.#claims = claims;
    this.#place = place;
  }

  keepAlive(): () => void {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (ms: number): void => {
      timer = setTimeout(() => {
        void this.#claims.renew(...this.#place).then((next) => {
          if (!isOver) wait(next);
        });
      }, ms);
    };
    wait(this.#claims.leaseMs / 3);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  finish(end: Ending, result: ClaimResult): Promise<void> {
    return this.#claims.end(...this.#place, end, result);
  }
}

function limitOf({ limit = 1_000 }: { limit?: number }): number {
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new GuardError('invalid-option', 'limit must be a whole number from 1 on.');
}

const placeOf = ({ messageIndex, partIndex }: Pick<ReadDecision, 'messageIndex' | 'partIndex'>): string =>
  `${messageIndex}/${partIndex}`;

const lost = (): ClaimResult => ({ errorText: 'The call has ended, and its result is not stored.' });

const callOf = (chatId: string, { id, call, tool, user, since }: Omit<Listed, 'until'>): CallInDoubt => ({
  ...{ chatId, approvalId: id, toolCallId: call, toolName: tool },
  ...{ user, since: new Date(since) },
});

const gone = (id: string): GuardError =>
  new GuardError('claim-lost', `The claim of the approval ${id} was settled while its tool still ran.`);

/** Sorts the decisions by what happens to them. */
function gather(verdict: Answers['take'], decisions: readonly ReadDecision[]): Omit<Taken, 'messages'> {
  const of = <T>(...fates: Fate[]): T[] =>
    verdict.calls.filter(({ fate }) => fates.includes(fate)).map(({ at }) => ({ ...decisions[at] }) as T);
  return {
    ok: verdict.error === undefined,
    status: verdict.status,
    error: verdict.error,
    run: of<ApprovedCall>('run', 'pass'),
    rejected: of<RejectedCall>('rejected'),
    running: of<EarlierCall>('running'),
    done: of<DoneCall>('done'),
    inDoubt: of<EarlierCall>('in-doubt'),
    refused: verdict.calls
      .filter(({ fate }) => fate === 'refused')
      .map(({ at, code = '' }) => ({ code, decision: decisions[at] as ReadDecision })),
  };
}
