// `sendEach`: a backend that takes one answer at a time.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRules } from 'tool-approval-guard/rules';

import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { assertAllowed, assertAsking, assertDenied, assertHolds } from './support/assertions.mjs';
import {
  finish,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  toolCall,
} from './support/chunks.mjs';
import { live, reject } from './support/scripted-transport.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

/** A response that settles these calls and says nothing else. */
const settles = (...chunks) => [start('a1'), ...chunks, finish()];
const three = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'ls'));

forEachSdk((sdk) => {
  describe(`sendEach, ${sdk.name}`, () => {
    const each = (script, guard = {}) => scene(sdk, { script, guard: { sendEach: true, ...guard } });
    /** The calls whose answers stand in a request. */
    const answersIn = (request) =>
      request.messages
        .flatMap(({ parts }) => parts)
        .filter(({ state }) => state === 'approval-responded')
        .map(({ toolCallId }) => toolCallId);

    for (const [title, guard] of [
      ["sendOn: 'outputs'", { sendOn: 'outputs' }],
      ["whenAllDenied: 'hold'", { whenAllDenied: 'hold' }],
    ]) {
      test(`law 3: an answer that ${title} holds keeps no other decision back`, async () => {
        const two = response('a1', gated('c1', 'rm'), gated('c2', 'mv'));
        const s = each([two, settles(outputDenied('c1'), outputAvailable('c2'))], guard);
        await s.say();
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, 1);
        s.guard.decide('c2', 'allow-once');
        await s.settle();
        if (s.guard.getSnapshot().batch.action === 'send') await s.guard.proceed('send');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      });
    }

    test('law 3: an answer that is held leaves with the next one, also if rules have given both', async () => {
      const rules = createRules({ rules: [{ deny: 'rm' }, { allow: 'mv' }] });
      const two = response('a1', gated('c1', 'rm'), gated('c2', 'mv'));
      const guard = { whenAllDenied: 'hold', rules };
      const s = each([two, settles(outputDenied('c1'), outputAvailable('c2'))], guard);
      await s.say();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    for (const [how, answer] of [
      ['through the chat', (s, id, yes) => s.answer(id, yes)],
      ['through the guard', (s, id, yes) => s.guard.decide(id, yes ? 'allow-once' : 'deny')],
    ]) {
      test(`one request for each answer, while the others ask: ${how}`, async () => {
        const s = each([
          three(),
          settles(outputAvailable('c2')),
          settles(outputDenied('c1')),
          settles(outputAvailable('c3')),
        ]);
        await s.say();
        await answer(s, 'c2', true);
        await s.settle();
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c2'), { id: 'ap-c2' });
        for (const id of ['c1', 'c3']) assertAsking(s.wire(id), `ap-${id}`);
        await answer(s, 'c1', false);
        await s.settle();
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        await answer(s, 'c3', true);
        await s.settle();
        assert.equal(s.count, 4);
        assert.deepEqual(s.requests.slice(1).map(answersIn), [['c2'], ['c1'], ['c3']]);
        assert.deepEqual(s.codes(), []);
      });
    }

    test('law_1 after a stop an output alone still waits for the calls that ask, and nothing offers to send it', async () => {
      const s = each([response('a1', toolCall('k1', 'pick'), gated('c1', 'rm')), says()], {
        clientTools: ['pick'],
      });
      await s.say();
      await s.chat.stop();
      await s.put('k1');
      await s.settle();
      assert.equal(s.verdict().reason, 'waiting');
      assert.deepEqual(
        s.verdict().waitingFor.map(({ toolCallId }) => toolCallId),
        ['c1'],
      );
      assert.equal(s.guard.getSnapshot().batch.action, undefined);
      const { type, waitingFor } = await s.guard.retry();
      assert.deepEqual([type, waitingFor.map(({ toolCallId }) => toolCallId)], ['waiting', ['c1']]);
      assert.equal(s.count, 1);
      s.guard.decide('c1', 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.wire('k1').state, 'output-available');
    });

    test('law_2 decisions that come together leave one after the other, in their order, none twice', async () => {
      const first = live();
      const s = each([three(), first, settles(outputAvailable('c1')), settles(outputDenied('c2'))]);
      await s.say();
      s.guard.decide('c3', 'allow-once');
      await first.started;
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      assert.equal(s.count, 2);
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.call(id).status),
        ['drafted', 'drafted'],
        'the next one can be undone until the request has ended',
      );
      first.push(settles(outputAvailable('c3')));
      first.close();
      await s.settle();
      assert.equal(s.count, 4);
      assert.deepEqual(s.requests.slice(1).map(answersIn), [['c3'], ['c1'], ['c2']]);
      assert.deepEqual(s.codes(), []);
    });

    test('a response that only acknowledges: the next answer leaves all the same, and nothing by itself', async () => {
      const s = each([three(), settles(), settles(), settles()]);
      await s.say();
      for (const [i, id] of ['c1', 'c2', 'c3'].entries()) {
        s.guard.decide(id, 'deny');
        await s.settle();
        assert.equal(s.count, i + 2);
      }
    });

    test('decideAll: one request for each', async () => {
      const s = each([
        three(),
        settles(outputDenied('c1')),
        settles(outputDenied('c2')),
        settles(outputDenied('c3')),
      ]);
      await s.say();
      s.guard.decideAll(['c1', 'c2', 'c3'], 'deny');
      await s.settle();
      assert.deepEqual(s.requests.slice(1).map(answersIn), [['c1'], ['c2'], ['c3']]);
    });

    test('undoMs counts for each decision by itself', async () => {
      const s = each([three(), settles(outputAvailable('c1'))], { undoMs: Infinity });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.guard.commit().type, 'committed');
      await s.settle();
      assert.deepEqual(answersIn(s.last), ['c1']);
    });

    test('law_1 nothing else leaves early: an output, a call of the page, a broken answer', async () => {
      const s = each(
        [
          response('a1', gated('c1', 'rm'), toolCall('k1', 'ui'), gated('k2', 'ui')),
          settles(outputDenied('c1')),
          says(),
        ],
        { clientTools: ['ui'] },
      );
      await s.say();
      await s.output('k1');
      assert.equal(s.count, 1, 'an output waits for the calls that ask');
      assertHolds(s, 'waiting');
      await s.approve('k2');
      assert.equal(s.count, 1, 'the page has to run it first');
      assertHolds(s, 'waiting');
      await s.output('k2');
      assert.equal(s.count, 1, 'only an output is new');
      await s.deny('c1');
      assert.equal(s.count, 2);
    });

    test('law_1 a call of the page without its output holds an answer back', async () => {
      const s = each([response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), says()], {
        clientTools: ['ui'],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 1);
      await s.output('k1');
      assert.equal(s.count, 2);
    });

    test('a request that was refused is sent again by retry(), while the others ask', async () => {
      const s = each([three(), reject(), settles(outputAvailable('c1'))]);
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.chat.status, 'error');
      assert.equal((await s.guard.retry()).type, 'sent');
      await s.settle();
      assert.deepEqual(s.requests.slice(1).map(answersIn), [['c1'], ['c1']]);
      assert.deepEqual(
        ['c2', 'c3'].map((id) => s.call(id).status),
        ['asking', 'asking'],
      );
      assertHolds(s, 'waiting');
    });

    test('a hook that answers and then continues causes one request', async () => {
      const s = each([three(), settles(outputAvailable('c1')), says()]);
      await s.say();
      await s.answer('c1', true);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.chat.error, undefined);
    });

    test('law_16 once nothing asks any more, an allowance without a result is closed by a continue, not sent again', async () => {
      const s = each([response('a1', gated('c1', 'rm')), settles(), says()]);
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1', s.requests[1]), { id: 'ap-c1' });
      assert.equal(s.wire('c1').approval.approved, false);
    });

    for (const [how, options, act] of [
      ['a program has answered', {}, (s) => s.guard.decide('c1', 'allow-once', { source: 'policy' })],
      ['a person has answered before', { sendOn: 'outputs' }, undefined],
    ])
      test(`law_3 after a stop the button sends what ${how}, while another call asks`, async () => {
        const s = each([response('a1', gated('c1', 'rm'), gated('c2', 'mv')), settles()], options);
        await s.say();
        if (act === undefined) s.guard.decide('c1', 'deny');
        await s.settle();
        await s.chat.stop();
        act?.(s);
        await s.settle();
        assertHolds(s, 'stopped');
        const { action } = s.guard.getSnapshot().batch;
        assert.equal(action, 'send');
        assert.deepEqual(await s.guard.proceed(action), { type: 'sent' });
        await s.settle();
        assert.deepEqual(s.requests.slice(1).map(answersIn), [['c1']]);
      });

    test('law_3 the button sends an answer that the application has written, while another call asks', async () => {
      const stored = (...parts) => [user(), assistant('a1', ...parts)];
      const messages = stored(asking('c1', 'rm'), asking('c2', 'mv'));
      const s = scene(sdk, { script: [settles()], messages, guard: { sendEach: true } });
      // A chat that has not sent anything yet does not ask about a list that is set.
      s.chat.messages = stored(answered('c1', 'rm', true), asking('c2', 'mv'));
      s.guard.observe(s.chat.messages);
      await s.settle();
      const { action } = s.guard.getSnapshot().batch;
      assert.equal(action, 'send');
      assert.deepEqual(await s.guard.proceed(action), { type: 'sent' });
      await s.settle();
      assert.deepEqual(s.requests.map(answersIn), [['c1']]);
    });

    for (const choice of ['allow-chat', 'deny-chat'])
      test(`law_7 ${choice}: the call of the decision leaves first, and those that it covers after it`, async () => {
        const first = live();
        const s = each([response('a1', gated('c1', 'rm'), gated('c2', 'rm')), first, settles()]);
        await s.say();
        assert.equal(s.guard.decide('c2', choice, { covers: 'tool' }).type, 'committed');
        await first.started;
        assert.deepEqual(answersIn(s.last), ['c2']);
        assert.equal(s.call('c1').status, 'drafted');
        first.push(settles());
        first.close();
        await s.settle();
        assert.ok(answersIn(s.last).includes('c1'));
      });

    test('law_14 of several decisions, only the one that is in the messages is called committed', async () => {
      const s = each([three(), live()]);
      await s.say();
      const results = s.guard.decideAll(['c1', 'c2', 'c3'], 'deny');
      assert.deepEqual(
        results.map(({ type }) => type),
        ['committed', 'drafted', 'drafted'],
      );
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.home(id).state),
        ['approval-responded', 'approval-requested', 'approval-requested'],
      );
    });

    test('without the option each answer waits for the others', async () => {
      const s = scene(sdk, { script: [three(), says()] });
      await s.say();
      await s.approve('c1');
      await s.approve('c2');
      assert.equal(s.count, 1);
      await s.approve('c3');
      assert.equal(s.count, 2);
    });

    test('a wrong value is refused', () => {
      assert.throws(() => each([], { sendEach: 'yes' }), { code: 'invalid-option' });
    });
  });
});
