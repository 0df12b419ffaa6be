import type { Say } from './desk.js';
import { h, setAttribute, setHidden, setText } from './dom.js';

/** So much of its beginning and of its end is always shown: a title keeps the sentence that it stands in. */
const HEAD = 200;
const END = 40;
/** A middle as short as this is not folded away. */
const LEAST = 40;
/** What stands around a name in a sentence: first strong isolate, pop directional isolate. */
const FSI = '\u2068';
const PDI = '\u2069';

/** A text of somebody else in one place: a long one must not push the choices out of sight, nor be cut. */
export class LongText {
  readonly root = h('bdi', { part: 'text' });
  readonly #say: Say;
  readonly #head = h('span');
  readonly #middle = h('span', { hidden: '' });
  readonly #gap = h('span');
  readonly #end = h('span');
  readonly #fold = h('button', { type: 'button', part: 'button fold', hidden: '' });
  #text = '';
  /** How many characters the middle has. */
  #n = 0;

  constructor(say: Say) {
    this.#say = say;
    this.root.append(this.#head, this.#gap, this.#middle, this.#end);
    this.#fold.addEventListener('click', () => this.#show(this.#middle.hidden));
  }

  /** It stands after the text, and not in it: a heading is no place for a button. */
  get fold(): HTMLElement {
    return this.#fold;
  }

  /** @returns whether it is another text than before */
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
    setText(this.#fold, this.#say(all ? 'queue.unfold' : 'queue.fold', { n: this.#n }));
    setAttribute(this.#fold, 'aria-expanded', String(all));
  }
}

/** Each piece closes the isolates that stand open where it is cut, so that it turns around nothing else. */
function closed(pieces: readonly string[]): string[] {
  let open = 0;
  return pieces.map((piece) => {
    const opened = FSI.repeat(open) + piece;
    open = opened.split(FSI).length - opened.split(PDI).length;
    return opened + PDI.repeat(open);
  });
}
