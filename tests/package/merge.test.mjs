// A server takes the answers of a client into the messages that it has stored: with the vectors, in Python, with random
// lists, and with both majors of the SDK.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';
import { mergeAnswers } from 'tool-approval-guard/server';

import { byBreadth } from '../support/breadth.mjs';
import { backend, saysText } from './support/backend.mjs';
import { honestList, strangeList } from './support/lists.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, step, user } from './support/stored.mjs';

const installed = path.dirname(fileURLToPath(import.meta.resolve('tool-approval-guard/package.json')));
const folder = process.env.TAG_VECTORS ?? fileURLToPath(new URL('../vectors', import.meta.url));
const vectors = JSON.parse(readFileSync(`${folder}/merge.json`, 'utf8'));

const RUNS = Number(process.env.TAG_RUNS ?? 1_000);
const SEED = Number(process.env.TAG_SEED ?? 20_261_127);

/** A result in the form of the vectors. */
const plain = ({ messages, refused }) => ({
  messages,
  refused: refused.map(({ code, messageIndex, partIndex }) =>
    Object.fromEntries(
      Object.entries({ code, message: messageIndex, part: partIndex }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  ),
});
const merge = ({ stored, sent, clientTools, editable }) =>
  mergeAnswers(stored, sent, { ...(clientTools && { clientTools }), ...(editable && { editable }) });
const codes = ({ refused }) => refused.map(({ code }) => code);

describe('merge.json', () => {
  for (const vector of vectors) {
    test(`${vector.id} ${vector.title}`, () => {
      const { stored, sent } = vector;
      const before = structuredClone([stored, sent]);
      const merged = merge(vector);
      assert.deepEqual(plain(merged), vector.expect);
      assert.deepEqual([stored, sent], before, 'the lists are only read');
      assert.deepEqual(
        merged.changed,
        merged.messages.filter((message, i) => message !== stored[i]),
        'what a store has to write',
      );
      for (const [i, message] of merged.messages.entries()) {
        if (JSON.stringify(message) === JSON.stringify(stored[i])) {
          assert.equal(message, stored[i], `message ${i} is the same object`);
        }
      }
      assert.equal(merged.messages === stored, merged.changed.length === 0, 'nothing new is the same array');
      assert.deepEqual(
        codes(merge({ ...vector, stored: merged.messages })).filter((code) => !STAYS.has(code)),
        [],
        'sent once more, it is the same, and nothing that was taken is refused',
      );
    });
  }
});

/** What is refused is refused each time. */
const STAYS = new Set(vectors.flatMap(({ expect }) => expect.refused.map(({ code }) => code)));

describe('in Python', () => {
  const main = `
import json, sys
from merge import merge_answers
answers = []
for v in json.load(sys.stdin):
    before = json.dumps(v)
    answers.append(merge_answers(v["stored"], v["sent"], v.get("clientTools", ()), v.get("editable", ())))
    assert json.dumps(v) == before
json.dump(answers, sys.stdout)
`;
  function run(cases) {
    const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', main], {
      cwd: path.join(installed, 'examples', 'python'),
      input: JSON.stringify(cases),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  }

  test('the program does what the vectors say', () => {
    const answers = run(vectors);
    for (const [i, { id, title, expect, stored }] of vectors.entries()) {
      const { messages, refused, changed } = answers[i];
      assert.deepEqual({ messages, refused }, expect, `${id} ${title}`);
      assert.deepEqual(
        changed,
        messages.filter(
          (message, at) => at >= stored.length || JSON.stringify(message) !== JSON.stringify(stored[at]),
        ),
      );
    }
  });

  test('for random lists it agrees with the package', () => {
    const cases = fc.sample(pair, { numRuns: byBreadth({ commit: 1_500, all: 5_000 }), seed: SEED });
    const answers = run(cases);
    for (const [i, one] of cases.entries()) {
      const { messages, refused } = answers[i];
      assert.deepEqual({ messages, refused }, plain(merge(one)), JSON.stringify(one));
    }
  });
});

// ---- random lists ------------------------------------------------------------------------------

/** Lists whose messages have few ids, so that they collide. */
const list = fc
  .tuple(strangeList, fc.array(fc.constantFrom('m1', 'm2', 'm3', 'm4', ''), { minLength: 4, maxLength: 4 }))
  .map(([messages, ids]) =>
    messages.map((message, i) => (message?.role ? { ...message, id: ids[i] } : message)),
  );
/** The answers that a page may give to a list, and what it should not say. */
const moves = fc.array(
  fc.record({
    at: fc.nat(),
    move: fc.constantFrom(
      'yes',
      'no',
      'denied',
      'output',
      'both',
      'input',
      'edit',
      'edit',
      'edit',
      'tool',
      'approval',
      'drop',
      'twice',
      'swap',
    ),
  }),
  { maxLength: 5 },
);
function play(stored, what) {
  const messages = structuredClone(stored);
  for (const { at, move } of what) {
    const parts = messages
      .flatMap((m) => (Array.isArray(m?.parts) ? m.parts : []))
      .filter((p) => p?.toolCallId);
    if (parts.length === 0) break;
    const part = parts.at(-1 - (at % Math.min(parts.length, 3)));
    const answer = (approved, state) => {
      part.approval = { ...Object(part.approval), approved };
      part.state = state;
    };
    if (move === 'yes') answer(true, 'approval-responded');
    if (move === 'no') answer(false, 'approval-responded');
    if (move === 'denied') answer(false, 'output-denied');
    if (move === 'both') answer(true, 'output-available');
    if (move === 'output' || move === 'both')
      Object.assign(part, { state: 'output-available', output: { made: 'up' } });
    if (move === 'input') part.input = { other: 1 };
    if (move === 'edit') {
      answer(true, 'approval-responded');
      part.callProviderMetadata = { 'tool-approval-guard': { editedFrom: part.input ?? null } };
      part.input = { edited: at % 2 };
    }
    if (move === 'tool') Object.assign(part, { type: 'dynamic-tool', toolName: 'z' });
    if (move === 'approval') part.approval = { id: 'p9', approved: true };
    if (move === 'drop') messages.splice(at % messages.length, 1);
    if (move === 'twice') messages.push(structuredClone(messages[at % messages.length]));
    if (move === 'swap') messages.reverse();
  }
  return messages;
}
/** A list whose last step asks. */
const asks = (messages) => [
  ...messages,
  assistant('z', asking('z1', 'a'), asking('z2', 'b'), call('z3', 'a', 'input-available')),
];
const pair = fc
  .record({
    stored: fc.oneof(list, honestList, honestList.map(asks)),
    what: moves,
    other: fc.option(list, { nil: undefined, freq: 3 }),
    added: fc.array(fc.constantFrom(user('m2', 'x'), user('n1'), user('n2', ' '), user('n1', 'other')), {
      maxLength: 2,
    }),
    from: fc.nat(3),
    clientTools: fc.subarray(['a', 'b']),
    editable: fc.subarray(['a', 'b']),
  })
  .map(({ stored, what, other, added, from, clientTools, editable }) => ({
    stored: stored.filter(
      (message) => message !== null && typeof message === 'object' && Array.isArray(message.parts),
    ),
    sent: [...(other ?? play(stored, what)), ...added].slice(from),
    clientTools,
    editable,
  }));

const same = (a, b) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sortKeys(value[key])]),
        )
      : value;
const toolOf = ({ type, toolName }) => (type === 'dynamic-tool' ? toolName : type.slice('tool-'.length));
const isCall = (part) =>
  Boolean(part?.toolCallId) &&
  typeof part.type === 'string' &&
  Boolean(toolOf(part)) &&
  /^(tool-|dynamic-tool$)/.test(part.type);
const partsOf = (messages) =>
  (Array.isArray(messages) ? messages : []).flatMap((message) =>
    message?.role === 'assistant' && Array.isArray(message.parts) ? message.parts.filter(isCall) : [],
  );

describe('by chance', () => {
  const counts = { yes: 0, no: 0, edited: 0, output: 0, added: 0, refused: 0 };
  const isEditOf = (part, was) => {
    const from = part.callProviderMetadata?.['tool-approval-guard']?.editedFrom;
    return from !== undefined && from !== null && same(from, was.input ?? null);
  };

  test('nothing gets in that the stored list does not ask for', () => {
    fc.assert(
      fc.property(pair, ({ stored, sent, clientTools, editable }) => {
        const { messages, changed, refused } = mergeAnswers(stored, sent, { clientTools, editable });
        counts.refused += refused.length;
        const said = partsOf(sent);
        for (const [i, message] of messages.entries()) {
          if (i >= stored.length) {
            assert.equal(message.role, 'user');
            assert.ok(sent.includes(message), 'it is what was sent');
            assert.ok(!stored.some(({ id }) => id === message.id), 'it is new');
            counts.added += 1;
            continue;
          }
          const old = stored[i];
          if (message === old) continue;
          assert.ok(changed.includes(message));
          assert.deepEqual({ ...message, parts: null }, { ...old, parts: null });
          for (const [j, part] of message.parts.entries()) {
            const was = old.parts[j];
            if (part === was) continue;
            const alike = said.filter(
              (other) =>
                other.toolCallId === was.toolCallId &&
                toolOf(other) === toolOf(was) &&
                (same(other.input ?? null, was.input ?? null) || isEditOf(other, was)),
            );
            const edit = same(part.input, was.input) ? undefined : part;
            if (edit !== undefined) {
              assert.ok(editable.includes(toolOf(was)), 'its tool may be changed');
              assert.equal(was.state, 'approval-requested', 'it asked');
              assert.equal(part.approval.approved, true, 'and is allowed');
              assert.ok(alike.some((other) => isEditOf(other, was) && same(other.input, part.input)));
              assert.ok(isEditOf(part, was), 'what the model asked for stands beside it');
              counts.edited += 1;
            }
            const own = alike.filter((other) => other.approval?.id === was.approval?.id);
            const denied = own.some(
              (other) => other.approval?.approved === false || other.state === 'output-denied',
            );
            if (part.approval?.approved === true && was.approval?.approved !== true) {
              assert.equal(was.state, 'approval-requested', 'it asked');
              assert.ok(
                own.some((other) => other.approval.approved === true),
                'a yes to this question was sent',
              );
              assert.ok(!denied, 'and no denial of it');
              counts.yes += 1;
            }
            if (part.state === 'approval-responded' || part.state === 'output-denied') {
              if (part.approval.approved === false) assert.ok(denied, 'a denial of it was sent');
              if (part.approval.approved === false) counts.no += 1;
              for (const field of ['output', 'errorText']) assert.ok(!(field in part), 'no result');
            }
            if (part.state === 'output-available' || part.state === 'output-error') {
              assert.ok(clientTools.includes(toolOf(was)), 'its tool runs in the page');
              assert.notEqual(was.state, part.state);
              assert.ok(
                alike.some((other) => same(other.output, part.output)),
                'this output was sent',
              );
              assert.ok(
                was.approval == null || part.approval.approved === true,
                'and nobody has to allow it',
              );
              counts.output += 1;
            }
            const rest = ({
              state: _s,
              approval: _a,
              output: _o,
              errorText: _e,
              preliminary: _p,
              ...others
            }) => others;
            const { input: _i, callProviderMetadata: _c, ...unedited } = rest(part);
            const { input, callProviderMetadata } = was;
            const put = Object.fromEntries(
              Object.entries({ input, callProviderMetadata }).filter(([field]) => field in was),
            );
            const others = edit === undefined ? rest(part) : { ...unedited, ...put };
            assert.deepEqual(others, rest(was), 'nothing else has changed');
            const fields = ({ approved: _y, reason: _r, ...others }) => others;
            assert.deepEqual(fields(Object(part.approval)), fields(Object(was.approval)));
          }
        }
      }),
      { numRuns: RUNS * 5, seed: SEED },
    );
    for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
  });

  test('each answer is in the result, was there before, or is named', () => {
    fc.assert(
      fc.property(pair, ({ stored, sent, clientTools, editable }) => {
        const { messages, refused } = mergeAnswers(stored, sent, { clientTools, editable });
        const named = new Set(refused.map(({ messageIndex, partIndex }) => `${messageIndex} ${partIndex}`));
        for (const [i, message] of sent.entries()) {
          if (message?.role !== 'assistant' || !Array.isArray(message.parts)) continue;
          for (const [j, part] of message.parts.entries()) {
            const answer = part?.approval?.approved;
            if (typeof answer !== 'boolean' || !isCall(part) || named.has(`${i} ${j}`)) continue;
            const stands = partsOf(messages).some(
              (other) =>
                other.toolCallId === part.toolCallId &&
                other.approval?.id === part.approval.id &&
                // A denial that its server has settled needs no approval.
                (other.approval.approved === answer || (!answer && other.state === 'output-denied')),
            );
            assert.ok(stands, JSON.stringify({ stored, part }));
          }
        }
        for (const message of sent) {
          if (message?.role !== 'user') continue;
          const at = sent.indexOf(message);
          const isNamed = refused.some(({ messageIndex }) => messageIndex === at);
          assert.ok(
            isNamed || messages.some((other) => same(other.parts, message.parts)),
            'no message is lost',
          );
        }
      }),
      { numRuns: RUNS * 5, seed: SEED + 1 },
    );
  });

  test('sent again, it changes nothing', () => {
    fc.assert(
      fc.property(pair, ({ stored, sent, clientTools, editable }) => {
        const once = mergeAnswers(stored, sent, { clientTools, editable });
        const again = mergeAnswers(once.messages, sent, { clientTools, editable });
        // A denial may be settled by a message that came in the same list.
        const settled = again.messages.map((message) => JSON.stringify(message));
        assert.deepEqual(
          settled,
          once.messages.map((message) => JSON.stringify(message)),
        );
      }),
      { numRuns: RUNS, seed: SEED + 2 },
    );
  });
});

describe('hostile shapes', () => {
  const stored = [user(), assistant('a1', asking('c1', 'rm'))];

  test('it never throws, whatever was sent', () => {
    const loop = [];
    loop.push(loop);
    const getter = {
      role: 'assistant',
      id: 'a1',
      get parts() {
        throw new Error('no');
      },
    };
    const throwing = {
      ...answered('c1', 'rm', true),
      get input() {
        throw new Error('no');
      },
    };
    let deep = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    for (const sent of [
      undefined,
      null,
      0,
      'x',
      true,
      () => {},
      Symbol('x'),
      10n,
      new Map(),
      loop,
      [getter],
      [[]],
      [() => {}],
      new Array(3),
      [assistant('a1', throwing)],
      [assistant('a1', { ...answered('c1', 'rm', true), input: deep })],
      [
        {
          role: 'user',
          id: 'u2',
          parts: [
            { type: 'text', text: 10n },
            { type: 'data-x', data: deep },
          ],
        },
      ].slice(1),
    ]) {
      const { messages, changed, refused } = mergeAnswers(stored, sent);
      assert.equal(messages, stored);
      assert.deepEqual(changed, []);
      assert.ok(refused.length > 0 || sent?.length === 0, String(sent?.length));
    }
  });

  test('inherited fields never count, not even from a polluted prototype', () => {
    const bare = call('c1', 'rm', 'approval-responded', { approval: { id: 'ap-c1' } });
    Object.prototype.approved = true;
    try {
      assert.equal(mergeAnswers(stored, [assistant('a1', bare)]).messages, stored);
    } finally {
      delete Object.prototype.approved;
    }
  });

  test('a field named __proto__ stays a field', () => {
    const asks = { ...asking('c1', 'rm'), input: JSON.parse('{"__proto__": {"n": 1}}') };
    const other = { ...answered('c1', 'rm', true), input: {} };
    assert.deepEqual(codes(mergeAnswers([assistant('a1', asks)], [assistant('a1', other)])), [
      'changed-input',
    ]);
    const { messages } = mergeAnswers(
      [assistant('a1', asks)],
      [assistant('a1', { ...other, input: asks.input })],
    );
    assert.equal(JSON.stringify(messages[0].parts[1].input), '{"__proto__":{"n":1}}');
    assert.equal(messages[0].parts[1].input, asks.input, 'the stored input is the same object');
  });

  test('a long input is compared, too', () => {
    const input = { content: 'x'.repeat(400_000) };
    const list = (part) => [user(), assistant('a1', { ...part, input: { ...input } })];
    assert.deepEqual(mergeAnswers(list(asking('c1', 'w')), list(answered('c1', 'w', true))).refused, []);
    const changed = [
      assistant('a1', { ...answered('c1', 'w', true), input: { content: `${input.content}y` } }),
    ];
    assert.deepEqual(codes(mergeAnswers(list(asking('c1', 'w')), changed)), ['changed-input']);
  });

  test('invalid arguments are refused with a stable code', () => {
    for (const [args, code] of [
      [[null, []], 'invalid-input'],
      [[{}, []], 'invalid-input'],
      [[[], [], null], 'invalid-option'],
      [[[], [], { clientTools: 'pick' }], 'invalid-option'],
      [[[], [], { clientTools: [1] }], 'invalid-option'],
      [[[], [], { requested: [] }], 'invalid-option'],
    ]) {
      assert.throws(() => mergeAnswers(...args), { name: 'GuardError', code }, JSON.stringify(args));
    }
  });

  test('a refusal says what was sent, and where', () => {
    const part = answered('c1', 'rm', true, { id: 'p9' });
    const [refusal] = mergeAnswers(stored, [assistant('a1', part)]).refused;
    assert.deepEqual(refusal, {
      code: 'unknown-approval',
      messageIndex: 0,
      partIndex: 1,
      value: part,
      toolCallId: 'c1',
      toolName: 'rm',
      approvalId: 'p9',
    });
    assert.equal(refusal.value, part);
  });
});

// ---- with the SDK --------------------------------------------------------------------------------

forEachSdk((sdk) =>
  describe(`with a server of ${sdk.name}`, () => {
    /** What `streamText` does with a list: the calls that it runs, and the model's prompt or the error. */
    async function carryOut(messages) {
      const server = await backend(sdk, {
        tools: { rm: { needsApproval: true }, mv: { needsApproval: true }, pick: { server: false } },
        steps: [saysText('ok')],
      });
      try {
        const stream = await server.transport.sendMessages({ messages });
        for await (const chunk of stream) if (chunk.type === 'error') throw new Error(chunk.errorText);
        return { executed: server.executed, prompt: server.prompts[0] };
      } catch (error) {
        return { error: error.name };
      }
    }

    const turn = fc.record({
      calls: fc.array(fc.constantFrom('yes', 'no', 'denied', 'pick', 'ran'), { minLength: 1, maxLength: 3 }),
      text: fc.boolean(),
    });

    test('the whole list and each end of it give the list that was sent, and the SDK takes it', async () => {
      let ran = 0;
      let ends = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { maxLength: 2 }), turn, fc.boolean(), async (turns, last, moved) => {
          let id = 0;
          const history = turns.flatMap(({ calls, text }, i) => [
            user(`u${i}`),
            assistant(
              `a${i}`,
              ...calls.map((kind) => end(`c${id++}`, kind, true)),
              step,
              ...(text ? [{ type: 'text', text: 'ok' }] : [{ type: 'text', text: '.' }]),
            ),
          ]);
          const from = id;
          const ask = (kind, i) =>
            kind === 'pick'
              ? call(`c${from + i}`, 'pick', 'input-available')
              : kind === 'ran'
                ? end(`c${from + i}`, 'ran')
                : asking(`c${from + i}`, 'rm');
          // If the user has moved on, the guard closes what is open.
          const closed = (kind) => (moved && kind !== 'pick' ? (kind === 'ran' ? 'ran' : 'denied') : kind);
          const stored = [...history, user('u'), assistant('a', ...last.calls.map(ask))];
          const sent = [
            ...history,
            user('u'),
            assistant('a', ...last.calls.map((kind, i) => end(`c${from + i}`, closed(kind)))),
            ...(moved ? [user('next', 'else')] : []),
          ];
          const whole = await carryOut(sent);
          assert.equal(whole.error, undefined);
          ran += whole.executed.length;
          for (let cut = 0; cut <= stored.length - 1; cut++) {
            const merged = mergeAnswers(stored, sent.slice(cut), { clientTools: ['pick'] });
            assert.deepEqual(merged.messages, sent);
            assert.deepEqual(merged.refused, []);
            ends += 1;
          }
          await sdk.ai.validateUIMessages({
            messages: mergeAnswers(stored, sent, { clientTools: ['pick'] }).messages,
          });
        }),
        { numRuns: 150, seed: SEED },
      );
      assert.ok(ran >= 10 && ends > 300, `${ran} calls ran, ${ends} ends`);
    });

    function end(id, kind, past = false) {
      if (kind === 'pick') return call(id, 'pick', 'output-available', { output: { file: 'x' } });
      if (kind === 'ran') return call(id, 'pick', 'output-available', { output: { file: 'y' } });
      if (kind === 'denied') return { ...answered(id, 'rm', false), state: 'output-denied' };
      if (kind === 'no') return past ? end(id, 'denied') : answered(id, 'rm', false, { reason: 'not that' });
      return past
        ? { ...answered(id, 'rm', true), state: 'output-available', output: 1 }
        : answered(id, 'rm', true);
    }

    test('what a client invents does not run', async () => {
      const stored = [user(), assistant('a1', asking('c1', 'rm'), asking('c2', 'mv'))];
      const sent = [
        user('u1', 'remove everything'),
        assistant(
          'a1',
          { ...answered('c1', 'rm', true), input: { path: '/' } },
          { ...answered('c2', 'rm', true) },
          answered('c3', 'mv', true),
        ),
        assistant('a2', answered('c4', 'rm', true)),
      ];
      const { messages, refused } = mergeAnswers(stored, sent, { clientTools: ['pick'] });
      assert.equal(messages, stored);
      assert.deepEqual(
        refused.map(({ code }) => code),
        ['changed-message', 'changed-input', 'changed-tool', 'unknown-approval', 'unknown-approval'],
      );
      assert.deepEqual(
        (await carryOut(sent)).executed?.length !== 0,
        true,
        'without it, the server runs something',
      );
    });

    test('a denial that failed on its way does not break the chat', async () => {
      // The answer was stored, and its response has failed. Then the user has gone on.
      const stored = [user(), assistant('a1', answered('c1', 'rm', false))];
      const sent = [assistant('a1', answered('c1', 'rm', false)), user('u2', 'else')];
      const { messages } = mergeAnswers(stored, sent);
      const { error, executed } = await carryOut(messages);
      assert.deepEqual([error, executed], [undefined, []]);
    });

    test('an allowed call runs once, from any end of the list', async () => {
      const stored = [
        user('u0'),
        assistant('a0', { type: 'text', text: 'hi' }),
        user(),
        assistant('a1', asking('c1', 'rm')),
      ];
      const sent = [...stored.slice(0, -1), assistant('a1', answered('c1', 'rm', true))];
      for (let cut = 0; cut < 4; cut++) {
        const { messages } = mergeAnswers(stored, sent.slice(cut));
        assert.deepEqual((await carryOut(messages)).executed, ['c1']);
      }
    });
  }),
);
