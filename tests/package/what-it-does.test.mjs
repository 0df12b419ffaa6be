// The table of the page *What it does*, row by row: what the newest installed `ai` does with its two stock
// predicates, and what it does with the guard. A cell that is no longer true, or no longer in the table, fails.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { tellEdits } from 'tool-approval-guard/server';
import { backend, callsTool, resultsOf, saysText } from './support/backend.mjs';
import { until } from './support/chat.mjs';
import { broken, forever, live, refusal, reject } from './support/scripted-transport.mjs';
import { sdk7 as sdk } from './support/sdk.mjs';
import * as sideBySide from './support/side-by-side.mjs';
import { assistant, call, user } from './support/stored.mjs';
import {
  abort,
  continued,
  data,
  finish,
  gated,
  outputAvailable,
  policyDenied,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';

const require = createRequire(import.meta.url);
const installed = path.dirname(require.resolve('tool-approval-guard/package.json'));
const section = readFileSync(path.join(installed, 'docs', 'what-it-does.md'), 'utf8');

const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const [, , ...table] = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map(cellsOf);

const scripted = (...given) => sideBySide.scripted(sdk, ...given);

const gate = { needsApproval: true };
const served = async (isGuarded, { tools, steps, convert, ...options }) => {
  const server = await backend(sdk, { tools, steps, ...(convert && { convert }) });
  const s = sideBySide.chatOf(sdk, isGuarded, { ...options, inner: server.transport });
  const answer = async (callId, approved, reason) => {
    await s.chat.addToolApprovalResponse({ id: s.home(callId).approval.id, approved, reason });
    await s.settle();
  };
  return { server, s, answer };
};

const stateOf = (part) => [part.state, part.approval?.approved];
const OPEN = ['approval-requested', undefined];
const ALLOWED = ['approval-responded', true];
const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));

/** A server that refuses a message and every later one, or takes them: the states of the chat after two messages. */
async function written(isGuarded, calls, act = async () => {}) {
  const steps = [calls.map(([id, tool]) => callsTool(id, tool)), saysText('Yes?'), saysText('Yes?')];
  const own = await served(isGuarded, { tools: { rm: gate, mv: gate, ui: { server: false } }, steps });
  await own.s.say('go');
  await act(own);
  const seen = [];
  for (const words of ['stop that', 'still there?']) {
    await own.s.say(words);
    seen.push(own.s.chat.status);
  }
  assert.deepEqual(own.server.executed, []);
  return { ...own, seen };
}

/** The responses to an answer that change nothing. */
const unchanging = {
  empty: () => [],
  'contains only data': () => [start(), data(), finish()],
  'is aborted': () => [start(), abort],
  'has text without a step': () => [start(), ...text('So.'), finish()],
  'is a copy under a new message id': ({ messages }) => [start(`copy-of-${messages.at(-1).id}`), finish()],
};

const rows = [
  {
    what: 'The user denies a call, and a shared component still calls `addToolOutput` for it',
    stock: 'the server and the model are told that the tool ran',
    guarded: 'a denial is sent, with every field of its approval',
    async play(isGuarded) {
      const { s, server, answer } = await served(isGuarded, {
        tools: { rm: gate, ls: gate },
        steps: [[callsTool('c1', 'rm'), callsTool('c2', 'ls')], saysText('Done.')],
      });
      await s.say();
      const { approval } = s.home('c1');
      await answer('c1', false, 'no');
      await s.output('c1', { success: false, denied: true }, 'rm');
      await answer('c2', true);
      assert.deepEqual(server.executed, ['c2']);
      const { state, output, approval: sent } = s.wire('c1');
      const [told] = resultsOf(server, 'c1').map(({ type }) => type);
      if (isGuarded) {
        assert.deepEqual([state, output, told], ['approval-responded', undefined, 'execution-denied']);
        assert.deepEqual(sent, { ...approval, approved: false, reason: 'no' });
      } else {
        assert.deepEqual([state, sent, told], ['output-available', undefined, 'json']);
      }
    },
  },
  {
    what: 'The page writes an output over a call that still asks',
    stock: 'the approval is gone, and the request is sent',
    guarded: 'nothing is sent, the application is told, and in an attached chat the call asks again',
    async play(isGuarded) {
      const s = scripted(isGuarded, [response('a1', gated('c1', 'rm')), says()]);
      await s.say();
      await s.output('c1', 'fake', 'rm');
      assert.equal(s.count, isGuarded ? 1 : 2);
      if (isGuarded) {
        assert.deepEqual(stateOf(s.home('c1')), OPEN);
        assert.deepEqual(s.codes(), ['output-over-open-approval']);
      } else assert.deepEqual(stateOf(s.wire('c1')), ['output-available', undefined]);
    },
  },
  {
    what: 'The response to an answer is empty, aborted, only data, text without a step, or a copy under a new message id',
    stock: 'endless requests',
    guarded: 'one request',
    async play(isGuarded) {
      const found = {};
      for (const [name, entry] of Object.entries(unchanging)) {
        const s = scripted(isGuarded, [response('a1', gated('c1', 'rm')), forever(entry)]);
        await s.say();
        await s.approve('c1');
        found[name] = s.count - 1;
      }
      for (const [name, requests] of Object.entries(found)) {
        if (isGuarded) assert.equal(requests, 1, name);
        else assert.ok(requests > 10, `${name}: ${requests}`);
      }
    },
  },
  {
    what: 'A client tool chains steps without the user',
    stock: 'no limit',
    guarded: 'at most `maxAutomaticSends`',
    async play(isGuarded) {
      let calls = 0;
      const chains = () => response(`a${++calls}`, toolCall(`k${calls}`, 'ui'));
      const s = scripted(isGuarded, [forever(chains)], {
        cap: 40,
        guard: { maxAutomaticSends: 7 },
        chat: { onToolCall: ({ toolCall: { toolCallId } }) => void s.put(toolCallId) },
      });
      await s.say();
      assert.equal(s.count, isGuarded ? 1 + 7 : 41);
      if (isGuarded) assert.equal(s.guard.explain().reason, 'limit');
    },
  },
  {
    what: 'A policy denied a call beside a client tool',
    stock: 'the chat sends nothing',
    guarded: 'the chat continues',
    async play(isGuarded) {
      const s = scripted(isGuarded, [
        response('a1', policyDenied(sdk, 'c1', 'rm'), toolCall('k1', 'ui')),
        says(),
      ]);
      await s.say();
      await s.output('k1');
      assert.equal(s.count, isGuarded ? 2 : 1);
    },
  },
  {
    what: 'A provider-executed call without an approval is open',
    stock: 'the chat sends nothing',
    guarded: 'the chat continues',
    async play(isGuarded) {
      const provider = toolCall('p1', 'search', {}, { providerExecuted: true });
      const s = scripted(isGuarded, [response('a1', provider, gated('c1', 'rm')), says()]);
      await s.say();
      await s.approve('c1');
      assert.equal(s.count, isGuarded ? 2 : 1);
    },
  },
  {
    what: 'A client tool has its output, but a provider-executed call beside it still asks',
    stock: 'sent too early',
    guarded: 'waits',
    async play(isGuarded) {
      const asks = gated('p1', 'mcp', {}, { call: { providerExecuted: true } });
      const s = scripted(isGuarded, [response('a1', asks, toolCall('k1', 'ui')), says()]);
      await s.say();
      await s.output('k1');
      assert.equal(s.count, isGuarded ? 1 : 2);
      if (isGuarded)
        assert.deepEqual(
          s.verdict().waitingFor.map(({ toolCallId }) => toolCallId),
          ['p1'],
        );
    },
  },
  {
    what: '`approval-responded` without `approved`',
    stock: 'sent',
    guarded: 'waits, and the application is told',
    async play(isGuarded) {
      const s = scripted(isGuarded, [response('a1', gated('c1', 'rm')), says()]);
      await s.say();
      await s.chat.addToolApprovalResponse({ id: 'ap-c1' });
      await s.settle();
      assert.equal(s.count, isGuarded ? 1 : 2);
      if (isGuarded) assert.ok(s.codes().includes('malformed-approval'));
    },
  },
  {
    what: 'The user writes a message while calls are open, or answered and not sent',
    stock: 'the server may refuse this request and every later one',
    guarded: 'they are closed as superseded, and the model learns that this was no refusal',
    async play(isGuarded) {
      const REFUSED = ['error', 'error'];
      const TAKEN = ['ready', 'ready'];
      const both = [
        ['c1', 'rm'],
        ['c2', 'mv'],
      ];
      const unsent = await written(isGuarded, both, ({ answer }) => answer('c1', true));
      const open = await written(isGuarded, both);
      assert.deepEqual(unsent.seen, isGuarded ? TAKEN : REFUSED);
      assert.deepEqual(open.seen, TAKEN);
      if (isGuarded) {
        for (const id of ['c1', 'c2']) {
          assert.equal(unsent.s.wire(id).approval.approved, false);
          assert.match(unsent.s.wire(id).approval.reason, /Not a refusal by the user/);
        }
        return;
      }
      const client = await written(isGuarded, [['k1', 'ui']]);
      assert.deepEqual(client.seen, REFUSED);
    },
  },
  {
    what: 'The user allows a call after writing a message over it',
    stock: 'the next request has it, and the server refuses this one and every later one',
    guarded: 'the call is denied as superseded, and the allowance is refused',
    async play(isGuarded) {
      const { s, server, answer } = await served(isGuarded, {
        tools: { rm: gate },
        steps: [[callsTool('c1', 'rm')], saysText('Hm.'), saysText('Yes?'), saysText('Yes?')],
      });
      await s.say('go');
      await s.say('wait');
      assert.equal(s.chat.status, 'ready');
      await answer('c1', true);
      const seen = [];
      for (const words of ['go on', 'still there?']) {
        await s.say(words);
        seen.push(s.chat.status);
      }
      assert.deepEqual(server.executed, []);
      if (isGuarded) {
        assert.deepEqual(seen, ['ready', 'ready']);
        assert.equal(s.wire('c1').approval.approved, false);
        assert.equal(s.call('c1').status, 'superseded');
        assert.deepEqual(
          s.events.filter(({ type }) => type === 'refused').map(({ approved }) => approved),
          [true],
        );
      } else {
        assert.deepEqual(seen, ['error', 'error']);
        assert.deepEqual(stateOf(s.wire('c1')), ALLOWED);
      }
    },
  },
  {
    what: 'The request with the answers fails',
    stock: 'pressing again does nothing',
    guarded: '`retry()` sends them once',
    async play(isGuarded) {
      const s = scripted(isGuarded, [
        response('a1', gated('c1', 'rm')),
        reject(refusal()),
        continued([outputAvailable('c1')]),
      ]);
      await s.say();
      await s.approve('c1');
      await s.approve('c1');
      assert.equal(s.count, 2);
      if (isGuarded) {
        assert.equal((await s.guard.retry()).type, 'sent');
        await s.settle();
        assert.equal((await s.guard.retry()).type, 'nothing-to-send');
      } else await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(stateOf(s.wire('c1')), ALLOWED);
    },
  },
  {
    what: 'The request breaks half way',
    stock: 'it looks as if it never arrived',
    guarded: 'the calls are _in doubt_, and nothing is repeated by itself',
    async play(isGuarded) {
      const seen = [];
      for (const answer of [reject(refusal()), broken([start(), startStep])]) {
        const s = scripted(isGuarded, [response('a1', gated('c1', 'rm')), answer]);
        await s.say();
        await s.approve('c1');
        assert.equal(s.count, 2);
        seen.push(isGuarded ? s.guard.explain().reason : [s.chat.status, ...stateOf(s.home('c1'))]);
      }
      if (isGuarded) assert.deepEqual(seen, ['failed', 'in-doubt']);
      else assert.deepEqual(seen[0], seen[1]);
    },
  },
  {
    what: 'The user stops the chat while answers are on the page and not sent',
    stock: 'they are sent later',
    guarded: 'they are taken back, and the calls ask again',
    async play(isGuarded) {
      const s = scripted(isGuarded, [two(), says()]);
      await s.say();
      await s.approve('c1');
      await s.chat.stop();
      await s.settle();
      await s.approve('c2');
      assert.equal(s.count, isGuarded ? 1 : 2);
      assert.deepEqual(stateOf(isGuarded ? s.home('c1') : s.wire('c1')), isGuarded ? OPEN : ALLOWED);
    },
  },
  {
    what: 'A resumed stream repeats the question after an answer',
    stock: 'asks again',
    guarded: 'the answer stands',
    async play(isGuarded) {
      const s = scripted(isGuarded, [two(), says()], { replays: [two()] });
      await s.say();
      await s.approve('c1');
      await s.chat.resumeStream();
      await s.settle();
      assert.deepEqual(stateOf(s.home('c1')), isGuarded ? ALLOWED : OPEN);
    },
  },
  {
    what: 'A poll sets the messages of the server while an answer waits for the other calls',
    stock: 'the answer is gone, and the call asks again',
    guarded: 'after `adopt`, the answer stands, and is sent once the server has settled the others',
    async play(isGuarded) {
      const s = scripted(isGuarded, [two(), says()]);
      await s.say();
      await s.approve('c1');
      const denied = { state: 'output-denied', approval: { id: 'ap-c2', approved: false } };
      const [first] = s.chat.messages;
      const asks = call('c1', 'rm', 'approval-requested', { approval: { id: 'ap-c1' } });
      const stored = [first, assistant('a1', asks, { ...call('c2', 'ls'), ...denied })];
      if (isGuarded) s.guard.adopt(stored);
      s.chat.messages = stored;
      await until(() => true);
      await s.settle();
      if (!isGuarded) {
        assert.deepEqual(stateOf(s.home('c1')), OPEN);
        assert.equal(s.count, 1);
        return;
      }
      assert.equal(s.count, 2);
      assert.deepEqual(stateOf(s.wire('c1')), ALLOWED);
      assert.deepEqual(stateOf(s.wire('c2')), ['output-denied', false]);
      assert.deepEqual([s.call('c1').outcome, s.call('c2').outcome], ['allowed-once', 'denied-elsewhere']);
    },
  },
  {
    what: 'The page writes an answer with `setMessages` while a response streams',
    stock: 'the next chunk asks again',
    guarded: 'the answer stands, in the chat and in the request',
    async play(isGuarded) {
      const running = live();
      const s = scripted(isGuarded, [running, continued([outputAvailable('c1')])]);
      const over = s.send();
      await running.started;
      running.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested');
      const answered = { state: 'approval-responded', approval: { id: 'ap-c1', approved: true } };
      s.chat.messages = s.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) => (part.toolCallId === 'c1' ? { ...part, ...answered } : part)),
      }));
      running.push(text('One moment.'));
      await until(() => s.chat.messages.at(-1).parts.at(-1).text === 'One moment.');
      assert.deepEqual(stateOf(s.home('c1')), isGuarded ? ALLOWED : OPEN);
      running.close();
      await over;
      await s.settle();
      assert.equal(s.count, isGuarded ? 2 : 1);
      if (isGuarded) assert.deepEqual(stateOf(s.wire('c1')), ALLOWED);
    },
  },
  {
    what: 'The response settles only one of two allowed calls',
    stock: 'the other one is sent again, although it may have run',
    guarded: 'it is _in doubt_, and only `retry()` sends it',
    async play(isGuarded) {
      const half = [start(), outputAvailable('c1'), ...text('So.'), finish()];
      const s = scripted(isGuarded, [two(), half, says()]);
      await s.say();
      await s.approve('c1');
      await s.approve('c2');
      assert.equal(s.count, isGuarded ? 2 : 3);
      if (isGuarded) {
        assert.equal(s.call('c2').status, 'in-doubt');
        assert.equal((await s.guard.retry()).type, 'sent');
      }
      assert.deepEqual(stateOf(s.wire('c2')), ALLOWED);
    },
  },
  {
    what: 'A call asks in the state `input-available`, as calls of a provider may',
    stock: 'nothing answers it, and an output beside it is sent',
    guarded: 'it asks, and the output waits for its answer',
    async play(isGuarded) {
      const asks = call('c1', 'rm', 'input-available', { providerExecuted: true, approval: { id: 'ap-c1' } });
      const messages = [user(), assistant('a1', asks, call('k1', 'ui', 'input-available'))];
      const s = scripted(isGuarded, [says()], { messages });
      await s.output('k1');
      assert.equal(s.count, isGuarded ? 0 : 1);
      await s.approve('c1');
      assert.equal(s.count, 1);
      if (isGuarded) assert.deepEqual(stateOf(s.wire('c1')), ALLOWED);
      else assert.equal(s.home('c1').state, 'input-available');
    },
  },
  {
    what: 'The page is reloaded while one of its own tools runs, and the user writes a message',
    stock: 'the server refuses this request and every later one',
    guarded: 'the call is closed, and the model learns that it may have run',
    async play(isGuarded) {
      const { s } = await served(isGuarded, {
        tools: { ui: { server: false } },
        steps: [saysText('Hm.'), saysText('Yes?')],
        messages: [user(), assistant('a1', call('k1', 'ui', 'input-available'))],
        guard: { clientTools: ['ui'] },
      });
      const seen = [];
      for (const words of ['and now?', 'still there?']) {
        await s.say(words);
        seen.push(s.chat.status);
      }
      assert.deepEqual(seen, isGuarded ? ['ready', 'ready'] : ['error', 'error']);
      if (isGuarded) assert.match(s.wire('k1').errorText, /it is not known whether the call ran/);
    },
  },
  {
    what: 'The user corrects an input and allows the call, as with `editedArgs` of TanStack AI and `EditDecision` of LangChain',
    stock: 'the page changes its messages, and the model believes that it asked for this',
    guarded: 'the call runs with it, both inputs are kept, and the model is told',
    async play(isGuarded) {
      const asked = { to: 'al@example.com' };
      const corrected = { to: 'ann@example.com' };
      const { s, server, answer } = await served(isGuarded, {
        tools: { mail: gate },
        steps: [[callsTool('c1', 'mail', asked)], saysText('Sent.')],
        convert: async (ai, messages, tools) =>
          tellEdits(await ai.convertToModelMessages(messages, { tools })),
        guard: { tools: { mail: { editable: ['to'] } } },
      });
      await s.say();
      if (isGuarded) s.guard.decide('c1', 'allow-once', { input: corrected });
      else {
        s.chat.messages = s.chat.messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) =>
            part.toolCallId === 'c1' ? { ...part, input: corrected } : part,
          ),
        }));
        await answer('c1', true);
      }
      await s.settle();
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(s.home('c1').output.input, corrected);
      const kept = JSON.stringify([s.home('c1'), server.prompts[1]]);
      assert.equal(kept.includes(asked.to), isGuarded);
      assert.equal(/The user changed the input/.test(JSON.stringify(server.prompts[1])), isGuarded);
    },
  },
  {
    what: "The user's message had request options, such as a model",
    stock: 'the request with the answer has none',
    guarded: '`decide` sends them along, or newer ones',
    async play(isGuarded) {
      const options = { body: { model: 'small' } };
      const s = scripted(isGuarded, [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')])]);
      await s.chat.sendMessage({ text: 'go' }, options);
      await s.settle();
      if (isGuarded) s.guard.decide('c1', 'allow-once');
      else await s.approve('c1');
      await s.settle();
      assert.equal(s.count, 2);
      assert.equal(s.last.body?.model, isGuarded ? 'small' : undefined);
    },
  },
];

describe(`the table What it does, ai ${require('ai/package.json').version}`, () => {
  test('is about the version that is installed', () => {
    assert.ok(section.includes(`\`ai\` ${require('ai/package.json').version} `));
  });

  test('has these rows', () => {
    assert.deepEqual(
      table,
      rows.map(({ what, stock, guarded }) => [what, stock, guarded]),
    );
  });

  for (const { what, stock, guarded, play } of rows) {
    test(`${what}, stock: ${stock}`, () => play(false));
    test(`${what}, with the guard: ${guarded}`, () => play(true));
  }
});
