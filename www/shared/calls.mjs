import { getToolName, isToolUIPart } from 'ai';

/**
 * The file that a tool's input is about, or who gets the mail.
 *
 * @param {unknown} input
 * @returns {string}
 */
export function targetOf(input) {
  if (typeof input !== 'object' || input === null) return '';
  if ('path' in input) return String(input.path);
  if ('from' in input) return String(input.from);
  if ('to' in input) return String(input.to);
  return '';
}

/**
 * Every tool call of a message list, in order, as it stands there.
 *
 * @param {readonly import('ai').UIMessage[]} messages
 * @returns {import('./protocol.ts').SentCall[]}
 */
export function readCalls(messages) {
  return messages
    .flatMap((message) => message.parts)
    .filter(isToolUIPart)
    .map((part) => ({
      toolCallId: part.toolCallId,
      toolName: getToolName(part),
      target: targetOf(part.input),
      state: part.state,
      approved: part.approval?.approved,
      output: part.output,
    }));
}
