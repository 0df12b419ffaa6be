// Two things at once: a list that comes back, a stream that is resumed, a question that is repeated.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRules } from 'tool-approval-guard/rules';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { stoppedClock } from './support/clock.mjs';
import { broken, live, reject } from './support/scripted-transport.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import { assertAllowed, assertAsking, assertDenied, assertWaitsFor } from './support/assertions.mjs';
import {
  approvalRequest,
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

const copy = (messages) => structuredClone(messages);
/** A response that settles calls, and says nothing. */
const settles = (...chunks) => [start(), ...chunks, finish()];
/** How often a server that runs what it may would have run a call. */
const runs = (s, toolCallId) =>
  s.requests.filter(({ messages }) => {
    const last = messages.at(-1);
    return (
      last.role === 'assistant' &&
      last.parts.some(
        (part) =>
          part.toolCallId === toolCallId &&
          part.state === 'approval-responded' &&
          part.approval.approved === true,
      )
    );
  }).length;

forEachSdk((sdk) => {
  describe(`what has run has run, ${sdk.name}`, () => {
    const ran = () => ({
      script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1', 'ran')]), says(), says()],
    });
    /** A chat whose call has run, and whose list is then set back to the question. */
    const setBack = async (options, allow) => {
      const s = scene(sdk, { ...ran(), ...options });
      let older;
      const { sendMessages } = s.transport;
      s.transport.sendMessages = (request) => {
        older ??= copy(s.chat.messages);
        return sendMessages(request);
      };
      await s.say();
      older = [...older, assistant('a1', asking('c1', 'rm'))];
      await allow(s);
      await s.settle();
      assert.equal(runs(s, 'c1'), 1);
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await s.settle();
      return s;
    };
    const rules = () => ({ rules: createRules({ rules: [{ allow: 'rm' }] }) });

    for (const [title, guard, allow] of [
      ['grant', {}, (s) => s.guard.decide('c1', 'allow-chat', { covers: 'tool' })],
      ['rule', rules(), () => {}],
    ]) {
      test(`law 16: no ${title} answers a call that has run and that an older list asks about`, async () => {
        const s = await setBack({ guard }, allow);
        await s.guard.commit();
        await s.settle();
        assert.equal(runs(s, 'c1'), 1);
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.call('c1').mayHaveRun, true);
        assert.ok(
          s.guard.ledger().every(({ type }) => type !== 'voided'),
          'its input is the same',
        );
        s.guard.decide('c1', 'allow-once');
        await s.settle();
        assert.equal(runs(s, 'c1'), 2, 'a person may send it again');
      });
    }

    test('law 16: a person is told that it may run twice also after a server has refused the second allowance', async () => {
      const s = await setBack(
        { script: [...ran().script.slice(0, 2), reject(), continued([outputAvailable('c1', 'again')])] },
        (s) => s.answer('c1', true),
      );
      assert.equal(s.call('c1').mayHaveRun, true);
      await s.answer('c1', true);
      assert.deepEqual([s.call('c1').status, s.guard.getSnapshot().batch.action], ['answered', 'retry']);
      assert.equal(s.call('c1').mayHaveRun, true);
      await s.guard.retry();
      await s.settle();
      assert.deepEqual([s.call('c1').status, s.call('c1').mayHaveRun], ['settled', false]);
    });

    test('law 16: a second run of which nobody knows is told, beside the output of the first one', async () => {
      const script = [...ran().script.slice(0, 2), broken([start()]), says()];
      const guard = { tools: { rm: { editable: true } } };
      const s = await setBack({ script, guard }, (s) => s.answer('c1', true));
      s.guard.decide('c1', 'allow-once', { input: { path: 'other' }, reason: 'With another path.' });
      await s.settle();
      assert.deepEqual([s.call('c1').status, s.call('c1').mayHaveRun], ['in-doubt', true]);
      await s.say('go on');
      const { input, output, approval } = s.wire('c1');
      assert.deepEqual([input, output], [s.call('c1').input, 'ran']);
      assert.equal(approval.reason, undefined, 'it was not the reason of this run');
      assert.deepEqual([s.call('c1').status, s.call('c1').outcome], ['settled', 'superseded-in-doubt']);
    });

    test('law 16: no timer denies it', async (t) => {
      const clock = stoppedClock(t);
      const s = await setBack({ guard: { expiresMs: 1_000 } }, (s) => s.guard.decide('c1', 'allow-once'));
      assert.equal(s.call('c1').deadline, undefined);
      clock.pass(5_000);
      s.guard.explain();
      await s.settle();
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.guard.extend('c1').type, 'refused');
      await s.say('go on');
      assert.equal(s.wire('c1').output, 'ran');
      assert.ok(s.guard.ledger().every(({ type }) => type !== 'expired'));
    });

    test('law 16: a stored output comes back before a message, whatever an older list shows', async () => {
      for (const older of [asking('c1', 'rm'), answered('c1', 'rm', true)]) {
        const approval = { id: 'ap-c1', approved: true };
        const part = call('c1', 'rm', 'output-available', { output: 'ran', approval });
        const s = scene(sdk, { script: [says()], messages: [user(), assistant('a1', part)] });
        s.chat.messages = [user(), assistant('a1', older)];
        s.guard.observe(s.chat.messages);
        await s.settle();
        await s.say('go on');
        assert.equal(s.wire('c1').output, 'ran');
        assert.ok(
          s.guard.ledger().every(({ type }) => type !== 'answered'),
          'nobody has answered here',
        );
      }
    });

    for (const [title, approved, then, expected] of [
      ['has run', true, settles(outputAvailable('c1', 'ran')), ['output-available', true, 'ran']],
      ['was denied', false, settles(outputDenied('c1')), ['output-denied', false, undefined]],
      ['may have run', true, broken([start()]), ['output-denied', false, undefined]],
    ])
      test(`law 17: a call that ${title} and whose message was removed: a list from before it asked is one that the server takes`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), then, says()] });
        await s.say();
        await (approved ? s.approve('c1') : s.deny('c1'));
        const [first] = s.chat.messages;
        for (const list of [[first], [first, assistant('a1', call('c1', 'rm', 'input-available'))]]) {
          s.chat.messages = list;
          s.guard.observe(list);
          await s.settle();
        }
        await s.say('go on');
        const { state, approval, output } = s.wire('c1');
        assert.deepEqual([state, approval?.approved, output], expected);
      });

    for (const [state, result] of [
      ['output-available', { output: 'ran' }],
      ['output-error', { errorText: 'no such file' }],
    ])
      test(`law 17: a stored ${state} beside a question leaves as it came, and that servers refuse it is reported once`, async () => {
        const part = call('c1', 'rm', state, { ...result, approval: { id: 'ap-c1' } });
        const messages = [user(), assistant('a1', part)];
        const refused = reject(Object.assign(new Error('no'), { statusCode: 400 }));
        const s = scene(sdk, { script: [refused, refused, says()], messages });
        for (const said of ['go on', 'and on']) {
          await s.say(said);
          assert.deepEqual(s.wire('c1'), part, 'nobody is said to have allowed it');
          await assert.rejects(sdk.ai.validateUIMessages({ messages: s.last.messages }));
          assert.deepEqual(s.codes(), ['malformed-approval']);
          assert.equal(s.errors[0].toolCallId, 'c1');
        }
      });

    test('law 17: a stored output beside its answer is not reported', async () => {
      const part = call('c1', 'rm', 'output-available', {
        output: 1,
        approval: { id: 'ap-c1', approved: true },
      });
      const s = scene(sdk, { script: [says()], messages: [user(), assistant('a1', part)] });
      await s.say('go on');
      assert.deepEqual(s.codes(), []);
    });

    test('law 16: an output that a copy of the message shows is not unknown', async () => {
      const renamed = (id, ...chunks) => [start(id), ...chunks, finish()];
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm')),
          broken([start('a2')]),
          renamed('a3', outputAvailable('c1', 'ran')),
          says(),
        ],
      });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await s.guard.retry();
      await s.settle();
      await s.say('go on');
      const shown = s.requests.at(-1).messages.flatMap(({ parts }) => parts);
      const last = shown.findLast(({ toolCallId }) => toolCallId === 'c1');
      assert.deepEqual([last.state, last.output], ['output-available', 'ran']);
    });

    test('law 16: nobody denies it where nobody attends', async () => {
      const s = await setBack({ guard: { attended: false, ...rules() } }, () => {});
      assert.equal(s.count, 2);
      assert.equal(s.call('c1').status, 'asking');
    });
  });

  describe(`an allowance that was sent, and has no result, ${sdk.name}`, () => {
    const nothing = [start(), startStep, finishStep, finish()];

    test('law 16: a bare continue closes it, and does not repeat it', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), nothing, says()] });
      await s.say();
      await s.approve('c1');
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(runs(s, 'c1'), 1);
      assert.equal(s.call('c1').outcome, 'superseded-in-doubt');
    });

    test('law 2: a bare continue while it is on its way is refused', async () => {
      const running = live();
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), running, says()] });
      await s.say();
      const sent = s.answer('c1', true);
      await running.started;
      await s.chat.sendMessage();
      assert.equal(s.count, 2);
      running.push(start(), outputAvailable('c1'), finish());
      running.close();
      await sent;
      await s.settle();
      assert.equal(runs(s, 'c1'), 1);
    });

    test('law 16: a later output of a client tool beside it sends nothing', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', gated('c1', 'rm'), toolCall('k1', 'ui')), nothing, says()],
      });
      await s.say();
      await s.output('k1', 'first');
      await s.approve('c1');
      assert.equal(s.count, 2);
      await s.output('k1', 'second');
      await s.settle();
      assert.equal(runs(s, 'c1'), 1);
    });
  });

  describe(`a resumed stream is a running response, ${sdk.name}`, () => {
    for (const [title, guard, act] of [
      ['a rule', () => ({ rules: createRules({ rules: [{ deny: 'rm' }] }) }), () => {}],
      ['nobody', () => ({ attended: false }), () => {}],
      ['a person', () => ({}), (s) => s.guard.decide('c1', 'deny')],
      ['a deadline', () => ({ expiresMs: 1_000 }), (s, clock) => clock.pass(2_000)],
    ]) {
      test(`${title} denies no call whose output the stream brings`, async (t) => {
        const clock = title === 'a deadline' ? stoppedClock(t) : undefined;
        const resumed = live();
        const s = scene(sdk, {
          guard: guard(),
          messages: [user()],
          script: [says(), says()],
          replays: [resumed],
        });
        const over = s.chat.resumeStream();
        await resumed.started;
        resumed.push(start('a1'), startStep, gated('c1', 'rm'));
        await macrotask();
        s.guard.observe(s.chat.messages);
        act(s, clock);
        for (let i = 0; i < 5; i += 1) await macrotask();
        assertAsking(s.home('c1'), 'ap-c1');
        resumed.push(outputAvailable('c1', 'ran'), finishStep, finish());
        resumed.close();
        await over;
        await s.settle();
        assert.equal(s.home('c1').output, 'ran');
        await s.say('thanks');
        assert.equal(s.wire('c1').output, 'ran');
        assert.deepEqual(s.codes(), []);
      });
    }

    test('what was decided meanwhile is committed when there is nothing to resume', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm'))],
        script: [continued([outputAvailable('c1')])],
      });
      let answer;
      s.transport.reconnectToStream = () => new Promise((resolve) => (answer = resolve));
      const over = s.chat.resumeStream();
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.equal((await s.guard.commit()).type, 'responding');
      assert.equal(s.count, 0);
      answer(null);
      await over;
      await s.settle();
      assert.equal(s.count, 1);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });
  });

  describe(`a call that no response handled, ${sdk.name}`, () => {
    for (const [title, rest] of [
      ['text in a new step', continued([outputAvailable('c1')])],
      ['text in its step', [start(), outputAvailable('c1'), ...text('So.'), finish()]],
      ['nothing more', [start(), outputAvailable('c1'), finish()]],
    ]) {
      test(`two allowed, the response settles one, and ${title}`, async () => {
        const s = scene(sdk, {
          script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), rest, says(), says()],
        });
        await s.say();
        await s.approve('c1');
        await s.approve('c2');
        assert.equal(s.count, 2);
        assert.equal(s.call('c2').status, 'in-doubt');
        assert.equal(s.verdict().send, false);
        await s.say('and?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c2'), { id: 'ap-c2' }, { state: 'output-denied' });
        assert.equal(s.wire('c1').output, 'done');
        assert.equal(s.call('c2').outcome, 'superseded-in-doubt');
        await s.say('and?');
        assertDenied(s.wire('c2'), { id: 'ap-c2' }, { state: 'output-denied' });
      });
    }

    test('retry() sends it again, and not the one that has run', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), gated('c2', 'mv')),
          [start(), outputAvailable('c1'), ...text('So.'), finish()],
          continued([outputAvailable('c2', 'later')]),
        ],
      });
      await s.say();
      await s.approve('c1');
      await s.approve('c2');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      assert.equal(runs(s, 'c1'), 1);
      assert.equal(s.home('c2').output, 'later');
      assert.equal(s.call('c2').status, 'settled');
    });

    test('a response that has not ended may still handle it', async () => {
      const running = live();
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), running, says()],
      });
      await s.say();
      s.answer('c1', true);
      const sent = s.answer('c2', true);
      await running.started;
      running.push(start(), outputAvailable('c1'));
      await macrotask();
      s.guard.observe(s.chat.messages);
      assert.equal(s.call('c2').status, 'delivered');
      running.push(outputAvailable('c2'), finish());
      running.close();
      await sent;
      await s.settle();
      assert.equal(s.call('c2').status, 'settled');
      assert.ok(s.guard.ledger().every(({ type }) => type !== 'unhandled'));
    });
  });

  describe(`a question that is asked again, ${sdk.name}`, () => {
    const again = (more = {}) => [start(), approvalRequest('c1', 'ap-c1', more), finish()];
    for (const [title, guard, allow] of [
      ['a person', {}, (s) => s.guard.decide('c1', 'allow-once')],
      ['a grant', {}, (s) => s.guard.decide('c1', 'allow-chat', { covers: 'tool' })],
    ]) {
      test(`in the response to the answer of ${title}: it asks again, and only a person answers`, async () => {
        const s = scene(sdk, {
          guard,
          script: [
            response('a1', gated('c1', 'rm')),
            again({ reason: 'not you' }),
            continued([outputAvailable('c1')]),
          ],
        });
        await s.say();
        allow(s);
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.call('c1').mayHaveRun, false, 'the server says that it did not run');
        assert.equal(s.guard.getSnapshot().batch.asking, 1);
        if (sdk.major >= 7) assert.equal(s.call('c1').requestReason, 'not you');
        assertAsking(s.home('c1'), 'ap-c1');
        s.guard.decide('c1', 'allow-once');
        await s.settle();
        assert.equal(s.count, 3);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        assert.equal(s.call('c1').status, 'settled');
      });
    }

    test('law 16: in the response to a repetition: the first request may have run it', async () => {
      const lost = reject(new Error('connection lost'));
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), lost, again(), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      await s.guard.retry();
      await s.settle();
      assert.deepEqual([s.call('c1').status, s.call('c1').mayHaveRun], ['asking', true]);
    });

    test('a denial stands', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), again(), says()] });
      await s.say();
      await s.deny('c1');
      await s.say('and?');
      for (const request of s.requests.slice(1)) assert.equal(s.wire('c1', request).approval.approved, false);
    });

    test('a replay of the stream that asked undoes nothing', async () => {
      const running = live();
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), running],
        replays: [[start('a1'), startStep, gated('c1', 'rm'), finish()]],
      });
      await s.say();
      const sent = s.answer('c1', true);
      await running.started;
      running.push(start());
      await macrotask();
      running.fail(new Error('lost'));
      await sent;
      await s.chat.resumeStream();
      await s.settle();
      assert.notEqual(s.call('c1').status, 'asking');
      assert.equal(s.call('c1').decision, 'allowed');
    });
  });

  describe(`a question in a state that says nothing of one, ${sdk.name}`, () => {
    const hidden = (more) => ({
      type: 'tool-rm',
      toolCallId: 'c1',
      state: 'input-available',
      input: {},
      approval: { id: 'ap-c1' },
      ...more,
    });
    for (const [title, part] of [
      ['static', hidden()],
      ['dynamic', hidden({ type: 'dynamic-tool', toolName: 'rm' })],
      ['of the provider', hidden({ providerExecuted: true })],
    ]) {
      test(`asks, ${title}`, async () => {
        const client = { type: 'tool-ui', toolCallId: 'k1', state: 'input-available', input: {} };
        const s = scene(sdk, {
          guard: { clientTools: ['ui'] },
          messages: [user(), assistant('a1', part, client)],
          script: [says()],
        });
        await s.settle();
        assert.equal(s.call('c1').status, 'asking');
        assertWaitsFor(s, ['c1', 'approval'], ['k1', 'output']);
        await s.output('k1');
        assert.equal(s.count, 0, 'it holds the others back');
        s.guard.decide('c1', 'allow-once');
        await s.settle();
        assert.equal(s.count, 1);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    }
  });

  describe(`what explain() says before the chat asks, ${sdk.name}`, () => {
    for (const [title, guard, decide] of [
      ['a rule', () => ({ rules: createRules({ rules: [{ allow: 'rm' }] }) }), () => {}],
      ['nobody', () => ({ attended: false }), () => {}],
      ['a person', () => ({}), (s) => s.guard.decide('c1', 'allow-once')],
    ]) {
      test(`law 14: at the end of a response, with a draft of ${title}, it says what the predicate says`, async () => {
        const running = live();
        const told = [];
        const s = scene(sdk, {
          guard: guard(),
          script: [running, continued([outputAvailable('c1')])],
          when: (own) => (question) => {
            const before = s.guard.explain();
            const sends = own(question);
            told.push([before.send, sends, before.waitingFor.length]);
            return sends;
          },
        });
        const sent = s.send();
        await running.started;
        running.push(start('a1'), startStep, gated('c1', 'rm'));
        await macrotask();
        s.guard.observe(s.chat.messages);
        decide(s);
        assert.equal(s.guard.explain().reason, 'waiting', 'the response has not ended');
        running.push(finishStep, finish());
        running.close();
        await sent;
        await s.settle();
        assert.equal(s.count, 2);
        assert.deepEqual(told[0], [true, true, 0]);
        for (const [before, sends] of told) assert.equal(before, sends);
      });
    }
  });

  describe(`acts, ${sdk.name}`, () => {
    test('an edit while a server tool runs: its late output is the output of the server, and sends nothing', async () => {
      const running = live();
      const s = scene(sdk, { script: [running, says(), says()] });
      const sent = s.send();
      await running.started;
      running.push(start('a1'), startStep, toolCall('r1', 'read'));
      await macrotask();
      s.guard.observe(s.chat.messages);
      const edited = s.chat.sendMessage({ text: 'edited', messageId: s.chat.messages[0].id });
      await macrotask();
      running.push(outputAvailable('r1', 'late'), finishStep, finish());
      running.close();
      await Promise.all([sent, edited]);
      await s.settle();
      assert.equal(s.count, 2);
      const outputs = s.guard.ledger().filter(({ type }) => type === 'output');
      for (const { actor } of outputs) assert.equal(actor, 'server');
    });
  });
});
