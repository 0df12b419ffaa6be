// The decision vectors of the SDK's messages, played as runs of AG-UI.
import { asks, calls, finished, text } from './server.mjs';

const DONE = ['output-available', 'output-error'];
const PLAYED = [...DONE, 'approval-requested', 'approval-responded'];
const isCall = ({ type }) => type === 'dynamic-tool' || type.startsWith('tool-');
const nameOf = ({ type, toolName }) => toolName ?? type.slice('tool-'.length);

/** The parts of the last step; those before it. */
function steps({ parts }) {
  const at = parts.findLastIndex(({ type }) => type === 'step-start') + 1;
  return { last: parts.slice(at), before: parts.slice(0, at) };
}

/** The reason why AG-UI cannot express a vector; `undefined` if it can. */
export function whyNot({ messages }) {
  const message = messages.at(-1);
  if (message?.role !== 'assistant') return undefined;
  const { last, before } = steps(message);
  const states = last.filter(isCall);
  const earlier = [...messages.slice(0, -1).flatMap(({ parts }) => parts), ...before].map(
    ({ toolCallId }) => toolCallId,
  );
  if (states.some(({ toolCallId }) => earlier.includes(toolCallId)))
    return 'a call id comes once in a thread';
  if (last.some((part) => part.providerExecuted)) return 'no call says that a provider runs it';
  if (states.some(({ preliminary }) => preliminary !== undefined)) return 'no result is preliminary';
  if (states.some(({ state }) => state === 'output-denied'))
    return 'no result says that a policy denied the call';
  if (states.some(({ state }) => state === 'input-streaming')) return 'no run finishes within a call';
  if (states.some(({ state }) => !PLAYED.includes(state) && state !== 'input-available')) {
    return 'a call has no state';
  }
  if (
    states.some(
      ({ state, approval }) => state === 'approval-responded' && typeof approval?.approved !== 'boolean',
    )
  ) {
    return 'no answer lacks its yes or no';
  }
  const other = last.some((part) => !isCall(part) && part.type !== 'text');
  if (other) return 'a step is nothing but text and calls';
  const firstCall = last.findIndex(isCall);
  const lastText = last.findLastIndex(({ type, text: said }) => type === 'text' && said.trim() !== '');
  if (firstCall >= 0 && lastText > firstCall && states.some(({ state }) => DONE.includes(state))) {
    return 'no message says whether its text or its calls came first';
  }
  return undefined;
}

/** What an agent holds before the last step, and the run that brings it. */
export function asThread({ messages }) {
  const isAssistant = messages.at(-1)?.role === 'assistant';
  const { last, before } = isAssistant ? steps(messages.at(-1)) : { last: [], before: [] };
  const earlier = isAssistant ? [...messages.slice(0, -1), { ...messages.at(-1), parts: before }] : messages;
  const history = earlier.flatMap(({ id, role, parts }, i) => asMessages(`${id}-${i}`, role, parts));
  const own = last.filter(isCall);
  const said = last
    .filter(({ type }) => type === 'text')
    .flatMap(({ text: words }) => text(words || ' ', 'step'));
  const events = [
    ...calls(
      own.map((part) => [part.toolCallId, nameOf(part), part.input ?? {}]),
      'step',
    ),
    ...said,
  ];
  const interrupts = own.filter(({ approval }) => approval !== undefined);
  events.push(
    finished(...interrupts.map(({ toolCallId, approval }) => asks(toolCallId, { id: approval.id }))),
  );
  return { history, events, isAssistant, own };
}

function asMessages(id, role, parts) {
  const words = parts.flatMap(({ type, text: said }) => (type === 'text' ? [said] : [])).join('');
  if (role !== 'assistant') return [{ id, role, content: words }];
  const split = [];
  for (const part of parts) {
    if (part.type === 'step-start' || split.length === 0) split.push([]);
    split.at(-1).push(part);
  }
  return split
    .filter((step) => step.some((part) => isCall(part) || part.type === 'text'))
    .flatMap((step, i) => [
      {
        id: `${id}-${i}`,
        role,
        content: step.flatMap(({ type, text: said }) => (type === 'text' ? [said] : [])).join(''),
        toolCalls: step.filter(isCall).map((part) => ({
          id: part.toolCallId,
          type: 'function',
          function: { name: nameOf(part), arguments: JSON.stringify(part.input ?? {}) },
        })),
      },
      ...step
        .filter(({ state }) => DONE.includes(state))
        .map(({ toolCallId, output }) => ({
          ...{ id: `${id}-${i}-${toolCallId}`, role: 'tool', toolCallId },
          content: JSON.stringify(output) ?? '',
        })),
    ]);
}

/** What the person and the page do, in the order of the parts. */
export async function act(page, own, decisions = []) {
  for (const { toolCallId, state, approval, output, errorText } of own) {
    const remembered = decisions.find(({ approvalId }) => approvalId === approval?.id);
    const answer =
      remembered ?? (state === 'approval-responded' || DONE.includes(state) ? approval : undefined);
    if (typeof answer?.approved === 'boolean')
      await page.addToolApprovalResponse({ ...answer, id: approval.id });
    if (DONE.includes(state)) await page.addToolOutput({ toolCallId, output, errorText });
  }
}
