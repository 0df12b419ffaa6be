// The app of the guide for assistant-ui in real Chromium: its primitives, keys and clicks, and a `streamText` behind it.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { launchChromium } from '../support/chromium.mjs';
import { blocks, project } from './support/documents.mjs';
import { writeBlocks } from './support/files.mjs';
import { assertTold, modelRoute } from './support/model-route.mjs';

writeBlocks('assistant-ui');
const blockOf = (document, file) =>
  blocks.find((block) => block.document.name === document && block.file === file);

let browser;
let server;
let prompts;
const requests = [];

before(async () => {
  const { place } = blockOf('docs/assistant-ui.md', 'Assistant.tsx');
  const start = `import { createElement } from 'react'; import { createRoot } from 'react-dom/client';
    import { Assistant } from ${JSON.stringify(place)};
    createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(Assistant));`;
  const { outputFiles } = await build({
    stdin: { contents: start, resolveDir: path.dirname(place) },
    absWorkingDir: project,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const made = await modelRoute(blockOf('docs/next.md', 'app/api/chat/route.ts'), '7');
  prompts = made.prompts;
  server = createServer(async (request, response) => {
    if (request.url === '/api/chat') {
      const body = await text(request);
      requests.push(JSON.parse(body));
      const answer = await made.route(new Request('https://page.example/api/chat', { method: 'POST', body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      Readable.fromWeb(answer.body).pipe(response);
      return;
    }
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'content-type': `text/${isScript ? 'javascript' : 'html'}; charset=utf-8` });
    const html =
      '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>';
    response.end(isScript ? outputFiles[0].text : html);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

test('docs/assistant-ui.md: Assistant.tsx in Chromium: allow, undo, deny, and one request', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.getByRole('textbox').fill('Clean up');
  await page.getByRole('button', { name: 'Send' }).click();
  const button = (file, name) =>
    page.locator('fieldset', { hasText: file }).getByRole('button', { name, exact: true });
  await button('.env', 'Allow in this chat').click();
  await button('.env', 'Undo').waitFor();
  assert.equal(await button('.env', 'Deny').count(), 0);
  await button('.env', 'Undo').click();
  await button('.env', 'Deny').click();
  assert.equal(requests.length, 1, 'a draft sends nothing');
  await button('old.txt', 'Allow once').click();
  await page.getByText('One file is gone.').waitFor();
  assert.equal(requests.length, 2);
  const [denied, allowed] = requests[1].messages.at(-1).parts.filter(({ toolCallId }) => toolCallId);
  assert.equal(denied.state, 'approval-responded');
  assert.equal(denied.approval.approved, false);
  assert.ok(!('output' in denied));
  assert.equal(allowed.approval.approved, true);
  assert.equal(prompts.length, 2);
  assertTold(prompts[1]);
  assert.deepEqual(complaints, []);
});
