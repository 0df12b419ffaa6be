// The engine of all guards of a page: the guard with its module, in the form that fits.
import { importEngine, type Engine } from 'virtual:engine';

import { GuardError } from '../error.js';

/** The longest wait of Node for the engine, in milliseconds, if nothing else keeps it waiting. */
const LONGEST_COMPILATION = 5_000;

let engine: Engine | undefined;
let loading: Promise<Engine> | undefined;

/**
 * The engine, once it is there.
 *
 * @internal
 */
export const loadedEngine = (): Engine | undefined => engine;

/**
 * Loads the engine once. A load that has failed is tried again by the next call.
 *
 * @internal
 * @throws GuardError `engine-unavailable`, as a rejection
 */
export function loadEngine(): Promise<Engine> {
  return (loading ??= load());
}

async function load(): Promise<Engine> {
  // A guard is created while a page renders, which goes on first.
  await undefined;
  // Node ends a process in which only a module is being compiled.
  const awake = setTimeout(() => {}, LONGEST_COMPILATION);
  try {
    return (engine = await importEngine());
  } catch (cause) {
    loading = undefined;
    const sentence = `The engine of the guard could not be loaded. The next use tries again, in Firefox after a reload. The cause: ${String(cause)}`;
    throw new GuardError('engine-unavailable', sentence, { cause });
  } finally {
    clearTimeout(awake);
  }
}

/**
 * Loads the engine before a guard needs it: its file, and the WebAssembly in it, which is compiled off the main thread. A
 * guard that is created afterwards is complete at once.
 *
 * @throws GuardError `engine-unavailable`, as a rejection; it can be tried again
 */
export async function preload(): Promise<void> {
  await loadEngine();
}
