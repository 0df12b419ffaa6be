// Nothing decides by accident: what a person did not see, or did not mean, decides nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { browserName } from '../support/browsers.mjs';
import { SETTLED } from './scene.mjs';
import { stage, together } from './stage.mjs';

/** What a denial says for which nobody has written a reason. */
const NO_REASON = 'The user denied permission for this call.';

const one = [{ id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } }];
const three = ['notes.md', 'draft.md', 'old.log'].map((path, i) => ({
  id: `c${i + 1}`,
  tool: 'delete_file',
  input: { path },
}));
const same = three.map((call) => ({ ...call, input: { path: 'notes.md' } }));
/** Only Chromium says whether something covers a button. */
const occluded = browserName === 'chromium' ? false : undefined;
/** The batch stays open for an undo, so that one decision more or less can be seen. */
const patient = { undoMs: 600_000 };

describe('nothing decides by accident', together, () => {
  const { play } = stage();

  /** Pushes calls into the response that streams, and lets it end. */
  const ask = (scene, calls, { ends = true } = {}) =>
    scene.page.evaluate(
      async ([calls, ends]) => {
        const { gated, finishStep, finish } = stage.chunks;
        stage.scene.push(calls.map(({ id, tool, input }) => gated(id, tool, input)));
        if (ends) {
          stage.scene.push(finishStep, finish());
          stage.scene.live.close();
        }
        await stage.scene.until(() => calls.every(({ id }) => stage.scene.call(id)?.status === 'asking'));
      },
      [calls, ends],
    );

  /** Says something in the conversation, which moves the queue. */
  const say = async (scene, lines = 6) => {
    await scene.page.evaluate((lines) => {
      for (let i = 0; i < lines; i++) stage.scene.push(stage.chunks.text(`Line ${i + 1}`));
    }, lines);
    await scene.drawn();
  };

  const noticed = async (scene, call) => {
    const notice = scene.part('notice', call);
    assert.notEqual((await notice.innerText()).trim(), '', 'the person is told that it did not count');
  };

  describe('what counts, so that the tests below can fail', () => {
    it('a click on a button that stood still', () =>
      play({ calls: one }, async (scene) => {
        await scene.press(scene.deny('c1'));
        await scene.received(2);
        assert.deepEqual((await scene.sent()).c1, {
          state: 'approval-responded',
          approved: false,
          reason: NO_REASON,
        });
        assert.deepEqual(await scene.decisions(), [{ calls: ['c1'], choice: 'deny', occluded }]);
      }));

    it('a tap', () =>
      play(
        { calls: one },
        async (scene) => {
          await scene.stand(scene.allow('c1'));
          const { x, y } = await scene.middle(scene.allow('c1'));
          await scene.page.touchscreen.tap(x, y);
          await scene.received(2);
          assert.equal((await scene.sent()).c1.approved, true);
        },
        { touch: true },
      ));

    it('a second press after one that came too early', () =>
      play(undefined, async (scene) => {
        await scene.quickly(
          { live: true },
          {
            change: () => ask(scene, one),
            act: async () => scene.clickAtOnce(scene.deny('c1')),
          },
        );
        await scene.assertUntouched('too early');
        await scene.press(scene.deny('c1'));
        await scene.received(2);
        assert.equal((await scene.sent()).c1.approved, false);
      }));
  });

  for (const kind of ['click', 'tap']) {
    it(`a ${kind} as soon as the request appears`, () =>
      play(
        undefined,
        async (scene) => {
          await scene.quickly(
            { live: true },
            {
              change: () => ask(scene, one),
              act: async () => {
                const { x, y } = await scene.middle(scene.allow('c1'));
                for (let i = 0; i < 3; i++) {
                  if (kind === 'tap') await scene.page.touchscreen.tap(x, y);
                  else await scene.page.mouse.click(x, y);
                  await scene.wait(40);
                }
              },
            },
          );
          await scene.assertUntouched(kind);
          await noticed(scene, 'c1');
        },
        { touch: kind === 'tap' },
      ));
  }

  it('the notice takes no new place, so that nothing moves under the pointer', () =>
    play(undefined, async (scene) => {
      let before;
      let button;
      await scene.quickly(
        { live: true },
        {
          change: () => ask(scene, one),
          act: async () => {
            before = await scene.card('c1').boundingBox();
            button = await scene.allow('c1').boundingBox();
            await scene.clickAtOnce(scene.allow('c1'));
          },
        },
      );
      await noticed(scene, 'c1');
      assert.deepEqual(await scene.card('c1').boundingBox(), before);
      assert.deepEqual(await scene.allow('c1').boundingBox(), button);
    }));

  it('a press that began before the request appeared', () =>
    play({ live: true, layout: 'flow' }, async (scene) => {
      // The pointer goes down where Allow will be: the same scene was tried before.
      await ask(scene, one);
      await scene.drawn();
      const { x, y } = await scene.middle(scene.allow('c1'));
      await scene.start({ live: true, layout: 'flow' });
      await scene.page.mouse.move(x, y);
      await scene.page.mouse.down();
      await ask(scene, one);
      await scene.wait(SETTLED);
      const now = await scene.middle(scene.allow('c1'));
      assert.deepEqual(now, { x, y }, 'Allow is under the pointer');
      await scene.page.mouse.up();
      await scene.assertUntouched('down before it was there');
    }));

  it('a click while what stands above grows', () =>
    play(undefined, async (scene) => {
      let before;
      let after;
      await scene.quickly(
        { live: true, layout: 'flow' },
        {
          before: async () => {
            await ask(scene, one, { ends: false });
            await scene.stand(scene.allow('c1'));
            before = await scene.middle(scene.allow('c1'));
          },
          change: () => say(scene, 2),
          act: async () => {
            after = await scene.middle(scene.allow('c1'));
            await scene.page.mouse.click(after.x, after.y);
          },
        },
      );
      assert.ok(after.y - before.y > 20, 'the card has moved');
      await scene.assertUntouched('it has just moved');
      await noticed(scene, 'c1');
    }));

  it('a click on what has moved under a resting pointer', () =>
    play(undefined, async (scene) => {
      await scene.quickly(
        { live: true, layout: 'flow' },
        {
          before: async () => {
            await ask(scene, three, { ends: false });
            await scene.stand(scene.deny('c1'));
            // The pointer rests on Deny of the second card: the one of the first comes to this very place.
            const target = await scene.middle(scene.deny('c2'));
            await scene.page.mouse.move(target.x, target.y);
            await scene.wait(SETTLED);
          },
          change: async () => {
            const from = await scene.middle(scene.deny('c1'));
            const to = await scene.middle(scene.deny('c2'));
            await scene.page.evaluate((px) => {
              stage.scene.conversation.style.paddingBottom = `${px}px`;
            }, to.y - from.y);
            await scene.drawn();
            assert.deepEqual(await scene.middle(scene.deny('c1')), to, 'it is under the pointer');
          },
          act: async () => {
            await scene.page.mouse.down();
            await scene.page.mouse.up();
          },
        },
      );
      await scene.assertUntouched('something else has come under the pointer');
      await noticed(scene, 'c1');
    }));

  it('a click while it moves step by step, each less than a button', () =>
    play(undefined, async (scene) => {
      await scene.quickly(
        { live: true, layout: 'flow' },
        {
          before: async () => {
            await ask(scene, one, { ends: false });
            await scene.stand(scene.allow('c1'));
            for (let i = 0; i < 8; i++) {
              await scene.page.evaluate(
                (px) => {
                  stage.scene.conversation.style.paddingBottom = `${px}px`;
                },
                (i + 1) * 3,
              );
              await scene.wait(90);
            }
          },
          change: () =>
            scene.page.evaluate(() => {
              stage.scene.conversation.style.paddingBottom = '27px';
            }),
          act: async () => scene.clickAtOnce(scene.allow('c1')),
        },
      );
      await scene.assertUntouched('it crept');
    }));

  describe('a request that a dangerous one has pushed away', () => {
    const spec = { live: true, options: { tools: { drop_table: { dangerous: true } } } };
    const steps = (scene, act) => ({
      before: async () => {
        await ask(scene, three.slice(0, 2), { ends: false });
        await scene.stand(scene.allow('c1'));
        const { x, y } = await scene.middle(scene.allow('c1'));
        await scene.page.mouse.move(x, y);
      },
      change: () => ask(scene, [{ id: 'd1', tool: 'drop_table', input: { name: 'users' } }], { ends: false }),
      act,
    });

    it('a click where it was', () =>
      play(undefined, async (scene) => {
        const act = async () => {
          await scene.page.mouse.down();
          await scene.page.mouse.up();
        };
        await scene.quickly(spec, steps(scene, act));
        const calls = await scene.page
          .locator('tool-approval-queue [part~="request"]')
          .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-call')));
        assert.deepEqual(calls, ['d1', 'c1', 'c2'], 'the dangerous one comes first');
        await scene.assertUntouched('another request has come under the pointer');
      }));

    for (const [what, call] of [
      ['the new one', 'd1'],
      ['the old one', 'c1'],
      ['the one below', 'c2'],
    ]) {
      it(`a click on ${what}`, () =>
        play(undefined, async (scene) => {
          await scene.quickly(
            spec,
            steps(scene, async () => {
              await scene.drawn();
              await scene.clickAtOnce(scene.allow(call));
            }),
          );
          await scene.assertUntouched(what);
          await noticed(scene, call);
        }));
    }
  });

  it('a double click decides one request, and undoes nothing', () =>
    play(undefined, async (scene) => {
      let at;
      await scene.quickly(
        { calls: three, options: patient },
        {
          before: async () => {
            await scene.stand(scene.deny('c1'));
            at = await scene.middle(scene.deny('c1'));
          },
          change: () => scene.page.mouse.dblclick(at.x, at.y),
          act: async () => {
            await scene.wait(100);
            await scene.page.mouse.click(at.x, at.y);
          },
        },
      );
      await scene.drawn();
      assert.deepEqual(await scene.acts(), ['drafted c1 no']);
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c2: 'asking', c3: 'asking' });
    }));

  it('a double click on the last request does not send at once what can still be undone', () =>
    play({ calls: three, options: patient }, async (scene) => {
      await scene.press(scene.deny('c1'));
      await scene.press(scene.deny('c2'));
      await scene.stand(scene.allow('c3'));
      const { x, y } = await scene.middle(scene.allow('c3'));
      await scene.page.mouse.dblclick(x, y);
      await scene.wait(100);
      assert.equal((await scene.requests()).length, 1);
      assert.equal(await scene.phase(), 'decided');
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no', 'drafted c3 yes']);
    }));

  it('clicks one after the other at the same place', () =>
    play(undefined, async (scene) => {
      let at;
      const click = () => scene.page.mouse.click(at.x, at.y);
      await scene.quickly(
        { calls: three, options: patient },
        {
          before: async () => {
            await scene.stand(scene.allow('c1'));
            at = await scene.middle(scene.allow('c1'));
          },
          change: click,
          act: async () => {
            for (let i = 0; i < 4; i++) {
              await scene.wait(70);
              await click();
            }
          },
        },
      );
      await scene.drawn();
      assert.deepEqual(await scene.acts(), ['drafted c1 yes']);
    }));

  it('a press that began on one button and ends on another', () =>
    play({ calls: three }, async (scene) => {
      await scene.stand(scene.deny('c1'));
      const from = await scene.middle(scene.deny('c1'));
      for (const to of [scene.allow('c1'), scene.deny('c2'), scene.part('title', 'c1')]) {
        const end = await scene.middle(to);
        await scene.page.mouse.move(from.x, from.y);
        await scene.page.mouse.down();
        await scene.page.mouse.move(end.x, end.y, { steps: 3 });
        await scene.page.mouse.up();
        await scene.page.mouse.move(end.x, end.y);
        await scene.page.mouse.down();
        await scene.page.mouse.move(from.x, from.y, { steps: 3 });
        await scene.page.mouse.up();
      }
      await scene.assertUntouched('dragged');
    }));

  for (const button of ['right', 'middle']) {
    it(`the ${button} mouse button`, () =>
      play({ calls: one }, async (scene) => {
        await scene.stand(scene.allow('c1'));
        await scene.clickAtOnce(scene.allow('c1'), { button });
        await scene.assertUntouched(button);
      }));
  }

  it('a button that is not in view as a whole', () =>
    play({ calls: one, layout: 'flow' }, async (scene) => {
      await scene.stand(scene.allow('c1'));
      const box = await scene.allow('c1').boundingBox();
      await scene.page.evaluate(({ y, height }) => {
        // The window ends in the middle of the button.
        document.documentElement.style.overflow = 'clip';
        document.body.style.cssText = `height: ${y + height / 2}px; overflow: hidden; position: relative`;
      }, box);
      await scene.wait(SETTLED);
      await scene.page.mouse.click(box.x + box.width / 2, box.y + 3);
      await scene.assertUntouched('half of it');
    }));

  it('a click that only brings the window to the front', () =>
    play({ calls: one }, async (scene) => {
      await scene.stand(scene.allow('c1'));
      const { x, y } = await scene.middle(scene.allow('c1'));
      // The driver tells each of its pages that it is in front, until it is told not to.
      scene.reusable = false;
      const session = await scene.page.context().newCDPSession(scene.page);
      await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
      const other = await scene.page.context().newPage();
      await other.bringToFront();
      await scene.until(() => !document.hasFocus(), 'another window in front');
      await scene.wait(SETTLED);
      await scene.page.mouse.click(x, y);
      await scene.until(() => document.hasFocus(), 'this window in front');
      await scene.assertUntouched('it brought the window to the front');
      await noticed(scene, 'c1');
      await scene.press(scene.allow('c1'));
      assert.deepEqual((await scene.acts())[0], 'drafted c1 yes', 'the next one counts');
    }));

  it('what a script of the page does', () =>
    play({ calls: three }, async (scene) => {
      await scene.stand(scene.allow('c1'));
      await scene.page.evaluate(() => {
        for (const button of stage.scene.queue.shadowRoot.querySelectorAll('button')) {
          // Those that decide nothing may be pressed by a script: what is folded, and what only takes back.
          if (/fold|more|extend|revoke|stop/.test(button.getAttribute('part'))) continue;
          const { x, y, width, height } = button.getBoundingClientRect();
          const at = {
            clientX: x + width / 2,
            clientY: y + height / 2,
            bubbles: true,
            composed: true,
            button: 0,
          };
          const key = { key: 'Enter', code: 'Enter', bubbles: true, composed: true };
          button.focus();
          button.click();
          button.dispatchEvent(new PointerEvent('pointerdown', { ...at, isPrimary: true, pointerId: 1 }));
          button.dispatchEvent(new MouseEvent('mousedown', at));
          button.dispatchEvent(new PointerEvent('pointerup', { ...at, isPrimary: true, pointerId: 1 }));
          button.dispatchEvent(new MouseEvent('mouseup', at));
          button.dispatchEvent(new PointerEvent('click', { ...at, detail: 1 }));
          button.dispatchEvent(new MouseEvent('click', { ...at, detail: 0 }));
          for (const type of ['keydown', 'keypress', 'keyup'])
            button.dispatchEvent(new KeyboardEvent(type, key));
        }
      });
      await scene.assertUntouched('a script');
    }));

  describe('keys', () => {
    it('Enter in the composer, before and while a request asks', () =>
      play({ live: true }, async (scene) => {
        await scene.composer().focus();
        await scene.key('Enter', 2);
        await ask(scene, three);
        await scene.key('Enter', 3);
        await scene.wait(SETTLED);
        await scene.key('Enter', 2);
        await scene.assertUntouched('Enter in the composer');
        assert.equal(await scene.page.evaluate(() => stage.scene.submitted), 7, 'the composer got them');
        assert.equal(await scene.focused(), 'input');
      }));

    it('what is typed while a request appears goes where it was meant to go', () =>
      play({ live: true }, async (scene) => {
        await scene.composer().focus();
        const text = 'please do not delete the file, ask me first ';
        const [, typed] = await Promise.all([
          (async () => {
            await scene.wait(300);
            await ask(scene, three);
          })(),
          scene.page.keyboard.type(text, { delay: 25 }),
        ]);
        assert.equal(typed, undefined);
        assert.equal(await scene.composer().inputValue(), text);
        assert.equal(await scene.focused(), 'input');
        await scene.assertUntouched('typing');
      }));

    it('a key that is held down while the focus comes to a button', () =>
      play({ calls: three }, async (scene) => {
        for (const key of ['Enter', 'Space']) {
          await scene.part('heading').evaluate((heading) => heading.focus());
          await scene.wait(SETTLED);
          await scene.page.keyboard.down(key);
          await scene.allow('c1').focus();
          for (let i = 0; i < 5; i++) {
            await scene.page.keyboard.down(key);
            await scene.wait(40);
          }
          await scene.wait(SETTLED);
          await scene.page.keyboard.down(key);
          await scene.page.keyboard.up(key);
          await scene.assertUntouched(`${key} was held`);
        }
      }));

    it('a key that is held down on a button presses it once, and not the Undo that takes its place', () =>
      play({ calls: three, options: patient }, async (scene) => {
        for (const [key, call] of [
          ['Enter', 'c1'],
          ['Space', 'c2'],
        ]) {
          await scene.deny(call).focus();
          await scene.wait(SETTLED);
          await scene.page.keyboard.down(key);
          for (let i = 0; i < 20; i++) {
            await scene.wait(40);
            await scene.page.keyboard.down(key);
          }
          await scene.page.keyboard.up(key);
          await scene.drawn();
        }
        assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no']);
      }));

    it('Enter twice in a row', () =>
      play(undefined, async (scene) => {
        await scene.quickly(
          { calls: three, options: patient },
          {
            before: async () => {
              await scene.deny('c1').focus();
              await scene.wait(SETTLED);
            },
            change: () => scene.page.keyboard.press('Enter'),
            act: () => scene.page.keyboard.press('Enter'),
          },
        );
        await scene.drawn();
        assert.deepEqual(await scene.acts(), ['drafted c1 no']);
      }));

    it('Enter on a button that has just appeared', () =>
      play(undefined, async (scene) => {
        await scene.quickly(
          { live: true },
          {
            change: () => ask(scene, one),
            act: async () => {
              await scene.allow('c1').focus();
              await scene.page.keyboard.press('Enter');
              await scene.page.keyboard.press('Space');
            },
          },
        );
        await scene.assertUntouched('too early');
        await noticed(scene, 'c1');
      }));

    it('letters decide nothing, wherever the focus is', () =>
      play({ calls: three }, async (scene) => {
        await scene.tabTo('deny c1');
        await scene.wait(SETTLED);
        for (const key of [
          'y',
          'n',
          'a',
          'd',
          '1',
          '2',
          'Escape',
          'Delete',
          'Backspace',
          'Control+Enter',
          'Alt+Enter',
        ]) {
          await scene.key(key);
        }
        await scene.assertUntouched('letters');
        assert.equal(await scene.focused(), 'deny c1');
      }));
  });

  it('the shortcut goes to the queue, and decides nothing', () =>
    play({ calls: three }, async (scene) => {
      await scene.composer().focus();
      await scene.wait(SETTLED);
      await scene.key('Alt+Shift+A', 3);
      assert.equal(await scene.focused(), 'heading');
      await scene.assertUntouched('the shortcut');
    }));

  it('the application can forbid a decision', () =>
    play({ calls: three }, async (scene) => {
      await scene.page.evaluate(() => {
        stage.scene.queue.addEventListener('tool-approval-decide', (event) => event.preventDefault());
      });
      await scene.press(scene.allow('c1'));
      await scene.press(scene.queue().getByRole('button', { name: /^Deny all/ }));
      assert.deepEqual(await scene.decisions(), [
        { calls: ['c1'], choice: 'allow-once', occluded },
        { calls: ['c1', 'c2', 'c3'], choice: 'deny', occluded },
      ]);
      assert.deepEqual(await scene.acts(), []);
    }));

  it('an input that has changed since it was shown is not decided', () =>
    play({ calls: one }, async (scene) => {
      await scene.stand(scene.allow('c1'));
      // The list is swapped without a word, as a script of the page could.
      await scene.page.evaluate(() => {
        const { chat } = stage.scene;
        const swapped = structuredClone(chat.messages);
        for (const message of swapped) {
          for (const part of message.parts)
            if (part.toolCallId === 'c1') part.input = { path: '/etc/passwd' };
        }
        chat.messages = swapped;
      });
      await scene.clickAtOnce(scene.allow('c1'));
      assert.ok(
        !(await scene.acts()).includes('drafted c1 yes'),
        'what was shown was allowed, and nothing else',
      );
      assert.equal((await scene.requests()).length, 1);
    }));

  it('an input that is changed in place is shown before it can be allowed', () =>
    play({ calls: three.slice(0, 2), options: patient }, async (scene) => {
      await scene.stand(scene.allow('c1'));
      await scene.page.evaluate(() => {
        const { parts } = stage.scene.chat.messages.at(-1);
        parts.find(({ toolCallId }) => toolCallId === 'c1').input.path = '/etc/passwd';
      });
      await scene.clickAtOnce(scene.allow('c1'));
      await scene.card('c1').getByText('/etc/passwd').first().waitFor();
      await scene.press(scene.deny('c2'));
      assert.deepEqual(await scene.acts(), ['refused c1 yes', 'drafted c2 no']);
      // Now it was there to be read, so it can be answered.
      await scene.press(scene.deny('c1'));
      assert.deepEqual((await scene.acts()).slice(2), ['drafted c1 no']);
    }));

  /** Puts another input in the place of one, as a server that says it again could. */
  const swap = (scene) =>
    scene.page.evaluate(() => {
      const { chat, guard } = stage.scene;
      const swapped = structuredClone(chat.messages);
      swapped.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1').input = { path: 'notes.mx' };
      chat.messages = swapped;
      guard.observe(swapped);
    });

  it('a button starts over when the input of its request becomes another one', () =>
    play(undefined, async (scene) => {
      await scene.quickly(
        { calls: three.slice(0, 2), options: patient },
        {
          before: () => scene.stand(scene.allow('c1')),
          change: () => swap(scene),
          act: () => scene.clickAtOnce(scene.allow('c1')),
        },
      );
      assert.deepEqual(await scene.acts(), []);
    }));

  it('the button for all starts over when the input of one of them becomes another one', () =>
    play(undefined, async (scene) => {
      const all = scene.part('allow-all');
      await scene.quickly(
        { calls: three.slice(0, 2), options: patient },
        { before: () => scene.stand(all), change: () => swap(scene), act: () => scene.clickAtOnce(all) },
      );
      assert.deepEqual(await scene.acts(), []);
      await scene.press(all);
      assert.deepEqual(await scene.acts(), ['drafted c1 yes', 'drafted c2 yes']);
    }));

  it('a second click does not end what the first one has granted', () =>
    play({ calls: same, options: patient }, async (scene) => {
      const exactly = scene.part('allow-chat', 'c1');
      await scene.stand(exactly);
      await scene.clickAtOnce(exactly, { clickCount: 2 });
      await scene.wait(SETTLED);
      assert.ok((await scene.acts()).every((act) => !/grant-ended|undone/.test(act)));
      assert.equal((await scene.acts()).filter((act) => /^drafted/.test(act)).length, 3);
      // And neither does a press of what has just appeared.
      assert.equal(await scene.page.evaluate(() => stage.scene.guard.grants().length), 1);
    }));

  it('a reason that was put away is not said, and one that cannot be said does not keep from denying', () =>
    play({ calls: three.slice(0, 2), options: patient }, async (scene) => {
      for (const [call, closes] of [
        ['c1', true],
        ['c2', false],
      ]) {
        await scene.part('more', call).click();
        const reason = scene.card(call).getByRole('textbox');
        await reason.focus();
        await scene.page.keyboard.insertText('Not\u000b this\u0007');
        if (closes) await scene.key('Escape');
        await scene.press(scene.deny(call));
      }
      await scene.press(scene.part('proceed'));
      const reasons = await scene.page.evaluate(() =>
        stage.scene.chat.messages
          .flatMap(({ parts }) => parts)
          .filter(({ approval }) => approval?.approved === false)
          .map(({ approval }) => approval.reason),
      );
      assert.deepEqual(reasons, [NO_REASON, 'Not  this']);
    }));

  it('what was written for one request is said when all are denied', () =>
    play({ calls: three.slice(0, 2), options: patient }, async (scene) => {
      await scene.part('more', 'c1').click();
      await scene.card('c1').getByRole('textbox').fill('Use draft.md instead.');
      await scene.press(scene.part('deny-all'));
      await scene.press(scene.part('proceed'));
      const reasons = await scene.page.evaluate(() =>
        stage.scene.chat.messages
          .flatMap(({ parts }) => parts)
          .filter(({ approval }) => approval?.approved === false)
          .map(({ approval }) => approval.reason),
      );
      assert.deepEqual(reasons, ['Use draft.md instead.', NO_REASON]);
    }));
});
