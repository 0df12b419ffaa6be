// One request: a preview of a call, or of several equal ones, which can be completed with all of the input and the
// choices.
import type { CallView } from '../prompt.js';
import { CardBody, isAutomatic } from './card-body.js';
import type { CallGroup, CardContext } from './context.js';
import { h, setAttribute, setHidden, setText } from './dom.js';
import { LongText, shortened } from './long-text.js';

let ids = 0;

/**
 * The card of a call. At first it has a preview in place of its body: the title, the position and the input as text,
 * which assistive technology lists and the browser finds. Only a complete card has buttons.
 */
export class Card {
  readonly root: HTMLElement;
  /** The equal calls as they are shown: at least one. */
  #calls: CallGroup;
  /** The resting place of the focus: never a button that decides. */
  readonly heading: HTMLElement;
  readonly #context: CardContext;
  readonly #title: LongText;
  readonly #times: HTMLElement;
  readonly #position: HTMLElement;
  readonly #preview = h('p', { part: 'preview', dir: 'ltr' });
  #body: CardBody | undefined;
  #isDrawn = false;
  #wasAsked = false;

  constructor(context: CardContext, calls: CallGroup) {
    const id = `request-${ids++}`;
    this.#context = context;
    this.#calls = calls;
    this.#title = new LongText(context.translate);
    this.heading = h('h3', { part: 'title', id: `${id}-title`, tabindex: '-1' }, this.#title.root);
    this.#times = h('span', { part: 'times', id: `${id}-times` });
    this.#position = h('span', { part: 'position', id: `${id}-position` });
    this.root = h(
      'div',
      {
        role: 'group',
        id,
        'aria-labelledby': ['title', 'times', 'position'].map((name) => `${id}-${name}`).join(' '),
        'data-call': calls[0].toolCallId,
      },
      h('div', { part: 'head' }, this.heading, this.#times, this.#position),
      this.#preview,
    );
  }

  /** The first of its calls. */
  get call(): CallView {
    return this.#calls[0];
  }

  /** Puts the body in the place of the preview. */
  complete(): void {
    if (this.#body) return;
    this.#preview.remove();
    this.#body = new CardBody(this.#context, this.root, this.#calls);
    if (this.#isDrawn) this.#draw(Date.now());
  }

  /** The number of its calls, in words; empty for one. */
  get times(): string {
    return this.#times.textContent ?? '';
  }

  /** Whether all of the input is visible, so that it can be allowed as it is: not while a person changes it. */
  get isShown(): boolean {
    return this.#body?.isShown === true && !this.#body.isChanged;
  }

  /** The reason for a denial; empty while its field is closed. */
  get reason(): string {
    return this.#body?.reason ?? '';
  }

  get asks(): boolean {
    return this.call.waiting;
  }

  /** The next place of the focus if an update has removed its element: never a button that decides. */
  get fallbackFocus(): HTMLElement | undefined {
    return this.#body?.fallbackFocus;
  }

  /** @returns whether the card now shows another request, or another number of them */
  update(calls: CallGroup, position: string, now: number): boolean {
    setText(this.#position, position);
    setAttribute(this.heading, 'aria-level', String(this.#context.cardLevel));
    const isSame = calls.length === this.#calls.length && calls.every((call, i) => call === this.#calls[i]);
    if (this.#isDrawn && isSame && !isAutomatic(this.call)) {
      this.#body?.refresh(now);
      return false;
    }
    const wasDrawn = this.#isDrawn;
    this.#isDrawn = true;
    this.#calls = calls;
    // A person who is about to press has read the previous text.
    const isChanged = this.#draw(now) && wasDrawn;
    if (isChanged) this.#context.restart(this.root);
    return isChanged;
  }

  dispose(): void {
    this.#context.release(this.root);
  }

  /** @returns whether its title, the number of its calls, or its input is now another one */
  #draw(now: number): boolean {
    const { call } = this;
    const n = this.#calls.length;
    const words = this.#context.words.call(call);
    // If nobody was asked, there is nothing to warn about and no place to keep.
    this.#wasAsked ||= this.asks;
    const isOpen = this.#wasAsked || call.actor !== 'rule';
    setAttribute(this.root, 'part', call.dangerous && isOpen ? 'request dangerous' : 'request');
    setAttribute(this.root, 'data-status', call.status);
    setAttribute(this.root, 'data-dangerous', call.dangerous ? '' : undefined);
    setAttribute(this.root, 'data-decision', call.decision);
    const times = n === 1 ? '' : this.#context.translate('prompt.times', { n });
    const isOtherTitle = this.#title.set(isOpen ? words.title : words.name);
    const isOther = isOtherTitle || this.times !== times;
    setText(this.#times, times);
    setHidden(this.#times, n === 1);
    if (this.#body) return this.#body.update(this.#calls, words, isOpen, now) || isOther;
    setText(this.#preview, shortened(words.changes || (call.inputText ?? '')));
    return isOther;
  }
}
