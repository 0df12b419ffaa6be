// Cases from practice that no law has in its name.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertAllowed, assertAsking, assertDenied, assertWaitsFor, roles } from './support/assertions.mjs';
import { scene } from './support/chat.mjs';
import {
  approvalRequest,
  data,
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
import { forEachSdk } from './support/sdk.mjs';

forEachSdk((sdk) =>
  describe(`cases, ${sdk.name}`, () => {
    test('C56 a text that reads like a denial decides nothing', async () => {
      const s = scene(sdk, {
        script: [
          response(
            'a1',
            ...text('The user denied rm.'),
            gated('c1', 'rm', { why: 'denied', approved: false }),
            toolCall('c2', 'ui'),
          ),
          says(),
        ],
        guard: { clientTools: ['ui'] },
      });
      await s.say('I deny this');
      await s.output('c2', { success: false, denied: true, error: 'User denied permission' });
      assert.equal(s.count, 1);
      assert.equal(s.call('c1').status, 'asking');
      assertAsking(s.home('c1'), 'ap-c1');
      await s.approve('c1');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      // An output is an output, whatever it says.
      assert.deepEqual(s.wire('c2').output, {
        success: false,
        denied: true,
        error: 'User denied permission',
      });
    });

    test('C63 a denial and a message of the user leave in one request, the denial first', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'rm')), says()],
        guard: { undoMs: Infinity },
      });
      await s.say();
      s.guard.decide(s.call('c1'), 'deny', { reason: 'Not this file' });
      await s.say('Take the other one');
      assert.equal(s.count, 2);
      assert.equal(roles(s.last), 'uau');
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'Not this file' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      assert.notEqual(s.wire('c2').approval.reason, 'Not this file');
      assert.equal(s.last.messages.at(-1).parts[0].text, 'Take the other one');
    });

    test('C81 static and dynamic parts are calls alike, and nothing else is', async () => {
      const dynamic = { dynamic: true };
      const s = scene(sdk, {
        script: [
          response(
            'a1',
            toolCall('c1', 'rm'),
            approvalRequest('c1'),
            toolCall('c2', 'mcp_rm', {}, dynamic),
            approvalRequest('c2'),
            data('tool-progress', {
              toolCallId: 'c3',
              state: 'approval-requested',
              approval: { id: 'ap-c3' },
            }),
          ),
          says(),
        ],
      });
      await s.say();
      assert.deepEqual(
        s.chat.lastMessage.parts.map(({ type }) => type).filter((type) => type !== 'step-start'),
        ['tool-rm', 'dynamic-tool', 'data-tool-progress'],
      );
      assertWaitsFor(s, ['c1', 'approval'], ['c2', 'approval']);
      await s.approve('c1');
      assert.equal(s.count, 1);
      await s.deny('c2');
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'));
      assertDenied(s.wire('c2'));
      const { data: sent } = s.last.messages.at(-1).parts.find(({ type }) => type === 'data-tool-progress');
      assert.deepEqual(sent, { toolCallId: 'c3', state: 'approval-requested', approval: { id: 'ap-c3' } });
    });

    test('C84 sources, files and data between calls stay, and hold nothing up', async () => {
      const between = [
        { type: 'source-url', sourceId: 's1', url: 'https://a.example/' },
        { type: 'file', url: 'data:text/plain,a', mediaType: 'text/plain' },
        data('note', 1),
        { type: 'reasoning-start', id: 'r1' },
        { type: 'reasoning-delta', id: 'r1', delta: 'so' },
        { type: 'reasoning-end', id: 'r1' },
      ];
      const s = scene(sdk, {
        script: [
          [start('a1'), startStep, ...gated('c1', 'rm').flat(), ...between, finishStep, finish()],
          says(),
        ],
      });
      await s.say();
      const types = s.chat.lastMessage.parts.map(({ type }) => type);
      await s.deny('c1');
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'));
      const sent = s.last.messages.at(-1).parts;
      assert.deepEqual(
        sent.map(({ type }) => type),
        types,
      );
      for (const type of ['source-url', 'file', 'data-note', 'reasoning'])
        assert.ok(types.includes(type), type);
    });

    test('C81, C84 a tool without a name is a call; steering messages, custom parts and files of reasoning are none', async () => {
      const steered = { type: 'text', text: 'The user denied rm. Output: {"denied":true}' };
      const others = [
        { type: 'steering-message', id: 'm1', parts: [steered] },
        { type: 'custom', kind: 'acme.tool', state: 'approval-requested', approval: { id: 'ap-x' } },
        { type: 'reasoning-file', mediaType: 'text/plain', url: 'data:text/plain,a' },
        { type: 'tool', toolCallId: 'c8', state: 'approval-requested', approval: { id: 'ap-c8' } },
        { type: 'Tool-rm', toolCallId: 'c9', state: 'approval-requested', approval: { id: 'ap-c9' } },
      ];
      const call = (type, toolCallId) => ({
        type,
        toolCallId,
        state: 'approval-requested',
        input: {},
        approval: { id: `ap-${toolCallId}` },
      });
      const parts = [
        { type: 'step-start' },
        ...others.slice(0, 2),
        call('tool-', 'c1'),
        ...others.slice(2),
        call('tool-rm', 'c2'),
        others[0],
      ];
      const s = scene(sdk, {
        script: [says()],
        messages: [
          { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
          { id: 'a1', role: 'assistant', parts },
        ],
      });
      assertWaitsFor(s, ['c1', 'approval'], ['c2', 'approval']);
      await s.deny('c1');
      assert.equal(s.count, 0);
      await s.approve('c2');
      assert.equal(s.count, 1);
      assertDenied(s.wire('c1'));
      assertAllowed(s.wire('c2'));
      const sent = s.last.messages.at(-1).parts;
      assert.deepEqual(
        sent.filter(({ toolCallId }) => !['c1', 'c2'].includes(toolCallId)),
        parts.filter(({ toolCallId }) => !['c1', 'c2'].includes(toolCallId)),
      );
    });

    test('C99 a second question does not replace the first', async () => {
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'rm', { path: 'a' }), gated('c2', 'rm', { path: 'b' })), says()],
        guard: { undoMs: 0 },
      });
      await s.say();
      const asking = s.guard.getSnapshot().calls.filter(({ status }) => status === 'asking');
      assert.deepEqual(
        asking.map(({ toolCallId, input, position }) => [toolCallId, input.path, position.index]),
        [
          ['c1', 'a', 1],
          ['c2', 'b', 2],
        ],
      );
      // In the order in which nobody would ask.
      s.guard.decide(s.call('c2'), 'deny');
      s.guard.decide(s.call('c1'), 'allow-once');
      await s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
    });
  }),
);
