// The warning about what the assistant reads: with every request that asks, in full with the first ones of a chat and in
// short with later ones. In each single state it is looked at in `stage.test.mjs`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';
import { FULL, inQueue, LATER, SHORT, SILENT, warningOf } from './warnings.mjs';

describe('the warning', together, () => {
  const { play } = stage();

  it('has an expectation for each state that there is', () => {
    for (const name of [...SILENT, ...LATER]) assert.ok(Object.hasOwn(STATES, name), name);
  });

  for (const [show, state] of [
    ['all', 'asking-three'],
    ['one', 'one-at-a-time'],
    ['none', 'without-requests'],
  ]) {
    it(`is read before the requests and their buttons: show="${show}"`, () =>
      play(state, async (scene) => {
        const isAbove = await inQueue(scene).evaluate((warning) => {
          const all = warning.getRootNode().querySelectorAll('[data-call], button');
          const seen = [...all].filter((element) => element.checkVisibility({ visibilityProperty: true }));
          return seen.map(
            (element) =>
              element.getBoundingClientRect().top >= warning.getBoundingClientRect().bottom &&
              (warning.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
          );
        });
        assert.ok(isAbove.length > 0 && isAbove.every(Boolean), String(isAbove));
      }));
  }

  it('goes when everything is decided, comes back in full with an undo, and is short for the next requests', () => {
    const first = { id: 'c1', tool: 'delete_file', input: { path: 'a' } };
    const next = { id: 'c2', tool: 'send_mail', input: { to: 'ana@example.com' } };
    const spec = { calls: [first], then: [{ asks: [next] }], options: { undoMs: 600_000 } };
    return play(spec, async (scene) => {
      assert.match(await warningOf(scene), FULL);
      await scene.press(scene.deny('c1'));
      assert.equal(await warningOf(scene), undefined);
      await scene.press(scene.undo('c1'));
      assert.match(await warningOf(scene), FULL);
      await scene.press(scene.deny('c1'));
      await scene.press(scene.part('proceed'));
      await scene.until(() => stage.scene.call('c2')?.status === 'asking', 'the next request');
      await scene.drawn();
      assert.match(await warningOf(scene), SHORT);
    });
  });

  describe('of cards', together, () => {
    /** What each card says. */
    const ofCards = (scene) =>
      scene.page.evaluate(() =>
        Object.fromEntries(
          [...document.querySelectorAll('tool-approval-card')].map(({ call, shadowRoot }) => {
            const warning = shadowRoot.querySelector('[part="warning"]');
            return [
              call.toolCallId,
              warning?.checkVisibility({ visibilityProperty: true }) ? warning.innerText : '',
            ];
          }),
        ),
      );
    const files = ['c1', 'c2'].map((id) => ({ id, tool: 'delete_file', input: { path: id } }));
    const alone = {
      calls: files,
      cards: true,
      options: { undoMs: 600_000 },
      then: [{ asks: [{ id: 'c3', tool: 'send_mail', input: { to: 'ana@example.com' } }] }],
    };

    it('without a queue: the first one of a step has it, until everything is decided, and keeps its place', () =>
      play(alone, async (scene) => {
        const first = await ofCards(scene);
        assert.match(first.c1, FULL);
        assert.equal(first.c2, '');
        const { y } = await scene.deny('c2').boundingBox();
        await scene.press(scene.deny('c1'));
        assert.match((await ofCards(scene)).c1, FULL);
        await scene.press(scene.deny('c2'));
        assert.deepEqual(await ofCards(scene), { c1: '', c2: '' });
        await scene.press(scene.undo('c2'));
        assert.match((await ofCards(scene)).c1, FULL);
        assert.equal((await scene.deny('c2').boundingBox()).y, y);
        await scene.press(scene.deny('c2'));
        await scene.page.evaluate(() => void stage.scene.guard.commit());
        await scene.until(() => stage.scene.call('c3')?.status === 'asking', 'the next request');
        await scene.drawn();
        const later = await ofCards(scene);
        assert.match(later.c3, SHORT);
        assert.deepEqual([later.c1, later.c2], ['', '']);
      }));

    it('with a queue: the queue has it, and the cards have it while the queue is gone', () =>
      play({ ...alone, attributes: { show: 'none' } }, async (scene) => {
        assert.match(await warningOf(scene), FULL);
        assert.deepEqual(await ofCards(scene), { c1: '', c2: '' });
        await scene.page.evaluate(() => stage.scene.queue.remove());
        await scene.drawn();
        assert.match((await ofCards(scene)).c1, FULL);
        await scene.page.evaluate(() => stage.scene.column.append(stage.scene.queue));
        await scene.drawn();
        assert.deepEqual(await ofCards(scene), { c1: '', c2: '' });
      }));
  });

  for (const [catalogue, trick] of [
    ['de', /verleiten/],
    ['ar', /يخدعه/],
  ]) {
    it(`is in the language of the guard: ${catalogue}`, () =>
      play('empty', async (scene) => {
        await scene.show('asking-three', { catalogue });
        assert.match(await warningOf(scene), trick);
      }));
  }
});
