// The editor of a card, which the elements load with the first change: see `element/editor.ts`.
import { Editor, type EditorHost } from './element/editor.js';
import type { Catalogue } from './text/catalogue.js';
import { EDITOR } from './text/editor-texts.js';
import { createWords } from './words.js';

/** Makes the editor of a card, in the language of the card. */
export const createEditor = (host: EditorHost, locale: Catalogue | undefined): Editor =>
  new Editor(host, createWords(locale, EDITOR));
