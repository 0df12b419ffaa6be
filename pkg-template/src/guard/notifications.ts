// What a guard tells others: listeners, the handler of events, the handler of errors, its record.

import { prune, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import { StatusField } from '../generated/abi.js';
import type { ApprovalGuardOptions } from '../types.js';
import type { LedgerDecoder } from './ledger-decoder.js';
import type { Recorder } from './recorder.js';
import type { Snapshots } from './snapshots.js';

/** How often listeners that change the guard are told of it at once; the rest waits for the next change. */
const ROUNDS = 10;

/** What there is to tell of. */
export interface Told {
  readonly engine: Engine;
  readonly decoder: LedgerDecoder;
  readonly snapshots: Snapshots;
  readonly recorder: Recorder | undefined;
}

/** Tells what happened, after the core is done: whoever is told may call the guard again. */
export class Notifications {
  readonly #options: Pick<ApprovalGuardOptions, 'onEvent' | 'onError'>;
  readonly #listeners = new Set<() => void>();
  /** The state that the listeners were told of. */
  #state = 0;
  /** How many entries were told. */
  #entries = 0;
  /** The calls below this one are forgotten. */
  #forgotten = 1;
  #isTelling = false;

  constructor(options: Pick<ApprovalGuardOptions, 'onEvent' | 'onError'>) {
    this.#options = options;
  }

  /** Calls a listener with every change. Returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Ends all subscriptions. */
  clear(): void {
    this.#listeners.clear();
  }

  /** Calls all listeners. */
  tellAll(): void {
    for (const listener of [...this.#listeners]) this.#call(listener);
  }

  /** Runs work during which nobody is told: whoever renders must not be told to render. */
  silently<T>(work: () => T): T {
    const wasTelling = this.#isTelling;
    this.#isTelling = true;
    try {
      return work();
    } finally {
      this.#isTelling = wasTelling;
    }
  }

  /**
   * Tells what is new.
   *
   * @param state what there is to tell of, as it is now
   * @param beside grows with what can be shown and is no state of the core
   */
  flush(state: () => Told | undefined, beside: () => number): void {
    if (this.#isTelling) return;
    this.silently(() => {
      for (let round = 0, again = true; again && round < ROUNDS; round++) {
        this.drain(state());
        this.#tellEvents(state());
        again = this.#tellListeners(state()?.engine, beside());
      }
    });
  }

  /** Reports the problems that the core has found, and returns them. */
  drain(told: Told | undefined): GuardError[] {
    return (told?.decoder.problems() ?? []).map((error) => this.report(error));
  }

  #tellEvents(told: Told | undefined): void {
    if (told === undefined) return;
    const { engine, decoder, recorder } = told;
    try {
      recorder?.recordNew();
    } catch (cause) {
      this.failed(cause);
    }
    const length = engine.core.get(StatusField.Length);
    if (length === this.#entries) return;
    const from = this.#entries;
    this.#entries = length;
    const { onEvent } = this.#options;
    if (onEvent !== undefined) {
      for (const entry of decoder.entries(from)) this.#call(() => onEvent(entry));
    }
    this.#forget(told);
  }

  /** Gives up what the core has given up, once everybody was told of it. */
  #forget({ engine, snapshots }: Told): void {
    const first = engine.core.get(StatusField.Forgotten);
    // Whoever was told may have ended the guard.
    if (first === 0 || first === this.#forgotten) return;
    this.#forgotten = first;
    prune(engine, first);
    snapshots.forget(first);
  }

  /** Tells the listeners once of a change; returns whether there was one. */
  #tellListeners(engine: Engine | undefined, beside: number): boolean {
    if (engine === undefined) return false;
    const state = engine.core.get(StatusField.Changes) + engine.transcript.told + beside;
    if (state === this.#state) return false;
    this.#state = state;
    this.tellAll();
    return true;
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (cause) {
      this.failed(cause);
    }
  }

  /** Reports that a function of the application has failed. */
  failed(cause: unknown): void {
    this.report(
      new GuardError('listener-failed', 'A function that the guard was given has failed.', { cause }),
    );
  }

  /** Reports an error, and returns it. */
  report(error: GuardError): GuardError {
    const { onError } = this.#options;
    try {
      if (onError === undefined) console.error(error);
      else onError(error);
    } catch {
      // A failing handler of errors has nobody to tell.
    }
    return error;
  }
}
