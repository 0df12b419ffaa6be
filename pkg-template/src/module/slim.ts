// The module in a separate file: the application provides it, and decides when it is loaded.
import { initSync as instantiate } from 'virtual:own-glue';
import { buildId } from 'virtual:wasm';

import { GuardError } from '../error.js';
import { notifyAll } from '../notify-all.js';

/** The source of the module: its bytes, its address, a response with it, or the compiled module. */
export type WasmSource = BufferSource | WebAssembly.Module | string | URL | Request | Response;

let memory: WebAssembly.Memory | undefined;
const waiting = new Set<() => void>();

const unavailable = (cause: unknown): GuardError =>
  new GuardError(
    'wasm-unavailable',
    `The WebAssembly could not be loaded. Pass init() the bytes of the .wasm of this entry, or an address that serves them (${cause instanceof Error ? cause.message : String(cause)}).`,
    { cause },
  );

/** Rejects the module of another version, which could do anything. */
function checked(module: WebAssembly.Module): WebAssembly.Module {
  const [section] = WebAssembly.Module.customSections(module, 'build_id');
  const found = Array.from(new Uint8Array(section ?? new ArrayBuffer(0)).subarray(1), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  if (found !== buildId)
    throw new TypeError('This is not the .wasm file of this entry and version of tool-approval-guard.');
  return module;
}

function start(module: WebAssembly.Module): void {
  if (memory !== undefined) return;
  memory = instantiate({ module: checked(module) }).memory;
  const listeners = [...waiting];
  waiting.clear();
  notifyAll(listeners);
}

async function compile(source: unknown): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const isAddress =
    typeof source === 'string' ||
    source instanceof URL ||
    (typeof Request === 'function' && source instanceof Request);
  const found = isAddress ? await fetch(source) : source;
  // Not streamed, because then it would have to be served as application/wasm. For such a small module
  // streaming saves almost nothing.
  if (typeof Response === 'function' && found instanceof Response) {
    if (!found.ok) throw new TypeError(`${found.url} responded with status ${found.status}.`);
    return WebAssembly.compile(await found.arrayBuffer());
  }
  return WebAssembly.compile(found as BufferSource);
}

/**
 * Loads the module of this entry. Until it is loaded, a guard fails closed: nothing is sent automatically,
 * and a request that carries an approval is refused. Afterwards the same guard works. Further calls then do
 * nothing.
 *
 * @param source bytes, an address, a response, a compiled module, or a promise of one
 * @throws GuardError `wasm-unavailable`, as a rejection; it can be tried again
 */
export async function init(source: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  if (memory !== undefined) return;
  try {
    start(await compile(await source));
  } catch (cause) {
    throw unavailable(cause);
  }
}

/**
 * Like {@link init}, but synchronous.
 *
 * @param source bytes, or a compiled module
 * @throws GuardError `wasm-unavailable`; it can be tried again
 */
export function initSync(source: BufferSource | WebAssembly.Module): void {
  if (memory !== undefined) return;
  try {
    start(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source));
  } catch (cause) {
    throw unavailable(cause);
  }
}

/**
 * Returns the memory of the module.
 *
 * @throws GuardError `wasm-unavailable`, until the module is loaded
 */
export function startModule(): WebAssembly.Memory {
  if (memory === undefined) {
    throw new GuardError(
      'wasm-unavailable',
      'The WebAssembly is not loaded: await init(source), from the same entry, before the first use.',
    );
  }
  return memory;
}

/** Calls the listener once, when the module is loaded. @returns a function that unsubscribes */
export function whenReady(listener: () => void): () => void {
  waiting.add(listener);
  return () => waiting.delete(listener);
}

/** What is passed to `init` is loaded as early as the application likes. */
export async function preload(): Promise<void> {
  startModule();
}
