// The stored form of a result, and its place in a message list.
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

type Fields = Readonly<Record<string, unknown>>;

/**
 * Puts the results of calls that belong to history into the list: the SDK asks `execute` only for those at its end, and
 * refuses a list in which others have no result.
 *
 * @returns the same list if nothing is missing; otherwise a copy, in which only these parts are new
 */
export function withResults<MESSAGES>(messages: MESSAGES, calls: readonly DoneCall[]): MESSAGES {
  const past = calls.filter(({ current }) => !current);
  if (past.length === 0) return messages;
  // Where a decision comes from, there is a list of messages with parts.
  const list = [...(messages as readonly Fields[])];
  for (const { messageIndex, partIndex, result } of past) {
    const message = list[messageIndex] as Fields;
    const parts = [...(message.parts as readonly Fields[])];
    // A tool that returned nothing has the output `null`, because a list without one would be incomplete as JSON.
    const end =
      'errorText' in result
        ? { state: 'output-error', errorText: result.errorText }
        : { state: 'output-available', output: result.output ?? null };
    parts[partIndex] = { ...parts[partIndex], ...end };
    list[messageIndex] = { ...message, parts };
  }
  return list as MESSAGES;
}
