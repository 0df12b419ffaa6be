// axe-core finds nothing in any state: light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe has found, as lines. Given in by the debugger, so that the policy of the page stays as strict as it is. */
export async function findings(scene) {
  if (!(await scene.page.evaluate(() => 'axe' in window))) await scene.page.evaluate(`(() => {${axe}})()`);
  const found = await scene.page.evaluate(async () => {
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ['violations', 'incomplete'],
      rules: {
        // The page around the queue is no page: it has neither landmarks nor a heading of its own.
        'page-has-heading-one': { enabled: false },
        region: { enabled: false },
        'landmark-one-main': { enabled: false },
        'color-contrast-enhanced': { enabled: false },
        'target-size': { enabled: true },
      },
    });
    const lines = (kind, list) =>
      list.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => /tool-approval-(queue|card)/.test([target[0]].flat()[0]))
          .map(({ html, any, all, none }) =>
            [
              kind,
              id,
              html.slice(0, 160),
              [...any, ...all, ...none].map(({ message }) => message).join(' '),
            ].join(' | '),
          ),
      );
    // Where axe cannot tell a contrast, somebody would have to look: so that counts as well.
    const unsure = incomplete.filter(({ id }) => id === 'color-contrast');
    return [...lines('violation', violations), ...lines('unsure', unsure)];
  });
  return found;
}

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
