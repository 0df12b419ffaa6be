// `useApprovalGuard` of `tool-approval-guard/svelte` with the `Chat` of both majors: an id that changes under a mounted
// component.
import './support/page.mjs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { until } from './support/chat.mjs';
import { listenToConsole, withoutWasm } from './support/bindings.mjs';
import { Backend, followingTests } from './support/following.mjs';
import { bundled } from './support/svelte.mjs';
import { says } from './support/chunks.mjs';

for (const [name, sdk] of [
  ['Svelte, ai@7', '@ai-sdk/svelte'],
  ['Svelte, ai@6', 'svelte6'],
]) {
  const client = await bundled(sdk, 'client');
  const server = await bundled(sdk, 'server');
  const { mount, unmount, hydrate, flushSync } = client.svelte;

  followingTests(name, {
    open: async (element, given) => {
      const control = {};
      const page = mount(client.Follow, { target: element, props: { Chat: client.Chat, given, control } });
      flushSync();
      return {
        guard: () => control.guard(),
        chat: () => control.chat(),
        approvals: (i) => control.approvals[i],
        status: () => control.chat().status,
        shows: () => element.querySelector('b').textContent,
        go: (next) => flushSync(() => control.go(next)),
        unmount: async () => {
          await unmount(page);
          for (const key of Object.keys(control)) delete control[key];
        },
      };
    },
    use: (id, options) => client.useApprovalGuard(id, options).current,
  });

  test(`${name}: a server renders useApprovalGuard without WebAssembly, and a browser hydrates it`, async (t) => {
    const messages = () => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
    const given = { id: 'a', inner: new Backend({ a: [says()] }), messages, options: {}, children: 1 };
    let html;
    await t.test('on the server', (t) => {
      withoutWasm(t);
      html = server.render(server.Follow, { props: { Chat: server.Chat, given, control: {} } }).body;
    });
    const said = listenToConsole(t);
    const target = document.createElement('div');
    target.innerHTML = html;
    const control = {};
    const page = hydrate(client.Follow, { target, props: { Chat: client.Chat, given, control } });
    flushSync();
    await until(() => control.chat().messages.length === 1, { quiet: 8 });
    assert.deepEqual(said, []);
    await unmount(page);
  });
}
