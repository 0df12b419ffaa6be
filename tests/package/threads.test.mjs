// One guard for each chat, behind one transport and one predicate.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { createRecord } from 'tool-approval-guard/record';
import { macrotask, parts, until } from './support/chat.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';
import { continued, gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

/** The same ids in every chat. */
const asks = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const done = (...settled) => continued(settled);

/** A page with one transport and one predicate for all of its chats. The script is that of each chat. */
function page(sdk, { script = () => [], options = {} } = {}) {
  const errors = [];
  const guards = createApprovalGuards({ onError: (error) => errors.push(error), ...options });
  const scripted = new Map();
  const of = (id) => {
    if (!scripted.has(id)) scripted.set(id, new ScriptedTransport(script(id)));
    return scripted.get(id);
  };
  const inner = {
    sendMessages: (request) => of(request.chatId).sendMessages(request),
    reconnectToStream: (request) => of(request.chatId).reconnectToStream(request),
    clone: () => ({ ...inner }),
  };
  const transport = guards.transport(inner);
  const open = (
    id,
    messages = [],
    { through = transport, attach = false, when = guards.sendAutomaticallyWhen } = {},
  ) => {
    const chat = new sdk.Chat({
      id,
      messages,
      transport: through,
      sendAutomaticallyWhen: when,
      onError: () => {},
    });
    if (attach) guards.get(id).attach(chat);
    const settle = () => until(() => ['ready', 'error'].includes(chat.status) && !of(id).busy);
    const then = async (act) => {
      await act;
      await settle();
    };
    return {
      chat,
      get requests() {
        return of(id).requests;
      },
      wire: (callId) => parts(of(id).requests.at(-1).messages, callId).at(-1),
      say: (text = 'go') => then(chat.sendMessage({ text })),
      answer: (callId, approved, reason) =>
        then(chat.addToolApprovalResponse({ id: `ap-${callId}`, approved, reason })),
      put: (toolCallId, output) => then(chat.addToolOutput({ tool: 'rm', toolCallId, output })),
      resume: () => then(chat.resumeStream()),
      calls: () =>
        guards
          .get(id)
          .getSnapshot()
          .calls.map(({ toolCallId, status }) => [toolCallId, status]),
    };
  };
  // A predicate around that of the guards does not tell which chat asks.
  const wrapped = (question) => guards.sendAutomaticallyWhen(question);
  return { guards, transport, open, of, wrapped, codes: () => errors.map(({ code }) => code) };
}

forEachSdk((sdk) =>
  describe(`threads, ${sdk.name}`, () => {
    test('law_9 each chat has a guard of its own, and nothing crosses', async () => {
      const p = page(sdk, { script: () => [asks(), done(), says()] });
      const [a, b] = [p.open('a'), p.open('b')];
      await a.say();
      await b.say();
      await a.answer('c1', false, 'no');
      await a.put('c1', 'fake');
      await b.answer('c1', true);
      assert.deepEqual(
        [a.requests.length, b.requests.length],
        [1, 1],
        'each still asks about the other call',
      );
      assert.equal(p.guards.get('b').getSnapshot().calls[1].status, 'asking');
      await b.answer('c2', false);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 2]);
      await a.answer('c2', true);
      assert.deepEqual([a.requests.length, b.requests.length], [2, 2]);
      assertDenied(a.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(a.wire('c2'), { id: 'ap-c2' });
      assertAllowed(b.wire('c1'), { id: 'ap-c1' });
      assertDenied(b.wire('c2'), { id: 'ap-c2' });
      assert.equal(p.guards.get('a'), p.guards.get('a'));
      assert.notEqual(p.guards.get('a'), p.guards.get('b'));
      assert.deepEqual(p.codes(), []);
    });

    test('each request asks the guard of its own chat what the server needs', async () => {
      const bodies = [];
      const guards = createApprovalGuards({ onError: (error) => assert.fail(error) });
      const transport = guards.transport(
        new sdk.ai.DefaultChatTransport({
          api: 'https://page.example/api/chat',
          fetch: async (_, { body }) => {
            bodies.push(JSON.parse(body));
            const lines = says()
              .flat(Infinity)
              .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
            return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
          },
          prepareSendMessagesRequest: ({ id, messages }) => ({
            body: { id, messages: guards.get(id).unsent(messages) },
          }),
        }),
      );
      const chats = ['a', 'b'].map((id) => new sdk.Chat({ id, transport }));
      for (const text of ['one', 'two'])
        for (const chat of chats) {
          await chat.sendMessage({ text });
          await until(() => chat.status === 'ready');
        }
      assert.deepEqual(
        bodies.map(({ id, messages }) => [id, messages.map(({ parts }) => parts[0].text)]),
        ['one', 'two'].flatMap((text) => ['a', 'b'].map((id) => [id, [text]])),
      );
    });

    for (const attach of [false, true]) {
      test(`law_3 a chat whose first message is edited still sends, ${attach ? '' : 'not '}attached`, async () => {
        const p = page(sdk, {
          script: () => [says(), asks(), done(outputAvailable('c1'), outputDenied('c2'))],
        });
        const a = p.open('a', [], { attach });
        await a.say();
        await a.chat.sendMessage({ text: 'rather this', messageId: a.chat.messages[0].id });
        await a.answer('c1', true);
        await a.answer('c2', false);
        assert.equal(a.requests.length, 3);
        assertAllowed(a.wire('c1'), { id: 'ap-c1' });
        assertDenied(a.wire('c2'), { id: 'ap-c2' });
        assert.deepEqual(p.codes(), []);
      });
    }

    test('law_3 an attached chat whose first stored message is edited still sends', async () => {
      const p = page(sdk, { script: () => [asks(), done(outputDenied('c1'), outputDenied('c2'))] });
      const a = p.open('a', [user('u1')], { attach: true });
      await a.chat.sendMessage({ text: 'rather this', messageId: 'u1' });
      await a.answer('c1', false);
      await a.answer('c2', false);
      assert.equal(a.requests.length, 2);
      assert.deepEqual(p.codes(), []);
    });

    test('law_3 stored messages that come after their chat was attached are answered and sent', async () => {
      const p = page(sdk, { script: () => [done(outputAvailable('c1'))] });
      const stored = () => [user('u1'), assistant('a1', asking('c1', 'rm'))];
      const [a, b] = [p.open('a', [], { attach: true }), p.open('b', [], { attach: true })];
      a.chat.messages = stored();
      b.chat.messages = stored();
      await a.answer('c1', true);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 0]);
      assertAllowed(a.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(p.codes(), []);
    });

    test('law_9 continuing a stored message tells no chat, because another one may begin with it', async () => {
      const p = page(sdk, { script: () => [asks(), says()] });
      const shared = user('u1');
      const [a, b] = [
        p.open('a', [shared], { when: p.wrapped }),
        p.open('b', [shared, assistant('a1', asking('c1', 'rm'))], { when: p.wrapped }),
      ];
      await a.chat.sendMessage();
      await b.answer('c1', true);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 0]);
      assert.deepEqual(p.codes(), ['unknown-chat']);
    });

    for (const when of ['itself', 'wrapped'])
      for (const attached of ['', 'a', 'b', 'a b', 'b before its list, a'])
        if (when === 'itself' || attached !== '')
          test(`law_9 an answer in a fork is none in the original, predicate ${when}, attached: ${attached || 'neither'}`, async () => {
            const p = page(sdk, { script: (id) => (id === 'a' ? [asks(), says()] : [says()]) });
            const opened = { when: when === 'itself' ? undefined : p.wrapped };
            const a = p.open('a', [], { attach: attached.includes('a'), ...opened });
            await a.say();
            const early = attached.startsWith('b before');
            const b = p.open('b', early ? [] : [...a.chat.messages], {
              attach: attached.includes('b'),
              ...opened,
            });
            if (early) b.chat.messages = [...a.chat.messages];
            await b.answer('c1', true);
            await b.answer('c2', true);
            assert.deepEqual(a.calls(), [['c1', 'asking'], ['c2', 'asking']]); // prettier-ignore
            assert.equal(a.requests.length, 1);
            const isFound = when === 'itself' || attached.includes('b');
            assert.equal(b.requests.length, isFound ? 1 : 0);
            assert.deepEqual(p.codes(), isFound ? [] : ['unknown-chat']);
            await a.answer('c1', false, 'no');
            await a.answer('c2', false);
            assert.equal(a.requests.length, 2, 'the original goes on');
            assertDenied(a.wire('c1'), { id: 'ap-c1', reason: 'no' });
            const yes = p.guards.get('a').ledger().filter(({ approved }) => approved === true); // prettier-ignore
            assert.deepEqual(yes, []);
          });

    test('law_9 the list of a chat that is shown in another one is answered only there', async () => {
      const p = page(sdk, { script: (id) => (id === 'a' ? [asks(), says()] : [says()]) });
      const [a, b] = [p.open('a', [], { attach: true }), p.open('b', [], { attach: true })];
      await a.say();
      b.chat.messages = a.chat.messages;
      await b.answer('c1', true);
      await b.answer('c2', true);
      assert.deepEqual(a.calls(), [['c1', 'asking'], ['c2', 'asking']]); // prettier-ignore
      assert.deepEqual([a.requests.length, b.requests.length], [1, 1]);
      assertAllowed(b.wire('c1'), { id: 'ap-c1' });
    });

    test('law_9 a grant answers calls of its own chat only', async () => {
      const p = page(sdk, {
        script: () => [asks(), done(outputAvailable('c1'), outputAvailable('c2')), asks()],
      });
      const [a, b] = [p.open('a', [], { attach: true }), p.open('b', [], { attach: true })];
      await a.say();
      p.guards.get('a').decide('ap-c1', 'allow-chat', { covers: 'tool' });
      await b.say();
      assert.deepEqual(b.calls(), [
        ['c1', 'asking'],
        ['c2', 'asking'],
      ]);
      assert.deepEqual(p.guards.get('b').grants(), []);
      assert.equal(p.guards.get('a').grants().length, 1);
    });

    test('law_9 a request of another chat is refused by a guard that was asked for', async () => {
      const p = page(sdk, { script: () => [says()] });
      const other = p.open('b', [], { through: p.guards.get('a').transport(p.of('b')) });
      await other.say();
      assert.equal(other.chat.error.code, 'wrong-chat');
      assert.deepEqual(p.codes(), ['wrong-chat']);
    });

    test('law_9 chats that begin with the same messages: without attach nothing is sent, and this is reported', async () => {
      const stored = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'ls'))];
      const p = page(sdk, { script: () => [done(), says()] });
      const [a, b] = [p.open('a', stored, { when: p.wrapped }), p.open('b', stored, { when: p.wrapped })];
      await a.answer('c1', true);
      await b.answer('c2', true);
      await a.answer('c2', false);
      await b.answer('c1', true);
      assert.deepEqual([a.requests.length, b.requests.length], [0, 0]);
      assert.deepEqual(p.codes(), ['unknown-chat'], 'once');
      // Its own request tells the chat, and what it carries is what was answered there.
      await a.chat.sendMessage();
      await until(() => a.requests.length === 1);
      assertAllowed(a.wire('c1'), { id: 'ap-c1' });
      assertDenied(a.wire('c2'), { id: 'ap-c2' });
      await b.say('stop');
      assert.equal(b.requests.length, 1);
      assert.notEqual(b.wire('c2').approval.approved, undefined);
    });

    test('law_3 a Chat that asks as itself needs no attach, although another one begins with the same messages', async () => {
      const stored = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'ls'))];
      const p = page(sdk, { script: () => [done(), says()] });
      const [a, b] = [p.open('a', stored), p.open('b', stored)];
      await a.answer('c1', true);
      await b.answer('c2', true);
      await a.answer('c2', false);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 0]);
      await b.answer('c1', true);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 1]);
      assertDenied(a.wire('c2'), { id: 'ap-c2' });
      assertAllowed(b.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(p.codes(), []);
    });

    test('law_9 a message that is written tells the chats apart that begin with the same messages', async () => {
      const stored = [
        user(),
        assistant('a0', answered('c0', 'rm', true, { state: 'output-available', output: 1 })),
      ];
      const p = page(sdk, { script: () => [asks(), done(outputDenied('c1'), outputAvailable('c2'))] });
      const [a, b] = [p.open('a', stored), p.open('b', stored)];
      await a.say();
      await b.say();
      await a.answer('c1', true);
      await b.answer('c1', false);
      await b.answer('c2', true);
      assert.deepEqual([a.requests.length, b.requests.length], [1, 2]);
      assertDenied(b.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(p.codes(), []);
    });

    test('a chat with stored messages that is attached sends, once', async () => {
      const p = page(sdk, { script: () => [[], says()] });
      const stored = [user(), assistant('a1', asking('c1', 'rm'))];
      const a = p.open('a', stored, { attach: true });
      await a.answer('c1', false, 'no');
      assert.equal(a.requests.length, 1);
      assertDenied(a.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assert.deepEqual(p.codes(), []);
    });

    test('a switch away and back keeps what was decided', async () => {
      const p = page(sdk, { script: () => [asks(), done()] });
      const [a, b] = [p.open('a'), p.open('b')];
      await a.say();
      let detach = p.guards.get('a').attach(a.chat);
      assert.equal(p.guards.get('a').decide('ap-c1', 'deny').type, 'drafted');
      detach();
      await b.say();
      detach = p.guards.get('a').attach(a.chat);
      assert.deepEqual(a.calls(), [
        ['c1', 'drafted'],
        ['c2', 'asking'],
      ]);
      p.guards.get('a').decide('ap-c2', 'allow-once');
      await until(() => a.requests.length === 2);
      assertDenied(a.wire('c1'), { id: 'ap-c1' });
      assert.equal(b.requests.length, 1);
      detach();
    });

    test('a clone of the transport and a resumed response go through the guard of the chat', async () => {
      const p = page(sdk, { script: () => [asks(), done()] });
      const a = p.open('a', [], { through: p.transport.clone() });
      await a.say();
      await a.answer('c1', false);
      await a.put('c1', 'fake');
      await a.answer('c2', true);
      assertDenied(a.wire('c1'), { id: 'ap-c1' });
      await a.resume();
      assert.equal(p.of('a').reconnects, 1);
      assert.deepEqual(p.codes(), []);
    });
  }),
);

describe('the guards of a page', () => {
  test('wrong options are refused at once', () => {
    const refused = (code, word) => (error) => error.code === code && error.message.includes(word);
    assert.throws(() => createApprovalGuards({ chatId: 'a' }), refused('invalid-option', 'chatId'));
    assert.throws(() => createApprovalGuards({ nothing: 1 }), refused('invalid-option', 'nothing'));
    assert.throws(() => createApprovalGuards(null), refused('invalid-option', 'object'));
    assert.throws(
      () => createApprovalGuards({ record: createRecord() }),
      refused('invalid-option', 'record'),
    );
    const guards = createApprovalGuards();
    for (const id of [undefined, null, 5, {}])
      assert.throws(() => guards.get(id), refused('invalid-input', 'id'));
    assert.throws(() => guards.transport({}), refused('invalid-input', 'transport'));
  });

  test('the predicate does not throw, whatever it is asked', () => {
    const codes = [];
    const guards = createApprovalGuards({ onError: ({ code }) => codes.push(code) });
    for (const question of [
      undefined,
      null,
      {},
      { messages: 5 },
      { messages: [null, 5] },
      { messages: [{ parts: 5 }] },
    ]) {
      assert.equal(guards.sendAutomaticallyWhen(question), false);
    }
    assert.deepEqual(codes, ['unknown-chat']);
    const throwing = createApprovalGuards({
      onError: () => {
        throw new Error('own');
      },
    });
    const { error } = console;
    console.error = () => {};
    assert.equal(throwing.sendAutomaticallyWhen({ messages: [assistant('a', asking('c1', 'rm'))] }), false);
    console.error = error;
  });

  test('a record is kept for each chat', () => {
    const records = new Map();
    const codes = [];
    const guards = createApprovalGuards({
      onError: ({ code }) => codes.push(code),
      record: (chatId) => {
        assert.ok(!records.has(chatId));
        records.set(chatId, createRecord());
        return records.get(chatId);
      },
    });
    const messages = [user(), assistant('a1', asking('c1', 'rm'))];
    for (const id of ['a', 'b']) {
      guards.get(id).observe(messages);
      assert.equal(guards.get(id).pending().length, 1);
    }
    guards.get('a').decide('c1', 'deny');
    assert.equal(guards.get('b').getSnapshot().calls[0].status, 'asking');
    assert.deepEqual([...records.keys()], ['a', 'b']);
    assert.deepEqual(codes, []);
  });

  test('dispose ends all of them, and those that are asked for later', async () => {
    const guards = createApprovalGuards();
    const [a, b] = [guards.get('a'), guards.get('b')];
    guards.dispose();
    for (const guard of [a, b, guards.get('c')]) assert.equal(guard.explain().reason, 'disposed');
    const { [Symbol.dispose]: end } = createApprovalGuards();
    end();
    await macrotask();
  });

  forEachSdk((sdk) =>
    test(`a chat whose guard was disposed of is opened again, with another guard, ${sdk.name}`, async () => {
      const { guards, open, codes } = page(sdk, { script: () => [asks(), says(), says()] });
      const first = open('a', [], { attach: true });
      await first.say();
      const guard = guards.get('a');
      guard.dispose();
      const again = guards.get('a');
      assert.notEqual(again, guard);
      assert.equal(guards.get('a'), again);
      assert.equal(guard.explain().reason, 'disposed');
      // The same messages, which both guards have seen.
      const second = open('a', first.chat.messages, { attach: true });
      assert.deepEqual(
        again.getSnapshot().calls.map(({ status }) => status),
        ['asking', 'asking'],
      );
      await second.answer('c1', false, 'no');
      await second.answer('c2', true);
      assert.equal(second.requests.length, 2);
      assertDenied(second.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(second.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(codes(), []);
    }),
  );
});
