// A storage in memory, for one page.
import type { ApprovalStorage } from './contract.js';
import { synchronousStorage, type Row } from './synchronous.js';

/** Creates a storage that ends with the page. */
export function memoryStorage(): ApprovalStorage {
  const rows = new Map<string, Row>();
  return synchronousStorage({
    get: (chat) => rows.get(chat),
    set: (chat, row) => void rows.set(chat, row),
    delete: (chat) => void rows.delete(chat),
    chats: () => [...rows.keys()],
  });
}
