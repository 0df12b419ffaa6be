// Generated from src/web/abi.rs: WRITE_ABI=1 cargo test --lib abi. Do not edit.

/** A kind of row: how many numbers it has, and how it is read. A literal object is read fastest. */
export interface Shape<Row> {
  readonly length: number;
  readonly read: (n: Float64Array, at: number) => Row;
}

export const enum ToolState {
  InputStreaming,
  InputAvailable,
  ApprovalRequested,
  ApprovalResponded,
  OutputAvailable,
  OutputError,
  OutputDenied,
  Unknown,
}

export const enum ToolStateName {
  InputStreaming = 'input-streaming',
  InputAvailable = 'input-available',
  ApprovalRequested = 'approval-requested',
  ApprovalResponded = 'approval-responded',
  OutputAvailable = 'output-available',
  OutputError = 'output-error',
  OutputDenied = 'output-denied',
}

export const toolStateNames = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
  '',
] as const;

export const enum PartType {
  StepStart,
  Text,
  DynamicTool,
  ToolPrefix,
}

export const enum PartTypeName {
  StepStart = 'step-start',
  Text = 'text',
  DynamicTool = 'dynamic-tool',
  ToolPrefix = 'tool-',
}

export const partTypeNames = [
  'step-start',
  'text',
  'dynamic-tool',
  'tool-',
] as const;

export const enum Role {
  User,
  Assistant,
  System,
}

export const enum RoleName {
  User = 'user',
  Assistant = 'assistant',
  System = 'system',
}

export const roleNames = [
  'user',
  'assistant',
  'system',
] as const;

export const enum Chunk {
  InputStart,
  InputAvailable,
  InputError,
  ApprovalRequest,
  ApprovalResponse,
  OutputAvailable,
  OutputError,
  OutputDenied,
  Error,
}

export const enum ChunkName {
  InputStart = 'tool-input-start',
  InputAvailable = 'tool-input-available',
  InputError = 'tool-input-error',
  ApprovalRequest = 'tool-approval-request',
  ApprovalResponse = 'tool-approval-response',
  OutputAvailable = 'tool-output-available',
  OutputError = 'tool-output-error',
  OutputDenied = 'tool-output-denied',
  Error = 'error',
}

export const chunkNames = [
  'tool-input-start',
  'tool-input-available',
  'tool-input-error',
  'tool-approval-request',
  'tool-approval-response',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'error',
] as const;

export const enum Repair {
  Keep,
  Deny,
  SettleDenial,
  Ask,
  Allow,
  Fail,
}

export const repairNames = [
  'keep',
  'deny',
  'settle-denial',
  'ask',
  'allow',
  'fail',
] as const;

export const causeNames = [
  'superseded',
  'doubt',
  'expired',
  'unattended',
  'denyChat',
] as const;

export const enum Reason {
  Answered,
  Output,
  Retry,
  Resume,
  NoAssistantMessage,
  NoToolCall,
  Waiting,
  NothingNew,
  AlreadySent,
  AskedTwice,
  AnsweredInText,
  Failed,
  InDoubt,
  History,
  Stopped,
  AllDenied,
  NotInSendOn,
  Limit,
}

export const reasonNames = [
  'answered',
  'output',
  'retry',
  'resume',
  'no-assistant-message',
  'no-tool-call',
  'waiting',
  'nothing-new',
  'already-sent',
  'asked-twice',
  'answered-in-text',
  'failed',
  'in-doubt',
  'history',
  'stopped',
  'all-denied',
  'not-in-send-on',
  'limit',
] as const;

export const needNames = [
  'approval',
  'output',
  'input',
  'valid-answer',
  'known-state',
  'commit',
] as const;

export const statusNames = [
  'open',
  'asking',
  'drafted',
  'answered',
  'sent',
  'delivered',
  'settled',
  'in-doubt',
  'expired',
  'superseded',
  'gone',
  'elsewhere',
] as const;

export const enum Actor {
  Person,
  Superseded,
  Server,
  History,
  Grant,
  Timer,
  Unattended,
  Stop,
  Edit,
  Regenerate,
  Application,
  Leave,
  Rule,
  Tab,
}

export const actorNames = [
  'person',
  'superseded',
  'server',
  'history',
  'grant',
  'timer',
  'unattended',
  'stop',
  'edit',
  'regenerate',
  'application',
  'leave',
  'rule',
  'tab',
] as const;

export const eventKindNames = [
  'noticed',
  'asked',
  'marked',
  'drafted',
  'undone',
  'expired',
  'warned',
  'extended',
  'revealed',
  'answered',
  'counted',
  'refused',
  'output',
  'bypassed',
  'overwritten',
  'voided',
  'withdrawn',
  'superseded',
  'carried',
  'settled',
  'filed',
  'gone',
  'returned',
  'requested',
  'started',
  'ended',
  'failed',
  'stopped',
  'acted',
  'granted',
  'grant-ended',
  'judged',
  'lost',
  'waited',
  'recalled',
  'elsewhere',
  'regranted',
  'forgotten',
  'absorbed',
] as const;

export const problemNames = [
  'output-over-open-approval',
  'output-of-denied-call',
  'malformed-approval',
  'wrong-chat',
  'waiting',
  'unknown-approval',
  'unwatched-request',
] as const;

export const enum Permit {
  Retry,
  Resume,
}

export const permitNames = [
  'retry',
  'resume',
] as const;

export const choiceNames = [
  'allow-once',
  'allow-chat',
  'deny',
  'deny-chat',
] as const;

export const outcomeNames = [
  'allowed-once',
  'allowed-chat',
  'allowed-automatically',
  'denied',
  'denied-chat',
  'denied-automatically',
  'expired',
  'unattended',
  'superseded',
  'allowed-elsewhere',
  'denied-elsewhere',
  'allowed-by-rule',
  'denied-by-rule',
] as const;

export const phaseNames = [
  'idle',
  'asking',
  'decided',
  'answered',
  'sending',
  'sent',
  'failed',
  'in-doubt',
] as const;

export const refusalNames = [
  'not-asking',
  'already-drafted',
  'already-answered',
  'expired',
  'superseded',
  'gone',
  'unreachable',
  'not-comparable',
  'not-drafted',
  'no-deadline',
  'unknown-grant',
] as const;

export const enum Effect {
  Allow,
  Ask,
  Deny,
}

export const effectNames = [
  'allow',
  'ask',
  'deny',
] as const;

export const reachNames = [
  'unsent',
  'failed',
  'sent',
  'ended',
] as const;

/** The bits beside the state in the flags of a part. */
export const enum PartBit {
  State = 7,
  Malformed = 8,
  No = 16,
  Yes = 24,
  Provider = 32,
  Preliminary = 64,
  Residue = 128,
  ByGuard = 256,
}

/** The places in the status block. */
export const enum StatusField {
  Facts,
  Length,
  Sealed,
  Changes,
  Revision,
  Forgotten,
  Requests,
  Problems,
  Asking,
  Undoable,
  Timed,
  Grants,
  Watched,
  Count,
}

export interface EntryRow {
  at: number;
  kind: number;
  call: number;
  answer: number;
  actor: number;
  request: number;
  grant: number;
  rule: number;
  mono: number;
  outcome: number;
  waited: number;
  ends: number;
  doubt: number;
  automatic: number;
}

export const entryRow: Shape<EntryRow> = {
  length: 14,
  read: (n, at) => ({
    at: n[at] as number,
    kind: n[at + 1] as number,
    call: n[at + 2] as number,
    answer: n[at + 3] as number,
    actor: n[at + 4] as number,
    request: n[at + 5] as number,
    grant: n[at + 6] as number,
    rule: n[at + 7] as number,
    mono: n[at + 8] as number,
    outcome: n[at + 9] as number,
    waited: n[at + 10] as number,
    ends: n[at + 11] as number,
    doubt: n[at + 12] as number,
    automatic: n[at + 13] as number,
  }),
};

export interface CallRow {
  call: number;
  tool: number;
  id: number;
  approval: number;
  message: number;
  status: number;
  answer: number;
  actor: number;
  grant: number;
  outcome: number;
  refusals: number;
  undoable: number;
  expiring: number;
  dangerous: number;
  waits: number;
  revealed: number;
  deadline: number;
}

export const callRow: Shape<CallRow> = {
  length: 17,
  read: (n, at) => ({
    call: n[at] as number,
    tool: n[at + 1] as number,
    id: n[at + 2] as number,
    approval: n[at + 3] as number,
    message: n[at + 4] as number,
    status: n[at + 5] as number,
    answer: n[at + 6] as number,
    actor: n[at + 7] as number,
    grant: n[at + 8] as number,
    outcome: n[at + 9] as number,
    refusals: n[at + 10] as number,
    undoable: n[at + 11] as number,
    expiring: n[at + 12] as number,
    dangerous: n[at + 13] as number,
    waits: n[at + 14] as number,
    revealed: n[at + 15] as number,
    deadline: n[at + 16] as number,
  }),
};

export interface BatchRow {
  phase: number;
  asking: number;
  allowed: number;
  denied: number;
  refusals: number;
  undoable: number;
  inputLocked: number;
  looping: number;
  stopped: number;
  due: number;
}

export const batchRow: Shape<BatchRow> = {
  length: 10,
  read: (n, at) => ({
    phase: n[at] as number,
    asking: n[at + 1] as number,
    allowed: n[at + 2] as number,
    denied: n[at + 3] as number,
    refusals: n[at + 4] as number,
    undoable: n[at + 5] as number,
    inputLocked: n[at + 6] as number,
    looping: n[at + 7] as number,
    stopped: n[at + 8] as number,
    due: n[at + 9] as number,
  }),
};

export interface GrantRow {
  grant: number;
  allows: number;
  call: number;
  fields: number;
  committed: number;
  active: number;
  at: number;
  until: number;
  uses: number;
  lastUse: number;
  tool: number;
}

export const grantRow: Shape<GrantRow> = {
  length: 11,
  read: (n, at) => ({
    grant: n[at] as number,
    allows: n[at + 1] as number,
    call: n[at + 2] as number,
    fields: n[at + 3] as number,
    committed: n[at + 4] as number,
    active: n[at + 5] as number,
    at: n[at + 6] as number,
    until: n[at + 7] as number,
    uses: n[at + 8] as number,
    lastUse: n[at + 9] as number,
    tool: n[at + 10] as number,
  }),
};
