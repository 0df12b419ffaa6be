// A denial that comes after its call has started: a page without a record was reloaded while the tool ran, and asks again.
// The chat goes on with what the call came to, nothing runs twice, and nobody is told that it did not run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createApprovalGuard } from 'tool-approval-guard/sync';
import { createClaims, memoryClaims } from 'tool-approval-guard/claims';
import ts from 'typescript';

import { forEachSdk } from '../package/support/sdk.mjs';
import { answered, asking, assistant, user } from '../package/support/stored.mjs';
import { answer, go, guarded, modelOf, partOf, serverOf } from './support/chat.mjs';

/** How the guide tells the user. */
const installed = path.dirname(fileURLToPath(import.meta.resolve('tool-approval-guard/package.json')));
const guide = readFileSync(path.join(installed, 'docs', 'claims.md'), 'utf8');
const [source] = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)]
  .map(([, code]) => code)
  .filter((code) => code.includes('export const lateDenials'));
const { outputText } = ts.transpileModule(source, {
  compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
});
const { lateDenials } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);

/** What tools wait for. A test that fails must not leave one running. */
const gates = [];
afterEach(() => gates.splice(0).forEach((open) => open()));

const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));
const isOver = ({ chat }) => chat.status === 'ready' || chat.status === 'error';

/** A page with a real `Chat` over HTTP, with a guard or with what the SDK has. It notes every answer of the server. */
function pageOf(sdk, server, messages, hasGuard) {
  const answers = [];
  const transport = new sdk.ai.DefaultChatTransport({
    api: 'https://server.example/chat',
    fetch: async (_url, { body }) => {
      const request = JSON.parse(body);
      const response = await server.post(request.id, request.messages);
      const text = await response.text();
      answers.push({ status: response.status, text, messages: request.messages });
      return new Response(text, { status: response.status });
    },
  });
  const guard = hasGuard
    ? createApprovalGuard({ chatId: 'chat', onError: () => {} })
    : { transport: (inner) => inner, attach: () => () => {} };
  const chat = new sdk.Chat({
    ...{ id: 'chat', messages: structuredClone(messages), onError: () => {} },
    transport: guard.transport(transport),
    sendAutomaticallyWhen:
      guard.sendAutomaticallyWhen ?? sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const detach = guard.attach(chat);
  const page = {
    chat,
    guard,
    answers,
    part: () => partOf(chat.messages[1], 'c1'),
    close: () => (detach(), guard.dispose?.()),
    /** Waits until this many requests have been answered. */
    answered: async (count) => {
      while (answers.length < count || !isOver(page)) await pause();
      await pause(20);
      assert.equal(answers.length, count);
      return answers.at(-1);
    },
    deny: async () => {
      const { id } = page.part().approval;
      if (hasGuard) await guard.decide('c1', 'deny', { reason: 'not that' });
      else await chat.addToolApprovalResponse({ id, approved: false, reason: 'not that' });
    },
    say: (text) => chat.sendMessage({ text }),
  };
  return page;
}

forEachSdk((sdk) => {
  /** A chat whose call `c1` was asked for, and a tool that runs until `open` is called. */
  async function scene({ end = (path) => ({ removed: path }), calls, users = [], ...options } = {}) {
    const store = memoryClaims();
    const ran = [];
    let open;
    const gate = new Promise((resolve) => (open = resolve));
    gates.push(open);
    const rm = guarded(sdk, async ({ path }, { toolCallId }) => {
      ran.push(toolCallId);
      await gate;
      return end(path);
    });
    const { model } = await modelOf(sdk, calls ?? [['c1', 'rm', { path: '/a' }]]);
    // The page under test meets a server whose model asks for nothing more.
    const { model: other, prompts } = await modelOf(sdk, []);
    const shared = { store, tools: { rm }, options };
    const one = serverOf(sdk, { ...shared, model, user: users[0] });
    const two = serverOf(sdk, { ...shared, model: other, user: users[1], metadata: lateDenials });
    const asked = await one.send('chat', go);
    const yes = answer(asked.messages, () => true);
    return { store, ran, prompts, one, two, open, asked, yes };
  }

  /** Runs the call on a server, whose response nobody gets, until it has started. */
  async function started({ ran, one, yes }) {
    const response = one.send('chat', yes);
    await begun({ ran });
    return response;
  }

  /** Waits until the tool runs, for half a minute at most. */
  async function begun({ ran }) {
    for (let tries = 0; ran.length === 0; tries += 1, await pause()) assert.ok(tries < 6_000, 'it runs');
  }

  /** What the model was told of `c1` last: its results, and whether an answer to it was a no. */
  function told(prompts) {
    const parts = prompts.at(-1).flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const results = parts.filter(({ type, toolCallId }) => type === 'tool-result' && toolCallId === 'c1');
    return results.map(({ output }) => output);
  }
  const output = { type: 'json', value: { removed: '/a' } };

  for (const [who, hasGuard] of [
    ['a guard', true],
    ['what the SDK has', false],
  ]) {
    describe(`${sdk.name}, a page with ${who}`, () => {
      test('a denial of a call that has run: the chat goes on with its result', async (t) => {
        const it = await scene();
        const running = started(it);
        const page = pageOf(sdk, it.two, it.asked.messages, hasGuard);
        t.after(page.close);
        it.open();
        await running;
        await page.deny();
        const { status, text } = await page.answered(1);
        assert.equal(status, 200, text);
        assert.deepEqual(told(it.prompts), [output]);
        assert.doesNotMatch(text, /tool-output-denied/);
        assert.doesNotMatch(JSON.stringify(it.prompts.at(-1)), /denied|not that/);
        assert.deepEqual(page.chat.messages[1].metadata, { hadStarted: ['c1'] }, 'the page is told');
        for (const count of [2, 3]) {
          await page.say('and now?');
          const next = await page.answered(count);
          assert.equal(next.status, 200, next.text);
          assert.deepEqual(told(it.prompts), [output]);
        }
        assert.deepEqual(it.ran, ['c1']);
      });

      test('while it runs the denial waits, and then gets the result', async (t) => {
        const it = await scene();
        const running = started(it);
        await begun(it);
        const page = pageOf(sdk, it.two, it.asked.messages, hasGuard);
        t.after(page.close);
        await page.deny();
        const first = await page.answered(1);
        assert.deepEqual([first.status, JSON.parse(first.text).error], [409, 'running']);
        it.open();
        await running;
        await page.say('and now?');
        const next = await page.answered(2);
        assert.equal(next.status, 200, next.text);
        assert.deepEqual(told(it.prompts), [output]);
        assert.deepEqual(it.ran, ['c1']);
      });
    });
  }

  describe(sdk.name, () => {
    test('a user who writes instead of answering: the guard denies the call, and the chat goes on', async (t) => {
      const it = await scene();
      const running = started(it);
      await begun(it);
      const page = pageOf(sdk, it.two, it.asked.messages, true);
      t.after(page.close);
      await page.say('never mind');
      const first = await page.answered(1);
      assert.equal(partOf(first.messages[1], 'c1').approval.approved, false, 'superseded');
      assert.deepEqual([first.status, JSON.parse(first.text).error], [409, 'running']);
      it.open();
      await running;
      await page.say('and now?');
      const next = await page.answered(2);
      assert.equal(next.status, 200, next.text);
      assert.deepEqual(told(it.prompts), [output]);
      assert.deepEqual(it.ran, ['c1']);
    });

    test('a wrapped tool that an application runs itself refuses a denied call, and runs the allowed one', async () => {
      const claims = createClaims({ store: memoryClaims() });
      const ran = [];
      const rm = { execute: async (_, { toolCallId }) => ran.push(toolCallId) };
      const tools = claims.tools({ rm }, { chatId: 'chat' });
      const listOf = (make) => [user(), assistant('a1', make('c1', false), make('c2', true))];
      await claims.asked('chat', listOf((id) => asking(id, 'rm'))[1]);
      const taken = await claims.take(
        'chat',
        listOf((id, approved) => answered(id, 'rm', approved)),
      );
      const messages = await sdk.ai.convertToModelMessages(taken.messages);
      const run = async (toolCallId) => tools.rm.execute({}, { toolCallId, messages });
      await assert.rejects(run('c1'), { code: 'claim-refused' });
      await run('c2');
      assert.deepEqual(ran, ['c2']);
    });

    test('what the server keeps after a late denial is a list that everybody accepts', async () => {
      const it = await scene();
      it.open();
      await it.one.send('chat', it.yes);
      const no = answer(it.asked.messages, () => false);
      const before = structuredClone(no);
      const { message } = await it.two.send('chat', no);
      assert.equal(message.parts.at(-1).text, 'Done.');

      const taken = await it.two.claims.take('chat', no);
      assert.deepEqual([taken.ok, taken.status, taken.run, taken.rejected], [true, 200, [], []]);
      assert.deepEqual(
        taken.done.map(({ type, toolCallId, result }) => [type, toolCallId, result]),
        [['rejected', 'c1', { output: { removed: '/a' } }]],
        'the application can tell the user',
      );
      const { approval, input } = partOf(no[1], 'c1');
      assert.deepEqual(partOf(taken.messages[1], 'c1'), {
        ...{ type: 'tool-rm', toolCallId: 'c1', state: 'output-available', input },
        ...{ approval: { ...approval, approved: true }, output: { removed: '/a' } },
      });
      assert.deepEqual(no, before, 'the list of the request is left as it is');
      assert.deepEqual(await sdk.ai.validateUIMessages({ messages: taken.messages }), taken.messages);
      const stored = await it.one.claims.take('chat', JSON.parse(JSON.stringify(taken.messages)));
      assert.deepEqual([stored.status, stored.done], [200, []]);
    });

    test('what a page has written over its denial does not count', async () => {
      const it = await scene();
      it.open();
      await it.one.send('chat', it.yes);
      for (const over of [
        { state: 'output-available', output: { success: false, denied: true }, preliminary: true },
        { state: 'output-error', errorText: 'The user said no.' },
        { state: 'output-denied' },
      ]) {
        const no = answer(it.asked.messages, () => false);
        Object.assign(partOf(no[1], 'c1'), over);
        partOf(no[1], 'c1').approval.reason = 'not that';
        const { ok, messages } = await it.two.claims.take('chat', no);
        const { state, output, errorText, preliminary, approval } = partOf(messages[1], 'c1');
        assert.deepEqual(
          [ok, state, output, errorText, preliminary],
          [true, 'output-available', { removed: '/a' }, undefined, undefined],
        );
        assert.deepEqual(approval, { ...partOf(it.asked.messages[1], 'c1').approval, approved: true });
        assert.deepEqual(await sdk.ai.validateUIMessages({ messages }), messages);
      }
    });

    for (const [what, end, keepResults, expected] of [
      [
        'ended in an error',
        () => {
          throw new Error('No such file');
        },
        true,
        { type: 'error-text', value: 'No such file' },
      ],
      ['returned nothing', () => undefined, true, { type: 'json', value: null }],
      [
        'has no stored result',
        () => 'removed',
        false,
        { type: 'error-text', value: 'The call has ended, and its result is not stored.' },
      ],
    ]) {
      test(`a denial of a call that ${what}`, async () => {
        const it = await scene({ end, keepResults });
        it.open();
        await it.one.send('chat', it.yes);
        const no = answer(it.asked.messages, () => false);
        for (const list of [no, [...no, { ...go[0], id: 'u2' }], no]) {
          const { status, error } = await it.two.send('chat', list);
          assert.deepEqual([status, error], [200, undefined]);
          assert.deepEqual(told(it.prompts), [expected]);
        }
        assert.deepEqual(it.ran, ['c1']);
      });
    }

    test('a denial of a call in doubt waits for an operator, and ends no doubt', async () => {
      const it = await scene({ leaseMs: 100 });
      // A server that has started the call and is gone.
      assert.equal((await it.one.claims.take('chat', it.yes)).ok, true);
      const { transact } = it.store;
      const rm = guarded(sdk, () => it.ran.push('c1'));
      it.store.transact = async (...transaction) => {
        await transact(...transaction);
        it.store.transact = () => Promise.reject(new Error('gone'));
        throw new Error('gone');
      };
      const wrapped = it.one.claims.tools({ rm }, { chatId: 'chat' });
      const messages = await sdk.ai.convertToModelMessages(it.yes, { tools: { rm } });
      await assert.rejects(wrapped.rm.execute({ path: '/a' }, { toolCallId: 'c1', messages }));
      it.store.transact = transact;
      await pause(120);

      const no = answer(it.asked.messages, () => false);
      for (const list of [no, [...no, { ...go[0], id: 'u2' }]]) {
        const { status, error } = await it.two.send('chat', list);
        assert.deepEqual([status, error], [409, 'in-doubt']);
      }
      const { inDoubt } = await it.two.claims.take('chat', no);
      assert.deepEqual(
        inDoubt.map(({ type, toolCallId }) => [type, toolCallId]),
        [['rejected', 'c1']],
      );
      const [doubt] = await it.two.claims.inDoubt();
      await it.two.claims.settle(doubt, { errorText: 'Half of it was removed.' });
      assert.equal((await it.two.send('chat', [...no, { ...go[0], id: 'u2' }])).status, 200);
      assert.deepEqual(told(it.prompts), [{ type: 'error-text', value: 'Half of it was removed.' }]);
      assert.deepEqual(it.ran, []);
    });

    test('a late denial of another user is refused, and so is one with another input', async () => {
      const it = await scene({ users: ['ann', 'bob'] });
      it.open();
      await it.one.send('chat', it.yes);
      const no = answer(it.asked.messages, () => false);
      const other = await it.two.send('chat', no);
      assert.deepEqual([other.status, other.error], [403, 'not-yours']);
      const changed = structuredClone(no);
      partOf(changed[1], 'c1').input.path = '/';
      const refused = await it.one.send('chat', changed);
      assert.deepEqual([refused.status, refused.error], [409, 'changed-input']);
      assert.equal((await it.one.send('chat', no)).status, 200);
    });

    test('a late denial beside an allowance: one has its result, and the other one runs', async () => {
      const calls = [
        ['c1', 'rm', { path: '/a' }],
        ['c2', 'rm', { path: '/b' }],
      ];
      const it = await scene({ calls });
      it.open();
      // A page that had only the first call when it sent its yes.
      const [ask, message] = it.yes;
      const alone = { ...message, parts: message.parts.filter(({ toolCallId }) => toolCallId !== 'c2') };
      assert.equal((await it.one.send('chat', [ask, alone])).status, 200);
      const mixed = answer(it.asked.messages, (id) => id === 'c2');
      const { status, message: done } = await it.two.send('chat', mixed);
      assert.deepEqual([status, it.ran], [200, ['c1', 'c2']]);
      assert.deepEqual(told(it.prompts), [output]);
      assert.deepEqual(partOf(done, 'c2').output, { removed: '/b' });
      assert.equal((await it.two.send('chat', mixed)).status, 200);
      assert.deepEqual(it.ran, ['c1', 'c2']);
    });

    test('a yes of history whose result is not stored does not hold up the chat, and runs nothing', async () => {
      const it = await scene({ keepResults: false });
      it.open();
      await it.one.send('chat', it.yes);
      assert.equal((await it.two.send('chat', it.yes)).error, 'replayed');
      assert.equal((await it.two.send('chat', [...it.yes, { ...go[0], id: 'u2' }])).status, 200);
      assert.match(JSON.stringify(told(it.prompts)), /its result is not stored/);
      assert.deepEqual(it.ran, ['c1']);
    });

    test('what the provider runs gets the denial, and never the yes again', async () => {
      const it = await scene();
      const byProvider = (messages) => {
        const list = structuredClone(messages);
        partOf(list[1], 'c1').providerExecuted = true;
        return list;
      };
      const { run } = await it.one.claims.take('chat', byProvider(it.yes));
      assert.equal(run.length, 1);
      const no = byProvider(answer(it.asked.messages, () => false));
      const taken = await it.two.claims.take('chat', no);
      assert.deepEqual([taken.ok, taken.messages === no], [true, true]);
      assert.deepEqual(
        taken.done.map(({ type, result }) => [type, result]),
        [['rejected', { errorText: 'The call has ended, and its result is not stored.' }]],
      );
      const past = [...byProvider(it.yes), { ...go[0], id: 'u2' }];
      assert.equal((await it.two.claims.take('chat', past)).error, 'replayed');
    });
  });
});
