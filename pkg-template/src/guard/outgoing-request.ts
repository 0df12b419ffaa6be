// A request of a chat as it is about to leave, and what it is for.
import type { ChatRequestOptions, UIMessage } from 'ai';

import { withoutBlankEnd } from '../chat/blank.js';
import { RoleName, Trigger } from '../generated/abi.js';
import { problem } from '../verdict.js';

/** A request that is about to leave. */
export interface OutgoingRequest<M extends UIMessage> extends ChatRequestOptions {
  messages: M[];
  chatId: unknown;
  trigger: unknown;
  messageId?: unknown;
  abortSignal?: unknown;
}

/** Checks that this is the list of messages of a chat. @throws GuardError `invalid-input` */
export function listOf<M>(messages: readonly M[]): M[] {
  if (!Array.isArray(messages)) throw problem('invalid-input');
  return messages;
}

/** Whether a request has no message of a person at its end. */
export function isContinue(messages: unknown): boolean {
  const last: unknown = Array.isArray(messages) ? withoutBlankEnd(messages).at(-1) : undefined;
  return (last as { role?: unknown } | null | undefined)?.role === RoleName.Assistant;
}

/** Whether a request continues a message that is neither the last one nor one of the user. */
export function continuesAnother<M extends UIMessage>(
  request: OutgoingRequest<M>,
  messages: readonly M[],
  last: M | undefined,
): boolean {
  const { messageId: id } = request;
  if (triggerOf(request) === Trigger.Regenerate || id === undefined) return false;
  if (last === undefined || last.id === id) return false;
  return messages.find((message) => message.id === id)?.role !== RoleName.User;
}

/** Returns what caused a request. */
export function triggerOf({ trigger, messageId, messages }: OutgoingRequest<UIMessage>): Trigger {
  if (trigger === 'regenerate-message') return Trigger.Regenerate;
  // The SDK names the last message, also where it only continues.
  return messageId === undefined || isContinue(messages) ? Trigger.Submit : Trigger.Edit;
}
