// The commits of a guard whose chat other tabs may show: each is stored before the chat gets its answers.
import { questionsIn } from '../chat/questions.js';
import type { Engine } from '../engine/engine.js';
import type { CommittingGuard, EngineOfGuard, RecordedCommits } from '../guard/recorder.js';

/** The recorder, as far as commits need it. */
interface Storing {
  /** The engine of the guard, until the guard ends. */
  readonly engine: EngineOfGuard | undefined;
  /** Runs work in a transaction. @throws GuardError `storage-timeout`, `record-in-use`, as a rejection */
  inTransaction<T>(work: () => T): Promise<T>;
}

export class StoredCommits implements RecordedCommits {
  readonly #recorder: Storing;
  /** Whether a commit waits for its transaction. */
  #waits = false;
  /** The approval ids of the answers that were committed and are being stored. The chat does not show them yet. */
  #storing: ReadonlySet<unknown> | undefined;
  /** Whether a commit of a person could not be stored. */
  #isPostponed = false;

  constructor(recorder: Storing) {
    this.#recorder = recorder;
  }

  get isStoring(): boolean {
    return this.#storing !== undefined;
  }

  isAskedEarly(messages: readonly unknown[]): boolean {
    const ids = this.#storing;
    return ids !== undefined && questionsIn(messages).some((id) => ids.has(id));
  }

  takePostponed(): boolean {
    const isPostponed = this.#isPostponed;
    this.#isPostponed = false;
    return isPostponed;
  }

  takeStored(): boolean {
    if (this.#storing === undefined || this.#waits) return false;
    this.#storing = undefined;
    return true;
  }

  commit(guard: CommittingGuard, isByPerson: boolean): void {
    if (this.#waits) return;
    this.#waits = true;
    const goOn = (work: (engine: Engine) => void): void => {
      if (this.#recorder.engine === undefined) return;
      guard.run((engine) => {
        this.#waits = false;
        work(engine);
      });
    };
    const commit = (engine: Engine): void => {
      const ids = guard.decisions.commitNow(engine, isByPerson);
      if (ids.length > 0) this.#storing = new Set(ids);
    };
    this.#recorder
      .inTransaction(() => goOn(commit))
      .then(
        () => goOn((engine) => guard.decisions.writeStored(engine)),
        (cause: unknown) => {
          const { code } = cause as { code?: unknown };
          goOn(() => {
            // The record will tell what has become of it.
            if (code === 'storage-timeout' || code === 'refused') this.#isPostponed = isByPerson;
            else this.#storing = undefined;
          });
          // After a refusal, the record tells what another tab has decided.
          if (code !== 'refused') guard.fail(cause);
        },
      );
  }
}
