import type { CallView } from '../prompt.js';
import { Card } from './card.js';
import type { QueueGuard } from './context.js';
import { h, setHidden } from './dom.js';
import { sentences } from './progress.js';
import { ElementView } from './view.js';

/** The element that a view belongs to. */
export interface CardHost extends HTMLElement {
  readonly call: CallView | string | undefined;
}

/** The cards on the page, for a queue that leaves the requests to them. */
const shown = new WeakMap<QueueGuard, Set<CardView>>();

/** The cards of a guard, in the order in which they came. */
export const cardsOf = (guard: QueueGuard): CardView[] => [...(shown.get(guard) ?? [])];

/** What one element shows of one call. */
export class CardView extends ElementView<CardHost> {
  readonly #place = h('div', { part: 'requests' });
  #card: Card | undefined;

  open(): void {
    this.show(this.#place);
    shown.set(this.guard, (shown.get(this.guard) ?? new Set()).add(this));
  }

  override close(): void {
    shown.get(this.guard)?.delete(this);
    super.close();
  }

  get asks(): boolean {
    return this.#card?.asks === true;
  }

  focus(options?: FocusOptions): void {
    this.#card?.heading.focus(options);
  }

  render(): void {
    if (this.isClosed) return;
    const focused = this.root.activeElement;
    const call = this.#call();
    setHidden(this.#place, call === undefined);
    if (this.#card?.call.key !== call?.key) {
      this.#card?.dispose();
      this.#card = call && new Card(this, call);
      this.#card?.complete();
      this.#place.replaceChildren(...(this.#card === undefined ? [] : [this.#card.root]));
    }
    if (call === undefined || this.#card === undefined) return;
    const asked = this.#card.asks;
    const words = this.words.call(call);
    this.#card.update(call, words.position, Date.now());
    if (asked && !this.#card.asks) this.announcer.say(sentences(words.title, words.outcome));
    this.tickWhile(this.#card.asks && call.deadline !== undefined);
    if (this.hasLostFocus(focused))
      (this.#card.fallbackFocus ?? this.#card.heading).focus({ preventScroll: true });
  }

  /** The call as it is now. A call that never needed an answer is not shown. */
  #call(): CallView | undefined {
    const { call } = this.host;
    const key = typeof call === 'string' ? call : call?.key;
    const found = this.guard.getSnapshot().calls.find((other) => other.key === key);
    return found?.status === 'asking' || found?.decision !== undefined ? found : undefined;
  }
}
