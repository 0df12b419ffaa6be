// The first rendering of a long queue shows most of its cards as previews. They are completed soon after: those near the
// viewport and next to the focus at once, the others while the page is idle.
import type { Card } from './card.js';

/** The number of cards that are completed in one idle moment. */
const SLICE = 16;
/** The longest delay of the next ones in a page that is never idle, in milliseconds. */
const PATIENCE = 100;

/** Completes cards. */
export class Completion {
  readonly #done: () => void;
  readonly #waiting = new Map<Element, Card>();
  /** Exists from `open` to `close`. */
  #observer: IntersectionObserver | undefined;
  #listening: AbortController | undefined;
  #isScheduled = false;

  /** @param done called when the last card that waited is complete */
  constructor(done: () => void) {
    this.#done = done;
  }

  open(): void {
    this.#observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) if (isIntersecting) this.complete(target);
      },
      { rootMargin: '100%' },
    );
    this.#listening = new AbortController();
    // Everything is complete before it is printed.
    addEventListener('beforeprint', () => this.#next(Infinity), { signal: this.#listening.signal });
    for (const root of this.#waiting.keys()) this.#observer.observe(root);
    this.#schedule();
  }

  /** Whether there are cards that are not complete. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Completes a card later. */
  add(card: Card): void {
    this.#waiting.set(card.root, card);
    this.#observer?.observe(card.root);
    this.#schedule();
  }

  /** Completes the card with this root now, if it waits. */
  complete(root: Element | null | undefined): void {
    const card = root && this.#waiting.get(root);
    if (!card) return;
    this.delete(card);
    card.complete();
    if (!this.isWaiting) this.#done();
  }

  delete({ root }: Card): void {
    this.#waiting.delete(root);
    this.#observer?.unobserve(root);
  }

  close(): void {
    this.#observer?.disconnect();
    this.#listening?.abort();
    this.#observer = undefined;
  }

  #schedule(): void {
    if (this.#isScheduled || !this.isWaiting || !this.#observer) return;
    this.#isScheduled = true;
    const next = () => {
      this.#isScheduled = false;
      if (this.#observer) this.#next(SLICE);
      this.#schedule();
    };
    if (typeof requestIdleCallback === 'undefined') setTimeout(next);
    else requestIdleCallback(next, { timeout: PATIENCE });
  }

  #next(count: number): void {
    for (const root of [...this.#waiting.keys()].slice(0, count)) this.complete(root);
  }
}
