import { GuardCore, initSync } from 'virtual:glue';
import { wasmBytes } from 'virtual:wasm';

import { Symbols, Vocabulary } from '../../src/web/vocabulary.js';
import { Walker } from '../../src/web/walk.js';
import { GuardError } from './error.js';
import type { Settings } from './options.js';

let loaded = false;

/** The core of one guard, with the walker that reads and repairs messages for it. */
export interface Engine {
  core: GuardCore;
  walker: Walker;
  names: string;
}

/**
 * Instantiates the wasm on first use, synchronously: a predicate that has to wait loses answers
 * when the user writes meanwhile.
 *
 * @throws GuardError `wasm-unavailable`
 */
export function startEngine(settings: Settings): Engine {
  try {
    if (!loaded) {
      initSync({ module: wasmBytes() });
      loaded = true;
    }
    const names = GuardCore.names();
    const symbols = new Symbols();
    const core = new GuardCore(
      settings.flags,
      settings.maxAutomaticSends,
      symbols.of(settings.chatId),
      new Uint32Array(settings.clientTools.map((tool) => symbols.of(tool))),
    );
    return { core, walker: new Walker(core, new Vocabulary(names), symbols), names };
  } catch (cause) {
    throw new GuardError(
      'wasm-unavailable',
      "The WebAssembly of tool-approval-guard could not be started. A strict Content-Security-Policy needs 'wasm-unsafe-eval' in script-src.",
      { cause },
    );
  }
}
