// Objects that live longer than a guard (a module, rules, a record, a timer) must not keep it alive, and are
// told when it is gone.
import { notifyAll } from './notify-all.js';

/** Finds an object as long as something else holds it. */
export type Reference<T> = Pick<WeakRef<T & object>, 'deref'>;

/** On a platform without weak references, only `dispose()` frees anything. */
export const referTo = <T extends object>(target: T): Reference<T> =>
  typeof WeakRef === 'undefined' ? holding(target) : new WeakRef(target);

const holding = <T extends object>(target: T): Reference<T> => ({ deref: () => target });

/**
 * Returns a function that works on the target as long as something else holds it, and afterwards does
 * nothing.
 */
export const whileHeld =
  <T extends object, A extends unknown[], R>(self: Reference<T>, work: (target: T, ...given: A) => R) =>
  (...given: A): R | undefined => {
    const target = self.deref();
    return target && work(target, ...given);
  };

let registry: FinalizationRegistry<Iterable<() => void>> | undefined;

/** The functions to be called when nothing holds `owner` any more. None of them may hold `owner`. */
export function endsOf(owner: object): Set<() => void> {
  const ends = new Set<() => void>();
  if (typeof FinalizationRegistry !== 'undefined') {
    registry ??= new FinalizationRegistry(notifyAll);
    registry.register(owner, ends);
  }
  return ends;
}
