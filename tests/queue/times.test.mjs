// What the queue costs, measured by time: these run while nothing else does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage } from './stage.mjs';

const three = ['notes.md', 'draft.md', 'old.log'].map((path, i) => ({
  id: `c${i + 1}`,
  tool: 'delete_file',
  input: { path },
}));

describe('the queue costs little', () => {
  const { play } = stage();

  it('a page that waits does next to nothing', () =>
    play({ calls: three }, async (scene) => {
      await scene.wait(1000);
      scene.reusable = false;
      const session = await scene.page.context().newCDPSession(scene.page);
      await session.send('Performance.enable');
      const busy = async () => {
        const { metrics } = await session.send('Performance.getMetrics');
        return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
      };
      const before = await busy();
      await scene.wait(3000);
      const after = await busy();
      const spent = after.TaskDuration - before.TaskDuration;
      assert.ok(spent < 0.3, `${Math.round(spent * 1000)} ms of work in 3 s`);
      assert.ok(
        after.RecalcStyleCount - before.RecalcStyleCount < 60,
        'the style is not made again and again',
      );
    }));

  for (const tools of [7, 1]) {
    it(`a thousand calls of ${tools === 1 ? 'one tool' : `${tools} tools`}`, () =>
      play(undefined, async (scene) => {
        const calls = Array.from({ length: 1000 }, (_, i) => ({
          id: `c${i}`,
          tool: `tool_${i % tools}`,
          input: { path: `folder/file-${i}.md`, text: 'Some text that is written.', n: i },
        }));
        const { shown, ...times } = await scene.page.evaluate(async (json) => {
          const { calls } = JSON.parse(json);
          const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          const timed = async (work) => {
            const begin = performance.now();
            await work();
            await frame();
            return Math.round(performance.now() - begin);
          };
          const open = await timed(() => stage.open({ calls, options: { undoMs: 600_000 } }));
          const { queue, column, composer, guard } = stage.scene;
          const root = queue.shadowRoot;
          const shown = root.querySelectorAll('[part~="request"]').length;
          const complete = () =>
            stage.scene.until(() => !root.querySelector('[part="preview"]'), 'the last card');
          await complete();
          // The same elements, copied by the browser: what this page can do at best, on this machine and now.
          const copy = document.createElement('div');
          const inside = copy.attachShadow({ mode: 'open' });
          inside.adoptedStyleSheets = root.adoptedStyleSheets;
          const nodes = [...root.childNodes].map((node) => node.cloneNode(true));
          await timed(() => queue.remove());
          const copied = await timed(() => {
            inside.append(...nodes.map((node) => node.cloneNode(true)));
            column.insertBefore(copy, composer);
          });
          await timed(() => copy.remove());
          // The element alone, over a guard that knows everything. What is only moved keeps what it has made.
          const { guard: shownGuard } = queue;
          queue.guard = undefined;
          const made = await timed(() => {
            queue.guard = shownGuard;
            column.insertBefore(queue, composer);
          });
          await complete();
          await frame();
          const decided = await timed(() => void stage.scene.decide('c0', 'deny'));
          const undone = await timed(() => void guard.undo('c0'));
          return { shown, open, copied, made, decided, undone };
        }, JSON.stringify({ calls }));
        console.log(`  1,000 calls, ${tools} tools, in ms: ${JSON.stringify(times)}`);
        assert.equal(shown, 1000, 'all of them are there');
        const { copied, made, decided, undone } = times;
        assert.ok(made < copied, `made in ${made} ms, copied in ${copied} ms`);
        assert.ok(decided < copied, `a decision is shown after ${decided} ms`);
        assert.ok(undone < copied, `an undo is shown after ${undone} ms`);
        // And a person can decide the last one.
        const last = async () => (await scene.acts()).at(-1);
        // Where a frame takes long, the queue asks to press again.
        for (let i = 0; i < 5 && (await last()) !== 'drafted c999 no'; i++) {
          await scene.press(scene.deny('c999'));
        }
        assert.equal(await last(), 'drafted c999 no');
      }));
  }
});
