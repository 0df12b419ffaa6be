// Writes pictures of the demo: node tests/demo/screenshots.mjs <folder> [scene…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../../www/server/http.mjs';
import { launchChromium } from '../support/chromium.mjs';
import { Demo } from './drive.mjs';

const [folder, ...only] = process.argv.slice(2);
if (!folder) throw new Error('Say where to: node tests/demo/screenshots.mjs <folder> [scene…]');
mkdirSync(folder, { recursive: true });

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 320, height: 780 } };

/** Those of the page in Vue. */
const IN_VUE = ['batch-asking', 'denied', 'grant-used', 'record-draft'];

/** Those of a page without a chat. */
const RULES_PAGES = ['rules-page', 'rules-page-broken', 'rules-page-opened'];

/** Each may end in another tab. @type {Record<string, (demo: Demo) => Promise<void | Demo>>} */
const SCENES = {
  start: async () => {},
  superseded: async (demo) => {
    await demo.start('Two deletes', { guarded: true });
    await demo.button('draft.md', 'Deny').waitFor();
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
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
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
    await demo.button('draft.md', 'Deny').waitFor();
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
  'batch-asking': async (demo) => {
    await demo.start('Several calls', { guarded: true });
    await demo.button('cache.log', 'Deny').waitFor();
    await demo.lasting('cache.log', 'Deny');
    await demo.answer('notes.md', 'Allow once');
  },
  'batch-decided': async (demo) => {
    await demo.start('Several calls', { guarded: true });
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
  },
  'batch-sent': async (demo) => {
    await demo.start('Several calls', { guarded: true });
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
    await demo.click('Send 3 decisions');
    await demo.reads('cache.log ran and returned');
  },
  'grant-asking': async (demo) => {
    await demo.start('A grant', { guarded: true });
    await demo.button('printer', 'Deny').waitFor();
    await demo.lasting('printer', 'Deny');
  },
  'grant-drafted': async (demo) => {
    await demo.start('A grant', { guarded: true });
    await demo.button('printer', 'Deny').waitFor();
    await demo.press(await demo.lasting('Water the plants', 'Allow for this chat: every write_note call'));
  },
  'grant-used': async (demo) => {
    await demo.start('A grant', { guarded: true });
    await demo.button('printer', 'Deny').waitFor();
    await demo.press(await demo.lasting('Water the plants', 'Allow for this chat: every write_note call'));
    await demo.click('Send 4 decisions');
    await demo.reads('write_note on cache.log ran and returned');
    await demo.openGrants();
  },
  'expiry-warned': async (demo) => {
    await demo.start('An expiring', { guarded: true });
    await demo.button('cache.log', 'Keep waiting').waitFor();
  },
  expired: async (demo) => {
    await demo.start('An expiring', { guarded: true });
    await demo.button('cache.log', 'Allow once').waitFor();
    await demo.page.clock.fastForward('01:00');
    await demo.reads('No one answered');
  },
  rules: async (demo) => {
    await demo.start('Rules', { guarded: true });
    await demo.button('cache.log', 'Deny').waitFor();
  },
  'rules-page': async (demo) => {
    await demo.page.getByRole('table').first().waitFor();
  },
  'rules-page-broken': async (demo) => {
    const editor = demo.page.getByRole('textbox').first();
    await editor.fill((await editor.inputValue()).replace('bash:ls *', 'bash: ls *'));
    await demo.page.waitForTimeout(500);
  },
  'rules-page-opened': async (demo) => {
    await demo.page.getByRole('button', { expanded: false }).nth(2).click();
  },
  looping: async (demo) => {
    await denyThreeTimes(demo);
  },
  stopped: async (demo) => {
    await denyThreeTimes(demo);
    await demo.click('Stop the assistant');
  },
  refused: async (demo) => {
    await denyThreeTimes(demo);
    await demo.press(await demo.lasting('notes.md', "Deny, and don't ask again"));
    await demo.reads('I leave it alone');
  },
  'record-draft': async (demo) => {
    await openRecord(demo);
    await demo.answer('notes.md', 'Allow once');
    await demo.reload();
    await demo.says('1 decision needed');
  },
  'record-unsent': async (demo) => {
    await openRecord(demo);
    await demo.page.getByRole('checkbox', { name: 'The server is down' }).check();
    await demo.answer('notes.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
    await demo.reload();
    await demo.says('Decided before this page was opened, and perhaps not sent');
  },
  'record-other-tab': async (demo) => {
    await openRecord(demo);
    const other = await demo.secondTab();
    await other.says('2 decisions needed');
    await demo.page.bringToFront();
    await answerRecord(demo);
    await other.card('cache.log').getByText('Allowed in another tab').waitFor();
    return other;
  },
  'record-intact': async (demo) => {
    await openRecord(demo);
    await answerRecord(demo);
    await demo.click('Send');
    await demo.answer('Water the plants', 'Deny');
    await demo.received(4);
    await demo.idle();
    await demo.click('Verify');
    await demo.page.getByText('Intact.').waitFor();
  },
  'record-broken': async (demo) => {
    await openRecord(demo);
    await answerRecord(demo);
    await demo.click('Verify');
    const area = demo.page.getByLabel('The export');
    await area.fill((await area.inputValue()).replace('"approved":false', '"approved":true'));
    await demo.click('Verify again');
    await demo.page.getByText('Broken at line').waitFor();
  },
};

/** @param {Demo} demo */
async function openRecord(demo) {
  await demo.start('The record', { guarded: true });
  await demo.button('cache.log', 'Deny').waitFor();
  await demo.idle();
}

/** @param {Demo} demo */
async function answerRecord(demo) {
  await demo.answer('notes.md', 'Deny');
  await demo.answer('cache.log', 'Allow once');
  await demo.reads('cache.log ran and returned');
  await demo.idle();
}

/** @param {Demo} demo */
async function denyThreeTimes(demo) {
  await demo.start('A looping', { guarded: true });
  for (let request = 2; request < 5; request++) {
    await demo.answer('notes.md', 'Deny');
    await demo.received(request);
    await demo.idle();
  }
  await demo.button('notes.md', 'Deny').waitFor();
}

const server = await serve({ port: 0, host: '127.0.0.1' });
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const scenes = Object.entries(SCENES).flatMap(([scene, play]) => [
      { scene, play, path: RULES_PAGES.includes(scene) ? 'rules.html' : '' },
      ...(IN_VUE.includes(scene) ? [{ scene: `vue-${scene}`, play, path: 'vue.html' }] : []),
    ]);
    for (const { scene, play, path } of scenes) {
      if (only.length > 0 && !only.includes(scene)) continue;
      const demo = await Demo.open(browser, server.url, {
        viewport,
        path,
        colorScheme,
        deviceScaleFactor: 1.25,
        clock: scene === 'expired',
      });
      const shown = (await play(demo)) ?? demo;
      if (path !== 'rules.html') await shown.settle();
      await shown.page.mouse.move(0, 0);
      const file = join(folder, `${scene}-${size}-${colorScheme}.png`);
      await shown.page.screenshot({ path: file, fullPage: true });
      await demo.close();
    }
  }
}
await browser.close();
await server.close();
