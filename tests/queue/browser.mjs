// One browser for all tests of a process.
import { after, before } from 'node:test';

import { launchBrowser } from '../support/browsers.mjs';
import { Contexts } from '../support/contexts.mjs';

/** @type {Awaited<ReturnType<typeof launchBrowser>>} */
let browser;
/** @type {Contexts} */
export let contexts;

before(async () => {
  browser = await launchBrowser();
  contexts = new Contexts(browser);
});
after(() => browser?.close());
