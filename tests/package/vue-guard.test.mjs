// `useApprovalGuard` of `tool-approval-guard/vue` with `useChat`, and with the `Chat` of both majors: an id that changes
// under a mounted component, stores of Pinia, and effect scopes.
import './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { until } from './support/chat.mjs';
import { listenToConsole, withoutWasm } from './support/bindings.mjs';
import { Backend, closePages, followingTests } from './support/following.mjs';
import { continued, gated, outputDenied, response, says } from './support/chunks.mjs';
import { assertDenied } from './support/assertions.mjs';

const Vue = await import('vue');
const { createPinia, defineStore, disposePinia } = await import('pinia');
const { renderToString } = await import('vue/server-renderer');
const vue7 = await import('@ai-sdk/vue');
const vue6 = await import('vue6');
const { useApprovalGuard, useToolApprovals } = await import('tool-approval-guard/vue');
const { h } = Vue;

const plainly = ({ calls, batch, verdict }) => ({
  calls: calls.value,
  batch: batch.value,
  verdict: verdict.value,
});

/** The options of a chat with the guard of this moment. */
const optionsOf = (guard, id, { inner, messages }) => ({
  id,
  messages: messages(id),
  transport: guard.transport(inner),
  sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  onError: () => {},
});

/** The chat as a value that follows the id, and its state now. */
const ofUseChat = (guard, id, props) => {
  const chat = vue7.useChat(() => optionsOf(guard.value, id(), props));
  return { chat, now: () => chat, status: () => chat.status.value, count: () => chat.messages.value.length };
};
const ofChat =
  ({ Chat }) =>
  (guard, id, props) => {
    const chat = Vue.computed(() => new Chat(optionsOf(guard.value, id(), props)));
    return {
      chat,
      now: () => chat.value,
      status: () => chat.value.status,
      count: () => chat.value.messages.length,
    };
  };

const Child = {
  props: ['guard', 'chat', 'took'],
  setup(props) {
    const approvals = useToolApprovals(
      () => props.guard,
      () => props.chat,
    );
    props.took(approvals);
    return () => approvals.calls.value.map((call) => h('p', { key: call.key }, call.status));
  },
};

const pageOf = (make, seen) => ({
  props: ['id', 'given'],
  setup(props) {
    const guard = useApprovalGuard(() => props.id, props.given.options);
    const made = make(guard, () => props.id, props.given);
    seen.guard = () => guard.value;
    seen.made = made;
    return () => {
      seen.id = props.id;
      return Array.from({ length: props.given.children }, (_, i) =>
        h(Child, {
          guard: guard.value,
          chat: made.now(),
          took: (approvals) => (seen.approvals[i] = approvals),
        }),
      );
    };
  },
});

const framework = (make) => ({
  isFacade: make === ofUseChat,
  open: async (element, props) => {
    const seen = { approvals: [] };
    const id = Vue.ref(props.id);
    const Page = pageOf(make, seen);
    const given = Vue.markRaw(props);
    const app = Vue.createApp({ render: () => h(Page, { id: id.value, given }) });
    app.mount(element);
    return {
      guard: () => seen.guard(),
      // What a caller of before the id changed still holds.
      chat: () => seen.made.now(),
      approvals: (i) => plainly(seen.approvals[i]),
      status: () => seen.made.status(),
      shows: () => seen.id,
      go: (next) => (id.value = next),
      unmount: () => {
        app.unmount();
        for (const key of Object.keys(seen)) delete seen[key];
      },
    };
  },
  use: (id, options) => useApprovalGuard(id, options).value,
});

const frameworks = [
  ['Vue, useChat', ofUseChat],
  ['Vue, Chat, ai@7', ofChat(vue7)],
  ['Vue, Chat, ai@6', ofChat(vue6)],
];

for (const [name, make] of frameworks) {
  followingTests(name, framework(make));

  describe(`${name}, useApprovalGuard elsewhere`, () => {
    afterEach(closePages);
    const twoRounds = () => ({
      a: [response('a1', gated('c1', 'rm')), continued([outputDenied('c1')])],
      b: [response('b1', gated('c2', 'rm')), continued([outputDenied('c2')])],
    });
    const setup = (inner, id, errors) => {
      const props = { inner, messages: () => [] };
      const guard = useApprovalGuard(id, { onError: ({ code }) => errors.push(code) });
      const made = make(guard, () => Vue.toValue(id), props);
      return {
        guard,
        made,
        approvals: useToolApprovals(guard, make === ofUseChat ? made.chat : () => made.now()),
      };
    };
    /** Says something, and denies the call that the response asks about. */
    const round = async (inner, id, { guard, made, approvals }) => {
      await made.now().sendMessage({ text: 'go' });
      await until(() => approvals.calls.value.length === 1);
      Vue.unref(guard).decide(approvals.calls.value[0], 'deny');
      await until(() => inner.of(id).requests.length === 2 && !inner.busy, { quiet: 8 });
      assertDenied(inner.of(id).requests[1].messages.at(-1).parts.at(-1), {
        id: `ap-${id === 'a' ? 'c1' : 'c2'}`,
      });
    };

    test('a store of Pinia that a component creates goes on after that component, and follows the id', async (t) => {
      const inner = new Backend(twoRounds());
      const errors = [];
      const id = Vue.ref('a');
      // What is no state is kept beside the store, as an application does with a client.
      let inside;
      const useStore = defineStore('chat', () => {
        inside = setup(inner, id, errors);
        return { guard: inside.guard, calls: inside.approvals.calls };
      });
      const pinia = createPinia();
      const isShown = Vue.ref(true);
      let store;
      const Creates = { setup: () => ((store = useStore()), () => h('i')) };
      const app = Vue.createApp({ render: () => (isShown.value ? h(Creates) : h('b')) });
      app.use(pinia).mount(document.createElement('div'));
      t.after(() => {
        app.unmount();
        disposePinia(pinia);
      });
      isShown.value = false;
      await Vue.nextTick();
      await round(inner, 'a', { ...inside, guard: store.guard });
      id.value = 'b';
      await until(() => store.calls.length === 0, { quiet: 8 });
      await round(inner, 'b', { ...inside, guard: store.guard });
      assert.deepEqual(errors, []);
    });

    test('in an effect scope it begins at once, follows the id, and ends with the scope', async () => {
      const inner = new Backend(twoRounds());
      const errors = [];
      const id = Vue.ref('a');
      const scope = Vue.effectScope(true);
      const inside = scope.run(() => setup(inner, id, errors));
      await round(inner, 'a', inside);
      id.value = 'b';
      await until(() => inside.approvals.calls.value.length === 0, { quiet: 8 });
      await round(inner, 'b', inside);
      scope.stop();
      assert.deepEqual(errors, []);
      assert.equal(inside.guard.value.commit().type, 'not-attached');
    });

    test('a server renders it without WebAssembly, and a browser hydrates it without a warning', async (t) => {
      const messages = () => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      const inner = new Backend({ a: [says()] });
      const given = Vue.markRaw({ inner, messages, options: {}, children: 1 });
      const seen = { approvals: [] };
      const Page = pageOf(make, seen);
      let html;
      await t.test('on the server', async (t) => {
        withoutWasm(t);
        html = await renderToString(Vue.createSSRApp(Page, { id: 'a', given }));
      });
      const said = listenToConsole(t);
      const element = document.createElement('div');
      element.innerHTML = html;
      const app = Vue.createSSRApp(Page, { id: 'a', given });
      app.mount(element);
      await until(() => seen.made.count() === 1, { quiet: 8 });
      assert.deepEqual(said, []);
      app.unmount();
    });
  });
}
