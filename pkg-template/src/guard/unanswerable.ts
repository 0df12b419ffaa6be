// The calls that ask while the module is not available: a page shows them, and nothing can answer them (law 11).
import { readPart, type PartFacts } from '../chat/part.js';
import { StringIds } from '../chat/string-ids.js';
import { NONE, sameItems } from '../engine/rows.js';
import type { Settings } from '../options.js';
import type { CallView } from '../prompt.js';
import { labelOf } from './grants.js';
import { inputTextOf, saidOf } from './call-view.js';
import { askingIn, unanswerableCall } from './unanswerable-call.js';

/** Reads them from the messages alone. It knows nothing of what was decided before. */
export class Unanswerable {
  #parts: readonly unknown[] = NONE;
  #calls: readonly CallView[] = NONE;

  /** The calls of the last step that ask. The list is the same object as long as their parts are. */
  in(messages: readonly unknown[], settings: Settings): readonly CallView[] {
    const { messageId, parts } = askingIn(messages);
    if (!sameItems(parts, this.#parts)) {
      this.#parts = parts;
      const ids = new StringIds();
      this.#calls = parts.map((part, i) => {
        const facts = readPart(part, undefined, ids, NONE) as PartFacts;
        return withSettings(unanswerableCall(part, messageId, i, parts.length), facts, settings);
      });
    }
    return this.#calls;
  }
}

/** The view of a call with what the options of the guard say about it. */
function withSettings(view: CallView, facts: PartFacts, settings: Settings): CallView {
  const { tools, redact } = settings;
  const { toolName, input } = view;
  const server = tools.serverOf(facts);
  // `redact` may need a module that cannot be started, either.
  const isShown = redact === undefined;
  // A function counts as a yes without being called: nothing can be answered here anyway.
  const isDangerous = tools.isDangerous(facts, () => true) === true;
  return {
    ...view,
    ...saidOf(settings, toolName, server, facts, isDangerous),
    label: labelOf(settings, toolName, server),
    server,
    display: isShown ? { value: input, hidden: 0 } : undefined,
    inputText: isShown ? inputTextOf(input) : undefined,
  };
}
