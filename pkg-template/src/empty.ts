// The state before a guard has seen anything.
import type { BatchView } from './prompt.js';

/** A plain literal, so that a bundler can remove it if it is unused. */
export const EMPTY_BATCH: BatchView = {
  phase: 'idle',
  action: undefined,
  keys: [],
  total: 0,
  asking: 0,
  allowed: 0,
  denied: 0,
  inputLocked: false,
  commitAt: undefined,
  undoable: false,
  allowAll: false,
  looping: false,
  stopped: false,
  refusals: 0,
};
