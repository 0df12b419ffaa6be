// `useApprovalGuard` of `tool-approval-guard/react` with `useChat`: an id that changes under a mounted component.
import './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, until } from './support/chat.mjs';
import { listenToConsole, withoutWasm } from './support/bindings.mjs';
import { Backend, closePages, followingTests } from './support/following.mjs';
import { continued, gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { assertDenied } from './support/assertions.mjs';

const React = await import('react');
const { createRoot, hydrateRoot } = await import('react-dom/client');
const { renderToString } = await import('react-dom/server');
const { useApprovalGuard, useToolApprovals } = await import('tool-approval-guard/react');
const h = React.createElement;

/** A page as in the README: two lines, and an id that its props have. */
const page = (sdk, seen) => {
  function Child({ guard, chat, i }) {
    seen.approvals[i] = useToolApprovals(guard, chat);
    return seen.approvals[i].calls.map((call) =>
      h('p', { key: call.key }, `${call.toolCallId} ${call.status}`),
    );
  }
  return function Page({ id, options, inner, messages, children }) {
    const guard = useApprovalGuard(id, options);
    const chat = sdk.useChat({
      id,
      messages: messages(id),
      transport: guard.transport(inner),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError: () => {},
    });
    Object.assign(seen, { guard, chat, id });
    return Array.from({ length: children }, (_, i) => h(Child, { key: i, guard, chat, i }));
  };
};

const framework = (sdk, strict) => ({
  open: async (element, props) => {
    const seen = { approvals: [] };
    const Page = page(sdk, seen);
    const root = createRoot(element);
    const show = (id) => {
      // The options are made anew in each rendering, as an application writes them.
      const shown = h(Page, { ...props, options: { ...props.options }, id });
      root.render(strict ? h(React.StrictMode, null, shown) : shown);
    };
    show(props.id);
    await until(() => seen.guard);
    return {
      guard: () => seen.guard,
      chat: () => seen.chat,
      approvals: (i) => seen.approvals[i],
      status: () => seen.chat.status,
      shows: () => seen.id,
      go: show,
      unmount: () => {
        root.unmount();
        for (const key of Object.keys(seen)) delete seen[key];
      },
    };
  },
  use: (id, options) => {
    const Page = () => {
      useApprovalGuard(id, options);
      return null;
    };
    renderToString(h(Page));
  },
});

forEachSdk((sdk) => {
  followingTests(`React, ${sdk.name}, StrictMode`, framework(sdk, true));
  followingTests(`React, ${sdk.name}, without StrictMode`, framework(sdk, false));

  describe(`React, ${sdk.name}, useApprovalGuard and rendering`, () => {
    afterEach(closePages);

    test('a function among the options is the one of the newest rendering, for the chat of that rendering', async () => {
      const seen = { approvals: [] };
      const Page = page(sdk, seen);
      const events = [];
      const inner = new Backend({ a: [response('a1', gated('c1', 'rm'))], b: [says()] });
      const root = createRoot(document.createElement('div'));
      const show = (id, version) =>
        root.render(
          h(Page, {
            ...{ id, inner, messages: () => [], children: 1 },
            options: { onEvent: ({ type }) => events.push(`${type} ${version}`) },
          }),
        );
      show('a', 1);
      await until(() => seen.guard);
      const { guard } = seen;
      show('a', 2);
      await until(() => true, { quiet: 8 });
      await seen.chat.sendMessage({ text: 'go' });
      await until(() => seen.approvals[0].calls.length === 1);
      assert.deepEqual(new Set(events.map((event) => event.split(' ')[1])), new Set(['2']));
      show('b', 3);
      await until(() => seen.id === 'b');
      events.length = 0;
      guard.decide('c1', 'deny');
      assert.deepEqual(events, ['drafted 2'], 'of the last rendering with the id of that chat');
      root.unmount();
    });

    // The hook of `ai` 6 makes another, empty chat when a rendering that waits was begun.
    const onlyHere = sdk.major >= 7 ? test : () => {};
    onlyHere('a transition to another chat that waits: the chat that is still shown goes on', async () => {
      const seen = { approvals: [] };
      const Page = page(sdk, seen);
      const inner = new Backend({
        a: [
          response('a1', gated('c1', 'rm'), gated('c2', 'ls')),
          continued([outputDenied('c1'), outputAvailable('c2')]),
        ],
        b: [says()],
      });
      const errors = [];
      let open;
      const opened = new Promise((resolve) => (open = resolve));
      const Waits = ({ id }) => (id === 'b' ? React.use(opened) : null, h('em', null, id));
      let go;
      const tried = [];
      const App = () => {
        const [id, setId] = React.useState('a');
        go = (next) => React.startTransition(() => setId(next));
        tried.push(id);
        const options = { onError: ({ code }) => errors.push(code) };
        return h(
          React.Suspense,
          { fallback: h('i') },
          h(Page, { id, options, inner, messages: () => [], children: 1 }),
          h(Waits, { id }),
        );
      };
      const element = document.createElement('div');
      const root = createRoot(element);
      root.render(h(App));
      await until(() => seen.chat);
      const { chat, guard } = seen;
      await chat.sendMessage({ text: 'go' });
      await until(() => seen.approvals[0].calls.length === 2);
      go('b');
      // The next page was rendered and is not shown.
      await until(() => tried.includes('b') && element.querySelector('em').textContent === 'a');
      guard.decide('c1', 'deny');
      guard.decide('c2', 'allow-once');
      await until(() => inner.of('a').requests.length === 2 && !inner.busy);
      assertDenied(
        inner
          .of('a')
          .requests[1].messages.at(-1)
          .parts.find(({ toolCallId }) => toolCallId === 'c1'),
        {
          id: 'ap-c1',
        },
      );
      open();
      await until(() => element.querySelector('em').textContent === 'b');
      await seen.chat.sendMessage({ text: 'go' });
      await until(() => !inner.busy);
      assert.deepEqual([inner.of('a').requests.length, inner.of('b').requests.length], [2, 1]);
      assert.deepEqual(errors, []);
      root.unmount();
    });

    test('a page that waits while it is first rendered has one guard in the end', async () => {
      const seen = { approvals: [] };
      const Page = page(sdk, seen);
      const inner = new Backend({ a: [response('a1', gated('c1', 'rm')), continued([outputDenied('c1')])] });
      let open;
      const opened = new Promise((resolve) => (open = resolve));
      const Waits = () => (React.use(opened), null);
      const errors = [];
      const options = { onError: ({ code }) => errors.push(code) };
      const root = createRoot(document.createElement('div'));
      const props = { id: 'a', options, inner, messages: () => [], children: 1 };
      root.render(h(React.Suspense, { fallback: null }, h(Page, props), h(Waits)));
      await macrotask();
      open();
      await until(() => seen.chat);
      await seen.chat.sendMessage({ text: 'go' });
      await until(() => seen.approvals[0].calls.length === 1);
      seen.guard.decide('c1', 'deny');
      await until(() => inner.of('a').requests.length === 2 && !inner.busy);
      assert.deepEqual(errors, []);
      root.unmount();
    });

    test('a server renders it without WebAssembly, and a browser hydrates it without a warning', async (t) => {
      const seen = { approvals: [] };
      const Page = page(sdk, seen);
      const inner = new Backend({ a: [says()] });
      const messages = () => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      const props = { id: 'a', options: {}, inner, messages, children: 1 };
      let html;
      await t.test('on the server', (t) => {
        withoutWasm(t);
        html = renderToString(h(Page, props));
      });
      const said = listenToConsole(t);
      const element = document.createElement('div');
      element.innerHTML = html;
      const root = hydrateRoot(element, h(Page, props));
      await until(() => seen.chat, { quiet: 8 });
      assert.deepEqual(said, []);
      root.unmount();
    });
  });
});
