/** Names the calls of one guard towards a page. */
export class CallKeys {
  /** Random, so that the key of a call in another chat, or an id that a server chose, names no call here. */
  #made: string | undefined;

  get #prefix(): string {
    return (this.#made ??= `call-${Math.random().toString(36).slice(2, 10)}-`);
  }

  /** The key of a call. */
  of(call: number): string {
    return this.#prefix + String(call);
  }

  /** The call with this key; 0 if the text is not a key of this guard. */
  callOf(key: string): number {
    const call = Number(key.slice(this.#prefix.length));
    return this.of(call) === key ? call : 0;
  }
}
