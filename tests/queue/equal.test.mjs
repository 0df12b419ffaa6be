// Equal calls: one card, one press, one undo, and always as many as the person has seen.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const mail = (id) => ({ id, tool: 'send_mail', input: { to: 'ana@example.com' } });
const file = { id: 'c9', tool: 'delete_file', input: { path: 'notes.md' } };
const two = [mail('c1'), mail('c2')];
/** The equal ones do not stand together. */
const three = [mail('c1'), file, mail('c2')];
/** The batch stays open for an undo, so that one decision more or less can be seen. */
const patient = { undoMs: 600_000 };

describe('C41 equal calls', together, () => {
  const { play } = stage();

  const texts = (locator) => locator.allInnerTexts();
  const timesOf = async (scene, call) => (await scene.part('times', call).innerText()).trim();

  /** Pushes calls into the response that streams. */
  const ask = (scene, ...calls) =>
    scene.page.evaluate(async (calls) => {
      stage.scene.push(calls.map(({ id, tool, input }) => stage.chunks.gated(id, tool, input)));
      await stage.scene.until(() => calls.every(({ id }) => stage.scene.call(id)?.status === 'asking'));
    }, calls);

  it('C41 one card says how many they are, and its buttons say how many they answer', () =>
    play({ calls: three, options: patient }, async (scene) => {
      assert.equal(await scene.card('c1').count(), 1);
      assert.equal(await scene.card('c2').count(), 0);
      assert.equal(await timesOf(scene, 'c1'), '2 times');
      assert.equal(await scene.part('times', 'c9').isVisible(), false);
      assert.deepEqual(await texts(scene.part('position')), ['1 of 2', '2 of 2']);
      assert.match(await scene.deny('c1').innerText(), /^Deny these 2 calls/);
      assert.match(await scene.allow('c1').innerText(), /^Allow these 2 calls/);
      assert.match(await scene.deny('c9').innerText(), /^Deny\b(?! these)/);
      assert.match(await scene.part('heading').innerText(), /3 decisions needed/, 'each call is counted');
      assert.match(await scene.part('deny-all').innerText(), /Deny all 3/);
    }));

  it('C41 one press allows all of them, and one undo takes all of them back', () =>
    play({ calls: three, options: patient }, async (scene) => {
      await scene.press(scene.allow('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c9: 'asking', c2: 'drafted' });
      assert.deepEqual(
        (await scene.decisions()).map(({ calls, choice }) => [calls, choice]),
        [[['c1', 'c2'], 'allow-once']],
      );
      assert.equal(await timesOf(scene, 'c1'), '2 times', 'they are still one card');
      assert.equal(await scene.card('c2').count(), 0);
      assert.match(await scene.part('status').innerText(), /2 allowed/);
      await scene.press(scene.undo('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c9: 'asking', c2: 'asking' });
      await scene.press(scene.deny('c1'));
      assert.deepEqual(await scene.acts(), [
        'drafted c1 yes',
        'drafted c2 yes',
        'undone c1',
        'undone c2',
        'drafted c1 no',
        'drafted c2 no',
      ]);
    }));

  it('C41 a single card has the buttons for all of its calls, so there are no others', () =>
    play({ calls: two, options: patient }, async (scene) => {
      for (const part of ['deny-all', 'allow-all']) assert.equal(await scene.part(part).isVisible(), false);
      assert.equal(await scene.part('position').innerText(), '');
      await scene.press(scene.allow('c1'));
      assert.equal(await scene.part('undo-all').isVisible(), false);
      assert.match(await scene.part('proceed').innerText(), /Send 2 decisions/);
    }));

  it('C41 the request says of each of them what was decided', () =>
    play({ calls: two }, async (scene) => {
      await scene.press(scene.allow('c1'));
      await scene.received(2);
      const { c1, c2 } = await scene.sent();
      assert.deepEqual([c1.approved, c2.approved], [true, true]);
    }));

  it('C41 another equal call arrives while the person is about to press: the press does not count', () =>
    play(undefined, async (scene) => {
      for (const button of ['allow', 'deny']) {
        await scene.quickly(
          { live: true, options: patient },
          {
            before: async () => {
              await ask(scene, mail('c1'));
              await scene.stand(scene[button]('c1'));
            },
            change: () => ask(scene, mail('c2')),
            act: () => scene.clickAtOnce(scene[button]('c1')),
          },
        );
        await scene.assertUntouched(button);
        assert.match(await scene.part('notice', 'c1').innerText(), /too soon/);
        assert.equal(await timesOf(scene, 'c1'), '2 times');
      }
      await scene.press(scene.deny('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c2: 'drafted' });
    }));

  it('C41 the pointer is down when another one arrives: the press does not count', () =>
    play({ live: true, options: patient }, async (scene) => {
      await ask(scene, mail('c1'));
      await scene.stand(scene.allow('c1'));
      const { x, y } = await scene.middle(scene.allow('c1'));
      await scene.page.mouse.move(x, y);
      await scene.page.mouse.down();
      await ask(scene, mail('c2'));
      await scene.wait(1_000);
      await scene.page.mouse.up();
      await scene.assertUntouched('a press that began before');
    }));

  it('C41 a person who wants it once allows one of them and denies the rest', () =>
    play({ calls: [...two, mail('c3')], options: patient }, async (scene) => {
      await scene.part('more', 'c1').click();
      await scene.part('reason', 'c1').fill('once is enough');
      await scene.press(scene.part('only-one', 'c1'));
      assert.deepEqual(await scene.outcomes(), { c1: 'allowed-once', c2: 'denied', c3: 'denied' });
      assert.deepEqual(
        (await scene.decisions()).map(({ calls, choice }) => [calls, choice]),
        [
          [['c2', 'c3'], 'deny'],
          [['c1'], 'allow-once'],
        ],
      );
      assert.equal(await timesOf(scene, 'c2'), '2 times');
      assert.equal(await scene.part('times', 'c1').isVisible(), false);
      await scene.press(scene.part('proceed'));
      await scene.received(2);
      const { c1, c2, c3 } = await scene.sent();
      assert.deepEqual([c1.approved, c2.approved, c3.approved], [true, false, false]);
      assert.deepEqual([c2.reason, c3.reason], ['once is enough', 'once is enough']);
    }));

  it('C41 one of them is allowed only if the others were denied: where the application says no to that, nothing runs', () =>
    play({ calls: [...two, mail('c3')], options: patient }, async (scene) => {
      await scene.page.evaluate(() => {
        stage.scene.queue.addEventListener('tool-approval-decide', (event) => {
          if (event.detail.choice === 'deny') event.preventDefault();
        });
      });
      await scene.part('more', 'c1').click();
      await scene.press(scene.part('only-one', 'c1'));
      assert.deepEqual(await scene.acts(), []);
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking', c3: 'asking' });
    }));

  it('C41 a lasting choice answers all of the card, is not counted twice, and is undone with it', () =>
    play({ calls: [...two, { ...mail('c3'), input: { to: 'bo' } }], options: patient }, async (scene) => {
      assert.doesNotMatch(await scene.part('allow-chat', 'c1').innerText(), /Also covers/);
      await scene.part('more', 'c1').click();
      assert.match((await texts(scene.part('lasting-choice', 'c1'))).join(), /Also covers 1 waiting call/);
      await scene.press(scene.part('allow-chat', 'c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      assert.equal(await scene.card('c2').count(), 0);
      await scene.press(scene.undo('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.deepEqual(await scene.grants(), []);
    }));

  it('C41 a dangerous card says how many calls its Allow covers', () =>
    play(
      { calls: two, options: { ...patient, tools: { send_mail: { dangerous: true } } } },
      async (scene) => {
        assert.match(await scene.part('danger', 'c1').innerText(), /covers only these 2 calls/);
        assert.match(await scene.allow('c1').innerText(), /^Allow these 2 calls/);
        assert.equal(await scene.part('allow-chat', 'c1').isVisible(), false);
      },
    ));

  it('C41 an answer to one of them from elsewhere separates the cards', () =>
    play({ calls: two, options: patient }, async (scene) => {
      await scene.page.evaluate(() => stage.scene.decide('c1', 'deny'));
      await scene.drawn();
      assert.equal(await scene.part('times', 'c1').isVisible(), false);
      assert.equal(await scene.part('times', 'c2').isVisible(), false);
      assert.match(await scene.allow('c2').innerText(), /^Allow once/);
      await scene.page.evaluate(() => stage.scene.guard.undo(stage.scene.call('c1')));
      await scene.drawn();
      assert.equal(await scene.card('c2').count(), 0);
      assert.equal(await timesOf(scene, 'c1'), '2 times');
    }));

  it('C41 extends the time of all of them', () =>
    // Less than a minute: where the unit changes, the button moves, and a press at that moment does not count.
    play({ calls: two, options: { ...patient, expiresMs: 50_000, warnMs: 49_999 } }, async (scene) => {
      await scene.until(() => stage.scene.call('c1').expiring, 'it expires soon');
      await scene.drawn();
      await scene.press(scene.part('extend', 'c1'));
      assert.deepEqual(await scene.acts(), ['extended c1', 'extended c2']);
    }));

  it('C41 one at a time: a step leads to the next card', () =>
    play({ calls: three, options: patient, attributes: { show: 'one' } }, async (scene) => {
      assert.equal(await scene.card('c1').isVisible(), true);
      await scene.part('next').click();
      assert.equal(await scene.card('c9').isVisible(), true);
      await scene.part('previous').click();
      await scene.until(() => {
        const said = stage.scene.queue.shadowRoot.querySelector('[role="status"]').textContent;
        return /1 of 2\. Allow send_mail\? 2 times/.test(said);
      }, 'it is said');
    }));

  it('C41 a screen reader hears the number with the request and on the buttons', () =>
    play({ calls: two, options: patient }, async (scene) => {
      const group = scene.queue().getByRole('group', { name: 'Allow send_mail? 2 times' });
      assert.equal(await group.count(), 1);
      for (const name of ['Deny these 2 calls send_mail', 'Allow these 2 calls send_mail'])
        assert.equal(await scene.queue().getByRole('button', { name, exact: true }).count(), 1, name);
    }));

  for (const [catalogue, times, allow] of [
    ['de', '2-mal', /^Diese 2 Aufrufe erlauben/],
    ['ar', 'مرتان', /^السماح بهذين الاستدعاءين/],
  ]) {
    it(`C41 in words: ${catalogue}`, () =>
      play({ calls: two, options: patient, catalogue }, async (scene) => {
        assert.equal(await timesOf(scene, 'c1'), times);
        assert.match(await scene.allow('c1').innerText(), allow);
      }));
  }

  describe('C41 cards in the conversation', () => {
    const cards = { calls: three, cards: true, options: patient };

    it('C41 the first of the cards shows and decides all of them', () =>
      play(cards, async (scene) => {
        assert.equal(await scene.card('c1').count(), 1);
        assert.equal(await scene.card('c2').count(), 0);
        assert.equal(await timesOf(scene, 'c1'), '2 times');
        await scene.press(scene.allow('c1'));
        assert.deepEqual(await scene.statuses(), { c1: 'drafted', c9: 'asking', c2: 'drafted' });
        await scene.press(scene.undo('c1'));
        assert.deepEqual(await scene.statuses(), { c1: 'asking', c9: 'asking', c2: 'asking' });
      }));

    it('C41 another card takes over when the first one is removed, or shows another call', () =>
      play(cards, async (scene) => {
        const seen = await scene.page.evaluate(async () => {
          const [first, , last] = document.querySelectorAll('tool-approval-card');
          const turn = () => new Promise((resolve) => setTimeout(resolve));
          const read = () =>
            [first, last].map((card) => card.shadowRoot.querySelector('[part="times"]')?.textContent ?? '-');
          const found = [read()];
          const { parentElement: parent } = first;
          first.remove();
          await turn();
          found.push(read());
          parent.append(first);
          await turn();
          found.push(read());
          const call = first.call;
          first.call = undefined;
          await turn();
          found.push(read());
          first.call = call;
          await turn();
          found.push(read());
          return found;
        });
        assert.deepEqual(seen, [
          ['2 times', '-'],
          ['-', '2 times'],
          ['2 times', '-'],
          ['-', '2 times'],
          ['2 times', '-'],
        ]);
      }));

    it('C41 another equal call arrives while the person is about to press: the press does not count', () =>
      play(undefined, async (scene) => {
        const spec = { live: true, cards: true, options: patient };
        await scene.quickly(spec, {
          before: async () => {
            await ask(scene, mail('c1'));
            await scene.stand(scene.allow('c1'));
          },
          change: () => ask(scene, mail('c2')),
          act: () => scene.clickAtOnce(scene.allow('c1')),
        });
        await scene.assertUntouched('a press at once');
        assert.equal(await timesOf(scene, 'c1'), '2 times');
      }));
  });
});
