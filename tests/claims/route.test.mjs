// The route of the guide with a real streamText of both majors: what was approved runs once, on whatever server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { idempotencyKey, memoryClaims } from 'tool-approval-guard/claims';

import { forEachSdk } from '../package/support/sdk.mjs';
import { answer, go, guarded, modelOf, partOf, serverOf } from './support/chat.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

forEachSdk((sdk) => {
  describe(sdk.name, () => {
    /** Two servers over one store, whose tools note what they do. */
    async function scene({ calls, tools, users = [], ...options } = {}) {
      const store = memoryClaims();
      const ran = [];
      const own = tools?.(ran) ?? {
        rm: guarded(sdk, async (input, options) => {
          ran.push([options.toolCallId, input.path, idempotencyKey(options)]);
          return { removed: input.path };
        }),
      };
      const { model, prompts } = await modelOf(sdk, calls ?? [['c1', 'rm', { path: '/a' }]]);
      const servers = [0, 1].map((i) => serverOf(sdk, { store, model, tools: own, options, user: users[i] }));
      return { store, ran, prompts, servers, one: servers[0], two: servers[1] };
    }

    test('an approved call runs once, with its approval id as the key, and the chat goes on', async () => {
      const { one, ran, prompts } = await scene();
      const asked = await one.send('chat', go);
      const part = partOf(asked.message, 'c1');
      assert.equal(part.state, 'approval-requested');
      assert.deepEqual(ran, []);
      const done = await one.send(
        'chat',
        answer(asked.messages, () => true),
      );
      assert.deepEqual(ran, [['c1', '/a', part.approval.id]]);
      assert.deepEqual(partOf(done.message, 'c1').output, { removed: '/a' });
      assert.equal(done.message.parts.at(-1).text, 'Done.');
      assert.equal(prompts.length, 2);
      assert.deepEqual(one.problems, []);
    });

    test('a request that comes again, on another server, gets the stored result', async () => {
      const { one, two, ran } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const first = await one.send('chat', yes);
      const again = await two.send('chat', yes);
      assert.equal(ran.length, 1);
      assert.deepEqual(partOf(again.message, 'c1'), partOf(first.message, 'c1'));
      const { done } = await two.claims.take('chat', yes);
      assert.deepEqual(
        done.map(({ result, toolCallId }) => [toolCallId, result]),
        [['c1', { output: { removed: '/a' } }]],
      );
    });

    test('of twenty requests at once on two servers, one runs it and the others learn that it runs', async () => {
      let open;
      const gate = new Promise((resolve) => (open = resolve));
      const { servers, ran } = await scene({
        tools: (ran) => ({ rm: guarded(sdk, async () => (ran.push('ran'), await gate, 'removed')) }),
      });
      const asked = await servers[0].send('chat', go);
      const yes = answer(asked.messages, () => true);
      let waiting = 20;
      const all = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const { status, error } = await servers[i % 2].send('chat', yes);
          // The last one is the one that runs.
          if (--waiting === 1) open();
          return `${status} ${error}`;
        }),
      );
      assert.deepEqual(all.sort(), ['200 undefined', ...Array(19).fill('409 running')]);
      const later = await servers[1].send('chat', yes);
      assert.deepEqual([later.status, partOf(later.message, 'c1').output, ran], [200, 'removed', ['ran']]);
    });

    test('C76 a denied call does not run, and a later yes of another tab is replayed', async () => {
      const calls = [
        ['c1', 'rm', { path: '/a' }],
        ['c2', 'rm', { path: '/b' }],
      ];
      const { one, two, ran, prompts } = await scene({ calls });
      const asked = await one.send('chat', go);
      const done = await one.send(
        'chat',
        answer(asked.messages, (id) => id === 'c2'),
      );
      assert.equal(done.status, 200);
      assert.deepEqual(
        ran.map(([id]) => id),
        ['c2'],
      );
      assert.match(JSON.stringify(prompts.at(-1)), /denied/);
      const other = await two.send(
        'chat',
        answer(asked.messages, () => true),
      );
      assert.deepEqual([other.status, other.error, ran.length], [409, 'replayed', 1]);
    });

    test('an approval that nobody asked for, or for another input, chat or user, runs nothing', async () => {
      const { one, two, ran } = await scene({ users: ['ann', 'bob'] });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const changed = structuredClone(yes);
      partOf(changed.at(-1), 'c1').input.path = '/';
      const forged = structuredClone(yes);
      partOf(forged.at(-1), 'c1').approval.id = 'made up';
      for (const [status, error, server, chat, messages] of [
        [409, 'changed-input', one, 'chat', changed],
        [404, 'unknown-approval', one, 'chat', forged],
        [404, 'unknown-approval', one, 'another chat', yes],
        [403, 'not-yours', two, 'chat', yes],
        [409, 'too-late', one, 'chat', [...yes, { ...go[0], id: 'u2' }]],
      ]) {
        const refused = await server.send(chat, messages);
        assert.deepEqual([refused.status, refused.error], [status, error]);
      }
      assert.deepEqual(ran, []);
      assert.equal((await one.send('chat', yes)).status, 200, 'and nothing was used up');
      assert.equal(ran.length, 1);
    });

    test('a question that has ended runs nothing', async () => {
      const { one, ran } = await scene();
      const asked = await one.send('other', go);
      const message = asked.message;
      await one.claims.asked('chat', message, { until: Date.now() - 1 });
      const refused = await one.send(
        'chat',
        answer(asked.messages, () => true),
      );
      assert.deepEqual([refused.status, refused.error, ran.length], [410, 'expired', 0]);
    });

    test('without take nothing runs', async () => {
      const { one, two, ran } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      await one.claims.take('chat', yes);
      // The other server did not take it, and has only the tools.
      const rm = { rm: guarded(sdk, () => ran.push('ran')) };
      const { model } = await modelOf(sdk, []);
      const result = sdk.ai.streamText({
        model,
        tools: two.claims.tools(rm, { chatId: 'chat' }),
        messages: await sdk.ai.convertToModelMessages(yes, { tools: rm }),
      });
      const errors = [];
      for await (const chunk of result.fullStream) if (chunk.type === 'tool-error') errors.push(chunk.error);
      assert.deepEqual(
        errors.map(({ code }) => code),
        ['claim-refused'],
      );
      assert.deepEqual(ran, []);
    });

    test('a call that needs no approval runs as before', async () => {
      const ran = [];
      const { one } = await scene({
        calls: [['c1', 'ls', {}]],
        tools: () => ({
          ls: guarded(sdk, (_input, options) => (ran.push(idempotencyKey(options)), ['a']), {
            needsApproval: false,
          }),
        }),
      });
      const done = await one.send('chat', go);
      assert.deepEqual(ran, [undefined]);
      assert.deepEqual(partOf(done.message, 'c1').output, ['a']);
    });

    test('a call that needs no approval, and has the id of an earlier approved one, runs as before', async () => {
      const ran = [];
      const { one } = await scene({
        calls: [['c1', 'rm', {}]],
        tools: () => ({
          rm: guarded(sdk, () => (ran.push('rm'), 1)),
          ls: guarded(sdk, () => (ran.push('ls'), 2), { needsApproval: false }),
        }),
      });
      const asked = await one.send('chat', go);
      const done = await one.send(
        'chat',
        answer(asked.messages, () => true),
      );
      const { model } = await modelOf(sdk, [['c1', 'ls', {}]]);
      const tools = { ls: guarded(sdk, () => (ran.push('ls'), 2), { needsApproval: false }) };
      const result = sdk.ai.streamText({
        model,
        tools: one.claims.tools(tools, { chatId: 'chat' }),
        messages: await sdk.ai.convertToModelMessages([...done.messages, { ...go[0], id: 'u2' }], { tools }),
      });
      await result.consumeStream();
      assert.deepEqual(ran, ['rm', 'ls']);
    });

    test('generateText runs an approved call once, too', async () => {
      const { one, two, ran } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const tools = { rm: guarded(sdk, (_input, { toolCallId }) => (ran.push(toolCallId), 'removed')) };
      const { MockLanguageModelV4, MockLanguageModelV3 } = await sdk.test();
      const prompts = [];
      const model = new (MockLanguageModelV4 ?? MockLanguageModelV3)({
        doGenerate: async ({ prompt }) => {
          prompts.push(JSON.stringify(prompt));
          const finishReason = { unified: 'stop', raw: 'stop' };
          return {
            ...{ content: [{ type: 'text', text: 'Done.' }], finishReason, warnings: [] },
            usage: { inputTokens: {}, outputTokens: {} },
          };
        },
      });
      for (const { claims } of [one, two]) {
        assert.equal((await claims.take('chat', yes)).ok, true);
        const messages = await sdk.ai.convertToModelMessages(yes, { tools });
        await sdk.ai.generateText({ model, tools: claims.tools(tools, { chatId: 'chat' }), messages });
      }
      assert.deepEqual(ran, ['c1']);
      assert.equal(prompts.length, 2);
      for (const prompt of prompts) assert.match(prompt, /removed/);
    });

    test('an input that a schema has made into a date is the one that the client sends back', async () => {
      const { one } = await scene();
      const asks = (input) => ({
        ...{ id: 'a1', role: 'assistant' },
        parts: [
          {
            ...{ type: 'tool-rm', toolCallId: 'c9', state: 'approval-requested', input },
            approval: { id: 'ap-c9' },
          },
        ],
      });
      await one.claims.asked('dates', asks({ at: new Date(0) }));
      const sent = JSON.parse(JSON.stringify([...go, asks({ at: new Date(0) })]));
      assert.equal(
        (
          await one.claims.take(
            'dates',
            answer(sent, () => true),
          )
        ).ok,
        true,
      );
    });

    test('an error is stored, and given to later requests', async () => {
      const { one, two, ran } = await scene({
        tools: (ran) => ({
          rm: guarded(sdk, () => {
            ran.push('ran');
            throw new Error('No such file');
          }),
        }),
      });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      for (const server of [one, two]) {
        assert.equal(partOf((await server.send('chat', yes)).message, 'c1').state, 'output-error');
      }
      assert.equal(ran.length, 1);
      const { done } = await two.claims.take('chat', yes);
      assert.deepEqual(done[0].result, { errorText: 'No such file' });
    });

    for (const [what, execute, state, told] of [
      ['output', () => ({ removed: '/a' }), 'output-available', { output: { removed: '/a' } }],
      ['nothing', () => undefined, 'output-available', { output: null }],
      [
        'error',
        () => {
          throw new Error('No such file');
        },
        'output-error',
        { errorText: 'No such file' },
      ],
    ]) {
      test(`if the response broke after the call ran (${what}), the next message of the user has its result`, async () => {
        const { one, two, store, ran } = await scene({
          tools: (ran) => ({ rm: guarded(sdk, () => (ran.push('ran'), execute())) }),
        });
        const asked = await one.send('chat', go);
        const yes = answer(asked.messages, () => true);
        const response = await one.post('chat', yes);
        while ((await two.claims.take('chat', yes)).done.length === 0) await pause(5);
        await response.body.cancel();

        const list = [...yes, { ...go[0], id: 'u2' }];
        const before = structuredClone(list);
        const { prompts, model } = await modelOf(sdk, []);
        const tools = { rm: guarded(sdk, () => ran.push('again')) };
        const three = serverOf(sdk, { store, model, tools });
        for (const count of [1, 2]) {
          const next = await three.post('chat', list);
          assert.deepEqual(
            [next.status, /error/.test(await next.text()), prompts.length],
            [200, false, count],
          );
        }
        const results = prompts.at(-1).flatMap(({ role, content }) => (role === 'tool' ? content : []));
        assert.deepEqual(
          results.flatMap((part) =>
            part.type === 'tool-result' ? [part.toolCallId, part.output.value] : [],
          ),
          ['c1', told.errorText ?? told.output],
        );
        assert.deepEqual(ran, ['ran']);

        const taken = await two.claims.take('chat', list);
        const { approval, input } = partOf(yes[1], 'c1');
        const [, message] = taken.messages;
        assert.deepEqual(partOf(message, 'c1'), {
          ...{ type: 'tool-rm', toolCallId: 'c1', state, input, approval },
          ...told,
        });
        assert.deepEqual([taken.messages[0], taken.messages[2]], [list[0], list[2]]);
        assert.deepEqual(list, before, 'the list of the request is left as it is');
        assert.deepEqual(await sdk.ai.validateUIMessages({ messages: taken.messages }), taken.messages);
        // What the route stored of it goes on without a claim.
        const stored = await two.claims.take('chat', JSON.parse(JSON.stringify(taken.messages)));
        assert.deepEqual([stored.status, stored.done], [200, []]);
      });
    }

    test('a list in which nothing is missing is passed on as the same array', async () => {
      const { one } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      assert.equal((await one.send('chat', yes)).status, 200);
      // The result is stored, and the SDK asks for it.
      const { done, messages } = await one.claims.take('chat', yes);
      assert.deepEqual([done.length, messages === yes], [1, true]);
      const open = await one.claims.take('chat', asked.messages);
      assert.deepEqual([open.error, open.messages === asked.messages], ['waiting', true]);
      assert.equal((await one.claims.take('chat', 'no list')).messages, 'no list');
    });

    test('a tool that yields sends what is preliminary, and its last value is stored', async () => {
      const { one, two, ran } = await scene({
        tools: (ran) => ({
          rm: guarded(sdk, async function* () {
            ran.push('ran');
            yield { at: 1 };
            yield { at: 2 };
          }),
        }),
      });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const response = await one.post('chat', yes);
      const text = await response.text();
      assert.match(text, /"at":1\},.*"preliminary":true/);
      const again = await two.send('chat', yes);
      assert.deepEqual(partOf(again.message, 'c1').output, { at: 2 });
      assert.deepEqual(ran, ['ran']);
    });

    test('a tool that yields on while its response is aborted ends, and its call does not stay running', async () => {
      const { one, two } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      assert.equal((await one.claims.take('chat', yes)).ok, true);
      let [yielded, isOver] = [0, false];
      const tools = {
        rm: guarded(sdk, async function* () {
          try {
            for (; yielded < 20; yielded += 1, await pause(10)) yield { yielded };
          } finally {
            isOver = true;
          }
        }),
      };
      const stop = new AbortController();
      const { model } = await modelOf(sdk, []);
      const result = sdk.ai.streamText({
        model,
        abortSignal: stop.signal,
        tools: one.claims.tools(tools, { chatId: 'chat' }),
        messages: await sdk.ai.convertToModelMessages(yes, { tools }),
      });
      const reading = result.consumeStream({ onError: () => {} });
      while (yielded < 3) await pause(5);
      stop.abort();
      await reading;
      while (!isOver) await pause(5);
      await pause(50);
      const { error, done } = await two.claims.take('chat', yes);
      const isDone = error === 'replayed' || done.length === 1;
      assert.ok(isDone || error === 'in-doubt', error);
    });

    test('the beginning of an output is no result: the stored one takes its place, and until then the list waits', async () => {
      const gate = deferred();
      const { one, two, store } = await scene({
        tools: () => ({
          rm: guarded(sdk, async function* () {
            yield { at: 1 };
            await gate.promise;
            yield { at: 2 };
          }),
        }),
      });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const response = await one.post('chat', yes);
      const begun = yes.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === undefined
            ? part
            : { ...part, state: 'output-available', output: { at: 1 }, preliminary: true },
        ),
      }));
      const gone = [...begun, { ...go[0], id: 'u2' }];
      for (const list of [begun, gone]) {
        const { error, running } = await two.claims.take('chat', list);
        assert.deepEqual([error, running.map(({ type }) => type)], ['running', ['open']]);
      }
      gate.resolve();
      await response.text();
      const { prompts, model } = await modelOf(sdk, []);
      const three = serverOf(sdk, { store, model, tools: { rm: guarded(sdk, () => 'again') } });
      for (const list of [begun, gone]) {
        const { ok, messages, done } = await three.claims.take('chat', list);
        const { input, approval } = partOf(yes[1], 'c1');
        assert.deepEqual([ok, done[0].type, done[0].result], [true, 'open', { output: { at: 2 } }]);
        assert.deepEqual(partOf(messages[1], 'c1'), {
          ...{ type: 'tool-rm', toolCallId: 'c1', state: 'output-available', input, approval },
          output: { at: 2 },
        });
        assert.equal((await three.send('chat', list)).status, 200);
        const told = prompts.at(-1).flatMap(({ role, content }) => (role === 'tool' ? content : []));
        assert.deepEqual(
          told.flatMap((part) => (part.type === 'tool-result' ? [part.output.value] : [])),
          [{ at: 2 }],
        );
      }
    });

    test('an output that the page has invented is no result, whatever the claim says', async () => {
      const { one, prompts, ran } = await scene({ users: ['boss'] });
      const asked = await one.send('chat', go);
      const invented = asked.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === undefined
            ? part
            : {
                ...{ ...part, state: 'output-available', output: { removed: 'all' } },
                approval: { ...part.approval, approved: true },
              },
        ),
      }));
      const count = prompts.length;
      for (const list of [invented, [...invented, { ...go[0], id: 'u2' }]]) {
        assert.deepEqual(await one.send('chat', list), { status: 400, error: 'unanswered' });
      }
      const no = answer(asked.messages, () => false);
      assert.equal((await one.claims.take('chat', no, { user: 'boss' })).ok, true);
      assert.deepEqual(await one.send('chat', [...invented, { ...go[0], id: 'u2' }]), {
        ...{ status: 400, error: 'overwritten' },
      });
      assert.deepEqual([ran, prompts.length], [[], count]);
    });

    test('a tool of the page has its output from the page', async () => {
      const { one } = await scene({ clientTools: ['rm'] });
      const { messages } = await one.send('chat', go);
      const yes = answer(messages, () => true);
      const put = yes.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === undefined ? part : { ...part, state: 'output-available', output: 'shown' },
        ),
      }));
      assert.equal((await one.claims.take('chat', yes)).error, 'waiting');
      assert.equal((await one.claims.take('chat', put)).ok, true);
    });

    test('a call that needs no approval runs also with the id of a call of another tool that was denied', async () => {
      const ran = [];
      const tools = {
        rm: guarded(sdk, () => ran.push('rm')),
        ls: guarded(sdk, () => ran.push('ls'), { needsApproval: false }),
      };
      const { one } = await scene({ calls: [['call_0', 'rm', {}]], tools: () => tools });
      const asked = await one.send('chat', go);
      const no = answer(asked.messages, () => false);
      const { messages } = await one.claims.take('chat', no);
      // The model is told of the denial, and makes another call.
      const { model } = await modelOf(sdk, [['call_0', 'ls', {}]], 'tool');
      const result = sdk.ai.streamText({
        model,
        tools: one.claims.tools(tools, { chatId: 'chat' }),
        messages: await sdk.ai.convertToModelMessages(messages, { tools }),
      });
      await result.consumeStream();
      assert.deepEqual(ran, ['ls']);
    });

    test('a result is believed if the question with its call id is gone and was about another tool', async () => {
      const { one } = await scene({ calls: [['call_0', 'rm', {}]] });
      await one.send('chat', go);
      const result = (type) => ({
        ...{ id: 'a2', role: 'assistant' },
        parts: [{ type, toolCallId: 'call_0', state: 'output-available', input: {}, output: ['a'] }],
      });
      const take = (type) => one.claims.take('chat', [...go, result(type), { ...go[0], id: 'u2' }]);
      assert.equal((await take('tool-ls')).ok, true);
      assert.equal((await take('tool-rm')).error, 'unanswered');
    });

    test('a call that waits long for those before it starts, if nobody else has taken it', async (t) => {
      const { one, two, ran } = await scene({ calls: [['c1', 'rm', { path: '/a' }]], leaseMs: 100 });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const { messages } = await one.claims.take('chat', yes);
      const { now } = Date;
      t.after(() => (Date.now = now));
      Date.now = () => now() + 3_600_000;
      assert.equal((await one.claims.take('another', go)).ok, true);
      const call = async ({ claims }) => {
        const { rm } = claims.tools({ rm: guarded(sdk, () => ran.push('rm')) }, { chatId: 'chat' });
        const options = { toolCallId: 'c1', messages: await sdk.ai.convertToModelMessages(messages) };
        return rm.execute({ path: '/a' }, options);
      };
      await assert.rejects(call(two), { code: 'claim-refused' });
      await call(one);
      assert.deepEqual(ran, ['rm']);
    });

    test('a store that asks again, because it lost the answer to its write, gets the same answer', async () => {
      const inner = memoryClaims();
      const store = {
        ...{ doubtful: (...of) => inner.doubtful(...of), waiting: (...of) => inner.waiting(...of) },
        ...{ forget: (...of) => inner.forget(...of) },
        transact: async (chatId, ids, judge) => {
          await inner.transact(chatId, ids, judge);
          await inner.transact(chatId, ids, judge);
        },
      };
      const problems = [];
      const { model } = await modelOf(sdk, [['c1', 'rm', { path: '/a' }]]);
      const ran = [];
      const options = { onError: (error) => problems.push(error) };
      const one = serverOf(sdk, { store, model, tools: { rm: guarded(sdk, () => ran.push('rm')) }, options });
      const asked = await one.send('chat', go);
      const done = await one.send(
        'chat',
        answer(asked.messages, () => true),
      );
      assert.equal(partOf(done.message, 'c1').state, 'output-available');
      assert.deepEqual([ran, problems], [['rm'], []]);
    });

    test('of a hostile list only the first hundred places are told, and its denial counts', async () => {
      const { one } = await scene();
      const asked = await one.send('chat', go);
      const no = answer(asked.messages, () => false);
      const { error, refused, rejected } = await one.claims.take('chat', [...Array(1_000).fill(0), ...no]);
      assert.deepEqual([error, refused.length, rejected.length], ['not-an-object', 100, 1]);
      const yes = answer(asked.messages, () => true);
      assert.equal((await one.claims.take('chat', yes)).error, 'replayed');
    });

    test('without keepResults a request that comes again is replayed', async () => {
      const { one, two, ran, store } = await scene({ keepResults: false });
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      await one.send('chat', yes);
      const again = await two.send('chat', yes);
      assert.deepEqual([again.status, again.error, ran.length], [409, 'replayed', 1]);
      const id = partOf(asked.message, 'c1').approval.id;
      await store.transact('chat', [id], ([{ data, result }]) => {
        assert.equal(result, undefined);
        assert.doesNotMatch(data, /\/a/, 'no input is stored');
        return [];
      });
    });

    test('the lease is renewed while a tool runs; without that the call is in doubt, and stays so', async (t) => {
      let end;
      const gate = new Promise((resolve) => (end = resolve));
      const { one, two, ran } = await scene({
        leaseMs: 1_500,
        tools: (ran) => ({
          rm: guarded(sdk, async () => {
            ran.push('ran');
            await gate;
            return 'late';
          }),
        }),
      });
      t.after(() => end());
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const running = one.send('chat', yes);
      while (ran.length === 0) await pause(5);
      await pause(2_000);
      assert.deepEqual(await two.claims.inDoubt(), []);
      assert.equal((await two.send('chat', yes)).error, 'running');
      end();
      assert.equal((await running).status, 200);
      assert.deepEqual([ran.length, (await two.send('chat', yes)).status], [1, 200]);
    });

    test('an interrupted tool is in doubt until an operator settles it', async () => {
      const { one, two, ran, store } = await scene();
      const asked = await one.send('chat', go);
      const yes = answer(asked.messages, () => true);
      const stop = new AbortController();
      const hang = {
        rm: guarded(sdk, async (_input, { abortSignal }) => {
          ran.push('ran');
          await new Promise((_, reject) =>
            abortSignal.addEventListener('abort', () => reject(abortSignal.reason)),
          );
        }),
      };
      assert.equal((await one.claims.take('chat', yes)).ok, true);
      const { model } = await modelOf(sdk, []);
      const result = sdk.ai.streamText({
        model,
        abortSignal: stop.signal,
        tools: one.claims.tools(hang, { chatId: 'chat' }),
        messages: await sdk.ai.convertToModelMessages(yes, { tools: hang }),
      });
      const reading = result.consumeStream({ onError: () => {} });
      while (ran.length === 0) await pause(5);
      stop.abort();
      await reading;
      while ((await two.claims.inDoubt()).length === 0) await pause(5);
      const [doubt] = await two.claims.inDoubt();
      const { approval } = partOf(asked.message, 'c1');
      assert.deepEqual(
        [doubt.chatId, doubt.approvalId, doubt.toolCallId, doubt.toolName],
        ['chat', approval.id, 'c1', 'rm'],
      );
      assert.ok(doubt.since <= new Date());
      const refused = await two.send('chat', yes);
      assert.deepEqual([refused.status, refused.error], [409, 'in-doubt']);
      assert.equal(await two.claims.forget({ before: new Date(8e15) }), 0);
      assert.equal(await two.claims.settle(doubt, { output: { removed: 'by hand' } }), true);
      assert.equal(await two.claims.settle(doubt, { errorText: 'no' }), false);
      assert.deepEqual(await two.claims.inDoubt(), []);
      const done = await two.send('chat', yes);
      assert.deepEqual(partOf(done.message, 'c1').output, { removed: 'by hand' });
      assert.deepEqual(ran, ['ran']);
      await pause(5);
      assert.equal(await two.claims.forget({ before: new Date() }), 1);
      const forgotten = await two.send('chat', yes);
      assert.deepEqual([forgotten.status, forgotten.error], [404, 'unknown-approval']);
      assert.ok(store);
    });
  });
});
