// Chooses the form of the engine: WebAssembly, or JavaScript where that cannot be compiled.
import type * as Sync from '../sync.js';

export type Engine = typeof Sync;

/** Whether WebAssembly compiles here. A page may forbid it, and an engine may lack it: to try is the only way to know. */
async function compiles(): Promise<boolean> {
  try {
    // The smallest module: its magic number and its version.
    await WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return true;
  } catch {
    return false;
  }
}

/** Imports the engine, and compiles its module off the main thread. */
export async function importEngine(): Promise<Engine> {
  if (await compiles()) {
    const engine = await import('../sync.js');
    try {
      await engine.preload();
      return engine;
    } catch {
      // An engine may compile an empty module and lack what a real one needs.
    }
  }
  return import('virtual:javascript-engine');
}
