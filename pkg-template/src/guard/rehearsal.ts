// A card that nobody sees. An engine compiles code when it first runs, and most of the time until the first card goes
// into that. So the code runs once while the page has nothing else to do, before a person waits for it.
import type { ApprovalGuard } from '../types.js';

const REQUEST = { id: 'user', role: 'user' as const, parts: [{ type: 'text' as const, text: 'text' }] };

const CARD = {
  id: 'card',
  role: 'assistant' as const,
  parts: [
    {
      type: 'tool-rehearsal' as const,
      toolCallId: 'call',
      state: 'approval-requested' as const,
      input: { text: 'text' },
      approval: { id: 'approval' },
    },
  ],
};

/** In milliseconds: a task in which so much has passed begins no other step. */
const LONG = 4;

let isDue = true;

/**
 * Shows the card to a guard of its own in the first idle times of a page: in each of them some steps, so that no task is
 * long. Elsewhere (a server, a worker, an old browser) nothing happens.
 *
 * @param make creates a guard that reports nothing
 */
export function rehearse(make: () => ApprovalGuard): void {
  if (!isDue || typeof requestIdleCallback === 'undefined') return;
  isDue = false;
  let guard: ApprovalGuard;
  const steps = [
    () => (guard = make()).explain(),
    () => guard.observe([REQUEST]),
    () => guard.observe([REQUEST, CARD]),
    () => guard.getSnapshot(),
    () => guard.dispose(),
  ];
  const next = (): unknown =>
    requestIdleCallback(() => {
      const begin = performance.now();
      do steps.shift()?.();
      while (steps.length > 0 && performance.now() - begin < LONG);
      if (steps.length > 0) next();
    });
  next();
}
