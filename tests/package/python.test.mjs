// The example backend in Python, in conversation with a real `Chat`: what the user decides resolves or rejects the
// future that a tool call of the backend waits for.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import WebSocket from 'ws';

import { until } from './support/chat.mjs';
import { conversation, example, pythonBackend, sendFrame, startPython } from './support/python-backend.mjs';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
import { user } from './support/stored.mjs';

let backend;
/** This one does not wait long for a tool that runs, and this one not for an answer. */
let hurried;
let impatient;
before(async () => {
  backend = await pythonBackend();
  hurried = await pythonBackend({ runSeconds: 0.3 });
  impatient = await pythonBackend({ answerSeconds: 0.3 });
});
after(async () => {
  for (const own of [backend, hurried, impatient])
    assert.equal(await own?.stop(), '', 'nothing went wrong in Python');
});

let names = 0;
/** A name that no other test books. */
const room = () => `room-${names++}`;
const timesBooked = (name, own = backend) => own.booked().filter((other) => other === name).length;
const book = (name, more) => ['book', { name, ...more }];

forEachSdk((sdk) =>
  describe(`a backend in Python, ${sdk.name}`, () => {
    /** A conversation whose connection is closed at the end. */
    const run = async (t, own, ...wanted) => {
      const s = conversation(sdk, own, { guard: { clientTools: ['pick'] } });
      t.after(s.close);
      await s.ask(...wanted);
      assert.equal(s.calls().length, wanted.length);
      return s;
    };

    test('an allowed call runs once, and its output arrives', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name));
      assert.equal(timesBooked(name), 0, 'it has waited');
      s.decide(0, 'allow-once');
      await s.settle();
      assert.equal(timesBooked(name), 1);
      assert.deepEqual(
        [s.calls()[0].state, s.calls()[0].output, s.told()],
        ['output-available', { booked: name }, [{ tool: 'book', type: 'output', output: { booked: name } }]],
      );
      assert.equal(s.sent.length, 2, 'a question and its answer');
      const { type, version, data } = JSON.parse(s.sent[1]);
      assert.deepEqual([type, version, Array.isArray(data.messages)], ['message', '1.0', true]);
    });

    test('each question, decision and time-out is logged, without inputs and outputs', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name), book(room()), ['pick', {}], ['pick', {}]);
      const [allowed, denied, picked, closed] = s.calls();
      s.decide(0, 'allow-once');
      s.decide(1, 'deny', 'Not this\nroom');
      await s.chat.addToolOutput({ tool: 'pick', toolCallId: picked.toolCallId, output: 'red' });
      const error = { state: 'output-error', errorText: 'The dialog was closed.' };
      await s.chat.addToolOutput({ tool: 'pick', toolCallId: closed.toolCallId, ...error });
      await s.settle();
      const said = (own, { toolCallId }) =>
        own.logOf(toolCallId).map((line) => line.slice(line.indexOf(': ') + 2));
      assert.deepEqual(
        [allowed, denied, picked, closed].map((call) => said(backend, call)),
        [
          ['asks', 'approved'],
          ['asks', "denied: 'Not this\\nroom'"],
          ['waits for the page', 'output of the page'],
          ['waits for the page', "failed in the page: 'The dialog was closed.'"],
        ],
      );
      const late = await run(t, impatient, book(name));
      const [call] = late.calls();
      await until(() => impatient.logOf(call.toolCallId).length === 2);
      assert.deepEqual(said(impatient, call), ['asks', 'did not answer in time']);
      for (const line of [allowed, picked].flatMap(({ toolCallId }) => backend.logOf(toolCallId)))
        assert.doesNotMatch(line, /red|room-/);
    });

    test('a denied call does not run, and its future is rejected with the reason', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name));
      s.decide(0, 'deny', 'Not this room');
      await s.settle();
      assert.equal(timesBooked(name), 0);
      assert.equal(s.calls()[0].state, 'output-denied');
      assert.deepEqual(s.told(), [{ tool: 'book', type: 'denied', reason: 'Not this room' }]);
    });

    test('of two calls in a step one is allowed and one denied, in one request', async (t) => {
      const [yes, no] = [room(), room()];
      const s = await run(t, backend, book(yes), book(no));
      s.decide(1, 'deny', 'One is enough');
      await s.settle();
      assert.equal(s.sent.length, 1, 'the other one still asks');
      s.decide(0, 'allow-once');
      await s.settle();
      assert.deepEqual([timesBooked(yes), timesBooked(no), s.sent.length], [1, 0, 2]);
      assert.deepEqual(s.told(), [
        { tool: 'book', type: 'output', output: { booked: yes } },
        { tool: 'book', type: 'denied', reason: 'One is enough' },
      ]);
    });

    test('a denial stays one when the page has written an output over it', async (t) => {
      const [yes, no] = [room(), room()];
      const s = await run(t, backend, book(no), book(yes));
      const [denied, allowed] = s.calls();
      await s.chat.addToolApprovalResponse({ id: denied.approval.id, approved: false, reason: 'No' });
      const output = { success: true, booked: no };
      await s.chat.addToolOutput({ tool: 'book', toolCallId: denied.toolCallId, output });
      await s.chat.addToolApprovalResponse({ id: allowed.approval.id, approved: true });
      await s.settle();
      assert.deepEqual([timesBooked(yes), timesBooked(no)], [1, 0]);
      assert.deepEqual(s.told()[0], { tool: 'book', type: 'denied', reason: 'No' });
      assert.doesNotMatch(s.sent[1], /success/);
    });

    test('the output of a tool that the page runs resolves its future, and its error rejects it', async (t) => {
      const s = await run(t, backend, ['pick', {}], ['pick', {}]);
      const [first, second] = s.calls();
      await s.chat.addToolOutput({ tool: 'pick', toolCallId: first.toolCallId, output: 'red' });
      const error = { state: 'output-error', errorText: 'The dialog was closed.' };
      await s.chat.addToolOutput({ tool: 'pick', toolCallId: second.toolCallId, ...error });
      await s.settle();
      assert.deepEqual(s.told(), [
        { tool: 'pick', type: 'output', output: 'red' },
        { tool: 'pick', type: 'error', error: 'The dialog was closed.' },
      ]);
    });

    test('a tool that fails, or that stays silent, ends with an error that the model is told', async (t) => {
      const s = await run(t, hurried, ['broken', {}], ['silent', {}]);
      s.guard.decideAll(s.guard.pending(), 'allow-once');
      await s.settle();
      assert.deepEqual(
        s.calls().map(({ state, errorText }) => [state, errorText]),
        [
          ['output-error', 'no such room'],
          ['output-error', 'silent did not answer in time.'],
        ],
      );
      assert.deepEqual(s.told(), [
        { tool: 'broken', type: 'error', error: 'no such room' },
        { tool: 'silent', type: 'error', error: 'silent did not answer in time.' },
      ]);
    });

    test('a page that stays silent: the model is told so with the next message', async (t) => {
      const s = await run(t, impatient, ['pick', {}]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await s.write('And?');
      assert.deepEqual(s.told(), [{ tool: 'pick', type: 'error', error: 'pick did not answer in time.' }]);
    });

    test('an approval that comes too late runs nothing', async (t) => {
      const name = room();
      const s = await run(t, impatient, book(name));
      await new Promise((resolve) => setTimeout(resolve, 500));
      s.decide(0, 'allow-once');
      await s.settle();
      assert.equal(timesBooked(name, impatient), 0);
      assert.deepEqual(s.told(), [{ tool: 'book', type: 'error', error: 'book did not answer in time.' }]);
    });

    test('what still asks when the user writes on is denied', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name));
      await s.write('And?');
      assert.equal(timesBooked(name), 0);
      const [{ tool, type, reason }] = s.told();
      assert.deepEqual([tool, type], ['book', 'denied']);
      assert.match(reason, /moved on/);
    });

    test('a request that is replayed causes no second side effect, and gets the same response', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name));
      s.decide(0, 'allow-once');
      await s.settle();
      const [first, second] = [
        await sendFrame(backend.address, s.sent[1]),
        await sendFrame(backend.address, s.sent[1]),
      ];
      assert.equal(timesBooked(name), 1);
      const own = s.received.filter(({ data }) => data.requestId === JSON.parse(s.sent[1]).data.requestId);
      assert.ok(own.some(({ data }) => data.chunk?.type === 'tool-output-available'));
      assert.deepEqual([first, second], [own, own]);
    });

    test('a model that fails after a tool has run is told of it again, and the tool does not run again', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name, { trouble: name }));
      s.decide(0, 'allow-once');
      await s.settle();
      assert.equal(s.chat.error?.message, 'the model is overloaded');
      const frames = await sendFrame(backend.address, s.sent[1]);
      const texts = frames.flatMap(({ data }) => data.chunk?.delta ?? []);
      assert.deepEqual(JSON.parse(texts.join(''))[0].output, { booked: name });
      assert.equal(timesBooked(name), 1);
    });

    test('a connection that breaks while a call asks: the answer takes another one', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name));
      s.sockets[0].terminate();
      await until(() => s.sockets[0].readyState === WebSocket.CLOSED, { limit: 20_000 });
      s.decide(0, 'allow-once');
      await s.settle();
      assert.deepEqual([timesBooked(name), s.sockets.length], [1, 2]);
      assert.equal(s.calls()[0].state, 'output-available');
    });

    test('a connection that breaks while a tool runs: in doubt, and a retry gets its output', async (t) => {
      const name = room();
      const s = await run(t, backend, book(name, { gated: true }));
      s.decide(0, 'allow-once');
      await until(() => timesBooked(name) === 1, { limit: 20_000 });
      s.sockets[0].terminate();
      await s.settle();
      assert.equal(s.chat.status, 'error');
      assert.equal(s.guard.getSnapshot().batch.phase, 'in-doubt');
      assert.equal(s.sent.length, 2, 'nothing repeats by itself');
      backend.openGate(name);
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(timesBooked(name), 1);
      assert.deepEqual(s.told(), [{ tool: 'book', type: 'output', output: { booked: name } }]);
    });
  }),
);

describe('a backend in Python refuses what it cannot believe', () => {
  /** A question of the backend, and a frame that answers it. */
  async function asked(t, ...wanted) {
    const s = conversation(sdk7, backend);
    t.after(s.close);
    await s.ask(...wanted);
    const [part] = s.calls();
    const frame = (...parts) => {
      const messages = [
        s.chat.messages[0],
        { ...s.chat.messages[1], parts: [{ type: 'step-start' }, ...parts] },
      ];
      return { type: 'message', version: '1.0', data: { requestId: 'r', chatId: s.id, messages } };
    };
    const answer = { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } };
    const send = (content) => sendFrame(backend.address, JSON.stringify(content));
    return { frame, answer, send };
  }
  const refused = (status, code, requestId = 'r') => [
    { type: 'refused', version: '1.0', data: { requestId, status, code } },
  ];

  test('a denial with a made-up output is still a denial', async (t) => {
    const name = room();
    const { frame, answer, send } = await asked(t, book(name));
    const approval = { ...answer.approval, approved: false, reason: 'No' };
    const frames = await send(
      frame({ ...answer, state: 'output-available', output: { ok: true }, approval }),
    );
    assert.ok(frames.some(({ data }) => data.chunk?.type === 'tool-output-denied'));
    assert.ok(frames.some(({ data }) => /"denied", "reason": "No"/.test(data.chunk?.delta)));
    assert.equal(timesBooked(name), 0);
  });

  test('an answer that cannot be believed does not run its call, which can still be answered', async (t) => {
    const name = room();
    const { frame, answer, send } = await asked(t, book(name));
    const { approval: _approval, ...stripped } = answer;
    for (const [code, part] of [
      ['malformed-answer', { ...answer, approval: { ...answer.approval, approved: 'yes' } }],
      ['unknown-approval', { ...answer, approval: { ...answer.approval, id: 'mine' } }],
      ['changed-input', { ...answer, input: { name: 'another room' } }],
      ['unknown-approval', { ...answer, type: 'tool-book', toolCallId: 'mine' }],
      ['unknown-call', { ...answer, type: 'tool-silent' }],
      ['unanswered', { ...stripped, state: 'output-available', output: { booked: name } }],
      ['made-up-output', { ...answer, state: 'output-available', output: { booked: name } }],
      ['waiting', { ...answer, state: 'approval-requested', approval: { id: answer.approval.id } }],
    ]) {
      assert.deepEqual(await send(frame(part)), refused(400, code));
    }
    assert.equal(timesBooked(name), 0);
    assert.equal((await send(frame(answer))).at(-1).type, 'end');
    assert.equal(timesBooked(name), 1);
  });

  test('without a guard, too, a call does not run after the user has moved on', async (t) => {
    for (const answers of [{ state: 'approval-requested', approved: undefined }, { approved: true }]) {
      const name = room();
      const { frame, answer, send } = await asked(t, book(name));
      const { approved, ...state } = answers;
      const approval = { ...answer.approval, approved };
      const moved = frame({ ...answer, ...state, approval });
      moved.data.messages.push(user('u2', 'And?'));
      const frames = await send(moved);
      assert.ok(frames.some(({ data }) => /"denied", "reason": "The user moved on/.test(data.chunk?.delta)));
      // Another tab, whose list ends with the question.
      assert.deepEqual(await send(frame(answer)), refused(409, 'used'));
      assert.equal(timesBooked(name), 0, 'it stays denied');
    }
  });

  test('a frame of another form', async (t) => {
    const { frame, answer, send } = await asked(t, book(room()));
    const good = frame(answer);
    for (const wrong of [
      [],
      null,
      { ...good, version: '2.0' },
      { ...good, type: 'tool_result' },
      { ...good, data: undefined },
      { ...good, data: { ...good.data, chatId: ['c'] } },
    ]) {
      assert.deepEqual(await send(wrong), refused(400, 'unreadable-frame', null));
    }
    assert.deepEqual(
      await send({ ...good, data: { ...good.data, messages: 'none' } }),
      refused(400, 'not-a-list'),
    );
    assert.deepEqual(await send({ ...good, data: { ...good.data, messages: [] } }), refused(400, 'waiting'));
  });

  test('the guard knows that a refused request has run nothing', async (t) => {
    const s = conversation(sdk7, backend);
    t.after(s.close);
    await s.ask(book(room()));
    // The page changes what was asked.
    s.chat.messages = s.chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.toolCallId ? { ...part, input: { name: 'mine' } } : part)),
    }));
    await s.chat.addToolApprovalResponse({ id: s.calls()[0].approval.id, approved: true });
    await s.settle();
    assert.equal(s.chat.error?.message, 'changed-input');
    assert.equal(s.guard.getSnapshot().batch.phase, 'failed');
  });

  test('a page of another origin', async () => {
    const socket = new WebSocket(backend.address, { origin: 'https://elsewhere.example' });
    const error = await new Promise((resolve) => socket.once('error', resolve));
    assert.match(error.message, /403/);
  });
});

test('the program of the example runs as the guide says', async (t) => {
  const program = await startPython(`${example}/main.py`, '0');
  const s = conversation(sdk7, program, { guard: { clientTools: ['pick_color'] } });
  t.after(s.close);
  await s.write('Please remove milk and rent');
  s.decide(0, 'allow-once');
  s.decide(1, 'deny');
  await s.settle();
  assert.deepEqual(
    s.calls().map(({ state, output }) => [state, output]),
    [
      ['output-available', { left: ['rent'] }],
      ['output-denied', undefined],
    ],
  );
  const log = (await program.stop()).trim().split('\n');
  const said = log.map((line) => /^\S+ \S+ backend delete_note call-\S+: (.*)$/.exec(line)?.[1]);
  assert.deepEqual(said.toSorted(), [
    'approved',
    'asks',
    'asks',
    "denied: 'The user denied permission for this call.'",
  ]);
});
