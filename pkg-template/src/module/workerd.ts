// Workers refuse to compile bytes at run time. An imported module is compiled at deployment.
import { initSync } from 'virtual:own-glue';
import module from 'virtual:wasm-file';

/** Starts the module on first use; returns its memory. */
export function startModule(): WebAssembly.Memory {
  return initSync({ module }).memory;
}

/** Here a failure is permanent. */
export const whenReady =
  (_listener: () => void): (() => void) =>
  () => {};
