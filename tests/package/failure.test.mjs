// After a failure: answers are kept, nothing is sent again automatically, and a person can send again.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { createApprovalGuard, macrotask, scene } from './support/chat.mjs';
import { broken, hanging, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied, assertHolds, plain } from './support/assertions.mjs';
import { answered, asking, assistant, call, said, step, user } from './support/stored.mjs';
import {
  continued,
  error,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const settled = () => continued([outputDenied('c1'), outputAvailable('c2')]);

forEachSdk((sdk) =>
  describe(`failure, ${sdk.name}`, () => {
    for (const [title, failure] of [
      ['refused', reject()],
      ['offline', reject(new TypeError('fetch failed'))],
    ]) {
      test(`C16 ${title}: answers are kept, retry() sends the same once`, async () => {
        const s = scene(sdk, { script: [two(), failure, settled()] });
        await s.say();
        await s.deny('c1', 'no');
        await s.approve('c2');
        assert.equal(s.count, 2);
        assert.equal(s.chat.status, 'error');
        assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertAllowed(s.home('c2'), { id: 'ap-c2' });
        assert.ok(
          ['answered', 'in-doubt'].includes(s.call('c2').status),
          `not delivered, ${s.call('c2').status}`,
        );
        assertHolds(s, 'failed', 'in-doubt');

        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 3);
        assert.deepEqual(s.requests[2].messages, s.requests[1].messages);
        assert.equal(s.requests[2].messageId, 'a1');
        assert.equal(s.home('c2').output, 'done');
        assert.equal(s.call('c2').status, 'settled');

        assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
        await s.settle();
        assert.equal(s.count, 3);
      });

      test(`C16 ${title}: retry() of an output of the page`, async () => {
        const s = scene(sdk, { script: [response('a1', toolCall('k1', 'ui')), failure, says()] });
        await s.say();
        await s.output('k1', { picked: 3 });
        assert.equal(s.count, 2);
        assertHolds(s, 'failed', 'in-doubt');
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 3);
        assert.deepEqual(s.requests[2].messages, s.requests[1].messages);
        assert.equal(s.requests[2].messageId, 'a1');
        assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
        await s.settle();
        assert.equal(s.count, 3);
      });
    }

    test('C16 a second failure can be retried again', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), reject(), reject(), says()] });
      await s.say();
      await s.approve('c1');
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 3);
      assertHolds(s, 'failed', 'in-doubt');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 4);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C16 two retries in one turn send once', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), reject(), says(), says()] });
      await s.say();
      await s.approve('c1');
      await Promise.all([s.guard.retry(), s.guard.retry()]);
      await s.settle();
      assert.equal(s.count, 3);
    });

    test('C16 an output-error is written again unchanged', async () => {
      const s = scene(sdk, { script: [response('a1', toolCall('k1', 'ui')), reject(), says()] });
      await s.say();
      await s.outputError('k1', 'no camera');
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 3);
      assert.equal(s.wire('k1').state, 'output-error');
      assert.equal(s.wire('k1').errorText, 'no camera');
    });

    test('C16 outputs only: retry() continues the failed message, not an older one with an answer', async () => {
      const s = scene(sdk, {
        messages: [user('u0'), assistant('a0', answered('c0', 'rm', true), step, said())],
        guard: { whenUserSends: 'pass' },
        script: [response('a1', toolCall('k1', 'ui')), reject(), says()],
      });
      await s.say();
      await s.output('k1', 5);
      assert.equal(s.count, 2);
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 3);
      assert.equal(s.last.messageId, 'a1');
      assert.equal(s.wire('k1').output, 5);
    });

    for (const [title, failure] of [
      ['after its start', broken([start()])],
      ['after a data part', broken([start(), { type: 'data-x', data: 1 }])],
      ['with an error chunk', [start(), error('boom')]],
    ]) {
      test(`C105 a request that broke off, ${title}, leaves its calls in doubt`, async () => {
        const s = scene(sdk, { script: [two(), failure, says()] });
        await s.say();
        await s.deny('c1', 'no');
        await s.approve('c2');
        assert.equal(s.count, 2);
        assert.equal(s.call('c2').status, 'in-doubt');
        assertHolds(s, 'in-doubt', 'failed');
        s.chat.clearError();
        assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
        await s.settle();
        assert.equal(s.count, 2);
      });
    }

    test('C105 recorded and delivered are two states', async () => {
      const s = scene(sdk, { script: [two(), hanging([start()])] });
      await s.say();
      await s.deny('c1');
      assert.equal(s.call('c1').status, 'answered');
      await s.answer('c2', true);
      await macrotask();
      await macrotask();
      await macrotask();
      assert.equal(s.count, 2);
      assert.equal(s.call('c1').status, 'delivered');
      assert.equal(s.call('c2').status, 'delivered');
      await s.chat.stop();
    });

    test('C105 a call that settled before the break is settled', async () => {
      const s = scene(sdk, { script: [two(), broken([start(), outputDenied('c1'), outputAvailable('c2')])] });
      await s.say();
      await s.deny('c1');
      await s.approve('c2');
      assert.equal(s.call('c2').status, 'settled');
      assert.equal(s.call('c1').status, 'settled');
    });

    test('C67 a stored answer is not sent at page load', async () => {
      for (const part of [
        answered('c1', 'rm', true),
        answered('c1', 'rm', false),
        call('c1', 'ui', 'output-available', { output: 1 }),
      ]) {
        const s = scene(sdk, { messages: [user(), assistant('a1', part)], script: [says()] });
        await s.chat.resumeStream();
        s.guard.observe(s.chat.messages);
        assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
        await s.settle();
        assert.equal(s.count, 0);
        assertHolds(s, 'history', ...(part.output ? ['nothing-new'] : []));
      }
    });

    test('C67 a resumed stream that ends without news sends nothing', async () => {
      const stored = [user(), assistant('a1', answered('c1', 'rm', true))];
      const s = scene(sdk, {
        messages: stored,
        replays: [[start('a1'), { type: 'finish' }]],
        script: [says()],
      });
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.transport.reconnects, 1);
      assert.equal(s.count, 0);
    });

    test('C15 a stored answer beside an open card: the last answer sends both', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', answered('c1', 'rm', true), asking('c2', 'mv'))],
        script: [says()],
      });
      assert.deepEqual(plain(await s.guard.resume()).type, 'waiting');
      await s.settle();
      assert.equal(s.count, 0);
      await s.approve('c2');
      assert.equal(s.count, 1);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C15 resume() of a stored denial and of a stored output', async () => {
      const denied = scene(sdk, {
        messages: [user(), assistant('a1', answered('c1', 'rm', false, { reason: 'no' }))],
        script: [says()],
      });
      assert.deepEqual(await denied.guard.resume(), { type: 'sent' });
      await denied.settle();
      assert.equal(denied.count, 1);
      assertDenied(denied.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });

      const put = scene(sdk, {
        guard: { clientTools: ['ui'] },
        messages: [user(), assistant('a1', call('k1', 'ui', 'output-available', { output: { a: 1 } }))],
        script: [says()],
      });
      assert.deepEqual(await put.guard.resume(), { type: 'sent' });
      await put.settle();
      assert.equal(put.count, 1);
      assert.deepEqual(put.wire('k1').output, { a: 1 });
      assert.equal(put.last.messageId, 'a1');
      assert.deepEqual(await put.guard.resume(), { type: 'nothing-to-send' });
      await put.settle();
      assert.equal(put.count, 1);
    });

    test('retry() and resume() say when there is nothing to send', async () => {
      const s = scene(sdk, { script: [says()] });
      await s.say();
      assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
      assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
      await s.settle();
      assert.equal(s.count, 1);
      const loose = scene(sdk, { attach: false, script: [response('a1', gated('c1', 'rm')), reject()] });
      await loose.say();
      await loose.approve('c1');
      assert.deepEqual(await loose.guard.retry(), { type: 'not-attached' });
      assert.deepEqual(await loose.guard.resume(), { type: 'not-attached' });
      await loose.settle();
      assert.equal(loose.count, 2);
    });

    // A server runs no allowance that text stands behind, and misses its result (law 4).
    test('C16 a response that broke behind an allowance, in text: retry() sends the call as closed', async () => {
      const begun = broken([start(), startStep, ...text('So', { open: true })]);
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), begun, says()] });
      await s.say();
      await s.approve('c1');
      assert.equal(s.chat.status, 'error');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      assert.match(s.wire('c1').approval.reason, /not known/i);
    });

    test('a new answer after a failed request of another step is sent', async () => {
      const s = scene(sdk, { script: [reject(), response('a1', gated('c1', 'rm')), says()] });
      await s.say();
      await s.say('again');
      await s.approve('c1');
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });
  }),
);

describe('messages that cannot be read', () => {
  const unreadable = () => [
    user(),
    {
      ...assistant('a1'),
      get parts() {
        throw new Error('no parts');
      },
    },
  ];
  const readable = () => [user(), assistant('a1', asking('c1', 'rm'))];

  const guardThatTells = () => {
    const guard = createApprovalGuard({ onError: () => {} });
    const told = [];
    guard.subscribe(() => told.push(guard.getSnapshot().verdict.reason));
    return { guard, told };
  };

  test('listeners are told when messages cannot be read, and when they can again', () => {
    const { guard, told } = guardThatTells();
    guard.sendAutomaticallyWhen({ messages: readable() });
    for (const look of ['predicate', 'observe']) {
      const lookAt = (messages) =>
        look === 'observe' ? guard.observe(messages) : guard.sendAutomaticallyWhen({ messages });
      told.length = 0;
      lookAt(unreadable());
      assert.deepEqual(told, ['unreadable'], look);
      assert.equal(guard.getSnapshot().verdict.reason, 'unreadable');
      lookAt(unreadable());
      assert.equal(told.length, 1, 'once');
      lookAt(readable());
      assert.equal(told.at(-1), 'waiting', look);
      assert.equal(guard.getSnapshot().verdict.reason, 'waiting', look);
    }
  });

  test('listeners are told that messages can be read again, whatever else has changed', () => {
    const lists = [
      [],
      [user()],
      [user(), assistant('a1', said())],
      readable(),
      [user(), assistant('a1', answered('c1', 'rm', false))],
    ];
    for (const look of ['observe', 'predicate']) {
      for (const [before, after] of lists.flatMap((a) => lists.map((b) => [a, b]))) {
        const { guard, told } = guardThatTells();
        const lookAt = (messages) =>
          look === 'observe' ? guard.observe(messages) : guard.sendAutomaticallyWhen({ messages });
        lookAt(before);
        lookAt(unreadable());
        told.length = 0;
        lookAt(after);
        const says = `${look} ${JSON.stringify([before, after])}`;
        assert.ok(told.length > 0, says);
        const { reason } = guard.getSnapshot().verdict;
        assert.equal(reason, told.at(-1), says);
        assert.notEqual(reason, 'unreadable', says);
      }
    }
  });

  test('a failure while a snapshot is taken: the next snapshot is the same, and listeners are not told repeatedly', async () => {
    const { guard, told } = guardThatTells();
    let fails = false;
    const chat = {
      get messages() {
        if (fails) throw new Error('no messages');
        return readable();
      },
    };
    guard.attach(chat);
    guard.subscribe(() => guard.getSnapshot());
    // A chunk about a call. The next snapshot reads what the chat made of it.
    const chunks = new ReadableStream({
      start: (controller) => {
        controller.enqueue({ type: 'tool-input-available', toolCallId: 'c2', toolName: 'rm', input: {} });
        controller.close();
      },
    });
    const transport = guard.transport({
      sendMessages: async () => chunks,
      reconnectToStream: async () => null,
    });
    const response = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messages: [user()],
    });
    fails = true;
    await response.getReader().read();
    told.length = 0;
    const snapshot = guard.getSnapshot();
    assert.equal(snapshot.verdict.reason, 'unreadable');
    assert.equal(guard.getSnapshot(), snapshot);
    await macrotask();
    assert.ok(told.length <= 2, `${told.length}`);
    assert.equal(guard.getSnapshot(), snapshot);
  });
});

forEachSdk((sdk) =>
  test(`retry() and resume() say that the messages of the chat cannot be read, ${sdk.name}`, async () => {
    const s = scene(sdk, { messages: [user()], script: [] });
    const broken = { id: 'x', role: 'assistant' };
    Object.defineProperty(broken, 'parts', {
      get: () => {
        throw new Error('boom');
      },
    });
    s.chat.messages = [user(), broken];
    for (const send of ['retry', 'resume']) {
      await assert.rejects(s.guard[send](), { code: 'unreadable-messages' });
    }
  }),
);
