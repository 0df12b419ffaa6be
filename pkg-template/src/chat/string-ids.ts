/** Strings and the numbers that stand for them in the core. Strings stay in JavaScript: a lone surrogate survives. */
export class StringIds {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | undefined)[] = [undefined];
  /** Numbers that nothing uses any more. */
  readonly #free: number[] = [];

  /** The number of a string; 0 for anything else. */
  of(text: unknown): number {
    if (typeof text !== 'string') return 0;
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#free.pop() ?? this.#texts.length;
      this.#texts[id] = text;
      this.#ids.set(text, id);
    }
    return id;
  }

  /** The number of a string that has one; 0 for anything else. */
  known(text: string): number {
    return this.#ids.get(text) ?? 0;
  }

  /** The string behind a number; nothing for 0. */
  text(id: number | undefined): string | undefined {
    return this.#texts[id ?? 0];
  }

  /** Whether a number stands for this text. */
  has(text: unknown): boolean {
    return typeof text === 'string' && this.#ids.has(text);
  }

  /** Forgets the strings that nothing uses. */
  keep(used: ReadonlySet<number>): void {
    this.#texts.forEach((text, id) => {
      if (text === undefined || used.has(id)) return;
      this.#ids.delete(text);
      this.#texts[id] = undefined;
      this.#free.push(id);
    });
  }
}
