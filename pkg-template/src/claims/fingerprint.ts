// The fingerprint of what a user was shown: stored instead of the input.
import { canonical } from '../chat/canonical.js';

/** A value as a client gets it. A schema can put into an input something that JSON does not have, such as a date. */
function onTheWire(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value ?? null));
  } catch {
    return undefined;
  }
}

/**
 * Returns the SHA-256 of an approval's chat, id, tool and input; `undefined` if the input has no canonical JSON.
 * The ids are part of it, so that equal inputs have different fingerprints and no table of known inputs helps.
 */
export async function fingerprint(
  chatId: string,
  approvalId: string,
  toolName: string,
  input: unknown,
): Promise<string | undefined> {
  const sent = onTheWire(input);
  const text = sent === undefined ? undefined : canonical(sent);
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify([chatId, approvalId, toolName, text]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
