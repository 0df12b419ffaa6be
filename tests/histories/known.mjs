// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'the ledger says voided application',
    7,
    {
      options: { guard: { attended: false } },
      replies: [{ calls: [{ tool: 'note' }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'clock', ms: -10000 },
      ],
    },
  ],
  [
    'a second send',
    7,
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'read' }] }, { calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'put' },
        { do: 'list', how: 'reordered' },
        { do: 'answer', approved: false },
        { do: 'stop' },
      ],
    },
  ],
];
