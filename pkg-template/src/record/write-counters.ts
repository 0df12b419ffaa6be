/** The prefix of the keys of the counters, which survive a reload of the tab. */
const PREFIX = 'tool-approval-guard:marks:';

/** Remembers in the tab how often a document was written, so that an older copy of it is recognised. */
export class WriteCounters {
  readonly #key: string;

  /** @param prefix the prefix of the documents of the chat */
  constructor(prefix: string) {
    this.#key = PREFIX + prefix;
  }

  /** Whether this tab knows a newer state of the document. Only a backup or an attacker writes an older one. */
  isOlder(session: string, counter: number): boolean {
    const known = this.#read()[session];
    return known !== undefined && counter < known;
  }

  remember(session: string, counter: number): void {
    try {
      globalThis.sessionStorage?.setItem(this.#key, JSON.stringify({ [session]: counter }));
    } catch {
      // Without the counter an older document is not recognised. It still allows nothing by itself.
    }
  }

  clear(): void {
    try {
      globalThis.sessionStorage?.removeItem(this.#key);
    } catch {
      // Blocked storage has no counters.
    }
  }

  #read(): Readonly<Record<string, number>> {
    try {
      const text = globalThis.sessionStorage?.getItem(this.#key);
      const counters: unknown = JSON.parse(text ?? '{}');
      return typeof counters === 'object' && counters !== null ? (counters as Record<string, number>) : {};
    } catch {
      return {};
    }
  }
}
