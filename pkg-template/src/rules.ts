// Rules: which calls may run without a question, which never, and why.
import { startModule, whenReady } from 'virtual:module';
import { redact as redactJson, RulesCore } from 'virtual:rules-glue';

import { canonical } from '../../src/web/canonical.js';
import { LINTS, MISSES, REASONS } from './rule-sentences.js';
import { tell } from './telling.js';
import {
  UNAVAILABLE,
  type ApprovalRules,
  type Effect,
  type JudgedCall,
  type Redacted,
  type RuleLayer,
  type Ruling,
  type RulingReason,
} from './ruling.js';

export type {
  ApprovalRules,
  Effect,
  JudgedCall,
  Redacted,
  RuleLayer,
  Ruling,
  RulingReason,
  ToolAnnotations,
} from './ruling.js';

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

let names: readonly (readonly string[])[] | undefined;

/** Instantiates the wasm on first use, synchronously: a call is judged before it can be shown. */
function start(): readonly (readonly string[])[] {
  if (names === undefined) {
    startModule();
    names = RulesCore.names()
      .split('\n')
      .map((line) => line.split(' '));
  }
  return names;
}

/** As JSON, in its one form; nothing where it is none, or too large. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return canonical(value);
  } catch {
    return undefined;
  }
};

/** The longest configuration, in UTF-16 units. */
const LONGEST_CONFIG = 4_194_304;

/** A configuration as it is now, as JSON; a sentence where it is none. */
function readConfig(config: unknown): { json: string } | { wrong: string } {
  let json: string | undefined;
  try {
    json = JSON.stringify(config, (_, value: unknown) => {
      const isNone = typeof value === 'function' || typeof value === 'symbol';
      if (isNone || (typeof value === 'number' && !Number.isFinite(value)))
        throw new TypeError(String(value));
      if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new TypeError('half a character');
      return value;
    });
  } catch (cause) {
    return { wrong: `It has something that JSON has not: ${String(cause)}` };
  }
  return json !== undefined && json.length <= LONGEST_CONFIG
    ? { json }
    : { wrong: `It has more than ${LONGEST_CONFIG} characters.` };
}

const unreadable = (why: string): RuleProblem => ({
  code: 'wrong-type',
  place: 'config',
  at: undefined,
  message: `The rules could not be read. ${why}`,
  mend: 'Give plain objects, lists, texts, numbers, true and false.',
});

const isDestructive = ({ annotations }: JudgedCall): boolean => annotations?.destructiveHint === true;

interface Description {
  rules: RuleView[];
  problems: RuleProblem[];
  lints: { code: RuleLint['code']; rule: number; other: number | null }[];
  shadow: boolean;
}

class OwnRules implements Rules {
  readonly #config: ReturnType<typeof readConfig>;
  #core: RulesCore | undefined;
  #description: Description | undefined;
  #broken: RuleProblem | undefined;
  /** Why there is no WebAssembly, as long as there is none. */
  #unavailable: RuleProblem | undefined;
  #isWaiting = false;
  readonly #listeners = new Set<() => void>();

  constructor(config: unknown) {
    // Now, so that what the page does to its objects later changes nothing.
    this.#config = readConfig(config);
  }

  #start(): RulesCore | undefined {
    if (this.#core !== undefined || this.#broken !== undefined) return this.#core;
    if ('wrong' in this.#config) {
      this.#broken = unreadable(this.#config.wrong);
      return undefined;
    }
    try {
      start();
      this.#core = new RulesCore(this.#config.json);
      this.#unavailable = undefined;
    } catch (cause) {
      if (!this.#isWaiting) whenReady(() => this.#changed());
      this.#isWaiting = true;
      this.#unavailable = {
        code: 'unavailable',
        place: 'config',
        at: undefined,
        message: `The WebAssembly of the rules could not be started: ${String(cause)}`,
        mend: "A strict Content-Security-Policy needs 'wasm-unsafe-eval' in script-src.",
      };
    }
    return this.#core;
  }

  #changed(): void {
    this.#description = undefined;
    tell(this.#listeners);
  }

  #describe(): Description {
    if (this.#description === undefined) {
      const core = this.#start();
      if (core === undefined) {
        const problem = this.#broken ?? this.#unavailable;
        return { rules: [], problems: problem ? [problem] : [], lints: [], shadow: false };
      }
      const description = JSON.parse(core.describe()) as Description;
      for (const problem of description.problems) problem.at ??= undefined;
      this.#description = description;
    }
    return this.#description;
  }

  get rules(): readonly RuleView[] {
    return this.#describe().rules;
  }

  get problems(): readonly RuleProblem[] {
    return this.#describe().problems;
  }

  get lints(): readonly RuleLint[] {
    const { rules, lints } = this.#describe();
    const idOf = (at: number | null) => (at === null ? undefined : rules[at]?.id);
    return lints.map(({ code, rule, other }) => ({
      code,
      ruleId: idOf(rule) ?? '',
      otherId: idOf(other),
      message: LINTS[code],
    }));
  }

  #read(code: number): Ruling {
    const [effects = [], reasons = []] = start();
    const { rules, shadow } = this.#describe();
    const rule = rules[(code >>> 8) - 1];
    return {
      effect: effects[code & 3] as Effect,
      always: (code & 4) !== 0,
      because: reasons[(code >>> 4) & 15] as RulingReason,
      ruleId: rule?.id,
      layer: rule?.layer,
      why: rule?.why ?? '',
      dangerous: (code & 8) !== 0,
      shadow,
    };
  }

  /** What a call gets where there are no rules that could be asked. */
  get #none(): Ruling {
    return this.#broken === undefined ? UNAVAILABLE : { ...UNAVAILABLE, because: 'broken-rules' };
  }

  readonly judge = (call: JudgedCall): Ruling => {
    const core = this.#start();
    if (core === undefined) return this.#none;
    if (typeof call.toolName !== 'string') return { ...UNAVAILABLE, because: 'unreadable-input' };
    try {
      return this.#read(core.judge(call.toolName, call.server, jsonOf(call.input), isDestructive(call)));
    } catch {
      return UNAVAILABLE;
    }
  };

  readonly explainRule = (call: JudgedCall): Explanation => {
    const core = this.#start();
    if (core === undefined) {
      const none = this.#none;
      return { ...none, rule: undefined, near: [], message: REASONS[none.because] };
    }
    const { code, near } = JSON.parse(
      core.explain(call.toolName, call.server, jsonOf(call.input), isDestructive(call)),
    ) as { code: number; near: [number, NearMiss][] };
    const ruling = this.#read(code);
    const { rules } = this.#describe();
    const rule = rules[(code >>> 8) - 1];
    return {
      ...ruling,
      rule,
      near: near.flatMap(([at, miss]) => {
        const other = rules[at];
        return other === undefined ? [] : [{ rule: other, miss, message: MISSES[miss] }];
      }),
      message: rule === undefined ? REASONS[ruling.because] : `The rule ${rule.id} says ${rule.effect}.`,
    };
  };

  readonly tighten = (rules: readonly Rule[]): readonly RuleProblem[] => {
    const core = this.#start();
    if (core === undefined) return this.problems;
    const read = readConfig(rules);
    if ('wrong' in read) return [unreadable(read.wrong)];
    const problems = JSON.parse(core.tighten(read.json)) as RuleProblem[];
    if (problems.length === 0) this.#changed();
    return problems;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  };
}

/**
 * Reads rules. It never throws: what cannot be read is in `problems`, and until there is none everything asks
 * that no readable rule denies. The object can serve any number of guards.
 *
 * @param config plain JSON: it can come from a file
 * @returns the rules, for the option `rules` of guards
 */
export function createRules(config: RulesConfig): Rules {
  return new OwnRules(config);
}

/**
 * What each call would get, and why, without a chat.
 *
 * @param rules what `createRules` has answered, or would be given
 * @param calls the calls to try them on
 * @returns one answer for each call, in their order
 */
export function tryRules(rules: Rules | RulesConfig, calls: readonly JudgedCall[]): readonly Explanation[] {
  const own = 'explainRule' in rules ? rules : createRules(rules);
  return calls.map((call) => own.explainRule(call));
}

/**
 * What may be shown of an input (`'display'`), or kept of it (`'record'`), without its secrets. What is sent
 * is not touched.
 *
 * @param input any value: it is not changed
 * @param view `'record'` is stricter: for what is kept
 * @returns nothing where it cannot be shown: too large, too deep, or no JSON
 * @throws when there is no WebAssembly
 */
export function redact(input: unknown, view: 'display' | 'record' = 'display'): Redacted | undefined {
  start();
  const json = jsonOf(input);
  if (json === undefined) return undefined;
  // As bytes, because the glue would look at each character of a string.
  const text = redactJson(new TextEncoder().encode(json), view === 'record');
  if (text === undefined) return undefined;
  if (text === '') return { value: inOrder(input, input), hidden: [] };
  const { value, hidden } = JSON.parse(text) as { value: unknown; hidden: [string, number][] };
  return { value: inOrder(value, input), hidden: hidden.map(([pointer, count]) => ({ pointer, count })) };
}

/** The fields of a copy in the order in which a person wrote, or reads, them; masked names come last. */
function inOrder(copy: unknown, like: unknown): unknown {
  if (typeof copy !== 'object' || copy === null || typeof like !== 'object' || like === null) return copy;
  const at = (object: object, key: string | number) => (object as Record<string | number, unknown>)[key];
  if (Array.isArray(copy)) return copy.map((item, i) => inOrder(item, at(like, i)));
  const names = new Set(
    [...Object.keys(like), ...Object.keys(copy)].filter((name) => Object.hasOwn(copy, name)),
  );
  // `fromEntries` also makes a field of the name `__proto__`.
  return Object.fromEntries([...names].map((name) => [name, inOrder(at(copy, name), at(like, name))]));
}
