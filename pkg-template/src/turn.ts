import type { UIMessage } from 'ai';

/** A request that is about to leave. */
export interface Leaving<M extends UIMessage> {
  messages: M[];
  chatId: unknown;
  trigger: unknown;
  messageId?: unknown;
}

/** The turn of the event loop in which a yes was given. */
export class Turn<M extends UIMessage> {
  /** The list that has left since the yes; `undefined` when no yes was given in this turn. */
  #yes: { left: readonly M[] | undefined } | undefined;

  /** A yes was given in this turn; whoever acts in the same turn may overtake it. */
  saidYes(): void {
    if (this.#yes === undefined) setTimeout(() => (this.#yes = undefined), 0);
    this.#yes = { left: undefined };
  }

  /**
   * Was this request caused by a yes of this turn, and somebody has acted since? The chat takes its
   * messages some microtasks after the yes: a message that was sent in between is in both requests,
   * and after a continue, an edit or a regeneration there are two for one step.
   */
  isOvertaken({ messages, trigger, messageId }: Leaving<M>): boolean {
    const yes = this.#yes;
    if (yes === undefined) return false;
    const last = messages.at(-1);
    const names = (message: M) => message.id === messageId;
    const stale =
      trigger === 'submit-message' &&
      messageId !== undefined &&
      last !== undefined &&
      !names(last) &&
      messages.find(names)?.role !== 'user';
    const again = yes.left !== undefined && yes.left.length === messages.length && yes.left.at(-1) === last;
    if (!stale) yes.left ??= messages;
    return stale || again;
  }
}
