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
  [
    'a denial without an answer',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { form: 'empty' }],
      acts: [{ do: 'say' }, { do: 'say' }, { do: 'reload', how: 'home' }, { do: 'put' }, { do: 'decide' }],
    },
  ],
  [
    'a field of an approval is lost',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'say' }, { do: 'reload', how: 'home' }, { do: 'put' }],
    },
  ],
  [
    'a question with errorText',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', streams: true }], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow', count: 2 }, { do: 'flow' }, { do: 'put' }, { do: 'decide' }],
    },
  ],
  [
    'a question with output',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow', count: 3 }, { do: 'put' }, { do: 'go' }],
    },
  ],
  [
    'an untouched part is copied',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'say' }, { do: 'reload', how: 'home' }, { do: 'put' }],
    },
  ],
  [
    'an invented yes',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow', count: 2 }, { do: 'flow' }, { do: 'put' }, { do: 'say' }],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'note' }] }, { how: 'lost' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'answer', approved: true }],
    },
  ],
  [
    'a denial is forgotten',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'say' },
        { do: 'list', how: 'older' },
        { do: 'say' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'an allowance that is too late',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }], settles: 'none' }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'put', at: 3 }, { do: 'flow' }],
    },
  ],
  [
    'an approval of another call at home',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note' }, { tool: 'note', counted: true }], slow: true },
        { calls: [{ tool: 'note' }, { tool: 'note' }, { tool: 'pick', counted: true }], slow: true },
        { calls: [] },
      ],
      acts: [{ do: 'say' }, { do: 'flow' }, { do: 'say' }],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], settles: 'none', slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'say' }],
    },
  ],
  [
    'a question stays open behind a message',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }, { do: 'say' }],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {},
      replies: [{ calls: [{ tool: 'pick' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'put' }, { do: 'list', how: 'older' }],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'note' }] }, { how: 'lost' }],
      acts: [{ do: 'say' }, { do: 'answer', approved: true }, { do: 'stop' }],
    },
  ],
  [
    'the ledger says output-without-approval application',
    {
      options: { guard: { maxAutomaticSends: 0 } },
      replies: [
        { calls: [{ tool: 'pick', counted: true }], settles: 'all', ends: 'break', keeps: 3, slow: false },
        { calls: [], slow: true },
        { calls: [{ tool: 'note', counted: true }], slow: true },
        { how: 'refused' },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'list', how: 'older' },
        { do: 'go' },
        { do: 'reconnect' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { guard: { expiresMs: 5000 } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }],
    },
  ],
  [
    'a call that has run is sent as allowed',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat' },
        { do: 'list', how: 'older' },
        { do: 'decide' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a second send',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'copy' }, { tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide', choice: 'deny' }, { do: 'list', how: 'older' }, { do: 'commit' }],
    },
  ],
  [
    'explain() says otherwise',
    {
      options: { guard: { attended: false } },
      replies: [{ calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false }],
      acts: [{ do: 'say' }, { do: 'flow' }, { do: 'flow' }],
    },
  ],
  [
    'the ledger says output application',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'read' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'regenerate' }, { do: 'list', how: 'older' }, { do: 'decide' }],
    },
  ],
  [
    'the ledger says voided application',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'answer', approved: false },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'the ledger says voided server',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'reload', how: 'home' },
        { do: 'answer', approved: true },
        { do: 'list', how: 'older' },
        { do: 'say' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 2, slow: false },
        { form: 'empty' },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'tab' },
        { do: 'list', how: 'older' },
        { do: 'put', tab: 1 },
        { do: 'regenerate', tab: 1 },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a question stays open behind a message',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'order' }] },
        { calls: [] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }],
    },
  ],
  [
    'a question without a card',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'order' }] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'put', then: 'sync' },
        { do: 'list', how: 'older' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }, { do: 'put' }, { do: 'decide' }],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [], slow: true }, { calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'go' },
        { do: 'regenerate' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'flow' },
        { do: 'put' },
      ],
    },
  ],
  [
    'the ledger says output application',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'read' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'reload', how: 'home' },
        { do: 'regenerate' },
        { do: 'list', how: 'older' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'list', how: 'older' }, { do: 'put', wild: true }],
    },
  ],
  [
    'an early send',
    {
      options: {},
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note' }], settles: 'none' }],
      acts: [{ do: 'say' }, { do: 'put' }, { do: 'decide' }, { do: 'list', how: 'older' }, { do: 'put' }],
    },
  ],
  [
    'an early send on the wire',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note' }], settles: 'all', ends: 'break', keeps: 5 },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'put', at: 1 },
        { do: 'answer', then: 'sync', approved: false },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'a second send',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'put', at: 0 },
        { do: 'answer', then: 'sync', approved: false },
        { do: 'reconnect' },
        { do: 'put' },
        { do: 'flow' },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'regenerate' }, { do: 'say' }, { do: 'list', how: 'older' }, { do: 'put' }],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { form: 'empty' },
        { calls: [], settles: 'again' },
      ],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'decide' },
        { do: 'go' },
        { do: 'answer', then: 'micro', approved: false },
        { do: 'list', at: 5, how: 'older' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a question without a card',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [], settles: 'first' }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'decide' },
        { do: 'list', how: 'older' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [{ calls: [{ tool: 'order' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'say' },
        { do: 'decide', then: 'sync' },
        { do: 'list', how: 'older' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }], says: 'after', slow: true },
        { calls: [], ends: 'break', keeps: 0 },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'edit', then: 'sync' },
        { do: 'put' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a denial is not sent',
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
    'an invented yes',
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
    'the ledger says output server',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { form: 'empty' }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'put' }],
    },
  ],
  [
    'the ledger says voided history',
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
    'a tool runs twice',
    {
      options: { queue: true },
      replies: [{ calls: [], slow: true }, { calls: [{ tool: 'note' }] }],
      acts: [{ do: 'say' }, { do: 'cut' }, { do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'grants' },
      replies: [{ calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micros' },
        { do: 'tab' },
        { do: 'go', tab: 1 },
        { do: 'answer', approved: false },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false },
        { calls: [], slow: true },
      ],
      acts: [{ do: 'say' }, { do: 'decide', choice: 'deny' }, { do: 'say' }, { do: 'say' }, { do: 'flow' }],
    },
  ],
  [
    'the ledger says answered person',
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
    'a card without a question',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', streams: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow', count: 3 },
        { do: 'list', at: 3, how: 'older' },
        { do: 'go' },
        { do: 'cut' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [{ tool: 'note' }] },
      ],
      acts: [{ do: 'say' }, { do: 'say' }, { do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }],
    },
  ],
  [
    'an allowance that is too late',
    {
      options: { guard: { attended: false } },
      replies: [
        { calls: [{ tool: 'note' }] },
        {
          calls: [{ tool: 'note' }, { tool: 'note', elsewhere: true }],
          settles: 'all',
          ends: 'break',
          keeps: 7,
          slow: false,
        },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micro' },
        { do: 'regenerate' },
        { do: 'stop' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an allowance that is too late',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'pick' }, { tool: 'note', elsewhere: true }], slow: true },
        { form: 'empty' },
      ],
      acts: [{ do: 'say' }, { do: 'flow', count: 6 }, { do: 'say' }],
    },
  ],
  [
    'the ledger says output application',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'read' }, { tool: 'read' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'reload', how: 'home' },
        { do: 'put' },
        { do: 'answer', approved: false },
        { do: 'retry' },
      ],
    },
  ],
  [
    'the ledger says output application',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'read' }] }],
      acts: [
        { do: 'say' },
        { do: 'go' },
        { do: 'reload', how: 'home' },
        { do: 'commit' },
        { do: 'list', how: 'reordered' },
      ],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: {},
      replies: [{ calls: [{ tool: 'order' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'answer', approved: false },
        { do: 'list', how: 'older' },
        { do: 'answer', approved: true },
      ],
    },
  ],
  [
    'an early send',
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
    'an answer from before a reload is not sent',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reload', how: 'home' },
        { do: 'answer', approved: false },
        { do: 'stop' },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micros' },
        { do: 'cut' },
        { do: 'go' },
        { do: 'decide' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false },
        { calls: [], settles: 'all', ends: 'break', keeps: 2, slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'flow', then: 'sync', count: 2 },
        { do: 'stop' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note', elsewhere: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 5 },
        { do: 'answer', approved: false },
        { do: 'put' },
        { do: 'flow', count: 2 },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }], id: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'reload', how: 'older' },
        { do: 'reconnect' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'flow', then: 'sync', count: 2 },
        { do: 'stop' },
        { do: 'decide' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide' },
        { do: 'decide', tab: 1, choice: 'deny' },
        { do: 'undo' },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', tab: 1, approved: true },
        { do: 'decide', choice: 'deny' },
        { do: 'commit' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [] }, { calls: [{ tool: 'note' }] }, { calls: [], slow: true }],
      acts: [{ do: 'say' }, { do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }], settles: 'none', ends: 'break', keeps: 4, slow: false }],
      acts: [{ do: 'say' }, { do: 'answer', approved: true }, { do: 'reload', how: 'home' }, { do: 'undo' }],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow' },
        { do: 'flow', count: 3 },
        { do: 'cut' },
        { do: 'decide' },
        { do: 'reload', how: 'home' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reload', how: 'home' },
        { do: 'decide' },
        { do: 'commit' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'clock', ms: -10000 },
        { do: 'reload', how: 'home' },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'reload', how: 'home' }, { do: 'stop' }],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micros' },
        { do: 'reload', how: 'home' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'tab' },
        { do: 'say', tab: 1 },
        { do: 'go' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', approved: false },
        { do: 'say', tab: 1 },
        { do: 'flow' },
        { do: 'tab' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'tab' }, { do: 'answer', approved: false }, { do: 'say', tab: 1 }],
    },
  ],
  [
    'a send while the response goes on',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow' },
        { do: 'flow' },
        { do: 'flow', count: 3 },
        { do: 'go' },
        { do: 'decide' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'grants' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'answer', then: 'micro', approved: true },
        { do: 'put', then: 'task' },
        { do: 'flow', then: 'task' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'pick' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'go', then: 'task' }, { do: 'put' }, { do: 'flow' }, { do: 'revoke' }],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'pick' }, { tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'tab' }, { do: 'say', tab: 1 }, { do: 'cut' }, { do: 'put' }],
    },
  ],
  [
    'a stall',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'pick' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'go', then: 'sync' }, { do: 'put' }, { do: 'tab' }],
    },
  ],
  [
    'an approval of another call at home',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', counted: true, streams: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'list', at: 4, how: 'older' },
        { do: 'put' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: { guard: { undoMs: 3000 } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'commit' },
        { do: 'list', how: 'older' },
        { do: 'decide' },
        { do: 'undo' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', counted: true, streams: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 2 },
        { do: 'flow' },
        { do: 'reload', how: 'home' },
        { do: 'put' },
        { do: 'say' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note', elsewhere: true }, { tool: 'note' }], slow: true },
        { how: 'refused' },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'flow' },
        { do: 'answer', approved: false },
        { do: 'clock', ms: -10000 },
        { do: 'decide' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], says: 'after', slow: true }, { how: 'refused' }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'flow', count: 2 },
        { do: 'list', how: 'older' },
        { do: 'decide', choice: 'deny-chat' },
        { do: 'say' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }], slow: true }, { how: 'refused' }],
      acts: [{ do: 'say' }, { do: 'flow', count: 4 }, { do: 'commit' }, { do: 'say' }],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'say' },
        { do: 'flow' },
        { do: 'stop' },
        { do: 'say' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'search' }, { tool: 'note', elsewhere: true }], slow: true },
        { calls: [] },
      ],
      acts: [{ do: 'say' }, { do: 'flow', count: 5 }, { do: 'say' }, { do: 'decide' }, { do: 'decide' }],
    },
  ],
  [
    'the ledger says answered person',
    {
      options: { record: 'grants' },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'say', then: 'micros' },
        { do: 'flow', count: 3 },
        { do: 'wait', ms: 500 },
        { do: 'revoke' },
      ],
    },
  ],
  [
    'the ledger says answered person',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 0, approved: false },
        { do: 'decide', source: true },
        { do: 'list', how: 'older' },
        { do: 'answer', approved: false },
        { do: 'answer', approved: false },
        { do: 'commit' },
        { do: 'edit' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'the ledger says answered person',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note', streams: true, elsewhere: true }], says: 'before', slow: true },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 6 },
        { do: 'list', how: 'older' },
        { do: 'say' },
        { do: 'clock', ms: -10000 },
      ],
    },
  ],
  [
    'the ledger says output-without-approval application',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'sign' }], id: 'none', slow: true }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'stop' },
        { do: 'reconnect' },
        { do: 'flow' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'the ledger says voided application',
    {
      options: { guard: { expiresMs: 5000 } },
      replies: [{ calls: [{ tool: 'note' }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow' },
        { do: 'stop' },
        { do: 'list', at: 3, how: 'older' },
        { do: 'flow' },
        { do: 'list', how: 'copied' },
      ],
    },
  ],
  [
    'the ledger says voided server',
    {
      options: { guard: { attended: false } },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow' },
        { do: 'list', at: 3, how: 'older' },
        { do: 'say' },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    "a user's message is lost",
    {
      options: { queue: true },
      replies: [{ calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'say', then: 'micros' },
        { do: 'edit', then: 'sync' },
        { do: 'say' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'copy' }, { tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 3, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'put' },
      ],
    },
  ],
  [
    'an early send',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'copy' }, { tool: 'copy' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat', covers: 'tool' },
        { do: 'tab' },
        { do: 'put' },
        { do: 'answer', tab: 1, at: 5, approved: true },
      ],
    },
  ],
  [
    'the ledger says voided application',
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
  [
    'a second send',
    {
      options: { record: 'now' },
      replies: [
        { calls: [] },
        { calls: [{ tool: 'note', elsewhere: true }, { tool: 'note' }] },
        { form: 'copy' },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'put' },
        { do: 'resume' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a second send',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }], id: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'answer', approved: true },
        { do: 'put' },
        { do: 'put' },
        { do: 'tab' },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { form: 'copy' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'put' }, { do: 'put' }, { do: 'flow' }],
    },
  ],
  [
    'the ledger says output server',
    {
      options: { guard: { sendOn: 'approvals' } },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 2 },
        { do: 'flow', count: 2 },
        { do: 'put' },
        { do: 'reload', how: 'home' },
        { do: 'wait', ms: 500 },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'flow', count: 2 },
        { do: 'put', at: 3 },
        { do: 'answer', approved: false },
        { do: 'reload', how: 'home' },
        { do: 'put', at: 1 },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [{ calls: [{ tool: 'sign' }, { tool: 'note' }] }, { form: 'copy' }],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 3, choice: 'deny' },
        { do: 'decide' },
        { do: 'put' },
        { do: 'put' },
        { do: 'decide' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'flow', count: 3 },
        { do: 'list', how: 'older' },
        { do: 'flow', then: 'sync' },
        { do: 'decide', choice: 'deny' },
        { do: 'decide' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    "a user's message is lost",
    {
      options: { engine: 8 },
      replies: [{ calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false }],
      acts: [{ do: 'say' }, { do: 'answer', approved: false }, { do: 'answer', approved: false }],
    },
  ],
  [
    'the ledger says output server',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'pick' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'put' },
        { do: 'adopt', sets: 'after' },
        { do: 'decide' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'retry() says sent',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [], slow: true },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'go', then: 'sync' }, { do: 'decide' }, { do: 'retry' }, { do: 'say' }],
    },
  ],
  [
    'a send while the response goes on',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', then: 'micro' },
        { do: 'flow', count: 3 },
        { do: 'say' },
        { do: 'list', at: 3, how: 'older' },
        { do: 'go' },
        { do: 'say' },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'retry() says nothing-to-send',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'stop', then: 'micro' },
        { do: 'retry', then: 'micro' },
        { do: 'answer', approved: false },
        { do: 'reconnect' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: {},
      replies: [
        {
          calls: [{ tool: 'note', elsewhere: true }, { tool: 'note' }],
          settles: 'all',
          ends: 'break',
          keeps: 7,
          slow: false,
        },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [{ do: 'say' }, { do: 'answer', approved: false }, { do: 'say' }, { do: 'decide' }],
    },
  ],
  [
    'a stall',
    {
      options: { renders: 'snapshots' },
      replies: [
        { calls: [] },
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [{ tool: 'note', elsewhere: true }], slow: true },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'decide' },
        { do: 'flow', count: 6 },
        { do: 'tab' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: { guard: { undoMs: 3000 } },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'say' },
        { do: 'flow' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'edit' },
        { do: 'commit' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'decide' },
        { do: 'put' },
      ],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: { guard: { sendOn: 'approvals' } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micro' },
        { do: 'say' },
        { do: 'list', how: 'older' },
        { do: 'answer', approved: true },
        { do: 'tab' },
        { do: 'reload', how: 'home' },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'put' },
        { do: 'adopt', sets: 'after' },
        { do: 'put' },
        { do: 'list', at: 6, how: 'older' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow', count: 1 },
        { do: 'list', how: 'older' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'tab' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a card without a question',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'order' }], id: 'none' },
        { calls: [], slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'regenerate' },
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'answer', approved: false },
        { do: 'cut' },
        { do: 'decide' },
        { do: 'reconnect' },
        { do: 'list', at: 3, how: 'older' },
      ],
    },
  ],
  [
    'a denial is forgotten',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'say', then: 'micro' },
        { do: 'list', how: 'older' },
        { do: 'ask' },
        { do: 'regenerate' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note', streams: true }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'cut' },
        { do: 'put' },
        { do: 'flow', count: 5 },
        { do: 'stop' },
        { do: 'flow' },
        { do: 'reconnect' },
        { do: 'list', at: 3, how: 'older' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { guard: { attended: false } },
      replies: [
        {
          calls: [
            { tool: 'note', streams: true },
            { tool: 'note', elsewhere: true },
          ],
        },
        { calls: [{ tool: 'note' }] },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'say', then: 'micro' },
        { do: 'regenerate' },
        { do: 'list', how: 'older' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }], id: 'none', slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'reload', how: 'home' },
        { do: 'put' },
        { do: 'decide' },
        { do: 'reconnect' },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'answer', at: 3, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'decide', tab: 1, at: 3, choice: 'deny-chat' },
        { do: 'decide' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'wait', ms: 10000 },
        { do: 'decide', at: 0, choice: 'deny', wild: true },
        { do: 'tab' },
        { do: 'answer', at: 1, approved: true },
        { do: 'decide', tab: 1, at: 7, choice: 'deny' },
        { do: 'reconnect', tab: 1 },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], id: 'none', slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'put' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
        { do: 'reconnect' },
        { do: 'commit' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { guard: { undoMs: 3000 } },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }, { tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reload', how: 'home' },
        { do: 'put' },
        { do: 'decide' },
        { do: 'ask' },
      ],
    },
  ],
  [
    'a denial without an answer',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'deny' },
        { do: 'put' },
        { do: 'flow', count: 2 },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'an approval of another call',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'pick' }] },
        { calls: [], slow: true },
        { calls: [{ tool: 'note', counted: true }] },
      ],
      acts: [
        { do: 'say' },
        { do: 'regenerate' },
        { do: 'go' },
        { do: 'answer', approved: false },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
        { do: 'say' },
        { do: 'put' },
        { do: 'go' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'sign' }], id: 'none' }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reconnect' },
        { do: 'put' },
        { do: 'undo' },
        { do: 'undo' },
      ],
    },
  ],
  [
    'the ledger says voided history',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
        { do: 'adopt', sets: 'after' },
        { do: 'reload', how: 'older', at: 5 },
        { do: 'put' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'tab' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'undo', tab: 1 },
        { do: 'put' },
        { do: 'go' },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'decide', then: 'micro' },
        { do: 'reload', then: 'sync', how: 'older' },
        { do: 'answer', at: 1, approved: true },
        { do: 'answer', approved: false },
        { do: 'flow' },
      ],
    },
  ],
  [
    'an early send',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }], id: 'none' }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'answer', approved: false },
        { do: 'decide', then: 'micro' },
        { do: 'answer', approved: false },
        { do: 'reload', how: 'home' },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'copy' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'reload', how: 'older' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'the ledger says voided history',
    {
      options: { record: 'now' },
      replies: [{ calls: [], says: 'after', slow: true }, { calls: [{ tool: 'note' }, { tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'flow' },
        { do: 'regenerate' },
        { do: 'flow', then: 'sync', count: 2 },
        { do: 'decide', choice: 'deny-chat' },
        { do: 'answer', approved: true },
        { do: 'tab' },
        { do: 'list', how: 'older' },
        { do: 'cut' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }], id: 'none', slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'say', then: 'sync' },
        { do: 'flow' },
        { do: 'reconnect' },
        { do: 'decide' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { how: 'lost' }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'wait', ms: 10000 },
        { do: 'decide', at: 0, choice: 'deny', wild: true },
        { do: 'decide' },
        { do: 'list', how: 'older' },
        { do: 'answer', at: 1, approved: false },
        { do: 'adopt', sets: 'after' },
        { do: 'undo' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: {},
      replies: [{ calls: [{ tool: 'read' }, { tool: 'note' }] }, { how: 'lost' }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reload', how: 'home' },
        { do: 'put' },
        { do: 'tab' },
      ],
    },
  ],
  [
    'a card without a question',
    {
      options: { guard: { maxAutomaticSends: 0 } },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }], id: 'none' }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 7, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'reconnect' },
        { do: 'list', how: 'older' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', tab: 1 },
        { do: 'reconnect', tab: 1 },
        { do: 'list', tab: 1, how: 'older' },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }], id: 'none' }, { calls: [] }, { how: 'refused' }],
      acts: [
        { do: 'say' },
        { do: 'answer', then: 'sync', approved: true },
        { do: 'reconnect' },
        { do: 'reconnect' },
        { do: 'put' },
        { do: 'say' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'say', tab: 1 },
        { do: 'adopt', sets: 'after' },
        { do: 'sleep', ms: 2000 },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [
        { calls: [] },
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [] },
        { calls: [], settles: 'all', ends: 'break', keeps: 1, slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'say' },
        { do: 'go' },
        { do: 'put' },
        { do: 'revoke' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a question without a card',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { how: 'lost' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide', then: 'sync' }, { do: 'adopt', sets: 'after' }],
    },
  ],
  [
    'an output without its approval',
    {
      options: { renders: 'snapshots' },
      replies: [
        { calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false },
        { calls: [{ tool: 'note', counted: true }], slow: true },
        { calls: [{ tool: 'note', counted: true }] },
      ],
      acts: [
        { do: 'say' },
        { do: 'say', then: 'sync' },
        { do: 'decide', choice: 'deny' },
        { do: 'go' },
        { do: 'put', at: 3 },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: {},
      replies: [{ calls: [{ tool: 'pick' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'put' },
        { do: 'edit' },
        { do: 'list', how: 'older' },
        { do: 'adopt', sets: 'after' },
        { do: 'edit' },
        { do: 'commit' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { renders: 'snapshots' },
      replies: [
        { calls: [{ tool: 'note' }], settles: 'all', ends: 'break', keeps: 4, slow: false },
        { calls: [] },
        { calls: [], slow: true },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'list', how: 'older' },
        { do: 'decide' },
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'stop' },
      ],
    },
  ],
  [
    'the ledger says answered tab',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'deny-chat' },
        { do: 'tab' },
        { do: 'stop' },
        { do: 'decide' },
        { do: 'flow' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: { guard: { maxAutomaticSends: 0 } },
      replies: [{ calls: [{ tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'reload', how: 'older' },
        { do: 'reconnect' },
        { do: 'adopt', sets: 'after' },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'put', then: 'micros', tab: 1 },
        { do: 'say' },
        { do: 'adopt', sets: 'after' },
        { do: 'say' },
        { do: 'wait', ms: 500 },
      ],
    },
  ],
  [
    'a send while the response goes on',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow' },
        { do: 'flow', count: 3 },
        { do: 'answer', approved: false },
        { do: 'say' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'retry' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'ask' },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: {},
      replies: [{ calls: [{ tool: 'pick' }] }],
      acts: [
        { do: 'say' },
        { do: 'put' },
        { do: 'reload', how: 'older' },
        { do: 'adopt', sets: 'after' },
        { do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'a card shows another input than the one that ran',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note', free: true }] }],
      acts: [
        { do: 'say' },
        { do: 'correct', at: 0 },
        { at: 0, do: 'list', how: 'older' },
        { at: 0, do: 'say' },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'the ledger says voided application',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note', free: true }] },
        { calls: [], settles: 'again' },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'deny' },
        { do: 'correct' },
        { do: 'decide' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'the ledger says voided application',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', free: true }], id: 'none' }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'correct' },
        { do: 'go' },
        { do: 'clock', ms: -10000 },
      ],
    },
  ],
  [
    'an output over another input',
    {
      options: { record: 'now' },
      replies: [{ calls: [] }, { calls: [{ tool: 'note', free: true }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'regenerate' },
        { do: 'correct', then: 'micro' },
        { do: 'answer', approved: true },
        { do: 'sleep', ms: 2000 },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'decide' },
        { do: 'reload', how: 'older', at: 1 },
        { do: 'flow' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'an output is invented',
    {
      options: { record: 'grants' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'reconnect', then: 'micros' },
        { do: 'say' },
        { do: 'answer', at: 0, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'retry', then: 'sync' },
        { do: 'put', then: 'micros' },
        { do: 'flow', then: 'task' },
        { do: 'list', how: 'older' },
        { do: 'adopt', sets: 'after' },
      ],
    },
  ],
  [
    'an output is invented',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'put' },
        { do: 'stop' },
        { do: 'list', at: 1, how: 'older' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'resume() says not-sent',
    {
      options: { guard: { maxAutomaticSends: 0 } },
      replies: [
        { calls: [{ tool: 'read' }, { tool: 'note' }], settles: 'all', ends: 'break', keeps: 6, slow: false },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'reload', how: 'home' },
        { do: 'decide', choice: 'deny' },
        { do: 'stop', then: 'micro' },
        { do: 'flow', then: 'sync' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'pick' }], settles: 'all', ends: 'break', keeps: 3, slow: true },
        { form: 'empty' },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 2 },
        { do: 'go', then: 'micro' },
        { do: 'flow' },
        { do: 'decide' },
        { do: 'put' },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], id: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'edit' },
        { do: 'commit' },
        { do: 'list', how: 'older' },
        { do: 'revoke' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a denial without an answer',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [], slow: true },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'go' },
        { do: 'adopt', sets: 'after' },
        { do: 'edit' },
        { do: 'undo' },
      ],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'order' }, { tool: 'note' }] },
        { calls: [], settles: 'again', slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 4, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'decide', choice: 'deny' },
        { do: 'decide', choice: 'allow-chat' },
        { do: 'say' },
        { do: 'list', how: 'older' },
        { do: 'flow' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'more automatic sends than allowed',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat', covers: 'tool' },
        { do: 'list', how: 'older' },
        { do: 'answer', then: 'sync', approved: false },
        { do: 'list', at: 3, how: 'older' },
        { do: 'put' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
      ],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'order' }, { tool: 'note' }], id: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'decide' },
        { do: 'go' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
      ],
    },
  ],
  [
    'the ledger says voided history',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note', free: true }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'correct', at: 0, then: 'turn' },
        { do: 'correct', at: 0, tab: 1 },
        { do: 'reload', tab: 1, how: 'home' },
        { do: 'resume' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'go' }],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { queue: true, guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], settles: 'unsaid' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'say' }],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], settles: 'unsaid' }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'go' }],
    },
  ],
  [
    'a tool runs twice',
    {
      options: { record: 'now', guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: true },
        { do: 'reload', how: 'older', at: 2 },
        { do: 'go' },
      ],
    },
  ],
  [
    'a denial that is too late',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], says: 'end' }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', tab: 1 },
        { do: 'put', wild: true, tab: 1 },
        { do: 'decide', choice: 'deny' },
      ],
    },
  ],
  [
    'explain() says that it sends',
    {
      options: {},
      replies: [{ calls: [{ tool: 'pick' }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'put' },
        { do: 'cut' },
        { do: 'reconnect', none: true },
      ],
    },
  ],
  [
    'a send while the response goes on',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }], slow: true },
        { calls: [], slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'drop' },
        { do: 'answer', approved: false, then: 'sync' },
        { do: 'reconnect' },
      ],
    },
  ],
  [
    'an untouched list is copied',
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'pick' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'put', then: 'sync' }, { do: 'retry' }],
    },
  ],
  [
    'a send while another response goes on',
    {
      replies: [{ calls: [], slow: true, says: 'before' }, { calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow', count: 4 }, { do: 'go' }, { do: 'decide', choice: 'deny' }],
    },
  ],
  [
    'an output without its approval',
    {
      options: { guard: { sendOn: 'approvals' } },
      replies: [{ calls: [{ tool: 'note', free: true }], settles: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'correct' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'put' },
        { do: 'tab' },
        { do: 'resume' },
      ],
    },
  ],
  [
    'a stall',
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
  [
    'a denial that is too late',
    {
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
    },
  ],
  [
    'a denial that is too late',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { how: 'refused' }, { form: 'empty' }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide' },
        { do: 'decide', tab: 1, choice: 'deny' },
        { do: 'list', how: 'older' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a field of an approval is lost',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'deny-chat', covers: 'tool' },
        { do: 'reload', how: 'home' },
        { do: 'put', at: 1 },
        { do: 'say' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'micro' },
        { do: 'put' },
        { do: 'say' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], id: 'none', slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'put' },
        { do: 'reload', how: 'home' },
        { do: 'reconnect' },
        { do: 'sleep', ms: 2000 },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: { record: 'grants' },
      replies: [
        { calls: [{ tool: 'note', counted: true, why: true }], says: 'before' },
        {
          calls: [{ tool: 'search', counted: true, answers: true }],
          settles: 'unsaid',
          says: 'end',
          id: 'none',
        },
        { calls: [], says: 'end', id: 'none', slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'regenerate', then: 'micro' },
        { do: 'undo' },
        { do: 'tab', then: 'micros' },
        { do: 'reconnect', then: 'micros', tab: 1 },
        { do: 'revoke' },
        { do: 'answer', then: 'micros', tab: 1, approved: false },
        { do: 'resume', then: 'micros' },
        { do: 'say', tab: 1 },
      ],
    },
  ],
  [
    'a stall',
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
  [
    'more automatic sends than allowed',
    {
      options: { queue: true },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat', covers: 'tool' },
        { do: 'say', then: 'sync' },
        { do: 'say' },
      ],
    },
  ],
  [
    'a denial without an answer',
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'answer', approved: false },
        { do: 'put' },
        { do: 'flow', count: 2 },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }, { tool: 'pick' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 0, choice: 'deny' },
        { do: 'stop' },
        { do: 'commit' },
        { do: 'list', how: 'older' },
        { do: 'answer', approved: false },
        { do: 'flow' },
        { do: 'put' },
      ],
    },
  ],
  [
    'the ledger says output-without-approval application',
    {
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note' }, { tool: 'sign' }], slow: true },
        { calls: [{ tool: 'note' }] },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'say', then: 'micro' },
        { do: 'flow', count: 6 },
        { do: 'answer', at: 3, approved: false },
        { do: 'flow', count: 2 },
        { do: 'list', at: 2, how: 'older' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note', elsewhere: true }], slow: true }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow' }, { do: 'flow', count: 6 }, { do: 'stop' }, { do: 'decide' }],
    },
  ],
  // The server asks again, with another approval id, about a call that has run and that a person has sent again.
  [
    'a call that has run is sent as allowed',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }, { calls: [], settles: 'again' }],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat' },
        { do: 'list', how: 'older' },
        { do: 'sleep', ms: 2_000 },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a send while another response goes on',
    {
      options: { renders: 'snapshots' },
      replies: [{ calls: [{ tool: 'search' }], slow: true }, { calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'flow', then: 'sync', count: 3 },
        { do: 'edit' },
        { do: 'answer', approved: false },
        { do: 'regenerate' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'stop' },
        { do: 'commit' },
        { do: 'commit' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an output over another input',
    {
      options: { record: 'now' },
      replies: [
        { how: 'refused' },
        { calls: [{ tool: 'note', free: true }] },
        { calls: [] },
        { calls: [], settles: 'none' },
      ],
      acts: [
        { do: 'say' },
        { do: 'say' },
        { do: 'decide' },
        { do: 'list', at: 7, how: 'older' },
        { do: 'tab' },
        { do: 'correct', at: 0, then: 'turn' },
        { do: 'correct', at: 0, tab: 1 },
        { do: 'correct' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: { rules: true },
      replies: [{ calls: [{ tool: 'note' }], id: 'none' }, { calls: [], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'reconnect' },
        { do: 'decide', choice: 'deny' },
        { do: 'put' },
        { do: 'reload', how: 'home' },
        { do: 'decide' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', choice: 'deny', then: 'sync' },
        { do: 'decide', choice: 'allow-once', tab: 1, then: 'micro' },
        { do: 'stop' },
      ],
    },
  ],
  // The request was lost after the call had run, and the server asks again with the same approval id.
  [
    'a person is not told that a tool may run twice',
    {
      replies: [
        { calls: [{ tool: 'note' }] },
        { how: 'lost' },
        { calls: [], settles: 'repeated' },
        { calls: [] },
      ],
      acts: [{ do: 'say' }, { do: 'decide' }, { do: 'retry' }, { do: 'decide' }],
    },
  ],
  [
    'a question with a changed input',
    {
      options: { guard: { whenUserSends: 'pass' } },
      replies: [{ calls: [{ tool: 'note', free: true }] }, { calls: [], settles: 'repeated', slow: true }],
      acts: [{ do: 'say' }, { do: 'correct' }, { do: 'undo' }, { do: 'decide' }],
    },
  ],
  // An older list has not all of the input of a call that has asked in a response that is gone.
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'sign', streams: true }], slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow', count: 3 },
        { do: 'regenerate' },
        { do: 'list', at: 1, how: 'older' },
      ],
    },
  ],
  [
    'a time of a commit that has passed',
    {
      options: { guard: { expiresMs: 5000 } },
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }] }, { calls: [] }],
      acts: [{ do: 'say' }, { do: 'flow' }, { do: 'list', how: 'reordered' }],
    },
  ],
  [
    'an invented yes',
    {
      options: { renders: 'snapshots' },
      replies: [
        { calls: [{ tool: 'sign', streams: true }], slow: true },
        { calls: [{ tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 4 },
        { do: 'say' },
        { do: 'list', how: 'older' },
        { do: 'flow', then: 'micro' },
        { do: 'decide' },
        { do: 'adopt', sets: 'after' },
        { do: 'put' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'tab' },
        { do: 'undo' },
        { do: 'decide', tab: 1 },
        { do: 'answer', approved: false },
        { do: 'go' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }], says: 'blank', slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 6 },
        { do: 'flow' },
        { do: 'decide' },
        { do: 'flow', count: 2 },
        { do: 'reconnect' },
        { do: 'decide', then: 'sync', at: 5, approved: false },
        { do: 'stop', then: 'sync' },
        { at: 5, do: 'list', how: 'older' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note', elsewhere: true }], says: 'blank', slow: true }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 6 },
        { do: 'edit' },
        { do: 'flow', count: 2 },
        { do: 'list', at: 1, how: 'older' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
      ],
    },
  ],
  [
    'a call is invented',
    {
      options: {},
      replies: [
        { calls: [] },
        { calls: [{ tool: 'note', free: true }, { tool: 'note' }] },
        { calls: [], settles: 'repeated' },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'go', then: 'sync' },
        { do: 'answer', approved: false },
        { do: 'correct', at: 0 },
        { at: 0, do: 'decide', choice: 'deny' },
        { do: 'correct' },
        { do: 'undo' },
        { do: 'cut' },
      ],
    },
  ],
  [
    'output-of-denied-call is reported',
    {
      options: { record: 'now' },
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'say' },
        { do: 'reload', how: 'older' },
        { do: 'adopt', sets: 'after' },
        { do: 'flow' },
        { do: 'answer', approved: false },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], settles: 'again' }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'answer', approved: true },
        { do: 'revoke' },
        { do: 'answer', at: 0, approved: false },
        { at: 0, do: 'edit' },
        { do: 'list', at: 0, how: 'older' },
      ],
    },
  ],
  [
    'a card shows another input than the one that ran',
    {
      options: { queue: true },
      replies: [
        { calls: [{ tool: 'note', free: true }, { tool: 'note' }] },
        { calls: [], settles: 'repeated' },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'correct' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'retry' },
        { do: 'decide' },
        { do: 'adopt', sets: 'after' },
        { do: 'flow' },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note', counted: true }] },
        { calls: [{ tool: 'pick', counted: true }] },
        { calls: [], settles: 'repeated' },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide', choice: 'allow-chat' },
        { do: 'list', how: 'older' },
        { do: 'decide' },
        { do: 'tab' },
        { do: 'edit' },
      ],
    },
  ],
  [
    'a denial that is too late',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [], settles: 'repeated' }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'decide' },
        { do: 'tab' },
        { do: 'put' },
        { do: 'decide', tab: 1, choice: 'deny' },
      ],
    },
  ],
  [
    'a denied call is sent as allowed',
    {
      options: { record: 'later' },
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'tab' },
        { do: 'decide', tab: 1, choice: 'deny-chat' },
        { do: 'answer', then: 'micro', approved: true },
        { do: 'put' },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }, { how: 'refused' }],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 0, approved: false },
        { at: 0, do: 'reload', how: 'older' },
        { do: 'adopt', sets: 'after' },
        { do: 'say' },
        { do: 'edit', at: 3 },
        { do: 'go' },
      ],
    },
  ],
  [
    'a time of a commit that has passed',
    {
      options: { record: 'now' },
      replies: [{}, { says: 'blank', slow: true }, { calls: [{ tool: 'note' }], id: 'none' }],
      acts: [
        { do: 'say' },
        { do: 'edit' },
        { do: 'flow' },
        { do: 'go' },
        { do: 'reconnect' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'the ledger says output application',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 0, approved: true },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'list', how: 'elsewhere' },
        { do: 'retry' },
        { do: 'answer', at: 0, approved: true },
        { at: 0, do: 'edit' },
        { do: 'list', at: 0, how: 'older' },
      ],
    },
  ],
  [
    'the ledger says sent person',
    {
      options: {},
      replies: [
        { calls: [{ tool: 'note' }] },
        { calls: [], slow: true },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
        { calls: [] },
      ],
      acts: [
        { do: 'say' },
        { do: 'answer', approved: false },
        { do: 'put' },
        { do: 'reload', how: 'home' },
        { do: 'list', at: 1, how: 'elsewhere' },
        { do: 'put' },
        { do: 'put' },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: {},
      replies: [
        { calls: [] },
        { calls: [{ tool: 'note' }, { tool: 'note' }] },
        { calls: [] },
        { calls: [], settles: 'all', ends: 'break', keeps: 0, slow: false },
      ],
      acts: [
        { do: 'say' },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'edit' },
        { do: 'commit' },
        { do: 'answer', approved: true },
        { do: 'answer', at: 0, approved: false },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
        { do: 'list', at: 6, how: 'elsewhere' },
        { do: 'say' },
        { do: 'cut' },
      ],
    },
  ],
  [
    'an output over another input',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note', free: true }] }],
      acts: [
        { do: 'say' },
        { do: 'correct', at: 0 },
        { at: 0, do: 'reload', how: 'home' },
        { at: 0, do: 'resume' },
        { do: 'flow' },
        { do: 'list', how: 'elsewhere' },
      ],
    },
  ],
  [
    'a stall',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note' }] }],
      acts: [
        { do: 'say' },
        { do: 'decide', then: 'sync', at: 0, approved: false },
        { do: 'stop', then: 'sync' },
        { do: 'tab' },
        { do: 'put' },
        { do: 'decide', tab: 1 },
        { do: 'decide' },
      ],
    },
  ],
  [
    'the ledger says overwritten application',
    {
      options: { record: 'now' },
      replies: [{ calls: [{ tool: 'pick' }, { tool: 'note' }] }, { calls: [] }],
      acts: [
        { do: 'say' },
        { do: 'put' },
        { do: 'tab' },
        { do: 'decide', tab: 1 },
        { do: 'decide', at: 0, choice: 'allow-once' },
        { do: 'cut' },
        { do: 'say' },
        { do: 'answer', at: 1, approved: false },
        { at: 1, do: 'edit' },
        { do: 'list', at: 1, how: 'elsewhere' },
        { do: 'say' },
        { do: 'decide' },
      ],
    },
  ],
  [
    'a card shows another input than the one that ran',
    {
      options: { renders: 'snapshots' },
      replies: [
        { calls: [{ tool: 'note', free: true }] },
        { calls: [] },
        { calls: [] },
        { calls: [], settles: 'all', ends: 'break', keeps: 1, slow: true },
      ],
      acts: [
        { do: 'say' },
        { do: 'answer', at: 0, approved: true },
        { at: 0, do: 'edit' },
        { do: 'list', at: 0, how: 'older' },
        { do: 'retry' },
        { do: 'correct' },
        { do: 'say' },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [{ calls: [{ tool: 'note' }, { tool: 'note' }, { tool: 'note' }], slow: true }],
      acts: [
        { do: 'say' },
        { do: 'flow', count: 3 },
        { do: 'flow', count: 3 },
        { do: 'put' },
        { do: 'decide' },
        { do: 'answer', approved: true },
        { do: 'resume' },
        { do: 'flow' },
      ],
    },
  ],
];
