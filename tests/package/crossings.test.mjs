// How often a question crosses into the module. Every call of an export counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';

let crossings = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...given) {
  const { exports } = new Instance(...given);
  const counted = ([name, value]) => [
    name,
    typeof value === 'function' ? (...args) => ((crossings += 1), value(...args)) : value,
  ];
  return { exports: Object.fromEntries(Object.entries(exports).map(counted)) };
};

const { createApprovalGuard } = await import('tool-approval-guard');

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

/** What is known of each state: its messages, and what was done before. */
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
    assert.equal(count(guard, messages), 0);
    assert.equal(count(guard, [...messages]), 0, 'a copy of the list');
    assert.equal(count(guard, structuredClone(messages)), 0, 'copies of all messages');
    guard.dispose();
  });
}

test('what counts is counted', () => {
  const guard = createApprovalGuard({ onError: assert.fail });
  assert.ok(count(guard, list(asking(1))) > 0);
  guard.dispose();
});

/** The most that a question about a changed step may cross today; the design asks for one. */
const MOST = 6;

test('a changed step crosses a fixed number of times', () => {
  const guard = createApprovalGuard({ onError: assert.fail });
  count(guard, list(asking(1)));
  const more = count(guard, list(asking(1), asking(2)));
  const settled = count(guard, list(answered(1, true), asking(2)));
  assert.ok(more <= MOST, `${more} for a new call`);
  assert.ok(settled <= MOST, `${settled} for an answer`);
  guard.dispose();
});
