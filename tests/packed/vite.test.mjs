// The package in a page that Vite builds, or serves, without any configuration for it; opened in
// Chromium. tests/run.mjs makes the project.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { build as esbuild } from 'esbuild';
import { build, createServer as createDevServer } from 'vite';

import { launchChromium } from '../support/chromium.mjs';
import { withoutWasm, works } from './expected.mjs';

const project = process.env.PACKED_PROJECT;
const page = path.join(project, 'page');
const built = path.join(project, 'built');
const config = { root: page, configFile: false, logLevel: 'error', cacheDir: path.join(project, '.vite') };

const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Serves the built page under a Content-Security-Policy. */
async function serve(policy) {
  const server = createServer((request, response) => {
    const name = request.url === '/' ? '/index.html' : request.url;
    try {
      const body = readFileSync(path.join(built, path.normalize(name)));
      const kind = kinds[path.extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': kind, 'content-security-policy': policy }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

let browser;
before(async () => {
  await build({ ...config, build: { outDir: built, emptyOutDir: true } });
  browser = await launchChromium();
});
after(() => browser?.close());

/** What the page says, and what the console said. */
async function open(address) {
  const tab = await browser.newPage();
  const complaints = [];
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(String(error)));
  const requests = [];
  tab.on('request', (request) => requests.push(new URL(request.url()).pathname));
  try {
    await tab.goto(address);
    await tab.waitForFunction(() => document.body.textContent.trim().startsWith('{'), { timeout: 20_000 });
    return { value: JSON.parse(await tab.textContent('body')), complaints, requests };
  } catch (error) {
    throw new Error(`The page did not get to its end.\n${complaints.join('\n')}`, { cause: error });
  } finally {
    await tab.close();
  }
}

test('a Vite build has the wasm in its JavaScript, and no file of its own for it', () => {
  const files = readdirSync(built, { recursive: true }).filter((name) => path.extname(name) !== '');
  assert.deepEqual(files.map((name) => path.extname(name)).sort(), ['.html', '.js']);
});

test('the built page works under a strict policy with wasm-unsafe-eval', async () => {
  const server = await serve("default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'");
  try {
    const { value, complaints, requests } = await open(server.address);
    assert.deepEqual(value, works);
    assert.deepEqual(complaints, []);
    assert.equal(requests.filter((name) => name.endsWith('.js')).length, 1);
  } finally {
    server.close();
  }
});

test('the built page fails closed under a policy that forbids WebAssembly', async () => {
  const server = await serve("default-src 'none'; img-src data:; script-src 'self'");
  try {
    const { value } = await open(server.address);
    const { errors, ...rest } = value;
    assert.deepEqual(rest, withoutWasm);
    assert.ok(errors.length > 0 && errors.every((code) => code === 'wasm-unavailable'));
  } finally {
    server.close();
  }
});

test('the page works in the development server of Vite', async () => {
  const server = await createDevServer({ ...config, server: { host: '127.0.0.1', port: 0 } });
  try {
    await server.listen();
    const { value, complaints } = await open(server.resolvedUrls.local[0]);
    assert.deepEqual(value, works);
    assert.deepEqual(complaints, []);
  } finally {
    await server.close();
  }
});

test('an import that is not used leaves nothing in a bundle', async () => {
  const { outputFiles } = await esbuild({
    entryPoints: [path.join(page, 'unused.js')],
    bundle: true,
    format: 'esm',
    write: false,
    // esbuild says that it leaves the import out, which is what is asked for.
    logLevel: 'error',
  });
  assert.ok(outputFiles[0].text.length < 300, outputFiles[0].text.slice(0, 500));
});
