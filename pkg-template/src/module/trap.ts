/** The error that a module in JavaScript throws where WebAssembly traps. */
export class Trap extends Error {
  override name = 'Trap';
}

/** A larger memory. @throws Trap if there is none */
export function allocate(bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(bytes);
  } catch {
    throw new Trap('out of memory');
  }
}

/** Whether a module has failed, so that its memory can no longer be trusted. */
export const isTrap = (cause: unknown): boolean =>
  cause instanceof Trap || (typeof WebAssembly === 'object' && cause instanceof WebAssembly.RuntimeError);
