// A person decides: drafts, the batch, and what is sent.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import {
  assertAllowed,
  assertAsking,
  assertDenied,
  assertHolds,
  assertWaitsFor,
} from './support/assertions.mjs';
import { callsOf, chained, entries, statuses } from './support/decide.mjs';
import { asking, assistant, call, everyField, user } from './support/stored.mjs';
import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  toolCall,
} from './support/chunks.mjs';
import { asked, one, three, two } from './support/asked.mjs';
import { named } from './support/named.mjs';

forEachSdk((sdk) =>
  describe(`decide, ${sdk.name}`, () => {
    test('C101 a decision is a draft: nothing is written and nothing is sent', async () => {
      const s = await asked(sdk, two());
      const before = s.chat.messages;
      assert.deepEqual(named(s.guard, s.guard.decide('c1', 'allow-once')), {
        type: 'drafted',
        key: 'c1',
        choice: 'allow-once',
        grant: undefined,
        also: [],
      });
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.chat.messages, before, 'the messages are the same list');
      assertAsking(s.home('c1'), 'ap-c1');
      const { status, decision, actor, outcome, can } = s.call('c1');
      assert.deepEqual(
        [status, decision, actor, outcome, can.undo],
        ['drafted', 'allowed', 'person', 'allowed-once', true],
      );
      assert.equal(s.call('c2').status, 'asking');
      assert.deepEqual(callsOf(s, 'drafted'), ['c1']);
      const [draft] = entries(s, 'drafted');
      assert.deepEqual([draft.approved, draft.actor, draft.approvalId], [true, 'person', 'ap-c1']);
      assertHolds(s, 'waiting');
      assertWaitsFor(s, ['c1', 'commit'], ['c2', 'approval']);
    });

    test('C97 the last decision commits at once, and one request is sent', async () => {
      const s = await asked(sdk, two(), {
        then: [continued([outputAvailable('c1'), outputDenied('c2')]), says()],
      });
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      const last = named(s.guard, s.guard.decide('c2', 'deny', { reason: 'not that one' }));
      assert.equal(last.type, 'committed');
      assert.deepEqual([last.key, last.choice, last.grant, last.also], ['c2', 'deny', undefined, []]);
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

    test('C97 decisions made in reverse order are in the messages in part order', async () => {
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

    test('C21 the call id, the approval id and the call of the snapshot identify the same call', async () => {
      const s = await asked(sdk, three());
      assert.equal(named(s.guard, s.guard.decide('c1', 'allow-once').key), 'c1');
      assert.equal(named(s.guard, s.guard.decide('ap-c2', 'allow-once').key), 'c2');
      assert.equal(named(s.guard, s.guard.decide(s.call('c3'), 'deny').key), 'c3');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c3').approval.approved, false);
    });

    test('C103 C58 the reason is sent with the answer; a denial without one carries the default', async () => {
      const s = await asked(sdk, three());
      s.guard.decide('c1', 'allow-once', { reason: 'only this time' });
      s.guard.decide('c2', 'deny', { reason: 'x'.repeat(500) });
      s.guard.decide('c3', 'deny');
      await s.settle();
      assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'only this time' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'x'.repeat(500) });
      assertDenied(s.wire('c3'), { id: 'ap-c3', reason: 'The user denied permission for this call.' });
    });

    for (const [what, text, reason] of [
      ['changes', 'Nein.', 'Nein.'],
      ['leaves out', '', undefined],
    ]) {
      test(`an application ${what} the default reason of a denial`, async () => {
        const locale = { locale: 'en', messages: { 'reason.denied': text } };
        const s = await asked(sdk, three(), { guard: { locale } });
        s.guard.decideAll(['c1', 'c2'], 'deny');
        s.guard.decide('c3', 'allow-once');
        await s.settle();
        for (const id of ['c1', 'c2']) {
          assert.equal(s.wire(id).approval.approved, false);
          assert.equal(s.wire(id).approval.reason, reason);
          assert.equal('reason' in s.wire(id).approval, reason !== undefined);
        }
        assert.equal('reason' in s.wire('c3').approval, false, 'an allowance needs no reason');
      });
    }

    test("a denial through the chat's own function is sent as it came, without a reason", async () => {
      const s = await asked(sdk, one());
      await s.chat.addToolApprovalResponse({ id: 'ap-c1', approved: false });
      await s.settle();
      assert.deepEqual(s.wire('c1').approval, { id: 'ap-c1', approved: false });
    });

    test('C52 C53 every field of the approval is sent as it came, also for cards that existed at the attach', async () => {
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

    test('C30 decisions wait for the output of an open call of the page', async () => {
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

    test('C98 one answer does not change the other cards, and the next message asks again', async () => {
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

    test('without attach a decision stays a draft, and is sent after it', async () => {
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
  describe(`decideAll, ${sdk.name}`, () => {
    test('C96 it decides exactly the given calls, with one result for each, and gives no grants', async () => {
      const s = await asked(sdk, three());
      const results = s.guard.decideAll(['c2', 'c1'], 'allow-once', { reason: 'both' });
      assert.deepEqual(
        results.map((r) => [r.type, named(s.guard, r.key), r.choice, r.grant, r.also]),
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

    test('a refusal does not hold up the other calls, and says why', async () => {
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
