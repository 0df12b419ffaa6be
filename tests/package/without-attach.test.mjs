// A guard that no chat is attached to, with only its predicate, only its transport, or both: it sends as the stock
// predicates do, or `explain()` says what is missing.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuard, until } from './support/chat.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { gated, response, says, text, toolCall } from './support/chunks.mjs';
import { asking, assistant, call, said, user } from './support/stored.mjs';
import { forEachSdk } from './support/sdk.mjs';

const parts = {
  nothing: [],
  predicate: ['predicate'],
  transport: ['transport'],
  both: ['predicate', 'transport'],
};

/** What happens in a chat that has these parts of a guard. */
const scenes = {
  'a restored call is allowed': {
    messages: [user(), assistant('a1', asking('c1', 'rm'))],
    act: (chat) => chat.addToolApprovalResponse({ id: 'ap-c1', approved: true }),
  },
  'a restored call is allowed, with text after it': {
    messages: [user(), assistant('a1', asking('c1', 'rm'), said('Shall I?'))],
    act: (chat) => chat.addToolApprovalResponse({ id: 'ap-c1', approved: true }),
  },
  'a restored call gets its output': {
    messages: [user(), assistant('a1', call('k1', 'ui', 'input-available'))],
    act: (chat) => chat.addToolOutput({ tool: 'ui', toolCallId: 'k1', output: 1 }),
  },
  'a restored call gets its output, with text after it': {
    messages: [user(), assistant('a1', call('k1', 'ui', 'input-available'), said('Pick one.'))],
    act: (chat) => chat.addToolOutput({ tool: 'ui', toolCallId: 'k1', output: 1 }),
    // Nothing has seen the call while it was open, so the text may be the reply to its output.
    unlike: ['predicate', 'both'],
  },
  'onToolCall writes the output': { streams: [toolCall('k1', 'ui')] },
  'onToolCall writes the output, with text before the call': {
    streams: [text('Picking.'), toolCall('k1', 'ui')],
  },
  'onToolCall writes the output, with text after the call': {
    streams: [toolCall('k1', 'ui'), text('Picking.')],
    unlike: ['predicate'],
  },
  'onToolCall writes the output beside a call that is allowed then': {
    streams: [gated('c1', 'rm'), toolCall('k1', 'ui')],
    act: (chat) => chat.addToolApprovalResponse({ id: 'ap-c1', approved: true }),
  },
};

forEachSdk((sdk) => {
  const stock = (question) =>
    sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses(question) ||
    sdk.ai.lastAssistantMessageIsCompleteWithToolCalls(question);

  async function play({ messages, streams, act = () => {} }, used, options = {}) {
    const inner = new ScriptedTransport([...(streams ? [response('a1', ...streams)] : []), says()]);
    const guard = createApprovalGuard({ ...options, onError: () => {} });
    const chat = new sdk.Chat({
      messages,
      transport: used.includes('transport') ? guard.transport(inner) : inner,
      sendAutomaticallyWhen: used.includes('predicate') ? guard.sendAutomaticallyWhen : stock,
      onToolCall: ({ toolCall: { toolCallId, toolName } }) => {
        if (toolName === 'ui') void chat.addToolOutput({ tool: 'ui', toolCallId, output: 1 });
      },
    });
    const settle = () => until(() => ['ready', 'error'].includes(chat.status) && !inner.busy);
    if (streams) await chat.sendMessage({ text: 'go' });
    await settle();
    await act(chat);
    await settle();
    return { requests: inner.requests.length, verdict: guard.explain() };
  }

  describe(`without attach, ${sdk.name}`, () => {
    for (const [what, { unlike = [], ...scene }] of Object.entries(scenes)) {
      for (const [with_, used] of Object.entries(parts).slice(1)) {
        for (const options of [{}, { clientTools: ['ui'] }]) {
          const named = options.clientTools ? ', a client tool' : '';
          const holds = unlike.includes(with_);
          test(`${what}${named}: with ${with_} ${holds ? 'explain() says what is missing' : 'as the stock predicates'}`, async () => {
            const usual = await play(scene, parts.nothing);
            const { requests, verdict } = await play(scene, used, options);
            assert.equal(usual.requests, scene.streams ? 2 : 1, 'the stock predicates send');
            assert.equal(requests, holds ? usual.requests - 1 : usual.requests);
            if (!holds) return;
            assert.equal(verdict.reason, 'answered-in-text');
            for (const missing of ['attach()', 'observe()', 'transport'])
              assert.ok(verdict.message.includes(missing));
          });
        }
      }
    }
  });
});

describe('without attach, a list that may be older', () => {
  for (const callId of ['c1', 'c9'])
    test(`brings no call in a message that another one has taken the place of: ${callId}`, () => {
      const guard = createApprovalGuard();
      const list = (id, callId) => [user(), assistant(id, asking(callId, 'rm'))];
      for (const messages of [list('a1', 'c1'), list('a2', 'c2')]) guard.sendAutomaticallyWhen({ messages });
      guard.observe(list('a1', callId));
      const shown = guard.getSnapshot().calls.map(({ toolCallId }) => toolCallId);
      assert.deepEqual(shown, ['c2']);
    });
});
