// What axe-core finds on a page of the demo.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isBroad } from '../support/breadth.mjs';

import { browserName } from '../support/browsers.mjs';

/** @import { Page } from 'playwright-core' */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The colours in which a page is looked at: both in a broad run. @param {number} width @returns {('light' | 'dark')[]} */
export const schemesAt = (width) => (isBroad ? ['light', 'dark'] : [width < 400 ? 'dark' : 'light']);

/**
 * Shows the page in light or dark colours. Without motion, because axe would judge a colour that is on its way to
 * another one. Where no driver can say so, it is said by the style of the root, which is what the page goes by.
 *
 * @param {Page} page
 * @param {'light' | 'dark'} colorScheme
 */
export async function showIn(page, colorScheme) {
  if (browserName === 'chromium') return page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.evaluate((colorScheme) => {
    document.documentElement.style.colorScheme = colorScheme;
    const still = new CSSStyleSheet();
    still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  }, colorScheme);
}

/**
 * What axe finds, one line for each element. A contrast that axe cannot tell counts as well, because somebody would
 * have to look. It does not count in the editor, where the text lies on its own marks: the remarks below it have the
 * same colours.
 *
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function findings(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`(() => {${axe}})()`);
  return page.evaluate(`axe
    .run(document, { rules: { 'target-size': { enabled: true } } })
    .then(({ violations, incomplete }) => {
      const unsure = incomplete
        .filter(({ id }) => id === 'color-contrast')
        .map(({ id, nodes }) => ({
          id,
          nodes: nodes.filter(({ target }) => !document.querySelector(target[0]).closest('.editor')),
        }));
      return [...violations, ...unsure].flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => [id, html.slice(0, 160), ...any.map(({ message }) => message)].join(' | ')),
      );
    })`);
}
