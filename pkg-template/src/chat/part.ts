// What one tool part shows.

import { digestOf, INPUT_BUDGET, OUTPUT_BUDGET, sameDigest, type Digest } from './digest.js';
import type { StringIds } from './string-ids.js';
import type { Vocabulary } from './vocabulary.js';

/** A foreign object, whose fields may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** What was last read from a tool part. */
export interface PartFacts {
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
  /** The number of the call; 0 before the core knows it. */
  call: number;
  /** State, answer and flags in one number, as the core reads it. */
  code: number;
  /** The number that stands for the approval id. */
  approvalRef: number;
  inputDigest: Digest;
  outputDigest: Digest;
}

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

export const isBlank = (text: unknown): boolean => typeof text !== 'string' || !/\S/.test(text);

/** The parts of a message; none where it has no list of them. */
export const partsOf = (message: Fields): readonly unknown[] =>
  Array.isArray(message.parts) ? (message.parts as unknown[]) : [];

/** The code of the state of a part. */
export const stateOf = ({ code }: PartFacts): number => code & 7;

/** Does the name of the part's tool become known only at run time? */
export const isDynamic = ({ type }: PartFacts, { dynamicTool }: Vocabulary): boolean => type === dynamicTool;

/** The name of the part's tool, which may be no string. */
export const toolOf = (facts: PartFacts, vocabulary: Vocabulary): unknown =>
  isDynamic(facts, vocabulary) ? facts.toolName : facts.type.slice(vocabulary.toolPrefix.length);

/** The name of the part's tool as a text. */
export const toolNameOf = (facts: PartFacts, vocabulary: Vocabulary): string =>
  String(toolOf(facts, vocabulary));

/** State, answer and flags of a part in one number; see `Facts::from_code` in `src/core/call.rs`. */
function codeOf(part: Fields, approved: unknown, vocabulary: Vocabulary): number {
  const { output, errorText, preliminary, resultProviderMetadata } = part;
  const answer = approved === true ? 3 : approved === false ? 2 : approved === undefined ? 0 : 1;
  const hasResidue = [output, errorText, preliminary, resultProviderMetadata].some((it) => it !== undefined);
  const isOwnError = errorText !== undefined && vocabulary.reasons.includes(errorText as string);
  return (
    (vocabulary.states.get(part.state) ?? vocabulary.unknownState) |
    (answer << 3) |
    (part.providerExecuted === true ? 32 : 0) |
    (preliminary === true ? 64 : 0) |
    (hasResidue ? 128 : 0) |
    (isOwnError ? 256 : 0)
  );
}

/**
 * Reads a part; returns nothing for a part that is no tool part.
 *
 * @param old what was last read from it
 */
export function readPart(
  part: Fields,
  old: PartFacts | undefined,
  vocabulary: Vocabulary,
  ids: StringIds,
): PartFacts | undefined {
  const type = part.type;
  if (typeof type !== 'string') return undefined;
  const dynamic = type === vocabulary.dynamicTool;
  if (!dynamic && !type.startsWith(vocabulary.toolPrefix)) return undefined;

  const { approval, input, output, errorText } = part;
  const { id: approvalId, approved } = isObject(approval) ? approval : ({} as Fields);
  const sameInput = old !== undefined && old.input === input;
  const sameOutput = old !== undefined && old.output === output && old.errorText === errorText;
  return {
    type,
    toolName: dynamic ? part.toolName : undefined,
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
    call: 0,
    code: codeOf(part, approved, vocabulary),
    approvalRef: ids.of(approvalId),
    inputDigest: sameInput ? old.inputDigest : digestOf(input, INPUT_BUDGET),
    outputDigest: sameOutput
      ? old.outputDigest
      : digestOf(output === undefined ? errorText : output, OUTPUT_BUDGET),
  };
}

/** Does the part still show the same? */
export function isUnchanged(facts: PartFacts, part: Fields): boolean {
  const approval = part.approval;
  return (
    facts.state === part.state &&
    facts.approval === approval &&
    facts.output === part.output &&
    facts.toolCallId === part.toolCallId &&
    facts.type === part.type &&
    facts.input === part.input &&
    facts.errorText === part.errorText &&
    facts.preliminary === part.preliminary &&
    facts.provider === part.providerExecuted &&
    (!isObject(approval) || (facts.approved === approval.approved && facts.approvalId === approval.id)) &&
    (facts.toolName === undefined || facts.toolName === part.toolName)
  );
}

/** As {@link isUnchanged}, for an open call: compares only what can close it. */
export function isStillOpen(facts: PartFacts, part: unknown): boolean {
  if (!isObject(part)) return false;
  const approval = part.approval;
  return (
    facts.state === part.state &&
    facts.approval === approval &&
    facts.output === part.output &&
    facts.toolCallId === part.toolCallId &&
    facts.input === part.input &&
    facts.type === part.type &&
    facts.preliminary === part.preliminary &&
    (!isObject(approval) || facts.approved === approval.approved)
  );
}

/** Do both say the same, though they were read from different objects? */
export function isSame(a: PartFacts, b: PartFacts): boolean {
  return (
    a.code === b.code &&
    a.toolCallId === b.toolCallId &&
    a.type === b.type &&
    a.toolName === b.toolName &&
    a.approvalRef === b.approvalRef &&
    sameDigest(a.inputDigest, b.inputDigest) &&
    sameDigest(a.outputDigest, b.outputDigest)
  );
}
