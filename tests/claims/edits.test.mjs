// An input that the user has changed before allowing a call, on a server with claims and a real streamText of both majors.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { memoryClaims } from 'tool-approval-guard/claims';
import { readDecisions, tellEdits } from 'tool-approval-guard/server';
import { z } from 'zod';

import { scene as pageOf } from '../package/support/chat.mjs';
import { forEachSdk } from '../package/support/sdk.mjs';
import { answer, go, guarded, modelOf, partOf, serverOf } from './support/chat.mjs';

const schema = z.object({ path: z.string().startsWith('/tmp/') });

/** The list with a yes to the call `c1`, for another input. */
function changed(messages, input, from) {
  const list = answer(messages, () => true);
  const part = partOf(list.at(-1), 'c1');
  part.callProviderMetadata = {
    ...part.callProviderMetadata,
    'tool-approval-guard': { editedFrom: from ?? part.input },
  };
  part.input = input;
  return list;
}

forEachSdk((sdk) =>
  describe(sdk.name, () => {
    async function scene(options = { editable: { rm: schema } }) {
      const store = memoryClaims();
      const ran = [];
      const tools = { rm: guarded(sdk, async (input) => (ran.push(input.path), { removed: input.path })) };
      const { model, prompts } = await modelOf(sdk, [['c1', 'rm', { path: '/a' }]]);
      const [one, two] = [0, 1].map(() => serverOf(sdk, { store, model, tools, options }));
      const asked = await one.send('chat', go);
      return { ran, prompts, one, two, asked };
    }

    test('it runs once, with what the user has allowed, and both inputs are known', async () => {
      const { one, two, ran, asked } = await scene();
      const yes = changed(asked.messages, { path: '/tmp/b' });
      const [decision] = readDecisions(yes).filter(({ type }) => type === 'approved');
      assert.deepEqual(decision.edited, { from: { path: '/a' }, to: { path: '/tmp/b' } });
      const done = await one.send('chat', yes);
      assert.equal(done.status, 200);
      const part = partOf(done.message, 'c1');
      assert.deepEqual([ran, part.output], [['/tmp/b'], { removed: '/tmp/b' }]);
      assert.deepEqual(part.input, { path: '/tmp/b' });
      assert.deepEqual(part.callProviderMetadata['tool-approval-guard'], { editedFrom: { path: '/a' } });
      const again = await two.send('chat', yes);
      assert.deepEqual([again.status, partOf(again.message, 'c1').output], [200, { removed: '/tmp/b' }]);
      for (const other of [changed(asked.messages, { path: '/tmp/c' }), answer(asked.messages, () => true)]) {
        const late = await two.send('chat', other);
        assert.deepEqual([late.status, late.error], [409, 'changed-input'], 'an answer gets no second run');
      }
      assert.deepEqual(ran, ['/tmp/b']);
    });

    test('it is refused where its tool is not named, it does not fit, or it changes another input', async () => {
      const cases = [
        [{}, { path: '/tmp/b' }, undefined, 'not-editable'],
        [{ editable: { mv: true } }, { path: '/tmp/b' }, undefined, 'not-editable'],
        [{ editable: { rm: schema } }, { path: '/etc' }, undefined, 'not-editable'],
        [{ editable: { rm: () => ['No.'] } }, { path: '/tmp/b' }, undefined, 'not-editable'],
        [{ editable: { rm: true } }, { path: '/tmp/b' }, { path: '/other' }, 'changed-input'],
      ];
      for (const [options, input, from, error] of cases) {
        const { one, ran, asked } = await scene(options);
        const refused = await one.send('chat', changed(asked.messages, input, from));
        const status = error === 'not-editable' ? 403 : 409; // the first proves that nothing has run
        assert.deepEqual([refused.status, refused.error, ran], [status, error, []]);
        const plain = await one.send(
          'chat',
          answer(asked.messages, () => true),
        );
        assert.deepEqual([plain.status, ran], [200, ['/a']], 'it still asks about what the model wanted');
      }
    });

    test('a check that changes what it reads does not change what runs', async () => {
      const check = (input) => ((input.path = '/etc'), []);
      const { one, ran, asked } = await scene({ editable: { rm: check } });
      const done = await one.send('chat', changed(asked.messages, { path: '/tmp/b' }));
      assert.deepEqual([done.status, ran], [200, ['/tmp/b']]);
      assert.deepEqual(partOf(done.message, 'c1').input, { path: '/tmp/b' });
    });

    test('what starts is what was allowed, and no other input gets its result', async () => {
      const { one, ran, asked } = await scene();
      const yes = changed(asked.messages, { path: '/tmp/b' });
      const taken = await one.claims.take('chat', yes);
      assert.equal(taken.ok, true);
      const messages = await sdk.ai.convertToModelMessages(taken.messages);
      const rm = guarded(sdk, async (input) => (ran.push(input.path), input.path));
      const run = (path) =>
        one.claims.tools({ rm }, { chatId: 'chat' }).rm.execute({ path }, { toolCallId: 'c1', messages });
      await assert.rejects(run('/a'), { code: 'claim-refused' });
      assert.deepEqual(ran, []);
      // The right was given up with that; it is taken again after its lease.
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      assert.equal((await one.claims.take('chat', yes)).ok, true);
      assert.equal(await run('/tmp/b'), '/tmp/b');
      await assert.rejects(run('/a'), { code: 'claim-refused' });
      assert.equal(await run('/tmp/b'), '/tmp/b');
      assert.deepEqual(ran, ['/tmp/b']);
    });

    test('two tabs that know nothing of each other: one input runs, once, and the other tab is told', async () => {
      const races = [
        ['/tmp/b', '/tmp/c'],
        ['/tmp/b', undefined],
        [undefined, '/tmp/b'],
        ['/tmp/b', 'deny'],
        ['deny', '/tmp/b'],
      ];
      for (const race of races) {
        const { ran, one, two } = await scene();
        const [first, second] = [one, two].map((server) => {
          const fetch = async (_, { body }) => server.post('chat', JSON.parse(body).messages);
          const inner = new sdk.ai.DefaultChatTransport({ api: 'https://example.com/chat', fetch });
          return pageOf(sdk, {
            inner,
            chat: { id: 'chat' },
            guard: { chatId: 'chat', undoMs: 0, tools: { rm: { editable: true } } },
          });
        });
        await first.say();
        second.chat.messages = structuredClone(first.chat.messages);
        second.guard.observe(second.chat.messages);
        const decide = ({ guard }, said) =>
          said === 'deny'
            ? guard.decide('c1', 'deny')
            : guard.decide('c1', 'allow-once', said === undefined ? {} : { input: { path: said } });
        const tabs = [first, second];
        tabs.forEach((tab, i) => assert.equal(decide(tab, race[i]).type, 'committed'));
        await Promise.all(tabs.map((tab) => tab.settle()));
        const name = JSON.stringify(race);
        assert.ok(ran.length <= 1, name);
        const shown = race.map((said) => said ?? '/a');
        if (ran.length === 1) assert.ok(shown.includes(ran[0]), name);
        else assert.ok(race.includes('deny'), name);
        // A page that has said something else gets no result, and no second run, however often it asks.
        for (const [i, tab] of tabs.entries()) {
          if (shown[i] === ran[0] || (shown[i] === 'deny' && ran.length === 0)) continue;
          if (shown[i] !== 'deny') assert.notEqual(tab.home('c1').state, 'output-available', name);
          await tab.guard.retry();
          await tab.settle();
        }
        assert.ok(ran.length <= 1, name);
        // What the server has stored is believed.
        const winner = tabs.find((tab) => tab.home('c1').state === 'output-available');
        if (winner === undefined) continue;
        for (const tab of tabs) {
          const stored = structuredClone(winner.chat.messages);
          tab.chat.messages = stored;
          tab.guard.adopt(stored);
          const { edited } = tab.call('c1');
          assert.deepEqual(edited?.to.path ?? '/a', ran[0], name);
        }
      }
    });

    test('a signed approval takes a change where the server signs again', async () => {
      for (const [signsAgain, error] of [
        [false, 'not-editable'],
        [true, undefined],
      ]) {
        const { one, asked } = await scene({ editable: { rm: schema }, signsAgain });
        const yes = changed(asked.messages, { path: '/tmp/b' });
        partOf(yes.at(-1), 'c1').approval.signature = 'signature';
        assert.equal((await one.claims.take('chat', yes)).error, error);
      }
    });

    test('a schema, a function, a schema that a function returns, and true', async () => {
      const { jsonSchema, asSchema } = sdk.ai;
      const checks = [
        true,
        schema,
        asSchema(schema),
        jsonSchema({ type: 'object' }),
        () => schema,
        () => [],
        async () => undefined,
      ];
      for (const check of checks) {
        const { one, ran, asked } = await scene({ editable: { rm: check } });
        await one.send('chat', changed(asked.messages, { path: '/tmp/b' }));
        assert.deepEqual(ran, ['/tmp/b'], String(check));
      }
      const throws = () => {
        throw new Error('no');
      };
      const { one, ran, asked } = await scene({ editable: { rm: throws } });
      const refused = await one.send('chat', changed(asked.messages, { path: '/tmp/b' }));
      assert.deepEqual([refused.error, ran, one.problems.length], ['not-editable', [], 1]);
    });

    test('the model is told of it, with the reason of the answer', async () => {
      const { asked } = await scene();
      const yes = changed(asked.messages, { path: '/tmp/b' });
      const told = async (list) => tellEdits(await sdk.ai.convertToModelMessages(list));
      const texts = async (list) =>
        (await told(list)).flatMap(({ role, content }) =>
          role === 'assistant' ? content.map((part) => part.text ?? part.type) : [],
        );
      const words = 'The user changed the input of this call before allowing it.';
      const note = (text) => [`[${text} {"askedFor":{"path":"/a"}}]`, 'tool-call', 'tool-approval-request'];
      assert.deepEqual(await texts(yes), note(words));
      partOf(yes.at(-1), 'c1').approval.reason = 'Wrong folder.';
      assert.deepEqual(await texts(yes), note(`${words} Wrong folder.`));
      assert.doesNotMatch(
        JSON.stringify(await told(yes)),
        /tool-approval-guard/,
        'no provider gets the note',
      );
      const plain = await sdk.ai.convertToModelMessages(answer(asked.messages, () => true));
      assert.equal(tellEdits(plain), plain);
      const valid = await sdk.ai.validateUIMessages({ messages: yes });
      assert.deepEqual(await texts(valid), note(`${words} Wrong folder.`), 'also after the check of the SDK');
    });
  }),
);
