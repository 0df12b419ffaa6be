// The queue fits: narrow, zoomed, in forced colours, without motion, in the colours of the page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isBroad } from '../support/breadth.mjs';
import { openAll, overflowing } from './fit.mjs';
import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';
import { statesOf } from './tour.mjs';

const notes = { id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } };

/** Every button that is shown: its name, its box and its border. */
const buttons = (scene) =>
  scene.page.evaluate(() =>
    [...stage.scene.queue.shadowRoot.querySelectorAll('button, summary, textarea')]
      .filter((button) => button.checkVisibility({ visibilityProperty: true }))
      .map((button) => {
        const { x, y, width, height } = button.getBoundingClientRect();
        const call = button.closest('[data-call]')?.getAttribute('data-call');
        return {
          name: `${button.getAttribute('part') ?? button.localName} ${call ?? ''}`,
          x,
          y,
          width,
          height,
        };
      }),
  );

describe('layout', together, () => {
  const { play } = stage();

  it('a line that is too wide would be found', () =>
    play(
      'asking-one',
      async (scene) => {
        await scene.page.evaluate(() => {
          const title = stage.scene.queue.shadowRoot.querySelector('h3');
          title.style.whiteSpace = 'nowrap';
          title.textContent = 'x'.repeat(200);
        });
        assert.notDeepEqual(await overflowing(scene), []);
      },
      { width: 320 },
    ));

  for (const width of [320, 900]) {
    it(`Keep waiting stays in its place while the time changes from minutes to seconds: ${width} px`, () =>
      play(
        { calls: [notes], options: { expiresMs: 62_000, warnMs: 61_900 } },
        async (scene) => {
          const look = async () => {
            const { x, y } = await scene.part('extend', 'c1').boundingBox();
            return {
              place: [x, y],
              time: await scene.part('deadline', 'c1').locator('span').first().textContent(),
            };
          };
          // The warning comes a tenth of a second after the call.
          await scene.part('extend', 'c1').waitFor();
          const before = await look();
          assert.match(before.time, /minute/);
          let now = before;
          for (let i = 0; i < 50 && /minute/.test(now.time); i++) {
            await scene.wait(100);
            now = await look();
          }
          assert.doesNotMatch(now.time, /minute/);
          assert.deepEqual(now.place, before.place);
        },
        { width },
      ));
  }

  /** What is cut off, scrolls sideways, or is too small to be pressed or too near to another, in one state. */
  const misfits = async (scene, state) => {
    const found = [];
    await scene.show(state);
    for (const line of await overflowing(scene)) found.push(`${state}: ${line}`);
    await openAll(scene);
    for (const line of await overflowing(scene)) found.push(`${state}, opened: ${line}`);
    const all = await buttons(scene);
    for (const { name, width, height } of all) {
      if (width < 24 || height < 24) found.push(`${state}: ${name} is ${width} × ${height}`);
    }
    for (const [i, a] of all.entries()) {
      for (const b of all.slice(i + 1)) {
        const across = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
        const down = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height);
        if (across < 0 && down < 0) found.push(`${state}: ${a.name} lies over ${b.name}`);
        const both = `${a.name} ${b.name}`;
        if (/deny/.test(both) && /allow/.test(both) && Math.max(across, down) < 8) {
          found.push(`${state}: ${Math.max(across, down)} px between ${a.name} and ${b.name}`);
        }
      }
    }
    return found;
  };

  it('what is too small or too near would be found', () =>
    play('asking-one', async (scene) => {
      scene.show = async () => {};
      await scene.page.evaluate(() => {
        const [deny, allow] = stage.scene.queue.shadowRoot.querySelectorAll(
          '[part~="deny"], [part~="allow"]',
        );
        deny.style.minHeight = deny.style.height = '20px';
        deny.style.padding = '0';
        allow.style.marginInlineStart = '-5px';
      });
      const found = (await misfits(scene, 'asking-one')).join('\n');
      for (const what of [/deny c1 is \S+ × 20/, /px between/]) assert.match(found, what);
    }));

  const VIEWS = [
    ['1280 px wide', { width: 1280 }],
    ['a window of 1280 px at 200 %', { width: 640, height: 450, context: { deviceScaleFactor: 2 } }],
    ['a window of 1280 px at 400 %', { width: 320, height: 225, context: { deviceScaleFactor: 4 } }],
    ['text of twice the size', { width: 640 }, { fontSize: '200%' }],
    [
      'more space between letters, words and lines',
      { width: 320 },
      { lineHeight: '1.5', letterSpacing: '0.12em', wordSpacing: '0.16em' },
    ],
  ];
  for (const [view, options, style = {}, states] of [
    // The narrowest page is the one where most could go wrong.
    ['320 px wide', { width: 320, height: 700 }, {}, Object.keys(STATES)],
    ...VIEWS.map(([name, options, style], i) => [name, options, style, statesOf(i, VIEWS.length)]),
  ]) {
    it(`everything fits, and what is pressed is at least 24 px high and wide and touches no other: ${view}`, () =>
      play(
        'empty',
        async (scene) => {
          await scene.page.evaluate(
            (style) => void Object.assign(document.documentElement.style, style),
            style,
          );
          const found = [];
          for (const state of states) found.push(...(await misfits(scene, state)));
          assert.deepEqual(found, []);
        },
        options,
      ));
  }

  it('the text of the queue grows with that of the page', () =>
    play('asking-one', async (scene) => {
      const size = () =>
        scene.page.evaluate(() =>
          parseFloat(getComputedStyle(stage.scene.queue.shadowRoot.querySelector('h2')).fontSize),
        );
      const before = await size();
      await scene.page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
      assert.ok(Math.abs((await size()) - 2 * before) < 1);
    }));

  it('Deny and Allow look alike: none of them is preselected', () =>
    play('asking-one', async (scene) => {
      const looks = await scene.page.evaluate(() =>
        ['deny', 'allow'].map((part) => {
          const button = stage.scene.queue.shadowRoot.querySelector(`[part~="${part}"]`);
          const { backgroundColor, color, fontWeight, fontSize, borderTopColor, borderTopWidth } =
            getComputedStyle(button);
          const { height } = button.getBoundingClientRect();
          return { backgroundColor, color, fontWeight, fontSize, borderTopColor, borderTopWidth, height };
        }),
      );
      assert.deepEqual(looks[0], looks[1]);
    }));

  it('a dangerous request looks different from others, and not by its colour alone', () =>
    play('dangerous', async (scene) => {
      const [dangerous, safe] = await scene.page.evaluate(() =>
        ['[data-dangerous]', ':not([data-dangerous])'].map((which) => {
          const card = stage.scene.queue.shadowRoot.querySelector(`[part~="request"]${which}`);
          const { borderTopWidth, borderLeftWidth, borderTopStyle } = getComputedStyle(card);
          return { borderTopWidth, borderLeftWidth, borderTopStyle, text: card.innerText };
        }),
      );
      const { text: says, ...looks } = dangerous;
      const { text: saysSafe, ...looksSafe } = safe;
      assert.notDeepEqual(looks, looksSafe);
      assert.match(says, /angerous/);
      assert.doesNotMatch(saysSafe, /angerous/);
    }));

  it('nothing moves for a person who wants no motion', () =>
    play('decided-countdown', async (scene) => {
      await scene.page.emulateMedia({ reducedMotion: 'reduce' });
      const moving = await scene.page.evaluate(() => {
        const all = [stage.scene.queue, ...stage.scene.queue.shadowRoot.querySelectorAll('*')];
        return all.flatMap((element) =>
          [undefined, '::before', '::after'].flatMap((pseudo) => {
            const { transitionDuration, animationName } = getComputedStyle(element, pseudo);
            const still = transitionDuration.split(', ').every((time) => parseFloat(time) === 0);
            return still && animationName === 'none' ? [] : [`${element.localName} ${transitionDuration}`];
          }),
        );
      });
      assert.deepEqual(moving, []);
    }));

  it('in forced colours the edges of requests and buttons can be seen', () =>
    play('dangerous', async (scene) => {
      await scene.page.emulateMedia({ forcedColors: 'active' });
      const missing = await scene.page.evaluate(() => {
        const seen = stage.scene.queue.shadowRoot.querySelectorAll('[part~="request"], button');
        return [...seen]
          .filter((element) => element.checkVisibility({ visibilityProperty: true }))
          .flatMap((element) => {
            const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } =
              getComputedStyle(element);
            const is = parseFloat(borderTopWidth) >= 1 && borderTopStyle !== 'none';
            const differs = borderTopColor !== backgroundColor && !/^rgba\(.*, 0\)$/.test(borderTopColor);
            return is && differs
              ? []
              : [`${element.getAttribute('part')}: ${borderTopStyle} ${borderTopColor}`];
          });
      });
      assert.deepEqual(missing, []);
      // What has the focus, too.
      await scene.deny('c1').focus();
      await scene.key('Tab');
      const outline = await scene.allow('c1').evaluate((button) => getComputedStyle(button).outlineStyle);
      assert.notEqual(outline, 'none');
    }));

  it('follows the colours of the page: light, dark, and a page that says so itself', () =>
    play('asking-one', async (scene) => {
      const card = () =>
        scene.card('c1').evaluate((element) => {
          const { color } = getComputedStyle(element);
          const [r, g, b] = color.match(/[\d.]+/g).map(Number);
          // As it would be between 0 and 1.
          return /^rgb/.test(color) ? (r + g + b) / 765 : (r + g + b) / 3 || r;
        });
      const light = await card();
      await scene.page.emulateMedia({ colorScheme: 'dark' });
      const dark = await card();
      assert.ok(light < 0.5 && dark > 0.5, `text ${light} on light, ${dark} on dark`);
      await scene.page.evaluate(() => {
        document.documentElement.style.colorScheme = 'light';
      });
      assert.equal(await card(), light, 'the page has chosen light');
      await scene.page.evaluate(() => {
        document.documentElement.style.colorScheme = 'dark';
      });
      assert.equal(await card(), dark, 'the page has chosen dark');
    }));

  it('its parts can be styled from outside', () =>
    play('dangerous', async (scene) => {
      const parts = [
        'queue',
        'heading',
        'request',
        'dangerous',
        'title',
        'input',
        'deny',
        'allow',
        'more',
        'warning',
      ];
      const styled = await scene.page.evaluate((parts) => {
        const sheet = new CSSStyleSheet();
        document.adoptedStyleSheets.push(sheet);
        return parts.map((part) => {
          sheet.replaceSync(`tool-approval-queue::part(${part}) { scroll-margin-top: 17px; }`);
          const element = stage.scene.queue.shadowRoot.querySelector(`[part~="${part}"]`);
          return element === null ? 'missing' : getComputedStyle(element).scrollMarginTop;
        });
      }, parts);
      assert.deepEqual(
        Object.fromEntries(parts.map((part, i) => [part, styled[i]])),
        Object.fromEntries(parts.map((part) => [part, '17px'])),
      );
    }));

  it('custom properties change what they say', () =>
    play('dangerous', async (scene) => {
      const colour = 'rgb(1, 2, 3)';
      const wanted = {
        '--approval-text': ['title', 'color', colour],
        '--approval-background': ['request:not([data-dangerous])', 'backgroundColor', colour],
        '--approval-danger-wash': ['dangerous', 'backgroundColor', colour],
        '--approval-sunken': ['request:not([data-dangerous]) [part~="input"]', 'backgroundColor', colour],
        '--approval-muted': ['warning', 'color', colour],
        '--approval-line': ['request:not([data-dangerous])', 'borderTopColor', colour],
        '--approval-button': ['deny', 'backgroundColor', colour],
        '--approval-edge': ['deny', 'borderTopColor', colour],
        '--approval-accent': ['more', 'color', colour],
        '--approval-danger': ['danger', 'color', colour],
        '--approval-radius': ['request', 'borderTopLeftRadius', '3px'],
        '--approval-gap': ['queue', 'rowGap', '31px'],
        '--approval-font': ['title', 'fontFamily', 'serif', '16px/1.5 serif'],
        '--approval-mono': ['value', 'fontFamily', 'fantasy'],
      };
      const found = await scene.page.evaluate((wanted) => {
        const { queue } = stage.scene;
        return Object.entries(wanted).map(([property, [part, style, value, set = value]]) => {
          const [, name, rest] = /^([\w-]+)(.*)$/.exec(part);
          const element = queue.shadowRoot.querySelector(`[part~="${name}"]${rest}`);
          const before = getComputedStyle(element)[style];
          queue.style.setProperty(property, set);
          const after = getComputedStyle(element)[style];
          queue.style.removeProperty(property);
          return before !== value && after === value ? undefined : `${property}: ${before}, then ${after}`;
        });
      }, wanted);
      assert.deepEqual(found.filter(Boolean), []);
    }));

  it('a page chooses the font with an ordinary rule, too', () =>
    play('asking-one', async (scene) => {
      const families = await scene.page.evaluate(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('tool-approval-queue { font: 20px serif; color: rgb(4, 5, 6); }');
        document.adoptedStyleSheets.push(sheet);
        const all = stage.scene.queue.shadowRoot.querySelectorAll('h2, h3, [part="why"], button');
        return [...new Set([...all].map((element) => getComputedStyle(element).fontFamily))];
      });
      assert.deepEqual(families, ['serif']);
    }));

  it('is hidden, and takes no place, while there is nothing to say', () =>
    play('empty', async (scene) => {
      assert.equal(await scene.queue().evaluate((queue) => queue.getBoundingClientRect().height), 0);
      assert.equal(await scene.part('queue').isVisible(), false);
    }));

  it('a card that is decided stays where it is, so that nothing moves under the pointer', () =>
    play({ calls: ['c1', 'c2', 'c3'].map((id) => ({ id, input: { a: id } })) }, async (scene) => {
      const places = () =>
        Promise.all(['c1', 'c2', 'c3'].map(async (id) => (await scene.card(id).boundingBox()).y));
      await scene.stand(scene.deny('c2'));
      const before = await places();
      await scene.press(scene.deny('c2'));
      assert.deepEqual((await places()).slice(0, 2), before.slice(0, 2));
      const [, , third] = await places();
      assert.ok(Math.abs(third - before[2]) < 2, `the next card has moved by ${third - before[2]} px`);
    }));

  for (const width of [1280, 320]) {
    for (const undoMs of [0, 5_000, 60_000]) {
      // Each time for an undo is tried at one width.
      if (!isBroad && (width === 320) !== (undoMs === 5_000)) continue;
      it(`nothing below moves until the decisions are sent: ${width} px, ${undoMs / 1000} s for an undo`, () =>
        play(
          'empty',
          async (scene) => {
            const found = [];
            for (const total of [1, 2, 3]) {
              const ids = Array.from({ length: total }, (_, i) => `c${i + 1}`);
              // Of three, two are of one tool, so that both can be allowed at once when the other one is decided.
              const toolOf = (id) => (id === 'c3' ? 'write_file' : 'delete_file');
              const calls = ids.map((id) => ({ id, tool: toolOf(id), input: { path: `${id}.md` } }));
              const options = { undoMs, ...(total === 3 && { expiresMs: 600_000 }) };
              for (const first of new Set([ids[0], ids[total >> 1], ids[total - 1]])) {
                await scene.start({ calls, options, then: [{ waits: true }] });
                const tops = () =>
                  scene.page.evaluate(() => {
                    const cards = stage.scene.queue.shadowRoot.querySelectorAll('[data-call]');
                    return [...cards, stage.scene.composer].map((element) =>
                      Math.round(element.getBoundingClientRect().top + window.scrollY),
                    );
                  });
                const act = async (what, work, id) => {
                  await scene.page.evaluate(work, id);
                  await scene.drawn();
                  const now = await tops();
                  if (`${now}` !== `${before}`)
                    found.push(`${what}, ${total} cards, ${first} first: ${before} are ${now}`);
                };
                const allow = (id) => act('allow', (id) => void stage.scene.decide(id, 'allow-once'), id);
                const deny = (id) => act('deny', (id) => void stage.scene.decide(id, 'deny'), id);
                const undo = (id) => act('undo', (id) => void stage.scene.guard.undo(id), id);
                const others = ids.filter((id) => id !== first);

                const before = await tops();
                await allow(first);
                if (total > 1 || undoMs > 0) {
                  await undo(first);
                  await deny(first);
                  for (const id of others) await allow(id);
                }
                if (undoMs > 0) {
                  await act('undo all', () => void stage.scene.guard.undoAll());
                  for (const id of [...others, first]) await deny(id);
                  await act('commit', () => void stage.scene.guard.commit());
                }
                await scene.until(() => stage.scene.transport.requests.length > 1, 'the request');
                await act('send', () => {});
                assert.equal(await scene.phase(), 'sending');
              }
            }
            assert.deepEqual(found, []);
          },
          { width },
        ));
    }
  }

  for (const cards of [undefined, true]) {
    it(`is no wider than its place, also within what takes its width from it: ${cards ? 'a card' : 'a queue'}`, () =>
      play({ calls: [{ id: 'c1', input: { path: 'x.md' } }], cards }, async (scene) => {
        const widths = await scene.page.evaluate(() => {
          const element = document.querySelector('tool-approval-queue, tool-approval-card');
          const [place, inner] = [document.createElement('div'), document.createElement('div')];
          const sheet = new CSSStyleSheet();
          document.adoptedStyleSheets.push(sheet);
          element.before(place);
          place.className = 'place';
          place.append(inner);
          inner.append(element);
          return [
            'display: grid',
            'display: flex',
            'display: flex; flex-direction: column',
            'white-space: nowrap',
          ].map((rule) => {
            sheet.replaceSync(`.place { inline-size: 250px; ${rule} }`);
            return Math.round(element.getBoundingClientRect().width);
          });
        });
        assert.deepEqual(widths, [250, 250, 250, 250]);
        assert.deepEqual(await overflowing(scene), []);
      }));
  }

  it('has a width where that depends on the content, and fits a narrow screen there, too', async () => {
    for (const width of [1280, 320]) {
      await play(
        'asking-one',
        async (scene) => {
          const widths = await scene.page.evaluate(() => {
            const { queue } = stage.scene;
            const home = document.createElement('div');
            queue.before(home);
            const seen = {};
            const sheet = new CSSStyleSheet();
            document.adoptedStyleSheets.push(sheet);
            for (const rule of [
              'display: flex',
              'display: inline-block',
              'display: flex; flex-direction: column; align-items: center',
              'position: fixed; inset-inline-end: 0; max-width: 24rem',
              'display: grid; justify-items: start',
            ]) {
              sheet.replaceSync(`.home { ${rule} }`);
              home.className = 'home';
              home.append(queue);
              seen[rule] = [queue.getBoundingClientRect().width, document.documentElement.scrollWidth];
            }
            const dialog = document.createElement('dialog');
            document.body.append(dialog);
            dialog.append(queue);
            dialog.showModal();
            seen.dialog = [queue.getBoundingClientRect().width, document.documentElement.scrollWidth];
            return seen;
          });
          for (const [rule, [own, page]] of Object.entries(widths)) {
            assert.ok(own >= 200, `${rule}: ${own}`);
            assert.ok(page <= width, `${rule}: the page is ${page} wide`);
          }
        },
        { width },
      );
    }
  });
});
