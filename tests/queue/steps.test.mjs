// One request at a time, with Previous and Next, and a queue whose requests are shown elsewhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const ids = ['c1', 'c2', 'c3'];
const calls = ids.map((id) => ({ id, tool: 'delete_file', input: { path: `${id}.md` } }));
const one = { calls, attributes: { show: 'one' }, options: { undoMs: 600_000 } };

/** The calls whose requests can be seen, with their positions. */
const seen = (scene) =>
  scene.page.evaluate(() =>
    [...stage.scene.queue.shadowRoot.querySelectorAll('[part~="request"]')]
      .filter((card) => card.checkVisibility())
      .map((card) => `${card.dataset.call} ${card.querySelector('[part="position"]').innerText}`),
  );
const said = (scene) =>
  scene.page.evaluate(() => stage.scene.queue.shadowRoot.querySelector('[role="status"]').textContent);

describe('one request at a time', together, () => {
  const { play } = stage();
  const next = (scene) => scene.part('next');
  const previous = (scene) => scene.part('previous');

  it('steps forwards and backwards, and says where it is', () =>
    play(one, async (scene) => {
      assert.deepEqual(await seen(scene), ['c1 1 of 3']);
      await next(scene).click();
      assert.deepEqual(await seen(scene), ['c2 2 of 3']);
      await scene.until(
        () =>
          stage.scene.queue.shadowRoot.querySelector('[role="status"]').textContent ===
          '2 of 3. Allow delete_file?',
        'the announcement',
      );
      await next(scene).click();
      assert.deepEqual(await seen(scene), ['c3 3 of 3']);
      await previous(scene).click();
      assert.deepEqual(await seen(scene), ['c2 2 of 3']);
      await scene.assertUntouched('stepping');
    }));

  it('ends at the first and at the last, where its buttons keep the focus and their places', () =>
    play(one, async (scene) => {
      const places = async () => [await previous(scene).boundingBox(), await next(scene).boundingBox()];
      const disabled = async () => [
        await previous(scene).getAttribute('aria-disabled'),
        await next(scene).getAttribute('aria-disabled'),
      ];
      const before = await places();
      assert.deepEqual(await disabled(), ['true', null]);
      await previous(scene).focus();
      await scene.key('Enter');
      assert.deepEqual(await seen(scene), ['c1 1 of 3']);
      await next(scene).focus();
      await scene.key('Enter', 5);
      assert.deepEqual(await seen(scene), ['c3 3 of 3']);
      assert.deepEqual(await disabled(), [null, 'true']);
      assert.equal(await scene.focused(), 'step next');
      assert.deepEqual(await places(), before);
    }));

  it('is operated with the keyboard: the request follows the buttons, and no hidden one is reached', () =>
    play(one, async (scene) => {
      await scene.tabTo('step next');
      await scene.key('Space');
      assert.equal(await scene.focused(), 'step next');
      await scene.key('Tab');
      assert.equal(await scene.focused(), 'deny c2');
      await scene.act('Enter');
      assert.equal(await scene.focused(), 'undo c2', 'a decision stays in sight, with its Undo');
      await scene.tabTo('step previous', 'Shift+Tab');
      await scene.key('Enter');
      assert.deepEqual(await seen(scene), ['c1 1 of 3']);
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'drafted', c3: 'asking' });
    }));

  it('counts no press on a request that a step has just brought', () =>
    play(undefined, async (scene) => {
      for (const act of ['deny', 'allow', 'allow-chat']) {
        await scene.quickly(one, {
          before: () => scene.stand(scene.part(act, 'c1')),
          change: () => next(scene).click(),
          act: () => scene.clickAtOnce(scene.part(act, 'c2')),
        });
        await scene.assertUntouched(`${act} at once`);
        assert.match(await scene.part('notice', 'c2').innerText(), /too soon/);
      }
    }));

  it('counts none either where the step goes away and back', () =>
    play(undefined, async (scene) => {
      await scene.quickly(one, {
        before: () => scene.stand(scene.deny('c1')),
        change: () =>
          scene.page.evaluate(() => {
            const root = stage.scene.queue.shadowRoot;
            root.querySelector('[part~="next"]').click();
            root.querySelector('[part~="previous"]').click();
          }),
        act: () => scene.clickAtOnce(scene.deny('c1')),
      });
      await scene.assertUntouched('there and back');
    }));

  it('keeps what was written and opened in another request', () =>
    play(one, async (scene) => {
      await scene.part('more', 'c1').click();
      await scene.card('c1').getByRole('textbox').fill('Not this one.');
      await next(scene).click();
      await previous(scene).click();
      assert.equal(await scene.card('c1').getByRole('textbox').inputValue(), 'Not this one.');
    }));

  it('denies all, with the reasons, but allows only what is shown', () =>
    play(one, async (scene) => {
      assert.equal(await scene.part('allow-all').isVisible(), false);
      await scene.press(scene.button('Deny all 3'));
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no', 'drafted c3 no']);
      await scene.press(scene.part('proceed'));
      await scene.received(2);
      assert.deepEqual(await seen(scene), []);
      assert.equal(await next(scene).isVisible(), false);
    }));

  it('begins with the first request of the next batch, and has no steps where there is one', () =>
    play(
      {
        ...one,
        calls: calls.slice(0, 2),
        options: {},
        then: [{ asks: [{ ...calls[2], id: 'n1' }] }],
      },
      async (scene) => {
        await next(scene).click();
        await scene.press(scene.deny('c2'));
        await previous(scene).click();
        await scene.press(scene.deny('c1'));
        await scene.card('n1').waitFor();
        await scene.drawn();
        assert.deepEqual(await seen(scene), ['n1 ']);
        assert.equal(await next(scene).isVisible(), false);
      },
    ));

  it('stays where it is when a dangerous request comes first', () =>
    play(
      { live: true, attributes: { show: 'one' }, options: { tools: { drop: { dangerous: true } } } },
      async (scene) => {
        const ask = (id, tool) =>
          scene.page.evaluate(
            ([id, tool]) => stage.scene.push(stage.chunks.gated(id, tool, { path: id })),
            [id, tool],
          );
        await ask('c1', 'delete_file');
        await scene.card('c1').waitFor();
        await ask('d1', 'drop');
        await scene.until(() => stage.scene.call('d1')?.status === 'asking', 'the dangerous one');
        await scene.drawn();
        assert.deepEqual(await seen(scene), ['c1 2 of 2']);
        await previous(scene).click();
        assert.deepEqual(await seen(scene), ['d1 1 of 2']);
      },
    ));

  it('follows the attribute', () =>
    play(one, async (scene) => {
      const show = (value) =>
        scene.page.evaluate((value) => void stage.scene.queue.setAttribute('show', value), value);
      await show('all');
      assert.deepEqual(await seen(scene), ['c1 1 of 3', 'c2 2 of 3', 'c3 3 of 3']);
      assert.equal(await next(scene).isVisible(), false);
      assert.equal(await scene.part('allow-all').isVisible(), true);
      await show('none');
      assert.deepEqual(await seen(scene), []);
      await show('one');
      assert.deepEqual(await seen(scene), ['c1 1 of 3']);
    }));
});

describe('a queue whose requests are shown elsewhere', together, () => {
  const { play } = stage();
  const none = { ...one, attributes: { show: 'none' } };

  it('has no request, and what concerns all of them', () =>
    play(none, async (scene) => {
      assert.deepEqual(await seen(scene), []);
      assert.equal(await scene.part('heading').innerText(), '3 decisions needed');
      assert.equal(await scene.part('allow-all').isVisible(), false);
      await scene.press(scene.button('Deny all 3'));
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no', 'drafted c3 no']);
      assert.deepEqual(await scene.decisions(), [{ calls: ids, choice: 'deny', occluded: false }]);
      await scene.press(scene.part('undo-all'));
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking', c3: 'asking' });
      for (const id of ids) await scene.page.evaluate((id) => void stage.scene.decide(id, 'allow-once'), id);
      await scene.press(scene.part('proceed'));
      await scene.received(2);
      assert.deepEqual(
        Object.values(await scene.sent()).map(({ approved }) => approved),
        [true, true, true],
      );
      await scene.until(
        () => stage.scene.queue.shadowRoot.querySelector('[part="status"]').textContent === '3 allowed.',
        'what became of them',
      );
    }));

  it('leads with its shortcut to the first card that asks, and back', () =>
    play({ ...none, cards: true }, async (scene) => {
      await scene.composer().focus();
      await scene.key('Alt+Shift+A');
      assert.equal(await scene.focused(), 'title c1');
      await scene.tabTo('allow c1');
      await scene.key('Alt+Shift+A');
      assert.equal(await scene.focused(), 'input');
      await scene.press(scene.deny('c1'));
      await scene.composer().focus();
      await scene.key('Alt+Shift+A');
      assert.equal(await scene.focused(), 'title c2');
      await scene.key('Tab');
      assert.equal(await scene.focused(), 'deny c2');
    }));

  it('says what is needed, once', () =>
    play(none, async (scene) => {
      await scene.until(
        () =>
          stage.scene.queue.shadowRoot
            .querySelector('[role="status"]')
            .textContent.startsWith('3 decisions needed.'),
        'the announcement',
      );
      assert.match(await said(scene), /Alt\+Shift\+A/);
    }));
});
