// The demo as the first page of the guides: each scenario leads to the page that explains it and shows its code, and the
// events of a chat can be stepped through.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildGuides } from '../../www/server/guides.mjs';
import { stage, together } from './stage.mjs';

const guides = buildGuides();
/** @param {string} path */
const textOf = (path) => String(guides.get(path)?.content ?? '');

describe('the guides beside the demo', together, () => {
  const { play } = stage();

  test('each link of a guide leads to a page and a place in it', () => {
    let links = 0;
    for (const path of guides.keys()) {
      if (!/\.html$|\/$/.test(path)) continue;
      for (const [, href = ''] of textOf(path).matchAll(/<a href="([^"]+)"|<img src="([^"]+)"/g)) {
        if (/^\w+:/.test(href)) continue;
        const { pathname, hash } = new URL(href, `http://localhost${path}`);
        if (!pathname.startsWith('/guides/')) continue;
        links += 1;
        assert.ok(guides.has(pathname), `${path} links to ${href}`);
        const anchor = decodeURIComponent(hash.slice(1));
        assert.ok(!anchor || textOf(pathname).includes(`id="${anchor}"`), `${path} links to ${href}`);
      }
    }
    assert.ok(links > 200, `${links} links`);
  });

  test('each scenario leads to the place that explains it, and shows its code', () =>
    play(async ({ page }) => {
      const tabs = page.getByRole('group', { name: 'Scenario' }).getByRole('radio');
      assert.equal(await tabs.count(), 13);
      for (const tab of await tabs.all()) {
        await tab.check();
        const link = page.getByText('Explained in').getByRole('link');
        const { pathname, hash } = new URL((await link.getAttribute('href')) ?? '', page.url());
        assert.ok(guides.has(pathname), pathname);
        assert.ok(hash === '' || textOf(pathname).includes(`id="${hash.slice(1)}"`), pathname + hash);
        const code = await page.getByText('const guard = createApprovalGuard({').textContent();
        assert.match(code ?? '', /^const guard[^]*sendAutomaticallyWhen: guard\.sendAutomaticallyWhen/);
      }
      await page.getByRole('radio', { name: 'Several calls at once' }).check();
      await page.getByText('The guard of this scenario').click();
      await page.getByText('undoMs: 5_000,\n  tools: { delete_file: { dangerous: true } },').waitFor();
      await page.getByText('Explained in').getByRole('link').click();
      await page.getByRole('heading', { name: 'Drafts and undo' }).waitFor();
    }));

  test('a narrow page has a menu in place of the tabs, and nothing is wider than it', () =>
    play(
      async (demo) => {
        const { page } = demo;
        assert.equal(await page.getByRole('radio', { name: 'A grant' }).isVisible(), false);
        await demo.choose('A grant');
        await page.getByText('The guard of this scenario').click();
        await page.getByText('undoMs: 5_000').waitFor();
        for (const path of ['', 'events.html', 'guides/', 'guides/docs/decisions.html']) {
          if (path) await page.goto(demo.url + path);
          const [content, width] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            innerWidth,
          ]);
          assert.ok(content <= width, `${path}: ${content} px on a page of ${width}`);
        }
      },
      { width: 320 },
    ));

  test('the events of a chat are stepped through, with what the guard said after each', () =>
    play(async (demo) => {
      const { page } = demo;
      await demo.start('Two deletes', { guarded: true });
      await demo.says('2 decisions needed');
      await demo.answer('notes.md', 'Deny');
      await demo.says('1 decision needed', '1 denied.');
      await page.goto(`${demo.url}events.html`);
      const events = page.getByRole('group', { name: 'Event' }).getByRole('radio');
      const after = page.getByRole('region', { name: 'After this event' });
      await after.getByRole('heading', { name: 'A request leaves' }).waitFor();
      const count = await events.count();
      for (let at = 1; at < count; at += 1) await after.getByRole('button', { name: 'Forward' }).click();
      await after.getByText(`${count} of ${count}`).waitFor();
      assert.equal(await after.getByRole('button', { name: 'Forward' }).isDisabled(), true);
      await after.getByRole('heading', { name: 'Decided, not sent: denied' }).waitFor();
      await after.getByText('by a person').waitFor();
      await after.getByText('denied, drafted').waitFor();
      await events.first().check();
      await after.getByRole('heading', { name: 'A request leaves' }).waitFor();
    }));
});
