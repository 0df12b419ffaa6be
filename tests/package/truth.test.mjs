// Law 14: the record tells the truth. It says who caused each entry, and when it happened.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRules } from 'tool-approval-guard/rules';

import { scene, until } from './support/chat.mjs';
import {
  approvalRequest,
  continued,
  finish,
  gated,
  outputAvailable,
  response,
  says,
  start,
} from './support/chunks.mjs';
import { stoppedClock } from './support/clock.mjs';
import { entries } from './support/decide.mjs';
import { copy, reloadable } from './support/reload.mjs';
import { hanging } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

const A = { path: '/a' };
const B = { path: '/b' };
const two = (input = B) => response('a1', gated('c1', 'rm', A), gated('c2', 'rm', input));

/** The types and actors of the entries from one on, without duplicates. */
const since = (s, from) => [
  ...new Set(
    s.guard
      .ledger()
      .slice(from)
      .map(({ type, actor }) => `${type} by ${actor}`),
  ),
];

const actorsOf = (s, type, toolCallId) => entries(s, type, toolCallId).map(({ actor }) => actor);

/** Checks that each entry names its cause, and that none is reported twice. */
function assertNamed(s) {
  for (const { type, actor } of s.guard.ledger()) assert.equal(typeof actor, 'string', type);
}

async function asked(sdk, options = {}) {
  const s = scene(sdk, { script: [two(options.second), says(), says()], ...options });
  await s.say();
  return s;
}

forEachSdk((sdk) =>
  describe(`law 14: who caused it, ${sdk.name}`, () => {
    test('an undo of a person, and a denial that replaces a drafted allowance', async () => {
      const s = await asked(sdk, { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-once');
      const from = s.guard.ledger().length;
      s.guard.undo('c1');
      assert.deepEqual(since(s, from), ['undone by person']);
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c1', 'deny');
      assert.deepEqual(actorsOf(s, 'undone'), ['person', 'person']);
      assertNamed(s);
    });

    const earlier = {
      'an answer': (part) => ({ ...part, ...answered('c1', 'rm', true) }),
      'an output': ({ approval: _, ...part }) => ({ ...part, state: 'output-available', output: 'ok' }),
    };
    for (const [what, change] of Object.entries(earlier)) {
      test(`${what} of an earlier page, in a list that the application sets later, is no act here, and does not leave by itself`, async () => {
        const s = scene(sdk, { script: [says(), says()], guard: { clientTools: ['rm'] } });
        await s.say();
        s.chat.messages = [user(), assistant('a9', change(asking('c1', 'rm')))];
        s.guard.observe(s.chat.messages);
        await s.settle();
        assert.equal(s.count, 1);
        assert.deepEqual([...actorsOf(s, 'answered'), ...actorsOf(s, 'output')], ['history']);
      });
    }

    test('after a second question, the output of the server belongs to that one', async () => {
      const again = [start('a1'), approvalRequest('c1', 'ap-again'), finish()];
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm', A)), again, continued([outputAvailable('c1')])],
      });
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(
        entries(s, 'output').map(({ approvalId, actor }) => [approvalId, actor]),
        [['ap-again', 'server']],
      );
      assert.deepEqual(entries(s, 'unhandled'), []);
    });

    test('the predicate, explain() and the snapshot give one verdict, lease and limit included', async () => {
      const s = await asked(sdk, { guard: { maxAutomaticSends: 1 } });
      const verdicts = () => [s.guard.explain().reason, s.guard.getSnapshot().verdict.reason];
      const both = (reason) => assert.deepEqual(verdicts(), [reason, reason]);
      both('waiting');
      // A list of the page; the chat itself is not asked, so nothing is sent.
      const messages = copy(s.chat.messages);
      for (const part of messages.at(-1).parts) {
        if (part.approval) Object.assign(part, { state: 'approval-responded' }).approval.approved = true;
      }
      let told = 0;
      s.guard.subscribe(() => told++);
      assert.equal(s.guard.sendAutomaticallyWhen({ messages }), true);
      both('asked-twice');
      assert.equal(s.guard.sendAutomaticallyWhen({ messages }), false);
      const before = told;
      await new Promise((resolve) => setTimeout(resolve, 5));
      both('answered');
      assert.ok(told > before, 'a page is told that the yes is over');
    });

    test('the time of a grant runs out while its drafts can be undone', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, { second: A, guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-chat', { forMs: 60_000 });
      assert.equal(s.call('c2').actor, 'grant');
      const from = s.guard.ledger().length;
      await clock.pass(61_000);
      assert.equal(s.call('c2').status, 'asking');
      assert.deepEqual(since(s, from), ['grant-ended by timer', 'undone by timer']);
      assertNamed(s);
    });

    test('rules that became stricter', async () => {
      const rules = createRules({ rules: [{ allow: 'rm' }] });
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm', A), gated('c2', 'mv', B))],
        guard: { rules },
      });
      await s.say();
      assert.equal(s.call('c1').actor, 'rule');
      const from = s.guard.ledger().length;
      rules.tighten([{ ask: 'rm', always: true }]);
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(actorsOf(s, 'undone'), ['rule']);
      assert.equal(
        since(s, from).some((entry) => entry.endsWith('person')),
        false,
      );
      rules.tighten([{ deny: 'rm' }]);
      assert.deepEqual(actorsOf(s, 'undone'), ['rule']);
      assertNamed(s);
    });

    test('an input changed by the page voids the draft and ends the grant that came with it', async () => {
      const s = await asked(sdk, { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-chat');
      const from = s.guard.ledger().length;
      s.chat.messages = s.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === 'c1' ? { ...part, input: { path: '/x' } } : part,
        ),
      }));
      s.guard.observe(s.chat.messages);
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(since(s, from), [
        'voided by application',
        'grant-ended by application',
        'asked by application',
      ]);
      assertNamed(s);
    });

    test('a stop, and the end of the guard', async () => {
      const s = await asked(sdk, { guard: { undoMs: Infinity } });
      s.guard.decide('c1', 'allow-chat');
      let from = s.guard.ledger().length;
      await s.chat.stop();
      assert.deepEqual(since(s, from), ['stopped by person', 'withdrawn by stop', 'grant-ended by stop']);
      s.guard.decide('c1', 'allow-chat');
      from = s.events.length;
      s.guard.dispose();
      assertNamed({ guard: { ledger: () => s.events } });
    });

    test('a stop while a response runs is one stop, and breaks it off', async () => {
      const s = scene(sdk, { script: [hanging(two())] });
      s.send();
      await until(() => s.call('c2')?.status === 'asking');
      await s.chat.stop();
      await s.settle();
      assert.deepEqual(since(s, 0).slice(-2), ['stopped by person', 'failed by stop']);
      assert.equal(entries(s, 'stopped').length, 1);
    });

    test('a guard that nobody attends', async () => {
      const s = await asked(sdk, { guard: { attended: false } });
      assert.deepEqual(actorsOf(s, 'drafted'), ['unattended', 'unattended']);
      assert.deepEqual(actorsOf(s, 'answered'), ['unattended', 'unattended']);
      assert.deepEqual(actorsOf(s, 'undone'), []);
      assert.deepEqual(
        actorsOf(s, 'requested'),
        ['person', 'application'],
        'a message, and what follows by itself',
      );
      assertNamed(s);
    });

    test('calls found by the first attach are history, and later ones are from the server', async () => {
      const messages = [user(), assistant('a1', answered('h1', 'rm', true), asking('h2', 'rm'))];
      const s = scene(sdk, { messages, script: [says()] });
      s.guard.getSnapshot();
      assert.deepEqual(since(s, 0), ['noticed by history', 'answered by history', 'asked by history']);
      const live = await asked(sdk);
      assert.deepEqual(actorsOf(live, 'noticed'), ['server', 'server']);
      assert.deepEqual(actorsOf(live, 'asked'), ['server', 'server']);
      assertNamed(live);
    });

    test('stored messages that come after the chat was attached are history, however they are read', async () => {
      const stored = [user(), assistant('a1', answered('h1', 'rm', true), asking('h2', 'rm'))];
      const reading = {
        observe: ({ guard, chat }) => guard.observe(chat.messages),
        'an answer through the chat': (s) => s.approve('h2'),
        attach: ({ guard, chat }) => guard.attach(chat),
        decide: ({ guard }) => guard.decide('h2', 'allow-once'),
      };
      for (const [how, read] of Object.entries(reading)) {
        const s = scene(sdk, { script: [says()] });
        s.guard.getSnapshot();
        s.chat.messages = stored;
        await read(s);
        await s.settle();
        const isAnswered = /answer|decide/.test(how);
        assert.deepEqual(actorsOf(s, 'noticed'), ['history', 'history'], how);
        assert.deepEqual(actorsOf(s, 'asked'), ['history'], how);
        assert.deepEqual(actorsOf(s, 'answered'), isAnswered ? ['history', 'person'] : ['history'], how);
        assert.equal(s.count, Number(isAnswered), how);
        assertNamed(s);
      }
    });

    test('what a resumed stream writes into an empty chat is not history', async () => {
      const s = scene(sdk, { replays: [two()], script: [says()] });
      s.guard.getSnapshot();
      await s.chat.resumeStream();
      await s.settle();
      assert.deepEqual(actorsOf(s, 'asked'), ['server', 'server']);
    });

    test('a draft restored by a reload was not drafted by a person now, but is still a draft', async () => {
      const page = reloadable(sdk, { guard: { undoMs: Infinity } });
      const before = await page.load({ script: [two()] });
      await before.say();
      before.guard.decide('c1', 'allow-once');
      for (let reloads = 0; reloads < 2; reloads++) {
        const after = await page.load({ messages: copy(before.chat.messages), script: [says()] });
        assert.deepEqual(actorsOf(after, 'drafted'), ['history']);
        assert.equal(after.call('c1').actor, 'person');
        assert.equal(after.call('c1').can.undo, true);
        assertNamed(after);
      }
    });

    test('metrics count only undos of a person', async (t) => {
      const clock = stoppedClock(t);
      const page = reloadable(sdk, { guard: { undoMs: Infinity } });
      const s = await page.load({ script: [two(A)] });
      await s.say();
      s.guard.decide('c1', 'allow-chat', { forMs: 60_000 });
      await clock.pass(61_000);
      assert.equal(entries(s, 'undone', 'c2').length, 1);
      assert.equal(s.record.metrics().undone, 0);
      s.guard.undo('c1');
      assert.equal(s.record.metrics().undone, 1);
    });

    test('a bare continue is not an act of a person', async () => {
      const page = reloadable(sdk);
      const s = await page.load({ script: [says(), says()] });
      await s.say();
      await s.chat.sendMessage();
      await s.settle();
      assert.deepEqual(actorsOf(s, 'requested'), ['person', 'application']);
      assert.equal(s.record.metrics().turns, 1);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`law 14: when it happened, ${sdk.name}`, () => {
    test('with neither an expiry, a timed grant nor a record', async (t) => {
      const clock = stoppedClock(t);
      const s = scene(sdk, { script: [two(), hanging()] });
      await clock.pass(700);
      await s.say();
      const askedAt = clock.now();
      await clock.pass(50);
      s.guard.decide('c1', 'allow-once');
      const [asked] = entries(s, 'asked', 'c1');
      const [drafted] = entries(s, 'drafted', 'c1');
      assert.deepEqual([asked.at, drafted.at], [askedAt, askedAt + 50]);
      assert.equal(drafted.mono - asked.mono, 50);
      assert.equal(drafted.waitedMs, 50);
    });

    test('every entry has both times, as read from the clocks when it happened', async (t) => {
      const clock = stoppedClock(t);
      const said = [];
      const start = clock.now();
      const s = scene(sdk, {
        script: [two(), continued([outputAvailable('c1')]), says()],
        guard: { onEvent: (entry) => said.push([entry, clock.now()]) },
      });
      await clock.pass(1_000);
      await s.say();
      await clock.pass(20);
      s.guard.decide('c1', 'allow-once');
      await clock.pass(20);
      s.guard.decide('c2', 'deny');
      await clock.pass(20);
      await s.chat.stop();
      await clock.pass(20);
      await s.say('and now?');
      assert.ok(said.length > 15);
      const first = said[0][1] - said[0][0].mono;
      for (const [{ type, at, mono }, now] of said) {
        assert.equal(at, now, type);
        assert.equal(mono, now - first, type);
      }
      assert.ok(start < clock.now());
    });
  }),
);
