// Asks the core about claims: a command and stored claims go in, writes and the answer come out.
import { GuardError } from '../error.js';
import type { Fate } from '../generated/abi.js';
import type { readDecisions } from '../server.js';
import type { claimCalls } from './module.js';
import type { StoredClaim } from './store.js';

/** The ground of the claims: the reading of decisions, which is the entry for servers, and the core of the claims. */
export interface ServerEntry {
  readDecisions: typeof readDecisions;
  claimCalls: typeof claimCalls;
}

/** A call that may have run, or waits for an answer. */
export interface Listed {
  id: string;
  call: string;
  tool: string;
  user: string | undefined;
  since: number;
  until: number | undefined;
}

/** The answers of the core by the types of the commands. */
export interface Answers {
  ask: { ok: boolean };
  renew: { ok: boolean };
  finish: { ok: boolean };
  settle: { ok: boolean };
  take: {
    status: number;
    error: string | undefined;
    calls: readonly { at: number; fate: Fate; code?: string }[];
  };
  start: { go: boolean; state: string | undefined; kept: boolean };
  review: { calls: readonly Listed[] };
  waiting: { calls: readonly Listed[] };
  requested: { calls: readonly (readonly [approvalId: string, toolCallId: string, toolName: string])[] };
}

/** A command of the core. */
export type Command<K extends keyof Answers> = { type: K } & Record<string, unknown>;

/** The answer of the core. */
export interface Judged<K extends keyof Answers> {
  answer: Answers[K];
  writes: readonly {
    id: string;
    data: string;
    doubtfulFrom: number | undefined;
    forgettableFrom: number | undefined;
    waitingFrom: number | undefined;
  }[];
}

/**
 * Carries out a command on stored claims of a chat.
 *
 * @throws GuardError `claims-unreadable` if a stored claim is not of this version or damaged, and the errors
 * of the module
 */
export function judge<K extends keyof Answers>(
  server: ServerEntry,
  chatId: string,
  command: Command<K>,
  stored: readonly StoredClaim[],
  now: number,
): Judged<K> {
  const rows = stored.map(({ id, data }) => [id, data]);
  const { unreadable, answer, writes } = server.claimCalls(
    JSON.stringify({ now, command, rows }),
  ) as Judged<K> & { unreadable?: string };
  if (unreadable !== undefined) {
    throw new GuardError(
      'claims-unreadable',
      `The stored claim of the approval ${unreadable} in the chat ${chatId} cannot be read: it is damaged, or a newer version has written it. Nothing was changed.`,
    );
  }
  return { answer, writes };
}
