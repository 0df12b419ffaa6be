// User messages without content.
import { isObject } from '../objects.js';
import { RoleName } from '../generated/abi.js';

/**
 * Whether this is a message of the user without content: it has no parts, or only blank text. Some hooks send one to
 * continue the chat. It is no message: nobody has moved on.
 */
export function isBlank(message: unknown): boolean {
  if (!isObject(message) || message.role !== RoleName.User || !Array.isArray(message.parts)) return false;
  return message.parts.every(
    (part: unknown) =>
      isObject(part) && part.type === 'text' && typeof part.text === 'string' && part.text.trim() === '',
  );
}

/** The same list without user messages at its end that have no content. */
export function withoutBlankEnd<T>(messages: readonly T[]): readonly T[] {
  let { length } = messages;
  while (length > 0 && isBlank(messages[length - 1])) length -= 1;
  return length === messages.length ? messages : messages.slice(0, length);
}
