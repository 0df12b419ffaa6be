// One call in the place of its tool part: `<tool-approval-card>`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findings } from './axe.mjs';
import { stage, together } from './stage.mjs';

const calls = [
  { id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } },
  { id: 'c2', tool: 'send_mail', input: { to: 'ana@example.com' } },
];
const two = { calls, cards: true };

describe('a card of one call', together, () => {
  const { play } = stage();

  it('shows its call and no other one, and decides it', () =>
    play(two, async (scene) => {
      assert.deepEqual(await scene.queue().count(), 2);
      assert.equal(await scene.card('c1').count(), 1);
      assert.match(await scene.part('title', 'c1').innerText(), /Allow delete_file\?/);
      assert.match(await scene.part('input', 'c1').innerText(), /notes\.md/);
      await scene.press(scene.deny('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c2: 'asking' });
      assert.deepEqual(await scene.decisions(), [{ calls: ['c1'], choice: 'deny', occluded: false }]);
      assert.match(await scene.part('outcome', 'c1').innerText(), /Denied/);
      await scene.press(scene.undo('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking' });
      await scene.press(scene.allow('c1'));
      await scene.press(scene.deny('c2'));
      await scene.received(2);
      const sent = await scene.sent();
      assert.deepEqual([sent.c1.approved, sent.c2.approved], [true, false]);
    }));

  it('counts no press on a button that has just appeared, and says so', () =>
    play(two, async (scene) => {
      await scene.quickly(two, {
        change: () =>
          scene.page.evaluate(() => {
            const card = document.querySelector('tool-approval-card');
            card.parentElement.prepend(card);
          }),
        act: () => scene.clickAtOnce(scene.allow('c1')),
      });
      await scene.assertUntouched('a press at once');
      assert.match(await scene.part('notice', 'c1').innerText(), /too soon/);
    }));

  it('an application can cancel a decision', () =>
    play(two, async (scene) => {
      await scene.page.evaluate(() => {
        document.querySelector('#cards').addEventListener('tool-approval-decide', (e) => e.preventDefault());
      });
      await scene.press(scene.allow('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking' });
    }));

  it('takes a key, follows a change of its call, and is empty without one', () =>
    play(two, async (scene) => {
      const texts = await scene.page.evaluate(async () => {
        const [card] = document.querySelectorAll('tool-approval-card');
        const [first, second] = stage.scene.guard.getSnapshot().calls;
        const read = () => card.shadowRoot.querySelector('[part="title"]')?.textContent ?? '';
        const found = [];
        for (const call of [second.key, first, undefined, 'call-of-another-guard-1', first.key]) {
          card.call = call;
          found.push(read());
        }
        return found;
      });
      assert.deepEqual(texts, ['Allow send_mail?', 'Allow delete_file?', '', '', 'Allow delete_file?']);
    }));

  it('a call that needs no answer has no card', () =>
    play(
      {
        cards: true,
        messages: [
          { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
          {
            id: 'a1',
            role: 'assistant',
            parts: [
              { type: 'step-start' },
              { type: 'tool-read_file', toolCallId: 'c1', state: 'output-available', input: {}, output: 'x' },
            ],
          },
        ],
      },
      async (scene) => {
        assert.equal(await scene.queue().count(), 1);
        assert.equal(await scene.card('c1').count(), 0);
      },
    ));

  it('the focus moves from a decided call to its Undo or its title, and is announced', () =>
    play({ calls: calls.slice(0, 1), cards: true }, async (scene) => {
      await scene.stand(scene.deny('c1'));
      await scene.tabTo('deny c1');
      await scene.wait(750);
      await scene.key('Enter');
      await scene.received(2);
      assert.equal(await scene.focused(), 'title c1');
      await scene.until(
        () =>
          /Denied/.test(
            document.querySelector('tool-approval-card').shadowRoot.querySelector('[role="status"]')
              .textContent,
          ),
        'the announcement',
      );
    }));

  it('axe-core finds nothing', () =>
    play(two, async (scene) => {
      assert.deepEqual(await findings(scene), []);
    }));
});
