/** How long an announcement stands before the next one may replace it. */
const PACE_MS = 1000;

/**
 * The only live region of a queue. It announces the latest text only, at most once a second: a screen
 * reader that is interrupted reads nothing to its end.
 */
export class Announcer {
  readonly #region: HTMLElement;
  #next = '';
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: HTMLElement) {
    this.#region = region;
  }

  /** @param again announces the text also if it is the same as before */
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
    if (this.#region.textContent === this.#next && !this.#again) return;
    // A new text node counts as a change, also with the same text.
    this.#region.replaceChildren(this.#next);
    this.#again = false;
    this.#timer = setTimeout(() => this.#speak(), PACE_MS);
  }
}
