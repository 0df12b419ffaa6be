// The module as JavaScript, for engines without WebAssembly and for pages that forbid it.
import { initSync } from 'virtual:own-glue';

import { WebAssembly } from './stand-in.js';

let memory: WebAssembly.Memory | undefined;

/** Starts the module on first use; returns its memory. */
export function startModule(): WebAssembly.Memory {
  return (memory ??= initSync({ module: new WebAssembly.Module() }).memory);
}

/** Starts the module earlier. */
export async function preload(): Promise<void> {
  startModule();
}
