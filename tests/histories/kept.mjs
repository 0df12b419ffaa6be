// Histories that once broke a promise, each with the promise.
export const KEPT = [
  [
    'a tool runs twice',
    {
      options: {
        record: 'later',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
          ],
        },
        {
          how: 'lost',
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'decide',
          then: 'micro',
        },
        {
          do: 'retry',
        },
      ],
    },
  ],
  [
    'a question stays open behind a message',
    {
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'list',
          how: 'reordered',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'pick',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'list',
          how: 'reordered',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a denial without an answer',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          form: 'empty',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'put',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a field of an approval is lost',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'a question with errorText',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
              streams: true,
            },
          ],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
          count: 2,
        },
        {
          do: 'flow',
        },
        {
          do: 'put',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a question with output',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
          count: 3,
        },
        {
          do: 'put',
        },
        {
          do: 'go',
        },
      ],
    },
  ],
  [
    'an untouched part is copied',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
          count: 2,
        },
        {
          do: 'flow',
        },
        {
          do: 'put',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: {
        queue: true,
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          how: 'lost',
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'answer',
          approved: true,
        },
      ],
    },
  ],
  [
    'a denial is forgotten',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'answer',
          approved: true,
        },
        {
          do: 'say',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'an allowance that is too late',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          settles: 'none',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'put',
          at: 3,
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'an approval of another call at home',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
            {
              tool: 'note',
              counted: true,
            },
          ],
          slow: true,
        },
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
            {
              tool: 'pick',
              counted: true,
            },
          ],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'what was closed is allowed again',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
          settles: 'none',
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a question stays open behind a message',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
          slow: true,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'pick',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'put',
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'a tool runs twice',
    {
      options: {
        queue: true,
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          how: 'lost',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'answer',
          approved: true,
        },
        {
          do: 'stop',
        },
      ],
    },
  ],
  [
    'the ledger says bypassed application',
    {
      options: {
        guard: {
          maxAutomaticSends: 0,
        },
      },
      replies: [
        {
          calls: [
            {
              tool: 'pick',
              counted: true,
            },
          ],
          settles: 'all',
          ends: 'break',
          keeps: 3,
          slow: false,
        },
        {
          calls: [],
          slow: true,
        },
        {
          calls: [
            {
              tool: 'note',
              counted: true,
            },
          ],
          slow: true,
        },
        {
          how: 'refused',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'say',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'go',
        },
        {
          do: 'reconnect',
        },
        {
          do: 'answer',
          approved: false,
        },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: {
        guard: {
          expiresMs: 5000,
        },
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'a call that has run is sent as allowed',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
          choice: 'allow-chat',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'decide',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {
        rules: true,
      },
      replies: [
        {
          calls: [
            {
              tool: 'copy',
            },
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
          choice: 'deny',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'commit',
        },
      ],
    },
  ],
  [
    'explain() says otherwise',
    {
      options: {
        guard: {
          attended: false,
        },
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          settles: 'all',
          ends: 'break',
          keeps: 4,
          slow: false,
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'the ledger says output application',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'read',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'regenerate',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'the ledger says voided application',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'answer',
          approved: false,
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'the ledger says voided server',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'answer',
          approved: true,
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'a call that has run is denied',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
          settles: 'all',
          ends: 'break',
          keeps: 2,
          slow: false,
        },
        {
          form: 'empty',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'tab',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'put',
          tab: 1,
        },
        {
          do: 'regenerate',
          tab: 1,
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a question stays open behind a message',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'order',
            },
          ],
        },
        {
          calls: [],
        },
        {
          calls: [],
          settles: 'all',
          ends: 'break',
          keeps: 0,
          slow: false,
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'a question without a card',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'order',
            },
          ],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'a request that the server refuses',
    {
      options: {
        rules: true,
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'put',
          then: 'sync',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: {
        queue: true,
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'put',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [
        {
          calls: [],
          slow: true,
        },
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'go',
        },
        {
          do: 'regenerate',
        },
        {
          do: 'list',
          at: 1,
          how: 'older',
        },
        {
          do: 'flow',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'the ledger says output application',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'read',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'regenerate',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {
        renders: 'snapshots',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'pick',
            },
          ],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'put',
          wild: true,
        },
      ],
    },
  ],
  [
    'an early send',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'pick',
            },
            {
              tool: 'note',
            },
          ],
          settles: 'none',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'put',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'an early send on the wire',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
          ],
          settles: 'all',
          ends: 'break',
          keeps: 5,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'put',
          at: 1,
        },
        {
          do: 'answer',
          then: 'sync',
          approved: false,
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'pick',
            },
          ],
        },
        {
          calls: [],
          slow: true,
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'put',
          at: 0,
        },
        {
          do: 'answer',
          then: 'sync',
          approved: false,
        },
        {
          do: 'reconnect',
        },
        {
          do: 'put',
        },
        {
          do: 'flow',
        },
        {
          do: 'list',
          how: 'older',
        },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'regenerate',
        },
        {
          do: 'say',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
          ],
        },
        {
          form: 'empty',
        },
        {
          calls: [],
          settles: 'again',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'answer',
          approved: false,
        },
        {
          do: 'decide',
        },
        {
          do: 'go',
        },
        {
          do: 'answer',
          then: 'micro',
          approved: false,
        },
        {
          do: 'list',
          at: 5,
          how: 'older',
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'a question without a card',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
          settles: 'first',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'decide',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a second send',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'order',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'answer',
          approved: true,
        },
        {
          do: 'say',
        },
        {
          do: 'decide',
          then: 'sync',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'say',
        },
      ],
    },
  ],
  [
    'an output without its approval',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          says: 'after',
          slow: true,
        },
        {
          calls: [],
          ends: 'break',
          keeps: 0,
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
          count: 4,
        },
        {
          do: 'edit',
          then: 'sync',
        },
        {
          do: 'put',
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'a denial is not sent',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
          slow: true,
        },
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'edit',
        },
        {
          do: 'decide',
          choice: 'deny',
        },
        {
          do: 'flow',
          count: 4,
        },
        {
          do: 'decide',
        },
      ],
    },
  ],
  [
    'a doubt without a reason',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'pick',
            },
          ],
        },
        {
          calls: [],
          settles: 'all',
          ends: 'break',
          keeps: 0,
          slow: false,
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'an invented yes',
    {
      options: {
        guard: {
          maxAutomaticSends: 0,
        },
      },
      replies: [
        {
          calls: [
            {
              tool: 'sign',
            },
            {
              tool: 'note',
            },
          ],
          settles: 'all',
          ends: 'break',
          keeps: 5,
          slow: true,
        },
        {
          form: 'empty',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'flow',
          count: 4,
        },
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'reconnect',
        },
        {
          do: 'clock',
          ms: -10000,
        },
        {
          do: 'resume',
        },
      ],
    },
  ],
  [
    'the ledger says output server',
    {
      options: {},
      replies: [
        {
          calls: [
            {
              tool: 'note',
            },
          ],
        },
        {
          form: 'empty',
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'put',
        },
      ],
    },
  ],
  [
    'the ledger says voided history',
    {
      options: {
        record: 'now',
      },
      replies: [
        {
          calls: [
            {
              tool: 'note',
              elsewhere: true,
            },
          ],
          settles: 'all',
          ends: 'break',
          keeps: 5,
          slow: false,
        },
        {
          calls: [],
        },
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'reload',
          how: 'home',
        },
        {
          do: 'decide',
        },
        {
          do: 'decide',
        },
      ],
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
];
