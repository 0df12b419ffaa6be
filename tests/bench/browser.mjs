// Runs the suite in headless Chromium, and starts the guard in fresh pages.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { launchChromium } from '../support/chromium.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const bundle = async (contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here('.'), loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0].text;
};

const SUITE = `
  import { suite } from './suite.mjs';
  window.measure = () => suite((text) => console.log(text));`;

const START = `
  const begin = performance.now();
  const { createApprovalGuard } = await import('/guard.js');
  const imported = performance.now();
  createApprovalGuard({ onError: (error) => { throw error; } }).sendAutomaticallyWhen({ messages: [] });
  const used = performance.now();
  window.figures = { load: imported - begin, use: used - imported };`;

/** @returns the version of Chromium, the figures of the suite, and of each fresh page */
export async function inChromium({ log, starts }) {
  const files = {
    '/suite.js': await bundle(SUITE),
    '/start.js': START,
    '/guard.js': await bundle(`export { createApprovalGuard } from '../../pkg/index.js';`),
  };
  // Isolated from other origins, a page has a clock of 5 µs.
  const headers = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
  const server = createServer(({ url }, response) => {
    const text =
      files[url] ??
      `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${url.slice(2)}"></script>`;
    response.writeHead(200, { ...headers, 'content-type': url in files ? 'text/javascript' : 'text/html' });
    response.end(text);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const browser = await launchChromium();
  try {
    const open = async (script) => {
      const page = await (await browser.newContext()).newPage();
      page.on('console', (message) => log(message.text()));
      page.on('pageerror', (error) => log(String(error)));
      await page.goto(`http://127.0.0.1:${port}/?${script}`);
      return page;
    };
    const first = [];
    for (let i = 0; i < starts; i++) {
      const page = await open('/start.js');
      await page.waitForFunction('window.figures');
      first.push(await page.evaluate('window.figures'));
      await page.context().close();
    }
    const page = await open('/suite.js');
    await page.waitForFunction('window.measure');
    return { version: browser.version(), suite: await page.evaluate('window.measure()'), starts: first };
  } finally {
    await browser.close();
    server.close();
  }
}
