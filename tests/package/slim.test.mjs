// The slim entries: the application provides the module, and decides when it is loaded.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { forEachSdk } from './support/sdk.mjs';
import { until } from './support/chat.mjs';
import { storageOf } from './support/reload.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';
import { explained } from './support/explained.mjs';

const bytesOf = (name) =>
  readFileSync(fileURLToPath(import.meta.resolve(`tool-approval-guard/${name}.wasm`)));
const wasm = bytesOf('guard');

let copies = 0;
/** A copy of an entry that has loaded nothing yet. */
const fresh = (name) => import(`${import.meta.resolve(`tool-approval-guard/${name}`)}?${copies++}`);

const stream = () => new ReadableStream({ start: (c) => c.close() });
const inner = (sent) => ({
  sendMessages: async (o) => (sent.push(o.messages), stream()),
  reconnectToStream: async () => null,
});
const request = (messages) => ({
  trigger: 'submit-message',
  chatId: 's',
  messageId: undefined,
  messages,
  abortSignal: undefined,
});
const decided = () => [user(), assistant('a1', answered('c1', 'rm', false), answered('c2', 'ls', true))];

let server;
let address;
before(async () => {
  server = createServer((question, response) => {
    if (question.url === '/guard') response.setHeader('content-type', 'text/plain').end(wasm);
    else if (question.url === '/page') response.setHeader('content-type', 'application/wasm').end('<html>');
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

describe('slim', () => {
  test('it has the interface of the default entry, and two more functions', async () => {
    for (const name of ['', 'rules', 'redact', 'record', 'server', 'verify']) {
      const whole = Object.keys(await import(`tool-approval-guard/${name || 'sync'}`));
      const slim = Object.keys(await fresh([name, 'slim'].filter(Boolean).join('/')));
      assert.deepEqual(slim.sort(), [...whole, 'init', 'initSync'].sort(), name);
    }
  });

  test('before the module is loaded the guard fails closed, and says once what to do', async () => {
    const { createApprovalGuard } = await fresh('slim');
    const errors = [];
    const guard = createApprovalGuard({ chatId: 's', onError: (error) => errors.push(error) });
    const sent = [];
    const transport = guard.transport(inner(sent));
    assert.equal(guard.sendAutomaticallyWhen({ messages: decided() }), false);
    assert.equal(explained(guard, decided()).reason, 'unavailable');
    assert.deepEqual(guard.getSnapshot().calls, []);
    await assert.rejects(transport.sendMessages(request(decided())), { code: 'wasm-unavailable' });
    await transport.sendMessages(request([user()]));
    assert.deepEqual(sent, [[user()]], 'what carries no approval passes');
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['wasm-unavailable'],
    );
    assert.match(errors[0].message, /await init\(/);
  });

  test('law 11: before it is loaded, the calls that ask are shown, and nothing answers them', async () => {
    const { createApprovalGuard, init } = await fresh('slim');
    const messages = [
      user(),
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          {
            type: 'tool-old',
            toolCallId: 'c0',
            state: 'approval-requested',
            input: {},
            approval: { id: 'ap-0' },
          },
          { type: 'step-start' },
          { type: 'tool-read', toolCallId: 'c1', state: 'output-available', input: {}, output: 1 },
          {
            ...{ type: 'tool-delete_file', toolCallId: 'c2', state: 'approval-requested' },
            ...{ input: { path: 'a\u202eb' }, approval: { id: 'ap-2' } },
          },
        ],
      },
    ];
    const seen = {
      observe: (guard) => guard.observe(messages),
      predicate: (guard) => guard.sendAutomaticallyWhen({ messages }),
      attach: (guard) => guard.attach({ id: 's', messages, sendMessage() {} }),
    };
    for (const [how, see] of Object.entries(seen)) {
      const guard = createApprovalGuard({ chatId: 's', onError: () => {} });
      let told = 0;
      guard.subscribe(() => told++);
      assert.deepEqual(guard.getSnapshot().calls, [], how);
      see(guard);
      // A component that renders meanwhile reads the snapshot, and others still have to be told.
      guard.getSnapshot();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(told > 0, `${how}: the page is told`);
      const { calls, verdict } = guard.getSnapshot();
      assert.equal(guard.getSnapshot(), guard.getSnapshot(), how);
      assert.equal(verdict.reason, 'unavailable');
      const [call, ...others] = calls;
      assert.deepEqual(others, [], how);
      const { toolName, status, inputText, position, approvalId } = call;
      assert.deepEqual([toolName, status, approvalId], ['delete_file', 'asking', 'ap-2'], how);
      assert.match(inputText, /U\+202E/);
      assert.deepEqual(position, { index: 1, total: 1 });
      assert.deepEqual(
        [guard.decide(call, 'allow-once'), guard.decide('ap-2', 'deny')].map(({ reason }) => reason),
        ['unavailable', 'unavailable'],
      );
      assert.equal(messages[1].parts[4].state, 'approval-requested', 'nothing was written');
    }
    const broken = createApprovalGuard({ chatId: 's', onError: () => {} });
    let isBroken = false;
    broken.attach({
      id: 's',
      get messages() {
        if (isBroken) throw new Error('broken');
        return messages;
      },
      sendMessage() {},
    });
    assert.equal(broken.getSnapshot().calls.length, 1);
    isBroken = true;
    assert.deepEqual(broken.getSnapshot().calls, [], 'messages that cannot be read end no rendering');
    const secret = createApprovalGuard({
      chatId: 's',
      onError: () => {},
      redact: (input) => ({ value: input, hidden: [] }),
    });
    secret.observe(messages);
    assert.equal(secret.getSnapshot().calls[0].inputText, undefined, 'what may be secret is not shown');
    assert.equal(secret.getSnapshot().calls[0].display, undefined);

    const guard = createApprovalGuard({ chatId: 's', onError: () => {} });
    guard.attach({ id: 's', messages, sendMessage() {} });
    assert.equal(guard.getSnapshot().calls.length, 1);
    await init(wasm);
    assert.equal(guard.decide(guard.getSnapshot().calls.at(-1), 'deny').type, 'drafted', 'once it is loaded');
    guard.dispose();
  });

  test('a failed load says why and can be repeated; then the same guard works', async () => {
    const { createApprovalGuard, GuardError, init, initSync } = await fresh('slim');
    const errors = [];
    const guard = createApprovalGuard({ chatId: 's', onError: (error) => errors.push(error.code) });
    let told = 0;
    guard.subscribe(() => told++);
    assert.equal(guard.sendAutomaticallyWhen({ messages: decided() }), false);
    const before = guard.getSnapshot();

    const attempts = {
      'nothing there': `${address}/nothing`,
      'a page in its place': `${address}/page`,
      'no server': 'http://127.0.0.1:1/guard.wasm',
      'no address': 'guard.wasm',
      'a cut file': wasm.subarray(0, wasm.length / 2),
      'the module of another entry': bytesOf('rules'),
      'some other module': new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]),
      'a failed import': { then: (_, fail) => fail(new Error('offline')) },
      'an empty response': new Response(null),
      nothing: undefined,
      'a number': 7,
    };
    for (const [what, source] of Object.entries(attempts)) {
      await assert.rejects(init(source), (error) => {
        assert.ok(error instanceof GuardError, what);
        assert.equal(error.code, 'wasm-unavailable', what);
        assert.ok(error.cause, what);
        return true;
      });
      assert.equal(guard.sendAutomaticallyWhen({ messages: decided() }), false, what);
    }
    for (const source of [undefined, wasm.subarray(0, 99), bytesOf('record')]) {
      assert.throws(() => initSync(source), { code: 'wasm-unavailable' });
    }
    assert.equal(told, 0);

    await init(wasm);
    assert.equal(told, 1, 'who shows the guard is told');
    assert.notEqual(guard.getSnapshot(), before);
    assert.equal(guard.sendAutomaticallyWhen({ messages: decided() }), true);
    const sent = [];
    await guard.transport(inner(sent)).sendMessages(request(decided()));
    assert.equal(sent.length, 1);
    assert.deepEqual(errors, ['wasm-unavailable'], 'reported once');
  });

  test('every source works', async () => {
    const sources = {
      bytes: () => wasm,
      'a buffer': () => wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length),
      'a module': () => new WebAssembly.Module(wasm),
      text: () => `${address}/guard`,
      'a URL': () => new URL(`${address}/guard`),
      'a request': () => new Request(`${address}/guard`),
      'a response of another type': () => fetch(`${address}/guard`),
      'a promise': () => Promise.resolve(wasm),
      'a promise of a module': () => WebAssembly.compile(wasm),
    };
    for (const [what, source] of Object.entries(sources)) {
      const { createApprovalGuard, init } = await fresh('slim');
      await init(source());
      assert.equal(createApprovalGuard().sendAutomaticallyWhen({ messages: decided() }), true, what);
    }
    for (const source of [wasm, new WebAssembly.Module(wasm)]) {
      const { createApprovalGuard, initSync } = await fresh('slim');
      initSync(source);
      assert.equal(createApprovalGuard().sendAutomaticallyWhen({ messages: decided() }), true);
    }
  });

  test('guards keep their state, however often the module is loaded', async () => {
    const { createApprovalGuard, init, initSync } = await fresh('slim');
    const slow = new Promise((resolve) => setTimeout(resolve, 20, wasm));
    const both = [init(slow), init(wasm)];
    initSync(wasm);
    const guard = createApprovalGuard({ chatId: 's' });
    guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
    assert.equal(guard.decide('ap-c1', 'deny').type, 'drafted');
    await Promise.all(both);
    await init('nowhere');
    initSync(undefined);
    assert.equal(guard.getSnapshot().calls[0].status, 'drafted');
  });

  test('a guard that was disposed of stays so', async () => {
    const { createApprovalGuard, init } = await fresh('slim');
    const guard = createApprovalGuard({ chatId: 's', onError: () => {} });
    assert.equal(guard.sendAutomaticallyWhen({ messages: decided() }), false);
    guard.dispose();
    await init(wasm);
    assert.equal(guard.explain().reason, 'disposed');
  });

  test('rules created before loading ask, and decide afterwards', async () => {
    const { createRules, init } = await fresh('rules/slim');
    const rules = createRules({ rules: [{ allow: 'ls' }, { deny: 'rm' }] });
    const answers = () => ['ls', 'rm'].map((toolName) => rules.judge({ toolName, input: {} }).effect);
    let told = 0;
    rules.subscribe(() => told++);
    assert.deepEqual(answers(), ['ask', 'ask']);
    assert.deepEqual(
      rules.problems.map(({ code }) => code),
      ['unavailable'],
    );
    await assert.rejects(init(wasm), { code: 'wasm-unavailable' });
    await init(bytesOf('rules'));
    assert.deepEqual(rules.problems, []);
    assert.deepEqual(answers(), ['allow', 'deny']);
    assert.equal(told, 1);
  });

  test('secrets that cannot be masked yet are not shown, and are masked afterwards', async () => {
    const { createApprovalGuard, initSync } = await fresh('slim');
    const { redact, initSync: initRedact } = await fresh('redact/slim');
    assert.throws(() => redact({}), { code: 'wasm-unavailable' });
    initSync(wasm);
    const guard = createApprovalGuard({ chatId: 's', redact, onError: () => {} });
    const mail = { ...asking('c1', 'mail'), input: { password: 'hunter2hunter2' } };
    let others = 0;
    /** The first call in the snapshot after another call was seen. */
    const display = () => {
      const other = Array.from({ length: ++others }, (_, i) => asking(`d${i}`, 'ls'));
      guard.observe([user(), assistant('a1', mail, ...other)]);
      return guard.getSnapshot().calls[0].display;
    };
    assert.equal(display(), undefined);
    assert.throws(() => initRedact(bytesOf('rules')), { code: 'wasm-unavailable' });
    assert.equal(display(), undefined);
    initRedact(bytesOf('redact'));
    assert.equal(display().hidden, 1);
    assert.doesNotMatch(JSON.stringify(display()), /hunter2/);
  });

  test('rules that were read late decide about waiting calls as they would have earlier', async () => {
    const { createApprovalGuard, initSync } = await fresh('slim');
    const late = await fresh('rules/slim');
    const { redact, initSync: initRedact } = await fresh('redact/slim');
    initSync(wasm);
    const rules = late.createRules({ rules: [{ allow: 'ls' }, { deny: 'rm' }] });
    const guard = createApprovalGuard({ chatId: 's', rules, redact, onError: () => {} });
    guard.observe([
      user(),
      assistant('a1', asking('c1', 'rm'), asking('c2', 'ls'), asking('c3', 'ls'), asking('c4', 'mv')),
    ]);
    assert.equal(guard.decide('ap-c3', 'deny').type, 'drafted');
    const before = guard.getSnapshot().calls;
    assert.deepEqual(
      before.map(({ status, display }) => [status, display]),
      ['asking', 'asking', 'drafted', 'asking'].map((status) => [status, undefined]),
    );
    initRedact(bytesOf('redact'));
    late.initSync(bytesOf('rules'));
    const after = guard.getSnapshot().calls;
    assert.deepEqual(
      after.map(({ outcome }) => outcome),
      ['denied-by-rule', 'allowed-by-rule', 'denied', undefined],
      'and what a person has said stays',
    );
    assert.deepEqual(after[3].display, { value: {}, hidden: 0 });
  });

  test('a listener that throws does not affect other listeners, and loading succeeds', async (t) => {
    const said = t.mock.method(console, 'error', () => {});
    const { createRules, init } = await fresh('rules/slim');
    const [first, second] = [createRules({ rules: [{ deny: 'rm' }] }), createRules({})];
    let heard = 0;
    for (const rules of [first, second]) {
      rules.judge({ toolName: 'rm', input: {} });
      rules.subscribe(() => {
        throw new Error('mine');
      });
      rules.subscribe(() => heard++);
    }
    await init(bytesOf('rules'));
    assert.equal(heard, 2);
    assert.deepEqual(first.tighten([{ deny: 'mv' }]), []);
    assert.equal(heard, 3);
    assert.deepEqual(
      said.mock.calls.map(({ arguments: [cause] }) => cause.message),
      ['mine', 'mine', 'mine'],
    );
  });

  test('another chat that was attached before is refused when the module is loaded', async () => {
    const { createApprovalGuard, initSync } = await fresh('slim');
    const { createRules } = await import('tool-approval-guard/rules');
    const errors = [];
    const rules = createRules({ rules: [{ allow: 'rm' }] });
    const guard = createApprovalGuard({ chatId: 's', rules, onError: ({ code }) => errors.push(code) });
    const other = { id: 'other', messages: [user(), assistant('a1', asking('c1', 'rm'))] };
    const chat = { ...other, setMessages: () => assert.fail('nothing of it is changed'), sendMessage() {} };
    guard.attach({ ...chat, addToolApprovalResponse: () => assert.fail('nothing of it is answered') });
    initSync(wasm);
    assert.deepEqual(guard.getSnapshot().calls, []);
    assert.equal(guard.decide('ap-c1', 'allow-once').type, 'refused');
    assert.deepEqual(errors, ['wasm-unavailable', 'wrong-chat']);
  });

  test('a guard waits for the module of its record, and then knows the denials', async () => {
    const { createApprovalGuard } = await import('tool-approval-guard/sync');
    const storage = storageOf();
    const asked = () => [user(), assistant('a1', asking('c1', 'rm'))];
    const page = (record) => {
      const errors = [];
      const guard = createApprovalGuard({ chatId: 's', record, onError: ({ code }) => errors.push(code) });
      return { guard, errors };
    };
    const before = await import('tool-approval-guard/record');
    const first = before.createRecord({ storage });
    const { guard } = page(first);
    guard.observe(asked());
    await first.settled();
    guard.observe([user(), assistant('a1', answered('c1', 'rm', false))]);
    await first.settled();
    guard.dispose();
    await until(() => storage.rows.size > 0);

    const { createRecord, init } = await fresh('record/slim');
    const record = createRecord({ storage });
    const second = page(record);
    second.guard.observe(asked());
    assert.equal(second.guard.explain().reason, 'unavailable');
    assert.equal(second.guard.decide('ap-c1', 'allow-once').type, 'refused');
    await init(bytesOf('record'));
    second.guard.observe(asked());
    await record.settled();
    const [call] = second.guard.getSnapshot().calls;
    assert.deepEqual([call.status, call.outcome], ['answered', 'denied']);
    assert.deepEqual(second.errors, ['wasm-unavailable']);
  });

  test('a record is verified by a module of its own', async () => {
    const { init, verifyRecord } = await fresh('verify/slim');
    assert.throws(() => verifyRecord(''), { code: 'wasm-unavailable' });
    await init(bytesOf('verify'));
    assert.equal(verifyRecord('').type, 'broken');
  });
});

forEachSdk(({ name, Chat }) => {
  /** A chat that existed before the module was loaded, with a call that asks. */
  async function waiting() {
    const { createApprovalGuard, init } = await fresh('slim');
    const transport = new ScriptedTransport([[]]);
    const guard = createApprovalGuard({ chatId: 's', onError: () => {} });
    const chat = new Chat({
      id: 's',
      messages: [user(), assistant('a1', asking('c1', 'rm'))],
      transport: guard.transport(transport),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    });
    guard.attach(chat);
    return { chat, guard, init, transport };
  }

  test(`${name}: a chat that existed before the module continues`, async () => {
    const { guard, init, transport } = await waiting();
    assert.deepEqual(
      guard.getSnapshot().calls.map(({ status }) => status),
      ['asking'],
      'it is shown',
    );
    assert.equal(guard.decide('c1', 'deny').type, 'refused');
    await init(wasm);
    assert.equal(guard.getSnapshot().calls[0].status, 'asking');
    assert.equal(guard.decide('ap-c1', 'deny', { reason: 'no' }).type, 'committed');
    await until(() => transport.requests.length > 0);
    const [part] = transport.requests[0].messages.at(-1).parts.filter((part) => part.toolCallId);
    assert.equal(part.state, 'approval-responded');
    assert.deepEqual(part.approval, { id: 'ap-c1', approved: false, reason: 'no' });
  });

  test(`${name}: answers from before the module was loaded are history, and are sent by resume()`, async () => {
    const { chat, guard, init, transport } = await waiting();
    await chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
    assert.equal(transport.requests.length, 0);
    await init(wasm);
    assert.equal(guard.explain().reason, 'history');
    assert.equal(transport.requests.length, 0);
    assert.equal((await guard.resume()).type, 'sent');
  });
});
