// The queue in other languages: one that is longer than English, and one that is written from right to left.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openAll, overflowing } from './fit.mjs';
import { pseudo } from './pseudo.mjs';
import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';
import { statesOf } from './tour.mjs';

/** Calls of which nothing is written in Latin letters. */
const foreign = [
  { id: '1', tool: 'удалить', input: { путь: 'заметки' }, reason: 'потому что' },
  { id: '2', tool: 'удалить', input: { путь: 'черновик' } },
  { id: '3', tool: 'послать', input: { кому: '\u200bвсем' } },
];

/** All text of the queue, with that of assistive technology. */
const texts = (scene) =>
  scene.page.evaluate(() => {
    const root = stage.scene.queue.shadowRoot;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode;
      if (data.trim() && !['STYLE', 'SCRIPT'].includes(parentElement.tagName)) found.push(data);
    }
    for (const element of root.querySelectorAll('[aria-label], [title], [placeholder], [aria-description]')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'aria-description']) {
        if (element.hasAttribute(name)) found.push(element.getAttribute(name));
      }
    }
    return found;
  });

/** @type {Promise<Record<string, string>> | undefined} */
let english;

/** Every text that the element asks for in any state, by its id, in English. Gone through once. */
const recorded = (scene) =>
  (english ??= (async () => {
    const texts = {};
    for (const state of Object.keys(STATES)) {
      await scene.show(state, { records: true });
      await openAll(scene);
      Object.assign(texts, await scene.page.evaluate(() => stage.scene.texts));
    }
    return texts;
  })());

describe('words', together, () => {
  const { play } = stage();

  it('the other letters keep what stands in braces', () => {
    assert.equal(
      pseudo('Allow {tool}?'),
      'Àľľòŵ\u0101\u0101 {tool}?'.replace('ŵ\u0101\u0101 ', 'ŵ \u0101\u0101'),
    );
    assert.equal(pseudo('{n}'), '{n}');
  });

  it('code is read from left to right whatever its first letter is, and prose in its own direction', () =>
    play(
      {
        calls: [
          {
            id: 'c1',
            tool: 'run',
            input: {
              shellCommand: '\u05d0 ; rm -rf /\u05d1/\u05d2 ~',
              url: '\u05d0.example/\u05d1',
              list: ['\u05d0', 'b'],
              note: '\u05e9\u05dc\u05d5\u05dd, this is a note',
              hint: 'a note about \u05d0',
            },
          },
        ],
      },
      async (scene) => {
        const shown = await scene.page.evaluate(() => {
          const values = [...stage.scene.queue.shadowRoot.querySelectorAll('[part~="value"]')];
          /** Where each character of a value is that is no space, from the left. */
          const places = (value) => {
            const walker = document.createTreeWalker(value, NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            const found = [];
            while (walker.nextNode()) {
              for (let i = 0; i < walker.currentNode.data.length; i++) {
                range.setStart(walker.currentNode, i);
                range.setEnd(walker.currentNode, i + 1);
                if (walker.currentNode.data[i] !== ' ') found.push(range.getBoundingClientRect().left);
              }
            }
            return found;
          };
          return values.map((value) => {
            const all = value.textContent.includes('\n') ? [] : places(value);
            return [
              getComputedStyle(value).direction,
              all.every((left, i) => i === 0 || left > all[i - 1]),
              value.textContent,
            ];
          });
        });
        assert.deepEqual(shown, [
          ['ltr', true, '\u05d0 ; rm -rf /\u05d1/\u05d2 ~'],
          ['ltr', true, '\u05d0.example/\u05d1'],
          ['ltr', true, '[\n  "\u05d0",\n  "b"\n]'],
          ['rtl', false, '\u05e9\u05dc\u05d5\u05dd, this is a note'],
          ['ltr', true, 'a note about \u05d0'],
        ]);
      },
      { width: 900 },
    ));

  it('every text can be said in another language: no English is left, and what is longer fits', () =>
    play(
      'empty',
      async (scene) => {
        const english = await recorded(scene);
        assert.ok(Object.keys(english).length > 10, 'the element asks the guard for its texts');
        const catalogue = 'pseudo';
        const left = new Set();
        const wide = [];
        for (const state of statesOf(0, 3)) {
          await scene.show(state, { catalogue });
          await openAll(scene);
          for (const line of await overflowing(scene)) wide.push(`${state}: ${line}`);
        }
        for (const spec of SPECS) {
          await scene.start({ ...spec, catalogue });
          for (const act of spec.acts ?? []) {
            await scene.page.evaluate(
              ([id, choice, options]) => void stage.scene.decide(id, choice, options),
              act,
            );
          }
          await scene.drawn();
          await openAll(scene);
          for (const text of await texts(scene)) {
            // The name of an invisible character, and the keys of the shortcut, are no words of a language.
            const rest = text.replace(/⟦[^⟧]*⟧/g, '').replace(/Alt\+Shift\+A/g, '');
            if (/[A-Za-z]/.test(rest)) left.add(text);
          }
        }
        assert.deepEqual([...left], [], 'English is left');
        assert.deepEqual(wide, [], 'what is longer does not fit');
      },
      { width: 320 },
    ));

  const SPECS = [
    { calls: foreign },
    { calls: foreign.slice(0, 2) },
    {
      calls: foreign,
      options: { tools: { удалить: { dangerous: true, server: 'файлы', title: 'стереть' } } },
    },
    { calls: foreign, options: { expiresMs: 60_000, warnMs: 59_000 } },
    {
      calls: foreign,
      options: { undoMs: 5000 },
      acts: [
        ['1', 'deny'],
        ['2', 'allow-once'],
        ['3', 'allow-once'],
      ],
    },
    { calls: foreign, acts: [['1', 'allow-chat', { covers: 'tool', forMs: 60_000 }]] },
    {
      calls: foreign,
      acts: [
        ['1', 'deny-chat'],
        ['2', 'deny'],
      ],
    },
    {
      calls: foreign,
      then: [{ waits: true }],
      acts: [
        ['1', 'deny'],
        ['2', 'deny'],
        ['3', 'deny'],
      ],
    },
    {
      calls: foreign,
      then: [{ fails: true }],
      acts: [
        ['1', 'deny'],
        ['2', 'deny'],
        ['3', 'allow-once'],
      ],
    },
    {
      calls: foreign,
      then: [{ breaks: true }],
      acts: [
        ['1', 'deny'],
        ['2', 'deny'],
        ['3', 'allow-once'],
      ],
    },
    { calls: [{ id: '1', tool: 'большой', input: { данные: 'ж'.repeat(400_000) } }] },
    { calls: [{ id: '1', tool: 'длинный', input: { данные: 'ж '.repeat(3000) } }] },
    { calls: [{ id: '1', tool: 'пустой', input: {} }] },
    { calls: [{ id: '1', tool: 'текст', input: 'привет' }] },
  ];

  describe('from right to left', () => {
    const arabic = {
      calls: [
        { id: 'c1', tool: 'delete_file', input: { path: '/home/ana/notes.md', اسم: 'ملف.txt' } },
        { id: 'c2', tool: 'send_mail', input: { to: 'ana@example.com', body: 'Hello (world)!' } },
      ],
      catalogue: 'ar',
      options: { tools: { delete_file: { server: 'Files v2.0' } } },
    };
    const turned = async (scene) => {
      await scene.page.evaluate(() => {
        document.documentElement.dir = 'rtl';
        document.documentElement.lang = 'ar';
      });
      await scene.drawn();
    };

    it('the layout is mirrored', () =>
      play(arabic, async (scene) => {
        const left = await scene.deny('c1').boundingBox();
        const more = await scene.allow('c1').boundingBox();
        assert.ok(left.x < more.x, 'from left to right Deny comes first');
        await turned(scene);
        const deny = await scene.deny('c1').boundingBox();
        const allow = await scene.allow('c1').boundingBox();
        assert.ok(deny.x > allow.x, 'from right to left, too');
        const card = await scene.card('c1').boundingBox();
        assert.ok(card.x + card.width - (deny.x + deny.width) < deny.x - card.x, 'Deny is at the right edge');
        const title = await scene.part('title', 'c1').evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const text = range.getBoundingClientRect();
          const box = element.closest('[data-call]').getBoundingClientRect();
          return { left: text.left - box.left, right: box.right - text.right };
        });
        assert.ok(title.right < title.left, 'the title begins at the right');
      }));

    it('values keep their own order', () =>
      play(arabic, async (scene) => {
        await turned(scene);
        const order = await scene.page.evaluate(() => {
          const places = {};
          const walker = document.createTreeWalker(stage.scene.queue.shadowRoot, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const { currentNode: node } = walker;
            for (const value of [
              '/home/ana/notes.md',
              'ana@example.com',
              'Hello (world)!',
              'delete_file',
              'Files v2.0',
            ]) {
              const at = node.data.indexOf(value);
              if (at < 0 || !node.parentElement.checkVisibility({ visibilityProperty: true })) continue;
              const xs = [...value].map((_, i) => {
                const range = document.createRange();
                range.setStart(node, at + i);
                range.setEnd(node, at + i + 1);
                return range.getBoundingClientRect();
              });
              if (xs.some(({ width }) => width < 1)) continue;
              places[value] ??= xs.every(
                ({ left, top }, i) => i === 0 || left > xs[i - 1].left || top > xs[i - 1].top + 4,
              );
            }
          }
          return places;
        });
        assert.deepEqual(order, {
          '/home/ana/notes.md': true,
          'ana@example.com': true,
          'Hello (world)!': true,
          delete_file: true,
          'Files v2.0': true,
        });
      }));

    for (const [i, width] of [320, 1280].entries()) {
      it(`nothing is cut off or scrolls sideways: ${width} px`, () =>
        play(
          'empty',
          async (scene) => {
            await turned(scene);
            const found = [];
            for (const state of statesOf(i + 1, 3)) {
              await scene.show(state, { catalogue: 'ar' });
              await openAll(scene);
              for (const line of await overflowing(scene)) found.push(`${state}: ${line}`);
            }
            assert.deepEqual(found, []);
          },
          { width },
        ));
    }

    it('the Arabic and the German catalogue have every text of the queue', () =>
      play('empty', async (scene) => {
        const english = await recorded(scene);
        const ids = Object.keys(english).filter((id) => id.startsWith('queue.'));
        assert.ok(ids.length > 10);
        const locales = await scene.page.evaluate(() =>
          Object.fromEntries(['ar', 'de'].map((name) => [name, Object.keys(stage.locales[name].messages)])),
        );
        for (const [name, has] of Object.entries(locales)) {
          assert.deepEqual(
            ids.filter((id) => !has.includes(id)),
            [],
            `missing in ${name}`,
          );
        }
      }));
  });
});
