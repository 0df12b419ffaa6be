// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'a denial is not sent',
    7,
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'edit' },
        { do: 'decide', choice: 'deny' },
        { do: 'flow', count: 4 },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    6,
    {
      options: {},
      replies: [
        { calls: [{ tool: 'pick' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'flow' }, { do: 'put' }],
    },
  ],
  [
    'a tool runs twice',
    7,
    {
      options: { queue: true },
      replies: [{ calls: [], slow: true }, { calls: [{ tool: 'note' }] }],
      acts: [{ do: 'say' }, { do: 'cut' }, { do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }],
    },
  ],
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
  [
    'an invented yes',
    7,
    {
      options: { guard: { maxAutomaticSends: 0 } },
      replies: [
        { calls: [{ tool: 'sign' }, { tool: 'note' }], settles: 'all', ends: 'break', keeps: 5, slow: true },
        { form: 'empty' },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'say' },
        { do: 'reload', how: 'home' },
        { do: 'reconnect' },
        { do: 'clock', ms: -10000 },
        { do: 'resume' },
      ],
    },
  ],
  [
    'the ledger says answered person',
    6,
    {
      options: { rules: true },
      replies: [
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [{ tool: 'copy' }, { tool: 'pick' }] },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'stop' },
        { do: 'list', at: 3, how: 'older' },
        { do: 'stop' },
        { do: 'wait', ms: 500 },
      ],
    },
  ],
  [
    'the ledger says output server',
    6,
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { form: 'empty' }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'put' }],
    },
  ],
  [
    'the ledger says voided history',
    7,
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note', elsewhere: true }], settles: 'all', ends: 'break', keeps: 5, slow: false },
        { calls: [] },
      ],
      acts: [{ do: 'say' }, { do: 'reload', how: 'home' }, { do: 'decide' }, { do: 'decide' }],
    },
  ],
  [
    'a request that the server refuses',
    6,
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false },
        { calls: [], slow: true },
      ],
      acts: [{ do: 'say' }, { do: 'decide', choice: 'deny' }, { do: 'say' }, { do: 'say' }, { do: 'flow' }],
    },
  ],
];
