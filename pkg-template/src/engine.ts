import { GuardCore, initSync } from 'virtual:glue';
import { wasmBytes } from 'virtual:wasm';

import { Symbols, Vocabulary, withReasons } from '../../src/web/vocabulary.js';
import { Walker } from '../../src/web/walk.js';
import type { Describer } from '../../src/web/asking.js';
import { GuardError } from './error.js';
import { isDuration, LONGEST_WAIT, SHORTEST_WAIT, type Settings } from './options.js';
import type { MessageId } from './words.js';

let loaded = false;
/** What all guards share, made at the first use. */
let shared: { names: readonly (readonly string[])[]; vocabulary: Vocabulary } | undefined;

/** The core of one guard, with the walker that reads and repairs messages for it. */
export interface Engine {
  core: GuardCore;
  walker: Walker;
  /** The vocabularies of the core, in the order of `GuardCore.names`. */
  names: readonly (readonly string[])[];
}

/** Says what the application knows of calls. What it throws is told to `failed`. */
function describerOf(settings: Settings, failed: (cause: unknown) => void): Describer {
  const { tools, expiresMs, chatId = null } = settings;
  const asked = <T>(question: () => T, fallback: T): T => {
    try {
      return question();
    } catch (cause) {
      failed(cause);
      return fallback;
    }
  };
  return {
    describe(tool, { toolCallId, input }) {
      const danger = tools.get(tool)?.dangerous ?? false;
      const dangerous = typeof danger === 'function' ? asked(() => danger(input) !== false, true) : danger;
      const lifetime =
        typeof expiresMs === 'function'
          ? asked(() => expiresMs({ toolName: tool, toolCallId: String(toolCallId), input }), SHORTEST_WAIT)
          : expiresMs;
      if (!dangerous && lifetime === undefined) return undefined;
      if (lifetime === undefined || isDuration(lifetime, SHORTEST_WAIT, LONGEST_WAIT)) {
        return { dangerous, lifetime: lifetime ?? Infinity };
      }
      failed(new RangeError(`expiresMs answered ${String(lifetime)} for ${tool}.`));
      return { dangerous, lifetime: SHORTEST_WAIT };
    },
    identity: (tool) => [chatId, tools.get(tool)?.server ?? null],
  };
}

/**
 * Instantiates the wasm on first use, synchronously: a predicate that has to wait loses answers
 * when the user writes meanwhile.
 *
 * @throws GuardError `wasm-unavailable`
 */
export function startEngine(settings: Settings, failed: (cause: unknown) => void): Engine {
  try {
    if (!loaded) {
      initSync({ module: wasmBytes() });
      loaded = true;
    }
    const symbols = new Symbols();
    const core = new GuardCore(
      settings.flags,
      settings.maxAutomaticSends,
      symbols.of(settings.chatId),
      new Uint32Array(settings.clientTools.map((tool) => symbols.of(tool))),
      settings.undoMs,
      settings.undoMsWhenDangerous,
      settings.warnMs,
    );
    if (shared === undefined) {
      const names = GuardCore.names()
        .split('\n')
        .map((line) => line.split(' '));
      shared = { names, vocabulary: new Vocabulary(names) };
    }
    const { names, vocabulary } = shared;
    const reasons = vocabulary.causes.map((cause) => settings.words.text(`reason.${cause}` as MessageId));
    const describer = describerOf(settings, failed);
    return {
      core,
      walker: new Walker(core, withReasons(vocabulary, reasons), symbols, describer),
      names,
    };
  } catch (cause) {
    throw new GuardError(
      'wasm-unavailable',
      "The WebAssembly of tool-approval-guard could not be started. A strict Content-Security-Policy needs 'wasm-unsafe-eval' in script-src.",
      { cause },
    );
  }
}
