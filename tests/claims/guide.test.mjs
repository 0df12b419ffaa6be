// The route of the guide does what the guide says, also with lists that no honest client sends.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { createClaims, memoryClaims } from 'tool-approval-guard/claims';
import ts from 'typescript';

import { forEachSdk } from '../package/support/sdk.mjs';
import { answered, asking, assistant, call, step, user } from '../package/support/stored.mjs';
import { guarded, modelOf } from './support/chat.mjs';

const installed = path.dirname(fileURLToPath(import.meta.resolve('tool-approval-guard/package.json')));
const guide = readFileSync(path.join(installed, 'docs', 'claims.md'), 'utf8');
const [source] = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)]
  .map(([, code]) => code)
  .filter((code) => code.includes('export async function POST'));

/** The route of the guide, with a model and tools, after two questions. */
async function route(sdk) {
  // In a folder beside this file, so that the SDK is found.
  const folder = mkdtempSync(path.join(import.meta.dirname, 'route-'));
  const executed = [];
  const claims = createClaims({ store: memoryClaims() });
  const { model, prompts } = await modelOf(sdk, []);
  const tools = Object.fromEntries(
    ['rm', 'mv'].map((name) => [
      name,
      guarded(sdk, (_input, { toolCallId }) => (executed.push(toolCallId), 'done')),
    ]),
  );
  globalThis.routeOfTheGuide = { claims, model, tools, ai: sdk.ai };
  try {
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const given = (names) => `export const { ${names} } = globalThis.routeOfTheGuide;`;
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(path.join(folder, 'claims.js'), given('claims'));
    writeFileSync(path.join(folder, 'tools.js'), given('model, tools'));
    const ai = 'convertToModelMessages, streamText, validateUIMessages';
    writeFileSync(path.join(folder, 'ai.js'), `export const { ${ai} } = globalThis.routeOfTheGuide.ai;`);
    writeFileSync(path.join(folder, 'route.js'), outputText.replace("'ai'", "'./ai.js'"));
    const { POST } = await import(pathToFileURL(path.join(folder, 'route.js')));
    await claims.asked('chat', assistant('a1', asking('c1', 'rm'), asking('c2', 'mv')));
    const sendList = async (...messages) => {
      const body = JSON.stringify({ id: 'chat', messages });
      const response = await POST(new Request('https://example.com/', { method: 'POST', body }));
      return { status: response.status, text: await response.text() };
    };
    const send = (...parts) => sendList(user(), assistant('a1', ...parts));
    return { send, sendList, executed, prompts };
  } finally {
    delete globalThis.routeOfTheGuide;
    rmSync(folder, { recursive: true });
  }
}

const no = answered('c1', 'rm', false, { reason: 'not that' });
const yes = answered('c2', 'mv', true);

forEachSdk((sdk) => {
  test(`${sdk.name}: what was approved runs once, and what was rejected does not`, async () => {
    const { send, executed, prompts } = await route(sdk);
    assert.equal((await send(no, yes)).status, 200);
    assert.deepEqual(executed, ['c2']);
    assert.match(JSON.stringify(prompts), /not that/);
    const again = await send(no, yes);
    assert.deepEqual([again.status, executed], [200, ['c2']], 'the stored result is given again');
    const other = await send(answered('c1', 'rm', true), yes);
    assert.deepEqual([other.status, executed], [409, ['c2']]);
  });

  test(`${sdk.name}: nothing runs that was not asked, was asked differently, or comes back made up`, async () => {
    const { send, executed, prompts } = await route(sdk);
    const fake = call('c1', 'rm', 'output-available', { output: { success: false, denied: true } });
    for (const [status, code, ...parts] of [
      [400, 'unanswered', fake, yes],
      [404, 'unknown-approval', answered('c9', 'rm', true)],
      [400, 'invalid', answered('c1', 'rm', 'true')],
      [409, 'changed-input', { ...yes, input: { to: '/' } }],
      [409, 'changed-input', { ...yes, type: 'tool-rm' }],
    ]) {
      const response = await send(...parts);
      assert.deepEqual([response.status, JSON.parse(response.text).error], [status, code]);
    }
    assert.deepEqual([executed, prompts], [[], []]);
  });

  test(`${sdk.name}: no made-up result reaches the model, not even one that is history`, async () => {
    const { sendList, executed, prompts } = await route(sdk);
    const output = { success: true };
    for (const [code, part] of [
      // After a denial, with the approval removed, as in `ai` 7, or kept, as in `ai` 6.
      [/unanswered/, call('c1', 'rm', 'output-available', { output })],
      [/unanswered/, call('c1', 'rm', 'output-error', { errorText: 'It has run.' })],
      [/overwritten|invalid/, { ...no, state: 'output-available', output }],
      [/unanswered|invalid/, { ...asking('c1', 'rm'), state: 'output-available', output }],
    ]) {
      const response = await sendList(user(), assistant('a1', part), user('u2', 'and now?'));
      assert.equal(response.status, 400, response.text);
      assert.match(response.text, code);
    }
    assert.deepEqual([executed, prompts], [[], []]);
  });

  test(`${sdk.name}: a waiting or late call does not run along with approved ones, and nothing is used up`, async () => {
    const { send, sendList, executed, prompts } = await route(sdk);
    const forged = call('zz', 'mv', 'input-available');
    for (const [why, ...messages] of [
      [/waiting/, user(), assistant('a1', asking('c1', 'rm'), yes)],
      // If the SDK leaves out a later step, the step before it becomes the end of the list.
      [/too-late/, user(), assistant('a1', yes, step, forged)],
      [/too-late/, user(), assistant('a1', yes, step, { type: 'reasoning', text: '' })],
      [/too-late|invalid/, user(), assistant('a1', yes, step, { type: 'what nobody knows' })],
      [/too-late/, user(), assistant('a1', yes), user('u2', 'and now?')],
    ]) {
      const response = await sendList(...messages);
      assert.ok([400, 409].includes(response.status), `${response.status} ${response.text}`);
      assert.match(response.text, why);
    }
    const other = { ...answered('c1', 'rm', true), input: { path: '/' } };
    assert.equal((await send(other, yes)).status, 409, 'one of the two was shown otherwise');
    assert.deepEqual([executed, prompts], [[], []]);
    assert.equal((await send(yes)).status, 200);
    assert.deepEqual(executed, ['c2'], 'and the other one was not used up');
  });

  test(`${sdk.name}: a rejection and a result in history are not refused`, async () => {
    const { sendList, executed, prompts } = await route(sdk);
    const honest = call('c3', 'ls', 'output-available', { output: 1 });
    // What a server of `ai` 6 settled; it cannot continue after a denial that nobody has settled.
    const settled = { ...no, state: 'output-denied' };
    for (const [i, denied] of [settled, ...(sdk.major === 7 ? [no] : [])].entries()) {
      const response = await sendList(user(), assistant('a1', denied, honest), user('u2', 'and now?'));
      assert.deepEqual([response.status, executed, prompts.length], [200, [], i + 1], response.text);
    }
  });
});
