// Reads one tool part.

import { digestOf, INPUT_BUDGET, NO_DIGEST, OUTPUT_BUDGET, sameDigest, type Digest } from './digest.js';
import {
  NoteName,
  PartBit,
  PartTypeName,
  ToolState,
  ToolStateName,
  toolStateNames,
} from '../generated/abi.js';
import { isObject, type Fields } from '../objects.js';
import type { Repairable } from '../engine/core.js';
import type { ToolAnnotations } from '../types/rules.js';
import type { StringIds } from './string-ids.js';

/** The call that a part shows. All copies of the part share this object. */
export interface TrackedCall {
  /** The number of the call; 0 until the core knows it. */
  call: number;
  /** The number of the part among those that wait for the next crossing; 0 after it. */
  pending: number;
  /** Whether the application describes it, so that its own input is not what a person has seen. */
  isDescribed?: boolean;
}

/** The changed inputs that persons have given. */
export interface KnownEdits {
  /** Whether a person has put this input in the place of the one that a question is about. */
  isEdit(approvalId: unknown, input: Digest): boolean;
}

/** A tool part as it was last read. */
export interface PartFacts extends Repairable {
  type: string;
  toolName: unknown;
  toolCallId: unknown;
  state: unknown;
  approval: unknown;
  approvalId: unknown;
  approved: unknown;
  input: unknown;
  output: unknown;
  errorText: unknown;
  preliminary: unknown;
  provider: unknown;
  title: unknown;
  /** `toolMetadata` */
  metadata: unknown;
  /** The server of the tool, if the part names it. */
  server: string | undefined;
  /** The annotations of the tool, if the part has any. */
  hints: ToolAnnotations | undefined;
  tracked: TrackedCall;
  /** Whether it has to be told again, although it may show the same. */
  isDue: boolean;
  /** The part as it was before, until the core has taken the new state. */
  before: PartFacts | undefined;
  /** State, answer and flags in one number, in the form of the core. */
  code: number;
  /** The id of the approval id's string. */
  approvalRef: number;
  /** Of a changed input, that of the input that the model asked for. */
  inputDigest: Digest;
  /** The digest of the changed input that the part shows; `NO_DIGEST` where it shows what the model asked for. */
  editDigest: Digest;
  /** `callProviderMetadata` */
  callMetadata: unknown;
  outputDigest: Digest;
}

export const isToolPart = (part: unknown): part is Fields & { readonly type: string } =>
  isObject(part) &&
  typeof part.type === 'string' &&
  (part.type === PartTypeName.DynamicTool || part.type.startsWith(PartTypeName.ToolPrefix));

export const isBlankText = (text: unknown): boolean => typeof text !== 'string' || !/\S/.test(text);

/** The parts of a message; empty if it has no list of parts. */
export const partsOf = (message: Fields): readonly unknown[] =>
  Array.isArray(message.parts) ? (message.parts as unknown[]) : [];

/** The code of the state of a part. */
export const stateOf = ({ code }: PartFacts): ToolState => code & PartBit.State;

/** The digest of an output, or of the error that a part has in its place. */
export const outputDigestOf = (output: unknown, errorText: unknown): Digest =>
  digestOf(output === undefined ? errorText : output, OUTPUT_BUDGET);

/** The output or the error of a part, as `addToolOutput` takes it. */
export const resultOf = (facts: PartFacts) =>
  stateOf(facts) === ToolState.OutputError
    ? { state: ToolStateName.OutputError, errorText: facts.errorText }
    : { output: facts.output };

/** Whether the name of the part's tool is known only at run time. */
export const isDynamic = ({ type }: PartFacts): boolean => type === PartTypeName.DynamicTool;

/** The name of the part's tool, which may not be a string. */
export const toolOf = (facts: PartFacts): unknown =>
  isDynamic(facts) ? facts.toolName : facts.type.slice(PartTypeName.ToolPrefix.length);

/** The name of the part's tool as a string. */
export const toolNameOf = (facts: PartFacts): string => String(toolOf(facts));

/** The call of a part, as the application is asked about it. */
export const callIn = (facts: PartFacts) => ({
  toolName: toolNameOf(facts),
  dynamic: isDynamic(facts),
  toolCallId: String(facts.toolCallId),
  input: facts.input,
});

/**
 * The model's own input, if the part of an answered call shows one that a person has put in its place. Of a
 * question, the input that it shows is the one that it asks about, whatever is beside it.
 */
export function editedFrom(callMetadata: unknown): unknown {
  const note = isObject(callMetadata) ? callMetadata[NoteName.Package] : undefined;
  return isObject(note) ? (note[NoteName.EditedFrom] ?? undefined) : undefined;
}

/**
 * Whether the input of a part may be a changed one: it is answered, or a person has given it for this question, which the page is
 * about to answer, or which the server has repeated. A server may ask another question about a changed input; of that one it is the
 * very input, also once it is answered. An output that the page adds takes the approval away (`ai` 7), and is an answered call's.
 *
 * @param hasResult whether the part has an output or an error
 */
function showsEdit(
  approval: Fields,
  input: unknown,
  hasResult: boolean,
  old: PartFacts | undefined,
  edits: KnownEdits | undefined,
): boolean {
  const shown = digestOf(input, INPUT_BUDGET);
  const isTaken = hasResult && approval.id === undefined;
  if (typeof approval.approved !== 'boolean' && !isTaken) return edits?.isEdit(approval.id, shown) === true;
  const isSame = old !== undefined && (isTaken || old.approvalId === approval.id);
  const asksWithIt = isSame && sameDigest(old.editDigest, NO_DIGEST);
  return !(asksWithIt && sameDigest(old.inputDigest, shown));
}

/** The input about which the person was asked. */
export const askedInput = ({ editDigest, callMetadata, input }: PartFacts): unknown =>
  editDigest[0] === 0 ? input : editedFrom(callMetadata);

/** The server that a part names. The SDK passes on what the definition of the tool has in `metadata`. */
function serverIn(metadata: unknown): string | undefined {
  const server = isObject(metadata) ? metadata.server : undefined;
  return typeof server === 'string' && !isBlankText(server) ? server : undefined;
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** The annotations that a part has, where `@ai-sdk/mcp` puts those of a server. */
function hintsIn(metadata: unknown): ToolAnnotations | undefined {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  if (!isObject(annotations)) return undefined;
  const hints: ToolAnnotations = {};
  for (const hint of HINTS) {
    const said = annotations[hint];
    if (typeof said === 'boolean') hints[hint] = said;
  }
  return hints;
}

/** State, answer and flags of a part in one number. */
function codeOf(part: Fields, approved: unknown, ownReasons: readonly string[]): number {
  const { output, errorText, preliminary, resultProviderMetadata } = part;
  const hasResidue = [output, errorText, preliminary, resultProviderMetadata].some((it) => it !== undefined);
  const state = (toolStateNames as readonly unknown[]).indexOf(part.state);
  let code: number = state < 0 ? ToolState.Unknown : state;
  if (approved !== undefined) {
    code |= approved === true ? PartBit.Yes : approved === false ? PartBit.No : PartBit.Malformed;
  }
  if (part.providerExecuted === true) code |= PartBit.Provider;
  if (preliminary === true) code |= PartBit.Preliminary;
  if (hasResidue) code |= PartBit.Residue;
  if (ownReasons.includes(errorText as string)) code |= PartBit.ByGuard;
  return code;
}

/**
 * Reads a part; returns `undefined` if it is not a tool part.
 *
 * @param old the result of the last reading
 * @param ownReasons the reasons that the guard itself gives for denials
 */
export function readPart(
  part: Fields,
  old: PartFacts | undefined,
  ids: StringIds,
  ownReasons: readonly string[],
  edits?: KnownEdits,
): PartFacts | undefined {
  if (!isToolPart(part)) return undefined;
  const { type, approval, input, output, errorText, toolMetadata: metadata, callProviderMetadata } = part;
  const answer = isObject(approval) ? approval : ({} as Fields);
  const { id: approvalId, approved } = answer;
  const note = editedFrom(callProviderMetadata);
  const hasResult = output !== undefined || errorText !== undefined;
  const isNoted = note !== undefined && showsEdit(answer, input, hasResult, old, edits);
  const from = isNoted ? note : undefined;
  const isEdited = from !== undefined;
  const sameInput =
    old !== undefined && old.input === input && !isEdited && sameDigest(old.editDigest, NO_DIGEST);
  const sameOutput = old !== undefined && old.output === output && old.errorText === errorText;
  return {
    type,
    toolName: type === PartTypeName.DynamicTool ? part.toolName : undefined,
    toolCallId: part.toolCallId,
    state: part.state,
    approval,
    approvalId,
    approved,
    input,
    output,
    errorText,
    preliminary: part.preliminary,
    provider: part.providerExecuted,
    title: part.title,
    metadata,
    server: serverIn(metadata),
    hints: hintsIn(metadata),
    tracked: { call: 0, pending: 0 },
    isDue: false,
    before: undefined,
    atHome: undefined,
    onWire: undefined,
    code: codeOf(part, approved, ownReasons),
    // An id that is no text cannot be answered.
    approvalRef: ids.of(typeof approvalId === 'string' ? approvalId : undefined),
    inputDigest: sameInput ? old.inputDigest : digestOf(isEdited ? from : input, INPUT_BUDGET),
    editDigest: isEdited ? digestOf(input, INPUT_BUDGET) : NO_DIGEST,
    callMetadata: callProviderMetadata,
    outputDigest: sameOutput ? old.outputDigest : outputDigestOf(output, errorText),
  };
}

/** Whether the part still shows the same. */
export function isUnchanged(facts: PartFacts, part: Fields): boolean {
  const approval = part.approval;
  return (
    !facts.isDue &&
    facts.state === part.state &&
    facts.approval === approval &&
    facts.output === part.output &&
    facts.toolCallId === part.toolCallId &&
    facts.type === part.type &&
    facts.input === part.input &&
    facts.errorText === part.errorText &&
    facts.preliminary === part.preliminary &&
    facts.provider === part.providerExecuted &&
    facts.metadata === part.toolMetadata &&
    facts.callMetadata === part.callProviderMetadata &&
    (!isObject(approval) || (facts.approved === approval.approved && facts.approvalId === approval.id)) &&
    (facts.toolName === undefined || facts.toolName === part.toolName)
  );
}

/**
 * Whether the part of an open call shows nothing new that can close the call. Most checks of a chat end here. It is a
 * function of its own, because it sees parts of one shape only: engines read the fields of those several times as fast.
 */
export function isStillOpen(facts: PartFacts, part: Fields): boolean {
  const approval = part.approval;
  return (
    !facts.isDue &&
    facts.state === part.state &&
    facts.approval === approval &&
    facts.output === part.output &&
    facts.toolCallId === part.toolCallId &&
    facts.type === part.type &&
    facts.input === part.input &&
    facts.preliminary === part.preliminary &&
    (!isObject(approval) || facts.approved === approval.approved)
  );
}

/** Whether both show the same, though they were read from different objects, so that nothing new is to be told. */
export function isSame(a: PartFacts, b: PartFacts): boolean {
  return (
    !a.isDue &&
    a.code === b.code &&
    a.toolCallId === b.toolCallId &&
    a.type === b.type &&
    a.toolName === b.toolName &&
    a.approvalRef === b.approvalRef &&
    a.server === b.server &&
    HINTS.every((hint) => a.hints?.[hint] === b.hints?.[hint]) &&
    sameDigest(a.inputDigest, b.inputDigest) &&
    sameDigest(a.editDigest, b.editDigest) &&
    sameDigest(a.outputDigest, b.outputDigest)
  );
}
