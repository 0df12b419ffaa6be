// Tests of presses: a new page for each of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { waiting } from '../support/contexts.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { contexts } from './browser.mjs';
import { PressPage } from './press-page.mjs';

/** @import { BrowserContextOptions } from 'playwright-core' */
/** @typedef {BrowserContextOptions & { search?: string }} Options */

export { waiting };

/**
 * A test in a page of its own. What has to come early cannot always do so on a machine that is busy with something
 * else: where the page itself saw that it came late, a failure shows nothing, and the test is tried again.
 *
 * @param {string} name
 * @param {(t: PressPage) => Promise<void>} work
 * @param {Options} [options]
 */
export function inPage(name, work, options) {
  /** @param {number} tries */
  const attempt = async (tries) => {
    const page = await PressPage.open(contexts, options);
    /** @type {Error[]} */
    const errors = [];
    page.page.on('pageerror', (error) => errors.push(error));
    try {
      await work(page);
      assert.deepEqual(errors, []);
    } catch (error) {
      if (tries === 0 || !(await page.wasLate())) throw error;
      await attempt(tries - 1);
    } finally {
      await page.close();
    }
  };
  if (runsHere(name)) test(name, () => attempt(3));
}
