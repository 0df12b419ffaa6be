// Tells others about changes: listeners, the handlers of events and errors, the record.

import { NONE } from '../engine/rows.js';
import type { Engine } from '../engine/engine.js';
import { GuardError, ofChat } from '../error.js';
import { StatusField } from '../generated/abi.js';
import type { ApprovalGuardOptions } from '../types.js';
import type { Running } from './running.js';

/**
 * The most rounds in which listeners are told again because they changed the guard themselves. Further changes wait for the
 * next notification.
 */
const ROUNDS = 10;

/** The part of a guard that notifications are about. */
export interface NotificationsHost {
  /** The running guard, if its engine has started. */
  running(): Running | undefined;
  /** Increases with changes outside the core that a page shows. */
  readonly shellRevision: number;
}

/** Tells others what happened after the core is done, because they may call the guard again. */
export class Notifications {
  readonly #options: Pick<ApprovalGuardOptions, 'onEvent' | 'onError'>;
  readonly #chatId: () => string | undefined;
  #listeners: readonly (() => void)[] = NONE;
  /** The state that the listeners were last told about. */
  #state = 0;
  /** The number of entries that were passed on. */
  #entries = 0;
  /** The calls below this one are dropped. */
  #forgotten = 1;
  #isTelling = false;

  constructor(options: Pick<ApprovalGuardOptions, 'onEvent' | 'onError'>, chatId: () => string | undefined) {
    this.#options = options;
    this.#chatId = chatId;
  }

  /** Calls a listener on every change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners = this.#listeners.concat(own);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Ends all subscriptions. */
  clear(): void {
    this.#listeners = NONE;
  }

  /** Calls all listeners. */
  tellAll(): void {
    for (const listener of this.#listeners) this.#call(listener);
  }

  /** Runs `work` without notifications: a component that renders must not be told to render. */
  silently<T>(work: () => T): T {
    const wasTelling = this.#isTelling;
    this.#isTelling = true;
    try {
      return work();
    } finally {
      this.#isTelling = wasTelling;
    }
  }

  /** Tells others what is new. */
  flush(guard: NotificationsHost): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let round = 0, again = true; again && round < ROUNDS; round++) {
        this.drain(guard.running());
        this.#tellEvents(guard.running());
        again = this.#tellListeners(guard.running()?.engine, guard.shellRevision);
      }
    } finally {
      this.#isTelling = false;
    }
  }

  /** Reports the problems that the core found, and returns them. */
  drain(running: Running | undefined): GuardError[] {
    return (running?.decoder.problems() ?? []).map((error) => this.report(error));
  }

  #tellEvents(running: Running | undefined): void {
    if (running === undefined) return;
    const { engine, decoder, recorder } = running;
    try {
      recorder.recordNew();
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
    this.#forget(running);
  }

  /** Drops the calls that the core has dropped, after every listener was called. */
  #forget(running: Running): void {
    const first = running.engine.core.get(StatusField.Forgotten);
    // A listener may have ended the guard.
    if (first === 0 || first === this.#forgotten) return;
    this.#forgotten = first;
    running.forget(first);
  }

  /** Tells the listeners about a change, once; returns whether there was one. */
  #tellListeners(engine: Engine | undefined, shellRevision: number): boolean {
    if (engine === undefined) return false;
    const state = engine.core.get(StatusField.Changes) + engine.transcript.version + shellRevision;
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

  /** Reports that a function of the application failed. */
  failed(cause: unknown): void {
    this.report(
      new GuardError('listener-failed', 'A function that was passed to the guard threw an error.', { cause }),
    );
  }

  /** Counts the errors by their codes, if there is a record. */
  count: ((code: string) => void) | undefined;

  /** Reports an error, and returns it. */
  report(error: GuardError): GuardError {
    ofChat(error, this.#chatId());
    this.count?.(error.code);
    const { onError } = this.#options;
    try {
      if (onError === undefined) console.error(error);
      else onError(error);
    } catch {
      // Nobody can be told that the error handler itself failed.
    }
    return error;
  }
}
