// Which inputs can be shown to a person. This is the one rule about it: what it refuses can only be denied.
import { writeJson, type Fault } from './chat/canonical.js';
import { escapeInvisible } from './escape-invisible.js';

/** How many pieces of a text are written out: only these begin with the bracket. */
const piecesOf = (text: string): number => escapeInvisible(text).split('⟦').length - 1;

/** Why an input cannot be shown; `undefined` if it can. */
export function faultOf(input: unknown): Fault | undefined {
  const text = writeJson(input, piecesOf);
  return typeof text === 'string' ? undefined : text;
}
