// Rules decide which calls run without a question, and which never run.
import { startModule } from 'virtual:module';
import { RulesCore } from 'virtual:rules-glue';

import { canonical } from './chat/canonical.js';
import { LINTS, MISSES, REASONS } from './rules/sentences.js';
import { notifyAll } from './notify-all.js';
import { because } from './module/start.js';
import { soundsHarmful } from './sounds-harmful.js';
import type {
  Explanation,
  NearMiss,
  Rule,
  RuleLint,
  RuleProblem,
  Rules,
  RulesConfig,
  RuleView,
} from './rules/types.js';
import { UNAVAILABLE, type JudgedCall, type Ruling } from './types/rules.js';

export type * from './rules/types.js';
export type {
  ApprovalRules,
  Effect,
  JudgedCall,
  RuleLayer,
  Ruling,
  RulingReason,
  ToolAnnotations,
} from './types/rules.js';

/** The longest configuration, in UTF-16 units. */
const LONGEST_CONFIG = 4_194_304;

/** The current state of a configuration as JSON, or a sentence if that is impossible. */
function readConfig(config: unknown): { json: string } | { wrong: string } {
  let json: string | undefined;
  try {
    json = JSON.stringify(config, (_, value: unknown) => {
      const isNone = typeof value === 'function' || typeof value === 'symbol';
      if (isNone || (typeof value === 'number' && !Number.isFinite(value)))
        throw new TypeError(String(value));
      if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new TypeError('a lone surrogate');
      return value;
    });
  } catch (cause) {
    return { wrong: `They contain a value that JSON cannot express: ${String(cause)}` };
  }
  return json !== undefined && json.length <= LONGEST_CONFIG
    ? { json }
    : { wrong: `They have more than ${LONGEST_CONFIG} characters.` };
}

const unreadable = (why: string): RuleProblem => ({
  code: 'wrong-type',
  place: 'config',
  at: undefined,
  message: `The rules could not be read. ${why}`,
  mend: 'Use only plain objects, lists, strings, numbers, true and false.',
});

const isDestructive = ({ annotations }: JudgedCall): boolean => annotations?.destructiveHint === true;

/** What the core says of a call. `rule` is the index of the rule that decides. */
interface Judgement extends Pick<Ruling, 'effect' | 'always' | 'because'> {
  rule: number | undefined;
}

interface Description {
  rules: RuleView[];
  problems: RuleProblem[];
  lints: { code: RuleLint['code']; rule: number; other: number | undefined }[];
  shadow: boolean;
}

class OwnRules implements Rules {
  readonly #config: ReturnType<typeof readConfig>;
  #core: RulesCore | undefined;
  #description: Description | undefined;
  #broken: RuleProblem | undefined;
  /** The reason why the WebAssembly could not be started. */
  #unavailable: RuleProblem | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(config: unknown) {
    // Read now, so that later changes of the objects have no effect.
    this.#config = readConfig(config);
  }

  #start(): RulesCore | undefined {
    if (this.#core !== undefined || this.#broken !== undefined) return this.#core;
    if ('wrong' in this.#config) {
      this.#broken = unreadable(this.#config.wrong);
      return undefined;
    }
    try {
      // At the first use, and synchronously: a call is judged before it can be shown.
      startModule();
      this.#core = new RulesCore(this.#config.json);
    } catch (cause) {
      this.#unavailable = {
        code: 'unavailable',
        place: 'config',
        at: undefined,
        message: 'The WebAssembly of the rules could not be started.',
        mend: because(cause),
      };
    }
    return this.#core;
  }

  #changed(): void {
    this.#description = undefined;
    notifyAll(this.#listeners);
  }

  #describe(): Description {
    if (this.#description === undefined) {
      const core = this.#start();
      if (core === undefined) {
        const problem = this.#broken ?? this.#unavailable;
        return { rules: [], problems: problem ? [problem] : [], lints: [], shadow: false };
      }
      this.#description = core.describe() as Description;
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
    const idOf = (at: number | undefined) => (at === undefined ? undefined : rules[at]?.id);
    return lints.map(({ code, rule, other }) => ({
      code,
      ruleId: idOf(rule) ?? '',
      otherId: idOf(other),
      message: LINTS[code],
    }));
  }

  #rulingOf({ effect, always, because, rule: at }: Judgement, call: JudgedCall) {
    const { rules, shadow } = this.#describe();
    const rule = at === undefined ? undefined : rules[at];
    const dangerous = isDestructive(call) || soundsHarmful(call.toolName);
    const { id: ruleId, layer, why = '' } = rule ?? {};
    const ruling: Ruling = { effect, always, because, ruleId, layer, why, dangerous, shadow };
    return { ruling, rule };
  }

  /** The ruling if the rules could not be read or started. */
  get #none(): Ruling {
    return this.#broken === undefined ? UNAVAILABLE : { ...UNAVAILABLE, because: 'broken-rules' };
  }

  readonly judge = (call: JudgedCall): Ruling => {
    const core = this.#start();
    if (core === undefined) return this.#none;
    if (typeof call.toolName !== 'string') return { ...UNAVAILABLE, because: 'unreadable-input' };
    try {
      const input = canonical(call.input);
      const judgement = core.judge(call.toolName, call.server, input, isDestructive(call)) as Judgement;
      return this.#rulingOf(judgement, call).ruling;
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
    const { judgement, near } = core.explain(
      call.toolName,
      call.server,
      canonical(call.input),
      isDestructive(call),
    ) as { judgement: Judgement; near: { rule: number; miss: NearMiss }[] };
    const { ruling, rule } = this.#rulingOf(judgement, call);
    const { rules } = this.#describe();
    return {
      ...ruling,
      rule,
      near: near.flatMap(({ rule: at, miss }) => {
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
    const problems = core.tighten(read.json) as RuleProblem[];
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
 * Reads rules. It never throws: mistakes are listed in `problems`. A rule with a mistake is left out, and the calls that
 * it might have denied ask. The object can serve any number of guards.
 *
 * @param config plain JSON; it can come from a file
 * @returns the rules, for the option `rules` of guards
 */
export function createRules(config: RulesConfig): Rules {
  return new OwnRules(config);
}

/**
 * Explains the rulings of calls without a chat.
 *
 * @param rules the result of `createRules`, or its configuration
 * @param calls the calls to try them on
 * @returns one explanation for each call, in the same order
 */
export function tryRules(rules: Rules | RulesConfig, calls: readonly JudgedCall[]): readonly Explanation[] {
  const own = 'explainRule' in rules ? rules : createRules(rules);
  return calls.map((call) => own.explainRule(call));
}
