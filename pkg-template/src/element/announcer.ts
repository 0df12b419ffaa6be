// Announces changes to screen readers.
import { h } from './dom.js';

/** The time for which an announcement stays before the next one may replace it. */
const PACE_MS = 1000;

/**
 * The only live region of an element. It announces only the latest text, and at most once a second, because a
 * screen reader that is interrupted finishes nothing.
 */
export class Announcer {
  readonly region = h('p', { role: 'status', class: 'unseen' });
  #next = '';
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param again whether to announce the text even if it is the same as before */
  say(text: string, again = false): void {
    this.#next = text;
    if (again) this.#again = true;
    if (this.#timer !== undefined) return;
    // The first one waits as well, so that simultaneous changes become one announcement.
    this.#timer = setTimeout(() => this.#speak(), 100);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #speak(): void {
    this.#timer = undefined;
    if (this.region.textContent === this.#next && !this.#again) return;
    // A new text node counts as a change, even with the same text.
    this.region.replaceChildren(this.#next);
    this.#again = false;
    this.#timer = setTimeout(() => this.#speak(), PACE_MS);
  }
}
