const LATE_DENIAL = {
  options: { record: 'now' },
  replies: [
    { calls: [{ tool: 'note', free: true }, { tool: 'note' }] },
    { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
    { calls: [] },
  ],
  acts: [
    { do: 'say' },
    { do: 'tab' },
    { do: 'decide', at: 1, choice: 'deny' },
    { do: 'correct' },
    { do: 'decide', tab: 1, choice: 'deny-chat' },
    { do: 'decide' },
    { do: 'undo' },
  ],
};

// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  ['a denial that is too late', 7, LATE_DENIAL],
  ['a denial that is too late', 6, LATE_DENIAL],
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
