// A resumed response repeats what an earlier one has said. What it does not repeat is over when it is over.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertAsking } from './support/assertions.mjs';
import { macrotask, scene } from './support/chat.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { broken, live } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

const A = { path: '/a' };
const B = { path: '/b' };
const types = (s) => s.guard.ledger().map(({ type }) => type);

forEachSdk((sdk) =>
  describe(`a resumed response, ${sdk.name}`, () => {
    for (const messageId of ['a1', 'a2']) {
      const again = () => [
        start(messageId),
        startStep,
        toolCall('c1', 'rm', B),
        outputAvailable('c1', 'of /b'),
        finishStep,
        finish(),
      ];
      const where = messageId === 'a1' ? 'the same message' : 'another message';

      for (const [what, decide] of [
        ['asks', () => {}],
        ['is allowed, as a draft', (s) => s.guard.decide('c1', 'allow-once')],
      ]) {
        test(`law 5: it begins another call with the id of one that ${what}, in ${where}: that one has not run`, async () => {
          const s = scene(sdk, {
            script: [response('a1', gated('c1', 'rm', A)), says(), says()],
            replays: [again()],
            guard: { undoMs: Infinity },
          });
          await s.say();
          decide(s);
          await s.chat.resumeStream();
          await s.settle();
          assert.equal(types(s).includes('answered'), false, 'nobody has answered');
          assert.equal(s.call('c1').decision, undefined);
          assert.equal(s.call('c1').approvalId, undefined);
          assert.deepEqual(s.home('c1').input, B);
          const [first] = s.guard.getSnapshot().calls;
          if (messageId === 'a2') assertAsking(s.chat.messages[1].parts[1], 'ap-c1');
          else assert.equal(first.approvalId, undefined, 'the first one is gone');
          await s.say('go on');
          const wire = s.last.messages.flatMap(({ parts }) => parts);
          assert.ok(wire.every(({ approval }) => approval?.approved !== true));
        });
      }

      // `ai` 6 writes it into the same part.
      if (messageId === 'a1' && sdk.major < 7) continue;
      test(`law 13: it begins another call with the id of one that is in doubt, in ${where}: that one stays in doubt`, async () => {
        const s = scene(sdk, {
          script: [response('a1', gated('c1', 'rm', A)), broken([start()]), says()],
          replays: [again()],
        });
        await s.say();
        await s.approve('c1');
        await s.chat.resumeStream();
        await s.settle();
        const call = s.guard.getSnapshot().calls.find(({ approvalId }) => approvalId === 'ap-c1');
        assert.equal(call?.status, 'in-doubt');
      });
    }

    for (const approved of [false, true])
      test(`law_4 it begins another call with the id of an earlier one, letter by letter: only that call is answered, ${approved}`, async () => {
        const [first, second, replay] = [live(), live(), live()];
        const s = scene(sdk, {
          script: [first, second, says()],
          replays: [replay],
          replaying: sdk.major === 7,
        });
        const one = s.chat.sendMessage({ text: 'Delete it.' });
        await first.started;
        const other = s.chat.regenerate();
        await second.started;
        first.push(start('a1'), startStep, toolCall('c1', 'rm', A));
        await macrotask();
        first.fail(new Error('lost'));
        await one;
        second.push(start('a2'));
        await macrotask();
        second.fail(new Error('lost'));
        await other;
        const done = s.chat.resumeStream();
        await replay.started;
        for (const chunk of [
          start('a2'),
          startStep,
          { type: 'tool-input-start', toolCallId: 'c1', toolName: 'rm' },
          { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: JSON.stringify(B) },
          ...gated('c1', 'rm', B),
          finishStep,
          finish(),
        ]) {
          replay.push(chunk);
          await macrotask();
          s.guard.observe(s.chat.messages);
        }
        replay.close();
        await done;
        s.guard.decide('ap-c1', approved ? 'allow-once' : 'deny');
        await s.settle();
        const [earlier, answered] = s.last.messages.flatMap(({ parts }) =>
          parts.filter(({ toolCallId }) => toolCallId),
        );
        assert.deepEqual([earlier.state, earlier.approval, earlier.input], ['input-available', undefined, A]);
        assert.equal(answered.approval.approved, approved);
      });

    for (const [how, end] of [
      ['is closed', (replay) => replay.close()],
      ['breaks', (replay) => replay.fail(new Error('lost'))],
      ['is stopped', (_, s) => s.chat.stop()],
    ]) {
      const resumed = async (chunks) => {
        const replay = live();
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm', A)), says()], replays: [replay] });
        await s.say();
        const done = s.chat.resumeStream();
        await replay.started;
        replay.push(...chunks);
        await macrotask();
        await macrotask();
        await end(replay, s);
        await done;
        await s.settle();
        return s;
      };

      test(`law 14: it ${how} after it has begun a call that asks: the question is put back`, async () => {
        const s = await resumed([start('a1'), startStep, toolCall('c1', 'rm', A)]);
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(s.wire('c1').approval.approved, true);
      });

      test(`law 14: it ${how} before it has begun the call: the card is gone with its part`, async () => {
        const s = await resumed([start('a1'), startStep]);
        assert.deepEqual(
          s.chat.messages.at(-1).parts.filter(({ type }) => type === 'tool-rm'),
          [],
        );
        const { calls, batch } = s.guard.getSnapshot();
        assert.deepEqual([calls.length, batch.asking], [0, 0]);
      });
    }

    test('it asks about another input with the same approval id: the answer does not count', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm', A)), says()],
        replays: [
          [
            start('a1'),
            startStep,
            toolCall('c1', 'rm', B),
            approvalRequest('c1', 'ap-c1'),
            finishStep,
            finish(),
          ],
        ],
        guard: { undoMs: Infinity },
      });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 1);
    });
  }),
);
