// Where there is no WebAssembly: what is said, what is shown, and what still leaves (laws 11 and 17).
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import { until } from './support/chat.mjs';
import { says } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, step, user } from './support/stored.mjs';

const { WebAssembly } = globalThis;
afterEach(() => void (globalThis.WebAssembly = WebAssembly));

let copies = 0;
/** A copy of an entry with WebAssembly, whatever the conditions are, which has not started its module yet. */
const fresh = (name) =>
  import(
    new URL(`.${name}.js?without-wasm-${copies++}`, import.meta.resolve('tool-approval-guard/package.json'))
  );

/** What an engine does, and the sentence that a developer reads. */
const CAUSES = {
  'no WebAssembly': {
    forbid: () => void delete globalThis.WebAssembly,
    says: /has no WebAssembly/,
  },
  'a policy, in Chromium': {
    forbid: () =>
      failing(
        "WebAssembly.Module(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source of script",
      ),
    says: /Content-Security-Policy of this page forbids it: add 'wasm-unsafe-eval'/,
  },
  'a policy, in Firefox': {
    forbid: () => failing('call to WebAssembly.Module() blocked by CSP'),
    says: /Content-Security-Policy/,
  },
  'another cause': {
    forbid: () => failing('Out of memory: cannot allocate Wasm memory'),
    says: /The cause: Out of memory/,
    not: /Content-Security-Policy/,
  },
};

function failing(message) {
  const refuse = class {
    constructor() {
      throw new WebAssembly.CompileError(message);
    }
  };
  globalThis.WebAssembly = { ...WebAssembly, Module: refuse, Instance: refuse, Memory: refuse };
}

for (const [name, { forbid, says: sentence, not = /(?!)/ }] of Object.entries(CAUSES)) {
  test(`law 11: the sentence names the real cause: ${name}`, async () => {
    const { createApprovalGuard } = await fresh('/sync');
    const { redact } = await fresh('/redact');
    const { verifyRecord } = await fresh('/verify');
    const { readDecisions } = await fresh('/server');
    const { createRules } = await fresh('/rules');
    forbid();
    const errors = [];
    const guard = createApprovalGuard({ chatId: 'c', onError: (error) => errors.push(error) });
    assert.equal(guard.sendAutomaticallyWhen({ messages: [user()] }), false);
    const attempts = [() => redact({}), () => verifyRecord(''), () => readDecisions([])];
    for (const attempt of attempts) {
      assert.throws(attempt, (error) => (errors.push(error), error.name === 'GuardError'));
    }
    assert.equal(errors.length, 1 + attempts.length);
    for (const { code, message } of errors) {
      assert.equal(code, 'wasm-unavailable');
      assert.match(message, sentence);
      assert.doesNotMatch(message, not);
    }
    assert.equal(errors[0].chatId, 'c');
    const [problem] = createRules({ rules: [] }).problems;
    assert.match(problem.mend, sentence);
  });
}

/** A guard without WebAssembly, and what its transport lets through. */
async function guarded() {
  const { createApprovalGuard } = await fresh('/sync');
  delete globalThis.WebAssembly;
  const sent = [];
  const guard = createApprovalGuard({ chatId: 'c', onError: () => {} });
  const transport = guard.transport({
    sendMessages: async ({ messages }) => {
      sent.push(messages);
      return new ReadableStream({ start: (controller) => controller.close() });
    },
    reconnectToStream: async () => null,
  });
  const send = async (...messages) => {
    await transport.sendMessages({ chatId: 'c', trigger: 'submit-message', messages });
    return sent.at(-1);
  };
  return { guard, send };
}

describe('without WebAssembly', () => {
  test('C106, law 11: the calls that ask are shown, and none says that it waits for an answer', async () => {
    const { guard } = await guarded();
    guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
    const { calls, verdict } = guard.getSnapshot();
    assert.deepEqual(
      calls.map(({ toolCallId, status, waiting }) => [toolCallId, status, waiting]),
      [['c1', 'asking', false]],
    );
    assert.equal(verdict.reason, 'unavailable');
    assert.equal(guard.decide('c1', 'deny').reason, 'unavailable');
  });

  test('law 11: however the calls are seen, the page is told, and nothing answers them', async () => {
    const { createApprovalGuard } = await fresh('/sync');
    delete globalThis.WebAssembly;
    const errors = [];
    const create = (options) =>
      createApprovalGuard({ chatId: 'c', onError: ({ code }) => errors.push(code), ...options });
    const messages = [
      user(),
      assistant('a1', asking('c0', 'old'), step, call('c1', 'read', 'output-available', { output: 1 }), {
        ...asking('c2', 'rm'),
        input: { path: 'a\u202eb' },
      }),
    ];
    const seen = {
      observe: (guard) => guard.observe(messages),
      predicate: (guard) => guard.sendAutomaticallyWhen({ messages }),
      attach: (guard) => guard.attach({ id: 'c', messages, sendMessage() {} }),
    };
    for (const [how, see] of Object.entries(seen)) {
      const guard = create();
      let told = 0;
      guard.subscribe(() => told++);
      assert.deepEqual(guard.getSnapshot().calls, [], how);
      see(guard);
      // A component that renders meanwhile reads the snapshot, and others still have to be told.
      guard.getSnapshot();
      await until(() => told > 0);
      assert.equal(guard.getSnapshot(), guard.getSnapshot(), how);
      const [{ toolName, status, inputText, position, approvalId }, ...others] = guard.getSnapshot().calls;
      assert.deepEqual(others, [], `${how}: those of an earlier step are no question`);
      assert.deepEqual([toolName, status, approvalId], ['rm', 'asking', 'ap-c2'], how);
      assert.match(inputText, /U\+202E/);
      assert.deepEqual(position, { index: 1, total: 1 });
      assert.deepEqual(
        [guard.decide('c2', 'allow-once'), guard.decide('ap-c2', 'deny')].map(({ reason }) => reason),
        ['unavailable', 'unavailable'],
      );
    }
    assert.deepEqual(
      errors,
      ['wasm-unavailable', 'wasm-unavailable', 'wasm-unavailable'],
      'each says it once',
    );
    const broken = create();
    let isBroken = false;
    broken.attach({
      id: 'c',
      get messages() {
        if (isBroken) throw new Error('broken');
        return messages;
      },
      sendMessage() {},
    });
    assert.equal(broken.getSnapshot().calls.length, 1);
    isBroken = true;
    assert.deepEqual(broken.getSnapshot().calls, [], 'messages that cannot be read end no rendering');
    const secret = create({ redact: (input) => ({ value: input, hidden: [] }) });
    secret.observe(messages);
    assert.equal(secret.getSnapshot().calls[0].inputText, undefined, 'what may be secret is not shown');
    assert.equal(secret.getSnapshot().calls[0].display, undefined);
  });

  test('a guard whose record cannot be started sends and decides nothing: it may have been denied before', async () => {
    const { createApprovalGuard, preload } = await fresh('/sync');
    await preload();
    const { createRecord } = await fresh('/record');
    delete globalThis.WebAssembly;
    const errors = [];
    const record = createRecord();
    const guard = createApprovalGuard({ chatId: 'c', record, onError: ({ code }) => errors.push(code) });
    guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
    assert.equal(guard.explain().reason, 'unavailable');
    assert.equal(guard.decide('ap-c1', 'allow-once').type, 'refused');
    assert.deepEqual(errors, ['wasm-unavailable']);
  });

  test('a message of the user without content is none: it closes nothing, and nothing leaves', async () => {
    const { send } = await guarded();
    const open = [user('u1'), assistant('a1', asking('c1', 'rm'))];
    for (const parts of [[], [{ type: 'text', text: ' \n' }]])
      await assert.rejects(send(...open, { ...user('u2'), parts }), { code: 'wasm-unavailable' });
    const denied = [user('u1'), assistant('a1', answered('c1', 'rm', false))];
    const blank = { ...user('u2'), parts: [] };
    assert.deepEqual(await send(...denied, blank), [...denied, blank], 'a denial leaves, as it came');
    const [, closed] = await send(...open, user('u2'), { ...user('u3'), parts: [] });
    assert.equal(closed.parts[1].state, 'output-denied', 'the message before it has moved on');
  });

  test('law 17: a message of the user leaves, and what was open is closed', async () => {
    const { send } = await guarded();
    const ran = { ...answered('c5', 'rm', true), state: 'output-available', output: 'ran' };
    const messages = [
      user('u1'),
      assistant(
        'a1',
        asking('c1', 'rm'),
        answered('c2', 'rm', true),
        answered('c3', 'rm', false, { reason: 'no' }),
        { ...answered('c4', 'rm', false), state: 'output-available', output: { success: true } },
        ran,
        { ...asking('c6', 'rm'), state: 'output-available', output: 'made up' },
        call('c7', 'ls', 'output-available', { output: 1 }),
      ),
      user('u2'),
    ];
    const before = structuredClone(messages);
    const left = await send(...messages);
    assert.deepEqual(messages, before, 'the chat is not changed');
    const parts = left[1].parts.filter(({ toolCallId }) => toolCallId);
    assert.deepEqual(
      parts.map(({ toolCallId, state, approval, output }) => [toolCallId, state, approval?.approved, output]),
      [
        ['c1', 'output-denied', false, undefined],
        ['c2', 'output-denied', false, undefined],
        ['c3', 'approval-responded', false, undefined],
        ['c4', 'output-denied', false, undefined],
        ['c5', 'output-available', true, 'ran'],
        ['c6', 'output-denied', false, undefined],
        ['c7', 'output-available', undefined, 1],
      ],
    );
    for (const at of [0, 1, 5]) {
      assert.match(parts[at].approval.reason, /moved on/);
      assert.equal(parts[at].approval.id, `ap-${parts[at].toolCallId}`);
    }
    assert.equal(parts[4], ran);
    assert.equal(left[0], messages[0]);
    assert.equal(left[2], messages[2]);
    const quiet = [user('u1'), assistant('a1', step, ran), user('u2')];
    assert.equal(await send(...quiet).then((list) => list[1]), quiet[1]);
  });

  test('law 11: a denial continues the chat, an allowance and an open question do not', async () => {
    const { send } = await guarded();
    const denial = [user(), assistant('a1', answered('c1', 'rm', false, { reason: 'no' }))];
    assert.deepEqual(await send(...denial), denial);
    for (const part of [
      answered('c2', 'rm', true),
      asking('c2', 'rm'),
      { ...asking('c2', 'rm'), approval: 'x' },
    ]) {
      await assert.rejects(send(user(), assistant('a1', answered('c1', 'rm', false), part)), {
        code: 'wasm-unavailable',
        chatId: 'c',
      });
    }
    for (const unreadable of [{ role: 'assistant' }, { role: 'user', parts: 'text' }]) {
      await assert.rejects(send(unreadable), { code: 'wasm-unavailable' });
    }
  });
});

forEachSdk((sdk) =>
  test(`law 17: a real chat without WebAssembly keeps what the user writes, ${sdk.name}`, async () => {
    const { createApprovalGuard } = await fresh('/sync');
    delete globalThis.WebAssembly;
    const guard = createApprovalGuard({ chatId: 'c', onError: () => {} });
    const scripted = new ScriptedTransport([says(), says()]);
    const chat = new sdk.Chat({
      id: 'c',
      messages: [user(), assistant('a1', asking('c1', 'rm'))],
      transport: guard.transport(scripted),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError: assert.fail,
    });
    guard.attach(chat);
    const idle = () => until(() => chat.status === 'ready' && !scripted.busy);
    await chat.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
    await idle();
    assert.equal(scripted.requests.length, 0, 'nothing is sent automatically');
    await chat.sendMessage();
    await idle();
    const { state, approval } = scripted.requests[0].messages[1].parts.find(({ toolCallId }) => toolCallId);
    assert.deepEqual(
      [state, approval],
      ['approval-responded', { id: 'ap-c1', approved: false, reason: 'no' }],
    );
    await chat.sendMessage({ text: 'And now?' });
    await idle();
    assert.equal(scripted.requests[1].messages.at(-1).parts[0].text, 'And now?');
  }),
);
