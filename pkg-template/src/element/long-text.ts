import type { Say } from './desk.js';
import { h, setAttribute, setHidden, setText } from './dom.js';

/** So much of it is shown at once. */
const HEAD = 240;
/** A rest as short as this is not folded away. */
const TAIL = 40;

/** A text of somebody else in one place: a long one must not push the choices out of sight, nor be cut. */
export class LongText {
  readonly root = h('bdi', { part: 'text' });
  readonly #say: Say;
  readonly #head = h('span');
  readonly #rest = h('span', { hidden: '' });
  readonly #fold = h('button', { type: 'button', part: 'button fold', hidden: '' });
  #text = '';

  constructor(say: Say) {
    this.#say = say;
    this.root.append(this.#head, this.#rest);
    this.#fold.addEventListener('click', () => {
      setHidden(this.#rest, !this.#rest.hidden);
      this.#label();
    });
  }

  /** It stands after the text, and not in it: a heading is no place for a button. */
  get fold(): HTMLElement {
    return this.#fold;
  }

  /** @returns whether it is another text than before */
  set(text: string): boolean {
    if (text === this.#text) return false;
    this.#text = text;
    const points = text.length > HEAD + TAIL ? [...text] : [];
    const isLong = points.length > HEAD + TAIL;
    setText(this.#head, isLong ? points.slice(0, HEAD).join('') : text);
    setText(this.#rest, isLong ? points.slice(HEAD).join('') : '');
    setHidden(this.#rest, true);
    setHidden(this.#fold, !isLong);
    this.#label();
    return true;
  }

  #label(): void {
    const folded = this.#rest.hidden;
    const n = [...(this.#rest.textContent ?? '')].length;
    setText(this.#fold, this.#say(folded ? 'queue.fold' : 'queue.unfold', { n }));
    setAttribute(this.#fold, 'aria-expanded', String(!folded));
  }
}
