// A backend as in the documentation of the SDK: `streamText` with tools, behind a transport. The model is the
// SDK's mock; it plays a list of steps, and records each prompt.
import { z } from 'zod';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export const callsTool = (toolCallId, toolName, input = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
export const saysText = (text) => [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: text },
  { type: 'text-end', id: '1' },
];

const convertAll = (ai, messages, tools) => ai.convertToModelMessages(messages, { tools });

/**
 * @param steps the answers of the model, one list of parts for each call of the model
 * @param strict whether the messages are checked against the tools
 * @param tools name to `{ needsApproval, server, policy, metadata, hangs }`; with `server: false` the tool runs in the
 *   page, with `hangs` it never ends
 * @param convert makes the messages of the model, given the messages of the page and the tools
 * @param settings more options of `streamText`
 */
export async function backend(sdk, { steps, tools, strict = false, convert = convertAll, settings = {} }) {
  const mocks = await sdk.test();
  const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  const script = [...steps];
  const record = { requests: [], executed: [], prompts: [], errors: [], busy: false };
  const model = new Model({
    doStream: async ({ prompt }) => {
      record.prompts.push(prompt);
      if (record.prompts.length > 12) throw new Error('endless: more than 12 model calls');
      const parts = (script.shift() ?? []).flat();
      const reason = parts.some((p) => p.type === 'tool-call') ? 'tool-calls' : 'stop';
      return {
        stream: sdk.ai.simulateReadableStream({
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
  const toolSet = Object.fromEntries(
    Object.entries(tools).map(([name, t]) => [
      name,
      sdk.ai.tool({
        inputSchema: z.object({}).passthrough(),
        needsApproval: t.needsApproval ?? false,
        metadata: t.metadata,
        ...(t.server === false
          ? { outputSchema: z.any() }
          : {
              execute: async (input, { toolCallId }) => {
                record.executed.push(toolCallId);
                if (t.hangs) await new Promise(() => {});
                return { ran: name, input };
              },
            }),
      }),
    ]),
  );

  record.transport = {
    get busy() {
      return record.busy;
    },
    requests: record.requests,
    reconnectToStream: async () => null,
    sendMessages: async ({ messages, abortSignal, trigger, messageId, chatId }) => {
      const wire = JSON.parse(JSON.stringify({ messages, trigger, messageId, chatId }));
      record.requests.push(wire);
      const valid = await sdk.ai.validateUIMessages({
        messages: wire.messages,
        ...(strict && { tools: toolSet }),
      });
      const result = sdk.ai.streamText({
        model,
        tools: toolSet,
        messages: await convert(sdk.ai, valid, toolSet),
        stopWhen: sdk.ai.stepCountIs?.(4) ?? sdk.ai.isStepCount(4),
        abortSignal,
        ...settings,
        onError: ({ error }) => {
          record.errors.push(error);
        },
        ...(Object.values(tools).some((t) => t.policy) && {
          toolApproval: Object.fromEntries(
            Object.entries(tools)
              .filter(([, t]) => t.policy)
              .map(([name, t]) => [name, t.policy]),
          ),
        }),
      });
      return result.toUIMessageStream({
        originalMessages: valid,
        generateMessageId: sdk.ai.generateId,
        onError: (error) => String(error),
      });
    },
  };
  return record;
}

/** The results for a call that the model received in the last prompt. */
export const resultsOf = (record, toolCallId) =>
  record.prompts
    .at(-1)
    .filter((m) => m.role === 'tool')
    .flatMap((m) => m.content)
    .filter((p) => p.type === 'tool-result' && p.toolCallId === toolCallId)
    .map((p) => p.output);
