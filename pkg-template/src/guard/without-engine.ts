// What may leave while there is no engine. No message of the user is lost, no denial becomes a result, and no call runs.
import { withoutBlankEnd } from '../chat/blank.js';
import { sameDigest } from '../chat/digest.js';
import { isObject, outputDigestOf, partsOf, type Fields } from '../chat/part.js';
import { RoleName, ToolStateName } from '../generated/abi.js';
import type { ModelReasons } from '../text/model-reasons.js';

/**
 * Returns the messages of a request as they may leave; `undefined` if it has to be refused, because it would run a call
 * or leave a question open that nobody can answer here. Behind a message of the user such a call is closed instead, as
 * the user has moved on. A user message without content is none.
 *
 * @param adopted the last list that has come from the server: what it says happened is believed (law 17)
 * @throws TypeError if a message cannot be read, and whatever its getters throw
 */
export function withoutEngine<M>(
  messages: readonly M[],
  reasons: ModelReasons,
  adopted: readonly unknown[] = [],
): readonly M[] | undefined {
  const last: unknown = withoutBlankEnd(messages).at(-1);
  const reason = isObject(last) && last.role === RoleName.User ? reasons('reason.superseded') : undefined;
  const settled = adopted.flatMap((message) => (isObject(message) ? partsOf(message) : []));
  let isRefused = false;
  let isChanged = false;
  const left = messages.map((message) => {
    const parts: unknown = isObject(message) ? message.parts : undefined;
    if (!Array.isArray(parts)) throw new TypeError('A message has no list of parts.');
    const closed = parts.map((part: unknown) => {
      const next = settled.some((known) => showsAs(part, known)) ? part : closedPart(part, reason);
      isRefused ||= next === undefined;
      return next;
    });
    if (closed.every((part, i) => part === parts[i])) return message;
    isChanged = true;
    return { ...message, parts: closed };
  });
  if (isRefused) return undefined;
  return isChanged ? left : messages;
}

/** A part without what nobody has allowed here; `undefined` if it is open and cannot be closed. */
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
  return reason === undefined ? undefined : denied(part, { ...approval, approved: false, reason });
}

/** Whether a part shows a result in the same way as a part of the server's. */
function showsAs(part: unknown, known: unknown): boolean {
  if (!isObject(part) || !isObject(known) || part.toolCallId !== known.toolCallId) return false;
  const isSettled = part.state === ToolStateName.OutputAvailable || part.state === ToolStateName.OutputError;
  const [approval, other] = [part.approval, known.approval].map((it) => (isObject(it) ? it : {}));
  return (
    isSettled &&
    part.state === known.state &&
    approval?.id === other?.id &&
    approval?.approved === other?.approved &&
    approval?.approved !== false &&
    sameDigest(outputDigestOf(part.output, part.errorText), outputDigestOf(known.output, known.errorText))
  );
}

function denied(part: Fields, approval: Fields): Fields {
  const { output: _, errorText, preliminary, resultProviderMetadata, ...kept } = part;
  return { ...kept, state: ToolStateName.OutputDenied, approval };
}
