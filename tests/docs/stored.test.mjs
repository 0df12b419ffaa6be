// The route of a server that stores the messages, as it stands in the guide, with the transport of the README in the page:
// a real `Chat`, a real `streamText`, and what may come between them.
import './support/page.mjs';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { load } from './support/bundle.mjs';
import { blocks } from './support/documents.mjs';
import { writeBlocks } from './support/files.mjs';

writeBlocks('stored');

/** A process ends when nothing is due, also while a module is being compiled. A page stays. */
async function settled(promise) {
  const stays = setInterval(() => {}, 1_000);
  try {
    return await promise;
  } finally {
    clearInterval(stays);
  }
}

const one = (document, holds) => {
  const found = blocks.filter((block) => block.document.name === document && holds(block));
  assert.equal(found.length, 1, `${document}: ${found.length} blocks`);
  return found[0];
};
const route = one('docs/backends.md', ({ file }) => file === 'route.ts');
const page = one('README.md of the package', ({ code }) => code.includes('export const transportOf'));

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const text = (delta) => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
  { type: 'text-end', id: 't' },
];
const asks = (...paths) =>
  paths.map((path) => ({
    type: 'tool-call',
    toolCallId: `call-${path}`,
    toolName: 'delete_file',
    input: JSON.stringify({ path }),
  }));

/** @param steps what the model says, one after the other */
async function open(major, steps) {
  const test = major === '7' ? 'ai/test' : 'ai6/test';
  const server = await load(
    route,
    major,
    `export { MockLanguageModelV${major === '7' ? 4 : 3} as Model } from '${test}';
    export { simulateReadableStream } from 'ai';
    export { stored } from './messages.js';
    export { ran } from './tools.js';`,
  );
  const client = await load(
    page,
    major,
    `export { Chat } from '@ai-sdk/react'; export { createApprovalGuard } from 'tool-approval-guard';`,
  );
  const prompts = [];
  const model = new server.Model({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const step = steps.shift();
      const unified = step[0].type === 'tool-call' ? 'tool-calls' : 'stop';
      const finish = { type: 'finish', finishReason: { unified, raw: unified }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...step, finish];
      return {
        stream: server.simulateReadableStream({ chunkDelayInMs: null, initialDelayInMs: null, chunks }),
      };
    },
  });
  const state = { broken: false, statuses: [] };
  globalThis.AI_SDK_DEFAULT_PROVIDER = {
    specificationVersion: 'v3',
    languageModel: () => {
      if (state.broken) throw new Error('There is no model.');
      return model;
    },
  };
  globalThis.fetch = async (url, init) => {
    const request = new Request(new URL(url, 'https://page.example/'), { ...init, signal: null });
    const response = await server.POST(request).catch(() => new Response('broken', { status: 500 }));
    state.statuses.push(response.status);
    return response;
  };
  const show = (messages = []) => {
    const errors = [];
    const guard = client.createApprovalGuard({ chatId: 'c' });
    const chat = new client.Chat({
      id: 'c',
      messages,
      transport: guard.transport(client.transportOf(guard)),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError: (error) => void errors.push(error),
    });
    guard.attach(chat);
    const call = (path) => guard.getSnapshot().calls.find(({ input }) => input?.path === path);
    return { guard, chat, call, errors };
  };
  return { ...server, ...show(), show, prompts, state, list: () => server.stored.get('c') };
}

async function until(holds) {
  for (let i = 0; i < 1_000 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(holds());
}
const texts = (messages) =>
  messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.text ?? '').join('')}`);

for (const major of ['7', '6'])
  describe(`a server that stores the messages, beside ai@${major}`, () => {
    test('a denial and an allowance arrive, and each call runs once', async () => {
      const s = await open(major, [asks('.env', 'old.txt'), text('Done.')]);
      await settled(s.chat.sendMessage({ text: 'Clean up' }));
      s.guard.decide(s.call('.env'), 'deny');
      s.guard.decide(s.call('old.txt'), 'allow-once');
      await until(() => s.prompts.length === 2 && s.chat.status === 'ready');
      assert.deepEqual(s.ran, ['old.txt']);
      assert.deepEqual(texts(s.list()), ['user: Clean up', 'assistant: Done.']);
    });

    test('what was saved before the route failed is taken again by a retry', async () => {
      const s = await open(major, [asks('old.txt'), text('Done.')]);
      await settled(s.chat.sendMessage({ text: 'Clean up' }));
      s.state.broken = true;
      s.guard.decide(s.call('old.txt'), 'allow-once');
      await until(() => s.chat.status === 'error');
      s.state.broken = false;
      await settled(s.guard.retry());
      await until(() => s.chat.status === 'ready');
      assert.deepEqual([s.state.statuses, s.ran], [[200, 500, 200], ['old.txt']]);
    });

    for (const named of [false, true])
      test(`regenerate(${named ? '{ messageId }' : ''}) replaces the response`, async () => {
        const s = await open(major, [text('First.'), text('Second.')]);
        await settled(s.chat.sendMessage({ text: 'Say something' }));
        await settled(s.chat.regenerate(named ? { messageId: s.chat.messages.at(-1).id } : undefined));
        assert.deepEqual(texts(s.list()), ['user: Say something', 'assistant: Second.']);
        assert.equal(JSON.stringify(s.prompts[1]).includes('First.'), false);
      });

    test('an edit replaces the message and what follows, while a call asks', async () => {
      const s = await open(major, [asks('old.txt'), text('Hello.')]);
      await settled(s.chat.sendMessage({ text: 'Clean up' }));
      await settled(s.chat.sendMessage({ text: 'Say hello', messageId: s.chat.messages[0].id }));
      assert.deepEqual(texts(s.list()), ['user: Say hello', 'assistant: Hello.']);
      assert.deepEqual(s.ran, []);
    });

    test('a page that comes too late gets a 409, shows the stored list, and goes on', async () => {
      const s = await open(major, [asks('old.txt'), text('Done.'), text('Hello.')]);
      await settled(s.chat.sendMessage({ text: 'Clean up' }));
      const late = s.show(structuredClone(s.list()));
      s.guard.decide(s.call('old.txt'), 'allow-once');
      await until(() => s.prompts.length === 2 && s.chat.status === 'ready');
      late.guard.decide(late.call('old.txt'), 'deny');
      await until(() => late.chat.status === 'error');
      assert.equal(s.state.statuses.at(-1), 409);
      const list = structuredClone(s.list());
      late.guard.adopt(list);
      late.chat.messages = list;
      await settled(late.chat.sendMessage({ text: 'And now?' }));
      assert.deepEqual([s.ran, s.prompts.length, late.chat.status], [['old.txt'], 3, 'ready']);
    });
  });
