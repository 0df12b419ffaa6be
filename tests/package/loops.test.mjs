// A settled step is sent automatically only once (law 2).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { copy, reloadable } from './support/reload.mjs';
import { scene } from './support/chat.mjs';
import { broken, forever, reject, ScriptedTransport } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, assertHolds } from './support/assertions.mjs';
import {
  abort,
  approvalRequest,
  data,
  error,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
  continued,
} from './support/chunks.mjs';

/** The two ways to settle a step: an answer, and an output of the page. */
const ways = [
  {
    name: 'an answered approval',
    opening: response('a1', gated('c1', 'rm')),
    act: (s) => s.approve('c1'),
    check: (s) => assertAllowed(s.wire('c1', s.requests[1]), { id: 'ap-c1' }),
  },
  {
    name: 'an output of the page',
    opening: response('a1', toolCall('c1', 'ui')),
    act: (s) => s.output('c1', { x: 1 }),
    check: (s) => assert.deepEqual(s.wire('c1', s.requests[1]).output, { x: 1 }),
  },
];

/** Responses that do not advance the step. */
const unhelpful = [
  ['C01 an empty continuation', () => []],
  ['C01 a continuation of start and finish', () => [start(), finish()]],
  ['C01 a continuation of data only', () => [start(), data(), finish()]],
  ['C01 a continuation of transient data only', () => [start(), { ...data(), transient: true }, finish()]],
  ['C01 a continuation of an empty step', () => [start(), startStep, finishStep, finish()]],
  ['C02 a text without start-step', () => [start(), ...text('Here you are.'), finish()]],
  ['C04 an abort from the server', () => [start(), abort]],
  ['C05 a new message id', (n) => [start(`copy-${n}`), finish()]],
  ['C05 a new message id and an abort', (n) => [start(`copy-${n}`), abort]],
  ['C05 a new message id and a data part', (n) => [start(`copy-${n}`), data(), finish()]],
];

forEachSdk((sdk) =>
  describe(`loops, ${sdk.name}`, () => {
    for (const [title, chunks] of unhelpful) {
      for (const way of ways) {
        test(`${title} after ${way.name} sends once`, async () => {
          let n = 0;
          const s = scene(sdk, { script: [way.opening, forever(() => chunks(n++))] });
          await s.say();
          assert.equal(s.count, 1);
          await way.act(s);
          assert.equal(s.count, 2);
          way.check(s);
          assert.equal(s.verdict().send, false);
          assert.equal(s.chat.status, 'ready');
        });

        test(`${title} after ${way.name}: the next message of the user is sent`, async () => {
          let n = 0;
          const s = scene(sdk, { script: [way.opening, () => chunks(n++), says()] });
          await s.say();
          await way.act(s);
          await s.say('and now?');
          assert.equal(s.count, 3);
          assert.equal(s.last.messages.at(-1).parts[0].text, 'and now?');
          assert.deepEqual(s.codes(), []);
        });
      }
    }

    test('C01 the reason of the no is that it was sent', async () => {
      const s = scene(sdk, { script: [ways[0].opening, forever([])] });
      await s.say();
      await s.approve('c1');
      assertHolds(s, 'already-sent');
    });

    test('C03 an approved tool ran and the model returns nothing', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), forever([start(), outputAvailable('c1'), finish()])],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.home('c1').output, 'done');
      assert.equal(s.verdict().send, false);
    });

    test('C03 an approved tool ran and the model returns an empty step', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm')),
          forever([start(), outputAvailable('c1'), startStep, finishStep, finish()]),
        ],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.verdict().send, false);
    });

    test('C03 the output of a client tool, then an empty step', async () => {
      const s = scene(sdk, {
        script: [response('a1', toolCall('c1', 'ui')), forever([start(), startStep, finishStep, finish()])],
      });
      await s.say();
      await s.output('c1');
      assert.equal(s.count, 2);
      assert.equal(s.verdict().send, false);
    });

    test('C06 a step with provider-executed calls only is not sent', async () => {
      const s = scene(sdk, {
        script: [
          forever(
            response(
              'a1',
              toolCall('w1', 'web_search', {}, { providerExecuted: true }),
              outputAvailable('w1', [], { providerExecuted: true }),
            ),
          ),
        ],
      });
      await s.say();
      assert.equal(s.count, 1);
      assert.equal(s.verdict().send, false);
    });

    for (const way of ways) {
      for (const [title, failure] of [
        ['a refused request', reject()],
        ['a lost connection', reject(new TypeError('fetch failed'))],
        ['an error chunk', [start(), error()]],
        ['a broken stream', broken([start()])],
      ]) {
        test(`C07 ${title} after ${way.name} is not repeated automatically`, async () => {
          const s = scene(sdk, { script: [way.opening, forever(failure)] });
          await s.say();
          await way.act(s);
          assert.equal(s.count, 2);
          assert.equal(s.chat.status, 'error');
          s.chat.clearError();
          assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
          await s.settle();
          assert.equal(s.count, 2);
          assertHolds(s, 'failed', 'in-doubt');
        });
      }
    }

    test('C09 the model repeats the denied call: the new call asks, and no earlier answer is reused', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', { path: '/' })),
          [start(), startStep, ...gated('c2', 'rm', { path: '/' }), finishStep, finish()],
          says(),
        ],
      });
      await s.say();
      await s.deny('c1', 'no');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAsking(s.home('c2'), 'ap-c2');
      assertHolds(s, 'waiting');
      await s.approve('c2');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C10 a step settled entirely by the server is not sent', async () => {
      const s = scene(sdk, {
        script: [forever(response('a1', toolCall('c1', 'search'), outputAvailable('c1')))],
      });
      await s.say();
      assert.equal(s.count, 1);
      assertHolds(s, 'nothing-new');
    });

    /** Each response contains a call of a client tool, and the page answers at once. */
    const chain = (options, cap) => {
      let n = 0;
      const s = scene(sdk, {
        cap,
        guard: options,
        script: [
          forever(() => {
            n += 1;
            return [start(`a${n}`), startStep, toolCall(`k${n}`, 'ui', { n }), finishStep, finish()];
          }),
        ],
        chat: {
          onToolCall: ({ toolCall: call }) => {
            void s.chat.addToolOutput({ tool: 'ui', toolCallId: call.toolCallId, output: 1 });
          },
        },
      });
      return s;
    };

    test('C10 a chain of client tools stops at maxAutomaticSends and continues after a message', async () => {
      const s = chain({ maxAutomaticSends: 3 });
      await s.say();
      assert.equal(s.count, 4);
      assertHolds(s, 'limit');
      await s.say('go on');
      assert.equal(s.count, 8);
      assertHolds(s, 'limit');
    });

    test('C10 a chain of client tools stops at maxAutomaticSends, however often its page is loaded again', async () => {
      let n = 0;
      const page = reloadable(sdk, { guard: { clientTools: ['ui'], maxAutomaticSends: 3 } });
      const script = [forever(() => response(`a${(n += 1)}`, toolCall(`k${n}`, 'ui', { n })))];
      let s = await page.load({ messages: [], script });
      await s.say();
      let automatic = 0;
      for (let pages = 0; pages < 4; pages += 1) {
        for (let i = 0; i < 2; i += 1) await s.output(`k${n}`);
        automatic += s.guard.ledger().filter(({ type, automatic: by }) => type === 'requested' && by).length;
        if (pages < 3) s = await page.load({ messages: copy(s.chat.messages), script });
      }
      assert.equal(automatic, 3);
      assertHolds(s, 'history');
      await s.say('go on');
      await s.output(`k${n}`);
      assert.equal(n, 6, 'a message of the person begins anew');
    });

    test('C10 the default of maxAutomaticSends is 20', async () => {
      const s = chain({}, 30);
      await s.say();
      assert.equal(s.count, 21);
      assertHolds(s, 'limit');
    });

    test("C10 without the guard's transport, explain() and the snapshot say the limit, as the predicate does", async () => {
      const inner = new ScriptedTransport(
        [0, 1, 2, 3].map((n) => response(`a${n}`, toolCall(`k${n}`, 'ui'))),
      );
      const s = scene(sdk, { inner, guard: { maxAutomaticSends: 2 }, chat: { transport: inner } });
      await s.say();
      for (const n of [0, 1, 2]) await s.output(`k${n}`);
      assert.equal(s.count, 3);
      assertHolds(s, 'limit');
      assert.equal(s.guard.getSnapshot().verdict.reason, 'limit');
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
    });

    test('C10 a decision of a person resets the count', async () => {
      let n = 1;
      const s = scene(sdk, {
        guard: { maxAutomaticSends: 1 },
        script: [
          response('a1', gated('c1', 'rm', { n })),
          forever(() => {
            n += 1;
            return [start(), startStep, ...gated(`c${n}`, 'rm', { n }), finishStep, finish()];
          }),
        ],
      });
      await s.say();
      for (let i = 1; i <= 4; i += 1) {
        await s.approve(`c${i}`);
        assert.equal(s.count, i + 1);
      }
    });

    test('a settled step that was copied under a new message id is not sent from either place', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), gated('c2', 'rm', { n: 2 })),
          continued([]).map((c) => (c.type === 'start' ? start('b1') : c)),
          forever([]),
        ],
      });
      await s.say();
      await s.approve('c1');
      await s.deny('c2');
      assert.equal(s.count, 2);
      assert.equal(s.chat.messages.length, 3);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages.slice(0, 2) }), false);
    });

    test('the same call id in a later step is a new call and is sent again', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', toolCall('call_0', 'rm', { n: 1 }), approvalRequest('call_0', 'ap-1')),
          [
            start(),
            outputAvailable('call_0'),
            startStep,
            toolCall('call_0', 'rm', { n: 2 }),
            approvalRequest('call_0', 'ap-2'),
            finishStep,
            finish(),
          ],
          says(),
        ],
      });
      await s.say();
      await s.chat.addToolApprovalResponse({ id: 'ap-1', approved: true });
      await s.settle();
      assert.equal(s.count, 2);
      await s.chat.addToolApprovalResponse({ id: 'ap-2', approved: true });
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('call_0'), { id: 'ap-2' });
    });
  }),
);

test('C08 an interrupted response is not continued by a late answer, ai@7', async () => {
  const s = scene(sdk7, {
    script: [[start('a1'), startStep, ...gated('c1', 'rm'), finishStep, finish('interrupted')], says()],
  });
  await s.say();
  await s.approve('c1');
  assert.equal(s.count, 1);
  await s.say('go on');
  assert.equal(s.count, 2);
});
