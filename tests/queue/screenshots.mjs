// Writes pictures of the queue: node tests/queue/screenshots.mjs <folder> [state…]
// Beside the single pictures there is one sheet for each state: light and dark, wide and narrow.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { launchChromium } from '../support/chromium.mjs';
import { Contexts } from '../support/contexts.mjs';
import { openAll } from './fit.mjs';
import { Scene } from './scene.mjs';
import { servePage } from './serve.mjs';
import { STATES } from './states.mjs';

const [folder, ...only] = process.argv.slice(2);
if (!folder) throw new Error('Say where to: node tests/queue/screenshots.mjs <folder> [state…]');
mkdirSync(folder, { recursive: true });

const SIZES = { wide: 1280, narrow: 320 };
/** States of which there is a second picture, with everything open. */
const OPENED = ['asking-one', 'same-tool', 'dangerous', 'long-values', 'grants', 'many-fields', 'equal'];

const page = await servePage();
const browser = await launchChromium();
const contexts = new Contexts(browser);
const sheets = await browser.newPage({ viewport: { width: 1180, height: 600 } });

const VIEWS = [
  ...Object.keys(STATES).map((state) => ({ name: state, state })),
  ...OPENED.map((state) => ({ name: `${state}-open`, state, open: true })),
  { name: 'arabic', state: 'dangerous', more: { catalogue: 'ar' }, dir: 'rtl' },
  { name: 'arabic-editing', state: 'editing', more: { catalogue: 'ar' }, dir: 'rtl' },
  { name: 'arabic-equal', state: 'equal', more: { catalogue: 'ar' }, dir: 'rtl' },
  { name: 'german-equal', state: 'equal', more: { catalogue: 'de' } },
  { name: 'german', state: 'drafted', more: { catalogue: 'de' } },
];

for (const { name, state, open, more, dir } of VIEWS) {
  if (only.length > 0 && !only.includes(name)) continue;
  const pictures = [];
  for (const [size, width] of Object.entries(SIZES)) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const scene = await Scene.open(contexts, page.url, undefined, { width, height: 700, colorScheme });
      if (dir) await scene.page.evaluate((dir) => void (document.documentElement.dir = dir), dir);
      await scene.show(state, more);
      if (open) await openAll(scene);
      await scene.wait(150);
      const path = join(folder, `${name}-${size}-${colorScheme}.png`);
      // The column of a wide page, and all of a narrow one.
      const main = await scene.page.locator('main').boundingBox();
      const height = Math.min(Math.ceil(main.y + main.height), 4000);
      const clip =
        size === 'wide'
          ? { x: main.x - 8, y: 0, width: main.width + 16, height }
          : { x: 0, y: 0, width, height };
      await scene.page.screenshot({ path, fullPage: true, clip });
      pictures.push({ path, width: clip.width });
      if (scene.errors.length > 0)
        console.log(name, size, colorScheme, new Set(scene.errors.map((line) => line.split('\n')[0])));
      await scene.close();
    }
  }
  const images = pictures
    .map(({ path, width }) => {
      const data = readFileSync(path).toString('base64');
      return `<img width="${Math.round(width * 0.72)}" src="data:image/png;base64,${data}">`;
    })
    .join('');
  await sheets.setContent(
    `<style>body{margin:8px;background:#888;font:14px sans-serif;display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start}
     h1{width:100%;margin:0;font-size:16px}</style><h1>${name}</h1>${images}`,
  );
  await sheets.screenshot({ path: join(folder, `sheet-${name}.png`), fullPage: true });
  console.log(name);
}
await browser.close();
await page.close();
