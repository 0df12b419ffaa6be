// Writes pictures of the demo: node tests/demo/screenshots.mjs <folder>
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../../www/server/http.mjs';
import { launchChromium } from '../support/chromium.mjs';
import { Demo } from './drive.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('Say where to: node tests/demo/screenshots.mjs <folder>');
mkdirSync(folder, { recursive: true });

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 780 } };

/** @type {Record<string, (demo: Demo) => Promise<void>>} */
const SCENES = {
  start: async () => {},
  superseded: async (demo) => {
    await demo.start('Two deletes', { guarded: true });
    await demo.card('draft.md').getByRole('button', { name: 'Deny' }).waitFor();
    await demo.page.getByLabel('Message').fill('Never mind. What happened?');
    await demo.settle();
    await demo.click('Send');
    await demo.received(2);
  },
  stock: async (demo) => {
    await demo.start('Two deletes', { guarded: false });
    await demo.answer('notes.md', 'Deny');
    await demo.answer('draft.md', 'Allow once');
    await demo.reads('draft.md ran and returned');
  },
  chain: async (demo) => {
    await demo.start('Three steps', { guarded: false });
    await demo.answer('Write to', 'Allow once');
    await demo.answer('Rename', 'Deny');
    await demo.answer('Delete', 'Allow once');
    await demo.reads('cache.log ran and returned');
  },
  picked: async (demo) => {
    await demo.start('A picker', { guarded: true });
    await demo.answer('cache.log', 'Allow once');
    await demo.answer('matters most', 'draft.md');
    await demo.answer('comes second', 'notes.md');
    await demo.received(3);
  },
  asking: async (demo) => {
    await demo.start('Two deletes', { guarded: true });
    await demo.card('draft.md').getByRole('button', { name: 'Deny' }).waitFor();
  },
  picking: async (demo) => {
    await demo.start('A picker', { guarded: true });
    await demo.answer('cache.log', 'Allow once');
  },
  denied: async (demo) => {
    await demo.start('Two deletes', { guarded: true });
    await demo.answer('notes.md', 'Deny');
    await demo.answer('draft.md', 'Allow once');
    await demo.reads('ran and returned');
  },
  loop: async (demo) => {
    await demo.start('An empty', { guarded: false });
    await demo.answer('notes.md', 'Allow once');
    await demo.reads('ran and returned');
  },
  failed: async (demo) => {
    await demo.start('A failing', { guarded: true });
    await demo.answer('cache.log', 'Allow once');
    await demo.page.getByRole('alert').waitFor();
  },
};

const server = await serve({ port: 0, host: '127.0.0.1' });
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const [scene, play] of Object.entries(SCENES)) {
      const demo = await Demo.open(browser, server.url, { viewport, colorScheme, deviceScaleFactor: 1.25 });
      await play(demo);
      await demo.settle();
      await demo.page.mouse.move(0, 0);
      const path = join(folder, `${scene}-${size}-${colorScheme}.png`);
      await demo.page.screenshot({ path, fullPage: true });
      await demo.close();
    }
  }
}
await browser.close();
await server.close();
