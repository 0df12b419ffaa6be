// The laws over random histories: a real `Chat`, random responses, answers, outputs, messages, stops.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { byBreadth } from '../support/breadth.mjs';
import { sdk7 } from './support/sdk.mjs';
import { macrotask, scene } from './support/chat.mjs';
import { broken, reject, ScriptedTransport } from './support/scripted-transport.mjs';
import {
  abort,
  approvalRequest,
  continued,
  error,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';
import { explained } from './support/explained.mjs';

const RUNS = Number(process.env.TAG_RUNS ?? byBreadth({ commit: 20, all: 40 }));
// Every run has the same histories, so that a failure can be told from a change. Another seed gives others.
const SEED = Number(process.env.TAG_SEED ?? 20_261_121);
const PAGE_TOOL = 'ui';
const FAKE = { fake: true };

const kind = fc.constantFrom('gated', 'gated', 'gated', 'page', 'server', 'provider', 'provider-gated');
const reply = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      form: fc.constant('step'),
      calls: fc.array(kind, { maxLength: 3 }),
      settles: fc.boolean(),
      newId: fc.boolean(),
      says: fc.constantFrom('', 'before', 'after'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ form: fc.constantFrom('empty', 'data', 'abort', 'bare', 'copy') }) },
  { weight: 1, arbitrary: fc.record({ form: fc.constantFrom('reject', 'broken') }) },
);
const at = fc.nat({ max: 5 });
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer'), at, approved: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('put'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('overwrite'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('say') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('stop', 'regenerate', 'ask', 'retry', 'continue') }),
  },
);
const history = fc.record({
  replies: fc.array(reply, { minLength: 4, maxLength: 10 }),
  acts: fc.array(fc.tuple(act, fc.boolean()), { minLength: 2, maxLength: 10 }),
});

/** The chunks of a reply, which may settle what the last request carried. */
function chunksOf(r, n, request) {
  if (r.form === 'reject') return reject();
  if (r.form === 'broken') return broken([start(), startStep]);
  if (r.form === 'empty') return [];
  if (r.form === 'data') return [start(), { type: 'data-n', data: n }, finish()];
  if (r.form === 'abort') return [start(), abort];
  if (r.form === 'bare') return [start(), ...text('So.'), finish()];
  if (r.form === 'copy') return [start(`copy${n}`), finish()];
  const last = request.messages.at(-1);
  const settled =
    r.settles && last.role === 'assistant'
      ? last.parts
          .filter((p) => p.state === 'approval-responded')
          .map((p) =>
            p.approval.approved ? outputAvailable(p.toolCallId, 'ran') : outputDenied(p.toolCallId),
          )
      : [];
  const calls = r.calls.flatMap((k, i) => {
    const id = `c${n}-${i}`;
    const provider = k.startsWith('provider') ? { providerExecuted: true } : {};
    return [
      toolCall(id, k === 'page' ? PAGE_TOOL : k, { id }, provider),
      ...(k.endsWith('gated') ? [approvalRequest(id, undefined, { signature: `s-${id}` })] : []),
      ...(k === 'server' ? [outputAvailable(id, 'ran')] : []),
    ];
  });
  return [
    start(last.role === 'assistant' && !r.newId ? undefined : `m${n}`),
    ...settled,
    startStep,
    ...(r.says === 'before' ? text('Hm.') : []),
    ...calls,
    ...(r.says === 'after' ? text('Then.') : []),
    finishStep,
    finish(),
  ];
}

/** Plays a history, and calls `check` after each act. The acts of a person are recorded. */
async function play({ replies, acts }, { guard, check = () => {}, explains = false, watched = true } = {}) {
  let n = 0;
  const log = { answers: new Map(), person: [], yes: [] };
  const script = Array.from(
    { length: 81 },
    (_, i) => (request) => chunksOf(replies[i] ?? { form: 'empty' }, n++, request),
  );
  const inner = new ScriptedTransport(script, { cap: 80 });
  const s = scene(sdk7, {
    inner,
    chat: watched ? {} : { transport: inner },
    guard: { clientTools: [PAGE_TOOL], ...guard },
    when: (own) => (o) => {
      const told = explains ? explained(s.guard, o.messages) : undefined;
      const yes = own(o);
      log.yes.push({ yes, told, messages: structuredClone(o.messages) });
      return yes;
    },
  });
  log.person.push(0);
  await s.say('start');
  for (const [a, waits] of acts) {
    const all = s.chat.messages.flatMap((m) => m.parts).filter((p) => p.toolCallId);
    const open = all.filter((p) => p.state === 'approval-requested');
    const page = all.filter((p) => p.type === `tool-${PAGE_TOOL}` && p.state === 'input-available');
    const over = all.filter((p) => p.approval);
    const pick = (list) => list[a.at % list.length];
    const before = s.count;
    log.act = a.do;
    let done;
    if (a.do === 'answer' && open.length > 0) {
      const part = pick(open);
      if (!log.answers.has(part.approval.id)) log.answers.set(part.approval.id, a.approved);
      done = s.chat.addToolApprovalResponse({
        id: part.approval.id,
        approved: a.approved,
        reason: `r-${part.toolCallId}`,
      });
    } else if (a.do === 'put' && page.length > 0) done = s.put(pick(page).toolCallId, 1, PAGE_TOOL);
    else if (a.do === 'overwrite' && over.length > 0) done = s.put(pick(over).toolCallId, FAKE, 'gated');
    else if (a.do === 'say') done = s.send('next');
    else if (a.do === 'stop') done = s.chat.stop();
    else if (a.do === 'regenerate' && s.chat.messages.length > 1) done = s.chat.regenerate();
    else if (a.do === 'retry') done = s.guard.retry();
    else if (a.do === 'continue' && s.chat.lastMessage?.role === 'assistant') done = s.chat.sendMessage();
    else if (a.do === 'ask') s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
    if (['say', 'regenerate', 'retry', 'continue'].includes(a.do)) log.person.push(before);
    await Promise.resolve(done).catch((e) => {
      if (!(e instanceof Error)) throw e;
    });
    if (waits) await s.settle();
    else await macrotask();
    await check(s, log);
  }
  await s.settle();
  await check(s, log);
  return { s, log };
}

const anError = fc.constantFrom(
  () => new Error('500'),
  () => new TypeError('terminated'),
  () => new TypeError('fetch failed'),
  () => new DOMException('late', 'TimeoutError'),
  () => new DOMException('over', 'AbortError'),
);
const aStatus = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 400, max: 599 }) },
  fc.integer(),
  fc.constantFrom(399, 600, 500.5, NaN, '500', 2 ** 32 + 500, null, undefined),
);
/** How a request fails: before its response, in it, or with an error chunk. */
const failure = fc.record({
  form: fc.constantFrom('reject', 'reject', 'reject', 'broken', 'error'),
  make: anError,
  status: aStatus,
  field: fc.constantFrom('statusCode', 'status'),
  inResponse: fc.boolean(),
});
const failures = fc.record({
  allowed: fc.tuple(fc.constant(true), fc.boolean()),
  fails: fc.array(failure, { minLength: 1, maxLength: 4 }),
  acts: fc.array(fc.constantFrom('ask', 'resume', 'together'), { maxLength: 3 }),
});
const entryOf = ({ form, make, status, field, inResponse }) => {
  const fields = { [field]: status };
  const thrown = Object.assign(make(), inResponse ? { response: fields } : fields);
  if (form === 'reject') return reject(thrown);
  return form === 'broken' ? broken([start()], thrown) : [start(), error('no')];
};
// What a gateway says about its server proves nothing, and beyond 511 there are only statuses that gateways made up.
const isProven = ({ form, status }) =>
  form === 'reject' &&
  Number.isInteger(status) &&
  status >= 400 &&
  status < 512 &&
  ![502, 504].includes(status);

const lastStep = (messages) => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  return last.parts
    .slice(last.parts.findLastIndex((p) => p.type === 'step-start') + 1)
    .filter((p) => p.toolCallId);
};
const isOpen = (p) =>
  ['approval-requested', 'input-streaming'].includes(p.state) ||
  (p.state === 'input-available' && !p.providerExecuted) ||
  (p.state === 'approval-responded' && typeof p.approval?.approved !== 'boolean');
const fingerprint = (messages) =>
  JSON.stringify([
    messages.filter((m) => m.role === 'user').length,
    lastStep(messages).map((p) => [p.toolCallId, p.approval?.id, p.approval?.approved, p.output]),
  ]);

const law = (name, body, histories = history) =>
  test(name, async () => {
    await fc.assert(fc.asyncProperty(histories, body), {
      numRuns: RUNS,
      seed: SEED,
      endOnFailure: false,
      interruptAfterTimeLimit: 6_000,
      markInterruptAsFailure: false,
    });
  });

describe(`the laws over random histories, seed ${SEED}`, () => {
  law('law 1, no early send: no yes while a call of the last step is open', async (h) => {
    const { log } = await play(h);
    for (const { yes, messages } of log.yes) {
      if (yes) assert.deepEqual(lastStep(messages).filter(isOpen), []);
    }
  });

  law('law 2, no second send: a settled step leaves by itself once', async (h) => {
    const { s, log } = await play(h);
    const seen = new Map();
    for (const [i, r] of s.requests.entries()) {
      if (r.messages.at(-1).role !== 'assistant') continue;
      const key = fingerprint(r.messages);
      const byPerson = log.person.some((count) => count === i);
      if (!byPerson) {
        assert.ok(!seen.has(key), `request ${i} repeats request ${seen.get(key)}: ${key}`);
      }
      seen.set(key, i);
    }
  });

  law('law 2, bounded: at most maxAutomaticSends between two acts of a person', async (h) => {
    const { s } = await play(h, { guard: { maxAutomaticSends: 0 } });
    for (const r of s.requests) {
      if (r.messages.at(-1).role === 'assistant') {
        assert.ok(
          h.acts.some(([a]) => ['retry', 'continue'].includes(a.do)),
          'nothing leaves by itself',
        );
      }
    }
  });

  for (const watched of [true, false]) {
    law(
      `law 14, explain() says what the predicate says, ${watched ? 'with' : 'without'} the transport`,
      async (h) => {
        const { s, log } = await play(h, { guard: { maxAutomaticSends: 2 }, explains: true, watched });
        for (const { yes, told } of log.yes) assert.equal(told.send, yes, told.reason);
        for (let i = 0; i < 4; i++) {
          await macrotask();
          const { messages } = s.chat;
          const told = [s.guard.getSnapshot().verdict.send, explained(s.guard, messages).send];
          const yes = s.guard.sendAutomaticallyWhen({ messages });
          assert.deepEqual(told, [yes, yes], explained(s.guard, messages).reason);
        }
      },
    );
  }

  law('law 4, a rejection stays a rejection: on every request after it', async (h) => {
    const { s, log } = await play(h);
    for (const [id, approved] of log.answers) {
      if (approved) continue;
      let denied = false;
      for (const r of s.requests) {
        for (const p of r.messages
          .flatMap((m) => m.parts)
          .filter((x) => x.toolCallId && `ap-${x.toolCallId}` === id)) {
          if (p.approval?.approved === false) denied = true;
          if (!denied) continue;
          assert.ok(['approval-responded', 'output-denied'].includes(p.state), `${id} is ${p.state}`);
          assert.equal(p.approval?.approved, false);
          assert.equal(p.approval.signature, `s-${p.toolCallId}`);
          assert.equal(p.output, undefined);
          assert.equal(p.errorText, undefined);
        }
      }
    }
  });

  law('law 5, no invented yes: an allowance on the wire was given by the person', async (h) => {
    const { s, log } = await play(h);
    for (const p of s.requests.flatMap((r) => r.messages).flatMap((m) => m.parts)) {
      if (p.approval?.approved === true) assert.equal(log.answers.get(p.approval.id), true, p.approval.id);
      if (p.toolCallId && p.output?.fake)
        assert.equal(p.approval?.approved, true, 'a page wrote over a call that asks');
    }
  });

  law('law 6, nothing else is touched: other parts, inputs and messages are as they were', async (h) => {
    await play(h, {
      check: (s) => {
        const wire = s.last.messages;
        for (const p of wire.flatMap((m) => m.parts).filter((x) => x.toolCallId))
          assert.deepEqual(p.input, { id: p.toolCallId });
        for (const m of wire.filter((x) => x.role === 'user')) {
          assert.deepEqual(m, JSON.parse(JSON.stringify(s.chat.messages.find((x) => x.id === m.id) ?? m)));
        }
      },
    });
  });

  law('law 6, no message and no call is lost at home', async (h) => {
    let known = [];
    await play(h, {
      check: (s, log) => {
        // When the SDK continues an assistant message, it gives it the id of the response.
        const now = s.chat.messages
          .flatMap((m) => [m.role === 'user' && m.id, ...m.parts.map((p) => p.toolCallId)])
          .filter(Boolean);
        if (log.act !== 'regenerate')
          assert.deepEqual(
            known.filter((id) => !now.includes(id)),
            [],
          );
        known = now;
      },
    });
  });

  law('law 9, one chat, one guard: two chats with the same ids do not meet', async (h) => {
    const own = await play(h);
    const alone = own.s.requests.map((r) => fingerprint(r.messages));
    const [one, two] = await Promise.all([
      play(h),
      play({
        replies: h.replies,
        acts: h.acts.map(([a, w]) => [a.do === 'answer' ? { ...a, approved: !a.approved } : a, w]),
      }),
    ]);
    assert.notEqual(one.s.guard, two.s.guard);
    assert.deepEqual(
      one.s.requests.map((r) => fingerprint(r.messages)),
      alone,
    );
  });

  const doubts = async ({ allowed, fails, acts }) => {
    const ids = ['c1', 'c2'];
    const ask = response('a1', ...ids.map((id) => gated(id, 'rm')));
    const served = (request) =>
      continued(
        lastStep(request.messages).map((p) =>
          (p.approval.approved ? outputAvailable : outputDenied)(p.toolCallId),
        ),
      );
    const s = scene(sdk7, { script: [ask, ...fails.map(entryOf), served], cap: 20 });
    await s.say();
    for (const [i, id] of ids.entries()) await (allowed[i] ? s.approve(id) : s.deny(id));
    let inDoubt = false;
    for (const [i, failed] of fails.entries()) {
      inDoubt ||= !isProven(failed);
      const told = `after ${i + 1} of ${JSON.stringify(fails)}`;
      const expect = () => {
        assert.equal(s.count, i + 2, `nothing repeats by itself, ${told}`);
        for (const [n, id] of ids.entries()) {
          const isOpen = allowed[n] && inDoubt;
          assert.equal(s.call(id).status, isOpen ? 'in-doubt' : 'answered', `${id}, ${told}`);
        }
      };
      expect();
      for (const act of acts) {
        if (act === 'ask') assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }), false);
        else assert.deepEqual(await s.guard.resume(), { type: 'nothing-to-send' });
        await macrotask();
        expect();
      }
      const presses = acts.includes('together') ? [s.guard.retry(), s.guard.retry()] : [s.guard.retry()];
      for (const result of await Promise.all(presses)) assert.deepEqual(result, { type: 'sent' });
      await s.settle();
    }
    assert.equal(s.count, fails.length + 2);
    for (const id of ids) assert.equal(s.call(id).status, 'settled');
    const ends = s.guard.ledger().filter(({ type }) => type === 'ended' || type === 'failed');
    assert.deepEqual(
      ends.map(({ request }) => request),
      s.requests.map((_, n) => n + 1),
      'each request ends once',
    );
  };
  law(
    'law 13, doubt stays doubt: only a status proves a refusal, and nothing in doubt repeats by itself',
    doubts,
    failures,
  );

  law('law 11, fails closed: whatever is in the list, no throw and no yes for what is broken', async (h) => {
    const { s } = await play(h);
    const poison = [
      null,
      7,
      {
        get type() {
          throw new Error('x');
        },
      },
      Object.freeze({ type: 'tool-x', toolCallId: {}, state: 'approval-responded' }),
    ];
    for (const bad of poison) {
      const messages = [
        ...s.chat.messages,
        { id: 'bad', role: 'assistant', parts: [{ type: 'step-start' }, bad] },
      ];
      assert.equal(s.guard.sendAutomaticallyWhen({ messages }), false);
    }
    assert.equal(explained(s.guard, s.chat.messages).send, false, 'what was settled has left');
  });
});
