// Laws 12 and 14: what a page is told is so: the actor, the author of an output, and what has ended by time.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { assertAsking, assertDenied } from './support/assertions.mjs';
import { macrotask, scene } from './support/chat.mjs';
import {
  approvalRequest,
  cutToolCall,
  finish,
  finishStep,
  gated,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { stoppedClock } from './support/clock.mjs';
import { entries } from './support/decide.mjs';
import { copy, reloadable } from './support/reload.mjs';
import { live, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

const MINUTE = 60_000;
const A = { path: '/a' };
const one = () => response('a1', gated('c1', 'rm', A));
const two = () => response('a1', gated('c1', 'rm', A), gated('c2', 'mv', A));
const empty = () => [start(), finish()];

forEachSdk((sdk) =>
  describe(`what is told is so, ${sdk.name}`, () => {
    test('C37 C55 a deliberate commit is an act of a person: it sends what a program has drafted after a stop', async () => {
      const s = scene(sdk, { guard: { undoMs: Infinity }, script: [one(), says()] });
      await s.say();
      await s.chat.stop();
      s.guard.decide('c1', 'allow-once', { source: 'policy-engine' });
      assert.equal(s.guard.getSnapshot().batch.stopped, true);
      assert.equal(s.guard.commit().type, 'committed');
      assert.equal(s.guard.getSnapshot().batch.stopped, false);
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1').approval.approved, true);
      assert.deepEqual(
        entries(s, 'acted').map(({ actor }) => actor),
        ['person'],
      );
      assert.deepEqual(
        entries(s, 'answered').map(({ actor }) => actor),
        ['external'],
      );
    });

    for (const how of [
      'in a response without a result',
      'of a call that the provider runs',
      'over a settled denial',
    ]) {
      test(`an output of the page ${how} is the page's`, async () => {
        const provided = response('a1', toolCall('c1', 'rm', A, { providerExecuted: true }));
        const isProvided = how.startsWith('of');
        const s = scene(sdk, {
          script: [isProvided ? provided : one(), isProvided ? says() : empty(), says()],
        });
        await s.say();
        if (!isProvided) {
          s.guard.decide('c1', how.startsWith('over') ? 'deny' : 'allow-once');
          await s.settle();
        }
        await s.put('c1', { by: 'the page' }, 'rm');
        s.guard.observe(s.chat.messages);
        const type = how.startsWith('over') ? 'overwritten' : 'output';
        assert.deepEqual(
          entries(s, type).map(({ actor }) => actor),
          ['application'],
        );
        assert.deepEqual(s.codes(), []);
      });
    }

    for (const isCopied of [false, true]) {
      test(`an answer that a stop took back is none when ${isCopied ? 'a copy of ' : ''}an older list shows it`, async () => {
        const s = scene(sdk, { script: [two(), says()] });
        await s.say();
        await s.answer('c1', true);
        const older = isCopied ? copy(s.chat.messages) : s.chat.messages;
        await s.chat.stop();
        assertAsking(s.home('c1'), 'ap-c1');
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        await s.settle();
        assert.equal(s.call('c1').status, 'asking');
        assertAsking(s.home('c1'), 'ap-c1');
        assert.equal(entries(s, 'answered').length, 1, 'nobody has answered again');
        await s.answer('c2', false);
        await s.settle();
        assert.equal(s.count, 1);
        await s.approve('c1');
        assert.equal(s.count, 2, 'the person has answered again');
        assert.equal(s.wire('c1').approval.approved, true);
      });
    }

    test('a denial that an older list does not show is put back in the chat', async () => {
      const s = scene(sdk, { script: [one(), says(), says()] });
      await s.say();
      const older = s.chat.messages;
      await s.deny('c1', 'no');
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await s.settle();
      assertDenied(s.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    /** A chat whose call asks, and its list of the time at which the input was still streaming. */
    const askedAfterHalf = async (...script) => {
      const begun = live();
      const s = scene(sdk, { script: [begun, ...script] });
      const said = s.send();
      await begun.started;
      begun.push(start('a1'), startStep, cutToolCall('c1', 'rm'));
      await macrotask();
      const older = copy(s.chat.messages);
      begun.push(toolCall('c1', 'rm', A), approvalRequest('c1'), finishStep, finish());
      begun.close();
      await said;
      await s.settle();
      return { s, older };
    };

    for (const what of ['asks', 'was denied']) {
      test(`a call that ${what} leaves as it is with a list that has not all of its input yet`, async () => {
        const { s, older } = await askedAfterHalf(says(), says());
        if (what === 'was denied') await s.deny('c1');
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        await s.settle();
        await s.say('go on');
        assert.equal(s.wire('c1').state, 'input-streaming');
        assert.equal(entries(s, 'sent').length, what === 'asks' ? 0 : 1);
        // A server refuses a denial beside an input that is not complete.
        await sdk.ai.validateUIMessages({ messages: JSON.parse(JSON.stringify(s.last.messages)) });
      });
    }

    test('a denial that did not arrive is not sent again with a list that has not all of the input yet', async () => {
      const { s, older } = await askedAfterHalf(reject(), says());
      await s.deny('c1');
      assert.equal(s.guard.getSnapshot().batch.action, 'retry');
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await s.settle();
      assert.equal((await s.guard.retry()).type, 'nothing-to-send');
      assert.equal(s.count, 2);
    });

    for (const choice of ['allow-once', 'deny'])
      test(`C69 ${choice} for a call whose question only the server's list had, after an older list`, async () => {
        const begun = live();
        const s = scene(sdk, { script: [begun, says()] });
        const said = s.send();
        await begun.started;
        begun.push(start('a1'), startStep, toolCall('c1', 'rm', A));
        await macrotask();
        begun.fail(new Error('lost'));
        await said;
        await s.settle();
        const older = copy(s.chat.messages);
        const [first, { parts, ...last }] = copy(s.chat.messages);
        const asks = (part) => ({ ...part, state: 'approval-requested', approval: { id: 'ap-c1' } });
        const stored = [
          first,
          { ...last, parts: parts.map((part) => (part.toolCallId ? asks(part) : part)) },
        ];
        s.guard.adopt(stored);
        s.chat.messages = copy(stored);
        s.guard.observe(s.chat.messages);
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        await s.settle();
        assert.equal(s.call('c1').can[choice === 'deny' ? 'deny' : 'allow'], true);
        assertAsking(s.home('c1'), 'ap-c1');
        s.guard.decide('c1', choice);
        s.guard.commit();
        await s.settle();
        await s.guard.retry();
        await s.settle();
        assert.equal(s.wire('c1').approval.approved, choice !== 'deny');
      });

    for (const choice of ['allow-once', 'deny']) {
      for (const runs of [false, true]) {
        test(`C69 ${choice} for a call that an older list, set ${runs ? 'before' : 'after'} the end of its response, shows as it was before its question`, async () => {
          const begun = live();
          const s = scene(sdk, { script: [begun, says()] });
          const said = s.send();
          await begun.started;
          begun.push(start('a1'), startStep, toolCall('c1', 'rm', A));
          await macrotask();
          const older = copy(s.chat.messages);
          const set = async () => {
            await macrotask();
            s.chat.messages = older;
            s.guard.observe(s.chat.messages);
          };
          begun.push(approvalRequest('c1'));
          if (runs) await set();
          begun.push(finishStep, finish());
          begun.close();
          await said;
          await s.settle();
          if (!runs) await set();
          s.guard.observe(s.chat.messages);
          await s.settle();
          assert.equal(s.call('c1').status, 'asking');
          assert.equal(s.call('c1').can[choice === 'deny' ? 'deny' : 'allow'], true);
          assertAsking(s.home('c1'), 'ap-c1');
          assert.equal(s.guard.decide('c1', choice).type, 'committed');
          await s.settle();
          assert.equal(s.count, 2);
          assert.equal(s.wire('c1').approval.approved, choice !== 'deny');
        });
      }
    }

    test('an output that an older list brings back is still the one of who wrote it', async () => {
      const ran = { ...asking('c1', 'rm'), state: 'output-available', output: 1 };
      delete ran.approval;
      const older = [user(), assistant('a1', ran)];
      const s = scene(sdk, { messages: copy(older), script: [says()] });
      await s.chat.regenerate();
      await s.settle();
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      assert.deepEqual(
        entries(s, 'output').map(({ actor }) => actor),
        ['history'],
      );
    });

    test('a client output whose request broke is not in doubt: nothing runs twice if it is sent again', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui')), [start(), new TypeError('network error')], says()],
      });
      await s.say();
      await s.put('k1', 'shown', 'ui');
      await s.settle();
      assert.equal(s.guard.explain().reason, 'failed');
      assert.notEqual(s.call('k1').status, 'in-doubt');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
    });

    test('law 12: while its timer is late, a call that has expired neither waits nor can be undone', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { guard: { expiresMs: MINUTE, undoMs: Infinity }, script: [two(), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      clock.sleep(MINUTE + 1);
      const shown = ['c1', 'c2'].map((id) => s.call(id));
      assert.deepEqual(
        shown.map(({ status, can, waiting }) => [status, can.undo, waiting]),
        [
          ['expired', false, false],
          ['expired', false, false],
        ],
      );
      assert.deepEqual(s.guard.pending(), []);
    });

    test('law 14: explain() knows of a deadline that has passed before anybody has noticed', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { guard: { expiresMs: MINUTE }, script: [one(), says()] });
      await s.say();
      clock.sleep(MINUTE + 1);
      const told = s.guard.explain().send;
      assert.equal(told, true);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), told);
    });

    test('granted() says which standing grant would answer a call, before there is one', async () => {
      const s = scene(sdk, { script: [one(), says(), says()] });
      assert.equal(s.guard.granted('rm', A), undefined);
      await s.say();
      s.guard.decide('c1', 'allow-chat', { covers: ['path'] });
      assert.equal(s.guard.grants()[0].status === 'active' || s.guard.granted('rm', A) === undefined, true);
      await s.settle();
      const [grant] = s.guard.grants();
      assert.deepEqual([grant.status, s.guard.granted('rm', { ...A, deep: true })?.id], ['active', grant.id]);
      assert.equal(s.guard.granted('rm', { path: '/b' }), undefined, 'another value');
      assert.equal(s.guard.granted('rm'), undefined, 'no input');
      assert.equal(s.guard.granted('mv', A), undefined, 'another tool');
      assert.equal(s.guard.granted('rm', A, 'a server'), undefined, 'the tool of a server');
      assert.equal(s.guard.granted('never seen', A), undefined);
      assert.equal(s.guard.ledger().at(-1).type, 'ended', 'a question is no event');
      s.guard.revoke(grant.id);
      assert.equal(s.guard.granted('rm', A), undefined);
      assert.deepEqual(s.guard.grants(), []);
    });

    test('granted(): a denial goes before an allowance, and a grant of the tool needs no input', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { script: [two(), says(), response('a2', gated('c3', 'rm', A)), says(), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      s.guard.decide('c2', 'deny-chat', { covers: 'tool', forMs: MINUTE });
      await s.settle();
      assert.equal(s.guard.granted('rm')?.type, 'allow');
      assert.equal(s.guard.granted('mv', A)?.type, 'deny');
      clock.sleep(MINUTE + 1);
      assert.equal(s.guard.granted('mv', A), undefined, 'it has ended, and its timer is late');
      assert.deepEqual(
        s.guard.grants().map(({ toolName }) => toolName),
        ['rm'],
      );
    });

    test('law 14: an allowance that was only ever found in the messages is not void on the next page', async () => {
      const messages = [user(), assistant('a1', answered('c1', 'rm', true))];
      const pages = reloadable(sdk);
      for (let i = 0; i < 2; i += 1) {
        const s = await pages.load({ messages: structuredClone(messages), script: [says()] });
        s.guard.observe(s.chat.messages);
        assert.deepEqual(entries(s, 'voided'), [], `page ${i}`);
        assert.equal(s.guard.explain().reason, 'history');
        await s.record.settled();
      }
    });

    test('law 12: a clock that was set back between two pages gives a call no time', async (t) => {
      const clock = stoppedClock(t);
      const pages = reloadable(sdk);
      const first = await pages.load({
        script: [two(), says()],
        guard: { expiresMs: MINUTE, undoMs: Infinity },
      });
      await first.say();
      clock.sleep(MINUTE - 10_000);
      // The page writes into its record, so that the next one knows of this time.
      first.guard.decide('c2', 'deny');
      await first.settle();
      clock.set(-(MINUTE - 10_000));
      const next = await pages.load({
        messages: copy(first.chat.messages),
        script: [says()],
        guard: { expiresMs: MINUTE, undoMs: Infinity },
      });
      next.guard.observe(next.chat.messages);
      assert.equal(next.call('c1').status, 'expired');
    });
  }),
);
