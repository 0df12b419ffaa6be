// A guard without an engine: it says no, and why.
import { emptySnapshot } from '../empty.js';
import type { GuardError } from '../error.js';
import type { Settings } from '../options.js';
import type { Snapshot } from '../prompt.js';
import { soon } from '../soon.js';
import type { Verdict } from '../types/events.js';
import { verdictOf } from '../verdict.js';
import { Unanswerable } from './unanswerable.js';

const DISPOSED = verdictOf('disposed');
export const UNAVAILABLE = verdictOf('unavailable');
export const NOTHING_KNOWN: Omit<Snapshot, 'verdict'> = emptySnapshot('unavailable', UNAVAILABLE.message);

/** The part of a guard that its end uses. */
interface EndedHost {
  snapshot(): Snapshot;
  readonly notifications: { tellAll(): void };
}

/** The end of a guard. */
export class Ended {
  /** `missing`: the engine could not be started. */
  readonly reason: 'disposed' | 'trapped' | 'missing';
  readonly error: GuardError;
  /** Whether a use of the guard has reported the error. */
  isReported: boolean;
  /** The messages that the guard was last given. */
  messages: readonly unknown[] | undefined;
  #unanswerable: Unanswerable | undefined;
  #willTell = false;
  /** The snapshot that listeners last knew. */
  #known: Snapshot | undefined;

  constructor(reason: Ended['reason'], error: GuardError, isReported = false) {
    this.reason = reason;
    this.error = error;
    this.isReported = isReported;
  }

  get verdict(): Verdict {
    return this.reason === 'disposed' ? DISPOSED : UNAVAILABLE;
  }

  /**
   * The snapshot without an engine: the calls that ask are still shown.
   *
   * @param shown the messages of the attached chat
   */
  shown(shown: () => readonly unknown[] | undefined, settings: Settings): Omit<Snapshot, 'verdict'> {
    if (this.reason !== 'missing') return NOTHING_KNOWN;
    try {
      const messages = shown() ?? this.messages;
      if (messages === undefined) return NOTHING_KNOWN;
      const calls = (this.#unanswerable ??= new Unanswerable()).in(messages, settings);
      return { ...NOTHING_KNOWN, calls, approvals: calls };
    } catch {
      // The messages cannot be read.
      return NOTHING_KNOWN;
    }
  }

  /**
   * Tells the page of calls that ask, in a task of its own, because a rendering may have asked for the engine.
   *
   * @param known the snapshot that listeners know, if they were never told of one
   */
  tellSoon(host: EndedHost, known: Snapshot | undefined): void {
    if (this.reason !== 'missing' || this.#willTell) return;
    this.#willTell = true;
    this.#known ??= known;
    soon(() => {
      this.#willTell = false;
      // Some components may have read the snapshot meanwhile, and others have not.
      const shown = host.snapshot();
      if (shown === this.#known || (this.#known === undefined && shown.calls.length === 0)) return;
      this.#known = shown;
      host.notifications.tellAll();
    });
  }
}
