// Generated from src/web/abi: WRITE_ABI=1 cargo test --lib abi. Do not edit.

/** Numbers of the module. */
type Numbers = ArrayLike<number>;

/** A kind of row: how many numbers it has, and how it is read. A literal object is read fastest. */
export interface Shape<Row> {
  /** Without the items of its list, whose count is the last of its numbers. */
  readonly length: number;
  readonly read: (n: Numbers, at: number) => Row;
  /** The count of numbers in an item of its list. */
  readonly item?: number;
}

/** The start of the next row. */
export const after = <Row>({ length, item }: Shape<Row>, n: Numbers, at: number): number =>
  at + length + (item === undefined ? 0 : item * (n[at + length - 1] as number));

const number: Shape<number> = { length: 1, read: (n, at) => n[at] as number };

/** So many rows. */
export function itemsAt<Row>(n: Numbers, at: number, count = 0, { length, read }: Shape<Row>): Row[] {
  const items: Row[] = [];
  for (let i = 0; i < count; i++) items.push(read(n, at + i * length));
  return items;
}

/** A number that may be missing (NaN). */
const optional = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** The answer for a code: 0 for none, 1 for no, 2 for yes. */
const answerOf = (code: number): boolean | undefined => (code === 0 ? undefined : code === 2);

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

export const enum NoteName {
  Package = 'tool-approval-guard',
  EditedFrom = 'editedFrom',
}

export const enum PartTypeName {
  StepStart = 'step-start',
  Text = 'text',
  DynamicTool = 'dynamic-tool',
  ToolPrefix = 'tool-',
}

export const enum RoleName {
  User = 'user',
  Assistant = 'assistant',
  System = 'system',
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
  Approve,
  Restore,
  Input,
}

export const enum Keeps {
  Nothing,
  Part,
  Asked,
  Allowed,
  Denied,
  Heard,
}

export const enum KeptOutput {
  Stays,
  Replaced,
  Dropped,
}

export const enum Cause {
  Superseded,
  Doubt,
  Expired,
  Unattended,
  DenyChat,
}

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
  'response',
  'valid-answer',
  'known-state',
  'commit',
  'elsewhere',
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
  'external',
] as const;

export const eventKindNames = [
  'noticed',
  'asked',
  'annotated',
  'drafted',
  'undone',
  'expired',
  'warned',
  'extended',
  'revealed',
  'answered',
  'late-denial',
  'refused',
  'output',
  'output-without-approval',
  'overwritten',
  'voided',
  'withdrawn',
  'superseded',
  'sent',
  'settled',
  'closed-by-user-message',
  'gone',
  'returned',
  'requested',
  'held',
  'started',
  'ended',
  'failed',
  'unhandled',
  'stopped',
  'acted',
  'granted',
  'grant-ended',
  'rule-evaluated',
  'lost',
  'waited',
  'recalled',
  'elsewhere',
  'regranted',
  'recounted',
  'forgotten',
  'awaited',
  'timed-out',
  'absorbed',
] as const;

export const problemNames = [
  'output-over-open-approval',
  'output-of-denied-call',
  'malformed-approval',
  'wrong-chat',
  'unknown-approval',
  'misplaced-output',
  'unwatched-request',
  'not-in-request',
] as const;

export const enum Permit {
  Retry,
  Resume,
}

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
  'allowed-externally',
  'denied-externally',
  'superseded-in-doubt',
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

export const actionNames = [
  'send',
  'retry',
  'resume',
] as const;

export const refusalNames = [
  'unknown-id',
  'ambiguous-id',
  'changed',
  'not-asking',
  'already-drafted',
  'already-answered',
  'expired',
  'superseded',
  'gone',
  'unreachable',
  'not-comparable',
  'tool-unavailable',
  'not-drafted',
  'no-deadline',
  'unknown-grant',
  'not-editable',
  'signed',
  'invalid-input',
  'denied-by-rule',
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

export const enum Scope {
  Wire,
  Home,
}

export const enum Trigger {
  Submit,
  Edit,
  Regenerate,
}

export const enum CommitCause {
  Person,
  Predicate,
  PredicateAlone,
  Time,
  TimeAlone,
}

export const enum WaitedFor {
  Chat,
  Storage,
}

export const enum Packed {
  Null,
  No,
  Yes,
  Number,
  Text,
  List,
  Fields,
}

export const enum ActCode {
  Done,
  LateDenial,
  Waiting,
  Responding,
  Nothing,
  Refused,
}

export const enum Way {
  Nothing,
  Waiting,
  Continue,
  Rewrite,
}

export const enum DecisionType {
  Rejected,
  Approved,
  Output,
  Error,
  Open,
  Malformed,
}

export const decisionTypeNames = [
  'rejected',
  'approved',
  'output',
  'error',
  'open',
  'malformed',
] as const;

export const readProblemNames = [
  'not-a-list',
  'not-an-object',
  'unknown-role',
  'missing-parts',
  'missing-type',
  'wrong-role',
  'missing-call-id',
  'missing-tool-name',
  'unknown-state',
  'missing-approval',
  'missing-approval-id',
  'malformed-approval',
  'malformed-answer',
  'unanswered',
  'misplaced-answer',
  'missing-output',
  'missing-error-text',
  'shared-approval',
  'conflicting-answers',
  'already-executed',
  'asked-again',
  'repeated',
  'duplicate-call',
  'changed-input',
  'unknown-approval',
] as const;

export const notTakenNames = [
  'not-a-list',
  'not-an-object',
  'unknown-role',
  'missing-parts',
  'missing-type',
  'wrong-role',
  'missing-message-id',
  'no-content',
  'changed-message',
  'not-at-the-end',
  'missing-call-id',
  'missing-tool-name',
  'missing-approval-id',
  'malformed-answer',
  'missing-error-text',
  'unknown-call',
  'unknown-approval',
  'duplicate-call',
  'changed-tool',
  'changed-input',
  'not-editable',
  'conflicting-answers',
  'left-behind',
  'unanswered',
  'server-tool',
  'already-settled',
] as const;

export const enum Merged {
  Change,
  Added,
  Refused,
}

export type Fate = 'run' | 'pass' | 'rejected' | 'running' | 'done' | 'in-doubt' | 'refused';

export type Ending = 'done' | 'failed' | 'in-doubt';

export type Runner = 'server' | 'provider' | 'page';

/** The states of calls that have come to their end. */
export const statesWithResult = [
  'output-available',
  'output-error',
  'output-denied',
] as const;

/** Events that are stored before any other code of the page runs. */
export const durableEvents = [
  'drafted',
  'undone',
  'expired',
  'answered',
  'withdrawn',
  'superseded',
  'sent',
  'requested',
  'unhandled',
  'granted',
  'grant-ended',
] as const;

/** The reasons for which the chat sends. */
export const sendingReasons = [
  'answered',
  'output',
  'retry',
  'resume',
] as const;

/** Whether the chat sends for this reason. */
export const sends = (reason: Reason): boolean =>
  reason === Reason.Answered || reason === Reason.Output || reason === Reason.Retry || reason === Reason.Resume;

/** Whether a call has an answer or a result, or needed no approval. */
export const isAnswered = (state: ToolState): boolean =>
  state === ToolState.ApprovalResponded || state === ToolState.OutputAvailable || state === ToolState.OutputError || state === ToolState.OutputDenied;

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

/** A time that a call may wait for an answer, in milliseconds. */
export const SHORTEST_WAIT = 1000;

/** A time that a call may wait for an answer, in milliseconds. */
export const LONGEST_WAIT = 2592000000;

/** The kept objects of a call that has to be repaired. */
export type Kept<Value> = Readonly<Record<'shown' | 'asked' | 'allowed' | 'denied' | 'givenAllowance' | 'givenDenial' | 'output' | 'reason' | 'edited' | 'original', Value | undefined>>;

/** The positions in the status of a guard. */
export const enum StatusField {
  Facts,
  Length,
  Sealed,
  Changes,
  Revision,
  Forgotten,
  Requests,
  Chat,
  Promised,
  Unasked,
  Left,
  Displaced,
  Asking,
  WaitsForDecision,
  Grants,
  NoUntilFact,
  NoWhileOpen,
  EndsWall,
  EndsSteady,
  Count,
}

/** The positions in the header of the module. */
export const enum HeaderField {
  Facts,
  Capacity,
  Effects,
  Length,
  Count,
}

export interface EntryRow {
  at: number;
  kind: (typeof eventKindNames)[number];
  call: number;
  tool: number;
  id: number;
  approval: number;
  fingerprint: number;
  answer: boolean | undefined;
  actor: (typeof actorNames)[number];
  request: number;
  grant: number;
  source: number;
  edit: readonly [low: number, high: number];
  mono: number;
  outcome: (typeof outcomeNames)[number] | undefined;
  waited: number | undefined;
  ends: number | undefined;
  doubt: boolean | undefined;
  automatic: boolean | undefined;
}

export const entryRow: Shape<EntryRow> = {
  length: 20,
  read: (n, at) => ({
    at: n[at] as number,
    kind: eventKindNames[n[at + 1] as number] as (typeof eventKindNames)[number],
    call: n[at + 2] as number,
    tool: n[at + 3] as number,
    id: n[at + 4] as number,
    approval: n[at + 5] as number,
    fingerprint: n[at + 6] as number,
    answer: answerOf(n[at + 7] as number),
    actor: actorNames[n[at + 8] as number] as (typeof actorNames)[number],
    request: n[at + 9] as number,
    grant: n[at + 10] as number,
    source: n[at + 11] as number,
    edit: [n[at + 12] as number, n[at + 13] as number],
    mono: n[at + 14] as number,
    outcome: outcomeNames[n[at + 15] as number],
    waited: optional(n[at + 16] as number),
    ends: optional(n[at + 17] as number),
    doubt: answerOf(n[at + 18] as number),
    automatic: answerOf(n[at + 19] as number),
  }),
};

export interface CallRow {
  call: number;
  tool: number;
  id: number;
  approval: number;
  message: number;
  status: (typeof statusNames)[number];
  answer: boolean | undefined;
  actor: (typeof actorNames)[number] | undefined;
  source: number;
  grant: number;
  edit: readonly [low: number, high: number];
  outcome: (typeof outcomeNames)[number] | undefined;
  refusals: number;
  undoable: boolean;
  expiring: boolean;
  mayHaveRun: boolean;
  dangerous: boolean;
  unmasked: boolean;
  deadline: number | undefined;
}

export const callRow: Shape<CallRow> = {
  length: 20,
  read: (n, at) => ({
    call: n[at] as number,
    tool: n[at + 1] as number,
    id: n[at + 2] as number,
    approval: n[at + 3] as number,
    message: n[at + 4] as number,
    status: statusNames[n[at + 5] as number] as (typeof statusNames)[number],
    answer: answerOf(n[at + 6] as number),
    actor: actorNames[n[at + 7] as number],
    source: n[at + 8] as number,
    grant: n[at + 9] as number,
    edit: [n[at + 10] as number, n[at + 11] as number],
    outcome: outcomeNames[n[at + 12] as number],
    refusals: n[at + 13] as number,
    undoable: n[at + 14] === 1,
    expiring: n[at + 15] === 1,
    mayHaveRun: n[at + 16] === 1,
    dangerous: n[at + 17] === 1,
    unmasked: n[at + 18] === 1,
    deadline: optional(n[at + 19] as number),
  }),
};

export interface MemberRow {
  call: number;
  oldest: number;
  allow: boolean;
  deny: boolean;
}

export const memberRow: Shape<MemberRow> = {
  length: 4,
  read: (n, at) => ({
    call: n[at] as number,
    oldest: n[at + 1] as number,
    allow: n[at + 2] === 1,
    deny: n[at + 3] === 1,
  }),
};

export interface BatchRow {
  phase: (typeof phaseNames)[number];
  action: (typeof actionNames)[number] | undefined;
  asking: number;
  allowed: number;
  denied: number;
  refusals: number;
  undoable: boolean;
  inputLocked: boolean;
  looping: boolean;
  stopped: boolean;
  allowAll: boolean;
  due: number | undefined;
  calls: readonly MemberRow[];
}

export const batchRow: Shape<BatchRow> = {
  length: 13,
  item: 4,
  read: (n, at) => ({
    phase: phaseNames[n[at] as number] as (typeof phaseNames)[number],
    action: actionNames[n[at + 1] as number],
    asking: n[at + 2] as number,
    allowed: n[at + 3] as number,
    denied: n[at + 4] as number,
    refusals: n[at + 5] as number,
    undoable: n[at + 6] === 1,
    inputLocked: n[at + 7] === 1,
    looping: n[at + 8] === 1,
    stopped: n[at + 9] === 1,
    allowAll: n[at + 10] === 1,
    due: optional(n[at + 11] as number),
    calls: itemsAt(n, at + 13, n[at + 12], memberRow),
  }),
};

export interface GrantRow {
  grant: number;
  allows: boolean;
  call: number;
  id: number;
  fields: number;
  fingerprint: number;
  committed: boolean;
  active: boolean;
  at: number;
  until: number | undefined;
  uses: number;
  lastUse: number | undefined;
  tool: number;
  server: number;
}

export const grantRow: Shape<GrantRow> = {
  length: 14,
  read: (n, at) => ({
    grant: n[at] as number,
    allows: n[at + 1] === 1,
    call: n[at + 2] as number,
    id: n[at + 3] as number,
    fields: n[at + 4] as number,
    fingerprint: n[at + 5] as number,
    committed: n[at + 6] === 1,
    active: n[at + 7] === 1,
    at: n[at + 8] as number,
    until: optional(n[at + 9] as number),
    uses: n[at + 10] as number,
    lastUse: optional(n[at + 11] as number),
    tool: n[at + 12] as number,
    server: n[at + 13] as number,
  }),
};

export interface PendingRow {
  call: number;
}

export const pendingRow: Shape<PendingRow> = {
  length: 1,
  read: (n, at) => ({
    call: n[at] as number,
  }),
};

export interface VerdictRow {
  reason: Reason;
}

export const verdictRow: Shape<VerdictRow> = {
  length: 1,
  read: (n, at) => ({
    reason: n[at] as Reason,
  }),
};

export interface NeedRow {
  call: number;
  tool: number;
  id: number;
  approval: number;
  need: (typeof needNames)[number];
}

export const needRow: Shape<NeedRow> = {
  length: 5,
  read: (n, at) => ({
    call: n[at] as number,
    tool: n[at + 1] as number,
    id: n[at + 2] as number,
    approval: n[at + 3] as number,
    need: needNames[n[at + 4] as number] as (typeof needNames)[number],
  }),
};

export interface WantedRow {
  tool: number;
  fields: number;
}

export const wantedRow: Shape<WantedRow> = {
  length: 2,
  read: (n, at) => ({
    tool: n[at] as number,
    fields: n[at + 1] as number,
  }),
};

export interface DecisionRow {
  decision: DecisionType;
  message: number | undefined;
  part: number | undefined;
  current: boolean;
  edited: boolean;
  overwritten: boolean;
  waitsFor: (typeof needNames)[number] | undefined;
  code: (typeof readProblemNames)[number] | undefined;
}

export const decisionRow: Shape<DecisionRow> = {
  length: 8,
  read: (n, at) => ({
    decision: n[at] as DecisionType,
    message: optional(n[at + 1] as number),
    part: optional(n[at + 2] as number),
    current: n[at + 3] === 1,
    edited: n[at + 4] === 1,
    overwritten: n[at + 5] === 1,
    waitsFor: needNames[n[at + 6] as number],
    code: readProblemNames[n[at + 7] as number],
  }),
};

export interface MergeRow {
  kind: Merged;
  storedMessage: number;
  storedPart: number;
  message: number | undefined;
  part: number | undefined;
  state: number;
  code: (typeof notTakenNames)[number] | undefined;
  answer: boolean | undefined;
  edited: boolean;
}

export const mergeRow: Shape<MergeRow> = {
  length: 9,
  read: (n, at) => ({
    kind: n[at] as Merged,
    storedMessage: n[at + 1] as number,
    storedPart: n[at + 2] as number,
    message: optional(n[at + 3] as number),
    part: optional(n[at + 4] as number),
    state: n[at + 5] as number,
    code: notTakenNames[n[at + 6] as number],
    answer: answerOf(n[at + 7] as number),
    edited: n[at + 8] === 1,
  }),
};

export interface ShownCallRow {
  part: number;
  call: number;
  flags: number;
}

export const shownCallRow = (to: number[], f: ShownCallRow): void => {
  to.push(f.part, f.call, f.flags);
};

export interface ContentRow {
  message: number;
  content: readonly [low: number, high: number];
}

export const contentRow = (to: number[], f: ContentRow): void => {
  to.push(f.message, f.content[0], f.content[1]);
};

export interface PartFactsRow {
  message: number;
  index: number;
  userTurn: number;
  step: number;
  occurrence: number;
  tool: number;
  server: number;
  id: number;
  approval: number;
  flags: number;
  input: readonly [low: number, high: number];
  edit: readonly [low: number, high: number];
  output: readonly [low: number, high: number];
}

export const partFactsRow = (to: number[], f: PartFactsRow): void => {
  to.push(f.message, f.index, f.userTurn, f.step, f.occurrence, f.tool, f.server, f.id, f.approval, f.flags, f.input[0], f.input[1], f.edit[0], f.edit[1], f.output[0], f.output[1]);
};

export interface ListedPartRow {
  call: number;
  flags: number;
  output: readonly [low: number, high: number];
}

export const listedPartRow = (to: number[], f: ListedPartRow): void => {
  to.push(f.call, f.flags, f.output[0], f.output[1]);
};

export interface ListedRow {
  message: number;
  assistant: boolean;
  content: readonly [low: number, high: number];
  parts: readonly ListedPartRow[];
}

export const listedRow = (to: number[], f: ListedRow): void => {
  to.push(f.message, Number(f.assistant), f.content[0], f.content[1], f.parts.length);
  for (const item of f.parts) listedPartRow(to, item);
};

export interface NamedRow {
  call: number;
  id: number;
}

export const namedRow = (to: number[], f: NamedRow): void => {
  to.push(f.call, f.id);
};

export interface FieldsKeyRow {
  fields: number;
  fingerprint: number;
}

export const fieldsKeyRow = (to: number[], f: FieldsKeyRow): void => {
  to.push(f.fields, f.fingerprint);
};

export interface ClientToolFact {
  tool: number;
}

export const clientToolFact = (to: number[], f: ClientToolFact): void => {
  to.push(0, f.tool);
};

export interface PartFact {
  known: number;
  message: number;
  index: number;
  userTurn: number;
  step: number;
  occurrence: number;
  tool: number;
  server: number;
  id: number;
  approval: number;
  flags: number;
  input: readonly [low: number, high: number];
  edit: readonly [low: number, high: number];
  output: readonly [low: number, high: number];
  current: boolean;
}

export const partFact = (to: number[], f: PartFact): void => {
  to.push(1, f.known, f.message, f.index, f.userTurn, f.step, f.occurrence, f.tool, f.server, f.id, f.approval, f.flags, f.input[0], f.input[1], f.edit[0], f.edit[1], f.output[0], f.output[1], Number(f.current));
};

export interface MissingFact {
  part: number;
  call: number;
}

export const missingFact = (to: number[], f: MissingFact): void => {
  to.push(2, f.part, f.call);
};

export interface RelocatedFact {
  part: number;
  call: number;
}

export const relocatedFact = (to: number[], f: RelocatedFact): void => {
  to.push(3, f.part, f.call);
};

export interface ScanCompleteFact {
  trigger: number;
}

export const scanCompleteFact = (to: number[], f: ScanCompleteFact): void => {
  to.push(4, f.trigger);
};

export interface StepFact {
  assistant: boolean;
  message: number;
  text: boolean;
  rows: readonly ShownCallRow[];
}

export const stepFact = (to: number[], f: StepFact): void => {
  to.push(5, Number(f.assistant), f.message, Number(f.text), f.rows.length);
  for (const item of f.rows) shownCallRow(to, item);
};

export interface AdoptFact {
  messages: readonly ContentRow[];
  parts: readonly PartFactsRow[];
}

export const adoptFact = (to: number[], f: AdoptFact): void => {
  to.push(6, f.messages.length);
  for (const item of f.messages) contentRow(to, item);
  to.push(f.parts.length);
  for (const item of f.parts) partFactsRow(to, item);
};

export interface HydrateFact {
  on: boolean;
}

export const hydrateFact = (to: number[], f: HydrateFact): void => {
  to.push(7, Number(f.on));
};

export interface ReportsAnswersFact {
  on: boolean;
}

export const reportsAnswersFact = (to: number[], f: ReportsAnswersFact): void => {
  to.push(8, Number(f.on));
};

export const askFact = (to: number[]): void => void to.push(9);

export const askedInVainFact = (to: number[]): void => void to.push(10);

export interface LeaseOverFact {
  sending: boolean;
}

export const leaseOverFact = (to: number[], f: LeaseOverFact): void => {
  to.push(11, Number(f.sending));
};

export interface OutgoingFact {
  signal: number;
  last: number;
  length: number;
  continuesAnother: boolean;
  queues: boolean;
}

export const outgoingFact = (to: number[], f: OutgoingFact): void => {
  to.push(12, f.signal, f.last, f.length, Number(f.continuesAnother), Number(f.queues));
};

export interface WaitedFact {
  continues: boolean;
  promised: boolean;
  latest: number;
}

export const waitedFact = (to: number[], f: WaitedFact): void => {
  to.push(13, Number(f.continues), Number(f.promised), f.latest);
};

export interface SendFact {
  chat: number;
  trigger: number;
  continues: boolean;
}

export const sendFact = (to: number[], f: SendFact): void => {
  to.push(14, f.chat, f.trigger, Number(f.continues));
};

export interface StartedFact {
  request: number;
}

export const startedFact = (to: number[], f: StartedFact): void => {
  to.push(15, f.request);
};

export interface EndedFact {
  request: number;
}

export const endedFact = (to: number[], f: EndedFact): void => {
  to.push(16, f.request);
};

export interface FailedFact {
  request: number;
  asked: boolean;
  status: number;
}

export const failedFact = (to: number[], f: FailedFact): void => {
  to.push(17, f.request, Number(f.asked), f.status);
};

export interface CarriedFact {
  request: number;
  list: readonly ListedRow[];
}

export const carriedFact = (to: number[], f: CarriedFact): void => {
  to.push(18, f.request, f.list.length);
  for (const item of f.list) listedRow(to, item);
};

export interface UnsentFact {
  list: readonly ListedRow[];
}

export const unsentFact = (to: number[], f: UnsentFact): void => {
  to.push(19, f.list.length);
  for (const item of f.list) listedRow(to, item);
};

export interface LackingFact {
  request: number;
  message: number;
  call: number;
}

export const lackingFact = (to: number[], f: LackingFact): void => {
  to.push(20, f.request, f.message, f.call);
};

export interface BegunFact {
  request: number;
  message: number;
}

export const begunFact = (to: number[], f: BegunFact): void => {
  to.push(21, f.request, f.message);
};

export interface ChunkFact {
  request: number;
  kind: number;
  id: number;
  tool: number;
  approval: number;
  approved: number;
  content: readonly [low: number, high: number];
  preliminary: boolean;
}

export const chunkFact = (to: number[], f: ChunkFact): void => {
  to.push(22, f.request, f.kind, f.id, f.tool, f.approval, f.approved, f.content[0], f.content[1], Number(f.preliminary));
};

export interface ChatAnswerFact {
  approval: number;
  approved: boolean;
}

export const chatAnswerFact = (to: number[], f: ChatAnswerFact): void => {
  to.push(23, f.approval, Number(f.approved));
};

export const lookFact = (to: number[]): void => void to.push(24);

export interface PageOutputFact {
  id: number;
  output: readonly [low: number, high: number];
}

export const pageOutputFact = (to: number[], f: PageOutputFact): void => {
  to.push(25, f.id, f.output[0], f.output[1]);
};

export const stoppedFact = (to: number[]): void => void to.push(26);

export interface PermitFact {
  permit: number;
}

export const permitFact = (to: number[], f: PermitFact): void => {
  to.push(27, f.permit);
};

export const permitOverFact = (to: number[]): void => void to.push(28);

export interface AnnotateFact {
  part: number;
  call: number;
  dangerous: boolean;
  lifetime: number;
}

export const annotateFact = (to: number[], f: AnnotateFact): void => {
  to.push(29, f.part, f.call, Number(f.dangerous), f.lifetime);
};

export interface EvaluateRuleFact {
  part: number;
  call: number;
  effect: number;
  always: boolean;
  rule: number;
}

export const evaluateRuleFact = (to: number[], f: EvaluateRuleFact): void => {
  to.push(30, f.part, f.call, f.effect, Number(f.always), f.rule);
};

export interface FingerprintFact {
  part: number;
  call: number;
  fields: number;
  fingerprint: number;
}

export const fingerprintFact = (to: number[], f: FingerprintFact): void => {
  to.push(31, f.part, f.call, f.fields, f.fingerprint);
};

export const forgetFingerprintsFact = (to: number[]): void => void to.push(32);

export interface MatchFact {
  part: number;
  call: number;
}

export const matchFact = (to: number[], f: MatchFact): void => {
  to.push(33, f.part, f.call);
};

export interface DecideFact {
  call: number;
  id: number;
  isShown: boolean;
  shownCall: number;
  shownInput: readonly [low: number, high: number];
  shownServer: number;
  choice: number;
  covers: number;
  lifetime: number;
  input: readonly [low: number, high: number];
  editable: boolean;
  signed: boolean;
  faulty: boolean;
  denied: boolean;
  program: number;
}

export const decideFact = (to: number[], f: DecideFact): void => {
  to.push(34, f.call, f.id, Number(f.isShown), f.shownCall, f.shownInput[0], f.shownInput[1], f.shownServer, f.choice, f.covers, f.lifetime, f.input[0], f.input[1], Number(f.editable), Number(f.signed), Number(f.faulty), Number(f.denied), f.program);
};

export interface UndoFact {
  calls: readonly NamedRow[];
}

export const undoFact = (to: number[], f: UndoFact): void => {
  to.push(35, f.calls.length);
  for (const item of f.calls) namedRow(to, item);
};

export const undoAllFact = (to: number[]): void => void to.push(36);

export interface CommitFact {
  cause: number;
}

export const commitFact = (to: number[], f: CommitFact): void => {
  to.push(37, f.cause);
};

export interface TryCommitFact {
  byPerson: boolean;
}

export const tryCommitFact = (to: number[], f: TryCommitFact): void => {
  to.push(38, Number(f.byPerson));
};

export interface UnwrittenFact {
  waitedFor: number;
}

export const unwrittenFact = (to: number[], f: UnwrittenFact): void => {
  to.push(39, f.waitedFor);
};

export interface ExtendFact {
  call: number;
  id: number;
}

export const extendFact = (to: number[], f: ExtendFact): void => {
  to.push(40, f.call, f.id);
};

export interface UnmaskFact {
  call: number;
  id: number;
}

export const unmaskFact = (to: number[], f: UnmaskFact): void => {
  to.push(41, f.call, f.id);
};

export interface RevokeFact {
  grant: number;
  elsewhere: boolean;
}

export const revokeFact = (to: number[], f: RevokeFact): void => {
  to.push(42, f.grant, Number(f.elsewhere));
};

export const revokeAllFact = (to: number[]): void => void to.push(43);

export interface RestoreFact {
  part: number;
  call: number;
  approval: number;
  approved: number;
  draft: boolean;
  actor: number;
  reach: number;
  settled: boolean;
  sameInput: boolean;
  takenBack: boolean;
  found: boolean;
  elsewhere: boolean;
  askedAt: number;
  deadline: number;
  latest: number;
  candidates: number;
  user: number;
  edit: readonly [low: number, high: number];
}

export const restoreFact = (to: number[], f: RestoreFact): void => {
  to.push(44, f.part, f.call, f.approval, f.approved, Number(f.draft), f.actor, f.reach, Number(f.settled), Number(f.sameInput), Number(f.takenBack), Number(f.found), Number(f.elsewhere), f.askedAt, f.deadline, f.latest, f.candidates, f.user, f.edit[0], f.edit[1]);
};

export interface RestoreGrantFact {
  name: number;
  server: number;
  approved: boolean;
  fields: number;
  fingerprint: number;
  lifetime: number;
}

export const restoreGrantFact = (to: number[], f: RestoreGrantFact): void => {
  to.push(45, f.name, f.server, Number(f.approved), f.fields, f.fingerprint, f.lifetime);
};

export interface GrantedFact {
  name: number;
  server: number;
  keys: readonly FieldsKeyRow[];
}

export const grantedFact = (to: number[], f: GrantedFact): void => {
  to.push(46, f.name, f.server, f.keys.length);
  for (const item of f.keys) fieldsKeyRow(to, item);
};

export interface RepairFact {
  number: number;
  part: number;
  call: number;
  flags: number;
  approval: number;
  input: readonly [low: number, high: number];
  edit: readonly [low: number, high: number];
  scope: number;
  above: boolean;
}

export const repairFact = (to: number[], f: RepairFact): void => {
  to.push(47, f.number, f.part, f.call, f.flags, f.approval, f.input[0], f.input[1], f.edit[0], f.edit[1], f.scope, Number(f.above));
};

export interface RestoreSendsFact {
  sends: number;
}

export const restoreSendsFact = (to: number[], f: RestoreSendsFact): void => {
  to.push(48, f.sends);
};

export const wakeFact = (to: number[]): void => void to.push(49);

export const guardEndsFact = (to: number[]): void => void to.push(50);

export interface OptionsRow {
  policy: readonly number[];
  clientTools: readonly number[];
  unavailableTools: readonly number[];
  chat: number;
  user: number;
}

export const optionsRow = (to: number[], f: OptionsRow): void => {
  to.push(...f.policy, f.clientTools.length, ...f.clientTools, f.unavailableTools.length, ...f.unavailableTools, f.chat, f.user);
};

/** The options by which the core decides. */
export interface PolicyOptions {
  sendOn?: 'both' | 'approvals' | 'outputs';
  whenUserSends?: 'deny' | 'pass';
  whenAllDenied?: 'send' | 'hold';
  sendEach?: boolean;
  maxAutomaticSends?: number;
  undoMs?: number;
  undoMsWhenDangerous?: number;
  warnMs?: number;
  outputMs?: number;
  attended?: boolean;
}

/** Their names, in the order in which they cross. */
export const policyNames = [
  'sendOn',
  'whenUserSends',
  'whenAllDenied',
  'sendEach',
  'maxAutomaticSends',
  'undoMs',
  'undoMsWhenDangerous',
  'warnMs',
  'outputMs',
  'attended',
] as const;

/** The numbers that an option takes. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly orInfinity: boolean;
  readonly isCount: boolean;
}

/** The values of each: one of these names, a number, or true or false. */
export const policyTakes: readonly (readonly string[] | Range | undefined)[] = [
  ['both', 'approvals', 'outputs'],
  ['deny', 'pass'],
  ['send', 'hold'],
  undefined,
  { from: 0, to: 1000000, orInfinity: false, isCount: true },
  { from: 0, to: 2592000000, orInfinity: true, isCount: false },
  { from: 0, to: 2592000000, orInfinity: true, isCount: false },
  { from: 0, to: 2592000000, orInfinity: true, isCount: false },
  { from: 1000, to: 2592000000, orInfinity: false, isCount: false },
  undefined,
];

export const enum Table {
  Entries,
  Calls,
  Batch,
  Pending,
  Grants,
  Grant,
  Verdict,
  Wanted,
  Covered,
  Named,
  Strings,
  Fingerprints,
}

export const enum EffectKind {
  Seen,
  Verdict,
  Overtaken,
  Request,
  Held,
  Answered,
  Permitted,
  Act,
  Repair,
  Granted,
  TimedOut,
  Unsent,
  Problem,
}

export interface ChangedRow {
  call: number;
  approved: boolean;
  cause: number;
  edit: readonly [low: number, high: number];
}

export const changedRow: Shape<ChangedRow> = {
  length: 5,
  read: (n, at) => ({
    call: n[at] as number,
    approved: n[at + 1] === 1,
    cause: n[at + 2] as number,
    edit: [n[at + 3] as number, n[at + 4] as number],
  }),
};

export interface NewsRow {
  index: number;
  call: number;
}

export const newsRow: Shape<NewsRow> = {
  length: 2,
  read: (n, at) => ({
    index: n[at] as number,
    call: n[at + 1] as number,
  }),
};

export interface SeenEffect {
  call: number;
  watched: boolean;
  approval: number;
  keeps: Keeps;
  keptOutput: KeptOutput;
}

export const seenEffect: Shape<SeenEffect> = {
  length: 5,
  read: (n, at) => ({
    call: n[at] as number,
    watched: n[at + 1] === 1,
    approval: n[at + 2] as number,
    keeps: n[at + 3] as Keeps,
    keptOutput: n[at + 4] as KeptOutput,
  }),
};

export interface VerdictEffect {
  reason: Reason;
}

export const verdictEffect: Shape<VerdictEffect> = {
  length: 1,
  read: (n, at) => ({
    reason: n[at] as Reason,
  }),
};

export interface OvertakenEffect {
  overtaken: boolean;
}

export const overtakenEffect: Shape<OvertakenEffect> = {
  length: 1,
  read: (n, at) => ({
    overtaken: n[at] === 1,
  }),
};

export interface RequestEffect {
  request: number;
  person: boolean;
}

export const requestEffect: Shape<RequestEffect> = {
  length: 2,
  read: (n, at) => ({
    request: n[at] as number,
    person: n[at + 1] === 1,
  }),
};

export interface AnsweredEffect {
  call: number;
}

export const answeredEffect: Shape<AnsweredEffect> = {
  length: 1,
  read: (n, at) => ({
    call: n[at] as number,
  }),
};

export interface PermittedEffect {
  way: Way;
  call: number;
}

export const permittedEffect: Shape<PermittedEffect> = {
  length: 2,
  read: (n, at) => ({
    way: n[at] as Way,
    call: n[at + 1] as number,
  }),
};

export interface ActEffect {
  result: ActCode;
  refusal: (typeof refusalNames)[number] | undefined;
  grant: number;
  call: number;
  changed: readonly ChangedRow[];
}

export const actEffect: Shape<ActEffect> = {
  length: 5,
  item: 5,
  read: (n, at) => ({
    result: n[at] as ActCode,
    refusal: refusalNames[n[at + 1] as number],
    grant: n[at + 2] as number,
    call: n[at + 3] as number,
    changed: itemsAt(n, at + 5, n[at + 4], changedRow),
  }),
};

export interface RepairEffect {
  number: number;
  repair: Repair;
  cause: number;
  keepsShownDenial: boolean;
  input: number;
  edit: readonly [low: number, high: number];
}

export const repairEffect: Shape<RepairEffect> = {
  length: 7,
  read: (n, at) => ({
    number: n[at] as number,
    repair: n[at + 1] as Repair,
    cause: n[at + 2] as number,
    keepsShownDenial: n[at + 3] === 1,
    input: n[at + 4] as number,
    edit: [n[at + 5] as number, n[at + 6] as number],
  }),
};

export interface GrantedEffect {
  grant: number;
}

export const grantedEffect: Shape<GrantedEffect> = {
  length: 1,
  read: (n, at) => ({
    grant: n[at] as number,
  }),
};

export interface TimedOutEffect {
  calls: readonly number[];
}

export const timedOutEffect: Shape<TimedOutEffect> = {
  length: 1,
  item: 1,
  read: (n, at) => ({
    calls: itemsAt(n, at + 1, n[at], number),
  }),
};

export interface UnsentEffect {
  from: number;
  news: readonly NewsRow[];
}

export const unsentEffect: Shape<UnsentEffect> = {
  length: 2,
  item: 2,
  read: (n, at) => ({
    from: n[at] as number,
    news: itemsAt(n, at + 2, n[at + 1], newsRow),
  }),
};

export interface ProblemEffect {
  problem: (typeof problemNames)[number];
  call: number;
}

export const problemEffect: Shape<ProblemEffect> = {
  length: 2,
  read: (n, at) => ({
    problem: problemNames[n[at] as number] as (typeof problemNames)[number],
    call: n[at + 1] as number,
  }),
};
