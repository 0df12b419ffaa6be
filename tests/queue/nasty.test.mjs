// Hostile and odd strings in every place where a server or a model can put one. The page has no policy here, so that an
// attack would come through.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { NASTY } from '../source/nasty.mjs';
import { isBroad } from '../support/breadth.mjs';
import { stage, together } from './stage.mjs';

/** What the queue is made of. */
const KINDS = [
  ...['section', 'h2', 'h3', 'p', 'div', 'span', 'bdi', 'dl', 'dt', 'dd', 'button', 'textarea', 'label'],
  ...['details', 'summary', 'ul', 'ol', 'li', 'strong', 'code', 'slot'],
];

/** Characters that may stand in no text of the page: they could hide, reorder or fake others. What is allowed: three flags. */
const FLAGS = /\u{1f3f4}\u{e0067}\u{e0062}[\u{e0061}-\u{e007a}]{3}\u{e007f}/u;
const FORBIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2067\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\r(?!\n)/u;

/** So many calls stand on one page. */
const MANY = 100;

const batches = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** Where a string can stand. */
const PLACES = {
  'name of the tool': ({ text }, id) => ({ call: { id, tool: text || ' ', input: { a: 1 } } }),
  title: ({ text }, id) => ({ call: { id, tool: 'tool', title: text, input: { a: 1 } } }),
  'name and server of the application': ({ text }, id, i) => ({
    call: { id, tool: `tool_${i}`, input: { a: 1 } },
    tools: { [`tool_${i}`]: { title: text, server: text } },
  }),
  'reason of the server': ({ text }, id) => ({ call: { id, tool: 'tool', reason: text, input: { a: 1 } } }),
  'name of a field': ({ text }, id) => ({
    call: {
      id,
      tool: 'tool',
      input: JSON.parse(`{${JSON.stringify(text)}: 1, "b": {${JSON.stringify(text)}: 2}}`),
    },
  }),
  'value of a field': ({ text }, id) => ({
    call: { id, tool: 'tool', input: { a: text, url: text, path: text, list: [text, { deep: text }] } },
  }),
  'input that is a text': ({ text }, id) => ({ call: { id, tool: 'tool', input: text } }),
};

/** What is wrong on the page, a line each. */
const look = (scene) =>
  scene.page.evaluate(
    ([kinds, forbidden, flags]) => {
      const found = [];
      const pattern = new RegExp(forbidden, 'u');
      const root = stage.scene.queue.shadowRoot;
      const ofCall = (node) => {
        const element = node.nodeType === 1 ? node : node.parentElement;
        return element?.closest('[data-call]')?.getAttribute('data-call') ?? 'queue';
      };
      for (const element of root.querySelectorAll('*')) {
        if (!kinds.includes(element.localName))
          found.push(`${ofCall(element)}: an element <${element.localName}>`);
        for (const { name, value } of element.attributes) {
          if (/^on|^(src|href|srcdoc|style|action|formaction)$/.test(name)) {
            found.push(`${ofCall(element)}: an attribute ${name}=${value.slice(0, 40)}`);
          }
        }
      }
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
      while (walker.nextNode()) {
        const { currentNode: node } = walker;
        if (node.nodeType === Node.COMMENT_NODE) continue;
        // An isolate of the catalogue is balanced within its text.
        let open = 0;
        for (const char of node.data) {
          if (/[\u2066-\u2068]/.test(char)) open++;
          if (char === '\u2069') open--;
          if (open < 0) found.push(`${ofCall(node)}: closes what it did not open`);
        }
        if (open !== 0) found.push(`${ofCall(node)}: an isolate is not closed`);
        const bad = pattern.exec(node.data.replace(new RegExp(flags, 'gu'), ''));
        if (bad) found.push(`${ofCall(node)}: U+${bad[0].codePointAt(0).toString(16)} in a text`);
      }
      for (const card of root.querySelectorAll('[part~="request"]')) {
        const id = card.getAttribute('data-call');
        const box = card.getBoundingClientRect();
        const inside = (element, name) => {
          const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
          if (width < 1 || height < 1) return found.push(`${id}: ${name} cannot be seen`);
          if (left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1) {
            found.push(`${id}: ${name} leaves the card`);
          }
          return undefined;
        };
        const deny = card.querySelector('[part~="deny"]');
        const allow = card.querySelector('[part~="allow"]');
        inside(deny, 'Deny');
        if (deny.firstChild.data !== 'Deny') found.push(`${id}: Deny reads ${deny.firstChild.data}`);
        if (allow?.checkVisibility({ visibilityProperty: true })) {
          inside(allow, 'Allow');
          if (allow.firstChild.data !== 'Allow once')
            found.push(`${id}: Allow reads ${allow.firstChild.data}`);
          const [a, b] = [deny.getBoundingClientRect(), allow.getBoundingClientRect()];
          if (Math.abs(a.top - b.top) < 2 && a.right > b.left)
            found.push(`${id}: Deny and Allow changed places`);
          if (getComputedStyle(deny).direction !== 'ltr') found.push(`${id}: Deny has another direction`);
        }
        // The words of the page around the name stay where they are: "Allow" first, "?" last.
        const title = card.querySelector('[part~="title"]');
        const texts = [];
        const words = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
        while (words.nextNode()) if (words.currentNode.data) texts.push(words.currentNode);
        const at = (node, i) => {
          const range = document.createRange();
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          return range.getClientRects()[0] ?? range.getBoundingClientRect();
        };
        const text = title.textContent;
        if (!/^Allow [^]*\?$/.test(text)) found.push(`${id}: the title reads ${text.slice(0, 60)}`);
        else {
          const last = texts.at(-1);
          const a = at(texts[0], 0);
          const mark = at(last, last.data.length - 1);
          const line = title.getBoundingClientRect();
          if (Math.abs(a.left - line.left) > 3 || a.top - line.top > a.height) {
            found.push(`${id}: "Allow" does not begin the title`);
          }
          const lastLine = mark.bottom + mark.height / 2 >= line.bottom;
          if (!lastLine) found.push(`${id}: "?" does not end the title`);
          if (Math.abs(mark.top - a.top) < 2 && mark.left < a.left)
            found.push(`${id}: the title is reversed`);
        }
        const style = getComputedStyle(title);
        if (style.direction !== 'ltr') found.push(`${id}: the title has another direction`);
        // Nothing may be drawn outside of the card, over what belongs to another one.
        const all = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
        while (all.nextNode()) {
          const { currentNode: node } = all;
          // What is for assistive technology alone is clipped.
          if (
            node.parentElement.closest('.unseen') ||
            !node.parentElement.checkVisibility({ visibilityProperty: true })
          )
            continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const { left, right, top, bottom, width } = range.getBoundingClientRect();
          if (width === 0) continue;
          const drawn = { left, right, top, bottom };
          for (let on = node.parentElement; on && on !== card.parentElement; on = on.parentElement) {
            if (getComputedStyle(on).overflowX === 'visible') continue;
            // What is outside of it can be scrolled to.
            const clip = on.getBoundingClientRect();
            drawn.left = Math.max(drawn.left, clip.left);
            drawn.right = Math.min(drawn.right, clip.right);
            drawn.top = Math.max(drawn.top, clip.top);
            drawn.bottom = Math.min(drawn.bottom, clip.bottom);
            if (getComputedStyle(on).overflowX !== 'auto') found.push(`${id}: something is cut`);
          }
          if (
            drawn.right > box.right + 1 ||
            drawn.left < box.left - 1 ||
            drawn.bottom > box.bottom + 1 ||
            drawn.top < box.top - 1
          ) {
            found.push(
              `${id}: ${node.parentElement.getAttribute('part') ?? node.parentElement.localName} leaves the card`,
            );
          }
        }
        if (card.getBoundingClientRect().height > 6000) found.push(`${id}: ${card.offsetHeight} px high`);
      }
      if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
        found.push('the page scrolls sideways');
      }
      return [...new Set(found)];
    },
    [KINDS, FORBIDDEN.source, FLAGS.source],
  );

describe('nasty strings', together, () => {
  const { play, open } = stage();

  it('there are many of them', () => {
    assert.ok(NASTY.length >= 300, `${NASTY.length}`);
    assert.equal(new Set(NASTY.map(({ name }) => name)).size, NASTY.length, 'each has a name of its own');
  });

  it('what they do would be seen', async () => {
    const scene = await open({ calls: [{ input: { a: 1 } }] }, { loose: true });
    scene.reusable = false;
    try {
      await scene.page.evaluate(() => {
        const card = stage.scene.queue.shadowRoot.querySelector('[part~="request"]');
        card.querySelector('dd').innerHTML = '<img src="/leak.png" onerror="alert(1)">\u202e';
        card.querySelector('[part~="title"]').textContent = '\u202eAllow x?';
        card.style.overflowX = 'visible';
        card.querySelector('dt').textContent = `\u0915${'\u093e'.repeat(1_000)}`;
      });
      const found = (await look(scene)).join('\n');
      const isSeen = () => ['leak.png', 'dialog: 1'].every((what) => scene.errors.join().includes(what));
      for (let tries = 0; tries < 500 && !isSeen(); tries++) await scene.wait(20);
      for (const what of [
        '<img>',
        'attribute src',
        'attribute onerror',
        'U+202e',
        'the title reads',
        'leaves the card',
      ]) {
        assert.ok(found.includes(what), `${what} in ${found}`);
      }
      const errors = scene.errors.join('\n');
      assert.match(errors, /leak\.png/);
      assert.match(errors, /dialog: 1/);
    } finally {
      await scene.close();
    }
  });

  for (const [w, width] of [1280, 320].entries()) {
    for (const [p, [place, put]] of Object.entries(PLACES).entries()) {
      // In a run that is not broad each string stands in one of the places, in another one at the other width.
      const share = isBroad ? NASTY : NASTY.filter((_, i) => (i + w) % Object.keys(PLACES).length === p);
      it(`as ${place}, ${width} px wide`, () =>
        play(
          undefined,
          async (scene) => {
            const found = [];
            for (const batch of batches(share, MANY)) {
              const made = batch.map((nasty, i) => put(nasty, `n${i}`, i));
              const tools = Object.assign({}, ...made.map((one) => one.tools));
              await scene.start({ calls: made.map(({ call }) => call), options: { tools } });
              await scene.complete();
              const count = await scene.page.evaluate(
                () => stage.scene.queue.shadowRoot.querySelectorAll('[part~="request"]').length,
              );
              assert.equal(count, batch.length, 'each call has its card');
              for (const line of await look(scene)) {
                const index = /^n(\d+): /.exec(line)?.[1];
                found.push(
                  index === undefined ? line : `${batch[Number(index)].name}${line.slice(line.indexOf(':'))}`,
                );
              }
              // Opened, the folded rest is there as well.
              await scene.page.evaluate(() => {
                for (const fold of stage.scene.queue.shadowRoot.querySelectorAll(
                  '[part~="fold"], [part~="more"]',
                ))
                  fold.click();
              });
              for (const line of await look(scene)) {
                const index = /^n(\d+): /.exec(line)?.[1];
                if (/px high/.test(line)) continue;
                found.push(
                  `opened: ${index === undefined ? line : batch[Number(index)].name + line.slice(line.indexOf(':'))}`,
                );
              }
            }
            assert.deepEqual([...new Set(found)], []);
          },
          { loose: true, width },
        ));
    }
  }

  it('what is decided carries the very input, and what is said afterwards is safe, too', () =>
    play(
      undefined,
      async (scene) => {
        const found = [];
        for (const batch of batches(NASTY, 60)) {
          const calls = batch.map(({ text }, i) => ({ id: `n${i}`, tool: text || ' ', input: { a: text } }));
          await scene.start({ calls, options: { undoMs: 600_000 } });
          await scene.page.evaluate(() => {
            const { calls } = stage.scene.guard.getSnapshot();
            calls.forEach((call, i) => {
              const { type } = stage.scene.guard.decide(call, i % 2 ? 'allow-chat' : 'deny-chat');
              // An input that cannot be compared is for this call alone.
              if (type === 'refused') stage.scene.guard.decide(call, 'deny');
            });
          });
          await scene.drawn();
          const bad = await scene.page.evaluate(
            ([kinds, forbidden, flags]) => {
              const pattern = new RegExp(forbidden, 'u');
              const root = stage.scene.queue.shadowRoot;
              const found = [];
              for (const element of root.querySelectorAll('*')) {
                if (!kinds.includes(element.localName)) found.push(element.localName);
              }
              const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const bad = pattern.exec(walker.currentNode.data.replace(new RegExp(flags, 'gu'), ''));
                if (bad)
                  found.push(
                    `U+${bad[0].codePointAt(0).toString(16)} in ${JSON.stringify(walker.currentNode.data.slice(0, 60))}`,
                  );
              }
              return found;
            },
            [KINDS, FORBIDDEN.source, FLAGS.source],
          );
          found.push(...bad);
          await scene.page.evaluate(() => stage.scene.guard.commit());
          await scene.received(2);
          const inputs = (await scene.requests())
            .at(-1)
            .messages.flatMap((message) => message.parts)
            .filter((part) => part.toolCallId !== undefined)
            .map((part) => part.input.a);
          assert.deepEqual(
            inputs,
            JSON.parse(JSON.stringify(batch.map(({ text }) => text))),
            'the inputs are what they were',
          );
        }
        assert.deepEqual([...new Set(found)], []);
      },
      { loose: true },
    ));
});
