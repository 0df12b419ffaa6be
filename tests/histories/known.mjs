// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'an early send',
    7,
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'decide', then: 'micro' },
        { do: 'put' },
        { do: 'list', how: 'older' },
        { do: 'flow' },
      ],
    },
  ],
];
