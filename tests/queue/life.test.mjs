// The life of the element: when it is made, moved, given another guard and taken away.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const three = ['notes.md', 'draft.md', 'old.log'].map((path, i) => ({
  id: `c${i + 1}`,
  tool: 'delete_file',
  input: { path },
}));

/** Counts what a page has asked its window and document for, before any script of it runs. */
const COUNTING = () => {
  const count = { listeners: 0, timers: new Set(), frames: new Set(), observers: 0 };
  window.counted = count;
  for (const target of [window, document]) {
    const known = new Map();
    const key = (type, options) => `${type} ${Boolean(options === true || options?.capture)}`;
    const add = target.addEventListener.bind(target);
    const remove = target.removeEventListener.bind(target);
    const off = (type, listener, options) => {
      const keys = known.get(listener);
      if (keys?.delete(key(type, options))) count.listeners -= 1;
    };
    target.addEventListener = (type, listener, options) => {
      const keys = known.get(listener) ?? new Set();
      known.set(listener, keys);
      if (!keys.has(key(type, options))) {
        keys.add(key(type, options));
        count.listeners += 1;
        options?.signal?.addEventListener('abort', () => off(type, listener, options));
      }
      add(type, listener, options);
    };
    target.removeEventListener = (type, listener, options) => {
      off(type, listener, options);
      remove(type, listener, options);
    };
  }
  for (const [start, stop, set, once] of [
    ['setTimeout', 'clearTimeout', count.timers, true],
    ['setInterval', 'clearInterval', count.timers, false],
    ['requestAnimationFrame', 'cancelAnimationFrame', count.frames, true],
  ]) {
    const begin = window[start].bind(window);
    const end = window[stop].bind(window);
    window[start] = (run, ...rest) => {
      const id = begin(
        (...args) => {
          if (once) set.delete(id);
          run(...args);
        },
        ...rest,
      );
      set.add(id);
      return id;
    };
    window[stop] = (id) => {
      set.delete(id);
      end(id);
    };
  }
  for (const name of ['IntersectionObserver', 'ResizeObserver', 'MutationObserver']) {
    window[name] = class extends window[name] {
      #on = false;
      observe(...args) {
        if (!this.#on) count.observers += 1;
        this.#on = true;
        super.observe(...args);
      }
      disconnect() {
        if (this.#on) count.observers -= 1;
        this.#on = false;
        super.disconnect();
      }
    };
  }
};

const counts = (scene) =>
  scene.page.evaluate(() => ({
    listeners: window.counted.listeners,
    timers: window.counted.timers.size,
    frames: window.counted.frames.size,
    observers: window.counted.observers,
    subscriptions: stage.scene.subscriptions,
  }));

describe('the life of the element', together, () => {
  const { play } = stage();

  it('taken away, it leaves nothing running, and back again it works', () =>
    play(undefined, async (scene) => {
      scene.reusable = false;
      await scene.page.addInitScript(COUNTING);
      await scene.page.reload();
      await scene.until(() => 'stage' in window, 'the page');
      // Without the element.
      await scene.start({ calls: three, options: { undoMs: 600_000 } });
      await scene.page.evaluate(() => {
        window.kept = stage.scene.queue;
        stage.scene.queue.remove();
      });
      await scene.wait(300);
      const before = await counts(scene);
      assert.equal(before.subscriptions, 0);
      for (let i = 0; i < 5; i++) {
        await scene.page.evaluate(() => stage.scene.column.insertBefore(window.kept, stage.scene.composer));
        await scene.wait(200);
        const during = await counts(scene);
        assert.equal(during.subscriptions, 1);
        assert.ok(during.listeners > before.listeners, 'the listeners are counted');
        await scene.page.evaluate(() => window.kept.remove());
        await scene.wait(200);
        assert.deepEqual(await counts(scene), before, `round ${i + 1}`);
      }
      await scene.page.evaluate(() => stage.scene.column.insertBefore(window.kept, stage.scene.composer));
      await scene.press(scene.deny('c2'));
      assert.deepEqual(await scene.acts(), ['drafted c2 no']);
    }));

  it('taken away and forgotten, it is freed, though the guard lives', () =>
    play({ calls: three }, async (scene) => {
      await scene.page.evaluate(() => {
        window.refs = [];
        for (let i = 0; i < 10; i++) {
          const queue = document.createElement('tool-approval-queue');
          queue.guard = stage.scene.guard;
          document.body.append(queue);
          window.refs.push(new WeakRef(queue));
        }
      });
      await scene.wait(200);
      await scene.page.evaluate(() => {
        for (const ref of window.refs) ref.deref()?.remove();
      });
      scene.reusable = false;
      const session = await scene.page.context().newCDPSession(scene.page);
      let left = 10;
      for (let i = 0; i < 20 && left > 0; i++) {
        await scene.wait(100);
        await session.send('HeapProfiler.collectGarbage');
        left = await scene.page.evaluate(() => window.refs.filter((ref) => ref.deref() !== undefined).length);
      }
      assert.ok(left <= 1, `${left} of 10 are still there`);
    }));

  it('is importable before its name is defined: what was set before is used', () =>
    play({ calls: three }, async (scene) => {
      const shown = await scene.page.evaluate(() => {
        const early = document.createElement('a-later-queue');
        early.guard = stage.scene.guard;
        early.stop = () => {};
        document.body.append(early);
        const before = early.shadowRoot;
        stage.define('a-later-queue');
        const deep = early.shadowRoot?.querySelectorAll('[part~="request"]').length;
        return { before, deep, own: Object.hasOwn(early, 'guard'), same: early.guard === stage.scene.guard };
      });
      assert.deepEqual(shown, { before: null, deep: 3, own: false, same: true });
    }));

  it('can be defined twice', () =>
    play({ calls: three }, async (scene) => {
      await scene.page.evaluate(() => {
        stage.define();
        stage.define('tool-approval-queue');
        stage.define('another-queue');
        stage.define('another-queue');
      });
      assert.equal(await scene.page.evaluate(() => Boolean(customElements.get('another-queue'))), true);
    }));

  it('is made without a guard, by innerHTML as well, and shows nothing', () =>
    play(
      undefined,
      async (scene) => {
        const height = await scene.page.evaluate(() => {
          const place = document.createElement('div');
          place.innerHTML = '<tool-approval-queue lasting="" shortcut="x"></tool-approval-queue>';
          document.body.append(place);
          const made = document.createElement('tool-approval-queue');
          made.focus();
          place.append(made);
          made.focus();
          made.guard = undefined;
          made.guard = null;
          return place.getBoundingClientRect().height;
        });
        assert.equal(height, 0);
      },
      { loose: true },
    ));

  it('moved in the document it goes on', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.press(scene.deny('c1'));
      await scene.page.evaluate(() => {
        const { queue, column } = stage.scene;
        column.append(queue);
      });
      assert.equal(await scene.page.evaluate(() => stage.scene.subscriptions), 1);
      assert.equal(
        await scene.page.evaluate(() => stage.scene.queue.shadowRoot.querySelectorAll('section').length),
        1,
      );
      await scene.press(scene.allow('c2'));
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 yes']);
      // Into another document and back.
      await scene.page.evaluate(() => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        frame.contentDocument.body.append(stage.scene.queue);
        stage.scene.column.append(stage.scene.queue);
        frame.remove();
      });
      await scene.press(scene.deny('c3'));
      assert.equal((await scene.acts()).at(-1), 'drafted c3 no');
    }));

  it('moved in the document, a reason that is being written and what was opened stay', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.page.evaluate(() => {
        const card = document.createElement('tool-approval-card');
        card.guard = stage.scene.guard;
        card.call = stage.scene.guard.getSnapshot().calls[1].key;
        stage.scene.column.append(card);
      });
      await scene.drawn();
      for (const element of ['tool-approval-queue', 'tool-approval-card']) {
        const card = scene.page.locator(element).locator('[data-call="c2"]');
        const more = card.locator('[part~="more"]');
        await more.click();
        await card.getByRole('textbox').fill(`Not ${element}`);
        await scene.page.evaluate((name) => {
          const moved = document.querySelector(name);
          const { column } = stage.scene;
          moved.remove();
          document.createElement('div').append(moved);
          column.prepend(moved);
        }, element);
        await scene.drawn();
        assert.equal(await card.getByRole('textbox').inputValue(), `Not ${element}`);
        assert.equal(await more.getAttribute('aria-expanded'), 'true');
      }
      // What has changed meanwhile is shown, and the buttons work again.
      await scene.page.evaluate(() => {
        const { queue, column, guard } = stage.scene;
        queue.remove();
        guard.decide(guard.getSnapshot().calls[0], 'deny');
        column.prepend(queue);
      });
      assert.equal(await scene.part('undo', 'c1').isVisible(), true);
      const queue = scene.page.locator('tool-approval-queue');
      await scene.press(queue.locator('[data-call="c2"] [part~="deny"]'));
      await scene.press(queue.locator('[data-call="c3"] [part~="deny"]'));
      assert.deepEqual(await scene.acts(), ['drafted c1 no', 'drafted c2 no', 'drafted c3 no']);
      await scene.press(scene.part('proceed'));
      assert.equal((await scene.sent()).c2.reason, 'Not tool-approval-queue');
    }));

  it('cards that were not complete when the queue was moved are completed then', () =>
    play(
      { calls: Array.from({ length: 40 }, (_, i) => ({ id: `m${i}`, tool: 'delete_file', input: { i } })) },
      async (scene) => {
        await scene.page.evaluate(() => {
          const { queue, column, guard } = stage.scene;
          queue.remove();
          queue.guard = undefined;
          column.prepend(queue);
          queue.guard = guard;
          queue.remove();
          column.prepend(queue);
        });
        await scene.until(
          () => stage.scene.queue.shadowRoot.querySelectorAll('[part~="deny"]').length === 40,
          'all cards',
        );
      },
    ));

  it('another guard shows another chat, and decides there', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.page.evaluate(async () => {
        const first = stage.scene;
        const second = await stage.add({
          calls: [{ id: 'x1', tool: 'other', input: {} }],
          options: { undoMs: 600_000 },
        });
        second.queue.remove();
        first.queue.guard = second.seen;
      });
      const cards = await scene.page
        .locator('tool-approval-queue [part~="request"]')
        .evaluateAll((all) => all.map((card) => card.getAttribute('data-call')));
      assert.deepEqual(cards, ['x1']);
      await scene.press(scene.deny('x1'));
      const ledgers = await scene.page.evaluate(() =>
        stage.scenes.map(({ guard, subscriptions }) => [
          guard.ledger().filter(({ type }) => type === 'drafted').length,
          subscriptions,
        ]),
      );
      assert.deepEqual(ledgers, [
        [0, 0],
        [1, 1],
      ]);
    }));

  it('a guard that is disposed of decides nothing, and the queue says so', () =>
    play({ calls: three }, async (scene) => {
      await scene.page.evaluate(() => stage.scene.guard.dispose());
      await scene.page.getByRole('heading', { name: 'Nothing can be decided here any more' }).waitFor();
      assert.equal(await scene.allow('c1').count(), 0);
      assert.equal((await scene.requests()).length, 1);
      await scene.page.evaluate(() => {
        stage.scene.queue.remove();
        // The application hears of it, once.
        const { problems } = stage.scene;
        if (problems.length === 1 && /disposed/.test(problems[0])) problems.length = 0;
      });
    }));

  it('law 11: without WebAssembly the queue says that nothing can be decided, and the calls are there', () =>
    play(undefined, async (scene) => {
      scene.reusable = false;
      await scene.page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'WebAssembly'));
      await scene.page.reload();
      await scene.until(() => 'stage' in window, 'the page');
      await scene.start({
        messages: [
          { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Tidy up.' }] },
          {
            ...{ id: 'a1', role: 'assistant' },
            parts: [
              {
                ...{ type: 'tool-delete_file', toolCallId: 'c1', state: 'approval-requested' },
                ...{ input: { path: 'a' }, approval: { id: 'ap-c1' } },
              },
            ],
          },
        ],
      });
      const heading = scene.page.getByRole('heading', { name: 'Nothing can be decided here' });
      await heading.waitFor();
      const said = 'Nothing can be decided here: a part of this page did not start.';
      assert.equal(await heading.innerText(), said, 'a reload would not help');
      assert.equal(await scene.allow('c1').count(), 0);
      const shown = await scene.page.evaluate(() => {
        const { calls, verdict } = stage.scene.guard.getSnapshot();
        return [calls.map(({ toolName, status }) => [toolName, status]), verdict.reason];
      });
      assert.deepEqual(shown, [[['delete_file', 'asking']], 'unavailable']);
      await scene.page.evaluate(() => {
        // The application hears of it.
        const { problems } = stage.scene;
        if (problems.every((text) => /WebAssembly/.test(text))) problems.length = 0;
      });
    }));

  it('two queues of two chats do not know of each other', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.page.evaluate(async () => {
        await stage.add({
          calls: [
            { id: 'x1', tool: 'other', input: { a: 1 } },
            { id: 'x2', tool: 'other', input: { a: 2 } },
          ],
          options: { undoMs: 600_000 },
        });
      });
      await scene.drawn();
      await scene.press(scene.allow('x1'));
      await scene.press(scene.deny('c1'));
      const drafted = await scene.page.evaluate(() =>
        stage.scenes.map(({ guard }) =>
          guard.ledger().flatMap(({ type, toolCallId }) => (type === 'drafted' ? [toolCallId] : [])),
        ),
      );
      assert.deepEqual(drafted, [['c1'], ['x1']]);
      // The shortcut goes to one of them, and not to the last that heard it.
      await scene.composer().first().focus();
      await scene.key('Alt+Shift+A');
      assert.equal(await scene.focused(), 'heading');
      const which = await scene.page.evaluate(() =>
        stage.scenes.findIndex(({ queue }) => queue === document.activeElement),
      );
      assert.equal(which, 0, 'the first one');
    }));

  it('two queues of one chat agree', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.page.evaluate(() => {
        const twin = document.createElement('tool-approval-queue');
        twin.id = 'twin';
        twin.guard = stage.scene.seen;
        stage.scene.column.append(twin);
      });
      await scene.drawn();
      await scene.press(scene.page.locator('#twin [data-call="c1"] [part~="deny"]'));
      await scene.drawn();
      const shown = await scene.page
        .locator('[data-call="c1"]')
        .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-status')));
      assert.deepEqual(shown, ['drafted', 'drafted']);
    }));

  it('a listener that fails, or decides by itself, breaks nothing', () =>
    play({ calls: three, options: { undoMs: 600_000 } }, async (scene) => {
      await scene.page.evaluate(() => {
        stage.scene.queue.addEventListener('tool-approval-decide', (event) => {
          const [call] = event.detail.calls;
          stage.scene.guard.decide(call, 'deny');
        });
      });
      await scene.press(scene.allow('c1'));
      assert.equal((await scene.outcomes()).c1, 'denied', 'the denial wins');
    }));

  it('a hundred chunks of text in a second do not make it again', () =>
    play({ live: true, calls: [] }, async (scene) => {
      const made = await scene.page.evaluate(async () => {
        const { gated, text } = stage.chunks;
        stage.scene.push(
          gated('c1', 'delete_file', { path: 'a' }),
          gated('c2', 'delete_file', { path: 'b' }),
        );
        await stage.scene.until(() => stage.scene.call('c2') !== undefined);
        await new Promise((resolve) => setTimeout(resolve, 200));
        let changes = 0;
        new MutationObserver((records) => {
          changes += records.length;
        }).observe(stage.scene.queue.shadowRoot, {
          ...{ childList: true, subtree: true, attributes: true, characterData: true },
        });
        for (let i = 0; i < 100; i++) {
          stage.scene.push(text(`chunk ${i}`));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return changes;
      });
      assert.equal(made, 0, 'nothing in the queue changed');
    }));
});
