/**
 * What a guard has returned, with call ids in place of keys: a result, a list of keys, or one key. Keys are
 * random, so a test cannot know them.
 */
export function named(guard, value) {
  const ids = new Map(guard.getSnapshot().calls.map(({ key, toolCallId }) => [key, toolCallId]));
  const idOf = (key) => ids.get(key) ?? `no call has the key ${key}`;
  if (typeof value === 'string') return idOf(value);
  if (Array.isArray(value)) return value.map(idOf);
  const { key, keys, also } = value;
  return {
    ...value,
    ...(key !== undefined && { key: idOf(key) }),
    ...(keys !== undefined && { keys: keys.map(idOf) }),
    ...(also !== undefined && { also: also.map(idOf) }),
  };
}
