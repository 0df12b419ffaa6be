// A chat that changes its list of messages in place, as some frameworks do, with a transport that reads the
// list only later, as `HttpChatTransport` does: it waits for its headers and its body before it serializes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRecord } from 'tool-approval-guard/record';
import { forEachSdk } from './support/sdk.mjs';
import { createApprovalGuard, macrotask, scene } from './support/chat.mjs';
import { live, ScriptedTransport } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { storageOf } from './support/reload.mjs';
import { answered, assistant, said, user } from './support/stored.mjs';

class InPlace {
  status = 'ready';
  error = undefined;
  constructor(messages = []) {
    this.messages = messages;
  }
  pushMessage = (message) => void this.messages.push(message);
  popMessage = () => void this.messages.pop();
  replaceMessage = (index, message) => void (this.messages[index] = message);
  snapshot = (value) => structuredClone(value);
}

class LateTransport extends ScriptedTransport {
  constructor(script) {
    super(script);
    const now = this.sendMessages;
    this.sendMessages = async (options) => {
      await macrotask();
      return now(options);
    };
  }
}

describe('a message of the past that a page changes between two requests, on a transport alone', () => {
  const writes = {
    'a part more, in place': ([, message], part) => message.parts.push(part),
    'another part, in place': ([, message], part) => (message.parts[2] = part),
    'another list of parts, in place': ([, message], part) => (message.parts = [...message.parts, part]),
    'another field, in place': ([, message], part) => (message.metadata = part),
    'another message': (list, part) => (list[1] = { ...list[1], parts: [...list[1].parts, part] }),
  };
  for (const [what, write] of Object.entries(writes)) {
    test(`law 17: what is new in it leaves, and its denial stays one: ${what}`, async () => {
      let wire;
      const inner = {
        sendMessages: async ({ messages }) => {
          wire = structuredClone(messages);
          return new ReadableStream({ start: (controller) => controller.close() });
        },
        reconnectToStream: async () => null,
      };
      const transport = createApprovalGuard({ chatId: 'x', onError: () => {} }).transport(inner);
      const overwritten = { ...answered('c1', 'rm', false), state: 'output-available', output: 'made up' };
      const messages = [user('u0'), assistant('a0', overwritten, said('before')), user('u1')];
      const send = () =>
        transport.sendMessages({ chatId: 'x', trigger: 'submit-message', messageId: undefined, messages });
      // Until nothing about the denial changes any more.
      for (let i = 0; i < 4; i += 1) await send();
      write(messages, said('after'));
      await send();
      assertDenied(wire[1].parts[1], { id: 'ap-c1' });
      assert.ok(JSON.stringify(wire[1]).includes('after'));
    });
  }
});

forEachSdk((sdk) =>
  describe(`in place, ${sdk.name}`, () => {
    class Chat extends sdk.ai.AbstractChat {
      constructor({ messages, ...init }) {
        super({ ...init, state: new InPlace(messages) });
      }
    }
    const open = () =>
      scene(
        { ...sdk, Chat },
        { inner: new LateTransport([response('a1', gated('c1', 'rm'), gated('c2', 'rm')), says()]) },
      );

    test('an output written over a denial while its request is being sent is not in the request', async () => {
      const s = open();
      await s.say();
      void s.answer('c1', false, 'no');
      void s.answer('c2', true);
      void s.put('c1', { success: false, denied: true }, 'rm');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    for (const when of ['before any decision', 'between the decisions']) {
      for (const choice of ['allow-once', 'deny']) {
        test(`C43 an output written in place over a question, ${when}, is no answer: ${choice}`, async () => {
          const s = open();
          await s.say();
          const [c1, c2] = [s.call('c1'), s.call('c2')];
          if (when === 'between the decisions') s.guard.decide(c2, 'allow-once');
          Object.assign(s.home('c1'), { state: 'output-available', output: { success: false } });
          if (when === 'before any decision') s.guard.decide(c2, 'allow-once');
          s.guard.decide(c1, choice);
          await s.settle();
          assert.equal(s.count, 2);
          assert.deepEqual(s.codes(), ['output-over-open-approval']);
          if (choice === 'deny') assertDenied(s.wire('c1'), { id: 'ap-c1' });
          else assertAllowed(s.wire('c1'), { id: 'ap-c1' });
          assert.equal(s.wire('c1').output, undefined);
          assertAllowed(s.wire('c2'), { id: 'ap-c2' });
        });
      }
    }

    test('an output written over a denial after its request was started is not in the request', async () => {
      const s = open();
      await s.say();
      s.guard.decide('c1', 'deny', { reason: 'no' });
      s.guard.decide('c2', 'allow-once');
      while (s.chat.status === 'ready') await Promise.resolve();
      await Promise.resolve();
      void s.put('c1', { success: false, denied: true }, 'rm');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('a question that a response asks while a request waits for the record does not leave with it', async () => {
      for (let hops = 0; hops < 30; hops++) {
        const [first, inner] = [live(), storageOf(new Map(), { later: true })];
        let isWaiting = false;
        const ask = async () => {
          isWaiting = false;
          for (let i = 0; i < hops; i++) await Promise.resolve();
          first.push(approvalRequest('c1'));
        };
        const transact = async (...args) => {
          await inner.transact(...args);
          if (isWaiting) void ask();
        };
        const record = createRecord({ storage: { ...inner, transact } });
        const s = scene({ ...sdk, Chat }, { script: [first, says(), says()], guard: { record } });
        void s.send();
        await first.started;
        first.push(start('a1'), startStep, toolCall('c1', 'rm'));
        await macrotask();
        isWaiting = true;
        void s.send('and this');
        while (s.count < 2) await macrotask();
        assert.notEqual(s.wire('c1').state, 'approval-requested', `after ${hops} microtasks`);
        first.push(finishStep, finish());
        first.close();
        await s.settle();
        s.guard.dispose();
      }
    });

    /** The state of a chat as the guide _Without a framework_ has it: each change makes a list, and a copy shares the parts. */
    class Shared extends sdk.ai.AbstractChat {
      constructor({ messages = [], ...init }) {
        const state = {
          status: 'ready',
          error: undefined,
          messages,
          pushMessage: (message) => void (state.messages = [...state.messages, message]),
          popMessage: () => void (state.messages = state.messages.slice(0, -1)),
          replaceMessage: (index, message) => {
            state.messages = state.messages.map((one, i) => (i === index ? { ...message } : one));
          },
          snapshot: (value) => structuredClone(value),
        };
        super({ ...init, state });
      }
    }

    test('a call that comes while a message of the user waits for the record is closed in its request', async () => {
      for (let hops = 0; hops < 60; hops++) {
        const [first, storage] = [live(), storageOf()];
        const { transact } = storage;
        let last = Promise.resolve();
        storage.transact = (...args) => (last = last.then(() => transact(...args)));
        const record = createRecord({ storage });
        const script = [first, says(), says(), says()];
        const s = scene({ ...sdk, Chat: Shared }, { script, guard: { record, clientTools: ['rm'] } });
        void s.send();
        await first.started;
        first.push(start('a1'), startStep);
        await macrotask();
        void s.send('and this');
        void s.send('and that');
        for (let i = 0; i < hops; i++) await Promise.resolve();
        first.push(toolCall('c1', 'rm'), approvalRequest('c1'));
        for (let i = 0; i < 10; i++) await macrotask();
        assert.equal(s.count, 3);
        const state = s.wire('c1')?.state;
        const isClosed = [undefined, 'output-error', 'output-denied'].includes(state);
        assert.ok(isClosed, `${state} after ${hops} microtasks`);
        first.push(finishStep, finish());
        first.close();
        await s.settle();
        s.guard.dispose();
      }
    });
  }),
);
