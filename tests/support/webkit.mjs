// WebKit as WebKitGTK has it, with as much of the interface of Playwright as the tests use in it: Playwright drives no
// WebKit but a build of its own. The driver is spoken to with selenium-webdriver, and elements are found by the script that
// Playwright puts into pages. What is not here is not a function, and so nothing passes without it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Builder, Button, Key } from 'selenium-webdriver';
import { DriverService } from 'selenium-webdriver/remote/index.js';

import { miniBrowserPath, webkitDriverPath, xdotoolPath } from './browsers.mjs';
import { openDisplay } from './display.mjs';
import { run } from './process.mjs';

/** How often is looked again. */
const LOOK_MS = 40;

/** Its bar has room for many buttons. Without them the window can be as narrow as a phone. */
const NARROW = `window * { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; }
`;

/** The script as Playwright has it, as a text in its bundle: no entry exports it. */
function injectedScript() {
  const bundle = createRequire(import.meta.url).resolve('playwright-core/lib/coreBundle');
  const text = /\/generated\/injectedScriptSource\.ts"\(\) \{[^']*('(?:[^'\\]|\\.)*');/.exec(
    readFileSync(bundle, 'utf8'),
  );
  if (!text) throw new Error('This version of Playwright has the script for its pages in another place.');
  return new Function(`return ${text[1]}`)();
}

/** @type {string | undefined} */
let script;
/** What a page gets when it is first asked for something. */
const inside = () =>
  (script ??= `
    const module = {};
    ${injectedScript()}
    const options = { sdkLanguage: 'javascript', testIdAttributeName: 'data-testid', browserName: 'webkit' };
    const injected = new (module.exports.InjectedScript())(window, { ...options, stableRafCount: 1, customEngines: [] });
    injected.consoleApi.install();
    window.__inside = (${theirs})(injected);`);

/** Runs in the page. @param {any} injected */
function theirs(injected) {
  /** What was heard and not yet told, from now on. @type {{ event: string, text: string }[]} */
  const said = [];
  const hear = (event, ...what) => said.push({ event, text: what.map(String).join(' ') });
  for (const [method, event] of Object.entries({ error: 'error', warn: 'warning' })) {
    const original = console[method];
    console[method] = (...what) => {
      hear(event, ...what);
      original.apply(console, what);
    };
  }
  addEventListener('error', ({ error, message }) => hear('pageerror', error?.stack ?? message));
  addEventListener('unhandledrejection', ({ reason }) => hear('pageerror', reason?.stack ?? reason));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    hear('error', `${violatedDirective} forbids ${blockedURI}`),
  );

  const reveal = (/** @type {Element} */ element) => {
    const { top, left, bottom, right } = element.getBoundingClientRect();
    if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  };
  return {
    said,
    reveal,
    is: (element, state) => Boolean(element) && injected.elementState(element, state, true).matches,
    /** @param {Element[]} found */
    one(found) {
      if (found.length > 1)
        throw new Error(`it is ${found.map((one) => injected.previewNode(one)).join(', ')}`);
      return found[0];
    },
    /** Where to click, or why not yet. @param {Element} element */
    async target(element) {
      reveal(element);
      const missing = await injected.checkElementStates(element, ['visible', 'enabled', 'stable'], true);
      if (missing) return { why: JSON.stringify(missing) };
      // What goes over several lines has its middle anywhere.
      const line = [...element.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
      const [x, y] = [line.x + line.width / 2, line.y + line.height / 2];
      const hit = injected.expectHitTarget({ x, y }, injected.retarget(element, 'button-link'));
      return hit === 'done' ? { x, y } : { why: `${hit.hitTargetDescription} is in front of it` };
    },
    /** Puts text in the place of what is there, as one input. */
    fill(element, text) {
      injected.fill(element, text);
      document.execCommand(text ? 'insertText' : 'delete', false, text);
      if (element.value !== text) throw new Error(`the value is ${JSON.stringify(element.value)}`);
    },
    /** @param {{ label: string }} option */
    selectOption: (element, option) => injected.selectOptions(element, [option]),
  };
}

/** Waits for something that is not false. */
async function until(what, timeout, look) {
  const end = Date.now() + timeout;
  for (let why = ''; ;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      // A document that goes away while it is asked is asked again; what is wrong in the question is not.
      if (error instanceof InPage) throw error;
      why = ` (${error.message})`;
    }
    if (Date.now() > end) throw new Error(`it did not come: ${what}${why}`);
    await delay(LOOK_MS);
  }
}

/** An error that the page or the question has made. */
class InPage extends Error {}

export class WebKit {
  static async launch() {
    const own = new WebKit();
    own.display = await openDisplay();
    return own;
  }

  version() {
    return this.is;
  }

  async newContext({ viewport = { width: 1280, height: 720 }, ...others } = {}) {
    if (Object.keys(others).length > 0) throw new Error(`WebKit has no option ${Object.keys(others)} here.`);
    const context = new Context(this.display.name, viewport);
    await context.start();
    this.is = (await context.driver.getCapabilities()).getBrowserVersion();
    return context;
  }

  async newPage(options) {
    return (await this.newContext(options)).newPage();
  }

  async close() {
    this.display.child.kill();
  }
}

/** A browser with cookies and storage of its own: it starts in a second. */
class Context {
  /** In the order of their windows. @type {Page[]} */
  #pages = [];
  #last = Promise.resolve();
  #chosen = '';

  constructor(display, viewport) {
    this.display = display;
    this.viewport = viewport;
    this.home = mkdtempSync(path.join(tmpdir(), 'webkit-'));
  }

  async start() {
    mkdirSync(path.join(this.home, 'gtk-3.0'));
    writeFileSync(path.join(this.home, 'gtk-3.0', 'gtk.css'), NARROW);
    const homes = ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'].map((name) => [
      name,
      this.home,
    ]);
    const display = { DISPLAY: this.display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' };
    this.service = new DriverService.Builder(webkitDriverPath() ?? 'WebKitWebDriver')
      .addArguments('--host=127.0.0.1')
      .setHostname('127.0.0.1')
      .setEnvironment({ ...process.env, ...display, ...Object.fromEntries(homes) })
      .build();
    const options = { binary: miniBrowserPath(), args: ['--automation'] };
    const wanted = {
      browserName: 'MiniBrowser',
      pageLoadStrategy: 'none',
      'webkitgtk:browserOptions': options,
    };
    try {
      const server = await this.service.start(10_000);
      this.driver = await new Builder()
        .disableEnvironmentOverrides()
        .usingServer(server)
        .withCapabilities(wanted)
        .build();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async newPage() {
    if (this.#pages.length > 0) await this.driver.switchTo().newWindow('tab');
    this.#chosen = '';
    return this.#adopt(await this.driver.getWindowHandle());
  }

  async #adopt(handle) {
    const page = new Page(this, handle);
    this.#pages.push(page);
    await page.setViewportSize(this.viewport);
    return page;
  }

  pages() {
    return [...this.#pages];
  }

  /** Commands go to the window that was chosen, so one after the other. To choose it again takes the focus from a frame. */
  in(page, work) {
    const done = this.#last.then(async () => {
      if (this.#chosen !== page.handle) await this.driver.switchTo().window(page.handle);
      this.#chosen = page.handle;
      return work(this.driver);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** @param {'page'} event a page that another one opens */
  async waitForEvent(event) {
    if (event !== 'page') throw new Error(`${event} is no event here.`);
    return until('another page', 10_000, async () => {
      const known = this.#pages.map(({ handle }) => handle);
      const handle = (await this.driver.getAllWindowHandles()).find((one) => !known.includes(one));
      return handle && this.#adopt(handle);
    });
  }

  async close() {
    await this.driver?.quit().catch(() => {});
    await this.service.kill();
    // Its processes still write while they end.
    await until('the end', 10_000, () => {
      rmSync(this.home, { recursive: true, force: true });
      return true;
    });
  }
}

/** A value as it is written in JavaScript, also a pattern. */
function written(value) {
  if (value instanceof RegExp || value === undefined) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, one]) => `${name}: ${written(one)}`)} }`;
}

/** What both a page and a locator can look for: the page has the same methods. */
class Finder {
  /** @param {Page} page @param {string} chain of calls */
  constructor(page, chain) {
    this.inPage = page;
    this.chain = chain;
  }
}
for (const name of ['locator', 'getByRole', 'getByText', 'getByLabel', 'filter', 'nth', 'first', 'last']) {
  Finder.prototype[name] = function (...given) {
    return new Locator(this.inPage, `${this.chain}.${name}(${given.map(written)})`);
  };
}

class Locator extends Finder {
  /** What `work` says of all that is found now. */
  evaluateAll(work, arg) {
    return this.inPage.ask(`(${work})(${this.chain}.elements, arg)`, arg);
  }

  /** What `work` says of the one that is found, as soon as it is. */
  async evaluate(work, arg, { timeout = this.inPage.timeout } = {}) {
    const asked = `(async (one) => one && [await (${work})(one, arg)])(__inside.one(${this.chain}.elements))`;
    const [value] = await until(this.chain, timeout, () => this.inPage.ask(asked, arg));
    return value;
  }

  count() {
    return this.evaluateAll((found) => found.length);
  }

  async all() {
    return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
  }

  allInnerTexts() {
    return this.evaluateAll((found) => found.map((one) => one.innerText));
  }

  isVisible() {
    return this.inPage.ask(`__inside.is(__inside.one(${this.chain}.elements), 'visible')`);
  }

  async waitFor({ state = 'visible', timeout = this.inPage.timeout } = {}) {
    const seen = { visible: true, hidden: false }[state];
    const there = async () => (await this.count()) > 0;
    const look = async () =>
      seen === undefined ? (await there()) === (state === 'attached') : (await this.isVisible()) === seen;
    await until(`${this.chain} ${state}`, timeout, look);
  }

  async press(key) {
    await this.focus();
    await this.inPage.keyboard.press(key);
  }

  async click(options) {
    let why;
    const look = async () => {
      const at = await this.evaluate((one) => globalThis.__inside.target(one));
      why = at.why;
      return !why && at;
    };
    const { x, y } = await until(`a click on ${this.chain}`, this.inPage.timeout, look).catch((error) => {
      throw why ? new Error(`${error.message}: ${why}`) : error;
    });
    await this.inPage.mouse.click(x, y, options);
  }

  dblclick() {
    return this.click({ clickCount: 2 });
  }

  async check() {
    if (!(await this.isChecked())) await this.click();
    await until(`${this.chain} checked`, this.inPage.timeout, () => this.isChecked());
  }
}

for (const [name, work] of Object.entries({
  fill: (one, text) => globalThis.__inside.fill(one, text),
  focus: (one) => one.focus(),
  getAttribute: (one, name) => one.getAttribute(name),
  innerText: (one) => one.innerText,
  inputValue: (one) => one.value,
  isChecked: (one) => globalThis.__inside.is(one, 'checked'),
  isDisabled: (one) => globalThis.__inside.is(one, 'disabled'),
  scrollIntoViewIfNeeded: (one) => globalThis.__inside.reveal(one),
  selectOption: (one, option) => globalThis.__inside.selectOption(one, option),
  textContent: (one) => one.textContent,
})) {
  Locator.prototype[name] = function (arg) {
    return this.evaluate(work, arg);
  };
}

class Page extends Finder {
  timeout = 10_000;
  #heard = new Map();
  #url = 'about:blank';

  /** @param {Context} context @param {string} handle */
  constructor(context, handle) {
    super(/** @type {any} */ (undefined), 'playwright');
    this.inPage = this;
    this.in = context;
    this.handle = handle;
    this.mouse = new Mouse(this);
    this.keyboard = new Keyboard(this);
  }

  /** @param {'console' | 'pageerror'} event */
  on(event, listener) {
    if (!['console', 'pageerror'].includes(event)) throw new Error(`${event} is no event here.`);
    this.#heard.set(event, [...(this.#heard.get(event) ?? []), listener]);
  }

  context() {
    return this.in;
  }

  url() {
    return this.#url;
  }

  setDefaultTimeout(timeout) {
    this.timeout = timeout;
  }

  /** @param {(driver: import('selenium-webdriver').WebDriver) => unknown} work */
  command(work) {
    return this.in.in(this, work);
  }

  /** What an expression with `arg` says in the page. @param {string} expression */
  async ask(expression, arg) {
    const script = `
      const [arg, done] = arguments;
      if (!window.__inside) return done(null);
      const tell = (more) => done({ ...more, href: location.href, said: __inside.said.splice(0) });
      (async () => ${expression})().then(
        (value) => tell({ value }),
        (error) => tell({ error: { message: String(error), stack: error?.stack } }),
      );`;
    let answer = await this.command((driver) => driver.executeAsyncScript(script, arg));
    if (!answer) {
      await this.command((driver) => driver.executeScript(`if (!window.__inside) { ${inside()} }`));
      answer = await this.command((driver) => driver.executeAsyncScript(script, arg));
    }
    this.#url = answer.href;
    for (const { event, text } of answer.said) {
      const isError = event === 'pageerror';
      const what = isError ? new Error(text) : { type: () => event, text: () => text };
      for (const listener of this.#heard.get(isError ? event : 'console') ?? []) listener(what);
    }
    if (answer.error) throw Object.assign(new InPage(answer.error.message), answer.error);
    return answer.value ?? undefined;
  }

  evaluate(work, arg) {
    return this.ask(typeof work === 'function' ? `(${work})(arg)` : work, arg);
  }

  async goto(url) {
    const loaded = await this.#loads();
    await this.command((driver) => driver.get(url));
    await loaded();
  }

  /** @returns {Promise<() => Promise<void>>} waits until another document has loaded */
  async #loads() {
    const before = await this.evaluate('performance.timeOrigin');
    return () =>
      until('another document', 30_000, async () => {
        const [origin, state] = await this.evaluate('[performance.timeOrigin, document.readyState]');
        return origin !== before && state === 'complete';
      });
  }

  async reload() {
    const loaded = await this.#loads();
    await this.evaluate('void setTimeout(() => location.reload())');
    await loaded();
  }

  /** @param {'load' | 'download'} event */
  async waitForEvent(event) {
    if (event === 'load') return (await this.#loads())();
    if (event !== 'download') throw new Error(`${event} is no event here.`);
    return this.#download();
  }

  /** It keeps no downloads where it is driven: so this is what the page hands to it, the next time. */
  async #download() {
    await this.evaluate(() => {
      delete globalThis.__download;
      const { createObjectURL } = URL;
      const blobs = new Map();
      URL.createObjectURL = (blob) => {
        const url = createObjectURL.call(URL, blob);
        blobs.set(url, blob);
        return url;
      };
      const { click } = HTMLAnchorElement.prototype;
      HTMLAnchorElement.prototype.click = function () {
        const { download, href } = this;
        globalThis.__download = blobs
          .get(href)
          ?.text()
          .then((text) => ({ name: download, text }));
        URL.createObjectURL = createObjectURL;
        HTMLAnchorElement.prototype.click = click;
        click.call(this);
      };
    });
    const { name, text } = await until('a download', this.timeout, () => this.evaluate('window.__download'));
    const file = path.join(this.in.home, name);
    writeFileSync(file, text);
    return { suggestedFilename: () => name, path: async () => file };
  }

  /**
   * Requests that end like this are on their way and stay so, until the page is loaded again: the driver cannot hold
   * them, so the page does.
   *
   * @param {string} glob @param {() => void} handler does nothing
   */
  async route(glob, handler) {
    if (!/^\(\) => \{\s*\}$/.test(String(handler))) throw new Error('Requests can only be held here.');
    await this.evaluate(
      (end) => {
        const { fetch } = window;
        window.fetch = (to, options) =>
          new URL(to, location.href).pathname.endsWith(end) ? new Promise(() => {}) : fetch(to, options);
      },
      glob.replace('**', ''),
    );
  }

  async unroute() {}

  waitForTimeout(ms) {
    return delay(ms);
  }

  async waitForFunction(work, arg, { timeout = this.timeout } = {}) {
    await until(String(work), timeout, () => this.evaluate(work, arg));
  }

  async waitForURL(is) {
    await until('another address', this.timeout, async () =>
      is(new URL(await this.evaluate('location.href'))),
    );
  }

  /** Each page that another one has opened has a window. They lie upon each other, in the order of their numbers. */
  async bringToFront() {
    const xdotool = (...args) => run(xdotoolPath() ?? 'xdotool', args, { env: { DISPLAY: this.in.display } });
    const { stdout } = await xdotool('search', '--onlyvisible', '--class', 'MiniBrowser');
    const windows = stdout.trim().split('\n').map(Number);
    const own = String(windows.sort((a, b) => a - b)[this.in.pages().indexOf(this)]);
    await xdotool('windowraise', own, 'windowfocus', own);
  }

  /** The window is larger than what it shows. */
  async setViewportSize({ width, height }) {
    const outer = { x: 0, y: 0, width, height };
    await until(`a page of ${width} by ${height} pixels`, 10_000, async () => {
      await this.command((driver) => driver.manage().window().setRect(outer));
      await delay(LOOK_MS);
      const [w, h] = await this.command((driver) => driver.executeScript('return [innerWidth, innerHeight]'));
      outer.width += width - w;
      outer.height += height - h;
      return w === width && h === height;
    });
  }
}

class Mouse {
  #at = { x: 0, y: 0, duration: 0 };

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** What is done at once. @param {(actions: import('selenium-webdriver').Actions) => void} work */
  #perform(work) {
    return this.page.command((driver) => {
      const actions = driver.actions();
      work(actions);
      return actions.perform();
    });
  }

  #to(x, y) {
    this.#at = { x: Math.round(x), y: Math.round(y), duration: 0 };
    return this.#at;
  }

  async move(x, y) {
    await this.#perform((actions) => actions.move(this.#to(x, y)));
  }

  async down({ button = 'left' } = {}) {
    await this.#perform((actions) => actions.press(Button[button.toUpperCase()]));
  }

  async up({ button = 'left' } = {}) {
    await this.#perform((actions) => actions.release(Button[button.toUpperCase()]));
  }

  async click(x, y, { button = 'left', clickCount = 1, delay: held = 0 } = {}) {
    const pressed = Button[button.toUpperCase()];
    await this.#perform((actions) => {
      actions.move(this.#to(x, y));
      for (let count = 0; count < clickCount; count++) {
        actions.press(pressed);
        if (held > 0) actions.pause(held);
        actions.release(pressed);
      }
    });
  }

  dblclick(x, y) {
    return this.click(x, y, { clickCount: 2 });
  }

  async wheel(deltaX, deltaY) {
    const { x, y } = this.#at;
    await this.#perform((actions) => actions.scroll(x, y, deltaX, deltaY, undefined, 0));
  }
}

/** Where the names of the keys differ. */
const KEYS = { Backspace: Key.BACK_SPACE, Enter: Key.RETURN, Space: ' ' };

class Keyboard {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {['keyDown' | 'keyUp', string][]} moves */
  async #perform(...moves) {
    const value = (key) => KEYS[key] ?? Key[key.replace(/(?<=[a-z])(?=[A-Z])/, '_').toUpperCase()] ?? key;
    await this.page.command((driver) =>
      moves.reduce((actions, [way, key]) => actions[way](value(key)), driver.actions()).perform(),
    );
  }

  async down(key) {
    await this.#perform(['keyDown', key]);
  }

  async up(key) {
    await this.#perform(['keyUp', key]);
  }

  /** @param {string} keys for example `Alt+Shift+A` */
  async press(keys) {
    const all = keys.split(/(?<=.)\+/);
    const ups = all.toReversed().map((key) => ['keyUp', key]);
    await this.#perform(...all.map((key) => ['keyDown', key]), ...ups);
  }

  async type(text) {
    await this.#perform(
      ...[...text].flatMap((key) => [
        ['keyDown', key],
        ['keyUp', key],
      ]),
    );
  }
}
