// For a backend: claims each approved call once, whatever number of servers and requests bring the same yes.
import { ClaimsOfStore, settingsOf } from './claims/claims.js';
import type { Claims, ClaimsOptions } from './claims/types.js';
import { claimCalls } from './claims/module.js';
import { readDecisions } from './server.js';

export * from './claims/memory.js';
export * from './claims/postgres.js';
export * from './claims/redis.js';
export * from './claims/sqlite.js';
export type * from './claims/store.js';
export type { EditCheck, EditChecks } from './claims/edits.js';
export { idempotencyKey } from './claims/tools.js';
export type * from './claims/types.js';

/**
 * Creates claims: they keep which approvals a server has asked for, and let each approved call start at most once on
 * whatever number of servers. They report the calls of which nobody knows whether they have run.
 *
 * @param options where they are stored, and how
 * @returns the claims
 * @throws GuardError `invalid-option`
 */
export function createClaims(options: ClaimsOptions): Claims {
  return new ClaimsOfStore({ claimCalls, readDecisions }, settingsOf(options));
}
