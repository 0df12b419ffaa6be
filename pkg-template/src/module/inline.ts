// The module inside the JavaScript. It works wherever JavaScript does, without any configuration.
import { reader, text } from 'virtual:wasm'; // first: behind other code it can compress worse, by 3 % in the rules
import { initSync } from 'virtual:own-glue';

import { bytesOf } from './text.js';

let memory: WebAssembly.Memory | undefined;
let failure: { cause: unknown; stack: unknown } | undefined;

/**
 * Starts the module on first use; returns its memory.
 *
 * @throws the error of the engine if it refuses WebAssembly, on every call
 */
export function startModule(): WebAssembly.Memory {
  if (memory !== undefined) return memory;
  // A refusal lasts for the life of the page, and trying again is slow.
  if (failure !== undefined) throw failure.cause;
  try {
    return (memory = initSync({ module: bytesOf(text, reader) }).memory);
  } catch (cause) {
    // V8 keeps the frames of an error, and with them the guard that asked first, until its stack is read (law 15).
    failure = { cause, stack: (cause as Error).stack };
    throw cause;
  }
}

/**
 * Starts the module earlier, compiled off the main thread.
 *
 * @throws the error of the engine if it refuses WebAssembly, as a rejection
 */
export async function preload(): Promise<void> {
  if (memory !== undefined) return;
  const module = await WebAssembly.compile(bytesOf(text, reader));
  // It may have been needed meanwhile.
  memory ??= initSync({ module }).memory;
}
