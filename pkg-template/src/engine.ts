import { GuardCore, initSync } from 'virtual:glue';
import { wasmBytes } from 'virtual:wasm';

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
    // The walker numbers the strings, and the core takes its first numbers from the options.
    const symbols = new Walker(undefined as never, names);
    const core = new GuardCore(
      settings.flags,
      settings.maxAutomaticSends,
      symbols.symbol(settings.chatId),
      new Uint32Array(settings.clientTools.map((tool) => symbols.symbol(tool))),
    );
    symbols.core = core;
    return { core, walker: symbols, names };
  } catch (cause) {
    throw new GuardError(
      'wasm-unavailable',
      "The WebAssembly of tool-approval-guard could not be started. A strict Content-Security-Policy needs 'wasm-unsafe-eval' in script-src.",
      { cause },
    );
  }
}
