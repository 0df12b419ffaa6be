// The outline of a message list, without long values: only this crosses the border.
import { canonical } from '../chat/canonical.js';
import { NoteName, PartTypeName } from '../generated/abi.js';
import { isRecord, type Fields } from '../objects.js';

/** The value of an own field, as `JSON.parse` makes it; never an inherited one. */
export const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Whether it is a string that Rust can represent: lone surrogates are impossible there. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value);

export const textOf = (fields: Fields, name: string): string | undefined => {
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
  if (!isRecord(approval)) return FILLED;
  const approved = own(approval, 'approved');
  const has = (field: string) => Object.hasOwn(approval, field) || undefined;
  return {
    id: textual(approval, 'id'),
    approved: approved === undefined || typeof approved === 'boolean' ? approved : null,
    signature: has('signature'),
    inputSchemaInput: has('inputSchemaInput'),
  };
}

/** The input that the model asked for, if a person has changed it. */
export function editedFrom(part: Fields): unknown {
  const metadata = own(part, 'callProviderMetadata');
  const note = isRecord(metadata) ? own(metadata, NoteName.Package) : undefined;
  return isRecord(note) ? own(note, NoteName.EditedFrom) : undefined;
}

/** The same where it is in a part, in its outline. */
const noted = (from: unknown): unknown =>
  from === undefined || from === null ? undefined : { [NoteName.Package]: { [NoteName.EditedFrom]: from } };

/** The fields of a part that cross the border, without long values. */
type Outline = Record<string, unknown>;

/** The parts of each call id, with their outlines. */
export type Calls = Map<string, (readonly [part: Fields, outline: Outline])[]>;

/** The outline of a part, without input and output; inputs are compared later. */
function outlineOfPart(part: unknown, calls: Calls): unknown {
  if (!isRecord(part)) return null;
  const id = textOf(part, 'toolCallId');
  const outline: Outline = {
    type: textual(part, 'type'),
    state: textual(part, 'state'),
    toolCallId: textual(part, 'toolCallId'),
    toolName: textual(part, 'toolName'),
    approval: approvalOf(part),
    output: filled(own(part, 'output')),
    errorText: filled(own(part, 'errorText')),
    callProviderMetadata: noted(filled(editedFrom(part))),
    preliminary: own(part, 'preliminary') === true || undefined,
    providerExecuted: own(part, 'providerExecuted') === true || undefined,
  };
  if (id !== undefined) {
    const parts = calls.get(id);
    if (parts) parts.push([part, outline]);
    else calls.set(id, [[part, outline]]);
  }
  return outline;
}

/** Puts what is compared of the inputs of a part into its outline. `number` gives values that are equal the same one. */
export function compareInputs(
  [part, outline]: readonly [Fields, Outline],
  number: (value: unknown) => unknown,
): void {
  const numbered = (value: unknown) => (value === undefined || value === null ? undefined : number(value));
  const input = numbered(safely(() => own(part, 'input')));
  if (input !== undefined) outline.input = input;
  const from = numbered(safely(() => editedFrom(part)));
  if (from !== undefined) outline.callProviderMetadata = noted(from);
}

/** Numbers the inputs of calls with several parts. Inputs that are equal on the wire get the same number. */
export function numberInputs(calls: Calls): void {
  const numbers = new Map<unknown, number>();
  for (const parts of calls.values()) {
    if (parts.length === 1) continue;
    for (const one of parts) {
      compareInputs(one, (input) => {
        // An input without canonical JSON equals no other.
        const key = canonical(input) ?? {};
        if (!numbers.has(key)) numbers.set(key, numbers.size);
        return numbers.get(key);
      });
    }
  }
}

/** The result of `work`, or `null` if the value cannot even be read. */
export function safely<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** The outline of a message. */
export function outlineOf(message: unknown, calls: Calls): unknown {
  if (!isRecord(message)) return null;
  const parts = own(message, 'parts');
  return {
    role: textual(message, 'role'),
    parts: Array.isArray(parts)
      ? Array.from(parts, (part) => safely(() => outlineOfPart(part, calls)))
      : null,
  };
}

/** The part at a place; `undefined` if there is none. */
export function partAt(list: readonly unknown[] | undefined, message?: number, part?: number): unknown {
  if (message === undefined || part === undefined) return undefined;
  const found = list?.[message];
  const parts = isRecord(found) ? own(found, 'parts') : undefined;
  return Array.isArray(parts) ? (parts as readonly unknown[])[part] : undefined;
}

const NOTHING: Fields = {};

/** The fields of a tool part; all `undefined` for any other value. */
export function callOf(read: unknown) {
  const type = isRecord(read) ? textOf(read, 'type') : undefined;
  const isDynamic = type === PartTypeName.DynamicTool;
  const isCall = isDynamic || type?.startsWith(PartTypeName.ToolPrefix) === true;
  const fields = isCall ? (read as Fields) : NOTHING;
  const approval = own(fields, 'approval');
  const answer = isRecord(approval) ? approval : NOTHING;
  const reason = own(answer, 'reason');
  return {
    toolCallId: textOf(fields, 'toolCallId'),
    toolName: isDynamic
      ? textOf(fields, 'toolName')
      : (isCall && type?.slice(PartTypeName.ToolPrefix.length)) || undefined,
    providerExecuted: own(fields, 'providerExecuted') === true,
    approval: isRecord(approval) ? approval : undefined,
    approvalId: textOf(answer, 'id'),
    reason: typeof reason === 'string' ? reason : undefined,
  };
}
