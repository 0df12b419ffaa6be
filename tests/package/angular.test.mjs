// `tool-approval-guard/angular` with a chat whose state is in signals, as that of `@ai-sdk/angular`, and the real Angular,
// which compiles the components in the page.
import './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from './support/chat.mjs';
import { bindingTests, edit, listenToConsole } from './support/bindings.mjs';
import { chatOf, pageOf } from './support/angular.mjs';
import { Backend, closePages, followingTests } from './support/following.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { says } from './support/chunks.mjs';

const ng = await import('@angular/core');
const { createApplication, provideClientHydration, bootstrapApplication } =
  await import('@angular/platform-browser');
const { useApprovalGuard, useToolApprovals } = await import('tool-approval-guard/angular');
const { Component, computed, createComponent, runInInjectionContext } = ng;
let kinds = 0;
// Angular looks for it when it hydrates.
globalThis.NodeFilter ??= window.NodeFilter;

const plainly = ({ calls, batch, grants, verdict, callOf, stop }) => ({
  calls: calls(),
  batch: batch(),
  grants: grants(),
  verdict: verdict(),
  callOf,
  stop,
});

const providers = [ng.provideZonelessChangeDetection()];

/** Puts a component into an element. @returns what removes it */
async function put(element, kind) {
  const app = await createApplication({ providers });
  const host = document.createElement('div');
  element.append(host);
  const page = createComponent(kind, { environmentInjector: app.injector, hostElement: host });
  app.attachView(page.hostView);
  app.tick();
  return () => {
    page.destroy();
    app.destroy();
  };
}

/** What the page shows; see `open` of the shared tests. */
const cards = (guard, chat, took) =>
  Component({
    selector: `x-cards-${(kinds += 1)}`,
    template: `
      <section [attr.data-phase]="approvals.batch().phase" [attr.data-asking]="approvals.batch().asking">
        @for (call of shown(); track call.approvalId) {
          <p [attr.data-card]="call.toolCallId" [attr.data-status]="call.status">
            <button data-do="deny" (click)="guard.decide(call, 'deny')">deny</button>
            <button data-do="allow" (click)="guard.decide(call, 'allow-once')">allow</button>
            <button data-do="chat" (click)="guard.decide(call, 'allow-chat')">chat</button>
            <button data-do="undo" (click)="guard.undo(call)">undo</button>
            @if (call.can.edit) {
              <button data-do="edit" (click)="edit(guard, call)">edit</button>
            }
          </p>
        }
        @for (message of chat.messages; track message.id) {
          @for (part of message.parts; track $index) {
            @if (part.toolCallId) {
              <i [attr.data-part]="part.toolCallId" [attr.data-status]="statusOf(part, message)"></i>
            }
          }
        }
        <button data-do="stop" (click)="approvals.stop()">stop</button>
      </section>`,
  })(
    class {
      edit = edit;
      guard = guard;
      chat = chat;
      approvals = useToolApprovals(guard, chat);
      shown = computed(() => this.approvals.calls().filter((call) => call.position));
      statusOf = (part, message) => this.approvals.callOf(part, message)?.status ?? 'none';
      constructor() {
        took(this.approvals);
      }
    },
  );

const shared = (Chat) => ({
  chat: (options) => {
    const chat = new Chat(options);
    return { chat, status: () => chat.status, messages: () => chat.messages };
  },
  mount: async (element, { guard, chat }) => {
    let approvals;
    const unmount = await put(
      element,
      cards(guard, chat, (made) => (approvals = made)),
    );
    return { latest: () => plainly(approvals), unmount };
  },
});

forEachSdk((sdk) => {
  const Chat = chatOf(sdk.ai);
  bindingTests(`Angular, ${sdk.name}`, shared(Chat));

  followingTests(`Angular, ${sdk.name}`, {
    open: async (element, given) => {
      const seen = { approvals: [] };
      const unmount = await put(element, pageOf(Chat, given, seen));
      return {
        guard: () => seen.guard(),
        chat: () => seen.chat(),
        approvals: (i) => plainly(seen.approvals[i]),
        status: () => seen.chat().status,
        shows: () => element.querySelector('b').textContent,
        go: (next) => seen.id.set(next),
        unmount: () => {
          unmount();
          for (const key of Object.keys(seen)) delete seen[key];
        },
      };
    },
    use: (id, options) => useApprovalGuard(id, options)(),
  });

  describe(`Angular, ${sdk.name}, elsewhere`, () => {
    afterEach(closePages);

    test('a server renders it without WebAssembly, and a browser hydrates it without a warning', async (t) => {
      const messages = () => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      const given = { id: 'a', inner: new Backend({ a: [says()] }), messages, options: {}, children: 1 };
      const Page = pageOf(Chat, given, { approvals: [] });
      // In a process of its own: there is one platform in each.
      const program = fileURLToPath(new URL('./support/angular-server.mjs', import.meta.url));
      const { stdout: html } = await promisify(execFile)(process.execPath, [program, String(sdk.major)]);
      assert.match(html, /<b[^>]*>a<\/b>/);
      const said = listenToConsole(t);
      document.body.innerHTML = /<body[^>]*>(.*)<\/body>/s.exec(html)[1];
      const app = await bootstrapApplication(Page, { providers: [...providers, provideClientHydration()] });
      await app.whenStable();
      assert.match(document.body.innerHTML, /<b[^>]*>a<\/b>/);
      // The pages of these tests have the same names.
      assert.deepEqual(
        said.filter((text) => !text.startsWith('NG0912')),
        [],
      );
      app.destroy();
    });

    test('with a selector the signal changes only when what it selects has changed', async (t) => {
      const given = {
        id: 'a',
        inner: new Backend({ a: [says()] }),
        messages: () => [],
        options: {},
        children: 0,
      };
      const seen = { approvals: [] };
      const element = document.createElement('div');
      const Page = pageOf(Chat, given, seen);
      t.after(await put(element, Page));
      const app = await createApplication({ providers });
      const reasons = runInInjectionContext(app.injector, () =>
        useToolApprovals(seen.guard, seen.chat, ({ calls, batch }) => [calls.length, batch.asking]),
      );
      app.tick();
      const first = reasons();
      await seen.chat().sendMessage({ text: 'go' });
      await until(() => !given.inner.busy, { quiet: 8 });
      app.tick();
      assert.equal(reasons(), first);
      app.destroy();
    });
  });
});
