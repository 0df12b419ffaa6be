// Runs the suite in headless Chromium, and starts the guard and the queue, and beside them React, in fresh pages.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { launchChromium } from '../support/chromium.mjs';
import { listScript, queueScript } from './queueing.mjs';
import { ENTRIES, guardScript, reactScript } from './start.mjs';

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

const REACT = `
  export { createElement } from 'react';
  export { flushSync } from 'react-dom';
  export { createRoot } from 'react-dom/client';`;

/** What a page loads of the package, as it is. */
const PUBLISHED = [...Object.values(ENTRIES), 'words'];

/** Each entry, once with its messages at once and once 100 ms later. */
const STARTS = Object.entries(ENTRIES).flatMap(([name, entry]) => {
  const script = (wait) => guardScript(`/pkg/${entry}.js`, '/pkg/words.js', wait);
  return [
    [name, script(0)],
    [`${name}Later`, script(100)],
  ];
});

/**
 * Does `work` with `open(script)`, which opens a fresh page, and the version of Chromium.
 *
 * @param {(text: string) => void} log
 */
export async function inChromium(log, work) {
  const files = {
    '/suite.js': await bundle(SUITE),
    ...Object.fromEntries(STARTS.map(([name, script]) => [`/start-${name}.js`, script])),
    ...Object.fromEntries(
      PUBLISHED.map((name) => [`/pkg/${name}.js`, readFileSync(here(`../../pkg/${name}.js`), 'utf8')]),
    ),
    '/start-react.js': reactScript('/react.js'),
    '/list-queue.js': queueScript('/guard.js', '/element.js'),
    '/list-react.js': listScript('/react.js'),
    '/guard.js': await bundle(`export { createApprovalGuard } from '../../pkg/index.js';`),
    '/element.js': await bundle(`export { defineToolApprovalQueue } from '../../pkg/element.js';`),
    '/react.js': await bundle(REACT),
  };
  // Isolated from other origins, a page has a clock of 5 µs.
  const headers = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
  const server = createServer(({ url }, response) => {
    const text =
      files[url] ??
      `<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="${url.slice(2)}"></script>`;
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
    return await work({ open, browser, version: browser.version() });
  } finally {
    await browser.close();
    server.close();
  }
}

/** @returns of each fresh page the figures of its script, by what makes its card */
export const startsInChromium = (pages, count) =>
  byTurns(pages, 'start', [...STARTS.map(([name]) => name), 'react'], count);

/** What Chromium notes of a task of a thread. */
const TASK = 'ThreadControllerImpl::RunTask';

/** @returns of each fresh page the milliseconds of the longest task of its main thread until it shows the card */
export async function tasksInChromium({ open, browser }, count) {
  const figures = {};
  for (let i = 0; i < count; i++) {
    for (const [name] of STARTS) {
      // In runs of their own, because tracing takes time as well.
      await browser.startTracing(undefined, { categories: ['toplevel', 'blink.user_timing'] });
      const page = await open(`/start-${name}.js`);
      await page.waitForFunction('window.figures');
      const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString());
      await page.context().close();
      const [begin, shown] = ['begin', 'shown'].map((mark) =>
        events.find((event) => event.name === mark && event.cat.includes('blink.user_timing')),
      );
      const tasks = events.filter(
        ({ name, pid, tid, ts, dur }) =>
          name === TASK && pid === begin.pid && tid === begin.tid && ts + dur > begin.ts && ts < shown.ts,
      );
      if (tasks.length === 0) throw new Error('Chromium has noted no task.');
      (figures[name] ??= []).push(Math.max(...tasks.map(({ dur }) => dur)) / 1_000);
    }
  }
  return figures;
}

/** @returns of each fresh page what the first rendering of many calls took, by what renders it */
export const listsInChromium = (pages, count) => byTurns(pages, 'list', ['queue', 'react'], count);

/** By turns, so that all meet what else the machine does. */
async function byTurns({ open }, what, names, count) {
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let i = 0; i < count; i++) {
    for (const name of names) {
      const page = await open(`/${what}-${name}.js`);
      await page.waitForFunction('window.figures');
      figures[name].push(await page.evaluate('window.figures'));
      await page.context().close();
    }
  }
  return figures;
}

export async function suiteInChromium({ open }) {
  const page = await open('/suite.js');
  await page.waitForFunction('window.measure');
  return page.evaluate('window.measure()');
}
