// The adapter for assistant-ui with its real runtimes: the shown parts, and the decisions of their answers.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import './support/page.mjs';
import { assertDenied } from './support/assertions.mjs';
import { sent, serverOf } from './support/assistant-ui.mjs';
import { until } from './support/chat.mjs';
import React from 'react';
import { useChat } from '@ai-sdk/react';
import { AssistantRuntimeProvider } from '@assistant-ui/core/react';
import { useAISDKChat, useAISDKRuntime, useChatRuntime } from '@assistant-ui/ai-sdk';
import { ThreadPrimitive, MessagePrimitive } from '@assistant-ui/react';
import { createApprovalGuard } from 'tool-approval-guard/sync';
import { ApprovalProvider, exceptCancelledCalls, useApprovalPart } from 'tool-approval-guard/assistant-ui';
import { editFields, readEdit } from 'tool-approval-guard/edit';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { page } from './support/page.mjs';

const runtimes = {
  'useChatRuntime with the guards of its threads': (options, transport) => {
    const guards = createApprovalGuards(options);
    const sendAutomaticallyWhen = guards.sendAutomaticallyWhen;
    const guarded = guards.transport(transport);
    return { guards, useRuntime: () => useChatRuntime({ transport: guarded, sendAutomaticallyWhen }) };
  },
  'useAISDKRuntime with one guard': (options, transport) => {
    const guards = createApprovalGuard({ chatId: 'c', ...options });
    const sendAutomaticallyWhen = guards.sendAutomaticallyWhen;
    const guarded = guards.transport(transport);
    const useRuntime = () => useAISDKRuntime(useChat({ id: 'c', transport: guarded, sendAutomaticallyWhen }));
    return { guards, useRuntime };
  },
};

/** A thread whose tool parts are shown with the adapter. `parts` are their latest, by call id. */
async function thread(t, open, options = {}) {
  const errors = [];
  const server = serverOf();
  const onError = exceptCancelledCalls((error) => errors.push(error));
  const { guards, useRuntime } = open({ onError, ...options }, server.transport());
  const parts = new Map();
  let chat;
  let runtime;
  function Tool(props) {
    const shown = useApprovalPart(props);
    parts.set(props.toolCallId, shown);
    return null;
  }
  const Message = () =>
    React.createElement(MessagePrimitive.Parts, { components: { tools: { Fallback: Tool } } });
  function Thread() {
    chat = useAISDKChat();
    const messages = React.createElement(ThreadPrimitive.Messages, { components: { Message } });
    return React.createElement(ApprovalProvider, { guards, chat }, messages);
  }
  const handle = page(() => {
    runtime = useRuntime();
    return React.createElement(AssistantRuntimeProvider, { runtime }, React.createElement(Thread));
  });
  t.after(handle.unmount);
  await until(() => chat !== undefined && runtime !== undefined);
  const say = (text) => runtime.thread.append({ role: 'user', content: [{ type: 'text', text }] });
  const part = (id) => parts.get(id)?.part;
  const guard = () => ('get' in guards ? guards.get(chat.id) : guards);
  say('go');
  await until(() => part('c2')?.approval?.options !== undefined && chat.status === 'ready');
  return { errors, server, say, part, parts, guard, chat: () => chat };
}

for (const [name, open] of Object.entries(runtimes)) {
  describe(name, () => {
    test('the four options are the four choices, and a reason reaches the model', async (t) => {
      const { part, guard, server, errors } = await thread(t, open);
      assert.deepEqual(
        part('c1').approval.options.map(({ id }) => id),
        ['allow-once', 'allow-always', 'reject-once', 'reject-always'],
      );
      for (const [optionId, outcome] of [
        ['allow-once', 'allowed-once'],
        ['allow-always', 'allowed-chat'],
        ['reject-once', 'denied'],
        ['reject-always', 'denied-chat'],
      ]) {
        await part('c1').respondToApproval({ optionId });
        await until(() => part('c1').approval.approved === optionId.startsWith('allow'));
        assert.equal(guard().getSnapshot().calls[0].outcome, outcome);
        assert.equal(part('c1').approval.options, undefined);
        guard().undo('ap-c1');
        await until(() => part('c1').approval.options?.length === 4);
        assert.equal(part('c1').approval.approved, undefined, 'it asks again');
      }
      assert.equal(server.requests.length, 1, 'drafts send nothing');
      await part('c1').respondToApproval({ approved: false, reason: 'wrong file' });
      await part('c2').respondToApproval({ approved: true });
      await until(() => server.requests.length === 2);
      assertDenied(sent(server.requests[1], 'c1'), { id: 'ap-c1', reason: 'wrong file' });
      assert.equal(sent(server.requests[1], 'c2').approval.approved, true);
      assert.deepEqual(errors, []);
    });

    test('a person changes the input: the part shows what runs, also as a draft, and it is sent', async (t) => {
      const inputSchema = { properties: { path: { type: 'string' } } };
      const tools = { rm: { editable: true, inputSchema } };
      const { part, parts, guard, server, errors } = await thread(t, open, { tools });
      const { call } = parts.get('c1');
      assert.equal(call.can.edit, true);
      const [{ name }] = editFields(call);
      const { input } = readEdit(call, new Map([[name, '/other']]));
      guard().decide(call, 'allow-once', { input });
      await until(() => part('c1').approval.approved === true);
      assert.deepEqual([part('c1').args, JSON.parse(part('c1').argsText)], [input, input]);
      assert.deepEqual(parts.get('c1').call.changes, [{ field: name, from: call.input[name], to: '/other' }]);
      guard().undo('ap-c1');
      await until(() => part('c1').approval.options?.length === 4);
      assert.deepEqual(part('c1').args, call.input);
      guard().decide(parts.get('c1').call, 'allow-once', { input });
      await part('c2').respondToApproval({ approved: true });
      await until(() => server.requests.length === 2);
      assert.deepEqual(sent(server.requests[1], 'c1').input, input);
      assert.deepEqual(part('c1').args, input);
      assert.deepEqual(errors, []);
    });

    test('a call that the chat has left behind offers nothing', async (t) => {
      const { part, guard, chat } = await thread(t, open, { whenUserSends: 'pass' });
      const stays = chat().messages;
      chat().setMessages([...stays, { id: 'u9', role: 'user', parts: [{ type: 'text', text: 'Later.' }] }]);
      await until(() =>
        guard()
          .getSnapshot()
          .calls.every(({ position }) => position === undefined),
      );
      assert.equal(guard().getSnapshot().calls[0].status, 'asking');
      await until(() => part('c1').approval.options === undefined);
      assert.equal(part('c1').approval.resolution, 'cancelled');
    });

    test('law_5 an answer in doubt decides nothing', async (t) => {
      const { part, guard, server } = await thread(t, open);
      const first = part('c1');
      for (const response of [
        {},
        { text: 'yes' },
        { approved: true, text: 'yes' },
        { approved: 'true' },
        { optionId: 'always' },
        { optionId: 'reject-once', approved: true },
        { optionId: 'allow-once', approved: false },
      ]) {
        await assert.rejects(first.respondToApproval(response), {
          code: 'invalid-decision',
          toolCallId: 'c1',
        });
      }
      assert.equal(guard().getSnapshot().calls[0].status, 'asking');
      await first.respondToApproval({ approved: false });
      await assert.rejects(first.respondToApproval({ approved: true }), { code: 'invalid-decision' });
      assert.equal(guard().getSnapshot().calls[0].decision, 'denied');
      assert.equal(server.requests.length, 1);
    });

    test('a message over calls that ask: what assistant-ui writes is not reported, and the denial stands', async (t) => {
      const { part, say, server, errors, chat } = await thread(t, open);
      await chat().addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
      await until(() => part('c1').approval.approved === false);
      say('something else');
      await until(() => server.requests.length === 2);
      const calls = server.requests[1].messages.flatMap(({ parts }) => parts);
      assertDenied(
        calls.find(({ toolCallId }) => toolCallId === 'c1'),
        { id: 'ap-c1', reason: 'no' },
      );
      const c2 = calls.find(({ toolCallId }) => toolCallId === 'c2');
      assert.deepEqual([c2.state, c2.approval.approved], ['output-denied', false]);
      assert.deepEqual(errors, []);
    });

    test('any other output over a call that asks is reported', async (t) => {
      const { errors, chat } = await thread(t, open);
      await chat().addToolOutput({ state: 'output-error', tool: 'rm', toolCallId: 'c1', errorText: 'mine' });
      await until(() => errors.length > 0);
      assert.deepEqual(
        errors.map(({ code, cause }) => [code, cause]),
        [['output-over-open-approval', 'mine']],
      );
    });
  });
}

test('an input that cannot be compared or shown: only what can be decided is offered', async (t) => {
  const hidden = { redact: () => undefined };
  const { part } = await thread(t, runtimes['useAISDKRuntime with one guard'], hidden);
  const kinds = part('c1').approval.options.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['reject-once', 'reject-always']);
  await assert.rejects(part('c1').respondToApproval({ approved: true }), { code: 'invalid-decision' });
});

test('a call that nobody answered in time has the resolution of assistant-ui', async (t) => {
  const { part } = await thread(t, runtimes['useAISDKRuntime with one guard'], {
    expiresMs: 1_000,
    whenAllDenied: 'hold',
  });
  await until(() => part('c1').approval.resolution === 'expired');
  assert.equal(part('c1').approval.options, undefined);
});

test('outside of a provider a part is unchanged', () => {
  let shown;
  const part = { toolCallId: 'c1', approval: { id: 'ap-c1' }, respondToApproval: async () => {} };
  const handle = page(() => {
    shown = useApprovalPart(part);
    return null;
  });
  return until(() => shown !== undefined).then(() => {
    handle.unmount();
    assert.equal(shown.part, part);
    assert.deepEqual([shown.call, shown.guard], [undefined, undefined]);
  });
});
