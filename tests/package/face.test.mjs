// The public interface: bound functions, values, options, transports, and several guards side by side.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import * as entry from 'tool-approval-guard/sync';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { assertDenied, plain } from './support/assertions.mjs';
import { answered, asking, assistant, call, said, user } from './support/stored.mjs';
import { continued, gated, outputAvailable, response, says } from './support/chunks.mjs';
import { explained } from './support/explained.mjs';

const { createApprovalGuard, GuardError } = entry;
const stream = () => new ReadableStream({ start: (c) => c.close() });
const inner = (sent = []) => ({
  sendMessages: async (o) => {
    sent.push(o);
    return stream();
  },
  reconnectToStream: async () => null,
});
const request = (messages, more) => ({
  trigger: 'submit-message',
  chatId: 'f',
  messageId: undefined,
  messages,
  abortSignal: undefined,
  ...more,
});
const quiet = (options) => createApprovalGuard({ onError: () => {}, ...options });

describe('the public interface', () => {
  test('every function is bound', async () => {
    const {
      sendAutomaticallyWhen,
      transport,
      attach,
      observe,
      explain,
      getSnapshot,
      subscribe,
      retry,
      resume,
      ledger,
      dispose,
    } = quiet({ chatId: 'f' });
    const messages = [user(), assistant('a1', answered('c1', 'rm', true))];
    observe(messages);
    assert.equal(explain().send, true);
    assert.equal(sendAutomaticallyWhen({ messages }), true);
    assert.equal(typeof transport(inner()).sendMessages, 'function');
    assert.equal(typeof attach({ messages: [], sendMessage: () => {} }), 'function');
    assert.equal(getSnapshot().calls.length, 1);
    assert.equal(typeof subscribe(() => {}), 'function');
    assert.ok(ledger().length > 0);
    assert.ok(['nothing-to-send', 'not-attached'].includes((await retry()).type));
    assert.ok(['nothing-to-send', 'not-attached'].includes((await resume()).type));
    dispose();
  });

  test('explain() gives a reason and a sentence for every yes and no', () => {
    const cases = [
      ['no-assistant-message', []],
      ['no-assistant-message', [user()]],
      ['no-tool-call', [user(), assistant('a', said())]],
      ['waiting', [user(), assistant('a', asking('c1', 'rm'))]],
      [
        'nothing-new',
        [
          user(),
          assistant('a', call('c1', 'rm', 'output-denied', { approval: { id: 'x', approved: false } })),
        ],
      ],
      [
        'answered-in-text',
        [user(), assistant('a', call('c1', 'ui', 'output-available', { output: 1 }), said('Here.'))],
      ],
      ['answered', [user(), assistant('a', answered('c1', 'rm', true))]],
      ['output', [user(), assistant('a', call('c1', 'ui', 'output-available', { output: 1 }))]],
    ];
    for (const [reason, messages] of cases) {
      const verdict = explained(quiet(), messages);
      assert.equal(verdict.reason, reason);
      assert.equal(verdict.send, ['answered', 'output'].includes(reason));
      assert.match(verdict.message, /\w.*\.$/);
      assert.equal(verdict.waitingFor.length, reason === 'waiting' ? 1 : 0);
    }
    const options = [
      ['all-denied', { whenAllDenied: 'hold' }, answered('c1', 'rm', false)],
      ['not-in-send-on', { sendOn: 'outputs' }, answered('c1', 'rm', true)],
      ['not-in-send-on', { sendOn: 'approvals' }, call('c1', 'ui', 'output-available', { output: 1 })],
    ];
    for (const [reason, option, part] of options) {
      assert.equal(explained(quiet(option), [user(), assistant('a', part)]).reason, reason);
    }
  });

  test('the reason for the second no in one turn', async () => {
    const guard = quiet();
    const messages = [user(), assistant('a', answered('c1', 'rm', true))];
    assert.equal(guard.sendAutomaticallyWhen({ messages }), true);
    assert.equal(guard.sendAutomaticallyWhen({ messages }), false);
    assert.equal(guard.explain().reason, 'asked-twice');
    assert.equal(guard.explain().send, false);
    await new Promise((r) => {
      setTimeout(r, 0);
    });
    assert.equal(guard.sendAutomaticallyWhen({ messages }), true);
  });

  test('explain() is about the messages seen last, whatever it is given, and changes nothing', () => {
    const guard = quiet();
    const messages = [user(), assistant('a', asking('c1', 'rm'))];
    guard.observe(messages);
    guard.getSnapshot();
    let told = 0;
    guard.subscribe(() => told++);
    const before = [guard.getSnapshot(), guard.ledger()];
    for (let i = 0; i < 3; i += 1) {
      assert.equal(guard.explain([user(), assistant('a', answered('c1', 'rm', true))]).reason, 'waiting');
    }
    assert.equal(told, 0);
    assert.equal(guard.getSnapshot(), before[0]);
    assert.deepEqual(guard.ledger(), before[1]);
  });

  test('explain() and observe() do not use up the yes', () => {
    const guard = quiet();
    const messages = [user(), assistant('a', answered('c1', 'rm', true))];
    for (let i = 0; i < 3; i += 1) assert.equal(explained(guard, messages).send, true);
    guard.observe(messages);
    assert.equal(guard.sendAutomaticallyWhen({ messages }), true);
  });

  test('the snapshot is the same object until something changes, and listeners are told', () => {
    const guard = quiet();
    let told = 0;
    const unsubscribe = guard.subscribe(() => {
      told += 1;
    });
    const ask = [user(), assistant('a', asking('c1', 'rm'))];
    guard.observe(ask);
    assert.ok(told >= 1);
    const first = guard.getSnapshot();
    assert.equal(first.calls[0].status, 'asking');
    const before = told;
    guard.observe(ask);
    guard.sendAutomaticallyWhen({ messages: ask });
    assert.equal(guard.getSnapshot(), first);
    assert.equal(told, before, 'nothing changed, nobody is told');
    guard.observe([user(), assistant('a', answered('c1', 'rm', false))]);
    assert.ok(told > before);
    const second = guard.getSnapshot();
    assert.notEqual(second, first);
    const { toolCallId, approvalId, toolName, messageId, status, decision, actor } = second.calls[0];
    assert.deepEqual([toolCallId, approvalId, toolName, messageId], ['c1', 'ap-c1', 'rm', 'a']);
    assert.deepEqual([status, decision, actor], ['answered', 'denied', 'person']);
    guard.observe([user()]);
    assert.equal(guard.getSnapshot().calls[0].decision, 'denied', 'an older list undoes nothing');
  });

  test('a listener is told until its subscription ends, and others still are', () => {
    const guard = quiet();
    const told = { one: 0, other: 0 };
    const unsubscribe = guard.subscribe(() => (told.one += 1));
    guard.subscribe(() => (told.other += 1));
    guard.observe([user(), assistant('a', asking('c1', 'rm'))]);
    const { one, other } = told;
    assert.ok(one > 0);
    assert.equal(other, one);
    unsubscribe();
    guard.observe([user(), assistant('a', answered('c1', 'rm', false))]);
    assert.equal(told.one, one);
    assert.ok(told.other > other);
  });

  test('the same listener twice is two subscriptions', () => {
    const guard = quiet();
    let told = 0;
    const listener = () => {
      told += 1;
    };
    let others = 0;
    const [one] = [guard.subscribe(listener), guard.subscribe(listener)];
    guard.subscribe(() => (others += 1));
    one();
    guard.observe([user(), assistant('a', asking('c1', 'rm'))]);
    assert.ok(others > 0);
    assert.equal(told, others, 'one of them is left');
  });

  test('wrong options are refused with invalid-option', () => {
    for (const options of [
      null,
      7,
      'x',
      { chatId: 7 },
      { clientTools: 'ui' },
      { clientTools: [1] },
      { sendOn: 'all' },
      { whenUserSends: 'ask' },
      { whenAllDenied: true },
      { maxAutomaticSends: -1 },
      { maxAutomaticSends: 1.5 },
      { maxAutomaticSends: NaN },
      { maxAutomaticSends: '3' },
      { onEvent: 1 },
      { onError: {} },
    ]) {
      assert.throws(
        () => createApprovalGuard(options),
        (e) =>
          e instanceof GuardError &&
          e instanceof Error &&
          e.name === 'GuardError' &&
          e.code === 'invalid-option' &&
          e.message.length > 10,
      );
    }
    for (const options of [undefined, {}, { chatId: undefined }, { maxAutomaticSends: 0 }])
      createApprovalGuard(options).dispose();
  });

  test('maxAutomaticSends: 0 never sends automatically', () => {
    const guard = quiet({ maxAutomaticSends: 0 });
    assert.equal(
      guard.sendAutomaticallyWhen({ messages: [user(), assistant('a', answered('c1', 'rm', true))] }),
      false,
    );
    assert.equal(guard.explain().reason, 'limit');
  });

  test('a request of another chat is refused with wrong-chat', async () => {
    for (const guard of [quiet({ chatId: 'f' }), quiet()]) {
      const sent = [];
      const transport = guard.transport(inner(sent));
      await transport.sendMessages(request([user()]));
      await assert.rejects(
        transport.sendMessages(request([user()], { chatId: 'other' })),
        (e) => e instanceof GuardError && e.code === 'wrong-chat',
      );
      assert.equal(sent.length, 1);
      await transport.sendMessages(request([user()]));
      assert.equal(sent.length, 2);
    }
  });

  test('a transport keeps every other member, known or not', async () => {
    class Custom {
      #secret = 7;
      #closed = 0;
      extra = { a: 1 };
      resumeStreamIsReplay = true;
      async sendMessages() {
        this.#secret += 1;
        return stream();
      }
      async reconnectToStream() {
        this.#secret += 10;
        return null;
      }
      close() {
        this.#closed += 1;
        return this.#closed;
      }
      get secret() {
        return this.#secret;
      }
      custom(x) {
        return this.#secret + x;
      }
    }
    const own = new Custom();
    const transport = quiet().transport(own);
    await transport.sendMessages(request([user()]));
    assert.equal(await transport.reconnectToStream({ chatId: 'f' }), null);
    assert.equal(transport.secret, 18);
    assert.equal(transport.custom(2), 20);
    assert.equal(transport.close(), 1);
    assert.equal(transport.resumeStreamIsReplay, true);
    assert.equal(transport.extra, own.extra);
    assert.ok(transport instanceof Custom);
    transport.extra = 5;
    assert.equal(own.extra, 5);
    assert.equal('resumeStreamIsReplay' in quiet().transport(inner()), false);
  });

  test('every field of a request is passed on, and an error of the transport is passed back', async () => {
    const sent = [];
    const messages = [user()];
    const more = {
      headers: { a: '1' },
      body: { b: 2 },
      metadata: { c: 3 },
      messageId: 'm',
      trigger: 'regenerate-message',
      future: Symbol('x'),
    };
    await quiet().transport(inner(sent)).sendMessages(request(messages, more));
    assert.deepEqual({ ...sent[0] }, request(messages, more));
    assert.equal(sent[0].messages, messages);
    const error = new TypeError('offline');
    const broken = quiet().transport({
      sendMessages: async () => {
        throw error;
      },
      reconnectToStream: async () => {
        throw error;
      },
    });
    await assert.rejects(broken.sendMessages(request([user()])), (e) => e === error);
    await assert.rejects(broken.reconnectToStream({ chatId: 'f' }), (e) => e === error);
  });

  test('the chunks of a response come through as the same objects', async () => {
    const chunks = [{ type: 'start' }, { type: 'x-unknown', deep: {} }, null, 7, { type: 'finish' }];
    const transport = quiet().transport({
      sendMessages: async () =>
        new ReadableStream({
          start: (c) => {
            chunks.forEach((x) => c.enqueue(x));
            c.close();
          },
        }),
      reconnectToStream: async () => null,
    });
    const seen = [];
    for await (const chunk of await transport.sendMessages(request([user()]))) seen.push(chunk);
    assert.equal(seen.length, chunks.length);
    seen.forEach((chunk, i) => assert.equal(chunk, chunks[i]));
  });

  test('two guards share nothing', async () => {
    const [one, two] = [quiet({ chatId: 'one' }), quiet({ chatId: 'two', whenUserSends: 'pass' })];
    one.observe([user(), assistant('a', asking('c1', 'rm'))]);
    one.observe([user(), assistant('a', answered('c1', 'rm', false))]);
    assert.deepEqual(two.getSnapshot().calls, []);
    assert.deepEqual(two.ledger(), []);
    const sent = [];
    const messages = [user(), assistant('a', call('c1', 'rm', 'output-available', { output: 'real' }))];
    await two.transport(inner(sent)).sendMessages(request(messages, { chatId: 'two' }));
    assert.equal(sent[0].messages, messages, 'the denial of the other chat is not known here');
  });

  test('dispose(): never sends, never throws, and refuses a request with an approval', async () => {
    const errors = [];
    const guard = createApprovalGuard({ chatId: 'f', onError: (e) => errors.push(e) });
    const sent = [];
    const transport = guard.transport(inner(sent));
    const messages = [user(), assistant('a', answered('c1', 'rm', true))];
    guard.observe(messages);
    guard.dispose();
    guard.dispose();
    assert.equal(guard.sendAutomaticallyWhen({ messages }), false);
    assert.ok(errors.some((e) => e instanceof GuardError && e.code === 'disposed'));
    assert.equal(explained(guard, messages).reason, 'disposed');
    assert.equal(guard.getSnapshot().verdict.send, false);
    guard.observe(messages);
    guard.ledger();
    guard.subscribe(() => {})();
    guard.attach({ messages, sendMessage: () => {} })();
    await assert.rejects(transport.sendMessages(request(messages)), (e) => e.code === 'disposed');
    assert.equal(sent.length, 0);
    await transport.sendMessages(request([user()]));
    assert.equal(sent.length, 1, 'without approvals it passes');
    assert.equal(typeof createApprovalGuard()[Symbol.dispose], 'function');
  });
});

forEachSdk((sdk) =>
  test(`the ledger shows the life of a call in order, ${sdk.name}`, async () => {
    const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')])] });
    await s.say();
    await s.approve('c1', 'fine');
    assert.equal(s.count, 2);
    const ledger = s.guard.ledger();
    assert.deepEqual(
      ledger.map((e) => e.seq),
      ledger.map((_, i) => i),
    );
    assert.deepEqual(plain(s.events), plain(ledger), 'onEvent tells each entry once, in order');
    assert.ok(ledger.every((e) => Number.isFinite(e.at)));
    const own = ledger.filter((e) => e.toolCallId === 'c1').map((e) => e.type);
    const order = ['asked', 'answered', 'sent'].map((type) => own.indexOf(type));
    assert.ok(['settled', 'output'].includes(own.at(-1)), own.join(', '));
    assert.equal(s.call('c1').status, 'settled');
    assert.ok(
      order.every((at, i) => at >= 0 && (i === 0 || at > order[i - 1])),
      own.join(', '),
    );
    const answer = ledger.find((e) => e.type === 'answered');
    assert.deepEqual(
      [answer.approved, answer.actor, answer.approvalId, answer.toolName],
      [true, 'person', 'ap-c1', 'rm'],
    );
  }),
);

test('without attach, and detached, the wire is still right', async () => {
  const s = scene(sdk7, { script: [response('a1', gated('c1', 'rm'), gated('c2', 'ls')), says()] });
  s.detach();
  await s.say();
  await s.deny('c1', 'no');
  await s.output('c1', 'fake', 'rm');
  await s.approve('c2');
  assert.equal(s.count, 2);
  assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
});

test('a chat that is an instance of a class has no new own properties after a detach', () => {
  class OwnChat {
    messages = [];
    stops = 0;
    stop() {
      this.stops += 1;
    }
    addToolApprovalResponse() {}
  }
  const { guard } = scene(sdk7, { attach: false });
  const chat = new OwnChat();
  const before = Reflect.ownKeys(chat);
  const detach = [guard.attach(chat), entry.createApprovalGuard().attach(chat)];
  chat.stop();
  assert.equal(chat.stops, 1);
  for (const end of detach) end();
  assert.deepEqual(Reflect.ownKeys(chat), before);
  chat.stop();
  assert.equal(chat.stops, 2);
  const own = () => {};
  const other = Object.assign(new OwnChat(), { stop: own });
  guard.attach(other)();
  assert.deepEqual(Object.hasOwn(other, 'stop') && other.stop, own, 'a method of its own stays its own');
});
