// For a backend: reads the decisions about tool calls from a message list.
import { read_decisions as readOutlines } from 'virtual:server-glue';

import { rowsOf } from './engine/rows.js';
import {
  type DecisionRow,
  decisionRow,
  DecisionType,
  decisionTypeNames,
  needNames,
  readProblemNames,
} from './generated/abi.js';
import {
  callOf,
  type Calls,
  type Fields,
  isObject,
  isText,
  numberInputs,
  outlineOf,
  partAt,
  safely,
} from './server/outline.js';
import { ask, checkOptions, invalid, listOf, start, toolNames } from './server/start.js';

export {
  mergeAnswers,
  type MergeAnswersOptions,
  type MergedAnswers,
  type NotTakenCode,
  type RefusedAnswer,
} from './server/merge.js';

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

/** The decision that a row says about a part, and what can be read of the part. */
function decisionOf(row: DecisionRow, part: unknown, read: unknown): Record<string, unknown> {
  const { toolCallId, toolName, providerExecuted, approval, approvalId, reason } = callOf(read);
  // One object for each decision: a hostile list has a million places that cannot be read.
  return {
    type: decisionTypeNames[row.decision],
    messageIndex: row.message < 0 ? undefined : row.message,
    partIndex: row.part < 0 ? undefined : row.part,
    current: row.current === 1,
    part,
    toolCallId,
    toolName,
    providerExecuted,
    approval,
    approvalId,
    reason,
  };
}

const KNOWN = ['clientTools', 'requested'] satisfies (keyof ReadDecisionsOptions)[];

/** Checks the options. @returns names of tools, and alternating approval ids and call ids */
function readOptions(options: unknown): [clientTools: string[], requested: string[] | null] {
  checkOptions(options, 'readDecisions', KNOWN);
  const clientTools = toolNames(options);
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
  return rowsOf(ask(readOutlines, [outline ?? null, ...known]), decisionRow).map((row) => {
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
