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
  /** The id of the rule in every result. Default: its place, such as `rules[3]`. */
  id?: string;
  /** Why the rule exists: shown to the person, and for a denial sent to the model. */
  why?: string;
  /** Examples that the rule must match, checked when it is read: main arguments as texts, or inputs. */
  match?: readonly unknown[];
  /** Examples that the rule must not match. */
  notMatch?: readonly unknown[];
}

/** One rule. */
export type Rule = RuleInfo &
  (
    | { allow: RulePattern; pattern?: never; action?: never; ask?: never; deny?: never; always?: never }
    | {
        ask: RulePattern;
        /** Whether it asks even if a grant covers the call. */
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

/** What the application knows about a tool. */
export interface ToolProfile {
  /** The server of the tool, also for calls that do not name one. */
  server?: string;
  /** The name or JSON pointer of the main argument. */
  target?: string;
  /**
   * The kind of the main argument. Without it, a denial matches the argument in any reading, and a wildcard of an
   * allowance stands for no character that means something in a path, a URL or a command.
   */
  kind?: ArgumentKind;
  /** The kinds of other arguments, by name or JSON pointer. */
  args?: Readonly<Record<string, ArgumentKind>>;
  /** Arguments to ignore, by name or JSON pointer. */
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
  /** Tools by name: their main arguments, and the kinds of their arguments. */
  tools?: Readonly<Record<string, ToolProfile>>;
  /** The rules of the application. */
  rules?: readonly Rule[];
  /** Rules of other authors. A layer only adds rules: the strictest of all matching rules wins. */
  layers?: Readonly<Partial<Record<RuleLayer, LayerRules>>>;
  /** Tries the rules out without effect: the snapshot shows what they would do. */
  shadow?: boolean;
}

/** A mistake in a rule, which is left out. The calls that it might have denied ask. */
export interface RuleProblem {
  /** The code, for programs. */
  code:
    | 'wrong-type'
    | 'unknown-field'
    | 'syntax'
    | 'no-target'
    | 'no-kind'
    | 'unclear-pattern'
    | 'example-does-not-match'
    | 'counterexample-matches'
    | 'limit'
    | 'id-is-taken'
    | 'loosens'
    | 'unavailable';
  /** The place in the configuration: `rules[3].allow`. */
  place: string;
  /** The position in the text at that place, in characters from 0. */
  at: number | undefined;
  /** The mistake as a sentence. */
  message: string;
  /** How to fix it. */
  mend: string;
}

/** A hint for the author of a rule. */
export interface RuleLint {
  /** The code, for programs. */
  code:
    'unreachable' | 'shadowed' | 'locked' | 'word-boundary' | 'leading-star' | 'any-host' | 'text-for-shell';
  /** The id of the rule. */
  ruleId: string;
  /** The id of the rule that is the reason, if there is one. */
  otherId: string | undefined;
  /** The hint as a sentence. */
  message: string;
}

/** Why a rule about the same or a similar tool did not decide. */
export type NearMiss =
  | 'overruled'
  | 'hint'
  | 'broken-rules'
  | 'name'
  | 'server'
  | 'scattered'
  | 'pattern'
  | 'part'
  | 'not-simple'
  | 'runs-others'
  | 'no-target'
  | 'other-arguments'
  | 'unsound-input'
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
  /** Why the rule exists, in the words of its author; may be empty. */
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
