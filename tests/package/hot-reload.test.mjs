// Hot reloading, with the real runtimes of React and Vue: a page gets another version of its module while it is shown.
import './support/refresh.mjs';
import './support/page.mjs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import refresh from 'react-refresh/runtime';
import { assertDenied } from './support/assertions.mjs';
import { until } from './support/chat.mjs';
import { continued, gated, outputDenied, response } from './support/chunks.mjs';
import { Backend } from './support/following.mjs';
import { forEachSdk } from './support/sdk.mjs';

const React = await import('react');
const { createRoot } = await import('react-dom/client');
const { useApprovalGuard, useToolApprovals } = await import('tool-approval-guard/react');
const h = React.createElement;

forEachSdk((sdk) => {
  test(`React, ${sdk.name}: hot reloading keeps the guard, and the chat that is shown afterwards goes on`, async (t) => {
    const seen = {};
    const inner = new Backend({
      a: [
        response('a1', gated('c1', 'rm')),
        response('a2', gated('c2', 'rm')),
        continued([outputDenied('c2')]),
      ],
    });
    const errors = [];
    const options = { onError: ({ code }) => errors.push(code) };
    const element = document.createElement('div');
    const root = createRoot(element);
    t.after(() => root.unmount());
    /** One version of the module of the page. */
    const version = (n) => {
      function Child({ guard, chat }) {
        seen.approvals = useToolApprovals(guard, chat);
        return null;
      }
      function Page() {
        const guard = useApprovalGuard('a', options);
        const chat = sdk.useChat({
          id: 'a',
          transport: guard.transport(inner),
          sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
        });
        Object.assign(seen, { guard, chat });
        return [h('b', { key: 'b' }, n), h(Child, { key: 'c', guard, chat })];
      }
      for (const [name, component] of Object.entries({ Child, Page })) {
        refresh.register(component, name);
        refresh.setSignature(component, name, false);
      }
      return Page;
    };
    const Page = version(1);
    root.render(h(Page));
    await until(() => seen.chat);
    await seen.chat.sendMessage({ text: 'go' });
    await until(() => seen.approvals.calls.length === 1);
    const { guard } = seen;
    version(2);
    refresh.performReactRefresh();
    await until(() => element.querySelector('b').textContent === '2', { quiet: 8 });
    assert.equal(seen.guard, guard);
    // The hook of `ai` 7 makes another chat then, which is empty.
    await seen.chat.sendMessage({ text: 'again' });
    await until(() => seen.approvals.calls.some(({ toolCallId }) => toolCallId === 'c2'));
    seen.guard.decide(
      seen.approvals.calls.find(({ toolCallId }) => toolCallId === 'c2'),
      'deny',
    );
    await until(() => inner.of('a').requests.length === 3 && !inner.busy, { quiet: 8 });
    assertDenied(inner.of('a').requests[2].messages.at(-1).parts.at(-1), { id: 'ap-c2' });
    assert.deepEqual(errors, []);
  });
});

test('Vue: a new rendering function keeps the guard, and a reloaded component goes on with its next one', async (t) => {
  for (const name of ['Element', 'SVGElement', 'Node', 'Text', 'Comment']) globalThis[name] ??= window[name];
  const Vue = await import('vue');
  const { useChat } = await import('@ai-sdk/vue');
  const vue = await import('tool-approval-guard/vue');
  const inner = new Backend({
    a: [
      response('a1', gated('c1', 'rm')),
      response('a2', gated('c2', 'rm')),
      continued([outputDenied('c2')]),
    ],
  });
  const seen = {};
  const errors = [];
  const version = (n) => ({
    __hmrId: 'page',
    setup() {
      const guard = vue.useApprovalGuard('a', { onError: ({ code }) => errors.push(code) });
      const chat = useChat({
        id: 'a',
        transport: guard.value.transport(inner),
        sendAutomaticallyWhen: guard.value.sendAutomaticallyWhen,
      });
      const approvals = vue.useToolApprovals(guard, chat);
      Object.assign(seen, { guard: guard.value, chat, approvals });
      return { n };
    },
    render: ({ n }) => Vue.h('b', n),
  });
  const element = document.createElement('div');
  const runtime = globalThis.__VUE_HMR_RUNTIME__;
  const Page = version(1);
  runtime.createRecord('page', Page);
  const app = Vue.createApp({ render: () => Vue.h(Page) });
  app.mount(element);
  t.after(() => app.unmount());
  await seen.chat.sendMessage({ text: 'go' });
  await until(() => seen.approvals.calls.value.length === 1);
  const { guard } = seen;
  runtime.rerender('page', ({ n }) => Vue.h('b', `${n} again`));
  await until(() => element.querySelector('b').textContent === '1 again');
  assert.equal(seen.guard, guard);
  assert.equal(seen.approvals.calls.value[0].status, 'asking');
  runtime.reload('page', version(2));
  await until(() => element.querySelector('b').textContent === '2', { quiet: 8 });
  // The hook makes another chat, so it has another guard.
  assert.notEqual(seen.guard, guard);
  await seen.chat.sendMessage({ text: 'again' });
  await until(() => seen.approvals.calls.value.length === 1);
  seen.guard.decide(seen.approvals.calls.value[0], 'deny');
  await until(() => inner.of('a').requests.length === 3 && !inner.busy, { quiet: 8 });
  assertDenied(inner.of('a').requests[2].messages.at(-1).parts.at(-1), { id: 'ap-c2' });
  assert.deepEqual(errors, []);
});
