// A backend reads the decisions from the messages that it receives: with the vectors, with random lists, and
// with both majors of the SDK, as the client that sends the messages and as the server that would carry them
// out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';
import { readDecisions } from 'tool-approval-guard/server';
import { z } from 'zod';

import { backend, callsTool, saysText } from './support/backend.mjs';
import { scene } from './support/chat.mjs';
import { honestList, plain, strangeList } from './support/lists.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, step, user } from './support/stored.mjs';

const folder = process.env.TAG_VECTORS ?? fileURLToPath(new URL('../vectors', import.meta.url));
const vectors = JSON.parse(readFileSync(`${folder}/server.json`, 'utf8'));

const RUNS = Number(process.env.TAG_RUNS ?? 300);
const SEED = Number(process.env.TAG_SEED ?? 20_261_121);

const read = (messages, options) => readDecisions(messages, options).map(plain);
const types = (messages, options) => readDecisions(messages, options).map(({ type, code }) => code ?? type);

describe('server.json', () => {
  for (const { id, title, messages, expect, clientTools, requested } of vectors) {
    test(`${id} ${title}`, () => {
      const before = structuredClone(messages);
      const options = { ...(clientTools && { clientTools }), ...(requested && { requested }) };
      assert.deepEqual(read(messages, options), expect);
      assert.deepEqual(messages, before, 'the messages are only read');
    });
  }
});

describe('results', () => {
  const rejected = {
    ...answered('c1', 'rm', false, { reason: 'no', signature: 's', future: { x: 1 } }),
    state: 'output-available',
    output: { denied: true },
  };

  test('each result contains the original part and approval', () => {
    const messages = [user(), assistant('a1', rejected, answered('c2', 'mv', true))];
    const [no, yes] = readDecisions(messages);
    assert.equal(no.part, messages[1].parts[1]);
    assert.equal(no.approval, messages[1].parts[1].approval);
    assert.deepEqual([no.type, no.reason, no.overwritten, no.current], ['rejected', 'no', true, true]);
    assert.equal('output' in no, false, 'a made-up result is not handed out');
    assert.equal(yes.part, messages[1].parts[2]);
    assert.deepEqual([yes.type, yes.providerExecuted], ['approved', false]);
  });

  test('an output, an error, and a provider-executed call', () => {
    const output = { n: [1] };
    const messages = [
      assistant(
        'a1',
        call('c1', 'ls', 'output-available', { output }),
        call('c2', 'ls', 'output-error', { errorText: 'gone' }),
        { ...answered('c3', 'search', true), providerExecuted: true },
      ),
    ];
    const [first, second, third] = readDecisions(messages);
    assert.equal(first.output, output);
    assert.equal(second.errorText, 'gone');
    assert.deepEqual([third.type, third.providerExecuted], ['approved', true]);
  });

  test('inherited fields never count, not even from a polluted prototype', () => {
    const bare = call('c1', 'rm', 'approval-responded', { approval: { id: 'ap-c1' } });
    Object.prototype.approved = true;
    try {
      assert.deepEqual(types([assistant('a1', bare)]), ['unanswered']);
    } finally {
      delete Object.prototype.approved;
    }
    const heir = Object.create(answered('c1', 'rm', true));
    assert.deepEqual(types([assistant('a1', heir)]), ['missing-type']);
  });

  test('if a field occurs twice in a JSON text, the last one counts, as in every parser here', () => {
    const part = (answers) =>
      JSON.parse(
        `{"type":"tool-rm","toolCallId":"c1","state":"approval-responded","approval":{"id":"a",${answers}}}`,
      );
    assert.deepEqual(types([assistant('a', part('"approved":true,"approved":false'))]), ['rejected']);
    assert.deepEqual(types([assistant('a', part('"approved":false,"approved":true'))]), ['approved']);
  });

  test('a lone surrogate is not an id', () => {
    assert.deepEqual(types([assistant('a', answered('c\ud800', 'rm', true))]), ['missing-call-id']);
    const halved = answered('c1', 'rm', true, { id: '\udc00' });
    assert.deepEqual(types([assistant('a', halved)]), ['missing-approval-id']);
    assert.deepEqual(types([assistant('a', halved, answered('c2', 'mv', true))])[1], 'approved');
  });

  test('an output of any depth and length does not matter', () => {
    let deep = 1;
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    const messages = [
      assistant(
        'a1',
        call('c1', 'ls', 'output-available', { output: deep }),
        answered('c2', 'rm', true, { inputSchemaInput: deep }),
        { type: 'data-x', data: deep },
      ),
    ];
    assert.deepEqual(types(messages), ['output', 'approved']);
  });

  test('a value that cannot be read is malformed, and does not affect other calls', () => {
    const trap = new Proxy(
      {},
      {
        get: () => assert.fail('no'),
        has: () => assert.fail('no'),
        getOwnPropertyDescriptor: () => assert.fail('no'),
      },
    );
    const messages = [trap, assistant('a1', trap, answered('c1', 'rm', true))];
    assert.deepEqual(types(messages), ['not-an-object', 'not-an-object', 'approved']);
    const sparse = [];
    sparse[2] = assistant('a1', answered('c1', 'rm', true));
    assert.deepEqual(types(sparse), ['not-an-object', 'not-an-object', 'approved']);
  });

  test('undefined is a missing value, as in JSON', () => {
    const nothing = { output: undefined, errorText: undefined, preliminary: undefined };
    const messages = [
      assistant(
        'a1',
        { ...answered('c1', 'rm', true, { reason: undefined }), ...nothing },
        {
          ...asking('c2', 'rm', { approved: undefined }),
          ...nothing,
        },
      ),
    ];
    assert.deepEqual(read(messages), read(JSON.parse(JSON.stringify(messages))));
    assert.deepEqual(types(messages), ['approved', 'open']);
  });

  test('it never throws, whatever the input', () => {
    for (const body of [undefined, null, 0, '', 'x', {}, () => {}, Symbol('x'), new Map(), 1n]) {
      assert.deepEqual(types(body), ['not-a-list']);
      assert.deepEqual(types([body]), [
        body !== null && typeof body === 'object' ? 'unknown-role' : 'not-an-object',
        ...(body !== null && typeof body === 'object' ? ['missing-parts'] : []),
      ]);
    }
  });

  test('invalid options are refused with a stable code', () => {
    for (const options of [
      null,
      [],
      'x',
      { clienttools: [] },
      { clientTools: 'pick_file' },
      { clientTools: [1] },
      { requested: 'ap-c1' },
      { requested: ['ap-c1'] },
      { requested: [{ approvalId: 'ap-c1' }] },
      { requested: [{ approvalId: 'ap-c1', toolCallId: '' }] },
      { requested: [{ approvalId: '\ud800', toolCallId: 'c1' }] },
    ]) {
      assert.throws(() => readDecisions([], options), { name: 'GuardError', code: 'invalid-option' });
    }
    const map = new Map([['c1', { approvalId: 'ap-c1', toolCallId: 'c1', since: 3 }]]);
    const messages = [assistant('a1', answered('c1', 'rm', true), answered('c2', 'rm', true))];
    const options = { requested: map.values(), clientTools: new Set(['ui']) };
    assert.deepEqual(types(messages, options), ['approved', 'unknown-approval']);
  });
});

/** The rule for a single part again, written as plainly as possible. */
const looksApproved = (messages, { messageIndex, partIndex }) => {
  const { role, parts } = messages[messageIndex];
  const { toolCallId, state, approval } = parts[partIndex];
  return (
    role === 'assistant' &&
    toolCallId &&
    state === 'approval-responded' &&
    approval.approved === true &&
    approval.id
  );
};

describe('by chance', () => {
  const check = (list, property, runs = 10 * RUNS) =>
    fc.assert(fc.property(list, property), { numRuns: runs, seed: SEED });

  test('one result for each tool part, in order; no denial is lost, and no allowance invented', () => {
    const seen = {};
    check(strangeList, (messages) => {
      const decisions = readDecisions(messages);
      for (const d of decisions) seen[d.code ?? d.type] = true;
      const places = decisions.map((d) => [d.messageIndex, d.partIndex ?? -1]);
      const sorted = places.toSorted(([a, b], [c, d]) => a - c || b - d);
      assert.deepEqual(places, sorted);
      const at = new Map(decisions.map((d) => [`${d.messageIndex} ${d.partIndex}`, d]));
      const executable = decisions.filter((d) => d.type === 'approved');
      for (const d of executable) assert.ok(looksApproved(messages, d));
      const approvals = executable.map((d) => d.approvalId);
      assert.equal(new Set(approvals).size, approvals.length, 'an approval is good for one call');
      for (const [m, message] of messages.entries()) {
        if (message?.parts === undefined || !Array.isArray(message.parts)) continue;
        for (const [p, part] of message.parts.entries()) {
          const decision = at.get(`${m} ${p}`);
          if (!/^(tool-|dynamic-tool$)/.test(part?.type)) continue;
          assert.ok(decision, 'each tool part has an answer');
          if (part.approval?.approved === false || part.state === 'output-denied') {
            assert.ok(['rejected', 'malformed'].includes(decision.type), 'a no is no output');
            for (const other of decisions) {
              const same = part.approval?.id && other.approvalId === part.approval.id;
              assert.ok(!same || !['approved', 'output', 'error'].includes(other.type), 'nor anywhere else');
            }
          }
        }
      }
    });
    for (const type of ['rejected', 'approved', 'output', 'error', 'open'])
      assert.ok(seen[type], `${type} was seen`);
    assert.ok(Object.keys(seen).length > 20, `much was seen: ${Object.keys(seen)}`);
  });

  test('additions to a list never turn a call into an approved one', () => {
    check(fc.tuple(strangeList, strangeList), ([messages, more]) => {
      const yes = (list) =>
        readDecisions(list)
          .filter((d) => d.type === 'approved' && d.messageIndex < messages.length)
          .map((d) => `${d.messageIndex} ${d.partIndex}`);
      const before = new Set(yes(messages));
      for (const place of yes([...messages, ...more])) assert.ok(before.has(place), place);
    });
  });

  test('no change of a field other than the answer turns a denial or a question into an allowance', () => {
    const changed = fc.record({
      list: strangeList,
      at: fc.nat(),
      field: fc.constantFrom(
        'type',
        'toolName',
        'toolCallId',
        'state',
        'output',
        'errorText',
        'preliminary',
        'more',
      ),
      to: fc.constantFrom(
        undefined,
        null,
        '',
        0,
        {},
        'tool-a',
        'c1',
        'c5',
        'approval-responded',
        'output-available',
      ),
    });
    let tried = 0;
    check(changed, ({ list, at, field, to }) => {
      const closed = readDecisions(list).filter(
        ({ part }) => part?.approval && part.approval.approved !== true && !Array.isArray(part),
      );
      if (closed.length === 0) return;
      tried += 1;
      const { messageIndex, partIndex, part } = closed[at % closed.length];
      part[field] = to;
      const after = readDecisions(list).find(
        (d) => d.messageIndex === messageIndex && d.partIndex === partIndex,
      );
      assert.notEqual(after?.type, 'approved');
    });
    assert.ok(tried > RUNS, `${tried} lists had such a part`);
  });

  test('listing the requested approvals never adds an allowance', () => {
    check(strangeList, (messages) => {
      const free = read(messages);
      const all = ['p1', 'p2', 'p3', 'p4'].flatMap((approvalId) =>
        ['c1', 'c2', 'c3', 'c4'].map((toolCallId) => ({ approvalId, toolCallId })),
      );
      const none = read(messages, { requested: [] });
      assert.ok(none.every((d) => d.type !== 'approved'));
      for (const requested of [[], all, all.slice(0, 5)]) {
        for (const [i, decision] of read(messages, { requested }).entries()) {
          if (decision.type !== 'malformed') assert.deepEqual(decision, free[i]);
        }
      }
    });
  });
});

/** What the SDK's server does with a list: the calls that it runs, and whether it refuses the list. */
async function carryOut(sdk, messages) {
  const { ai } = sdk;
  const mocks = await sdk.test();
  const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  const executed = [];
  const tool = ai.tool({
    // Any input: a tool that refuses its input says nothing about the approval.
    inputSchema: z.any(),
    needsApproval: true,
    execute: (_input, { toolCallId }) => void executed.push(toolCallId),
  });
  const model = new Model({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'ok' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
    }),
  });
  try {
    const prompt = await ai.convertToModelMessages(messages);
    await ai.generateText({ model, tools: { a: tool, b: tool }, messages: prompt, maxRetries: 0 });
    return { executed: executed.sort(), refused: false };
  } catch {
    // Some calls have run by then, because the SDK looks for missing results only after it has run what was
    // approved.
    return { executed: executed.sort(), refused: true };
  }
}

forEachSdk((sdk) =>
  describe(`with a server of ${sdk.name}`, () => {
    const property = (list, body) => fc.assert(fc.asyncProperty(list, body), { numRuns: RUNS, seed: SEED });
    const approvedIn = (messages) =>
      readDecisions(messages)
        .filter((d) => d.type === 'approved' && d.current)
        .map((d) => d.toolCallId)
        .sort();

    test('for a list made by the SDK, exactly the approved and current calls run', async () => {
      let ran = 0;
      await property(honestList, async (messages) => {
        await sdk.ai.validateUIMessages({ messages });
        const { executed } = await carryOut(sdk, messages);
        assert.deepEqual(approvedIn(messages), executed);
        ran += executed.length;
      });
      assert.ok(ran > RUNS / 5, `${ran} calls ran`);
    });

    test('for any list that it accepts, it runs each approved and current call', async () => {
      let ran = 0;
      await property(
        strangeList.filter((messages) => approvedIn(messages).length > 0),
        async (messages) => {
          const { executed, refused } = await carryOut(sdk, messages);
          if (refused) return;
          for (const id of approvedIn(messages)) assert.ok(executed.includes(id), id);
          ran += executed.length;
        },
      );
      assert.ok(ran > RUNS / 20, `${ran} calls ran`);
    });

    test('C42 the list sent by a guard reads as it was decided', async () => {
      const server = await backend(sdk, {
        tools: { rm: { needsApproval: true }, mv: { needsApproval: true }, ls: {} },
        steps: [
          [callsTool('c1', 'rm'), callsTool('c2', 'mv'), callsTool('c3', 'ls')],
          saysText('Moved.'),
          saysText('Bye.'),
        ],
      });
      const s = scene(sdk, { inner: server.transport });
      await s.say('clean up');
      const requested = ['c1', 'c2'].map((toolCallId) => ({
        toolCallId,
        approvalId: s.home(toolCallId).approval.id,
      }));
      await s.chat.addToolApprovalResponse({
        id: requested[0].approvalId,
        approved: false,
        reason: 'not that',
      });
      await s.settle();
      await s.output('c1', { success: false, denied: true }, 'rm');
      await s.chat.addToolApprovalResponse({ id: requested[1].approvalId, approved: true });
      await s.settle();
      const look = (list) =>
        readDecisions(list, { requested }).map((d) => [d.toolCallId, d.type, d.current, d.reason]);
      assert.deepEqual(look(server.requests.at(-1).messages), [
        ['c1', 'rejected', true, 'not that'],
        ['c2', 'approved', true, undefined],
        ['c3', 'output', true, undefined],
      ]);
      assert.deepEqual(server.executed, ['c3', 'c2']);
      await s.say('thanks');
      assert.deepEqual(look(server.requests.at(-1).messages), [
        ['c1', 'rejected', false, 'not that'],
        ['c2', 'output', false, undefined],
        ['c3', 'output', false, undefined],
      ]);
    });

    test('C42 a server that knows its requests detects what a chat without a guard sends', async () => {
      const server = await backend(sdk, {
        tools: { rm: { needsApproval: true } },
        steps: [[callsTool('c1', 'rm')], saysText('Removed.')],
      });
      const { Chat } = sdk;
      const chat = new Chat({ transport: server.transport });
      await chat.sendMessage({ text: 'clean up' });
      const { approval } = chat.lastMessage.parts.find((part) => part.toolCallId === 'c1');
      await chat.addToolApprovalResponse({ id: approval.id, approved: false });
      await chat.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: { success: false, denied: true } });
      const messages = JSON.parse(JSON.stringify(chat.messages));
      const requested = [{ approvalId: approval.id, toolCallId: 'c1' }];
      // `ai` 7 removes the approval along with the output, `ai` 6 keeps it.
      const [alone, known] = sdk.major >= 7 ? ['output', 'unanswered'] : ['rejected', 'rejected'];
      assert.deepEqual(types(messages), [alone]);
      assert.deepEqual(types(messages, { requested }), [known]);
    });
  }),
);
