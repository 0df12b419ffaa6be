// The server of the histories runs what `streamText` runs, and refuses what it refuses.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';

import { histories } from './support/history.mjs';
import { SERVER_TOOLS, TOOLS } from './support/replies.mjs';
import { SDKS } from './support/sdks.mjs';
import { judge } from './support/server.mjs';
import { play } from './support/world.mjs';

const copy = (value) => JSON.parse(JSON.stringify(value));
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** What `streamText` does with a list: the ids and inputs of the calls that it ran, the ids of those that it denied, and whether it refused. */
async function streamed(sdk, Model, messages) {
  const model = new Model({
    doStream: async () => ({
      stream: sdk.ai.simulateReadableStream({
        chunkDelayInMs: null,
        initialDelayInMs: null,
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
        ],
      }),
    }),
  });
  const ran = [];
  const tools = Object.fromEntries(
    Object.keys(TOOLS).map((name) => [
      name,
      sdk.ai.tool({
        inputSchema: z.object({}).passthrough(),
        needsApproval: Boolean(TOOLS[name].asks),
        ...(SERVER_TOOLS.has(name)
          ? {
              execute: async (input, { toolCallId }) =>
                void ran.push(`${toolCallId} ${JSON.stringify(input)}`),
            }
          : { outputSchema: z.any() }),
      }),
    ]),
  );
  let refused = false;
  const denied = [];
  const result = sdk.ai.streamText({
    model,
    tools,
    messages: await sdk.ai.convertToModelMessages(copy(messages), { tools }),
    onError: () => (refused = true),
  });
  for await (const part of result.fullStream) {
    if (part.type === 'tool-output-denied') denied.push(part.toolCallId);
    if (part.type === 'error') refused = true;
  }
  return { ran, denied, refused };
}

for (const sdk of SDKS) {
  test(`${sdk.name}: the server runs, denies and refuses what streamText does`, async () => {
    const mocks = await sdk.test();
    const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
    const counts = { ran: 0, denied: 0, refused: 0 };
    for (const history of fc.sample(histories(sdk, { changes: true }), { seed: 7, numRuns: 60 })) {
      const { world } = await play(sdk, history);
      for (const { wire, homeCopy } of world.truth.requests) {
        // What the guard has repaired, and what it was given: that is refused more often.
        for (const list of [wire, homeCopy]) {
          const real = await streamed(sdk, Model, list);
          let judged;
          try {
            judged = await judge(sdk, list, SERVER_TOOLS);
          } catch {
            judged = undefined;
          }
          const ids = (calls) => calls.map(({ call }) => call.toolCallId).sort();
          assert.equal(judged === undefined, real.refused, JSON.stringify(list));
          if (judged === undefined) {
            counts.refused += 1;
            continue;
          }
          const inputs = judged.ran.map(({ call }) => `${call.toolCallId} ${JSON.stringify(call.input)}`);
          assert.deepEqual(inputs.sort(), real.ran.sort(), JSON.stringify(list));
          assert.deepEqual(ids(judged.denied), real.denied.sort(), JSON.stringify(list));
          counts.ran += real.ran.length;
          counts.denied += real.denied.length;
        }
      }
    }
    for (const [what, count] of Object.entries(counts))
      assert.ok(count > 5, `${what} occurred ${count} times`);
  });
}
