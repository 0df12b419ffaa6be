// What a page offers: what may be done with each call, the calls that it shows as cards, and the one button of a batch.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  approvalRequest,
  approvalResponse,
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { scene } from './support/chat.mjs';
import { broken, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, assistant, call, user } from './support/stored.mjs';

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const settled = () => continued([outputDenied('c1'), outputAvailable('c2')]);
const refused = () => reject(Object.assign(new Error('no'), { statusCode: 400 }));
const NOTHING = { allow: false, deny: false, undo: false, edit: false };
const WAITS = { allow: true, deny: true, undo: false, edit: false };

const action = (s) => s.guard.getSnapshot().batch.action;
const can = (s, id) => s.call(id).can;
const shown = (s) => s.guard.getSnapshot().approvals.map(({ toolCallId }) => toolCallId);

forEachSdk((sdk) =>
  describe(`what may be done, ${sdk.name}`, () => {
    test('a call that waits can be allowed and denied, and a draft can be undone', async () => {
      const s = scene(sdk, { script: [two(), settled()], guard: { undoMs: Infinity } });
      await s.say();
      assert.deepEqual([can(s, 'c1'), can(s, 'c2')], [WAITS, WAITS]);
      assert.equal(action(s), undefined, 'something is to be decided');

      s.guard.decide(s.call('c1'), 'deny');
      assert.deepEqual(can(s, 'c1'), { allow: false, deny: false, undo: true, edit: false });
      s.guard.decide(s.call('c2'), 'allow-once');
      assert.deepEqual(can(s, 'c2'), { allow: false, deny: true, undo: true, edit: false }, 'a denial wins');
      assert.equal(action(s), 'send');

      s.guard.undo(s.call('c1'));
      assert.deepEqual(can(s, 'c1'), WAITS);
      assert.equal(action(s), undefined);
      s.guard.decide(s.call('c1'), 'deny');

      assert.deepEqual(
        await s.guard.proceed('retry'),
        { type: 'nothing-to-send' },
        'it needs another button',
      );
      assert.equal(s.count, 1);
      assert.equal((await s.guard.proceed(action(s))).type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual([can(s, 'c1'), can(s, 'c2'), action(s)], [NOTHING, NOTHING, undefined]);
      assert.deepEqual(shown(s), ['c1', 'c2'], 'a decided call keeps its card');
      assert.deepEqual(await s.guard.proceed(action(s)), { type: 'nothing-to-send' });
    });

    test('the objects are the same until something changes', async () => {
      const s = scene(sdk, { script: [two()], guard: { undoMs: Infinity } });
      await s.say();
      const before = s.guard.getSnapshot();
      s.guard.decide('c1', 'deny');
      const after = s.guard.getSnapshot();
      assert.equal(after.calls.at(-1), before.calls.at(-1));
      assert.equal(after.approvals.at(-1), before.approvals.at(-1));
      assert.equal(s.guard.getSnapshot().approvals, after.approvals);
      assert.throws(() => void (after.calls[0].can.allow = true), TypeError);
    });

    test('only calls that ask or are answered are shown as cards', async () => {
      const script = [response('a1', gated('c1', 'rm'), toolCall('c2', 'ui'))];
      const s = scene(sdk, { script, guard: { clientTools: ['ui'] } });
      await s.say();
      assert.deepEqual(
        s.guard.getSnapshot().calls.map(({ toolCallId }) => toolCallId),
        ['c1', 'c2'],
      );
      assert.deepEqual([shown(s), can(s, 'c2')], [['c1'], NOTHING]);
    });

    test('what nobody can read, or no server has, cannot be allowed', async () => {
      const circle = {};
      circle.self = circle;
      const s = scene(sdk, {
        messages: [
          user(),
          assistant(
            'a1',
            call('c1', 'rm', 'approval-requested', { input: circle, approval: { id: 'ap-c1' } }),
            call('c2', 'gone', 'approval-requested', { approval: { id: 'ap-c2' } }),
          ),
        ],
        guard: { unavailableTools: ['gone'] },
      });
      const denial = { allow: false, deny: true, undo: false, edit: false };
      assert.deepEqual([can(s, 'c1'), can(s, 'c2')], [denial, denial]);
    });

    test('after a request that was refused there is a button that sends again', async () => {
      const s = scene(sdk, { script: [two(), refused(), settled()] });
      await s.say();
      await s.deny('c1');
      await s.approve('c2');
      assert.deepEqual([action(s), s.call('c2').mayHaveRun], ['retry', false]);
      assert.deepEqual(await s.guard.proceed('send'), { type: 'nothing-to-send' });
      assert.deepEqual(await s.guard.proceed(action(s)), { type: 'sent' });
      await s.settle();
      assert.deepEqual([s.count, action(s)], [3, undefined]);
    });

    test('what is in doubt says that it may have run', async () => {
      const s = scene(sdk, { script: [two(), broken([], new TypeError('terminated')), settled()] });
      await s.say();
      await s.deny('c1');
      await s.approve('c2');
      const { batch } = s.guard.getSnapshot();
      assert.deepEqual([batch.phase, batch.action], ['in-doubt', 'retry']);
      assert.deepEqual([s.call('c1').mayHaveRun, s.call('c2').mayHaveRun], [false, true]);
      assert.deepEqual(await s.guard.proceed('retry'), { type: 'sent' });
      await s.settle();
      assert.deepEqual([action(s), s.call('c2').mayHaveRun], [undefined, false]);
    });

    // `ai` 6 knows no answer of a server in a response.
    for (const approved of sdk.major === 6 ? [] : [true, false])
      test(`law_3 an answer beside what the server allowed by itself, whose response broke: ${approved}`, async () => {
        const byServer = [
          toolCall('c1', 'rm'),
          approvalRequest('c1', 'ap-c1', { isAutomatic: true }),
          approvalResponse('ap-c1', true),
        ];
        const cut = broken([start('a1'), startStep, ...byServer, ...gated('c2', 'mv')]);
        const s = scene(sdk, { script: [cut, says()] });
        await s.say();
        s.guard.decide('c2', approved ? 'allow-once' : 'deny');
        s.guard.commit();
        await s.settle();
        assert.deepEqual(
          [s.verdict().reason, s.call('c1').mayHaveRun, action(s)],
          ['in-doubt', true, 'retry'],
        );
        assert.deepEqual(await s.guard.proceed('retry'), { type: 'sent' });
      });

    test('a failed request with an output of the page has the button too', async () => {
      const s = scene(sdk, {
        script: [response('a1', toolCall('c1', 'ui')), refused(), says()],
        guard: { clientTools: ['ui'] },
      });
      await s.say();
      await s.output('c1');
      assert.equal(action(s), 'retry');
      assert.deepEqual(await s.guard.proceed('retry'), { type: 'sent' });
      await s.settle();
      assert.deepEqual([s.count, action(s)], [3, undefined]);
    });

    test('what was answered before a reload is resumed', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', answered('c1', 'rm', true))],
        script: [says()],
      });
      assert.equal(action(s), 'resume');
      assert.deepEqual(await s.guard.proceed('resume'), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('what a predicate of the page holds back can be sent', async () => {
      const s = scene(sdk, { when: () => () => false, script: [two(), settled()] });
      await s.say();
      await s.deny('c1');
      await s.approve('c2');
      assert.deepEqual([s.count, action(s)], [1, 'send']);
      assert.equal((await s.guard.proceed('send')).type, 'sent');
      await s.settle();
      assert.deepEqual([s.count, action(s)], [2, undefined]);
    });

    test('a denial that waits for a message needs no button', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'))], guard: { whenAllDenied: 'hold' } });
      await s.say();
      await s.deny('c1');
      assert.deepEqual([s.verdict().reason, action(s)], ['all-denied', undefined]);
    });
  }),
);
