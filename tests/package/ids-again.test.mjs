// One call id for several calls: of one message, of two messages, and twice in a stored list.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuard, parts, scene } from './support/chat.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { broken } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';

const outputs = (messages) => parts(messages, 'call_0').map(({ state, output }) => output ?? state);

forEachSdk((sdk) =>
  describe(`a call id that comes again, ${sdk.name}`, () => {
    test('C79 an output that lands in an older message is reported, and the chat waits for the call that is open', async () => {
      const s = scene(sdk, {
        script: [
          [
            start('a1'),
            startStep,
            toolCall('call_0', 'ui'),
            outputAvailable('call_0', 'old'),
            finishStep,
            finish(),
          ],
          response('a2', toolCall('call_0', 'ui')),
          says(),
        ],
        guard: { clientTools: ['ui'] },
      });
      await s.say();
      await s.say('again');
      await s.output('call_0', 'new');
      assert.deepEqual(outputs(s.chat.messages), ['new', 'input-available'], 'this is what the SDK does');
      assert.equal(s.count, 2);
      assert.equal(s.verdict().reason, 'waiting');
      assert.deepEqual(s.codes(), ['misplaced-output']);
      assert.equal(s.errors[0].toolCallId, 'call_0');
      await s.say('never mind');
      assert.equal(s.chat.status, 'ready', 'the chat goes on');
      assert.equal(s.count, 3);
    });

    for (const cut of ['input-streaming', 'input-available'])
      test(`law_11 an output that lands in a call that was broken off is reported: ${cut}`, async () => {
        const begun = { type: 'tool-input-start', toolCallId: 'call_0', toolName: 'rm' };
        const chunk = cut === 'input-streaming' ? begun : toolCall('call_0', 'rm');
        const s = scene(sdk, {
          script: [broken([start('a1'), startStep, chunk]), response('a2', toolCall('call_0', 'ui')), says()],
          guard: { clientTools: ['ui'] },
        });
        await s.say();
        await s.say('again');
        await s.output('call_0', 'new');
        assert.deepEqual(outputs(s.chat.messages), ['new', 'input-available'], 'this is what the SDK does');
        assert.equal(s.verdict().reason, 'waiting');
        assert.deepEqual(s.codes(), ['misplaced-output']);
      });

    test('law 16: a question that the server repeats is that of the call that its request has carried, whichever is the newest with its id', async () => {
      const again = [
        start(),
        outputAvailable('c1', 'ran'),
        startStep,
        toolCall('c1', 'ui'),
        finishStep,
        finish(),
      ];
      const repeats = [start(), approvalRequest('c1'), finish()];
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm')), again, repeats, says()],
        guard: { clientTools: ['ui'], undoMs: 0 },
      });
      await s.say();
      const older = structuredClone(s.chat.messages);
      s.guard.decide('ap-c1', 'allow-chat', { covers: 'tool' });
      await s.settle();
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await s.settle();
      s.guard.decide('ap-c1', 'allow-once');
      await s.settle();
      assert.equal(s.count, 3, 'no grant answers what a server has refused');
      assert.equal(s.guard.pending().length, 1);
    });

    test('C78 an output that replaces that of an earlier step is reported', async () => {
      const s = scene(sdk, {
        script: [
          [
            start('a1'),
            startStep,
            toolCall('call_0', 'ui'),
            outputAvailable('call_0', 'old'),
            finishStep,
            startStep,
            toolCall('call_0', 'ui', { n: 2 }),
            finishStep,
            finish(),
          ],
          says(),
        ],
      });
      await s.say();
      await s.output('call_0', 'new');
      assert.deepEqual(outputs(s.chat.messages), ['new', 'new'], 'this is what the SDK does');
      assert.deepEqual(s.codes(), ['misplaced-output']);
      assert.equal(s.count, 2, 'the call that waited has its output');
    });

    for (const approved of [true, false])
      test(`C78 one call id in two steps of one message: each question has its own answer, the second one ${approved}`, async () => {
        const asks = (n) => [toolCall('call_0', 'rm', { n }), approvalRequest('call_0', `ap-${n}`)];
        const s = scene(sdk, {
          script: [
            response('a1', asks(1)),
            [
              start('a1'),
              outputAvailable('call_0', 'old'),
              finishStep,
              startStep,
              ...asks(2),
              finishStep,
              finish(),
            ],
            says(),
          ],
        });
        await s.say();
        s.guard.decide('ap-1', 'allow-once');
        await s.settle();
        assert.deepEqual(outputs(s.chat.messages), ['old', 'approval-requested']);
        assert.deepEqual(
          s.guard.pending().map(({ approvalId }) => approvalId),
          ['ap-2'],
        );
        assert.equal(s.guard.decide('call_0', 'deny').reason, 'ambiguous-id');
        s.guard.decide('ap-2', approved ? 'allow-once' : 'deny');
        await s.settle();
        const [first, second] = parts(s.last.messages, 'call_0');
        assert.deepEqual([first.output, first.approval], ['old', { id: 'ap-1', approved: true }]);
        assert.deepEqual([second.state, second.input], ['approval-responded', { n: 2 }]);
        assert.deepEqual([second.approval.id, second.approval.approved], ['ap-2', approved]);
        assert.deepEqual(s.codes(), []);
      });

    test('two questions of one step with one call id, whose parts change places: each keeps its card and its answer', async () => {
      const asks = (n) => ({ ...asking('call_0', 'rm', { id: `ap-${n}` }), input: { n } });
      const s = scene(sdk, { messages: [user('u1'), assistant('a1', asks(1), asks(2))], script: [says()] });
      s.guard.decide('ap-1', 'deny');
      const [
        question,
        {
          parts: [begin, ...both],
          ...answer
        },
      ] = s.chat.messages;
      s.chat.messages = [question, { ...answer, parts: [begin, ...both.toReversed()] }];
      assert.equal(s.guard.decide('ap-2', 'allow-once').type, 'committed');
      await s.settle();
      assert.deepEqual(
        parts(s.last.messages, 'call_0').map(({ input, approval }) => [
          input.n,
          approval.id,
          approval.approved,
        ]),
        [
          [2, 'ap-2', true],
          [1, 'ap-1', false],
        ],
      );
    });

    const dynamic = (toolName) => ({ ...asking('call_0', 'any'), type: 'dynamic-tool', toolName });
    for (const [what, before, after] of [
      ['a static tool', asking('call_0', 'rm'), asking('call_0', 'mv')],
      ['a dynamic tool', dynamic('rm'), dynamic('mv')],
      ['a question', asking('call_0', 'rm', { id: 'ap-1' }), asking('call_0', 'rm', { id: 'ap-2' })],
    ])
      test(`a part in which only ${what} is another one is another call, and asks`, () => {
        const guard = createApprovalGuard({ chatId: 'chat' });
        const keys = [before, after].map((part) => {
          guard.observe([user('u1'), assistant('a1', part)]);
          return guard.pending().at(-1)?.key;
        });
        assert.equal(new Set(keys).size, 2);
        const { toolName, approvalId } = guard.pending().at(-1);
        const tool = after.toolName ?? after.type.slice('tool-'.length);
        assert.deepEqual([toolName, approvalId], [tool, after.approval.id]);
      });

    const ran = call('call_0', 'rm', 'output-available', {
      output: 'done',
      approval: { id: 'ap-call_0', approved: true },
    });
    const question = asking('call_0', 'rm');
    const allowed = answered('call_0', 'rm', true);
    for (const [what, twice] of Object.entries({
      'the question, then the output': [question, ran],
      'the allowance, then the output': [allowed, ran],
      'the output, then the allowance': [ran, allowed],
    }))
      test(`C73 a call that is stored twice asks nobody and runs no more: ${what}`, async () => {
        const messages = [user('u1'), assistant('a1', ...twice)];
        const s = scene(sdk, { messages, script: [says(), says()] });
        assert.deepEqual(
          s.guard.getSnapshot().calls.map(({ status, waiting }) => [status, waiting]),
          [['settled', false]],
          'it is one call',
        );
        assert.deepEqual(s.guard.pending(), []);
        await s.guard.resume();
        await s.settle();
        await s.say('next');
        assert.equal(s.chat.status, 'ready');
        for (const request of s.requests) {
          const sent = parts(request.messages, 'call_0');
          assert.equal(sent.length, 2, 'nothing is taken out');
          assert.ok(sent.every(({ state }) => state !== 'approval-responded'));
          assert.equal(sent.find(({ state }) => state === 'output-available')?.output, 'done');
        }
      });
  }),
);
