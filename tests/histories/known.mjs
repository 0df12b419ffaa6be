/** The server asks again, with another approval id, about a call that has run and that a person has sent again. A grant answers. */
const ASKED_AGAIN = {
  options: { renders: 'snapshots' },
  replies: [{ calls: [{ tool: 'note' }] }, { calls: [] }, { calls: [], settles: 'again' }],
  acts: [
    { do: 'say' },
    { do: 'decide', choice: 'allow-chat' },
    { do: 'list', how: 'older' },
    { do: 'sleep', ms: 2_000 },
    { do: 'decide' },
  ],
};

// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  ['a call that has run is sent as allowed', 7, ASKED_AGAIN],
  ['a call that has run is sent as allowed', 6, ASKED_AGAIN],
];
