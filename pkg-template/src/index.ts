export { createApprovalGuard } from './guard/guard.js';
export { GuardError, type GuardErrorCode } from './error.js';
export type {
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  AttachedApprovalResponse,
  AttachedToolOutput,
  ExpiringCall,
  ExpiringCallOf,
  RetryOptions,
  SendResult,
} from './types.js';
export type {
  BatchView,
  CallOf,
  CallStatus,
  CallView,
  CallGrant,
  Choice,
  CommitResult,
  Covers,
  DecidableCallView,
  DecideOptions,
  DecideResult,
  Display,
  DynamicCallView,
  ExtendResult,
  GrantView,
  PendingCall,
  Phase,
  Refusal,
  RefusalReason,
  UnmaskResult,
  RevokeResult,
  Snapshot,
  StaticCallView,
  DangerSource,
  ToolInfo,
  UndoResult,
} from './prompt.js';
export type {
  Actor,
  HoldReason,
  LedgerEntry,
  LedgerEventType,
  Need,
  Outcome,
  SendReason,
  User,
  Verdict,
  WaitingCall,
} from './types/events.js';
export type {
  ApprovalRules,
  Effect,
  JudgedCall,
  Redacted,
  RuleLayer,
  Ruling,
  RulingReason,
  ToolAnnotations,
} from './types/rules.js';
export type {
  ApprovalRecord,
  CallNote,
  KeptGrant,
  KnownCall,
  RecordConnection,
  RecordHost,
} from './types/record.js';
export type { CalledToolName, ToolName, ToolNamePattern, ToolsOf } from './tools.js';
export type { Catalogue, CompleteCatalogue, MessageId, QueueMessageId } from './text/catalogue.js';
