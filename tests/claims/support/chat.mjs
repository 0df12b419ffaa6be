// A backend with one route, as the guide has it, and a model that asks for approvals: for either major of the SDK.
import { createClaims } from 'tool-approval-guard/claims';

/** The finish of a response in the form of each major. */
const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: {}, outputTokens: {} },
};

/** A model that makes these calls after a message of this role, and then says what it was told. */
export async function modelOf(sdk, calls, after = 'user') {
  const test = await sdk.test();
  const Model = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
  const prompts = [];
  const model = new Model({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const isFirst = prompt.at(-1).role === after && calls.length > 0;
      const chunks = isFirst
        ? calls.map(([toolCallId, toolName, input]) => ({
            ...{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) },
          }))
        : [
            { type: 'text-start', id: 't' },
            { type: 'text-delta', id: 't', delta: 'Done.' },
            { type: 'text-end', id: 't' },
          ];
      return { stream: sdk.ai.simulateReadableStream({ chunks: [...chunks, finish] }) };
    },
  });
  return { model, prompts };
}

/** Reads what a response streams, as a client keeps it. */
async function messageOf(sdk, response, last) {
  const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream({
      start() {
        this.rest = '';
      },
      transform(text, controller) {
        const events = (this.rest + text).split('\n\n');
        this.rest = events.pop();
        for (const event of events) {
          const data = event.replace(/^data: /, '');
          if (data !== '[DONE]') controller.enqueue(JSON.parse(data));
        }
      },
    }),
  );
  let message;
  const before = last?.role === 'assistant' ? { message: structuredClone(last) } : {};
  for await (message of sdk.ai.readUIMessageStream({ stream, ...before }));
  return JSON.parse(JSON.stringify(message));
}

/** A server over a store: `post` is its route. Several of them may share a store. */
export function serverOf(sdk, { store, model, tools, options = {}, user, metadata }) {
  const problems = [];
  const claims = createClaims({
    store,
    leaseMs: 2_000,
    onError: (error) => problems.push(error),
    ...options,
  });
  async function post(id, messages) {
    const valid = await sdk.ai.validateUIMessages({ messages });
    const taken = await claims.take(id, valid, { user });
    if (!taken.ok) return Response.json({ error: taken.error }, { status: taken.status });
    const result = sdk.ai.streamText({
      model,
      tools: claims.tools(tools, { chatId: id }),
      messages: await sdk.ai.convertToModelMessages(taken.messages, { tools }),
    });
    return result.toUIMessageStreamResponse({
      originalMessages: taken.messages,
      messageMetadata: metadata?.(taken),
      onFinish: ({ responseMessage }) => claims.asked(id, responseMessage, { user }),
    });
  }
  return {
    claims,
    problems,
    post,
    /** The list with the message of the response; an answer with a status otherwise. */
    send: async (id, messages) => {
      const response = await post(id, messages);
      if (response.status !== 200) return { status: response.status, ...(await response.json()) };
      const message = await messageOf(sdk, response, messages.at(-1));
      const before = messages.at(-1).role === 'assistant' ? messages.slice(0, -1) : messages;
      return { status: 200, messages: [...before, message], message };
    },
  };
}

export const go = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }];

/** The list with an answer to each call that asks: `decide(toolCallId)` is true or false. */
export const answer = (messages, decide) =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.state === 'approval-requested'
        ? {
            ...part,
            state: 'approval-responded',
            approval: { ...part.approval, approved: decide(part.toolCallId) },
          }
        : part,
    ),
  }));

export const partOf = (message, toolCallId) => message.parts.find((part) => part.toolCallId === toolCallId);

/** A tool that needs an approval. */
export const guarded = (sdk, execute, more = {}) =>
  sdk.ai.tool({ inputSchema: sdk.ai.jsonSchema({ type: 'object' }), needsApproval: true, execute, ...more });
