// axe-core finds nothing in any state: light and dark, wide and narrow, each of them in a broad run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isBroad } from '../support/breadth.mjs';
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

  const WIDTHS = [1280, 320];
  const SCHEMES = /** @type {const} */ (['light', 'dark']);
  for (const [i, state] of Object.keys(STATES).entries()) {
    // A state that is not looked at in every way is looked at in one, and opened in another one.
    const widths = isBroad ? WIDTHS : [WIDTHS[i % 2]];
    const schemes = isBroad ? SCHEMES : [SCHEMES[(i >> 1) % 2]];
    const opened = isBroad ? SCHEMES : [SCHEMES[((i >> 1) + 1) % 2]];
    it(`in the state ${state}`, () =>
      play(state, async (scene) => {
        const seen = [];
        const look = async (what, schemes) => {
          for (const [j, colorScheme] of schemes.entries()) {
            await scene.page.emulateMedia({ colorScheme });
            await scene.drawn();
            // Of what axe looks at, only the contrasts depend on the colours.
            const found = await findings(scene, j > 0 ? ['color-contrast'] : undefined);
            for (const line of found) seen.push(`${what} ${colorScheme}: ${line}`);
          }
        };
        for (const width of widths) {
          await scene.page.setViewportSize({ width, height: 900 });
          await look(width, schemes);
        }
        // With everything open that can be opened.
        const count = await scene
          .queue()
          .locator(OPENED)
          .evaluateAll((buttons) => {
            const shown = buttons.filter((button) => button.checkVisibility({ visibilityProperty: true }));
            for (const button of shown) button.click();
            return shown.length;
          });
        if (count > 0) await look('opened', opened);
        assert.deepEqual(seen, []);
      }));
  }
});
