// Takes the answers of a client into the messages that a server has stored.
import { merge_answers as mergeOutlines } from 'virtual:server-glue';

import { rowsOf } from '../engine/rows.js';
import { GuardError } from '../error.js';
import {
  Merged,
  mergeRow,
  NoteName,
  RoleName,
  type MergeRow,
  ToolState,
  toolStateNames,
} from '../generated/abi.js';
import {
  callOf,
  type Calls,
  compareInputs,
  editedFrom,
  outlineOf,
  own,
  partAt,
  safely,
  textOf,
} from './outline.js';
import { type Fields, isRecord } from '../objects.js';
import { ask } from './module.js';
import { checkOptions, flag, toolNames } from './options.js';

/** A server's knowledge beyond its messages. */
export interface MergeAnswersOptions {
  /**
   * The tools that run in the page: only their outputs are taken from a client.
   *
   * @default none: no output is taken
   * @see `docs/backends.md#if-your-server-stores-the-messages`
   */
  clientTools?: Iterable<string>;
  /**
   * The tools whose input a user may change before allowing a call: `editable` of the guard's option `tools`. Check a changed
   * input with the schema of the tool, as `streamText` does.
   *
   * @default none: no changed input is taken
   * @see `docs/backends.md#if-a-user-may-change-an-input`
   */
  editable?: Iterable<string>;
  /**
   * Whether this server signs a changed input again (`signEdits`), so that signed approvals may be changed, too.
   *
   * @default false: with a signature, no changed input is taken
   * @see `docs/backends.md#if-a-user-may-change-an-input`
   */
  signsAgain?: boolean;
}

/** The reason why something that a client sent is not taken. */
export type NotTakenCode =
  /** the request has no list of messages */
  | 'not-a-list'
  /** a message or a part is not an object */
  | 'not-an-object'
  /** the role of a message is not `system`, `user` or `assistant` */
  | 'unknown-role'
  /** a message has no list of parts */
  | 'missing-parts'
  /** a part has no type */
  | 'missing-type'
  /** a system message that is not stored, or a tool call in a message of the user */
  | 'wrong-role'
  /** a message of the user without an id */
  | 'missing-message-id'
  /** a message of the user without parts, or with blank text alone. It only continues the chat */
  | 'no-content'
  /**
   * the id stands for another message, in the store or earlier in the request. For an edited message, cut the stored
   * list first
   */
  | 'changed-message'
  /** a message of the user before one that is stored, or in a list of which the store knows nothing */
  | 'not-at-the-end'
  /** a part does not say which call it is about */
  | 'missing-call-id'
  /** a part does not say which tool it is about */
  | 'missing-tool-name'
  /** an answer does not say which approval it is about */
  | 'missing-approval-id'
  /** an `approved` that is neither `true` nor `false`, or a yes in a state that has none */
  | 'malformed-answer'
  /** an error has no text */
  | 'missing-error-text'
  /** the store has no such call */
  | 'unknown-call'
  /** the store does not ask for this approval, or not for this call */
  | 'unknown-approval'
  /** several stored calls could be meant */
  | 'duplicate-call'
  /** the stored call has another tool */
  | 'changed-tool'
  /** the stored call has another input */
  | 'changed-input'
  /** the user changed the input of a tool that is not in `editable`, or of an approval that is signed */
  | 'not-editable'
  /** the call was answered differently before. In one request a no wins over a yes */
  | 'conflicting-answers'
  /** a yes to a question that a later step or message follows */
  | 'left-behind'
  /** an output over a question that nobody has answered */
  | 'unanswered'
  /** an output of a tool that is not in `clientTools`, or that the provider runs */
  | 'server-tool'
  /** the stored call has an output, an error, or another output */
  | 'already-settled';

/** A message, an answer or an output that a client sent and that is not taken. */
export interface RefusedAnswer {
  /** The reason. */
  code: NotTakenCode;
  /** The index of the message in the list that was sent; `undefined` if there is no list. */
  messageIndex: number | undefined;
  /** The index of the part; `undefined` if it is about the whole message. */
  partIndex: number | undefined;
  /** The value at that place, as it was sent. */
  value: unknown;
  /** The call id, if there is one. */
  toolCallId: string | undefined;
  /** The name of the tool, if there is one. */
  toolName: string | undefined;
  /** The approval id, if there is one. */
  approvalId: string | undefined;
}

/** The stored messages with what a client may add to them. */
export interface MergedAnswers<M> {
  /** The stored messages with the answers, and the new messages after them; the same array if nothing is new. */
  messages: M[];
  /** Those of `messages` that are new or have changed, in their order: the rows that a store has to write. */
  changed: M[];
  /** The answers of the client that are not taken, in the order in which they were sent. */
  refused: RefusedAnswer[];
}

/** The same text for all values that are equal on the wire; `undefined` if JSON cannot express the value. */
function sorted(value: unknown): string | undefined {
  const sortFields = (_: string, inner: unknown): unknown =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  return safely(() => JSON.stringify(value, sortFields)) ?? undefined;
}

/** Numbers values: those that are equal on the wire have the same number, and a value that JSON lacks equals no other. */
class Numbers {
  readonly #numbers = new Map<string, number>();
  #next = 0;

  of(value: unknown): number {
    const key = sorted(value);
    const known = key === undefined ? undefined : this.#numbers.get(key);
    if (known !== undefined) return known;
    if (key !== undefined) this.#numbers.set(key, this.#next);
    return this.#next++;
  }
}

const isBlank = (part: Fields): boolean => {
  const text = own(part, 'text');
  return typeof text === 'string' && text.trim() === '';
};

type Outlined = Record<string, unknown>;

/** The outline of a list, with the ids of its messages and the contents of those that are not the model's. */
function outlineOfList(list: readonly unknown[], calls: Calls, numbers: Numbers): unknown[] {
  return Array.from(list, (message) =>
    safely(() => {
      const outline = outlineOf(message, calls) as Outlined | null;
      if (outline === null) return null;
      outline.id = textOf(message as Fields, 'id');
      if (outline.role === RoleName.Assistant || !Array.isArray(outline.parts)) return outline;
      const parts = own(message as Fields, 'parts') as readonly unknown[];
      for (const [i, part] of (outline.parts as (Outlined | null)[]).entries()) {
        if (part === null) continue;
        // Parts with equal outlines are equal.
        part.content = numbers.of(parts[i]);
        if (isBlank(parts[i] as Fields)) part.text = '';
      }
      return outline;
    }),
  );
}

/** Numbers what is compared of the calls that both lists have. */
function numberCalls(stored: Calls, sent: Calls, clientTools: readonly string[], numbers: Numbers): void {
  const number = ([part, outline]: readonly [Fields, Outlined]): void => {
    compareInputs([part, outline], (input) => numbers.of(input));
    const { toolName } = callOf(part);
    if (toolName === undefined || !clientTools.includes(toolName)) return;
    for (const field of ['output', 'errorText']) {
      const value = safely(() => own(part, field));
      // An error has to stay a text.
      if (value !== undefined && value !== null) {
        outline[field] = typeof value === 'string' ? `${numbers.of(value)}` : numbers.of(value);
      }
    }
  };
  for (const [id, parts] of sent) {
    const known = stored.get(id);
    if (known === undefined) continue;
    known.forEach(number);
    parts.forEach(number);
  }
}

/** Leaves out that an approval is signed: a changed input is signed again. */
function unsign({ approval }: Outlined): void {
  if (isRecord(approval)) delete (approval as Outlined).signature;
}

/** The fields that only a result has. */
const RESULT = ['output', 'errorText', 'preliminary', 'resultProviderMetadata'];

/** The stored part with a change: the state, the answer with its reason, and the result of the new state. */
function changedPart(row: MergeRow, stored: Fields, sent: unknown): Fields {
  const from = isRecord(sent) ? sent : {};
  const part: Record<string, unknown> = { ...stored, state: toolStateNames[row.state] };
  for (const field of RESULT) delete part[field];
  if (row.answer !== undefined) {
    const approval: Record<string, unknown> = { ...(part.approval as Fields), approved: row.answer };
    delete approval.reason;
    const answer = own(from, 'approval');
    const reason = isRecord(answer) ? own(answer, 'reason') : undefined;
    if (typeof reason === 'string') approval.reason = reason;
    part.approval = approval;
  }
  if (row.edited) {
    part.input = own(from, 'input');
    const before = isRecord(stored.callProviderMetadata) ? stored.callProviderMetadata : {};
    const note = { [NoteName.EditedFrom]: editedFrom(from) };
    part.callProviderMetadata = { ...before, [NoteName.Package]: note };
  }
  const result = row.state === ToolState.OutputAvailable ? 'output' : 'errorText';
  const hasResult = row.state === ToolState.OutputAvailable || row.state === ToolState.OutputError;
  if (hasResult && Object.hasOwn(from, result)) part[result] = own(from, result);
  return part;
}

function refusalOf(row: MergeRow, sent: readonly unknown[] | undefined, whole: unknown): RefusedAnswer {
  const { message, part } = row;
  const value = safely(() =>
    message === undefined ? whole : part === undefined ? sent?.[message] : partAt(sent, message, part),
  );
  const { toolCallId, toolName, approvalId } = safely(() => callOf(value)) ?? callOf(undefined);
  return {
    code: row.code as NotTakenCode,
    messageIndex: message,
    partIndex: part,
    value,
    toolCallId,
    toolName,
    approvalId,
  };
}

/**
 * Takes into the stored messages of a chat what its client may say: answers to questions that the stored list still asks,
 * with the same approval id, call, tool and input (or a changed input, where `editable` names the tool); outputs of tools
 * that run in the page; and new messages of the user. Everything else of the stored list stands. What the client sent
 * beyond that is in `refused`, each with a code.
 *
 * The client may send its whole list, or any end of it. Messages have to be stored under the ids with which they were sent
 * and streamed. It changes neither list, and accepts any value as `sent`.
 *
 * It does not cut the list. For a regenerated answer or an edited message, first drop the stored messages from the
 * request's `messageId` on.
 *
 * @param stored the messages of the chat as this server has stored them
 * @param sent the messages of the request body
 * @param options which tools run in the page, and of which a user may change the input
 * @returns the merged messages, those of them that a store has to write, and the answers that are not taken
 * @throws GuardError `invalid-input` if `stored` is not a list; `invalid-option`; `wasm-unavailable` if the module cannot
 * be started, `wasm-trapped` if it failed, and `unreadable-messages` if it could not read the input
 */
export function mergeAnswers<M extends { parts: readonly unknown[] }>(
  stored: readonly M[],
  sent: unknown,
  options: MergeAnswersOptions = {},
): MergedAnswers<M> {
  if (!Array.isArray(stored)) {
    throw new GuardError('invalid-input', 'The stored messages must be a list of UI messages.');
  }
  checkOptions(options, 'mergeAnswers', [
    'clientTools',
    'editable',
    'signsAgain',
  ] satisfies (keyof MergeAnswersOptions)[]);
  const clientTools = toolNames(options, 'clientTools');
  const editable = toolNames(options, 'editable');
  const signsAgain = flag(options, 'signsAgain');
  const list = Array.isArray(sent) ? (sent as readonly unknown[]) : undefined;
  const numbers = new Numbers();
  const [calls, sentCalls]: [Calls, Calls] = [new Map(), new Map()];
  const question = {
    stored: outlineOfList(stored, calls, numbers),
    sent: list ? outlineOfList(list, sentCalls, numbers) : null,
    clientTools,
    editable,
  };
  numberCalls(calls, sentCalls, clientTools, numbers);
  if (signsAgain) for (const [, outline] of [...calls.values()].flat()) unsign(outline);
  const messages = [...stored];
  const refused: RefusedAnswer[] = [];
  for (const row of rowsOf(ask(mergeOutlines, question), mergeRow)) {
    if (row.kind === Merged.Refused) refused.push(refusalOf(row, list, sent));
    else if (row.kind === Merged.Added) messages.push(list?.[row.message ?? -1] as M);
    else {
      const message = messages[row.storedMessage] as M;
      const parts = [...message.parts];
      parts[row.storedPart] = changedPart(
        row,
        parts[row.storedPart] as Fields,
        partAt(list, row.message, row.part),
      );
      messages[row.storedMessage] = { ...message, parts };
    }
  }
  const changed = messages.filter((message, i) => message !== stored[i]);
  return { messages: changed.length === 0 ? (stored as M[]) : messages, changed, refused };
}
