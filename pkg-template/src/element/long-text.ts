import type { Translate } from './context.js';
import { h, setAttribute, setHidden, setText } from './dom.js';

/** How much of the beginning and the end is always shown: a title keeps the sentence around it. */
const HEAD = 200;
const END = 40;
/** A middle of at most this length is not folded. */
const LEAST = 40;
/** The characters around a name in a sentence: first strong isolate, pop directional isolate. */
const FSI = '\u2068';
const PDI = '\u2069';

/** Untrusted text that may be long: it must not push the choices out of sight, and must not be cut. */
export class LongText {
  readonly root = h('bdi', { part: 'text' });
  readonly #translate: Translate;
  readonly #head = h('span');
  readonly #middle = h('span', { hidden: '' });
  readonly #gap = h('span');
  readonly #end = h('span');
  readonly #fold = h('button', { type: 'button', part: 'button fold', hidden: '' });
  #text = '';
  /** The number of characters in the middle; 0 if nothing is folded. */
  #n = 0;

  constructor(translate: Translate) {
    this.#translate = translate;
    this.root.append(this.#head, this.#gap, this.#middle, this.#end);
    this.#fold.addEventListener('click', () => this.#show(this.#middle.hidden));
  }

  /** The button is placed after the text, not in it: a heading must not contain a button. */
  get fold(): HTMLElement {
    return this.#fold;
  }

  /** @returns whether the text changed */
  set(text: string): boolean {
    if (text === this.#text) return false;
    this.#text = text;
    const points = text.length > HEAD + LEAST + END ? [...text] : [];
    const n = points.length - HEAD - END;
    this.#n = n > LEAST ? n : 0;
    const pieces =
      this.#n > 0
        ? [points.slice(0, HEAD), points.slice(HEAD, -END), points.slice(-END)].map((piece) => piece.join(''))
        : [text];
    const [head = '', middle = '', end = ''] = closed(pieces);
    setText(this.#head, head);
    setText(this.#middle, middle);
    setText(this.#end, end);
    setHidden(this.#fold, this.#n === 0);
    this.#show(false);
    return true;
  }

  #show(all: boolean): void {
    setHidden(this.#middle, !all);
    setText(this.#gap, all || this.#n === 0 ? '' : '…');
    setText(this.#fold, this.#translate(all ? 'queue.unfold' : 'queue.fold', { n: this.#n }));
    setAttribute(this.#fold, 'aria-expanded', String(all));
  }
}

/** Closes the isolates that are open at the end of each piece, so that its direction affects nothing else. */
function closed(pieces: readonly string[]): string[] {
  let open = 0;
  return pieces.map((piece) => {
    const opened = FSI.repeat(open) + piece;
    open = opened.split(FSI).length - opened.split(PDI).length;
    return opened + PDI.repeat(open);
  });
}
