// What tests/packed/project/use.js answers, wherever it runs.
export const works = {
  whileAsking: false,
  whenAnswered: true,
  // The rejection leaves as a rejection, without the made-up output.
  sent: ['approval-responded', false, false],
  errors: [],
};

/** Where WebAssembly is forbidden: no yes, no request that carries an approval, and no throw. */
export const withoutWasm = {
  whileAsking: false,
  whenAnswered: false,
  refused: 'wasm-unavailable',
};
