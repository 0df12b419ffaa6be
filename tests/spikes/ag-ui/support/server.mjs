// A server of AG-UI whose runs are scripted, behind the real HttpAgent, and vectors of the SDK as its events.
import { HttpAgent } from '@ag-ui/client';

const THREAD = 'thread';

/** An agent whose server answers each request with the next of these runs. A run that throws is a lost connection. */
export function agentOf(...runs) {
  const inputs = [];
  const fetch = async (url, { body }) => {
    const input = JSON.parse(body);
    inputs.push(input);
    const events = [{ type: 'RUN_STARTED', threadId: THREAD, runId: input.runId }, ...(runs.shift() ?? [])];
    if (events.includes(LOST)) throw new TypeError('the connection was lost');
    const last = events.at(-1);
    if (last.type !== 'RUN_FINISHED' && last.type !== 'RUN_ERROR') events.push(finished());
    const text = events.map((event) => `data: ${JSON.stringify(withRun(event, input.runId))}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  };
  const agent = new HttpAgent({ url: 'http://agent.test/', threadId: THREAD, fetch });
  return { agent, inputs };
}

export const LOST = { type: 'LOST' };

const withRun = (event, runId) => (event.type === 'RUN_FINISHED' ? { ...event, runId } : event);

export const finished = (...interrupts) => ({
  type: 'RUN_FINISHED',
  threadId: THREAD,
  outcome: interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' },
});

export const asks = (toolCallId, more) => ({
  id: `ap-${toolCallId}`,
  reason: 'tool_call',
  toolCallId,
  ...more,
});

let counter = 0;
const unique = (name) => `${name}-${(counter += 1)}`;

export const text = (delta, messageId = unique('text')) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
  { type: 'TEXT_MESSAGE_END', messageId },
];

/** Calls of one step: they have the same parent. */
export const calls = (list, parentMessageId = unique('step')) =>
  list.flatMap(([toolCallId, toolCallName, input = {}]) => [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) },
    { type: 'TOOL_CALL_END', toolCallId },
  ]);

export const result = (toolCallId, output = 'done') => ({
  type: 'TOOL_CALL_RESULT',
  messageId: unique('result'),
  toolCallId,
  content: JSON.stringify(output),
});
