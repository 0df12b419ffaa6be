// Which chat an entry and an error are of: the logs of a life cycle are written from `onEvent` alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createApprovalGuard, GuardError } from 'tool-approval-guard/sync';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { until } from './support/chat.mjs';
import { gated, response, says } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { asking, assistant, user } from './support/stored.mjs';

/** The log of https://github.com/obra/lace: a question with its thread, call, tool and time, and what became of it. */
function lifecycleLog() {
  const lines = [];
  const onEvent = ({ type, chatId, toolCallId, toolName, at, outcome, waitedMs }) => {
    const call = { threadId: chatId, toolCallId, toolName };
    if (type === 'asked') lines.push(['requested', { ...call, timestamp: at }]);
    if (type === 'answered' || type === 'superseded')
      lines.push(['resolved', { ...call, decision: outcome, responseTime: waitedMs }]);
  };
  return { lines, onEvent };
}

const asks = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));

/** Two chats of one page, whose calls have the same ids. */
async function twoChats(sdk, options) {
  const guards = createApprovalGuards({ undoMs: 0, ...options });
  const scripts = { a: new ScriptedTransport([asks(), says()]), b: new ScriptedTransport([asks(), says()]) };
  const transport = guards.transport({
    sendMessages: (request) => scripts[request.chatId].sendMessages(request),
    reconnectToStream: async () => null,
  });
  const chats = {};
  for (const id of ['a', 'b']) {
    const { sendAutomaticallyWhen } = guards;
    chats[id] = new sdk.Chat({ id, transport, sendAutomaticallyWhen, onError: () => {} });
    guards.get(id).attach(chats[id]);
    await chats[id].sendMessage({ text: 'go' });
  }
  const idle = (id) => until(() => chats[id].status === 'ready' && !scripts[id].busy);
  await idle('a');
  await idle('b');
  return { guards, chats, scripts, idle };
}

forEachSdk((sdk) =>
  describe(`which chat, ${sdk.name}`, () => {
    test('law 9: the logs of two chats are written from onEvent alone', async () => {
      const { lines, onEvent } = lifecycleLog();
      const begin = Date.now();
      const { guards, chats, idle } = await twoChats(sdk, { onEvent, onError: assert.fail });
      await new Promise((resolve) => setTimeout(resolve, 30));
      guards.get('b').decide('c1', 'allow-once');
      guards.get('b').decide('c2', 'deny');
      await idle('b');
      await chats.a.sendMessage({ text: 'rather not' });
      await idle('a');
      const of = (threadId) => lines.filter(([, line]) => line.threadId === threadId);
      for (const id of ['a', 'b']) {
        const requested = of(id).filter(([what]) => what === 'requested');
        assert.deepEqual(
          requested.map(([, { toolCallId, toolName }]) => [toolCallId, toolName]),
          [
            ['c1', 'rm'],
            ['c2', 'ls'],
          ],
        );
        for (const [, { timestamp }] of requested) assert.ok(timestamp >= begin && timestamp <= Date.now());
      }
      const resolved = (id) =>
        of(id)
          .filter(([what]) => what === 'resolved')
          .map(([, { toolCallId, toolName, decision }]) => [toolCallId, toolName, decision]);
      assert.deepEqual(resolved('b'), [
        ['c1', 'rm', 'allowed-once'],
        ['c2', 'ls', 'denied'],
      ]);
      assert.deepEqual(resolved('a'), [
        ['c1', 'rm', 'superseded'],
        ['c2', 'ls', 'superseded'],
      ]);
      assert.equal(lines.length, 8, 'no line is of another chat');
      for (const [what, { responseTime }] of lines) {
        if (what === 'resolved') assert.ok(responseTime >= 25 && responseTime < 10_000, `${responseTime} ms`);
      }
    });

    test('law 9: every error of a guard says which chat it is of', async () => {
      const errors = [];
      const { guards, chats } = await twoChats(sdk, { onError: (error) => errors.push(error) });
      for (const id of ['a', 'b']) {
        const guard = guards.get(id);
        const other = id === 'a' ? chats.b : chats.a;
        await assert.rejects(
          guard.transport(new ScriptedTransport([])).sendMessages({
            chatId: other.id,
            messages: other.messages,
            trigger: 'submit-message',
          }),
          { name: 'GuardError', code: 'wrong-chat', chatId: id },
        );
        const misuse = { name: 'GuardError', code: 'invalid-decision', chatId: id };
        assert.throws(() => guard.decide('c1', 'maybe'), misuse);
        assert.throws(() => guard.decideAll('c1', 'deny'), misuse);
        assert.throws(() => guard.undo(1), misuse);
        assert.throws(() => guard.revoke(1), misuse);
        assert.throws(() => guard.covered('c1', 'all'), misuse);
        guard.attach({});
        await assert.rejects(guard.retry({ options: 1 }), { code: 'invalid-input', chatId: id });
        await chats[id].addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'mine' });
      }
      assert.deepEqual(
        errors.map(({ code, chatId }) => [code, chatId]),
        ['a', 'b'].flatMap((id) => [
          ['wrong-chat', id],
          ['invalid-input', id],
          ['output-over-open-approval', id],
        ]),
      );
    });
  }),
);

test('law 9: a guard without the option chatId learns the chat from the chat itself', () => {
  const entries = [];
  const guard = createApprovalGuard({ onEvent: (entry) => entries.push(entry), onError: () => {} });
  assert.deepEqual(guard.ledger(), []);
  guard.attach({ id: 'mine', messages: [user(), assistant('a1', asking('c1', 'rm'))] });
  assert.ok(entries.length > 0);
  for (const { chatId } of [...entries, ...guard.ledger()]) assert.equal(chatId, 'mine');
  assert.throws(() => guard.decide('c1', 'maybe'), { code: 'invalid-decision', chatId: 'mine' });
});

test('an error of no chat has no chat', () => {
  assert.equal(new GuardError('invalid-option', 'No.').chatId, undefined);
  assert.throws(() => createApprovalGuard({ undoMs: -1 }), { code: 'invalid-option', chatId: undefined });
});
