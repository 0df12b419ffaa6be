// After a reload the queue is as before, and nothing is sent automatically.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { continued, gated, outputAvailable, response, says, start } from './support/chunks.mjs';
import { until } from './support/chat.mjs';
import { copy, reloadable, storageOf, textsOf } from './support/reload.mjs';
import { broken, hanging, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, everyField, user } from './support/stored.mjs';

const two = response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'rm', { path: '/b' }));
const one = response('a1', gated('c1', 'rm', { path: '/a' }));
/** A predicate around the guard's that never sends. */
const silent = (own) => (question) => {
  own(question);
  return false;
};
const stored = (...parts) => [user(), assistant('a1', ...parts)];
const question = (id, input) => ({ ...asking(id, 'rm'), input });

forEachSdk((sdk) =>
  describe(`after a reload, ${sdk.name}`, () => {
    test('an open call still asks, and has waited since it first asked', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [two] });
      await before.say();
      const after = await page.load({ messages: copy(before.chat.messages) });
      assert.deepEqual(
        after.guard.pending().map((c) => c.toolCallId),
        ['c1', 'c2'],
      );
      assert.equal(after.count, 0);
    });

    test('a draft is still a draft, and is not committed until a person acts', async () => {
      const page = reloadable(sdk, { guard: { undoMs: 20 } });
      const before = await page.load({ script: [two] });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
      assert.equal(after.call('c1').status, 'drafted');
      assert.equal(after.call('c1').decision, 'allowed');
      assert.equal(after.call('c2').status, 'asking');
      await new Promise((resolve) => setTimeout(resolve, 60));
      assert.equal(after.count, 0, 'nothing leaves');
      after.guard.decide('c2', 'deny');
      await new Promise((resolve) => setTimeout(resolve, 60));
      await after.settle();
      assert.equal(after.count, 1);
      assert.equal(after.wire('c1').approval.approved, true);
      assert.equal(after.wire('c2').approval.approved, false);
    });

    for (const approved of [true, false]) {
      const word = approved ? 'allowance' : 'denial';
      test(`an ${word} that was stored and not sent is offered, and sent once`, async () => {
        const page = reloadable(sdk, { guard: { undoMs: 0 } });
        const before = await page.load({ script: [one], when: silent });
        await before.say();
        before.guard.decide('c1', approved ? 'allow-once' : 'deny', { reason: 'so' });
        await before.settle();
        const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
        assert.equal(after.call('c1').decision, approved ? 'allowed' : 'denied');
        assert.equal(after.call('c1').actor, 'person');
        assert.equal(after.verdict().send, false);
        assert.equal(after.verdict().reason, 'history');
        assert.deepEqual(await after.guard.resume(), { type: 'sent' });
        assert.equal(after.count, 1);
        assert.equal(after.wire('c1').state, 'approval-responded');
        assert.equal(after.wire('c1').approval.approved, approved);
        assert.equal(after.wire('c1').approval.reason, 'so');
        assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
      });

      test(`C68: the stored messages lag behind an ${word}`, async () => {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one], when: silent });
        await before.say();
        const lagging = copy(before.chat.messages);
        before.guard.decide('c1', approved ? 'allow-once' : 'deny', { reason: 'so' });
        await before.settle();
        const after = await page.load({ messages: lagging, script: [says()] });
        assert.equal(after.call('c1').status, 'answered');
        assert.equal(after.call('c1').decision, approved ? 'allowed' : 'denied');
        assert.equal(after.guard.decide('c1', approved ? 'deny' : 'allow-once').type, 'refused');
        assert.equal(after.count, 0);
        assert.deepEqual(await after.guard.resume(), { type: 'sent' });
        assert.equal(after.count, 1);
        assert.equal(after.wire('c1').state, 'approval-responded');
        assert.equal(after.wire('c1').approval.approved, approved);
        assert.equal(after.wire('c1').approval.id, 'ap-c1');
      });

      test(`C68: the stored messages lag behind a delivered ${word}`, async () => {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one, says()] });
        await before.say();
        const lagging = copy(before.chat.messages);
        before.guard.decide('c1', approved ? 'allow-once' : 'deny');
        await before.settle();
        assert.equal(before.count, 2);
        const after = await page.load({ messages: lagging, script: [says()] });
        assert.notEqual(after.call('c1').status, 'asking');
        assert.equal(after.call('c1').decision, approved ? 'allowed' : 'denied');
        assert.equal(after.verdict().send, false);
        assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
        await after.say('and now?');
        assert.equal(after.count, 1);
        const sent = after.wire('c1');
        assert.notEqual(sent.state, 'approval-requested');
        assert.notEqual(sent.approval.approved, true, 'it must not run a second time');
        if (approved) assert.match(sent.approval.reason, /not known/);
      });

      for (const [what, failure, reason] of [
        ['was refused', reject(), 'failed'],
        ['failed', reject(new Error('lost')), approved ? 'in-doubt' : 'failed'],
        ['broke', broken([start()]), approved ? 'in-doubt' : 'failed'],
      ]) {
        test(`law 13: the ${word} of a request that ${what} is for retry(), even after a reload`, async () => {
          const page = reloadable(sdk);
          const before = await page.load({ script: [one, failure] });
          await before.say();
          before.guard.decide('c1', approved ? 'allow-once' : 'deny');
          await before.settle();
          assert.equal(before.count, 2);
          for (const messages of [copy(before.chat.messages), stored(question('c1', { path: '/a' }))]) {
            const after = await page.load({ messages, script: [] });
            assert.equal(after.call('c1').status, reason === 'in-doubt' ? 'in-doubt' : 'answered');
            assert.equal(after.verdict().reason, reason);
            assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
            assert.equal(after.count, 0);
          }
          const last = await page.load({ messages: copy(before.chat.messages), script: [says()] });
          assert.deepEqual(await last.guard.retry(), { type: 'sent' });
          assert.equal(last.count, 1);
          assert.equal(last.wire('c1').approval.approved, approved);
        });
      }

      test(`a page that is closed while an ${word} is on its way leaves it to retry()`, async () => {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one, hanging()] });
        await before.say();
        before.guard.decide('c1', approved ? 'allow-once' : 'deny');
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal(before.count, 2);
        const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
        assert.equal(after.verdict().send, false);
        assert.equal(after.verdict().reason, approved ? 'in-doubt' : 'failed');
        assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
        assert.equal(after.count, 0);
        assert.deepEqual(await after.guard.retry(), { type: 'sent' });
        assert.equal(after.count, 1);
      });
    }

    test('law 13: resume() sends nothing that is in doubt; retry() sends both', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject(new Error('lost'))] });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      await before.settle();
      // The other call was answered in a page without a record, so a request with the answer is not known.
      const [, message] = copy(before.chat.messages);
      const other = { ...answered('c2', 'rm', true), input: { path: '/b' } };
      message.parts.push(other);
      const after = await page.load({ messages: [user(), message], script: [says()] });
      assert.deepEqual(
        ['c1', 'c2'].map((id) => after.call(id).status),
        ['in-doubt', 'answered'],
      );
      assert.equal(after.verdict().reason, 'in-doubt');
      assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
      assert.equal(after.count, 0);
      assert.deepEqual(await after.guard.retry(), { type: 'sent' });
      for (const id of ['c1', 'c2']) assert.equal(after.wire(id).approval.approved, true);
    });

    test('law 13: an allowance that was resumed and failed is for retry()', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one], when: silent });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      await before.settle();
      const script = [reject(new Error('lost')), reject(), says()];
      const after = await page.load({ messages: copy(before.chat.messages), script });
      assert.deepEqual(await after.guard.resume(), { type: 'sent' });
      assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
      assert.equal(after.count, 1);
      assert.deepEqual(await after.guard.retry(), { type: 'sent' });
      await after.settle();
      assert.equal(
        after.call('c1').status,
        'in-doubt',
        'the second refusal says nothing of the first request',
      );
      const later = await page.load({ messages: copy(after.chat.messages), script: [says()] });
      assert.equal(later.call('c1').status, 'in-doubt');
      assert.deepEqual(await later.guard.resume(), { type: 'nothing-to-send' });
    });

    test('law 13: an answer sent by a tab that is gone is for retry()', async () => {
      const storage = storageOf();
      const page = reloadable(sdk, { storage });
      const messages = stored(question('c1', { path: '/a' }));
      const gone = await page.load({ messages, script: [hanging()], keepOpen: true });
      const other = await page.load({ messages, script: [says()], keepOpen: true });
      gone.guard.decide('c1', 'allow-once');
      await until(() => gone.count === 1);
      await gone.record.settled();
      const after = await page.load({ messages, script: [says()] });
      assert.equal(after.call('c1').status, 'in-doubt');
      assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
      assert.equal(after.count + other.count, 0);
    });

    test('C69: the storage of the messages has lost the question', async () => {
      const page = reloadable(sdk);
      const asks = response('a1', gated('c1', 'rm', { path: '/a' }, { signature: 'c2ln' }));
      const before = await page.load({ script: [asks] });
      await before.say();
      const lost = stored({ ...call('c1', 'rm', 'input-available'), input: { path: '/a' } });
      const after = await page.load({ messages: lost, script: [says()] });
      assert.equal(after.call('c1').status, 'asking');
      assert.equal(after.home('c1').state, 'approval-requested');
      assert.equal(after.home('c1').approval.id, 'ap-c1');
      after.guard.decide('c1', 'deny');
      await after.settle();
      assert.equal(after.count, 1);
      assert.equal(after.wire('c1').state, 'approval-responded');
      assert.equal(after.wire('c1').approval.approved, false);

      const other = await page.load({
        messages: stored({ ...call('c1', 'rm', 'input-available'), input: { path: '/b' } }),
      });
      assert.equal(other.call('c1').status, 'open', 'another input was never asked about');
    });

    test('an allowance counts for no other input, tool, approval or call', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      await before.settle();
      const others = [
        question('c1', { path: '/b' }),
        { ...question('c1', { path: '/a' }), type: 'tool-rmdir' },
        { ...question('c1', { path: '/a' }), approval: { id: 'ap-other' } },
        { ...question('c9', { path: '/a' }), approval: { id: 'ap-c1' } },
      ];
      for (const part of others) {
        const after = await page.load({ messages: stored(part) });
        assert.equal(after.call(part.toolCallId).status, 'asking', JSON.stringify(part));
      }
      const twice = [
        question('c1', { path: '/a' }),
        { ...question('c2', { path: '/b' }), approval: { id: 'ap-c1' } },
      ];
      const after = await page.load({ messages: stored(...twice) });
      assert.equal(after.call('c2').status, 'asking');
    });

    test('a stored allowance does not override a denial in the messages', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      await before.settle();
      const after = await page.load({
        messages: stored({ ...answered('c1', 'rm', false), input: { path: '/a' } }),
      });
      assert.equal(after.call('c1').decision, 'denied');
    });

    test('a stored denial overrides the messages, at home and on the wire', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      before.guard.decide('c1', 'deny', { reason: 'mine' });
      await before.settle();
      const forms = [
        { ...answered('c1', 'rm', true), input: { path: '/a' } },
        {
          ...call('c1', 'rm', 'output-available'),
          input: { path: '/a' },
          output: 'done',
          approval: { id: 'ap-c1', approved: true },
        },
      ];
      for (const part of forms) {
        const after = await page.load({ messages: stored(part), script: [says()] });
        assert.equal(after.call('c1').decision, 'denied', part.state);
        await after.say('next');
        assert.equal(after.wire('c1').approval.approved, false);
        assert.equal('output' in after.wire('c1'), false);
      }
    });

    test('law 4: a stored denial is sent with every approval field of the messages', async () => {
      const approval = { ...everyField, id: 'ap-c1' };
      const forms = [
        { ...question('c1', { path: '/a' }), approval },
        { ...answered('c1', 'rm', true), input: { path: '/a' }, approval: { ...approval, approved: true } },
      ];
      for (const part of forms) {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one], when: silent });
        await before.say();
        before.guard.decide('c1', 'deny', { reason: 'mine' });
        await before.settle();
        const after = await page.load({ messages: stored(part), script: [says()] });
        assert.deepEqual(await after.guard.resume(), { type: 'sent' });
        assert.deepEqual(after.wire('c1').approval, { ...approval, approved: false, reason: 'mine' });
      }
    });

    test('a deadline continues, and ends even while no page is open', async () => {
      const page = reloadable(sdk, { guard: { expiresMs: 1_000 } });
      const before = await page.load({ script: [one] });
      await before.say();
      const { deadline } = before.call('c1');
      await new Promise((resolve) => setTimeout(resolve, 400));
      const after = await page.load({ messages: copy(before.chat.messages) });
      assert.ok(Math.abs(after.call('c1').deadline - deadline) < 50, 'the same moment');
      await new Promise((resolve) => setTimeout(resolve, 700));
      const late = await page.load({ messages: copy(before.chat.messages), script: [says()] });
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(late.call('c1').status, 'expired');
    });

    for (const back of [3_600_000, 10_000]) {
      test(`law 12: a clock that was set back by ${back} ms between two pages gives no call its time again`, async (t) => {
        const page = reloadable(sdk, { guard: { expiresMs: 60_000 } });
        const before = await page.load({ script: [one] });
        await before.say();
        await before.record.settled();
        const { now } = Date;
        t.mock.method(Date, 'now', () => now() - back);
        const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
        await until(() => after.call('c1').status === 'expired', 2_000);
        t.mock.restoreAll();
      });
    }

    for (const [expiresMs, status] of [
      [60_000, 'asking'],
      [1_000, 'expired'],
    ])
      test(`law 12: a device whose clock is 900 ms behind gives a call of ${expiresMs} ms a second less, and no time again`, async (t) => {
        const page = reloadable(sdk, { guard: { expiresMs } });
        const before = await page.load({ script: [one] });
        await before.say();
        await before.record.settled();
        const { now } = Date;
        t.mock.method(Date, 'now', () => now() - 900);
        const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
        await delay(50);
        const { status: shown, deadline } = after.call('c1');
        const left = deadline - Date.now();
        t.mock.restoreAll();
        assert.equal(shown, status);
        if (status === 'asking') assert.ok(left > 55_000 && left < 59_000, `${left} ms`);
      });

    test('the message has another id (C72), or its call is in two messages', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      before.guard.decide('c1', 'deny');
      await before.settle();
      const part = question('c1', { path: '/a' });
      const drifted = await page.load({ messages: [user(), assistant('drifted', part)] });
      assert.equal(drifted.call('c1').decision, 'denied');
      const twice = await page.load({
        messages: [user(), assistant('a1', part), assistant('a2', part)],
        script: [says()],
      });
      assert.equal(twice.guard.pending().length, 0);
      await twice.say('next');
      for (const m of twice.last.messages) {
        for (const p of m.parts.filter((p) => p.toolCallId === 'c1'))
          assert.equal(p.approval.approved, false);
      }
    });

    test('law 5: an output of the page over a recalled allowance leaves with it, and stays with it', async () => {
      const page = reloadable(sdk, { guard: { clientTools: ['rm'] } });
      const before = await page.load({ script: [one] });
      await before.say();
      const lagging = copy(before.chat.messages);
      Object.assign(lagging[1].parts[1].approval, everyField);
      before.guard.decide('c1', 'allow-once', { reason: 'so' });
      await before.settle();
      const after = await page.load({ messages: lagging, script: [says(), says()] });
      assert.equal(after.call('c1').outcome, 'allowed-once');
      await after.output('c1', 'gone', 'rm');
      assert.equal(after.count, 1);
      for (const count of [1, 2]) {
        if (count === 2) await after.say('thanks');
        assert.equal(after.count, count);
        for (const part of [after.wire('c1'), after.home('c1')]) {
          assert.equal(part.state, 'output-available');
          assert.equal(part.output, 'gone');
          assert.deepEqual(part.approval, { ...everyField, id: 'ap-c1', approved: true, reason: 'so' });
        }
      }
      assert.deepEqual(after.codes(), []);
    });

    test('law 5: an output of the server over a recalled allowance stays with it, so that the list is valid', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      const lagging = copy(before.chat.messages);
      before.guard.decide('c1', 'allow-once');
      await before.settle();
      const after = await page.load({
        messages: lagging,
        script: [continued([outputAvailable('c1')]), says()],
      });
      assert.deepEqual(await after.guard.retry(), { type: 'sent' });
      await after.settle();
      const shown = { id: 'ap-c1', approved: true };
      assert.equal(after.home('c1').state, 'output-available');
      assert.deepEqual(after.home('c1').approval, shown);
      await after.say('thanks');
      assert.deepEqual(after.wire('c1').approval, shown);
      await sdk.ai.validateUIMessages({ messages: after.last.messages });
    });

    test('law 5: the stored output of a recalled allowance gets it back, and one that nobody has allowed gets none', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [two, continued([outputAvailable('c1')])] });
      await before.say();
      before.guard.decide('c1', 'allow-once', { reason: 'so' });
      before.guard.decide('c2', 'deny');
      await before.settle();
      const done = (id, approval) => call(id, 'rm', 'output-available', { output: 1, approval });
      const messages = stored(
        { ...done('c1', { id: 'ap-c1' }), input: { path: '/a' } },
        done('c3', { id: 'x' }),
      );
      const after = await page.load({ messages, script: [says()] });
      await after.say('thanks');
      assert.deepEqual(after.wire('c1').approval, { id: 'ap-c1', approved: true });
      assert.deepEqual(after.wire('c3').approval, { id: 'x' });
      assert.deepEqual(after.home('c3').approval, { id: 'x' });
    });

    test('C70: a replayed question after a reload asks nobody again', async () => {
      const page = reloadable(sdk);
      const before = await page.load({ script: [one, reject()] });
      await before.say();
      before.guard.decide('c1', 'deny');
      await before.settle();
      const after = await page.load({
        messages: copy(before.chat.messages),
        replays: [one],
        replaying: true,
      });
      await after.chat.resumeStream();
      await after.settle();
      assert.equal(after.call('c1').decision, 'denied');
      assert.equal(after.guard.pending().length, 0);
    });

    test('C69: a settled denial and an unsent allowance, without their question', async () => {
      const lost = stored({ ...call('c1', 'rm', 'input-available'), input: { path: '/a' } });
      const denied = reloadable(sdk);
      const first = await denied.load({ script: [one, says()] });
      await first.say();
      first.guard.decide('c1', 'deny');
      await first.settle();
      const after = await denied.load({ messages: lost, script: [says()] });
      assert.equal(after.call('c1').decision, 'denied');
      await after.say('next');
      assert.equal(after.wire('c1').approval.id, 'ap-c1');
      assert.equal(after.wire('c1').approval.approved, false);

      const allowed = reloadable(sdk);
      const second = await allowed.load({ script: [one], when: silent });
      await second.say();
      second.guard.decide('c1', 'allow-once');
      await second.settle();
      const again = await allowed.load({ messages: lost, script: [says()] });
      assert.deepEqual(await again.guard.resume(), { type: 'sent' });
      assert.equal(again.wire('c1').approval.id, 'ap-c1');
      assert.equal(again.wire('c1').approval.approved, true);
    });

    for (const [choice, ann] of [
      ['allow-once', { id: 'u-ann', name: 'Ann' }],
      ['deny', { id: 'u-ann', name: 'Ann' }],
      ['allow-once', undefined],
      ['deny', undefined],
    ]) {
      test(`law 14: a draft of ${ann ? 'one person' : 'a page without a user'} that another page commits stays that person's: ${choice}`, async () => {
        const bob = { id: 'u-bob' };
        const page = reloadable(sdk);
        const first = await page.load({ script: [one], guard: { undoMs: Infinity, user: ann } });
        await first.say();
        first.guard.decide('c1', choice);
        await first.record.settled();
        // The second page shows the draft, and the third one commits it.
        const shown = copy(first.chat.messages);
        await page.load({ messages: shown, script: [], guard: { undoMs: Infinity, user: bob } });
        const s = await page.load({
          messages: shown,
          script: [says()],
          guard: { undoMs: Infinity, user: bob },
        });
        assert.equal(s.call('c1').status, 'drafted');
        s.guard.commit();
        await until(() => s.count === 1);
        await s.record.settled();
        assert.equal(s.call('c1').user, undefined, 'it was not given in this page');
        const said = ({ type, actor, user, userName }) => ({ type, actor, user, userName });
        const answers = s.record.entries().filter(({ type }) => type === 'answered');
        const expected = { type: 'answered', actor: 'person', user: ann?.id, userName: ann?.name };
        assert.deepEqual(answers.map(said), [expected]);
        assert.deepEqual(
          s.guard
            .ledger()
            .filter(({ type }) => type === 'answered')
            .map(said),
          [expected],
        );
        const acts = s.record
          .entries()
          .filter(({ type, session }) => type === 'acted' && session === answers[0].session);
        for (const { user, userName } of acts) assert.deepEqual([user, userName], ['u-bob', undefined]);
      });
    }

    const ten = Array.from({ length: 10 }, (_, i) => question(`c${i}`, { path: `/${i}` }));
    test('of ten questions, each is recovered once, however many pages show them', async () => {
      const page = reloadable(sdk);
      for (let i = 0; i <= 10; i++) {
        const s = await page.load({ messages: stored(...ten), script: [] });
        await s.record.settled();
        const { asked, waiting, recovered, shares } = s.record.metrics();
        const of = i === 0 ? 0 : 10;
        assert.deepEqual([asked, waiting, recovered, shares.recovered], [10, 10, of, of / 10]);
      }
    });

    for (const what of ['draft', 'answer']) {
      test(`one call of ten whose ${what} ten pages have restored is a tenth`, async () => {
        const page = reloadable(sdk);
        let s = await page.load({ messages: stored(...ten), script: [] });
        s.guard.decide('c0', 'deny');
        if (what === 'answer') s.guard.commit();
        await s.record.settled();
        for (let i = 0; i < 10; i++) {
          s = await page.load({ messages: stored(ten[0]), script: [] });
          await s.record.settled();
        }
        const { asked, recovered, shares } = s.record.metrics();
        assert.deepEqual([asked, recovered, shares.recovered], [10, 1, 0.1]);
        assert.equal(s.call('c0').decision, 'denied');
      });
    }

    test('the query for the calls that wait is in the metrics', async () => {
      const page = reloadable(sdk);
      const s = await page.load({ messages: stored(...ten), script: [] });
      assert.deepEqual(s.record.metrics().pending, { count: 0, medianMs: null, p95Ms: null });
      for (let i = 0; i < 3; i++) assert.equal(s.guard.pending().length, 10);
      const { count, medianMs, p95Ms } = s.record.metrics().pending;
      assert.equal(count, 3);
      assert.ok(medianMs >= 0 && p95Ms >= medianMs && p95Ms < 1_000, `${medianMs}, ${p95Ms}`);
    });

    test('a page that counted as closed has continued: its acts count', async () => {
      const storage = storageOf();
      const page = reloadable(sdk, { storage });
      const messages = stored(question('c1', { path: '/a' }));
      // Outside of a browser it is not known which pages are open.
      const live = await page.load({ messages, script: [says()], keepOpen: true });
      await page.load({ messages, keepOpen: true });
      live.guard.decide('c1', 'allow-once');
      await live.settle();
      await live.record.settled();
      assert.equal(live.count, 1);
      const after = await page.load({ messages });
      assert.equal(after.call('c1').decision, 'allowed');
      assert.deepEqual(await after.guard.resume(), { type: 'nothing-to-send' });
    });

    test('law 8: a draft that another page has restored can be undone where it was made', async () => {
      const page = reloadable(sdk, { guard: { undoMs: 60_000 } });
      const messages = stored(question('c1', { path: '/a' }), question('c2', { path: '/b' }));
      const live = await page.load({ messages, keepOpen: true });
      live.guard.decide('c1', 'allow-once');
      await live.record.settled();
      // Outside of a browser it is not known which pages are open.
      const other = await page.load({ messages, script: [says()], keepOpen: true });
      assert.equal(other.call('c1').status, 'drafted');
      await other.record.settled();
      assert.equal(live.guard.undo('c1').type, 'undone');
      await live.record.settled();
      other.guard.decide('c2', 'allow-once');
      other.guard.commit();
      await other.record.settled();
      await other.settle();
      assert.deepEqual([other.call('c1').status, other.call('c2').status], ['asking', 'drafted']);
      assert.equal(other.count, 0);
    });

    test('grants are kept only with the option, and then answer', async () => {
      for (const grants of [false, true]) {
        const page = reloadable(sdk, { record: { grants } });
        const next = (id, input) => response(`m-${id}`, gated(id, 'rm', input));
        const before = await page.load({ script: [one, says(), next('c5', { path: '/a' })] });
        await before.say();
        before.guard.decide('c1', 'allow-chat');
        await before.settle();
        const texts = textsOf(page.storage).join('');
        assert.doesNotMatch(texts, /\/a/, 'no input is stored');
        const after = await page.load({
          messages: copy(before.chat.messages),
          script: [next('c2', { path: '/a' }), says(), next('c3', { path: '/b' })],
        });
        await after.say('again');
        assert.equal(after.guard.grants().length, grants ? 1 : 0);
        assert.equal(after.call('c2').outcome, grants ? 'allowed-automatically' : undefined);
        if (grants) {
          await after.settle();
          await after.say('other');
          assert.equal(after.call('c3').status, 'asking', 'another input');
        }
      }
    });
  }),
);
