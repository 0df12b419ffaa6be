// The user writes, edits or regenerates while calls are open, or are answered and unsent.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';

import { createWords } from 'tool-approval-guard/words';

import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { broken, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, plain, roles } from './support/assertions.mjs';
import {
  abort,
  approvalRequest,
  continued,
  data,
  finish,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';

/** The calls of the answer in the opposite order. */
const turned = ([question, { parts, ...answer }]) => [
  question,
  { ...answer, parts: [parts[0], ...parts.slice(1).toReversed()] },
];

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'));

forEachSdk((sdk) =>
  describe(`the user moves on, ${sdk.name}`, () => {
    test('C59 a new message while a card is open: denied as superseded', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says(), says()] });
      await s.say();
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'uau');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.ok(s.wire('c1').approval.reason, 'the model is told why');
      assertDenied(s.home('c1'), { id: 'ap-c1' });
      assert.equal(s.call('c1').actor, 'superseded');
      await s.say('more');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    for (const observed of [false, true]) {
      test(`parts in another order, ${observed ? 'observed' : 'unseen'}: a message closes every call`, async () => {
        const calls = [gated('c1', 'rm'), toolCall('c2', 'ui'), gated('c3', 'mv')];
        const s = scene(sdk, {
          script: [response('a1', ...calls), says()],
          guard: { clientTools: ['ui'] },
        });
        await s.say();
        s.chat.messages = turned(s.chat.messages);
        if (observed) s.guard.observe(s.chat.messages);
        await s.say('something else');
        assert.ok(!s.events.some(({ type }) => type === 'gone'));
        for (const id of ['c1', 'c3']) assertDenied(s.wire(id), { id: `ap-${id}` });
        assert.equal(s.wire('c2').state, 'output-error');
      });
    }

    test('parts in another order: each call keeps its card and its answer', async () => {
      const calls = [gated('c1', 'rm'), gated('c2', 'cp'), gated('c3', 'mv')];
      const s = scene(sdk, { script: [response('a1', ...calls), says()] });
      await s.say();
      await s.deny('c1');
      s.chat.messages = turned(s.chat.messages);
      await s.approve('c3');
      assert.deepEqual(
        s.guard.getSnapshot().calls.map(({ toolCallId, status }) => [toolCallId, status]),
        [
          ['c1', 'answered'],
          ['c2', 'asking'],
          ['c3', 'answered'],
        ],
      );
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assertAllowed(s.wire('c2'));
      assertAllowed(s.wire('c3'));
    });

    test('C59 a late click on the closed card does nothing', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says(), says()] });
      await s.say();
      await s.say('something else');
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertDenied(s.home('c1'), { id: 'ap-c1' });
      await s.say('more');
      assert.equal(s.count, 3);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C59 with whenUserSends: pass nothing is touched', async () => {
      const s = scene(sdk, { guard: { whenUserSends: 'pass' }, script: [two(), says()] });
      await s.say();
      await s.deny('c1', 'no');
      const before = s.chat.messages[1];
      await s.say('something else');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAsking(s.wire('c2'), 'ap-c2');
      assert.deepEqual(s.last.messages[1], plain(before));
    });

    test('C60 allowed and open calls beside an answered denial: only the denial keeps its reason', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'cp')), says()],
      });
      await s.say();
      await s.approve('c1', 'fine');
      await s.deny('c2', 'not that');
      await s.say('something else');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.notEqual(s.wire('c1').approval.reason, 'fine', 'a withdrawn allowance gives its own reason');
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'not that' });
      assertDenied(s.wire('c3'), { id: 'ap-c3' });
      for (const id of ['c1', 'c2', 'c3']) assertDenied(s.home(id), { id: `ap-${id}` });
    });

    test('C61 with whenUserSends: pass an allowance before the message is sent', async () => {
      const s = scene(sdk, {
        when: () => () => false,
        guard: { whenUserSends: 'pass' },
        script: [response('a1', gated('c1', 'rm')), says()],
      });
      await s.say();
      await s.approve('c1');
      await s.say('wait');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('with whenUserSends: pass a regeneration does not send an allowance again that ended with nothing', async () => {
      const s = scene(sdk, {
        guard: { whenUserSends: 'pass' },
        script: [response('a1', gated('c1', 'rm')), response('b1'), says()],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 3);
      assert.equal(s.last.messages.at(-1).role, 'assistant');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('an open call of a client tool is sent as superseded, other open calls are unchanged', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui', { n: 1 }), toolCall('s1', 'search')), says(), says()],
      });
      await s.say();
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.equal(s.wire('k1').state, 'output-error');
      assert.ok(s.wire('k1').errorText);
      assert.equal(s.wire('k1').output, undefined);
      assert.deepEqual(s.wire('k1').input, { n: 1 });
      assert.equal(s.wire('s1').state, 'input-available');
      assert.equal(s.home('k1').state, 'output-error');
      await s.say('more');
      assert.equal(s.count, 3);
      assert.equal(s.wire('k1').state, 'output-error');
    });

    test('an approved client tool without its output is withdrawn', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['pick'] },
        script: [response('a1', gated('c1', 'pick')), says()],
      });
      await s.say();
      await s.approve('c1');
      await s.say('something else');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    test('a client tool that has its output keeps it', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('k1', 'ui'), gated('c1', 'rm')), says()],
      });
      await s.say();
      await s.output('k1', { picked: 3 });
      await s.say('something else');
      assert.equal(s.count, 2);
      assert.deepEqual(s.wire('k1').output, { picked: 3 });
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
    });

    for (const [how, failure] of [
      ['before a response', reject(new TypeError('fetch failed'))],
      ['half way', broken([start()])],
    ]) {
      test(`after a request that broke off ${how} the reason says that it is not known whether the call ran`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), failure, says()] });
        await s.say();
        await s.approve('c1');
        assert.equal(s.chat.status, 'error');
        assert.equal(s.guard.getSnapshot().batch.inputLocked, false);
        await s.say('what happened?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assert.match(s.wire('c1').approval.reason, /not known/i);
        assert.equal(s.call('c1').outcome, 'superseded-in-doubt');
        const { outcome } = createWords().call(s.call('c1'));
        assert.equal(outcome, 'You sent a new message. It is not known whether this ran.');
        const closed = s.guard.ledger().find(({ type }) => type === 'superseded');
        assert.equal(closed.outcome, 'superseded-in-doubt');
      });
    }

    // `ai` 6 has no such chunk.
    if (sdk.major === 7) {
      test('a call that the server has allowed itself, and whose response broke, is closed by a message in the same way', async () => {
        const [call, request] = gated('c1', 'rm');
        const allowed = { type: 'tool-approval-response', approvalId: 'ap-c1', approved: true };
        const chunks = [start('a1'), startStep, call, { ...request, isAutomatic: true }, allowed];
        const s = scene(sdk, { script: [broken(chunks), says(), says()] });
        await s.say();
        assert.equal(s.home('c1').approval.approved, true);
        for (const count of [2, 3]) {
          await s.say('what happened?');
          assert.equal(s.count, count);
          assertDenied(s.wire('c1'), { id: 'ap-c1', isAutomatic: true });
          assert.match(s.wire('c1').approval.reason, /not known/i);
        }
        assert.equal(s.call('c1').outcome, 'superseded-in-doubt');
      });
    }

    for (const [what, answer] of [
      ['empty', []],
      ['only data', [start(), data(), finish()]],
      ['aborted by the server', [start(), abort]],
      ['a step with text', continued([])],
      ['text without a step', [start(), ...text('It is done.'), finish()]],
    ]) {
      test(`C61 a response without a result, ${what}: a message closes the allowed call, or the server refuses every request`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), answer, says(), says()] });
        await s.say();
        await s.approve('c1');
        assert.equal(s.count, 2);
        assert.equal(s.guard.getSnapshot().batch.inputLocked, false, 'nobody can answer it any more');
        for (const count of [3, 4]) {
          await s.say('what happened?');
          assert.equal(s.count, count);
          assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
          assert.match(s.wire('c1').approval.reason, /not known/i);
        }
      });
    }

    for (const [what, answer] of [
      ['a step with text', continued([])],
      ['text without a step', [start(), ...text('It is done.'), finish()]],
    ]) {
      test(`C62 a server that answers an allowance with ${what} and no result: the next message closes the call, which a server would refuse`, async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), answer, says()] });
        await s.say();
        await s.approve('c1');
        assert.equal(s.guard.getSnapshot().batch.inputLocked, false);
        await s.say('thanks');
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        assert.match(s.wire('c1').approval.reason, /not known/i);
      });
    }

    test('C61 a message over a running response: the allowance leaves as closed, also with the next answer', async () => {
      const running = live();
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), running, response('a2', gated('c2', 'mv')), says()],
      });
      await s.say();
      s.answer('c1', true);
      await running.started;
      void s.send('meanwhile');
      await until(() => s.home('c2')?.state === 'approval-requested');
      s.answer('c2', true);
      await until(() => s.count === 4);
      for (const request of s.requests.slice(2)) {
        assertDenied(s.wire('c1', request), { id: 'ap-c1' }, { state: 'output-denied' });
      }
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      running.close();
      await s.settle();
    });

    for (const [what, older] of [
      ['asks', { state: 'approval-requested', approval: { id: 'ap-c1' } }],
      ['was answered', { state: 'approval-responded', approval: { id: 'ap-c1', approved: true } }],
    ]) {
      const lagging = ({ messages }) => {
        const list = structuredClone(messages).slice(0, 2);
        const { type, toolCallId, input } = list[1].parts[1];
        list[1].parts = [list[1].parts[0], { type, toolCallId, input, ...older }];
        return list;
      };
      const output = { state: 'output-available', output: { ran: true } };

      for (const isSeen of [false, true]) {
        test(`an older list in which a call ${what} that has run, ${isSeen ? '' : 'not '}seen before a message: its output is put back`, async () => {
          const s = scene(sdk, {
            script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')]), says(), says()],
          });
          await s.say();
          await s.approve('c1', 'fine');
          assert.equal(s.call('c1').status, 'settled');
          const { approval, output } = s.home('c1');
          s.chat.messages = lagging(s.chat);
          if (isSeen) s.guard.observe(s.chat.messages);
          for (const count of [3, 4]) {
            await s.say('thanks');
            assert.equal(s.count, count);
            for (const part of [s.wire('c1'), s.home('c1')]) {
              assert.equal(part.state, 'output-available');
              assert.deepEqual(part.output, output);
              assert.deepEqual(part.approval, approval);
              assert.equal(part.approval.reason, 'fine');
            }
            assert.equal(s.call('c1').outcome, 'allowed-once');
            assert.equal(s.call('c1').status, 'settled');
          }
          assert.ok(s.guard.ledger().every(({ type }) => type !== 'superseded'));
          assert.deepEqual(s.codes(), []);
        });
      }
    }

    test('a call that has run and is allowed again is sent again, or closed with the output that was seen', async () => {
      for (const sends of [true, false]) {
        let holds = false;
        const s = scene(sdk, {
          when: (own) => (question) => own(question) && !holds,
          script: [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')]), says(), says()],
        });
        await s.say();
        const older = structuredClone(s.chat.messages);
        await s.approve('c1');
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        holds = !sends;
        await s.approve('c1');
        assert.equal(s.count, sends ? 3 : 2);
        if (sends) {
          assertAllowed(s.wire('c1'), { id: 'ap-c1' });
          continue;
        }
        await s.say('thanks');
        assert.notEqual(s.wire('c1').approval?.approved, false);
        assert.match(s.wire('c1').state, /^output-/);
        assert.equal(s.call('c1').outcome, 'allowed-once');
      }
    });

    test('C14 a skipped card of an earlier message is not sent automatically', async () => {
      const s = scene(sdk, { guard: { whenUserSends: 'pass' }, script: [two(), says(), says()] });
      await s.say();
      await s.approve('c1');
      await s.say('meanwhile');
      await s.approve('c2');
      assert.equal(s.count, 2);
      assert.equal(s.verdict().send, false);
    });

    test('C62 only calls of the last step wait', async () => {
      const s = scene(sdk, {
        guard: { whenUserSends: 'pass' },
        script: [response('a1', gated('c1', 'rm')), continued([gated('c2', 'mv')], 'Something else.')],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.home('c1').state, 'approval-responded', 'the server left it in an earlier step');
      assert.deepEqual(s.verdict().waitingFor, []);
      assert.equal(s.verdict().send, false);
    });

    test('C64 regenerate with an answered and an open card: both are gone, nothing is kept', async () => {
      const s = scene(sdk, {
        script: [two(), response('a2', toolCall('c1', 'rm'), approvalRequest('c1', 'ap-new')), says()],
      });
      await s.say();
      await s.deny('c1', 'no');
      await s.chat.regenerate();
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.last.trigger, 'regenerate-message');
      assert.equal(roles(s.last), 'u');
      assertAsking(s.home('c1'), 'ap-new');
      assert.deepEqual(
        s.guard.getSnapshot().calls.map((c) => [c.approvalId, c.status]),
        [['ap-new', 'asking']],
      );
      await s.deny('c2');
      assert.equal(s.count, 2, 'a late click on a card that is gone');
      await s.chat.addToolApprovalResponse({ id: 'ap-new', approved: true });
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-new' });
    });

    test('C65 an edit of an earlier message: the card is gone and a late click does nothing', async () => {
      const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), says()] });
      await s.chat.sendMessage({ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] });
      await s.settle();
      await s.chat.sendMessage({ text: 'go elsewhere', messageId: 'u1' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'u');
      assert.equal(s.last.messages[0].parts[0].text, 'go elsewhere');
      assert.deepEqual(s.guard.getSnapshot().calls, []);
      await s.approve('c1');
      assert.equal(s.count, 2);
    });

    test('whenAllDenied: hold waits for the user, and the denial goes out with the message', async () => {
      const s = scene(sdk, { guard: { whenAllDenied: 'hold' }, script: [two(), says()] });
      await s.say();
      await s.deny('c1', 'no');
      await s.deny('c2', 'neither');
      assert.equal(s.count, 1);
      await s.say('do this instead');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'neither' });
    });

    test('whenAllDenied: hold does not hold a step that has an allowance', async () => {
      const s = scene(sdk, { guard: { whenAllDenied: 'hold' }, script: [two(), says()] });
      await s.say();
      await s.deny('c1');
      await s.approve('c2');
      assert.equal(s.count, 2);
    });

    test('sendOn: approvals and outputs', async () => {
      const script = () => [response('a1', gated('c1', 'rm')), response('a2', toolCall('k1', 'ui')), says()];
      const approvals = scene(sdk, { guard: { sendOn: 'approvals' }, script: script() });
      await approvals.say();
      await approvals.approve('c1');
      assert.equal(approvals.count, 2);
      await approvals.output('k1');
      assert.equal(approvals.count, 2);
      const outputs = scene(sdk, { guard: { sendOn: 'outputs' }, script: script().slice(1) });
      await outputs.say();
      await outputs.output('k1');
      assert.equal(outputs.count, 2);
      const held = scene(sdk, { guard: { sendOn: 'outputs' }, script: script() });
      await held.say();
      await held.approve('c1');
      assert.equal(held.count, 1);
      assert.equal(held.verdict().send, false);
    });
  }),
);

test('C59 a superseded denial does not hold the queue, ai@7', async () => {
  const s = scene(sdk7, {
    chat: { experimental_queue: true },
    script: [
      response('a1', gated('c1', 'rm'), text('Shall I?')),
      continued([outputAvailable('c1')]),
      says(),
      says(),
    ],
  });
  await s.say();
  await s.send('one');
  await s.send('two');
  assert.equal(s.count, 1, 'the queue waits for the card');
  await s.deny('c1', 'no');
  assert.equal(s.count, 4);
  assert.deepEqual(
    s.requests.slice(2).map((r) => r.messages.at(-1).parts[0].text),
    ['one', 'two'],
  );
  for (const request of s.requests.slice(1))
    assertDenied(s.wire('c1', request), { id: 'ap-c1', reason: 'no' });
});
