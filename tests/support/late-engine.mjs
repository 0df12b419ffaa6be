// Copies of the small entry whose engine comes when the test says so. The file that they import is the real one, behind a
// module that waits first.
import { register } from 'node:module';

/** What each copy waits for, by its number: called once for each attempt to load. */
const gates = (globalThis.engineGates = new Map());

register(
  `data:text/javascript,${encodeURIComponent(`
export async function resolve(specifier, context, next) {
  const copy = /\\/index\\.js\\?late=(\\d+)$/.exec(context.parentURL ?? '')?.[1];
  const found = await next(specifier, context);
  if (copy === undefined || !/sync\\.js$/.test(specifier)) return found;
  return { url: 'late:' + copy + '/' + Math.random() + '?' + found.url, format: 'module', shortCircuit: true };
}
export async function load(url, context, next) {
  if (!url.startsWith('late:')) return next(url, context);
  const copy = /\\d+/.exec(url)[0];
  const real = JSON.stringify(url.slice(url.indexOf('?') + 1));
  const source = 'await globalThis.engineGates.get(' + copy + ')(' + real + '); export * from ' + real + ';';
  return { format: 'module', shortCircuit: true, source };
}`)}`,
);

let copies = 0;

/**
 * A copy of the entry.
 *
 * @param gate what has to be fulfilled before the engine is there; what it throws is what the download throws
 */
export async function lateEntry(gate) {
  const copy = copies++;
  gates.set(copy, gate);
  return import(`${import.meta.resolve('tool-approval-guard')}?late=${copy}`);
}

/** A copy whose engine comes after `load()`, or fails for `fail()`; a failed attempt can be followed by another one. */
export async function heldEntry() {
  /** What each attempt waits for. */
  const waits = [];
  const waitOf = (attempt) => {
    if (waits[attempt] === undefined) {
      const wait = {};
      wait.promise = new Promise((resolve, reject) => Object.assign(wait, { resolve, reject }));
      // It may be over before the file is asked for.
      wait.promise.catch(() => {});
      waits[attempt] = wait;
    }
    return waits[attempt];
  };
  let attempts = 0;
  let over = 0;
  const entry = await lateEntry(() => waitOf(attempts++).promise);
  return {
    ...entry,
    get attempts() {
      return attempts;
    },
    load: () => waitOf(over).resolve(),
    fail: (error = new TypeError('Failed to fetch dynamically imported module')) =>
      waitOf(over++).reject(error),
  };
}
