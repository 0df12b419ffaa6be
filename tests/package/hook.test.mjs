// `useChat` in a page: StrictMode, `attach` in an effect of each render, throttling.
import { page, unmountAll } from './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { STOCK, createApprovalGuard, parts, until } from './support/chat.mjs';
import { ScriptedTransport, forever, hanging, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';
import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  toolCall,
} from './support/chunks.mjs';
import { explained } from './support/explained.mjs';

let pages = 0;

async function open(
  sdk,
  { script, strict = true, throttle, messages, guard: options, attach = 'each render', replays } = {},
) {
  const id = `page-${pages++}`;
  const transport = new ScriptedTransport(script, { replays });
  const errors = [];
  const guards = [];
  const handle = page(
    (React) => {
      const [guard] = React.useState(() => {
        const made = createApprovalGuard({ chatId: id, onError: (e) => errors.push(e), ...options });
        guards.push(made);
        return made;
      });
      const [wrapped] = React.useState(() => guard.transport(transport));
      const chat = sdk.useChat({
        id,
        messages,
        transport: wrapped,
        sendAutomaticallyWhen: STOCK
          ? (o) =>
              sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses(o) ||
              sdk.ai.lastAssistantMessageIsCompleteWithToolCalls(o)
          : guard.sendAutomaticallyWhen,
        ...(sdk.major >= 7 ? { throttle } : { experimental_throttle: throttle }),
      });
      React.useEffect(() => guard.attach(chat), attach === 'once' ? [guard] : undefined);
      return { chat, guard };
    },
    { strict },
  );
  const settle = () =>
    until(
      () => {
        const now = handle.latest();
        return now && ['ready', 'error'].includes(now.chat.status) && !transport.busy;
      },
      { quiet: throttle ? 3 + throttle : 5 },
    );
  await settle();
  const act = async (f) => {
    await f(handle.latest().chat);
    await settle();
  };
  return {
    transport,
    errors,
    settle,
    act,
    unmount: handle.unmount,
    get chat() {
      return handle.latest().chat;
    },
    get guard() {
      return handle.latest().guard;
    },
    get count() {
      return transport.requests.length;
    },
    say: (text = 'go') => act((c) => c.sendMessage({ text })),
    answer: (callId, approved, reason) =>
      act((c) => c.addToolApprovalResponse({ id: `ap-${callId}`, approved, reason })),
    output: (toolCallId, output, tool = 'ui') => act((c) => c.addToolOutput({ tool, toolCallId, output })),
    home: (callId) => parts(handle.latest().chat.messages, callId).at(-1),
    wire: (callId, n = transport.requests.length - 1) => parts(transport.requests[n].messages, callId).at(-1),
  };
}

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const variants = [
  ['StrictMode', { strict: true }],
  ['without StrictMode', { strict: false }],
  ['StrictMode and throttling', { strict: true, throttle: 30 }],
  ['attached once', { strict: true, attach: 'once' }],
];

forEachSdk((sdk) =>
  describe(`useChat, ${sdk.name}`, () => {
    afterEach(unmountAll);

    for (const [name, variant] of variants) {
      test(`C42 one denied and overwritten, the other approved, ${name}`, async () => {
        const p = await open(sdk, {
          ...variant,
          script: [two(), continued([outputDenied('c1'), outputAvailable('c2')]), says()],
        });
        await p.say();
        assert.equal(p.count, 1);
        await p.answer('c1', false, 'no');
        await p.output('c1', { denied: true }, 'rm');
        await p.answer('c2', true);
        assert.equal(p.count, 2);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertAllowed(p.wire('c2'), { id: 'ap-c2' });
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
        await p.say('and now?');
        assert.equal(p.count, 3);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      });

      test(`C42 all in one tick, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [two(), continued([outputAvailable('c2')])] });
        await p.say();
        await p.act((c) =>
          Promise.all([
            c.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' }),
            c.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' }),
            c.addToolApprovalResponse({ id: 'ap-c2', approved: true }),
          ]),
        );
        assert.equal(p.count, 2);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      });

      test(`C01 an empty continuation, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [response('a1', gated('c1', 'rm')), forever([])] });
        await p.say();
        await p.answer('c1', true);
        assert.equal(p.count, 2);
      });

      test(`C15 C67 answered, then reloaded, ${name}`, async () => {
        const p = await open(sdk, {
          ...variant,
          messages: [user(), assistant('a1', answered('c1', 'rm', true))],
          script: [says()],
        });
        assert.equal(p.count, 0);
        assert.equal(explained(p.guard, p.chat.messages).send, false);
        assert.deepEqual(await p.guard.resume(), { type: 'sent' });
        await p.settle();
        assert.equal(p.count, 1);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      });

      test(`C16 a failed request and retry(), ${name}`, async () => {
        const p = await open(sdk, {
          ...variant,
          script: [response('a1', gated('c1', 'rm')), reject(), says()],
        });
        await p.say();
        await p.answer('c1', true);
        assert.equal(p.count, 2);
        assert.equal(p.chat.status, 'error');
        assert.deepEqual(await p.guard.retry(), { type: 'sent' });
        await p.settle();
        assert.equal(p.count, 3);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      });

      test(`C43 an output over an open card, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [response('a1', gated('c1', 'rm')), says()] });
        await p.say();
        await p.output('c1', 'fake', 'rm');
        assert.equal(p.count, 1);
        assertAsking(p.home('c1'), 'ap-c1');
        await p.answer('c1', true);
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      });
    }

    test('C37 a stop with a hook: an aborted request is not continued', async () => {
      const p = await open(sdk, {
        script: [response('a1', gated('c1', 'rm')), hanging([start(), outputAvailable('c1')]), says()],
      });
      await p.say();
      await p.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      await until(() => p.count === 2);
      await p.chat.stop();
      await p.settle();
      assert.equal(p.count, 2);
      assert.equal(p.guard.sendAutomaticallyWhen({ messages: p.chat.messages }), false);
    });

    for (const [name, variant] of variants.slice(0, 3)) {
      test(`what the page takes out of its messages is gone, ${name}`, async () => {
        const removals = {
          'all messages': [() => [], []],
          'the last message': [(messages) => messages.slice(0, -1), []],
          'one part': [
            ([first, { parts, ...last }]) => [
              first,
              { ...last, parts: parts.filter(({ toolCallId }) => toolCallId !== 'c2') },
            ],
            ['c1'],
          ],
          'all for a stored chat': [() => [user('u9'), assistant('a9', answered('c9', 'rm', false))], []],
        };
        for (const [what, [change, left]] of Object.entries(removals)) {
          const p = await open(sdk, { ...variant, script: [two(), says()] });
          await p.say();
          await p.act((chat) => chat.setMessages(change));
          const { calls, batch } = p.guard.getSnapshot();
          const asking = calls.filter(({ status }) => status === 'asking');
          assert.deepEqual(
            asking.map(({ toolCallId }) => toolCallId),
            left,
            what,
          );
          assert.equal(batch.inputLocked, left.length > 0, what);
          if (left.length === 0) {
            assert.equal(p.guard.decide('c1', 'allow-once').type, 'refused', what);
            continue;
          }
          p.guard.decide('c1', 'allow-once');
          await p.settle();
          assert.equal(p.count, 2, 'the rest is decided and sent');
          assertAllowed(p.wire('c1'), { id: 'ap-c1' });
        }
      });
    }

    test('a page that attaches a part of its list renders no more often for it, and its calls stay', async () => {
      const guard = createApprovalGuard({ chatId: 'part' });
      const whole = [
        user(),
        assistant('a1', asking('c1', 'rm')),
        user('u2', 'and?'),
        assistant('a2', asking('c2', 'ls')),
      ];
      guard.observe(whole);
      let list = whole;
      let renderings = 0;
      let detach = () => {};
      const render = () => {
        renderings += 1;
        assert.ok(renderings < 20, 'an end');
        detach();
        detach = guard.attach({
          id: 'part',
          messages: list.slice(0, 1),
          sendMessage() {},
          setMessages(change) {
            list = [...change(list)];
            queueMicrotask(render);
          },
        });
      };
      render();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(renderings <= 3, `${renderings} renderings`);
      const asks = guard.getSnapshot().calls.filter(({ status }) => status === 'asking');
      assert.deepEqual(
        asks.map(({ toolCallId }) => toolCallId),
        ['c1', 'c2'],
      );
    });

    test('C59 a message while a card is open', async () => {
      const p = await open(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
      await p.say();
      await p.say('something else');
      assert.equal(p.count, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.home('c1'), { id: 'ap-c1' });
    });

    test('a repair never brings an older list back', async () => {
      const p = await open(sdk, {
        throttle: 200,
        script: [two(), continued([outputDenied('c1'), outputAvailable('c2')], 'The last word.')],
      });
      await p.say();
      await p.act((c) =>
        Promise.all([
          c.addToolApprovalResponse({ id: 'ap-c1', approved: false }),
          c.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' }),
          c.addToolApprovalResponse({ id: 'ap-c2', approved: true }),
        ]),
      );
      assert.equal(p.count, 2);
      assert.equal(p.chat.messages.at(-1).parts.at(-1).text, 'The last word.');
      assertDenied(p.home('c1'), { id: 'ap-c1' });
      assert.equal(p.home('c2').output, 'done');
    });

    test('a client tool of the page', async () => {
      const p = await open(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui')), says()],
      });
      await p.say();
      await p.output('k1', { picked: 1 });
      assert.equal(p.count, 2);
      assert.deepEqual(p.wire('k1').output, { picked: 1 });
    });

    test('a store that sets back exactly a list that was older in a rendering is followed', async () => {
      const errors = [];
      const guard = createApprovalGuard({ onError: (e) => errors.push(e) });
      let stored;
      const setMessages = (next) => {
        stored = typeof next === 'function' ? next(stored) : next;
      };
      let detach = () => {};
      /** Shows a list, as a hook attaches it after a rendering. */
      const render = (messages) => {
        detach();
        detach = guard.attach({ messages, setMessages, addToolApprovalResponse: async () => {} });
      };
      const shown = (...parts) => [user(), assistant('a1', ...parts)];
      const older = shown(answered('c1', 'rm', false), asking('c2', 'ls'));
      stored = older;
      render(older);
      // The page writes an output over the denial, and the repair comes before the next rendering.
      stored = shown(
        { ...answered('c1', 'rm', false), state: 'output-available', output: 'fake' },
        asking('c2', 'ls'),
      );
      assert.equal(guard.sendAutomaticallyWhen({ messages: stored }), false);
      assertDenied(parts(stored, 'c1').at(-1), { id: 'ap-c1' });
      render(older);
      render(stored);
      for (let i = 0; i < 2; i += 1) {
        setMessages([]);
        render(stored);
        assert.deepEqual(guard.getSnapshot().calls, []);
        setMessages(older);
        render(older);
        assert.deepEqual(
          guard.getSnapshot().calls.map(({ toolCallId, status }) => [toolCallId, status]),
          [
            ['c1', 'answered'],
            ['c2', 'asking'],
          ],
        );
        assert.equal(guard.explain().reason, 'waiting');
        assert.equal(guard.sendAutomaticallyWhen({ messages: stored }), false);
      }
      assert.deepEqual(errors, []);
    });

    test('a rendering that is older than the store brings no call back that is gone', async () => {
      const guard = createApprovalGuard();
      const older = [user(), assistant('a1', asking('c1', 'rm'))];
      let stored = older;
      let writes = 0;
      const setMessages = (change) => {
        stored = change(stored);
        writes += 1;
      };
      const render = (messages) => guard.attach({ messages, setMessages })();
      render(stored);
      assert.equal(guard.getSnapshot().calls.length, 1);
      stored = [];
      const before = guard.ledger().length;
      for (let i = 0; i < 50; i += 1) {
        render(stored);
        render(older);
        assert.deepEqual(guard.getSnapshot().calls, []);
      }
      assert.equal(guard.ledger().length, before + 1);
      assert.ok(writes <= 3, `${writes} writes`);
    });

    test('a call that the page has just taken out cannot be allowed, also before the next rendering', async () => {
      for (const [name, variant] of variants) {
        const p = await open(sdk, { ...variant, script: [response('a1', gated('c1', 'rm')), says()] });
        await p.say();
        const { chat } = p;
        chat.setMessages(([first]) => [first]);
        assert.equal(p.guard.decide('c1', 'allow-once').type, 'refused', name);
        await p.settle();
        assert.equal(p.count, 1, name);
        assert.deepEqual(p.guard.getSnapshot().calls, [], name);
      }
    });

    /** A page whose hook has another `setMessages`. */
    const wrapped = async (wrap, script) => {
      const transport = new ScriptedTransport(script);
      const seen = { renderings: 0, told: 0 };
      const errors = [];
      const guard = createApprovalGuard({ onError: (e) => errors.push(e), expiresMs: 60_000 });
      guard.subscribe(() => (seen.told += 1));
      const handle = page(
        (React) => {
          seen.renderings += 1;
          assert.ok(seen.renderings < 300, 'an end');
          const [, render] = React.useReducer((n) => n + 1, 0);
          const [inner] = React.useState(() => guard.transport(transport));
          const chat = sdk.useChat({
            transport: inner,
            sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
          });
          React.useEffect(() => guard.attach({ ...chat, setMessages: wrap(chat.setMessages, render) }));
          return chat;
        },
        { strict: false },
      );
      const settle = () => until(() => handle.latest()?.status === 'ready' && !transport.busy);
      const home = (callId) => parts(handle.latest().messages, callId).at(-1);
      await settle();
      return { transport, guard, seen, errors, settle, home, chat: () => handle.latest() };
    };

    test('to read a hook renders nothing, changes nothing and tells nobody', async () => {
      let reads = 0;
      let writes = 0;
      const p = await wrapped(
        (setMessages) => (change) => {
          reads += 1;
          setMessages(change);
          writes += 1;
        },
        [two()],
      );
      await p.chat().sendMessage({ text: 'go' });
      await p.settle();
      const before = { ...p.seen };
      const { messages } = p.chat();
      [reads, writes] = [0, 0];
      for (let i = 0; i < 10; i += 1) {
        p.guard.observe([...messages]);
        p.guard.attach({ ...p.chat(), messages: [...messages], setMessages: counted })();
      }
      function counted(change) {
        reads += 1;
        p.chat().setMessages(change);
        writes += 1;
      }
      await p.settle();
      assert.ok(reads >= 20, `${reads} reads`);
      assert.equal(writes, 0);
      assert.deepEqual(p.seen, before);
      assert.equal(p.chat().messages, messages);
      assert.deepEqual(p.errors, []);
    });

    const thrown = [];
    const wrappers = {
      'that calls it in a task of its own': (setMessages) => (change) =>
        void setTimeout(setMessages, 0, change),
      'that catches what it throws': (setMessages) => (change) => {
        try {
          setMessages(change);
        } catch (error) {
          thrown.push(error);
        }
      },
      'that catches what its argument throws': (setMessages) => (change) =>
        setMessages((messages) => {
          try {
            return change(messages);
          } catch (error) {
            thrown.push(error);
            return messages;
          }
        }),
      'that throws another error instead': (setMessages) => (change) => {
        try {
          setMessages(change);
        } catch (cause) {
          throw new Error('wrapped', { cause });
        }
      },
      'that renders first': (setMessages, render) => (change) => {
        render();
        setMessages(change);
      },
    };
    for (const [name, wrap] of Object.entries(wrappers)) {
      test(`a wrapper of setMessages ${name}`, async () => {
        thrown.length = 0;
        const p = await wrapped(wrap, [
          response('a1', gated('c1', 'rm'), gated('c2', 'ls'), gated('c3', 'mv')),
          continued([outputDenied('c1'), outputDenied('c2'), outputAvailable('c3')]),
          says(),
        ]);
        await p.chat().sendMessage({ text: 'go' });
        await p.settle();
        assert.equal(p.guard.getSnapshot().batch.asking, 3);
        await p.chat().addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
        await p.chat().addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
        await p.settle();
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' });
        assert.equal(p.transport.requests.length, 1);
        p.guard.decide('c2', 'deny');
        p.guard.decide('c3', 'allow-once');
        await until(() => p.transport.requests.length === 2);
        await p.settle();
        const sent = (callId) => parts(p.transport.requests[1].messages, callId).at(-1);
        assertDenied(sent('c1'), { id: 'ap-c1', reason: 'no' });
        assertDenied(sent('c2'), { id: 'ap-c2' });
        assertAllowed(sent('c3'), { id: 'ap-c3' });
        await p.chat().sendMessage({ text: 'and now?' });
        await p.settle();
        for (const callId of ['c1', 'c2']) assertDenied(p.home(callId), { id: `ap-${callId}` });
        assert.equal(p.home('c3').output, 'done');
        assert.equal(p.transport.requests.length, 3);
        const { renderings } = p.seen;
        assert.ok(renderings <= 100, `${renderings} renderings`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.equal(p.seen.renderings, renderings, 'and then none');
        assert.deepEqual(p.errors, []);
        assert.ok(thrown.length <= 1, `${thrown.length} errors for a page to log`);
        for (const { message } of thrown) assert.match(message, /Nothing has changed/u);
      });
    }

    test('messages that React keeps as state of the page', async () => {
      const guard = createApprovalGuard({ expiresMs: 60_000 });
      const answers = [];
      let renderings = 0;
      const handle = page((React) => {
        renderings += 1;
        assert.ok(renderings < 100, 'an end');
        const denied = { ...answered('c1', 'rm', false), state: 'output-available', output: 'fake' };
        const [messages, setMessages] = React.useState([
          user(),
          assistant('a1', asking('c1', 'rm'), asking('c2', 'ls')),
        ]);
        const fake = () => setMessages(([first]) => [first, assistant('a1', denied, asking('c2', 'ls'))]);
        const addToolApprovalResponse = (answer) => void answers.push(answer);
        React.useEffect(() => guard.attach({ messages, setMessages, addToolApprovalResponse }));
        return { messages, setMessages, fake };
      });
      await until(() => handle.latest());
      assert.equal(guard.getSnapshot().batch.asking, 2);
      handle.latest().fake();
      await until(() => parts(handle.latest().messages, 'c1').at(-1).state !== 'approval-requested');
      assert.equal(guard.sendAutomaticallyWhen({ messages: handle.latest().messages }), false);
      await until(() => parts(handle.latest().messages, 'c1').at(-1).output === undefined);
      assertDenied(parts(handle.latest().messages, 'c1').at(-1), { id: 'ap-c1' });
    });

    test('a rendering that was read before brings no call back, in a hook whose messages cannot be read', async () => {
      const guard = createApprovalGuard();
      const older = [user(), assistant('a1', asking('c1', 'rm'))];
      const render = (messages) => guard.attach({ messages, setMessages() {} })();
      render(older);
      assert.equal(guard.getSnapshot().calls.length, 1);
      const inner = { sendMessages: async () => new ReadableStream(), reconnectToStream: async () => null };
      await guard.transport(inner).sendMessages({
        chatId: 'c',
        trigger: 'submit-message',
        messages: [user()],
      });
      assert.deepEqual(guard.getSnapshot().calls, []);
      render(older);
      assert.deepEqual(guard.getSnapshot().calls, []);
    });

    test('an input that was changed in place, in a hook whose messages cannot be read', () => {
      const guard = createApprovalGuard();
      const part = asking('c1', 'rm');
      part.input = { path: '/a' };
      const messages = [user(), assistant('a1', part)];
      guard.attach({
        messages,
        setMessages() {},
        addToolApprovalResponse: () => assert.fail('not answered'),
      });
      const [call] = guard.getSnapshot().calls;
      part.input.path = '/b';
      assert.deepEqual(
        [guard.decide(call, 'allow-once')].map(({ type, reason }) => [type, reason]),
        [['refused', 'changed']],
      );
    });
  }),
);

describe('a wrapper of setMessages that writes answers later', () => {
  const rm = () => asking('c1', 'rm');
  const ls = asking('c2', 'ls');
  const acts = {
    'a denial': {
      decide(guard) {
        guard.decide('c1', 'deny');
        return guard.decide('c2', 'deny');
      },
      behind: [ls],
      assertWritten: (part) => assertDenied(part, { id: 'ap-c1' }),
    },
    'a changed input': {
      decide: (guard) => guard.decide('c1', 'allow-once', { input: { path: '/b' } }),
      behind: [],
      assertWritten: ({ input }) => assert.deepEqual(input, { path: '/b' }),
    },
  };
  const others = {
    'another call with its approval id': asking('c9', 'rm', { id: 'ap-c1' }),
    'another question about the call': asking('c1', 'rm', { id: 'ap-again' }),
    'the call with its result': {
      ...answered('c1', 'rm', true),
      state: 'output-available',
      output: 'done',
    },
    'no part': null,
  };

  for (const [name, { decide, behind, assertWritten }] of Object.entries(acts)) {
    /** What stands at the end in the place of the call, where the page has put this meanwhile. */
    const written = (part) => {
      const guard = createApprovalGuard({ chatId: 'c', tools: { rm: { editable: true } } });
      let messages = [user(), assistant('a1', rm(), ...behind)];
      const changes = [];
      guard.attach({
        id: 'c',
        get messages() {
          return messages;
        },
        setMessages: (change) => void changes.push(change),
        addToolApprovalResponse() {},
      });
      assert.equal(decide(guard).type, 'committed');
      messages = [user(), assistant('a1', part, ...behind)];
      for (const change of changes) messages = change(messages);
      return messages[1].parts[1];
    };

    test(`${name} is put into a copy of the call`, () => assertWritten(written(rm())));

    for (const [what, other] of Object.entries(others))
      test(`laws 4 and 6: ${name} is not put into what has come in its place: ${what}`, () =>
        assert.equal(written(other), other));
  }
});
