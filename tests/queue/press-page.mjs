// Where presses are tried: `press.ts` from its source in a real browser, by real input.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { browserName } from '../support/browsers.mjs';

/**
 * @import { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
 * @import { Contexts } from '../support/contexts.mjs'
 */

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SOURCE = path.join('pkg-template', 'src', 'element', 'press.ts');

/** The module lies in the project above, wherever the tests have been copied to. */
export function sourceOfPresses() {
  let folder = FOLDER;
  while (!existsSync(path.join(folder, SOURCE))) {
    if (folder === path.dirname(folder)) throw new Error(`There is no ${SOURCE} above ${FOLDER}.`);
    folder = path.dirname(folder);
  }
  return path.join(folder, SOURCE);
}

/** @type {Promise<string> | undefined} */
let html;

/** The page with its script, at `?closed` inside of a closed shadow root. */
export function pressPage() {
  html ??= (async () => {
    const press = sourceOfPresses();
    const { outputFiles } = await build({
      entryPoints: [path.join(FOLDER, 'press-inside.mjs')],
      bundle: true,
      format: 'iife',
      target: 'es2022',
      write: false,
      logLevel: 'error',
      plugins: [
        {
          name: 'press',
          setup: ({ onResolve }) => onResolve({ filter: /\/press\.ts$/ }, () => ({ path: press })),
        },
      ],
    });
    return `<!doctype html><html lang="en"><title>Presses</title>
      <meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>
      <body><script>${outputFiles[0]?.text}</script></body></html>`;
  })();
  return html;
}

/** @type {Promise<string> | undefined} */
let served;

/** Where the page is served, for as long as the tests run. */
function address() {
  served ??= (async () => {
    const body = await pressPage();
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    });
    server.unref();
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
  })();
  return served;
}

/** Longer than it takes until a press counts. */
export const LONG = 900;

/** What Chromium wants to know of a key. */
export const KEYS = {
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
};

/** A page with guarded buttons: 200 by 60 pixels each, the first at the top left. */
export class PressPage {
  #contexts;

  /** @param {Contexts} contexts @param {Page} page @param {CDPSession} [cdp] of Chromium */
  constructor(contexts, page, cdp) {
    this.#contexts = contexts;
    this.page = page;
    if (cdp) this.cdp = cdp;
  }

  /** @param {Contexts} contexts @param {BrowserContextOptions & { search?: string }} [options] */
  static async open(contexts, { search = '', ...options } = {}) {
    const context = await contexts.take({ viewport: { width: 800, height: 600 }, ...options });
    const page = await context.newPage();
    await page.goto(`${await address()}${search}`);
    return new PressPage(
      contexts,
      page,
      browserName === 'chromium' ? await context.newCDPSession(page) : undefined,
    );
  }

  /** Closes its page, and those that the test has opened beside it. */
  async close() {
    const context = this.page.context();
    if (browserName === 'chromium') await Promise.all(context.pages().map((page) => page.close()));
    await this.#contexts.give(context, true);
  }

  /** Runs in the page, where `trial` is what `press-inside.mjs` made. @param {string} code */
  run(code) {
    return this.page.evaluate(`(async () => {
      const { add, get, above, root, presses, busy } = trial;
      trial.changed = performance.now();
      ${code}
    })()`);
  }

  /** Adds a guarded button. @param {string} id @param {string} [css] */
  add(id, css = '') {
    return this.run(`add(${JSON.stringify(id)}, ${JSON.stringify(css)})`);
  }

  /** Makes room above the buttons. @param {number} pixels */
  push(pixels) {
    return this.run(`above.style.height = '${pixels}px'`);
  }

  /** Clicks with the mouse, without a wait. */
  async click(x = 100, y = 30, options = {}) {
    await this.page.mouse.click(x, y, options);
  }

  /** Two clicks at once: Firefox counts them only if they are one command, and Playwright sends two. */
  async doubleClick(x = 100, y = 30) {
    if (browserName !== 'firefox') return this.page.mouse.dblclick(x, y);
    const page = /** @type {any} */ (this.page);
    const { _session: session } = page._connection.toImpl(page).delegate;
    const click = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }));
    const actions = [{ type: 'pointerMove', x, y }, ...click, ...click];
    const mouse = { type: 'pointer', id: 'mouse', actions };
    await session.send('input.performActions', { context: session.sessionId, actions: [mouse] });
  }

  /** @param {'keyDown' | 'rawKeyDown' | 'char' | 'keyUp'} type @param {object} more */
  async key(type, more) {
    await this.cdp.send('Input.dispatchKeyEvent', { type, ...more });
  }

  /** @param {'mousePressed' | 'mouseReleased'} type @param {object} [more] */
  async mouse(type, more) {
    if (!this.cdp) {
      const { x = 100, y = 30, button = /** @type {const} */ ('left'), ...others } = more ?? {};
      if (Object.keys(others).length > 0) throw new Error(`only Chromium has ${Object.keys(others)}`);
      await this.page.mouse.move(x, y);
      return type === 'mousePressed' ? this.page.mouse.down({ button }) : this.page.mouse.up({ button });
    }
    const left = { button: 'left', clickCount: 1, buttons: type === 'mousePressed' ? 1 : 0 };
    await this.cdp.send('Input.dispatchMouseEvent', { type, x: 100, y: 30, ...left, ...more });
  }

  /** Waits, without a number until a press counts. @param {number} [ms] */
  async wait(ms) {
    if (ms === undefined) await this.page.evaluate('trial.rest()');
    else await delay(ms);
  }

  /** Waits until the guard has sampled this button once more. @param {string} [id] */
  async sampled(id = 'a') {
    await this.page.evaluate(`trial.sampled(${JSON.stringify(id)})`);
  }

  /** Waits until the browser has said that this button is not in full view. @param {string} [id] */
  async outOfView(id = 'a') {
    await this.page.evaluate(`trial.outOfView(${JSON.stringify(id)})`);
  }

  /** Did an input come late that was to come soon after a change? @returns {Promise<boolean>} */
  wasLate() {
    return this.page.evaluate('trial.ages.some((age) => age > 350)');
  }

  /** What was heard since the last time, for example `['press a', 'early b']`. @returns {Promise<string[]>} */
  async heard() {
    // What came in last has reached the page, and what it does about it is done.
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return this.page.evaluate('trial.heard.splice(0).map(({ type, id }) => `${type} ${id}`)');
  }
}
