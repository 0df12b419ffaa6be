// A chat that changes its list of messages in place, as some frameworks do, with a transport that reads the
// list only later, as `HttpChatTransport` does: it waits for its headers and its body before it serializes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { ScriptedTransport } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { gated, response, says } from './support/chunks.mjs';

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
  }),
);
