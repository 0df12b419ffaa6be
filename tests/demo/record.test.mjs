// What a record keeps and proves, as a person sees it: reloads, a second tab, an export.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isBroad } from '../support/breadth.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { findings, schemesAt, showIn } from './axe.mjs';
import { stage, together } from './stage.mjs';
import { lastSent, runs } from './state.mjs';

/**
 * @import { Demo } from './drive.mjs'
 * @import { SceneOptions } from './stage.mjs'
 */

describe('the record in the demo', together, () => {
  const { play } = stage();

  /** @type {(name: string, scene: (demo: Demo) => Promise<void>, options?: SceneOptions) => void} */
  const scene = (name, scene, options) => void (runsHere(name) && test(name, () => play(scene, options)));

  /** Two calls ask. @param {Demo} demo @param {{ guarded: boolean }} [options] */
  async function begin(demo, options = { guarded: true }) {
    await demo.start('The record', options);
    await demo.button('cache.log', 'Deny').waitFor();
    await demo.idle();
  }

  /** @param {Demo} demo @param {string} what */
  const check = (demo, what) => demo.page.getByRole('checkbox', { name: what }).check();

  /** The last use of the clipboard, which all pages of the browser share. */
  let copied = Promise.resolve();
  /** Copies with a button, and looks at what was copied while no other scene copies. @param {Demo} demo @param {string} button */
  const copy = (demo, button, look = async () => {}) =>
    (copied = copied
      .catch(() => {})
      .then(async () => {
        await demo.click(button);
        await demo.page.getByRole('button', { name: button }).getByText('Copied').waitFor();
        await look();
      }));

  /** @param {Demo} demo */
  const timeline = ({ page }) => page.getByRole('region', { name: 'Timeline' });

  for (const path of ['', 'vue.html']) {
    const where = path && ', in Vue';
    // Both pages keep the record with the same code, so few scenes show that it is at work in the second one.
    const broadly = path === '' || isBroad ? scene : () => {};

    broadly(
      `a reload with calls that ask: they ask${where}`,
      async (demo) => {
        await begin(demo);
        await demo.reload();
        await demo.says('2 decisions needed');
        await timeline(demo).getByText('It has waited since an earlier page').first().waitFor();
        await demo.answer('notes.md', 'Deny');
        await demo.answer('cache.log', 'Allow once');
        await demo.reads('cache.log ran and returned');
        await demo.settle();
        const state = await demo.state();
        assert.equal(state.requests.length, 2);
        assert.deepEqual(runs(state), ['delete_file cache.log 1']);
        assert.equal(lastSent(state, 'notes.md')?.approved, false);
      },
      { path },
    );

    scene(
      `a reload with a draft: it is a draft, and can be undone${where}`,
      async (demo) => {
        await begin(demo);
        await demo.answer('notes.md', 'Allow once');
        await demo.says('1 decision needed', '1 allowed.');
        await demo.reload();
        await demo.says('1 decision needed', '1 allowed.');
        assert.equal((await demo.state()).requests.length, 1, 'nothing leaves');
        await demo.answer('notes.md', 'Undo');
        await demo.says('2 decisions needed');
        await demo.reload();
        await demo.says('2 decisions needed');
        await demo.answer('notes.md', 'Allow once');
        await demo.answer('cache.log', 'Deny');
        await demo.reads('write_note on notes.md ran and returned');
        await demo.settle();
        const state = await demo.state();
        assert.equal(state.requests.length, 2);
        assert.deepEqual(runs(state), ['write_note notes.md 1']);
      },
      { path },
    );

    for (const lags of [false, true]) {
      broadly(
        `an answer that the server has refused${lags ? ', and messages that lag (C68)' : ''}: the queue offers to send it again${where}`,
        async (demo) => {
          await begin(demo);
          if (lags) await check(demo, 'Messages lag');
          await check(demo, 'The server is down');
          await demo.answer('notes.md', 'Deny');
          await demo.answer('cache.log', 'Allow once');
          await demo.page.getByText('The server is down, on purpose').waitFor();
          const stored = await demo.page.evaluate(() =>
            Object.entries(localStorage).find(([key]) => key.startsWith('approval-demo:')),
          );
          assert.equal(stored?.[1].includes('approval-responded'), !lags);

          await demo.reload();
          // The server has refused it, which the record knows: it was sent, and is for a person to send again.
          await demo.says('The request failed. The decisions are kept. Try again.');
          await demo.settle();
          assert.equal((await demo.state()).requests.length, 1, 'nothing leaves by itself');
          await demo.click('Try again');
          await demo.reads('cache.log ran and returned');
          await demo.settle();
          const state = await demo.state();
          assert.equal(state.requests.length, 2);
          assert.deepEqual(runs(state), ['delete_file cache.log 1']);
          assert.deepEqual(lastSent(state, 'notes.md'), {
            state: 'approval-responded',
            approved: false,
            output: undefined,
          });
        },
        { path },
      );
    }

    broadly(
      `messages that lag behind what was sent (C68): nobody is asked again, and nothing runs twice${where}`,
      async (demo) => {
        await begin(demo);
        await check(demo, 'Messages lag');
        await demo.answer('notes.md', 'Deny');
        await demo.answer('cache.log', 'Allow once');
        await demo.reads('cache.log ran and returned');
        await demo.idle();
        await demo.reload();
        await demo.card('cache.log').waitFor();
        await demo.settle();
        assert.equal(await demo.page.getByRole('button', { name: 'Allow once' }).count(), 0);
        assert.equal(await demo.queue().getByRole('button', { name: 'Send now' }).count(), 0);
        await demo.page.getByRole('textbox', { name: 'Message' }).fill('What happened?');
        await demo.click('Send');
        await demo.received(3);
        await demo.settle();
        const state = await demo.state();
        assert.equal(state.requests.length, 3);
        assert.deepEqual(runs(state), ['delete_file cache.log 1']);
        assert.equal(lastSent(state, 'notes.md')?.approved, false);
      },
      { path },
    );

    scene(
      `two tabs: what one answers shows as answered in the other, which sends nothing (C75)${where}`,
      async (demo) => {
        await begin(demo);
        const other = await demo.secondTab();
        await other.says('2 decisions needed');
        await demo.answer('notes.md', 'Deny');
        await demo.answer('cache.log', 'Allow once');
        await demo.reads('cache.log ran and returned');
        await timeline(other).getByText('Answered in another tab').first().waitFor();
        await other.card('notes.md').getByText('Denied in another tab').waitFor();
        await other.card('cache.log').getByText('Allowed in another tab').waitFor();
        assert.equal(await other.page.getByRole('button', { name: 'Allow once' }).count(), 0);
        await demo.settle();
        const state = await demo.state();
        assert.equal(state.requests.length, 2);
        assert.deepEqual(runs(state), ['delete_file cache.log 1']);

        await other.reload();
        await other.reads('cache.log ran and returned');
        assert.equal((await other.state()).requests.length, 2);
        assert.deepEqual(other.errors, []);
      },
      { path },
    );
  }

  scene(
    'a reload while the answers are on their way: they may have arrived, and a person sends them',
    async (demo) => {
      await begin(demo);
      const release = await demo.hold();
      await demo.answer('notes.md', 'Deny');
      await demo.answer('cache.log', 'Allow once');
      await demo.says('Sending');
      await demo.reload();
      await demo.says('The request was interrupted. What you allowed may have run.');
      await release();
      await demo.settle();
      assert.equal((await demo.state()).requests.length, 1, 'nothing leaves by itself');
      await demo.click('Try again');
      await demo.reads('cache.log ran and returned');
      await demo.settle();
      const state = await demo.state();
      assert.equal(state.requests.length, 2);
      assert.deepEqual(runs(state), ['delete_file cache.log 1']);
    },
  );

  /** Both calls are answered. @param {Demo} demo */
  async function finish(demo) {
    await begin(demo);
    await demo.answer('notes.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
    await demo.reads('cache.log ran and returned');
    await demo.idle();
  }

  scene('the timeline, the metrics and the prompt load', async (demo) => {
    await finish(demo);
    const lines = timeline(demo);
    await lines.getByText(/^Answered: denied write_note notes\.md · by a person, after/).waitFor();
    await lines.getByText(/^Answered: allowed delete_file cache\.log · by a person, after/).waitFor();
    await lines.focus();
    await demo.page.keyboard.press('Home');
    await demo.page.waitForFunction(() => document.querySelector('.timeline')?.scrollTop === 0, undefined, {
      timeout: 3_000,
    });

    const figures = demo.page.getByLabel('Metrics', { exact: true });
    const of = async (/** @type {string} */ name) =>
      (await figures.locator('div', { hasText: name }).locator('dd').innerText()).trim();
    assert.equal(await of('calls that asked'), '2');
    assert.match(await of('median response'), /^\d+(\.\d)? m?s$/);
    assert.match(await of('p95 response'), /^\d+(\.\d)? m?s$/);
    assert.equal(await of('prompts per turn'), '2.0');
    assert.equal(await of('allowed'), '50 %');
    assert.equal(await of('denied'), '50 %');
    assert.equal(await of('recovered calls'), '0');

    await demo.click('Send');
    await demo.answer('Water the plants', 'Deny');
    await demo.received(4);
    await demo.idle();
    await demo.page.getByText('asked 2 ×, allowed 0 ×, denied 2 ×').waitFor();
    // As a person looks at what was copied.
    const message = demo.page.getByRole('textbox', { name: 'Message' });
    await message.fill('');
    await copy(demo, 'Copy the rule for write_note', () => message.press('Control+V'));
    const rule = JSON.parse(await message.inputValue());
    assert.deepEqual(rule.deny, {
      tool: 'write_note',
      args: { path: 'notes.md', text: 'Water the plants.' },
    });
  });

  scene('export and proof: intact, and broken at the line that was changed', async (demo) => {
    await finish(demo);
    for (const [name, file] of [
      ['Export JSON Lines', 'jsonl'],
      ['Export CSV', 'csv'],
    ]) {
      const [download] = await Promise.all([demo.page.waitForEvent('download'), demo.click(name ?? '')]);
      assert.match(download.suggestedFilename(), new RegExp(`^record-[\\w-]+\\.${file}$`));
      const text = readFileSync(await download.path(), 'utf8');
      assert.match(text, /answered/);
      assert.doesNotMatch(text, /Water the plants|cache\.log/, 'no input');
    }

    await demo.click('Verify');
    const status = demo.page.locator('.record [role="status"]');
    await status.getByText('Intact.').waitFor();
    const area = demo.page.getByLabel('The export');
    const text = await area.inputValue();
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('"answered"') && line.includes('"approved":false'));
    assert.ok(at > 0);
    // One character, as a person would change it.
    await area.evaluate(
      (area, place) => area instanceof HTMLTextAreaElement && area.setSelectionRange(place, place + 1),
      lines.slice(0, at).join('\n').length + 1 + (lines[at] ?? '').indexOf('write_note'),
    );
    await area.focus();
    await demo.page.keyboard.type('W');
    await demo.click('Verify again');
    await status.getByText(`Broken at line ${at + 1}.`).waitFor();
    await demo.click(`Show line ${at + 1}`);
    const selected = await area.evaluate(
      (area) =>
        area instanceof HTMLTextAreaElement && area.value.slice(area.selectionStart, area.selectionEnd),
    );
    const [height, top] = await area.evaluate((area) => [area.scrollHeight, area.scrollTop]);
    const place = ((height ?? 0) * at) / lines.length - (top ?? 0);
    assert.ok(place >= 0 && place < 100, 'the line is in view');
    assert.equal(selected, lines[at]?.replace('write_note', 'Write_note'));

    // Without its end it is whole in itself, and only the head says that something is missing.
    await area.fill(text.trimEnd().split('\n').slice(0, -1).join('\n') + '\n');
    await demo.click('Verify again');
    await status.getByText(/^Broken at line \d+\./).waitFor();
    await area.fill(text);
    await demo.click('Verify again');
    await status.getByText('Intact.').waitFor();
  });

  scene('the head leaves with each request', async (demo) => {
    await finish(demo);
    const heads = await demo.page
      .getByText(/^Record: \d+ entr(?:y|ies), head [0-9a-f]{8}…[0-9a-f]{8}$/)
      .allInnerTexts();
    assert.equal(heads.length, 2);
    assert.notEqual(heads[0], heads[1]);
    await copy(demo, 'Copy the head');
  });

  scene('what is forgotten is gone, here and in the storage', async (demo) => {
    await finish(demo);
    await demo.click('Forget');
    await demo.page.locator('.record').getByText('Nothing yet.').waitFor();
    await demo.reload();
    await demo.reads('cache.log ran and returned');
    const figures = demo.page.getByLabel('Metrics', { exact: true });
    assert.equal(await timeline(demo).getByText('by a person').count(), 0);
    assert.equal((await figures.locator('dd').first().innerText()).trim(), '0');
  });

  scene('an answer that lasts does so over a reload', async (demo) => {
    await begin(demo);
    await demo.press(await demo.lasting('Water the plants', 'Allow for this chat: every write_note call'));
    await demo.answer('cache.log', 'Deny');
    await demo.reads('write_note on notes.md ran and returned');
    await demo.idle();
    await demo.reload();
    await demo.page.getByRole('textbox', { name: 'Message' }).fill('The same again, please.');
    await demo.click('Send');
    await demo.received(4);
    await demo.settle();
    assert.deepEqual(
      runs(await demo.state()).filter((run) => run.startsWith('write')),
      ['write_note notes.md 1', 'write_note notes.md 1'],
    );
  });

  scene('starting over is another chat, and no other scenario is kept', async (demo) => {
    await begin(demo);
    const first = demo.page.url();
    assert.match(first, /\?chat=[\w-]+$/);
    await demo.click('Start over');
    await demo.page.waitForURL((url) => url.href !== first);
    await demo.reload();
    assert.equal(await demo.page.locator('.message').count(), 0);
    await demo.page.getByRole('radio', { name: 'A grant' }).check();
    await demo.page.waitForURL((url) => url.search === '');
  });

  scene('without the guard a reload asks again, and a draft is nowhere', async (demo) => {
    await begin(demo, { guarded: false });
    await demo.answer('cache.log', 'Allow once');
    await demo.reload();
    await demo.page.getByRole('radio', { name: 'Without the guard', checked: true }).waitFor();
    await demo.card('cache.log').getByRole('button', { name: 'Allow once' }).waitFor();
  });

  for (const width of [1280, 320]) {
    scene(
      `axe finds nothing, and nothing is cut off, at ${width} pixels`,
      async (demo) => {
        await finish(demo);
        await demo.click('Verify');
        const area = demo.page.getByLabel('The export');
        const text = await area.inputValue();
        // What is scrolled away has no colours that could be checked.
        await timeline(demo).evaluate(
          (list) => list instanceof HTMLElement && (list.style.maxHeight = 'none'),
        );
        for (const colorScheme of schemesAt(width)) {
          await showIn(demo.page, colorScheme);
          await area.fill(text);
          await demo.click('Verify again');
          assert.deepEqual(await findings(demo.page), [], colorScheme);
          await area.fill(text.replace('write_note', 'Write_note'));
          await demo.click('Verify again');
          assert.deepEqual(await findings(demo.page), [], `${colorScheme}, broken`);
          assert.deepEqual(await demo.widths(), { window: width, cut: 0 });
        }
      },
      { width },
    );
  }
});
