// A model of how the template `vercel/chatbot` sends (vercel/chatbot#1493, #1361): the whole list as soon as a part of it is
// answered or denied, and otherwise the last message. Its route takes the states of the list into its rows, and no message.
import assert from 'node:assert/strict';
import { test, describe } from 'node:test';

import { mergeAnswers } from 'tool-approval-guard/server';

import { createApprovalGuard, until } from './support/chat.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { calls, storedBackend } from './support/stored-backend.mjs';

const DECIDED = ['approval-responded', 'output-denied'];

/** How the template sends. */
const bodyOfTemplate = ({ id, messages }) =>
  messages.some(({ parts }) => parts.some(({ state }) => DECIDED.includes(state)))
    ? { id, messages }
    : { id, message: messages.at(-1) };

/** What its route makes of that. */
function takeOfTemplate(stored, { message, messages }) {
  if (message) return [...stored.filter(({ id }) => id !== message.id), message];
  const decided = new Map(
    messages
      .flatMap(({ parts }) => parts)
      .filter(({ state }) => DECIDED.includes(state))
      .map((part) => [part.toolCallId, part]),
  );
  return stored.map((row) => ({
    ...row,
    parts: row.parts.map((part) => {
      const { state, approval } = decided.get(part.toolCallId) ?? part;
      return part.toolCallId ? { ...part, state, ...(approval && { approval }) } : part;
    }),
  }));
}

/** The two functions of the guide in place of the template's own. */
const guided = {
  body: ({ id, messages }, guard) => ({ id, messages: guard.unsent(messages) }),
  take: (stored, body) => mergeAnswers(stored, body.messages, { clientTools: ['pick'] }).messages,
};
const asItIs = { body: bodyOfTemplate, take: takeOfTemplate };

async function templateChat(sdk, { body, take }) {
  const server = await storedBackend(sdk, { take });
  const errors = [];
  const said = [];
  let guard;
  let chat;
  let ids = 0;
  const open = (messages) => {
    guard?.dispose();
    guard = createApprovalGuard({
      chatId: 'c',
      clientTools: ['pick'],
      onError: (error) => errors.push(error),
    });
    const own = guard;
    chat = new sdk.Chat({
      id: 'c',
      messages,
      generateId: () => `page-${ids++}`,
      transport: own.transport(server.transport((options) => body(options, own))),
      sendAutomaticallyWhen: own.sendAutomaticallyWhen,
      onError: () => {},
    });
    own.attach(chat);
  };
  open([]);
  const settle = () => until(() => chat.status === 'ready' || chat.status === 'error');
  return {
    server,
    errors,
    reload: () => open(structuredClone(server.stored)),
    say: async (...steps) => {
      const text = `message ${said.length + 1}`;
      said.push(text);
      server.steps.push(...steps);
      await chat.sendMessage({ text });
      await settle();
    },
    decide: async (toolCallId, choice) => {
      guard.decide(
        guard.getSnapshot().calls.findLast((call) => call.toolCallId === toolCallId),
        choice,
      );
      await settle();
    },
    put: async (toolCallId) => {
      await chat.addToolOutput({ tool: 'pick', toolCallId, output: 'x' });
      await settle();
    },
    /** The messages of the user that the model was never told. */
    lost: () => said.filter((text) => !JSON.stringify(server.prompts).includes(JSON.stringify(text))),
    reports: () => errors.filter(({ code }) => code === 'not-in-request'),
  };
}

const scenarios = {
  'a message while a call asks': async (s) => {
    await s.say(calls(['c1', 'rm']));
    await s.say();
  },
  'a denial, and the next two messages': async (s) => {
    await s.say(calls(['c1', 'rm']));
    await s.decide('c1', 'deny');
    await s.say();
    await s.say();
  },
  'an allowance, and the next message': async (s) => {
    await s.say(calls(['c1', 'rm']));
    await s.decide('c1', 'allow-once');
    await s.say();
  },
  'one of two denied, and the next message': async (s) => {
    await s.say(calls(['c1', 'rm'], ['c2', 'mv']));
    await s.decide('c1', 'deny');
    await s.decide('c2', 'allow-once');
    await s.say();
  },
  'a message whose request fails, and the next one': async (s) => {
    s.server.fate = 'refused';
    await s.say();
    await s.say();
  },
  'a message whose connection fails after a denial': async (s) => {
    await s.say(calls(['c1', 'rm']));
    await s.decide('c1', 'deny');
    s.server.fate = 'down';
    await s.say();
    await s.say();
  },
  'a reload while a call asks, and a message': async (s) => {
    await s.say(calls(['c1', 'rm']));
    s.reload();
    await s.say();
    await s.say();
  },
  'a reload after a denial, and a message': async (s) => {
    await s.say(calls(['c1', 'rm']));
    await s.decide('c1', 'deny');
    s.reload();
    await s.say();
  },
  'an output of a tool of the page, and the next message': async (s) => {
    await s.say(calls(['c1', 'pick']));
    await s.put('c1');
    await s.say();
  },
  'a message, and nothing else': async (s) => {
    await s.say();
    await s.say();
  },
};

forEachSdk((sdk) =>
  describe(`the way in which the template sends, ${sdk.name}`, () => {
    let lostAsItIs = 0;
    for (const [what, play] of Object.entries(scenarios)) {
      test(`${what}: with unsent() and mergeAnswers() nothing is lost`, async () => {
        const s = await templateChat(sdk, guided);
        await play(s);
        assert.deepEqual(s.lost(), []);
        assert.deepEqual(
          s.errors.map(({ code }) => code),
          [],
        );
        assert.deepEqual(s.server.errors, []);
        assert.equal(new Set(s.server.executed).size, s.server.executed.length);
      });

      test(`${what}: without them, a loss is reported`, async () => {
        const s = await templateChat(sdk, asItIs);
        await play(s);
        const lost = s.lost();
        lostAsItIs += lost.length;
        assert.ok(
          lost.length === 0 || s.reports().length > 0,
          `${lost}: ${s.errors.map(({ code }) => code)}`,
        );
        if (lost.length > 0)
          assert.match(s.reports()[0].message, /guard\.unsent\(messages\).*mergeAnswers\(stored, sent\)/);
      });
    }

    test('without them, messages are lost', () => {
      assert.ok(lostAsItIs >= 4, `${lostAsItIs}`);
    });
  }),
);
