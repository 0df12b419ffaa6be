// A storage in `sessionStorage`, for one tab.
import type { ApprovalStorage } from './contract.js';
import { storageError, storageErrorOf } from './errors.js';
import { synchronousStorage, type Row } from './synchronous.js';

/** The prefix of every key, with the version of the format. */
const PREFIX = 'tool-approval-guard:2:';

/**
 * Creates a storage that survives a reload and belongs to one tab. Its methods are synchronous.
 * `sessionStorage` is accessed anew for each use, because a person may allow it at any time.
 */
export function webSessionStorage(): ApprovalStorage {
  /** Turns every error of the browser into a `GuardError`. */
  const use = <T>(work: (area: Storage) => T): T => {
    try {
      const area: Storage | null | undefined = globalThis.sessionStorage;
      if (area == null) throw storageError('storage-blocked');
      return work(area);
    } catch (cause) {
      throw storageErrorOf(cause);
    }
  };
  return synchronousStorage({
    get: (chat) =>
      use((area) => {
        const text = area.getItem(PREFIX + chat);
        return text === null ? undefined : (JSON.parse(text) as Row);
      }),
    set: (chat, row) => use((area) => area.setItem(PREFIX + chat, JSON.stringify(row))),
    delete: (chat) => use((area) => area.removeItem(PREFIX + chat)),
    chats: () =>
      use((area) =>
        Object.keys(area).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [])),
      ),
  });
}
