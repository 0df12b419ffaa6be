import type { UIMessage } from 'ai';

import { problem } from '../verdict.js';
import type { AttachableChat, AttachedApprovalResponse, AttachedToolOutput } from '../types.js';

/** The events of an attached chat. */
export interface ChatEvents<M extends UIMessage> {
  /** The list that the chat itself last passed, with a question or a request. */
  readonly given: readonly M[] | undefined;
  /** What the chat showed then. */
  readonly shown: readonly M[] | undefined;
  /** Whether a wrapper of `setMessages` defers its argument, or catches what that throws. Then to read would be to write. */
  isOpaque: boolean;
  answered(chat: AttachedChat<M>, response: AttachedApprovalResponse): void;
  /** Called before the chat writes an output of the page. */
  puttingOut(chat: AttachedChat<M>, output: AttachedToolOutput): void;
  stopped(): void;
}

/** The methods of a chat before which its guards are told. */
type TappedMethod = 'addToolApprovalResponse' | 'addToolOutput' | 'stop';

/** A method of a chat, for all guards that are attached to it. */
interface MethodTap {
  readonly name: TappedMethod;
  /** Whether the method was an own property of the chat, not inherited from its class. */
  readonly isOwn: boolean;
  readonly original: (...args: unknown[]) => unknown;
  /** Stands in place of the original. */
  method: (...args: unknown[]) => unknown;
  /** Several components may attach the same chat to the same guard. */
  attached: readonly Tapping[];
}

/** What is told before a method of its chat. */
interface Tapping {
  readonly listener: object;
  told(name: TappedMethod, argument: unknown): void;
}

const taps = /* @__PURE__ */ new WeakMap<object, MethodTap>();

/** The messages of an attached chat: a `Chat`, or the result of `useChat`. */
export class AttachedChat<M extends UIMessage> implements Tapping {
  readonly chat: AttachableChat<M>;
  readonly listener: ChatEvents<M>;
  readonly #taps: readonly (MethodTap | undefined)[];

  /** @throws GuardError `invalid-input` if it is not a chat */
  constructor(chat: AttachableChat<M>, listener: ChatEvents<M>) {
    if (typeof chat !== 'object' || chat === null || !Array.isArray(chat.messages)) {
      throw problem('invalid-input');
    }
    this.chat = chat;
    this.listener = listener;
    this.#taps = [this.#tap('addToolApprovalResponse'), this.#tap('addToolOutput'), this.#tap('stop')];
  }

  /** The newest list; `undefined` if it cannot be read without writing it. */
  get messages(): readonly M[] | undefined {
    const { chat, listener } = this;
    if (chat.setMessages === undefined) return chat.messages;
    // What the chat passed is at least as new as a list that was shown before.
    const given = chat.messages === listener.shown ? listener.given : undefined;
    let newest = given;
    if (listener.isOpaque) return newest;
    try {
      this.#set((messages) => (newest = messages), given);
    } catch {
      // What a wrapper throws is reported when the guard has something to write.
    }
    return newest;
  }

  /** Replaces the messages by the result of `change` for the newest list. */
  write(change: (messages: readonly M[]) => readonly M[]): void {
    const { chat } = this;
    if (chat.setMessages !== undefined) {
      this.#set(change, this.listener.given);
      return;
    }
    const messages = chat.messages;
    const changed = change(messages);
    if (changed !== messages) chat.messages = changed as M[];
  }

  /**
   * Only `setMessages` of a hook has the newest list. It calls its argument before it changes anything, so if that throws,
   * nothing is written and nothing renders.
   */
  #set(change: (messages: readonly M[]) => readonly M[], given: readonly M[] | undefined): void {
    const { chat, listener } = this;
    let isKept = false;
    let isOver = false;
    try {
      chat.setMessages?.((messages) => {
        const changed = change(messages);
        if (isOver) listener.isOpaque = true;
        if (changed !== messages || listener.isOpaque) return changed as M[];
        isKept = true;
        throw new Error('The guard has only read the messages. Nothing has changed.');
      }, given);
      listener.isOpaque ||= isKept;
    } catch (error) {
      if (!isKept) throw error;
    } finally {
      isOver = true;
    }
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

  /** Whether each answer that is given through the chat is told. Pages may hold the method of an earlier result of a hook. */
  get tellsAnswers(): boolean {
    return this.#taps[0] !== undefined && this.chat.setMessages === undefined;
  }

  /** Whether an answer can be written. */
  get takesAnswers(): boolean {
    return typeof this.chat.addToolApprovalResponse === 'function';
  }

  /** Answers an approval without telling the listener, because this answer comes from the guard. */
  async answer(response: AttachedApprovalResponse): Promise<void> {
    const { chat } = this;
    const answer = this.#taps[0]?.original ?? chat.addToolApprovalResponse;
    await answer?.call(chat, response);
  }

  told(name: TappedMethod, argument: unknown): void {
    if (name === 'stop') this.listener.stopped();
    else if (name === 'addToolOutput') this.listener.puttingOut(this, Object(argument) as AttachedToolOutput);
    else this.listener.answered(this, argument as AttachedApprovalResponse);
  }

  /** Ends that this attachment is told. */
  detach(): void {
    const chat = this.chat as unknown as Record<string, unknown>;
    for (const tap of this.#taps) {
      if (tap === undefined) continue;
      const { name, isOwn, original, method } = tap;
      tap.attached = tap.attached.filter((other) => other !== this);
      if (tap.attached.length > 0 || chat[name] !== method) continue;
      if (!isOwn) Reflect.deleteProperty(chat, name);
      if (chat[name] === method) chat[name] = original;
    }
  }

  /**
   * Makes a method of the chat tell this attachment first. This is needed because the predicate is not asked after
   * an answer that is given while a response streams, so an output written over that answer would hide it.
   */
  #tap(name: TappedMethod): MethodTap | undefined {
    const chat = this.chat as unknown as Record<string, unknown>;
    const standing = chat[name];
    if (typeof standing !== 'function') return undefined;
    let tap = taps.get(standing);
    if (tap === undefined) {
      const original = standing as MethodTap['original'];
      tap = { name, isOwn: Object.hasOwn(chat, name), original, method: original, attached: [] };
      tap.method = telling(chat, tap);
      // A frozen or read-only chat is left unchanged; its answers are found in its messages.
      if (!Reflect.set(chat, name, tap.method) || chat[name] !== tap.method) return undefined;
      taps.set(tap.method, tap);
    }
    // A list that is spread has room for 16 more.
    tap.attached = tap.attached.concat(this);
    return tap;
  }
}

/** A method that tells the guards first. It is made in a scope of its own, so that it holds nothing else. */
const telling =
  (chat: object, tap: MethodTap): MethodTap['method'] =>
  (...args) => {
    // Each guard is told once, through its latest attachment.
    const last = new Map(tap.attached.map((attached) => [attached.listener, attached]));
    for (const attached of last.values()) attached.told(tap.name, args[0]);
    return Reflect.apply(tap.original, chat, args);
  };
