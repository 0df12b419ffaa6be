/** A rule for `createRules` that covers exactly one input of a tool. */
export type SparingRule = { why: string } & (
  { allow: ExactPattern; deny?: never } | { deny: ExactPattern; allow?: never }
);

export interface ExactPattern {
  tool: string;
  server?: string;
  args: Readonly<Record<string, string | number | boolean | null>>;
}

/** Characters that have a special meaning in a pattern. */
const WILD = /[*?\\[\]{}]/;
/** A name that has no special meaning in a pattern. */
const NAME = /^[A-Za-z][\w.-]*$/;

interface LoadRow {
  toolName: string;
  server?: string | undefined;
  asked: number;
  allowed: number;
  denied: number;
}

/**
 * Suggests the narrowest rule that gives the answers of the person. Returns `undefined` if the answers
 * differ, or if the input is unknown or does not consist of plain values: only a person may write a wider
 * rule.
 */
export function suggestRule(
  { toolName, server, asked, allowed, denied }: LoadRow,
  input: unknown,
): SparingRule | undefined {
  const isClear = (allowed === 0) !== (denied === 0);
  if (!isClear || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const names = [toolName, ...(server === undefined ? [] : [server]), ...Object.keys(input)];
  if (names.length < (server === undefined ? 2 : 3) || !names.every((name) => NAME.test(name)))
    return undefined;
  const args: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(input)) {
    const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    const isText = typeof value === 'string';
    // Some kinds of arguments ignore leading and trailing blanks.
    if (!isPlain || (isText && (WILD.test(value) || value.trim() !== value))) return undefined;
    args[name] = value as string | number | boolean | null;
  }
  const pattern = { tool: toolName, ...(server === undefined ? {} : { server }), args };
  const times = denied === 0 ? `allowed ${allowed}` : `denied ${denied}`;
  const why = `A person has ${times} of ${asked} times`;
  return denied === 0 ? { why, allow: pattern } : { why, deny: pattern };
}
