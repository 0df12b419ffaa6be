// A guard as its record knows it.
import type { CallMemory } from '../chat/call-memory.js';
import { toolNameOf } from '../chat/part.js';
import { GuardError } from '../error.js';
import type { RecordedGuard } from '../guard/recorder.js';
import { referTo, whileHeld, type Reference } from '../lifetime.js';
import type { RecordHost } from '../types/record.js';

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
