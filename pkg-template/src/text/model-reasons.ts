// The reasons that the guard itself gives for a denial. The model reads them, so every guard needs them.
import { GuardError } from '../error.js';
import { escapeInvisible } from '../escape-invisible.js';

export const REASONS = {
  'reason.expired': 'No one answered before the request expired. This is not a refusal by the user.',
  'reason.unattended': 'Nobody was there to answer. This is not a refusal by the user.',
  'reason.denied': 'The user denied permission for this call.',
  'reason.external': 'A program of the application denied this call. This is not a refusal by the user.',
  'reason.denyChat': 'The user refuses this call for the whole chat. Do not ask for it again.',
  'reason.rule': 'A rule of the application denies this call. Do not ask for it again.',
  'reason.ruleWhy':
    'A rule of the application denies this call. Do not ask for it again. The rule says: {note}',
  'reason.timeout': 'The tool did not answer in time. It is not known whether it ran.',
  'reason.superseded': 'Not a refusal by the user: the user moved on before this call ran.',
  'reason.doubt':
    'Not a refusal by the user: the conversation went on before the result of this call came, so it is not known whether the call ran.',
} as const;

/** The id of a reason. */
export type ReasonId = keyof typeof REASONS;

/** Returns a reason as text. `note` is what the rule says. */
export type ModelReasons = (id: ReasonId, note?: string) => string;

/** In the syntax of ICU: an apostrophe, a quotation, and the only placeholder that a reason can have. */
const SPECIAL = /''|'([{}](?:''|[^'])*)'(?!')|\{\s*note\s*\}|([{}])/g;

/**
 * The reasons, as a catalogue words them.
 *
 * @throws GuardError `invalid-catalogue` if the catalogue has no texts, or a reason cannot be read
 */
export function modelReasons(catalogue: object | undefined): ModelReasons {
  const { locale, messages }: Record<string, unknown> =
    catalogue === undefined ? { locale: 'en', messages: {} } : Object(catalogue);
  if (typeof locale !== 'string' || typeof messages !== 'object' || messages === null) {
    throw new GuardError(
      'invalid-catalogue',
      'A catalogue must be an object { locale, messages }, with texts by id in messages.',
    );
  }
  const textOf = (id: ReasonId, note: string): string => {
    const text: unknown =
      (Object.hasOwn(messages, id) ? messages[id as keyof typeof messages] : undefined) ?? REASONS[id];
    if (typeof text !== 'string')
      throw new GuardError('invalid-catalogue', `The message ${id} must be a string.`);
    // The texts of this file have no other placeholder, and the first card does not wait for the expression.
    if (text === REASONS[id] && id !== 'reason.ruleWhy') return text;
    return text.replace(SPECIAL, (found: string, quoted: string | undefined, brace: string | undefined) => {
      if (brace !== undefined || (found.startsWith('{') && id !== 'reason.ruleWhy')) {
        throw new GuardError(
          'invalid-catalogue',
          `The message ${id} may have no placeholder but {note}, and only where a rule says something.`,
        );
      }
      if (quoted !== undefined) return quoted.replaceAll("''", "'");
      return found === "''" ? "'" : note;
    });
  };
  if (catalogue !== undefined) for (const id of Object.keys(REASONS)) textOf(id as ReasonId, '');
  return (id, note = '') => textOf(id, escapeInvisible(note, { lines: false }));
}
