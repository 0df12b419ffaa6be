// The chat of the package's README, exactly as it stands there, pressed as people press: twice, too early, too late, over a
// request that fails or breaks off, and after a reload. What answers is `fetch`; the SDK and React are real.
import './support/page.mjs';
import { beforeEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { load } from './support/bundle.mjs';
import { blocks } from './support/documents.mjs';
import { writeBlocks } from './support/files.mjs';
import { SCRIPT, scripted } from './support/server.mjs';

writeBlocks('card');

const complaints = [];
for (const level of ['error', 'warn']) console[level] = (...words) => complaints.push(words.join(' '));
beforeEach(() => void (complaints.length = 0));

const README = 'README.md of the package';
const chat = blocks.find(({ document, file }) => document.name === README && file === 'Chat.tsx');
const also = `export { createElement } from 'react'; export { createRoot } from 'react-dom/client';`;

async function until(what, holds) {
  for (let i = 0; i < 1_000; i++) {
    const found = holds();
    if (found) return found;
    await wait(10);
  }
  assert.fail(`${what}: it did not come.\n${document.body.innerHTML}\n${complaints.join('\n')}`);
}
/** Time for a request that must not come. */
const pause = () => wait(60);

/** Opens the page. */
async function open(t, major, messages) {
  const { createElement, createRoot, Chat } = await load(chat, major, also);
  const root = document.body.appendChild(document.createElement('div'));
  const page = createRoot(root);
  page.render(createElement(Chat, { id: 'c', messages }));
  const close = () => {
    page.unmount();
    root.remove();
  };
  t.after(close);
  const input = await until('the input', () => root.querySelector('input'));
  const card = (path) =>
    [...root.querySelectorAll('fieldset')].find((each) => each.textContent.includes(path));
  const button = (path, label) =>
    [...card(path).querySelectorAll('button')].find(({ textContent }) => textContent === label);
  const action = () => root.querySelector('main > button');
  const say = async (text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await wait(20);
    root.querySelector('form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  };
  /** Writes a message, and answers both calls that it leads to. */
  const decide = async () => {
    await say('Clean up');
    await until('the cards', () => card('.env') && card('old.txt'));
    button('.env', 'Deny').click();
    await until('the draft', () => button('.env', 'Deny').disabled);
    button('old.txt', 'Allow once').click();
  };
  return { root, input, card, button, action, say, decide, close };
}

const answers = (request) =>
  request.messages
    .at(-1)
    .parts.filter(({ type }) => type === 'tool-delete_file')
    .map(({ state, approval, output }) => [state, approval?.approved, output]);
const DECIDED = [
  ['approval-responded', false, undefined],
  ['approval-responded', true, undefined],
];

/** Answers the requests by their number with `fetch` of the script, or with what is given instead. */
function serving(instead, script) {
  const requests = scripted(script);
  const { fetch } = globalThis;
  let n = 0;
  globalThis.fetch = async (url, init) => {
    const other = instead[(n += 1)];
    if (other === undefined) return fetch(url, init);
    requests.push(JSON.parse(init.body));
    return other();
  };
  return requests;
}

const [asks, settles] = SCRIPT;
const asksAgain = [
  { type: 'start' },
  { type: 'tool-output-denied', toolCallId: 'c1' },
  { type: 'tool-output-available', toolCallId: 'c2', output: {} },
  { type: 'start-step' },
  { type: 'tool-input-available', toolCallId: 'c3', toolName: 'delete_file', input: { path: 'new.txt' } },
  { type: 'tool-approval-request', toolCallId: 'c3', approvalId: 'ap-c3' },
  { type: 'finish-step' },
  { type: 'finish' },
];

test('the card has at most ten lines', () => {
  const lines = chat.code.split('\n');
  const from = lines.findIndex((line) => line.includes('approvals.filter('));
  const to = lines.findIndex((line, i) => i > from && line.trim() === '))}');
  assert.ok(from > 0 && to > from);
  const card = [...lines.slice(from, to + 1), ...lines.filter((line) => line.includes('batch.action &&'))];
  assert.ok(card.length <= 10, `${card.length} lines`);
  assert.ok(Math.max(...lines.map(({ length }) => length)) <= 120, 'no line is a trick');
});

for (const major of ['7', '6']) {
  describe(`the card of the README, beside ai@${major}`, () => {
    test('pressed twice, it answers one call once, and never the next one', async (t) => {
      const requests = scripted([asks, asksAgain, settles]);
      const page = await open(t, major);
      await page.decide();
      const allow = page.button('old.txt', 'Allow once');
      for (let i = 0; i < 5; i++) allow.click();
      await until('the next call', () => page.card('new.txt'));
      for (const label of ['Deny', 'Allow once', 'Undo']) {
        page.button('.env', label).click();
        page.button('old.txt', label).click();
      }
      allow.click();
      await pause();
      assert.equal(requests.length, 2);
      assert.deepEqual(answers(requests[1]), DECIDED);
      const next = ['Deny', 'Allow once', 'Undo'].map((label) => page.button('new.txt', label).disabled);
      assert.deepEqual(next, [false, false, true], 'the next call still asks');
      assert.ok(page.input.disabled, 'the input is locked while a call waits');
      assert.deepEqual(complaints, []);
    });

    test('a draft can be undone until the last call is answered', async (t) => {
      const requests = scripted();
      const page = await open(t, major);
      await page.say('Clean up');
      await until('the cards', () => page.card('.env'));
      page.button('.env', 'Allow once').click();
      await until('Undo', () => !page.button('.env', 'Undo').disabled);
      page.button('.env', 'Undo').click();
      page.button('.env', 'Undo').click();
      await until('the question', () => !page.button('.env', 'Allow once').disabled);
      assert.equal(requests.length, 1);
      page.button('.env', 'Allow once').click();
      await until('the draft', () => page.button('.env', 'Allow once').disabled);
      page.button('.env', 'Deny').click(); // a denial wins over a drafted allowance
      await until('the denial', () => page.card('.env').textContent.includes('denied'));
      page.button('old.txt', 'Allow once').click();
      await until('the answer', () => page.root.textContent.includes('One file is gone.'));
      assert.deepEqual(answers(requests[1]), DECIDED);
      assert.deepEqual(complaints, []);
    });

    test('a request that failed is sent again by the one button, once', async (t) => {
      const requests = serving({ 2: async () => new Response('No.', { status: 500 }) });
      const page = await open(t, major);
      await page.decide();
      await until('the button', () => page.action());
      assert.equal(page.action().textContent, 'retry');
      await until('the error', () => page.root.querySelector('[role=alert]')?.textContent === 'No.');
      await pause();
      assert.equal(requests.length, 2, 'nothing is sent again by itself');
      const button = page.action();
      button.click();
      button.click();
      await until('the answer', () => page.root.textContent.includes('One file is gone.'));
      await pause();
      assert.equal(requests.length, 3);
      assert.deepEqual(answers(requests[2]), DECIDED);
      assert.equal(page.action(), null);
    });

    test('what may have run says so, and only a person sends it again', async (t) => {
      const breaks = () => {
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ type: 'start' })}\n\n`));
          },
          pull: (controller) => controller.error(new TypeError('terminated')),
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      };
      const requests = serving({ 2: async () => breaks() });
      const page = await open(t, major);
      await page.decide();
      await until('the doubt', () => page.card('old.txt').textContent.includes('may have run'));
      assert.ok(!page.card('.env').textContent.includes('may have run'), 'what was denied has not run');
      await pause();
      assert.equal(requests.length, 2);
      page.action().click();
      await until('the answer', () => page.root.textContent.includes('One file is gone.'));
      assert.equal(requests.length, 3);
      assert.deepEqual(answers(requests[2]), DECIDED);
    });

    test('after a reload what asks can be answered, and what was answered is sent by the button', async (t) => {
      const part = (toolCallId, path, fields) => ({
        type: 'tool-delete_file',
        toolCallId,
        input: { path },
        ...fields,
      });
      const stored = (...parts) => [
        { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Clean up' }] },
        { id: 'a1', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] },
      ];
      const asking = [
        part('c1', '.env', { state: 'approval-requested', approval: { id: 'ap-c1' } }),
        part('c2', 'old.txt', { state: 'approval-requested', approval: { id: 'ap-c2' } }),
      ];
      const requests = scripted([settles]);
      const page = await open(t, major, stored(...asking));
      await until('the cards', () => page.card('.env') && !page.button('.env', 'Deny').disabled);
      assert.equal(page.action(), null);
      page.button('.env', 'Deny').click();
      await until('the draft', () => page.button('.env', 'Deny').disabled);
      page.button('old.txt', 'Allow once').click();
      await until('the answer', () => page.root.textContent.includes('One file is gone.'));
      assert.deepEqual(answers(requests[0]), DECIDED);
      page.close();

      const again = scripted([settles]);
      const answered = [
        part('c1', '.env', { state: 'approval-responded', approval: { id: 'ap-c1', approved: false } }),
        part('c2', 'old.txt', { state: 'approval-responded', approval: { id: 'ap-c2', approved: true } }),
      ];
      const reloaded = await open(t, major, stored(...answered));
      await until('the button', () => reloaded.action());
      assert.equal(reloaded.action().textContent, 'resume');
      await pause();
      assert.equal(again.length, 0, 'what was answered before does not leave by itself');
      reloaded.action().click();
      await until('the answer', () => reloaded.root.textContent.includes('One file is gone.'));
      assert.deepEqual(answers(again[0]), DECIDED);
    });
  });
}
