// The first rendering of a long queue shows most of its cards as previews. They are completed soon after: those near the
// viewport and next to the focus at once, the others while the page is idle.
import type { Card } from './card.js';

/** How many cards are completed in one idle moment. */
const SLICE = 16;
/** How long a page that is never idle can delay the next ones, in milliseconds. */
const PATIENCE = 100;

/** Completes cards. */
export class Completion {
  readonly #done: () => void;
  readonly #waiting = new Map<Element, Card>();
  readonly #observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) this.complete(target);
    },
    { rootMargin: '100%' },
  );
  readonly #listening = new AbortController();
  #isScheduled = false;

  /** @param done called when the last card that waited is complete */
  constructor(done: () => void) {
    this.#done = done;
    // What is printed is what is there.
    addEventListener('beforeprint', () => this.#next(Infinity), { signal: this.#listening.signal });
  }

  /** Whether there are cards that are not complete. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Completes a card later. */
  add(card: Card): void {
    this.#waiting.set(card.root, card);
    this.#observer.observe(card.root);
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
    this.#observer.unobserve(root);
  }

  close(): void {
    this.#waiting.clear();
    this.#observer.disconnect();
    this.#listening.abort();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.isWaiting) return;
    this.#isScheduled = true;
    const next = () => {
      this.#isScheduled = false;
      this.#next(SLICE);
      this.#schedule();
    };
    if (typeof requestIdleCallback === 'undefined') setTimeout(next);
    else requestIdleCallback(next, { timeout: PATIENCE });
  }

  #next(count: number): void {
    for (const root of [...this.#waiting.keys()].slice(0, count)) this.complete(root);
  }
}
