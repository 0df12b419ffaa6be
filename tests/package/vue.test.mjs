// `tool-approval-guard/vue` with the `Chat` of both majors, whose messages are deep proxies, and with
// `useChat`, whose messages are copies of the chat's.
import './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { createRequire } from 'node:module';
import { macrotask, until } from './support/chat.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import {
  assertUntouched,
  bindingTests,
  chatOptions,
  closeAll,
  edit,
  guarded,
  listenToConsole,
  open,
  two,
  withoutWasm,
} from './support/bindings.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';
import { live } from './support/scripted-transport.mjs';

const require = createRequire(import.meta.url);
const Vue = await import('vue');
const { renderToString } = await import('vue/server-renderer');
const vue7 = await import('@ai-sdk/vue');
const vue6 = await import('vue6');
const { useToolApprovals } = await import('tool-approval-guard/vue');
const { h } = Vue;

// The alias must match, or one major would be tested twice.
const sdkOf = (name) => createRequire(require.resolve(`${name}/package.json`))('ai/package.json').version[0];
assert.deepEqual(['@ai-sdk/vue', 'vue6'].map(sdkOf), ['7', '6']);

const button = (what, onClick) => h('button', { 'data-do': what, onClick }, what);

/** What the page shows; see `open` of the shared tests. */
function cards(guard, messages, { calls, batch, callOf, stop }) {
  return h('section', { 'data-phase': batch.value.phase, 'data-asking': batch.value.asking }, [
    calls.value
      .filter((call) => call.position)
      .map((call) =>
        h('p', { key: call.approvalId, 'data-card': call.toolCallId, 'data-status': call.status }, [
          button('deny', () => guard.decide(call, 'deny')),
          button('allow', () => guard.decide(call, 'allow-once')),
          button('chat', () => guard.decide(call, 'allow-chat')),
          button('undo', () => guard.undo(call)),
          call.can.edit && button('edit', () => edit(guard, call)),
        ]),
      ),
    messages.flatMap((message) =>
      message.parts
        .filter((part) => part.toolCallId)
        .map((part) =>
          h('i', {
            'data-part': part.toolCallId,
            'data-status': callOf(part, message)?.status ?? 'none',
          }),
        ),
    ),
    button('stop', stop),
  ]);
}

/** Both kinds of chat look the same to a page of these tests. */
const messagesOf = (chat) => Vue.unref(chat.messages);

const mount = async (element, { guard, chat }) => {
  let latest;
  const app = Vue.createApp({
    setup() {
      const approvals = useToolApprovals(guard, chat);
      const { calls, batch, grants, verdict, callOf, stop } = approvals;
      latest = () => ({
        calls: calls.value,
        batch: batch.value,
        grants: grants.value,
        verdict: verdict.value,
        callOf,
        stop,
      });
      return () => cards(guard, messagesOf(chat), approvals);
    },
  });
  app.mount(element);
  return { latest: () => latest(), unmount: () => app.unmount() };
};

const ofChat = ({ Chat }) => ({
  mount,
  chat: (options) => {
    const chat = new Chat(options);
    return { chat, status: () => chat.status, messages: () => chat.messages };
  },
});

const ofUseChat = ({ throttle } = {}) => ({
  mount,
  throttle,
  chat: (options) => {
    const scope = Vue.effectScope(true);
    const chat = scope.run(() => vue7.useChat({ ...options, throttle }));
    return {
      chat,
      status: () => chat.status.value,
      messages: () => chat.messages.value,
      end: () => scope.stop(),
    };
  },
});

const frameworks = [
  ['Vue, Chat, ai@7', ofChat(vue7)],
  ['Vue, Chat, ai@6', ofChat(vue6)],
  ['Vue, useChat', ofUseChat()],
  ['Vue, useChat with throttling', ofUseChat({ throttle: 40 })],
];

for (const [name, framework] of frameworks) {
  bindingTests(name, framework);

  describe(`${name}, reactivity`, () => {
    afterEach(closeAll);

    test('a component that shows calls renders only when they change', async () => {
      const p = await open(framework, { script: [two(), says()] });
      let renders = 0;
      let computed = 0;
      const app = Vue.createApp({
        setup() {
          const { calls } = useToolApprovals(p.guard, p.chat);
          const asking = Vue.computed(() => {
            computed += 1;
            return calls.value.filter((c) => c.status === 'asking').length;
          });
          return () => {
            renders += 1;
            return h('b', asking.value);
          };
        },
      });
      const element = document.createElement('div');
      app.mount(element);
      await p.say();
      assert.equal(element.textContent, '2');
      const before = [renders, computed];
      // The component must not depend on what the guard has read of these messages.
      const messages = messagesOf(p.chat);
      const changed = messages.map((m) => ({ ...m, metadata: { n: 1 } }));
      if (Vue.isRef(p.chat.messages)) p.chat.messages.value = changed;
      else p.chat.messages = changed;
      await until(() => true);
      assert.deepEqual([renders, computed], before);
      p.guard.decide('c1', 'allow-once');
      await until(() => true);
      assert.equal(element.textContent, '1');
      assert.deepEqual([renders, computed], [before[0] + 1, before[1] + 1]);
      app.unmount();
    });

    test('with a selector a component renders again only when what it selects has changed', async () => {
      const p = await open(framework, { script: [two(), says()] });
      let renders = 0;
      const app = Vue.createApp({
        setup() {
          const call = useToolApprovals(p.guard, p.chat, ({ calls }) =>
            calls.find((c) => c.toolCallId === 'c2'),
          );
          return () => {
            renders += 1;
            return h('b', call.value?.status);
          };
        },
      });
      const element = document.createElement('div');
      app.mount(element);
      await p.say();
      assert.equal(element.textContent, 'asking');
      const before = renders;
      p.guard.decide('c1', 'allow-once');
      await until(() => p.latest().calls[0].status === 'drafted');
      await Vue.nextTick();
      assert.equal(renders, before);
      p.guard.decide('c2', 'deny');
      await until(() => element.textContent !== 'asking');
      app.unmount();
    });

    test('an effect that decides does not run forever', async () => {
      const p = await open(framework, { script: [two(), says()] });
      let runs = 0;
      const app = Vue.createApp({
        setup() {
          const { calls } = useToolApprovals(p.guard, p.chat);
          Vue.watchEffect(() => {
            runs += 1;
            assert.ok(runs < 100, 'it does not run for ever');
            for (const call of calls.value) if (call.status === 'asking') p.guard.decide(call, 'deny');
          });
          return () => null;
        },
      });
      app.mount(document.createElement('div'));
      await p.say();
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
      assert.ok(runs < 20, `${runs} runs`);
      app.unmount();
    });

    test('a call that the page keeps in its own state is the call that was shown', async () => {
      const p = await open(framework, { script: [two(), says()] });
      await p.say();
      const kept = Vue.ref(p.latest().calls[0]);
      const list = Vue.reactive({ calls: p.latest().calls });
      assert.equal(p.guard.decide(kept.value, 'allow-once').type, 'drafted');
      assert.equal(p.guard.undo(list.calls[0]).type, 'undone');
      // The call gets another input while the person still sees the card.
      const messages = messagesOf(p.chat);
      const changed = messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === 'c1' ? { ...part, input: { path: '/everything' } } : part,
        ),
      }));
      if (Vue.isRef(p.chat.messages)) p.chat.messages.value = changed;
      else p.chat.messages = changed;
      await p.settle();
      const result = p.guard.decide(kept.value, 'allow-once');
      assert.equal(result.type, 'refused');
      assert.equal(result.reason, 'changed');
      assert.equal(p.guard.decide(list.calls[0], 'allow-once').reason, 'changed');
      assert.equal(p.guard.decide({ ...Vue.toRaw(kept.value) }, 'allow-once').reason, 'changed');
      assert.equal(p.guard.decide(p.latest().calls[0], 'allow-once').type, 'drafted');
    });
  });
}

describe('Vue, pages', () => {
  const made = (id, script = [two(), says()]) => guarded(script, {}, id);

  const app = (t, component) => {
    const element = document.createElement('div');
    document.body.append(element);
    const one = Vue.createApp(component);
    one.mount(element);
    t.after(() => {
      one.unmount();
      element.remove();
    });
    return { element, unmount: () => one.unmount() };
  };

  test('useChat creates another chat for another id, and the guard changes with it', async (t) => {
    const all = { first: made('vue-first'), second: made('vue-second') };
    const id = Vue.ref('first');
    let chat;
    let latest;
    const { unmount } = app(t, {
      setup() {
        const guard = Vue.computed(() => all[id.value].guard);
        chat = vue7.useChat(() => chatOptions(all[id.value]));
        latest = useToolApprovals(guard, chat);
        return () => h('b', latest.batch.value.asking);
      },
    });
    const settle = () => until(() => chat.status.value === 'ready');
    await chat.sendMessage({ text: 'go' });
    await settle();
    assert.equal(latest.calls.value.length, 2);
    all.first.guard.decide('c1', 'allow-once');
    id.value = 'second';
    await settle();
    assert.equal(latest.calls.value.length, 0);
    assert.deepEqual([all.first.count.listeners, all.first.count.chats], [0, 0]);
    await chat.sendMessage({ text: 'go' });
    await settle();
    all.second.guard.decideAll(latest.calls.value, 'allow-once');
    await settle();
    assert.equal(all.second.transport.requests.length, 2);
    assert.equal(all.first.transport.requests.length, 1);
    assert.deepEqual([...all.first.errors, ...all.second.errors], []);
    unmount();
    for (const { count } of Object.values(all)) assert.deepEqual([count.listeners, count.chats], [0, 0]);
  });

  test('a page that is kept alive is attached only while it is shown', async (t) => {
    const one = made('vue-alive');
    const chat = new vue7.Chat(chatOptions(one));
    const shown = Vue.ref(true);
    const Page = {
      name: 'Page',
      setup() {
        const { batch } = useToolApprovals(one.guard, chat);
        return () => h('b', batch.value.asking);
      },
    };
    const { element } = app(t, { render: () => h(Vue.KeepAlive, () => (shown.value ? h(Page) : null)) });
    await macrotask();
    assert.deepEqual([one.count.listeners, one.count.chats], [1, 1]);
    shown.value = false;
    await macrotask();
    assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
    await chat.sendMessage({ text: 'go' });
    await until(() => chat.status === 'ready');
    shown.value = true;
    await macrotask();
    assert.deepEqual([one.count.listeners, one.count.chats], [1, 1]);
    assert.equal(element.textContent, '2');
  });

  test('a guard and a chat that the page holds in reactive state', async (t) => {
    const one = made('vue-state');
    const guard = Vue.ref(one.guard);
    const chat = Vue.shallowRef(new vue7.Chat(chatOptions(one)));
    let latest;
    app(t, {
      setup() {
        latest = useToolApprovals(guard, () => chat.value);
        return () => h('b', latest.batch.value.asking);
      },
    });
    await chat.value.sendMessage({ text: 'go' });
    await until(() => chat.value.status === 'ready');
    assert.equal(guard.value.decide(latest.calls.value[0], 'deny').type, 'drafted');
    assert.equal(guard.value.decide(latest.calls.value[1], 'deny').type, 'committed');
    await until(() => chat.value.status === 'ready' && one.transport.requests.length === 2);
    assert.deepEqual(one.errors, []);
  });

  test('outside of a component it begins at once and ends with the scope', async () => {
    const one = made('vue-scope');
    const scope = Vue.effectScope();
    const chat = new vue7.Chat(chatOptions(one));
    const { calls } = scope.run(() => useToolApprovals(one.guard, chat));
    assert.deepEqual([one.count.listeners, one.count.chats], [1, 1]);
    await chat.sendMessage({ text: 'go' });
    await until(() => chat.status === 'ready');
    assert.equal(calls.value.length, 2);
    scope.stop();
    assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
  });

  for (const [name, { Chat }] of [
    ['ai@7', vue7],
    ['ai@6', vue6],
  ]) {
    /** A store with an effect scope of its own, made by the first component that needs it, as those of Pinia. */
    const store = (one, chat) => {
      const scope = Vue.effectScope(true);
      let approvals;
      return { scope, use: () => (approvals ??= scope.run(() => useToolApprovals(one.guard, chat))) };
    };

    test(`a store that a component has created works after that component, ${name}`, async (t) => {
      const one = made(`vue-store-${name}`);
      const chat = new Chat(chatOptions(one));
      const { scope, use } = store(one, chat);
      const Page = {
        setup() {
          const { batch } = use();
          return () => h('b', batch.value.asking);
        },
      };
      const first = app(t, Page);
      assert.deepEqual([one.count.listeners, one.count.chats], [1, 1]);
      first.unmount();
      await chat.sendMessage({ text: 'go' });
      await until(() => chat.status === 'ready');
      const { calls } = use();
      assert.equal(calls.value.length, 2);
      assert.equal(one.guard.decide(calls.value[0], 'deny').type, 'drafted');
      assert.equal(one.guard.decide(calls.value[1], 'allow-once').type, 'committed');
      await until(() => chat.status === 'ready' && one.transport.requests.length === 2);
      assertDenied(one.transport.requests[1].messages[1].parts[1]);
      const second = app(t, Page);
      assert.equal(second.element.textContent, '0');
      assert.deepEqual([one.count.listeners, one.count.everAttached], [1, 1], 'it is attached once');
      second.unmount();
      scope.stop();
      assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
      assert.deepEqual(one.errors, []);
    });

    test(`a store that a mounted component creates is attached, ${name}`, async (t) => {
      const one = made(`vue-late-${name}`);
      const { scope, use } = store(one, new Chat(chatOptions(one)));
      const { unmount } = app(t, { setup: () => (Vue.onMounted(use), () => h('b')) });
      await until(() => one.count.chats === 1);
      unmount();
      assert.deepEqual([one.count.listeners, one.count.chats], [1, 1]);
      scope.stop();
      assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
    });

    for (const [what, change] of Object.entries({
      removed: (messages) => messages.splice(0),
      'replaced in place': (messages) => messages.splice(0, 2, user('u9'), assistant('a9')),
    }))
      test(`messages that are ${what} take their cards along, ${name}`, async (t) => {
        const one = made(`vue-${what}-${name}`);
        const chat = new Chat(chatOptions(one));
        const setup = () => {
          const approvals = useToolApprovals(one.guard, chat);
          return () => cards(one.guard, chat.messages, approvals);
        };
        const { element } = app(t, { setup });
        await chat.sendMessage({ text: 'go' });
        await until(() => chat.status === 'ready');
        assert.equal(element.querySelectorAll('[data-card]').length, 2);
        change(chat.messages);
        await until(() => true);
        assert.equal(element.querySelectorAll('[data-card]').length, 0);
      });
  }

  test('a store of a page that a server renders attaches nothing there, and hydrates without a warning', async (t) => {
    const said = listenToConsole(t);
    const make = (id) => {
      const one = made(id);
      const chat = new vue7.Chat(chatOptions(one, [user(), assistant('a1', asking('c1', 'rm'))]));
      const scope = Vue.effectScope(true);
      const setup = () => {
        const approvals = scope.run(() => useToolApprovals(one.guard, chat));
        return () => cards(one.guard, chat.messages, approvals);
      };
      return { one, scope, root: Vue.createSSRApp({ setup }) };
    };
    const there = make('vue-store-server');
    const html = await renderToString(there.root);
    assertUntouched(there.one);
    const here = make('vue-store-client');
    const element = document.createElement('div');
    element.innerHTML = html;
    here.root.mount(element);
    await until(() => element.querySelector('[data-card]'));
    assert.deepEqual(said, []);
    here.root.unmount();
    here.scope.stop();
    assert.deepEqual([here.one.count.listeners, here.one.count.chats], [0, 0]);
  });

  test('useChat: an automatic send whose transport waits, such as for a token, is not reported', async (t) => {
    const one = made('vue-token', [continued([outputAvailable('c1')])]);
    const options = chatOptions(one, [user(), assistant('a1', asking('c1', 'rm'))]);
    const { transport } = options;
    let chat;
    app(t, {
      setup() {
        chat = vue7.useChat({
          ...options,
          transport: {
            ...transport,
            sendMessages: async (request) => {
              await wait(50);
              return transport.sendMessages(request);
            },
          },
        });
        const { batch } = useToolApprovals(one.guard, chat);
        return () => h('b', batch.value.asking);
      },
    });
    await macrotask();
    one.guard.decide('c1', 'allow-once');
    await until(() => one.transport.requests.length === 1 && chat.status.value === 'ready');
    assert.deepEqual(one.errors, []);
  });

  test("useChat: without the guard's transport the listeners are not told of each chunk of a new answer", async (t) => {
    const answer = live();
    const one = made('vue-chunks', [two(), answer]);
    let chat;
    let told = 0;
    app(t, {
      setup() {
        chat = vue7.useChat({ ...chatOptions(one), transport: one.transport });
        const { calls } = useToolApprovals(one.guard, chat);
        return () => h('b', [calls.value.length, JSON.stringify(chat.messages.value)]);
      },
    });
    const settle = () => until(() => chat.status.value === 'ready' && !one.transport.busy);
    await chat.sendMessage({ text: 'go' });
    await settle();
    one.guard.subscribe(() => {
      told += 1;
    });
    void chat.regenerate();
    await answer.started;
    answer.push(start('a2'), startStep, { type: 'text-start', id: 't' });
    for (let i = 0; i < 100; i += 1) {
      answer.push({ type: 'text-delta', id: 't', delta: 'word ' });
      await macrotask();
    }
    answer.push({ type: 'text-end', id: 't' }, gated('c9', 'rm'), finishStep, finish());
    answer.close();
    await settle();
    assert.deepEqual(
      one.guard.getSnapshot().calls.map(({ toolCallId }) => toolCallId),
      ['c9'],
    );
    assert.ok(told <= 15, `${told} notifications`);
  });

  test('with throttling a repair never brings an older list back', async () => {
    const p = await open(ofUseChat({ throttle: 60 }), { script: [two(), says('Well then.')] });
    await p.say();
    await p.chat.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
    await p.say('something else');
    await wait(70);
    assert.deepEqual(
      p.messages().map((m) => m.role),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.equal(p.messages()[2].parts[0].text, 'something else');
    assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' });
    assertDenied(p.wire('c2'), { id: 'ap-c2' });
    assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' });
    assertDenied(p.home('c2'), { id: 'ap-c2' });
    assert.deepEqual(p.errors, []);
    await closeAll();
  });

  test('with throttling a commit in the tick of other changes loses none of them', async () => {
    const p = await open(ofUseChat({ throttle: 60 }), {
      script: [
        response('a1', gated('c1', 'rm'), gated('c2', 'ls'), gated('c3', 'mv'), gated('c4', 'cp')),
        says('Well.'),
      ],
    });
    await p.say();
    void p.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
    void p.chat.addToolApprovalResponse({ id: 'ap-c2', approved: false, reason: 'no' });
    p.guard.decide('c3', 'deny', { reason: 'not that' });
    p.guard.decide('c4', 'allow-once');
    await p.settle();
    assert.equal(p.sent, 2);
    assertAllowed(p.wire('c1'), { id: 'ap-c1' });
    assertDenied(p.wire('c2'), { id: 'ap-c2', reason: 'no' });
    assertDenied(p.wire('c3'), { id: 'ap-c3', reason: 'not that' });
    assertAllowed(p.wire('c4'), { id: 'ap-c4' });
    await wait(70);
    assertDenied(p.home('c2'), { id: 'ap-c2', reason: 'no' });
    assertDenied(p.home('c3'), { id: 'ap-c3', reason: 'not that' });
    assert.equal(p.messages().at(-1).parts.at(-1).text, 'Well.');
    assert.deepEqual(p.errors, []);
    await closeAll();
  });
});

for (const [name, framework] of frameworks) {
  test(`${name}: a server renders without WebAssembly, and a browser hydrates without a warning`, async (t) => {
    const said = listenToConsole(t);
    const app = () => {
      const one = guarded([says()]);
      const { chat, status } = framework.chat(
        chatOptions(one, [user(), assistant('a1', asking('c1', 'rm'))]),
      );
      const root = Vue.createSSRApp({
        setup() {
          const approvals = useToolApprovals(one.guard, chat);
          return () => cards(one.guard, messagesOf(chat), approvals);
        },
      });
      return { ...one, chat, root, status };
    };
    let html;
    await t.test('on the server', async (t) => {
      withoutWasm(t);
      const { root, count, errors } = app();
      html = await renderToString(root);
      assert.match(html, /data-phase="idle" data-asking="0"/);
      assert.match(html, /data-part="c1" data-status="none"/);
      assert.doesNotMatch(html, /data-card/);
      assertUntouched({ count, errors });
    });
    const { root, count, transport, status, guard, chat } = app();
    const element = document.createElement('div');
    element.innerHTML = html;
    document.body.append(element);
    // The client knows more than the server did.
    guard.observe(messagesOf(chat));
    root.mount(element);
    await until(() => element.querySelector('[data-card]'));
    assert.equal(element.querySelector('[data-part]').dataset.status, 'asking');
    assert.deepEqual(said, []);
    element.querySelector('[data-do="deny"]').click();
    await until(() => transport.requests.length === 1 && status() === 'ready' && !transport.busy);
    root.unmount();
    element.remove();
    assert.deepEqual([count.listeners, count.chats], [0, 0]);
  });
}
