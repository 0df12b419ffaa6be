// What answers `fetch` in the place of a server: a script of responses, in the protocol of UI message streams.

const call = (toolCallId, path) => [
  { type: 'tool-input-available', toolCallId, toolName: 'delete_file', input: { path } },
  { type: 'tool-approval-request', toolCallId, approvalId: `ap-${toolCallId}` },
];
/** Two calls that ask; then one has run, and the other one was refused. */
export const SCRIPT = [
  [{ type: 'start' }, { type: 'start-step' }, ...call('c1', '.env'), ...call('c2', 'old.txt')],
  [
    { type: 'start' },
    { type: 'tool-output-denied', toolCallId: 'c1' },
    { type: 'tool-output-available', toolCallId: 'c2', output: { deleted: 'old.txt' } },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'One file is gone.' },
    { type: 'text-end', id: 't' },
  ],
].map((chunks) => [...chunks, { type: 'finish-step' }, { type: 'finish' }]);

const events = (chunks) =>
  [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');

/** Answers what is posted to `/api/chat`. @returns what was posted, as it was on the wire */
export function scripted(script = SCRIPT) {
  const requests = [];
  const left = [...script];
  globalThis.fetch = async (url, { body }) => {
    if (new URL(url, 'https://page.example/').pathname !== '/api/chat')
      throw new Error(`There is no ${url}.`);
    requests.push(JSON.parse(body));
    const chunks = left.shift();
    if (!chunks) throw new Error(`Request ${requests.length} is one too many.`);
    return new Response(events(chunks), { headers: { 'content-type': 'text/event-stream' } });
  };
  return requests;
}
