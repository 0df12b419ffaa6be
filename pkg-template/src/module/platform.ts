// Globals that engines without WebAssembly may lack besides. In the form whose module is JavaScript the build puts
// these in the place of the globals of their names.
import { Utf8Decoder, Utf8Encoder } from './utf8.js';

const platform = globalThis as Partial<typeof globalThis>;

export const TextDecoder = platform.TextDecoder ?? Utf8Decoder;
export const TextEncoder = platform.TextEncoder ?? Utf8Encoder;
export const performance = platform.performance ?? Date;

/** Looked for at each use, because an application may add it later. */
export const crypto = {
  getRandomValues<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: T): T {
    if (platform.crypto !== undefined) return platform.crypto.getRandomValues(array);
    // Enough to distinguish pages and inputs. Nothing is encrypted or signed with them.
    for (let at = 0; at < array.length; at++) array[at] = Math.random() * 2 ** 32;
    return array;
  },
};

/** An error with a name, as `fetch` throws it after a stop. */
class NamedError extends Error {
  constructor(message: string, name: string) {
    super(message);
    this.name = name;
  }
}

export const DOMException = platform.DOMException ?? NamedError;
