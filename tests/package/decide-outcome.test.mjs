// The outcome of decisions: sent, failed, in doubt, recorded, and refused again and again.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { broken, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { assertRefused, callsOf, chained, statuses, watch } from './support/decide.mjs';
import { call } from './support/stored.mjs';
import {
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
import { asked, one, two } from './support/asked.mjs';
import { named } from './support/named.mjs';
import { createWords } from 'tool-approval-guard/words';

forEachSdk((sdk) =>
  describe(`the outcome of decisions, ${sdk.name}`, () => {
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

    test('C16 decided after the response with the question broke off: it is sent', async () => {
      const s = scene(sdk, { script: [broken([start('a1'), startStep, ...gated('c1', 'rm')]), says()] });
      await s.say();
      assert.equal(s.chat.status, 'error');
      assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C16 decided before the response with the question broke off: not lost, and a person sends it once', async () => {
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

    test('C30 an output of the page does not send drafts', async () => {
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

    test('a list that the chat itself was set back to counts at once', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')])],
      });
      await s.say();
      const asking = structuredClone(s.chat.messages);
      await s.approve('c1');
      assert.equal(s.call('c1').status, 'settled');
      s.guard.observe(asking);
      assert.equal(s.call('c1').status, 'settled', 'it is not the list of the chat');
      s.chat.messages = asking;
      s.guard.observe(s.chat.messages);
      assert.equal(s.guard.explain().reason, 'waiting');
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      assert.equal(s.count, 2);
    });

    test('exactly an earlier list is followed, also behind a proxy that never returns the same object', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'))], attach: false });
      const proxied = (value) =>
        typeof value === 'object' && value !== null
          ? new Proxy(value, { get: (target, key) => proxied(Reflect.get(target, key)) })
          : value;
      s.guard.attach(
        new Proxy(s.chat, {
          get: (target, key) => (key === 'messages' ? proxied(target.messages) : Reflect.get(target, key)),
        }),
      );
      await s.say();
      const earlier = s.chat.messages;
      for (let i = 0; i < 3; i += 1) {
        s.chat.messages = [];
        s.guard.observe(s.chat.messages);
        assert.deepEqual(s.guard.getSnapshot().calls, []);
        s.chat.messages = earlier;
        s.guard.observe(earlier);
        assert.equal(s.guard.explain().reason, 'waiting');
        assert.equal(s.call('c1').status, 'asking');
      }
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

    test('commit() says why it cannot commit', async () => {
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
      assert.deepEqual(named(s.guard, s.guard.commit()), { type: 'committed', keys: ['c1', 'c2'] });
      assert.deepEqual(s.guard.commit(), { type: 'nothing-to-commit' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.deepEqual(s.guard.commit(), { type: 'nothing-to-commit' });
    });

    test('C104 the ledger tells who decided what, in order', async () => {
      const s = await asked(sdk, two(), {
        then: [continued([outputDenied('c1'), outputAvailable('c2')])],
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
      const order = ['asked', 'drafted', 'undone', 'drafted', 'answered', 'sent'];
      let at = -1;
      for (const type of order) {
        at = own.indexOf(type, at + 1);
        assert.ok(at >= 0, `${type} is missing in ${own.join(', ')}`);
      }
      for (const e of s.guard.ledger().filter((x) => ['drafted', 'undone', 'answered'].includes(x.type)))
        assert.equal(e.actor, 'person', e.type);
      assert.deepEqual(s.events.length, s.guard.ledger().length);
    });

    test('a decision within a listener or onEvent works like any other', async () => {
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

    test('C89 two chats with the same ids decide independently', async () => {
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

    test('a shown card never counts as answered before it is', async () => {
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
        assert.equal(createWords().batch(batch).loop, '');
        s.guard.decide(`c${i}`, 'deny');
        await s.settle();
      }
      assert.equal(s.count, 4);
      const { batch } = s.guard.getSnapshot();
      assert.equal(batch.looping, true);
      assert.equal(batch.refusals, 3);
      assert.equal(s.call('c4').refusals, 3);
      assert.match(createWords().batch(batch).loop, /3/);
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

    test('C09 an allowance is not a refusal', async () => {
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
