// Where WebAssembly does not compile: a page whose policy is `script-src 'self'` and nothing else, engines without a
// just-in-time compiler, and Node without WebAssembly. The guard is there all the same, as JavaScript.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { launchChromium, WITHOUT } from '../support/chromium.mjs';

const installed = path.join(process.env.PACKED_PROJECT, 'node_modules', 'tool-approval-guard');

/** Two calls are asked about; one is denied, one allowed, and the page writes an output over the denied one. */
const SCENE = `
import { createApprovalGuard } from '$ENTRY';
const errors = [];
const guard = createApprovalGuard({ chatId: 'c', onError: (error) => errors.push(error.code) });
const part = (toolCallId, more) => ({ type: 'tool-rm', toolCallId, input: {}, ...more });
const list = (...parts) => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
  { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] },
];
const asking = (id) => part(id, { state: 'approval-requested', approval: { id: 'ap-' + id } });
const sent = [];
const chat = {
  id: 'c',
  messages: list(asking('c1'), asking('c2')),
  sendMessage: () => {
    sent.push(transport.sendMessages({ chatId: 'c', messages: chat.messages, trigger: 'submit-message' }));
  },
  addToolApprovalResponse({ id, approved }) {
    chat.messages = chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.approval?.id === id ? { ...part, state: 'approval-responded', approval: { id, approved } } : part,
      ),
    }));
    if (guard.sendAutomaticallyWhen({ messages: chat.messages })) chat.sendMessage();
  },
};
let wire;
const transport = guard.transport({
  sendMessages: async ({ messages }) => {
    wire = messages[1].parts.slice(1).map(({ state, approval }) => [state, approval.approved]);
    return new ReadableStream({ start: (controller) => controller.close() });
  },
  reconnectToStream: async () => null,
});
guard.attach(chat);
chat.addToolApprovalResponse({ id: 'ap-c1', approved: false });
const before = guard.explain().reason;
await guard.ready;
const decided = guard.decide('c2', 'allow-once').type;
await new Promise((resolve) => setTimeout(resolve, 20));
await Promise.all(sent);
const found = { before, decided, wire, errors, isJavaScript: $WASM };
`;
/** Whether the module is JavaScript: then it does not compile. */
const WASM =
  '!(await Promise.resolve().then(() => WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))).then(() => true, () => false))';
const sceneOf = (entry) => SCENE.replace('$ENTRY', entry).replace('$WASM', WASM);

const expected = {
  before: 'loading',
  decided: 'committed',
  wire: [
    ['approval-responded', false],
    ['approval-responded', true],
  ],
  errors: [],
  isJavaScript: true,
};

let server;
let address;
before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const policy = "default-src 'none'; script-src 'self'";
    const answer = (type, body) =>
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
    if (pathname === '/') answer('text/html', '<script type="module" src="/scene.js"></script>');
    else if (pathname === '/scene.js')
      answer('text/javascript', `${sceneOf('/pkg/index.js')} window.found = found;`);
    else if (pathname.startsWith('/pkg/'))
      answer('text/javascript', readFileSync(path.join(installed, path.normalize(pathname.slice(5)))));
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const args = ['--no-sandbox', '--disable-dev-shm-usage', `--disable-features=${WITHOUT}`];
for (const [where, options] of [
  ["a page with script-src 'self'", {}],
  ['a page without a just-in-time compiler', { args: [...args, '--js-flags=--jitless'] }],
]) {
  test(`${where}: the engine is loaded as JavaScript, once, and the guard works`, async () => {
    const browser = await launchChromium(options);
    try {
      const page = await browser.newPage();
      const loaded = [];
      page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
      const errors = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(address);
      await page.waitForFunction(() => window.found !== undefined, undefined, { timeout: 30_000 });
      assert.deepEqual(await page.evaluate(() => window.found), expected);
      assert.deepEqual(errors, []);
      const engines = loaded.filter((name) => name.includes('sync'));
      assert.deepEqual(engines, ['/pkg/javascript/sync.js'], 'the form that cannot work is not downloaded');
    } finally {
      await browser.close();
    }
  });
}

for (const flag of ['--jitless', '--noexpose-wasm']) {
  test(`Node ${flag}: the guard works`, () => {
    const program = `${sceneOf('tool-approval-guard')} console.log(JSON.stringify(found));`;
    const output = execFileSync(process.execPath, [flag, '--input-type=module', '--eval', program], {
      cwd: process.env.PACKED_PROJECT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    assert.deepEqual(JSON.parse(output.trim().split('\n').at(-1)), expected);
  });
}
