// Lists that come from the server and not in a response: what they say happened is believed (laws 4, 14 and 17).
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import { preload } from 'tool-approval-guard';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { macrotask, scene } from './support/chat.mjs';
import { assertDenied } from './support/assertions.mjs';
import { continued, gated, outputDenied, response, says } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';

const asks = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));

/** A call that the server has run, as stores keep it. */
const SHAPES = {
  'with its answer': (id, tool) =>
    call(id, tool, 'output-available', { output: 'ran', approval: { id: `ap-${id}`, approved: true } }),
  'without `approved`': (id, tool) =>
    call(id, tool, 'output-available', { output: 'ran', approval: { id: `ap-${id}` } }),
  'without an approval': (id, tool) => call(id, tool, 'output-available', { output: 'ran' }),
  'that has failed, without `approved`': (id, tool) =>
    call(id, tool, 'output-error', { errorText: 'no such file', approval: { id: `ap-${id}` } }),
};
const ran = SHAPES['without `approved`'];

/** The ways to give the chat the list. */
const ORDERS = {
  'adopted first': (s, list) => (s.guard.adopt(list), (s.chat.messages = list)),
  'set first': (s, list) => ((s.chat.messages = list), s.guard.adopt(list)),
  'set a while before': async (s, list) => {
    s.chat.messages = list;
    await macrotask();
    s.guard.adopt(list);
  },
  'set a while later, as a copy': async (s, list) => {
    s.guard.adopt(list);
    await macrotask();
    s.chat.messages = structuredClone(list);
    s.guard.observe(s.chat.messages);
  },
};

const actors = (s, id, ...types) =>
  s.guard
    .ledger()
    .filter((entry) => entry.toolCallId === id && types.includes(entry.type))
    .map(({ type, actor }) => [type, actor]);

forEachSdk((sdk) => {
  /** A chat that asks about two calls. */
  async function asked(options = {}) {
    const s = scene(sdk, { script: [asks(), ...(options.script ?? [says(), says()])], ...options.scene });
    await s.say();
    return Object.assign(s, {
      /** The list of the server, with these parts. */
      stored: (...parts) => [s.chat.messages[0], assistant('s1', ...parts)],
      /** The page gets the list. */
      get: async (list, order = ORDERS['adopted first']) => {
        await order(s, list);
        await macrotask();
        await s.settle();
      },
    });
  }

  describe(`adopt, ${sdk.name}`, () => {
    for (const [shape, stored] of Object.entries(SHAPES))
      for (const [when, order] of Object.entries(ORDERS))
        test(`law 17: a call that the server has run, ${shape}, ${when}`, async () => {
          const s = await asked();
          const list = s.stored(stored('c1', 'rm'), asking('c2', 'ls'));
          const before = structuredClone(list);
          await s.get(list, order);
          assert.deepEqual(s.home('c1'), stored('c1', 'rm'), 'the chat shows what the server says');
          assert.deepEqual(list, before, 'the list of the application is not changed');
          assert.deepEqual(s.codes(), []);
          const { status, outcome } = s.call('c1');
          assert.deepEqual(
            [status, outcome, s.call('c2').status],
            ['settled', 'allowed-elsewhere', 'asking'],
          );
          assert.deepEqual(actors(s, 'c1', 'answered', 'output'), [
            ['answered', 'server'],
            ['output', 'server'],
          ]);
          assert.equal(s.count, 1, 'nothing is sent because of it');
          assert.equal(s.guard.decide('ap-c1', 'deny').reason, 'already-answered');
          await s.approve('c2');
          assert.equal(s.count, 2);
          assert.deepEqual(s.wire('c1'), stored('c1', 'rm'), 'it leaves as it came');
          assert.equal(s.wire('c2').approval.approved, true);
        });

    test('without it, such a part is an output of the page, and the question is put back', async () => {
      const s = await asked();
      s.chat.messages = s.stored(ran('c1', 'rm'), asking('c2', 'ls'));
      s.guard.observe(s.chat.messages);
      await s.answer('c2', true);
      await s.settle();
      assert.deepEqual(
        [s.home('c1').state, s.codes()],
        ['approval-requested', ['output-over-open-approval']],
      );
    });

    test('a denial that the server has settled is its own', async () => {
      const s = await asked();
      const denied = call('c1', 'rm', 'output-denied', { approval: { id: 'ap-c1', approved: false } });
      await s.get(s.stored(denied, asking('c2', 'ls')));
      assert.deepEqual([s.call('c1').status, s.call('c1').outcome], ['settled', 'denied-elsewhere']);
      await s.approve('c2');
      assert.deepEqual(s.wire('c1'), denied);
    });

    test('what the server has answered is its own, causes no request, and lets the chat be continued', async () => {
      const s = await asked({ script: [says()] });
      await s.get(s.stored(answered('c1', 'rm', true), answered('c2', 'ls', false)));
      assert.deepEqual(actors(s, 'c1', 'answered'), [['answered', 'server']]);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.call(id).outcome),
        ['allowed-elsewhere', 'denied-elsewhere'],
      );
      assert.deepEqual([s.count, s.guard.explain().reason], [1, 'nothing-new']);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.wire(id).approval.approved),
        [true, false],
      );
      assert.deepEqual(s.codes(), []);
    });

    test('law 7: what the server has from somebody else was first, and a draft gives way', async () => {
      const s = await asked({ scene: { guard: { undoMs: 60_000 } } });
      assert.equal(s.guard.decide('ap-c1', 'deny').type, 'drafted');
      await s.get(s.stored(ran('c1', 'rm'), asking('c2', 'ls')));
      assert.deepEqual([s.call('c1').status, s.call('c1').outcome], ['settled', 'allowed-elsewhere']);
      assert.equal(s.guard.undo('ap-c1').type, 'refused');
    });

    test('law 17: a denial that never left gives way to a result of the server', async () => {
      const s = await asked();
      await s.deny('c1');
      await s.get(s.stored(ran('c1', 'rm'), asking('c2', 'ls')));
      assert.deepEqual([s.home('c1'), s.codes()], [ran('c1', 'rm'), []]);
      await s.approve('c2');
      assert.deepEqual(s.wire('c1'), ran('c1', 'rm'));
    });

    test('law 4: a denial that was sent stays one, and the server is reported', async () => {
      const s = await asked({ script: [continued([outputDenied('c1'), outputDenied('c2')]), says()] });
      await s.deny('c1');
      await s.deny('c2');
      assert.equal(s.count, 2);
      await s.get(s.stored(ran('c1', 'rm'), s.home('c2')));
      assert.deepEqual(s.codes(), ['output-of-denied-call']);
      await s.say('more');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('law 17: a call that the user has passed over and the server has run keeps its result', async () => {
      const s = await asked({ script: [says(), says()] });
      await s.say('never mind');
      assert.equal(s.wire('c1').state, 'output-denied');
      const [first, , next, last] = s.chat.messages;
      await s.get([first, assistant('s1', ran('c1', 'rm'), s.home('c2')), next, last]);
      assert.deepEqual(s.home('c1'), ran('c1', 'rm'));
      await s.say('more');
      assert.deepEqual(s.wire('c1'), ran('c1', 'rm'));
      assert.equal(s.wire('c2').state, 'output-denied');
      assert.deepEqual(s.codes(), []);
    });

    test('an answer of this person that the server has is not sent again, and stays the person’s', async () => {
      const s = await asked({ scene: { guard: { sendOn: 'outputs' } } });
      await s.approve('c1');
      await s.deny('c2');
      assert.equal(s.count, 1);
      await s.get(s.stored(answered('c1', 'rm', true), answered('c2', 'ls', false)));
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.call(id).outcome),
        ['allowed-once', 'denied'],
      );
      assert.deepEqual(actors(s, 'c1', 'answered'), [
        ['answered', 'person'],
        ['answered', 'server'],
      ]);
      assert.equal((await s.guard.retry()).type, 'nothing-to-send');
      assert.equal(s.count, 1);
    });

    test('law 16: an older list of the server takes nothing back', async () => {
      const s = await asked();
      const older = s.stored(asking('c1', 'rm'), asking('c2', 'ls'));
      await s.get(s.stored(ran('c1', 'rm'), asking('c2', 'ls')));
      await s.get(older);
      await s.say('more');
      assert.equal(s.wire('c1').output, 'ran');
      assert.deepEqual(s.codes(), []);
    });

    test('a list that the page sets when its response has ended, and at each poll', async () => {
      const server = [];
      let guard;
      let chat;
      const s = scene(sdk, {
        script: [asks(), says()],
        chat: {
          onFinish: () => {
            guard?.adopt(server);
            if (chat !== undefined) chat.messages = structuredClone(server);
          },
        },
      });
      ({ guard, chat } = s);
      server.push(user('u1'), assistant('s1', ran('c1', 'rm'), asking('c2', 'ls')));
      await s.say();
      assert.deepEqual(s.home('c1'), ran('c1', 'rm'));
      for (let i = 0; i < 3; i += 1) {
        guard.adopt(structuredClone(server));
        chat.messages = structuredClone(server);
        await macrotask();
      }
      assert.deepEqual([s.count, s.codes()], [1, []]);
      assert.deepEqual(actors(s, 'c1', 'output'), [['output', 'server']]);
      assert.equal(s.call('c2').status, 'asking');
    });

    test('`unsent` knows what the server has', async () => {
      const s = scene(sdk, { messages: [user('u1'), assistant('a1', asking('c1', 'rm'))] });
      const list = [
        user('u1'),
        assistant('a1', ran('c1', 'rm')),
        user('u2', 'from the phone'),
        assistant('a2'),
      ];
      s.guard.adopt(list);
      s.chat.messages = list;
      assert.deepEqual(s.guard.unsent([...list, user('u3', 'new')]), [user('u3', 'new')]);
    });

    test('a chat that is not attached, and a list that is adopted before the chat is', async () => {
      const list = [user('u1'), assistant('a1', ran('c1', 'rm'), asking('c2', 'ls'))];
      const s = scene(sdk, { messages: list, attach: false, script: [says()] });
      s.guard.adopt(list);
      assert.deepEqual([s.call('c1').outcome, s.call('c2').status], ['allowed-elsewhere', 'asking']);
      s.guard.attach(s.chat);
      await s.approve('c2');
      assert.deepEqual([s.wire('c1'), s.codes()], [ran('c1', 'rm'), []]);
    });

    test('law 11: what is no list is reported, and adopts nothing', async () => {
      const s = await asked();
      for (const value of [undefined, null, 'list', { messages: [] }]) s.guard.adopt(value);
      s.guard.adopt([null, {}, { role: 'assistant', parts: [null, { type: 'tool-rm' }] }]);
      assert.deepEqual(s.codes(), ['invalid-input', 'invalid-input', 'invalid-input', 'invalid-input']);
      s.guard.dispose();
      s.guard.adopt([]);
    });

    test('each chat of a page adopts its own list, and the predicate finds the chat by it', async () => {
      await preload();
      const guards = createApprovalGuards({ onError: (error) => assert.fail(error) });
      const transports = new Map(['a', 'b'].map((id) => [id, new ScriptedTransport([says()])]));
      const transport = guards.transport({
        sendMessages: (request) => transports.get(request.chatId).sendMessages(request),
        reconnectToStream: async () => null,
      });
      const list = [user('u1'), assistant('a1', ran('c1', 'rm'), asking('c2', 'ls'))];
      const chats = ['a', 'b'].map(
        (id) =>
          new sdk.Chat({
            id,
            messages: [],
            transport,
            // A predicate around that of the guards does not tell which chat asks.
            sendAutomaticallyWhen: (question) => guards.sendAutomaticallyWhen(question),
          }),
      );
      for (const chat of chats) {
        const own = structuredClone(list);
        guards.get(chat.id).adopt(own);
        chat.messages = own;
      }
      await chats[0].addToolApprovalResponse({ id: 'ap-c2', approved: true });
      await macrotask();
      await macrotask();
      assert.deepEqual(
        [...transports.values()].map(({ requests }) => requests.length),
        [1, 0],
      );
      const [request] = transports.get('a').requests;
      assert.deepEqual(request.messages[1].parts[1], ran('c1', 'rm'));
      assert.equal(guards.get('b').getSnapshot().calls[1].status, 'asking');
    });
  });
});

const { WebAssembly } = globalThis;
afterEach(() => void (globalThis.WebAssembly = WebAssembly));

test('law 11: what the server says leaves as it came also without WebAssembly', async () => {
  const { createApprovalGuard } = await import(
    `${import.meta.resolve('tool-approval-guard/sync')}?adopt-without-wasm`
  );
  delete globalThis.WebAssembly;
  const guard = createApprovalGuard({ chatId: 'c', onError: () => {} });
  const sent = [];
  const transport = guard.transport({
    sendMessages: async ({ messages }) => {
      sent.push(messages);
      return new ReadableStream({ start: (controller) => controller.close() });
    },
    reconnectToStream: async () => null,
  });
  const stored = [user(), assistant('a1', ran('c1', 'rm'), { ...ran('c2', 'ls'), output: 'stored' })];
  const shown = [user(), assistant('a1', ran('c1', 'rm'), { ...ran('c2', 'ls'), output: 'made up' })];
  guard.adopt(stored);
  await transport.sendMessages({
    chatId: 'c',
    trigger: 'submit-message',
    messages: [...shown, user('u2')],
  });
  const [, own, other] = sent[0][1].parts;
  assert.deepEqual(own, ran('c1', 'rm'));
  assert.deepEqual([other.state, other.output], ['output-denied', undefined]);
});
