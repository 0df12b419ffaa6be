// The examples that a reader meets first are run as they stand in the documents, each through a whole denial and
// allowance, beside both majors of the SDK. Nothing of them is replaced: what answers is `fetch`.
import './support/page.mjs';
import { after, beforeEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { isBroad } from '../support/breadth.mjs';
import { bundle, load } from './support/bundle.mjs';
import { blocks } from './support/documents.mjs';
import { writeBlocks } from './support/files.mjs';
import { answering, assertTold, modelRoute } from './support/model-route.mjs';
import { SCRIPT, scripted } from './support/server.mjs';

writeBlocks('examples');

const complaints = [];
for (const level of ['error', 'warn']) console[level] = (...words) => complaints.push(words.join(' '));

beforeEach(() => void (complaints.length = 0));

async function until(what, holds) {
  for (let i = 0; i < 2_000; i++) {
    const answer = holds();
    if (answer) return answer;
    await wait(10);
  }
  assert.fail(`${what}: it did not come.\n${document.body.innerHTML}\n${complaints.join('\n')}`);
}

const example = (document, file) => {
  const found = blocks.find((block) => block.document.name === document && block.file === file && block.run);
  assert.ok(found, `${document} has no ${file} that is run`);
  run.add(found);
  return found;
};
const run = new Set();

const parts = (request) => request.messages.at(-1).parts.filter(({ type }) => type === 'tool-delete_file');

/** What left the browser: the denial as a denial, the allowance as one, once. */
function assertDecided(requests) {
  assert.equal(requests.length, 2);
  const [denied, allowed] = parts(requests[1]);
  assert.equal(denied.state, 'approval-responded');
  assert.equal(denied.approval.approved, false);
  assert.deepEqual(denied.input, { path: '.env' });
  assert.ok(!('output' in denied));
  assert.equal(allowed.state, 'approval-responded');
  assert.equal(allowed.approval.approved, true);
}

/** Writes a message, denies what is about `.env`, allows the other one. */
async function decide(root, say) {
  await say();
  const card = (path) =>
    [...root.querySelectorAll('fieldset')].find((each) => each.textContent.includes(path));
  const buttons = (path) => [...(card(path)?.querySelectorAll('button') ?? [])];
  const labels = (path) => buttons(path).map((button) => button.textContent.trim());
  const press = async (path, label) => {
    await until(`the card of ${path}`, () => card(path));
    const before = labels(path);
    buttons(path)[before.indexOf(label)].click();
    // A double click presses one button: its second click meets the same one, which does nothing any more.
    await until('the decision', () => buttons(path)[before.indexOf(label)]?.disabled !== false);
    if (card(path)) assert.deepEqual(labels(path), before);
  };
  const input = root.querySelector('form input');
  await until('the card of .env', () => card('.env'));
  if (input !== null) await until('the input to be locked', () => input.disabled);
  await press('.env', 'Deny');
  await press('old.txt', 'Allow once');
  await until('the answer', () => root.textContent.includes('One file is gone.'));
  const open = [...root.querySelectorAll('fieldset button')].filter((button) => !button.disabled);
  assert.deepEqual(open, [], 'nothing can be decided any more');
  if (input !== null) await until('the input to be free', () => !input.disabled);
  // Time for a request that must not come.
  await wait(50);
}

/** Fills and submits the form of a page, as a person does. */
const byForm = (root) => async () => {
  const form = await until('the form', () => root.querySelector('form'));
  const input = form.querySelector('input');
  // React looks at what the element itself was set to.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'Clean up');
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await wait(20);
  form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
};

const mounts = {
  react: {
    also: `export { createElement } from 'react'; export { createRoot } from 'react-dom/client';`,
    mount: ({ createElement, createRoot, Chat, Conversation }, root) => {
      const page = createRoot(root);
      page.render(createElement(Chat ?? Conversation, { id: 'c' }));
      return () => page.unmount();
    },
  },
  vue: {
    also: (place) =>
      `export { createApp } from 'vue'; export { default as Page } from ${JSON.stringify(place)};`,
    mount: ({ createApp, Page }, root) => {
      const app = createApp(Page, { id: 'c' });
      app.mount(root);
      return () => app.unmount();
    },
  },
  svelte: {
    also: (place) =>
      `export { mount, unmount } from 'svelte'; export { default as Page } from ${JSON.stringify(place)};`,
    mount: ({ mount, unmount, Page }, root) => {
      const page = mount(Page, { target: root, props: { id: 'c' } });
      return () => unmount(page);
    },
  },
};

const place = () => document.body.appendChild(document.createElement('div'));

async function play(t, block, major, { also, mount }) {
  const made = await load(block, major, typeof also === 'function' ? also(block.place) : also);
  const root = place();
  const leave = mount(made, root);
  t.after(() => {
    leave();
    root.remove();
  });
  await decide(root, byForm(root));
}

/** Answers `fetch` with a route handler of the documents. */
async function served(block, major) {
  const { route, prompts } = await modelRoute(block, major);
  const requests = [];
  globalThis.fetch = answering(route, requests);
  return { requests, prompts };
}

for (const major of ['7', '6']) {
  describe(`beside ai@${major}`, () => {
    // One page of each framework, and the route of that major, meet all that differs between the majors.
    const repeats = major === '6' && !isBroad;
    const same = repeats ? () => {} : test;
    for (const [document, file, framework] of [
      ['README.md of the package', 'Chat.tsx', 'react'],
      ['docs/react.md', 'Conversation.tsx', 'react'],
      ['docs/vue.md', 'Conversation.vue', 'vue'],
      ['docs/svelte.md', 'Conversation.svelte', 'svelte'],
    ]) {
      const isRepeated = document === 'docs/react.md';
      (isRepeated ? same : test)(`${document}: ${file}`, async (t) => {
        const requests = scripted();
        await play(t, example(document, file), major, mounts[framework]);
        assertDecided(requests);
        assert.deepEqual(complaints, []);
      });
    }

    for (const [document, file, framework] of [
      ['README.md of the package', 'Chat.tsx', 'react'],
      ['docs/react.md', 'Conversation.tsx', 'react'],
      ['docs/vue.md', 'Conversation.vue', 'vue'],
      ['docs/svelte.md', 'Conversation.svelte', 'svelte'],
      ['docs/without-a-framework.md', 'page.ts', 'none'],
    ]) {
      same(`${document}: ${file} says that the first message was refused`, async (t) => {
        globalThis.fetch = async () => new Response('No model today.', { status: 500 });
        const block = example(document, file);
        const root = place();
        t.after(() => root.remove());
        if (framework === 'none') {
          const { show } = await load(block, major);
          await show(root, 'c').chat.sendMessage({ text: 'Clean up' });
        } else {
          const { also, mount } = mounts[framework];
          const made = await load(block, major, typeof also === 'function' ? also(block.place) : also);
          t.after(mount(made, root));
          await byForm(root)();
        }
        await until('the refusal', () => root.textContent.includes('No model today.'));
      });
    }

    test('docs/next.md: the page waits for the request inside a boundary, as cacheComponents wants', async () => {
      const block = example('docs/next.md', 'app/chat/[id]/page.tsx');
      const also = `export { Suspense } from 'react'; export { default as Page } from ${JSON.stringify(block.place)};`;
      const { Page, Suspense } = await load(block, major, also);
      const { type, props } = Page({ params: Promise.resolve({ id: 'c7' }) });
      assert.equal(type, Suspense);
      const chat = await props.children;
      assert.deepEqual([chat.key, chat.props.id], ['c7', 'c7']);
    });

    same(
      'docs/guard.md: page-tools.ts runs what was allowed, once, and nothing that was denied',
      async () => {
        const also = `export { Chat } from '@ai-sdk/react'; export { DefaultChatTransport } from 'ai';
        export { createApprovalGuard } from 'tool-approval-guard';`;
        const page = await load(example('docs/guard.md', 'page-tools.ts'), major, also);
        const requests = scripted([SCRIPT[0], SCRIPT[1].filter(({ type }) => !type.startsWith('tool-'))]);
        const guard = page.createApprovalGuard({ chatId: 'c', clientTools: ['delete_file'] });
        const chat = new page.Chat({
          id: 'c',
          transport: guard.transport(new page.DefaultChatTransport({ api: '/api/chat' })),
          sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
        });
        guard.attach(chat);
        const inputs = [];
        const end = page.runPageTools(
          chat,
          guard,
          new Map([
            [
              'delete_file',
              async (input) => {
                inputs.push(input);
                await wait(5);
                if (input.path === 'old.txt') throw new Error('It is gone already.');
              },
            ],
          ]),
        );
        await chat.sendMessage({ text: 'Clean up' });
        const [c1, c2] = guard.getSnapshot().calls;
        guard.decide(c1, 'deny');
        assert.deepEqual(inputs, []);
        guard.decide(c2, 'allow-once');
        await until('the answer', () => requests.length === 2 && chat.status === 'ready');
        end();
        assert.deepEqual(inputs, [{ path: 'old.txt' }]);
        const [denied, ran] = parts(requests[1]);
        assert.equal(denied.approval.approved, false);
        assert.equal(ran.state, 'output-error');
        assert.equal(ran.errorText, 'Error: It is gone already.');
        assert.deepEqual(complaints, []);
      },
    );

    same(
      'docs/guard.md: page-tools.ts runs nothing before the question has come, and again after a stop',
      async () => {
        const also = `export { Chat } from '@ai-sdk/react'; export { createApprovalGuard } from 'tool-approval-guard';`;
        const page = await load(example('docs/guard.md', 'page-tools.ts'), major, also);
        const guard = page.createApprovalGuard({ chatId: 'c', clientTools: ['pick'] });
        const said = [
          [
            { type: 'start', messageId: 'a' },
            { type: 'start-step' },
            { type: 'tool-input-available', toolCallId: 'c1', toolName: 'pick', input: {} },
            { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'ap-1' },
            { type: 'finish-step' },
            { type: 'finish' },
          ],
          [{ type: 'finish' }],
        ];
        const sent = [];
        const sendMessages = async ({ messages }) => {
          sent.push(structuredClone(messages));
          const chunks = said.shift();
          // A server sends the question after the call, and a page reads it later.
          return new ReadableStream({
            async pull(controller) {
              await wait(20);
              const chunk = chunks.shift();
              if (chunk) controller.enqueue(chunk);
              else controller.close();
            },
          });
        };
        const chat = new page.Chat({
          id: 'c',
          transport: guard.transport({ sendMessages, reconnectToStream: async () => null }),
          sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
        });
        guard.attach(chat);
        const runs = [];
        const pick = (_, signal) => new Promise((resolve) => void runs.push({ signal, resolve }));
        const end = page.runPageTools(chat, guard, new Map([['pick', pick]]));
        await chat.sendMessage({ text: 'Pick one' });
        const call = () => guard.getSnapshot().calls[0];
        assert.deepEqual([call().status, runs.length], ['asking', 0]);

        guard.decide(call(), 'allow-once');
        await until('the first run', () => runs.length === 1);
        await chat.stop();
        assert.equal(call().status, 'asking');
        assert.equal(runs[0].signal.aborted, true);
        runs[0].resolve('too late');
        await wait(20);
        assert.equal(call().status, 'asking', 'it does not count');

        guard.decide(call(), 'allow-once');
        await until('the second run', () => runs.length === 2);
        runs[1].resolve('red');
        await until('the answer', () => sent.length === 2 && chat.status === 'ready');
        end();
        const [part] = sent[1].at(-1).parts.filter(({ type }) => type === 'tool-pick');
        assert.deepEqual(
          [part.state, part.approval.approved, part.output],
          ['output-available', true, 'red'],
        );
        assert.deepEqual(complaints, []);
      },
    );

    test('docs/next.md: the chat of the README and the route handler, with a model behind it', async (t) => {
      const route = major === '7' ? 'app/api/chat/route.ts' : 'app/api/chat/route-6.ts';
      const { requests, prompts } = await served(example('docs/next.md', route), major);
      await play(t, example('README.md of the package', 'Chat.tsx'), major, mounts.react);
      assertDecided(requests);
      assert.equal(prompts.length, 2);
      assertTold(prompts[1]);
      assert.deepEqual(complaints, []);
    });

    if (major === '7') {
      test('docs/assistant-ui.md: Assistant.tsx, with a model behind it', async (t) => {
        const { requests, prompts } = await served(example('docs/next.md', 'app/api/chat/route.ts'), major);
        const also = mounts.react.also;
        const { createElement, createRoot, Assistant } = await load(
          example('docs/assistant-ui.md', 'Assistant.tsx'),
          major,
          also,
        );
        const root = place();
        const page = createRoot(root);
        t.after(() => {
          page.unmount();
          root.remove();
        });
        page.render(createElement(Assistant));
        const button = (path, label) =>
          [...root.querySelectorAll('fieldset button')].find(
            (each) => each.textContent === label && each.closest('fieldset').textContent.includes(path),
          );
        const press = async (...names) => {
          (await until(names.join(' '), () => button(...names))).click();
        };
        const input = await until('the composer', () => root.querySelector('textarea'));
        await wait(50);
        Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, 'value').set.call(
          input,
          'Clean up',
        );
        input.dispatchEvent(new Event('input', { bubbles: true }));
        const send = () => root.querySelector('button:not(fieldset *)');
        await until('Send', () => !send().disabled);
        send().click();
        await press('.env', 'Allow in this chat');
        await until('the draft', () => button('.env', 'Undo')?.disabled === false);
        assert.equal(button('.env', 'Deny'), undefined);
        await press('.env', 'Undo');
        await press('.env', 'Deny');
        assert.equal(requests.length, 1, 'a draft sends nothing');
        await press('old.txt', 'Allow once');
        await until('the answer', () => root.textContent.includes('One file is gone.'));
        await wait(50);
        assertDecided(requests);
        assert.equal(prompts.length, 2);
        assertTold(prompts[1]);
        assert.deepEqual(complaints, []);
      });
    }

    same('docs/without-a-framework.md: page.ts', async (t) => {
      example('docs/without-a-framework.md', 'chat.ts');
      const requests = scripted();
      const { show } = await load(example('docs/without-a-framework.md', 'page.ts'), major);
      const root = place();
      t.after(() => root.remove());
      const { chat } = show(root, 'c');
      await decide(root, () => chat.sendMessage({ text: 'Clean up' }));
      assertDecided(requests);
      assert.deepEqual(complaints, []);
    });

    same('docs/without-a-framework.md: terminal.ts', async (t) => {
      const file = await bundle(example('docs/without-a-framework.md', 'terminal.ts'), major);
      const preload = `import { scripted } from ${JSON.stringify(new URL('./support/server.mjs', import.meta.url).href)};
        const requests = scripted();
        process.on('exit', () => process.send(requests));`;
      const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, file];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
      t.after(() => child.kill());
      let requests;
      let output = '';
      child.on('message', (message) => (requests = message));
      child.stdout.on('data', (data) => (output += data));
      child.stderr.on('data', (data) => complaints.push(String(data)));
      const prompts = (text) => output.split(text).length - 1;
      const answer = async (question, times, line) => {
        await until(`${question}\n${output}`, () => prompts(question) === times);
        child.stdin.write(`${line}\n`);
      };
      await answer('You: ', 1, 'Clean up');
      await answer('Type allow or deny: ', 1, 'yes');
      await answer('Type allow or deny: ', 2, 'deny');
      await answer('Type allow or deny: ', 3, 'allow');
      await until('its end', () => requests && child.exitCode !== null);
      assert.equal(child.exitCode, 0);
      assert.match(output, /One file is gone\.\n$/);
      assertDecided(requests);
      assert.deepEqual(complaints, []);
    });
  });
}

after(() => {
  const left = blocks.filter((block) => block.run && !run.has(block));
  assert.deepEqual(
    left.map(({ document, line }) => `${document.name}:${line}`),
    [],
    'it says that it is run, and is not',
  );
});
