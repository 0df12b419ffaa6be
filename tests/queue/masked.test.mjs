// Secrets of an input: hidden until a person asks for them, and never changed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const entries = (scene, type) =>
  scene.page.evaluate(
    (type) =>
      stage.scene.guard
        .ledger()
        .filter((entry) => entry.type === type)
        .map(({ toolCallId, actor }) => `${toolCallId} ${actor}`),
    type,
  );

describe('a masked input', together, () => {
  const { play } = stage();

  it('has no secret anywhere in the page, and its host', () =>
    play('masked', async (scene) => {
      const html = await scene.page.evaluate(() => stage.scene.queue.shadowRoot.innerHTML);
      assert.doesNotMatch(html, /hunter2/);
      assert.match(html, /api\.example\.com/);
      assert.match(await scene.card('c1').innerText(), /3 values are hidden because they look like secrets/);
      assert.equal(await scene.part('unmask', 'c3').count(), 0);
    }));

  it('is shown when a person asks for it, which is on record', () =>
    play('masked', async (scene) => {
      await scene.part('unmask', 'c1').click();
      await scene.drawn();
      assert.match(await scene.card('c1').innerText(), /ana:hunter2@api/);
      assert.equal(await scene.part('unmask', 'c1').count(), 0);
      assert.deepEqual(await entries(scene, 'revealed'), ['c1 person']);
      // The focus is where it was, and on nothing that decides.
      const focused = await scene.page.evaluate(() =>
        stage.scene.queue.shadowRoot.activeElement?.getAttribute('part'),
      );
      assert.equal(focused, 'arguments');
    }));

  it('is read again before a press counts', () =>
    play('masked', async (scene) => {
      await scene.settle(scene.allow('c1'));
      await scene.part('unmask', 'c1').click();
      await scene.allow('c1').click();
      await scene.drawn();
      assert.equal((await scene.statuses()).c1, 'asking');
      await scene.settle(scene.allow('c1'));
      await scene.allow('c1').click();
      await scene.drawn();
      assert.equal((await scene.statuses()).c1, 'drafted');
    }));

  it('can be allowed as it is, and is sent as it is', () =>
    play('masked', async (scene) => {
      await scene.settle(scene.allow('c1'));
      await scene.allow('c1').click();
      await scene.deny('c3').click();
      await scene.until(() => stage.scene.transport.requests.length === 2, 'the request');
      const { url } = await scene.page.evaluate(
        () =>
          stage.scene.transport.requests[1].messages
            .at(-1)
            .parts.find(({ toolCallId }) => toolCallId === 'c1').input,
      );
      assert.match(url, /ana:hunter2@/);
    }));

  it('with the keyboard', () =>
    play('masked', async (scene) => {
      await scene.part('unmask', 'c1').focus();
      await scene.page.keyboard.press('Enter');
      await scene.drawn();
      assert.match(await scene.card('c1').innerText(), /ana:hunter2@api/);
    }));

  it('that nothing can show has no Allow', () =>
    play('not-to-be-shown', async (scene) => {
      assert.equal(await scene.allow('c1').isVisible(), false);
      assert.equal(await scene.deny('c1').isVisible(), true);
    }));
});
