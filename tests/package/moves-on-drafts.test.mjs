// The user writes, edits, regenerates, stops or leaves while decisions are unsent.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { createApprovalGuard, scene, until } from './support/chat.mjs';
import { hanging, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, plain, roles } from './support/assertions.mjs';
import { DAY, stoppedClock } from './support/clock.mjs';
import { assertNeverAllowed, assertRefused, callsOf, entries, statuses, watch } from './support/decide.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import {
  finish,
  finishStep,
  gated,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';

const one = () => response('a1', gated('c1', 'rm'));
const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'));
const three = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'cp'));

async function asked(sdk, response_, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response_, ...then], ...options });
  await s.chat.sendMessage({ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] });
  await s.settle();
  assert.equal(s.count, 1);
  return s;
}
const batch = (s) => s.guard.getSnapshot().batch;

forEachSdk((sdk) =>
  describe(`a message over drafts, ${sdk.name}`, () => {
    test('C60 drafted allowances are sent as superseded, drafted denials as denials by the person', async () => {
      const s = await asked(sdk, three());
      s.guard.decide('c1', 'allow-once', { reason: 'fine' });
      s.guard.decide('c2', 'deny', { reason: 'not that' });
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'uau');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.notEqual(s.wire('c1').approval.reason, 'fine', 'a withdrawn allowance gives its own reason');
      assert.ok(s.wire('c1').approval.reason);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'not that' });
      assertDenied(s.wire('c3'), { id: 'ap-c3' });
      for (const id of ['c1', 'c2', 'c3']) assertDenied(s.home(id), { id: `ap-${id}` });
      assert.deepEqual([s.call('c1').actor, s.call('c1').outcome], ['superseded', 'superseded']);
      assert.deepEqual([s.call('c2').actor, s.call('c2').outcome], ['person', 'denied']);
      assert.deepEqual([s.call('c3').actor, s.call('c3').outcome], ['superseded', 'superseded']);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'superseded');
      assertRefused(s, () => s.guard.undo('c1'), 'superseded');
      assertNeverAllowed(s, 'c1');
      await s.say('more');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'not that' });
    });

    test('C61 a message during the undo period: nothing is allowed, and nothing is sent later', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { guard: { undoMs: 5_000 } });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      assert.equal(batch(s).phase, 'decided');
      await clock.pass(4_000);
      await s.say('wait');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      await clock.pass(DAY);
      assert.equal(s.count, 2);
      assert.deepEqual([batch(s).commitAt, batch(s).undoable], [undefined, false]);
    });

    test('C60 drafted denials of the whole batch are sent with the message', async () => {
      const s = await asked(sdk, two(), { guard: { undoMs: Infinity } });
      s.guard.decideAll(['c1', 'c2'], 'deny', { reason: 'neither' });
      await s.say('this instead');
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) {
        assertDenied(s.wire(id), { id: `ap-${id}`, reason: 'neither' });
        assertDenied(s.home(id), { id: `ap-${id}`, reason: 'neither' });
        assert.equal(s.call(id).actor, 'person');
      }
    });

    test('C61 whenUserSends: pass leaves them asking, as in the messages', async () => {
      const s = await asked(sdk, two(), { guard: { whenUserSends: 'pass' } });
      s.guard.decide('c1', 'allow-once');
      const before = s.chat.messages[1];
      await s.say('something else');
      assert.equal(s.count, 2);
      assertAsking(s.wire('c1'), 'ap-c1');
      assertAsking(s.wire('c2'), 'ap-c2');
      assert.deepEqual(s.last.messages[1], plain(before));
      assertAsking(s.home('c1'), 'ap-c1');
      assertRefused(s, () => s.guard.decide('c2', 'allow-once'), 'unreachable');
      await s.settle();
      assert.equal(s.count, 2);
      assertNeverAllowed(s, 'c1');
    });

    test('C61 whenUserSends: pass: a drafted Deny is no less one, and leaves with the message', async () => {
      const s = await asked(sdk, one(), {
        guard: { whenUserSends: 'pass', undoMs: 5_000 },
        then: [says(), says()],
      });
      s.guard.decide('c1', 'deny', { reason: 'no' });
      await s.say('something else');
      for (const part of [s.wire('c1'), s.home('c1')]) assertDenied(part, { id: 'ap-c1', reason: 'no' });
      await s.approve('c1');
      await s.say('and now');
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertNeverAllowed(s, 'c1');
    });

    test('C61 whenUserSends: pass during the undo period: drafts before the message are never sent', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { guard: { whenUserSends: 'pass', undoMs: 5_000 } });
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.say('something else');
      await clock.pass(DAY);
      assert.equal(s.count, 2);
      assert.notEqual(s.guard.commit().type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertNeverAllowed(s, 'c1');
    });

    for (const [statusCode, phase, words] of [
      [500, 'in-doubt', /not known/i],
      [400, 'failed', /moved on/i],
    ])
      test(`C16 C60 after a request with a batch that failed with ${statusCode}, a message closes it and says what is known`, async () => {
        const error = Object.assign(new Error('no'), { statusCode });
        const s = await asked(sdk, one(), { then: [reject(error), says()] });
        s.guard.decide('c1', 'allow-once');
        await s.settle();
        assert.equal(batch(s).phase, phase);
        await s.say('what happened?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assert.match(s.wire('c1').approval.reason, words);
        assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'superseded');
      });
  }),
);

forEachSdk((sdk) =>
  describe(`drafts whose message is removed, ${sdk.name}`, () => {
    for (const [actor, name, act] of [
      [
        'edit',
        'C65 an edit of the message before',
        (s) => s.chat.sendMessage({ text: 'go elsewhere', messageId: 'u1' }),
      ],
      ['regenerate', 'C64 a regeneration', (s) => s.chat.regenerate()],
    ]) {
      test(`${name}: calls and drafts are gone, and nothing is kept`, async (t) => {
        const clock = stoppedClock(t);
        const s = await asked(sdk, two(), {
          guard: { undoMs: 5_000 },
          then: [response('a2', gated('c1', 'rm')), says()],
        });
        s.guard.decide('c1', 'deny', { reason: 'no' });
        s.guard.decide('c2', 'allow-once');
        const view = s.call('c2');
        await act(s);
        await s.settle();
        assert.equal(s.count, 2);
        assert.equal(roles(s.last), 'u');
        const gone = entries(s, 'gone');
        assert.deepEqual(
          gone.map((e) => [e.toolCallId, e.actor]),
          [
            ['c1', actor],
            ['c2', actor],
          ],
        );
        assert.deepEqual(
          s.guard.getSnapshot().calls.map((c) => [c.messageId, c.toolCallId, c.status]),
          [['a2', 'c1', 'asking']],
        );
        assert.deepEqual([batch(s).total, batch(s).commitAt, batch(s).undoable], [1, undefined, false]);
        assertRefused(s, () => s.guard.decide('c2', 'allow-once'), 'gone');
        assertRefused(s, () => s.guard.decide(view, 'allow-once'), 'gone');
        assertRefused(s, () => s.guard.undo('c2'), 'gone');
        await clock.pass(DAY);
        assert.equal(s.count, 2);
        s.guard.decide('c1', 'allow-once');
        s.guard.commit();
        await s.settle();
        assert.equal(s.count, 3);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    }

    test('C65 an edit followed by a response without a question leaves an idle batch', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'allow-once');
      await s.chat.sendMessage({ text: 'go elsewhere', messageId: 'u1' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.getSnapshot().calls, []);
      assert.deepEqual([batch(s).phase, batch(s).total], ['idle', 0]);
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'gone');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`stop, ${sdk.name}`, () => {
    test('C37 C55 drafts are withdrawn, the cards ask again, nothing is sent, and a later decision sends', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { guard: { undoMs: 5_000 } });
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      await s.chat.stop();
      await s.settle();
      assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
      assert.deepEqual(
        entries(s, 'withdrawn').map((e) => [e.toolCallId, e.actor]),
        [
          ['c1', 'stop'],
          ['c2', 'stop'],
        ],
      );
      await clock.pass(DAY);
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assertAsking(s.home('c2'), 'ap-c2');
      assert.equal(batch(s).commitAt, undefined);
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'allow-once');
      assert.equal(s.guard.commit().type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C37 a stop of the response with the question: drafts made meanwhile are withdrawn', async () => {
      const first = live();
      const s = scene(sdk, { script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.decide('c1', 'allow-once');
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
      assert.deepEqual(callsOf(s, 'withdrawn'), ['c1']);
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C37 a committed allowance that was not sent is withdrawn', async () => {
      let online = false;
      const s = await asked(sdk, two(), { when: (own) => (o) => own(o) && online });
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny', { reason: 'no' });
      await s.settle();
      assert.equal(s.count, 1);
      await s.chat.stop();
      await s.settle();
      online = true;
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
      assert.equal(s.call('c2').decision, 'denied', 'a denial that was written stands');
      assert.equal(s.count, 1);
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'no' });
    });

    const edit = (s) => s.chat.sendMessage({ text: 'go elsewhere', messageId: 'u1' });
    const prune = (s) => {
      s.chat.messages = s.chat.messages.slice(0, 1);
      s.guard.observe(s.chat.messages);
    };
    for (const [title, answer, remove] of [
      ['an allowance', (s) => s.approve('c2'), edit],
      ['a drafted denial', (s) => s.guard.decide('c2', 'deny'), prune],
    ]) {
      test(`C37 ${title} of a call that is gone is void after a stop, also if an older list brings it back`, async () => {
        const s = await asked(sdk, two());
        await answer(s);
        const older = structuredClone(s.chat.messages);
        await remove(s);
        await s.settle();
        const { count } = s;
        await s.chat.stop();
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        await s.settle();
        assert.deepEqual(statuses(s), { c1: 'asking', c2: 'asking' });
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, count, 'the other one still asks');
        s.guard.decide('c2', 'allow-once');
        await s.settle();
        assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      });
    }

    test('C37 a stop of the request that carries the batch withdraws nothing that was sent', async () => {
      const s = await asked(sdk, one(), {
        then: [hanging([start(), startStep, ...text('So', { open: true })]), says()],
      });
      s.guard.decide('c1', 'allow-once');
      await until(() => s.count === 2 && s.chat.status === 'streaming');
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.home('c1'), { id: 'ap-c1' });
      assertRefused(s, () => s.guard.decide('c1', 'deny'), 'already-answered');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`leaving, ${sdk.name}`, () => {
    test('C66 dispose() withdraws the drafts, tells the listeners, and nothing is sent', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), { guard: { undoMs: 5_000 } });
      s.guard.decide('c2', 'allow-once');
      s.guard.decide('c1', 'deny');
      s.guard.dispose();
      assert.deepEqual(
        s.events
          .filter((e) => e.type === 'withdrawn')
          .map((e) => [e.toolCallId, e.actor])
          .sort(),
        [
          ['c1', 'leave'],
          ['c2', 'leave'],
        ],
      );
      await clock.pass(DAY);
      await s.settle();
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
      assertAsking(s.home('c2'), 'ap-c2');
      s.guard.dispose();
      assert.equal(s.events.filter((e) => e.type === 'withdrawn').length, 2);
    });

    test('C66 dispose() without drafts withdraws nothing', async () => {
      const s = await asked(sdk, two());
      s.guard.dispose();
      assert.equal(s.events.filter((e) => e.type === 'withdrawn').length, 0);
    });

    test('C66 C89 attach of another chat is refused with wrong-chat, and nothing happens there', async () => {
      const s = await asked(sdk, two());
      s.guard.decide('c1', 'deny', { reason: 'no' });
      const broken = call('c2', 'mv', 'output-available', {
        output: 'fake',
        approval: { id: 'ap-c2', approved: false },
      });
      const requests = [];
      const other = new sdk.Chat({
        id: 'another',
        messages: [user(), assistant('a1', asking('c1', 'rm'), broken)],
        transport: { sendMessages: async (o) => requests.push(o), reconnectToStream: async () => null },
      });
      const { messages } = other;
      const { addToolApprovalResponse, stop } = other;
      const before = s.guard.getSnapshot();
      const detach = s.guard.attach(other);
      assert.equal(typeof detach, 'function');
      assert.deepEqual(s.codes(), ['wrong-chat']);
      assert.equal(s.guard.getSnapshot(), before);
      assert.equal(other.addToolApprovalResponse, addToolApprovalResponse, 'it is not listened to');
      assert.equal(other.stop, stop);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(other.messages, messages, 'nothing was repaired or answered there');
      assert.equal(requests.length, 0);
      assert.equal(s.count, 2, 'its own chat is attached as before');
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      detach();
    });

    test('C66 a guard without an attached chat refuses another chat as well', async () => {
      const errors = [];
      const guard = createApprovalGuard({ chatId: 'mine', onError: (e) => errors.push(e) });
      const other = new sdk.Chat({
        id: 'yours',
        messages: [user(), assistant('a1', answered('c0', 'rm', true), asking('c1', 'rm'))],
        transport: { sendMessages: async () => {}, reconnectToStream: async () => null },
      });
      guard.attach(other);
      assert.deepEqual(
        errors.map((e) => e.code),
        ['wrong-chat'],
      );
      assert.deepEqual(guard.getSnapshot().calls, []);
      assert.equal(guard.decide('c1', 'allow-once').reason, 'unknown-id');
      assert.equal((await guard.resume()).type, 'not-attached');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`nobody attends, ${sdk.name}`, () => {
    test('C104 attended: false denies at once, without a person, in one request', async () => {
      const s = scene(sdk, { guard: { attended: false }, script: [two(), says()] });
      const page = watch(s);
      await s.say();
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) {
        assertDenied(s.wire(id), { id: `ap-${id}` });
        assert.ok(s.wire(id).approval.reason, 'the model is told why');
        const { decision, actor, outcome } = s.call(id);
        assert.deepEqual([decision, actor, outcome], ['denied', 'unattended', 'unattended']);
        assertDenied(s.home(id), { id: `ap-${id}` });
        assert.ok(!page.statuses(id).includes('asking'), page.statuses(id).join());
      }
      assertRefused(s, () => s.guard.decide('c1', 'allow-once'), 'already-answered');
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.grants(), []);
    });

    test('attended: false does not wait for undoMs, and denies while the response streams only at its end', async () => {
      const first = live();
      const s = scene(sdk, { guard: { attended: false, undoMs: Infinity }, script: [first, says()] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 4 });
      s.guard.observe(s.chat.messages);
      assert.equal(s.count, 1);
      assert.notEqual(s.call('c1').status, 'asking');
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('attended: false does not change calls that need no approval', async () => {
      const s = scene(sdk, {
        guard: { attended: false, clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui')), says()],
      });
      await s.say();
      assert.equal(s.count, 1);
      assert.equal(s.home('k1').state, 'input-available');
      await s.output('k1');
      assert.equal(s.count, 2);
    });

    test('attended: false and cards that existed at the attach', async () => {
      const s = scene(sdk, {
        guard: { attended: false },
        messages: [user(), assistant('a1', asking('c1', 'rm'))],
        script: [says()],
      });
      await s.settle();
      assert.equal(s.call('c1').actor, 'unattended');
      assertNeverAllowed(s, 'c1');
      assert.ok(s.count <= 1);
    });
  }),
);
