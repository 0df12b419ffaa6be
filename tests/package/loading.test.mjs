// A guard whose engine comes late, fails once, or never comes: what is asked, sent, seen and answered meanwhile counts as
// it does in a guard that was complete at once (laws 3, 11 and 17).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import { macrotask, parts, until } from './support/chat.mjs';
import { gated, response, says, toolCall } from './support/chunks.mjs';
import { heldEntry } from '../support/late-engine.mjs';
import { reject, ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, step, user } from './support/stored.mjs';

/** The guard with its WebAssembly, also where the one that comes late has its engine in JavaScript. */
const { createApprovalGuard: createAtOnce } = await import(
  new URL('sync.js', import.meta.resolve('tool-approval-guard/package.json'))
);

let chats = 0;

/** A chat with a guard. @param create `createApprovalGuard` of an entry */
function chatWith(sdk, create, { messages = [], script = [], guard: options, attach = true } = {}) {
  const id = `late-${chats++}`;
  const transport = new ScriptedTransport(script);
  const errors = [];
  const events = [];
  const guard = create({
    chatId: id,
    clientTools: ['ui'],
    onError: (error) => errors.push(error),
    onEvent: (event) => events.push(event),
    ...options,
  });
  let ids = 0;
  const chatErrors = [];
  const chat = new sdk.Chat({
    id,
    messages,
    generateId: () => `g${ids++}`,
    transport: guard.transport(transport),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError: (error) => chatErrors.push(error),
  });
  const detach = attach ? guard.attach(chat) : undefined;
  return {
    chat,
    guard,
    transport,
    errors,
    events,
    chatErrors,
    detach,
    get requests() {
      return transport.requests;
    },
    wire: (toolCallId, at = -1) => parts(transport.requests.at(at).messages, toolCallId).at(-1),
    answer: (callId, approved, more) =>
      chat.addToolApprovalResponse({ id: `ap-${callId}`, approved, ...more }),
    put: (toolCallId, output = 'shown') => chat.addToolOutput({ tool: 'ui', toolCallId, output }),
    settle: () => until(() => (chat.status === 'ready' || chat.status === 'error') && !transport.busy),
  };
}

const codesOf = ({ errors }) => errors.map(({ code }) => code);
const two = () => [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'mv'))];

forEachSdk((sdk) => {
  describe(`while the engine is being loaded, ai@${sdk.major}`, () => {
    test('the guard says no, shows nothing, and says why', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two() });
      const snapshot = s.guard.getSnapshot();
      assert.deepEqual([snapshot.verdict.reason, snapshot.calls, snapshot.grants], ['loading', [], []]);
      assert.equal(snapshot, s.guard.getSnapshot(), 'the same object');
      assert.equal(s.guard.explain().reason, 'loading');
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      assert.deepEqual([s.guard.decide('c1', 'deny').type, s.guard.commit().type], ['refused', 'refused']);
      assert.deepEqual(s.guard.unsent(s.chat.messages), s.chat.messages);
      assert.throws(() => s.guard.unsent('x'), { code: 'invalid-input' });
      assert.throws(() => s.guard.transport({}), { code: 'invalid-input' });
      let told = 0;
      s.guard.subscribe(() => told++);
      late.load();
      await s.guard.ready;
      assert.ok(told > 0, 'who shows it is told');
      assert.deepEqual(
        s.guard.getSnapshot().calls.map(({ toolCallId, waiting }) => [toolCallId, waiting]),
        [
          ['c1', true],
          ['c2', true],
        ],
      );
      assert.equal(s.guard.explain().reason, 'waiting');
      assert.deepEqual(codesOf(s), []);
    });

    test('a message of the user waits, and leaves once', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { script: [says()] });
      const sent = s.chat.sendMessage({ text: 'hello' });
      for (let i = 0; i < 10; i++) await macrotask();
      assert.equal(s.requests.length, 0);
      late.load();
      await sent;
      await s.settle();
      assert.equal(s.requests.length, 1);
      assert.equal(s.requests[0].messages.at(-1).parts[0].text, 'hello');
      assert.equal(s.chat.messages.length, 2);
    });

    test('answers that complete the step are sent when the engine is there, with their options', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two(), script: [says()] });
      await s.answer('c1', false, { reason: 'no' });
      await s.answer('c2', true, { options: { body: { of: 'the last answer' } } });
      await macrotask();
      assert.equal(s.requests.length, 0);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 1);
      assert.deepEqual([s.wire('c1').approval.approved, s.wire('c1').approval.reason], [false, 'no']);
      assert.equal(s.wire('c2').approval.approved, true);
      assert.deepEqual(s.requests[0].body, { of: 'the last answer' });
      assert.deepEqual(codesOf(s), []);
    });

    test('an output over a question is no answer, and the question is asked again', async () => {
      const late = await heldEntry();
      const messages = [user(), assistant('a1', asking('c1', 'ui'))];
      const s = chatWith(sdk, late.createApprovalGuard, { messages, script: [says()] });
      await s.put('c1', { success: false });
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 0);
      assert.deepEqual(codesOf(s), ['output-over-open-approval']);
      assert.equal(parts(s.chat.messages, 'c1')[0].state, 'approval-requested');
    });

    test('an output of the page that completes the step is sent', async () => {
      const late = await heldEntry();
      const messages = [user(), assistant('a1', call('c1', 'ui', 'input-available'))];
      const s = chatWith(sdk, late.createApprovalGuard, { messages, script: [says()] });
      await s.put('c1');
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 1);
      assert.equal(s.wire('c1').output, 'shown');
    });

    test('a chat that is not attached is asked again, too', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two(), script: [says()], attach: false });
      s.guard.observe(s.chat.messages);
      await s.answer('c1', false);
      await s.answer('c2', false);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 1);
    });

    test('a chat that cannot be asked again is reported', async () => {
      const late = await heldEntry();
      const errors = [];
      const guard = late.createApprovalGuard({ onError: (error) => errors.push(error.code) });
      guard.observe(two());
      const messages = [user(), assistant('a1', answered('c1', 'rm', false), answered('c2', 'mv', false))];
      const { sendAutomaticallyWhen } = guard;
      assert.equal(sendAutomaticallyWhen({ messages }), false);
      late.load();
      await guard.ready;
      assert.deepEqual(errors, ['unknown-chat']);
    });

    test('what was answered before the page was opened is still history', async () => {
      const late = await heldEntry();
      const messages = [user(), assistant('a1', answered('c1', 'rm', true))];
      const s = chatWith(sdk, late.createApprovalGuard, { messages });
      late.load();
      await s.guard.ready;
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      assert.equal(s.guard.explain().reason, 'history');
      assert.equal(s.requests.length, 0);
    });

    test('a rule waits for what a person has answered meanwhile', async () => {
      const late = await heldEntry();
      const rules = {
        judge: () => ({
          effect: 'allow',
          always: false,
          dangerous: false,
          shadow: false,
          why: '',
          because: 'rule',
        }),
      };
      const messages = [user(), assistant('a1', asking('c1', 'rm'))];
      const s = chatWith(sdk, late.createApprovalGuard, { messages, script: [says()], guard: { rules } });
      await s.answer('c1', false);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 1);
      assert.equal(s.wire('c1').approval.approved, false, 'the denial stands');
    });

    test('a stopped request waits no longer, and does not leave', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { script: [says()] });
      const sent = s.chat.sendMessage({ text: 'hello' });
      await macrotask();
      await s.chat.stop();
      await sent;
      assert.deepEqual([s.chat.status, s.chatErrors], ['ready', []]);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(s.requests.length, 0);
      assert.equal(s.chat.messages.at(-1).parts[0].text, 'hello', 'it is still there');
    });

    test('retry() waits', async () => {
      const late = await heldEntry();
      const messages = [user(), assistant('a1', answered('c1', 'rm', true))];
      const s = chatWith(sdk, late.createApprovalGuard, { messages, script: [says()] });
      const sent = s.guard.resume();
      late.load();
      assert.deepEqual(await sent, { type: 'sent' });
    });

    test('who has unsubscribed or detached meanwhile is left alone', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two() });
      let told = 0;
      s.guard.subscribe(() => told++)();
      const own = Object.hasOwn(s.chat, 'addToolApprovalResponse');
      s.detach();
      assert.notEqual(own, undefined);
      late.load();
      await s.guard.ready;
      assert.equal(told, 0);
      assert.equal((await s.guard.retry()).type, 'not-attached');
    });

    test('it can be detached and unsubscribed afterwards', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two() });
      const { addToolApprovalResponse } = s.chat;
      let told = 0;
      const unsubscribe = s.guard.subscribe(() => told++);
      late.load();
      await s.guard.ready;
      assert.equal((await s.guard.retry()).type, 'nothing-to-send');
      const before = told;
      unsubscribe();
      s.detach();
      assert.notEqual(s.chat.addToolApprovalResponse, addToolApprovalResponse);
      s.guard.observe([user(), assistant('a2', asking('c3', 'rm'))]);
      assert.equal(told, before);
      assert.equal((await s.guard.retry()).type, 'not-attached');
    });

    test('dispose() refuses what waits, but for what nobody has to allow', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, {
        messages: [user(), assistant('a1', answered('c1', 'rm', true))],
        script: [says()],
      });
      const continued = s.chat.sendMessage();
      await macrotask();
      s.guard.dispose();
      await continued;
      assert.equal(s.chatErrors[0].code, 'disposed');
      assert.equal(s.guard.explain().reason, 'disposed');
      await s.chat.sendMessage({ text: 'on' });
      assert.equal(s.requests.length, 1);
      assert.equal(s.wire('c1').state, 'output-denied');
      late.load();
      await assert.rejects(s.guard.ready, { code: 'disposed' });
      assert.equal(s.guard.explain().reason, 'disposed');
    });
  });

  describe(`an engine that cannot be loaded, ai@${sdk.major}`, () => {
    test('it is said why, and the next use tries again: nothing is lost', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two(), script: [says()] });
      const cause = new TypeError('Failed to fetch');
      await s.answer('c1', false);
      late.fail(cause);
      await assert.rejects(s.guard.ready, { code: 'engine-unavailable', cause, chatId: s.chat.id });
      assert.deepEqual(codesOf(s), ['engine-unavailable']);
      assert.match(s.errors[0].message, /Failed to fetch/);
      assert.deepEqual(
        [s.guard.explain().reason, s.guard.getSnapshot().verdict.reason],
        ['unavailable', 'unavailable'],
      );
      assert.equal(late.attempts, 1, 'showing it does not try again');
      // The chat asks, which does.
      await s.answer('c2', true);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.equal(late.attempts, 2);
      assert.equal(s.requests.length, 1);
      assert.deepEqual([s.wire('c1').approval.approved, s.wire('c2').approval.approved], [false, true]);
    });

    test('a message of the user and a plain denial leave without it, an allowance and a question do not', async () => {
      const late = await heldEntry();
      const message = chatWith(sdk, late.createApprovalGuard, { messages: two(), script: [says()] });
      const sent = message.chat.sendMessage({ text: 'on' });
      late.fail();
      await sent;
      assert.equal(message.requests.length, 1);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => message.wire(id).state),
        ['output-denied', 'output-denied'],
      );
      for (const [approved, count] of [
        [false, 1],
        [true, 0],
      ]) {
        const s = chatWith(sdk, late.createApprovalGuard, {
          messages: [user(), assistant('a1', answered('c1', 'rm', approved))],
          script: [says()],
        });
        const continued = s.chat.sendMessage();
        await macrotask();
        late.fail();
        await continued;
        await s.settle();
        assert.equal(s.requests.length, count, `approved: ${approved}`);
        if (!approved) continue;
        assert.equal(s.chatErrors[0].code, 'engine-unavailable');
      }
    });

    test('law 11: the calls that ask are shown, nothing can be done with them, and who shows them is told', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, {
        messages: [
          user(),
          assistant('a1', asking('c0', 'old'), step, call('c1', 'ls', 'output-available', { output: 1 }), {
            ...asking('c2', 'rm\u202e{'),
            input: { token: 'secret' },
          }),
        ],
      });
      let told = 0;
      s.guard.subscribe(() => told++);
      assert.deepEqual(s.guard.getSnapshot().calls, []);
      late.fail();
      await assert.rejects(s.guard.ready);
      assert.ok(told > 0);
      const { calls, approvals, verdict } = s.guard.getSnapshot();
      assert.equal(s.guard.getSnapshot().calls, calls, 'the same object');
      assert.equal(approvals, calls);
      assert.equal(verdict.reason, 'unavailable');
      const [{ can, inputText, ...view }, ...others] = calls;
      assert.deepEqual(others, [], 'those of an earlier step are no question');
      assert.deepEqual(
        [view.toolCallId, view.approvalId, view.toolName, view.status, view.waiting, view.position],
        ['c2', 'ap-c2', 'rm\u202e{', 'asking', false, { index: 1, total: 1 }],
      );
      assert.match(view.label, /^“[\w…]+”$/, 'safe to show');
      assert.deepEqual([inputText, view.display], [undefined, undefined], 'what may be secret is not shown');
      assert.ok(Object.values(can).every((may) => may === false));
      for (const choice of ['allow-once', 'deny'])
        assert.equal(s.guard.decide('c2', choice).reason, 'unavailable');
      const before = told;
      s.guard.observe([user(), assistant('a1', asking('c3', 'mv'))]);
      await until(() => told > before);
      assert.deepEqual(
        s.guard.getSnapshot().calls.map(({ label }) => label),
        ['mv'],
      );
      s.guard.observe([{ role: 'assistant', parts: [{ type: 'tool-mv', state: 'approval-requested' }, 1] }]);
      assert.equal(s.guard.getSnapshot().calls.length, 1, 'one without ids');
      late.load();
      s.guard.observe([user()]);
      assert.deepEqual(s.guard.getSnapshot().calls, []);
      s.guard.dispose();
      assert.deepEqual(s.guard.getSnapshot().calls, []);
    });

    test('law 11: whatever it is asked and shown, it does not throw, and says no', async () => {
      const thrower = new Proxy({}, { get: assert.fail });
      const revoked = Proxy.revocable([], {});
      revoked.revoke();
      const odd = [
        undefined,
        null,
        1,
        'x',
        {},
        thrower,
        revoked.proxy,
        [thrower],
        [null],
        [{ parts: [thrower] }],
      ];
      for (const fails of [false, true]) {
        const late = await heldEntry();
        const s = chatWith(sdk, late.createApprovalGuard, { script: [says()] });
        if (fails) {
          late.fail();
          await assert.rejects(s.guard.ready);
        }
        for (const messages of odd) {
          for (const question of [
            messages,
            { messages },
            Object.defineProperty({}, 'messages', { get: assert.fail }),
          ])
            assert.equal(s.guard.sendAutomaticallyWhen(question), false);
          s.guard.observe(messages);
          s.guard.adopt(messages);
          s.guard.attach(messages)();
        }
        // A message of the user leaves all the same (law 17).
        const sent = s.chat.sendMessage({ text: 'hello' });
        if (fails) late.fail();
        else late.load();
        await sent;
        assert.deepEqual([s.requests.length, s.chatErrors], [1, []], `fails: ${fails}`);
      }
    });

    test('law 17: what cannot be compared with the list of the server is not believed, and the message leaves', async () => {
      const late = await heldEntry();
      const ran = { ...answered('c1', 'rm', true), state: 'output-available', output: { count: 1n } };
      const messages = [user(), assistant('a1', ran), user('u2')];
      const guard = late.createApprovalGuard({ onError: () => {} });
      guard.adopt(messages);
      guard.adopt(undefined);
      let left;
      const { sendMessages } = guard.transport({
        sendMessages: async (request) => void (left = request.messages),
        reconnectToStream: () => {},
      });
      const sent = sendMessages({ chatId: 'c', trigger: 'submit-message', messages });
      late.fail();
      await sent;
      assert.equal(left[1].parts[1], ran);
    });

    for (const breaks of [false, true])
      test(`laws 2 and 13: what has left without it does not leave again by itself, ${breaks ? 'in doubt' : 'delivered'}`, async () => {
        const late = await heldEntry();
        const s = chatWith(sdk, late.createApprovalGuard, {
          messages: two(),
          script: [breaks ? reject(new TypeError('network')) : says(), says(), says()],
        });
        await s.answer('c1', false);
        await s.answer('c2', false);
        const continued = s.chat.sendMessage();
        await macrotask();
        late.fail();
        await continued;
        await s.settle();
        assert.equal(s.requests.length, 1);
        late.load();
        // The page asks again, as it does after each rendering, and when it is stopped.
        s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
        await s.guard.ready;
        await s.settle();
        await s.chat.stop();
        assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
        await macrotask();
        await s.settle();
        assert.equal(s.requests.length, 1);
        assert.equal((await s.guard.resume()).type, 'nothing-to-send', 'it was sent');
        assert.equal((await s.guard.retry()).type, breaks ? 'sent' : 'nothing-to-send');
      });

    test('laws 11 and 17: an engine that comes after ten seconds: nothing is lost, and nothing left before', async (t) => {
      const late = await heldEntry();
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two(), script: [says()] });
      const answers = [s.answer('c1', false), s.answer('c2', true)];
      t.mock.timers.tick(10_000);
      t.mock.timers.reset();
      await Promise.all(answers);
      await macrotask();
      assert.deepEqual([s.requests.length, s.guard.explain().reason], [0, 'loading']);
      late.load();
      await s.guard.ready;
      await s.settle();
      assert.deepEqual([s.requests.length, codesOf(s)], [1, []]);
    });

    test('a wrong option that only the engine knows is reported, and nothing is sent', async () => {
      const late = await heldEntry();
      const s = chatWith(sdk, late.createApprovalGuard, { messages: two(), guard: { undoMs: 'soon' } });
      late.load();
      await assert.rejects(s.guard.ready, { code: 'invalid-option' });
      assert.deepEqual(codesOf(s), ['invalid-option']);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      await assert.rejects(s.guard.ready, { code: 'invalid-option' });
      assert.throws(() => late.createApprovalGuard({ chatID: 'x' }), { code: 'invalid-option' });
      assert.throws(() => late.createApprovalGuard({ undoMs: 'soon' }), { code: 'invalid-option' });
    });
  });

  // ---- the same as at once ---------------------------------------------------------------------

  const act = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('answer'), at: fc.nat(2), approved: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('put'), at: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('say') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('attach', 'observe', 'continue', 'ask', 'stop') }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('decide'), at: fc.nat(2), approved: fc.boolean() }) },
  );
  const stored = fc.array(fc.constantFrom('asking', 'denied', 'allowed', 'ui', 'ui-asking', 'done'), {
    minLength: 1,
    maxLength: 3,
  });
  const history = fc.record({
    stored: fc.option(stored, { freq: 6 }),
    options: fc.constantFrom(
      {},
      {},
      { whenUserSends: 'pass' },
      { sendEach: true },
      { whenAllDenied: 'hold' },
    ),
    acts: fc.array(act, { minLength: 1, maxLength: 6 }),
    load: fc.nat(6),
  });
  const PARTS = {
    asking: (id) => asking(id, 'rm'),
    denied: (id) => answered(id, 'rm', false),
    allowed: (id) => answered(id, 'rm', true),
    ui: (id) => call(id, 'ui', 'input-available'),
    'ui-asking': (id) => asking(id, 'ui'),
    done: (id) => call(id, 'rm', 'output-available', { output: 1 }),
  };
  /** Each response asks about one more call. */
  const script = () =>
    Array.from({ length: 8 }, (_, i) => response(`r${i}`, gated(`c${i}`, i % 2 ? 'rm' : 'ui')));

  /** In how many histories something had happened before the engine came, and a request waited for it. */
  const occurred = { before: 0, waiting: 0 };

  async function play(create, { stored, options, acts }, loadsAt, load) {
    const messages = stored
      ? [user(), assistant('a1', ...stored.map((kind, i) => PARTS[kind](`c${i}`)))]
      : [];
    const s = chatWith(sdk, create, { messages, script: script(), guard: options });
    /** The acts before which requests had left, and those that the engine has to be there for. */
    const counts = [];
    for (const [i, { do: what, at, approved }] of acts.entries()) {
      if (i === loadsAt) {
        occurred.before += i > 0;
        occurred.waiting += s.chat.status === 'submitted';
        load();
        await s.guard.ready;
        await s.settle();
      }
      counts.push(s.requests.length);
      const id = `c${at}`;
      if (what === 'answer') s.answer(id, approved);
      if (what === 'put') s.put(id);
      if (what === 'say') s.chat.sendMessage({ text: `act ${i}` });
      if (what === 'continue') s.chat.sendMessage();
      if (what === 'attach') s.guard.attach(s.chat);
      if (what === 'observe') s.guard.observe(s.chat.messages);
      if (what === 'ask') s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
      if (what === 'stop') s.chat.stop();
      if (what === 'decide') s.guard.decide(id, approved ? 'allow-once' : 'deny');
      await macrotask();
      if (loadsAt === undefined || i >= loadsAt) await s.settle();
    }
    load?.();
    await s.guard.ready;
    await s.settle();
    // Times are those of the engine, and each chat has its id.
    const told = ({ at, mono, waitedMs, chatId, ...entry }) => entry;
    const result = {
      requests: s.requests.map(({ messages, trigger, messageId }) => ({ messages, trigger, messageId })),
      home: JSON.parse(JSON.stringify(s.chat.messages)),
      ledger: s.guard.ledger().map(told),
      events: s.events.map(told),
      codes: codesOf(s),
      chatErrors: s.chatErrors.map(({ message }) => message),
    };
    s.guard.dispose();
    return { result, counts: [...counts, s.requests.length] };
  }

  test(`law 3: a random history is the same, whenever the engine comes, ai@${sdk.major}`, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (given) => {
        // An output over a question is undone before the next one, where that is possible at once.
        const seen = new Set();
        given.acts = given.acts.filter(
          ({ do: what, at }) => what !== 'put' || (!seen.has(at) && seen.add(at)),
        );
        const atOnce = await play(createAtOnce, given);
        // What leaves has to wait, and its response with it. What a page shows, and so decides, comes after the engine.
        const { acts } = given;
        const last = acts.findIndex(
          ({ do: what }, i) =>
            what === 'decide' ||
            what === 'ask' ||
            atOnce.counts[i + 1] > atOnce.counts[i] ||
            what === 'continue',
        );
        const loadsAt = Math.min(
          given.load,
          last === -1 ? acts.length : acts[last].do === 'decide' ? last : last + 1,
        );
        const late = await heldEntry();
        const { result } = await play(late.createApprovalGuard, given, loadsAt, late.load);
        assert.deepEqual(result, atOnce.result);
      }),
      {
        numRuns: Number(process.env.TAG_LOADS ?? 150),
        seed: Number(process.env.TAG_SEED ?? 41),
        includeErrorInReport: true,
        errorWithCause: true,
      },
    );
    assert.ok(Math.min(occurred.before, occurred.waiting) > 10, JSON.stringify(occurred));
  });
});
