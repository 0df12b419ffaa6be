// The messages that may need a repair.

import type { SeenMessage } from './message.js';

/**
 * The number of the latest messages that are read for every check of the chat. The others are read when something is sent.
 */
export const RECENT = 8;

const NONE: never[] = [];

/** The messages that may need a repair, in order. */
export class WatchedMessages {
  #all: SeenMessage[] = NONE;
  #recent: readonly SeenMessage[] = NONE;

  get all(): readonly SeenMessage[] {
    return this.#all;
  }

  /** The latest messages, newest first. */
  get recent(): readonly SeenMessage[] {
    return this.#recent;
  }

  add(seen: SeenMessage): void {
    if (seen.isWatched) return;
    seen.isWatched = true;
    const last = this.#all.at(-1);
    // A list that grows has room for many more, and most chats have one.
    if (last === undefined) this.#all = [seen];
    else this.#all.push(seen);
    if (last !== undefined && last.index > seen.index) this.#all.sort((a, b) => a.index - b.index);
    this.#recent = this.#all.slice(-RECENT).reverse();
  }

  remove(seen: SeenMessage): void {
    if (!seen.isWatched) return;
    this.#all = this.#all.filter((other) => other !== seen);
    this.#recent = this.#all.slice(-RECENT).reverse();
  }
}
