import type { UIMessage } from 'ai';

import { problem } from '../verdict.js';
import type { AttachableChat, AttachedApprovalResponse } from '../types.js';

/** The events of an attached chat. */
export interface ChatEvents<M extends UIMessage> {
  /** The list that the chat itself gave last, with a question or a request. */
  newest(): readonly M[] | undefined;
  answered(chat: AttachedChat<M>, response: AttachedApprovalResponse): void;
  stopped(): void;
}

/** A function that stands before a method of a chat, for everyone who is attached there. */
interface MethodTap {
  /** The chat had the method itself, and not from its class. */
  isOwn: boolean;
  original: (...args: unknown[]) => unknown;
  /** What to call, by who listens: several components may attach the same chat to the same guard. */
  listeners: Map<object, { owner: object; notify: (argument: unknown) => void }>;
}

const taps = /* @__PURE__ */ new WeakMap<object, MethodTap>();

/** The chat's own messages: those of a `Chat`, or those behind what `useChat` returns. */
export class AttachedChat<M extends UIMessage> {
  readonly chat: AttachableChat<M>;
  readonly #listener: ChatEvents<M>;
  readonly #undo: (() => void)[] = [];
  /** The method of the chat, past all listeners. */
  #answer: AttachableChat<M>['addToolApprovalResponse'];

  /** @throws GuardError `invalid-input` when it is no chat */
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

  /** Whether `messages` is the newest list, and not one that a render handed out. */
  get isCurrent(): boolean {
    return this.chat.setMessages === undefined;
  }

  /** Replaces the messages by what `change` makes of the newest list. */
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

  /** Whether an answer can be written. */
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
   * Calls `notify` before a method of the chat, and answers that method itself. An answer that is given while a
   * response streams is followed by no question to the predicate, so an output written over it would hide it.
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
        // Each guard hears it once, whoever is attached to it last.
        const last = new Map([...listeners.values()].map(({ owner, notify }) => [owner, notify]));
        for (const notify of last.values()) notify(args[0]);
        return Reflect.apply(original, chat, args);
      };
      // A frozen or read-only chat is left as it is: what it does is seen in its messages.
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
