// The tools that run in the page, if a function of the application tells which.
import type { Core } from '../engine/core.js';
import { clientToolFact } from '../generated/abi.js';
import type { StringIds } from './string-ids.js';

/**
 * Tells the core which tools run in the page. A name is asked about when a call of it is first seen, and again before each
 * decision about a request, until the function has returned `true`. From then on it stays a tool of the page: to forget it
 * could send one of its calls before it has its output.
 */
export class ClientTools {
  readonly #core: Core;
  readonly #ids: StringIds;
  /** Undefined if the option is a list. */
  readonly #runsHere: ((toolName: string) => boolean) | undefined;
  /** The names of the calls so far, and whether each is known to run in the page. */
  readonly #names = new Map<string, boolean>();

  constructor(core: Core, ids: StringIds, runsHere: ((toolName: string) => boolean) | undefined) {
    this.#core = core;
    this.#ids = ids;
    this.#runsHere = runsHere;
  }

  /** Called before the core is told of a call of this tool. */
  see(tool: unknown): void {
    if (this.#runsHere === undefined || typeof tool !== 'string' || this.#names.has(tool)) return;
    this.#names.set(tool, false);
    this.#ask(tool, this.#runsHere);
  }

  /** Asks again about the tools that did not run in the page so far: they may have been registered meanwhile. */
  renew(): void {
    if (this.#runsHere === undefined) return;
    for (const [tool, isKnown] of this.#names) if (!isKnown) this.#ask(tool, this.#runsHere);
  }

  #ask(tool: string, runsHere: (toolName: string) => boolean): void {
    if (!runsHere(tool)) return;
    this.#names.set(tool, true);
    clientToolFact(this.#core.facts, { tool: this.#ids.of(tool) });
  }
}
