export { createApprovalGuard } from './guard.js';
export { GuardError, type GuardErrorCode } from './error.js';
export type {
  Actor,
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  AttachedApprovalResponse,
  AttachedToolOutput,
  CallStatus,
  CallView,
  HoldReason,
  LedgerEntry,
  LedgerEventType,
  Need,
  SendReason,
  SendResult,
  Snapshot,
  Verdict,
  WaitingCall,
} from './types.js';
