// A person decides: drafts, the batch, what leaves, and every refusal.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { parts, scene, until } from './support/chat.mjs';
import { broken, live, reject } from './support/scripted-transport.mjs';
import {
  assertAllowed,
  assertAsking,
  assertDenied,
  assertHolds,
  assertWaitsFor,
} from './support/assertions.mjs';
import { assertRefused, callsOf, chained, entries, statuses, watch } from './support/decide.mjs';
import { answered, asking, assistant, call, everyField, said, step, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';

const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));
const three = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'cp'));

/** A chat that has asked for these calls. */
async function asked(sdk, response_, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response_, ...then], ...options });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}

/** The page puts another input under a call, in a new list, as an application would. */
const replaceInput = (s, toolCallId, input) => {
  s.chat.messages = s.chat.messages.map((m) => ({
    ...m,
    parts: m.parts.map((p) => (p.toolCallId === toolCallId ? { ...p, input } : p)),
  }));
};

forEachSdk((sdk) =>
  describe(`decide, ${sdk.name}`, () => {
    test('C101 a decision is a draft: nothing is written and nothing leaves', async () => {
      const s = await asked(sdk, two());
      const before = s.chat.messages;
      assert.deepEqual(s.guard.decide('c1', 'allow-once'), {
        type: 'drafted',
        toolCallId: 'c1',
        choice: 'allow-once',
        grant: undefined,
        also: [],
      });
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.chat.messages, before, 'the messages are the same list');
      assertAsking(s.home('c1'), 'ap-c1');
      const { status, decision, actor, outcome, undoable } = s.call('c1');
      assert.deepEqual(
        [status, decision, actor, outcome, undoable],
        ['drafted', 'allowed', 'person', 'allowed-once', true],
      );
      assert.equal(s.call('c2').status, 'asking');
      assert.deepEqual(callsOf(s, 'drafted'), ['c1']);
      const [draft] = entries(s, 'drafted');
      assert.deepEqual([draft.approved, draft.actor, draft.approvalId], [true, 'person', 'ap-c1']);
      assertHolds(s, 'waiting');
      assertWaitsFor(s, ['c1', 'commit'], ['c2', 'approval']);
    });

    test('C97 the last decision commits within the call, and one request leaves', async () => {
      const s = await asked(sdk, two(), {
        then: [continued([outputAvailable('c1'), outputDenied('c2')]), says()],
      });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      const last = s.guard.decide('c2', 'deny', { reason: 'not that one' });
      assert.equal(last.type, 'committed');
      assert.deepEqual([last.toolCallId, last.choice, last.grant, last.also], ['c2', 'deny', undefined, []]);
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
      assertDenied(s.home('c2'), { id: 'ap-c2', reason: 'not that one' });
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'not that one' }, { state: 'approval-responded' });
      assert.equal(s.last.trigger, 'submit-message');
      assertDenied(s.home('c2'), { id: 'ap-c2', reason: 'not that one' }, { state: 'output-denied' });
      assert.deepEqual(s.codes(), []);
    });

    for (const choice of ['allow-once', 'deny', 'allow-chat', 'deny-chat']) {
      test(`a batch of one call: ${choice} commits at once`, async () => {
        const s = await asked(sdk, one());
        const result = s.guard.decide('c1', choice);
        assert.equal(result.type, 'committed');
        assert.equal(result.choice, choice);
        const allows = choice.startsWith('allow');
        assert.equal(s.home('c1').state, 'approval-responded');
        assert.equal(s.home('c1').approval.approved, allows);
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(s.wire('c1').approval.approved, allows);
        assert.equal(
          s.call('c1').outcome,
          {
            'allow-once': 'allowed-once',
            deny: 'denied',
            'allow-chat': 'allowed-chat',
            'deny-chat': 'denied-chat',
          }[choice],
        );
      });
    }

    test('C97 decided backwards, the decisions stand in the messages in part order', async () => {
      const yes = [];
      const s = await asked(sdk, three(), {
        when: (own) => (o) => {
          const sends = own(o);
          if (sends) yes.push(o.messages.at(-1).parts.map((p) => p.state));
          return sends;
        },
      });
      const written = [];
      s.chat['~registerMessagesCallback'](() => {
        const states = s.chat.messages[1].parts.filter((p) => p.toolCallId).map((p) => p.state);
        written.push(states.map((state) => state !== 'approval-requested'));
      });
      s.guard.decide('c3', 'allow-once');
      s.guard.decide('c2', 'deny');
      assert.deepEqual(written, [], 'drafts are not written');
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.ok(written.length > 0);
      for (const states of written) {
        assert.ok(!states.join().includes('false,true'), `out of order: ${states}`);
      }
      assert.equal(yes.length, 1, 'the predicate said yes once');
      assert.ok(!yes[0].includes('approval-requested'), 'only over the whole batch');
      assert.deepEqual(callsOf(s, 'drafted'), ['c3', 'c2', 'c1']);
      assert.deepEqual(callsOf(s, 'answered'), ['c1', 'c2', 'c3']);
      assert.deepEqual(
        [s.wire('c1'), s.wire('c2'), s.wire('c3')].map((p) => p.approval.approved),
        [true, false, true],
      );
    });

    test('C21 the call id, the approval id and the call of the snapshot name the same call', async () => {
      const s = await asked(sdk, three());
      assert.equal(s.guard.decide('c1', 'allow-once').toolCallId, 'c1');
      assert.equal(s.guard.decide('ap-c2', 'allow-once').toolCallId, 'c2');
      assert.equal(s.guard.decide(s.call('c3'), 'deny').toolCallId, 'c3');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c3').approval.approved, false);
    });

    test('C103 C58 the reason leaves with an answer, and without one there is none', async () => {
      const s = await asked(sdk, three());
      s.guard.decide('c1', 'allow-once', { reason: 'only this time' });
      s.guard.decide('c2', 'deny', { reason: 'x'.repeat(500) });
      s.guard.decide('c3', 'deny');
      await s.settle();
      assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'only this time' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'x'.repeat(500) });
      assert.equal('reason' in s.wire('c3').approval, false);
    });

    test('C52 C53 every field of the approval leaves as it came, also of cards that were there at the attach', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm', everyField), asking('c2', 'mv', everyField))],
        script: [says()],
      });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 1);
      assertDenied(s.wire('c1'), { id: 'ap-c1', ...everyField, reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2', ...everyField });
    });

    test('C85 the input of a decided call is the same object', async () => {
      const s = await asked(sdk, two());
      const { input } = s.home('c1');
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      assert.equal(s.home('c1').input, input);
      await s.settle();
      assert.deepEqual(s.wire('c1').input, { path: '/a' });
    });

    test('C30 decided answers beside an open call of the page wait for its output', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), {
        guard: { clientTools: ['ui'] },
      });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed', 'the batch is what asks');
      await s.settle();
      assert.equal(s.count, 1);
      await s.output('k1', { picked: 1 });
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.wire('k1').output, { picked: 1 });
    });

    test('a call of the provider that asks belongs to the batch', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'rm'), gated('p1', 'search', {}, { call: { providerExecuted: true } })),
      );
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('p1', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('p1'), { id: 'ap-p1' });
    });

    test('whenAllDenied: hold holds a batch of denials, and a message carries them', async () => {
      const s = await asked(sdk, two(), { guard: { whenAllDenied: 'hold' } });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
      assertHolds(s, 'all-denied');
      await s.say('this instead');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C01 an empty response to a committed batch asks for nothing more', async () => {
      const s = await asked(sdk, two(), { then: [[], says()] });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.verdict().send, false);
    });

    test('C98 one answer leaves the other cards as they are, and the next message asks again', async () => {
      const s = await asked(sdk, two(), {
        then: [chained([outputAvailable('c1'), outputDenied('c2')], gated('c3', 'cp')), says()],
      });
      const other = s.call('c2');
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.call('c2'), other);
      s.guard.decide('c2', 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.call('c3').status, 'asking');
      assert.equal(s.guard.decide('c3', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c3'), { id: 'ap-c3' });
    });

    test('without attach a decision stays a draft, and goes out after it', async () => {
      const s = scene(sdk, { attach: false, script: [one(), says()] });
      await s.say();
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.deepEqual(s.guard.commit(), { type: 'not-attached' });
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      s.guard.attach(s.chat);
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });
  }),
);

forEachSdk((sdk) =>
  describe(`decide while the response streams, ${sdk.name}`, () => {
    async function streaming(options) {
      const first = live();
      let turned = false;
      const s = scene(sdk, {
        script: [
          first,
          () => {
            s.turnedAtRequest = turned;
            return says();
          },
          says(),
        ],
        chat: {
          onError: () => {},
          onFinish: () => {
            setTimeout(() => {
              turned = true;
            }, 0);
          },
        },
        ...options,
      });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      return { s, first };
    }

    test('what is decided commits when the response has ended, in the same turn, by the question of the SDK', async () => {
      const yes = [];
      const { s, first } = await streaming({
        when: (own) => (o) => {
          const sends = own(o);
          yes.push(sends);
          return sends;
        },
      });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.deepEqual(s.guard.commit(), { type: 'responding' });
      await until(() => true);
      assertAsking(s.home('c1'), 'ap-c1');
      first.push(gated('c2', 'mv'));
      await until(() => s.home('c2')?.state === 'approval-requested', { quiet: 1 });
      assert.equal(s.guard.decide('c2', 'deny', { reason: 'no' }).type, 'drafted');
      await until(() => true);
      assertAsking(s.home('c2'), 'ap-c2');
      assert.equal(s.count, 1);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.turnedAtRequest, false, 'the event loop has not turned since the response ended');
      assert.deepEqual(
        yes.filter((sends) => sends),
        [true],
      );
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(s.home('c2').approval.approved, false);
    });

    test('a response that ends with a call that asks: the last decision commits', async () => {
      const { s, first } = await streaming();
      s.guard.decide('c1', 'allow-once');
      first.push(gated('c2', 'mv'), finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.call('c1').status, 'drafted', 'the draft has outlived the response');
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C101 a draft that is undone while the response streams is not sent at its end', async () => {
      const { s, first } = await streaming();
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(s.guard.undo('c1'), { type: 'undone', toolCallIds: ['c1'] });
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
    });

    test('a call that asks is in the snapshot while the response streams', async () => {
      const { s, first } = await streaming();
      assert.deepEqual(statuses(s), { c1: 'asking' });
      first.push(gated('c2', 'mv'));
      await until(() => s.home('c2')?.state === 'approval-requested', { quiet: 1 });
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      assert.equal(s.guard.getSnapshot().batch.asking, 2);
      first.close();
      await s.settle();
    });

    test('C96 a call that comes after the page has shown the others is not touched', async () => {
      const { s, first } = await streaming();
      s.guard.observe(s.chat.messages);
      const shown = s.guard.getSnapshot().calls;
      first.push(gated('c2', 'rm'), finishStep, finish());
      first.close();
      await s.settle();
      assert.deepEqual(
        s.guard.decideAll(shown, 'allow-once').map((r) => [r.type, r.toolCallId]),
        [['drafted', 'c1']],
      );
      await s.settle();
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking' });
      assert.equal(s.count, 1);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`decideAll, ${sdk.name}`, () => {
    test('C96 it decides what it was given, gives one result for each, and no grants', async () => {
      const s = await asked(sdk, three());
      const results = s.guard.decideAll(['c2', 'c1'], 'allow-once', { reason: 'both' });
      assert.deepEqual(
        results.map((r) => [r.type, r.toolCallId, r.choice, r.grant, r.also]),
        [
          ['drafted', 'c2', 'allow-once', undefined, []],
          ['drafted', 'c1', 'allow-once', undefined, []],
        ],
      );
      await s.settle();
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      assert.equal(s.count, 1);
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual(
        s.guard.decideAll(['c3'], 'deny').map((r) => r.type),
        ['committed'],
      );
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'both' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2', reason: 'both' });
      assertDenied(s.wire('c3'), { id: 'ap-c3' });
    });

    for (const choice of ['allow-once', 'deny']) {
      test(`C96 ${choice} for the whole batch: one commit at the end, one request`, async () => {
        const s = await asked(sdk, three());
        const results = s.guard.decideAll(['c1', 'c2', 'c3'], choice);
        assert.equal(results.length, 3);
        assert.equal(results.at(-1).type, 'committed');
        assert.deepEqual(callsOf(s, 'drafted'), ['c1', 'c2', 'c3']);
        assert.deepEqual(callsOf(s, 'answered'), ['c1', 'c2', 'c3']);
        const types = s.guard.ledger().map((e) => e.type);
        assert.ok(
          types.indexOf('answered') > types.lastIndexOf('drafted'),
          'no commit before the last draft',
        );
        await s.settle();
        assert.equal(s.count, 2);
        for (const id of ['c1', 'c2', 'c3'])
          assert.equal(s.wire(id).approval.approved, choice === 'allow-once');
        assert.deepEqual(s.guard.grants(), []);
      });
    }

    test('C96 the next message of the same tool asks: nothing was granted', async () => {
      const s = await asked(sdk, one(), {
        then: [chained([outputAvailable('c1')], gated('n1', 'rm', { path: '/a' }))],
      });
      s.guard.decideAll(['c1'], 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.call('n1').status, 'asking');
    });

    test('refused ones do not hold the others up, and each says why', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny');
      const results = s.guard.decideAll(['nope', 'c1', 'c2', 'c2'], 'allow-once');
      assert.deepEqual(
        results.slice(0, 2).map((r) => [r.type, r.reason]),
        [
          ['refused', 'unknown-id'],
          ['refused', 'already-drafted'],
        ],
      );
      assert.ok(['drafted', 'committed'].includes(results[2].type));
      assert.equal(results[3].type, 'refused');
      assert.equal(entries(s, 'refused').length, 3);
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('an empty list decides nothing', async () => {
      const s = await asked(sdk, one());
      const before = s.guard.getSnapshot();
      const { length } = s.guard.ledger();
      assert.deepEqual(s.guard.decideAll([], 'allow-once'), []);
      assert.equal(s.guard.getSnapshot(), before);
      assert.equal(s.guard.ledger().length, length);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`what is refused, ${sdk.name}`, () => {
    test('unknown-id', async () => {
      const s = await asked(sdk, two());
      assertRefused(s, () => s.guard.decide('c9', 'allow-once'), 'unknown-id');
      assertRefused(s, () => s.guard.decide('', 'deny'), 'unknown-id');
      assertRefused(s, () => s.guard.decide('toString', 'allow-once'), 'unknown-id');
      assertRefused(s, () => s.guard.undo('c9'), 'unknown-id');
      assertRefused(s, () => s.guard.extend('c9'), 'unknown-id');
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('ambiguous-id: two calls that ask have this call id', async () => {
      const twin = (approvalId, path) => ({
        ...asking('call_0', 'rm', { id: approvalId }),
        input: { path },
      });
      const s = scene(sdk, {
        messages: [user(), assistant('a1', twin('ap-x', '/x'), twin('ap-y', '/y'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('call_0', 'allow-once'), 'ambiguous-id');
      const [x, y] = s.guard.getSnapshot().calls;
      assert.equal(s.guard.decide('ap-x', 'allow-once').type, 'drafted');
      assert.deepEqual(
        s.guard.getSnapshot().calls.map((c) => [c.approvalId, c.status]),
        [
          ['ap-x', 'drafted'],
          ['ap-y', 'asking'],
        ],
      );
      assert.equal(x.approvalId, 'ap-x');
      assert.equal(s.guard.decide(y, 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(
        parts(s.last.messages, 'call_0').map((p) => [p.input.path, p.approval.approved]),
        [
          ['/x', true],
          ['/y', false],
        ],
      );
    });

    test('C79 ambiguous-id: a call id that comes again in a later message', async () => {
      const again = (id, input) =>
        response(id, toolCall('call_0', 'rm', input), {
          type: 'tool-approval-request',
          toolCallId: 'call_0',
          approvalId: `ap-${id}`,
        });
      const s = scene(sdk, {
        script: [
          again('m1', { path: '/x' }),
          continued([outputAvailable('call_0')]),
          again('m2', { path: '/y' }),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('call_0', 'allow-once');
      await s.settle();
      await s.say('again');
      assert.equal(s.count, 3);
      assertRefused(s, () => s.guard.decide('call_0', 'allow-once'), 'ambiguous-id');
      assert.equal(s.guard.decide('ap-m2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 4);
      assertDenied(s.wire('call_0'), { id: 'ap-m2' });
    });

    test('C77 an old view never hits a newer call with the same ids and the same input', async () => {
      const again = response('a2', gated('c1', 'rm', { path: '/a' }));
      const s = await asked(sdk, one(), { then: [again, says()] });
      const old = s.call('c1');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual([s.call('c1').status, s.call('c1').approvalId], ['asking', 'ap-c1']);
      assertRefused(s, () => s.guard.decide(old, 'allow-once'), 'gone');
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 2);
      assert.equal(s.guard.decide(s.call('c1'), 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('already-drafted', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'allow-chat'), 'already-drafted');
      assert.equal(s.call('c1').outcome, 'allowed-once');
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.count, 1);
    });

    test('C34 already-answered: a double click, a late click, and a call that was answered directly', async () => {
      const s = await asked(sdk, one());
      s.guard.decide('c1', 'allow-once');
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-answered');
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      await s.settle();
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      const direct = await asked(sdk, two());
      await direct.approve('c1');
      assertRefused(direct, () => direct.guard.decide('c1', 'deny'), 'already-answered');
      assertAllowed(direct.home('c1'), { id: 'ap-c1' });
    });

    test('already-answered: cards that were answered before this page', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', answered('c1', 'rm', true), asking('c2', 'mv'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      assert.equal(s.call('c1').outcome, 'allowed-elsewhere');
      assert.equal(s.count, 0);
    });

    test('C59 superseded', async () => {
      const s = await asked(sdk, one());
      await s.say('something else');
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'superseded');
      assertRefused(s, () => s.guard.decide('ap-c1', 'allow-chat'), 'superseded');
      assertDenied(s.home('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C64 gone', async () => {
      const s = await asked(sdk, one(), { then: [response('a2', gated('c2', 'mv')), says()] });
      const view = s.call('c1');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'gone');
      assertRefused(s, () => s.guard.decide(view, 'allow-once'), 'gone');
      assert.deepEqual(statuses(s), { c2: 'asking' });
    });

    test('C14 unreachable: the user has written over it', async () => {
      const s = await asked(sdk, one(), { guard: { whenUserSends: 'pass' } });
      await s.say('meanwhile');
      assert.equal(s.count, 2);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'unreachable');
      assertAsking(s.home('c1'), 'ap-c1');
    });

    test('unreachable: it asks in an earlier step', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm'), step, asking('c2', 'mv'))],
        script: [says()],
      });
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'unreachable');
      assert.deepEqual(s.guard.getSnapshot().batch.toolCallIds, ['c2']);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('not-asking: a call that nobody has to approve', async () => {
      const s = await asked(
        sdk,
        response('a1', toolCall('k1', 'ui'), toolCall('s1', 'search'), gated('c1', 'rm')),
        {
          guard: { clientTools: ['ui'] },
        },
      );
      for (const id of ['k1', 's1']) {
        assertRefused(s, () => s.guard.decide(id, 'allow-once'), 'not-asking');
        assertRefused(s, () => s.guard.decide(id, 'deny'), 'not-asking');
      }
      assert.equal(s.home('k1').state, 'input-available');
      assert.equal(s.home('k1').approval, undefined);
    });

    test('T2 changed: the input is another one than the page was shown', async () => {
      const s = await asked(sdk, two());
      const shown = s.call('c1');
      replaceInput(s, 'c1', { path: '/etc' });
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed', { finds: true });
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed');
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(s.call('c1').input, { path: '/etc' });
      assert.notEqual(s.call('c1'), shown);
      assert.equal(s.guard.decide(s.call('c1'), 'allow-once').type, 'drafted');
    });

    test('T2 changed: written into the very object that the page was shown', async () => {
      const s = await asked(sdk, two());
      const shown = s.call('c1');
      s.home('c1').input.path = '/etc';
      assertRefused(s, () => s.guard.decide(shown, 'allow-once'), 'changed', { finds: true });
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.count, 1);
    });

    test('T2 an equal copy of the input is no change', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm', { a: 1, b: { c: [1, 2] } })));
      const shown = s.call('c1');
      replaceInput(s, 'c1', { b: { c: [1, 2] }, a: 1 });
      assert.equal(s.guard.decide(shown, 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
    });

    for (const [how, change] of [
      ['in a new list', (s) => replaceInput(s, 'c1', { path: '/etc' })],
      [
        'in the same object',
        (s) => {
          s.home('c1').input.path = '/etc';
        },
      ],
    ]) {
      test(`T2 an input that changes ${how} after the decision voids the draft, and the call asks again`, async () => {
        const s = await asked(sdk, two());
        s.guard.decide('c1', 'allow-once');
        change(s);
        assert.equal(s.guard.decide('c2', 'allow-once').type, 'drafted', 'the batch is not decided any more');
        await s.settle();
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'ap-c1');
        assertAsking(s.home('c2'), 'ap-c2');
        assert.deepEqual(statuses(s), { c1: 'asking', c2: 'drafted' });
        assert.deepEqual(callsOf(s, 'voided'), ['c1']);
        assert.equal(s.guard.decide('c1', 'deny').type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test(`T2 an input that changes ${how} while the batch can be undone: commit() waits`, async () => {
        const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
        s.guard.decideAll(['c1', 'c2'], 'allow-once');
        change(s);
        const result = s.guard.commit();
        assert.equal(result.type, 'waiting');
        assert.deepEqual(
          result.waitingFor.map((c) => [c.toolCallId, c.need]),
          [['c1', 'approval']],
        );
        await s.settle();
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'ap-c1');
      });
    }

    test('C108 not-comparable: an input without a canonical form can be allowed once, or for the whole tool', async () => {
      const endless = { path: '/a' };
      endless.self = endless;
      const odd = (id, input) => ({ ...asking(id, 'rm'), input });
      const s = scene(sdk, {
        messages: [
          user(),
          assistant('a1', odd('c1', endless), odd('c2', { run: () => {} }), asking('c3', 'mv')),
        ],
        script: [],
      });
      for (const id of ['c1', 'c2']) {
        assertRefused(s, () => s.guard.decide(id, 'allow-chat'), 'not-comparable');
        assertRefused(s, () => s.guard.decide(id, 'deny-chat', { covers: 'input' }), 'not-comparable');
      }
      assert.deepEqual(s.guard.grants(), []);
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal(s.guard.undo('c1').type, 'undone');
      const result = s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      assert.equal(result.type, 'drafted');
      assert.equal(result.grant.covers, 'tool');
      assert.deepEqual(result.also, ['c2']);
    });

    test('C88 not-comparable: a field that is named and that the input has not', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'rm', ['/a']), gated('c3', 'rm', {})),
      );
      for (const [id, covers] of [
        ['c1', ['size']],
        ['c1', ['path', 'size']],
        ['c1', ['toString']],
        ['c1', ['__proto__']],
        ['c1', ['constructor']],
        ['c2', ['length']],
        ['c3', ['path']],
      ]) {
        for (const choice of ['allow-chat', 'deny-chat'])
          assertRefused(s, () => s.guard.decide(id, choice, { covers }), 'not-comparable');
        assert.deepEqual(s.guard.covered(id, covers), []);
      }
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking', c3: 'asking' });
      assert.deepEqual(s.guard.grants(), []);
      assert.deepEqual(s.guard.decide('c1', 'allow-chat', { covers: ['path'] }).also, []);
    });

    test('unavailable: the guard was disposed of', async () => {
      const s = await asked(sdk, one());
      s.guard.dispose();
      for (const act of [
        () => s.guard.decide('c1', 'allow-once'),
        () => s.guard.undo('c1'),
        () => s.guard.undoAll(),
        () => s.guard.extend('c1'),
        () => s.guard.revoke('g1'),
        () => s.guard.revokeAll(),
        () => s.guard.decideAll(['c1'], 'allow-once')[0],
      ]) {
        const result = act();
        assert.deepEqual([result.type, result.reason], ['refused', 'unavailable']);
        assert.match(result.message, /\.$/);
      }
      assert.deepEqual(s.guard.grants(), []);
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`deny wins, ${sdk.name}`, () => {
    test('C34 a Deny replaces a drafted Allow', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      const result = s.guard.decide('c1', 'deny', { reason: 'rather not' });
      assert.equal(result.type, 'drafted');
      assert.equal(result.choice, 'deny');
      assert.deepEqual([s.call('c1').decision, s.call('c1').outcome], ['denied', 'denied']);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'rather not' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(
        entries(s, 'drafted', 'c1').map((e) => e.approved),
        [true, false],
      );
    });

    test('C34 an Allow over a drafted Deny is refused, and so is a second Deny', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'allow-chat', { covers: 'tool' }), 'already-drafted');
      assertRefused(s, () => s.guard.decide('c1', 'deny', { reason: 'never' }), 'already-drafted');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assert.deepEqual(s.guard.grants(), []);
    });

    test('C34 a direct Deny beats a drafted Allow', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      await s.deny('c1', 'no, after all');
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no, after all' });
      assert.equal(s.call('c1').decision, 'denied');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no, after all' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Deny beats a drafted Allow in a batch that waits for its commit', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.deny('c1', 'no');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Allow over a drafted Deny is refused: the denial stands at home and on the wire', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.approve('c1', 'yes');
      assert.notEqual(s.home('c1').approval.approved, true, 'no allowance stands at home');
      assert.equal(s.call('c1').decision, 'denied');
      assert.equal(entries(s, 'refused', 'c1').length, 1);
      assert.equal(s.count, 1);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 a direct Allow over a drafted Deny of the only call', async () => {
      const s = await asked(sdk, one(), { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.approve('c1');
      assert.notEqual(s.home('c1').approval.approved, true);
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C34 a direct Allow over a drafted Deny while the response streams', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.answer('c1', true);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    for (const approved of [true, false]) {
      test(`a direct answer (${approved}) beside drafts for the others completes the batch`, async () => {
        const s = await asked(sdk, three());
        s.guard.decide('c3', 'allow-once');
        s.guard.decide('c1', 'deny', { reason: 'no' });
        await (approved ? s.approve('c2', 'ok') : s.deny('c2', 'neither'));
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
        assert.equal(s.wire('c2').approval.approved, approved);
        assertAllowed(s.wire('c3'), { id: 'ap-c3' });
        assert.deepEqual(statuses(s).c1 === 'drafted', false);
      });
    }

    test('a direct answer first, then a decision for the last one', async () => {
      const s = await asked(sdk, two());
      await s.deny('c1', 'no');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c2', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('a direct answer does not shorten the time in which drafts can be undone', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-once');
      await s.approve('c2');
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.guard.undo('c1').type, 'undone');
      s.guard.decide('c1', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C43 an output that the page writes over a draft is no answer', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.output('c1', { denied: true }, 'rm');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C42 an output that the page writes over a committed denial leaves as the denial', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), {
        guard: { clientTools: ['ui'] },
      });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.output('c1', { success: false, denied: true }, 'rm');
      await s.output('k1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });
  }),
);

forEachSdk((sdk) =>
  describe(`what became of the decisions, ${sdk.name}`, () => {
    test('C16 C105 a failed send keeps everything, and retry() sends the same decisions once', async () => {
      const s = await asked(sdk, two(), {
        then: [reject(), continued([outputAvailable('c1'), outputDenied('c2')]), says()],
      });
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny', { reason: 'no' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.guard.getSnapshot().batch.phase, 'failed');
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
      assertDenied(s.home('c2'), { id: 'ap-c2', reason: 'no' });
      assert.deepEqual([s.call('c1').decision, s.call('c2').decision], ['allowed', 'denied']);
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
      assertRefused(s, () => s.guard.undo('c1'), 'already-answered');
      assert.equal(s.count, 2, 'nothing leaves again by itself');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal((await s.guard.retry()).type, 'nothing-to-send');
      assert.equal(s.count, 3);
    });

    test('C105 a batch whose response broke is in doubt', async () => {
      const s = await asked(sdk, one(), { then: [broken([start()]), says()] });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.guard.getSnapshot().batch.phase, 'in-doubt');
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.equal(s.call('c1').outcome, 'allowed-once');
    });

    test('C20 a predicate around the guard that says no: committed, not sent, and retry() sends', async () => {
      let online = false;
      const s = await asked(sdk, one(), { when: (own) => (o) => own(o) && online });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 1);
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
      assert.equal(s.call('c1').status, 'answered');
      assert.equal(s.guard.getSnapshot().batch.phase, 'answered');
      online = true;
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C16 decided after the response that asks broke: it goes out', async () => {
      const s = scene(sdk, { script: [broken([start('a1'), startStep, ...gated('c1', 'rm')]), says()] });
      await s.say();
      assert.equal(s.chat.status, 'error');
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C16 decided before the response that asks broke: not lost, and a person sends it once', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      first.fail(new Error('net'));
      await s.settle();
      assert.equal(s.count, 1, 'nothing leaves by itself');
      assert.equal(s.call('c1').decision, 'denied');
      if (s.guard.commit().type === 'nothing-to-commit')
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C17 decided within onFinish, before the SDK has asked: one request', async () => {
      let results;
      let s;
      s = scene(sdk, {
        script: [two(), says(), says()],
        chat: {
          onError: () => {},
          onFinish: () => {
            results ??= s.guard.decideAll(['c1', 'c2'], 'allow-once');
          },
        },
      });
      await s.say();
      await s.settle();
      assert.ok(
        results.every((r) => ['drafted', 'committed'].includes(r.type)),
        JSON.stringify(results),
      );
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C30 an output of the page beside drafts does not send them', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), {
        guard: { clientTools: ['ui'], undoMs: Infinity },
      });
      s.guard.decide('c1', 'allow-once');
      await s.output('k1');
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'drafted');
      assertAsking(s.home('c1'), 'ap-c1');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C97 forty calls, decided one by one from the last: one request, in part order', async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);
      const s = await asked(sdk, response('a1', ...ids.map((id) => gated(id, 'rm', { id }))));
      const results = [...ids].reverse().map((id, i) => s.guard.decide(id, i % 3 ? 'allow-once' : 'deny'));
      assert.deepEqual(
        results.map((r) => r.type),
        [...Array(39).fill('drafted'), 'committed'],
      );
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(callsOf(s, 'answered'), ids);
      for (const [i, id] of [...ids].reverse().entries())
        assert.equal(s.wire(id).approval.approved, i % 3 !== 0, id);
    });

    test('C70 an older list, and a deep copy of the list, undo no draft', async () => {
      const s = await asked(sdk, two());
      const older = structuredClone(s.chat.messages);
      s.guard.decide('c1', 'allow-once');
      s.guard.observe(older);
      s.guard.observe(older.slice(0, 1));
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking' });
      s.chat.messages = structuredClone(s.chat.messages);
      s.guard.observe(s.chat.messages);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'asking' });
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      s.guard.observe(older);
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
    });

    test('retry() and resume() send no drafts', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      assert.notEqual((await s.guard.retry()).type, 'sent');
      assert.notEqual((await s.guard.resume()).type, 'sent');
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(statuses(s), { c1: 'drafted', c2: 'drafted' });
    });

    test('commit() says what stands in the way', async () => {
      const s = scene(sdk, { guard: { undoMs: Infinity }, script: [two(), says()] });
      assert.deepEqual(s.guard.commit(), { type: 'nothing-to-commit' });
      await s.say();
      s.guard.decide('c2', 'allow-once');
      const waits = s.guard.commit();
      assert.equal(waits.type, 'waiting');
      assert.deepEqual(
        waits.waitingFor.map((c) => [c.toolCallId, c.approvalId, c.toolName, c.need]),
        [['c1', 'ap-c1', 'rm', 'approval']],
      );
      await s.settle();
      assertAsking(s.home('c2'), 'ap-c2');
      s.guard.decide('c1', 'deny');
      assert.deepEqual(s.guard.commit(), { type: 'committed', toolCallIds: ['c1', 'c2'] });
      assert.deepEqual(s.guard.commit(), { type: 'nothing-to-commit' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.commit(), { type: 'nothing-to-commit' });
    });

    test('C104 the ledger tells who decided what, in order', async () => {
      const s = await asked(sdk, two(), {
        then: [continued([outputAvailable('c1'), outputDenied('c2')])],
      });
      s.guard.decide('c1', 'allow-once');
      s.guard.undo('c1');
      s.guard.decide('c1', 'deny');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      const own = s.guard
        .ledger()
        .filter((e) => e.toolCallId === 'c1')
        .map((e) => e.type);
      const order = ['asked', 'drafted', 'undone', 'drafted', 'answered', 'carried'];
      let at = -1;
      for (const type of order) {
        at = own.indexOf(type, at + 1);
        assert.ok(at >= 0, `${type} is missing in ${own.join(', ')}`);
      }
      for (const e of s.guard.ledger().filter((x) => ['drafted', 'undone', 'answered'].includes(x.type)))
        assert.equal(e.actor, 'person', e.type);
      assert.deepEqual(s.events.length, s.guard.ledger().length);
    });

    test('a decision within a listener, and within onEvent, is as good as any other', async () => {
      const s = await asked(sdk, two());
      let once = true;
      s.guard.subscribe(() => {
        if (!once) return;
        once = false;
        assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(s.codes(), []);
    });

    test('C89 two chats with the same ids decide apart', async () => {
      const [s, other] = [await asked(sdk, one()), await asked(sdk, one())];
      s.guard.decide('c1', 'allow-once');
      await Promise.all([s.settle(), other.settle()]);
      assert.deepEqual([s.count, other.count], [2, 1]);
      assertAsking(other.home('c1'), 'ap-c1');
      assert.equal(other.call('c1').status, 'asking');
      other.guard.decide('c1', 'deny');
      await other.settle();
      assertDenied(other.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
    });

    test('a card that is shown is never taken for answered before it is', async () => {
      const s = scene(sdk, { script: [two(), says()] });
      const page = watch(s);
      await s.say();
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      await s.settle();
      const order = ['open', 'asking', 'drafted', 'answered', 'sent', 'delivered', 'settled'];
      for (const id of ['c1', 'c2']) {
        const seen = page.statuses(id).map((status) => order.indexOf(status));
        assert.ok(!seen.includes(-1), page.statuses(id).join());
        assert.deepEqual(seen, [...seen].sort(), `${id} went back: ${page.statuses(id).join()}`);
      }
    });
  }),
);

forEachSdk((sdk) =>
  describe(`the same call again and again, ${sdk.name}`, () => {
    const again = (i, input = { path: '/a' }) =>
      chained([outputDenied(`c${i - 1}`)], gated(`c${i}`, 'rm', input));

    test('C09 refused three times: the batch is looping', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm', { path: '/a' })), again(2), again(3), again(4), says()],
      });
      await s.say();
      for (const i of [1, 2, 3]) {
        const { batch } = s.guard.getSnapshot();
        assert.deepEqual([batch.looping, batch.refusals, s.call(`c${i}`).refusals], [false, i - 1, i - 1]);
        assert.equal(batch.words.loop, '');
        s.guard.decide(`c${i}`, 'deny');
        await s.settle();
      }
      assert.equal(s.count, 4);
      const { batch } = s.guard.getSnapshot();
      assert.equal(batch.looping, true);
      assert.equal(batch.refusals, 3);
      assert.equal(s.call('c4').refusals, 3);
      assert.match(batch.words.loop, /3/);
    });

    test('C09 another input, or another tool, is another call', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', { path: '/a' })),
          again(2),
          again(3, { path: '/b' }),
          chained([outputDenied('c3')], gated('c4', 'mv', { path: '/a' })),
        ],
      });
      await s.say();
      for (const id of ['c1', 'c2', 'c3']) {
        if (id === 'c3') assert.equal(s.call('c3').refusals, 0);
        s.guard.decide(id, 'deny');
        await s.settle();
      }
      assert.equal(s.call('c4').refusals, 0);
      assert.equal(s.guard.getSnapshot().batch.looping, false);
    });

    test('C09 an allowance is no refusal', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm', { path: '/a' })),
          ...[2, 3, 4].map((i) =>
            chained([outputAvailable(`c${i - 1}`)], gated(`c${i}`, 'rm', { path: '/a' })),
          ),
        ],
      });
      await s.say();
      for (const id of ['c1', 'c2', 'c3']) {
        s.guard.decide(id, 'allow-once');
        await s.settle();
      }
      assert.deepEqual([s.call('c4').refusals, s.guard.getSnapshot().batch.looping], [0, false]);
    });
  }),
);
