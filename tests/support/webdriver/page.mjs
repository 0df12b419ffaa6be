// Pages and locators over WebDriver: that part of the interface of Playwright which the tests use, so that the same tests
// run in browsers that Playwright cannot drive. What is not here is not a function, and so nothing passes without it.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { Firefox } from './firefox.mjs';
import { WebKit } from './webkit.mjs';

/** @import { Matcher, Step } from './inside.mjs' */

/** How often is looked again. */
const LOOK_MS = 40;

/** @type {Promise<string> | undefined} */
let inside;
const insideScript = () =>
  (inside ??= build({
    entryPoints: [fileURLToPath(new URL('inside.mjs', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    write: false,
    logLevel: 'error',
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? ''));

const encode = (value) => JSON.stringify(value, (_, item) => (item === undefined ? '\ufffeundefined' : item));
const decode = (json) => {
  const revive = (value) => {
    if (value === '\ufffeundefined') return undefined;
    if (value && typeof value === 'object')
      for (const key of Object.keys(value)) value[key] = revive(value[key]);
    return value;
  };
  return revive(JSON.parse(json));
};

/** @param {string | RegExp} text @param {boolean} [exact] @returns {Matcher} */
const matcher = (text, exact) =>
  text instanceof RegExp ? { source: text.source, flags: text.flags } : { text, ...(exact && { exact }) };

const worker = (work) => (typeof work === 'function' ? `(${work})` : `(() => (${work}))`);

export class Browser {
  static async launch(name) {
    const own = new Browser();
    own.name = name;
    own.backend = await (name === 'firefox' ? Firefox : WebKit).start();
    return own;
  }

  version() {
    return this.backend.version;
  }

  async newContext(options = {}) {
    for (const option of Object.keys(options)) {
      if (!['viewport', 'colorScheme', 'hasTouch'].includes(option))
        throw new Error(`${this.name} has no option ${option} here.`);
    }
    return new Context(this, await this.backend.context(), options);
  }

  async newPage(options) {
    return (await this.newContext(options)).newPage();
  }

  async close() {
    await this.backend.end();
  }
}

class Context {
  /** @type {Map<string, Page>} */
  known = new Map();

  constructor(browser, id, options) {
    this.browser = browser;
    this.id = id;
    this.options = options;
  }

  async newPage() {
    return this.adopt(await this.browser.backend.open(this.id));
  }

  async adopt(handle) {
    const page = new Page(this, handle);
    this.known.set(handle, page);
    await page.setViewportSize(this.options.viewport ?? { width: 1280, height: 720 });
    return page;
  }

  pages() {
    return [...this.known.values()];
  }

  /** @param {'page'} event a page that another one opens */
  async waitForEvent(event) {
    if (event !== 'page') throw new Error(`${event} is no event here.`);
    return until('another page', 10_000, async () => {
      const handle = (await this.browser.backend.pages(this.id)).find((one) => !this.known.has(one));
      return handle && this.adopt(handle);
    });
  }

  async close() {
    await this.browser.backend.endContext(this.id);
  }
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

/** What both a page and a locator can look for. */
class Finder {
  /** @param {Page} page @param {Step[]} chain */
  constructor(page, chain) {
    this.inPage = page;
    this.chain = chain;
  }

  /** @param {Step[]} steps */
  next(...steps) {
    return new Locator(this.inPage, [...this.chain, ...steps]);
  }

  locator(css, { hasText } = {}) {
    return this.next({ css }, ...(hasText === undefined ? [] : [{ has: matcher(hasText) }]));
  }

  getByRole(role, { name, exact, ...states } = {}) {
    return this.next({ role, states, ...(name !== undefined && { name: matcher(name, exact) }) });
  }

  getByText(text, { exact } = {}) {
    return this.next({ says: matcher(text, exact) });
  }

  getByLabel(text, { exact } = {}) {
    return this.next({ label: matcher(text, exact) });
  }
}

export class Locator extends Finder {
  page() {
    return this.inPage;
  }

  filter({ visible, hasText }) {
    return this.next(
      ...(visible === undefined ? [] : [{ visible }]),
      ...(hasText === undefined ? [] : [{ has: matcher(hasText) }]),
    );
  }

  nth(nth) {
    return this.next({ nth });
  }

  first() {
    return this.nth(0);
  }

  last() {
    return this.nth(-1);
  }

  /** What `work` says of all that is found now. */
  evaluateAll(work, arg) {
    return this.inPage.ask(`(${work})(__inside.all(chain), arg)`, { chain: this.chain, arg });
  }

  /** What `work` says of the one that is found, as soon as it is. */
  async evaluate(work, arg, { timeout = this.inPage.timeout } = {}) {
    const { value } = await until(this.toString(), timeout, () =>
      this.inPage.ask(
        `(async () => { const one = __inside.one(chain); return one && { value: await ${worker(work)}(one, arg) } })()`,
        { chain: this.chain, arg },
      ),
    );
    return value;
  }

  toString() {
    return JSON.stringify(this.chain);
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

  allTextContents() {
    return this.evaluateAll((found) => found.map((one) => one.textContent ?? ''));
  }

  innerText() {
    return this.evaluate((one) => one.innerText);
  }

  textContent() {
    return this.evaluate((one) => one.textContent);
  }

  inputValue() {
    return this.evaluate((one) => one.value);
  }

  getAttribute(name) {
    return this.evaluate((one, name) => one.getAttribute(name), name);
  }

  isEnabled() {
    return this.evaluate((one) => !one.matches(':disabled'));
  }

  async isDisabled() {
    return !(await this.isEnabled());
  }

  isChecked() {
    return this.evaluate((one) => one.checked);
  }

  isVisible() {
    return this.inPage.ask('[__inside.one(chain)].some((one) => one && __inside.isVisible(one))', {
      chain: this.chain,
    });
  }

  boundingBox() {
    return this.evaluate((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return width + height > 0 ? { x, y, width, height } : null;
    });
  }

  async waitFor({ state = 'visible', timeout = this.inPage.timeout } = {}) {
    const is = {
      visible: 'one && __inside.isVisible(one)',
      hidden: '!one || !__inside.isVisible(one)',
      attached: 'one',
      detached: '!one',
    }[state];
    const ask = `((one) => Boolean(${is}))(__inside.one(chain))`;
    await until(`${this} ${state}`, timeout, () => this.inPage.ask(ask, { chain: this.chain }));
  }

  async scrollIntoViewIfNeeded() {
    await this.evaluate((one) => globalThis.__inside.reveal(one));
  }

  async focus() {
    await this.evaluate((one) => one.focus());
  }

  async fill(text) {
    await this.evaluate((one, text) => globalThis.__inside.fill(one, text), text);
  }

  async press(key) {
    await this.focus();
    await this.inPage.keyboard.press(key);
  }

  /** Waits until a click would reach it. */
  async #target() {
    let why = '';
    const look = async () => {
      const at = await this.inPage.ask('__inside.target(chain)', { chain: this.chain });
      why = at.why;
      return !why && at;
    };
    try {
      return await until(`a click on ${this}`, this.inPage.timeout, look);
    } catch (error) {
      if (why) error.message += `: ${why}`;
      throw error;
    }
  }

  async hover() {
    const { x, y } = await this.#target();
    await this.inPage.mouse.move(x, y);
  }

  async click(options) {
    const { x, y } = await this.#target();
    await this.inPage.mouse.click(x, y, options);
  }

  async dblclick() {
    const { x, y } = await this.#target();
    await this.inPage.mouse.dblclick(x, y);
  }

  async check() {
    if (!(await this.isChecked())) await this.click();
    await until(`${this} checked`, this.inPage.timeout, () => this.isChecked());
  }
}

export class Page extends Finder {
  timeout = 10_000;
  #heard = new Map();
  #downloads = [];
  #url = 'about:blank';

  /** @param {Context} context @param {string} handle */
  constructor(context, handle) {
    super(/** @type {any} */ (undefined), []);
    this.inPage = this;
    this.handle = handle;
    this.in = context;
    this.backend = context.browser.backend;
    this.keyboard = new Keyboard(this);
    this.mouse = new Mouse(this);
    this.touchscreen = { tap: (x, y) => this.#tap(x, y) };
    this.backend.listeners?.set(handle, (event, what) => this.#emit(event, what));
  }

  on(event, listener) {
    if (!['console', 'pageerror', 'request', 'dialog', 'popup'].includes(event))
      throw new Error(`no event ${event}`);
    this.#heard.set(event, [...(this.#heard.get(event) ?? []), listener]);
  }

  #emit(event, what) {
    if (event === 'download ends') this.#downloads.push(what);
    for (const listener of this.#heard.get(event) ?? []) listener(what);
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

  /**
   * What an expression with `chain` and `arg` says in the page.
   *
   * @param {string} expression
   * @param {{ chain?: Step[], arg?: unknown }} [given]
   */
  async ask(expression, given = {}) {
    const source = `async (json) => {
      if (!window.__inside) return '';
      return __inside.answer(json, async ({ chain, arg }) => ${expression});
    }`;
    const json = encode(given);
    let text = await this.backend.call(this.handle, source, json);
    if (!text) {
      const hears = !this.backend.listeners;
      await this.backend.call(
        this.handle,
        `async () => { if (!window.__inside) { ${await insideScript()}; ${hears && '__inside.hear();'} } return '' }`,
        '',
      );
      text = await this.backend.call(this.handle, source, json);
    }
    const { href, value, error, said = [] } = decode(text);
    this.#url = href;
    for (const { event, text } of said) {
      if (event === 'pageerror') this.#emit(event, new Error(text));
      else if (event === 'request') this.#emit(event, { url: () => text });
      else this.#emit('console', { type: () => event, text: () => text });
    }
    if (error) throw Object.assign(new InPage(`${error.name}: ${error.message}`), { stack: error.stack });
    return value;
  }

  async evaluate(work, arg) {
    return this.ask(`${worker(work)}(arg)`, { arg });
  }

  async goto(url) {
    const before = await this.evaluate('performance.timeOrigin');
    await this.backend.go(this.handle, url);
    await this.#loaded(before);
  }

  async #loaded(before) {
    await until('another document', 30_000, async () => {
      const [origin, state] = await this.evaluate('[performance.timeOrigin, document.readyState]');
      return origin !== before && state === 'complete';
    });
  }

  async reload() {
    const loaded = this.waitForEvent('load');
    await this.evaluate('void setTimeout(() => location.reload())');
    await loaded;
  }

  /** @param {'load' | 'download'} event */
  async waitForEvent(event) {
    if (event === 'load') return this.#loaded(await this.evaluate('performance.timeOrigin'));
    if (event !== 'download') throw new Error(`${event} is no event here.`);
    const before = this.#downloads.length;
    const look = (await this.backend.download?.(this.handle)) ?? (() => this.#downloads[before]);
    return until('a download', this.timeout, async () => {
      const file = await look();
      return file && { suggestedFilename: () => path.basename(file), path: async () => file };
    });
  }

  /**
   * Requests that end like this are on their way and stay so: nothing else can be done with one here.
   *
   * @param {string} glob @param {() => void} handler does nothing
   */
  async route(glob, handler) {
    if (!/^\(\) => \{\s*\}$/.test(String(handler))) throw new Error('Requests can only be held here.');
    this.#held = await this.backend.hold(this.handle, glob.replace(/^\*\*/, ''));
  }

  async unroute() {
    await this.#held?.();
  }

  #held;

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

  async bringToFront() {
    await this.backend.activate(this.handle);
  }

  async setViewportSize(size) {
    await this.backend.size(this.handle, size);
    this.size = size;
  }

  viewportSize() {
    return this.size;
  }

  /** By the style of the root, which is what everything here goes by; without motion, by a style that stops it. */
  async emulateMedia({ colorScheme, reducedMotion, ...others }) {
    if (Object.keys(others).length > 0) throw new Error(`There is no ${Object.keys(others)} here.`);
    await this.evaluate(
      ({ colorScheme, isStill }) => {
        document.documentElement.style.colorScheme = colorScheme;
        if (!isStill) return;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(
          '*, ::before, ::after { transition: none !important; animation: none !important; }',
        );
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      },
      { colorScheme, isStill: reducedMotion === 'reduce' },
    );
  }

  async screenshot({ path: file, fullPage = false } = {}) {
    const picture = Buffer.from(await this.backend.picture(this.handle, fullPage), 'base64');
    if (file) writeFileSync(file, picture);
    return picture;
  }

  /** @param {object} source of input, with its actions */
  async perform(source) {
    await this.backend.perform(this.handle, source);
  }

  async #tap(x, y) {
    await this.perform({
      type: 'pointer',
      id: 'finger',
      parameters: { pointerType: 'touch' },
      actions: [at(x, y), { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }],
    });
  }

  async close() {
    await this.backend.close(this.handle);
    this.in.known.delete(this.handle);
  }
}

const at = (x, y) => ({ type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 });

class Mouse {
  #at = { x: 0, y: 0 };

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  #perform(...actions) {
    const parameters = { pointerType: 'mouse' };
    return this.page.perform({ type: 'pointer', id: 'mouse', parameters, actions });
  }

  async move(x, y, { steps = 1 } = {}) {
    const from = this.#at;
    const moves = Array.from({ length: steps }, (_, i) =>
      at(from.x + ((x - from.x) * (i + 1)) / steps, from.y + ((y - from.y) * (i + 1)) / steps),
    );
    this.#at = { x, y };
    await this.#perform(...moves);
  }

  async down({ button = 'left' } = {}) {
    await this.#perform({ type: 'pointerDown', button: BUTTONS[button] });
  }

  async up({ button = 'left' } = {}) {
    await this.#perform({ type: 'pointerUp', button: BUTTONS[button] });
  }

  async click(x, y, { button = 'left', clickCount = 1, delay: held = 0 } = {}) {
    this.#at = { x, y };
    const press = [
      { type: 'pointerDown', button: BUTTONS[button] },
      ...(held ? [{ type: 'pause', duration: held }] : []),
      { type: 'pointerUp', button: BUTTONS[button] },
    ];
    await this.#perform(at(x, y), ...Array(clickCount).fill(press).flat());
  }

  async dblclick(x, y) {
    await this.click(x, y, { clickCount: 2 });
  }

  async wheel(deltaX, deltaY) {
    const { x, y } = this.#at;
    const scroll = { type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX, deltaY, duration: 0 };
    await this.page.perform({ type: 'wheel', id: 'wheel', actions: [scroll] });
  }
}

const BUTTONS = { left: 0, middle: 1, right: 2 };

/** As the protocol writes them. */
const KEYS = {
  Alt: '\ue00a',
  ArrowDown: '\ue015',
  ArrowLeft: '\ue012',
  ArrowRight: '\ue014',
  ArrowUp: '\ue013',
  Backspace: '\ue003',
  Control: '\ue009',
  Delete: '\ue017',
  End: '\ue010',
  Enter: '\ue006',
  Escape: '\ue00c',
  Home: '\ue011',
  Meta: '\ue03d',
  PageDown: '\ue00f',
  PageUp: '\ue00e',
  Shift: '\ue008',
  Space: ' ',
  Tab: '\ue004',
};

const value = (key) => {
  const found = KEYS[key] ?? key;
  if ([...found].length !== 1) throw new Error(`There is no key ${key} here.`);
  return found;
};

class Keyboard {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  #perform(...actions) {
    return this.page.perform({ type: 'key', id: 'keyboard', actions });
  }

  async down(key) {
    await this.#perform({ type: 'keyDown', value: value(key) });
  }

  async up(key) {
    await this.#perform({ type: 'keyUp', value: value(key) });
  }

  /** @param {string} keys for example `Alt+Shift+A` */
  async press(keys) {
    const values = (keys.match(/.[^+]*/g) ?? []).map((key) => value(key.replace(/^\+(?=.)/, '')));
    await this.#perform(
      ...values.map((value) => ({ type: 'keyDown', value })),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    );
  }

  async type(text) {
    await this.#perform(
      ...[...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value }))),
    );
  }
}
