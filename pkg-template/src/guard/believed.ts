// The parts of the server's list, where no core knows them.
import { sameDigest } from '../chat/digest.js';
import { outputDigestOf, partsOf } from '../chat/part.js';
import { isObject } from '../objects.js';
import { ToolStateName } from '../generated/abi.js';

/** Returns whether a part shows a result as a list of the server's does: it is believed (law 17). */
export function believedFrom(adopted: readonly unknown[] = []): (part: unknown) => boolean {
  const settled = adopted.flatMap((message) => (isObject(message) ? partsOf(message) : []));
  return (part) => settled.some((known) => showsAs(part, known));
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
