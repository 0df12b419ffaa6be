// For a backend: reads the decisions about tool calls from a message list.
import { read_decisions as readOutlines } from 'virtual:server-glue';

import { rowsOf } from './engine/rows.js';
import { type DecisionRow, decisionRow, DecisionType, decisionTypeNames } from './generated/abi.js';
import {
  callOf,
  type Calls,
  editedFrom,
  isText,
  numberInputs,
  outlineOf,
  partAt,
  safely,
} from './server/outline.js';
import { type Fields, isRecord } from './objects.js';
import { ask } from './server/module.js';
import { checkOptions, invalid, listOf, toolNames } from './server/options.js';

export * from './server/merge.js';
export * from './server/sign-edits.js';
export * from './server/tell-edits.js';

/** An approval that a server has requested. The field names are those of the SDK's content parts. */
export interface RequestedApproval {
  /** The id of the approval. */
  approvalId: string;
  /** The id of the call. */
  toolCallId: string;
}

/** A server's knowledge beyond the messages. */
export interface ReadDecisionsOptions {
  /**
   * The tools that run in the page. An approved call of such a tool is `open` until the page has added its
   * output.
   *
   * @default none: this server runs every tool
   * @see `docs/backends.md#what-only-your-server-knows`
   */
  clientTools?: Iterable<string>;
  /**
   * The approvals that this server has requested: all of the chat, or at least those that are not settled.
   * With this list, an approval that was never requested is malformed (`unknown-approval`), and so is a
   * result whose call has lost its approval (`unanswered`).
   *
   * @default not known: an invented result without an approval looks like any other
   * @see `docs/backends.md#what-only-your-server-knows`
   */
  requested?: Iterable<RequestedApproval>;
}

/** The approval of a call, with all of its fields. */
export type ReceivedApproval = Readonly<Record<string, unknown>>;

/** The inputs of a call whose input the user has changed. */
export interface EditedInput {
  /** The input that the model asked for. */
  from: unknown;
  /** The input that the user has allowed: the `input` of the part. */
  to: unknown;
}

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
  /**
   * Both inputs, if the user has changed the input before allowing the call: that of the model, and the one that runs. Only
   * the server knows whether its tool may be changed.
   */
  edited?: EditedInput;
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

/** The reason why a part cannot be read as a decision. */
export type MalformedCode =
  /**
   * the messages are not a list
   *
   * what writes the body
   */
  | 'not-a-list'
  /**
   * a message or a part is not an object
   *
   * what writes the body
   */
  | 'not-an-object'
  /**
   * the role of a message is not `system`, `user` or `assistant`
   *
   * what writes the body
   */
  | 'unknown-role'
  /**
   * a message has no list of parts
   *
   * what writes the body
   */
  | 'missing-parts'
  /**
   * a part has no type
   *
   * what writes the body
   */
  | 'missing-type'
  /**
   * a tool call is in a message that is not from the assistant
   *
   * what writes messages by hand
   */
  | 'wrong-role'
  /**
   * the id of a call is not text, or is empty
   *
   * what stores messages, and drops fields
   */
  | 'missing-call-id'
  /**
   * a call has no name of a tool
   *
   * what stores messages, and drops fields
   */
  | 'missing-tool-name'
  /**
   * a state that is none of the seven
   *
   * a newer SDK on the page
   */
  | 'unknown-state'
  /**
   * a call that asks, or was answered, has no approval
   *
   * what writes approvals by hand
   */
  | 'missing-approval'
  /**
   * the id of an approval is not text, or is empty
   *
   * what stores messages, and drops fields
   */
  | 'missing-approval-id'
  /**
   * an approval is not an object
   *
   * what writes approvals by hand
   */
  | 'malformed-approval'
  /**
   * `approved` is neither `true` nor `false`
   *
   * what writes approvals by hand
   */
  | 'malformed-answer'
  /**
   * a result, or an answer, without a yes or a no
   *
   * a tool component that calls `addToolOutput` over a question
   */
  | 'unanswered'
  /**
   * an answer in a state that has none
   *
   * what writes approvals by hand
   */
  | 'misplaced-answer'
  /**
   * a result has no output
   *
   * a tool that returns nothing: it has no output in JSON
   */
  | 'missing-output'
  /**
   * an error has no text
   *
   * what writes the error
   */
  | 'missing-error-text'
  /**
   * two calls have the same approval id
   *
   * the model, or a list that was assembled from others
   */
  | 'shared-approval'
  /**
   * the call was answered with both yes and no
   *
   * two tabs, or a forged list
   */
  | 'conflicting-answers'
  /**
   * a yes to a call that has run
   *
   * a stored list that was appended to
   */
  | 'already-executed'
  /**
   * a yes to a question that was asked again since
   *
   * a stored list that was appended to
   */
  | 'asked-again'
  /**
   * a yes that came before
   *
   * a stored list that was appended to
   */
  | 'repeated'
  /**
   * two calls of one step have the same call id
   *
   * the model, or a list that was assembled from others
   */
  | 'duplicate-call'
  /**
   * the same approval is on two different inputs
   *
   * a forged list, or an input that the page has changed
   */
  | 'changed-input'
  /**
   * nobody asked with this approval id, according to `requested`
   *
   * a forged list, or `requested` of another chat
   */
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
    messageIndex: row.message,
    partIndex: row.part,
    current: row.current,
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

/** Checks the options, and returns them as the module reads them. */
function readOptions(options: unknown) {
  checkOptions(options, 'readDecisions', KNOWN);
  const clientTools = toolNames(options, 'clientTools');
  const requested = listOf(options, 'requested')?.map((request) => {
    const { approvalId, toolCallId } = isRecord(request) ? request : ({} as Fields);
    if (![approvalId, toolCallId].every((id) => isText(id) && id !== '')) {
      throw invalid('The option requested must be a list of objects with approvalId and toolCallId.');
    }
    return { approvalId, toolCallId };
  });
  return { clientTools, requested };
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
 * @param options the server's knowledge beyond them
 * @returns one decision for each tool part, and one for each place that cannot be read
 * @throws GuardError `invalid-option`; `wasm-unavailable` if the module cannot be started, `wasm-trapped` if
 * it failed, and `unreadable-messages` if it could not read the input
 */
export function readDecisions(messages: unknown, options: ReadDecisionsOptions = {}): ReadDecision[] {
  const known = readOptions(options);
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : undefined;
  const calls: Calls = new Map();
  const outline = list && Array.from(list, (message) => safely(() => outlineOf(message, calls)));
  numberInputs(calls);
  return rowsOf(ask(readOutlines, { messages: outline ?? null, ...known }), decisionRow).map((row) => {
    const part = safely(() => partAt(list, row.message, row.part));
    const decision = safely(() => decisionOf(row, part, part)) ?? decisionOf(row, part, undefined);
    const { decision: type, overwritten, waitsFor, code } = row;
    if (row.edited) decision.edited = { from: editedFrom(part as Fields), to: (part as Fields).input };
    if (type === DecisionType.Rejected) decision.overwritten = overwritten;
    else if (type === DecisionType.Open) decision.waitsFor = waitsFor;
    else if (type === DecisionType.Malformed) decision.code = code;
    else if (type === DecisionType.Output) decision.output = (part as Fields).output;
    else if (type === DecisionType.Error) decision.errorText = (part as Fields).errorText;
    return decision as unknown as ReadDecision;
  });
}
