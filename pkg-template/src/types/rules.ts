// The types that the guard and the rules share.

/** The effect of a rule on a call. */
export type Effect = 'allow' | 'ask' | 'deny';

/** The layers of rules, from the least authority to the most. */
export type RuleLayer =
  /** the person at the screen */
  | 'user'
  /** the rules that the application was built with */
  | 'builtin'
  /** the application: the field `rules` is of this layer */
  | 'app'
  /** whoever runs the application */
  | 'organisation';

/** The reason for a ruling. */
export type RulingReason =
  /** a rule decides */
  | 'rule'
  /** no rule matches: ask */
  | 'default'
  /** the server says that the tool may destroy something: ask */
  | 'hint'
  /** a rule that could not be read might have denied the call: ask, unless another rule denies it */
  | 'broken-rules'
  /** the input is too large, too deep, not JSON or takes too long to read: ask, and allow only a denial */
  | 'unreadable-input'
  /** the rules themselves failed: ask */
  | 'unavailable';

/** The decision of the rules about a call. */
export interface Ruling {
  /** The effect on the call. */
  effect: Effect;
  /** Whether it asks even if a grant covers the call. */
  always: boolean;
  /** The reason for the ruling. */
  because: RulingReason;
  /** The id of the rule that decides. */
  ruleId: string | undefined;
  /** The layer of that rule; `undefined` if no rule decides. */
  layer: RuleLayer | undefined;
  /** The reason for the rule, in the words of its author; may be empty. */
  why: string;
  /** Whether the call may do harm, by its name or by the annotations of its server. */
  dangerous: boolean;
  /** Whether the rules are only tried out: then the ruling has no effect. */
  shadow: boolean;
}

/** The ruling of rules that failed: nothing is allowed. */
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

/** The annotations of a tool in the Model Context Protocol. They come from an untrusted server and never allow a call. */
export interface ToolAnnotations {
  /** A name for display. */
  title?: string;
  /** The tool changes nothing. */
  readOnlyHint?: boolean;
  /** The tool may destroy something: then no rule allows it without asking. */
  destructiveHint?: boolean;
  /** Repeating the call with the same input has no further effect. */
  idempotentHint?: boolean;
  /** The tool interacts with systems outside of the server. */
  openWorldHint?: boolean;
}

/** A call to be judged, such as a call of the snapshot. */
export interface JudgedCall {
  /** The name of its tool. */
  toolName: string;
  /** The server of the tool, if it is known. */
  server?: string | undefined;
  /** The input: any JSON. Anything else is never allowed. */
  input: unknown;
  /** The annotations of the tool. */
  annotations?: ToolAnnotations | undefined;
}

/** Rules as a guard uses them: the result of `createRules` of `tool-approval-guard/rules`. */
export interface ApprovalRules {
  /** Judges a call. A guard calls it once for each call that asks, so it must be fast. */
  readonly judge: (call: JudgedCall) => Ruling;
  /** Calls the listener when rulings became stricter or available. Then waiting calls are judged again. @returns a function that unsubscribes */
  readonly subscribe?: (listener: () => void) => () => void;
}

/** An input without its secrets. */
export interface Redacted {
  /** A copy with fixed masks in place of secrets. */
  value: unknown;
  /** The JSON pointers of the masked values, with the number of masks in each. */
  hidden: readonly { pointer: string; count: number }[];
}
