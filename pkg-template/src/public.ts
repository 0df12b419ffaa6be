// The public types of a guard, whichever entry it is of.
export type { GuardErrorCode } from './error.js';
export type * from './types.js';
export type * from './prompt.js';
export type * from './types/events.js';
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
export type * from './types/record.js';
export type * from './tools.js';
export type { Catalogue, CompleteCatalogue, MessageId, QueueMessageId } from './text/catalogue.js';
