/**
 * Gives strings the numbers by which the core knows them. The strings stay in JavaScript, so a lone surrogate
 * is kept.
 */
export class StringIds {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | undefined)[] = [undefined];
  /** Numbers that can be given out again. */
  #free: number[] | undefined;

  /** The number of a string; 0 for any other value. */
  of(text: unknown): number {
    if (typeof text !== 'string') return 0;
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#free?.pop() ?? this.#texts.length;
      this.#texts[id] = text;
      this.#ids.set(text, id);
    }
    return id;
  }

  /** The number of a string that already has one, otherwise 0. */
  known(text: unknown): number {
    return this.#ids.get(text as string) ?? 0;
  }

  /** The string with this number; `undefined` for 0. */
  text(id: number | undefined): string | undefined {
    return this.#texts[id ?? 0];
  }

  /** Whether this text has a number. */
  has(text: unknown): boolean {
    return typeof text === 'string' && this.#ids.has(text);
  }

  /** Drops the strings that are no longer in use. */
  keep(used: ReadonlySet<number>): void {
    this.#texts.forEach((text, id) => {
      if (text === undefined || used.has(id)) return;
      this.#ids.delete(text);
      this.#texts[id] = undefined;
      (this.#free ??= []).push(id);
    });
  }
}

/** Numbers for the identities of objects, from 1. 0 stands for everything else. None of them is held. */
export class ObjectIds {
  readonly #ids = new WeakMap<object, number>();
  #last = 0;

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0;
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    this.#ids.set(value, ++this.#last);
    return this.#last;
  }
}
