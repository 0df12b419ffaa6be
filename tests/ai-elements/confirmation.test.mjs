// The installed `Confirmation` beside the real `Tool` of AI Elements, in a Vite application, in Chromium.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
} from '../package/support/chunks.mjs';
import { launchBrowser } from '../support/browsers.mjs';
import { addItem, app, serveApp } from './support/app.mjs';

let server;
let browser;
/** One for all pages, so that the browser loads and compiles the application once. */
let context;
before(async () => {
  await addItem(app);
  [server, browser] = await Promise.all([serveApp(), launchBrowser()]);
  context = await browser.newContext();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Each test has a page of its own, and they wait most of the time. */
const together = { concurrency: 3 };

const one = () => response('a1', gated('c1', 'delete_file', { path: '/a' }));
const two = () =>
  response('a1', gated('c1', 'delete_file', { path: '/a' }), gated('c2', 'delete_file', { path: '/b' }));

/**
 * A page in which the chat has asked.
 *
 * @param {import('node:test').TestContext} t
 */
async function asked(t, { first = one(), then = [], guard = {}, flags = '' } = {}) {
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  t.after(async () => {
    await page.close();
    assert.deepEqual(errors, []);
  });
  await page.goto(`${server.url}?guard=${encodeURIComponent(JSON.stringify(guard))}&${flags}`);
  await page.waitForFunction(() => window.scene !== undefined);
  await page.evaluate((list) => window.scene.responses.push(...list), [first, ...then]);
  await page.evaluate(() => window.scene.chat.sendMessage({ text: 'go' }));
  const card = (id = 'c1') => page.locator(`#${id}`);
  await card().getByText('Awaiting Approval').waitFor();
  // `ToolInput` shows nothing until it has highlighted its code, and then moves everything below it.
  await page.waitForFunction(
    (isShown) =>
      [...document.querySelectorAll('section')].every((card) => !isShown || card.querySelector('.shiki')),
    !flags.includes('without-input'),
  );
  return {
    page,
    card,
    box: (id) => card(id).locator('[role=group][data-status]'),
    press: (name, id) => card(id).getByRole('button', { name, exact: true }).click(),
    sees: (text, id) => card(id).getByText(text, { exact: true }).waitFor({ timeout: 5_000 }),
    /** How often a text is to be seen. */
    count: (text, id) => card(id).getByText(text, { exact: true }).count(),
    status: (id) => card(id).locator('[role=group][data-status]').getAttribute('data-status'),
    requests: () => page.evaluate(() => structuredClone(window.scene.requests)),
    partState: () =>
      page.evaluate(() => window.scene.chat.messages.at(-1).parts.find((p) => p.toolCallId === 'c1').state),
  };
}

describe('a decision that can be undone', together, () => {
  test('the stock Confirmation still asks after Reject, and the badge still waits', async (t) => {
    const s = await asked(t, { flags: 'stock' });
    await s.press('Reject');
    await s.page.waitForFunction(() => window.scene.guard.getSnapshot().calls[0].status === 'drafted');
    assert.equal(await s.partState(), 'approval-requested');
    assert.equal(await s.count('Do you approve?'), 1);
    assert.equal(await s.count('You rejected this'), 0);
    assert.equal(await s.count('Awaiting Approval'), 1);
  });

  test('ours shows the rejection and Undo at once, and `toolState` changes the badge', async (t) => {
    const s = await asked(t);
    assert.equal(await s.count('You rejected this'), 0);
    await s.press('Reject');
    await s.sees('You rejected this');
    await s.sees('Responded');
    assert.equal(await s.status(), 'drafted');
    assert.equal(await s.partState(), 'approval-requested');
    assert.equal(await s.count('Do you approve?'), 0);
    assert.equal(await s.card().getByRole('button', { name: 'Approve' }).count(), 0);
    assert.equal((await s.requests()).length, 1, 'nothing is sent');

    await s.press('Undo');
    await s.sees('Do you approve?');
    await s.sees('Awaiting Approval');
    assert.equal(await s.status(), 'asking');
  });

  for (const label of ['Reject', 'Approve', 'Undo']) {
    test(`a double click on ${label} presses one button`, async (t) => {
      const s = await asked(t);
      if (label === 'Undo') await s.press('Reject');
      for (const share of [0.1, 0.5, 0.9]) {
        const button = s.card().getByRole('button', { name: label });
        const { width, height } = await button.boundingBox();
        await button.dblclick({ position: { x: width * share, y: height / 2 }, delay: 30 });
        assert.equal(await s.status(), label === 'Undo' ? 'asking' : 'drafted', `at ${share}`);
        await s.press(label === 'Undo' ? 'Reject' : 'Undo');
        await s.sees(label === 'Undo' ? 'You rejected this' : 'Do you approve?');
      }
    });
  }

  test('the keyboard stays where it is: on Undo, and then on the first choice', async (t) => {
    const s = await asked(t);
    const focused = () => s.page.evaluate(() => document.activeElement.textContent);
    await s.card().getByRole('button', { name: 'Approve' }).focus();
    await s.page.keyboard.press('Enter');
    await s.sees('You approved this');
    assert.equal(await focused(), 'Undo');
    await s.page.keyboard.press('Enter');
    await s.sees('Do you approve?');
    assert.equal(await focused(), 'Reject');
  });
});

describe('outcomes', together, () => {
  test('a committed rejection is sent, and stays rejected', async (t) => {
    const s = await asked(t, { guard: { undoMs: 0 }, then: [continued([outputDenied('c1')])] });
    await s.press('Reject');
    await s.sees('Denied');
    await s.sees('You rejected this');
    const [, second] = await s.requests();
    const sent = second.at(-1).parts.find((part) => part.toolCallId === 'c1');
    assert.equal(sent.approval.approved, false);
    assert.equal(await s.card().getByRole('button', { name: 'Undo' }).count(), 0);
  });

  test('a committed approval is shown with its output', async (t) => {
    const s = await asked(t, { guard: { undoMs: 0 }, then: [continued([outputAvailable('c1')])] });
    await s.press('Approve');
    await s.sees('Completed');
    await s.sees('You approved this');
    assert.equal(await s.status(), 'settled');
  });

  test('an approval whose request broke off is in doubt, and not told as done', async (t) => {
    const s = await asked(t, { guard: { undoMs: 0 }, then: ['broken'] });
    await s.press('Approve');
    await s.sees('The request was interrupted. What you allowed may have run.');
    assert.equal(await s.status(), 'in-doubt');
    assert.equal(await s.count('You approved this'), 0);
  });

  test('an expired call was not rejected by the person', async (t) => {
    const s = await asked(t, { guard: { expiresMs: 1000 }, then: [continued([outputDenied('c1')])] });
    await s.sees('Expired with no answer. It was not run.');
    await s.sees('Denied');
    assert.equal(await s.status(), 'expired');
    assert.equal(await s.count('You rejected this'), 0);
  });

  test('a call over which the person wrote a message was not rejected by the person', async (t) => {
    const s = await asked(t, { then: [says()] });
    await s.page.evaluate(() => window.scene.chat.sendMessage({ text: 'something else' }));
    await s.sees('Not run: you sent a new message.');
    await s.sees('Denied');
    assert.equal(await s.status(), 'superseded');
    assert.equal(await s.count('You rejected this'), 0);
  });
});

describe('grants', together, () => {
  const ALLOWED = 'every delete_file call, in this chat';

  test('a grant is told, also at the call that it answered, and can be undone', async (t) => {
    const s = await asked(t, { first: two() });
    await s.press('Allow for this chat: every delete_file call');
    await s.sees('You approved this');
    await s.sees(ALLOWED);
    // It answered the second call, which the person did not press.
    await s.sees('Allowed automatically: you allowed every delete_file call, in this chat', 'c2');
    assert.equal(await s.count('You approved this', 'c2'), 0);
    assert.equal(await s.card().getByRole('button', { name: 'Stop allowing' }).count(), 0, 'Undo ends it');
    await s.press('Undo');
    await s.sees('Do you approve?');
    await s.sees('Do you approve?', 'c2');
    assert.equal(await s.count(ALLOWED), 0);
  });

  test('a grant that is sent can be ended', async (t) => {
    const s = await asked(t, { guard: { undoMs: 0 }, then: [continued([outputAvailable('c1')])] });
    await s.press('Allow for this chat: every delete_file call');
    await s.sees('Completed');
    await s.sees(ALLOWED);
    await s.press('Stop allowing');
    await s.card().getByText(ALLOWED, { exact: true }).waitFor({ state: 'detached' });
    assert.equal(await s.page.evaluate(() => window.scene.guard.grants().length), 0);
  });
});

describe('the input', together, () => {
  test('what a person would not see is written out, which `ToolInput` does not do', async (t) => {
    const path = '/tmp/\u202Etxt.exe\u200B';
    const s = await asked(t, { first: response('a1', gated('c1', 'delete_file', { path })) });
    await s.box().getByText('/tmp/⟦U+202E⟧txt.exe⟦U+200B⟧', { exact: false }).first().waitFor();
    assert.ok(!/[\u202E\u200B]/.test(await s.box().innerText()));
    // It highlights later.
    await s.card().getByText('/tmp/\u202Etxt.exe\u200B', { exact: false }).first().waitFor();
  });

  test('an input that cannot be shown can only be denied', async (t) => {
    let deep = {};
    // Deeper than what can be shown (64). A value of about 100 levels would never reach the page: Playwright waits
    // for ever.
    for (let i = 0; i < 70; i++) deep = { deep };
    const s = await asked(t, {
      first: response('a1', gated('c1', 'delete_file', deep)),
      flags: 'without-input',
    });
    await s.sees('The input of this call cannot be shown, so it can only be denied.');
    const disabled = (name) => s.card().getByRole('button', { name, exact: true }).isDisabled();
    assert.equal(await disabled('Approve'), true);
    assert.equal(await disabled('Allow for this chat: every delete_file call'), true);
    assert.equal(await disabled('Reject'), false);
  });
});

describe('a changed input', together, () => {
  const inputSchema = { properties: { path: { type: 'string', pattern: '^/' } } };
  const editable = { tools: { delete_file: { editable: true, inputSchema } } };
  const path = (s) => s.card().getByLabel('path', { exact: true });

  test('is shown beside what was asked for, is allowed as such, and is what is sent', async (t) => {
    const s = await asked(t, { guard: editable, then: [continued([outputAvailable('c1')])] });
    await s.press('Change the input');
    await path(s).fill('/other');
    await s.sees('Asked for: /a');
    assert.equal(await s.card().getByRole('button', { name: 'Approve', exact: true }).count(), 0);
    const chat = s.card().getByRole('button', { name: 'Allow for this chat: every delete_file call' });
    assert.equal(await chat.isDisabled(), true, 'a change is for one call');
    await s.press('Allow with changes');
    await s.sees('Allowed with changes');
    assert.match(await s.box().innerText(), /path: \/other \(asked for: \/a\)/);
    assert.equal(await s.count('You approved this'), 0);
    await s.press('Undo');
    assert.equal(await path(s).inputValue(), '/other', 'what was typed is still there');
    await s.press('Allow with changes');
    await s.page.evaluate(() => window.scene.guard.commit());
    await s.sees('Completed');
    const [, second] = await s.requests();
    const sent = second.at(-1).parts.find((part) => part.toolCallId === 'c1');
    assert.deepEqual([sent.input, sent.approval.approved], [{ path: '/other' }, true]);
  });

  test('that is wrong is said beside its field, and decides nothing', async (t) => {
    const s = await asked(t, { guard: editable });
    await s.press('Change the input');
    await path(s).fill('nowhere');
    await s.press('Allow with changes');
    await s.sees('This does not have the form that the tool expects.');
    assert.equal(await path(s).getAttribute('aria-invalid'), 'true');
    assert.equal(await s.status(), 'asking');
    await s.press('Discard the changes');
    await s.press('Approve');
    await s.sees('You approved this');
  });

  test('is not offered where it is not possible', async (t) => {
    const s = await asked(t);
    assert.equal(await s.card().getByRole('button', { name: 'Change the input' }).count(), 0);
  });
});

test('without children it has the words of the guard', async (t) => {
  const s = await asked(t, { flags: 'short' });
  await s.sees('Allow delete_file? The server asks before it runs this tool.');
  assert.ok((await s.box().innerText()).includes('"path": "/a"'));
  await s.press('Allow once');
  await s.sees('Allowed once');
  await s.press('Undo');
  await s.press('Deny');
  await s.box().getByText('Denied', { exact: true }).waitFor();
});
