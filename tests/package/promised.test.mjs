// While a response runs, after it broke, and in the tick of a stop: what is decided is sent, or explain() says what it
// waits for (laws 1, 3 and 14).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRecord } from 'tool-approval-guard/record';
import { forEachSdk } from './support/sdk.mjs';
import { storageOf } from './support/reload.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { stoppedClock } from './support/clock.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied, assertHolds, assertWaitsFor } from './support/assertions.mjs';
import {
  approvalRequest,
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

/** A response that begins with these chunks and goes on. */
async function streaming(s, running, ...chunks) {
  s.send();
  await running.started;
  running.push(start('a1'), startStep, ...chunks);
  await macrotask();
}

async function ends(s, running) {
  running.push(finishStep, finish());
  running.close();
  await s.settle();
}

forEachSdk((sdk) =>
  describe(`promised, ${sdk.name}`, () => {
    describe('while the response goes on', () => {
      test('an output is not sent, also if a refused continue has made the chat look ready', async () => {
        const running = live();
        const s = scene(sdk, { script: [running, says()] });
        await streaming(s, running, toolCall('c1', 'rm'));
        await s.chat.sendMessage();
        void s.put('c1', 'made up', 'rm');
        await macrotask();
        assert.equal(s.count, 1);
        assertWaitsFor(s, ['c1', 'response']);
        running.push(approvalRequest('c1'));
        await macrotask();
        await ends(s, running);
        assert.equal(s.count, 1);
        assertWaitsFor(s, ['c1', 'approval']);
      });

      test('an answer given through the chat waits for its end, retry() and a continue send nothing', async () => {
        const running = live();
        const s = scene(sdk, { script: [running, says()] });
        await streaming(s, running, gated('c1', 'rm'));
        await s.answer('c1', true);
        assertWaitsFor(s, ['c1', 'response']);
        const waiting = await s.guard.retry();
        assert.equal(waiting.type, 'waiting');
        assert.deepEqual(
          waiting.waitingFor.map(({ need }) => need),
          ['response'],
        );
        running.push(gated('c2', 'mv'));
        await macrotask();
        await ends(s, running);
        assert.equal(s.count, 1);
        await s.approve('c2');
        assert.equal(s.count, 2);
        for (const id of ['c1', 'c2']) assertAllowed(s.wire(id), { id: `ap-${id}` });
      });

      test('an answer that has waited for its end is sent then', async () => {
        const running = live();
        const s = scene(sdk, { script: [running, says()] });
        await streaming(s, running, gated('c1', 'rm'));
        await s.answer('c1', true);
        await ends(s, running);
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    });

    describe('after the response broke off', () => {
      async function breaks(s, running) {
        running.fail(new TypeError('network error'));
        await s.settle();
        for (let i = 0; i < 4; i++) await macrotask();
      }

      test('what has expired waits for commit(), and a button sends it', async (t) => {
        const clock = stoppedClock(t);
        const running = live();
        const s = scene(sdk, { guard: { expiresMs: 1_000 }, script: [running, says()] });
        await streaming(s, running, gated('c1', 'rm'));
        assert.equal(s.call('c1').status, 'asking');
        await clock.pass(2_000);
        assert.equal(s.call('c1').outcome, 'expired');
        await breaks(s, running);
        await clock.pass(2_000);
        assertWaitsFor(s, ['c1', 'commit']);
        const { batch } = s.guard.getSnapshot();
        assert.deepEqual([batch.phase, batch.commitAt, batch.action], ['decided', undefined, 'send']);
        assert.equal(s.count, 1);
        await s.guard.proceed('send');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test('what expires after it is sent', async (t) => {
        const clock = stoppedClock(t);
        const running = live();
        const s = scene(sdk, { guard: { expiresMs: 1_000 }, script: [running, says()] });
        await streaming(s, running, gated('c1', 'rm'));
        await breaks(s, running);
        await clock.pass(2_000);
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test('what nobody attended waits for commit()', async () => {
        const running = live();
        const s = scene(sdk, { guard: { attended: false }, script: [running, says()] });
        await streaming(s, running, gated('c1', 'rm'));
        await breaks(s, running);
        assertWaitsFor(s, ['c1', 'commit']);
        assert.equal(s.guard.commit().type, 'committed');
        await s.settle();
        assert.equal(s.count, 2);
      });

      test('an output and an answer from before it wait for retry(), and explain() says so', async () => {
        for (const put of [(s) => s.put('c1'), (s) => s.answer('c2', true)]) {
          const running = live();
          const s = scene(sdk, { script: [running, says()] });
          await streaming(
            s,
            running,
            put.toString().includes('put(') ? toolCall('c1', 'ui') : gated('c2', 'rm'),
          );
          await put(s);
          await breaks(s, running);
          assertHolds(s, 'failed');
          assert.equal(s.count, 1);
          assert.deepEqual(await s.guard.retry(), { type: 'sent' });
          await s.settle();
          assert.equal(s.count, 2);
        }
      });

      test('an output that comes after it is sent, with what was there before', async () => {
        const running = live();
        const s = scene(sdk, { script: [running, says()] });
        await streaming(s, running, toolCall('c1', 'ui'), toolCall('c2', 'ui'));
        await s.put('c1');
        await breaks(s, running);
        await s.output('c2');
        assert.equal(s.count, 2);
        for (const id of ['c1', 'c2']) assert.equal(s.wire(id).output, 'shown');
      });

      test('an answer that was committed while an older response wrote is sent when that breaks', async () => {
        const older = live();
        const s = scene(sdk, { script: [older, response('a2', gated('c1', 'rm')), says('Done.')] });
        s.send('first');
        await older.started;
        older.push(start('a1'), startStep, text('One', { open: true }));
        await macrotask();
        s.send('second');
        for (let i = 0; i < 6; i++) await macrotask();
        older.push(text('Two'));
        await macrotask();
        assert.equal(s.chat.status, 'streaming');
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
        await macrotask();
        assert.equal(s.count, 2, 'the chat does not ask while it streams');
        await breaks(s, older);
        assert.equal(s.count, 3);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });
    });

    describe('in the tick of', () => {
      test('a stop: what is decided then is sent when the stop is over', async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
        await s.say();
        const stopped = s.chat.stop();
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
        await stopped;
        await s.settle();
        assert.equal(s.count, 2);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });

      test('a stop: what was decided before it is taken back', async () => {
        const s = scene(sdk, {
          guard: { undoMs: Infinity },
          script: [response('a1', gated('c1', 'rm')), says()],
        });
        await s.say();
        s.guard.decide('c1', 'allow-once');
        await s.chat.stop();
        await s.settle();
        assert.equal(s.count, 1);
        assertWaitsFor(s, ['c1', 'approval']);
      });

      for (const [name, act] of [
        ['undoAll()', (guard) => guard.undoAll()],
        ['a refused decision', (guard) => guard.decide('c2', 'deny')],
      ]) {
        test(`an output and an answer through the chat, and ${name}: they are sent once`, async () => {
          const s = scene(sdk, { script: [response('a1', toolCall('c1', 'ui'), gated('c2', 'rm')), says()] });
          await s.say();
          void s.put('c1');
          void s.answer('c2', true);
          act(s.guard);
          await s.settle();
          assert.equal(s.count, 2);
          assert.equal(s.wire('c1').output, 'shown');
          assertAllowed(s.wire('c2'), { id: 'ap-c2' });
        });
      }
    });

    describe('beside a request that waits for the record', () => {
      const hop = async (hops) => {
        for (let i = 0; i < hops; i++) await Promise.resolve();
      };
      /** One of two calls is drafted, the other one answered. The storage answers after some microtasks. */
      const drafted = async (choice) => {
        const storage = storageOf();
        const { transact } = storage;
        let last = Promise.resolve();
        storage.transact = (...args) => (last = last.then(() => transact(...args)));
        const script = [response('a1', gated('c1', 'rm'), gated('c2', 'rm')), says(), says(), says()];
        const guard = { record: createRecord({ storage }), undoMs: Infinity };
        const s = scene(sdk, { guard, script });
        await s.say();
        await s.deny('c2');
        s.guard.decide('c1', choice);
        await s.settle();
        return s;
      };

      test('a message of the user leaves, whatever the person has pressed before it', async () => {
        for (let between = 0; between < 6; between++) {
          for (let hops = 0; hops < 18; hops++) {
            const s = await drafted('deny');
            for (const act of [() => s.guard.proceed('send'), s.guard.retry, () => s.guard.proceed('send')]) {
              void act();
              await hop(between);
            }
            await hop(hops);
            s.send('and this').catch(() => {});
            for (let i = 0; i < 12; i++) await macrotask();
            const texts = s.requests.flatMap(({ messages }) => messages.flatMap(({ parts }) => parts));
            const isSent = texts.some(({ text }) => text === 'and this');
            assert.ok(isSent, `after ${between}, ${hops} microtasks`);
            s.guard.dispose();
          }
        }
      });

      test('a stop holds back an allowance of which a later message has taken the place', async () => {
        for (let between = 0; between < 6; between++) {
          for (let hops = 0; hops < 24; hops++) {
            const s = await drafted('allow-once');
            void s.guard.proceed('send');
            await hop(hops);
            s.send('and this').catch(() => {});
            await hop(between);
            const { count } = s;
            await s.chat.stop();
            for (let i = 0; i < 8; i++) await macrotask();
            for (const request of s.requests.slice(count))
              assert.notEqual(s.wire('c1', request)?.approval?.approved, true, `after ${hops}, ${between}`);
            s.guard.dispose();
          }
        }
      });
    });

    describe('a late Deny', () => {
      test('is the next deliberate answer after a stop, and sends', async (t) => {
        const clock = stoppedClock(t);
        const s = scene(sdk, {
          guard: { expiresMs: 1_000 },
          script: [response('a1', gated('c1', 'rm')), says()],
        });
        await s.say();
        await s.chat.stop();
        await clock.pass(2_000);
        await s.settle();
        assertHolds(s, 'stopped');
        assert.equal(s.guard.decide('c1', 'deny').type, 'late-denial');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test('of a call in an earlier message is refused', async (t) => {
        const clock = stoppedClock(t);
        const s = scene(sdk, {
          guard: { expiresMs: 1_000, whenUserSends: 'pass' },
          script: [response('a1', gated('c1', 'rm')), response('a2', toolCall('c2', 'ui'))],
        });
        await s.say();
        await s.say('again');
        await clock.pass(2_000);
        assert.equal(s.call('c1').outcome, 'expired');
        const { type, reason } = s.guard.decide('c1', 'deny');
        assert.deepEqual([type, reason], ['refused', 'unreachable']);
      });
    });

    describe('beside an older response that goes on', () => {
      /** The user has written twice; the second response asks and has ended, the first one has brought nothing. */
      async function beside(guard, older = live(), chunks = gated('c1', 'rm')) {
        const s = scene(sdk, { guard, script: [older, response('a2', ...chunks), says('Done.')] });
        s.send('first');
        await older.started;
        s.send('second');
        for (let i = 0; i < 6; i++) await macrotask();
        return { s, older };
      }

      test('what a person decides is sent', async () => {
        const { s } = await beside();
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
        for (let i = 0; i < 6; i++) await macrotask();
        assert.equal(s.count, 3);
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });

      test('what nobody attends is denied and sent', async () => {
        const { s } = await beside({ attended: false });
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      });

      test('what a client tool puts out is sent', async () => {
        const { s } = await beside({ clientTools: ['ui'] }, live(), [toolCall('c1', 'ui')]);
        assertWaitsFor(s, ['c1', 'output']);
        void s.put('c1');
        for (let i = 0; i < 6; i++) await macrotask();
        assert.equal(s.count, 3);
        assert.equal(s.wire('c1').output, 'shown');
      });
    });
  }),
);
