import type { SentCall } from '../shared/protocol.ts';

/** Does a call that a person denied leave as a denial, and as nothing else? */
export function isHonestDenial({ state, approved, output }: SentCall): boolean {
  if (approved !== false || output !== undefined) return false;
  return state === 'approval-responded' || state === 'output-denied';
}
