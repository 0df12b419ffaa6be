// Law 13: doubt stays doubt. A request counts as refused only if that is proven, and nothing in doubt is sent
// again automatically.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { continued, gated, outputAvailable, response, says, start, toolCall } from './support/chunks.mjs';
import { createApprovalGuard, macrotask, scene } from './support/chat.mjs';
import { broken, live, refusal, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

const one = () => response('a1', gated('c1', 'rm'));
const errorWith = (fields, error = new Error('no')) => Object.assign(error, fields);
const named = (name) => new DOMException('it broke', name);
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('trap');
    },
    has() {
      throw new Error('trap');
    },
    getPrototypeOf() {
      throw new Error('trap');
    },
  },
);

/** Errors that prove nothing. The last ones are not even errors that a `Chat` can read. */
const UNKNOWN = {
  'an error that nobody knows': new Error('500 Internal Server Error'),
  'a time-out': named('TimeoutError'),
  'a connection that was terminated': new TypeError('terminated'),
  'a network error of fetch': new TypeError('fetch failed'),
  'a network error of axios': errorWith({ name: 'AxiosError', code: 'ERR_NETWORK', response: undefined }),
  'the status of a success': errorWith({ statusCode: 200 }),
  'the status 0': errorWith({ status: 0 }),
  'a status below 400': errorWith({ status: 399 }),
  'a server that has failed': errorWith({ name: 'AI_APICallError', statusCode: 500 }),
  'a conflict with another request': errorWith({ status: 409 }),
  'a gateway that was told something it does not understand': errorWith({ status: 502 }),
  'a gateway that no longer waits for its server': errorWith({ status: 504 }),
  'a status that a gateway has made up': errorWith({ response: { status: 520 } }),
  'the highest status': errorWith({ status: 599 }),
  'a status above 599': errorWith({ status: 600 }),
  'a status beyond 32 bits': errorWith({ status: 2 ** 32 + 500 }),
  'a negative status': errorWith({ status: -500 }),
  'a broken status': errorWith({ status: 500.5 }),
  'no number': errorWith({ status: NaN }),
  'a status that is a text': errorWith({ status: '500' }),
  'a response without a status': errorWith({ response: {} }),
};
const UNREADABLE = {
  'nothing at all': undefined,
  null: null,
  'a text': '500',
  'a number': 500,
  'a getter that throws': Object.defineProperty(new Error('no'), 'status', {
    get() {
      throw new Error('trap');
    },
  }),
  'a proxy that throws': hostile,
};
const REFUSED = {
  'the statusCode of an APICallError': errorWith({ name: 'AI_APICallError', statusCode: 429 }),
  'a status': errorWith({ status: 400 }),
  'the status of a response': errorWith({ response: { status: 499 } }),
  'the statusCode of a response': errorWith({ response: { statusCode: 422 } }),
  'an object that is no error': { status: 503 },
};

/** Allows a stored question, and sends it through a custom transport. */
function direct(sendMessages, signal) {
  const guard = createApprovalGuard({ chatId: 'direct', onError: () => {} });
  const ask = [user(), assistant('a1', asking('c1', 'rm'))];
  guard.observe(ask);
  const messages = [user(), assistant('a1', answered('c1', 'rm', true))];
  assert.equal(guard.sendAutomaticallyWhen({ messages }), true);
  const inner = { sendMessages: () => {}, reconnectToStream: async () => null };
  const transport = guard.transport(inner);
  inner.sendMessages = sendMessages; // even nothing, which the guard would have refused
  const options = { chatId: 'direct', messages, trigger: 'submit-message', messageId: 'a1' };
  const sent = transport.sendMessages({ ...options, abortSignal: signal });
  return { guard, sent, status: () => guard.getSnapshot().calls[0].status, ends: () => endsOf(guard) };
}

/** How its requests ended, according to the ledger. */
const endsOf = (guard) =>
  guard
    .ledger()
    .filter(({ type }) => type === 'ended' || type === 'failed')
    .map(({ type, doubt }) => (type === 'failed' ? (doubt ? 'in doubt' : 'refused') : type));

forEachSdk((sdk) =>
  describe(`doubt, ${sdk.name}`, () => {
    for (const [title, error] of Object.entries(UNKNOWN)) {
      test(`law 13: ${title} proves nothing: in doubt, and only a person sends again`, async () => {
        const s = scene(sdk, { script: [one(), reject(error), continued([outputAvailable('c1')])] });
        await s.say();
        await s.approve('c1');
        assert.equal(s.call('c1').status, 'in-doubt');
        assert.equal(s.verdict().reason, 'in-doubt');
        assert.deepEqual(endsOf(s.guard), ['ended', 'in doubt']);
        assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
        assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
        assert.equal(s.count, 2);
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 3);
        assert.equal(s.call('c1').status, 'settled');
      });
    }

    for (const [title, error] of Object.entries(REFUSED)) {
      test(`law 13: ${title} proves the refusal`, async () => {
        const s = scene(sdk, { script: [one(), reject(error), says()] });
        await s.say();
        await s.approve('c1');
        assert.equal(s.call('c1').status, 'answered');
        assert.equal(s.verdict().reason, 'failed');
        assert.deepEqual(endsOf(s.guard), ['ended', 'refused']);
      });
    }

    test('law 13: a stop before the response leaves its allowance in doubt', async () => {
      const silent = (request, signal) =>
        new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
      const replies = [async () => new ReadableStream({ start: play(one()) }), silent];
      const inner = {
        requests: [],
        busy: false,
        sendMessages: ({ abortSignal, ...request }) => {
          inner.requests.push(request);
          return replies.shift()(request, abortSignal);
        },
        reconnectToStream: async () => null,
      };
      const s = scene(sdk, { inner });
      await s.say();
      const answering = s.answer('c1', true);
      await until(() => s.count === 2);
      await s.chat.stop();
      await answering;
      await s.settle();
      assert.equal(s.call('c1').status, 'in-doubt');
    });

    test('law 13: a call whose output had only begun can be sent again, and leaves without it', async () => {
      const half = outputAvailable('c1', 'half', { preliminary: true });
      const script = [one(), broken([start('a1'), half]), continued([outputAvailable('c1')])];
      const s = scene(sdk, { script });
      await s.say();
      await s.approve('c1');
      assert.equal(s.home('c1').output, 'half');
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.equal(s.verdict().reason, 'in-doubt');
      assert.deepEqual(s.verdict().waitingFor, []);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      assert.equal(s.count, 2, 'nothing in doubt repeats by itself');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      const sent = s.wire('c1');
      assert.deepEqual(
        [sent.state, sent.approval.approved, 'output' in sent, 'preliminary' in sent],
        ['approval-responded', true, false, false],
      );
      assert.equal(s.call('c1').status, 'settled');
      assert.equal(s.home('c1').output, 'done');
    });

    test('law 13: a denial and an output of the page are never in doubt', async () => {
      const denied = scene(sdk, { script: [one(), reject(new Error('lost')), says()] });
      await denied.say();
      await denied.deny('c1');
      assert.equal(denied.verdict().reason, 'failed');
      const put = scene(sdk, {
        script: [response('a1', toolCall('k1', 'ui')), reject(new Error('lost')), says()],
      });
      await put.say();
      await put.output('k1', 1);
      assert.equal(put.verdict().reason, 'failed');
    });

    test('law 13: a call in doubt stays in doubt when the next request is refused', async () => {
      const s = scene(sdk, { script: [one(), reject(new Error('lost')), reject(refusal()), says()] });
      await s.say();
      await s.approve('c1');
      await s.guard.retry();
      await s.settle();
      assert.deepEqual(endsOf(s.guard), ['ended', 'in doubt', 'refused']);
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.equal(s.verdict().reason, 'in-doubt');
    });

    test('law 13: the transport of the SDK, and its server that refuses', async () => {
      const plain = async () => new Response('no', { status: 400 });
      const told = async (...request) => {
        const answer = await plain(...request);
        if (!answer.ok) throw Object.assign(new Error(await answer.text()), { status: answer.status });
        return answer;
      };
      for (const [fetch, status] of [
        // The errors of `ai` 6 do not contain the status.
        [plain, sdk.major === 6 ? 'in-doubt' : 'answered'],
        [told, 'answered'],
      ]) {
        const messages = [user(), assistant('a1', asking('c1', 'rm'))];
        const inner = new sdk.ai.DefaultChatTransport({ api: 'https://nowhere.invalid/', fetch });
        const s = scene(sdk, { inner: Object.assign(inner, { requests: [], busy: false }), messages });
        await s.approve('c1');
        assert.equal(s.call('c1').status, status);
      }
    });

    test('two resume() at once: both report the outcome of the one request', async () => {
      const stored = [user(), assistant('a1', answered('c1', 'rm', true))];
      const reply = live();
      const s = scene(sdk, { messages: stored, script: [reply, says()] });
      const first = s.guard.resume();
      const second = s.guard.resume();
      await reply.started;
      const third = s.guard.resume();
      reply.push(start('a1'), outputAvailable('c1'));
      reply.close();
      const sent = { type: 'sent' };
      assert.deepEqual(await Promise.all([first, second, third]), [sent, sent, sent]);
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
    });

    for (const [title, error, reason] of [
      ['in doubt', new Error('lost'), 'in-doubt'],
      ['refused', refusal(), 'failed'],
    ]) {
      test(`law 13: a replayed question asks nobody for what is ${title}, no grant either`, async () => {
        const again = [start('a1'), { type: 'start-step' }, gated('c1', 'rm'), { type: 'finish' }];
        const s = scene(sdk, {
          script: [
            response('a0', gated('c0', 'rm')),
            continued([outputAvailable('c0')]),
            one(),
            reject(error),
            says(),
          ],
          replays: [again],
        });
        await s.say();
        s.guard.decide('c0', 'allow-chat', { covers: 'tool' });
        await s.settle();
        await s.say();
        assert.equal(s.count, 4);
        assert.equal(s.verdict().reason, reason);
        const before = s.call('c1').status;
        await s.chat.resumeStream();
        await s.settle();
        assert.equal(s.transport.reconnects, 1);
        assert.equal(s.count, 4);
        assert.equal(s.call('c1').status, before);
      });
    }

    test('two retry() at once: both report the outcome of the one request', async () => {
      const s = scene(sdk, { script: [one(), reject(), says(), says()] });
      await s.say();
      await s.approve('c1');
      const results = await Promise.all([s.guard.retry(), s.guard.retry()]);
      assert.deepEqual(results, [{ type: 'sent' }, { type: 'sent' }]);
      await s.settle();
      assert.equal(s.count, 3);
    });

    test('resume() and retry() at once: each answer is sent once, by one of them', async () => {
      const stored = [user(), assistant('a1', answered('c1', 'rm', true))];
      const s = scene(sdk, { messages: stored, script: [says(), says()] });
      const both = await Promise.all([s.guard.resume(), s.guard.retry()]);
      assert.deepEqual(both, [{ type: 'sent' }, { type: 'sent' }]);
      await s.settle();
      assert.equal(s.count, 1);

      const failed = scene(sdk, { script: [one(), reject(), says(), says()] });
      await failed.say();
      await failed.approve('c1');
      const each = await Promise.all([failed.guard.resume(), failed.guard.retry()]);
      assert.deepEqual(each, [{ type: 'nothing-to-send' }, { type: 'sent' }]);
      await failed.settle();
      assert.equal(failed.count, 3);
    });
  }),
);

/** Passes the chunks of a script to a stream. */
const play = (chunks) => (controller) => {
  for (const chunk of chunks.flat(Infinity)) controller.enqueue(chunk);
  controller.close();
};

async function until(done) {
  for (let i = 0; !done(); i++) {
    assert.ok(i < 200, 'it did not come');
    await macrotask();
  }
}

describe('doubt, without a chat', () => {
  for (const [title, error] of Object.entries(UNREADABLE)) {
    test(`law 13: ${title} as the error proves nothing, and is rethrown unchanged`, async () => {
      const { sent, status, ends } = direct(async () => {
        throw error;
      });
      const thrown = await sent.then(
        () => assert.fail('it was to fail'),
        (thrown) => [thrown],
      );
      assert.ok(Object.is(thrown[0], error));
      assert.equal(status(), 'in-doubt');
      assert.deepEqual(ends(), ['in doubt']);
    });
  }

  test('law 13: a transport that throws at once was asked', async () => {
    const { sent, status } = direct(() => {
      throw new Error('at once');
    });
    await assert.rejects(sent, /at once/);
    assert.equal(status(), 'in-doubt');
  });

  for (const [title, response] of [
    ['nothing', undefined],
    ['no stream', { body: [] }],
  ]) {
    test(`law 13: the outcome of a request is not known if the transport returns ${title}`, async () => {
      const { sent, status, ends } = direct(async () => response);
      assert.equal(await sent, response);
      assert.equal(status(), 'in-doubt');
      assert.deepEqual(ends(), ['in doubt']);
    });
  }

  // A `Chat` stops reading there, so its responses break off.
  test('law 13: a response that says an error has failed, also for a reader that reads on', async () => {
    const chunks = [start('a2'), { type: 'error', errorText: 'the model is gone' }];
    const { sent, status, ends } = direct(async () => new ReadableStream({ start: play(chunks) }));
    const read = [];
    for await (const chunk of await sent) read.push(chunk);
    assert.deepEqual(read, chunks);
    assert.equal(status(), 'in-doubt');
    assert.deepEqual(ends(), ['in doubt']);
  });

  test('law 13: a stream that something else reads proves nothing', async () => {
    const stream = new ReadableStream();
    stream.getReader();
    const { sent, status } = direct(async () => stream);
    await assert.rejects(sent, TypeError);
    assert.equal(status(), 'in-doubt');
  });

  test('law 13: a request that was aborted before the transport was asked was never sent', async () => {
    let asked = 0;
    const { sent, status, ends } = direct(async () => asked++, AbortSignal.abort());
    await assert.rejects(sent, { name: 'AbortError' });
    assert.equal(asked, 0);
    assert.equal(status(), 'answered');
    assert.deepEqual(ends(), ['refused']);
  });

  test('law 13: a transport that cannot be asked was not asked', async () => {
    const { sent, status, ends } = direct(undefined);
    await assert.rejects(sent, TypeError);
    assert.equal(status(), 'answered');
    assert.deepEqual(ends(), ['refused']);
  });

  for (const waits of [false, true]) {
    const how = waits ? 'while it waits for a chunk' : 'between two chunks';
    test(`a reader that cancels ${how} ends the request once, in doubt`, async () => {
      let cancelled;
      const chunks = [start('a1')];
      const inner = async () =>
        new ReadableStream({
          start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
          cancel: (reason) => (cancelled = reason),
        });
      const { guard, sent, status, ends } = direct(inner);
      const reader = (await sent).getReader();
      await reader.read();
      const pending = waits ? reader.read() : undefined;
      await macrotask();
      await reader.cancel('enough');
      assert.equal((await pending)?.done, waits ? true : undefined);
      await macrotask();
      assert.equal(cancelled, 'enough');
      assert.deepEqual(ends(), ['in doubt']);
      assert.equal(status(), 'in-doubt');
      assert.equal(guard.explain().reason, 'in-doubt');
    });
  }
});
