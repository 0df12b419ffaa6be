// A server that answers with what a test gives it, so that it can say what no honest one would.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { UIMessage, UIMessageChunk } from 'ai'
 *
 * @typedef {{ write: (chunk: UIMessageChunk) => void, end: () => void }} Reply
 */

/** A response of these chunks. @param {readonly UIMessageChunk[]} chunks @returns {(reply: Reply) => void} */
export const step =
  (...chunks) =>
  ({ write, end }) => {
    for (const chunk of [
      { type: 'start' },
      { type: 'start-step' },
      ...chunks,
      { type: 'finish-step' },
      { type: 'finish' },
    ]) {
      write(/** @type {UIMessageChunk} */ (chunk));
    }
    end();
  };

/** @param {string} words @returns {UIMessageChunk[]} */
export const says = (words) => [
  { type: 'text-start', id: 'text' },
  // Piece by piece: nothing may depend on what comes in one.
  ...(words
    .match(/[^]{1,3}/g)
    ?.map((delta) => /** @type {const} */ ({ type: 'text-delta', id: 'text', delta })) ?? []),
  { type: 'text-end', id: 'text' },
];

/** @param {string} toolName @param {unknown} input @returns {UIMessageChunk[]} */
export const asks = (toolName, input, toolCallId = 'call_0') => [
  { type: 'tool-input-available', toolCallId, toolName, input },
  { type: 'tool-approval-request', toolCallId, approvalId: `approval_${toolCallId}` },
];

/**
 * @param {...((reply: Reply) => void)} replies one for each request; afterwards it answers with status 500
 */
export async function scriptedServer(...replies) {
  /** @type {{ messages: UIMessage[] }[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(await text(request)));
    const reply = replies[requests.length - 1];
    if (!reply) {
      response.writeHead(500).end('It is broken.\x1b]0;renamed\x07');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    reply({
      write: (chunk) => void response.write(`data: ${JSON.stringify(chunk)}\n\n`),
      end: () => void response.end('data: [DONE]\n\n'),
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
