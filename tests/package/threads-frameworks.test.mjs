// The guards of all chats of a page, with the `Chat` of Vue and of Svelte, whose messages are proxies.
import './support/page.mjs';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { Chat as Vue7 } from '@ai-sdk/vue';
import { createApprovalGuards } from 'tool-approval-guard/threads';
import { Chat as Vue6 } from 'vue6';
import { until } from './support/chat.mjs';
import { assertDenied } from './support/assertions.mjs';
import { continued, gated, outputAvailable, outputDenied, response } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import { bundled } from './support/svelte.mjs';

const chats = {
  'vue, ai@7': Vue7,
  'vue, ai@6': Vue6,
  'svelte, ai@7': (await bundled('@ai-sdk/svelte', 'client')).Chat,
  'svelte, ai@6': (await bundled('svelte6', 'client')).Chat,
};
const asks = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const done = () => continued([outputDenied('c1'), outputAvailable('c2')]);

for (const [name, Chat] of Object.entries(chats)) {
  describe(`threads, ${name}`, () => {
    /** A page with two chats, each with this script and a copy of these messages. */
    function page(script, messages = () => []) {
      const codes = [];
      const guards = createApprovalGuards({ onError: ({ code }) => codes.push(code) });
      const { sendAutomaticallyWhen } = guards;
      const open = (id) => {
        const inner = new ScriptedTransport(script());
        const transport = guards.transport(inner);
        const chat = new Chat({ id, messages: messages(), transport, sendAutomaticallyWhen });
        const then = async (act) => {
          await act;
          await until(() => chat.status === 'ready' && !inner.busy);
        };
        return {
          chat,
          inner,
          say: () => then(chat.sendMessage({ text: 'go' })),
          answer: (id, approved) => then(chat.addToolApprovalResponse({ id: `ap-${id}`, approved })),
          put: (toolCallId) => then(chat.addToolOutput({ tool: 'rm', toolCallId, output: 'fake' })),
        };
      };
      return { codes, guards, a: open('a'), b: open('b') };
    }
    const sent = ({ inner }, id) =>
      inner.requests
        .at(-1)
        .messages.at(-1)
        .parts.find(({ toolCallId }) => toolCallId === id);

    test('law_9 the chat is found by its messages, and nothing crosses', async () => {
      const { a, b, codes } = page(() => [asks(), done()]);
      await a.say();
      await b.say();
      await a.answer('c1', false);
      await a.put('c1');
      await b.answer('c2', true);
      await a.answer('c2', true);
      assert.deepEqual([a.inner.requests.length, b.inner.requests.length], [2, 1]);
      assertDenied(sent(a, 'c1'), { id: 'ap-c1' });
      assert.deepEqual(codes, []);
    });

    for (const isLate of [false, true]) {
      test(`a chat with stored messages that ${isLate ? 'come after it was' : 'is'} attached is found`, async () => {
        const stored = () => [user(), assistant('a1', asking('c1', 'rm'))];
        const { a, b, codes, guards } = page(
          () => [continued([outputDenied('c1')])],
          isLate ? undefined : stored,
        );
        for (const { chat } of [a, b]) {
          guards.get(chat.id).attach(chat);
          if (isLate) chat.messages = stored();
        }
        await a.answer('c1', false);
        assert.deepEqual([a.inner.requests.length, b.inner.requests.length], [1, 0]);
        assertDenied(sent(a, 'c1'), { id: 'ap-c1' });
        assert.deepEqual(codes, []);
      });
    }
  });
}
