/** A value, or a promise of it. */
export type Later<T> = T | PromiseLike<T>;

/**
 * The storage of the record: IndexedDB, a server, anything that keeps texts by key. Each method may return a value or a
 * promise. Only a synchronous storage is written before the next line of the page runs.
 */
export interface ApprovalStorage {
  /** Returns the text under a key, if there is one. */
  read(key: string): Later<string | undefined | null>;
  /** Replaces the text under a key, completely or not at all. */
  write(key: string, text: string): Later<void>;
  /** Removes a key. It is no error if the key does not exist. */
  remove(key: string): Later<void>;
  /** Returns all keys that begin with `prefix`. */
  keys(prefix: string): Later<Iterable<string>>;
}

/** Makes a storage that ends with the page. */
export function memoryStorage(): ApprovalStorage {
  const texts = new Map<string, string>();
  return {
    read: (key) => texts.get(key),
    write: (key, text) => void texts.set(key, text),
    remove: (key) => void texts.delete(key),
    keys: (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  };
}

/** The browser's own storage, as the wasm border offers it. It does not throw; failures are codes. */
export interface WebStorageCore {
  read(key: string): string | undefined;
  /** Returns `blocked`, `full` or another code when it fails. */
  write(key: string, text: string): string | undefined;
  remove(key: string): string | undefined;
  /** Returns `undefined` when the keys cannot be read. */
  keys(prefix: string): string[] | undefined;
}

/**
 * Makes a storage of the browser's own: `local` is shared by all tabs, `session` belongs to one. It is opened at its first
 * use, and again after a failure, because a person may allow it meanwhile.
 *
 * @param open returns it, or `undefined` where it is blocked or missing
 */
export function webStorage(
  kind: 'session' | 'local',
  open: (area: 'session' | 'local') => WebStorageCore | undefined,
): ApprovalStorage {
  let opened: WebStorageCore | undefined;
  const core = (): WebStorageCore => {
    opened ??= open(kind);
    if (opened === undefined) throw 'blocked';
    return opened;
  };
  const check = (code: string | undefined): void => {
    if (code !== undefined) throw code;
  };
  return {
    read: (key) => core().read(key),
    write: (key, text) => check(core().write(key, text)),
    remove: (key) => check(core().remove(key)),
    keys(prefix) {
      const keys = core().keys(prefix);
      if (keys === undefined) throw 'blocked';
      return keys;
    },
  };
}
