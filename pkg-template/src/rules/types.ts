// The public types of the entry `rules`.
import type { ApprovalRules, Effect, JudgedCall, RuleLayer, Ruling } from '../types/rules.js';

/**
 * The calls that a rule is about, as a text: `bash` (every call of a tool), `files/read_file` (a tool of a server),
 * `bash:ls *` (by the main argument, which `tools` names), `copy(from=/tmp/**, to=/srv/**)` (by arguments). Use an object
 * if a name contains a slash, a colon or a parenthesis, or a value contains a comma.
 */
export type RulePattern =
  | string
  | ({ tool: string; server?: string } & (
      | { target?: string }
      /** The first words of a command: the safest way to allow one. */
      | { tokens: readonly string[] }
      | { args: Readonly<Record<string, string | number | boolean | null>> }
    ));

interface RuleInfo {
  /**
   * The id of the rule in every result.
   *
   * @default its place, such as `rules[3]`
   * @see `docs/rules.md#writing-a-rule`
   */
  id?: string;
  /**
   * The reason for the rule: shown to the person, and for a denial sent to the model.
   *
   * @default '' the prompt says that a rule decided
   * @see `docs/rules.md#writing-a-rule`
   */
  why?: string;
  /**
   * Examples that the rule must match, checked when it is read: main arguments as texts, or inputs.
   *
   * @default none
   * @see `docs/rules.md#writing-a-rule`
   */
  match?: readonly unknown[];
  /**
   * Examples that the rule must not match.
   *
   * @default none
   * @see `docs/rules.md#writing-a-rule`
   */
  notMatch?: readonly unknown[];
}

/** One rule. */
export type Rule = RuleInfo &
  (
    | { allow: RulePattern; pattern?: never; action?: never; ask?: never; deny?: never; always?: never }
    | {
        ask: RulePattern;
        /**
         * Whether it asks even if a grant covers the call.
         *
         * @default false
         * @see `docs/rules.md#which-answer-wins`
         */
        always?: boolean;
        allow?: never;
        deny?: never;
        pattern?: never;
        action?: never;
      }
    | { deny: RulePattern; pattern?: never; action?: never; allow?: never; ask?: never; always?: never }
    /** The same, with the effect as a value. */
    | { pattern: RulePattern; action: Effect; always?: boolean; allow?: never; ask?: never; deny?: never }
  );

/** The kind of a value, which decides how it is read. */
export type ArgumentKind = 'text' | 'shell' | 'url' | 'path' | 'json';

/** The application's knowledge of a tool. */
export interface ToolProfile {
  /**
   * The server of the tool, also for calls that do not name one.
   *
   * @default the server that a call names, or none
   * @see `docs/guard.md#tools-of-several-servers`
   */
  server?: string;
  /**
   * The name or JSON pointer of the main argument.
   *
   * @default none: a rule with a main argument is a problem (`no-target`)
   * @see `docs/rules.md#writing-a-rule`
   */
  target?: string;
  /**
   * The kind of the main argument.
   *
   * @default none: a denial matches the argument in any reading, and a wildcard of an allowance stands for no character that
   * means something in a path, a URL or a command
   * @see `docs/rules.md#kinds-of-arguments`
   */
  kind?: ArgumentKind;
  /**
   * The kinds of other arguments, by name or JSON pointer.
   *
   * @default none: as without `kind`
   * @see `docs/rules.md#kinds-of-arguments`
   */
  args?: Readonly<Record<string, ArgumentKind>>;
  /**
   * Arguments to ignore, by name or JSON pointer.
   *
   * @default none: a rule that allows does not cover a call with an argument that it does not name
   * @see `docs/rules.md#writing-a-rule`
   */
  ignore?: readonly string[];
}

/** The rules of one layer. */
export type LayerRules =
  | readonly Rule[]
  | {
      rules?: readonly Rule[];
      /** Forbids all allowances of the layers below. */
      lockAllow?: boolean;
    };

/** The configuration of {@link createRules}. Every field is optional. */
export interface RulesConfig {
  /**
   * Tools by name: their main arguments, and the kinds of their arguments.
   *
   * @default none: rules are about whole tools, or name their arguments
   * @see `docs/rules.md#writing-a-rule`
   */
  tools?: Readonly<Record<string, ToolProfile>>;
  /**
   * The rules of the application.
   *
   * @default none: every call asks
   * @see `docs/rules.md#which-answer-wins`
   */
  rules?: readonly Rule[];
  /**
   * Rules of other authors. A layer only adds rules: the strictest of all matching rules wins.
   *
   * @default none
   * @see `docs/rules.md#rules-to-start-with`
   */
  layers?: Readonly<Partial<Record<RuleLayer, LayerRules>>>;
  /**
   * Tries the rules out without effect: the snapshot shows what they would do.
   *
   * @default false
   * @see `docs/rules.md#writing-a-rule`
   */
  shadow?: boolean;
}

/** A mistake in a rule, which is left out. The calls that it might have denied ask. */
export interface RuleProblem {
  /** The code, for programs. */
  code:
    /** a field has a value of the wrong type */
    | 'wrong-type'
    /** a rule has no such field */
    | 'unknown-field'
    /** its pattern is not written as a pattern must be */
    | 'syntax'
    /** it needs a main argument that `tools` does not name */
    | 'no-target'
    /** it needs a kind that `tools` does not name */
    | 'no-kind'
    /** it is unclear what it would match */
    | 'unclear-pattern'
    /** an example in `match` does not match */
    | 'example-does-not-match'
    /** an example in `notMatch` matches */
    | 'counterexample-matches'
    /** there are too many rules, or one is too long */
    | 'limit'
    /** another rule has its `id` */
    | 'id-is-taken'
    /** it allows, and was passed to `tighten` */
    | 'loosens'
    /** the rules could not be started */
    | 'unavailable';
  /** The place in the configuration: `rules[3].allow`. */
  place: string;
  /** The position in the text at that place, in characters from 0. */
  at: number | undefined;
  /** The mistake as a sentence. */
  message: string;
  /** The way to fix it. */
  mend: string;
}

/** A hint for the author of a rule. */
export interface RuleLint {
  /** The code, for programs. */
  code:
    /** another rule already answers everything that this one could */
    | 'unreachable'
    /** a stricter rule makes this one void */
    | 'shadowed'
    /** a layer above this one forbids it to allow anything */
    | 'locked'
    /** the star begins within a word: `ls*` also covers `lsof` */
    | 'word-boundary'
    /** an allowing rule that begins with a star covers things that nobody thought of */
    | 'leading-star'
    /**
     * it allows every host, also one that only collects what a URL carries, and names of an inner network such as
     * `router.lan`
     */
    | 'any-host'
    /** this tool looks like a shell: give it the kind `shell` */
    | 'text-for-shell';
  /** The id of the rule. */
  ruleId: string;
  /** The id of the rule that is the reason, if there is one. */
  otherId: string | undefined;
  /** The hint as a sentence. */
  message: string;
}

/** The reason why a rule about the same or a similar tool did not decide. */
export type NearMiss =
  /** it matches, but another rule is stricter, or came first */
  | 'overruled'
  /** it matches, but the server says that the tool may destroy something */
  | 'hint'
  /** it matches, but a rule that could not be read might have denied the call */
  | 'broken-rules'
  /** its tool has another name, letter for letter */
  | 'name'
  /** it is about a tool of another server, or of none */
  | 'server'
  /**
   * it denies or asks, and the command has its options or paths in another order: only a rule without a wildcard
   * allows that
   */
  | 'scattered'
  /** its pattern does not match */
  | 'pattern'
  /** it covers only a part of the command */
  | 'part'
  /** the main argument is not plain; only its exact text could be allowed */
  | 'not-simple'
  /** the command runs something else or writes a file, so it can only be allowed word for word */
  | 'runs-others'
  /** the call has no main argument of the kind that the tool has */
  | 'no-target'
  /** the call has arguments that the rule does not mention: name them, or list them in `ignore` */
  | 'other-arguments'
  /** the input cannot be read, or has field names that mean something else elsewhere */
  | 'unsound-input'
  /** a layer above it forbids it to allow anything */
  | 'locked';

/** A rule that was read. */
export interface RuleView {
  /** The id of the rule. */
  id: string;
  /** The effect of the rule. */
  effect: Effect;
  /** Whether it asks even if a grant covers the call. */
  always: boolean;
  /** The layer of the rule. */
  layer: RuleLayer;
  /** The reason for the rule, in the words of its author; may be empty. */
  why: string;
  /** The pattern as it was written. */
  text: string;
}

/** The ruling of a call, with its reasons. */
export interface Explanation extends Ruling {
  /** The rule that decides; `undefined` if none does. */
  rule: RuleView | undefined;
  /** The other rules about the tool, and why they do not decide. */
  near: readonly { rule: RuleView; miss: NearMiss; message: string }[];
  /** The ruling as a sentence for developers. */
  message: string;
}

/** Rules for the option `rules` of guards. Every method is bound. */
export interface Rules extends ApprovalRules {
  /** Explains the ruling of a call, with the rules that nearly decided. */
  readonly explainRule: (call: JudgedCall) => Explanation;
  /**
   * Adds rules while chats run. They can only ask or deny. Waiting calls are judged again.
   *
   * @returns the problems; if there is one, no rule was added
   */
  readonly tighten: (rules: readonly Rule[]) => readonly RuleProblem[];
  /** The rules without mistakes. */
  readonly rules: readonly RuleView[];
  /** The mistakes. Rules with a mistake are left out, and the calls that they might have denied ask. */
  readonly problems: readonly RuleProblem[];
  /** Hints for the author. They do not change a ruling. */
  readonly lints: readonly RuleLint[];
}
