// The module inside the JavaScript. It works wherever JavaScript does, without any configuration.
import { initSync } from 'virtual:own-glue';
import { hex } from 'virtual:wasm';

let memory: WebAssembly.Memory | undefined;
let failure: { cause: unknown } | undefined;

function bytes(): Uint8Array<ArrayBuffer> {
  // The loop is only for old browsers, because it is the slowest part of the first use.
  const { fromHex } = Uint8Array as { fromHex?: (digits: string) => Uint8Array<ArrayBuffer> };
  if (fromHex !== undefined) return fromHex.call(Uint8Array, hex);
  const { Buffer } = globalThis as { Buffer?: { from(text: string, as: 'hex'): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(hex, 'hex');
  const decoded = new Uint8Array(hex.length / 2);
  for (let i = 0; i < decoded.length; i++) decoded[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return decoded;
}

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
    return (memory = initSync({ module: bytes() }).memory);
  } catch (cause) {
    failure = { cause };
    throw cause;
  }
}

/** Here a failure is permanent. */
export const whenReady =
  (_listener: () => void): (() => void) =>
  () => {};
