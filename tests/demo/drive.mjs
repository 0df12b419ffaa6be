/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

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

  /** @param {Browser} browser @param {string} url @param {BrowserContextOptions} [options] */
  static async open(browser, url, options) {
    const context = await browser.newContext(options);
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

  /** @param {string} title @param {string} button */
  async answer(title, button) {
    await this.card(title).last().getByRole('button', { name: button, exact: true }).click();
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

  /** Long enough for one more request, if one were to come. */
  async settle() {
    await this.page.waitForTimeout(700);
  }

  async close() {
    await this.page.context().close();
  }
}
