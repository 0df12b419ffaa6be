// The stored form of a result, and its place in a message list.
import { ToolStateName } from '../generated/abi.js';
import type { Fields } from '../objects.js';
import type { ClaimResult, DoneCall } from './types.js';

/** Returns the text to store; `undefined` if JSON cannot express the output. */
export function resultText(result: ClaimResult): string | undefined {
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
}

/** Reads the text of {@link resultText}; returns `undefined` if it is none. */
export function resultOf(text: string | undefined): ClaimResult | undefined {
  try {
    const result: unknown = JSON.parse(text ?? '');
    if (typeof result !== 'object' || result === null) return undefined;
    if ('errorText' in result) return { errorText: String(result.errorText) };
    // A tool that returned nothing has no output in JSON.
    return { output: 'output' in result ? result.output : undefined };
  } catch {
    return undefined;
  }
}

/**
 * Whether the list needs the result. The SDK runs `execute` only for approved calls at the end of the list, and refuses
 * a list in which others have no result. It takes the beginning of an output for all of it. A provider gets every
 * answer of the list: a denial that came too late does no harm, and the yes in its place could run the call.
 */
const isMissing = ({ type, current, providerExecuted }: DoneCall): boolean =>
  type === 'open' || (type === 'rejected' ? !providerExecuted : !current);

/**
 * The part of a call with its result. Only a call that was approved has one. So where it was denied too late, the
 * approval says that; the reason of the denial and what may stand over it go.
 */
function ended({ type, result }: DoneCall, part: Fields): Fields {
  // A tool that returned nothing has the output `null`, because a list without one would be incomplete as JSON.
  const end =
    'errorText' in result
      ? { state: ToolStateName.OutputError, errorText: result.errorText }
      : { state: ToolStateName.OutputAvailable, output: result.output ?? null };
  if (type === 'approved') return { ...part, ...end };
  const { output, errorText, preliminary, resultProviderMetadata, ...call } = part;
  if (type === 'open') return { ...call, ...end };
  const { reason, ...approval } = call.approval as Fields;
  return { ...call, approval: { ...approval, approved: true }, ...end };
}

/**
 * Puts the results that are missing into the list.
 *
 * @returns the same list if nothing is missing; otherwise a copy, in which only these parts are new
 */
export function withResults<MESSAGES>(messages: MESSAGES, calls: readonly DoneCall[]): MESSAGES {
  const missing = calls.filter(isMissing);
  if (missing.length === 0) return messages;
  // Every decision comes from a list of messages with parts.
  const list = [...(messages as readonly Fields[])];
  for (const call of missing) {
    const message = list[call.messageIndex] as Fields;
    const parts = [...(message.parts as readonly Fields[])];
    parts[call.partIndex] = ended(call, parts[call.partIndex] as Fields);
    list[call.messageIndex] = { ...message, parts };
  }
  return list as MESSAGES;
}
