import { randomUUID } from 'node:crypto';
import { gateway, simulateReadableStream, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { nextStep, report } from './script.mjs';
import { targetOf } from '../shared/calls.mjs';

/**
 * @import { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
 * @import { ScenarioId, Told } from '../shared/protocol.ts'
 * @import { Pace } from './session.mjs'
 */

const realModel = process.env.AI_GATEWAY_API_KEY
  ? (process.env.DEMO_MODEL ?? 'openai/gpt-5-mini')
  : undefined;

/** What the page shows as the model's name. */
export const modelName = realModel ?? 'scripted model';

/**
 * The model of one request: a real one if there is a key, otherwise the scripted one.
 *
 * @param {ScenarioId} scenario
 * @param {Pace} pace
 * @param {(told: Told[]) => void} onPrompt called with what the model reads about its calls
 */
export function modelFor(scenario, pace, onPrompt) {
  return wrapLanguageModel({
    model: realModel ? gateway(realModel) : scriptedModel(scenario, pace),
    middleware: {
      specificationVersion: 'v4',
      wrapStream: ({ doStream, params }) => {
        onPrompt(readTold(params.prompt));
        return doStream();
      },
    },
  });
}

/** @param {ScenarioId} scenario @param {Pace} pace @returns {LanguageModelV4} */
function scriptedModel(scenario, { firstWordMs, nextWordMs }) {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => ({
      stream: simulateReadableStream({
        chunks: chunksOf(prompt, scenario),
        initialDelayInMs: firstWordMs,
        chunkDelayInMs: nextWordMs,
      }),
    }),
  });
}

/** @param {LanguageModelV4Prompt} prompt @param {ScenarioId} scenario @returns {LanguageModelV4StreamPart[]} */
function chunksOf(prompt, scenario) {
  const lastUser = prompt.findLastIndex((message) => message.role === 'user');
  const turn = prompt.filter((message) => message.role === 'user').length - 1;
  const step = prompt.slice(lastUser).filter((message) => message.role === 'assistant').length;
  const told = readTold(prompt);
  const next = nextStep(scenario, { turn, step, told });
  const fresh = readTold(prompt.slice(lastUser));
  const text = next?.say ?? report(fresh.length > 0 ? fresh : told, readEdits(prompt));
  const calls = next?.calls ?? [];

  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 'text' },
    ...text.split(/(?<=\s)/).map((delta) => /** @type {const} */ ({ type: 'text-delta', id: 'text', delta })),
    { type: 'text-end', id: 'text' },
    ...calls.map(
      ([toolName, input]) =>
        /** @type {const} */ ({
          type: 'tool-call',
          toolCallId: `call_${randomUUID().slice(0, 8)}`,
          toolName,
          input: JSON.stringify(input),
        }),
    ),
    {
      type: 'finish',
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
    },
  ];
}

/** @param {LanguageModelV4Prompt} prompt @returns {Told[]} */
function readTold(prompt) {
  /** @type {Map<string, string>} */
  const targets = new Map();
  /** @type {Told[]} */
  const told = [];
  for (const message of prompt) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') targets.set(part.toolCallId, targetOf(part.input));
      if (part.type !== 'tool-result') continue;
      const { toolCallId, toolName, output } = part;
      told.push({
        toolCallId,
        toolName,
        target: targets.get(toolCallId) ?? '',
        outcome:
          output.type === 'execution-denied'
            ? 'denied'
            : output.type.startsWith('error')
              ? 'error'
              : 'result',
        value: output.type === 'execution-denied' ? output.reason : valueOf(output),
      });
    }
  }
  return told;
}

/** What the model reads about inputs that the person has changed. @param {LanguageModelV4Prompt} prompt */
const readEdits = (prompt) =>
  prompt.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) =>
          part.type === 'text' && part.text.startsWith('[The user changed') ? [part.text] : [],
        )
      : [],
  );

/** @param {object} output */
const valueOf = (output) => ('value' in output ? output.value : undefined);
