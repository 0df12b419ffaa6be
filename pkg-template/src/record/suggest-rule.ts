/** A rule for `createRules` that is about exactly one input of a tool. */
export type SparingRule = { why: string } & (
  { allow: ExactPattern; deny?: never } | { deny: ExactPattern; allow?: never }
);

export interface ExactPattern {
  tool: string;
  server?: string;
  args: Readonly<Record<string, string | number | boolean | null>>;
}

/** What a pattern can read as something else than itself. */
const WILD = /[*?\\[\]{}]/;
/** A name that is nothing but a name. */
const NAME = /^[A-Za-z][\w.-]*$/;

interface Load {
  toolName: string;
  server?: string | undefined;
  asked: number;
  allowed: number;
  denied: number;
}

/**
 * The narrowest rule that answers a call as a person always has. Nothing where the answers differ, the input is not known,
 * or it is not made of plain values: a rule that says more than this is for a person to write.
 */
export function suggestRule(
  { toolName, server, asked, allowed, denied }: Load,
  input: unknown,
): SparingRule | undefined {
  const isClear = (allowed === 0) !== (denied === 0);
  if (!isClear || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const names = [toolName, ...(server === undefined ? [] : [server]), ...Object.keys(input)];
  if (names.length < (server === undefined ? 2 : 3) || !names.every((name) => NAME.test(name)))
    return undefined;
  const args: Record<string, string | number | boolean | null> = Object.create(null) as Record<string, never>;
  for (const [name, value] of Object.entries(input)) {
    const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    const isText = typeof value === 'string';
    // Blanks at an end are read away by some kinds of arguments.
    if (!isPlain || (isText && (WILD.test(value) || value.trim() !== value))) return undefined;
    args[name] = value as string | number | boolean | null;
  }
  const pattern = { tool: toolName, ...(server === undefined ? {} : { server }), args: { ...args } };
  const times = denied === 0 ? `allowed ${allowed}` : `denied ${denied}`;
  const why = `A person has ${times} of ${asked} times`;
  return denied === 0 ? { why, allow: pattern } : { why, deny: pattern };
}
