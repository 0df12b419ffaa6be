// Untrusted text that may be long, with a middle that can be unfolded.
import type { Translate } from './context.js';
import { h, setAttribute, setHidden, setText } from './dom.js';

/** The part of the beginning and the end that is always shown: a title keeps the sentence around it. */
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
  #fold: HTMLButtonElement | undefined;
  #text = '';

  constructor(translate: Translate) {
    this.#translate = translate;
  }

  /** @returns whether the text changed */
  set(text: string): boolean {
    if (text === this.#text) return false;
    this.#text = text;
    const { head, middle, end, n } = pieces(text);
    if (n === 0) {
      this.#fold?.remove();
      setText(this.root, text);
      return true;
    }
    const fold = (this.#fold ??= h('button', { type: 'button', part: 'button fold' }));
    const rest = h('span', {}, middle);
    const gap = h('span');
    const show = (all: boolean) => {
      setHidden(rest, !all);
      setText(gap, all ? '' : '…');
      setText(fold, this.#translate(all ? 'queue.unfold' : 'queue.fold', { n }));
      setAttribute(fold, 'aria-expanded', String(all));
    };
    fold.onclick = () => show(rest.hidden);
    show(false);
    this.root.replaceChildren(h('span', {}, head), gap, rest, h('span', {}, end));
    // A heading must not contain a button.
    if (!fold.isConnected) (this.root.closest('[part="head"]') ?? this.root).after(fold);
    return true;
  }
}

/** A text without its middle, if it is long. */
export function shortened(text: string): string {
  const { head, end, n } = pieces(text);
  return n === 0 ? text : `${head}…${end}`;
}

/** The pieces of a text, and how many characters its middle has; 0 if nothing is folded. */
function pieces(text: string): { head: string; middle: string; end: string; n: number } {
  const points = text.length > HEAD + LEAST + END ? [...text] : [];
  const n = points.length - HEAD - END;
  if (n <= LEAST) return { head: text, middle: '', end: '', n: 0 };
  const [head = '', middle = '', end = ''] = closed(
    [points.slice(0, HEAD), points.slice(HEAD, -END), points.slice(-END)].map((piece) => piece.join('')),
  );
  return { head, middle, end, n };
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
