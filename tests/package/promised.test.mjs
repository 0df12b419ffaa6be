// While a response runs, after it broke, and in the turn of a stop: what is decided is sent, or explain() says what it
// waits for (laws 1, 3 and 14).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { live } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied, assertWaitsFor } from './support/assertions.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  response,
  says,
  start,
  startStep,
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
