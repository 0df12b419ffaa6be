// The requests of a guard whose chat other tabs may show: each leaves when the record has claimed its answers for this tab.
import type { UIMessage } from 'ai';

import type { GuardError } from '../error.js';
import {
  failedFact,
  permitFact,
  permitOverFact,
  StatusField,
  waitedFact,
  Way,
  type Permit,
  type WaitedFact,
} from '../generated/abi.js';
import type { OutgoingRequest } from '../guard/outgoing-request.js';
import type { EngineOfGuard, Releasing, Released, RecordedRequests } from '../guard/recorder.js';
import { isAborted } from '../guard/transport.js';
import { keptList } from './kept-list.js';

/** How often a request is claimed anew because other tabs have answered meanwhile. */
const MOST_CLAIMS = 8;

/** The recorder, as far as requests need it. */
interface Claiming {
  readonly isShared: boolean;
  /** The engine of the guard, until the guard ends. */
  readonly engine: EngineOfGuard | undefined;
  /** Runs work that claims to send answers in a transaction. @throws GuardError `storage-timeout`, `record-in-use` */
  claim<T extends { request: number }>(work: () => T): Promise<T>;
  /** The error of a transaction that did not end in time. */
  late(cause: unknown): GuardError;
}

/** A request while it waits for its transaction. */
interface Waiting<M extends UIMessage> {
  readonly guard: Releasing<M>;
  readonly options: OutgoingRequest<M>;
  /** Whether it has no message of a person at its end. */
  readonly continues: boolean;
  /** Whether another tab, or another request, has sent what this one was about to send. */
  readonly isOver: () => boolean;
  /** Whether the chat was stopped meanwhile. */
  readonly isStopped: () => boolean;
}

export class ClaimedRequests implements RecordedRequests {
  readonly #recorder: Claiming;
  /** The permission of a person for a request that has not left yet. */
  #permit: Permit | undefined;
  /** The last request that was counted and has not left, because its claim was refused. */
  #unclaimed: number | undefined;
  readonly #waiting = new Set<Promise<unknown>>();

  constructor(recorder: Claiming) {
    this.#recorder = recorder;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  permit(permit: Permit | undefined): void {
    this.#permit = permit;
  }

  settled(): Promise<unknown> {
    return Promise.allSettled(this.#waiting);
  }

  hasLeft(request: number): boolean {
    return request !== this.#unclaimed;
  }

  outgoing<M extends UIMessage>(
    guard: Releasing<M>,
    options: OutgoingRequest<M>,
  ): Released<M> | Promise<Released<M>> {
    if (!this.#recorder.isShared) return guard.requests.release(options, false);
    const { attachments } = guard;
    const continues = guard.requests.wait(options);
    const { core } = this.#recorder.engine ?? {};
    // A message of the user may leave before what the person has pressed a button for.
    const permit = continues ? this.#permit : undefined;
    if (continues) this.#permit = undefined;
    const { stops } = attachments;
    const waited = {
      continues,
      promised: core?.get(StatusField.Promised) === 1,
      latest: core?.get(StatusField.Requests) ?? 0,
    };
    const left = this.#claim({
      guard,
      options,
      continues,
      isOver: () => this.#isTaken(permit, waited),
      // The chat does not abort a request that a later one has taken the place of.
      isStopped: () => continues && attachments.stops > stops,
    });
    const over = (): void => void this.#waiting.delete(left);
    this.#waiting.add(left);
    left.then(over, over);
    return left;
  }

  /**
   * Claims the answers that a request is about to send. If another tab was first, they are claimed anew: the chat sees a
   * request without anything left to send as aborted. A message of the user leaves all the same, with the answers of the
   * other tab (law 17): no tab but this one has it.
   *
   * @param claims how often it may still be claimed
   */
  async #claim<M extends UIMessage>(waiting: Waiting<M>, claims = MOST_CLAIMS): Promise<Released<M>> {
    const { guard, options, continues, isOver, isStopped } = waiting;
    const taken = new DOMException('Another tab has sent this.', 'AbortError');
    let left: Released<M> | undefined;
    let kept: (() => readonly M[]) | undefined;
    try {
      const { request } = await this.#recorder.claim(() => {
        if (isAborted(options.abortSignal) || isStopped() || (left === undefined && isOver())) throw taken;
        left ??= guard.requests.release(options, true);
        kept ??= keptList(left.messages);
        return left;
      });
      // A response may write into a message until the transport is asked.
      return {
        request,
        get messages() {
          return kept?.() ?? [];
        },
        options: left?.options,
        isStopped,
      };
    } catch (cause) {
      const { code } = cause as { code?: unknown };
      const isTaken = cause === taken || code === 'refused';
      // For the chat, this is a request that has failed, also if the guard does not know of it yet.
      if (code === 'storage-timeout' && !isAborted(options.abortSignal))
        left ??= guard.requests.release(options, true);
      const request = left?.request ?? 0;
      this.#unclaimed = request;
      // It has not left, although the guard may have treated it as sent.
      if (request !== 0 && this.#recorder.engine !== undefined)
        guard.run(({ core }) => failedFact(core.facts, { request, asked: false, status: NaN }));
      if (isTaken) guard.run((engine) => guard.attachments.repair(engine, true));
      if (!isTaken) throw cause;
      if (cause === taken || isAborted(options.abortSignal)) throw taken;
      // A continue without a message loses nothing of the user's, so it is no error.
      if (claims <= 1) throw continues ? taken : guard.report(this.#recorder.late(cause));
      return this.#claim(waiting, claims - 1);
    }
  }

  /**
   * Whether another tab, or another request, has sent what a request was about to send.
   *
   * @param permit the permission of a person that it uses
   * @param waited what was known when it began to wait
   */
  #isTaken(permit: Permit | undefined, waited: WaitedFact): boolean {
    const { core } = this.#recorder.engine ?? {};
    if (core === undefined) return false;
    core.apply();
    if (permit === undefined) {
      waitedFact(core.facts, waited);
      return core.apply().isOvertaken;
    }
    // A request that left while this one waited has used the permission up, whatever came of it.
    const sent = core.get(StatusField.Requests);
    if (sent > waited.latest && this.hasLeft(sent)) return true;
    // A person may have pressed in two tabs, so the permission is checked again.
    permitOverFact(core.facts);
    permitFact(core.facts, { permit });
    const { way = Way.Nothing } = core.apply().permitted ?? {};
    return way === Way.Nothing || way === Way.Waiting;
  }
}
