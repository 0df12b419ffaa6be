// A storage of records as an application may have one: a row for each chat.

const EMPTY = { head: undefined, state: undefined, first: 0, length: 0, entries: [] };

/** @param pause settles before each transaction. Without it, the storage answers at once. */
export function storageOf(rows = new Map(), pause) {
  let last = Promise.resolve();
  /** One transaction after the other. */
  const soon = (work) => {
    if (pause === undefined) return void work();
    const done = last.then(pause).then(() => void work());
    last = done.catch(() => {});
    return done;
  };
  return {
    rows,
    transact: (chat, from, judge) =>
      soon(() => {
        const row = rows.get(chat) ?? EMPTY;
        const change = judge({ ...row, entries: row.entries.slice(Math.max(0, from - row.first)) });
        if (change === undefined) return;
        const { head = row.head, state = row.state, append = [], first = row.first } = change;
        const entries = [...row.entries, ...append].slice(first - row.first);
        rows.set(chat, { head, state, first, length: row.length + append.length, entries });
      }),
    remove: (chat) => soon(() => void rows.delete(chat)),
    prune: () => soon(() => {}),
  };
}
