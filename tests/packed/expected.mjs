// What tests/packed/project/use.js answers, wherever it runs.
export const works = {
  whileAsking: false,
  whenAnswered: true,
  // The rejection leaves as a rejection, without the made-up output.
  sent: ['approval-responded', false, false],
  errors: [],
  ruled: ['allow', 'deny', 'ask'],
  problems: [],
};

/** Where WebAssembly is forbidden: no yes, no request that carries an approval, and no throw; rules allow nothing. */
export const withoutWasm = {
  whileAsking: false,
  whenAnswered: false,
  refused: 'wasm-unavailable',
  ruled: ['ask', 'ask', 'ask'],
  problems: ['unavailable'],
};
