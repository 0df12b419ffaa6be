// A guard as its record knows it, and the errors of a record as its guard reports them.
import { toolNameOf, type PartFacts } from '../chat/part.js';
import type { Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import { whileHeld, type Reference } from '../lifetime.js';
import type { Settings } from '../options.js';
import type { RecordHost } from '../types/record.js';
import { problem } from '../verdict.js';

/** The part of a guard that its record uses. */
export interface RecordedGuard {
  readonly settings: Settings;
  /** Returns the engine, if there is one. */
  engine(): Engine | undefined;
  /** Handles what the record knows from an earlier page or another tab. */
  recalled(): void;
  report(error: GuardError): void;
}

/** The host of a record, which may live longer than the guard. */
export const hostOf = (self: Reference<RecordedGuard>, chatId: string): RecordHost => ({
  chatId,
  hashOf: whileHeld(self, (guard, toolName, input: unknown, server) => {
    const of = server ?? guard.settings.tools.serverNamed(toolName);
    return guard.engine()?.fingerprints.hashOfInput(toolName, of, input);
  }),
  inputOf: whileHeld(self, (guard, hash) => {
    const engine = guard.engine();
    const facts = engine && partWith(engine, hash);
    const { tools } = guard.settings;
    return facts && { toolName: toolNameOf(facts), server: tools.serverOf(facts), input: facts.input };
  }),
  changed: whileHeld(self, (guard) => guard.recalled()),
  report: whileHeld(self, (guard, code, message, cause) => {
    guard.report(new GuardError(code, message, cause === undefined ? {} : { cause }));
  }),
});

/** The part whose input has this hash. */
function partWith({ memory, fingerprints }: Engine, hash: string): PartFacts | undefined {
  for (const [, facts] of memory.parts()) {
    if (fingerprints.hashOf(fingerprints.of(facts)) === hash) return facts;
  }
  return undefined;
}

// The record comes from another bundle, which has its own classes of errors.

/** The error of a transaction, as the guard throws it. */
export function transactionError(cause: unknown): unknown {
  const { name, code } = cause as { name?: unknown; code?: unknown };
  if (name !== 'TransactionError' || code === 'refused') return cause;
  return problem(code === 'record-in-use' ? code : 'storage-timeout', { cause });
}

/** Whether the module of the record could not be started. */
export const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'wasm-unavailable';
