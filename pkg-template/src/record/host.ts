// A guard as its record knows it.
import type { CallMemory } from '../chat/call-memory.js';
import { toolNameOf } from '../chat/part.js';
import { GuardError, type GuardErrorCode } from '../error.js';
import type { RecordedGuard } from '../guard/recorder.js';
import { referTo, whileHeld, type Reference } from '../lifetime.js';

/** The part of a guard that a record uses. */
export interface RecordHost {
  /** The id of the chat. */
  readonly chatId: string;
  /**
   * Called when the record has read its storage, or when another tab has written. The guard then reads all
   * messages again.
   */
  readonly changed: () => void;
  /** Reports a problem to the application, as a {@link GuardError} with this code. */
  readonly report: (code: GuardErrorCode, message: string, cause?: unknown) => void;
  /** Returns the input of a call with this hash, if the page has one. */
  readonly inputOf: (
    inputHash: string,
  ) => { toolName: string; server: string | undefined; input: unknown } | undefined;
  /** Returns the hash of an input of a tool; `undefined` if it has none. */
  readonly hashOf: (toolName: string, input: unknown, server?: string) => string | undefined;
}

/** The host of a record, which may live longer than the guard. */
export function hostOf(self: Reference<RecordedGuard>, chatId: string, memory: CallMemory): RecordHost {
  const calls = referTo(memory);
  return {
    chatId,
    hashOf: whileHeld(self, (guard, toolName, input: unknown, server) => {
      const of = server ?? guard.settings.tools.serverNamed(toolName);
      return guard.engine()?.fingerprints.hashOfInput(toolName, of, input);
    }),
    inputOf: whileHeld(self, (guard, hash) => {
      const { fingerprints } = guard.engine() ?? {};
      const { tools } = guard.settings;
      for (const [, facts] of (fingerprints && calls.deref()?.parts()) ?? []) {
        if (fingerprints?.hashOf(fingerprints.of(facts)) === hash)
          return { toolName: toolNameOf(facts), server: tools.serverOf(facts), input: facts.input };
      }
      return undefined;
    }),
    changed: whileHeld(self, (guard) => guard.recalled()),
    report: whileHeld(self, (guard, code, message, cause) => {
      guard.report(new GuardError(code, message, cause === undefined ? {} : { cause }));
    }),
  };
}
