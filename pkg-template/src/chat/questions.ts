// The questions of a message list that nobody has answered.
import { ToolStateName } from '../generated/abi.js';
import { partsOf } from './part.js';
import { isObject, type Fields } from '../objects.js';

/**
 * The approval ids of the questions that the last message shows, and to which no part shows an answer. The chat writes an
 * answer into the first message that has its id.
 */
export function questionsIn(messages: readonly unknown[]): unknown[] {
  const idsOf = (list: readonly unknown[], state: ToolStateName): unknown[] => {
    const parts = list.flatMap((message) => (isObject(message) ? [...partsOf(message)] : []));
    const shown = parts.filter((part) => isObject(part) && part.state === state) as Fields[];
    return shown.map(({ approval }) => Object(approval).id as unknown);
  };
  const asking = idsOf(messages.slice(-1), ToolStateName.ApprovalRequested);
  if (asking.length === 0) return asking;
  const answered = new Set(idsOf(messages, ToolStateName.ApprovalResponded));
  return asking.filter((id) => !answered.has(id));
}
