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
  [
    'a question stays open behind a message',
    {
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'list', how: 'reordered' }, { do: 'say' }],
    },
  ],
  [
    'a request that the server refuses',
    {
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'list', how: 'reordered' }, { do: 'say' }],
    },
  ],
];
