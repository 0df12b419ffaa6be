// The calls that ask where nothing can answer them: what their parts say, without what only an engine knows (law 11).
import { isDynamic, isToolPart, partsOf, toolNameOf, type PartFacts } from '../chat/part.js';
import { isObject, type Fields } from '../objects.js';
import { PartTypeName, RoleName, ToolStateName } from '../generated/abi.js';
import type { CallView } from '../prompt.js';

/** The parts of the last step that ask, and the id of their message. Throws what reading the messages throws. */
export function askingIn(messages: readonly unknown[]): { messageId: string; parts: readonly Fields[] } {
  const message = Object(messages.at(-1)) as Fields;
  const parts = message.role === RoleName.Assistant ? partsOf(message) : [];
  const step = parts.findLastIndex((part) => isObject(part) && part.type === PartTypeName.StepStart);
  const isAsking = (part: unknown): part is Fields =>
    isToolPart(part) && part.state === ToolStateName.ApprovalRequested;
  return { messageId: String(message.id), parts: parts.slice(step + 1).filter(isAsking) };
}

/** The fields that every call has. A new one has to be said here, too, or this does not compile. */
type Always = {
  [Field in keyof CallView as undefined extends CallView[Field] ? never : Field]: CallView[Field];
};

/** A call by its part alone. Nothing can be done with it, and its input is not shown, which may have secrets. */
export function unanswerableCall(part: Fields, messageId: string, i: number, total: number): CallView {
  const facts = part as unknown as PartFacts;
  const toolName = toolNameOf(facts);
  // Only what cannot continue as part of a sentence. An engine knows how to show the rest.
  const label = toolName.slice(0, 100).replace(/[^\w.:/-]+/g, '…');
  const key = `${messageId}/${i + 1}`;
  const { id } = Object(part.approval) as { id?: unknown };
  // The other fields are undefined.
  return {
    key,
    toolCallId: String(part.toolCallId),
    approvalId: typeof id === 'string' ? id : undefined,
    toolName,
    label: label === toolName ? label : `“${label}”`,
    dynamic: isDynamic(facts),
    messageId,
    input: part.input,
    unavailable: false,
    dangerous: false,
    soundsDangerous: false,
    readOnly: false,
    status: 'asking',
    editable: false,
    group: key,
    position: { index: i + 1, total },
    // Nothing can answer it here.
    waiting: false,
    can: { allow: false, deny: false, undo: false, edit: false },
    expiring: false,
    mayHaveRun: false,
    defaultCovers: 'input',
    refusals: 0,
  } satisfies Always & Partial<CallView> as CallView;
}
