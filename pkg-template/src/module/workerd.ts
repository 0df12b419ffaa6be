// Workers refuse bytes that are compiled at run time; a module that is imported is compiled when they are deployed.
import { initSync } from 'virtual:own-glue';
import module from 'virtual:wasm-file';

/** Starts the module at its first use; returns its memory. */
export function startModule(): WebAssembly.Memory {
  return initSync({ module }).memory;
}

/** Here nothing that failed comes right later. */
export const whenReady =
  (_listener: () => void): (() => void) =>
  () => {};
