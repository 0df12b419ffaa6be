// How often a question crosses into the module. Every call of an export counts, except calls by the module
// itself, such as the end of a timer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

let crossings = 0;
let isInside = false;
const crossing =
  (run) =>
  (...args) => {
    if (isInside) return run(...args);
    crossings += 1;
    isInside = true;
    try {
      return run(...args);
    } finally {
      isInside = false;
    }
  };
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...given) {
  const { exports } = new Instance(...given);
  const counted = ([name, value]) => [name, typeof value === 'function' ? crossing(value) : value];
  return { exports: Object.fromEntries(Object.entries(exports).map(counted)) };
};

/** How often WebAssembly was asked for the buffer of its memory, which takes as long as the rest of a question. */
let buffers = 0;
const { get: buffer } = Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, 'buffer');
Object.defineProperty(WebAssembly.Memory.prototype, 'buffer', {
  get() {
    buffers += 1;
    return buffer.call(this);
  },
});

const { createApprovalGuard } = await import('tool-approval-guard/sync');

const asking = (n) => ({
  type: 'tool-write',
  toolCallId: `call-${n}`,
  state: 'approval-requested',
  input: { n },
  approval: { id: `approval-${n}` },
});
const answered = (n, approved) => ({
  ...asking(n),
  state: 'approval-responded',
  approval: { id: `approval-${n}`, approved },
});
const list = (...parts) => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] },
  { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] },
];

/** How often a question crosses. */
const count = (guard, messages) => {
  const before = crossings;
  guard.sendAutomaticallyWhen({ messages });
  return crossings - before;
};

/** For each state: its messages, and what was done before. */
const states = {
  'a call waits': { messages: list(asking(1)) },
  'a call waits, and one is decided': { messages: list(asking(1), asking(2)), decide: 'approval-1' },
  'a tool of the page runs': {
    messages: list({ ...asking(1), state: 'input-available', approval: undefined }),
    options: { clientTools: ['write'] },
  },
  'history is settled': { messages: list(answered(1, true)), history: true },
  'there is no call': { messages: list({ type: 'text', text: 'Done' }) },
};

for (const [name, { messages, options, decide, history }] of Object.entries(states)) {
  test(`an unchanged step crosses nothing: ${name}`, () => {
    const guard = createApprovalGuard({ ...options, onError: assert.fail });
    if (history) guard.attach({ messages, sendMessage: async () => {} });
    else count(guard, messages);
    if (decide) guard.decide(decide, 'allow-once');
    guard.getSnapshot();
    count(guard, messages);
    const before = buffers;
    assert.equal(count(guard, messages), 0);
    assert.equal(count(guard, [...messages]), 0, 'a copy of the list');
    assert.equal(count(guard, structuredClone(messages)), 0, 'copies of all messages');
    assert.equal(buffers, before, 'the view of the memory is still good');
    guard.dispose();
  });
}

test('every crossing is counted', () => {
  const guard = createApprovalGuard({ onError: assert.fail });
  assert.ok(count(guard, list(asking(1))) > 0);
  guard.dispose();
});

test('a question about a changed step crosses once', () => {
  const guard = createApprovalGuard({ onError: assert.fail });
  count(guard, list());
  assert.equal(count(guard, list(asking(1))), 1, 'a first call');
  assert.equal(count(guard, list(asking(1), asking(2))), 1, 'a new call');
  assert.equal(count(guard, list(answered(1, true), asking(2))), 1, 'an answer');
  assert.equal(count(guard, list(answered(1, true), answered(2, false))), 1, 'the last answer');
  guard.dispose();
});

test('so does a question that depends on drafts, deadlines and rules', () => {
  const rules = {
    judge: () => ({
      effect: 'ask',
      always: false,
      because: 'rule',
      why: '',
      dangerous: false,
      shadow: false,
    }),
  };
  const guard = createApprovalGuard({ expiresMs: 60_000, rules, onError: assert.fail });
  count(guard, list(asking(1)));
  guard.decide('approval-1', 'allow-once');
  assert.equal(count(guard, list(asking(1), asking(2))), 1, 'a new call');
  guard.decide('approval-2', 'deny');
  assert.equal(count(guard, list(asking(1), asking(2), asking(3))), 1, 'another one');
  guard.dispose();
});

test('a decision crosses once, and so do several together', () => {
  const guard = createApprovalGuard({ onError: assert.fail });
  const calls = Array.from({ length: 20 }, (_, n) => asking(n));
  const messages = list(...calls);
  guard.attach({ messages, setMessages() {}, sendMessage: async () => {}, addToolApprovalResponse() {} });
  const { calls: views } = guard.getSnapshot();
  let before = crossings;
  assert.equal(guard.decide(views[0], 'deny').type, 'drafted');
  assert.equal(crossings - before, 1, 'one decision');
  before = crossings;
  const rest = views.slice(1, -1);
  assert.ok(guard.decideAll(rest, 'deny').every(({ type }) => type === 'drafted'));
  assert.equal(crossings - before, 1, 'all the others');
  before = crossings;
  assert.equal(guard.undo(rest).type, 'undone');
  assert.equal(crossings - before, 1, 'an undo of several');
  guard.dispose();
});

test('C41 a snapshot of equal calls crosses as often as one of a single call', () => {
  const snapshots = (...calls) => {
    const guard = createApprovalGuard({ onError: assert.fail });
    count(guard, list(...calls));
    const before = crossings;
    const { calls: views } = guard.getSnapshot();
    guard.getSnapshot();
    const crossed = crossings - before;
    guard.dispose();
    return [crossed, new Set(views.map(({ group }) => group)).size];
  };
  const equal = Array.from({ length: 1_000 }, (_, n) => ({ ...asking(n), input: { same: true } }));
  const others = Array.from({ length: 1_000 }, (_, n) => asking(n));
  const [crossed] = snapshots(asking(1));
  assert.deepEqual(snapshots(...equal), [crossed, 1]);
  assert.deepEqual(snapshots(...others), [crossed, 1_000]);
});
