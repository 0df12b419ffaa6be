// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'a stall',
    7,
    {
      options: { record: 'grants' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'reload', then: 'sync', how: 'older' },
        { do: 'put', then: 'micro' },
        { do: 'tab', then: 'task' },
        { do: 'decide', then: 'sync', tab: 1 },
        { do: 'reload', how: 'home' },
      ],
    },
  ],
];
