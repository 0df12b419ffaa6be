// Broken and hostile input: it never throws, allows, changes or loses anything, and is reported with a code
// (law 11).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { GuardError, createApprovalGuard } from './support/chat.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import { assertDenied, plain } from './support/assertions.mjs';
import { explained } from './support/explained.mjs';

const stream = () => new ReadableStream({ start: (c) => c.close() });

function make(options) {
  const errors = [];
  const guard = createApprovalGuard({ chatId: 'h', onError: (e) => errors.push(e), ...options });
  const sent = [];
  const transport = guard.transport({
    sendMessages: async (o) => {
      sent.push(o.messages);
      return stream();
    },
    reconnectToStream: async () => null,
  });
  const send = (messages) =>
    transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'h',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
  return { guard, errors, sent, send, ask: (messages) => guard.sendAutomaticallyWhen({ messages }) };
}

const good = () => [user(), assistant('a1', answered('c1', 'rm', true))];
const thrower = (name) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const trap = () => {
  throw new Error('trap');
};
const hostileProxy = (target) =>
  new Proxy(target, {
    get: trap,
    has: trap,
    ownKeys: trap,
    getOwnPropertyDescriptor: trap,
    getPrototypeOf: trap,
    set: trap,
  });
const odd = [
  null,
  undefined,
  0,
  -1,
  NaN,
  Infinity,
  1n,
  '',
  'x',
  '\ud83d',
  true,
  false,
  [],
  {},
  Symbol('s'),
  () => {},
  new Date(0),
];

/** Lists from which nothing may be sent, because nothing settled in them can be read. */
const broken = {
  'a question that is nothing': undefined,
  'a question that is null': null,
  'messages that throw': thrower('messages'),
  ...Object.fromEntries(odd.map((v, i) => [`unusual messages ${i}`, { messages: v }])),
  ...Object.fromEntries(odd.map((v, i) => [`an unusual message ${i}`, { messages: [user(), v] }])),
  ...Object.fromEntries(
    odd.map((v, i) => [
      `unusual parts ${i}`,
      { messages: [user(), { id: 'a', role: 'assistant', parts: v }] },
    ]),
  ),
  ...Object.fromEntries(
    odd.map((v, i) => [
      `an unusual part ${i}`,
      { messages: [user(), { id: 'a', role: 'assistant', parts: [v] }] },
    ]),
  ),
  ...Object.fromEntries(
    odd.map((v, i) => [
      `an unusual state ${i}`,
      { messages: [user(), assistant('a', { ...answered('c1', 'rm', true), state: v })] },
    ]),
  ),
  ...Object.fromEntries(
    odd.map((v, i) => [
      `an unusual approval ${i}`,
      { messages: [user(), assistant('a', { ...answered('c1', 'rm', true), approval: v })] },
    ]),
  ),
  ...Object.fromEntries(
    odd
      .filter((v) => typeof v !== 'boolean')
      .map((v, i) => [
        `an unusual answer ${i}`,
        { messages: [user(), assistant('a', answered('c1', 'rm', v))] },
      ]),
  ),
  ...Object.fromEntries(
    odd.map((v, i) => [
      `an unusual role ${i}`,
      { messages: [user(), { ...assistant('a', answered('c1', 'rm', true)), role: v }] },
    ]),
  ),
  'a throwing role': { messages: [user(), Object.assign(thrower('role'), { id: 'a', parts: [] })] },
  'throwing parts': { messages: [user(), Object.assign(thrower('parts'), { id: 'a', role: 'assistant' })] },
  'a throwing state': {
    messages: [
      user(),
      assistant('a', Object.assign(thrower('state'), { type: 'tool-rm', toolCallId: 'c1' })),
    ],
  },
  'a throwing type': { messages: [user(), assistant('a', answered('c1', 'rm', true), thrower('type'))] },
  'a throwing call id': {
    messages: [
      user(),
      assistant('a', Object.assign(thrower('toolCallId'), { type: 'tool-rm', state: 'input-available' })),
    ],
  },
  'a throwing approval': {
    messages: [
      user(),
      assistant(
        'a',
        Object.assign(thrower('approval'), {
          type: 'tool-rm',
          toolCallId: 'c1',
          state: 'approval-responded',
        }),
      ),
    ],
  },
  'a throwing answer': {
    messages: [
      user(),
      assistant('a', {
        ...answered('c1', 'rm', true),
        approval: Object.assign(thrower('approved'), { id: 'x' }),
      }),
    ],
  },
  'a revoked list': { messages: revoked([]) },
  'a revoked message': { messages: [user(), revoked({})] },
  'revoked parts': { messages: [user(), { id: 'a', role: 'assistant', parts: revoked([]) }] },
  'a revoked part': { messages: [user(), assistant('a', answered('c1', 'rm', true), revoked({}))] },
  'a revoked approval': {
    messages: [user(), assistant('a', { ...answered('c1', 'rm', true), approval: revoked({}) })],
  },
  'a hostile list': { messages: hostileProxy([]) },
  'a hostile message': { messages: [user(), hostileProxy({})] },
  'a hostile part': { messages: [user(), assistant('a', answered('c1', 'rm', true), hostileProxy({}))] },
  'a list with a length that lies': {
    messages: new Proxy([], { get: (t, k) => (k === 'length' ? 100_000 : t[k]) }),
  },
};

describe('hostile input', () => {
  for (const [title, question] of Object.entries(broken)) {
    test(`${title}: never throws or sends, and the guard keeps working`, async () => {
      const { guard, errors, ask, sent, send } = make();
      assert.equal(guard.sendAutomaticallyWhen(question), false);
      let messages;
      try {
        messages = question.messages;
      } catch {
        /* it throws */
      }
      if (messages !== undefined) {
        assert.doesNotThrow(() => guard.observe(messages));
        assert.equal(explained(guard, messages).send, false);
      }
      assert.ok(errors.every((e) => e instanceof GuardError && typeof e.code === 'string'));
      assert.equal(ask(good()), true, 'a good list is judged as ever');
      await send(good());
      assert.equal(sent.length, 1);
      guard.dispose();
    });
  }

  for (const title of [
    'messages that throw',
    'a throwing state',
    'a revoked list',
    'a revoked part',
    'a hostile message',
    'a throwing answer',
    'unusual messages 0',
  ]) {
    test(`${title}: reported with a code`, () => {
      const { guard, errors } = make();
      guard.sendAutomaticallyWhen(broken[title]);
      assert.ok(errors.length >= 1);
      assert.ok(
        ['unreadable-messages', 'invalid-input', 'malformed-approval'].includes(errors[0].code),
        errors[0].code,
      );
      guard.dispose();
    });
  }

  test('unreadable messages are refused by the transport, or sent unchanged', async () => {
    for (const [title, question] of Object.entries(broken)) {
      // An unknown state is an open call, so continuing without a message would be refused.
      const { guard, sent, send } = make({ whenUserSends: 'pass' });
      let messages;
      try {
        messages = question?.messages;
      } catch {
        continue;
      }
      try {
        await send(messages);
        assert.equal(sent.length, 1, title);
        if (Array.isArray(messages) && messages.length < 10)
          assert.equal(sent[0].length, messages.length, title);
      } catch (error) {
        assert.ok(error instanceof GuardError, `${title}: ${error}`);
        assert.ok(['unreadable-messages', 'invalid-input'].includes(error.code), title);
        assert.equal(sent.length, 0, title);
      }
      guard.dispose();
    }
  });

  test('frozen messages are repaired by copy', async () => {
    const freeze = (o) => {
      Object.values(o).forEach((v) => typeof v === 'object' && v && freeze(v));
      return Object.freeze(o);
    };
    const frozen = freeze([
      user(),
      assistant(
        'a1',
        call('c1', 'rm', 'output-available', { output: 1, approval: { id: 'ap-c1', approved: false } }),
      ),
      user('u2'),
    ]);
    const { sent, send } = make();
    await send(frozen);
    assertDenied(sent[0][1].parts[1], { id: 'ap-c1' });
    assert.equal(sent[0][0], frozen[0]);
    assert.equal(frozen[1].parts[1].output, 1);
  });

  /** A deep proxy, with one proxy for each object as in Vue and Svelte, or with a new one for each read. */
  const reactive = (seen) =>
    function wrap(o) {
      if (seen?.has(o)) return seen.get(o);
      const proxy = new Proxy(o, {
        get: (t, k, r) => {
          const v = Reflect.get(t, k, r);
          return typeof v === 'object' && v !== null ? wrap(v) : v;
        },
      });
      seen?.set(o, proxy);
      return proxy;
    };
  for (const [title, wrap] of [
    ['one proxy per object', () => reactive(new WeakMap())],
    ['a new proxy for each read', () => reactive()],
  ]) {
    test(`C108 reactive messages, ${title}, are judged and repaired like the original list`, async () => {
      const { ask, sent, send } = make();
      const wrapped = wrap();
      assert.equal(ask(wrapped(good())), true);
      await send(
        wrapped([
          ...good(),
          user('u2'),
          assistant(
            'a2',
            call('c2', 'rm', 'output-available', { output: 1, approval: { id: 'ap-c2', approved: false } }),
          ),
          user('u3'),
        ]),
      );
      assert.equal(sent.length, 1);
      assertDenied(plain(sent[0])[3].parts[1], { id: 'ap-c2' });
      assertDenied(plain(sent[0])[1].parts[1], { id: 'ap-c1' });
    });
  }

  test('C107 two ids that differ in a lone surrogate are two calls', async () => {
    for (const [one, two] of [
      ['\ud83d', '\ud83e'],
      ['a\udc00', 'a\udc01'],
      ['\ud83d', '\ufffd'],
      ['\ud83d\ude00', '\ud83d'],
    ]) {
      const { guard, ask, sent, send } = make({ whenUserSends: 'pass' });
      const list = (a, b) => [user(), assistant('a1', a, b)];
      const asks = (id) =>
        call(id, 'rm', 'approval-requested', { input: { id }, approval: { id: `ap-${id}` } });
      const denied = (id) =>
        call(id, 'rm', 'approval-responded', {
          input: { id },
          approval: { id: `ap-${id}`, approved: false, reason: id },
        });
      assert.equal(ask(list(asks(one), asks(two))), false);
      assert.equal(ask(list(denied(one), asks(two))), false, 'the other one still asks');
      assert.deepEqual(
        guard.explain().waitingFor.map((c) => c.toolCallId),
        [two],
      );
      const fake = (id) => call(id, 'rm', 'output-available', { input: { id }, output: 1 });
      await send(list(fake(one), asks(two)));
      assertDenied(sent[0][1].parts[1], { id: `ap-${one}`, reason: one });
      assert.equal(sent[0][1].parts[2].state, 'approval-requested');
      guard.dispose();
    }
  });

  test('C80 ids that are names of object members', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length', ''];
    const { guard, ask, sent, send } = make({ whenUserSends: 'pass' });
    const list = (f) => [user(), assistant('a1', ...names.map(f))];
    const asks = (n) => call(n, n, 'approval-requested', { approval: { id: n } });
    const denied = (n) => call(n, n, 'approval-responded', { approval: { id: n, approved: false } });
    assert.equal(ask(list(asks)), false);
    assert.equal(guard.explain().waitingFor.length, names.length);
    for (const [i] of names.entries()) {
      assert.equal(ask(list((n, j) => (j <= i ? denied(n) : asks(n)))), i === names.length - 1);
    }
    await send(list((n) => call(n, n, 'output-available', { output: 'fake' })));
    for (const [i, n] of names.entries()) assertDenied(sent[0][1].parts[i + 1], { id: n });
    assert.equal({}.polluted, undefined);
    guard.dispose();
  });

  test('C80 law 6: a field named __proto__ stays a field of an approval that is put together', async () => {
    const { guard, sent, send } = make();
    const fields = JSON.parse('{ "id": "ap-c1", "approved": true, "__proto__": { "from": "a server" } }');
    const list = (state, more, ...rest) => [user(), assistant('a1', call('c1', 'rm', state, more)), ...rest];
    guard.observe(list('approval-requested', { approval: { id: 'ap-c1' } }));
    guard.observe(list('output-available', { approval: fields, output: 'done' }));
    // An older list: the output is put back, and its approval is made of both.
    await send(list('approval-responded', { approval: { id: 'ap-c1', approved: true } }, user('u2')));
    const { state, output, approval } = sent[0][1].parts[1];
    assert.deepEqual([state, output, approval.approved], ['output-available', 'done', true]);
    assert.equal(Object.getPrototypeOf(approval), Object.prototype);
    assert.deepEqual(Object.getOwnPropertyDescriptor(approval, '__proto__')?.value, { from: 'a server' });
    guard.dispose();
  });

  test('C108 deep and huge inputs, and inputs that JSON cannot carry', async () => {
    let deep = {};
    for (let i = 0; i < 100_000; i += 1) deep = { deep };
    const cyclic = {};
    cyclic.self = cyclic;
    const inputs = [
      deep,
      cyclic,
      { big: 'x'.repeat(10 * 1024 * 1024) },
      { n: 1n, u: undefined, nan: NaN },
      new Map([[1, 2]]),
    ];
    for (const input of inputs) {
      const { guard, ask, sent, send } = make();
      const fake = call('c1', 'rm', 'output-available', {
        input,
        output: input,
        approval: { id: 'ap-c1', approved: false },
      });
      const messages = [user(), assistant('a1', fake), user('u2')];
      const started = process.cpuUsage();
      await send(messages);
      assert.equal(sent[0][1].parts[1].input, input, 'the input is the same object');
      assertDenied(sent[0][1].parts[1], { id: 'ap-c1' });
      assert.equal(ask([user(), assistant('a1', { ...asking('c2', 'rm'), input })]), false);
      assert.ok(process.cpuUsage(started).user < 2_000_000);
      guard.dispose();
    }
  });

  test('an input that cannot be read is refused, or sent unchanged', async () => {
    const { sent, send } = make();
    const input = hostileProxy({});
    try {
      await send([
        user(),
        assistant(
          'a1',
          call('c1', 'rm', 'output-available', {
            input,
            output: 1,
            approval: { id: 'ap-c1', approved: false },
          }),
        ),
        user('u2'),
      ]);
      assert.equal(sent[0][1].parts[1].input, input);
      assertDenied(sent[0][1].parts[1], { id: 'ap-c1' });
    } catch (error) {
      assert.equal(error.code, 'unreadable-messages');
      assert.equal(sent.length, 0);
    }
  });

  test('C109 10,000 parts', async () => {
    const { guard, ask } = make();
    const parts = Array.from({ length: 10_000 }, (_, i) => answered(`c${i}`, 'rm', i % 2 === 0));
    const messages = [user(), assistant('a1', ...parts)];
    const started = process.cpuUsage();
    assert.equal(ask([user(), assistant('a1', ...parts.slice(1), asking('c0', 'rm'))]), false);
    assert.equal(ask(messages), true);
    assert.ok(process.cpuUsage(started).user < 5_000_000);
    guard.dispose();
  });

  test('re-entry from a subscriber, onEvent and onError', async () => {
    let guard;
    let calls = 0;
    const again = () => {
      calls += 1;
      if (calls > 30) return;
      guard.getSnapshot();
      guard.ledger();
      explained(guard, good());
      guard.observe([user(), assistant('a1', asking('z', 'rm'))]);
      guard.sendAutomaticallyWhen({ messages: [] });
      guard.sendAutomaticallyWhen(null);
    };
    const errors = [];
    guard = createApprovalGuard({
      chatId: 'h',
      onEvent: again,
      onError: (e) => {
        errors.push(e);
        again();
      },
    });
    guard.subscribe(again);
    assert.equal(
      guard.sendAutomaticallyWhen({ messages: [user(), assistant('a1', asking('c1', 'rm'))] }),
      false,
    );
    assert.equal(guard.sendAutomaticallyWhen({ messages: null }), false);
    assert.equal(
      guard.sendAutomaticallyWhen({ messages: [user(), assistant('a9', answered('c9', 'rm', true))] }),
      true,
    );
    assert.ok(errors.every((e) => ['invalid-input', 'unreadable-messages'].includes(e.code)));
    assert.ok(calls > 5, 'it did call back');
    guard.dispose();
  });

  test('listeners that throw are reported and change nothing', () => {
    const errors = [];
    const guard = createApprovalGuard({
      onEvent: trap,
      onError: (e) => {
        errors.push(e);
        throw new Error('handler');
      },
    });
    guard.subscribe(trap);
    let told = 0;
    guard.subscribe(() => {
      told += 1;
    });
    assert.equal(guard.sendAutomaticallyWhen({ messages: good() }), true);
    assert.ok(told >= 1, 'the next listener is still told');
    assert.ok(errors.some((e) => e.code === 'listener-failed'));
    guard.dispose();
  });

  test('dispose from a listener', () => {
    const { guard } = make();
    guard.subscribe(() => guard.dispose());
    assert.doesNotThrow(() => guard.sendAutomaticallyWhen({ messages: good() }));
    assert.equal(guard.sendAutomaticallyWhen({ messages: good() }), false);
    assert.equal(guard.explain().reason, 'disposed');
  });
});
