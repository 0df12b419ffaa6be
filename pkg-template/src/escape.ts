/**
 * Untrusted text and the inputs of tool calls, made safe to look at, for pages that show requests in their
 * own way. The results are tokens, to be put into the page as text, never as markup. No part of a text is
 * lost, and every character is visible.
 *
 * @module
 */
export { inspect, type Field, type Inspection, type Place } from './inspect.js';
export { escapeTokens, escapeInvisible, type EscapeOptions, type Token } from './escape-invisible.js';
