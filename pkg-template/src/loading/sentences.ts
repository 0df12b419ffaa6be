// The sentences for developers about a guard that has no engine.
export const UNLOADED = {
  loading: 'The engine is being loaded; see guard.ready.',
  unavailable: 'The guard is not available; see onError.',
  disposed: 'dispose() was called.',
} as const;

export const INVALID_INPUT = 'The guard needs an object whose messages are an array of UI messages.';

/** The reason that the model reads of a call that was closed because the user moved on. */
export const SUPERSEDED = 'Not a refusal by the user: the user moved on before this call ran.';
