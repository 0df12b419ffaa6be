// What React Native and others may lack: each row of the table in docs/works-in.md, with the form whose module is JavaScript.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createApprovalGuard } from 'tool-approval-guard/javascript/sync';
import { createRules } from 'tool-approval-guard/javascript/rules';
import { createWords } from 'tool-approval-guard/words';

import { without } from '../support/without.mjs';
import { macrotask, until } from './support/chat.mjs';
import { says } from './support/chunks.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { asking, assistant, user } from './support/stored.mjs';

let chats = 0;

/** A chat with one call that asks. */
function chatWith(sdk, options, url = 'https://good.com/a') {
  const id = `lacking-${chats++}`;
  const errors = [];
  const guard = createApprovalGuard({ chatId: id, onError: (error) => errors.push(error), ...options });
  const transport = new ScriptedTransport([says()]);
  const chat = new sdk.Chat({
    id,
    messages: [user(), assistant('a1', { ...asking('c1', 'fetch'), input: { url } })],
    transport: guard.transport(transport),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError: (error) => errors.push(error),
  });
  guard.attach(chat);
  const settle = () => until(() => chat.status === 'ready' && !transport.busy);
  return { chat, guard, transport, errors, settle, call: () => guard.getSnapshot().calls[0] };
}

const tools = { fetch: { target: 'url', kind: 'url' } };
const allowing = () => createRules({ tools, rules: [{ allow: 'fetch:https://good.com/*' }] });

forEachSdk((sdk) => {
  test(`without Intl a call is shown, decided and sent, and the English words need none, ${sdk.name}`, async () => {
    await without(['Intl'], async () => {
      const s = chatWith(sdk);
      const words = createWords();
      assert.equal(words.call(s.call()).title, 'Allow fetch?');
      s.guard.decide('c1', 'deny');
      await macrotask();
      await s.settle();
      assert.deepEqual([s.transport.requests.length, s.errors], [1, []]);
      assert.equal(s.call().outcome, 'denied');
      assert.notEqual(words.call(s.call()).outcome, undefined);
    });
  });

  test(`without URL a rule about URLs decides about plain ones, and asks about others, ${sdk.name}`, async () => {
    const rulingOf = (url) => chatWith(sdk, { rules: allowing() }, url).call().ruling.effect;
    const plain = 'https://good.com/a';
    const other = 'https://GOOD.com/b';
    assert.deepEqual([rulingOf(plain), rulingOf(other)], ['allow', 'allow']);
    await without(['URL'], async () => {
      assert.deepEqual([rulingOf(plain), rulingOf(other)], ['allow', 'ask']);
    });
  });

  test(`without ReadableStream a polyfill that comes later is used, ${sdk.name}`, async () => {
    const { ReadableStream } = globalThis;
    let made = 0;
    await without(['ReadableStream'], async () => {
      const s = chatWith(sdk);
      globalThis.ReadableStream = class extends ReadableStream {
        constructor(...given) {
          super(...given);
          made++;
        }
      };
      s.guard.decide('c1', 'allow-once');
      await macrotask();
      await s.settle();
      assert.deepEqual([s.transport.requests.length, s.errors], [1, []]);
      assert.equal(s.chat.messages.at(-1).parts.at(-1).type, 'text', 'its response was read');
    });
    assert.ok(made > 0);
  });

  test(`without structuredClone an application checks a changed input, ${sdk.name}`, async () => {
    await without(['structuredClone'], async () => {
      const given = [];
      const editable = (input) => {
        given.push({ ...input });
        // What it does to the input is its own affair.
        input.url = 'x';
        return [];
      };
      const s = chatWith(sdk, { tools: { fetch: { editable } } });
      const input = { url: 'https://good.com/b' };
      assert.equal(s.guard.decide('c1', 'allow-once', { input }).type, 'committed');
      assert.deepEqual([given, input], [[{ url: 'https://good.com/b' }], { url: 'https://good.com/b' }]);
      assert.deepEqual(s.errors, []);
    });
  });

  test(`without WeakRef and FinalizationRegistry a guard is let go by dispose(), ${sdk.name}`, async () => {
    await without(['WeakRef', 'FinalizationRegistry'], async () => {
      const s = chatWith(sdk, { rules: allowing() });
      assert.equal(s.call().ruling.effect, 'allow');
      s.guard.dispose();
      assert.equal(s.guard.explain().reason, 'disposed');
      assert.deepEqual(s.errors, []);
    });
  });
});
