/** A rule for `createRules` that is about exactly one input of a tool. */
export type SparingRule = { why: string } & (
  { allow: SparingPattern; deny?: never } | { deny: SparingPattern; allow?: never }
);

export interface SparingPattern {
  tool: string;
  args: Readonly<Record<string, string | number | boolean | null>>;
}

/** What a pattern reads as something else than itself. */
const WILD = /[*\\]/;

/**
 * The narrowest rule that answers a call as a person always has. Nothing where the answers differ, the input is not known,
 * or it is not made of plain values: a rule that says more than this is for a person to write.
 */
export function ruleFor(
  { toolName, asked, allowed, denied }: { toolName: string; asked: number; allowed: number; denied: number },
  input: unknown,
): SparingRule | undefined {
  const isClear = (allowed === 0) !== (denied === 0);
  if (!isClear || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const args: Record<string, string | number | boolean | null> = Object.create(null) as Record<string, never>;
  for (const [name, value] of Object.entries(input)) {
    const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    if (!isPlain || (typeof value === 'string' && WILD.test(value))) return undefined;
    args[name] = value as string | number | boolean | null;
  }
  const pattern = { tool: toolName, args: { ...args } };
  const times = denied === 0 ? `allowed ${allowed}` : `denied ${denied}`;
  const why = `A person has ${times} of ${asked} times`;
  return denied === 0 ? { why, allow: pattern } : { why, deny: pattern };
}
