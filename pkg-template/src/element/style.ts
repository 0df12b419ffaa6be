// The style sheet of the elements.
import css from './style.css';

const sheets = new WeakMap<Document, CSSStyleSheet>();

/** One style sheet for all queues of a document. A constructed style sheet needs no exception in the CSP. */
export function styleSheet(owner: Document): CSSStyleSheet {
  let sheet = sheets.get(owner);
  if (sheet === undefined) {
    sheet = new (owner.defaultView ?? globalThis).CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(owner, sheet);
  }
  return sheet;
}
