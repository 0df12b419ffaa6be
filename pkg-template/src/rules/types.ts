// The public types of the entry `rules`.
import type { ApprovalRules, Effect, JudgedCall, RuleLayer, Ruling } from '../types/rules.js';

/**
 * Which calls a rule is about, as a text: `bash` (every call of a tool), `files/read_file` (of a server),
 * `bash:ls *` (by the main argument, which `tools` names), `copy(from=/tmp/**, to=/srv/**)` (by arguments).
 * As an object where a name has a slash, a colon or a parenthesis, or a value has a comma.
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
  /** Its name in every answer. Default: its place, such as `rules[3]`. */
  id?: string;
  /** Why it is there: shown to the person, and for a denial told to the model. */
  why?: string;
  /** Examples that it matches, checked when it is read: main arguments as texts, or inputs. */
  match?: readonly unknown[];
  /** Examples that it does not match. */
  notMatch?: readonly unknown[];
}

/** One rule. */
export type Rule = RuleInfo &
  (
    | { allow: RulePattern; ask?: never; deny?: never; always?: never }
    | {
        ask: RulePattern;
        /** Ask also where a person has granted it. */
        always?: boolean;
        allow?: never;
        deny?: never;
      }
    | { deny: RulePattern; allow?: never; ask?: never; always?: never }
  );

/** What a value is: each kind is read in its own way. */
export type ArgumentKind = 'text' | 'shell' | 'url' | 'path' | 'json';

/** What is known of a tool. */
export interface ToolProfile {
  /** The name of the server that it belongs to, also where a call does not say it. */
  server?: string;
  /** The name, or the JSON pointer, of its main argument. */
  target?: string;
  /** What its main argument is. Default `'text'`. */
  kind?: ArgumentKind;
  /** What other arguments are, by name or JSON pointer. */
  args?: Readonly<Record<string, ArgumentKind>>;
  /** Arguments that do not matter, by name or JSON pointer. */
  ignore?: readonly string[];
}

/** The rules of one layer. */
export type LayerRules =
  | readonly Rule[]
  | {
      rules?: readonly Rule[];
      /** The layers below it cannot allow anything. */
      lockAllow?: boolean;
    };

/** What {@link createRules} accepts. Every field is optional. */
export interface RulesConfig {
  /** What is known of tools, by name: which argument a rule means, and how it is read. */
  tools?: Readonly<Record<string, ToolProfile>>;
  /** The rules of the application. */
  rules?: readonly Rule[];
  /** Rules of others. A layer only adds rules: the strictest of all that match wins. */
  layers?: Readonly<Partial<Record<RuleLayer, LayerRules>>>;
  /** Nothing is done; the snapshot says what would be. */
  shadow?: boolean;
}

/** What is wrong with a rule. While there is one, everything asks that no rule denies. */
export interface RuleProblem {
  /** For programs. */
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
  /** Where: `rules[3].allow`. */
  place: string;
  /** The place in the text there, in characters from 0. */
  at: number | undefined;
  /** What is wrong, as a sentence. */
  message: string;
  /** What to do about it. */
  mend: string;
}

/** What the author of a rule should look at. */
export interface RuleLint {
  /** For programs. */
  code: 'unreachable' | 'shadowed' | 'locked' | 'word-boundary' | 'leading-star' | 'text-for-shell';
  /** The rule to look at. */
  ruleId: string;
  /** The rule that is the reason. */
  otherId: string | undefined;
  /** What is odd about it, as a sentence. */
  message: string;
}

/** Why a rule that is about the tool, or nearly, did not decide. */
export type NearMiss =
  | 'overruled'
  | 'hint'
  | 'broken-rules'
  | 'name'
  | 'server'
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
  /** Its name in every answer. */
  id: string;
  /** What it says. */
  effect: Effect;
  /** It asks also where a person has granted the call. */
  always: boolean;
  /** Who gave it. */
  layer: RuleLayer;
  /** Why it is there, in the words of its author; nothing where there are none. */
  why: string;
  /** As it was written. */
  text: string;
}

/** Why a call gets its answer. */
export interface Explanation extends Ruling {
  /** The rule that decides; `undefined` where none does. */
  rule: RuleView | undefined;
  /** The other rules about the tool, and why they do not decide. */
  near: readonly { rule: RuleView; miss: NearMiss; message: string }[];
  /** The answer as a sentence for developers. */
  message: string;
}

/** Rules that were read, for the option `rules` of guards. Every method is bound. */
export interface Rules extends ApprovalRules {
  /** Says why a call gets its answer, and which rules were near. */
  readonly explainRule: (call: JudgedCall) => Explanation;
  /**
   * Adds rules while chats run: they can only ask or deny. Calls that wait are judged again.
   *
   * @returns what is wrong with them; then none was added
   */
  readonly tighten: (rules: readonly Rule[]) => readonly RuleProblem[];
  /** All rules that could be read. */
  readonly rules: readonly RuleView[];
  /** What is wrong with them. While there is anything, nothing is allowed by a rule. */
  readonly problems: readonly RuleProblem[];
  /** What their author should look at. It changes no answer. */
  readonly lints: readonly RuleLint[];
}
