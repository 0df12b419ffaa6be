/** How long a text stands before the next one may take its place. */
const PACE_MS = 1000;

/**
 * The one live region of a queue. It says the last thing only, and not more often than once a second:
 * a screen reader that is interrupted reads nothing to its end.
 */
export class Announcer {
  readonly #region: HTMLElement;
  #next = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  say(text: string): void {
    this.#next = text;
    if (this.#timer !== undefined) return;
    // What comes together is said together, so the first waits a moment as well.
    this.#timer = setTimeout(() => this.#speak(), 100);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #speak(): void {
    this.#timer = undefined;
    if (this.#region.textContent === this.#next) return;
    this.#region.textContent = this.#next;
    this.#timer = setTimeout(() => this.#speak(), PACE_MS);
  }
}
