// The guard in assistant-ui, with its real runtimes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import './support/page.mjs';
import { createApprovalGuard } from './support/chat.mjs';
import { assertDenied } from './support/assertions.mjs';
import { runtimeThreads, sent, serverOf, threads } from './support/assistant-ui.mjs';
import { useChat } from '@ai-sdk/react';
import { InMemoryThreadListAdapter } from '@assistant-ui/core';
import { useRemoteThreadListRuntime } from '@assistant-ui/core/react';
import { useAISDKRuntime, useChatRuntime } from '@assistant-ui/ai-sdk';
import { useAuiState } from '@assistant-ui/store';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { useToolApprovals } from 'tool-approval-guard/react';

test('the package of the earlier name exports the same, so the guide is true for both', async () => {
  const [now, before] = await Promise.all([
    import('@assistant-ui/ai-sdk'),
    import('@assistant-ui/react-ai-sdk'),
  ]);
  assert.deepEqual(Object.keys(before), Object.keys(now));
  for (const [name, value] of Object.entries(now)) assert.equal(before[name], value, name);
});

describe('AISDKThreads with the transport of a guard', () => {
  /** A thread in which a denied call gets an output of the page. @param watched whether the guard's transport is used */
  async function overwritten(t, watched) {
    const codes = [];
    const guard = createApprovalGuard({ onError: ({ code }) => codes.push(code) });
    const server = serverOf();
    const transport = watched ? guard.transport(server.transport()) : server.transport();
    const app = threads({ transport, sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
    t.after(app.end);
    await app.say('go');
    await app.answer('c1', false, 'no');
    await app.put('c1', 'rm', 'fake');
    await app.answer('c2', true);
    assert.equal(server.requests.length, 2);
    return { codes, guard, last: server.requests.at(-1) };
  }

  test('the clone of a thread is watched, and a denied call leaves denied', async (t) => {
    const { codes, guard, last } = await overwritten(t, true);
    assertDenied(sent(last, 'c1'), { id: 'ap-c1', reason: 'no' });
    assert.equal(guard.ledger().filter(({ type }) => type === 'ended').length, 2, 'its responses are heard');
    assert.deepEqual(codes, []);
  });

  test('without it, the transport that is not ours is reported', async (t) => {
    const { codes, last } = await overwritten(t, false);
    assert.equal(sent(last, 'c1').state, 'output-available', 'nothing has repaired it');
    assert.deepEqual(codes, ['unwatched-request']);
  });
});

/** An application with each runtime. `useThread` is a hook of the component that shows a thread. */
const runtimes = {
  AISDKThreads: (options) => threads(options),
  useChatRuntime: (options, useThread) => runtimeThreads(() => useChatRuntime(options), useThread),
  useRemoteThreadListRuntime: (options, useThread) => {
    const adapter = new InMemoryThreadListAdapter();
    const runtimeHook = () => {
      const id = useAuiState((state) => state.threadListItem.id);
      return useAISDKRuntime(useChat({ ...options, id }));
    };
    return runtimeThreads(() => useRemoteThreadListRuntime({ runtimeHook, adapter }), useThread);
  },
};

for (const [name, open] of Object.entries(runtimes)) {
  describe(`the guards of all threads, ${name}`, () => {
    async function app(t, attached, options = {}, server = serverOf()) {
      const codes = [];
      const guards = createApprovalGuards({ onError: ({ code }) => codes.push(code), ...options.guards });
      const { sendAutomaticallyWhen } = guards;
      const transport = guards.transport(server.transport());
      const useThread = attached ? (chat) => useToolApprovals(guards.get(chat.id), chat) : () => {};
      const own = open({ transport, sendAutomaticallyWhen, ...options.runtime }, useThread);
      t.after(own.end);
      await own.ready();
      return { ...own, codes, guards, server };
    }

    for (const attached of name === 'AISDKThreads' ? [false] : [false, true]) {
      const how = attached ? 'attached while it is shown' : 'never attached';
      test(`law_9 a switch there and back: nothing is lost and nothing crosses, ${how}`, async (t) => {
        const { say, answer, put, open, id, chat, codes, guards, server } = await app(t, attached);
        await say('first');
        const first = id();
        await answer('c1', false, 'no');
        await put('c1', 'rm', 'fake');
        const second = await open();
        assert.notEqual(second, first);
        assert.equal(chat().messages.length, 0);
        await say('second');
        await answer('c1', true);
        assert.equal(server.requests.length, 2, 'both threads ask about their other call');
        await open(first);
        await answer('c2', true);
        assert.equal(server.requests.length, 3);
        const [of1] = server.requests.slice(-1);
        assertDenied(sent(of1, 'c1'), { id: 'ap-c1', reason: 'no' });
        await open(second);
        await answer('c2', false);
        assert.equal(server.requests.length, 4);
        const [of2] = server.requests.slice(-1);
        assert.equal(sent(of2, 'c1').approval.approved, true);
        assertDenied(sent(of2, 'c2'), { id: 'ap-c2' });
        const answers = (thread) =>
          guards
            .get(thread)
            .ledger()
            .filter(({ type }) => type === 'answered')
            .map(({ toolCallId, approved }) => [toolCallId, approved]);
        assert.deepEqual(answers(first), [
          ['c1', false],
          ['c2', true],
        ]);
        assert.deepEqual(answers(second), [
          ['c1', true],
          ['c2', false],
        ]);
        assert.deepEqual(codes, []);
      });
    }

    if (name === 'useChatRuntime') {
      test('an answer through a channel of the host counts when the host continues by itself', async (t) => {
        const allowed = new Set();
        let own;
        own = await app(
          t,
          true,
          {
            guards: { whenUserSends: 'pass' },
            runtime: {
              onRespondToToolApproval: (_, { toolCallId }) => {
                allowed.add(toolCallId);
                void own.chat().sendMessage();
              },
            },
          },
          serverOf({ allowed }),
        );
        await own.say('first');
        await own.respond('c1', { approved: true });
        await own.settle();
        assert.equal(own.server.requests.length, 2);
        assert.equal(sent(own.server.requests[1], 'c1').state, 'approval-requested', 'nothing is invented');
        assert.equal(own.part('c1').state, 'output-available');
        const [call] = own.shown().calls;
        assert.deepEqual([call.status, call.outcome], ['settled', 'allowed-elsewhere']);
        assert.deepEqual(own.codes, []);
      });
    }

    if (name === 'useChatRuntime')
      test('law 17: answers of an endpoint of the host are adopted, and the host continues when none is open', async (t) => {
        let own;
        // What the endpoint of the host answers: the stored messages, with its own ids.
        const stored = (answers) =>
          own.chat().messages.map((message) => ({
            ...message,
            id: `stored-${message.id}`,
            parts: message.parts.map((part) => {
              const approved = answers.get(part.toolCallId);
              if (approved === undefined) return part;
              return { ...part, state: 'approval-responded', approval: { ...part.approval, approved } };
            }),
          }));
        const answers = new Map();
        own = await app(t, true, {
          runtime: {
            onRespondToToolApproval: async ({ approved }, { toolCallId }) => {
              answers.set(toolCallId, approved);
              const list = stored(answers);
              own.guards.get(own.chat().id).adopt(list);
              own.chat().setMessages(list);
              await own.chat().sendMessage();
            },
          },
        });
        await own.say('first');
        await own.respond('c1', { approved: true });
        await own.settle();
        assert.equal(own.server.requests.length, 1, 'the other call asks');
        assert.deepEqual([own.shown().calls[0].outcome, own.shown().batch.asking], ['allowed-elsewhere', 1]);
        await own.respond('c2', { approved: false });
        await own.settle();
        assert.equal(own.server.requests.length, 2);
        const [, request] = own.server.requests;
        assert.equal(sent(request, 'c1').approval.approved, true);
        assertDenied(sent(request, 'c2'), { id: 'ap-c2' });
        assert.deepEqual(
          ['c1', 'c2'].map((id) => own.part(id).state),
          ['output-available', 'output-denied'],
        );
        const actors = own.guards
          .get(own.chat().id)
          .ledger()
          .filter(({ type }) => type === 'answered')
          .map(({ toolCallId, actor }) => [toolCallId, actor]);
        assert.deepEqual(actors, [
          ['c1', 'server'],
          ['c2', 'server'],
        ]);
        assert.deepEqual(own.codes, []);
      });

    if (name === 'AISDKThreads') return;

    test('a draft waits in its thread while another one is shown', async (t) => {
      const { say, open, id, shown, settle, chat, codes, guards, server } = await app(t, true);
      await say('first');
      const first = id();
      assert.equal(guards.get(first).decide('ap-c1', 'deny').type, 'drafted');
      const second = await open();
      await say('second');
      assert.deepEqual(
        shown().calls.map(({ status }) => status),
        ['asking', 'asking'],
      );
      assert.equal(guards.get(second).decide('ap-c1', 'allow-once').type, 'drafted');
      await open(first);
      await settle();
      assert.deepEqual(
        shown().calls.map(({ status }) => status),
        ['drafted', 'asking'],
      );
      assert.equal(guards.get(first).decide('ap-c2', 'allow-once').type, 'committed');
      await settle();
      assert.equal(server.requests.length, 3);
      assertDenied(sent(server.requests[2], 'c1'), { id: 'ap-c1' });
      assert.equal(chat().id, first);
      assert.deepEqual(codes, []);
    });
  });
}
