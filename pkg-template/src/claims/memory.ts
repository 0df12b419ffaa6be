// A store in memory, for tests and for a single process that may forget.
import type { ClaimStore, ClaimWrite, FoundClaim, StoredClaim } from './store.js';

/**
 * Creates a store in memory. It is lost with the process and shared with no other one, so it is for tests.
 *
 * @returns a store for `createClaims`
 */
export function memoryClaims(): ClaimStore {
  const chats = new Map<string, Map<string, ClaimWrite>>();
  const each = function* (): Iterable<readonly [string, Map<string, ClaimWrite>, ClaimWrite]> {
    for (const [chatId, claims] of chats) for (const claim of claims.values()) yield [chatId, claims, claim];
  };
  const find = (from: 'doubtfulFrom' | 'waitingFrom', until: number, limit: number): FoundClaim[] =>
    [...each()]
      .filter(([, , claim]) => (claim[from] ?? Infinity) <= until)
      .sort(([, , a], [, , b]) => (a[from] ?? 0) - (b[from] ?? 0))
      .slice(0, limit)
      .map(([chatId, , { id, data, result }]) => ({ chatId, id, data, result }));
  return {
    transact: async (chatId, ids, judge) => {
      const claims = chats.get(chatId) ?? new Map<string, ClaimWrite>();
      const found = ids ? [...new Set(ids)].flatMap((id) => claims.get(id) ?? []) : [...claims.values()];
      const stored = found.map(({ id, data, result }): StoredClaim => ({ id, data, result: ids && result }));
      for (const write of judge(stored)) {
        claims.set(write.id, { ...write, result: write.result ?? claims.get(write.id)?.result });
        chats.set(chatId, claims);
      }
    },
    doubtful: async (until, limit) => find('doubtfulFrom', until, limit),
    waiting: async (until, limit) => find('waitingFrom', until, limit),
    forget: async (before) => {
      const old = [...each()].filter(([, , { forgettableFrom = Infinity }]) => forgettableFrom < before);
      for (const [chatId, claims, { id }] of old) {
        claims.delete(id);
        if (claims.size === 0) chats.delete(chatId);
      }
      return old.length;
    },
  };
}
