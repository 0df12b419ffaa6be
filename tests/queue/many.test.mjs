// A queue with many calls: what its first rendering makes, and that every card can be read, found and reached.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { byBreadth } from '../support/breadth.mjs';
import { stage, together } from './stage.mjs';

const MANY = 60;

const callsOf = (count) =>
  Array.from({ length: count }, (_, i) => ({
    id: `c${i}`,
    tool: `tool_${i}`,
    input: { path: `folder/file-${i}.md`, text: 'Some text that is written.', n: i },
  }));
const spec = (count = MANY, more = {}) => ({
  calls: callsOf(count),
  options: { undoMs: 600_000 },
  ...more,
});

/** Lets no moment of the page be idle until `resume`, so that a card is completed only by what the test does. */
const neverIdle = (scene) =>
  scene.page.evaluate(() => {
    const idle = window.requestIdleCallback.bind(window);
    const waiting = [];
    window.requestIdleCallback = (run) => waiting.push(run);
    window.resume = () => {
      window.requestIdleCallback = idle;
      for (const run of waiting.splice(0)) idle(run);
    };
  });

/** Lets no card come near the viewport. */
const nothingNear = (scene) =>
  scene.page.evaluate(() => {
    window.IntersectionObserver = class extends window.IntersectionObserver {
      constructor(_, options) {
        super(() => {}, options);
      }
    };
  });

/** The scene with a page that does nothing by itself. */
const still = (scene, what) =>
  neverIdle(scene).then(() => {
    scene.reusable = false;
    return scene.start(what);
  });

/** How many cards have buttons, and how many have a preview instead. */
const counts = (scene) =>
  scene.page.evaluate(() => {
    const root = stage.scene.queue.shadowRoot;
    const count = (selector) => root.querySelectorAll(selector).length;
    return {
      cards: count('[data-call]'),
      complete: count('[part~="deny"]'),
      previews: count('[part="preview"]'),
    };
  });
const isComplete = (scene, call) =>
  scene
    .deny(call)
    .count()
    .then((count) => count === 1);

/** The names of the groups in the accessibility tree of the browser. */
async function groups(scene) {
  const session = await scene.page.context().newCDPSession(scene.page);
  try {
    await session.send('Accessibility.enable');
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const shown = nodes.filter(({ ignored }) => !ignored);
    return {
      groups: shown.filter(({ role }) => role.value === 'group').map(({ name }) => name.value),
      headings: shown.filter(({ role }) => role.value === 'heading').length,
      texts: shown.filter(({ role }) => role.value === 'StaticText').map(({ name }) => name.value),
      buttons: shown.filter(({ role }) => role.value === 'button').length,
    };
  } finally {
    await session.detach();
  }
}

describe('a queue with many calls', together, () => {
  const { play } = stage();

  it('makes few buttons at first for many calls, and all of them while the page is idle', () =>
    play(undefined, async (scene) => {
      const many = byBreadth({ commit: 300, all: 1000 });
      const first = await scene.page.evaluate(
        async (json) => {
          await stage.open(JSON.parse(json));
          const { queue } = stage.scene;
          const { guard } = queue;
          // What is only moved keeps what it has made, so this begins anew.
          queue.guard = undefined;
          queue.guard = guard;
          const root = queue.shadowRoot;
          const count = (selector) => root.querySelectorAll(selector).length;
          return { cards: count('[data-call]'), buttons: count('button'), elements: count('*') };
        },
        JSON.stringify(spec(many)),
      );
      assert.equal(first.cards, many);
      assert.ok(first.buttons < 250, `${first.buttons} buttons`);
      assert.ok(first.elements < 5 * many + 3000, `${first.elements} elements`);
      await scene.complete();
      assert.deepEqual(await counts(scene), { cards: many, complete: many, previews: 0 });
    }));

  it('is listed whole for assistive technology, and can be found, before a card is complete', () =>
    play(undefined, async (scene) => {
      await still(scene, spec());
      assert.ok((await counts(scene)).previews > 40, 'most are previews');
      const first = await groups(scene);
      const names = callsOf(MANY).map(({ tool }, i) => `Allow ${tool}? ${i + 1} of ${MANY}`);
      assert.deepEqual(first.groups, names);
      assert.equal(first.headings, MANY + 1);
      for (let i = 0; i < MANY; i++) {
        const path = `folder/file-${i}.md`;
        assert.ok(
          first.texts.some((text) => text.includes(path)),
          path,
        );
        assert.ok(await scene.page.evaluate((path) => window.find(path), path), `${path} is found`);
      }
      await scene.page.evaluate(() => window.resume());
      await scene.complete();
      const last = await groups(scene);
      assert.deepEqual(last.groups, names);
      assert.ok(last.buttons >= 4 * MANY, `${last.buttons} buttons`);
    }));

  it('shows the whole beginning and end of a long input before its card is complete, and what is hidden in it', () =>
    play(undefined, async (scene) => {
      const calls = callsOf(40);
      calls[30].input = { text: `begin\u202e${'x'.repeat(5000)}the end` };
      calls[31].input = Array.from({ length: 100 }).reduce((inner) => [inner], 1);
      await still(scene, { ...spec(), calls });
      const text = await scene.part('preview', 'c30').textContent();
      assert.match(text, /begin⟦U\+202E⟧x+…x+the end/);
      assert.ok(text.length < 400);
      await scene.card('c31').scrollIntoViewIfNeeded();
      await scene.until(
        () => !stage.scene.queue.shadowRoot.querySelector('[data-call="c31"] [part="preview"]'),
        'c31',
      );
      assert.equal(await scene.allow('c31').isVisible(), false, 'it can only be denied');
    }));

  it('completes the next card for the keyboard, forwards and backwards', () =>
    play(undefined, async (scene) => {
      await nothingNear(scene);
      await still(scene, spec());
      const { complete } = await counts(scene);
      await scene.part('more', `c${complete - 2}`).focus();
      for (let i = complete - 1; i < complete + 2; i++) {
        await scene.key('Tab');
        assert.equal(await scene.focused(), `deny c${i}`);
        await scene.tabTo(`more c${i}`);
      }
      await scene.composer().focus();
      await scene.tabTo(`more c${MANY - 1}`, 'Shift+Tab');
      for (let i = MANY - 1; i > MANY - 4; i--) {
        await scene.tabTo(`deny c${i}`, 'Shift+Tab');
        await scene.key('Shift+Tab');
        assert.equal(await scene.focused(), `more c${i - 1}`);
      }
    }));

  it('completes what comes near the viewport, where it stays, and counts no press on it that comes too soon', () =>
    play(undefined, async (scene) => {
      scene.reusable = false;
      await neverIdle(scene);
      await scene.quickly(spec(), {
        change: async () => {
          await scene.page.evaluate(() => {
            stage.scene.queue.shadowRoot
              .querySelector('[data-call="c45"]')
              .scrollIntoView({ block: 'center' });
          });
          await scene.until(
            () => stage.scene.queue.shadowRoot.querySelector('[data-call="c45"] [part~="deny"]'),
            'c45',
          );
        },
        act: () => scene.clickAtOnce(scene.deny('c45')),
      });
      await scene.assertUntouched('a card that is just complete');
      assert.match(await scene.part('notice', 'c45').innerText(), /too soon/);
      assert.equal(await isComplete(scene, 'c30'), false, 'those above are not complete yet');
      await scene.drawn();
      const before = await scene.deny('c45').boundingBox();
      await scene.page.evaluate(() => window.resume());
      await scene.complete();
      await scene.drawn();
      const after = await scene.deny('c45').boundingBox();
      assert.ok(Math.abs(before.y - after.y) < 1, `it moved from ${before.y} to ${after.y}`);
      await scene.press(scene.deny('c45'));
      assert.deepEqual(await scene.acts(), ['drafted c45 no']);
    }));

  it('offers to allow all when all are complete, without moving a button', () =>
    play(undefined, async (scene) => {
      const calls = callsOf(MANY).map((call) => ({ ...call, tool: 'write_file' }));
      await still(scene, { ...spec(), calls });
      await scene.part('deny-all').scrollIntoViewIfNeeded();
      await scene.drawn();
      assert.equal(await scene.part('allow-all').isVisible(), false);
      const before = await scene.part('deny-all').boundingBox();
      await scene.page.evaluate(() => window.resume());
      await scene.complete();
      await scene.part('allow-all').waitFor();
      const after = await scene.part('deny-all').boundingBox();
      for (const edge of ['x', 'y', 'width', 'height']) {
        assert.ok(Math.abs(before[edge] - after[edge]) < 1, `${edge}: ${before[edge]}, ${after[edge]}`);
      }
      await scene.press(scene.part('allow-all'));
      assert.equal((await scene.acts()).length, MANY);
    }));

  it('prints complete cards', () =>
    play(undefined, async (scene) => {
      await still(scene, spec());
      await scene.page.pdf();
      assert.deepEqual(await counts(scene), { cards: MANY, complete: MANY, previews: 0 });
    }));

  it('shows what becomes of a call while its card is a preview', () =>
    play(undefined, async (scene) => {
      await still(scene, spec());
      await scene.page.evaluate(() => void stage.scene.decide('c40', 'deny'));
      await scene.drawn();
      assert.equal(await scene.card('c40').getAttribute('data-status'), 'drafted');
      assert.equal(await isComplete(scene, 'c40'), false);
      await scene.page.evaluate(() => window.resume());
      await scene.complete();
      assert.equal(await scene.undo('c40').isVisible(), true);
      assert.match(await scene.part('outcome', 'c40').innerText(), /Denied/);
    }));

  it('shows one at a time: each step leads to a complete card', () =>
    play(undefined, async (scene) => {
      await still(scene, spec(MANY, { attributes: { show: 'one' } }));
      await scene.page.evaluate(() => {
        const next = stage.scene.queue.shadowRoot.querySelector('[part~="next"]');
        for (let i = 0; i < 40; i++) next.click();
      });
      assert.equal(await scene.deny('c40').isVisible(), true);
      assert.equal(await isComplete(scene, 'c41'), false);
    }));

  it('taken away before it is complete, it stops, and begins anew', () =>
    play(undefined, async (scene) => {
      await still(scene, spec());
      const before = await counts(scene);
      await scene.page.evaluate(() => {
        const { queue } = stage.scene;
        window.card = queue.shadowRoot.querySelector('[data-call="c40"]');
        queue.remove();
        window.resume();
      });
      await scene.page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      assert.equal(await scene.page.evaluate(() => window.card.querySelector('button')), null);
      await neverIdle(scene);
      await scene.page.evaluate(() =>
        stage.scene.column.insertBefore(stage.scene.queue, stage.scene.composer),
      );
      assert.deepEqual(await counts(scene), before);
      await scene.page.evaluate(() => window.resume());
      await scene.complete();
    }));
});
