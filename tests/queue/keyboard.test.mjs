// The queue with the keyboard alone: everything can be reached and done, and the focus is where a person expects it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const three = [
  { id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } },
  { id: 'c2', tool: 'write_file', input: { path: 'draft.md', text: 'Hello.' } },
  { id: 'c3', tool: 'send_mail', input: { to: 'ana@example.com' } },
];
const patient = { undoMs: 600_000 };

/** The ring around what has the focus. */
const ring = (scene) =>
  scene.page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(at);
    return { style: outlineStyle, width: parseFloat(outlineWidth), color: outlineColor };
  });

const assertRing = async (scene) => {
  const { style, width, color } = await ring(scene);
  const where = await scene.focused();
  assert.notEqual(style, 'none', `a ring around ${where}`);
  assert.ok(width >= 2, `a ring of at least 2 px around ${where}, not ${width}`);
  assert.ok(!/^rgba\(.*, 0\)$/.test(color), `a ring around ${where} that can be seen`);
};

describe('with the keyboard alone', together, () => {
  const own = stage();
  const play = (spec, scene) => own.play(spec, scene, { fresh: true });

  it('a batch of three is denied, allowed, allowed for longer, undone and sent', () =>
    play({ calls: three, options: patient }, async (scene) => {
      await scene.composer().focus();
      await scene.page.keyboard.type('Hi');
      await scene.key('Alt+Shift+A');
      assert.equal(await scene.focused(), 'heading');
      await assertRing(scene);

      // The first one is denied.
      await scene.tabTo('deny c1');
      await assertRing(scene);
      await scene.act('Enter');
      assert.deepEqual(await scene.acts(), ['drafted c1 no']);
      assert.equal(await scene.focused(), 'undo c1', 'its Undo has the focus');
      await assertRing(scene);

      // The second one is allowed, with Space.
      await scene.tabTo('deny c2');
      await scene.key('Tab');
      assert.equal(await scene.focused(), 'allow c2', 'Deny comes before Allow');
      await assertRing(scene);
      await scene.act('Space');
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 yes']);
      assert.equal(await scene.focused(), 'undo c2');

      // Backwards to the first: it asks again, and the focus stays in its request.
      await scene.tabTo('undo c1', 'Shift+Tab');
      await scene.act('Enter');
      assert.equal((await scene.acts()).at(-1), 'undone c1');
      assert.equal((await scene.statuses()).c1, 'asking');
      assert.match(await scene.focused(), / c1$/, 'the focus stays in the request');
      assert.doesNotMatch(
        await scene.focused(),
        /^allow/,
        'and what was undone is not one key away from an Allow',
      );

      // The first one is allowed once.
      await scene.tabTo('allow c1');
      await scene.act('Enter');

      // The third one for longer; more choices can be opened before.
      await scene.tabTo('more c3');
      assert.equal(await scene.part('more', 'c3').getAttribute('aria-expanded'), 'false');
      await scene.key('Enter');
      assert.equal(await scene.part('more', 'c3').getAttribute('aria-expanded'), 'true');
      assert.equal(await scene.focused(), 'more c3', 'opening it moves nothing');
      await scene.key('Tab');
      assert.match(await scene.focused(), / c3$/, 'what was opened comes next');
      const wanted = scene.card('c3').getByRole('button', { name: /every send_mail call/ });
      for (let i = 0; i < 10 && !(await wanted.evaluate((b) => b.matches(':focus'))); i++)
        await scene.key('Tab');
      assert.ok(await wanted.evaluate((b) => b.matches(':focus')), 'the choice can be reached');
      await assertRing(scene);
      await scene.act('Space');
      assert.deepEqual(await scene.outcomes(), {
        c1: 'allowed-once',
        c2: 'allowed-once',
        c3: 'allowed-chat',
      });
      assert.equal(await scene.phase(), 'decided');
      assert.equal(await scene.focused(), 'undo c3');

      // Sent.
      const send = scene.button(/^Send/);
      for (let i = 0; i < 20 && !(await send.evaluate((b) => b.matches(':focus'))); i++)
        await scene.key('Tab');
      await assertRing(scene);
      await scene.act('Enter');
      await scene.received(2);
      const sent = await scene.sent();
      assert.deepEqual(
        Object.values(sent).map(({ approved }) => approved),
        [true, true, true],
      );
      assert.equal(await scene.composer().inputValue(), 'Hi', 'nothing of it went into the composer');
    }));

  it('after what is sent the heading has the focus, and not the page', () =>
    play({ calls: three, options: patient, then: [{ hangs: true }] }, async (scene) => {
      for (const id of ['c1', 'c2', 'c3']) {
        await scene.tabTo(`deny ${id}`);
        await scene.act('Enter');
      }
      const send = scene.button(/^Send/);
      await send.focus();
      await scene.act('Enter');
      await scene.until(() => stage.scene.transport.requests.length === 2, 'the request');
      await scene.drawn();
      assert.equal(await scene.focused(), 'heading');
    }));

  it('after the last decision, where none can be undone, the heading has the focus', () =>
    play({ calls: three.slice(0, 1), then: [{ hangs: true }] }, async (scene) => {
      await scene.tabTo('deny c1');
      await scene.act('Enter');
      await scene.until(() => stage.scene.transport.requests.length === 2, 'the request');
      await scene.drawn();
      assert.equal(await scene.focused(), 'heading');
    }));

  it('time that sends takes the focus to the heading, if it was in the queue', () =>
    play({ calls: three.slice(0, 1), options: { undoMs: 1500 }, then: [{ hangs: true }] }, async (scene) => {
      await scene.tabTo('deny c1');
      await scene.act('Enter');
      assert.equal(await scene.focused(), 'undo c1');
      await scene.until(() => stage.scene.transport.requests.length === 2, 'the request');
      await scene.drawn();
      assert.equal(await scene.focused(), 'heading');
    }));

  for (const by of ['keyboard', 'pointer']) {
    it(`NousResearch/hermes-agent#114974: after an Allow with the ${by} the focus goes back to the composer`, () =>
      play({ calls: three.slice(1, 2) }, async (scene) => {
        await scene.composer().focus();
        await scene.page.keyboard.type('One more thing');
        if (by === 'pointer') await scene.press(scene.allow('c2'));
        else {
          await scene.key('Alt+Shift+A');
          await scene.tabTo('allow c2');
          await scene.act('Enter');
        }
        await scene.received(2);
        await scene.until(() => document.activeElement?.localName === 'input', 'the focus in the composer');
        await scene.page.keyboard.type('.');
        assert.equal(await scene.composer().inputValue(), 'One more thing.', 'and its text stands');
        assert.equal((await scene.sent()).c2.approved, true);
      }));
  }

  it('the focus does not go back while a key is held, which would be repeated there', () =>
    play({ calls: three.slice(1, 2) }, async (scene) => {
      await scene.composer().focus();
      await scene.key('Alt+Shift+A');
      await scene.tabTo('allow c2');
      await scene.page.waitForTimeout(600);
      await scene.page.keyboard.down('Enter');
      await scene.received(2);
      await scene.drawn();
      assert.equal(await scene.focused(), 'heading');
      await scene.page.keyboard.up('Enter');
      await scene.until(() => document.activeElement?.localName === 'input', 'the focus in the composer');
    }));

  it('a queue that goes away with the focus does not leave the keyboard without a place to go on', () =>
    play({ calls: three.slice(0, 1) }, async (scene) => {
      await scene.tabTo('deny c1');
      await scene.act('Enter');
      await scene.received(2);
      assert.equal(await scene.phase(), 'idle');
      // The next Tab goes on from where the queue was: to the composer, and not to the top of the page.
      await scene.key('Tab');
      assert.equal(await scene.focused(), 'input');
    }));

  it('all are denied with one button, which says how many', () =>
    play({ calls: three, options: patient }, async (scene) => {
      const button = scene.button('Deny all 3');
      await button.focus();
      await scene.act('Enter');
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no', 'drafted c3 no']);
      assert.notEqual(await scene.focused(), 'body', 'the focus is not lost');
      await assertRing(scene);
    }));

  it('all are undone with one button', () =>
    play({ calls: three, options: patient }, async (scene) => {
      const deny = scene.button('Deny all 3');
      await deny.focus();
      await scene.act('Enter');
      const undo = scene.button(/^Undo all/);
      await undo.focus();
      await scene.act('Enter');
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.notEqual(await scene.focused(), 'body', 'the focus is not lost');
    }));

  it('a denial can say what to do instead', () =>
    play({ calls: three.slice(0, 1) }, async (scene) => {
      await scene.tabTo('more c1');
      await scene.key('Enter');
      const reason = scene.card('c1').getByRole('textbox');
      await reason.focus();
      await scene.page.keyboard.type('Use the archive folder.');
      await scene.key('Enter');
      await scene.assertUntouched('Enter in the text decides nothing');
      await scene.tabTo('deny c1', 'Shift+Tab');
      await scene.act('Enter');
      await scene.received(2);
      const { approved, reason: said } = (await scene.sent()).c1;
      assert.equal(approved, false);
      assert.match(said, /^Use the archive folder\./);
    }));

  it('Escape closes what was opened, and decides nothing', () =>
    play({ calls: three.slice(0, 1) }, async (scene) => {
      await scene.tabTo('more c1');
      await scene.key('Enter');
      await scene.key('Tab');
      await scene.key('Escape');
      assert.equal(await scene.part('more', 'c1').getAttribute('aria-expanded'), 'false');
      assert.equal(await scene.focused(), 'more c1');
      await scene.assertUntouched('Escape');
    }));

  it('the whole of a long value can be opened and closed', () =>
    play('long-values', async (scene) => {
      const fold = scene.part('fold').filter({ visible: true }).first();
      const before = (await scene.part('input').innerText()).length;
      await fold.focus();
      await assertRing(scene);
      await scene.key('Enter');
      assert.equal(await fold.getAttribute('aria-expanded'), 'true');
      assert.ok((await scene.part('input').innerText()).length > before);
      assert.match(await scene.focused(), /^fold/);
      await scene.key('Enter');
      assert.equal(await fold.getAttribute('aria-expanded'), 'false');
      await scene.assertUntouched('unfolding');
    }));

  it('what was opened stays open when another call is decided', () =>
    play({ calls: three }, async (scene) => {
      await scene.tabTo('more c2');
      await scene.key('Enter');
      await scene.card('c2').getByRole('textbox').fill('Not now.');
      await scene.press(scene.deny('c1'));
      assert.equal(await scene.part('more', 'c2').getAttribute('aria-expanded'), 'true');
      assert.equal(await scene.card('c2').getByRole('textbox').inputValue(), 'Not now.');
    }));

  it('a grant can be ended, and the focus is not lost', () =>
    play('grants', async (scene) => {
      const before = (await scene.grants()).length;
      const summary = scene.part('grants').locator('summary');
      await summary.focus();
      await assertRing(scene);
      await scene.key('Enter');
      const revoke = scene.part('grant').first().getByRole('button');
      await revoke.focus();
      await scene.act('Enter');
      assert.equal((await scene.grants()).length, before - 1);
      assert.notEqual(await scene.focused(), 'body', 'the focus is not lost');
    }));

  describe('the focus is never taken', () => {
    const push = (scene) =>
      scene.page.evaluate(() => {
        const { gated, finishStep, finish } = stage.chunks;
        stage.scene.push(gated('n1', 'delete_file', { path: 'x' }), finishStep, finish());
        stage.scene.live.close();
      });

    it('by a request that appears', () =>
      play({ live: true }, async (scene) => {
        await scene.composer().focus();
        await push(scene);
        await scene.card('n1').waitFor();
        await scene.drawn();
        assert.equal(await scene.focused(), 'input');
      }));

    it('by a request that appears while nothing has it', () =>
      play({ live: true }, async (scene) => {
        await push(scene);
        await scene.card('n1').waitFor();
        await scene.drawn();
        assert.equal(await scene.focused(), 'body');
      }));

    it('from a button of one request by another, also one that comes first', () =>
      play({ live: true, options: { tools: { delete_file: { dangerous: true } } } }, async (scene) => {
        await scene.page.evaluate(() => stage.scene.push(stage.chunks.gated('c1', 'copy', { path: 'y' })));
        await scene.deny('c1').waitFor();
        await scene.deny('c1').focus();
        await push(scene);
        await scene.card('n1').waitFor();
        await scene.drawn();
        assert.equal(await scene.focused(), 'deny c1');
      }));

    it('by what the application decides', () =>
      play({ calls: three }, async (scene) => {
        await scene.composer().focus();
        await scene.page.evaluate(() => {
          for (const id of ['c1', 'c2', 'c3']) stage.scene.decide(id, 'deny');
        });
        await scene.received(2);
        assert.equal(await scene.focused(), 'input');
      }));

    it('by a click on a button with the mouse, for somebody who writes', () =>
      play({ calls: three }, async (scene) => {
        // A click gives the focus to what is clicked, and from there it goes as with the keyboard.
        await scene.composer().focus();
        await scene.press(scene.deny('c1'));
        assert.ok(['undo c1', 'input'].includes(await scene.focused()), await scene.focused());
      }));

    it('by a decision of somebody else about the request that has it', () =>
      play({ calls: three }, async (scene) => {
        await scene.tabTo('allow c1');
        await scene.page.evaluate(() => void stage.scene.decide('c1', 'deny'));
        await scene.drawn();
        assert.notEqual(await scene.focused(), 'body', 'the focus is not lost');
      }));
  });

  describe('the shortcut', () => {
    it('can be another one', () =>
      play({ calls: three, attributes: { shortcut: 'Control+Shift+Y' } }, async (scene) => {
        await scene.composer().focus();
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'input');
        await scene.key('Control+Shift+Y');
        assert.equal(await scene.focused(), 'heading');
      }));

    it('leads back to where the focus was, also from and to another component', () =>
      play({ calls: three }, async (scene) => {
        await scene.page.evaluate(() => {
          const { queue } = stage.scene;
          // The queue in one component, and the field in another.
          const [around, editor] = [document.createElement('div'), document.createElement('div')];
          queue.replaceWith(around);
          around.attachShadow({ mode: 'open' }).append(queue);
          editor.attachShadow({ mode: 'open' }).append(document.createElement('textarea'));
          around.after(editor);
          editor.shadowRoot.firstChild.focus();
        });
        await scene.drawn();
        assert.equal(await scene.focused(), 'textarea');
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'heading');
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'textarea');
      }));

    it('can be none', () =>
      play({ calls: three, attributes: { shortcut: '' } }, async (scene) => {
        await scene.composer().focus();
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'input');
        const text = await scene.queue().evaluate((queue) => queue.shadowRoot.textContent);
        assert.doesNotMatch(text, /Alt|Shift/);
      }));

    it('does nothing while there is nothing to decide', () =>
      play('empty', async (scene) => {
        await scene.composer().focus();
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'input');
      }));

    it('is not heard once the element is gone', () =>
      play({ calls: three }, async (scene) => {
        await scene.composer().focus();
        const kept = await scene.page.evaluate(() => {
          stage.scene.queue.remove();
          const event = new KeyboardEvent('keydown', {
            ...{ key: 'A', code: 'KeyA', altKey: true, shiftKey: true },
            ...{ bubbles: true, cancelable: true },
          });
          return document.body.dispatchEvent(event);
        });
        assert.ok(kept);
        await scene.key('Alt+Shift+A');
        assert.equal(await scene.focused(), 'input');
      }));
  });

  it('focus() puts the focus on the heading', () =>
    play({ calls: three }, async (scene) => {
      await scene.page.evaluate(() => stage.scene.queue.focus());
      assert.equal(await scene.focused(), 'heading');
    }));
});
