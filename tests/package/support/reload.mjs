// Pages that follow each other: the same chat, the same storage, and messages as they were stored.
import { after } from 'node:test';

import { createRecord } from 'tool-approval-guard/record';

import { storageOf as ownStorage } from '../../support/storage.mjs';
import { macrotask, scene } from './chat.mjs';

export const copy = (value) => JSON.parse(JSON.stringify(value));

/** A storage of the application's own. `later` answers with promises. */
export const storageOf = (rows, { later = false } = {}) => ownStorage(rows, later ? macrotask : undefined);

/** The error of a database that other pages hold, as the storage of a record rejects with it. */
export function busy() {
  try {
    createRecord({ storage: 'unknown' });
  } catch ({ constructor: RecordError }) {
    return new RecordError('storage-busy', 'busy');
  }
}

/** All texts that a storage holds. */
export const textsOf = ({ rows }) =>
  [...rows.values()].flatMap(({ head, state, entries }) => [head, state, ...entries]);

/** Changes each text that a storage holds. */
export function edit({ rows }, change) {
  for (const [chat, row] of rows) {
    const [head, state, ...entries] = [row.head, row.state, ...row.entries].map(change);
    rows.set(chat, { ...row, head, state, entries });
  }
}

let chats = 0;

/** The storage as one page sees it. After the page is closed, its writes have no effect. */
function viewOf(storage) {
  const view = { isOpen: true };
  for (const name of ['transact', 'remove', 'prune']) {
    view[name] = (...args) => (view.isOpen ? storage[name](...args) : new Promise(() => {}));
  }
  return view;
}

/**
 * A chat whose page can be loaded again. The page before is then closed in the middle of whatever it does.
 */
export function reloadable(sdk, { storage = storageOf(), record: recordOptions, ...options } = {}) {
  const id = `reloaded-${chats++}`;
  /** Loads the page; without `messages`, with those of the page before. */
  let view;
  const load = async ({ keepOpen = false, ...more } = {}) => {
    if (view !== undefined && !keepOpen) view.isOpen = false;
    view = viewOf(storage);
    const record = createRecord({ storage: view, ...recordOptions });
    const s = scene(sdk, {
      ...options,
      ...more,
      guard: { chatId: id, record, ...options.guard, ...more.guard },
      chat: { id, ...more.chat },
    });
    // Its record would set its timers again in the next test of the process, perhaps on a clock that a test controls.
    after(() => s.guard.dispose());
    s.guard.getSnapshot();
    await record.settled();
    await macrotask();
    return Object.assign(s, { record, id });
  };
  return { id, storage, load };
}
