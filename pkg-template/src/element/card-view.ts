import type { CallView } from '../prompt.js';
import { Card } from './card.js';
import type { QueueGuard } from './context.js';
import { h, setAttribute, setHidden, setText } from './dom.js';
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

/** The queues on the page. They have the warning, so the cards beside them need none. */
const queues = new WeakMap<QueueGuard, Set<object>>();

/** Tells the cards of a guard that this queue is on the page, or that it no longer is. */
export function setQueue(guard: QueueGuard, queue: object, isShown: boolean): void {
  const own = queues.get(guard) ?? new Set();
  if (isShown) own.add(queue);
  else own.delete(queue);
  queues.set(guard, own);
  for (const card of cardsOf(guard)) card.render();
}

/** What one element shows of one call. */
export class CardView extends ElementView<CardHost> {
  readonly #warning = h('p', { part: 'warning' });
  readonly #place = h('div', { part: 'requests' }, this.#warning);
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
      this.#place.replaceChildren(this.#warning, ...(this.#card === undefined ? [] : [this.#card.root]));
    }
    if (call === undefined || this.#card === undefined) return;
    this.#renderWarning(call);
    const asked = this.#card.asks;
    const words = this.words.call(call);
    this.#card.update(call, words.position, Date.now());
    if (asked && !this.#card.asks) this.announcer.say(sentences(words.title, words.outcome));
    this.tickWhile(this.#card.asks && call.deadline !== undefined);
    if (this.hasLostFocus(focused))
      (this.#card.fallbackFocus ?? this.#card.heading).focus({ preventScroll: true });
  }

  /** Without a queue, the first call that is decided has the warning, for all of them. It keeps its place. */
  #renderWarning({ position }: CallView): void {
    const hasQueue = (queues.get(this.guard)?.size ?? 0) > 0;
    setHidden(this.#warning, hasQueue || position?.index !== 1);
    const text = this.words.warning(this.guard.getSnapshot());
    if (text !== '') setText(this.#warning, text);
    setAttribute(this.#warning, 'data-off', text === '' ? '' : undefined);
  }

  /** The call as it is now. A call that never needed an answer is not shown. */
  #call(): CallView | undefined {
    const { call } = this.host;
    const key = typeof call === 'string' ? call : call?.key;
    const found = this.guard.getSnapshot().calls.find((other) => other.key === key);
    return found?.status === 'asking' || found?.decision !== undefined ? found : undefined;
  }
}
