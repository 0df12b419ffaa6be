// What the scene answers (scene/use.js), wherever it runs.
export const works = {
  whileAsking: false,
  whenAnswered: true,
  // The rejection leaves as a rejection, without the made-up output.
  sent: ['approval-responded', false, false],
  errors: [],
  ruled: ['allow', 'deny', 'ask'],
  problems: [],
  recorded: ['intact', true],
  // A backend is not taken in by the output over the denied call.
  received: [
    ['rejected', true],
    ['approved', null],
  ],
};

/**
 * Where WebAssembly is forbidden, or not loaded yet: no yes, no request that carries an approval, and no throw; rules
 * allow nothing, of a record nothing is claimed, and a backend reads nothing.
 */
export const withoutWasm = {
  whileAsking: false,
  whenAnswered: false,
  refused: 'wasm-unavailable',
  errors: ['wasm-unavailable'],
  ruled: ['ask', 'ask', 'ask'],
  problems: ['unavailable'],
  recorded: 'wasm-unavailable',
  received: 'wasm-unavailable',
};
