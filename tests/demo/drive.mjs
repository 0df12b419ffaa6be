/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** @param {string} text */
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The demo as a person sees it: everything is found by what it says, and done by a click. */
export class Demo {
  /** @type {string[]} */
  errors = [];

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
   * @param {string} url
   * @param {BrowserContextOptions & { clock?: boolean }} [options] `clock`: its time can be put forward
   */
  static async open(browser, url, { clock = false, ...options } = {}) {
    const context = await browser.newContext(options);
    if (clock) await context.clock.install();
    const demo = new Demo(await context.newPage(), url);
    demo.page.setDefaultTimeout(10_000);
    await demo.page.goto(url);
    return demo;
  }

  /** @param {string} scenario @param {{ guarded: boolean }} options */
  async start(scenario, { guarded }) {
    await this.page.getByRole('radio', { name: scenario }).check();
    await this.page.getByRole('radio', { name: guarded ? 'With the guard' : 'Without the guard' }).check();
    await this.click('Send');
  }

  /** @param {string} name */
  async click(name) {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** @param {string} title what the card says */
  card(title) {
    return this.page.locator('.card', { hasText: title });
  }

  /**
   * A button of the newest card with this title. With the guard its name goes on with the tool.
   *
   * @param {string} title
   * @param {string} button what it says
   */
  button(title, button) {
    return this.card(title)
      .last()
      .getByRole('button', { name: new RegExp(`^${escape(button)}($| )`) });
  }

  /** @param {string} title @param {string} button */
  async answer(title, button) {
    await this.button(title, button).click();
  }

  /** What stands in the bar for all decisions. */
  bar() {
    return this.page.getByRole('region', { name: 'Decisions' });
  }

  /** What the person answered for longer. */
  grants() {
    return this.page.getByRole('region', { name: 'What you answered for longer' });
  }

  /** What the focused element says, and whether it is a button. */
  focused() {
    return this.page.evaluate(() => {
      const { tagName = '', textContent = '' } = document.activeElement ?? {};
      return `${tagName.toLowerCase()} ${textContent?.trim()}`;
    });
  }

  /**
   * Watches whether a card with this title ever asks, if only for a moment.
   *
   * @param {string} title
   * @returns {Promise<() => Promise<string[]>>} what it has seen so far: each new state of such a card
   */
  async watch(title) {
    await this.page.evaluate((title) => {
      /** @type {string[]} */
      const seen = [];
      const look = () => {
        for (const card of document.querySelectorAll('.card')) {
          if (!card.textContent?.includes(title)) continue;
          const asks = [...card.querySelectorAll('button')].some((button) =>
            /^(Deny|Allow)/.test(button.textContent ?? ''),
          );
          const state = asks ? 'open' : 'closed';
          if (seen.at(-1) !== state) seen.push(state);
        }
      };
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
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
    const deadline = Date.now() + 10_000;
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

  /** Long enough for one more request, if one were to come. */
  async settle() {
    await this.page.waitForTimeout(700);
  }

  async close() {
    await this.page.context().close();
  }
}
