import { browserName } from '../support/browsers.mjs';
import { installStanding, SETTLED_MS } from '../support/standing.mjs';

/** @import { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core' */

/** @param {string} text */
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Beside other work, WebKit says much later that a button is in view. */
const STILL_MS = browserName === 'webkit' ? 2_000 : SETTLED_MS;

/** @param {Browser} browser @param {BrowserContextOptions & { clock: boolean }} options */
async function newPage(browser, { clock, ...options }) {
  const context = await browser.newContext(options);
  if (clock) await context.clock.install();
  if (browserName === 'chromium')
    await context.addInitScript(`window.standing = (${installStanding})(${SETTLED_MS})`);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

/** The demo as a person sees it: everything is found by what it says, and done by a click. */
export class Demo {
  /** @type {string[]} */
  errors = [];
  /** Whether its time can be put forward. */
  #hasClock = false;
  #isStopped = false;

  /** @param {Page} page @param {string} url */
  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text());
    });
  }

  /**
   * @param {Browser} browser
   * @param {string} url of the server
   * @param {BrowserContextOptions & { clock?: boolean, path?: string }} [options] `clock`: its time can be
   *   put forward; `path`: of another page than the first
   * @param {Page} [left] that another scene has left
   */
  static async open(browser, url, { clock = false, path = '', ...options } = {}, left) {
    const page = left ?? (await newPage(browser, { clock, ...options }));
    const demo = new Demo(page, url);
    demo.#hasClock = clock;
    if (left && options.viewport) await page.setViewportSize(options.viewport);
    if (left) await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await page.goto(`${url}${path}`);
    return demo;
  }

  /** Leaves the page for another scene: nothing is stored, and nobody listens. @returns {Promise<Page>} */
  async leave() {
    const { page } = this;
    const context = page.context();
    for (const other of context.pages()) if (other !== page) await other.close();
    page.removeAllListeners('pageerror').removeAllListeners('console');
    await page.unrouteAll();
    // What a page stores when it is left is stored by then.
    // A page that is not there would be a line in the console, which may come when the next scene listens.
    const body = '<!doctype html><link rel="icon" href="data:," />';
    await page.route('**/nothing', (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${this.url}nothing`);
    await page.unrouteAll();
    const session = await context.newCDPSession(page);
    const { origin } = new URL(this.url);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    return page;
  }

  /** @param {string} scenario @param {{ guarded: boolean }} options the page in Vue always has the guard */
  async start(scenario, { guarded }) {
    await this.choose(scenario);
    if (!this.isQueued) {
      await this.page.getByRole('radio', { name: guarded ? 'With the guard' : 'Without the guard' }).check();
    }
    await this.click('Send');
  }

  /** Chooses a scenario: in the menu of a narrow page, else in the tabs. @param {string} scenario */
  async choose(scenario) {
    const menu = this.page.getByRole('combobox', { name: 'Scenario' });
    if (await menu.isVisible()) {
      const label = await menu.locator('option', { hasText: scenario }).textContent();
      await menu.selectOption({ label: label ?? '' });
    } else await this.page.getByRole('radio', { name: scenario }).check();
  }

  /** @param {string} name */
  async click(name) {
    await this.press(this.page.getByRole('button', { name, exact: true }));
  }

  /** A click, and in the queue one that takes its time. @param {Locator} button */
  async press(button) {
    // Of several pages, a person presses in the one in front; in a browser that has a real focus, no other one counts it.
    if (this.page.context().pages().length > 1) await this.page.bringToFront();
    await this.settled(button);
    await button.click();
  }

  /** Waits, as a person does who reads, until a button of the queue would count. @param {Locator} button */
  async settled(button) {
    const settled = this.#look(button);
    let isOver = !this.#isStopped;
    const over = () => void (isOver = true);
    settled.then(over, over);
    // A stopped clock goes on for as long as the person reads.
    while (!isOver) await this.page.clock.runFor(20);
    await settled;
  }

  /** @param {Locator} button */
  async #look(button) {
    await button.scrollIntoViewIfNeeded();
    await button.evaluate(async (element, time) => {
      if (!(element.getRootNode() instanceof ShadowRoot)) return;
      if ('standing' in window) return window.standing(element);
      let place = '';
      for (let since = performance.now(); performance.now() - since < time;) {
        await new Promise(requestAnimationFrame);
        const now = document.hasFocus() ? JSON.stringify(element.getBoundingClientRect()) : 'behind';
        if (now !== place || now === 'behind') since = performance.now();
        place = now;
      }
    }, STILL_MS);
  }

  /** A call in the conversation, also while it is asked about there. @param {string} title what it says */
  card(title) {
    return this.page.locator('.card, .approval', { hasText: title });
  }

  queue() {
    return this.page.locator('tool-approval-queue');
  }

  /** Whether the calls are asked about in the queue, and not in the conversation. */
  get isQueued() {
    return new URL(this.page.url()).pathname.endsWith('vue.html');
  }

  /** A call that is asked about. @param {string} title what it says, or one of its inputs */
  request(title) {
    return this.page.locator('[part~="request"]', { hasText: title });
  }

  /**
   * A button of the newest request, or of the newest card, that speaks of this. In the queue its name
   * goes on with the tool.
   *
   * @param {string} title
   * @param {string} button what it says
   */
  button(title, button) {
    return this.page
      .locator('.card, [part~="request"]', { hasText: title })
      .getByRole('button', { name: new RegExp(`^${escape(button)}($| )`) })
      .last();
  }

  /** @param {string} title @param {string} button */
  async answer(title, button) {
    await this.press(this.button(title, button));
  }

  /** A choice that lasts, behind "More choices". @param {string} title @param {string} choice */
  async lasting(title, choice) {
    const request = this.request(title).first();
    const more = request.getByRole('button', { name: 'More choices' });
    if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
    return request.getByRole('button', { name: choice });
  }

  /** What the queue says now, and what was said so far. @param {string} heading @param {string} [status] */
  async says(heading, status) {
    await this.queue().locator('[part="heading"]').getByText(heading, { exact: true }).waitFor();
    if (status !== undefined) {
      await this.queue().locator('[part="status"]').getByText(status, { exact: true }).waitFor();
    }
  }

  /** What the person answered for longer. */
  grants() {
    return this.queue().locator('[part="grants"]');
  }

  /** Unfolds them. */
  async openGrants() {
    if ((await this.grants().getAttribute('open')) === null) await this.grants().locator('summary').click();
    return this.grants();
  }

  /** How wide the window is, a bar for scrolling included, and how much of the page does not fit into it. */
  widths() {
    return this.page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { window: innerWidth, cut: scrollWidth - clientWidth };
    });
  }

  /** What the focused element says, and whether it is a button. */
  focused() {
    return this.page.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      const { tagName = '', textContent = '' } = active ?? {};
      return `${tagName.toLowerCase()} ${textContent?.trim()}`;
    });
  }

  /**
   * Watches whether the page ever asks for a call with this title, if only for a moment.
   *
   * @param {string} title
   * @returns {Promise<() => Promise<string[]>>} what it has seen so far: each new state of such a call
   */
  async watch(title) {
    await this.page.evaluate((title) => {
      const elements = 'tool-approval-queue, tool-approval-card';
      if (!document.querySelector('tool-approval-queue')) throw new Error('there is no queue');
      /** @type {string[]} */
      const seen = [];
      /** @type {Set<Document | ShadowRoot>} */
      const watched = new Set();
      const look = () => {
        const inside = [...document.querySelectorAll(elements)].map(({ shadowRoot }) => shadowRoot);
        const roots = [document, ...inside].filter((root) => root !== null);
        for (const root of roots) {
          if (watched.has(root)) continue;
          watched.add(root);
          new MutationObserver(look).observe(root, {
            subtree: true,
            childList: true,
            characterData: true,
            attributes: true,
          });
        }
        const calls = roots
          .flatMap((root) => [...root.querySelectorAll('.card, [part~="request"]')])
          .filter((call) => call.textContent?.includes(title));
        if (calls.length === 0) return;
        const asks = calls.some((call) =>
          [...call.querySelectorAll('[part~="choice"]')].some((button) =>
            button.checkVisibility({ visibilityProperty: true }),
          ),
        );
        const state = asks ? 'open' : 'closed';
        if (seen.at(-1) !== state) seen.push(state);
      };
      look();
      Object.assign(window, { [`seen ${title}`]: seen });
    }, title);
    return () => this.page.evaluate((title) => Reflect.get(window, `seen ${title}`), title);
  }

  /** @param {string} text */
  async reads(text) {
    await this.page.locator('.message.assistant', { hasText: text }).waitFor();
  }

  /** What the server received and ran. @returns {Promise<import('../../www/shared/protocol.ts').SessionState>} */
  async state() {
    const chatId = await this.page.locator('main').getAttribute('data-chat-id');
    const response = await fetch(`${this.url}api/state?chat=${chatId}`);
    return response.json();
  }

  /** Waits until the server has received so many requests. @param {number} count */
  async received(count) {
    const deadline = Date.now() + 30_000;
    while ((await this.state()).requests.length < count) {
      if (Date.now() > deadline) throw new Error(`the server did not receive ${count} requests`);
      await this.page.waitForTimeout(50);
    }
  }

  /** Waits until no response streams. */
  async idle() {
    await this.page.locator('main[data-status="ready"]').waitFor();
  }

  /** @param {string} event @param {string} file */
  async inLedger(event, file) {
    await this.page
      .locator('.ledger li', { hasText: new RegExp(`${event} · \\S+ ${escape(file)}`) })
      .waitFor();
  }

  /**
   * From now on each request of the chat is on its way and stays so.
   *
   * @returns {Promise<() => Promise<void>>} lets the later ones through
   */
  async hold() {
    const place = '**/api/chat';
    await this.page.route(place, () => {});
    return () => this.page.unroute(place);
  }

  /** Loads the page again, with its button. */
  async reload() {
    const loaded = this.page.waitForEvent('load');
    await this.click('Reload the page');
    await loaded;
    await this.page.locator('main').waitFor();
  }

  /** Opens the same chat once more, with its button. */
  async secondTab() {
    const opened = this.page.context().waitForEvent('page');
    await this.click('Open a second tab');
    const tab = new Demo(await opened, this.url);
    tab.page.setDefaultTimeout(30_000);
    await tab.page.locator('main').waitFor();
    return tab;
  }

  /** Lets time pass for the page: with a clock of its own at once. @param {number} ms */
  async pass(ms) {
    await (this.#hasClock ? this.page.clock.runFor(ms) : this.page.waitForTimeout(ms));
  }

  /** What the clock of the page says, in milliseconds. @returns {Promise<number>} */
  now() {
    return this.page.evaluate(() => Date.now());
  }

  /** Stops the clock of the page, if it has one of its own. It may go on for a moment before, and for each press. */
  async stopTime() {
    this.#isStopped = this.#hasClock;
    // On a busy machine the clock may have passed the time before it is stopped there.
    for (let attempts = 10, stopped = !this.#hasClock; !stopped; attempts -= 1) {
      const time = (await this.now()) + 1_000;
      stopped = await this.page.clock.pauseAt(time).then(
        () => true,
        (error) => {
          if (attempts === 1 || !/to the past/.test(error.message)) throw error;
          return false;
        },
      );
    }
  }

  /** Sends the drafts, after which time goes on. @param {string} name of the button */
  async send(name) {
    await this.click(name);
    await this.resumeTime();
  }

  async resumeTime() {
    this.#isStopped = false;
    if (this.#hasClock) await this.page.clock.resume();
  }

  /** Long enough for one more request, if one were to come. */
  async settle() {
    await this.page.waitForTimeout(700);
  }

  async close() {
    await this.page.context().close();
  }
}
