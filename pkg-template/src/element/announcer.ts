/** How long a text stands before the next one may take its place. */
const PACE_MS = 1000;

/**
 * The one live region of a queue. It says the last thing only, and not more often than once a second:
 * a screen reader that is interrupted reads nothing to its end.
 */
export class Announcer {
  readonly #region: HTMLElement;
  #next = '';
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  /** @param again it is said also if it was what was said last */
  say(text: string, again = false): void {
    this.#next = text;
    if (again) this.#again = true;
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
    if (this.#region.textContent === this.#next && !this.#again) return;
    // A new text node is a change, also where it reads the same.
    this.#region.replaceChildren(this.#next);
    this.#again = false;
    this.#timer = setTimeout(() => this.#speak(), PACE_MS);
  }
}
