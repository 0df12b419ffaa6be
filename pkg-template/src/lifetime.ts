// What lives longer than a guard (a module, rules, a record, a timer) must not keep it, and is told when it is gone.
import { notifyAll } from './notify-all.js';

/** Finds an object as long as somebody else holds it. */
export type Reference<T> = Pick<WeakRef<T & object>, 'deref'>;

/** Where the platform has no weak references, nothing is freed without `dispose()`. */
export const referTo = <T extends object>(target: T): Reference<T> =>
  typeof WeakRef === 'undefined' ? holding(target) : new WeakRef(target);

const holding = <T extends object>(target: T): Reference<T> => ({ deref: () => target });

/** A function that does this with the target as long as somebody else holds it, and afterwards nothing. */
export const whileHeld =
  <T extends object, A extends unknown[], R>(self: Reference<T>, work: (target: T, ...given: A) => R) =>
  (...given: A): R | undefined => {
    const target = self.deref();
    return target && work(target, ...given);
  };

let registry: FinalizationRegistry<Iterable<() => void>> | undefined;

/** What is to be called when nobody holds `owner` any more. None of it may hold `owner`. */
export function endsOf(owner: object): Set<() => void> {
  const ends = new Set<() => void>();
  if (typeof FinalizationRegistry !== 'undefined') {
    registry ??= new FinalizationRegistry(notifyAll);
    registry.register(owner, ends);
  }
  return ends;
}
