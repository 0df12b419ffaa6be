// Decisions as a person makes them: undo, a batch, grants, deadlines and a model that insists.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isBroad } from '../support/breadth.mjs';
import { browserName } from '../support/browsers.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { stage, together } from './stage.mjs';
import { lastSent, lastTold, lines, runs } from './state.mjs';

/**
 * @import { Demo } from './drive.mjs'
 * @import { SceneOptions } from './stage.mjs'
 */

const EVERY = 'Allow for this chat: every write_note call';
const SCOPE = 'every write_note call, in this chat';
/** Where the focus goes when a decision is undone. */
const AFTER_UNDO = /^button Deny write_note$/;
const DENIED = { state: 'approval-responded', approved: false, output: undefined };
const IN_VUE = { path: 'vue.html' };
/** What takes its time does so in a broad run. Otherwise the test puts the clock of the page forward. */
const TIMED = { clock: !isBroad && browserName === 'chromium' };
const ALLOWED = { state: 'approval-responded', approved: true, output: undefined };

describe('decisions in the demo', together, () => {
  const { play } = stage();

  /** @type {(name: string, scene: (demo: Demo) => Promise<void>, options?: SceneOptions) => void} */
  const scene = (name, scene, options) => void (runsHere(name) && test(name, () => play(scene, options)));

  /** A scene that repeats another one in the other page or another width, or shows what the SDK does alone. */
  const broadly = isBroad ? scene : () => {};

  /** @param {Demo} demo @param {number} count */
  const requestsAre = async (demo, count) => assert.equal((await demo.state()).requests.length, count);

  // ---- a changed input ---------------------------------------------------------------------

  /** @param {Demo} demo */
  async function correct(demo) {
    await demo.start('A wrong address', { guarded: true });
    await demo.button('al@example.com', 'Change the input').waitFor();
    await demo.idle();
    await demo.stopTime();
    const request = demo.request('send_mail');
    await request.getByRole('button', { name: 'Change the input' }).click();
    await request.getByLabel('to', { exact: true }).fill('ann');
    await demo.answer('send_mail', 'Allow with changes');
    await request.getByText('This does not have the form that the tool expects.').waitFor();
    await requestsAre(demo, 1);
    await request.getByLabel('to', { exact: true }).fill('ann@example.com');
    await demo.answer('send_mail', 'Allow with changes');
    await request.getByText('Allowed with changes', { exact: true }).waitFor();
    await demo.send('Send 1 decision');
    await demo.received(2);
    await demo.reads('The user changed the input of this call before allowing it');
    const state = await demo.state();
    assert.deepEqual(runs(state), ['send_mail ann@example.com 1']);
    assert.deepEqual(lastSent(state, 'ann@example.com'), ALLOWED);
    await demo.card('ann@example.com').getByText('Result {"sent":"ann@example.com"}').waitFor();
  }

  scene('a wrong address: it is corrected, and what was typed runs, once', correct, TIMED);
  broadly('a wrong address, in Vue', correct, { ...IN_VUE, ...TIMED });

  const UNLOADED =
    'the editor is loaded with the first change; if it does not come, the page says so, and goes on';
  const LOST = browserName === 'chromium' ? ['Failed to load resource: net::ERR_FAILED'] : [];
  // The driver of WebKit cannot take a request away.
  const lossy = browserName === 'webkit' ? () => {} : scene;
  lossy(
    UNLOADED,
    async (demo) => {
      const EDITOR = /\/editor[^/]*\.js$/;
      let asked = 0;
      await demo.page.route(EDITOR, (route) => {
        asked += 1;
        return asked === 1 ? route.abort() : route.continue();
      });
      await demo.start('A wrong address', { guarded: true });
      await demo.button('al@example.com', 'Change the input').waitFor();
      assert.equal(asked, 0, 'nobody has changed anything yet');
      const request = demo.request('send_mail');
      await request.getByRole('button', { name: 'Change the input' }).click();
      await request.getByText('The editor could not be loaded. Try again, or reload the page.').waitFor();
      await request.getByRole('button', { name: 'Change the input' }).click();
      // Firefox never asks again for a module that did not come.
      if (browserName === 'firefox') {
        await demo.idle();
        await request.getByText('The editor could not be loaded.').waitFor();
        assert.equal(asked, 1);
        await demo.answer('send_mail', 'Deny');
        await demo.send('Send 1 decision');
        await demo.received(2);
      } else {
        await request.getByLabel('to', { exact: true }).waitFor();
        assert.equal(asked, 2);
      }
      await demo.page.unroute(EDITOR);
    },
    { expected: LOST },
  );

  // ---- several calls at once ---------------------------------------------------------------

  /** @param {Demo} demo */
  async function threeCards(demo, guarded = true) {
    await demo.start('Several calls', { guarded });
    await demo.button('cache.log', 'Deny').waitFor();
    await demo.idle();
    // However long the machine takes for what follows, the time for an undo does not end.
    await demo.stopTime();
  }

  /** @param {Demo} demo */
  async function undoAndSend(demo) {
    await threeCards(demo);
    await demo.says('3 decisions needed');
    // In the queue the dangerous one comes first; in the conversation each call is in its place.
    const titles = demo.isQueued
      ? ['cache.log', 'notes.md', 'draft.md']
      : ['notes.md', 'draft.md', 'cache.log'];
    for (const [index, title] of titles.entries()) {
      await demo
        .request(title)
        .getByText(`${index + 1} of 3`, { exact: true })
        .waitFor();
    }
    assert.equal(
      await demo.queue().getByRole('button', { name: 'Allow all' }).count(),
      0,
      'the tools differ',
    );

    await demo.answer('notes.md', 'Allow once');
    await demo.request('notes.md').getByText('Allowed once', { exact: true }).waitFor();
    await demo.card('notes.md').getByText('Allowed once', { exact: true }).waitFor();
    await demo.answer('draft.md', 'Deny');
    await demo.request('draft.md').getByText('Denied', { exact: true }).waitFor();
    await demo.says('1 decision needed', '1 denied, 1 allowed.');
    await demo.answer('cache.log', 'Allow once');
    await demo
      .queue()
      .getByText(/^Sends in \d seconds?\.$/)
      .waitFor();
    await demo.says('Decided, but not sent yet', '1 denied, 2 allowed.');
    await requestsAre(demo, 1);

    await demo.answer('draft.md', 'Undo');
    await demo.says('1 decision needed', '2 allowed.');
    await demo.pass(5_500);
    await requestsAre(demo, 1);
    assert.deepEqual(runs(await demo.state()), [], 'nothing runs while a call asks');

    await demo.answer('draft.md', 'Allow once');
    await demo.send('Send 3 decisions');
    await demo.received(2);
    await demo.reads('cache.log ran and returned');
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 2);
    for (const file of ['notes.md', 'draft.md', 'cache.log'])
      assert.deepEqual(lastSent(state, file), ALLOWED);
    // The server runs them side by side.
    assert.deepEqual(runs(state).sort(), [
      'delete_file cache.log 1',
      'rename_file draft.md 1',
      'write_note notes.md 1',
    ]);
    await demo.says('Sent', '3 allowed.');
    assert.equal(await demo.page.getByRole('button', { name: 'Undo' }).count(), 0);
    await demo.card('notes.md').getByText('Result {"wrote":"notes.md"}').waitFor();
  }

  const UNDONE = 'several calls: undone and answered again, then sent at once, in one request';
  scene(UNDONE, undoAndSend, TIMED);
  broadly(`${UNDONE}, in Vue`, undoAndSend, { ...IN_VUE, ...TIMED });

  /** @param {Demo} demo */
  async function leftAlone(demo) {
    await threeCards(demo);
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Deny');
    await demo.answer('cache.log', 'Deny');
    const decided = await demo.now();
    await demo.pass(4_000);
    await requestsAre(demo, 1);
    await demo.pass(1_000);
    await demo.resumeTime();
    await demo.received(2);
    await demo.reads('You said no to delete_file on cache.log');
    const state = await demo.state();
    assert.deepEqual(lastSent(state, 'notes.md'), ALLOWED);
    assert.deepEqual(lastSent(state, 'draft.md'), DENIED);
    assert.deepEqual(lastSent(state, 'cache.log'), DENIED);
    assert.deepEqual(runs(state), ['write_note notes.md 1']);
    assert.equal(lines(state, 'cache.log'), 3);
  }

  scene('several calls: left alone it sends by itself after five seconds, and not before', leftAlone, TIMED);

  scene(
    'several calls: deny all, undo all, deny all: each denial leaves as a denial',
    async (demo) => {
      await threeCards(demo);
      await demo.click('Deny all 3');
      await demo.says('Decided, but not sent yet', '3 denied.');
      await demo.click('Undo all');
      await demo.says('3 decisions needed');
      await demo.click('Deny all 3');
      await demo.send('Send 3 decisions');
      await demo.received(2);
      await demo.reads('You said no to delete_file on cache.log');
      await demo.settle();
      for (const file of ['notes.md', 'draft.md', 'cache.log']) {
        assert.deepEqual(lastSent(await demo.state(), file), DENIED);
        // The mistake of the page happened, and did not leave it.
        await demo.inLedger('overwritten', file);
      }
      await demo.page.getByText('3 of 3', { exact: true }).last().waitFor();

      await demo.page.getByLabel('Message').fill('What happened?');
      await demo.click('Send');
      await demo.received(3);
      await demo.settle();
      const state = await demo.state();
      assert.equal(state.requests.length, 3);
      for (const file of ['notes.md', 'draft.md', 'cache.log']) {
        assert.deepEqual(lastSent(state, file), { ...DENIED, state: 'output-denied' });
      }
      assert.deepEqual(runs(state), []);
    },
    TIMED,
  );

  scene('several calls: the dangerous one looks different and lends no lasting yes', async (demo) => {
    await threeCards(demo);
    const dangerous = demo.page.getByRole('group', { name: 'Allow delete_file? 3 of 3' });
    await dangerous.getByText('Dangerous, according to this application.').waitFor();
    await dangerous.getByRole('button', { name: 'More choices' }).click();
    await dangerous.getByRole('button', { name: "Deny, and don't ask again" }).waitFor();
    assert.equal(await dangerous.getByRole('button', { name: 'Allow', exact: false }).count(), 1);
    const routine = demo.page.getByRole('group', { name: 'Allow write_note? 1 of 3' });
    assert.equal(await routine.getByText('Dangerous').filter({ visible: true }).count(), 0);
    await (await demo.lasting('notes.md', EVERY)).waitFor();
  });

  scene(
    'several calls: the keyboard goes to Undo, and is never thrown back',
    async (demo) => {
      const { keyboard } = demo.page;
      await threeCards(demo);
      /** @param {string} title @param {string} button @param {string} key */
      const press = async (title, button, key) => {
        await demo.button(title, button).focus();
        await demo.settled(demo.button(title, button));
        await keyboard.press(key);
      };
      await press('notes.md', 'Deny', 'Enter');
      await demo.says('2 decisions needed', '1 denied.');
      assert.equal(await demo.focused(), 'button Undo write_note');
      await press('notes.md', 'Undo', 'Enter');
      await demo.says('3 decisions needed');
      assert.match(await demo.focused(), AFTER_UNDO);
      await press('notes.md', 'Deny', 'Space');
      assert.equal(await demo.focused(), 'button Undo write_note');
      await press('draft.md', 'Deny', 'Enter');
      await press('cache.log', 'Deny', 'Enter');
      assert.equal(await demo.focused(), 'button Undo delete_file');
      const send = demo.page.getByRole('button', { name: 'Send 3 decisions' });
      await send.focus();
      await demo.settled(send);
      await keyboard.press('Enter');
      await demo.received(2);
      assert.match(await demo.focused(), /^h2 (Sending|Sent)/);
    },
    TIMED,
  );

  scene(
    'several calls: a key held down is one answer',
    async (demo) => {
      const { keyboard } = demo.page;
      await threeCards(demo);
      await demo.button('notes.md', 'Deny').focus();
      await demo.settled(demo.button('notes.md', 'Deny'));
      await keyboard.down('Enter');
      await keyboard.down('Enter');
      await keyboard.down('Enter');
      await keyboard.up('Enter');
      await demo.settle();
      await demo.request('notes.md').getByText('Denied', { exact: true }).waitFor();
      assert.equal(await demo.focused(), 'button Undo write_note');
    },
    TIMED,
  );

  scene('several calls: a click that comes too soon does not count, and says so', async (demo) => {
    await demo.start('Several calls', { guarded: true });
    await demo.button('cache.log', 'Allow once').click();
    await demo.request('cache.log').getByText('That came too soon to count. Please press again.').waitFor();
    await demo.idle();
    await demo.settle();
    await demo.says('3 decisions needed');
    await demo.answer('cache.log', 'Allow once');
    await demo.says('2 decisions needed', '1 allowed.');
  });

  scene('several calls: nothing takes the focus from the composer', async (demo) => {
    await demo.page.getByRole('radio', { name: 'Several calls' }).check();
    await demo.page.getByLabel('Message').focus();
    await demo.page.keyboard.press('Enter');
    await demo.button('cache.log', 'Deny').waitFor();
    await demo.idle();
    assert.match(await demo.focused(), /^input/);
  });

  scene('several calls, without the guard: the last answer sends', async (demo) => {
    await threeCards(demo, false);
    await demo.answer('notes.md', 'Allow once');
    await demo.answer('draft.md', 'Allow once');
    await demo.answer('cache.log', 'Deny');
    await demo.received(2);
    assert.equal(await demo.page.getByRole('button', { name: 'Undo' }).count(), 0);
    assert.equal(await demo.queue().count(), 0);
  });

  // ---- a grant -----------------------------------------------------------------------------

  /** @param {Demo} demo */
  async function fourCards(demo) {
    await demo.start('A grant', { guarded: true });
    await demo.button('printer', 'Deny').waitFor();
    await demo.idle();
    await demo.stopTime();
  }

  /** @param {Demo} demo */
  async function named(demo) {
    await fourCards(demo);
    const every = await demo.lasting('printer', EVERY);
    assert.equal(await every.textContent(), `${EVERY} Also covers 3 waiting calls`);
    await demo.press(every);
    await demo.says('Decided, but not sent yet', '4 allowed.');
    assert.equal(await demo.focused(), 'button Undo write_note');
    assert.equal(await demo.page.getByText(`Allowed in this chat: ${SCOPE}`, { exact: true }).count(), 1);
    // Two of the three others are equal, so they share a card. What is announced later says more than that.
    const automatic = `Allowed automatically: you allowed ${SCOPE}`;
    assert.equal(await demo.page.getByText(automatic, { exact: true }).count(), 2);
    await (await demo.openGrants()).getByText('Not sent yet.').waitFor();
    assert.equal(await demo.grants().getByText(`Allowed: ${SCOPE}`).count(), 1);
    await requestsAre(demo, 1);
  }

  scene('a grant: named before the click, and drafted with what it answered', named, {
    clock: browserName === 'chromium',
  });

  scene(
    'a grant: undone with what it answered',
    async (demo) => {
      await fourCards(demo);
      const every = await demo.lasting('printer', EVERY);
      await demo.press(every);
      await demo.grants().waitFor();
      await demo.answer('printer', 'Undo');
      await demo.says('4 decisions needed');
      await demo.grants().waitFor({ state: 'hidden' });
      await demo.pass(5_500);
      await requestsAre(demo, 1);
      assert.deepEqual(runs(await demo.state()), []);
    },
    TIMED,
  );

  scene(
    'a grant for exactly one input covers the equal call and no other',
    async (demo) => {
      await fourCards(demo);
      const exactly = await demo.lasting('Water the plants', 'Allow for this chat: exactly this call');
      const other = await demo.lasting('printer', 'Allow for this chat: exactly this call');
      for (const choice of [exactly, other]) {
        assert.doesNotMatch((await choice.textContent()) ?? '', /Also/, 'the equal call shares the card');
      }
      await demo.press(exactly);
      await demo.says('2 decisions needed', '2 allowed.');
      await demo.button('draft.md', 'Deny').waitFor();
      await demo.button('printer', 'Deny').waitFor();
      await demo.answer('draft.md', 'Deny');
      await demo.answer('printer', 'Deny');
      await demo.send('Send 4 decisions');
      await demo.received(2);
      // The next step has another input, so it asks.
      await demo.button('cache.log', 'Deny').waitFor();
      await demo.idle();
      const state = await demo.state();
      assert.equal(lines(state, 'notes.md'), 5);
      assert.equal(lines(state, 'draft.md'), 3);
      assert.equal(lines(state, 'cache.log'), 3);
      await requestsAre(demo, 2);
    },
    TIMED,
  );

  /** @param {Demo} demo */
  async function grantAndRevoke(demo) {
    await fourCards(demo);
    const log = await demo.watch('cache.log');
    const stamps = await demo.watch('Buy stamps');
    await demo.press(await demo.lasting('printer', EVERY));
    await demo.send('Send 4 decisions');
    await demo.reads('write_note on cache.log ran and returned');
    await demo.settle();
    const first = await demo.state();
    assert.equal(first.requests.length, 3);
    assert.equal(lines(first, 'notes.md'), 6);
    assert.equal(lines(first, 'draft.md'), 4);
    assert.equal(lines(first, 'cache.log'), 4);
    await demo.card('cache.log').getByText('Result {"wrote":"cache.log"}').waitFor();
    await (await demo.openGrants()).getByText('Used for 4 more calls.').waitFor();

    await demo.click('Send');
    await demo.received(5);
    await demo.settle();
    assert.equal(lines(await demo.state(), 'notes.md'), 7);
    assert.deepEqual([await log(), await stamps()], [['closed'], ['closed']], 'no request ever asked');

    await demo.press(demo.grants().getByRole('button', { name: `Stop allowing ${SCOPE}` }));
    await demo.grants().waitFor({ state: 'hidden' });
    await demo.click('Send');
    await demo.button('Buy stamps', 'Deny').waitFor();
    await demo.settle();
    await requestsAre(demo, 6);
    assert.equal(lines(await demo.state(), 'notes.md'), 7);
    await demo.stopTime();
    await demo.answer('Buy stamps', 'Deny');
    await demo.send('Send 1 decision');
    await demo.received(7);
    await demo.settle();
    assert.deepEqual(lastSent(await demo.state(), 'notes.md'), DENIED);
    assert.equal(lines(await demo.state(), 'notes.md'), 7);
  }

  const UNTIL_REVOKED = 'a grant: later calls run without a request, until it is revoked';
  scene(UNTIL_REVOKED, grantAndRevoke, TIMED);
  broadly(`${UNTIL_REVOKED}, in Vue`, grantAndRevoke, { ...IN_VUE, ...TIMED });

  scene(
    'a grant: a waiting call that it answered can be undone, and asks then',
    async (demo) => {
      await fourCards(demo);
      await demo.press(await demo.lasting('printer', EVERY));
      await demo.answer('draft.md', 'Undo');
      await demo.button('draft.md', 'Deny').waitFor();
      await (await demo.openGrants()).getByText(`Allowed: ${SCOPE}`).waitFor();
      await demo.answer('draft.md', 'Deny');
      await demo.send('Send 4 decisions');
      await demo.reads('write_note on cache.log ran and returned');
      await demo.settle();
      const state = await demo.state();
      assert.deepEqual(lastSent(state, 'draft.md'), { ...DENIED, state: 'output-denied' });
      assert.equal(lines(state, 'draft.md'), 3);
      assert.equal(lines(state, 'cache.log'), 4, 'the next step did not ask, and did not wait');
    },
    TIMED,
  );

  scene(
    'a grant: a double click is one answer, though another button takes the place of the first',
    async (demo) => {
      await fourCards(demo);
      const exactly = await demo.lasting('printer', 'Allow for this chat: exactly this call');
      await demo.settled(exactly);
      await exactly.dblclick();
      await demo.says('3 decisions needed', '1 allowed.');
      await demo.settle();
      await demo.says('3 decisions needed', '1 allowed.');
    },
    { width: 320, ...TIMED },
  );

  scene(
    'allow all answers what the queue shows, and gives no grant, in Vue',
    async (demo) => {
      await fourCards(demo);
      await demo.click('Allow all 4 once');
      await demo.send('Send 4 decisions');
      await demo.button('cache.log', 'Deny').waitFor();
      await demo.settle();
      await requestsAre(demo, 2);
      assert.equal(lines(await demo.state(), 'notes.md'), 6);
      assert.equal(lines(await demo.state(), 'cache.log'), 3);
      assert.equal(await demo.grants().isVisible(), false);
    },
    { ...IN_VUE, ...TIMED },
  );

  // ---- an expiring request -----------------------------------------------------------------

  scene(
    'an expiring request: kept waiting once, then nobody answers, and that is no refusal',
    async (demo) => {
      await demo.start('An expiring', { guarded: true });
      const request = demo.request('cache.log');
      await request.getByText(/^Expires in \d\d seconds\. Nothing runs if it expires\.$/).waitFor();
      assert.equal(await request.getByRole('button', { name: 'Keep waiting' }).count(), 0);
      await demo.answer('cache.log', 'Keep waiting');
      const extended = await demo.now();
      await request.getByText(/^Expires in (30|29) seconds/).waitFor();
      // Nothing is offered until it expires soon.
      await demo.pass(5_000);
      await request.getByRole('button', { name: 'Keep waiting' }).waitFor();
      await demo.says('1 decision needed', 'A request expires soon.');
      await demo.pass(20_000);
      await requestsAre(demo, 1);

      await demo.pass(4_000);
      await demo
        .card('cache.log')
        .getByText('Expired with no answer. It was not run.', { exact: true })
        .waitFor({ timeout: 15_000 });
      const waited = (await demo.now()) - extended;
      assert.ok(waited > 28_500 && waited < 33_000, `it waited ${waited} ms`);
      await demo.received(2);
      await demo.reads('No one answered before the request expired. This is not a refusal by the user.');
      await demo.settle();
      const state = await demo.state();
      assert.equal(state.requests.length, 2);
      assert.deepEqual(lastSent(state, 'cache.log'), DENIED);
      const told = lastTold(state, 'cache.log');
      assert.equal(told?.outcome, 'denied');
      assert.match(String(told?.value), /not a refusal by the user/);
      assert.deepEqual(runs(state), []);
      await demo.says('Closed', 'Expired with no answer. It was not run.');
    },
    TIMED,
  );

  scene(
    'an expiring request: a computer that slept through it wakes to a closed request',
    async (demo) => {
      await demo.start('An expiring', { guarded: true });
      await demo.button('cache.log', 'Allow once').waitFor();
      await demo.idle();
      await demo.page.clock.fastForward('08:00:00');
      await demo.card('cache.log').getByText('Expired with no answer. It was not run.').waitFor();
      assert.equal(await demo.button('cache.log', 'Allow once').count(), 0);
      await demo.received(2);
      await demo.settle();
      assert.deepEqual(lastSent(await demo.state(), 'cache.log'), DENIED);
      assert.deepEqual(runs(await demo.state()), []);
    },
    { clock: true },
  );

  scene(
    'an expiring request: answered in time, it runs',
    async (demo) => {
      await demo.start('An expiring', { guarded: true });
      await demo.button('cache.log', 'Allow once').waitFor();
      await demo.stopTime();
      await demo.answer('cache.log', 'Allow once');
      await demo.reads('cache.log ran and returned');
      assert.equal(await demo.page.getByText('Expires in').count(), 0);
      assert.deepEqual(runs(await demo.state()), ['delete_file cache.log 1']);
    },
    TIMED,
  );

  // ---- a looping model ---------------------------------------------------------------------

  const LOOP = 'Denied 3 times in this chat. Stop the assistant?';

  /** @param {Demo} demo */
  async function denyThreeTimes(demo, guarded = true) {
    await demo.start('A looping', { guarded });
    for (let refusals = 0; refusals < 3; refusals++) {
      await demo.button('notes.md', 'Deny').waitFor();
      await demo.idle();
      assert.equal(await demo.page.getByText('Stop the assistant?').count(), 0);
      await demo.answer('notes.md', 'Deny');
      await demo.received(refusals + 2);
    }
    await demo.button('notes.md', 'Deny').waitFor();
    await demo.idle();
  }

  scene('a looping model: after three refusals the queue says so, and stops it', async (demo) => {
    await denyThreeTimes(demo);
    await demo.queue().locator('[part="loop"]').getByText(LOOP).waitFor();
    await demo.click('Stop the assistant');
    assert.match(await demo.focused(), /^input/);
    await demo.says('1 decision needed', 'Stopped. Nothing runs unless you answer.');
    assert.equal(await demo.page.getByRole('button', { name: 'Stop the assistant' }).count(), 0);
    await demo.settle();
    await requestsAre(demo, 4);

    await demo.page.getByLabel('Message').fill('Leave my notes alone.');
    await demo.click('Send');
    await demo.received(5);
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 5);
    assert.deepEqual(lastSent(state, 'notes.md'), { ...DENIED, state: 'output-denied' });
    assert.match(String(lastTold(state, 'notes.md')?.value), /the user moved on/);
    assert.deepEqual(runs(state), []);
    assert.equal(lines(state, 'notes.md'), 3);
  });

  scene('a looping model: a refusal that lasts ends it without another request', async (demo) => {
    await denyThreeTimes(demo);
    await demo.press(await demo.lasting('notes.md', "Deny, and don't ask again in this chat"));
    const seen = await demo.watch('notes.md');
    await demo.reads('I leave it alone, because I read: The user refuses this call for the whole chat.');
    await demo.settle();
    const state = await demo.state();
    assert.equal(state.requests.length, 6, 'it asked once more, and was answered without a person');
    assert.deepEqual(lastSent(state, 'notes.md'), DENIED);
    assert.deepEqual(runs(state), []);
    assert.ok(!(await seen()).includes('open'), 'no request opened');
    assert.equal(await demo.card('notes.md').count(), 5);
    await demo
      .card('notes.md')
      .last()
      .getByText('Denied automatically: you denied exactly this call, in this chat')
      .waitFor();
    await (await demo.openGrants()).getByText('Used for 1 more call.').waitFor();
    await demo.grants().getByRole('button', { name: 'Ask again' }).waitFor();
  });

  broadly('a looping model, without the guard: it asks again, and nobody counts', async (demo) => {
    await demo.start('A looping', { guarded: false });
    for (let refusals = 0; refusals < 4; refusals++) {
      await demo.answer('notes.md', 'Deny');
      await demo.received(refusals + 2);
      await demo.idle();
    }
    await demo.button('notes.md', 'Deny').waitFor();
    assert.equal(await demo.page.getByRole('button', { name: 'Stop the assistant' }).count(), 0);
  });

  // ---- where it is shown -------------------------------------------------------------------

  for (const scenario of ['Several calls', 'A grant', 'An expiring', 'A looping']) {
    (scenario === 'Several calls' ? scene : broadly)(
      `nothing is cut off at 320 pixels: ${scenario}`,
      async (demo) => {
        await demo.start(scenario, { guarded: true });
        await demo.page
          .getByRole('button', { name: /^Deny / })
          .first()
          .waitFor();
        await demo.idle();
        const closed = demo.page.getByRole('button', { name: 'More choices', expanded: false });
        while ((await closed.count()) > 0) await closed.first().click();
        assert.deepEqual(await demo.widths(), { window: 320, cut: 0 });
      },
      { width: 320 },
    );
  }
});
