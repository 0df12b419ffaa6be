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
};

/**
 * Where WebAssembly is forbidden, or not loaded yet: no yes, no request that carries an approval, and no throw; rules
 * allow nothing, and of a record nothing is claimed.
 */
export const withoutWasm = {
  whileAsking: false,
  whenAnswered: false,
  refused: 'wasm-unavailable',
  errors: ['wasm-unavailable'],
  ruled: ['ask', 'ask', 'ask'],
  problems: ['unavailable'],
  recorded: 'wasm-unavailable',
};
