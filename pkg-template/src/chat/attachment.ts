// A chat that a guard is attached to: its messages, and who hears of their changes.
import type { UIMessage } from 'ai';

import type { AttachedApprovalResponse } from '../types.js';
import { TappedChat, type ChatEvents } from './tapped-chat.js';

/** The events of an attached chat, and what is known of its list. */
export interface AttachmentEvents<M extends UIMessage> extends ChatEvents<AttachedChat<M>> {
  /** The list that the chat itself last passed, with a question or a request. */
  readonly given: readonly M[] | undefined;
  /** The list that the chat showed then. */
  readonly shown: readonly M[] | undefined;
  /** Whether a wrapper of `setMessages` defers its argument, or catches what that throws. Then to read would be to write. */
  isOpaque: boolean;
  /** The guard gives the chat an answer. Returns what to call when it has written it. */
  answering(approvalId: unknown): () => void;
}

/** The messages of an attached chat: a `Chat`, or the result of `useChat`. */
export class AttachedChat<M extends UIMessage> extends TappedChat<M, AttachmentEvents<M>> {
  /** The newest list; `undefined` if it cannot be read without writing it. */
  get messages(): readonly M[] | undefined {
    const { chat, listener } = this;
    if (chat.setMessages === undefined) return chat.messages;
    // A list that the chat passed is at least as new as one that was shown before.
    const given = chat.messages === listener.shown ? listener.given : undefined;
    let newest = given;
    if (listener.isOpaque) return newest;
    try {
      this.#set((messages) => (newest = messages), given);
    } catch {
      // An error of a wrapper is reported when the guard has something to write.
    }
    return newest;
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
  get reportsAnswers(): boolean {
    return this.taps[0] !== undefined && this.chat.setMessages === undefined;
  }

  /** Whether an answer can be written. */
  get takesAnswers(): boolean {
    return typeof this.chat.addToolApprovalResponse === 'function';
  }

  /** Answers an approval without telling the listener, because this answer comes from the guard. */
  async answer(response: AttachedApprovalResponse): Promise<void> {
    const { chat } = this;
    const answer = this.taps[0]?.original ?? chat.addToolApprovalResponse;
    const over = this.listener.answering(response.id);
    try {
      await answer?.call(chat, response);
    } finally {
      over();
    }
  }
}
