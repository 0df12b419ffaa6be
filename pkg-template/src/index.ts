// The small entry: the face of a guard, and the import of its engine.
export { createApprovalGuard } from './loading/waiting-guard.js';
export { preload } from './loading/engine.js';
export { GuardError } from './error.js';
export type * from './public.js';
