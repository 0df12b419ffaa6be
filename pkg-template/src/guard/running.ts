// A guard that runs: its engine, and what reads from it.
import { prune, startEngine, type Engine, type Failures } from '../engine/engine.js';
import { NONE } from '../engine/rows.js';
import type { Wakeable } from '../engine/core.js';
import { endsOf, type Reference } from '../lifetime.js';
import { notifyAll } from '../notify-all.js';
import type { Settings } from '../options.js';
import { LedgerDecoder } from './ledger-decoder.js';
import { UNRECORDED, type Recorder } from './recorder.js';
import { Snapshots } from './snapshots.js';

/** The engine of a guard, and what is made of it, from the first use of the guard to its end. */
export class Running {
  readonly engine: Engine;
  readonly decoder: LedgerDecoder;
  readonly snapshots: Snapshots;
  recorder: Recorder = UNRECORDED;
  #ends: Set<() => void> | undefined;

  /** @throws GuardError `wasm-unavailable` */
  constructor(
    settings: Settings,
    failures: Failures,
    owner: Reference<Wakeable>,
    chatId: () => string | undefined,
  ) {
    this.engine = startEngine(settings, failures, owner);
    this.decoder = new LedgerDecoder(this.engine, settings.user, chatId);
    this.snapshots = new Snapshots(this.engine, settings, failures);
  }

  /** Drops the calls below a number. */
  forget(first: number): void {
    prune(this.engine, first);
    this.snapshots.forget(first);
  }

  /** Has `end` called when the guard ends, or when nothing holds it any more. `end` must not hold it. */
  endWith(end: () => void): void {
    (this.#ends ??= endsOf(this)).add(end);
  }

  /** Ends everything. The record stays, and another guard can continue it. */
  end(isTrapped: boolean): void {
    this.recorder.close();
    notifyAll(this.#ends ?? NONE);
    this.#ends?.clear();
    this.engine.core.free(isTrapped);
  }
}
