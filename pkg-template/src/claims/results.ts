// The stored form of a result.
import type { ClaimResult } from './types.js';

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
