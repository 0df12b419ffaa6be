// What rules are to a guard, and what they answer: what both entries share.

/** What is to happen to a call. */
export type Effect = 'allow' | 'ask' | 'deny';

/** Who gave a rule, from the least authority to the most. */
export type RuleLayer = 'user' | 'builtin' | 'app' | 'organisation';

/** Where an answer comes from. */
export type RulingReason =
  /** a rule says so */
  | 'rule'
  /** no rule says anything: ask */
  | 'default'
  /** the server says that the tool may destroy something: ask */
  | 'hint'
  /** a rule could not be read: ask for everything that no other rule denies */
  | 'broken-rules'
  /** the input is too large, too deep or no JSON: ask, and only a denial can be given */
  | 'unreadable-input'
  /** the rules themselves failed: ask */
  | 'unavailable';

/** What rules say of a call. */
export interface Ruling {
  /** What is to happen to the call. */
  effect: Effect;
  /** It is asked also where a person has granted it. */
  always: boolean;
  /** Where the answer comes from. */
  because: RulingReason;
  /** The rule that says so. */
  ruleId: string | undefined;
  /** Who gave that rule; `undefined` where no rule says so. */
  layer: RuleLayer | undefined;
  /** Why the rule is there, in the words of its author; nothing where there are none. */
  why: string;
  /** The call may do harm: by its name, or because its server says so. */
  dangerous: boolean;
  /** Only to be looked at: what would happen, and does not. */
  shadow: boolean;
}

/** The answer of rules that have failed: nothing is allowed. */
export const UNAVAILABLE: Ruling = {
  effect: 'ask',
  always: true,
  because: 'unavailable',
  ruleId: undefined,
  layer: undefined,
  why: '',
  dangerous: true,
  shadow: false,
};

/** What a server says of a tool: the annotations of the Model Context Protocol. They are the words of a stranger: they never allow. */
export interface ToolAnnotations {
  /** A name for people. */
  title?: string;
  /** It changes nothing. */
  readOnlyHint?: boolean;
  /** It may destroy something: then no rule allows it without a question. */
  destructiveHint?: boolean;
  /** Once more with the same input changes nothing more. */
  idempotentHint?: boolean;
  /** It reaches beyond the server. */
  openWorldHint?: boolean;
}

/** A call that is to be judged. A call of the snapshot is one. */
export interface JudgedCall {
  /** The name of its tool. */
  toolName: string;
  /** The server that the tool belongs to, where it is known. */
  server?: string | undefined;
  /** Its input: any JSON. What is none is never allowed. */
  input: unknown;
  /** What the server says of the tool. */
  annotations?: ToolAnnotations | undefined;
}

/** Rules, as a guard asks them: `createRules` of `tool-approval-guard/rules` makes some. */
export interface ApprovalRules {
  /** What is to happen to a call. It is asked once for each call that asks, and must be quick. */
  readonly judge: (call: JudgedCall) => Ruling;
  /** Tells that answers became stricter, or that there are answers at last. Calls that wait are judged again. @returns a function that unsubscribes. */
  readonly subscribe?: (listener: () => void) => () => void;
}

/** What may be shown, or kept, of an input. */
export interface Redacted {
  /** A copy with fixed masks in the place of secrets. */
  value: unknown;
  /** Where they are: JSON pointers, and how many masks stand there. */
  hidden: readonly { pointer: string; count: number }[];
}
