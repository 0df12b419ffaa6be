// The common part of the storages that read and write synchronously.
import type { ApprovalStorage } from './contract.js';

/** A record in its stored form. */
export interface Row {
  head?: string | undefined;
  state?: string | undefined;
  first: number;
  entries: readonly string[];
  /** The time when it was last written, in milliseconds since the epoch. */
  at: number;
}

/** A place that keeps rows by chat, for one tab. */
export interface Rows {
  get(chat: string): Row | undefined;
  set(chat: string, row: Row): void;
  delete(chat: string): void;
  chats(): readonly string[];
}

/** Creates a storage of rows that are read and written synchronously. */
export function synchronousStorage(rows: Rows): ApprovalStorage {
  return {
    transact(chat, from, judge) {
      const row = rows.get(chat) ?? { first: 0, entries: [], at: 0 };
      const { head, state, first, entries } = row;
      const length = first + entries.length;
      const change = judge({
        head,
        state,
        first,
        length,
        entries: entries.slice(Math.max(from - first, 0)),
      });
      if (change === undefined) return;
      const next = Math.max(change.first ?? 0, first);
      rows.set(chat, {
        head: change.head ?? head,
        state: change.state ?? state,
        first: next,
        entries: [...entries, ...(change.append ?? [])].slice(next - first),
        at: Date.now(),
      });
    },
    remove: (chat) => rows.delete(chat),
    prune(before, most) {
      const times = rows.chats().map((chat) => ({ chat, at: rows.get(chat)?.at ?? 0 }));
      times.sort((a, b) => b.at - a.at);
      times.forEach(({ chat, at }, i) => {
        if (at < before || i >= most) rows.delete(chat);
      });
    },
  };
}
