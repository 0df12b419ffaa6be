// Public reports about chats with approvals, each with the number that it has where it was filed: what a guarded chat
// does, and what the stock predicates do where that is wrong.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRules } from 'tool-approval-guard/rules';
import { backend, callsTool, resultsOf, saysText } from './support/backend.mjs';
import { macrotask, scene, until } from './support/chat.mjs';
import { stoppedClock } from './support/clock.mjs';
import { broken, hanging, live, refusal, reject } from './support/scripted-transport.mjs';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { chatOf, scripted } from './support/side-by-side.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';
import { assertAllowed, assertAsking, assertDenied, roles } from './support/assertions.mjs';
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

const gate = { needsApproval: true };
const page = { server: false };

/** A chat in conversation with `streamText`. */
async function served(sdk, isGuarded, { tools, steps, ...options }) {
  const server = await backend(sdk, { tools, steps });
  const s = chatOf(sdk, isGuarded, { ...options, inner: server.transport });
  return {
    s,
    server,
    answer: async (callId, approved) => {
      await s.chat.addToolApprovalResponse({ id: s.home(callId).approval.id, approved });
      await s.settle();
    },
  };
}

describe('vercel/ai experimental_sendQueuedMessageNow, ai@7', () => {
  const sent = async (isGuarded, act) => {
    const own = await served(sdk7, isGuarded, {
      tools: { rm: gate, mv: gate },
      steps: [[callsTool('c1', 'rm'), callsTool('c2', 'mv')], saysText('Well.'), saysText('Yes?')],
      chat: { experimental_queue: true },
    });
    await own.s.say('go');
    await act(own);
    await own.s.say('never mind');
    const [queued] = own.s.chat.experimental_queuedMessages;
    assert.equal(queued.parts[0].text, 'never mind');
    await own.s.chat.experimental_sendQueuedMessageNow(queued.id);
    await own.s.settle();
    return own;
  };
  const acts = {
    'nothing is decided': () => {},
    'a call is drafted': ({ s }) => void s.guard.decide('c1', 'allow-once'),
    'a call is answered': ({ answer }) => answer('c1', true),
  };
  for (const [title, act] of Object.entries(acts)) {
    test(`a message that goes past open calls while ${title} is sent once, and nothing runs`, async () => {
      const { s, server } = await sent(true, act);
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'uau');
      assert.equal(s.last.messages.at(-1).parts[0].text, 'never mind');
      for (const id of ['c1', 'c2']) {
        assertDenied(s.wire(id), { reason: s.wire('c2').approval.reason });
        assert.equal(s.call(id).status, 'superseded');
      }
      assert.match(s.wire('c1').approval.reason, /Not a refusal by the user/);
      assert.deepEqual(server.executed, []);
      assert.deepEqual(s.chat.experimental_queuedMessages, []);
      assert.equal(s.chat.status, 'ready');
      await s.say('still there?');
      assert.equal(s.chat.status, 'ready');
      assert.deepEqual(s.codes(), []);
    });
  }

  test('stock: after an answer the server refuses the message, and every later one', async () => {
    const { s } = await sent(false, acts['a call is answered']);
    assert.equal(s.chat.status, 'error');
    assert.equal(s.wire('c1').approval.approved, true);
    await s.chat.sendMessage({ text: 'still there?' });
    await s.settle();
    assert.equal(s.chat.status, 'error');
  });
});

forEachSdk((sdk) => {
  describe(`TanStack/ai#1368, ${sdk.name}: a fresh page replays a stream with a question and its output`, () => {
    const ways = {
      nobody: () => ({ attended: false }),
      'a rule that allows': () => ({ rules: createRules({ rules: [{ allow: 'rm' }] }) }),
      'a rule that denies': () => ({ rules: createRules({ rules: [{ deny: 'rm' }] }) }),
      'a deadline': () => ({ expiresMs: 1_000 }),
      'a grant': () => ({}),
    };
    for (const [title, guard] of Object.entries(ways)) {
      for (const how of ['at once', 'chunk by chunk']) {
        test(`${title} answers nothing that the stream settles, ${how}`, async (t) => {
          const clock = title === 'a deadline' ? stoppedClock(t) : undefined;
          const earlier =
            title === 'a grant'
              ? [response('a0', gated('c0', 'rm')), continued([outputAvailable('c0')])]
              : [];
          const chunks = [
            start('a1'),
            startStep,
            ...gated('c1', 'rm'),
            outputAvailable('c1', 'ran'),
            finishStep,
            startStep,
            ...text('Done.'),
            finishStep,
            finish(),
          ].flat();
          const resumed = live();
          const s = scene(sdk, {
            guard: guard(),
            messages: earlier.length > 0 ? [] : [user()],
            script: [...earlier, says(), says()],
            replays: [how === 'at once' ? chunks : resumed],
          });
          if (earlier.length > 0) {
            await s.say();
            s.guard.decide('c0', 'allow-chat', { covers: 'tool' });
            await s.settle();
            s.chat.messages = [...s.chat.messages, user('u2')];
          }
          const { count } = s;
          const over = s.chat.resumeStream();
          if (how === 'chunk by chunk') {
            await resumed.started;
            for (const chunk of chunks) {
              resumed.push(chunk);
              await macrotask();
              s.guard.observe(s.chat.messages);
              await clock?.pass(2_000);
            }
            resumed.close();
          }
          await over;
          await s.settle();
          assert.equal(s.count, count, 'nothing is sent');
          assert.equal(s.home('c1').output, 'ran');
          assert.equal(s.call('c1').status, 'settled');
          // A draft is no answer, and the only answer is that of whoever let the server run it.
          const own = s.guard.ledger().filter(({ toolCallId }) => toolCallId === 'c1');
          assert.deepEqual(
            own.filter(({ type }) => ['answered', 'sent'].includes(type)).map(({ actor }) => actor),
            ['server'],
          );
          assert.equal(s.call('c1').outcome, 'allowed-elsewhere');
          await s.say('thanks');
          assert.equal(s.wire('c1').output, 'ran');
          assert.deepEqual(s.codes(), []);
        });
      }
    }
  });

  describe(`vercel/eve#1374, ${sdk.name}: the server does not accept who answered`, () => {
    const again = [
      start(),
      approvalRequest('c1', 'ap-c1', { reason: 'an administrator has to allow this' }),
      finish(),
    ];
    const script = () => [response('a1', gated('c1', 'rm')), again, continued([outputAvailable('c1')])];

    test('the call asks again, with the reason, and the next answer is sent', async () => {
      const s = scripted(sdk, true, script());
      await s.say();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      const view = s.call('c1');
      assert.deepEqual([view.status, view.waiting, view.mayHaveRun], ['asking', true, false]);
      if (sdk.major >= 7) assert.equal(view.requestReason, 'an administrator has to allow this');
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.call('c1').status, 'settled');
    });

    test('a mere replay of the stream that asked undoes no answer', async () => {
      const s = scripted(sdk, true, [response('a1', gated('c1', 'rm')), hanging([start()])], {
        replaying: true,
        replays: [response('a1', gated('c1', 'rm'))],
      });
      await s.say();
      s.guard.decide('c1', 'deny');
      await until(() => s.count === 2);
      await s.chat.stop();
      await s.chat.resumeStream();
      await s.settle();
      assertDenied(s.home('c1'), { id: 'ap-c1' });
    });
  });

  describe(`vercel/eve#3103, ${sdk.name}: the approval id changes after a crash`, () => {
    /** The server asks about the same call again, with a new approval id. */
    const renewed = {
      'in a resumed stream': async (s) => {
        await s.chat.resumeStream();
        await s.settle();
      },
      'in a list that the application sets': async (s) => {
        s.chat.messages = s.chat.messages.map((m) => ({
          ...m,
          parts: m.parts.map((p) => (p.toolCallId === 'c1' ? { ...p, approval: { id: 'new' } } : p)),
        }));
        s.guard.observe(s.chat.messages);
      },
    };
    for (const [title, renew] of Object.entries(renewed)) {
      const asked = async (isGuarded = true) => {
        const s = scripted(
          sdk,
          isGuarded,
          [
            response('a1', gated('c1', 'rm'), gated('c2', 'mv')),
            continued([outputAvailable('c1'), outputAvailable('c2')]),
          ],
          {
            replays: [response('a1', toolCall('c1', 'rm'), approvalRequest('c1', 'new'), gated('c2', 'mv'))],
            replaying: true,
          },
        );
        await s.say();
        return s;
      };

      test(`${title}: a draft on the old one answers nothing`, async () => {
        const s = await asked();
        s.guard.decide('c1', 'allow-once');
        await renew(s);
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.call('c1').approvalId, 'new');
        s.guard.decide('c2', 'allow-once');
        await s.settle();
        assert.equal(s.count, 1, 'the call with the new id is not answered');
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, 2);
        assertDenied(s.wire('c1'), { id: 'new' });
        assertAllowed(s.wire('c2'), { id: 'ap-c2' });
      });

      test(`${title}: a click on the old card is refused, with a reason`, async () => {
        const s = await asked();
        const shown = s.call('c1');
        await renew(s);
        const refused = s.guard.decide(shown, 'allow-once');
        for (const { type, reason, message } of [refused, s.guard.decide('ap-c1', 'allow-once')]) {
          assert.deepEqual([type, reason], ['refused', 'gone']);
          assert.match(message, /the server asks with a new approval/);
        }
        await s.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
        await s.settle();
        assert.equal(s.count, 1);
        assertAsking(s.home('c1'), 'new');
        assert.equal(s.call('c1').status, 'asking');
        assert.deepEqual(s.codes(), ['unknown-approval']);
      });
    }
  });

  describe(`TanStack/ai#1218, ${sdk.name}: a request fails after its chat was cleared`, () => {
    for (const [title, end] of [
      ['its response breaks', ({ late }) => late.fail(new Error('gone'))],
      ['it is stopped', ({ s }) => void s.chat.stop()],
      ['the server refuses it', ({ refuse }) => refuse()],
    ]) {
      for (const isObserved of [true, false]) {
        test(`the new conversation shows no failure when ${title}${isObserved ? '' : ', and nobody observes'}`, async () => {
          const late = live();
          const isRefused = title === 'the server refuses it';
          const script = [
            response('a1', gated('c1', 'rm')),
            ...(isRefused ? [] : [late]),
            says('New.'),
            says(),
          ];
          const s = scripted(sdk, true, script);
          await s.say();
          let refuse;
          if (isRefused) {
            const { sendMessages } = s.transport;
            s.transport.sendMessages = ({ messages }) => {
              s.transport.sendMessages = sendMessages;
              s.transport.requests.push({ messages });
              return new Promise((_, reject) => (refuse = () => reject(refusal())));
            };
          }
          s.guard.decide('c1', 'allow-once');
          await until(() => s.count === 2);
          s.chat.messages = [];
          if (isObserved) s.guard.observe(s.chat.messages);
          await macrotask();
          end({ s, late, refuse });
          await s.settle();
          const { batch, calls, verdict } = s.guard.getSnapshot();
          assert.deepEqual([batch.phase, calls, verdict.reason], ['idle', [], 'no-assistant-message']);
          assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
          assert.equal(s.count, 2);
          await s.say('something new');
          assert.equal(s.guard.getSnapshot().batch.phase, 'idle');
          assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
          assert.equal(s.count, 3);
        });
      }
    }
  });

  describe(`vercel/ai eab278a, ${sdk.name}: a request breaks, and its stream is resumed when the page is visible`, () => {
    const whole = [
      start('a1'),
      startStep,
      ...gated('c1', 'rm'),
      outputAvailable('c1', 'ran'),
      finishStep,
      startStep,
      ...text('Done.'),
      finishStep,
      finish(),
    ];
    /** As `useChat` does it; `ai` 6 leaves it to the page. */
    const visible = async (s) => {
      await (s.chat['~resumeStreamIfDisconnected'] ?? s.chat.resumeStream)();
      await s.settle();
    };
    const broke = async (isGuarded, replays) => {
      const s = scripted(
        sdk,
        isGuarded,
        [
          response('a1', gated('c1', 'rm')),
          broken([start()], new TypeError('network error')),
          says(),
          continued([outputAvailable('c1', 'ran twice')]),
        ],
        { replaying: true, replays },
      );
      await s.say();
      await s.approve('c1');
      return s;
    };

    test('in doubt at first, and settled by the stream', async () => {
      const s = await broke(true, [whole]);
      assert.equal(s.call('c1').status, 'in-doubt');
      await visible(s);
      assert.deepEqual([s.count, s.transport.reconnects], [2, 1]);
      assert.equal(s.call('c1').status, 'settled');
      assert.equal(s.call('c1').decision, 'allowed');
      assert.deepEqual(await s.guard.retry(), { type: 'nothing-to-send' });
      await s.say('and?');
      assert.equal(s.wire('c1').output, 'ran');
    });

    test('with nothing to resume (204) it stays in doubt, and nothing is repeated', async () => {
      const s = await broke(true, []);
      await visible(s);
      assert.deepEqual([s.count, s.transport.reconnects], [2, 1]);
      assert.equal(s.call('c1').status, 'in-doubt');
      assert.equal(s.verdict().reason, 'in-doubt');
      assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
      await s.say('and?');
      assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      assert.match(s.wire('c1').approval.reason, /it is not known whether the call ran/);
    });

    test('stock: with nothing to resume, the next message carries the yes again', async () => {
      const s = await broke(false, []);
      await visible(s);
      assert.equal(s.chat.status, 'ready');
      await s.say('and?');
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });
  });

  describe(`algolia/instantsearch#7223, ${sdk.name}: a reload while a tool of the page runs`, () => {
    const UNKNOWN = /it is not known whether the call ran|It is not known whether it ran/;
    const reloaded = (isGuarded, guard) => {
      const ran = [];
      const own = served(sdk, isGuarded, {
        tools: { ui: page },
        steps: [saysText('Hm.'), saysText('Yes?')],
        messages: [user(), assistant('a1', call('k1', 'ui', 'input-available'))],
        guard: { clientTools: ['ui'], ...guard },
        chat: { onToolCall: ({ toolCall: { toolCallId } }) => void ran.push(toolCallId) },
      });
      return own.then(({ s, server }) => ({ s, server, ran }));
    };

    test('a message of the user closes the call, and the model is told that it may have run', async () => {
      const { s, server, ran } = await reloaded(true);
      await s.settle();
      assert.equal(s.count, 0);
      await s.say('and?');
      assert.equal(s.chat.status, 'ready');
      assert.equal(s.wire('k1').state, 'output-error');
      assert.match(s.wire('k1').errorText, UNKNOWN);
      assert.match(resultsOf(server, 'k1')[0].value, UNKNOWN);
      assert.deepEqual(ran, []);
    });

    test('with outputMs it is closed after that time, and the chat goes on', async (t) => {
      const clock = stoppedClock(t);
      const { s, ran } = await reloaded(true, { outputMs: 60_000 });
      await s.settle();
      await clock.pass(61_000);
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.wire('k1').state, 'output-error');
      assert.match(s.wire('k1').errorText, UNKNOWN);
      assert.deepEqual(ran, []);
    });

    test('a call whose input was cut off has not run', async () => {
      const s = scripted(sdk, true, [says()], {
        messages: [user(), assistant('a1', call('k1', 'ui', 'input-streaming'))],
        guard: { clientTools: ['ui'] },
      });
      await s.say('and?');
      assert.match(s.wire('k1').errorText, /the user moved on before this call ran/);
    });

    test('stock: the server refuses the message, and every later one', async () => {
      const { s } = await reloaded(false);
      const seen = [];
      for (const words of ['and?', 'still there?']) {
        await s.say(words);
        seen.push(s.chat.status);
      }
      assert.deepEqual(seen, ['error', 'error']);
    });
  });

  describe(`directus/directus#26839, ${sdk.name}: a call of the provider asks in the state input-available`, () => {
    const asks = () =>
      call('c1', 'rm', 'input-available', { providerExecuted: true, approval: { id: 'ap-c1' } });
    for (const approved of [true, false]) {
      test(`it is shown as asking, and ${approved ? 'an Allow' : 'a Deny'} is sent`, async () => {
        const s = scripted(sdk, true, [says()], { messages: [user(), assistant('a1', asks())] });
        await s.settle();
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.call('c1').waiting, true);
        await (approved ? s.approve('c1') : s.deny('c1'));
        assert.equal(s.count, 1);
        if (approved) assertAllowed(s.wire('c1'), { id: 'ap-c1' });
        else assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assert.equal(s.wire('c1').providerExecuted, true);
      });
    }

    test('it holds back what is beside it', async () => {
      const messages = [user(), assistant('a1', asks(), call('k1', 'ui', 'input-available'))];
      const s = scripted(sdk, true, [says()], { messages });
      await s.output('k1');
      assert.equal(s.count, 0);
    });

    test('stock: nothing answers it, and what is beside it is sent', async () => {
      const messages = [user(), assistant('a1', asks(), call('k1', 'ui', 'input-available'))];
      const s = scripted(sdk, false, [says()], { messages });
      await s.approve('c1');
      assert.equal(s.home('c1').state, 'input-available');
      await s.output('k1');
      assert.equal(s.count, 1);
      assert.equal(s.wire('c1').approval.approved, undefined);
    });
  });

  describe(`mastra-ai/mastra#20934, ${sdk.name}: a tool hands its work on, and another one runs`, () => {
    /** A chat whose message has, beside the call that asks, the inner call that its server will run. */
    async function delegated({ inner = { toolName: 'delete_file', input: { file: 'a' } }, ...guard } = {}) {
      const found = (id) =>
        s.chat.messages
          .flatMap(({ parts }) => parts)
          .findLast(({ type, data }) => type === 'data-inner' && data.of === id)?.data;
      const s = scene(sdk, {
        script: [
          response(
            'a1',
            { type: 'data-inner', id: 'i1', data: { of: 'c1', ...inner } },
            gated('c1', 'agent', { task: 'tidy up' }),
          ),
          continued([outputAvailable('c1')]),
        ],
        guard: {
          describe: ({ toolCallId }) => {
            const data = found(toolCallId);
            return data && { title: data.toolName, input: data.input };
          },
          ...guard,
        },
      });
      await s.say();
      return s;
    }
    /** The server says another inner call. */
    const changed = (s, inner) =>
      (s.chat.messages = s.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.type === 'data-inner' ? { ...part, data: { ...part.data, ...inner } } : part,
        ),
      })));

    test('the card shows the inner call, and the outer one is answered', async () => {
      const s = await delegated();
      const view = s.call('c1');
      assert.deepEqual(
        [view.title, view.label, view.toolName, view.input],
        ['delete_file', 'delete_file', 'agent', { task: 'tidy up' }],
      );
      assert.deepEqual([view.display.value, JSON.parse(view.inputText)], [{ file: 'a' }, { file: 'a' }]);
      assert.equal(view.soundsDangerous, true);
      assert.equal(s.guard.getSnapshot().calls[0], view, 'it is the same object until something changes');
      assert.equal(s.guard.decide(view, 'allow-once').type, 'committed');
      await s.settle();
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.wire('c1').input, { task: 'tidy up' }, 'what leaves is what the server asked');
      assert.equal(s.call('c1').title, 'delete_file', 'and the card stays');
      assert.deepEqual(s.codes(), []);
    });

    test('a press on another inner call than the one that was shown is refused', async () => {
      const s = await delegated();
      const view = s.call('c1');
      changed(s, { input: { file: 'everything' } });
      assert.equal(s.guard.decide(view, 'allow-once').reason, 'changed');
      assert.equal(s.guard.decide('ap-c1', 'allow-once').reason, 'changed');
      s.guard.observe(s.chat.messages);
      const next = s.call('c1');
      assert.deepEqual(next.display.value, { file: 'everything' });
      assert.equal(s.guard.decide(next, 'allow-once').type, 'committed');
    });

    test('its own input is what no grant is about', async () => {
      const s = await delegated();
      const view = s.call('c1');
      assert.equal(s.guard.decide(view, 'allow-chat', { covers: 'input' }).reason, 'not-comparable');
      assert.equal(s.guard.decide(view, 'allow-chat', { covers: ['task'] }).reason, 'not-comparable');
      assert.equal(s.call('c1').status, 'asking');
    });

    test('secrets of the inner call are hidden', async () => {
      const s = await delegated({ redact: () => ({ value: { file: '•' }, hidden: [{ count: 1 }] }) });
      assert.deepEqual(s.call('c1').display, { value: { file: '•' }, hidden: 1 });
      s.guard.unmask('ap-c1');
      assert.deepEqual(s.call('c1').display, { value: { file: 'a' }, hidden: 0 });
    });

    for (const [what, describe] of Object.entries({
      throws: () => {
        throw new Error('no');
      },
      'returns a text': () => 'delete_file',
      'returns nothing to show': () => ({ title: 'delete_file' }),
    }))
      test(`if the function ${what}, it is reported once, and the call can only be denied`, async () => {
        const s = await delegated({ describe });
        const { can, display, inputText } = s.call('c1');
        assert.deepEqual([can.allow, can.deny, display, inputText], [false, true, undefined, undefined]);
        s.guard.observe(s.chat.messages);
        s.guard.getSnapshot();
        assert.deepEqual(s.codes(), ['listener-failed']);
        assert.equal(s.guard.decide('ap-c1', 'deny').type, 'committed');
      });

    test('stock, and without the option: the card shows the outer call', async () => {
      const s = await delegated({ describe: undefined });
      assert.deepEqual([s.call('c1').title, s.call('c1').display.value], [undefined, { task: 'tidy up' }]);
      assert.deepEqual(s.home('c1').input, { task: 'tidy up' });
    });
  });

  describe(`mastra-ai/mastra#24377, ${sdk.name}: two are allowed, and the response settles one`, () => {
    const halves = {
      'and ends': [start(), outputAvailable('c1'), finish()],
      'and has text': [start(), outputAvailable('c1'), ...text('So.'), finish()],
      'and has text in a new step': continued([outputAvailable('c1')]),
    };
    const half = async (isGuarded, rest) => {
      const s = scripted(sdk, isGuarded, [
        response('a1', gated('c1', 'rm'), gated('c2', 'mv')),
        rest,
        continued([outputAvailable('c2', 'later')]),
        says(),
      ]);
      await s.say();
      await s.approve('c1');
      await s.approve('c2');
      return s;
    };
    for (const [title, rest] of Object.entries(halves)) {
      test(`${title}: the other one is visible as not handled, and retry() runs only that one`, async () => {
        const s = await half(true, rest);
        assert.equal(s.count, 2, 'nothing is repeated by itself');
        assert.deepEqual([s.call('c1').status, s.call('c2').status], ['settled', 'in-doubt']);
        const { type } = await s.guard.retry();
        await s.settle();
        assert.equal(type, 'sent');
        if (title === 'and has text in a new step') {
          // A server runs only the calls of the last step, and refuses a list in which an earlier one is allowed.
          assertDenied(s.wire('c2'), { id: 'ap-c2' }, { state: 'output-denied' });
          return;
        }
        assertAllowed(s.wire('c2'), { id: 'ap-c2' });
        assert.equal(s.wire('c1').state, 'output-available');
        assert.equal(s.home('c2').output, 'later');
      });
    }

    test('stock: it is sent again by itself, although it may have run', async () => {
      const s = await half(false, halves['and has text']);
      assert.equal(s.count, 3);
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });
  });

  describe(`assistant-ui/assistant-ui#7645, ${sdk.name}: an answer is written through setMessages while a response streams`, () => {
    /** Writes an answer as `setMessages` does: into the list, and not into what the chat streams. */
    const write = (s, approved) => {
      s.chat.messages = s.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.toolCallId === 'c1'
            ? {
                ...part,
                state: 'approval-responded',
                approval: { ...part.approval, approved, reason: 'as written' },
              }
            : part,
        ),
      }));
    };
    const streamed = async (isGuarded, approved, isSeen) => {
      const running = live();
      const s = scripted(sdk, isGuarded, [
        running,
        continued([approved ? outputAvailable('c1') : outputDenied('c1'), outputAvailable('c2')]),
      ]);
      const over = s.send();
      await running.started;
      running.push(start('a1'), startStep, gated('c1', 'rm'), gated('c2', 'mv'));
      await until(() => s.home('c2')?.state === 'approval-requested');
      write(s, approved);
      if (isSeen) s.guard.observe(s.chat.messages);
      const after = [];
      for (const chunk of [...text('Both, please.'), finishStep, finish()].flat()) {
        running.push(chunk);
        for (let i = 0; i < 6; i += 1) await macrotask();
        after.push(s.home('c1').approval.approved);
      }
      running.close();
      await over;
      await s.settle();
      return { s, after };
    };
    for (const approved of [true, false]) {
      for (const isSeen of [true, false]) {
        test(`${approved ? 'an Allow' : 'a Deny'} stands after each chunk, at home and on the wire${isSeen ? '' : ', also if no rendering came between'}`, async () => {
          const { s, after } = await streamed(true, approved, isSeen);
          assert.deepEqual(
            after,
            after.map(() => approved),
          );
          assert.equal(s.home('c1').approval.reason, 'as written');
          assert.equal(s.count, 1);
          await s.approve('c2');
          assert.equal(s.count, 2);
          if (approved) assertAllowed(s.wire('c1'), { id: 'ap-c1', reason: 'as written' });
          else assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'as written' });
          assert.deepEqual(s.codes(), []);
        });
      }
    }

    test('stock: the next chunk asks again, and the answer is lost', async () => {
      const { s, after } = await streamed(false, false, false);
      assert.deepEqual(
        after,
        after.map(() => undefined),
      );
      await s.approve('c2');
      assert.equal(s.count, 1);
      assertAsking(s.home('c1'), 'ap-c1');
    });
  });

  describe(`decocms/studio#2464, ${sdk.name}: the options of the last request have changed since`, () => {
    const model = (name) => ({ body: { model: name } });
    const messages = () => [user(), assistant('a1', asking('c1', 'rm'))];

    test('the newest options count for the request with the answer', async () => {
      const s = scripted(sdk, true, [
        says(),
        response('a1', gated('c1', 'rm')),
        continued([outputAvailable('c1')]),
      ]);
      await s.chat.sendMessage({ text: 'hello' }, model('old'));
      await s.settle();
      await s.chat.sendMessage({ text: 'go' }, model('new'));
      await s.settle();
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.deepEqual(
        s.requests.map(({ body }) => body.model),
        ['old', 'new', 'new'],
      );
    });

    test('options that are given with the decision, or with retry(), are newer', async () => {
      const s = scripted(sdk, true, [
        response('a1', gated('c1', 'rm')),
        reject(refusal()),
        continued([outputAvailable('c1')]),
      ]);
      await s.chat.sendMessage({ text: 'go' }, model('old'));
      await s.settle();
      s.guard.decide('c1', 'allow-once', { options: model('chosen since') });
      await s.settle();
      await s.guard.retry({ options: model('chosen last') });
      await s.settle();
      assert.deepEqual(
        s.requests.map(({ body }) => body.model),
        ['old', 'chosen since', 'chosen last'],
      );
    });

    test('after a reload the application gives them', async () => {
      const given = scripted(sdk, true, [continued([outputAvailable('c1')])], { messages: messages() });
      given.guard.decide('c1', 'allow-once', { options: model('new') });
      await given.settle();
      assert.deepEqual(given.last.body, model('new').body);
      const stored = [user(), assistant('a1', answered('c1', 'rm', true))];
      const resumed = scripted(sdk, true, [continued([outputAvailable('c1')])], { messages: stored });
      await resumed.guard.resume({ options: model('new') });
      await resumed.settle();
      assert.deepEqual(resumed.last.body, model('new').body);
    });

    test('stock: the request with the answer has none', async () => {
      const s = scripted(sdk, false, [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')])]);
      await s.chat.sendMessage({ text: 'go' }, model('new'));
      await s.settle();
      await s.approve('c1');
      assert.equal(s.count, 2);
      assert.equal(s.last.body?.model, undefined);
    });
  });
});
