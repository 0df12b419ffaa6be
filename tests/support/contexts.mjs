// Browser contexts that several tests use one after the other: making one takes longer than most tests.
import { browserName } from './browsers.mjs';

/** @import { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core' */

/** For a `describe` whose tests have pages of their own. Only in Chromium can several of them have the focus. */
export const together = { concurrency: browserName === 'chromium' ? 3 : 1 };

/** The same for tests that wait almost all of their time. */
export const waiting = { concurrency: browserName === 'chromium' ? 6 : 1 };

export class Contexts {
  #browser;
  #used = 0;
  /** @type {(() => void)[]} */
  #waiting = [];
  /** Those that nobody uses, by their options. @type {Map<string, BrowserContext[]>} */
  #idle = new Map();
  /** @type {WeakMap<BrowserContext, string>} */
  #options = new WeakMap();

  /** @param {Browser} browser */
  constructor(browser) {
    this.#browser = browser;
  }

  /** A context with these options, as soon as there are not too many. @param {BrowserContextOptions} options */
  async take(options) {
    if (this.#used < waiting.concurrency) this.#used += 1;
    else
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => this.#waiting.push(resolve));
    const key = JSON.stringify(options);
    try {
      const context = this.#idle.get(key)?.pop() ?? (await this.#browser.newContext(options));
      this.#options.set(context, key);
      return context;
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  /**
   * The test is done with it. What is no longer as it was made is closed and not used again.
   *
   * @param {BrowserContext} context
   * @param {boolean} unchanged
   */
  async give(context, unchanged) {
    try {
      const key = this.#options.get(context) ?? '';
      // The other drivers are not known to leave nothing behind.
      if (!unchanged || browserName !== 'chromium') await context.close();
      else this.#idle.set(key, [...(this.#idle.get(key) ?? []), context]);
    } finally {
      this.#free();
    }
  }

  #free() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#used -= 1;
  }
}
