// The options of the request that carries a decision: headers, body and metadata.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';

import { createRecord } from 'tool-approval-guard/record';
import { GuardError, macrotask, scene, until } from './support/chat.mjs';
import { live, reject } from './support/scripted-transport.mjs';
import { assertAllowed } from './support/assertions.mjs';
import { assertMisuse } from './support/decide.mjs';
import { storageOf } from './support/reload.mjs';
import { forEachSdk } from './support/sdk.mjs';
import {
  continued,
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
import { answered, assistant, asking, call, user } from './support/stored.mjs';

const one = () => response('a1', gated('c1', 'rm'));
const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const bearer = (token) => ({ headers: { authorization: `Bearer ${token}` } });
const FULL = { ...bearer('full'), body: { model: 'm' }, metadata: { tab: 1 } };

/** The options of a request; -1 is the last one. */
const givenTo = (s, at = -1) => {
  const { headers, body, metadata } = s.transport.requests.at(at);
  return JSON.parse(JSON.stringify({ headers, body, metadata }));
};
const sayWith = async (s, options) => {
  await s.chat.sendMessage({ text: 'go' }, options);
  await s.settle();
};

forEachSdk((sdk) =>
  describe(`options of requests, ${sdk.name}`, () => {
    test('decide passes them on to the request that carries the decision', async () => {
      const s = scene(sdk, { script: [one(), continued([outputAvailable('c1')])] });
      await s.say();
      s.guard.decide('c1', 'allow-once', { options: FULL });
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(givenTo(s), FULL);
    });

    test('where responses overlap, an automatic request has those of the last message', async () => {
      const first = live();
      const s = scene(sdk, {
        script: [says(), first, response('a3', gated('c3', 'rm')), continued([outputAvailable('c3')], 'a3')],
      });
      await s.say();
      const early = s.chat.sendMessage({ text: 'one' }, { ...FULL, body: { of: 'one' } });
      await first.started;
      first.push(start('a2'), startStep);
      await macrotask();
      await s.chat.sendMessage({ text: 'two' }, bearer('two'));
      first.push(says('On.').slice(2, -2));
      await macrotask();
      s.guard.observe(s.chat.messages);
      s.guard.decide('c3', 'allow-once');
      await macrotask();
      assert.equal(s.count, 3);
      first.push(finishStep, finish());
      first.close();
      await early;
      await s.settle();
      assert.equal(s.count, 4);
      assertAllowed(s.wire('c3'), { id: 'ap-c3' });
      assert.deepEqual(givenTo(s), bearer('two'));
    });

    test('a page may have one object of headers for all that it sends', async () => {
      const { headers } = FULL;
      const s = scene(sdk, {
        script: [says(), response('a2', gated('c2', 'rm')), continued([outputAvailable('c2')], 'a2')],
      });
      await sayWith(s, { headers });
      await sayWith(s, { headers });
      const options = { headers, body: { comment: 'for c2' } };
      s.guard.decide('c2', 'allow-once', { options });
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(givenTo(s), options);
    });

    test('without options, a request gets those of the last request of a person', async () => {
      const s = scene(sdk, {
        script: [one(), response('a2', gated('c3', 'rm')), says(), response('a4', gated('c4', 'rm')), says()],
      });
      await sayWith(s, FULL);
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.deepEqual(givenTo(s), FULL);
      s.guard.decide('c3', 'deny');
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(givenTo(s), FULL, 'also in the next step');
      await sayWith(s, undefined);
      s.guard.decide('c4', 'allow-once');
      await s.settle();
      assert.equal(s.count, 5);
      assert.deepEqual(givenTo(s), {}, 'what was for an earlier message is over');
    });

    test('the options of one decision do not apply to the next one', async () => {
      for (const options of [bearer('once'), { body: { comment: 'for c1 alone' } }, {}]) {
        const s = scene(sdk, { script: [one(), response('a2', gated('c3', 'rm')), says()] });
        await sayWith(s, FULL);
        s.guard.decide('c1', 'allow-once', { options });
        await s.settle();
        assert.deepEqual(givenTo(s), options);
        s.guard.decide('c3', 'allow-once');
        await s.settle();
        assert.equal(s.count, 3);
        assert.deepEqual(givenTo(s), FULL);
      }
    });

    test('in a batch the options of the newest standing decision count, as a whole', async () => {
      const s = scene(sdk, { guard: { undoMs: Infinity }, script: [two(), says()] });
      await sayWith(s, FULL);
      s.guard.decide('c2', 'allow-once', { options: bearer('first') });
      s.guard.decide('c1', 'allow-once', { options: { body: { n: 1 } } });
      s.guard.undo('c1');
      s.guard.decide('c1', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(givenTo(s), bearer('first'));
    });

    test('a decision that replaces another has its own options', async () => {
      const s = scene(sdk, { script: [two(), says()] });
      await sayWith(s, FULL);
      s.guard.decide('c1', 'allow-once', { options: bearer('old') });
      s.guard.decide('c1', 'deny');
      s.guard.decide('c2', 'deny');
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(givenTo(s), FULL);
    });

    test('decideAll accepts options, and empty options mean none', async () => {
      for (const options of [bearer('all'), {}]) {
        const s = scene(sdk, { script: [two(), says()] });
        await sayWith(s, FULL);
        s.guard.decideAll(['c1', 'c2'], 'allow-once', { options });
        await s.settle();
        assert.equal(s.count, 2);
        assert.deepEqual(givenTo(s), options);
      }
    });

    test('options wait with the draft for undoMs', async () => {
      const s = scene(sdk, { guard: { undoMs: 30 }, script: [one(), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once', { options: FULL });
      assert.equal(s.count, 1);
      await until(() => s.count === 2);
      assert.deepEqual(givenTo(s), FULL);
    });

    test('options wait with the commit for its transaction', async (t) => {
      const record = createRecord({ storage: storageOf(new Map(), { later: true }) });
      const s = scene(sdk, { guard: { record }, script: [one(), says()] });
      t.after(() => s.guard.dispose());
      await s.say();
      s.guard.decide('c1', 'allow-once', { options: FULL });
      assert.equal(s.count, 1);
      await until(() => s.count === 2);
      assert.deepEqual(givenTo(s), FULL);
    });

    test('retry() repeats the options of the failed request, or accepts others', async () => {
      const s = scene(sdk, { script: [one(), reject(), reject(), reject(), says()] });
      await sayWith(s, bearer('old'));
      s.guard.decide('c1', 'allow-once', { options: FULL });
      await s.settle();
      await s.guard.retry();
      await s.settle();
      assert.deepEqual(givenTo(s), FULL);
      await s.guard.retry({ options: bearer('new') });
      await s.settle();
      assert.deepEqual(givenTo(s), bearer('new'));
      await s.guard.retry(new Event('click'));
      await s.settle();
      assert.equal(s.count, 5);
      assert.deepEqual(givenTo(s), bearer('new'), 'the event of a button is no options');
    });

    test('retry() passes options to a request that carries only an output', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui')), reject(), reject(), says()],
      });
      await sayWith(s, FULL);
      await s.output('k1');
      assert.deepEqual(givenTo(s), {}, 'what the page writes by itself is not for the guard');
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(givenTo(s), FULL);
      await s.guard.retry({ options: bearer('new') });
      await s.settle();
      assert.equal(s.count, 4);
      assert.deepEqual(givenTo(s), bearer('new'));
    });

    test('resume() accepts options', async () => {
      for (const part of [answered('c1', 'rm', true), call('k1', 'ui', 'output-available', { output: 1 })]) {
        const s = scene(sdk, { messages: [user(), assistant('a1', part)], script: [says()] });
        assert.equal((await s.guard.resume({ options: FULL })).type, 'sent');
        await s.settle();
        assert.deepEqual(givenTo(s), FULL);
      }
    });

    test('options of an answer that could not be written are used by retry()', async () => {
      const s = scene(sdk, { messages: [user(), assistant('a1', asking('c1', 'rm'))], script: [says()] });
      s.detach();
      s.chat.addToolApprovalResponse = async () => {
        throw new Error('no');
      };
      s.guard.attach(s.chat);
      s.guard.decide('c1', 'allow-once', { options: FULL });
      await s.settle();
      assert.deepEqual(s.codes(), ['commit-failed']);
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(givenTo(s), FULL);
    });

    test('anything else is refused, and nothing changes', async () => {
      const s = scene(sdk, { script: [one()] });
      await s.say();
      const wrong = [null, 5, 'x', { trigger: 'regenerate-message' }, { ...FULL, messageId: 'm' }];
      for (const options of wrong) {
        const what = JSON.stringify(options);
        assertMisuse(s, () => s.guard.decide('c1', 'deny', { options }), what);
        assertMisuse(s, () => s.guard.decideAll(['c1'], 'deny', { options }), what);
        for (const again of [s.guard.retry, s.guard.resume]) {
          await assert.rejects(
            again({ options }),
            (e) => e instanceof GuardError && e.code === 'invalid-input' && /headers/.test(e.message),
          );
        }
      }
      assert.equal(s.count, 1);
    });
  }),
);
