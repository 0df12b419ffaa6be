// Pages that follow each other: the same chat, the same storage, and messages as they were stored.
import { createRecord } from 'tool-approval-guard/record';

import { macrotask, scene } from './chat.mjs';

export const copy = (value) => JSON.parse(JSON.stringify(value));

/** A storage as an application may have one; `later` answers with promises. */
export function storageOf(texts = new Map(), { later = false } = {}) {
  const soon = (value) => (later ? macrotask().then(() => value()) : value());
  return {
    texts,
    read: (key) => soon(() => texts.get(key)),
    write: (key, text) => soon(() => void texts.set(key, text)),
    remove: (key) => soon(() => void texts.delete(key)),
    keys: (prefix) => soon(() => [...texts.keys()].filter((key) => key.startsWith(prefix))),
  };
}

let chats = 0;

/** The storage as one page has it, until the page is closed: what it writes afterwards reaches nothing. */
function viewOf(storage) {
  const view = { isOpen: true };
  for (const name of ['read', 'write', 'remove', 'keys']) {
    view[name] = (...args) => (view.isOpen ? storage[name](...args) : name === 'keys' ? [] : undefined);
  }
  return view;
}

/** A chat whose page can be loaded again; then the page before is closed, in the middle of what it does. */
export function reloadable(sdk, { storage = storageOf(), record: recordOptions, ...options } = {}) {
  const id = `reloaded-${chats++}`;
  /** Loads the page; without `messages` those that the last page had. */
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
    s.guard.getSnapshot();
    await record.settled();
    await macrotask();
    return Object.assign(s, { record, id });
  };
  return { id, storage, load };
}
