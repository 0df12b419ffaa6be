// The snapshot of a guard that knows nothing of its chat.
import type { Snapshot } from './prompt.js';
import type { UNLOADED } from './loading/sentences.js';

/** @param reason why it knows nothing, with the sentence for that */
export const emptySnapshot = (reason: keyof typeof UNLOADED, message: string): Snapshot => ({
  calls: [],
  approvals: [],
  batch: {
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
  },
  grants: [],
  verdict: { send: false, reason, waitingFor: [], message },
});
