// The common part of the stores in SQL databases: the tables, the statements with their values, and the reader of a row.
import type { ClaimWrite, FoundClaim, StoredClaim } from './store.js';

/** A row of the claims. */
export interface Row {
  chat: string;
  id: string;
  data: string;
  result: string | null;
}

/** A time by which claims are found. */
export type FoundBy = 'doubtful' | 'waiting';

/**
 * The statements that create the tables. A row is found by its chat and approval; its times are columns, with indexes over
 * the rows that have one, so that `doubtful`, `waiting` and `forget` read no others.
 *
 * @param time the type of a time
 * @param schema the end of the statement of the table with the version, and `claims` of that with the claims
 */
export const tablesOf = (time: string, schema = '', claims = ''): readonly string[] => [
  `create table if not exists tool_approval_claims_schema (version integer not null) ${schema}`,
  `create table if not exists tool_approval_claims (
    chat text not null,
    id text not null,
    data text not null,
    result text,
    doubtful ${time},
    forgettable ${time},
    waiting ${time},
    primary key (chat, id)
  ) ${claims}`,
  ...['doubtful', 'forgettable', 'waiting'].map(
    (column) => `create index if not exists tool_approval_claims_${column}
      on tool_approval_claims (${column}) where ${column} is not null`,
  ),
];

/** Writes a claim. A result that is not given stays. */
export const WRITE = `
  insert into tool_approval_claims (chat, id, data, result, doubtful, forgettable, waiting)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (chat, id) do update set data = excluded.data,
    result = coalesce(excluded.result, tool_approval_claims.result),
    doubtful = excluded.doubtful, forgettable = excluded.forgettable, waiting = excluded.waiting`;

/** The values of {@link WRITE}. */
export const written = (chatId: string, claim: ClaimWrite): (string | number | null)[] => {
  const { id, data, result, doubtfulFrom, forgettableFrom, waitingFrom } = claim;
  return [chatId, id, data, ...[result, doubtfulFrom, forgettableFrom, waitingFrom].map((it) => it ?? null)];
};

/** Reads all claims of a chat, without their results. */
export const ALL = 'select id, data, null as result from tool_approval_claims where chat = $1';

/** Reads some claims of a chat; the condition of their ids follows. */
export const SOME = 'select id, data, result from tool_approval_claims where chat = $1 and id =';

/** Finds claims of all chats up to a time, at most so many. */
export const findBy = (by: FoundBy): string =>
  `select chat, id, data, result from tool_approval_claims where ${by} <= $1 order by ${by} limit $2`;

/** Removes claims up to a time. */
export const FORGET = 'delete from tool_approval_claims where forgettable < $1';

export const storedIn = ({ id, data, result }: Row): StoredClaim => ({
  id,
  data,
  result: result ?? undefined,
});

export const foundIn = (row: Row): FoundClaim => ({ chatId: row.chat, ...storedIn(row) });
