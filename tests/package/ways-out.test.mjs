// An answer or an output is never stuck: it is sent, or a person can send it.
import { page, unmountAll } from './support/page.mjs';
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { createApprovalGuard, scene, until } from './support/chat.mjs';
import { ScriptedTransport, broken, hanging, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertHolds, roles } from './support/assertions.mjs';
import { assistant, call, user } from './support/stored.mjs';
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

const clientTools = ['ui'];
const noticed = (s, id, state) => until(() => s.home(id)?.state === state, { quiet: 1 });

test('C19 an output that observe() saw first is judged', () => {
  const guard = createApprovalGuard({ clientTools });
  const list = (state, more) => [user(), assistant('m', call('c1', 'ui', state, more))];
  guard.observe(list('input-available'));
  const messages = list('output-available', { output: 1 });
  guard.observe(messages);
  assert.equal(guard.explain().reason, 'output');
  assert.equal(guard.sendAutomaticallyWhen({ messages }), true);
});

forEachSdk((sdk) =>
  describe(`ways out, ${sdk.name}`, () => {
    after(unmountAll);

    for (const strict of [true, false]) {
      test(`C29 an output of onToolCall in a page that attaches at each render, strict ${strict}`, async () => {
        const transport = new ScriptedTransport([
          response('a1', toolCall('c1', 'ui'), ...text('Let me see.')),
          says(),
        ]);
        const handle = page(
          (React) => {
            const [guard] = React.useState(() => createApprovalGuard({ clientTools }));
            const [wrapped] = React.useState(() => guard.transport(transport));
            const ref = React.useRef(undefined);
            const chat = sdk.useChat({
              transport: wrapped,
              sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
              onToolCall: ({ toolCall: { toolCallId } }) => {
                ref.current?.addToolOutput({ tool: 'ui', toolCallId, output: 1 });
              },
            });
            ref.current = chat;
            React.useEffect(() => guard.attach(chat), [guard, chat]);
            return { chat, guard };
          },
          { strict },
        );
        await until(() => handle.latest() !== undefined);
        await handle.latest().chat.sendMessage({ text: 'go' });
        await until(() => transport.requests.length === 2 && handle.latest().chat.status === 'ready');
        assert.equal(transport.requests.length, 2);
      });
    }

    for (const [what, chunks, act] of [
      ['an answer', gated('c1', 'rm'), (s) => s.answer('c1', true)],
      ['an output', [toolCall('c1', 'ui')], (s) => s.put('c1', 5)],
    ]) {
      test(`C16 ${what} that was given before its response broke off: retry() sends it once`, async () => {
        const first = live();
        const s = scene(sdk, { guard: { clientTools }, script: [first, says()] });
        s.send();
        await first.started;
        first.push(start('m1'), startStep, ...chunks);
        await until(() => s.home('c1') !== undefined && !/streaming/.test(s.home('c1').state), { quiet: 1 });
        await act(s);
        first.fail(new Error('net'));
        await s.settle();
        assert.equal(s.count, 1);
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 2);
        if (what === 'an answer') assertAllowed(s.wire('c1'));
        else assert.equal(s.wire('c1').output, 5);
        assert.equal((await s.guard.retry()).type, 'nothing-to-send');
        assert.equal(s.count, 2);
      });
    }

    for (const [what, half] of [
      ['text', text('Hel', { open: true })],
      ['nothing', []],
    ]) {
      test(`C16 an output whose response broke off after ${what} of it: it stays, and retry() sends it`, async () => {
        const s = scene(sdk, {
          guard: { clientTools },
          script: [response('m1', toolCall('c1', 'ui')), broken([start(), startStep, ...half]), says()],
        });
        await s.say();
        await s.output('c1', 5);
        assert.equal(s.count, 2);
        // It has run in the page, so there is no doubt whether it has.
        assert.equal(s.call('c1').status, 'answered');
        assert.equal(s.guard.getSnapshot().verdict.reason, s.verdict().reason);
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assert.equal(s.count, 3);
        assert.equal(s.wire('c1').output, 5);
        assert.equal(s.call('c1').status, 'settled');
      });
    }

    test('C37 an output after a stop is held, and retry() sends it', async () => {
      const s = scene(sdk, {
        guard: { clientTools },
        script: [
          hanging([start('m1'), startStep, toolCall('c1', 'ui'), ...text('bla', { open: true })]),
          says(),
        ],
      });
      s.send();
      await noticed(s, 'c1', 'input-available');
      await s.chat.stop();
      await s.settle();
      await s.output('c1', 'file.txt');
      assert.equal(s.count, 1);
      assertHolds(s, 'stopped');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1').output, 'file.txt');
    });

    test('C19 a resumed response with text after the call: the output is sent', async () => {
      let s;
      s = scene(sdk, {
        messages: [user()],
        guard: { clientTools },
        script: [says()],
        replays: [[start('m1'), startStep, toolCall('c1', 'ui'), ...text('Looking.'), finishStep, finish()]],
        chat: {
          onToolCall: ({ toolCall: { toolCallId } }) => {
            s.put(toolCallId, 1);
          },
        },
      });
      await s.chat.resumeStream();
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.wire('c1').output, 1);
    });

    test('retry() reports that a predicate around the guard refused it, and loses nothing', async () => {
      let online = true;
      const s = scene(sdk, {
        guard: { clientTools },
        when: (own) => (o) => own(o) && online,
        script: [response('m1', toolCall('c1', 'ui')), reject(), says()],
      });
      await s.say();
      await s.output('c1', 5);
      assert.equal(s.count, 2);
      online = false;
      assert.deepEqual(await s.guard.retry(), { type: 'not-sent' });
      online = true;
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 3);
    });

    test('C10 beyond the limit a person continues with retry()', async () => {
      const s = scene(sdk, {
        guard: { clientTools, maxAutomaticSends: 0 },
        script: [response('m1', toolCall('c1', 'ui')), says()],
      });
      await s.say();
      await s.output('c1', 5);
      assert.equal(s.count, 1);
      assertHolds(s, 'limit');
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'ua');
    });

    test('call and approval ids that are used again under new message ids: each question asks', async () => {
      const again = (id) => response(id, ...gated('c1', 'rm', { id }));
      const s = scene(sdk, { script: [again('m1'), again('m2'), again('m3')] });
      await s.say();
      for (const approved of [true, false]) {
        await s.answer('c1', approved);
        await s.settle();
      }
      assert.equal(s.count, 3);
      assert.equal(s.call('c1').status, 'asking');
    });
  }),
);

forEachSdk((sdk) =>
  test(`C72 a call in two messages is not gone when one of them is, ${sdk.name}`, async () => {
    const s = scene(sdk, {
      script: [
        response('a1', ...gated('c1', 'rm')),
        [start('a2'), startStep, ...text('Hm.'), finishStep, finish()],
        says(),
      ],
    });
    await s.say();
    await s.deny('c1', 'no');
    assert.deepEqual(
      s.chat.messages.map((m) => m.id),
      ['g0', 'a1', 'a2'],
    );
    await s.chat.regenerate();
    await s.settle();
    assert.equal(s.call('c1').status, 'settled');
  }),
);

describe('denials stored in unusual shapes', () => {
  const leaves = async (part, options) => {
    let sent;
    const guard = createApprovalGuard({ onError: () => {}, ...options });
    const transport = guard.transport({
      sendMessages: async ({ messages }) => {
        sent = messages;
        return new ReadableStream({ start: (c) => c.close() });
      },
      reconnectToStream: async () => null,
    });
    const messages = [user(), assistant('a1', part), user('u2', 'and?')];
    await transport.sendMessages({ trigger: 'submit-message', chatId: 'x', messageId: undefined, messages });
    return sent[1].parts[1];
  };
  const no = { id: 'ap', approved: false, reason: 'mine' };

  for (const state of ['input-available', 'approval-requested', 'output-available']) {
    test(`C45 a denial under ${state} is sent as a denial, with its reason`, async () => {
      const part = await leaves(call('c1', 'rm', state, { approval: no }));
      assert.equal(part.state, 'approval-responded');
      assert.deepEqual(part.approval, no);
    });
  }

  test('C51 an output under output-denied is not sent, and no approval is invented', async () => {
    const part = await leaves(call('c1', 'rm', 'output-denied', { output: 'fake' }));
    assert.equal('output' in part, false);
    assert.equal('approval' in part, false);
  });

  test('C32 an answer that is not true or false is open, so a message over it denies it', async () => {
    const part = await leaves(
      call('c1', 'rm', 'approval-responded', { approval: { id: 'ap', approved: 'true' } }),
    );
    assert.equal(part.approval.approved, false);
    assert.match(part.approval.reason, /user moved on/);
  });
});
