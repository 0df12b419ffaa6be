// The first rendering of a list of many calls that ask: by the queue, and by React as plain cards. Each in a page of its
// own, until the browser has its layout.

const CALLS = 1_000;
const TOOLS = 7;
const WHY = 'The server asks before it runs this tool.';

const INPUTS = Array.from({ length: CALLS }, (_, i) => ({
  path: `notes/${i}.md`,
  content: 'A line of text.',
  options: { force: false, depth: 2 },
}));
const tool = (i) => `write_${i % TOOLS}`;

const MESSAGES = [
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Please tidy up.' }] },
  {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      ...INPUTS.map((input, i) => ({
        type: `tool-${tool(i)}`,
        toolCallId: `c${i}`,
        state: 'approval-requested',
        input,
        approval: { id: `ap-${i}` },
      })),
    ],
  },
];

/** A script that leaves in `figures` the milliseconds until the elements are there, and until their layout. */
const measured = (before, render, there) => `
  ${before}
  const begin = performance.now();
  ${render}
  const rendered = performance.now();
  document.body.getBoundingClientRect();
  const laidOut = performance.now();
  if (${there} !== ${CALLS}) throw new Error('a card is missing');
  globalThis.figures = { script: rendered - begin, layout: laidOut - rendered, all: laidOut - begin };`;

/** The queue, over a guard that knows the calls. */
export const queueScript = (from, element) =>
  measured(
    `const { createApprovalGuard } = await import(${JSON.stringify(from)});
     const { defineToolApprovalQueue } = await import(${JSON.stringify(element)});
     defineToolApprovalQueue();
     const guard = createApprovalGuard({ onError: (error) => { throw error; } });
     await guard.ready;
     guard.observe(${JSON.stringify(MESSAGES)});
     guard.getSnapshot();
     const queue = document.createElement('tool-approval-queue');
     queue.guard = guard;`,
    'document.body.append(queue);',
    `queue.shadowRoot.querySelectorAll('[data-call]').length`,
  );

/** The same list by React: a title, the input as text, the reason, and three buttons. Its module exports what this needs. */
export const listScript = (from) =>
  measured(
    `const { createElement, createRoot, flushSync } = await import(${JSON.stringify(from)});
     const calls = ${JSON.stringify(INPUTS.map((input, i) => ({ id: `c${i}`, title: `Allow ${tool(i)}?`, input })))};
     const choice = (label) => createElement('button', { onClick: () => {} }, label);
     const Card = ({ title, input }) =>
       createElement('fieldset', null,
         createElement('legend', null, title),
         createElement('pre', null, JSON.stringify(input, null, 2)),
         createElement('p', null, ${JSON.stringify(WHY)}),
         choice('Deny'), choice('Allow once'), choice('Allow for this chat'));
     const root = createRoot(document.body);`,
    'flushSync(() => root.render(calls.map((call) => createElement(Card, { key: call.id, ...call }))));',
    `document.querySelectorAll('fieldset').length`,
  );
