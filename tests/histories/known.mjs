// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  [
    'a tool runs twice',
    7,
    {
      options: {
        queue: true,
      },
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
      ],
      acts: [
        {
          do: 'say',
        },
        {
          do: 'cut',
        },
        {
          do: 'say',
        },
        {
          do: 'decide',
        },
        {
          do: 'reload',
          how: 'home',
        },
      ],
    },
  ],
  [
    'an early send',
    7,
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
          approved: false,
        },
        {
          do: 'decide',
          then: 'micro',
        },
        {
          do: 'put',
        },
        {
          do: 'list',
          how: 'older',
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'the ledger says answered person',
    6,
    {
      options: {
        rules: true,
      },
      replies: [
        {
          calls: [],
          settles: 'all',
          ends: 'break',
          keeps: 0,
          slow: false,
        },
        {
          calls: [
            {
              tool: 'copy',
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
          do: 'say',
        },
        {
          do: 'stop',
        },
        {
          do: 'list',
          at: 3,
          how: 'older',
        },
        {
          do: 'stop',
        },
        {
          do: 'wait',
          ms: 500,
        },
      ],
    },
  ],
  [
    'a request that the server refuses',
    7,
    {
      options: {
        record: 'grants',
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
          do: 'decide',
          then: 'micros',
        },
        {
          do: 'tab',
        },
        {
          do: 'go',
          tab: 1,
        },
        {
          do: 'answer',
          approved: false,
        },
        {
          do: 'flow',
        },
      ],
    },
  ],
  [
    'a request that the server refuses',
    6,
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
          settles: 'all',
          ends: 'break',
          keeps: 4,
          slow: false,
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
          do: 'decide',
          choice: 'deny',
        },
        {
          do: 'say',
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
];
