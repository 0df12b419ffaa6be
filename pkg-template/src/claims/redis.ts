// A store in Redis. Each script runs by itself, so what it does is atomic; between reading and writing, a number that
// changes with every write shows whether another server was faster.
import { GuardError } from '../error.js';
import { checkSchema, SCHEMA } from './schema.js';
import type { ClaimStore, ClaimWrite, FoundClaim, StoredClaim } from './store.js';

/** A client of `ioredis`. */
export interface IoRedisClient {
  /** Runs a command. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client of `redis`. */
export interface NodeRedisClient {
  /** Runs a command, whose name is the first of its parts. */
  sendCommand(command: string[]): Promise<unknown>;
}

/** The options of `redisClaims`. */
export interface RedisClaimsOptions {
  /**
   * The beginning of all keys. In a cluster it has to contain a name in braces, so that all keys are on one node.
   *
   * @default '{tool-approval-claims}:'
   * @see `docs/claims.md#stores`
   */
  prefix?: string;
}

// Keys: the schema. Argument: the version to write where there is none.
const SCHEMA_OF = `
redis.call('SETNX', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])`;

// Keys: claims and results of the chat. Arguments: the approvals to read, or none for all of the chat.
// A chat is two hashes, so that reading all its claims does not read the results. The field '' is the number of the
// last write; no approval has an empty id.
const READ = `
local found = { redis.call('HGET', KEYS[1], '') or '' }
if #ARGV == 0 then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if all[i] ~= '' then
      found[#found + 1] = all[i]
      found[#found + 1] = all[i + 1]
      found[#found + 1] = false
    end
  end
end
for _, id in ipairs(ARGV) do
  local data = redis.call('HGET', KEYS[1], id)
  if data then
    found[#found + 1] = id
    found[#found + 1] = data
    found[#found + 1] = redis.call('HGET', KEYS[2], id)
  end
end
return found`;

// Keys: claims, results, counter, doubtful, forgettable, waiting. Arguments: the number that was read, the chat, and for
// each claim its id, data, whether there is a result, the result, and its times or ''.
const WRITE = `
if (redis.call('HGET', KEYS[1], '') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], '', redis.call('INCR', KEYS[3]))
local function place(key, member, time)
  if time == '' then redis.call('ZREM', key, member) else redis.call('ZADD', key, time, member) end
end
for i = 3, #ARGV, 7 do
  local id = ARGV[i]
  local member = cjson.encode({ ARGV[2], id })
  redis.call('HSET', KEYS[1], id, ARGV[i + 1])
  if ARGV[i + 2] == '1' then redis.call('HSET', KEYS[2], id, ARGV[i + 3]) end
  for time = 4, 6 do place(KEYS[time], member, ARGV[i + time]) end
end
return 1`;

// Keys: doubtful or waiting. Arguments: the latest time, the limit, what the keys of claims and of results begin with.
const FIND = `
local found = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local place = cjson.decode(member)
  local data = redis.call('HGET', ARGV[3] .. place[1], place[2])
  if data then
    found[#found + 1] = place[1]
    found[#found + 1] = place[2]
    found[#found + 1] = data
    found[#found + 1] = redis.call('HGET', ARGV[4] .. place[1], place[2])
  end
end
return found`;

// Keys: forgettable, waiting. Arguments: the time, what the keys of claims and of results begin with, the counter.
// A thousand at a time, because nothing else runs meanwhile.
const FORGET = `
local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, 1000)
for _, member in ipairs(old) do
  local place = cjson.decode(member)
  local claims = ARGV[2] .. place[1]
  redis.call('HDEL', claims, place[2])
  redis.call('HDEL', ARGV[3] .. place[1], place[2])
  redis.call('ZREM', KEYS[1], member)
  redis.call('ZREM', KEYS[2], member)
  if redis.call('HLEN', claims) == 1 then
    redis.call('DEL', claims)
  else
    redis.call('HSET', claims, '', redis.call('INCR', ARGV[4]))
  end
end
return #old`;

/** The number of attempts of a transaction before it is given up. */
const TRIES = 200;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value: unknown): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
const optional = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : text(value);

/** Cuts a flat list into rows. */
function* rowsOf(list: readonly unknown[], width: number): Iterable<readonly unknown[]> {
  for (let i = 0; i < list.length; i += width) yield list.slice(i, i + width);
}

const argumentsOf = (claim: ClaimWrite): string[] => {
  const { id, data, result, doubtfulFrom, forgettableFrom, waitingFrom } = claim;
  const times = [doubtfulFrom, forgettableFrom, waitingFrom].map((time) => `${time ?? ''}`);
  return [id, data, result === undefined ? '0' : '1', result ?? '', ...times];
};

/** A Redis whose schema was checked. */
class Redis {
  readonly #client: IoRedisClient | NodeRedisClient;
  readonly prefix: string;
  #ready = false;

  constructor(client: IoRedisClient | NodeRedisClient, prefix: string) {
    this.#client = client;
    this.prefix = prefix;
  }

  async eval(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    if (!this.#ready) {
      checkSchema(text(await this.#send(SCHEMA_OF, [`${this.prefix}schema`], [`${SCHEMA}`])));
      this.#ready = true;
    }
    return this.#send(script, keys, values);
  }

  #send(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const args = [script, `${keys.length}`, ...keys, ...values];
    const client = this.#client;
    return 'call' in client ? client.call('EVAL', ...args) : client.sendCommand(['EVAL', ...args]);
  }

  async transact(...[chatId, ids, judge]: Parameters<ClaimStore['transact']>): Promise<void> {
    const [claims, results] = [`${this.prefix}claims:${chatId}`, `${this.prefix}results:${chatId}`];
    const others = ['writes', 'doubtful', 'forgettable', 'waiting'].map((name) => this.prefix + name);
    for (let tries = 0; tries < TRIES; tries++) {
      // No ids are not all ids.
      const wanted = ids?.length === 0 ? [''] : [...new Set(ids)];
      const [number, ...list] = (await this.eval(READ, [claims, results], wanted)) as unknown[];
      const stored = [...rowsOf(list, 3)].map(([id, data, result]): StoredClaim => ({
        id: text(id),
        data: text(data),
        result: optional(result),
      }));
      const writes = judge(ids?.length === 0 ? [] : stored);
      if (writes.length === 0) return;
      const values = [text(number), chatId, ...writes.flatMap(argumentsOf)];
      if (Number(await this.eval(WRITE, [claims, results, ...others], values)) === 1) return;
      await pause(Math.random() * Math.min(50, tries));
    }
    throw new GuardError('storage-busy', 'Other servers write to the claims of this chat all the time.');
  }
}

/**
 * Creates a store in Redis. What it promises holds as long as Redis loses nothing: use `appendonly yes`, with
 * `appendfsync always` if no power failure may lose a claim, and no eviction of its keys.
 *
 * @param client a client of `ioredis` or `redis`, connected
 * @param options the beginning of the keys
 * @returns a store for `createClaims`
 */
export function redisClaims(
  client: IoRedisClient | NodeRedisClient,
  options: RedisClaimsOptions = {},
): ClaimStore {
  const redis = new Redis(client, options.prefix ?? '{tool-approval-claims}:');
  const { prefix } = redis;
  const places = [`${prefix}claims:`, `${prefix}results:`];
  const find = async (key: 'doubtful' | 'waiting', until: number, limit: number): Promise<FoundClaim[]> => {
    const list = await redis.eval(FIND, [prefix + key], [`${until}`, `${limit}`, ...places]);
    return [...rowsOf(list as unknown[], 4)].map(([chatId, id, data, result]) => ({
      ...{ chatId: text(chatId), id: text(id), data: text(data) },
      result: optional(result),
    }));
  };
  return {
    transact: (chatId, ids, judge) => redis.transact(chatId, ids, judge),
    doubtful: (until, limit) => find('doubtful', until, limit),
    waiting: (until, limit) => find('waiting', until, limit),
    forget: async (before) => {
      let removed = 0;
      for (;;) {
        const values = [`${before}`, ...places, `${prefix}writes`];
        const count = Number(await redis.eval(FORGET, [`${prefix}forgettable`, `${prefix}waiting`], values));
        removed += count;
        if (count === 0) return removed;
      }
    },
  };
}
