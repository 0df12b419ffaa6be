// The module inside the JavaScript. It works wherever JavaScript does, without any configuration.
import { hex } from 'virtual:wasm'; // first: behind other code it can compress worse, by 3 % in the rules
import { initSync } from 'virtual:own-glue';

let memory: WebAssembly.Memory | undefined;
let failure: { cause: unknown } | undefined;

function bytes(): Uint8Array<ArrayBuffer> {
  // The loop is only for old browsers, because it is the slowest part of the first use.
  const { fromHex } = Uint8Array as { fromHex?: (digits: string) => Uint8Array<ArrayBuffer> };
  if (fromHex !== undefined) return fromHex.call(Uint8Array, hex);
  const { Buffer } = globalThis as { Buffer?: { from(text: string, as: 'hex'): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(hex, 'hex');
  const decoded = new Uint8Array(hex.length / 2);
  for (let i = 0; i < decoded.length; i++) decoded[i] = (digitAt(2 * i) << 4) | digitAt(2 * i + 1);
  return decoded;
}

/** The value of a digit from 0 to f: a letter is one code in 64 further, and begins with 1. */
function digitAt(place: number): number {
  const code = hex.charCodeAt(place);
  return (code & 15) + 9 * (code >> 6);
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
