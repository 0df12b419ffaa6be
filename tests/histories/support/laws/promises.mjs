// What each group of promises can ask and say.
import { brief } from './shown.mjs';

export class Promises {
  #laws;

  /** @param laws what the groups share: `world`, `words`, `calls`, and the broken promises */
  constructor(laws) {
    this.#laws = laws;
  }

  get world() {
    return this.#laws.world;
  }

  get truth() {
    return this.#laws.world.truth;
  }

  /** How many pages there were. */
  get pages() {
    return this.#laws.pages;
  }

  get options() {
    return this.#laws.world.options;
  }

  get words() {
    return this.#laws.words;
  }

  get calls() {
    return this.#laws.calls;
  }

  /** A promise is broken. */
  breaks(kind, detail = {}) {
    this.#laws.breaks(kind, detail);
  }

  /** A request has broken a promise. */
  breaksIn({ number, page, wire, homeCopy }, kind, detail) {
    this.breaks(kind, {
      ...detail,
      request: number,
      page: page.number,
      home: brief(homeCopy),
      wire: brief(wire),
    });
  }
}
