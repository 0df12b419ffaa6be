// Tells the model of inputs that a user has changed.
import { NoteName } from '../generated/abi.js';
import { own } from './outline.js';
import { type Fields, isRecord } from '../objects.js';

/** The sentence for the model, beside a reason of the answer. The guard writes it as the reason where nobody gave another one. */
const CHANGED = 'The user changed the input of this call before allowing it.';

const partsOf = (message: unknown): readonly unknown[] => {
  const content = isRecord(message) ? own(message, 'content') : undefined;
  return Array.isArray(content) ? (content as readonly unknown[]) : [];
};

/** The reasons of allowances by the ids of their approvals, and the approvals by the ids of their calls. */
function readAnswers(messages: readonly unknown[]) {
  const reasons = new Map<unknown, unknown>();
  const approvals = new Map<unknown, unknown>();
  for (const part of messages.flatMap(partsOf).filter(isRecord)) {
    if (part.type === 'tool-approval-request') approvals.set(part.toolCallId, part.approvalId);
    if (part.type === 'tool-approval-response' && part.approved === true)
      reasons.set(part.approvalId, part.reason);
  }
  return { reasons, approvals };
}

/**
 * Tells the model which inputs a user has changed before allowing a call, so that it does not believe that it has asked for
 * them: a text before each such call says so. It has the reason of the allowance, which the SDK does not pass on, and
 * the input that the model wrote. Without changed inputs, it returns the same array.
 *
 * ```ts
 * messages: tellEdits(await convertToModelMessages(messages))
 * ```
 *
 * @param messages the messages for the model, as `convertToModelMessages` makes them
 * @returns the messages for `streamText` or `generateText`
 */
export function tellEdits<M>(messages: readonly M[]): M[] {
  const { reasons, approvals } = readAnswers(messages);
  let copy: M[] | undefined;
  for (const [i, message] of messages.entries()) {
    const parts = partsOf(message);
    const told = parts.flatMap((part): unknown[] => {
      if (!isRecord(part) || part.type !== 'tool-call' || !isRecord(part.providerOptions)) return [part];
      const { [NoteName.Package]: note, ...others } = part.providerOptions;
      if (!isRecord(note)) return [part];
      const { providerOptions: _, ...call } = part;
      // No provider knows this note.
      const rest = Object.keys(others).length === 0 ? call : { ...call, providerOptions: others };
      const from = own(note, NoteName.EditedFrom);
      const approval = approvals.get(part.toolCallId);
      if (from === undefined || from === null) return [rest];
      // A call that may have run with it is closed with a denial, whose reason the SDK passes on.
      const reason = reasons.get(approval);
      const isOther = typeof reason === 'string' && reason !== '' && reason !== CHANGED;
      const words = isOther ? `${CHANGED} ${reason}` : CHANGED;
      return [{ type: 'text', text: `[${words} ${JSON.stringify({ askedFor: from })}]` }, rest];
    });
    if (told.every((part, at) => part === parts[at])) continue;
    (copy ??= [...messages])[i] = { ...(message as Fields), content: told } as M;
  }
  return copy ?? (messages as M[]);
}
