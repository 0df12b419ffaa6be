// Signs an approval again whose input a user has changed, as the SDK signs it.
import { canonical } from '../chat/canonical.js';
import { ToolStateName } from '../generated/abi.js';
import { callOf, editedFrom, own } from './outline.js';
import { type Fields, isRecord } from '../objects.js';
import { checkOptions, invalid, toolNames } from './options.js';

/** The options of {@link signEdits}. */
export interface SignEditsOptions {
  /** The secret with which `streamText` signs: its `experimental_toolApprovalSecret`. */
  secret: string | Uint8Array;
  /** The tools whose input a user may change before allowing a call. */
  editable: Iterable<string>;
}

interface Signed {
  approvalId: string;
  toolCallId: string;
  toolName: string;
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const bytesOf = (text: string) => new TextEncoder().encode(text);

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** The payload that `ai` 7 signs, and that of `ai` 6 and older versions of 7, which is known by its lines. */
const PAYLOADS = [
  (fields: readonly string[]) => JSON.stringify(['ai-sdk-tool-approval-v1', ...fields]),
  (fields: readonly string[]) =>
    fields.some((field) => field.includes('\n')) ? undefined : fields.join('\n'),
];

/** The signatures that an input can have, one for each form; none if JSON cannot express it. */
async function signaturesOf(key: CryptoKey, call: Signed, input: unknown): Promise<(string | undefined)[]> {
  const text = canonical(input);
  if (text === undefined) return [];
  const digest = base64url(await crypto.subtle.digest('SHA-256', bytesOf(text)));
  const fields = [call.approvalId, call.toolCallId, call.toolName, digest];
  return Promise.all(
    PAYLOADS.map(async (payloadOf) => {
      const payload = payloadOf(fields);
      return payload === undefined
        ? undefined
        : base64url(await crypto.subtle.sign('HMAC', key, bytesOf(payload)));
    }),
  );
}

/** The part with the signature of its changed input, if its signature is that of what the model asked for. */
async function signedAgain(part: unknown, key: CryptoKey, editable: readonly string[]): Promise<unknown> {
  if (!isRecord(part) || part.state !== ToolStateName.ApprovalResponded) return part;
  const { approval } = part;
  const { approvalId, toolCallId, toolName } = callOf(part);
  const from = editedFrom(part);
  if (!isRecord(approval) || approval.approved !== true || from === undefined) return part;
  if (approvalId === undefined || toolCallId === undefined || toolName === undefined) return part;
  if (!editable.includes(toolName) || typeof approval.signature !== 'string') return part;
  // The schema has made this input of another one, which nobody has signed.
  if (own(approval, 'inputSchemaInput') !== undefined) return part;
  const call = { approvalId, toolCallId, toolName };
  const form = (await signaturesOf(key, call, from)).indexOf(approval.signature);
  const signature = form < 0 ? undefined : (await signaturesOf(key, call, own(part, 'input')))[form];
  return signature === undefined ? part : { ...part, approval: { ...approval, signature } };
}

/**
 * Signs approvals again whose input a user has changed, where `streamText` has `experimental_toolApprovalSecret` and would
 * run no other input than the one that it has signed. The signature that a part has must be that of the input that the
 * model asked for. What is not signed like that, and every other part, stays as it is, so that `streamText` refuses it.
 *
 * ```ts
 * const signed = await signEdits(messages, { secret, editable: ['send_mail'] });
 * ```
 *
 * Tell the page of it: `signsAgain` beside `editable` in the guard's option `tools`.
 *
 * @param messages the messages of the page
 * @param options the secret, and the tools whose input a user may change
 * @returns the messages for `convertToModelMessages`; the same array if nothing is to be signed
 * @throws GuardError `invalid-option`
 */
export async function signEdits<M extends { parts: readonly unknown[] }>(
  messages: readonly M[],
  options: SignEditsOptions,
): Promise<M[]> {
  checkOptions(options, 'signEdits', ['secret', 'editable'] satisfies (keyof SignEditsOptions)[]);
  const { secret } = options as Fields;
  const isSecret = secret instanceof Uint8Array || typeof secret === 'string';
  if (!isSecret || secret.length === 0)
    throw invalid('The option secret must be a text or bytes, not empty.');
  const editable = toolNames(options, 'editable');
  const bytes = typeof secret === 'string' ? bytesOf(secret) : new Uint8Array(secret);
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
  const signed = await Promise.all(
    messages.map(async (message) => {
      const parts = await Promise.all(message.parts.map((part) => signedAgain(part, key, editable)));
      return parts.every((part, i) => part === message.parts[i]) ? message : { ...message, parts };
    }),
  );
  return signed.every((message, i) => message === messages[i]) ? (messages as M[]) : signed;
}
