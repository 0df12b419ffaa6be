// One step, one send; one call, one answer (laws 2 and 7).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, parts, scene } from './support/chat.mjs';
import { forever, hanging, live } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, assertHolds, plain } from './support/assertions.mjs';
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
  text,
  toolCall,
} from './support/chunks.mjs';

forEachSdk((sdk) =>
  describe(`double, ${sdk.name}`, () => {
    for (const [first, second] of [
      [true, false],
      [false, true],
      [true, true],
      [false, false],
    ]) {
      test(`C34 ${first ? 'Allow' : 'Deny'} and ${second ? 'Allow' : 'Deny'} in one tick: the first wins, one request`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
        await s.say();
        await Promise.all([s.answer('c1', first, 'one'), s.answer('c1', second, 'two')]);
        await s.settle();
        assert.equal(s.count, 2);
        if (first) assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'one' });
        else assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'one' });
      });
    }

    test('C34 both cards in one tick: one request with both answers', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), says()] });
      await s.say();
      await Promise.all([s.answer('c1', true), s.answer('c2', false)]);
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C34 an output written twice is sent once', async () => {
      const s = scene(sdk, { script: [response('a1', toolCall('k1', 'ui')), says()] });
      await s.say();
      await Promise.all([s.put('k1', 'one'), s.put('k1', 'one')]);
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('k1').output, 'one');
    });

    test('C37 answer, then stop in the same tick', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says(), says()] });
      await s.say();
      const answered = s.answer('c1', true);
      const stopped = s.chat.stop();
      await Promise.all([answered, stopped]);
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      await s.settle();
      assert.equal(s.count, 1);
      await s.say('and now?');
      assert.equal(s.count, 2);
      assert.notEqual(s.wire('c1').approval.approved, true, 'what was stopped is withdrawn');
    });

    test('C37 an answer that the page writes into the messages, then stop in the same tick', async () => {
      for (const approved of [true, false]) {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
        await s.say();
        const responded = { state: 'approval-responded', approval: { id: 'ap-c1', approved } };
        s.chat.messages = s.chat.messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) => (part.toolCallId === 'c1' ? { ...part, ...responded } : part)),
        }));
        await s.chat.stop();
        await s.settle();
        assert.equal(s.count, 1, 'nothing is sent by itself');
        if (approved) assert.equal(s.call('c1').status, 'asking');
        assert.deepEqual(
          s.guard.ledger().flatMap(({ type, actor }) => (type === 'withdrawn' ? [actor] : [])),
          approved ? ['stop'] : [],
        );
      }
    });

    test('one stop of a response that runs is one entry', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), hanging([start(), startStep])] });
      await s.say();
      await s.answer('c1', true);
      await macrotask();
      await macrotask();
      await s.chat.stop();
      await s.settle();
      assert.equal(s.guard.ledger().filter(({ type }) => type === 'stopped').length, 1);
    });

    test('C37 stop while the continuation runs', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), hanging([start(), outputAvailable('c1')]), says()],
      });
      await s.say();
      const answered = s.answer('c1', true);
      await answered;
      await macrotask();
      await macrotask();
      assert.equal(s.count, 2);
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
    });

    test('C37 stop while the first response runs: a written output is not sent automatically', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      const said = s.send();
      await first.started;
      first.push(start('a1'), startStep, toolCall('k1', 'ui'));
      await macrotask();
      await s.put('k1');
      await s.chat.stop();
      await said;
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
    });

    test('C38 an allowance of a call that the provider runs is on the wire once in each later request', async () => {
      const [call, ask] = gated('p1', 'mcp');
      const s = scene(sdk, {
        script: [
          response('a1', [{ ...call, providerExecuted: true }, ask]),
          continued([{ ...outputAvailable('p1'), providerExecuted: true }]),
          says(),
        ],
      });
      await s.say();
      await s.answer('p1', true);
      await s.settle();
      await s.say('more');
      assert.equal(s.count, 3);
      for (const request of s.requests.slice(1)) assert.equal(parts(request.messages, 'p1').length, 1);
      assert.deepEqual(
        s.requests.map((request) => parts(request.messages, 'p1').map(({ state }) => state)),
        [[], ['approval-responded'], ['output-available']],
      );
    });

    test('C38 an allowance of a call that the provider repeats with its output has run, whatever comes after it', async () => {
      const [call, ask] = gated('p1', 'mcp', { query: 'a' });
      const byProvider = { ...call, providerExecuted: true };
      const script = [
        response('a1', [byProvider, ask]),
        [
          start(),
          startStep,
          byProvider,
          { ...outputAvailable('p1'), providerExecuted: true },
          ...text('Found one.'),
          finishStep,
          finish(),
        ],
      ];
      const s = scene(sdk, { script: [...script, says(), says()] });
      await s.say();
      await s.answer('p1', true);
      await s.settle();
      const shown = plain(parts(s.chat.messages, 'p1'));
      assert.deepEqual(
        shown.map(({ state }) => state),
        ['approval-responded', 'output-available'],
      );
      await s.say('more');
      assert.deepEqual(parts(s.last.messages, 'p1'), shown);
      assert.equal(s.guard.getSnapshot().calls.length, 2);
      await sdk.ai.convertToModelMessages(s.last.messages);

      // The next page has only seen that it was allowed.
      const next = scene(sdk, { script: [says()], messages: JSON.parse(JSON.stringify(s.chat.messages)) });
      await next.say('and then?');
      assert.deepEqual(parts(next.last.messages, 'p1'), shown);
    });

    test('C39 the wire carries exactly one answer per call', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), gated('c2', 'mv')),
          continued([outputDenied('c1'), outputAvailable('c2')]),
          says(),
        ],
      });
      await s.say();
      await Promise.all([
        s.answer('c1', false, 'no'),
        s.answer('c1', true),
        s.put('c1'),
        s.answer('c2', true),
      ]);
      await s.settle();
      await s.say('more');
      assert.equal(s.count, 3);
      for (const request of s.requests.slice(1)) {
        assert.equal(parts(request.messages, 'c1').length, 1);
        assertDenied(s.wire('c1', request), { id: 'ap-c1', reason: 'no' });
      }
    });

    test('C40 an older copy of an answered call is not sent again automatically', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')]), says()],
      });
      await s.say();
      let stale;
      const seen = s.answer('c1', true);
      await seen;
      stale = s.requests[1].messages;
      await s.settle();
      assert.equal(s.count, 2);
      s.chat.messages = stale;
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      await s.settle();
      assert.equal(s.count, 2);
    });

    test('C55 approving after stop is deliberate and sends once', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
      await s.say();
      await s.chat.stop();
      await s.settle();
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.count, 1);
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C55 an allowance from before the stop never leaves with a later answer', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), says(), says()],
      });
      await s.say();
      await s.approve('c1');
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 1);
      await s.approve('c2');
      await s.say('and now?');
      assert.ok(s.count >= 2);
      for (const request of s.requests.slice(1)) {
        assert.notEqual(s.wire('c1', request).approval?.approved, true, 'the stop withdrew it');
      }
    });

    test('C55 a denial from before the stop stays a denial', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), says()] });
      await s.say();
      await s.deny('c1', 'no');
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 1);
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C55 a stop in the middle of a response: its cards can be answered later', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      const said = s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await macrotask();
      await macrotask();
      await s.chat.stop();
      await said;
      await s.settle();
      assert.equal(s.count, 1);
      assertHolds(s, 'waiting');
      await s.deny('c1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C34 an answer while a response runs is not sent twice', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      const said = s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await macrotask();
      await Promise.all([s.answer('c1', true), s.answer('c1', true)]);
      await macrotask();
      assert.equal(s.count, 1);
      first.push(finishStep, finish());
      first.close();
      await said;
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C30 a client tool superseded by a message that is then removed is not new', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui')), forever([])],
      });
      await s.say();
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.equal(s.home('k1').state, 'output-error');
      s.chat.messages = s.chat.messages.slice(0, 2);
      assert.deepEqual(s.verdict().waitingFor, []);
      const { messages } = s.chat;
      const poison = { id: 'bad', role: 'assistant', parts: [{ type: 'step-start' }, null] };
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: [...messages, poison] }), false);
      assert.equal(s.verdict().send, false);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages }), false);
      await s.settle();
      assert.equal(s.count, 2);
    });
  }),
);
