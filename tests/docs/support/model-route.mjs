// A route handler of the documents, with the SDK's mock model behind its `streamText`.
import assert from 'node:assert/strict';
import { load } from './bundle.mjs';

/**
 * The route, whose model asks for two deletions and then says what came of them.
 *
 * @returns the handler, and the prompts that the model has received
 */
export async function modelRoute(block, major) {
  const also = `export { MockLanguageModelV${major === '7' ? 4 : 3} as Model } from '${major === '7' ? 'ai/test' : 'ai6/test'}';
    export { simulateReadableStream } from 'ai';`;
  const server = await load(block, major, also);
  const prompts = [];
  const toolCall = (toolCallId, path) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'delete_file',
    input: JSON.stringify({ path }),
  });
  const steps = [
    [toolCall('c1', '.env'), toolCall('c2', 'old.txt')],
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'One file is gone.' },
      { type: 'text-end', id: 't' },
    ],
  ];
  const model = new server.Model({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const step = steps[prompts.length - 1];
      const unified = prompts.length === 1 ? 'tool-calls' : 'stop';
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      };
      const finish = { type: 'finish', finishReason: { unified, raw: unified }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...step, finish];
      return {
        stream: server.simulateReadableStream({ chunkDelayInMs: null, initialDelayInMs: null, chunks }),
      };
    },
  });
  globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: 'v3', languageModel: () => model };
  return { route: server.POST, prompts };
}

/** A `fetch` that the route answers. What was posted is added to `requests`. */
export const answering = (route, requests) => async (url, init) => {
  requests.push(JSON.parse(init.body));
  return route(new Request(new URL(url, 'https://page.example/'), { ...init, signal: null }));
};

/** Fails unless the model was told that the first call was denied and what the second one returned. */
export function assertTold(prompt) {
  const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  const told = Object.fromEntries(
    results
      .filter(({ type }) => type === 'tool-result')
      .map(({ toolCallId, output }) => [toolCallId, output]),
  );
  assert.equal(told.c1.type, 'execution-denied');
  assert.deepEqual(told.c2.value, { deleted: 'old.txt' });
}
