// For a backend: reads the decisions about tool calls from a message list.
import { startModule } from 'virtual:module';
import { read_decisions as readOutlines } from 'virtual:server-glue';

import { canonical } from './chat/canonical.js';
import { rowsOf } from './engine/rows.js';
import { unavailable } from './module/cause.js';
import { GuardError } from './error.js';
import {
  type DecisionRow,
  decisionRow,
  DecisionType,
  decisionTypeNames,
  needNames,
  PartTypeName,
  readProblemNames,
} from './generated/abi.js';

/** An approval that a server has requested. The field names are those of the SDK's content parts. */
export interface RequestedApproval {
  /** The id of the approval. */
  approvalId: string;
  /** The id of the call. */
  toolCallId: string;
}

/** What a server knows in addition to the messages. */
export interface ReadDecisionsOptions {
  /**
   * The tools that run in the page. An approved call of such a tool is `open` until the page has added its
   * output.
   */
  clientTools?: Iterable<string>;
  /**
   * The approvals that this server has requested: all of the chat, or at least those that are not settled.
   * With this list, an approval that was never requested is malformed (`unknown-approval`), and so is a
   * result whose call has lost its approval (`unanswered`).
   */
  requested?: Iterable<RequestedApproval>;
}

/** The approval of a call, with all of its fields. */
export type ReceivedApproval = Readonly<Record<string, unknown>>;

interface Place {
  /** The index of the message in the list. */
  messageIndex: number;
  /** The index of the part in the message. */
  partIndex: number;
  /** The part itself. */
  part: Readonly<Record<string, unknown>>;
  /**
   * Whether the part belongs to the end of the list, which the server carries out now. Everything else is history and
   * must not run any more.
   */
  current: boolean;
}

interface CallDecision extends Place {
  toolCallId: string;
  toolName: string;
  /** Whether the provider runs it, not this server. */
  providerExecuted: boolean;
  /** The approval itself. */
  approval: ReceivedApproval | undefined;
  approvalId: string | undefined;
  /** The reason for the answer. */
  reason: string | undefined;
}

/** A call that was denied. */
export interface RejectedCall extends CallDecision {
  /** The kind of decision. */
  type: 'rejected';
  /** Whether a result was written over the denial. Nothing ran, so the result is made up. */
  overwritten: boolean;
}

/** A call that was allowed, has no result, and is not contradicted by anything in the list. */
export interface ApprovedCall extends CallDecision {
  /** The kind of decision. */
  type: 'approved';
  approval: ReceivedApproval;
  /** The id of the approval, which belongs to this call alone. */
  approvalId: string;
}

/** A call with an output. */
export interface CallWithOutput extends CallDecision {
  /** The kind of decision. */
  type: 'output';
  /** The output in the message. */
  output: unknown;
}

/** A call that failed. */
export interface FailedCall extends CallDecision {
  /** The kind of decision. */
  type: 'error';
  /** The error in the message. */
  errorText: string;
}

/** A call without a decision, or without a result yet. */
export interface OpenCall extends CallDecision {
  /** The kind of decision. */
  type: 'open';
  /** The next thing that the call waits for. */
  waitsFor: 'input' | 'approval' | 'output';
}

/** Why a part cannot be read as a decision. */
export type MalformedCode =
  | 'not-a-list'
  | 'not-an-object'
  | 'unknown-role'
  | 'missing-parts'
  | 'missing-type'
  | 'wrong-role'
  | 'missing-call-id'
  | 'missing-tool-name'
  | 'unknown-state'
  | 'missing-approval'
  | 'missing-approval-id'
  | 'malformed-approval'
  | 'malformed-answer'
  | 'unanswered'
  | 'misplaced-answer'
  | 'missing-output'
  | 'missing-error-text'
  | 'shared-approval'
  | 'conflicting-answers'
  | 'already-executed'
  | 'asked-again'
  | 'repeated'
  | 'duplicate-call'
  | 'changed-input'
  | 'unknown-approval';

/** A part that cannot be trusted: do not run its call, and do not use its result. */
export interface Malformed extends Omit<
  CallDecision,
  'messageIndex' | 'partIndex' | 'part' | 'toolCallId' | 'toolName'
> {
  /** The kind of decision. */
  type: 'malformed';
  /** The reason. */
  code: MalformedCode;
  /** `undefined` if there is no list. */
  messageIndex: number | undefined;
  /** `undefined` if the message cannot be read. */
  partIndex: number | undefined;
  /** The value at that place. */
  part: unknown;
  /** The call id, if there is one. */
  toolCallId: string | undefined;
  /** The name of the tool, if there is one. */
  toolName: string | undefined;
}

/** The decision about a tool call, or a malformed place in the list. */
export type ReadDecision = RejectedCall | ApprovedCall | CallWithOutput | FailedCall | OpenCall | Malformed;

/** Instantiates the wasm on first use, synchronously. */
function start(): void {
  try {
    startModule();
  } catch (cause) {
    throw unavailable('the server entry', cause);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of an own field, as `JSON.parse` makes it; never an inherited one. */
const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Whether it is a string that Rust can represent: lone surrogates are impossible there. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value);

const textOf = (fields: Fields, name: string): string | undefined => {
  const value = own(fields, name);
  return isText(value) && value !== '' ? value : undefined;
};

/** A field that counts only if it is a string; `null` for any other value. */
const textual = (fields: Fields, name: string): string | null | undefined => {
  const value = own(fields, name);
  return value === undefined || isText(value) ? value : null;
};

const FILLED = 0;

/** A placeholder that shows whether a value exists, and whether it is a string. */
const filled = (value: unknown): unknown =>
  value === undefined || value === null ? value : typeof value === 'string' ? '' : FILLED;

function approvalOf(part: Fields): unknown {
  const approval = own(part, 'approval');
  if (approval === undefined || approval === null) return undefined;
  if (!isObject(approval)) return FILLED;
  const approved = own(approval, 'approved');
  return {
    id: textual(approval, 'id'),
    approved: approved === undefined || typeof approved === 'boolean' ? approved : null,
  };
}

/** The fields of a part that cross the border, without long values. */
type Outline = Record<string, unknown>;

/** The parts of each call id, with their outlines. */
type Calls = Map<string, (readonly [part: Fields, outline: Outline])[]>;

/** The outline of a part, without input and output; inputs are compared later. */
function outlineOfPart(part: unknown, calls: Calls): unknown {
  if (!isObject(part)) return null;
  const id = textOf(part, 'toolCallId');
  const outline: Outline = {
    type: textual(part, 'type'),
    state: textual(part, 'state'),
    toolCallId: textual(part, 'toolCallId'),
    toolName: textual(part, 'toolName'),
    approval: approvalOf(part),
    output: filled(own(part, 'output')),
    errorText: filled(own(part, 'errorText')),
    preliminary: own(part, 'preliminary') === true || undefined,
  };
  if (id !== undefined) {
    const parts = calls.get(id);
    if (parts) parts.push([part, outline]);
    else calls.set(id, [[part, outline]]);
  }
  return outline;
}

/** Numbers the inputs of calls with several parts. Inputs that are equal on the wire get the same number. */
function numberInputs(calls: Calls): void {
  const numbers = new Map<unknown, number>();
  for (const parts of calls.values()) {
    if (parts.length === 1) continue;
    for (const [part, outline] of parts) {
      const input = safely(() => own(part, 'input'));
      if (input === undefined || input === null) continue;
      // An input without canonical JSON equals no other.
      const key = canonical(input) ?? outline;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      outline.input = numbers.get(key);
    }
  }
}

/** The result of `work`, or `null` if the value cannot even be read. */
function safely<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** The outline of a message. */
function outlineOf(message: unknown, calls: Calls): unknown {
  if (!isObject(message)) return null;
  const parts = own(message, 'parts');
  return {
    role: textual(message, 'role'),
    parts: Array.isArray(parts)
      ? Array.from(parts, (part) => safely(() => outlineOfPart(part, calls)))
      : null,
  };
}

/** The rows of the decisions about these messages, given as JSON. */
function judge(question: string): DecisionRow[] {
  let rows: Float64Array | undefined;
  try {
    // As bytes, because the glue would encode a string character by character.
    rows = readOutlines(new TextEncoder().encode(question));
  } catch (cause) {
    throw new GuardError('wasm-trapped', 'The WebAssembly of the server entry failed.', { cause });
  }
  if (rows === undefined) throw new GuardError('unreadable-messages', 'The messages could not be read.');
  return rowsOf(rows, decisionRow);
}

function partAt(list: readonly unknown[] | undefined, message: number, part: number): unknown {
  if (message < 0 || part < 0) return undefined;
  const found = list?.[message];
  const parts = isObject(found) ? own(found, 'parts') : undefined;
  return Array.isArray(parts) ? (parts as readonly unknown[])[part] : undefined;
}

const NOTHING: Fields = {};

/** The decision that a row says, with the fields of a tool part; all `undefined` for any other value. */
function decisionOf(row: DecisionRow, part: unknown, read: unknown): Record<string, unknown> {
  const type = isObject(read) ? textOf(read, 'type') : undefined;
  const isDynamic = type === PartTypeName.DynamicTool;
  const isCall = isDynamic || type?.startsWith(PartTypeName.ToolPrefix) === true;
  const fields = isCall ? (read as Fields) : NOTHING;
  const approval = own(fields, 'approval');
  const answer = isObject(approval) ? approval : NOTHING;
  const reason = own(answer, 'reason');
  // One object for each decision: a hostile list has a million places that cannot be read.
  return {
    type: decisionTypeNames[row.decision],
    messageIndex: row.message < 0 ? undefined : row.message,
    partIndex: row.part < 0 ? undefined : row.part,
    current: row.current === 1,
    part,
    toolCallId: textOf(fields, 'toolCallId'),
    toolName: isDynamic
      ? textOf(fields, 'toolName')
      : (isCall && type?.slice(PartTypeName.ToolPrefix.length)) || undefined,
    providerExecuted: own(fields, 'providerExecuted') === true,
    approval: isObject(approval) ? approval : undefined,
    approvalId: textOf(answer, 'id'),
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

const invalid = (sentence: string): GuardError => new GuardError('invalid-option', sentence);

const KNOWN = new Set([
  'clientTools',
  'requested',
] satisfies (keyof ReadDecisionsOptions)[]) as ReadonlySet<string>;

function listOf(options: Fields, name: keyof ReadDecisionsOptions): unknown[] | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
    throw invalid(`The option ${name} must be a list.`);
  }
  return [...(value as Iterable<unknown>)];
}

/** Checks the options. @returns names of tools, and alternating approval ids and call ids */
function readOptions(options: unknown): [clientTools: string[], requested: string[] | null] {
  if (!isObject(options)) throw invalid('The options of readDecisions must be an object, or be left out.');
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw invalid(`readDecisions has no option ${unknown}.`);
  const clientTools = listOf(options, 'clientTools') ?? [];
  if (!clientTools.every((tool) => isText(tool)))
    throw invalid('The option clientTools must be a list of tool names.');
  const requested = listOf(options, 'requested')?.flatMap((request) => {
    const ids = isObject(request) ? [request.approvalId, request.toolCallId] : [];
    if (ids.length === 0 || !ids.every((id) => isText(id) && id !== '')) {
      throw invalid('The option requested must be a list of objects with approvalId and toolCallId.');
    }
    return ids as string[];
  });
  return [clientTools, requested ?? null];
}

/**
 * Reads the decision about each tool call of a message list, in order: one decision for each tool part, and
 * one for each place that cannot be read. It accepts any value and changes nothing. Doubt is never an
 * allowance, and `approved: false` is a denial in every state.
 *
 * A made-up result (`{ denied: true }`) without an approval looks like a real one, so list the approvals that
 * this server has requested in `requested`. An approval is only as trustworthy as the sender of the list:
 * only the server knows whether the input is the one that was shown, and whether the call has already run.
 *
 * @param messages the UI messages of a request body
 * @param options what the server knows in addition to them
 * @returns one decision for each tool part, and one for each place that cannot be read
 * @throws GuardError `invalid-option`; `wasm-unavailable` if the module cannot be started, `wasm-trapped` if
 * it failed, and `unreadable-messages` if it could not read the input
 */
export function readDecisions(messages: unknown, options: ReadDecisionsOptions = {}): ReadDecision[] {
  const known = readOptions(options);
  start();
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : undefined;
  const calls: Calls = new Map();
  const outline = list && Array.from(list, (message) => safely(() => outlineOf(message, calls)));
  numberInputs(calls);
  return judge(JSON.stringify([outline ?? null, ...known])).map((row) => {
    const part = safely(() => partAt(list, row.message, row.part));
    const decision = safely(() => decisionOf(row, part, part)) ?? decisionOf(row, part, undefined);
    const { decision: type, detail } = row;
    if (type === DecisionType.Rejected) decision.overwritten = detail === 1;
    else if (type === DecisionType.Open) decision.waitsFor = needNames[detail];
    else if (type === DecisionType.Malformed) decision.code = readProblemNames[detail];
    else if (type === DecisionType.Output) decision.output = (part as Fields).output;
    else if (type === DecisionType.Error) decision.errorText = (part as Fields).errorText;
    return decision as unknown as ReadDecision;
  });
}
