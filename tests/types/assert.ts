// What the type tests are written with.

/** Compiles only for `true`. */
export type Expect<T extends true> = T;

/** Are two types the same, and not only assignable to each other? */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `any` is the only type that is below `never` in an intersection with 1. */
export type IsAny<T> = 0 extends 1 & T ? true : false;

/** The names of the members that are `any`, or functions that take or give `any`. */
export type Anys<T> = {
  [K in keyof T]-?: IsAny<T[K]> extends true
    ? K
    : T[K] extends (...args: infer A) => infer R
      ? IsAny<R> extends true
        ? K
        : true extends { [I in keyof A]: IsAny<A[I]> }[number]
          ? K
          : never
      : never;
}[keyof T];
