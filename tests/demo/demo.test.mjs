import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isBroad } from '../support/breadth.mjs';
import { browserName } from '../support/browsers.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { stage, startServer, stopServer, together } from './stage.mjs';
import { lastSent, lastTold, lines, runs } from './state.mjs';

/**
 * @import { Demo } from './drive.mjs'
 * @import { SceneOptions } from './stage.mjs'
 */

const IN_VUE = { path: 'vue.html' };

describe('the demo', together, () => {
  const { play, open } = stage();

  /** @type {(name: string, scene: (demo: Demo) => Promise<void>, options?: SceneOptions) => void} */
  const scene = (name, scene, options) => void (runsHere(name) && test(name, () => play(scene, options)));

  /** A scene that repeats another one in the other page, or shows what the SDK does alone. */
  const broadly = isBroad ? scene : () => {};

  /** @param {Demo} demo @param {boolean} guarded */
  async function denyOneAllowOne(demo, guarded) {
    await demo.start('Two deletes', { guarded });
    if (guarded) {
      await demo.says('2 decisions needed');
      await demo.request('notes.md').waitFor();
      const below = demo.page.getByText('Waits for your decision below');
      assert.equal(await below.count(), demo.isQueued ? 2 : 0, 'it is asked about in one place');
    }
    await demo.answer('notes.md', 'Deny');
    if (guarded) {
      await demo.says('1 decision needed', '1 denied.');
      await demo.request('notes.md').getByText('Denied', { exact: true }).waitFor();
      await demo.card('notes.md').getByText('Denied', { exact: true }).waitFor();
    }
    await demo.answer('draft.md', 'Allow once');
    await demo.reads('draft.md ran and returned');
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 2);
    assert.deepEqual(runs(state), ['delete_file draft.md 1']);
    assert.equal(lines(state, 'draft.md'), undefined);
    assert.equal(lines(state, 'notes.md'), 3);
    return state;
  }

  scene('two deletes, with the guard: the denial leaves as a denial, also later', async (demo) => {
    const state = await denyOneAllowOne(demo, true);
    assert.deepEqual(lastSent(state, 'notes.md'), {
      state: 'approval-responded',
      approved: false,
      output: undefined,
    });
    assert.equal(lastTold(state, 'notes.md')?.outcome, 'denied');
    await demo.says('Sent', '1 denied, 1 allowed.');
    await demo.card('notes.md').getByText('Denied', { exact: true }).waitFor();
    await demo.card('draft.md').getByText('Result {"deleted":"draft.md"}').waitFor();
    await demo.page.getByText('1 of 1').waitFor();
    await demo.inLedger('overwritten', 'notes.md');

    await demo.page.getByLabel('Message').fill('What happened?');
    await demo.click('Send');
    await demo.received(3);
    await demo.settle();
    const later = await demo.state();
    assert.equal(later.requests.length, 3);
    assert.deepEqual(lastSent(later, 'notes.md'), {
      state: 'output-denied',
      approved: false,
      output: undefined,
    });
    assert.deepEqual(runs(later), ['delete_file draft.md 1']);
  });

  scene(
    'two deletes, in Vue: the denial leaves as a denial, also later',
    async (demo) => {
      const state = await denyOneAllowOne(demo, true);
      // The mistake of the page happened, and did not leave it.
      await demo.inLedger('overwritten', 'notes.md');
      const denied = { state: 'approval-responded', approved: false, output: undefined };
      assert.deepEqual(lastSent(state, 'notes.md'), denied);
      assert.equal(lastTold(state, 'notes.md')?.outcome, 'denied');
      await demo.says('Sent', '1 denied, 1 allowed.');
      await demo.card('notes.md').getByText('Denied', { exact: true }).waitFor();
      await demo.card('draft.md').getByText('Result {"deleted":"draft.md"}').waitFor();

      await demo.page.getByLabel('Message').fill('What happened?');
      await demo.click('Send');
      await demo.received(3);
      await demo.settle();
      const later = await demo.state();
      assert.equal(later.requests.length, 3);
      assert.deepEqual(lastSent(later, 'notes.md'), { ...denied, state: 'output-denied' });
      assert.deepEqual(runs(later), ['delete_file draft.md 1']);
    },
    IN_VUE,
  );

  scene('two deletes, without: the denial leaves as a result', async (demo) => {
    const state = await denyOneAllowOne(demo, false);
    assert.deepEqual(lastSent(state, 'notes.md'), {
      state: 'output-available',
      approved: undefined,
      output: { success: false, denied: true },
    });
    assert.equal(lastTold(state, 'notes.md')?.outcome, 'result');
    await demo.page.getByText('0 of 1').waitFor();
  });

  /** @param {Demo} demo @param {boolean} guarded */
  async function pickTwice(demo, guarded) {
    await demo.start('A picker', { guarded });
    await demo.answer('cache.log', 'Allow once');
    await demo.settle();
    assert.equal((await demo.state()).requests.length, 1, 'it waits for the pick');
    if (guarded) await demo.says('Decided. Waiting for the rest of this step.', '1 allowed.');
    await demo.answer('matters most', 'draft.md');
    await demo.answer('comes second', 'notes.md');
    if (guarded) await demo.received(3);
    await demo.settle();
    const state = await demo.state();
    assert.deepEqual(runs(state), ['delete_file cache.log 1']);
    assert.equal(lines(state, '.env'), 1);
    return state;
  }

  scene('a picker beside an approval, with the guard: every step goes out', async (demo) => {
    const state = await pickTwice(demo, true);
    assert.equal(state.requests.length, 3);
    assert.equal(lastSent(state, '.env')?.state, 'output-denied');
    await demo.reads('You picked {"path":"notes.md"}');
  });

  broadly(
    'a picker beside an approval, in Vue: every step goes out',
    async (demo) => {
      const state = await pickTwice(demo, true);
      assert.equal(state.requests.length, 3);
      assert.equal(lastSent(state, '.env')?.state, 'output-denied');
      await demo.card('.env').getByText('Denied by the server').waitFor();
      await demo.reads('You picked {"path":"notes.md"}');
    },
    IN_VUE,
  );

  scene('a picker beside an approval, without: the second pick stalls', async (demo) => {
    assert.equal((await pickTwice(demo, false)).requests.length, 2);
  });

  scene('an empty answer, with the guard: one request, one line', async (demo) => {
    await demo.start('An empty', { guarded: true });
    await demo.answer('notes.md', 'Allow once');
    await demo.received(2);
    await demo.settle();
    await demo.settle();
    const state = await demo.state();
    assert.deepEqual(
      state.requests.map(({ answer }) => answer),
      ['stream', 'empty'],
    );
    assert.deepEqual(runs(state), ['write_note notes.md 1']);
    assert.equal(lines(state, 'notes.md'), 4);
    await demo.page.locator('.verdict[data-reason="already-sent"]').waitFor();
  });

  broadly('an empty answer, without: it loops until the server ends it', async (demo) => {
    await demo.start('An empty', { guarded: false });
    await demo.answer('notes.md', 'Allow once');
    await demo.reads('ran and returned');
    const state = await demo.state();
    assert.equal(state.requests.length, 8);
    assert.deepEqual(runs(state), ['write_note notes.md 7']);
    assert.equal(lines(state, 'notes.md'), 10);
    await demo.page.getByText('Requests 2 to 7').waitFor();
  });

  /** @param {Demo} demo @param {boolean} guarded */
  async function threeSteps(demo, guarded) {
    await demo.start('Three steps', { guarded });
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Deny');
    await demo.answer('cache.log', 'Allow once');
    await demo.reads('cache.log ran and returned');
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 4);
    assert.deepEqual(runs(state), ['write_note notes.md 1', 'delete_file cache.log 1']);
    return state;
  }

  scene('three steps, with the guard: one request each, the denial stays one', async (demo) => {
    assert.deepEqual(lastSent(await threeSteps(demo, true), 'draft.md'), {
      state: 'output-denied',
      approved: false,
      output: undefined,
    });
  });

  broadly('three steps, without: the denial loses its answer', async (demo) => {
    assert.deepEqual(lastSent(await threeSteps(demo, false), 'draft.md'), {
      state: 'output-denied',
      approved: undefined,
      output: { success: false, denied: true },
    });
  });

  /** Only Chromium says in the console that a request has failed. */
  const STUMBLE =
    browserName === 'chromium'
      ? ['Failed to load resource: the server responded with a status of 503 (Service Unavailable)']
      : [];

  /** @param {Demo} demo @param {boolean} guarded */
  async function failAndRetry(demo, guarded) {
    await demo.start('A failing', { guarded });
    await demo.answer('cache.log', 'Allow once');
    await demo.page.getByRole('alert').waitFor();
    await demo.settle();
    assert.equal((await demo.state()).requests.length, 2, 'nothing repeats by itself');
    if (guarded) await demo.says('The request failed. The decisions are kept. Try again.', '1 allowed.');
    await demo.click(guarded ? 'Try again' : 'Retry');
    await demo.received(3);
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 3);
    return state;
  }

  const failing = { expected: STUMBLE };

  scene(
    'a failing request, with the guard: retry sends the same answer',
    async (demo) => {
      const state = await failAndRetry(demo, true);
      await demo.reads('cache.log ran and returned');
      assert.equal(lastSent(state, 'cache.log')?.approved, true);
      assert.deepEqual(runs(state), ['delete_file cache.log 1']);
    },
    failing,
  );

  broadly(
    'a failing request, without: the answer is lost',
    async (demo) => {
      const state = await failAndRetry(demo, false);
      assert.equal(lastSent(state, 'cache.log'), undefined);
      assert.deepEqual(runs(state), []);
      await demo.card('cache.log').getByRole('button', { name: 'Allow once' }).waitFor();
    },
    failing,
  );

  scene('the two pages lead to each other', async (demo) => {
    await demo.page.getByRole('link', { name: 'The same chat in Vue' }).click();
    await demo.page.getByRole('heading', { name: 'The same chat in Vue' }).waitFor();
    await demo.page.getByRole('link', { name: 'the page in React' }).click();
    await demo.page.getByRole('radio', { name: 'With the guard' }).waitFor();
  });

  scene('starting over gives a new chat and a fresh folder', async (demo) => {
    await denyOneAllowOne(demo, true);
    await demo.click('Start over');
    await demo.page.locator('[data-file="draft.md"]', { hasText: 'none' }).waitFor();
    const state = await demo.state();
    assert.deepEqual([state.requests, state.runs], [[], []]);
    assert.equal(lines(state, 'draft.md'), 3);
  });

  scene('a keyboard is enough, and no answer is preselected', async (demo) => {
    const { keyboard } = demo.page;
    await demo.page.getByLabel('Message').focus();
    await keyboard.press('Enter');
    await demo.button('draft.md', 'Deny').waitFor();
    await keyboard.press('Enter');
    assert.equal((await demo.state()).requests.length, 1);

    // The shortcut leads to the first request, and from there on Tab goes through it.
    await keyboard.press('Alt+Shift+A');
    assert.equal(await demo.focused(), 'h3 Allow delete_file?');
    await keyboard.press('Tab');
    assert.equal(await demo.focused(), 'button Deny delete_file', 'Deny comes first');
    await demo.settled(demo.button('notes.md', 'Deny'));
    await keyboard.press('Enter');
    await demo.says('1 decision needed', '1 denied.');
    await keyboard.press('Alt+Shift+A');
    await keyboard.press('Alt+Shift+A');
    assert.equal(await demo.focused(), 'h3 Allow delete_file?', 'the next one');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    assert.equal(await demo.focused(), 'button Allow once delete_file');
    await demo.settled(demo.button('draft.md', 'Allow once'));
    await keyboard.press('Space');
    await demo.reads('draft.md ran and returned');
    assert.deepEqual(runs(await demo.state()), ['delete_file draft.md 1']);
  });

  scene(
    'nothing is cut off at 320 pixels',
    async (demo) => {
      await denyOneAllowOne(demo, false);
      assert.deepEqual(await demo.widths(), { window: 320, cut: 0 });
    },
    { width: 320 },
  );

  test('under StrictMode in a development build a denial stays one', async () => {
    const development = await startServer({ NODE_ENV: 'development' });
    const demo = await open(development.url);
    try {
      const sent = lastSent(await denyOneAllowOne(demo, true), 'notes.md');
      assert.deepEqual(sent, { state: 'approval-responded', approved: false, output: undefined });
      assert.deepEqual(demo.errors, []);
    } finally {
      await demo.close();
      await stopServer(development);
    }
  });

  test('a file name cannot leave the folder', async () => {
    const { Session } = await import('../../www/server/session.mjs');
    const session = await Session.open();
    for (const name of ['../escape', '/etc/passwd', '..', '.', '', 'a/b']) {
      await assert.rejects(session.delete(name), /is not a file of this folder/);
      await assert.rejects(session.append(name, 'x'), /is not a file of this folder/);
      await assert.rejects(session.rename('notes.md', name), /is not a file of this folder/);
    }
    session.close();
  });
});
