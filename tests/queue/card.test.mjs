// One call in the place of its tool part: `<tool-approval-card>`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isBroad } from '../support/breadth.mjs';
import { findings } from './axe.mjs';
import { openAll, overflowing } from './fit.mjs';
import { stage, together } from './stage.mjs';

const notes = { tool: 'write_note', input: { path: 'notes.md' } };
const mail = { id: 'c4', tool: 'send_mail', input: { to: 'ana@example.com' } };
const notesOf = (...ids) => ids.map((id) => ({ ...notes, id, input: { path: `${id}.md` } }));

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

  for (const [what, scenario] of Object.entries({ card: two, queue: { calls } }))
    it(`a heading of the page can stand directly above a ${what}, and the page can say another level`, () =>
      play(scenario, async (scene) => {
        const titled = (level) =>
          scene.page.evaluate((level) => {
            document.querySelector('#titles')?.remove();
            const titles = document.createElement('div');
            titles.id = 'titles';
            for (let i = 1; i <= level; i++)
              titles.append(Object.assign(document.createElement(`h${i}`), { textContent: 'Chat' }));
            document.body.prepend(titles);
            for (const element of document.querySelectorAll('tool-approval-card, tool-approval-queue')) {
              if (level > 1) element.setAttribute('level', String(level + 1));
              else element.removeAttribute('level');
            }
          }, level);
        const levels = () =>
          scene.page
            .getByRole('heading')
            .evaluateAll((all) =>
              all.map((one) => Number(one.getAttribute('aria-level') ?? one.tagName.slice(1))),
            );
        await titled(1);
        assert.deepEqual(await findings(scene, ['heading-order']), []);
        assert.deepEqual(await levels(), what === 'card' ? [1, 2, 2] : [1, 2, 3, 3]);
        await titled(3);
        assert.deepEqual(await findings(scene, ['heading-order']), []);
        assert.deepEqual(await levels(), what === 'card' ? [1, 2, 3, 4, 4] : [1, 2, 3, 4, 5, 5]);
        await titled(6);
        assert.deepEqual(
          await levels(),
          [1, 2, 3, 4, 5, 6, 2, ...(what === 'card' ? [2] : [3, 3])],
          'there is no level 7',
        );
        await scene.page.evaluate(() => document.querySelector('#titles')?.remove());
      }));

  it('of a call that the chat has left behind has no choices, and says that it is no longer open', () =>
    play({ ...two, options: { whenUserSends: 'pass' } }, async (scene) => {
      await scene.page.evaluate(async () => {
        await stage.scene.chat.sendMessage({ text: 'Never mind.' });
        await stage.scene.settle();
      });
      await scene.drawn();
      assert.deepEqual(await scene.statuses(), { c1: 'asking', c2: 'asking' });
      for (const part of ['deny', 'allow', 'more'])
        assert.equal(await scene.part(part, 'c1').isVisible(), false, part);
      assert.equal(
        await scene.part('outcome', 'c1').innerText(),
        'This request is no longer open. Nothing was run.',
      );
    }));

  it('says who says that a call is dangerous', async () => {
    const tools = {
      send_mail: { dangerous: true },
      move_file: { annotations: { destructiveHint: true } },
      write_note: { dangerous: false },
    };
    const named = ['send_mail', 'move_file', 'delete_file', 'write_note'];
    const spec = {
      calls: named.map((tool, i) => ({ id: `c${i + 1}`, tool, input: { path: `${i}.md` } })),
      cards: true,
      options: { tools },
    };
    const warnings = (scene) =>
      Promise.all(
        named.map(async (_, i) => {
          const shown = async (part) => {
            const found = scene.part(part, `c${i + 1}`);
            return (await found.isVisible()) ? found.innerText() : '';
          };
          return [await shown('danger'), await shown('sounds-dangerous')];
        }),
      );
    await play(spec, async (scene) => {
      assert.deepEqual(await warnings(scene), [
        ['Dangerous, according to this application. Allowing it covers only this call.', ''],
        ['Dangerous, according to the server of this tool. Allowing it covers only this call.', ''],
        ['', 'Its name suggests that it may do harm.'],
        ['', ''],
      ]);
    });
  });

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
      await scene.tabTo('deny c1');
      await scene.act('Enter');
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

  it('a second click decides nothing more, and undoes nothing', () =>
    play({ ...two, options: { undoMs: 600_000 } }, async (scene) => {
      for (const act of ['allow', 'deny', 'allow-chat']) {
        await scene.start({ ...two, options: { undoMs: 600_000 } });
        await scene.stand(scene.part(act, 'c1'));
        const { x, y } = await scene.middle(scene.part(act, 'c1'));
        await scene.page.mouse.dblclick(x, y);
        await scene.wait(100);
        await scene.page.mouse.click(x, y);
        await scene.drawn();
        const acts = (await scene.acts()).filter((line) => !line.startsWith('granted'));
        assert.deepEqual(acts, [`drafted c1 ${act === 'deny' ? 'no' : 'yes'}`]);
      }
    }));

  it('counts no press while the message above it grows', () =>
    play(undefined, async (scene) => {
      const spec = { ...two, says: 'One line.', layout: 'flow' };
      await scene.quickly(spec, {
        before: () => scene.stand(scene.allow('c1')),
        change: async () => {
          await scene.page.evaluate(() => {
            stage.scene.conversation.append(document.createElement('p').appendChild(new Text('More. ')));
            stage.scene.conversation.append(
              Object.assign(document.createElement('p'), { textContent: 'More.' }),
            );
          });
          await scene.drawn();
        },
        act: () => scene.clickAtOnce(scene.allow('c1')),
      });
      await scene.assertUntouched('it has just moved');
    }));

  for (const [name, prepare, options] of [
    ['from right to left', () => void (document.documentElement.dir = 'rtl'), {}],
    ['with text of twice the size', () => void (document.documentElement.style.fontSize = '200%'), {}],
    ['at 200 %', () => {}, { width: 640, height: 450, context: { deviceScaleFactor: 2 } }],
    ['in forced colours', () => {}, { forcedColors: 'active' }],
  ]) {
    it(`everything fits, in a narrow message, too: ${name}`, () =>
      play(
        'empty',
        async (scene) => {
          const found = [];
          await scene.page.evaluate(prepare);
          await scene.page.emulateMedia({ forcedColors: options.forcedColors ?? 'none' });
          for (const state of [
            'long-values',
            'invisible',
            'folded-name',
            'masked',
            'same-tool',
            'deadline-near',
          ]) {
            await scene.show(state, {
              cards: true,
              ...(name.startsWith('from right') && { catalogue: 'ar' }),
            });
            for (const line of await overflowing(scene)) found.push(`${state}: ${line}`);
            await openAll(scene);
            for (const line of await overflowing(scene)) found.push(`${state}, opened: ${line}`);
          }
          assert.deepEqual(found, []);
        },
        { width: 320, ...options },
      ));
  }

  for (const [i, state] of [
    'asking-three',
    'dangerous',
    'drafted',
    'drafted-for-longer',
    'deadline-near',
    'long-values',
    'folded-name',
    'invisible',
    'unshowable',
    'masked',
    'denied-automatically',
  ].entries()) {
    it(`axe-core finds nothing, and everything fits: ${state}`, () =>
      play('empty', async (scene) => {
        const seen = [];
        for (const [w, width] of [1280, 320].entries()) {
          await scene.page.setViewportSize({ width, height: 900 });
          await scene.show(state, { cards: true });
          await openAll(scene);
          seen.push(...(await overflowing(scene)));
          // In a run that is not broad axe looks once.
          const schemes = isBroad ? ['light', 'dark'] : w === i % 2 ? [i & 2 ? 'light' : 'dark'] : [];
          for (const [j, colorScheme] of schemes.entries()) {
            await scene.page.emulateMedia({ colorScheme });
            await scene.drawn();
            const found = await findings(scene, j > 0 ? ['color-contrast'] : undefined);
            for (const line of found) seen.push(`${width} ${colorScheme}: ${line}`);
          }
        }
        assert.deepEqual(seen, []);
      }));
  }
});

for (const cards of [undefined, true]) {
  describe(`a path that is an argument, in ${cards ? 'a card' : 'the queue'}`, together, () => {
    const { play } = stage();
    const read = (scene) =>
      scene.part('arguments', 'c1').evaluate((root) => ({
        lines: root.innerText.split('\n').filter((line) => line.trim() !== ''),
        places: [...root.querySelectorAll('[part="place"]')].map((place) => place.innerText),
        folds: root.querySelectorAll('button').length,
      }));
    const shown = (input, check) =>
      play({ calls: [{ id: 'c1', tool: 'write_file', input }], cards }, async (scene) =>
        check(await read(scene)),
      );
    const once = (lines, value) =>
      assert.equal(lines.filter((line) => line.includes(value)).length, 1, value);

    it('is shown once, with its name, before the other arguments', () =>
      shown({ text: 'Hello.', path: 'notes.md', n: 1 }, ({ lines, places }) => {
        assert.deepEqual(lines, ['path', 'notes.md', 'text', 'Hello.', 'n', '1']);
        assert.deepEqual(places, []);
      }));

    it('is never folded: its end may be what matters', () =>
      shown({ text: 'x '.repeat(900), path: `${'a-folder/'.repeat(100)}secret.pem` }, ({ lines, folds }) => {
        once(lines, 'secret.pem');
        assert.equal(folds, 1, 'the text is folded');
      }));

    it('stays apart from the fields where it is only a part of one', () =>
      shown({ files: [{ path: 'deep.md' }], url: 'https://api.example.com/v1', path: 'a\nb' }, ({ places }) =>
        assert.deepEqual(
          places.map((place) => place.replace(/\s+/g, ' ')),
          ['Host api.example.com', 'Path deep.md a⟦U+000A⟧b'],
        ),
      ));
  });
}

for (const cards of [undefined, true]) {
  describe(`Allow for this chat, in ${cards ? 'a card' : 'the queue'}`, together, () => {
    const { play } = stage();
    const patient = { undoMs: 600_000 };
    const chat = (scene, call) => scene.part('allow-chat', call);
    const allowances = (scene, call) =>
      scene
        .part('choice', call)
        .evaluateAll((buttons) =>
          buttons
            .filter((button) => button.checkVisibility({ visibilityProperty: true }))
            .map(({ innerText }) => innerText.replace(/\n.*/s, '').replace(/ (write_note|send_mail)$/, '')),
        );

    it('is the third button, says what it covers, and is not among the other choices again', () =>
      play({ calls: [...notesOf('c1'), mail], cards }, async (scene) => {
        const exactly = 'Allow for this chat: exactly this call';
        assert.deepEqual(await allowances(scene, 'c1'), ['Deny', 'Allow once', exactly]);
        await scene.part('more', 'c1').click();
        assert.deepEqual(await allowances(scene, 'c1'), [
          'Deny',
          'Allow once',
          exactly,
          "Deny, and don't ask again in this chat",
          'Allow for this chat: every write_note call',
        ]);
        await scene.press(chat(scene, 'c1'));
        assert.deepEqual(await scene.outcomes(), { c1: 'allowed-chat', c4: undefined });
        assert.deepEqual(await scene.grants(), [{ type: 'allow', toolName: 'write_note', covers: 'input' }]);
        assert.deepEqual(await scene.decisions(), [{ calls: ['c1'], choice: 'allow-chat', occluded: false }]);
      }));

    it('covers what the application says, and says how many waiting calls it answers as well', () =>
      play(
        {
          calls: [...notesOf('c1', 'c2', 'c3'), mail],
          cards,
          options: { ...patient, tools: { write_note: { covers: 'tool' }, send_mail: { covers: ['to'] } } },
        },
        async (scene) => {
          const text = (call) => chat(scene, call).innerText();
          assert.equal(
            await text('c1'),
            'Allow for this chat: every write_note call Also covers 2 waiting calls',
          );
          assert.equal(await text('c4'), 'Allow for this chat: every send_mail call with the same to');
          // What is already decided needs no answer, and the button keeps its size.
          const box = await chat(scene, 'c1').boundingBox();
          await scene.press(scene.deny('c2'));
          await scene.press(scene.deny('c3'));
          assert.match(await text('c1'), /every write_note call\s*$/);
          assert.equal((await chat(scene, 'c1').boundingBox()).height, box.height);
          await scene.press(chat(scene, 'c1'));
          await scene.press(chat(scene, 'c4'));
          assert.deepEqual(
            (await scene.grants()).map(({ covers }) => covers),
            ['tool', ['to']],
          );
          assert.deepEqual(await scene.outcomes(), {
            c1: 'allowed-chat',
            c2: 'denied',
            c3: 'denied',
            c4: 'allowed-chat',
          });
        },
      ));

    it('is not offered for a dangerous call, nor for an input that cannot be shown, nor where the page has none', async () => {
      const offered = async (spec, opened) =>
        play({ cards, ...spec }, async (scene) => {
          await scene.part('more', 'c1').click();
          assert.deepEqual(await allowances(scene, 'c1'), opened);
        });
      const calls = notesOf('c1');
      const denyChat = "Deny, and don't ask again in this chat";
      await offered({ calls, options: { tools: { write_note: { dangerous: true } } } }, [
        'Deny',
        'Allow once',
        denyChat,
      ]);
      await offered({ calls, attributes: { lasting: '' } }, ['Deny', 'Allow once']);
      await offered({ calls, attributes: { lasting: 'tool' } }, [
        'Deny',
        'Allow once',
        'Allow for this chat: every write_note call',
        denyChat,
      ]);
      await offered({ calls: [{ ...notes, id: 'c1', input: { text: 'x'.repeat(300_000) } }] }, ['Deny']);
    });

    it('a press counts only after its meaning has stood for half a second', () =>
      play(undefined, async (scene) => {
        const spec = {
          calls: notesOf('c1', 'c2'),
          cards,
          options: { ...patient, tools: { write_note: { covers: 'tool' } } },
        };
        await scene.quickly(spec, {
          before: async () => {
            await scene.page.evaluate(() => void stage.scene.decide('c2', 'deny'));
            await scene.stand(chat(scene, 'c1'));
          },
          // It covers another call again.
          change: async () => {
            await scene.page.evaluate(() => void stage.scene.guard.undo('c2'));
            await scene.drawn();
          },
          act: () => scene.clickAtOnce(chat(scene, 'c1')),
        });
        assert.deepEqual(await scene.acts(), ['drafted c2 no', 'undone c2']);
        assert.match(await scene.part('notice', 'c1').innerText(), /too soon/);
      }));
  });
}
