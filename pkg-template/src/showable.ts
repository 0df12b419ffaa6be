// The one rule about the inputs that can be shown to a person: an input that it refuses can only be denied.
import { writeJson, type Fault } from './chat/canonical.js';
import { escapeInvisible } from './escape-invisible.js';

/** The number of pieces of a text that are written out: only these begin with the bracket. */
const piecesOf = (text: string): number => escapeInvisible(text).split('⟦').length - 1;

/** The reason why an input cannot be shown; `undefined` if it can. */
export function faultOf(input: unknown): Fault | undefined {
  const text = writeJson(input, piecesOf);
  return typeof text === 'string' ? undefined : text;
}
