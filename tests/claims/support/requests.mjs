// The requests of the servers that are killed. A request follows from the number of its chat, so nobody has to read what
// the others have.
import { answered, asking, assistant, user } from '../../package/support/stored.mjs';

/** How many approvals a chat has. */
export const EACH = 4;
const calls = Array.from({ length: EACH }, (_, call) => call);

const callOf = (chat, call) => `${chat}-${call}`;
/** Every sixth call is denied. */
const isDenied = (chat, call) => (chat * EACH + call) % 6 === 0;
/** In every fifth chat one page says yes to a call, and another page says no. */
const isContested = (chat) => chat % 5 === 0;
const CONTESTED = 1;

export const chatOf = (chat) => `chat ${chat}`;
export const questionsOf = (chat) =>
  assistant('a1', ...calls.map((call) => asking(callOf(chat, call), 'rm')));

function requestOf(chat, isNo) {
  const parts = calls.map((call) => answered(callOf(chat, call), 'rm', !isNo(call)));
  return { chatId: chatOf(chat), messages: [user(), assistant('a1', ...parts)] };
}

/** The requests of a chat. The last one is the one that has to get an answer at the end. */
export function requestsOf(chat) {
  const one = requestOf(chat, (call) => isDenied(chat, call));
  if (!isContested(chat)) return [one];
  return [one, requestOf(chat, (call) => call === CONTESTED || isDenied(chat, call))];
}

/** What the SDK makes of the messages of a request. */
export function modelMessagesOf([{ parts: said }, { parts }]) {
  const answers = parts.filter(({ toolCallId }) => toolCallId !== undefined);
  const content = answers.flatMap(({ toolCallId, input, approval }) => [
    { type: 'tool-call', toolCallId, toolName: 'rm', input },
    { type: 'tool-approval-request', approvalId: approval.id, toolCallId },
  ]);
  const responses = answers.flatMap(({ toolCallId, approval: { id: approvalId, approved } }) => [
    { type: 'tool-approval-response', approvalId, approved },
    ...(approved
      ? []
      : [{ type: 'tool-result', toolCallId, toolName: 'rm', output: { type: 'execution-denied' } }]),
  ]);
  return [
    { role: 'user', content: said },
    { role: 'assistant', content },
    { role: 'tool', content: responses },
  ];
}
