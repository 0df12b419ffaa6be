// The reasons that the guard itself gives for a denial. The model reads them, so every guard needs them.
import { GuardError } from '../error.js';
import { escapeInvisible } from '../escape-invisible.js';
import { SUPERSEDED } from '../loading/sentences.js';
import type { Values } from './message.js';

export const REASONS = {
  'reason.expired': 'No one answered before the request expired. This is not a refusal by the user.',
  'reason.unattended': 'Nobody was there to answer. This is not a refusal by the user.',
  'reason.denied': 'The user denied permission for this call.',
  'reason.external': 'A program of the application denied this call. This is not a refusal by the user.',
  'reason.denyChat': 'The user refuses this call for the whole chat. Do not ask for it again.',
  'reason.rule': 'A rule of the application denies this call. Do not ask for it again.',
  'reason.ruleWhy': ({ note }: Values<'note'>) =>
    `A rule of the application denies this call. Do not ask for it again. The rule says: ${note}`,
  'reason.edited': 'The user changed the input of this call before allowing it.',
  'reason.timeout': 'The tool did not answer in time. It is not known whether it ran.',
  'reason.superseded': SUPERSEDED,
  'reason.doubt':
    'Not a refusal by the user: the conversation went on before the result of this call came, so it is not known whether the call ran.',
} as const;

/** The id of a reason. */
export type ReasonId = keyof typeof REASONS;

/** Returns a reason as text. `note` is what the rule says. */
export type ModelReasons = (id: ReasonId, note?: string) => string;

/**
 * The reasons, as a catalogue words them.
 *
 * @throws GuardError `invalid-catalogue` if the catalogue has no messages, or a reason is no text
 */
export function modelReasons(catalogue: object | undefined): ModelReasons {
  const { locale, messages }: Record<string, unknown> =
    catalogue === undefined ? { locale: 'en', messages: {} } : Object(catalogue);
  if (typeof locale !== 'string' || typeof messages !== 'object' || messages === null) {
    throw new GuardError(
      'invalid-catalogue',
      'A catalogue must be an object { locale, messages }, with messages by their ids.',
    );
  }
  const own = (id: string): unknown =>
    Object.hasOwn(messages, id) ? messages[id as keyof typeof messages] : undefined;
  const invalid = (id: string, must = 'a text, or a function that returns one') =>
    new GuardError('invalid-catalogue', `The message ${id} must be ${must}.`);
  const textOf = (id: ReasonId, note: string): string => {
    const reason = own(id) ?? REASONS[id];
    const text: unknown = typeof reason === 'function' ? reason({ note }) : reason;
    if (typeof text === 'string') return text;
    throw invalid(id);
  };
  // The guard puts these around unusual names.
  if (typeof (own('prompt.quotes') ?? '') !== 'string') throw invalid('prompt.quotes', 'a text');
  if (catalogue !== undefined) for (const id of Object.keys(REASONS)) textOf(id as ReasonId, '');
  return (id, note = '') => textOf(id, escapeInvisible(note, { lines: false }));
}
