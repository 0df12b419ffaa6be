// `tool-approval-guard/svelte` with the `Chat` of both majors, whose messages are deep proxies of state.
import './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './support/chat.mjs';
import { assertDenied } from './support/assertions.mjs';
import {
  assertUntouched,
  bindingTests,
  chatOptions,
  closeAll,
  guarded,
  listenToConsole,
  open,
  two,
  withoutWasm,
} from './support/bindings.mjs';
import { bundled } from './support/svelte.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import { says } from './support/chunks.mjs';

// The alias must match, or one major would be tested twice.
const require = createRequire(import.meta.url);
const sdkOf = (name) => {
  const from = path.dirname(fileURLToPath(import.meta.url));
  const place = require.resolve
    .paths(name)
    .map((folder) => path.join(folder, name, 'package.json'))
    .find((file) => {
      try {
        return require(file);
      } catch {
        return false;
      }
    });
  assert.ok(place, `${name} is found from ${from}`);
  return createRequire(place)('ai/package.json').version[0];
};
assert.deepEqual(['@ai-sdk/svelte', 'svelte6'].map(sdkOf), ['7', '6']);

for (const [name, sdk] of [
  ['Svelte, ai@7', '@ai-sdk/svelte'],
  ['Svelte, ai@6', 'svelte6'],
]) {
  const client = await bundled(sdk, 'client');
  const server = await bundled(sdk, 'server');
  const { mount, unmount, hydrate, flushSync } = client.svelte;

  const framework = {
    chat: (options) => {
      const chat = new client.Chat(options);
      return { chat, status: () => chat.status, messages: () => chat.messages };
    },
    mount: async (element, props) => {
      let latest;
      const took = (approvals) => {
        latest = approvals;
      };
      const page = mount(client.Cards, { target: element, props: { ...props, took } });
      flushSync();
      return { latest: () => latest, unmount: () => unmount(page) };
    },
  };

  bindingTests(name, framework);

  describe(`${name}, reactivity`, () => {
    afterEach(closeAll);

    const effects = async (p, props = {}) => {
      const element = document.createElement('div');
      const count = { derived: 0, effects: 0 };
      const page = mount(client.Effects, {
        target: element,
        props: { guard: p.guard, chat: p.chat, count, ...props },
      });
      await until(() => true);
      return { element, count, end: () => unmount(page) };
    };

    test('an effect that shows calls runs again only when they change', async () => {
      const p = await open(framework, { script: [two(), says()] });
      const { element, count, end } = await effects(p);
      await p.say();
      assert.equal(element.textContent, '2');
      const before = { ...count };
      // The component must not depend on what the guard has read of these messages.
      p.chat.messages = p.chat.messages.map((message) => ({ ...message, metadata: { n: 1 } }));
      p.chat.messages[0].metadata = { n: 2 };
      await until(() => true);
      assert.deepEqual(count, before);
      p.guard.decide('c1', 'allow-once');
      await until(() => true);
      assert.equal(element.textContent, '1');
      assert.equal(count.derived, before.derived + 1);
      await end();
    });

    test('with a selector what reads it runs again only when it has changed', async () => {
      const p = await open(framework, { script: [two(), says()] });
      const element = document.createElement('div');
      const count = { runs: 0 };
      const page = mount(client.Selected, {
        target: element,
        props: { guard: p.guard, chat: p.chat, id: 'c2', count },
      });
      await p.say();
      assert.equal(element.textContent.trim(), 'asking');
      const before = count.runs;
      p.guard.decide('c1', 'allow-once');
      await until(() => p.latest().calls[0].status === 'drafted');
      flushSync();
      assert.equal(count.runs, before);
      p.guard.decide('c2', 'deny');
      await until(() => element.textContent.trim() !== 'asking');
      assert.ok(count.runs > before);
      await unmount(page);
    });

    test('an effect that decides does not run forever', async () => {
      const p = await open(framework, { script: [two(), says()] });
      const { count, end } = await effects(p, { decides: true });
      await p.say();
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
      assert.ok(count.effects > 1 && count.effects < 30, `${count.effects} runs`);
      await end();
    });

    test('a call that the page keeps in its own state is the call that was shown', async () => {
      const p = await open(framework, { script: [two(), says()] });
      let state;
      const { end } = await effects(p, { keeps: (given) => (state = given) });
      await p.say();
      state.keep(p.latest().calls[0]);
      assert.notEqual(state.kept(), p.latest().calls[0], 'it is a proxy');
      assert.equal(p.guard.decide(state.kept(), 'allow-once').type, 'drafted');
      assert.equal(p.guard.undo(state.kept()).type, 'undone');
      // The call gets another input while the person still sees the card.
      p.chat.messages = p.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === 'c1' ? { ...part, input: { path: '/everything' } } : part,
        ),
      }));
      await p.settle();
      const result = p.guard.decide(state.kept(), 'allow-once');
      assert.equal(result.type, 'refused');
      assert.equal(result.reason, 'changed');
      assert.equal(p.guard.decide(p.latest().calls[0], 'allow-once').type, 'drafted');
      await end();
    });

    for (const [what, change] of Object.entries({
      removed: (messages) => messages.splice(0),
      'replaced in place': (messages) => messages.splice(0, 2, user('u9'), assistant('a9')),
    }))
      test(`messages that are ${what} take their cards along`, async () => {
        const p = await open(framework, { script: [two(), says()] });
        await p.say();
        assert.equal(p.latest().calls.filter(({ position }) => position).length, 2);
        change(p.chat.messages);
        await until(() => true);
        assert.equal(p.latest().calls.filter(({ position }) => position).length, 0);
      });

    test('another chat with another guard, by a key', async () => {
      const make = (id) => {
        const one = guarded([two(), says()], {}, `${sdk}-${id}`);
        return { ...one, chat: new client.Chat(chatOptions(one)) };
      };
      const all = { first: make('first'), second: make('second') };
      const element = document.createElement('div');
      document.body.append(element);
      const control = {};
      const page = mount(client.Keyed, { target: element, props: { all, control } });
      const shown = () => [...element.querySelectorAll('[data-card]')].map((card) => card.dataset.status);
      const settle = (one) => until(() => one.chat.status === 'ready' && !one.transport.busy);
      await all.first.chat.sendMessage({ text: 'go' });
      await settle(all.first);
      all.first.guard.decide('c1', 'allow-once');
      await until(() => shown()[0] === 'drafted');
      control.go('second');
      await until(() => shown().length === 0);
      assert.deepEqual([all.first.count.listeners, all.first.count.chats], [0, 0]);
      await all.second.chat.sendMessage({ text: 'go' });
      await settle(all.second);
      for (const button of element.querySelectorAll('[data-do="allow"]')) button.click();
      await settle(all.second);
      assert.equal(all.second.transport.requests.length, 2);
      assert.equal(all.first.transport.requests.length, 1);
      control.go('first');
      await until(() => shown()[0] === 'drafted');
      assert.deepEqual([...all.first.errors, ...all.second.errors], []);
      await unmount(page);
      await until(() => true);
      element.remove();
      for (const { count } of Object.values(all)) assert.deepEqual([count.listeners, count.chats], [0, 0]);
    });
  });

  test(`${name}: a server renders without WebAssembly, and a browser hydrates without a warning`, async (t) => {
    const said = listenToConsole(t);
    const app = (Chat) => {
      const one = guarded([says()]);
      return { ...one, chat: new Chat(chatOptions(one, [user(), assistant('a1', asking('c1', 'rm'))])) };
    };
    let html;
    await t.test('on the server', async (t) => {
      withoutWasm(t);
      const { guard, chat, count, errors } = app(server.Chat);
      html = server.render(server.Cards, { props: { guard, chat } }).body;
      assert.match(html, /data-phase="idle" data-asking="0"/);
      assert.match(html, /data-part="c1" data-status="none"/);
      assert.doesNotMatch(html, /data-card/);
      assertUntouched({ count, errors });
    });
    const { guard, chat, count, transport } = app(client.Chat);
    const element = document.createElement('div');
    element.innerHTML = html;
    document.body.append(element);
    // The client knows more than the server did.
    guard.observe(chat.messages);
    const page = hydrate(client.Cards, { target: element, props: { guard, chat } });
    await until(() => element.querySelector('[data-card]'));
    assert.equal(element.querySelector('[data-part]').dataset.status, 'asking');
    assert.deepEqual(said, []);
    element.querySelector('[data-do="deny"]').click();
    await until(() => transport.requests.length === 1 && chat.status === 'ready' && !transport.busy);
    await unmount(page);
    await until(() => true);
    element.remove();
    assert.deepEqual([count.listeners, count.chats], [0, 0]);
  });
}
