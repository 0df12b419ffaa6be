// A step that is settled and has something new is sent (law 3).
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { STOCK, createApprovalGuard, macrotask, scene } from './support/chat.mjs';
import { entries } from './support/decide.mjs';
import { live, reject, ScriptedTransport } from './support/scripted-transport.mjs';
import { assistant, call, said, user } from './support/stored.mjs';
import {
  assertAllowed,
  assertAsking,
  assertDenied,
  assertHolds,
  assertWaitsFor,
  plain,
} from './support/assertions.mjs';
import {
  approvalRequest,
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  policyDenied,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';
import { explained } from './support/explained.mjs';

forEachSdk((sdk) =>
  describe(`stalls, ${sdk.name}`, () => {
    test('C11 a policy denial with a client tool', async () => {
      const s = scene(sdk, {
        script: [response('a1', policyDenied(sdk, 'd1', 'rm'), toolCall('c1', 'ui')), says()],
      });
      await s.say();
      assert.equal(s.count, 1);
      assertWaitsFor(s, ['c1', 'output']);
      await s.output('c1', { shown: true });
      assert.equal(s.count, 2);
      assert.equal(s.wire('d1').state, 'output-denied');
      assert.deepEqual(s.wire('c1').output, { shown: true });
    });

    test('what a page asks before the predicate may say no, also where the guard asks in place of the chat', async () => {
      let online = true;
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), says()],
        when: (own) => (question) => online && own(question),
      });
      await s.say();
      online = false;
      await s.deny('c1');
      for (let i = 0; i < 5; i++) await macrotask();
      assert.equal(s.count, 1);
      online = true;
      await s.guard.retry();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'));
    });

    test(
      'a draft that waited for another call is sent when the list answers that call',
      { skip: STOCK },
      async () => {
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), says()] });
        await s.say();
        s.guard.decide('c2', 'deny-chat');
        await s.settle();
        assertWaitsFor(s, ['c1', 'approval'], ['c2', 'commit']);
        const denied = (part) =>
          part.toolCallId === 'c1'
            ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: false } }
            : part;
        s.chat.messages = s.chat.messages.map((m) => ({ ...m, parts: m.parts.map(denied) }));
        s.guard.observe(s.chat.messages);
        await macrotask();
        await s.settle();
        assert.equal(s.count, 2);
        for (const id of ['c1', 'c2']) assertDenied(s.wire(id), { id: `ap-${id}` });
      },
    );

    test(
      'an allowance that the server did not accept is asked about again, also in an older list',
      { skip: STOCK },
      async () => {
        const repeated = [start('a1'), approvalRequest('c1'), finishStep, finish()];
        const s = scene(sdk, { script: [response('a1', gated('c1', 'rm')), repeated, says()] });
        await s.say();
        await s.approve('c1');
        const older = structuredClone(s.requests[1].messages);
        assertWaitsFor(s, ['c1', 'approval']);
        s.chat.messages = older;
        s.guard.observe(s.chat.messages);
        await macrotask();
        assertWaitsFor(s, ['c1', 'approval']);
        assertAsking(s.home('c1'), 'ap-c1');
        assert.equal(s.count, 2);
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
      },
    );

    test('a getter of the chat that throws once does not end the wake-ups', async () => {
      let online = true;
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), says()],
        when: (own) => (question) => online && own(question),
      });
      await s.say();
      online = false;
      await s.answer('c1', false);
      let isRead = false;
      const get = () => {
        isRead = true;
        throw new Error('no status');
      };
      Object.defineProperty(s.chat, 'status', { get, configurable: true });
      for (let i = 0; i < 5; i++) await macrotask();
      delete s.chat.status;
      assert.ok(isRead);
      online = true;
      s.guard.commit();
      for (let i = 0; i < 5; i++) await macrotask();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'));
    });

    test('C11 a policy denial alone is no reason to send', async () => {
      const s = scene(sdk, { script: [response('a1', policyDenied(sdk, 'd1', 'rm')), says()] });
      await s.say();
      assert.equal(s.count, 1);
      assertHolds(s, 'nothing-new');
    });

    test('C12 an approval with a call that the server denied', async () => {
      const s = scene(sdk, {
        script: [response('a1', policyDenied(sdk, 'd1', 'rm'), gated('c1', 'deploy')), says()],
      });
      await s.say();
      assert.equal(s.count, 1);
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C12 one of two calls denied', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), gated('c2', 'ls')),
          continued([outputDenied('c1'), outputAvailable('c2')]),
        ],
      });
      await s.say();
      await s.deny('c1', 'no');
      assert.equal(s.count, 1);
      await s.approve('c2');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('C13 an open provider-executed call without an approval does not hold the answer back', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', toolCall('p1', 'code', {}, { providerExecuted: true }), gated('c1', 'ask')),
          continued([outputAvailable('c1')]),
        ],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.wire('p1').state, 'input-available');
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C14 an answer on an earlier message is not sent automatically', async () => {
      const s = scene(sdk, {
        guard: { whenUserSends: 'pass' },
        script: [response('a1', gated('c1', 'rm')), response('a2', text('Something else.'))],
      });
      await s.say();
      await s.say('never mind');
      assert.equal(s.count, 2);
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.home('c1').approval.approved, true, 'the answer stays where the user gave it');
      assertHolds(s, 'no-tool-call');
    });

    test('C15 answered, then reloaded: resume() sends it once', async () => {
      const stored = [
        { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
        {
          id: 'a1',
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            {
              type: 'tool-rm',
              toolCallId: 'c1',
              state: 'approval-responded',
              input: {},
              approval: { id: 'ap-c1', approved: true },
            },
          ],
        },
      ];
      const s = scene(sdk, { messages: stored, script: [continued([outputAvailable('c1')])] });
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.count, 0);
      assertHolds(s, 'history');
      assert.deepEqual(await s.guard.resume(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 1);
      assert.deepEqual(plain(s.last.messages), plain(stored));
      assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
      await s.settle();
      assert.equal(s.count, 1);
    });

    test('C16 a request that failed is kept and retry() sends it', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), reject(), continued([outputAvailable('c1')])],
      });
      await s.say();
      await s.approve('c1', 'fine');
      assert.equal(s.count, 2);
      assertAllowed(s.home('c1'), { reason: 'fine' });
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'fine' });
    });

    test('C17 a second answer while the continuation streams is judged when it ends', async () => {
      const second = live();
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), second, continued([outputAvailable('c2')])],
      });
      await s.say();
      await s.answer('c1', true);
      await second.started;
      second.push(start(), outputAvailable('c1'), startStep, gated('c2', 'mv'));
      await macrotask();
      await s.answer('c2', true);
      await macrotask();
      assert.equal(s.count, 2, 'nothing is sent while a response is running');
      second.push(finishStep, finish());
      second.close();
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      assert.equal(s.wire('c1').output, 'done');
    });

    for (const [title, blank] of [
      ['a newline that never ended', text('\n', { open: true })],
      ['an empty text', text('')],
      ['an empty text that never ended', text('', { open: true })],
      ['white space that ended', text(' \t\n ')],
    ]) {
      test(`C18 ${title} after the client tool`, async () => {
        const s = scene(sdk, { script: [response('a1', toolCall('c1', 'ui'), blank), says()] });
        await s.say();
        await s.output('c1');
        assert.equal(s.count, 2);
        assert.equal(s.wire('c1').output, 'shown');
      });
    }

    for (const [title, chunks] of [
      ['before the client tool', [text('Let me check.'), toolCall('c1', 'ui')]],
      ['after the client tool, there when the output came', [toolCall('c1', 'ui'), text('Let me check.')]],
      [
        'after the client tool, unended, there when the output came',
        [toolCall('c1', 'ui'), text('Let me check.', { open: true })],
      ],
      ['on both sides', [text('Let me'), toolCall('c1', 'ui'), text('check.')]],
    ]) {
      test(`C19 text ${title} does not hold it back`, async () => {
        const s = scene(sdk, { script: [response('a1', ...chunks), says()] });
        await s.say();
        assert.equal(s.count, 1);
        await s.output('c1');
        assert.equal(s.count, 2);
        assert.equal(s.wire('c1').output, 'shown');
      });
    }

    test('C19 text never answers an approval', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), text('I need your approval.')), says()],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C20 a yes that the application ignores is not lost', async () => {
      let online = false;
      const s = scene(sdk, {
        when: (own) => (o) => own(o) && online,
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'mv')), continued([outputAvailable('c1')])],
      });
      await s.say();
      await s.deny('c2');
      await s.approve('c1');
      assert.equal(s.count, 1);
      assert.equal(s.verdict().send, true);
      online = true;
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), true);
      assert.equal(
        s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }),
        false,
        'asked twice in one turn',
      );
      await macrotask();
      assert.equal(
        s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }),
        true,
        'a lease ends with the turn',
      );
    });

    test('C22 a settled tool in step 1, an approval in step 2 of one message', async () => {
      const s = scene(sdk, {
        script: [
          [
            start('a1'),
            startStep,
            toolCall('s1', 'search'),
            outputAvailable('s1'),
            finishStep,
            startStep,
            ...gated('c1', 'rm'),
            finishStep,
            finish(),
          ],
          says(),
        ],
      });
      await s.say();
      assert.equal(s.count, 1);
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('C23 unusual stored messages do not make an answer fail', async () => {
      const odd = [
        {
          id: 'x',
          role: 'assistant',
          parts: [{ type: 'tool-rm', toolCallId: 7, state: null }, { type: '' }],
        },
      ];
      const s = scene(sdk, { messages: odd, script: [response('a1', gated('c1', 'rm')), says()] });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.chat.status, 'ready');
    });

    test('C24 an approved client tool waits for its output', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['pick_file'] },
        script: [response('a1', gated('c1', 'pick_file')), says()],
      });
      await s.say();
      assertWaitsFor(s, ['c1', 'approval']);
      await s.approve('c1');
      assert.equal(s.count, 1);
      assertWaitsFor(s, ['c1', 'output']);
      await s.output('c1', { file: 'a.txt' }, 'pick_file');
      assert.equal(s.count, 2);
      assert.deepEqual(s.wire('c1').output, { file: 'a.txt' });
      assert.equal(s.wire('c1').approval.approved, true);
    });

    test('C24 a denied client tool needs no output', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['pick_file'] },
        script: [response('a1', gated('c1', 'pick_file')), says()],
      });
      await s.say();
      await s.deny('c1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'approval-responded' });
    });

    test('C25 the verdict names the calls that it waits for', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), toolCall('s1', 'ls'), outputAvailable('s1'), gated('c2', 'mv')),
          says(),
        ],
      });
      await s.say();
      const waitingFor = s.verdict().waitingFor.map(({ key, ...named }) => {
        assert.equal(key, s.call(named.toolCallId).key);
        return named;
      });
      assert.deepEqual(plain(waitingFor), [
        { toolCallId: 'c1', approvalId: 'ap-c1', toolName: 'rm', need: 'approval' },
        { toolCallId: 'c2', approvalId: 'ap-c2', toolName: 'mv', need: 'approval' },
      ]);
      await s.approve('c1');
      assert.equal(s.count, 1);
      assertWaitsFor(s, ['c2', 'approval']);
      await s.deny('c2');
      assert.equal(s.count, 2);
      assert.deepEqual(s.verdict().waitingFor, []);
    });

    test('a failed call with an answered one is settled', async () => {
      const s = scene(sdk, {
        script: [
          response('a1', gated('c1', 'rm'), toolCall('s1', 'ls'), {
            type: 'tool-output-error',
            toolCallId: 's1',
            errorText: 'timeout',
          }),
          says(),
        ],
      });
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.wire('s1').errorText, 'timeout');
    });

    test('an output-error of the page is an output', async () => {
      const s = scene(sdk, { script: [response('a1', toolCall('c1', 'ui')), says()] });
      await s.say();
      await s.outputError('c1', 'no camera');
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1').errorText, 'no camera');
    });

    describe('a list that may be older', () => {
      /** The chat's list with another state of `c1`. */
      const showing = async () => {
        const s = scene(sdk, { script: [response('a1', toolCall('c1', 'ui')), says()] });
        await s.say();
        const change = (more) => (p) => (p.toolCallId === 'c1' ? { ...p, ...more } : p);
        const show = (state, more) =>
          s.chat.messages.map((m) => ({ ...m, parts: m.parts.map(change({ state, ...more })) }));
        return { s, show };
      };

      test('an error that became an output is reported as an output', async () => {
        const { s, show } = await showing();
        s.guard.observe(show('output-error', { errorText: 'busy' }));
        s.guard.observe(show('output-available', { output: 'shown' }));
        s.guard.observe(show('output-error', { errorText: 'busy' }));
        assert.equal(entries(s, 'output', 'c1').length, 3);
      });

      for (const tell of ['observe', 'explain']) {
        test(`law 2: an output that was replaced before it was sent is not new for ${tell}()`, async () => {
          const s = scene(sdk, {
            script: [
              response('a1', toolCall('c1', 'ui'), toolCall('c2', 'ui')),
              [{ type: 'start', messageId: 'a1' }, { type: 'finish' }],
            ],
          });
          await s.say();
          await s.output('c1', 'one');
          const older = structuredClone(s.chat.messages);
          await s.output('c1', 'two');
          await s.output('c2', 'done');
          assert.equal(s.count, 2);
          for (let i = 0; i < 3; i++) {
            s.guard[tell](older);
            assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
          }
          assert.equal(s.guard.explain().reason, 'already-sent');
        });
      }

      test('an older list that lacks the text after an output does not take it back: what was answered is not sent', () => {
        const guard = createApprovalGuard({ chatId: 'chat', clientTools: ['ui'] });
        const show = (...parts) => guard.observe([user('u1'), assistant('a1', ...parts)]);
        const output = call('c1', 'ui', 'output-available', { output: 'shown' });
        show(call('c1', 'ui', 'input-available'));
        show(output, said('It is shown.'));
        for (let i = 0; i < 2; i++) {
          show(output);
          assert.equal(guard.explain().reason, 'answered-in-text');
        }
      });

      test('an unknown state becomes a known one', async () => {
        const { s, show } = await showing();
        const guard = createApprovalGuard({ onError: (e) => s.errors.push(e) });
        assert.equal(explained(guard, show('future-state')).reason, 'waiting');
        assert.equal(explained(guard, show('output-available', { output: 'shown' })).reason, 'output');
        assert.deepEqual(s.codes(), []);
      });

      test('an earlier state of a call undoes nothing', async () => {
        const { s, show } = await showing();
        assert.equal(explained(s.guard, show('output-available', { output: 'shown' })).reason, 'output');
        for (const state of ['input-streaming', 'input-available', 'approval-requested', 'future-state']) {
          const { reason, waitingFor } = explained(s.guard, show(state));
          assert.deepEqual([reason, waitingFor], ['output', []], state);
        }
        assert.equal(entries(s, 'output', 'c1').length, 1);
        assert.equal(s.guard.getSnapshot().calls.length, 1);
      });
    });
  }),
);

/** The same history with the SDK's predicate and with the guard, of which these parts are in use. */
async function beside(sdk, use, { messages = [], opening = [], calls }) {
  const script = [...opening, says(), says()];
  const inner = new ScriptedTransport(script);
  const puts = ({ toolCall: { toolCallId } }) => void s.put(toolCallId);
  const stock = (o) => sdk.ai.lastAssistantMessageIsCompleteWithToolCalls(o);
  const s = scene(sdk, {
    messages,
    inner,
    attach: use.includes('attach'),
    when: (own) => (use.includes('predicate') ? own : stock),
    chat: {
      ...(use.includes('transport') ? {} : { transport: inner }),
      ...(opening.length > 0 ? { onToolCall: puts } : {}),
    },
  });
  if (use.includes('observe')) s.guard.observe(s.chat.messages);
  if (opening.length > 0) await s.say();
  else for (const id of calls) await s.output(id);
  return s;
}

forEachSdk((sdk) =>
  describe(`outputs without attach, ${sdk.name}`, { skip: STOCK }, () => {
    const open = (id) => call(id, 'ui', 'input-available');
    const stored = (...ids) => ({
      messages: [user(), assistant('a1', ...ids.map(open), said('See.'))],
      calls: ids,
    });
    const inCall = (...chunks) => ({ opening: [response('a1', toolCall('k1', 'ui'), ...chunks)] });
    const sent = { stored: 1, inCall: 2 };

    for (const [what, history, count] of [
      ['a restored open call before text', stored('k1'), sent.stored],
      ['two restored open calls before text', stored('k1', 'k2'), sent.stored],
      ['an output in onToolCall', inCall(), sent.inCall],
      ['an output in onToolCall before text', inCall(text('See.')), sent.inCall],
    ]) {
      for (const use of [
        [],
        ['transport'],
        ['predicate'],
        ['predicate', 'observe'],
        ['predicate', 'transport'],
        ['predicate', 'transport', 'observe'],
        ['predicate', 'transport', 'attach'],
      ]) {
        // The guard says so when it cannot know, because it has seen neither the open step nor the response.
        const unseen =
          use.includes('predicate') &&
          ((history.calls?.length === 1 && !use.includes('observe') && !use.includes('attach')) ||
            (what.endsWith('onToolCall before text') && !use.includes('transport')));
        test(`${what}, with ${use.join(' and ') || 'the stock parts'}: ${unseen ? 'held' : 'sent'}`, async () => {
          const s = await beside(sdk, use, history);
          assert.equal(s.count, unseen ? count - 1 : count);
          if (unseen) {
            assertHolds(s, 'answered-in-text');
            assert.match(s.verdict().message, /attach\(\) or observe\(\).*transport/);
          }
          // A request through another transport is not seen, which is reported.
          const unwatched = use.includes('predicate') && !use.includes('transport') && !unseen;
          assert.deepEqual(s.codes(), unwatched ? ['unwatched-request'] : []);
        });
      }
    }
  }),
);
