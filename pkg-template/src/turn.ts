import type { ChatRequestOptions, UIMessage } from 'ai';

/** A request that is about to leave. */
export interface Leaving<M extends UIMessage> extends ChatRequestOptions {
  messages: M[];
  chatId: unknown;
  trigger: unknown;
  messageId?: unknown;
  abortSignal?: unknown;
}

/** The turn of the event loop in which a yes was given. */
export class Turn<M extends UIMessage> {
  /** The request that has left since the yes; `undefined` when no yes was given in this turn. */
  #yes: { left: Leaving<M> | undefined } | undefined;

  /** A yes was given in this turn; whoever acts in the same turn may overtake it. */
  saidYes(): void {
    if (this.#yes === undefined) setTimeout(() => (this.#yes = undefined), 0);
    this.#yes = { left: undefined };
  }

  /** A request is over, so that another one is no second one. */
  over(): void {
    if (this.#yes !== undefined) this.#yes.left = undefined;
  }

  /**
   * Was this request caused by a yes of this turn, and has another one already left in it that took
   * everything along? The chat takes its messages some microtasks after the yes, so that a message
   * that was sent in between is in both requests, and after a continue, an edit or a regeneration
   * there are two for one step.
   */
  isOvertaken(leaving: Leaving<M>): boolean {
    const yes = this.#yes;
    if (yes === undefined) return false;
    const { left } = yes;
    // A transport may send the same request twice, or be wrapped twice.
    if (left === undefined || left.abortSignal === leaving.abortSignal) {
      yes.left ??= leaving;
      return false;
    }
    const { messages, trigger, messageId } = leaving;
    const last = messages.at(-1);
    const names = (message: M) => message.id === messageId;
    const isStale =
      trigger === 'submit-message' &&
      messageId !== undefined &&
      last !== undefined &&
      !names(last) &&
      messages.find(names)?.role !== 'user';
    return isStale || (left.messages.length === messages.length && left.messages.at(-1) === last);
  }
}
