// Chats that continue by themselves: hooks that answer and then send, with and without an empty message.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, scene, until } from './support/chat.mjs';
import { assertAllowed, assertDenied, assertWaitsFor, roles } from './support/assertions.mjs';
import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';
import { live, reject } from './support/scripted-transport.mjs';

/** A hook that answers, and then continues the chat after a yes. */
const bare = (s) => async (callId, approved) => {
  await s.chat.addToolApprovalResponse({ id: `ap-${callId}`, approved });
  if (approved) await s.chat.sendMessage();
  await s.settle();
};
/** An older form of it, which continues with an empty message of the user. */
const empty = (s) => async (callId, approved) => {
  await s.chat.addToolApprovalResponse({ id: `ap-${callId}`, approved });
  if (approved) await s.chat.sendMessage({ role: 'user', parts: [] });
  await s.settle();
};
/** The same with text that is blank. */
const blank = (s) => async (callId, approved) => {
  await s.chat.addToolApprovalResponse({ id: `ap-${callId}`, approved });
  if (approved) await s.chat.sendMessage({ text: ' \n' });
  await s.settle();
};
/** One that does not wait for its answer to be written. */
const hasty = (s) => async (callId, approved) => {
  void s.chat.addToolApprovalResponse({ id: `ap-${callId}`, approved });
  if (approved) void s.chat.sendMessage();
  await s.settle();
};

forEachSdk((sdk) => {
  describe(`continuing by oneself, ${sdk.name}`, () => {
    for (const [name, hook] of Object.entries({ bare, empty, blank, hasty })) {
      for (const asksTheGuard of [true, false]) {
        const how = `${name}, ${asksTheGuard ? 'with' : 'without'} the predicate`;
        const chat = asksTheGuard ? {} : { sendAutomaticallyWhen: undefined };
        // What follows a message of the user is another message.
        const isApart = !asksTheGuard && (hook === empty || hook === blank);
        const after = (...chunks) => (isApart ? says() : continued(chunks));

        test(`law_2 law_4 one call: ${how}`, async () => {
          const s = scene(sdk, {
            chat,
            script: [response('a1', gated('c1', 'rm')), after(outputAvailable('c1')), says()],
          });
          await s.say();
          await hook(s)('c1', true);
          assert.equal(s.count, 2, 'one request carries the answer');
          assertAllowed(s.wire('c1', s.requests[1]), { id: 'ap-c1' });
          assert.equal(s.chat.error, undefined);
          assert.deepEqual(s.codes(), []);
          assert.ok(!s.events.some(({ type }) => type === 'superseded' || type === 'withdrawn'));
        });

        test(`law_1 law_2 three calls, each answered in turn: ${how}`, async () => {
          const s = scene(sdk, {
            chat,
            script: [
              response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'ls')),
              after(outputAvailable('c1'), outputDenied('c2'), outputAvailable('c3')),
              says(),
            ],
          });
          await s.say();
          await hook(s)('c1', true);
          assert.equal(s.count, 1);
          assert.equal(s.chat.status, 'ready', 'no error is shown');
          assert.equal(s.chat.error, undefined);
          assertWaitsFor(s, ['c2', 'approval'], ['c3', 'approval']);
          assert.deepEqual(
            s.events.filter(({ type }) => type === 'held').map(({ actor, chatId }) => [actor, chatId]),
            [['application', s.id]],
          );
          assert.equal(s.home('c1').approval.approved, true, 'the answer stands');
          await hook(s)('c2', false);
          assert.equal(s.count, 1);
          await hook(s)('c3', true);
          assert.equal(s.count, 2, 'the rest is sent with the last answer');
          const request = s.requests[1];
          assertAllowed(s.wire('c1', request), { id: 'ap-c1' });
          assertDenied(s.wire('c2', request), { id: 'ap-c2' });
          assertAllowed(s.wire('c3', request), { id: 'ap-c3' });
          assert.deepEqual(s.codes(), []);
          assert.equal(s.chat.messages.filter(({ role }) => role === 'user').length <= 2, true);
        });
      }
    }

    test('a message without content over a call that asks closes nothing, and is not kept', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), continued([outputDenied('c1')])] });
      await s.say();
      for (const message of [{ role: 'user', parts: [] }, { text: '' }, { text: ' \t\n' }]) {
        await s.chat.sendMessage(message);
        await s.settle();
        assert.equal(s.count, 1);
        assert.equal(s.chat.error, undefined);
        assert.equal(s.call('c1').status, 'asking');
        assert.deepEqual(s.chat.messages.map(({ role }) => role).join(), 'user,assistant');
      }
      await s.deny('c1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(roles(s.last), 'ua');
    });

    test('a message with content is one: a file, or text', async () => {
      const file = { type: 'file', mediaType: 'text/plain', url: 'data:,x' };
      for (const parts of [
        [file],
        [
          { type: 'text', text: '' },
          { type: 'text', text: 'no' },
        ],
      ]) {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
        await s.say();
        await s.chat.sendMessage({ role: 'user', parts });
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(s.call('c1').outcome, 'superseded');
        assert.equal(roles(s.last), 'uau');
      }
    });

    test('a message without content that leaves is sent as it is', async () => {
      const s = scene(sdk, {
        chat: { sendAutomaticallyWhen: undefined },
        script: [response('a1', gated('c1', 'rm')), says()],
      });
      await s.say();
      await s.answer('c1', true);
      await s.chat.sendMessage({ role: 'user', parts: [] });
      await s.settle();
      assert.equal(roles(s.last), 'uau');
      assert.deepEqual(s.last.messages.at(-1).parts, []);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('law 13: retry() carries a refused answer without the blank message that was sent behind it', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), reject(), reject(), continued([outputAvailable('c1')])],
      });
      await s.say();
      await s.answer('c1', true);
      await s.chat.sendMessage({ text: ' ' });
      await s.settle();
      assert.equal(roles(s.last), 'uau', 'a message without content is no message, so it closes nothing');
      assert.equal(s.guard.getSnapshot().batch.action, 'retry');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(roles(s.last), 'ua');
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.home('c1').state, 'output-available');
    });

    test("law 16: also with 'pass', a continue carries no allowance whose request runs, behind a message that another response has begun", async () => {
      const [asks, other, runs] = [live(), live(), live()];
      const s = scene(sdk, { guard: { whenUserSends: 'pass' }, script: [asks, other, runs, says()] });
      void s.send('one');
      await asks.started;
      void s.send('two');
      await other.started;
      asks.push(...response('a1', gated('c1', 'rm')));
      asks.close();
      await until(() => s.call('c1')?.status === 'asking' && s.chat.status === 'ready');
      s.guard.decide('c1', 'allow-once');
      await runs.started;
      other.push(start('a2'), startStep);
      await until(() => s.chat.messages.at(-1).id === 'a2');
      void s.chat.sendMessage();
      await macrotask();
      assert.equal(s.count, 3);
    });

    test("whenUserSends: 'pass' lets a continue pass, as before", async () => {
      const s = scene(sdk, {
        guard: { whenUserSends: 'pass' },
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), says()],
      });
      await s.say();
      await bare(s)('c1', true);
      assert.equal(s.count, 2);
    });
  });
});
