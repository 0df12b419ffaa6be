// The view of one call, in `<tool-approval-card>`.
import type { CallView } from '../prompt.js';
import { Card } from './card.js';
import { groupsOf, outcomeOf, type CallGroup, type QueueGuard } from './context.js';
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

/** An element's view of one call. */
export class CardView extends ElementView<CardHost> {
  readonly #warning = h('p', { part: 'warning' });
  readonly #place = h('div', { part: 'requests' }, this.#warning);
  #card: Card | undefined;
  /** The key of its call, if other calls are equal to it. */
  #shared: string | undefined;

  open(): void {
    shown.set(this.guard, (shown.get(this.guard) ?? new Set()).add(this));
    this.show(this.#place);
  }

  override close(): void {
    shown.get(this.guard)?.delete(this);
    if (this.#shared !== undefined) this.#renderOthers();
    this.#shared = undefined;
    super.close();
  }

  get #key(): string | undefined {
    const { call } = this.host;
    return typeof call === 'string' ? call : call?.key;
  }

  /** Of the cards of equal calls, the first one shows all of them. Another one may be that now. */
  #renderOthers(): void {
    for (const card of cardsOf(this.guard)) if (card !== this) card.scheduleRender();
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
    const calls = this.#calls();
    const call = calls?.[0];
    setHidden(this.#place, call === undefined);
    if (this.#card?.call.key !== call?.key) {
      this.#card?.dispose();
      this.#card = calls && new Card(this, calls);
      this.#card?.complete();
      this.#place.replaceChildren(this.#warning, ...(this.#card === undefined ? [] : [this.#card.root]));
    }
    if (calls === undefined || call === undefined || this.#card === undefined) return;
    this.#renderWarning(call);
    const asked = this.#card.asks;
    const words = this.words.call(call);
    this.#card.update(calls, words.position, Date.now());
    if (asked && !this.#card.asks)
      this.announcer.say(sentences(words.title, this.#card.times, outcomeOf(call, words, this.translate)));
    this.tickWhile(this.#card.asks && calls.some(({ deadline }) => deadline !== undefined));
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

  /**
   * The call as it is now, and those that are equal to it. A call that never needed an answer is not shown, and neither
   * is one that the card of an equal call shows.
   */
  #calls(): CallGroup | undefined {
    const { calls } = this.guard.getSnapshot();
    const key = this.#key;
    const found = calls.find((call) => call.key === key);
    const isShown = found?.status === 'asking' || found?.decision !== undefined;
    const [group] = isShown ? groupsOf(calls.filter((call) => call.group === found?.group)) : [];
    const shared = group !== undefined && group.length > 1 ? key : undefined;
    if (shared !== this.#shared) {
      this.#shared = shared;
      this.#renderOthers();
    }
    if (shared === undefined) return group;
    const cards = new Set(cardsOf(this.guard).map((card) => card.#key));
    return group?.find((call) => cards.has(call.key))?.key === key ? group : undefined;
  }
}
