// A backend that stores the messages of a chat itself, behind the SDK's own transport: what a request brings is taken into
// the store, and `streamText` gets the stored list. The model is the SDK's mock, and plays what the test says.
import { mergeAnswers } from 'tool-approval-guard/server';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/**
 * @param options.stores `early`: what a request brings is stored before the response begins; `late`: only at its end
 * @param options.take how a request is taken into the store; by default with `mergeAnswers`
 * @param options.prepare the body of a request, in the page
 */
export async function storedBackend(sdk, { stores = 'early', take, prepare, tools, clientTools = ['pick'] }) {
  const { ai } = sdk;
  const mocks = await sdk.test();
  const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  const backend = {
    /** The stored messages. */
    stored: [],
    /** The bodies of the requests. */
    bodies: [],
    /** The lists of the page that belong to them. */
    whole: [],
    /** What `mergeAnswers` has refused. */
    refused: [],
    executed: [],
    prompts: [],
    errors: [],
    /** What the model does next: lists of parts, or `Error`s. */
    steps: [],
    /** What happens to the next request: `down`, `refused`, `lost` (after the server has taken it) or `broken`. */
    fate: undefined,
    /** Called with each request before it is taken. */
    onRequest: undefined,
  };
  const model = new Model({
    doStream: async ({ prompt }) => {
      backend.prompts.push(prompt);
      const parts = backend.steps.shift() ?? [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'ok' },
        { type: 'text-end', id: '1' },
      ];
      const reason = parts.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop';
      return {
        stream: ai.simulateReadableStream({
          chunkDelayInMs: null,
          initialDelayInMs: null,
          chunks: [
            { type: 'stream-start', warnings: [] },
            ...parts,
            { type: 'finish', finishReason: { unified: reason, raw: reason }, usage },
          ],
        }),
      };
    },
  });
  const inputSchema = z.object({}).passthrough();
  backend.tools =
    tools ??
    Object.fromEntries(
      ['rm', 'mv', 'ls', 'pick'].map((name) => [
        name,
        ai.tool({
          inputSchema,
          needsApproval: name === 'rm' || name === 'mv',
          ...(name === 'pick'
            ? { outputSchema: z.any() }
            : {
                execute: async (input, { toolCallId }) => {
                  backend.executed.push(toolCallId);
                  return { ran: name, input };
                },
              }),
        }),
      ]),
    );
  const merge = (stored, body) => {
    const { messages, refused } = mergeAnswers(stored, body.messages, { clientTools });
    backend.refused.push(...refused);
    return messages;
  };
  const copy = (value) => JSON.parse(JSON.stringify(value));

  async function respond(body) {
    const messages = (take ?? merge)(backend.stored, body);
    if (stores === 'early') backend.stored = messages;
    const result = ai.streamText({
      model,
      tools: backend.tools,
      messages: await ai.convertToModelMessages(messages, { tools: backend.tools }),
      stopWhen: ai.stepCountIs?.(4) ?? ai.isStepCount(4),
      onError: ({ error }) => backend.errors.push(error),
    });
    return result.toUIMessageStream({
      originalMessages: messages,
      generateMessageId: ai.generateId,
      onError: (error) => String(error),
      onFinish: ({ messages: finished }) => {
        backend.stored = copy(finished);
      },
    });
  }

  const fetch = async (_, { body: text, signal }) => {
    const body = JSON.parse(text);
    backend.bodies.push(body);
    const { fate } = backend;
    backend.fate = undefined;
    if (fate === 'down') throw new TypeError('fetch failed');
    if (fate === 'refused') return new Response('no', { status: 400 });
    backend.onRequest?.(body, backend.whole.at(-1));
    const stream = await respond(body);
    const chunks = [];
    // The server reads its own stream to the end, also if nobody listens.
    for await (const chunk of stream) chunks.push(chunk);
    if (signal?.aborted) throw signal.reason;
    if (fate === 'lost') throw new TypeError('network error');
    const encoder = new TextEncoder();
    const lines = chunks.map((chunk) => encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
    let at = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (fate === 'broken' && at >= lines.length / 2) controller.error(new TypeError('connection lost'));
          else if (at < lines.length) controller.enqueue(lines[at++]);
          else controller.close();
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  };

  /** A transport of the SDK whose body the page makes of the messages. */
  backend.transport = (bodyOf = prepare) =>
    new ai.DefaultChatTransport({
      api: 'https://example.com/api/chat',
      fetch,
      prepareSendMessagesRequest: (options) => {
        backend.whole.push(copy(options.messages));
        const body = bodyOf?.(options);
        return body === undefined
          ? { body: { ...options.body, id: options.id, messages: options.messages } }
          : { body };
      },
    });
  return backend;
}

export const calls = (...list) =>
  list.map(([toolCallId, toolName, input = {}]) => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input: JSON.stringify(input),
  }));
