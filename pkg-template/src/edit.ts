// The fields that a person can change in the input of a call, and the input that their texts make: for any editor.
import { editFields, readField, sameJson, withValues } from './element/fields.js';
import type { CallView, EditProblem } from './prompt.js';
import type { Catalogue } from './text/catalogue.js';
import { EDITOR } from './text/editor-texts.js';
import { createWords } from './words.js';

export { editFields, type EditField } from './element/fields.js';

/** The result of an edit. */
export type Edit =
  /** it is what the model asked for: allow the call without an input */
  | { type: 'unchanged' }
  /** pass `input` with the decision */
  | { type: 'changed'; input: unknown }
  /** show `problems` beside their fields */
  | { type: 'wrong'; problems: readonly EditProblem[] };

/**
 * Reads what was typed into fields.
 *
 * @param call the call as it is shown
 * @param typed the text of each control, by the name of its field; a field that is missing keeps its value
 * @param locale the language of the problems: `guard.locale`. Default: English
 * @returns the changed input, that nothing has changed, or the problems
 */
export function readEdit(
  call: CallView,
  typed: ReadonlyMap<string | undefined, string>,
  locale?: Catalogue,
): Edit {
  const words = createWords(locale, EDITOR);
  const problems: EditProblem[] = [];
  const changes: [string | undefined, unknown][] = [];
  for (const field of editFields(call)) {
    const { name } = field;
    const content = readField(field, typed.get(name) ?? field.text, words);
    if ('problem' in content)
      problems.push({ ...(name !== undefined && { field: name }), message: content.problem });
    else if (!sameJson(content.value, field.value)) changes.push([name, content.value]);
  }
  if (problems.length > 0) return { type: 'wrong', problems };
  if (changes.length === 0) return { type: 'unchanged' };
  return { type: 'changed', input: withValues(call.input, changes) };
}
