// What `guard.transport` returns: every transport that it returns is watched, and every kind of transport is
// accepted.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';

import { createRecord } from 'tool-approval-guard/record';
import { GuardError, createApprovalGuard, macrotask, scene, until } from './support/chat.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { assertDenied } from './support/assertions.mjs';
import { storageOf } from './support/reload.mjs';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { continued, gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));

/** A transport that creates others of its kind, as in assistant-ui. */
class Cloning {
  #made;
  constructor(made) {
    this.#made = made;
    this.inner = made;
  }
  sendMessages(options) {
    return this.#made.sendMessages(options);
  }
  reconnectToStream(options) {
    return this.#made.reconnectToStream(options);
  }
  __internal_clone() {
    return new Cloning(this.#made);
  }
  async later() {
    return this.__internal_clone();
  }
  get spare() {
    return (this.made ??= this.__internal_clone());
  }
  chained(...args) {
    this.args = args;
    return this;
  }
  async chainedLater() {
    return this;
  }
}

/** A chat with this transport, in which a page writes an output over a denial. */
async function overwritten(sdk, from) {
  const script = [two(), continued([outputDenied('c1'), outputAvailable('c2')]), says()];
  // Nothing is attached, so only requests can be repaired.
  const s = scene(sdk, { attach: false, inner: new Cloning(new ScriptedTransport(script)) });
  const { inner } = s.transport;
  let ids = 0;
  const chat = new sdk.Chat({
    id: s.id,
    generateId: () => `g${ids++}`,
    transport: await from(s.guard.transport(s.transport), inner),
    sendAutomaticallyWhen: s.guard.sendAutomaticallyWhen,
    onError: () => {},
  });
  const settle = async () => {
    do await macrotask();
    while (inner.busy || !['ready', 'error'].includes(chat.status));
    await macrotask();
  };
  await chat.sendMessage({ text: 'go' });
  await settle();
  await chat.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
  await chat.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
  await chat.addToolApprovalResponse({ id: 'ap-c2', approved: true });
  await settle();
  assert.equal(inner.requests.length, 2);
  assertDenied(s.wire('c1', inner.requests[1]), { id: 'ap-c1', reason: 'no' });
  assert.deepEqual(
    s.guard.ledger().filter(({ type }) => type === 'ended').length,
    2,
    'its responses are heard',
  );
  assert.deepEqual(s.codes(), []);
}

forEachSdk((sdk) =>
  describe(`transports returned by a watched one, ${sdk.name}`, () => {
    for (const [what, from] of Object.entries({
      'a clone': (t) => t.__internal_clone(),
      'a clone of a clone': (t) => t.__internal_clone().__internal_clone(),
      'a clone by a promise': (t) => t.later(),
      'a clone of what a promise gave': async (t) => (await t.later()).__internal_clone(),
      'a clone behind a getter': (t) => t.spare,
      'the inner one in a field': (t) => t.inner,
      'one of its constructor': (t, inner) => new t.constructor(inner),
      'a method that returns itself': (t) => t.chained(1),
    })) {
      test(`${what} is watched`, () => overwritten(sdk, from));
    }
  }),
);

describe('a watched transport', () => {
  const guard = createApprovalGuard({ chatId: 'f' });
  const inner = () => new Cloning(new ScriptedTransport([says()]));

  test('is one for each inner transport, and not watched twice', async () => {
    const own = inner();
    const transport = guard.transport(own);
    assert.equal(guard.transport(own), transport);
    assert.equal(guard.transport(transport), transport);
    assert.equal(transport.chained(1, 2), transport);
    assert.deepEqual(own.args, [1, 2]);
    assert.equal(await transport.chainedLater(), transport);
    assert.equal(transport.spare, transport.spare);
    assert.equal(guard.transport(transport.spare), transport.spare);
    assert.notEqual(transport.__internal_clone(), transport.__internal_clone());
    assert.equal(transport.chained, transport.chained);
    assert.equal(transport.chained.name, 'chained');
    assert.notEqual(createApprovalGuard().transport(own), transport, 'another guard watches by itself');
  });

  test('a value that is not a transport is returned unchanged', async () => {
    const half = { sendMessages: () => {} };
    const date = new Date();
    const own = Object.assign(inner(), { half: () => half, date: () => date, no: () => null });
    own.throws = () => {
      throw date;
    };
    own.fails = async () => {
      throw date;
    };
    const transport = guard.transport(own);
    assert.equal(transport.half(), half);
    assert.equal(transport.date(), date);
    assert.equal(transport.no(), null);
    assert.throws(
      () => transport.throws(),
      (e) => e === date,
    );
    await assert.rejects(transport.fails(), (e) => e === date);
  });

  test('is an instance of its class, with its private fields, and can be written to', () => {
    const own = inner();
    const transport = guard.transport(own);
    assert.ok(transport instanceof Cloning);
    assert.ok(transport.__internal_clone() instanceof Cloning);
    assert.ok('chained' in transport && !('nothing' in transport));
    transport.extra = 5;
    assert.equal(own.extra, 5);
    assert.deepEqual({ ...transport }.extra, 5);
    delete transport.extra;
    assert.equal('extra' in own, false);
    Object.defineProperty(transport, 'extra', { value: 6, configurable: true, enumerable: true });
    assert.equal(own.extra, 6);
    assert.equal(transport.extra, 6);
    assert.deepEqual(Object.keys(transport), Object.keys(own));
  });

  for (const [what, seal] of Object.entries({
    'a frozen transport': (t) => Object.freeze(t),
    'a sealed transport': (t) => Object.seal(t),
    'a transport whose members cannot be written': (t) =>
      Object.defineProperty(t, 'sendMessages', { value: t.sendMessages, writable: false }),
    'a frozen transport behind a frozen one': (t) => Object.freeze(Object.create(Object.freeze(t))),
  })) {
    test(`${what} sends`, async () => {
      const sent = [];
      const members = {
        sendMessages: async (options) => {
          sent.push(options);
          return new ReadableStream({ start: (c) => c.close() });
        },
        reconnectToStream: async () => null,
        clone: () => own,
        list: Object.freeze([1]),
      };
      const own = seal(members);
      const quiet = createApprovalGuard({ chatId: 'f', onError: () => {} });
      const transport = quiet.transport(own);
      const messages = [user()];
      await transport.sendMessages({ chatId: 'f', trigger: 'submit-message', messages });
      assert.equal(sent[0].messages, messages);
      assert.equal(await transport.reconnectToStream({ chatId: 'f' }), null);
      assert.equal(transport.clone(), transport);
      assert.equal(transport.list, members.list);
      const copied = { ...transport };
      if (Object.keys(own).length > 0) {
        assert.deepEqual(Object.keys(copied), Object.keys(own));
        await assert.rejects(
          copied.sendMessages({ chatId: 'other', trigger: 'submit-message', messages }),
          (e) => e.code === 'wrong-chat',
          'a copy is watched as well',
        );
      }
      assert.equal(sent.length, 1);
    });
  }

  test('a value that is not a transport is refused with invalid-input', () => {
    for (const nothing of [undefined, null, 5, 'x', {}, [], () => {}, { reconnectToStream: () => {} }]) {
      assert.throws(
        () => guard.transport(nothing),
        (e) => e instanceof GuardError && e.code === 'invalid-input' && /transport/.test(e.message),
        String(nothing),
      );
    }
  });
});

forEachSdk((sdk) =>
  describe(`a yes that no watched request follows, ${sdk.name}`, () => {
    const allowed = () => [user(), assistant('a1', answered('c1', 'rm', true))];

    test('is reported, once', async () => {
      const transport = new ScriptedTransport([
        two(),
        continued([outputAvailable('c1'), outputAvailable('c2')]),
        response('a2', gated('c3', 'rm')),
        continued([outputAvailable('c3')]),
      ]);
      const s = scene(sdk, { chat: { transport }, inner: transport });
      await s.say();
      await s.approve('c1');
      assert.deepEqual(s.codes(), []);
      await s.approve('c2');
      assert.equal(s.count, 2);
      assert.deepEqual(s.codes(), ['unwatched-request']);
      assert.ok(s.errors[0] instanceof GuardError);
      assert.match(s.errors[0].message, /guard\.transport/);
      await s.say();
      await s.approve('c3');
      assert.equal(s.count, 4);
      assert.deepEqual(s.codes(), ['unwatched-request']);
    });

    test('is reported if nothing is attached', async () => {
      const errors = [];
      const guard = createApprovalGuard({ onError: (e) => errors.push(e.code) });
      guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
      assert.equal(guard.sendAutomaticallyWhen({ messages: allowed() }), true);
      assert.deepEqual(errors, []);
      await macrotask();
      await macrotask();
      assert.deepEqual(errors, ['unwatched-request']);
      const before = guard.ledger().length;
      await macrotask();
      assert.equal(guard.ledger().length, before);
      assert.equal(guard.sendAutomaticallyWhen({ messages: allowed() }), true, 'it changes nothing');
    });

    test('is not reported after a request was seen, because the chat dropped it', async () => {
      let online = false;
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), says()],
        when: (own) => (o) => own(o) && online,
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 1);
      await macrotask();
      assert.deepEqual(s.codes(), []);
      online = true;
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.codes(), []);
    });

    /** A chat with a restored call, whose transport asks `before` what to do before it asks the guard's. */
    function around(before, script = [says()]) {
      const inner = new ScriptedTransport(script);
      const scenes = {};
      const transport = {
        sendMessages: async (options) => {
          await before(options);
          return scenes.own.guard.transport(inner).sendMessages(options);
        },
        reconnectToStream: async () => null,
      };
      const messages = [user(), assistant('a1', asking('c1', 'rm'))];
      return (scenes.own = scene(sdk, { messages, inner, chat: { transport } }));
    }

    test('is not reported while a transport around it waits, such as for a token', async () => {
      const s = around(() => new Promise((resolve) => setTimeout(resolve, 50)));
      await s.answer('c1', true);
      await macrotask();
      await until(() => s.count === 1);
      await s.settle();
      assert.deepEqual(s.codes(), []);
    });

    test('is not reported if a transport around it refuses, and the user answers again', async () => {
      let refuses = true;
      const s = around(async () => {
        await macrotask();
        await macrotask();
        if (refuses) throw new Error('no token');
      });
      await s.approve('c1');
      assert.equal(s.chat.status, 'error');
      refuses = false;
      await s.approve('c1');
      // Only `ai` 6 sends after a second press.
      if (s.count === 0) await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(s.codes(), []);
    });

    test('is not reported if the user stops while a transport around it waits', async () => {
      const s = around(
        ({ abortSignal }) =>
          new Promise((_, reject) => {
            abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
          }),
      );
      await s.answer('c1', true);
      for (let i = 0; i < 4; i += 1) await macrotask();
      await s.chat.stop();
      await s.settle();
      s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
      assert.equal(s.count, 0);
      assert.deepEqual(s.codes(), []);
    });

    test('is reported once the response of a slow transport of another kind has ended', async () => {
      const inner = new ScriptedTransport([continued([outputAvailable('c1')])]);
      const slow = {
        sendMessages: async (options) => {
          for (let i = 0; i < 4; i += 1) await macrotask();
          return inner.sendMessages(options);
        },
        reconnectToStream: async () => null,
      };
      const messages = [user(), assistant('a1', asking('c1', 'rm'))];
      const s = scene(sdk, { messages, inner, chat: { transport: slow } });
      await s.answer('c1', true);
      await macrotask();
      await macrotask();
      assert.deepEqual(s.codes(), [], 'it may only be slow');
      await until(() => s.count === 1);
      await s.settle();
      assert.deepEqual(s.codes(), ['unwatched-request']);
    });

    test('is not reported while the request waits for its transaction', async (t) => {
      const record = createRecord({ storage: storageOf(new Map(), { later: true }) });
      const s = scene(sdk, {
        guard: { record },
        messages: [user(), assistant('a1', asking('c1', 'rm'))],
        script: [says()],
      });
      t.after(() => s.guard.dispose());
      await s.answer('c1', true);
      await until(() => s.count === 1);
      await s.settle();
      assert.deepEqual(s.codes(), []);
    });

    test('is not reported when the user stops, disposes, or the first request follows', async () => {
      const asks = () => [user(), assistant('a1', asking('c1', 'rm'))];
      const stopped = scene(sdk, { messages: asks(), chat: { sendAutomaticallyWhen: undefined } });
      await stopped.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      stopped.guard.sendAutomaticallyWhen({ messages: stopped.chat.messages });
      await stopped.chat.stop();
      const disposed = createApprovalGuard({ onError: (e) => assert.fail(e) });
      disposed.observe(asks());
      disposed.sendAutomaticallyWhen({ messages: allowed() });
      disposed.dispose();
      const refused = scene(sdk, { messages: asks(), script: [says()] });
      await refused.approve('c1');
      await macrotask();
      await macrotask();
      assert.deepEqual(stopped.codes(), []);
      assert.equal(refused.count, 1);
      assert.deepEqual(refused.codes(), []);
    });
  }),
);

describe('the id of a chat that makes it on demand', () => {
  const { Chat } = sdk7;
  const counting = () => {
    let next = 0;
    return () => `id-${next++}`;
  };
  const ids = async (guard) => {
    const transport = new ScriptedTransport([says()]);
    const chat = new Chat({ generateId: counting(), transport: guard?.transport(transport) ?? transport });
    const detach = guard?.attach(chat);
    await chat.sendMessage({ text: 'go' });
    detach?.();
    return [transport.requests[0].chatId, ...chat.messages.map((m) => m.id)];
  };

  test('attach does not create one', async () => {
    const stock = await ids();
    assert.deepEqual(await ids(createApprovalGuard()), stock);
  });

  test('law 9: a guard that knows its chat refuses another one at once, along with its requests', async () => {
    const errors = [];
    const guard = createApprovalGuard({ chatId: 'mine', onError: (e) => errors.push(e.code) });
    const chat = new Chat({
      id: 'yours',
      messages: [user()],
      transport: guard.transport(new ScriptedTransport([])),
      onError: () => {},
    });
    guard.attach(chat);
    assert.deepEqual(errors, ['wrong-chat']);
    await chat.sendMessage({ text: 'go' });
    assert.equal(chat.error?.code, 'wrong-chat');
  });

  test('law 9: a guard that knows its chat does not resume the response of another one', async () => {
    const errors = [];
    const guard = createApprovalGuard({ chatId: 'mine', onError: (e) => errors.push(e.code) });
    const inner = new ScriptedTransport([]);
    const transport = guard.transport(inner);
    await assert.rejects(transport.reconnectToStream({ chatId: 'yours' }), { code: 'wrong-chat' });
    assert.equal(inner.reconnects, 0);
    assert.deepEqual(errors, ['wrong-chat']);
  });

  test('law 9: the first request binds the guard, also for a chat attached later', async () => {
    const errors = [];
    const guard = createApprovalGuard({ onError: (e) => errors.push(e.code) });
    await ids(guard);
    const other = new Chat({ id: 'yours', messages: [user()], transport: new ScriptedTransport([]) });
    const { stop } = other;
    guard.attach(other);
    assert.deepEqual(errors, ['wrong-chat']);
    assert.equal(other.stop, stop);
  });
});
