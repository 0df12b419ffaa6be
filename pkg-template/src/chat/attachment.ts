import type { UIMessage } from 'ai';

import { problem } from '../verdict.js';
import type { AttachableChat, AttachedApprovalResponse } from '../types.js';

/** The events of an attached chat. */
export interface ChatEvents<M extends UIMessage> {
  /** The list that the chat itself last passed, with a question or a request. */
  newest(): readonly M[] | undefined;
  answered(chat: AttachedChat<M>, response: AttachedApprovalResponse): void;
  stopped(): void;
}

/** A function that runs before a method of the chat, for all guards that are attached to it. */
interface MethodTap {
  /** Whether the method was an own property of the chat, not inherited from its class. */
  isOwn: boolean;
  original: (...args: unknown[]) => unknown;
  /** The functions to call, by attachment. Several components may attach the same chat to the same guard. */
  listeners: Map<object, { owner: object; notify: (argument: unknown) => void }>;
}

const taps = /* @__PURE__ */ new WeakMap<object, MethodTap>();

/** The messages of an attached chat: a `Chat`, or the result of `useChat`. */
export class AttachedChat<M extends UIMessage> {
  readonly chat: AttachableChat<M>;
  readonly #listener: ChatEvents<M>;
  readonly #undo: (() => void)[] = [];
  /** The method of the chat without the listeners. */
  #answer: AttachableChat<M>['addToolApprovalResponse'];

  /** @throws GuardError `invalid-input` if it is not a chat */
  constructor(chat: AttachableChat<M>, listener: ChatEvents<M>) {
    if (typeof chat !== 'object' || chat === null || !Array.isArray(chat.messages)) {
      throw problem('invalid-input');
    }
    this.chat = chat;
    this.#listener = listener;
    this.#answer = chat.addToolApprovalResponse;
    const answer = this.#tap('addToolApprovalResponse', (response) =>
      listener.answered(this, response as AttachedApprovalResponse),
    );
    if (answer !== undefined)
      this.#answer = answer as NonNullable<AttachableChat<M>['addToolApprovalResponse']>;
    this.#tap('stop', () => listener.stopped());
  }

  /** Whether `messages` is the newest list, and not one from an earlier render. */
  get isCurrent(): boolean {
    return this.chat.setMessages === undefined;
  }

  /** Replaces the messages by the result of `change` for the newest list. */
  write(change: (messages: readonly M[]) => readonly M[]): void {
    const { chat } = this;
    if (chat.setMessages !== undefined) {
      chat.setMessages((messages) => change(messages) as M[], this.#listener.newest());
      return;
    }
    const messages = chat.messages;
    const changed = change(messages);
    if (changed !== messages) chat.messages = changed as M[];
  }

  /** Whether the chat has queued messages to send after this request (`ai` 7, `experimental_queue`). */
  get queues(): boolean {
    const { experimental_queuedMessages: queued } = this.chat as { experimental_queuedMessages?: unknown };
    return Array.isArray(queued) && queued.length > 0;
  }

  /** Whether the chat says that a request is on its way. A wrapper may have no status. */
  get isSending(): boolean {
    const { status } = this.chat as { status?: unknown };
    return status === 'submitted' || status === 'streaming';
  }

  /** Whether an answer can be written. */
  get takesAnswers(): boolean {
    return typeof this.chat.addToolApprovalResponse === 'function';
  }

  /** Answers an approval without telling the listener, because this answer comes from the guard. */
  async answer(response: AttachedApprovalResponse): Promise<void> {
    const { chat } = this;
    const answer = this.#answer ?? chat.addToolApprovalResponse;
    await answer?.call(chat, response);
  }

  /** Removes the listeners. */
  detach(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /**
   * Calls `notify` before a method of the chat, and returns the original method. This is needed because the
   * predicate is not asked after an answer that is given while a response streams, so an output written over
   * that answer would hide it.
   */
  #tap(name: 'addToolApprovalResponse' | 'stop', notify: (argument: unknown) => void): unknown {
    const chat = this.chat as unknown as Record<string, unknown>;
    const standing = chat[name];
    if (typeof standing !== 'function') return undefined;
    let method = standing;
    let tap = taps.get(method);
    if (tap === undefined) {
      const listeners: MethodTap['listeners'] = new Map();
      const original = standing as MethodTap['original'];
      const isOwn = Object.hasOwn(chat, name);
      method = (...args: unknown[]): unknown => {
        // Each guard is told once, through its latest attachment.
        const last = new Map([...listeners.values()].map(({ owner, notify }) => [owner, notify]));
        for (const notify of last.values()) notify(args[0]);
        return Reflect.apply(original, chat, args);
      };
      // A frozen or read-only chat is left unchanged; its answers are found in its messages.
      if (!Reflect.set(chat, name, method) || chat[name] !== method) return undefined;
      tap = { isOwn, original, listeners };
      taps.set(method, tap);
    }
    const { isOwn, original, listeners } = tap;
    listeners.set(this, { owner: this.#listener, notify });
    this.#undo.push(() => {
      listeners.delete(this);
      if (listeners.size > 0 || chat[name] !== method) return;
      if (!isOwn) Reflect.deleteProperty(chat, name);
      if (chat[name] === method) chat[name] = original;
    });
    return original;
  }
}
