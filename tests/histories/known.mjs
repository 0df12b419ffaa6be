// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'a stall',
    7,
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', tab: 1 },
        { do: 'put' },
        { do: 'retry' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a stall',
    6,
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', tab: 1 },
        { do: 'put' },
        { do: 'retry' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'an untouched part is copied',
    7,
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'decide', choice: 'deny' },
        { do: 'put' },
        { do: 'tab' },
        { do: 'flow', then: 'sync', count: 2 },
        { do: 'decide', tab: 1 },
      ],
    },
  ],
  [
    'a stall',
    7,
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', then: 'sync', tab: 1, approved: false },
        { do: 'answer', then: 'sync', approved: false },
        { do: 'edit' },
      ],
    },
  ],
  [
    'a stall',
    6,
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', then: 'sync', tab: 1, approved: false },
        { do: 'answer', then: 'sync', approved: false },
        { do: 'edit' },
      ],
    },
  ],
  [
    'a stall',
    7,
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'pick' }] },
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [], settles: 'again', slow: true },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'put' },
        { do: 'decide' },
        { do: 'decide' },
        { do: 'flow', count: 2 },
        { do: 'stop' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a stall',
    6,
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'pick' }, { tool: 'note' }, { tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', at: 7, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'answer', tab: 1, approved: true },
        { do: 'revoke' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a stall',
    7,
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'deny' },
        { do: 'decide', choice: 'deny', then: 'micro' },
        { do: 'put', at: 1, wild: true },
      ],
    },
  ],
];
