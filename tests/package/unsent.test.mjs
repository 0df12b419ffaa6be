// The shortest end of a list that a server needs, and what a request lacks.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';
import { mergeAnswers } from 'tool-approval-guard/server';

import { createApprovalGuard, until } from './support/chat.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { assistant, asking, said, user } from './support/stored.mjs';
import { calls, storedBackend } from './support/stored-backend.mjs';

const RUNS = Number(process.env.TAG_RUNS ?? 60);
const SEED = Number(process.env.TAG_SEED ?? 20_261_127);

/** A guarded chat with a backend that stores its messages. */
async function storedChat(sdk, options = {}) {
  const server = await storedBackend(sdk, options);
  let guard;
  let chat;
  let errors = [];
  let ids = 0;
  /** Opens the page again, with what the server has stored, or with what the page had. */
  const open = (messages = structuredClone(server.stored)) => {
    guard?.dispose();
    guard = createApprovalGuard({
      chatId: 'c',
      clientTools: ['pick'],
      onError: (error) => errors.push(error),
      ...options.guard,
    });
    const own = guard;
    const body = ({ messages, id }) => ({ id, messages: own.unsent(messages) });
    chat = new sdk.Chat({
      id: 'c',
      messages,
      generateId: () => `page-${ids++}`,
      transport: own.transport(server.transport(options.body ? (o) => options.body(o, own) : body)),
      sendAutomaticallyWhen: own.sendAutomaticallyWhen,
      onError: () => {},
    });
    own.attach(chat);
  };
  open([]);
  const settle = () => until(() => chat.status === 'ready' || chat.status === 'error');
  return {
    server,
    open,
    settle,
    errors,
    get guard() {
      return guard;
    },
    get chat() {
      return chat;
    },
    /** The ids of the last body. */
    ids: () => server.bodies.at(-1).messages.map(({ role, id }) => `${role} ${id}`),
    roles: () => server.bodies.at(-1).messages.map(({ role }) => role),
    say: async (text = 'go', ...steps) => {
      server.steps.push(...steps);
      await chat.sendMessage({ text });
      await settle();
    },
    decide: async (toolCallId, choice) => {
      const call = guard.getSnapshot().calls.findLast((one) => one.toolCallId === toolCallId);
      guard.decide(call, choice);
      await settle();
    },
    codes: () => errors.map(({ code }) => code),
  };
}

/** `mergeAnswers` settles a denial that a message follows: `ai` 6 would refuse the list. */
const settled = (messages) =>
  messages.map((message, i) => ({
    ...message,
    parts: message.parts.map((part) =>
      i < messages.length - 1 && part.state === 'approval-responded' && part.approval.approved === false
        ? { ...part, state: 'output-denied' }
        : part,
    ),
  }));

forEachSdk((sdk) =>
  describe(`what the server needs, ${sdk.name}`, () => {
    test('a message, and after its response only the next one', async () => {
      const s = await storedChat(sdk);
      await s.say('one');
      assert.deepEqual(s.roles(), ['user']);
      await s.say('two');
      assert.deepEqual(s.roles(), ['user']);
      assert.equal(s.server.bodies.at(-1).messages[0].parts[0].text, 'two');
      assert.deepEqual(
        s.server.stored.map(({ role }) => role),
        ['user', 'assistant', 'user', 'assistant'],
      );
    });

    test('an answer brings its message, and only once', async () => {
      const s = await storedChat(sdk);
      await s.say('go', calls(['c1', 'rm']));
      await s.decide('c1', 'allow-once');
      assert.deepEqual(s.roles(), ['assistant']);
      assert.deepEqual(s.server.executed, ['c1']);
      await s.say('more');
      assert.deepEqual(s.roles(), ['user']);
      assert.deepEqual(s.codes(), []);
    });

    test('a denial brings its message, and only once', async () => {
      const s = await storedChat(sdk);
      await s.say('go', calls(['c1', 'rm']));
      await s.decide('c1', 'deny');
      assert.deepEqual(s.roles(), ['assistant']);
      await s.say('more');
      assert.deepEqual(s.roles(), ['user']);
      assert.deepEqual([s.server.executed, s.server.errors, s.codes()], [[], [], []]);
    });

    test('an output of a tool of the page brings its message', async () => {
      const s = await storedChat(sdk);
      await s.say('go', calls(['c1', 'pick']));
      await s.chat.addToolOutput({ tool: 'pick', toolCallId: 'c1', output: 'x' });
      await s.settle();
      assert.deepEqual(s.roles(), ['assistant']);
      assert.equal(s.server.stored[1].parts.find((part) => part.toolCallId === 'c1').output, 'x');
      await s.say('more');
      assert.deepEqual(s.roles(), ['user']);
    });

    test('a message closes a question, and both are sent', async () => {
      const s = await storedChat(sdk);
      await s.say('go', calls(['c1', 'rm']));
      await s.say('something else');
      assert.deepEqual(s.roles(), ['assistant', 'user']);
      const part = s.server.stored[1].parts.find((one) => one.toolCallId === 'c1');
      assert.equal(part.state, 'output-denied');
      await s.say('more');
      assert.deepEqual(s.roles(), ['user']);
      assert.deepEqual([s.server.executed, s.server.errors], [[], []]);
    });

    for (const fate of ['down', 'refused', 'lost', 'broken']) {
      test(`a message whose request was ${fate} is sent again`, async () => {
        const s = await storedChat(sdk);
        await s.say('zero');
        s.server.fate = fate;
        await s.say('one');
        await s.say('two');
        const texts = s.server.bodies
          .at(-1)
          .messages.filter(({ role }) => role === 'user')
          .map(({ parts }) => parts[0].text);
        assert.deepEqual(texts.slice(-2), ['one', 'two']);
        const stored = s.server.stored
          .filter(({ role }) => role === 'user')
          .map(({ parts }) => parts[0].text);
        assert.deepEqual(stored, ['zero', 'one', 'two']);
        assert.deepEqual(s.server.refused, []);
      });
    }

    test('after a reload: from the last message of the model on', async () => {
      const s = await storedChat(sdk);
      await s.say('one');
      await s.say('two', calls(['c1', 'rm']));
      s.open();
      await s.decide('c1', 'allow-once');
      assert.deepEqual(s.roles(), ['assistant']);
      assert.deepEqual(s.server.executed, ['c1']);
      s.open();
      await s.say('three');
      assert.deepEqual(s.roles(), ['assistant', 'user']);
      await s.say('four');
      assert.deepEqual(s.roles(), ['user']);
    });

    test('a list that a page has never sent', () => {
      const guard = createApprovalGuard({ chatId: 'c' });
      const list = [user('u1'), assistant('a1', said()), user('u2'), assistant('a2', asking('c1', 'rm'))];
      assert.deepEqual(guard.unsent(list), list.slice(3));
      assert.deepEqual(guard.unsent(list.slice(0, 3)), list.slice(1, 3));
      assert.deepEqual(guard.unsent([user('u1'), user('u2')]).length, 2);
      assert.deepEqual(guard.unsent([]), []);
      assert.equal(guard.unsent(list)[0], list[3], 'the same messages');
      assert.throws(() => guard.unsent({ length: 1 }), { code: 'invalid-input' });
    });

    test('a message that was edited, and the same list again', async () => {
      const s = await storedChat(sdk, {
        take: (stored, body) =>
          mergeAnswers(body.messages[0]?.id === stored[0]?.id ? [] : stored, body.messages).messages,
      });
      await s.say('one');
      await s.say('two');
      const [first] = s.chat.messages;
      await s.chat.sendMessage({ text: 'another', messageId: first.id });
      await s.settle();
      assert.deepEqual(s.roles(), ['user']);
      assert.equal(s.server.bodies.at(-1).messages[0].parts[0].text, 'another');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.roles().at(-1), 'user', 'it is never empty');
    });

    // ---- by chance -------------------------------------------------------------------------------

    const act = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('say'),
          tools: fc.array(fc.constantFrom('rm', 'mv', 'pick', 'ls'), { maxLength: 3 }),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constantFrom('allow', 'deny', 'put', 'fail'), at: fc.nat(3) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('fate'),
          fate: fc.constantFrom('down', 'refused', 'lost', 'broken'),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constantFrom('reload', 'reload-own', 'retry', 'stop', 'continue', 'overwrite'),
        }),
      },
    );

    test('a message that is only a file, and that a body leaves out, is reported', async () => {
      let lacks = false;
      const body = ({ id, messages }) => ({ id, messages: lacks ? messages.slice(0, -1) : messages });
      const s = await storedChat(sdk, { body });
      await s.say();
      lacks = true;
      await s.chat.sendMessage({ files: [{ type: 'file', mediaType: 'text/plain', url: 'data:,x' }] });
      await s.settle();
      assert.deepEqual(s.codes(), ['not-in-request']);
    });

    test('an answer in a body that names only its approval is no loss', async () => {
      const approvals = (messages) =>
        messages.flatMap(({ parts }) => parts).flatMap(({ approval }) => approval ?? []);
      const body = ({ id, messages }) => ({
        id,
        messages: messages.slice(0, 1),
        answers: approvals(messages),
      });
      const s = await storedChat(sdk, { body });
      await s.say('go', calls(['c1', 'rm']));
      s.guard.decide('c1', 'deny');
      await s.settle();
      assert.equal(s.server.bodies.length, 2);
      assert.deepEqual(s.codes(), []);
    });

    for (const [what, message] of [
      ['of the user that says nothing', user('u2', ' ')],
      ['of the system', { ...user('s1', 'Be brief.'), role: 'system' }],
    ])
      test(`a message ${what} is no loss`, async () => {
        const body = ({ id, messages }) => ({ id, messages: messages.filter((it) => it.id !== message.id) });
        const s = await storedChat(sdk, { body });
        await s.say();
        s.chat.messages = [...s.chat.messages, message];
        await s.say();
        assert.deepEqual(s.codes(), []);
      });

    test('in any history the end of the list and the whole list come to the same', async () => {
      const seen = { requests: 0, shorter: 0, answers: 0, messages: 0, fates: 0, reloads: 0, prompts: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(act, { minLength: 3, maxLength: 14 }),
          fc.constantFrom('early', 'late'),
          async (acts, stores) => {
            const s = await storedChat(sdk, { stores });
            let troubled = false;
            const wrong = [];
            s.server.onRequest = (body, whole) => {
              seen.requests += 1;
              seen.shorter += Number(body.messages.length < whole.length);
              const of = (sent) => mergeAnswers(s.server.stored, sent, { clientTools: ['pick'] }).messages;
              const [end, all] = [of(body.messages), of(whole)];
              if (JSON.stringify(end) !== JSON.stringify(all))
                wrong.push({ stored: s.server.stored, body: body.messages, whole });
              if (!troubled) s.server.pending = { end, whole };
            };
            let call = 0;
            const openCalls = (states, tools) =>
              s.chat.messages
                .flatMap(({ parts }) => parts)
                .filter((part) => states.includes(part.state) && tools.includes(part.type));
            for (const { kind, tools, at, fate } of acts) {
              try {
                if (kind === 'say') {
                  const own = tools.map((tool) => [`c${call++}`, tool]);
                  await s.say(`text ${call}`, ...(own.length > 0 ? [calls(...own)] : []));
                  seen.messages += 1;
                } else if (kind === 'allow' || kind === 'deny') {
                  const asks = openCalls(['approval-requested'], ['tool-rm', 'tool-mv']);
                  const part = asks[at % asks.length];
                  if (part) {
                    s.guard.decide(part.toolCallId, kind === 'allow' ? 'allow-once' : 'deny');
                    seen.answers += 1;
                  }
                } else if (kind === 'put' || kind === 'fail') {
                  const waits = openCalls(['input-available'], ['tool-pick']);
                  const part = waits[at % waits.length];
                  if (part)
                    await s.chat.addToolOutput({
                      tool: 'pick',
                      toolCallId: part.toolCallId,
                      ...(kind === 'put'
                        ? { output: { n: call } }
                        : { state: 'output-error', errorText: 'closed' }),
                    });
                } else if (kind === 'fate') {
                  s.server.fate = fate;
                  troubled = true;
                  seen.fates += 1;
                } else if (kind === 'reload' || kind === 'reload-own') {
                  s.open(kind === 'reload' ? undefined : structuredClone(s.chat.messages));
                  troubled ||= kind === 'reload-own';
                  seen.reloads += 1;
                } else if (kind === 'retry') await s.guard.retry();
                else if (kind === 'stop') await s.chat.stop();
                else if (kind === 'continue') await s.chat.sendMessage();
                else if (kind === 'overwrite') {
                  const [part] = openCalls(
                    ['approval-requested', 'approval-responded'],
                    ['tool-rm', 'tool-mv'],
                  );
                  if (part)
                    await s.chat.addToolOutput({
                      tool: part.type.slice(5),
                      toolCallId: part.toolCallId,
                      output: { made: 'up' },
                    });
                }
                await s.settle();
              } catch (error) {
                // A refused request is no news here.
                if (error.name !== 'GuardError' && !/fetch|network|500|no$/.test(error.message)) throw error;
              }
              if (s.server.pending) {
                const { end, whole } = s.server.pending;
                s.server.pending = undefined;
                const promptOf = (messages) =>
                  sdk.ai.convertToModelMessages(messages, { tools: s.server.tools });
                assert.deepEqual(
                  await promptOf(end),
                  await promptOf(settled(whole)),
                  'the model is told the same',
                );
                seen.prompts += 1;
              }
              assert.deepEqual(wrong, []);
            }
            s.guard.dispose();
            assert.deepEqual(
              s.codes().filter((code) => code === 'not-in-request'),
              [],
            );
            assert.equal(new Set(s.server.executed).size, s.server.executed.length, 'nothing has run twice');
          },
        ),
        { numRuns: RUNS, seed: SEED },
      );
      for (const [what, count] of Object.entries(seen)) assert.ok(count >= RUNS / 6, `${what}: ${count}`);
    });
  }),
);
