// The tests of `useApprovalGuard` that are the same for all frameworks. The test file of a framework says how its page is
// made: a parent that makes the guard and the chat of its `id`, and children that read their calls.
import './page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from './chat.mjs';
import { ScriptedTransport, live } from './scripted-transport.mjs';
import { assertAllowed, assertDenied } from './assertions.mjs';
import { continued, gated, outputAvailable, outputDenied, response, says, toolCall } from './chunks.mjs';
import { asking, assistant, user } from './stored.mjs';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

/** A backend with a script for each chat. */
export class Backend {
  #chats = new Map();

  constructor(scripts) {
    for (const [id, script] of Object.entries(scripts)) this.#chats.set(id, new ScriptedTransport(script));
  }

  of = (id) => this.#chats.get(id);
  sendMessages = (options) => this.of(options.chatId).sendMessages(options);
  reconnectToStream = (options) => this.of(options.chatId).reconnectToStream(options);
  get busy() {
    return [...this.#chats.values()].some(({ busy }) => busy);
  }
}

const opened = new Set();

/**
 * @param framework.open puts a page into an element. `props` has `id`, `options` of the guard, `inner`: the transport,
 * `messages(id)`, `children`: how many components read the calls. Returns `guard()` and `chat()` of the last rendering,
 * `approvals(i)` of a child with plain values, `go(id)`, `unmount()`
 */
export async function openPage(framework, { scripts, options, messages = () => [], children = 1, id = 'a' }) {
  const inner = new Backend(scripts);
  const errors = [];
  const element = document.createElement('div');
  document.body.append(element);
  const given = { onError: (error) => errors.push(`${error.code} ${error.chatId}`), ...options };
  const handle = await framework.open(element, { id, options: given, inner, messages, children });
  const page = {
    ...handle,
    element,
    errors,
    sent: (chat) => inner.of(chat).requests,
    settle: () => until(() => !inner.busy && ['ready', 'error'].includes(handle.status()), { quiet: 8 }),
    say: async (text = 'go') => {
      await handle.chat().sendMessage({ text });
      await page.settle();
    },
    go: async (next) => {
      await handle.go(next);
      await until(() => handle.shows() === next, { quiet: 8 });
    },
    end: async () => {
      opened.delete(page);
      await handle.unmount();
      element.remove();
    },
  };
  opened.add(page);
  await until(() => handle.shows() === id, { quiet: 8 });
  return page;
}

export const closePages = async () => {
  for (const page of [...opened]) await page.end();
};

const asks = (message, ...ids) => response(message, ...ids.map((id) => gated(id, 'rm')));
const idsOf = (calls) => calls.map(({ toolCallId }) => toolCallId);

export function followingTests(name, framework) {
  describe(`${name}, useApprovalGuard`, () => {
    afterEach(closePages);

    test('law_9 a guard for each id: the next chat has another one, and nothing crosses', async () => {
      const p = await openPage(framework, {
        scripts: {
          a: [asks('a1', 'c1'), continued([outputDenied('c1')])],
          b: [asks('b1', 'c2'), continued([outputAvailable('c2')])],
        },
      });
      const first = p.guard();
      await p.say();
      await until(() => p.approvals(0).calls.length === 1);
      await p.go('b');
      const second = p.guard();
      assert.notEqual(first, second);
      assert.deepEqual(p.approvals(0).calls, []);
      await p.say();
      await until(() => p.approvals(0).calls.length === 1);
      assert.deepEqual(idsOf(p.approvals(0).calls), ['c2']);
      second.decide(p.approvals(0).calls[0], 'allow-once');
      await p.settle();
      assertAllowed(p.sent('b').at(-1).messages.at(-1).parts.at(-1), { id: 'ap-c2' });
      assert.deepEqual([p.sent('a').length, p.sent('b').length], [1, 2]);
      assert.ok(first.ledger().every((entry) => entry.toolCallId !== 'c2'));
      assert.ok(second.ledger().every((entry) => entry.toolCallId !== 'c1'));
      assert.deepEqual(p.errors, []);
    });

    test('the guard is the same through renderings, and when the id comes back', async () => {
      const p = await openPage(framework, { scripts: { a: [says()], b: [] } });
      const first = p.guard();
      await p.say();
      assert.equal(p.guard(), first);
      await p.go('b');
      await p.go('a');
      assert.equal(p.guard(), first);
      assert.deepEqual(p.errors, []);
    });

    test('law_9 a response of an earlier id that ends later is of its own chat', async () => {
      const answer = live();
      const p = await openPage(framework, {
        scripts: { a: [answer, says('late')], b: [asks('b1', 'c2'), continued([outputDenied('c2')])] },
        options: { clientTools: ['pick'] },
      });
      const [guard, chat] = [p.guard(), p.chat()];
      const sending = chat.sendMessage({ text: 'go' });
      await answer.started;
      await p.go('b');
      let isOver = false;
      try {
        answer.push(response('a1', toolCall('k1', 'pick')));
        answer.close();
      } catch {
        // The hook has stopped the chat that it no longer shows.
        isOver = true;
      }
      await sending;
      // The chat of a hook whose methods follow the id cannot be reached any more.
      const isReached = !isOver && !framework.isFacade;
      if (isReached) await chat.addToolOutput({ tool: 'pick', toolCallId: 'k1', output: 'file' });
      await until(() => true, { quiet: 12 });
      assert.equal(p.sent('a').length, isReached ? 2 : 1, 'its own guard continues it');
      assert.deepEqual(p.sent('b'), []);
      assert.deepEqual(p.guard().ledger(), []);
      assert.ok(isOver || guard.ledger().some(({ toolCallId }) => toolCallId === 'k1'));
      await p.say();
      await until(() => p.approvals(0).calls.length === 1);
      p.guard().decide(p.approvals(0).calls[0], 'deny');
      await p.settle();
      assertDenied(p.sent('b').at(-1).messages.at(-1).parts.at(-1), { id: 'ap-c2' });
      assert.deepEqual(p.errors, []);
    });

    test('law_4 stored chats, one after the other: each rejection is sent by its own chat, once', async () => {
      const p = await openPage(framework, {
        scripts: { a: [continued([outputDenied('x')])], b: [continued([outputDenied('x')])] },
        // The same call id and the same approval id in both.
        messages: (id) => [user(`${id}0`), assistant(`${id}1`, asking('x', 'rm'))],
      });
      for (const id of ['a', 'b']) {
        if (id !== 'a') await p.go(id);
        await until(() => p.approvals(0).calls.length === 1);
        p.guard().decide(p.approvals(0).calls[0], 'deny');
        await p.settle();
        assert.equal(p.sent(id).length, 1);
        assertDenied(p.sent(id)[0].messages.at(-1).parts.at(-1), { id: 'ap-x' });
      }
      assert.deepEqual(p.errors, []);
    });

    test('two components with one guard show the same, and one decision causes one request', async () => {
      const p = await openPage(framework, {
        scripts: { a: [asks('a1', 'c1', 'c2'), continued([outputDenied('c1'), outputAvailable('c2')])] },
        children: 2,
      });
      await p.say();
      await until(() => [0, 1].every((i) => p.approvals(i).calls.length === 2));
      p.guard().decide(p.approvals(0).calls[0], 'deny');
      await until(() => p.approvals(1).calls[0].status === 'drafted');
      p.guard().decide(p.approvals(1).calls[1], 'allow-once');
      await p.settle();
      assert.equal(p.sent('a').length, 2);
      assert.deepEqual(p.errors, []);
    });

    test('the options are those of the chat, and a wrong one is an error at once', async () => {
      const events = [];
      const p = await openPage(framework, {
        scripts: { a: [asks('a1', 'c1')] },
        options: { undoMs: Infinity, onEvent: ({ type, chatId }) => events.push(`${type} ${chatId}`) },
      });
      await p.say();
      await until(() => p.approvals(0).calls.length === 1);
      p.guard().decide(p.approvals(0).calls[0], 'allow-once');
      await until(() => p.approvals(0).calls[0].status === 'drafted');
      assert.equal(p.sent('a').length, 1, 'undoMs holds it');
      assert.ok(events.includes('drafted a'));
      assert.throws(() => framework.use('a', { nothing: 1 }), { code: 'invalid-option' });
      assert.throws(() => framework.use(undefined, {}), { code: 'invalid-input' });
    });

    test('law_9 a chat with an id that was never the one of the component is refused', async () => {
      const p = await openPage(framework, { scripts: { a: [], b: [says()] } });
      const transport = p.guard().transport(new Backend({ b: [says()] }));
      const request = { chatId: 'b', messages: [user()], trigger: 'submit-message', messageId: undefined };
      await assert.rejects(transport.sendMessages(request), { code: 'wrong-chat' });
    });

    test('law_15 a guard that nothing holds is freed when the page is gone', async () => {
      const p = await openPage(framework, { scripts: { a: [asks('a1', 'c1')], b: [] } });
      await p.say();
      const held = [new WeakRef(p.guard())];
      await p.go('b');
      held.push(new WeakRef(p.guard()));
      await p.end();
      for (const key of Object.keys(p)) delete p[key];
      for (let i = 0; i < 200 && held.some((ref) => ref.deref()); i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        gc();
      }
      assert.deepEqual(
        held.map((ref) => ref.deref() !== undefined),
        [false, false],
      );
    });
  });
}
