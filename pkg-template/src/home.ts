import type { UIMessage } from 'ai';

import { problem } from './view.js';
import type { AttachableChat, AttachedApprovalResponse } from './types.js';

/** What a guard hears from an attached chat. */
export interface Listener {
  answered(response: AttachedApprovalResponse): void;
  stopped(): void;
}

/** The chat's own messages: those of a `Chat`, or those behind what `useChat` returns. */
export class Home<M extends UIMessage> {
  readonly chat: AttachableChat<M>;
  readonly #undo: (() => void)[] = [];
  /** The method of the chat, where a listener stands before it. */
  #answer: AttachableChat<M>['addToolApprovalResponse'];

  /** @throws GuardError `invalid-input` when it is no chat */
  constructor(chat: AttachableChat<M>, listener: Listener) {
    if (typeof chat !== 'object' || chat === null || !Array.isArray(chat.messages)) {
      throw problem('invalid-input');
    }
    this.chat = chat;
    this.#answer = chat.addToolApprovalResponse;
    this.#before('addToolApprovalResponse', (response) =>
      listener.answered(response as AttachedApprovalResponse),
    );
    this.#before('stop', () => listener.stopped());
  }

  /** Is `messages` the newest list, or one that a render handed out? */
  get isCurrent(): boolean {
    return this.chat.setMessages === undefined;
  }

  /** Replaces the messages by what `change` makes of the newest list. */
  write(change: (messages: readonly M[]) => readonly M[]): void {
    const { chat } = this;
    if (chat.setMessages !== undefined) {
      chat.setMessages((messages) => change(messages) as M[]);
      return;
    }
    const messages = chat.messages;
    const changed = change(messages);
    if (changed !== messages) chat.messages = changed as M[];
  }

  /** Are there messages that the chat (`ai` 7, `experimental_queue`) sends after this request? */
  get queues(): boolean {
    const { experimental_queuedMessages: queued } = this.chat as { experimental_queuedMessages?: unknown };
    return Array.isArray(queued) && queued.length > 0;
  }

  /** Can an answer be written? */
  get takesAnswers(): boolean {
    return typeof this.chat.addToolApprovalResponse === 'function';
  }

  /** Answers an approval, past the listener: this answer comes from the guard. */
  async answer(response: AttachedApprovalResponse): Promise<void> {
    const { chat } = this;
    const answer = this.#answer ?? chat.addToolApprovalResponse;
    await answer?.call(chat, response);
  }

  /** Takes the listeners off again. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /**
   * Calls `hear` before a method of the chat. An answer that is given while a response streams is
   * followed by no question to the predicate, so an output written over it would hide it.
   */
  #before(name: 'addToolApprovalResponse' | 'stop', hear: (argument: unknown) => void): void {
    const chat = this.chat as unknown as Record<string, unknown>;
    const original = chat[name];
    if (typeof original !== 'function') return;
    const wrapped = (...args: unknown[]): unknown => {
      hear(args[0]);
      return Reflect.apply(original, chat, args);
    };
    // A frozen or read-only chat is left as it is: what it does is seen in its messages.
    if (!Reflect.set(chat, name, wrapped) || chat[name] !== wrapped) return;
    this.#undo.push(() => {
      if (chat[name] === wrapped) chat[name] = original;
    });
  }
}
