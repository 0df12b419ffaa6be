// Requests without an engine. No message of the user is lost, no denial becomes a result, and no call runs.
import { withoutBlankEnd } from '../chat/blank.js';
import { isObject, type Fields } from '../objects.js';
import { sameItems, sameList } from '../engine/rows.js';
import { RoleName, ToolStateName } from '../generated/abi.js';

/**
 * Returns the messages of a request as they may leave; the same list if nothing has to change. Behind a message of the user
 * a call that nobody can answer here is closed, as the user has moved on. A user message without content is none.
 *
 * @param superseded the reason that the model reads of a call that is closed
 * @param isBelieved whether a part shows the server's own word (law 17)
 * @throws TypeError if it has to be refused, because it would run a call or leave a question open, or because a message
 * cannot be read; and whatever its getters throw
 */
export function withoutEngine<M>(
  messages: readonly M[],
  superseded: string,
  isBelieved: (part: unknown) => boolean,
): readonly M[] {
  const last: unknown = withoutBlankEnd(messages).at(-1);
  const reason = isObject(last) && last.role === RoleName.User ? superseded : undefined;
  const left = messages.map((message) => {
    // A value that is no list has no such method.
    const { parts } = message as { parts: readonly unknown[] };
    const closed = parts.map((part) => (isBelieved(part) ? part : closedPart(part, reason)));
    return sameItems(closed, parts) ? message : { ...message, parts: closed };
  });
  return sameList(messages, left);
}

/** A part without what nobody has allowed here. @throws TypeError if it is open and cannot be closed */
function closedPart(part: unknown, reason: string | undefined): unknown {
  if (!isObject(part)) return part;
  const { state } = part;
  if (part.approval == null && state !== ToolStateName.ApprovalRequested) return part;
  const approval = isObject(part.approval) ? part.approval : {};
  const isSettled = state === ToolStateName.OutputAvailable || state === ToolStateName.OutputError;
  const isAnswered = state === ToolStateName.ApprovalResponded;
  if (state === ToolStateName.OutputDenied) return part;
  if (approval.approved === false) return isAnswered ? part : denied(part, approval);
  if (approval.approved === true && isSettled) return part;
  if (reason === undefined) throw new TypeError('It would run, or is a question.');
  return denied(part, { ...approval, approved: false, reason });
}

function denied(part: Fields, approval: Fields): Fields {
  const { output: _, errorText, preliminary, resultProviderMetadata, ...kept } = part;
  return { ...kept, state: ToolStateName.OutputDenied, approval };
}
