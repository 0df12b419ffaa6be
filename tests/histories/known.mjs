/** An older list asks about a call that has run; with a changed input it is allowed again, and another tab answers as well. */
const RAN_OTHERWISE = {
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
};

// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [
  ['an output over another input', 7, RAN_OTHERWISE],
  ['an output over another input', 6, RAN_OTHERWISE],
];
