// The other transports of the SDK, each a real instance: an agent in the same process, one WebSocket for several chats, and
// the stream of a workflow. And a transport of an application's own, with private fields.
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { WorkflowChatTransport } from '@ai-sdk/workflow/client';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { callsTool, saysText } from './support/backend.mjs';
import { scene, until } from './support/chat.mjs';
import { refusal } from './support/scripted-transport.mjs';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { accepted } from './support/accepted.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
  text,
} from './support/chunks.mjs';

const copy = (value) => JSON.parse(JSON.stringify(value));
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const asksTwo = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const settled = () => continued([outputDenied('c1'), outputAvailable('c2')]);

/** The same class, which also notes what it is asked to send. */
const noting = (Transport) =>
  class extends Transport {
    requests = [];
    get busy() {
      return false;
    }
    async sendMessages(options) {
      const { messages, chatId } = options;
      this.requests.push(copy({ messages, chatId }));
      return super.sendMessages(options);
    }
  };

/** A denial with an output over it beside an allowance, through whatever transport. */
async function overwritten(s) {
  await s.say();
  await s.answer(`c1`, false, 'no');
  await s.chat.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
  await s.approve('c2');
  await until(() => s.count === 2 && s.home('c2').state === 'output-available');
  await s.settle();
  assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
  assertAllowed(s.wire('c2'), { id: 'ap-c2' });
  assertDenied(s.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
  assert.equal(s.call('c2').status, 'settled');
  assert.deepEqual(s.codes(), []);
}

/** How the requests of a guard ended. */
const endsOf = (guard) =>
  guard
    .ledger()
    .filter(({ type }) => type === 'ended' || type === 'failed')
    .map(({ type, doubt }) => (type === 'failed' ? (doubt ? 'in doubt' : 'refused') : type));

forEachSdk((sdk) =>
  describe(`DirectChatTransport, ${sdk.name}`, () => {
    /** An agent whose model plays these steps. */
    async function agentOf(steps) {
      const { MockLanguageModelV4, MockLanguageModelV3 } = await sdk.test();
      const Model = MockLanguageModelV4 ?? MockLanguageModelV3;
      const executed = [];
      const script = [...steps];
      const model = new Model({
        doStream: async () => {
          const parts = (script.shift() ?? []).flat();
          const reason = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
          const finished = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
          const chunks = [{ type: 'stream-start', warnings: [] }, ...parts, finished];
          return {
            stream: sdk.ai.simulateReadableStream({ chunkDelayInMs: null, initialDelayInMs: null, chunks }),
          };
        },
      });
      const tool = () =>
        sdk.ai.tool({
          inputSchema: z.object({}).passthrough(),
          needsApproval: true,
          execute: async (_, { toolCallId }) => {
            executed.push(toolCallId);
            return { ran: true };
          },
        });
      return { agent: new sdk.ai.ToolLoopAgent({ model, tools: { rm: tool(), ls: tool() } }), executed };
    }
    const asking = async () => {
      const steps = [[callsTool('c1', 'rm'), callsTool('c2', 'ls')], saysText('Done.'), saysText('Yes?')];
      const { agent, executed } = await agentOf(steps);
      const inner = new (noting(sdk.ai.DirectChatTransport))({ agent });
      const s = scene(sdk, { inner });
      await s.say();
      return { s, executed, agent, idOf: (callId) => s.home(callId).approval.id };
    };

    test('a denial with an output over it stays one, and only what was allowed runs', async () => {
      const { s, executed, idOf } = await asking();
      await s.chat.addToolApprovalResponse({ id: idOf('c1'), approved: false, reason: 'no' });
      await s.chat.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
      await s.chat.addToolApprovalResponse({ id: idOf('c2'), approved: true });
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { reason: 'no' });
      assert.deepEqual(executed, ['c2']);
      await s.say('and now?');
      assert.equal(s.chat.status, 'ready');
      assert.deepEqual(executed, ['c2']);
      assert.deepEqual(s.codes(), []);
    });

    test('an agent that throws leaves the allowance in doubt, and only a person sends it again', async () => {
      const { s, executed, agent } = await asking();
      const { stream } = agent;
      agent.stream = () => Promise.reject(new Error('the process is out of memory'));
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.settle();
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.deepEqual(executed, []);
      agent.stream = stream;
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.deepEqual(executed.toSorted(), ['c1', 'c2']);
    });

    test('there is nothing to resume, which settles nothing', async () => {
      const { s } = await asking();
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
    });
  }),
);

/** Servers and sockets that are still open. */
const open = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/**
 * A server of the protocol of `WebSocketChatTransport`. `reply` is called with each frame and a function that sends one
 * back to its request.
 */
async function socketServer(reply) {
  const server = new WebSocketServer({ port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  open.push(() => {
    for (const client of server.clients) client.terminate();
    return new Promise((resolve) => server.close(resolve));
  });
  const frames = [];
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data));
      frames.push(frame);
      if (frame.type === 'abort') return;
      const send = (more) => socket.send(JSON.stringify({ requestId: frame.requestId, ...more }));
      reply(frame, send, socket);
    }),
  );
  return { frames, clients: server.clients, url: `ws://127.0.0.1:${server.address().port}` };
}

const play = (send, chunks, { from = 0, end = true } = {}) => {
  chunks
    .flat(Infinity)
    .forEach((chunk, i) => send({ type: 'chunk', sequence: from + i, chunk: copy(chunk) }));
  if (end) send({ type: 'end' });
};

describe('WebSocketChatTransport, ai@7', () => {
  const { WebSocketChatTransport } = sdk7.ai;
  const transportTo = (url, Class = noting(WebSocketChatTransport)) => {
    const inner = new Class({ url, webSocket: WebSocket });
    open.push(() => inner.close());
    return inner;
  };
  /** A server that plays these responses in turn, each a list of chunks or a function. */
  const scripted = (...script) =>
    socketServer((frame, send, socket) => {
      const next = script.shift();
      if (typeof next === 'function') next(send, socket, frame);
      else play(send, next);
    });

  test('a denial with an output over it stays one', async () => {
    const { url } = await scripted(asksTwo(), settled());
    await overwritten(scene(sdk7, { inner: transportTo(url) }));
  });

  test('a gap in the stream leaves the allowance in doubt, and a resumed stream settles it', async () => {
    const whole = [
      start('a1'),
      startStep,
      gated('c1', 'rm'),
      outputAvailable('c1'),
      finishStep,
      startStep,
      text('Done.'),
      finishStep,
      finish(),
    ];
    const { url, frames } = await scripted(
      response('a1', gated('c1', 'rm')),
      (send) => {
        send({ type: 'chunk', sequence: 0, chunk: start() });
        send({ type: 'chunk', sequence: 2, chunk: outputAvailable('c1') });
      },
      whole,
    );
    const s = scene(sdk7, { inner: transportTo(url) });
    await s.say();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'in-doubt');
    assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
    await s.chat.resumeStream();
    await s.settle();
    assert.deepEqual(
      frames.map(({ type }) => type),
      ['send', 'send', 'resume'],
    );
    assert.equal(s.call('c1').status, 'settled');
    assert.equal(s.chat.messages.at(-1).parts.filter(({ toolCallId }) => toolCallId === 'c1').length, 1);
    assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
  });

  test('no active stream (no-active) settles nothing: it stays in doubt', async () => {
    const { url } = await scripted(
      response('a1', gated('c1', 'rm')),
      (send, socket) => socket.terminate(),
      (send) => send({ type: 'no-active' }),
    );
    const s = scene(sdk7, { inner: transportTo(url) });
    await s.say();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'in-doubt');
    await s.chat.resumeStream();
    await s.settle();
    assert.equal(s.call('c1').status, 'in-doubt');
    assert.equal(s.count, 2);
  });

  for (const [title, end] of [
    ['close() of the watched transport', (s) => s.guard.transport(s.transport).close()],
    ['dispose() of the chat', (s) => s.chat.dispose()],
  ]) {
    test(`${title} ends the response and the connection; what was on its way is in doubt`, async () => {
      const { url, clients } = await scripted(response('a1', gated('c1', 'rm')), (send) =>
        play(send, [start()], { end: false }),
      );
      const s = scene(sdk7, { inner: transportTo(url) });
      await s.say();
      void s.answer('c1', true);
      await until(() => s.call('c1').status === 'delivered');
      await end(s);
      await until(() => clients.size === 0);
      await s.settle();
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.equal(s.count, 2);
    });
  }

  test('several chats on one connection, each with its guard: nothing of one reaches the other', async () => {
    const { url, clients, frames } = await socketServer((frame, send) => {
      if (frame.messages.at(-1).role === 'user') return play(send, response(undefined, gated('c1', 'rm')));
      const { approved } = frame.messages.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1').approval;
      play(send, continued([approved ? outputAvailable('c1', frame.id) : outputDenied('c1')]));
    });
    const shared = transportTo(url);
    const [a, b] = [scene(sdk7, { inner: shared }), scene(sdk7, { inner: shared })];
    await Promise.all([a.say(), b.say()]);
    assert.equal(clients.size, 1, 'one connection');
    a.guard.decide('c1', 'deny', { reason: 'not here' });
    b.guard.decide('c1', 'allow-once');
    await until(() => [a, b].every((s) => s.call('c1').status === 'settled'));
    assertDenied(a.home('c1'), { id: 'ap-c1' });
    assert.equal(b.home('c1').output, b.id);
    assert.deepEqual(frames.map(({ id }) => id).toSorted(), [a.id, a.id, b.id, b.id].toSorted());
    for (const s of [a, b]) assert.deepEqual(s.codes(), []);
  });

  test('a socket that cannot be opened: in doubt, because nothing says that nothing left', async () => {
    const { url } = await scripted(response('a1', gated('c1', 'rm')));
    const inner = transportTo(url);
    const s = scene(sdk7, { inner });
    await s.say();
    inner.close();
    await open.shift()();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'in-doubt');
  });

  const refused = (send) => send({ type: 'error', errorText: '403 not allowed' });
  test('an error of the server is no proof of a refusal', async () => {
    const { url } = await scripted(response('a1', gated('c1', 'rm')), refused);
    const s = scene(sdk7, { inner: transportTo(url) });
    await s.say();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'in-doubt');
  });

  test('the wrapper of the guide makes it one, and retry() sends the answer', async () => {
    const { url } = await scripted(
      response('a1', gated('c1', 'rm')),
      refused,
      continued([outputAvailable('c1')]),
    );
    const inner = accepted(transportTo(url), (error) => Number(/^\d{3}/.exec(error.message)?.[0]));
    const s = scene(sdk7, { inner });
    await s.say();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'answered');
    assert.equal(s.verdict().reason, 'failed');
    assert.deepEqual(endsOf(s.guard), ['ended', 'refused']);
    assert.deepEqual(await s.guard.retry(), { type: 'sent' });
    await s.settle();
    assert.equal(s.call('c1').status, 'settled');
  });

  test('the wrapper of the guide leaves what breaks later in doubt', async () => {
    const { url } = await scripted(response('a1', gated('c1', 'rm')), (send) => {
      play(send, [start()], { end: false });
      refused(send);
    });
    const inner = accepted(transportTo(url), (error) => Number(/^\d{3}/.exec(error.message)?.[0]));
    const s = scene(sdk7, { inner });
    await s.say();
    await s.approve('c1');
    assert.equal(s.call('c1').status, 'in-doubt');
  });
});

forEachSdk((sdk) =>
  describe(`WorkflowChatTransport, ${sdk.name}`, () => {
    const quiet = (t) => t.mock.method(console, 'error', () => {});
    const sse = (chunks, breaks = false) => {
      const lines = chunks.flat(Infinity).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
      return new ReadableStream({
        start: (controller) => {
          for (const line of lines) controller.enqueue(new TextEncoder().encode(line));
          if (!breaks) controller.close();
          else setTimeout(() => controller.error(new TypeError('network error')), 20);
        },
      });
    };
    const headers = { 'x-workflow-run-id': 'run-1', 'content-type': 'text/event-stream' };
    /** A server behind `fetch`, which plays these answers in turn. */
    const serverOf = (...script) => {
      const calls = [];
      const fetch = async (url, { method = 'GET' } = {}) => {
        calls.push(`${method} ${url}`);
        const next = script.shift();
        return typeof next === 'function' ? next() : new Response(sse(next), { headers });
      };
      return { calls, inner: new (noting(WorkflowChatTransport))({ api: '/api/chat', fetch }) };
    };

    test('a denial with an output over it stays one', async () => {
      const { inner } = serverOf(asksTwo(), settled());
      await overwritten(scene(sdk, { inner }));
    });

    test('a gap that the transport bridges itself is none for the guard', async (t) => {
      quiet(t);
      const rest = continued([outputAvailable('c1')]).slice(1);
      const { inner, calls } = serverOf(
        response('a1', gated('c1', 'rm')),
        () => new Response(sse([start()], true), { headers }),
        rest,
      );
      const s = scene(sdk, { inner });
      await s.say();
      await s.approve('c1');
      await until(() => s.call('c1').status === 'settled');
      assert.equal(s.count, 2);
      assert.equal(calls.at(-1), 'GET /api/chat/run-1/stream?startIndex=1');
      assert.deepEqual(endsOf(s.guard), ['ended', 'ended']);
    });

    test('a gap that it cannot bridge leaves the allowance in doubt', async (t) => {
      quiet(t);
      const { inner } = serverOf(
        response('a1', gated('c1', 'rm')),
        () => new Response(sse([start()], true), { headers }),
        () => new Response('gone', { status: 404 }),
      );
      const s = scene(sdk, { inner });
      await s.say();
      await s.approve('c1');
      await until(() => s.call('c1').status === 'in-doubt');
      assert.equal(s.count, 2);
    });

    test('a refusal is doubt, because its stream is there before the server was asked', async () => {
      const { inner } = serverOf(
        response('a1', gated('c1', 'rm')),
        () => new Response('no', { status: 403 }),
        continued([outputAvailable('c1')]),
      );
      const s = scene(sdk, { inner });
      await s.say();
      await s.approve('c1');
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.call('c1').status, 'settled');
    });

    test('the wrapper of the guide makes a refusal one', async () => {
      const { inner } = serverOf(
        response('a1', gated('c1', 'rm')),
        () => new Response('no', { status: 403 }),
        continued([outputAvailable('c1')]),
      );
      const statusOf = (error) => Number(/^Failed to fetch chat: (\d{3})/.exec(error.message)?.[1]);
      const s = scene(sdk, { inner: accepted(inner, statusOf) });
      await s.say();
      await s.approve('c1');
      assert.equal(s.call('c1').status, 'answered');
      assert.equal(s.verdict().reason, 'failed');
    });
  }),
);

/** One connection for several chats, with private fields, as an application may write it. */
class Multiplexer {
  #waiting = new Map();
  #closed = false;
  #send;
  requests = [];

  constructor(send) {
    this.#send = send;
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  get isClosed() {
    return this.#closed;
  }

  async sendMessages({ chatId, messages }) {
    if (this.#closed) throw refusal();
    this.requests.push(copy({ chatId, messages }));
    const chunks = await this.#send(chatId, messages);
    return new ReadableStream({
      start: (controller) => {
        this.#waiting.set(chatId, controller);
        for (const chunk of chunks.flat(Infinity)) controller.enqueue(chunk);
        if (chunks.isOpen) return;
        this.#waiting.delete(chatId);
        controller.close();
      },
      cancel: () => this.#waiting.delete(chatId),
    });
  }

  async reconnectToStream({ chatId }) {
    return this.#waiting.has(chatId) ? new ReadableStream() : null;
  }

  close() {
    this.#closed = true;
    for (const controller of this.#waiting.values()) controller.error(new Error('closed'));
    this.#waiting.clear();
  }
}

forEachSdk((sdk) =>
  describe(`a transport with private fields for several chats, ${sdk.name}`, () => {
    test('each guard sees its own chat, and close() leaves what was on its way in doubt', async () => {
      let isOpen = false;
      const shared = new Multiplexer(async (chatId, messages) => {
        if (messages.at(-1).role === 'user') return response(undefined, gated('c1', 'rm'));
        return Object.assign([start()], { isOpen });
      });
      const [a, b] = [scene(sdk, { inner: shared }), scene(sdk, { inner: shared })];
      await a.say();
      await b.say();
      isOpen = true;
      void a.answer('c1', true);
      await until(() => a.call('c1').status === 'delivered');
      assert.equal(b.call('c1').status, 'asking');
      a.guard.transport(shared).close();
      await until(() => a.call('c1').status === 'in-doubt');
      assert.equal(shared.isClosed, true);
      await b.approve('c1');
      assert.equal(b.call('c1').status, 'answered', 'the transport says that it refuses');
      assert.equal(b.verdict().reason, 'failed');
    });
  }),
);
