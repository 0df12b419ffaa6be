// Random message lists, as a server may receive them.
import fc from 'fast-check';

import { step, user } from './stored.mjs';

// Random lists with few ids, so that calls and approvals collide, and with every wrong value that a field may
// have.
const value = (...right) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, null, '', 'x', 0, 1, true, false, [], {}) },
  );
const STATES = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
];
const strange = {
  tool: fc.record({
    type: value('tool-a', 'tool-a', 'tool-b', 'dynamic-tool'),
    toolName: value(undefined, 'a', 'b'),
    toolCallId: value('c1', 'c2', 'c3', 'c4'),
    state: value('approval-responded', 'approval-responded', ...STATES),
    approval: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          id: value('p1', 'p2', 'p3', 'p4'),
          approved: value(undefined, true, true, false),
        }),
      },
      { weight: 2, arbitrary: value(undefined) },
    ),
    output: value(undefined, undefined, undefined, { ran: true }),
    errorText: value(undefined, undefined, undefined, 'failed'),
    preliminary: value(undefined, undefined, true),
    callProviderMetadata: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      ...[{}, { n: 1 }, null].map((editedFrom) => ({ 'tool-approval-guard': { editedFrom } })),
      { 'tool-approval-guard': [] },
    ),
    input: fc.constantFrom(
      {},
      {},
      {},
      {},
      { n: 1, m: 2 },
      { m: 2, n: 1 },
      { n: 1 },
      { n: true },
      null,
      undefined,
    ),
  }),
  other: fc.constantFrom(
    step,
    step,
    { type: 'text', text: 'ok' },
    { type: 'data-x', data: 1 },
    { type: 'odd' },
  ),
};
export const strangeList = fc
  .array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({
          id: fc.constant('m'),
          role: value('assistant', 'assistant', 'assistant', 'user'),
          parts: fc.oneof(
            {
              weight: 12,
              arbitrary: fc.array(
                fc.oneof({ weight: 3, arbitrary: strange.tool }, strange.other, value({ type: 'text' })),
                {
                  maxLength: 6,
                },
              ),
            },
            { weight: 1, arbitrary: value(undefined) },
          ),
        }),
      },
      { weight: 1, arbitrary: value(user()) },
    ),
    { maxLength: 4 },
  )
  .map((messages) => JSON.parse(JSON.stringify(messages)));

// Lists as the SDK makes them: each state has its fields, and each approval belongs to one call.
const honestCall = fc.record({
  state: fc.constantFrom(...STATES, 'approval-responded', 'approval-responded'),
  approved: fc.boolean(),
  gated: fc.boolean(),
  dynamic: fc.boolean(),
});
export const honestList = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('user') },
      {
        weight: 4,
        arbitrary: fc.array(
          fc.oneof(
            { weight: 4, arbitrary: honestCall },
            { weight: 2, arbitrary: fc.constant('step') },
            fc.constantFrom('text', 'data', 'source'),
          ),
          { maxLength: 6 },
        ),
      },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((turns) => {
    let calls = 0;
    const approvalOf = (id, { state, approved, gated }) => {
      if (state === 'approval-requested') return { id };
      if (state === 'approval-responded') return { id, approved };
      if (state === 'output-denied') return { id, approved: false };
      return gated && state.startsWith('output-') ? { id, approved: true } : undefined;
    };
    const toPart = (item) => {
      if (item === 'step') return step;
      if (item === 'text') return { type: 'text', text: 'ok' };
      if (item === 'data') return { type: 'data-x', data: 1 };
      if (item === 'source') return { type: 'source-url', sourceId: 's', url: 'https://example.com/' };
      const id = `c${(calls += 1)}`;
      const { state, dynamic } = item;
      return {
        ...(dynamic ? { type: 'dynamic-tool', toolName: 'b' } : { type: 'tool-a' }),
        toolCallId: id,
        state,
        input: {},
        approval: approvalOf(`p-${id}`, item),
        ...(state === 'output-available' && { output: 1 }),
        ...(state === 'output-error' && { errorText: 'failed' }),
      };
    };
    const messages = turns.map((turn, i) =>
      turn === 'user' ? user(`u${i}`) : { id: `a${i}`, role: 'assistant', parts: turn.map(toPart) },
    );
    return JSON.parse(JSON.stringify(messages));
  });

/** A decision in the form of the vectors. */
export function plain({ messageIndex, partIndex, type, current, ...rest }) {
  const fields = [
    'edited',
    'code',
    'overwritten',
    'waitsFor',
    'toolCallId',
    'toolName',
    'approvalId',
    'reason',
  ];
  return Object.fromEntries(
    [
      ['type', type],
      ['message', messageIndex],
      ['part', partIndex],
      ['current', current],
      ...fields.map((field) => [field, field === 'edited' ? rest.edited && true : rest[field]]),
    ].filter(([, value]) => value !== undefined),
  );
}
