import type { ChatRequestOptions, UIMessage } from 'ai';

/** A request that is about to leave. */
export interface OutgoingRequest<M extends UIMessage> extends ChatRequestOptions {
  messages: M[];
  chatId: unknown;
  trigger: unknown;
  messageId?: unknown;
  abortSignal?: unknown;
}

/** The yes of the predicate, until the event loop turns. */
export class AutomaticSend<M extends UIMessage> {
  /** The request that has left since the yes; `undefined` when no yes was given in this turn. */
  #yes: { left: OutgoingRequest<M> | undefined } | undefined;

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
  isOvertaken(request: OutgoingRequest<M>): boolean {
    const yes = this.#yes;
    if (yes === undefined) return false;
    const { left } = yes;
    // A transport may send the same request twice, or be wrapped twice.
    if (left === undefined || left.abortSignal === request.abortSignal) {
      yes.left ??= request;
      return false;
    }
    const { messages, trigger, messageId } = request;
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
