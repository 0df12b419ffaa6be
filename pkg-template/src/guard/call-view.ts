// The parts of a call's view that follow from its other fields, its batch and its neighbours.
import type { PartFacts } from '../chat/part.js';
import type { MemberRow } from '../generated/abi.js';
import { escapeInvisible } from '../escape-invisible.js';
import type { Settings } from '../options.js';
import type { CallStatus, CallView, Can, Display, Editable } from '../prompt.js';
import { faultOf } from '../showable.js';

export type Position = CallView['position'];

/** A copy of an input; `undefined` if it is not JSON. */
export function copyOf(input: unknown): Display | undefined {
  try {
    return { value: JSON.parse(JSON.stringify(input)) as unknown, hidden: 0 };
  } catch {
    return undefined;
  }
}

/** The text of an input as it may be shown; `undefined` if it cannot be shown. */
export function inputTextOf(value: unknown): string | undefined {
  if (faultOf(value) !== undefined) return undefined;
  if (typeof value === 'string') return escapeInvisible(value);
  // The indentation is not part of the input, and may be long.
  return JSON.stringify(value, null, 2).replace(/[^ \n][^\n]*/g, (line) => escapeInvisible(line));
}

/** The input as text, once an approval was requested: before that, an input may still stream. */
export function inputTextAfter(
  old: CallView | undefined,
  approvalId: string | undefined,
  display: Display | undefined,
) {
  if (approvalId === undefined) return undefined;
  return old?.approvalId === approvalId && old.display === display
    ? old.inputText
    : inputTextOf(display?.value);
}

/** The view of a call that has not changed itself, while its place may have. */
export function moved(
  view: CallView,
  index: number,
  total: number,
  equal: CallView | undefined,
  member: MemberRow | undefined,
): CallView {
  const group = groupOf(view, equal);
  const can = canOf(member, view.inputText, view.can.undo, view.editable);
  if (isAt(view, index, total) && view.group === group && view.can === can) return view;
  const position = positionAt(index, total);
  return { ...view, position, waiting: waits(view.status, position), can, group };
}

/** Everything that may be possible with a call, so that equal values are the same object. */
const CANS: Can[] = [];

/** Nobody allows what cannot be shown. */
export function canOf(
  member: MemberRow | undefined,
  inputText: string | undefined,
  undo: boolean,
  editable: Editable,
): Can {
  const { allow: isAllowable = false, deny = false } = member ?? {};
  const allow = isAllowable && inputText !== undefined;
  const edit = allow && editable !== false;
  const at = Number(allow) | (Number(deny) << 1) | (Number(undo) << 2) | (Number(edit) << 3);
  return (CANS[at] ??= Object.freeze({ allow, deny, undo, edit }));
}

/** A call that the chat has left behind without an answer needs no card. */
export const isShownAsCard = ({ position, outcome }: CallView): boolean =>
  position !== undefined || outcome !== undefined;

/** A call that asks and is not in the batch was left behind by the chat. */
export const waits = (status: CallStatus | undefined, position: Position): boolean =>
  status === 'asking' && position !== undefined;

/**
 * What the options of the guard say of a call, beside its part: in one place for the calls of an engine and those without.
 *
 * @param described the title that the application shows in place of any other
 */
export function saidOf(
  { tools, unavailableTools }: Settings,
  toolName: string,
  server: string | undefined,
  part: PartFacts | undefined,
  dangerous: boolean,
  described?: string,
) {
  const info = tools.of(toolName, server);
  const title = described ?? info?.title ?? textOf(part?.title);
  return {
    title,
    unavailable: unavailableTools.has(toolName),
    dangerous,
    dangerousBy: dangerous && part ? tools.dangerSource(part) : undefined,
    soundsDangerous: !dangerous && tools.soundsDangerous(toolName, title, server),
    defaultCovers: tools.coversOf(toolName, server),
    inputSchema: info?.inputSchema,
  };
}

export const positionAt = (index: number, total: number): Position =>
  index === 0 ? undefined : { index, total };

/** A text, and nothing else. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The group of a call. The core knows no texts, so calls that do not read the same stay apart here, and so do inputs that
 * cannot be shown: nobody decides about more than they have read.
 */
export function groupOf(view: Omit<CallView, 'group' | 'position'>, equal: CallView | undefined): string {
  const isSame =
    equal?.inputText !== undefined &&
    view.inputText !== undefined &&
    view.dynamic === equal.dynamic &&
    view.title === equal.title &&
    view.requestReason === equal.requestReason &&
    view.readOnly === equal.readOnly &&
    view.ruling?.because === equal.ruling?.because &&
    view.ruling?.why === equal.ruling?.why;
  return isSame ? equal.key : view.key;
}

export const isSameBut = <T extends object>(but: keyof T, one: T, other: T): boolean =>
  (Object.keys(one) as (keyof T)[]).every((field) => field === but || Object.is(one[field], other[field]));

export const isAt = ({ position }: CallView, index: number, total: number | undefined): boolean =>
  position === undefined ? index === 0 : position.index === index && position.total === total;
