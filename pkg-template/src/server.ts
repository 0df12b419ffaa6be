// For a backend: what a message list that came in says about its tool calls.
import { startModule } from 'virtual:module';
import { part_types as partTypes, read_decisions as readOutlines } from 'virtual:server-glue';

import { canonical } from './chat/canonical.js';
import { GuardError } from './error.js';

/** An approval that a server has asked for: the fields have the names that the SDK's content parts give them. */
export interface RequestedApproval {
  /** The id under which it was asked for. */
  approvalId: string;
  /** The call that it was asked for. */
  toolCallId: string;
}

/** What a server knows beside the messages. */
export interface ReadDecisionsOptions {
  /** Tools that the page runs: an approved call of one is `open` until the page has put out its output. */
  clientTools?: Iterable<string>;
  /**
   * The approvals that this server has asked for: all of the chat, or at least those that are not settled. Then an
   * approval that it never asked for is malformed (`unknown-approval`), and so is a result of a call that comes
   * back without its approval (`unanswered`).
   */
  requested?: Iterable<RequestedApproval>;
}

/** The approval of a call, with every field that it came with. */
export type ReceivedApproval = Readonly<Record<string, unknown>>;

interface Place {
  /** Which message of the list. */
  messageIndex: number;
  /** Which part of the message. */
  partIndex: number;
  /** The part itself. */
  part: Readonly<Record<string, unknown>>;
  /**
   * Is it about the end of the list, which is what a server carries out now? What is not is history: nothing of it
   * may run any more.
   */
  current: boolean;
}

interface CallDecision extends Place {
  toolCallId: string;
  toolName: string;
  /** The provider runs it, not this server. */
  providerExecuted: boolean;
  /** The approval itself. */
  approval: ReceivedApproval | undefined;
  approvalId: string | undefined;
  /** The reason that came with the answer. */
  reason: string | undefined;
}

/** Somebody said no. */
export interface RejectedCall extends CallDecision {
  /** What was decided. */
  type: 'rejected';
  /** A result was written over the no. Nothing ran, so that it is made up. */
  overwritten: boolean;
}

/** Somebody said yes, the call has no result, and nothing in the list speaks against it. */
export interface ApprovedCall extends CallDecision {
  /** What was decided. */
  type: 'approved';
  approval: ReceivedApproval;
  /** The id of the approval, which is this call's alone. */
  approvalId: string;
}

/** The call has an output. */
export interface CallWithOutput extends CallDecision {
  /** What became of it. */
  type: 'output';
  /** What the message says that it is. */
  output: unknown;
}

/** The call has failed. */
export interface FailedCall extends CallDecision {
  /** What became of it. */
  type: 'error';
  /** What the message says of the failure. */
  errorText: string;
}

/** Nothing was decided, or nothing came of it yet. */
export interface OpenCall extends CallDecision {
  /** Nothing was decided, or nothing came of it. */
  type: 'open';
  /** What has to come before anything else can. */
  waitsFor: 'input' | 'approval' | 'output';
}

/** Why something cannot be taken for a decision. */
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

/** It cannot be believed: do not run it, and do not use its result. */
export interface Malformed extends Omit<
  CallDecision,
  'messageIndex' | 'partIndex' | 'part' | 'toolCallId' | 'toolName'
> {
  /** It says nothing that counts. */
  type: 'malformed';
  /** Why not. */
  code: MalformedCode;
  /** Nothing where there is no list. */
  messageIndex: number | undefined;
  /** Nothing where the message cannot be read. */
  partIndex: number | undefined;
  /** Whatever stands in that place. */
  part: unknown;
  /** The call id, where there is one. */
  toolCallId: string | undefined;
  /** The name of the tool, where there is one. */
  toolName: string | undefined;
}

/** What was decided about a tool call, or what is wrong with one place of the list. */
export type ReadDecision = RejectedCall | ApprovedCall | CallWithOutput | FailedCall | OpenCall | Malformed;

let types: readonly string[] | undefined;

/** Instantiates the wasm on first use, synchronously. @returns the types of parts */
function start(): readonly string[] {
  try {
    if (types === undefined) {
      startModule();
      types = partTypes().split(' ');
    }
    return types;
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError('wasm-unavailable', 'The WebAssembly of the server entry could not be started.', {
      cause,
    });
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `JSON.parse` has made of a field: nothing that is inherited. */
const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Is it a text that Rust can have? Half a character is none. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value);

const textOf = (fields: Fields, name: string): string | undefined => {
  const value = own(fields, name);
  return isText(value) && value !== '' ? value : undefined;
};

/** A field in which only texts count. */
const textual = (fields: Fields, name: string): string | null | undefined => {
  const value = own(fields, name);
  return value === undefined || isText(value) ? value : null;
};

const FILLED = 0;

/** Whether something is there, and whether it is a text. */
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

/** What crosses of a part: without what can be long. */
type Outline = Record<string, unknown>;

/** The parts of each call id, and their outlines. */
type Calls = Map<string, (readonly [part: Fields, outline: Outline])[]>;

/** The same part without its input and output; what was put in is compared later. */
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

/** Gives inputs that are the same on the wire the same number, where there are two to compare. */
function numberInputs(calls: Calls): void {
  const numbers = new Map<unknown, number>();
  for (const parts of calls.values()) {
    if (parts.length === 1) continue;
    for (const [part, outline] of parts) {
      const input = safely(() => own(part, 'input'));
      if (input === undefined || input === null) continue;
      // What has no canonical JSON is like nothing else.
      const key = canonical(input) ?? outline;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      outline.input = numbers.get(key);
    }
  }
}

/** What cannot even be looked at is nothing. */
function safely<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** The same message without what does not matter. */
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

/** A decision without what stands in the message list. */
type Judged = Pick<ReadDecision, 'type' | 'messageIndex' | 'partIndex' | 'current'> & Record<string, unknown>;

function judge(question: string): readonly Judged[] {
  let judged: readonly Judged[] | undefined;
  try {
    // As bytes, because the glue would encode a string character by character.
    judged = readOutlines(new TextEncoder().encode(question)) as readonly Judged[] | undefined;
  } catch (cause) {
    throw new GuardError('wasm-trapped', 'The WebAssembly of the server entry failed.', { cause });
  }
  if (judged === undefined) throw new GuardError('unreadable-messages', 'The messages could not be read.');
  return judged;
}

function partAt(
  list: readonly unknown[] | undefined,
  message: number | undefined,
  part: number | undefined,
): unknown {
  if (message === undefined || part === undefined) return undefined;
  const found = list?.[message];
  const parts = isObject(found) ? own(found, 'parts') : undefined;
  return Array.isArray(parts) ? (parts as readonly unknown[])[part] : undefined;
}

/** What a part says of its call; nothing where it is no tool call. */
function fieldsOf(part: unknown, [, , dynamicTool = '', toolPrefix = '']: readonly string[]) {
  const type = isObject(part) ? textOf(part, 'type') : undefined;
  const isCall = type === dynamicTool || type?.startsWith(toolPrefix) === true;
  const fields = isCall ? (part as Fields) : {};
  const approval = own(fields, 'approval');
  const answer = isObject(approval) ? approval : {};
  const reason = own(answer, 'reason');
  return {
    toolCallId: textOf(fields, 'toolCallId'),
    toolName:
      type === dynamicTool
        ? textOf(fields, 'toolName')
        : (isCall && type?.slice(toolPrefix.length)) || undefined,
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
    throw invalid(`${name} takes a list.`);
  }
  return [...(value as Iterable<unknown>)];
}

/** The options as they cross: names of tools, and approval ids and call ids by turns. */
function readOptions(options: unknown): [clientTools: string[], requested: string[] | null] {
  if (!isObject(options)) throw invalid('readDecisions takes an object of options, or nothing.');
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw invalid(`readDecisions has no option ${unknown}.`);
  const clientTools = listOf(options, 'clientTools') ?? [];
  if (!clientTools.every((tool) => isText(tool))) throw invalid('clientTools takes names of tools.');
  const requested = listOf(options, 'requested')?.flatMap((request) => {
    const ids = isObject(request) ? [request.approvalId, request.toolCallId] : [];
    if (ids.length === 0 || !ids.every((id) => isText(id) && id !== '')) {
      throw invalid('requested takes objects with approvalId and toolCallId.');
    }
    return ids as string[];
  });
  return [clientTools, requested ?? null];
}

/**
 * Reads what was decided about each tool call of a message list, in the order of the list: one answer for each tool
 * part, and one for each place that cannot be read. It takes what came in, whatever that is, and changes nothing.
 * Doubt is never a yes, and `approved: false` is a no under every state.
 *
 * A made-up result (`{ denied: true }`) without any approval cannot be told from a real one by looking at it: say in
 * `requested` what this server has asked for. And an approval is only as good as who sent the list: whether the input
 * is the one that was shown, and whether the call has run already, only the server knows.
 *
 * @param messages the UI messages of a request body
 * @param options what this server knows beside them
 * @returns one decision for each tool part, and one for each place that cannot be read
 * @throws GuardError `invalid-option`; `wasm-unavailable` where the module cannot be started, `wasm-trapped` where it
 * has failed, and `unreadable-messages` where it could not read what it was given
 */
export function readDecisions(messages: unknown, options: ReadDecisionsOptions = {}): ReadDecision[] {
  const known = readOptions(options);
  const types = start();
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : undefined;
  const calls: Calls = new Map();
  const outline = list && Array.from(list, (message) => safely(() => outlineOf(message, calls)));
  numberInputs(calls);
  return judge(JSON.stringify([outline ?? null, ...known])).map((judged) => {
    const part = safely(() => partAt(list, judged.messageIndex, judged.partIndex));
    const decision: Record<string, unknown> = { ...judged, part, ...safely(() => fieldsOf(part, types)) };
    if (judged.type === 'output') decision.output = (part as Fields).output;
    else if (judged.type === 'error') decision.errorText = (part as Fields).errorText;
    return decision as unknown as ReadDecision;
  });
}
