// axe-core finds nothing in any state: light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findings } from './axe.mjs';
import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';

const OPENED = '[part~="more"], [part~="fold"], summary';

describe('axe-core finds nothing', together, () => {
  const { play } = stage();

  it('but would find a colour that is too weak, and a button without a name', () =>
    play('asking-one', async (scene) => {
      await scene.page.evaluate(() => {
        const root = stage.scene.queue.shadowRoot;
        root.querySelector('h3').style.color = '#ccc';
        root.querySelector('h3').style.background = '#fff';
        root.querySelector('[part~="deny"]').textContent = '';
      });
      const found = (await findings(scene)).map((line) => line.split(' | ')[1]);
      assert.ok(found.includes('color-contrast'), found.join());
      assert.ok(found.includes('button-name'), found.join());
    }));

  for (const state of Object.keys(STATES)) {
    it(`in the state ${state}`, () =>
      play(state, async (scene) => {
        const seen = [];
        for (const width of [1280, 320]) {
          for (const colorScheme of ['light', 'dark']) {
            await scene.page.setViewportSize({ width, height: 900 });
            await scene.page.emulateMedia({ colorScheme });
            await scene.drawn();
            for (const line of await findings(scene)) seen.push(`${width} ${colorScheme}: ${line}`);
          }
        }
        // With everything open that can be opened.
        const opened = await scene
          .queue()
          .locator(OPENED)
          .evaluateAll((buttons) => {
            const shown = buttons.filter((button) => button.checkVisibility({ visibilityProperty: true }));
            for (const button of shown) button.click();
            return shown.length;
          });
        if (opened > 0) {
          for (const colorScheme of ['light', 'dark']) {
            await scene.page.emulateMedia({ colorScheme });
            await scene.drawn();
            for (const line of await findings(scene)) seen.push(`opened ${colorScheme}: ${line}`);
          }
        }
        assert.deepEqual(seen, []);
      }));
  }
});
