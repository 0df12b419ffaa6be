// Histories that once broke a promise, each with the promise.
export const KEPT = [
  [
    'a tool runs twice',
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { how: 'lost' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'decide', then: 'micro' }, { do: 'retry' }],
    },
  ],
];
