/**
 * Untrusted text, and the inputs of tool calls, made safe to look at: for a page that shows requests in its
 * own way. Everything comes out as tokens, to be put into the page as text and never as markup. Nothing of
 * a text is lost, and no character of it is left that a person would not see.
 *
 * @module
 */
export { inspect, type Field, type Inspection, type Place } from './inspect.js';
export { reveal, revealed, type RevealOptions, type Token } from './reveal.js';
